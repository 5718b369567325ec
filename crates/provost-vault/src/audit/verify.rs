//! Whether the chain is what was written, and as long as it was.

use provost_kernel::{Message, TaskId, Text};
use serde::Serialize;

use super::{Head, PutAside, Verifier};
use crate::{Disk, FileError, Layout};

/// What verification found.
#[derive(Debug, Serialize)]
pub struct Report {
    pub entries: u64,
    pub head: Option<Head>,
    /// The last known entry of the chain that this one took the place of, by order of a person.
    pub restarted_behind: Option<Head>,
    pub stored_heads: u64,
    /// Entries that no stored head vouches for: altering only these would not be noticed by
    /// length, though still by the chain.
    pub entries_after_last_head: u64,
    /// Ends of the chain that could not be read and were put aside: a crash explains them, and so
    /// would a hand.
    pub put_aside: Vec<PutAside>,
    /// Lines at the end of the claims log that the chain does not know: a process that was ended
    /// between the two leaves them, and so would a hand.
    pub claims_without_entry: u64,
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line, from 1: of the chain, or of the list of heads; for a head that a task has, the
    /// number of the entry.
    pub line: u64,
    pub trouble: Trouble,
    /// The task whose status has the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}

/// The kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The line is not an entry as it was written.
    Altered,
    /// The entry does not follow the one before it: something was removed, added or moved.
    OutOfOrder,
    /// A newer provost wrote it: this one cannot judge it.
    NewerSchema,
    /// The chain ends before a head that was stored.
    CutShort,
    /// A head that was stored is not the entry with that number.
    Replaced,
    /// A line of the list of heads cannot be read.
    HeadUnreadable,
    /// The head that is kept outside the project is not in the chain.
    Missed,
    /// The head that is kept outside the project cannot be read.
    WitnessUnreadable,
    /// A session found the chain broken, and noted it.
    Marked,
    /// A line of the claims log does not match its digest in the chain.
    ClaimAltered,
    /// The claims log ends before a line whose digest is in the chain.
    ClaimMissing,
    /// The chain has no digest of a line of the claims log, and has those of later ones.
    ClaimUnknown,
    /// A line of the claims log cannot be read.
    ClaimUnreadable,
    /// The state of a task is not one of the last two whose digests are in the chain.
    StatusAltered,
}

/// The text of a [`Problem`].
#[derive(Message)]
#[message(code = "vault.audit_problem")]
enum ProblemText<'a> {
    #[message(
        en = "task `{task}`: its state names entry {line}, which is not in the chain",
        zh = "任务 `{task}`：其状态记有第 {line} 条，但链中没有"
    )]
    Task { task: &'a TaskId, line: u64 },
    #[message(
        en = "task `{0}`: its `status.json` does not match the chain",
        zh = "任务 `{0}`：其 `status.json` 与链不符"
    )]
    Status(&'a TaskId),
    #[message(en = "line {0}: the entry was altered", zh = "第 {0} 行：条目被改动")]
    Altered(u64),
    #[message(
        en = "line {0}: the entry does not follow the one before it",
        zh = "第 {0} 行：条目与上一条不衔接"
    )]
    OutOfOrder(u64),
    #[message(
        en = "line {0}: a newer provost wrote this entry; use it to verify",
        zh = "第 {0} 行：由更新版本的 provost 写入；请用该版本验证"
    )]
    NewerSchema(u64),
    #[message(
        en = "head {0}: the chain ends before this stored head",
        zh = "第 {0} 个已存链头：链在此之前就结束了"
    )]
    CutShort(u64),
    #[message(
        en = "head {0}: the entry with this number is not the stored one",
        zh = "第 {0} 个已存链头：该序号的条目已被替换"
    )]
    Replaced(u64),
    #[message(en = "head {0}: the stored head cannot be read", zh = "第 {0} 个已存链头：无法读取")]
    HeadUnreadable(u64),
    #[message(
        en = "entry {0}: the head kept outside the project names it, and the chain does not have it",
        zh = "第 {0} 条：项目之外所存的链头记有该条，但链中没有"
    )]
    Missed(u64),
    #[message(
        en = "the head kept outside the project cannot be read",
        zh = "项目之外所存的链头无法读取"
    )]
    WitnessUnreadable,
    #[message(
        en = "head {0}: a session found the chain broken",
        zh = "第 {0} 个已存链头：有会话发现链已损坏"
    )]
    Marked(u64),
    #[message(
        en = "claims log, line {0}: it does not match its digest in the chain",
        zh = "声明日志第 {0} 行：与审计链中的记录不符"
    )]
    ClaimAltered(u64),
    #[message(
        en = "claims log, line {0}: its digest is in the chain, and the line is missing",
        zh = "声明日志第 {0} 行：审计链中有记录，但该行已不存在"
    )]
    ClaimMissing(u64),
    #[message(
        en = "claims log, line {0}: its digest is not in the chain, and those of later lines are",
        zh = "声明日志第 {0} 行：审计链中没有记录，而其后的行有"
    )]
    ClaimUnknown(u64),
    #[message(en = "claims log, line {0}: it cannot be read", zh = "声明日志第 {0} 行：无法读取")]
    ClaimUnreadable(u64),
}

