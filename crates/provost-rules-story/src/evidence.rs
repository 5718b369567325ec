//! What a piece of evidence shows, once provost has checked it.
//!
//! The exit codes come from processes, the files from the tree that was delivered. What the agent
//! says about either is compared, never trusted.

mod inadmissible;

use std::{collections::BTreeSet, sync::LazyLock};

use provost_kernel::{
    Message, Text,
    story::{CriterionClaim, EvidenceLabel, EvidenceResult, Story, StoryUpdate, TestFacts, TreeId},
};

use regex::Regex;

pub use self::inadmissible::{Inadmissible, inadmissible};
use super::collected;

/// What became of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandRun {
    /// It ended by itself.
    Ended { exit_code: i32, output: String },
    /// It did not run, or not to its end, and why.
    NotRun { why: Text },
}

/// What provost found out about the evidence of one criterion.
#[derive(Clone, Copy, Debug)]
pub struct EvidenceFacts<'a> {
    pub claim: &'a CriterionClaim,
    /// The tree on which it was looked at.
    pub tree: &'a TreeId,
    /// The commands: the claim's own, the plan's, the one that runs named tests.
    pub runs: &'a [CommandRun],
    /// The files of the tree.
    pub files: &'a BTreeSet<String>,
    /// The files that the story changed.
    pub changed: &'a BTreeSet<String>,
    /// Where the outputs are kept, for a person.
    pub kept_at: Option<&'a str>,
}

/// Why evidence has its label.
#[derive(Clone, Debug, Message)]
#[message(code = "story.evidence")]
enum Note {
    #[message(
        en = "a program of the command could not be started (exit code {exit_code})",
        zh = "命令中的程序无法启动（退出码 {exit_code}）"
    )]
    NotStarted { exit_code: i32 },
    #[message(
        en = "the Python module `{module}` is not installed",
        zh = "未安装 Python 模块 `{module}`"
    )]
    NoModule { module: String },
    #[message(
        en = "make had nothing to do, so nothing was checked",
        zh = "make 无事可做，因此没有检查任何东西"
    )]
    NothingMade,
    #[message(en = "the tree has no file `{path}`", zh = "提交的版本中没有文件 `{path}`")]
    NoFile { path: String },
    #[message(
        en = "the story changed none of these files, so they show nothing new",
        zh = "这些文件都未被该故事改动，不能证明什么"
    )]
    FilesUnchanged,
    #[message(
        en = "the files exist, and the story changed at least one of them; nothing was run",
        zh = "文件存在且至少一个被该故事改动；没有运行任何东西"
    )]
    FilesAlone,
    #[message(
        en = "the output does not show that `{test}` ran and passed",
        zh = "运行结果未显示 `{test}` 已运行并通过"
    )]
    TestNotSeen { test: String },
    #[message(en = "output: {path}", zh = "输出：{path}")]
    Output { path: String },
    #[message(en = "{why}; output: {path}", zh = "{why}；输出：{path}")]
    WithOutput { why: Text, path: String },
}

/// The exit codes with which a shell says that a program is not there, or cannot be started.
const NOT_STARTED: [i32; 2] = [126, 127];

/// How much of what a command printed is kept with its result, in characters.
const PRINTED: usize = 1000;

/// How much of a claimed output is compared, in lines.
const COMPARED: usize = 200;

/// Says what a piece of evidence came to.
pub fn result(facts: EvidenceFacts<'_>) -> EvidenceResult {
    let outputs: String = facts.runs.iter().map(|it| it.output().to_owned() + "\n").collect();
    let (label, note) = judged(facts, &outputs);
    let exit_code = facts.runs.iter().find_map(|it| it.exit_code().filter(|it| *it != 0));
    let exit_code = exit_code.or_else(|| facts.runs.iter().find_map(CommandRun::exit_code));
    let ran = matches!(label, EvidenceLabel::Reproduced | EvidenceLabel::Contradicted);
    let note = match (note, facts.kept_at) {
        (Some(why), Some(path)) => Some(Note::WithOutput { why, path: path.to_owned() }.text()),
        (None, Some(path)) => Some(Note::Output { path: path.to_owned() }.text()),
        (note, None) => note,
    };
    EvidenceResult {
        label,
        tree: facts.tree.clone(),
        exit_code: exit_code.filter(|_| ran),
        tests: if ran { collected::read(&outputs) } else { TestFacts::default() },
        base: None,
        proof: None,
        output: ran.then(|| tail(&outputs)).filter(|it| !it.is_empty()),
        output_matches: facts.claim.output.as_deref().filter(|_| ran).map(|it| is_in(it, &outputs)),
        note: None,
        note_code: None,
        note_args: None,
    }
    .with_note(note.as_ref())
}

