//! The checks besides the test: what a run says, what it says of a change, and how that reads.
//!
//! The files that configure a check are the change's to write, so a green check is only as good as
//! they are: where the change touches them, that is a gap as well.
//!
//! A check counts against a change only where it is green without it. One that cannot be run, or
//! is red on the base as well, is a gap: it is named, and neither verified nor held against the change.

use provost_kernel::{
    Message, Text, shorten,
    task::{Check, CheckKind, CheckRun, CheckState, CheckVerdict, Standing},
};
use provost_rules::ecosystem;
use serde_json::Value;

/// The exit code of a command that did not end in time, could not be executed, or was not found.
const NOT_RUN: [i32; 3] = [124, 126, 127];

/// How many files are named.
const NAMED: usize = 3;

/// What programs print that start another one which is not there.
const MISSING: [&str; 7] = [
    "error: no such command: `",
    "is not installed for the toolchain",
    "could not determine executable to run",
    "npx canceled due to missing packages",
    "ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL",
    "error Command \"",
    "Usage Error: Couldn't find a script name",
];

/// A check that a change broke, as a verdict is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenCheck {
    pub kind: CheckKind,
    pub command: String,
    pub rc: i32,
}

/// What is said of a check.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.check")]
pub enum CheckNote {
    #[message(en = "`{command}` is green", zh = "`{command}` 通过")]
    Green { command: String },
    #[message(
        en = "`{command}` is green, and was red on the base",
        zh = "`{command}` 通过，而在基准版本上未通过"
    )]
    Mended { command: String },
    #[message(
        en = "`{command}` exited with {rc}, and is green on the base",
        zh = "`{command}` 退出码 {rc}，而在基准版本上通过"
    )]
    Broken { command: String, rc: i32 },
    #[message(
        en = "`{command}` exited with {rc}, and is red on the base as well: it does not count",
        zh = "`{command}` 退出码 {rc}，在基准版本上同样未通过：不计入"
    )]
    RedBefore { command: String, rc: i32 },
    #[message(
        en = "`{command}` is green, and the change touches what decides that: {files:names}",
        zh = "`{command}` 通过，但改动涉及决定其结果的文件：{files:names}"
    )]
    RulesChanged { command: String, files: Vec<String> },
    #[message(en = "`{command}` cannot be run here: {why}", zh = "`{command}` 无法在此运行：{why}")]
    CannotRun { command: String, why: String },
    #[message(
        en = "`{command}` cannot be run here: exit code {rc}",
        zh = "`{command}` 无法在此运行：退出码 {rc}"
    )]
    CannotRunSilent { command: String, rc: i32 },
    #[message(en = "not run: the test is red", zh = "未运行：测试未通过")]
    AfterRedTest,
    #[message(en = "not configured", zh = "未配置")]
    NotConfigured,
}

/// What is said of a check on the base, before anything is paid for.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.base_check")]
pub enum BaseCheckNote {
    #[message(en = "green before any work", zh = "尚未改动时通过")]
    Green,
    #[message(
        en = "red before any work, with exit code {rc}: it will not count against the agent",
        zh = "尚未改动就未通过，退出码 {rc}：不会计入智能体的结果"
    )]
    Red { rc: i32 },
    #[message(en = "{why}; the result is not held against it", zh = "{why}；结果不以此检查为准")]
    NotRun { why: Text },
}

/// What a run says, by how it ended.
pub fn state(command: &str, rc: i32, said: &str) -> CheckState {
    match rc {
        0 => CheckState::Green,
        rc if NOT_RUN.contains(&rc) || is_missing(command, said) => CheckState::CannotRun,
        _ => CheckState::Red,
    }
}