impl Trouble {
    /// Whether it is about the claims log, and not about the chain itself.
    pub fn is_of_claims(self) -> bool {
        match self {
            Self::ClaimAltered
            | Self::ClaimMissing
            | Self::ClaimUnknown
            | Self::ClaimUnreadable => true,
            Self::Altered
            | Self::OutOfOrder
            | Self::NewerSchema
            | Self::CutShort
            | Self::Replaced
            | Self::HeadUnreadable
            | Self::Missed
            | Self::WitnessUnreadable
            | Self::Marked
            | Self::StatusAltered => false,
        }
    }
}

impl Report {
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Problem {
    /// Whether it is about a line of the chain itself.
    pub fn is_of_chain(&self) -> bool {
        let is_line =
            matches!(self.trouble, Trouble::Altered | Trouble::OutOfOrder | Trouble::NewerSchema);
        self.task.is_none() && is_line
    }

    pub(super) fn new(line: u64, trouble: Trouble) -> Self {
        Self { line, trouble, task: None }
    }

    pub fn text(&self) -> Text {
        let line = self.line;
        if let Some(task) = &self.task {
            return match self.trouble {
                Trouble::StatusAltered => ProblemText::Status(task).text(),
                Trouble::Altered
                | Trouble::OutOfOrder
                | Trouble::NewerSchema
                | Trouble::CutShort
                | Trouble::Replaced
                | Trouble::HeadUnreadable
                | Trouble::Missed
                | Trouble::WitnessUnreadable
                | Trouble::Marked
                | Trouble::ClaimAltered
                | Trouble::ClaimMissing
                | Trouble::ClaimUnknown
                | Trouble::ClaimUnreadable => ProblemText::Task { task, line }.text(),
            };
        }
        let text = match self.trouble {
            Trouble::Altered | Trouble::StatusAltered => ProblemText::Altered(line),
            Trouble::OutOfOrder => ProblemText::OutOfOrder(line),
            Trouble::NewerSchema => ProblemText::NewerSchema(line),
            Trouble::CutShort => ProblemText::CutShort(line),
            Trouble::Replaced => ProblemText::Replaced(line),
            Trouble::HeadUnreadable => ProblemText::HeadUnreadable(line),
            Trouble::Missed => ProblemText::Missed(line),
            Trouble::WitnessUnreadable => ProblemText::WitnessUnreadable,
            Trouble::Marked => ProblemText::Marked(line),
            Trouble::ClaimAltered => ProblemText::ClaimAltered(line),
            Trouble::ClaimMissing => ProblemText::ClaimMissing(line),
            Trouble::ClaimUnknown => ProblemText::ClaimUnknown(line),
            Trouble::ClaimUnreadable => ProblemText::ClaimUnreadable(line),
        };
        text.text()
    }
}

/// Verifies the chain against itself, against every stored head, against the one that is kept outside
/// the project, and against the heads in the states of tasks, which remain when the chain and the list
/// are removed together. The lines of the claims
/// log are compared with their digests in the chain.
///
/// A half last line is not a problem: its append was never acknowledged.
pub fn verify<D: Disk>(disk: &D, layout: &Layout) -> Result<Report, FileError> {
    Verifier::default().report(disk, layout)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Actor, Clock, Digest, Message, Millis, Source};

