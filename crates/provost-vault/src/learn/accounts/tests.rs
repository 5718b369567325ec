use camino::Utf8Path;
use provost_kernel::{Exit, Millis, Source};

use super::*;
use crate::{disk::read_all, sim::SimDisk};

struct Noon;

impl Clock for Noon {
    fn millis(&self) -> Millis {
        Millis(43_200_000)
    }
}

fn layout() -> Layout {
    Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
}

fn kim() -> Actor {
    Actor { source: Source::Cli, id: "kim".to_owned() }
}

fn ledger<'a>(
    disk: &'a SimDisk,
    mission: &str,
) -> Result<AccountLog<&'a SimDisk>, AccountLogError> {
    AccountLog::on(disk, &layout(), &mission.parse().unwrap())
}

/// A ledger of these batches.
fn written(batches: &[&[&str]]) -> SimDisk {
    let disk = SimDisk::default();
    let mut log = ledger(&disk, "m").unwrap();
    for batch in batches {
        let texts = batch.iter().map(|it| (*it).to_owned()).collect();
        log.append(texts, &kim(), &Noon).unwrap();
    }
    disk
}

fn at() -> Location {
    place(&layout(), &"m".parse().unwrap())
}

#[test]
fn what_was_written_is_read_and_each_mission_has_its_own() {
    let disk = written(&[&["a"], &["b", "b"], &[], &["c"]]);
    for (mission, expected) in [("m", &["a", "b", "b", "c"][..]), ("n", &[])] {
        assert_eq!(ledger(&disk, mission).unwrap().lines(), expected);
        let read = read_accounts(&&disk, &layout(), &mission.parse().unwrap()).unwrap();
        assert_eq!(read, expected);
    }
}

/// A ledger that was edited is worth nothing, and only what a crash may have cut off is written
/// again.
#[test]
fn an_edited_ledger_is_refused_and_its_last_batch_restored() {
    for (edited, expected) in [
        ("a\nb\nc\nd\n", Ok(())),
        ("a\nb\nc\n", Ok(())),
        ("a\nb\n", Ok(())),
        ("a\nb\nx\nd\n", Err(3)),
        ("a\nb\nx\n", Err(3)),
        ("a\n", Err(2)),
        ("", Err(1)),
        ("b\nb\nc\nd\n", Err(1)),
        ("a\nc\n", Err(2)),
        ("a\nb\nc\nd\ne\n", Err(5)),
    ] {
        let disk = written(&[&["a"], &["b"], &["c", "d"]]);
        write_atomic(&disk, &at(), edited.as_bytes()).unwrap();
        match (ledger(&disk, "m"), expected) {
            (Ok(log), Ok(())) => {
                assert_eq!(log.lines(), ["a", "b", "c", "d"], "{edited:?}");
                let file = read_all(&disk, &disk.open(&at()).unwrap()).unwrap();
                assert_eq!(file, b"a\nb\nc\nd\n", "{edited:?}");
            }
            (Err(AccountLogError::Differs { line, .. }), Err(expected)) => {
                assert_eq!(line, expected, "{edited:?}");
            }
            (other, _) => panic!("{edited:?}: {other:?}"),
        }
    }
}

/// Chain and ledger cut together are missed by the head that is stored apart.
#[test]
fn a_ledger_that_was_cut_with_its_chain_is_refused() {
    let disk = written(&[&["a"], &["b"]]);
    let cut = |at: &Location| {
        let bytes = read_all(&disk, &disk.open(at).unwrap()).unwrap();
        let first: Vec<&[u8]> = bytes.split_inclusive(|it| *it == b'\n').take(1).collect();
        write_atomic(&disk, at, &first.concat()).unwrap();
    };
    cut(&at());
    cut(&layout().audit());
    let error = ledger(&disk, "m").unwrap_err();
    assert!(matches!(error, AccountLogError::Audit(AuditError::Broken { .. })), "{error}");
    assert_eq!(error.exit(), Exit::Integrity);
}

#[test]
fn an_edited_ledger_exits_with_the_code_of_integrity() {
    let error = AccountLogError::Differs { path: "/x".into(), line: 3 };
    assert_eq!(error.exit(), Exit::Integrity);
    assert_eq!(error.to_string(), "line 3 of `/x` is not the one in the audit chain");
}
