use provost_kernel::{Lang, story::DeltaKind};

use super::*;

/// What each row is about: `path=lines`, with `~` in front of one that does not count and `*` in
/// front of one that needs no explanation.
const CHANGED: &str = "src/a.ts=30 src/b.ts=80 src/deep/c.ts=50 src/deep/d.ts=51 lib/e.ts=400 \
                       *f.ts=5 *g.ts=90 new/h.ts=12 bin/tool=0 ~dist/x.js=4000 ~Cargo.lock=20";

fn delta(path: &str, lines: u64) -> FileDelta {
    let old_path = (path == "new/h.ts").then(|| "old/h.ts".to_owned());
    FileDelta {
        path: path.to_owned(),
        old_path,
        additions: lines - lines / 3,
        deletions: lines / 3,
        bytes: 0,
        kind: DeltaKind::Modified,
        is_binary: lines == 0,
    }
}

fn run(entries: &[Explanation], lines: Lines) -> Explained {
    let (mut counted, mut excluded, mut optional) = (Vec::new(), Vec::new(), Vec::new());
    for word in CHANGED.split_whitespace() {
        let (path, lines) = word.split_once('=').unwrap();
        let lines = lines.parse().unwrap();
        match path.strip_prefix('~') {
            Some(path) => excluded.push(delta(path, lines)),
            None => counted.push(delta(path.trim_start_matches('*'), lines)),
        }
        optional.extend(path.strip_prefix('*'));
    }
    let paths = counted.iter().map(|it| it.path.as_str());
    let needed: BTreeSet<&str> = paths.filter(|it| !optional.contains(it)).collect();
    let counted: Vec<&FileDelta> = counted.iter().collect();
    let excluded: Vec<&FileDelta> = excluded.iter().collect();
    let subject = Subject { counted: &counted, excluded: &excluded, needed: &needed, lines };
    check(entries, subject)
}

fn entry(file: &str, reason: &str, lines: Option<u64>) -> Explanation {
    Explanation { file: file.to_owned(), reason: reason.to_owned(), lines }
}

/// One entry, what it covers, and how it is found wanting.
#[track_caller]
fn row(file: &str, reason: &str, lines: Option<u64>, covers: &[&str], found: Option<&str>) {
    let explained = run(&[entry(file, reason, lines)], Lines::Required);
    let covered: Vec<&str> = explained.covered.iter().map(String::as_str).collect();
    assert_eq!(covered, covers, "{file} {reason} {lines:?}");
    let codes: Vec<String> =
        explained.findings.iter().map(|it| format!("{:?} {}", it.severity, it.rule)).collect();
    let expected: Vec<String> = found.map(str::to_owned).into_iter().collect();
    assert_eq!(codes, expected, "{file} {reason} {lines:?}");
}

/// A reason that stands, in either language.
const GOOD: [&str; 2] = ["checks the password before a session starts", "登录表单提交后校验密码"];

/// STORY-3.5, STORY-3.6: the path is that of a change, the lines are near the truth.
#[test]
fn an_entry_knows_its_file_and_its_lines() {
    let phantom = Some("P1 EXPLANATION_PHANTOM");
    let wrong = Some("P1 EXPLANATION_LINES_MISMATCH");
    for good in GOOD {
        for (file, lines, covers, found) in [
            // The number of lines: ten off, or a fifth.
            ("lib/e.ts", Some(400), &["lib/e.ts"][..], None),
            ("lib/e.ts", Some(320), &["lib/e.ts"], None),
            ("lib/e.ts", Some(480), &["lib/e.ts"], None),
            ("lib/e.ts", Some(319), &[], wrong),
            ("lib/e.ts", Some(481), &[], wrong),
            ("lib/e.ts", Some(0), &[], wrong),
            ("lib/e.ts", Some(u64::MAX), &[], wrong),
            ("lib/e.ts", None, &[], wrong),
            ("src/a.ts", Some(20), &["src/a.ts"], None),
            ("src/a.ts", Some(40), &["src/a.ts"], None),
            ("src/a.ts", Some(19), &[], wrong),
            ("src/a.ts", Some(41), &[], wrong),
            ("bin/tool", Some(0), &["bin/tool"], None),
            ("bin/tool", Some(10), &["bin/tool"], None),
            ("bin/tool", Some(11), &[], wrong),
            // The path, in every spelling of it.
            ("./src/a.ts", Some(30), &["src/a.ts"], None),
            ("/src/a.ts", Some(30), &["src/a.ts"], None),
            ("src\\a.ts", Some(30), &["src/a.ts"], None),
            ("old/h.ts", Some(12), &["new/h.ts"], None),
            ("new/h.ts", Some(12), &["new/h.ts"], None),
            ("SRC/a.ts", Some(30), &[], phantom),
            ("src/a", Some(30), &[], phantom),
            ("src/z.ts", Some(30), &[], phantom),
            ("src/../src/a.ts", Some(30), &[], phantom),
            ("", Some(30), &[], phantom),
            ("**", Some(30), &[], phantom),
            ("src/*", Some(30), &[], phantom),
            ("none/", Some(30), &[], phantom),
            // A folder explains what is small.
            ("src/", Some(211), &["src/a.ts", "src/deep/c.ts"], None),
            ("src/", Some(80), &["src/a.ts", "src/deep/c.ts"], None),
            ("src", Some(80), &["src/a.ts", "src/deep/c.ts"], None),
            ("src/deep/", Some(50), &["src/deep/c.ts"], None),
            ("src/", Some(1000), &[], wrong),
            ("src/", None, &[], wrong),
            ("lib/", Some(400), &[], None),
            ("./", Some(95), &["Cargo.lock", "f.ts"], None),
            (".", Some(115), &["Cargo.lock", "f.ts"], None),
            // What does not count can be explained whole.
            ("dist/", Some(4000), &["dist/x.js"], None),
            ("dist/x.js", Some(4000), &["dist/x.js"], None),
            ("Cargo.lock", Some(20), &["Cargo.lock"], None),
            ("Cargo.lock", Some(2000), &[], Some("P2 EXPLANATION_LINES_MISMATCH")),
            // What needs no explanation may have a poor one.
            ("g.ts", Some(1), &[], Some("P2 EXPLANATION_LINES_MISMATCH")),
            ("g.ts", None, &[], Some("P2 EXPLANATION_LINES_MISMATCH")),
            ("g.ts", Some(90), &["g.ts"], None),
        ] {
            row(file, good, lines, covers, found);
        }
    }
}