    use super::*;
    use crate::{
        Durable, Location,
        audit::{Audit, AuditError, Event, encode, read_link},
        disk::read_all,
        sim::SimDisk,
        write_atomic,
    };

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn event(n: u64) -> Event {
        Event {
            actor: Actor { source: Source::Cli, id: "somebody".to_owned() },
            action: "task.pause".to_owned(),
            subject: format!("task:t{n}"),
            request_id: None,
            detail: serde_json::json!({ "为什么": "暂停", "n": n }),
        }
    }

    /// A chain of four entries whose head was stored after the third.
    fn chain() -> SimDisk {
        let (disk, layout) = (SimDisk::default(), layout());
        let mut audit = Audit::open(&disk, &layout).unwrap();
        for n in 1..=4 {
            let head = audit.append(&event(n), &Noon, Durable::Now).unwrap();
            if n == 3 {
                audit.store_head(head, "the third", &Noon).unwrap();
            }
        }
        disk
    }

    fn text(disk: &SimDisk, at: &Location) -> String {
        String::from_utf8(read_all(disk, &disk.open(at).unwrap()).unwrap()).unwrap()
    }

    /// Rewrites the chain by hand and says what verification thinks of it.
    #[track_caller]
    fn check(tamper: impl Fn(Vec<String>) -> Vec<String>, expected: &[(u64, Trouble)]) {
        let (disk, layout, mut verifier) = (chain(), layout(), Verifier::default());
        assert!(verifier.report(&disk, &layout).unwrap().is_intact());
        let lines = text(&disk, &layout.audit()).lines().map(|it| format!("{it}\n")).collect();
        let changed = tamper(lines).concat();
        // In place as well: the file stays the same one then.
        let in_place = chain();
        let mut other = Verifier::default();
        other.report(&in_place, &layout).unwrap();
        let file = in_place.open_lock(&layout.audit()).unwrap();
        in_place.truncate(&file, changed.len() as u64).unwrap();
        in_place.write_at(&file, changed.as_bytes(), 0).unwrap();
        write_atomic(&disk, &layout.audit(), changed.as_bytes()).unwrap();
        for report in [
            verify(&disk, &layout),
            verifier.report(&disk, &layout),
            verifier.report(&disk, &layout),
            other.report(&in_place, &layout),
        ] {
            let problems = report.unwrap().problems;
            let problems: Vec<_> = problems.iter().map(|it| (it.line, it.trouble)).collect();
            assert_eq!(problems, expected);
        }
    }

    fn without(line: usize) -> impl Fn(Vec<String>) -> Vec<String> {
        move |mut lines| {
            lines.remove(line - 1);
            lines
        }
    }

    fn replacing(line: usize, from: &str, to: &str) -> impl Fn(Vec<String>) -> Vec<String> {
        move |mut lines| {
            assert!(lines[line - 1].contains(from), "{}", lines[line - 1]);
            lines[line - 1] = lines[line - 1].replacen(from, to, 1);
            lines
        }
    }

    #[test]
    fn an_untouched_chain_is_intact() {
        let report = verify(&chain(), &layout()).unwrap();
        assert!(report.is_intact());
        assert_eq!((report.entries, report.stored_heads), (4, 1));
        assert_eq!(report.entries_after_last_head, 1);
        assert_eq!(report.head.unwrap().seq, 4);
        let empty = verify(&SimDisk::default(), &layout()).unwrap();
        assert!(empty.is_intact() && empty.head.is_none());
    }