fn judged(facts: EvidenceFacts<'_>, outputs: &str) -> (EvidenceLabel, Option<Text>) {
    use EvidenceLabel::{Contradicted, NotRun, Reproduced};
    for run in facts.runs {
        match run {
            CommandRun::NotRun { why } => return (NotRun, Some(why.clone())),
            CommandRun::Ended { exit_code, .. } if NOT_STARTED.contains(exit_code) => {
                return (NotRun, Some(Note::NotStarted { exit_code: *exit_code }.text()));
            }
            CommandRun::Ended { exit_code, output } => {
                if let Some(why) = idle(*exit_code, output) {
                    return (NotRun, Some(why.text()));
                }
            }
        }
    }
    if facts.runs.iter().any(|it| it.exit_code() != Some(0)) {
        return (Contradicted, None);
    }
    let files: Vec<&str> = facts.claim.files.iter().map(|it| file_of(it)).collect();
    if let Some(gone) = files.iter().find(|it| !facts.files.contains(**it)) {
        return (Contradicted, Some(Note::NoFile { path: (*gone).to_owned() }.text()));
    }
    if facts.runs.is_empty() {
        if !files.iter().any(|it| facts.changed.contains(*it)) {
            return (NotRun, Some(Note::FilesUnchanged.text()));
        }
        return (Reproduced, Some(Note::FilesAlone.text()));
    }
    match facts.claim.tests.iter().find(|it| !ran(it, outputs)) {
        Some(test) => (NotRun, Some(Note::TestNotSeen { test: test.clone() }.text())),
        None => (Reproduced, None),
    }
}

/// Why a command that ended did nothing: a module that is not installed, or a target that is up to
/// date.
fn idle(exit_code: i32, output: &str) -> Option<Note> {
    static MODULE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\S*python[\d.]*: No module named (\S+)$").ok());
    static TARGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^g?make(?:\[\d+\])?: (?:Nothing to be done for .*|.* is up to date\.|(?:Entering|Leaving) directory .*)$").ok()
    });
    let mut lines = output.lines().filter(|it| !it.trim().is_empty()).peekable();
    let first = lines.peek()?;
    let module = MODULE.as_ref().and_then(|it| it.captures(first)?.get(1));
    if let Some(module) = module.filter(|_| exit_code != 0) {
        return Some(Note::NoModule { module: module.as_str().to_owned() });
    }
    let is_idle = TARGET.as_ref().is_some_and(|it| lines.all(|line| it.is_match(line)));
    (exit_code == 0 && is_idle).then_some(Note::NothingMade)
}

/// The end of what a command printed.
fn tail(outputs: &str) -> String {
    let text = outputs.trim();
    let skipped = text.chars().count().saturating_sub(PRINTED);
    text.chars().skip(skipped).collect()
}

/// The path of `path:12` or `path:12-20`.
pub fn file_of(text: &str) -> &str {
    let path = match text.rsplit_once(':') {
        Some((path, lines)) if lines.bytes().all(|it| it.is_ascii_digit() || it == b'-') => path,
        _ => text,
    };
    path.trim_start_matches("./")
}

/// Whether a runner names a test in a line that does not say that it failed or was left out.
fn ran(test: &str, outputs: &str) -> bool {
    const BAD: [&str; 5] = ["fail", "skip", "ignored", "error", "not ok"];
    let is_part = |found: char| found.is_alphanumeric() || found == '_';
    let names = |line: &str| {
        line.match_indices(test).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + test.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    };
    let is_good = |line: &str| {
        let rest = line.replace(test, "").to_ascii_lowercase();
        !BAD.iter().any(|it| rest.contains(it))
    };
    let mut lines = outputs.lines().filter(|it| names(it)).peekable();
    lines.peek().is_some() && lines.all(is_good)
}

/// Whether what was claimed to be printed was: line by line, whatever the numbers are, because
/// times and counts differ from run to run.
fn is_in(claimed: &str, outputs: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|it| !it.is_ascii_digit() && !it.is_whitespace()).collect()
    };
    let outputs = plain(outputs);
    claimed.lines().take(COMPARED).all(|it| outputs.contains(&plain(it)))
}

/// An update in which a criterion that is claimed in words alone has the command that the plan
/// names for it: that one is run, and decides.
pub fn with_commands_of_plan(story: &Story, update: &StoryUpdate) -> StoryUpdate {
    let mut update = update.clone();
    for (id, claim) in &mut update.criteria {
        if claim.is_claimed() && !claim.is_checkable() {
            claim.command = story.criterion(*id).and_then(|it| it.verify.clone());
        }
    }
    update
}