/// STORY-3.6: an empty reason explains nothing, in either language.
#[test]
fn an_entry_has_a_reason_with_content() {
    for reason in [
        "",
        "needed",
        "n/a",
        "src/a.ts",
        "a.ts",
        "fix",
        "this change is required for the task",
        "misc fixes and improvements",
        "login login login login login",
        "需要",
        "必要的修改",
        "这个文件的改动是必要的",
        "登录登录登录登录登录登录",
        "同上",
    ] {
        row("src/a.ts", reason, Some(30), &[], Some("P1 EXPLANATION_VACUOUS"));
        row("g.ts", reason, Some(90), &[], Some("P2 EXPLANATION_VACUOUS"));
        row("gone.ts", reason, Some(30), &[], Some("P1 EXPLANATION_PHANTOM"));
    }
    row("src/", "needed", Some(80), &[], Some("P1 EXPLANATION_VACUOUS"));
}

/// STORY-3.6: one reason does not do for many files.
#[test]
fn the_same_reason_stands_for_three_files_at_most() {
    let files = [("src/a.ts", 30), ("src/b.ts", 80), ("src/deep/c.ts", 50), ("lib/e.ts", 400)];
    for good in GOOD {
        let entries: Vec<Explanation> =
            files.iter().map(|(file, lines)| entry(file, good, Some(*lines))).collect();
        let three = run(&entries[..3], Lines::Required);
        assert_eq!((three.covered.len(), three.findings.len()), (3, 0));
        let four = run(&entries, Lines::Required);
        assert_eq!((four.covered.len(), four.findings.len()), (0, 4));
        assert!(four.findings.iter().all(|it| it.rule == code::EXPLANATION_DUPLICATED));
        // Case and punctuation do not make another reason of it.
        let dressed = format!("  {}!", good.to_uppercase());
        let mut entries = entries.clone();
        entries[3].reason = dressed;
        assert_eq!(run(&entries, Lines::Required).findings.len(), 4);
        // The same file four times is one file.
        let again = vec![entries[0].clone(); 4];
        assert_eq!(run(&again, Lines::Required).findings, []);
    }
}

#[test]
fn lines_are_optional_where_only_the_declaration_asks() {
    let silent = [entry("lib/e.ts", GOOD[0], None)];
    assert_eq!(run(&silent, Lines::Optional).covered.len(), 1);
    let wrong = [entry("lib/e.ts", GOOD[0], Some(3))];
    assert_eq!(run(&wrong, Lines::Optional).covered.len(), 0);
}

#[test]
fn a_folder_may_count_what_is_not_explained_one_by_one() {
    let entries = [
        entry("src/b.ts", GOOD[0], Some(80)),
        entry("src/deep/d.ts", GOOD[0], Some(51)),
        entry("src/deep/c.ts", GOOD[0], Some(50)),
        entry("src/", "keeps the imports of the other modules in step", Some(30)),
    ];
    let explained = run(&entries, Lines::Required);
    assert_eq!(explained.findings, []);
    assert_eq!(explained.covered.len(), 4);
}

#[test]
fn a_finding_says_what_is_wrong_and_what_to_do() {
    let found = run(&[entry("lib/e.ts", GOOD[0], Some(3))], Lines::Required).findings;
    assert_eq!(found[0].subject, "lib/e.ts");
    assert_eq!(Lang::Zh.render(&found[0].message), "解释了 3 行，实际改动 400 行");
    assert!(found[0].hint.is_some());
}