    #[test]
    fn every_kind_of_tampering_is_named_with_its_line() {
        use Trouble::{Altered, CutShort, OutOfOrder, Replaced};
        check(|lines| lines, &[]);
        check(replacing(2, "task:t2", "task:t9"), &[(2, Altered), (3, OutOfOrder)]);
        check(replacing(2, "{\"body\"", "{ \"body\""), &[(2, Altered), (3, OutOfOrder)]);
        check(replacing(2, "\"n\":2", "\"n\":2,\"o\":1"), &[(2, Altered), (3, OutOfOrder)]);
        check(replacing(4, "cli", "web"), &[(4, Altered)]);
        check(without(1), &[(1, OutOfOrder)]);
        check(without(2), &[(2, OutOfOrder)]);
        check(without(3), &[(3, OutOfOrder), (1, CutShort)]);
        check(without(4), &[]);
        check(|lines| lines[..2].to_vec(), &[(1, CutShort)]);
        check(|_| Vec::new(), &[(1, CutShort)]);
        check(
            |mut lines| {
                lines.swap(1, 2);
                lines
            },
            &[(2, OutOfOrder), (3, OutOfOrder), (4, OutOfOrder)],
        );
        check(|lines| [lines.clone(), lines[3..].to_vec()].concat(), &[(5, OutOfOrder)]);
        // A whole chain forged from the second entry on agrees with itself, not with the head.
        check(
            |lines| {
                let first = read_link(lines[0].trim_end().as_bytes()).unwrap();
                let (mut forged, mut prev) = (lines[..1].to_vec(), first.hash);
                for n in 2..=4 {
                    let (line, hash) = encode(&event(n + 10), None, Noon.now(), n, prev).unwrap();
                    forged.push(format!("{}\n", String::from_utf8(line).unwrap()));
                    prev = hash;
                }
                forged
            },
            &[(1, Replaced)],
        );
    }

    /// Damage that no crash explains is not repaired: the next entry is refused.
    #[test]
    fn a_chain_that_is_broken_before_its_head_takes_no_entry() {
        let (disk, layout) = (chain(), layout());
        let before = text(&disk, &layout.audit());
        for damaged in [before.replace("task:t3", "task:t9"), before[..40].to_owned() + "\n"] {
            write_atomic(&disk, &layout.audit(), damaged.as_bytes()).unwrap();
            let mut audit = Audit::open(&disk, &layout).unwrap();
            let error = audit.append(&event(5), &Noon, Durable::Now).unwrap_err();
            assert_eq!(error.exit(), provost_kernel::Exit::Integrity, "{error}");
            assert_eq!(text(&disk, &layout.audit()), damaged, "nothing was written");
        }
    }

    /// A whole entry behind the last head that is not what it says was left by no crash: the chain
    /// takes nothing more, and does not heal itself.
    #[test]
    fn an_altered_end_is_refused() {
        let (disk, layout) = (chain(), layout());
        let damaged = text(&disk, &layout.audit()).replace("task:t4", "task:t9");
        write_atomic(&disk, &layout.audit(), damaged.as_bytes()).unwrap();
        let mut audit = Audit::open(&disk, &layout).unwrap();
        let error = audit.append(&event(5), &Noon, Durable::Now).unwrap_err();
        assert_eq!(error.exit(), provost_kernel::Exit::Integrity, "{error}");
        assert_eq!(text(&disk, &layout.audit()), damaged, "nothing was written");
        assert!(!verify(&disk, &layout).unwrap().is_intact());
    }

    /// What a crash may have left behind the last head is put aside, and that is told.
    #[test]
    fn an_unreadable_end_is_put_aside_and_told() {
        let (disk, layout) = (chain(), layout());
        let damaged = text(&disk, &layout.audit()) + "{\"body\":{\"about\":\"task:t9\n";
        write_atomic(&disk, &layout.audit(), damaged.as_bytes()).unwrap();
        Audit::open(&disk, &layout).unwrap().append(&event(5), &Noon, Durable::Now).unwrap();
        let report = verify(&disk, &layout).unwrap();
        assert!(report.is_intact(), "{report:?}");
        let [put_aside] = &report.put_aside[..] else { panic!("{report:?}") };
        let copy = layout.quarantine().join(&put_aside.kept_as);
        assert!(text(&disk, &copy).contains("task:t9"));
    }

    #[test]
    fn a_half_last_line_is_no_problem() {
        check(|lines| [lines.clone(), vec![lines[3][..20].to_owned()]].concat(), &[]);
    }

    #[test]
    fn an_unreadable_head_is_a_problem() {
        let (disk, layout) = (chain(), layout());
        write_atomic(&disk, &layout.audit_heads(), b"{}\n").unwrap();
        let report = verify(&disk, &layout).unwrap();
        assert_eq!(report.problems, [Problem::new(1, Trouble::HeadUnreadable)]);
    }