/// Whether a program of the command says that another one is not there. Holding that against a base
/// costs nothing: a red base counts as little.
fn is_missing(command: &str, said: &str) -> bool {
    if said.lines().any(|line| MISSING.iter().any(|it| line.contains(it))) {
        return true;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    let mut modules = words.windows(2).filter(|it| it[0] == "-m").map(|it| it[1]);
    modules.any(|module| {
        let ending = format!(": No module named {module}");
        said.lines().any(|it| it.trim_end().ends_with(&ending))
    })
}

/// The same for a run whose own files the change may have touched.
pub fn judge_run(base: Option<CheckState>, run: &CheckRun) -> CheckVerdict {
    let verdict = judge(base, Some(run.state));
    let is_green = matches!(verdict, CheckVerdict::Green | CheckVerdict::Mended);
    if is_green && !run.rules_changed.is_empty() { CheckVerdict::RulesChanged } else { verdict }
}

/// Whether a file that a change touches decides what checks say: the table of ecosystems knows it, as a
/// whole or by its keys.
pub fn decides(path: &str, before: Option<&str>, after: Option<&str>) -> bool {
    let files = ecosystem::all().iter().flat_map(|it| &it.check_files);
    files.filter(|it| it.file.matches(path)).any(|it| {
        let differs = |key: &String| part(path, before, key) != part(path, after, key);
        it.keys.is_empty() || it.keys.iter().any(differs)
    })
}

/// What a key of a file holds; the whole text where it cannot be read as what its name says.
fn part(path: &str, text: Option<&str>, key: &str) -> Option<Value> {
    let text = text?;
    let whole = || Some(Value::from(text));
    let is_json = path.rsplit_once('.').is_some_and(|it| it.1 == "json");
    let document: Value = if is_json {
        let Ok(document) = serde_json::from_str(text) else { return whole() };
        document
    } else {
        let Ok(document) = toml::from_str(text) else { return whole() };
        document
    };
    key.split('.').try_fold(&document, |value, name| value.get(name)).cloned()
}

/// What a check says of a change. The base need not be known where the result is green, and the
/// result is not asked where the base says nothing.
pub fn judge(base: Option<CheckState>, result: Option<CheckState>) -> CheckVerdict {
    use CheckState::{CannotRun, Green, NotReady, Red};

    match (base, result) {
        (None | Some(Green), Some(Green)) => CheckVerdict::Green,
        (Some(Red), Some(Green)) => CheckVerdict::Mended,
        // A program that the change took away is its doing (ruling 75).
        (Some(Green), Some(Red | CannotRun)) => CheckVerdict::Broken,
        (Some(Red), Some(Red | CannotRun)) => CheckVerdict::RedBefore,
        // Where the base says nothing, the change may have made the check say what it says; without a
        // base it is not known whose doing it is.
        (Some(CannotRun | NotReady), _)
        | (_, None | Some(NotReady))
        | (None, Some(Red | CannotRun)) => CheckVerdict::NotRun,
    }
}

/// How a verdict stands, and how it reads; the run is that of the result, or that of the base where
/// the result was not asked.
pub fn note(verdict: CheckVerdict, run: &CheckRun) -> (Standing, CheckNote) {
    let (command, rc) = (shorten(&run.command), run.rc);
    match verdict {
        CheckVerdict::Green => (Standing::Verified, CheckNote::Green { command }),
        CheckVerdict::Mended => (Standing::Verified, CheckNote::Mended { command }),
        CheckVerdict::Broken => (Standing::Failed, CheckNote::Broken { command, rc }),
        CheckVerdict::RedBefore => (Standing::NotVerified, CheckNote::RedBefore { command, rc }),
        CheckVerdict::RulesChanged => {
            let files = run.rules_changed.iter().take(NAMED).cloned().collect();
            (Standing::NotVerified, CheckNote::RulesChanged { command, files })
        }
        CheckVerdict::NotRun => (Standing::NotVerified, cannot_run(run)),
    }
}

/// Whether a note is about a check that ran, and is left open.
pub fn did_run(note: &Text) -> bool {
    let red = CheckNote::RedBefore { command: String::new(), rc: 1 };
    let changed = CheckNote::RulesChanged { command: String::new(), files: Vec::new() };
    [red, changed].iter().any(|it| note.code() == it.text().code())
}

/// Why a check says nothing.
pub fn cannot_run(run: &CheckRun) -> CheckNote {
    let command = shorten(&run.command);
    match run.last_line() {
        "" => CheckNote::CannotRunSilent { command, rc: run.rc },
        why => CheckNote::CannotRun { command, why: shorten(why) },
    }
}

/// What is said of a run on the base.
pub fn base_note(run: &CheckRun) -> BaseCheckNote {
    match run.state {
        CheckState::Green => BaseCheckNote::Green,
        CheckState::Red => BaseCheckNote::Red { rc: run.rc },
        CheckState::CannotRun | CheckState::NotReady => {
            BaseCheckNote::NotRun { why: cannot_run(run).text() }
        }
    }
}

/// The checks among these that a change broke.
pub fn broken(runs: &[CheckRun]) -> Vec<BrokenCheck> {
    let broken = runs.iter().filter(|it| it.verdict == Some(CheckVerdict::Broken));
    broken
        .map(|it| BrokenCheck { kind: it.kind, command: shorten(&it.command), rc: it.rc })
        .collect()
}

/// The kinds for which nothing is configured.
pub fn not_configured(checks: &[Check]) -> impl Iterator<Item = CheckKind> {
    let all = CheckKind::ALL.iter().copied();
    all.filter(|kind| checks.iter().all(|it| it.kind != *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_says_nothing_about_the_files() {
        let check = |command: &str, rc: i32, said: &str, expected: CheckState| {
            assert_eq!(state(command, rc, said), expected, "{command} {rc} {said}");
        };
        check("mypy .", 0, "", CheckState::Green);
        check("mypy .", 1, "a.py:1: error: x\nFound 1 error\n", CheckState::Red);
        for rc in [124, 126, 127] {
            check("mypy .", rc, "", CheckState::CannotRun);
        }
        let python = "/usr/bin/python3: No module named mypy\n";
        check("python3 -m mypy .", 1, python, CheckState::CannotRun);
        check("python3 -m build", 1, python, CheckState::Red);
        check("python3 -m mypy .", 1, "error: No module named mypyx", CheckState::Red);
        let clippy = "error: no such command: `clippy`\n\nhelp: find a package\n";
        check("cargo clippy", 101, clippy, CheckState::CannotRun);
        let npx = "npm error could not determine executable to run\nnpm error A complete log\n";
        check("npx --no-install tsc --noEmit", 1, npx, CheckState::CannotRun);
        // Green is green, whatever it prints.
        check("python3 -m mypy .", 0, python, CheckState::Green);
    }

    /// Every pair of base and result; `-` is one that was not asked.
    #[test]
    fn a_check_counts_only_where_the_base_is_green() {
        use CheckState::{CannotRun, Green, NotReady, Red};
        let columns = [None, Some(Green), Some(Red), Some(CannotRun), Some(NotReady)];
        for (base, expected) in [
            (None, ["not_run", "green", "not_run", "not_run", "not_run"]),
            (Some(Green), ["not_run", "green", "broken", "broken", "not_run"]),
            (Some(Red), ["not_run", "mended", "red_before", "red_before", "not_run"]),
            (Some(CannotRun), ["not_run"; 5]),
            (Some(NotReady), ["not_run"; 5]),
        ] {
            let actual = columns.map(|result| judge(base, result).as_str());
            assert_eq!(actual, expected, "{base:?}");
        }
    }

    #[test]
    fn what_configures_a_check_decides_what_it_says() {
        let check = |path: &str, before: &str, after: &str, expected: bool| {
            let [before, after] = [before, after].map(|it| Some(it).filter(|it| !it.is_empty()));
            assert_eq!(decides(path, before, after), expected, "{path}: {after:?}");
        };
        check("mypy.ini", "[mypy]\n", "[mypy]\nignore_errors = true\n", true);
        check("web/tsconfig.json", "{}", "", true);
        check("Makefile", "a", "b", true);
        check("cart.py", "a", "b", false);
        let package = r#"{"scripts": {"lint": "eslint"}}"#;
        check("package.json", package, r#"{"scripts": {"lint": "true"}}"#, true);
        check("package.json", package, r#"{"scripts": {"lint": "eslint"}, "version": "2"}"#, false);
        check("pyproject.toml", "[tool.mypy]\n", "[project]\nname = 'a'\n[tool.mypy]\n", false);
        check("pyproject.toml", "", "[tool.ruff]\nselect = []\n", true);
        check("pyproject.toml", "[tool.ruff]\n", "not toml", true);
        check("Cargo.toml", "[lints.clippy]\n", "[lints.clippy]\nall = 'allow'\n", true);
        check("Cargo.toml", "[dependencies]\n", "[dependencies]\na = '1'\n", false);
    }

    #[test]
    fn a_verdict_reads_as_what_it_is() {
        let run = |said: &str| CheckRun {
            kind: CheckKind::Types,
            command: "mypy .".to_owned(),
            state: CheckState::Red,
            rc: 1,
            wall_ms: 7,
            said: said.to_owned(),
            rules_changed: Vec::new(),
            verdict: Some(CheckVerdict::Broken),
        };
        for (verdict, standing, text) in [
            (CheckVerdict::Green, Standing::Verified, "`mypy .` is green"),
            (
                CheckVerdict::Mended,
                Standing::Verified,
                "`mypy .` is green, and was red on the base",
            ),
            (
                CheckVerdict::Broken,
                Standing::Failed,
                "`mypy .` exited with 1, and is green on the base",
            ),
            (
                CheckVerdict::RedBefore,
                Standing::NotVerified,
                "`mypy .` exited with 1, and is red on the base as well: it does not count",
            ),
            (
                CheckVerdict::NotRun,
                Standing::NotVerified,
                "`mypy .` cannot be run here: sh: 1: mypy: not found",
            ),
        ] {
            let (stands, note) = note(verdict, &run("sh: 1: mypy: not found\n"));
            assert_eq!((stands, note.text().to_string().as_str()), (standing, text));
        }
        let own = CheckRun {
            state: CheckState::Green,
            rules_changed: vec!["mypy.ini".to_owned()],
            ..run("")
        };
        let verdict = judge_run(Some(CheckState::Green), &own);
        assert_eq!(
            note(verdict, &own).1.text().to_string(),
            "`mypy .` is green, and the change touches what decides that: `mypy.ini`"
        );
        assert_eq!(judge_run(Some(CheckState::Green), &run("")), CheckVerdict::Broken);
        let silent = cannot_run(&run("")).text().to_string();
        assert_eq!(silent, "`mypy .` cannot be run here: exit code 1");
        let ran = [CheckVerdict::RedBefore, CheckVerdict::NotRun]
            .map(|it| did_run(&note(it, &run("")).1.text()));
        assert_eq!(ran, [true, false]);
        assert_eq!(broken(&[run("")]).len(), 1);
        assert_eq!(broken(&[CheckRun { verdict: None, ..run("") }]), []);
        let types = Check { kind: CheckKind::Types, command: "mypy .".to_owned() };
        let left: Vec<_> = not_configured(&[types]).map(CheckKind::as_str).collect();
        assert_eq!(left, ["lint", "build"]);
    }
}