impl CommandRun {
    fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Ended { exit_code, .. } => Some(*exit_code),
            Self::NotRun { .. } => None,
        }
    }

    fn output(&self) -> &str {
        match self {
            Self::Ended { output, .. } => output,
            Self::NotRun { .. } => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ended(exit_code: i32, output: &str) -> CommandRun {
        CommandRun::Ended { exit_code, output: output.to_owned() }
    }

    fn look(claim: &Value, runs: &[CommandRun]) -> EvidenceResult {
        let set = |paths: &[&str]| paths.iter().map(|it| (*it).to_owned()).collect();
        let facts = EvidenceFacts {
            claim: &serde_json::from_value(claim.clone()).unwrap(),
            tree: &TreeId("t".to_owned()),
            runs,
            files: &set(&["a.rs", "b.rs"]),
            changed: &set(&["a.rs"]),
            kept_at: None,
        };
        result(facts)
    }

    #[track_caller]
    fn check(claim: Value, runs: &[CommandRun], label: EvidenceLabel, exit_code: Option<i32>) {
        let result = look(&claim, runs);
        assert_eq!((result.label, result.exit_code), (label, exit_code), "{claim}: {result:?}");
    }

    /// STORY-1.1, STORY-6.1: what counts is what happened.
    #[test]
    fn a_command_is_what_its_exit_code_says() {
        use EvidenceLabel::{Contradicted, NotRun, Reproduced};
        let claim = || json!({"command": "make check", "output": "all good"});
        check(claim(), &[ended(0, "all good")], Reproduced, Some(0));
        check(claim(), &[ended(2, "all good")], Contradicted, Some(2));
        check(claim(), &[ended(0, ""), ended(1, "")], Contradicted, Some(1));
        check(claim(), &[ended(127, "")], NotRun, None);
        check(claim(), &[CommandRun::NotRun { why: "no".into() }], NotRun, None);
        let not_run = CommandRun::NotRun { why: "no".into() };
        check(claim(), &[ended(1, ""), not_run], NotRun, None);
    }

    #[test]
    fn a_command_that_did_nothing_was_not_run() {
        use EvidenceLabel::{Contradicted, NotRun, Reproduced};
        let claim = || json!({"command": "make tests"});
        check(claim(), &[ended(0, "make: Nothing to be done for 'tests'.\n\n")], NotRun, None);
        check(claim(), &[ended(0, "make: 'greet.sh' is up to date.\n")], NotRun, None);
        let some = "ok\nmake: Nothing to be done for 'b'.\n";
        check(claim(), &[ended(0, some)], Reproduced, Some(0));
        check(claim(), &[ended(0, "")], Reproduced, Some(0));
        let missing = "\n/usr/bin/python3: No module named pytest\n";
        check(claim(), &[ended(1, missing)], NotRun, None);
        check(claim(), &[ended(1, "1 failed\n")], Contradicted, Some(1));
    }

    #[test]
    fn files_are_in_the_tree_and_one_of_them_is_of_the_story() {
        use EvidenceLabel::{Contradicted, NotRun, Reproduced};
        check(json!({"files": ["a.rs"]}), &[], Reproduced, None);
        check(json!({"files": ["./a.rs:3-9", "b.rs"]}), &[], Reproduced, None);
        check(json!({"files": ["b.rs"]}), &[], NotRun, None);
        check(json!({"files": ["a.rs", "gone.rs"]}), &[], Contradicted, None);
        check(json!({"files": ["b.rs"], "command": "x"}), &[ended(0, "")], Reproduced, Some(0));
        check(json!({"files": ["no"], "command": "x"}), &[ended(0, "")], Contradicted, Some(0));
        check(json!({}), &[], NotRun, None);
    }

    #[test]
    fn a_named_test_ran_and_passed() {
        use EvidenceLabel::{NotRun, Reproduced};
        let claim = || json!({"tests": ["login::works"]});
        check(claim(), &[ended(0, "test login::works ... ok")], Reproduced, Some(0));
        for output in [
            "",
            "test login::works_not ... ok",
            "test login::works ... ignored",
            "not ok 1 - login::works",
        ] {
            check(claim(), &[ended(0, output)], NotRun, None);
        }
        let failed = json!({"tests": ["handles_failure"]});
        check(failed, &[ended(0, "test handles_failure ... ok")], Reproduced, Some(0));
    }

    #[test]
    fn an_output_is_compared_without_its_numbers() {
        let matches = |claimed: &str, actual: &str| {
            let claim = json!({"command": "x", "output": claimed});
            look(&claim, &[ended(0, actual)]).output_matches
        };
        assert_eq!(matches("3 passed in 0.1s", "== 3 passed in 0.2s =="), Some(true));
        assert_eq!(matches("all green", "3 failed"), Some(false));
        assert_eq!(look(&json!({"command": "x"}), &[ended(0, "")]).output_matches, None);
    }
}