    /// Removing the chain and its heads leaves the states of the tasks, which name entries.
    #[test]
    fn a_chain_is_held_against_the_states_of_tasks() {
        #[track_caller]
        fn check(tamper: impl Fn(&SimDisk, &Layout), expected: &[(u64, Trouble)]) {
            let (disk, layout) = (chain(), layout());
            let lines = text(&disk, &layout.audit());
            let task: TaskId = "t4".parse().unwrap();
            let last = read_link(lines.lines().last().unwrap().as_bytes()).unwrap();
            let head = serde_json::json!({"seq": last.body.seq, "hash": last.hash});
            // Of whatever version the status is.
            let status = serde_json::json!({"schema": "provost.status/9", "audit_head": head});
            crate::write_json(&disk, &layout.status(&task), &status).unwrap();
            assert!(verify(&disk, &layout).unwrap().is_intact());
            tamper(&disk, &layout);
            let report = verify(&disk, &layout).unwrap();
            for it in &report.problems {
                assert_eq!(it.task.as_ref(), Some(&task), "{it:?}");
                assert!(it.text().to_string().starts_with("task `t4`: "), "{}", it.text());
            }
            let problems: Vec<_> = report.problems.iter().map(|it| (it.line, it.trouble)).collect();
            assert_eq!(problems, expected);
        }
        let cut = |disk: &SimDisk, layout: &Layout, keep: usize| {
            let lines = text(disk, &layout.audit());
            let kept: String = lines.split_inclusive('\n').take(keep).collect();
            write_atomic(disk, &layout.audit(), kept.as_bytes()).unwrap();
        };
        check(|_, _| {}, &[]);
        check(|disk, layout| cut(disk, layout, 3), &[(4, Trouble::CutShort)]);
        check(
            |disk, layout| {
                cut(disk, layout, 0);
                write_atomic(disk, &layout.audit_heads(), b"").unwrap();
            },
            &[(4, Trouble::CutShort)],
        );
        check(
            |disk, layout| {
                cut(disk, layout, 3);
                let mut audit = Audit::open(disk, layout).unwrap();
                audit.append(&event(14), &Noon, Durable::Now).unwrap();
            },
            &[(4, Trouble::Replaced)],
        );
    }

    /// A chain that does not reach what its user has seen of it was cut: it takes no entry, and
    /// nothing is repaired.
    #[test]
    fn a_chain_that_is_behind_takes_no_entry() {
        let (disk, layout) = (chain(), layout());
        let whole = text(&disk, &layout.audit());
        let last = read_link(whole.lines().last().unwrap().as_bytes()).unwrap();
        let reached = Head { seq: 4, hash: last.hash };
        let append = |reached| {
            let mut audit = Audit::open(&disk, &layout).unwrap();
            audit.append_behind(Some(reached), &event(5), &Noon, Durable::Now)
        };
        let third: String = whole.split_inclusive('\n').take(3).collect();
        for damaged in [third, whole.replace("task:t4", "task:t9"), String::new()] {
            write_atomic(&disk, &layout.audit(), damaged.as_bytes()).unwrap();
            let error = append(reached).unwrap_err();
            let is_refused =
                matches!(error, AuditError::Broken { .. } | AuditError::Missing { .. });
            assert!(is_refused, "{error:?}");
            assert_eq!(text(&disk, &layout.audit()), damaged, "nothing was written");
        }
        write_atomic(&disk, &layout.audit(), whole.as_bytes()).unwrap();
        let other = Head { seq: 4, hash: Digest::ZERO };
        assert!(matches!(append(other).unwrap_err(), AuditError::Broken { .. }));
        assert_eq!(append(reached).unwrap().seq, 5);
        assert_eq!(append(reached).unwrap().seq, 6, "a chain that went on is not behind");
    }

    #[test]
    fn an_entry_of_a_newer_provost_is_not_judged() {
        let (disk, layout) = (chain(), layout());
        let line = text(&disk, &layout.audit()).lines().next().unwrap().to_owned();
        let mut link = read_link(line.as_bytes()).unwrap();
        link.body.schema = "provost.audit/2".to_owned();
        link.hash = Digest::of_json(&link.body).unwrap();
        let line = provost_kernel::canonical_json(&link).unwrap();
        write_atomic(&disk, &layout.audit_heads(), b"").unwrap();
        write_atomic(&disk, &layout.audit(), &[line, b"\n".to_vec()].concat()).unwrap();
        let report = verify(&disk, &layout).unwrap();
        assert_eq!(report.problems, [Problem::new(1, Trouble::NewerSchema)]);
    }
}
