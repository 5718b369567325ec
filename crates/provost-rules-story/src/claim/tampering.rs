//! What was done to the tests, to their runner, or to the command that should prove something.
//!
//! Everything here compares two texts and runs nothing. It reports what an honest change rarely
//! does and a dishonest one has to: a person, or a judge, decides what it was. An edit that has
//! nothing to do with what is run is never reported, because a warning that is always there is
//! ignored.

mod command;
mod edits;
mod evasion;
mod package;
mod runner;
mod shadow;
mod source;
#[cfg(test)]
mod tests;

use provost_kernel::{Finding, Message, Severity};
use provost_rules_proof::paths::PathPatterns;

use self::command::CommandFlaw;
use crate::{
    base::BaseTree,
    evidence::{self, Inadmissible},
};

/// A file of the change, in both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedText<'a> {
    pub path: &'a str,
    /// Where it was before, if it was moved.
    pub old_path: Option<&'a str>,
    /// None when the file is new.
    pub before: Option<&'a str>,
    /// None when the file is gone.
    pub after: Option<&'a str>,
}

/// The stable name of a rule about tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Message)]
#[message(code = "story.tampering")]
pub enum Code {
    #[message(
        en = "a test was deleted",
        zh = "有测试被删除",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    TestDeleted,
    #[message(
        en = "a test no longer runs",
        zh = "有测试不再运行",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    TestSkipped,
    #[message(
        en = "a focused test keeps the others from running",
        zh = "某个测试使其他测试不再运行",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    TestFocused,
    #[message(
        en = "a test asserts less than before",
        zh = "测试的断言比之前少或弱",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    AssertionWeakened,
    #[message(
        en = "an assertion always holds",
        zh = "断言恒成立",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    AssertionVacuous,
    #[message(
        en = "the way checks are run was edited",
        zh = "检查的运行方式被修改",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    RunnerEdited,
    #[message(
        en = "this file shadows a test runner",
        zh = "此文件取代了测试运行程序",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    RunnerReplaced,
    #[message(
        en = "the change can detect the checker and behave differently",
        zh = "改动能识别检查者，并可能因此改变行为",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    CheckerNamed,
    #[message(
        en = "this symlink points out of the repository",
        zh = "此链接指向仓库之外",
        hint(en = "put it back, or ask a person to accept it", zh = "请恢复，或请人确认")
    )]
    LinkLeadsOut,
    #[message(
        en = "the command exits with 0 whatever it finds",
        zh = "无论结果如何，该命令都以 0 退出",
        hint(
            en = "let the exit code of the check be the exit code of the command",
            zh = "请让检查的退出码成为命令的退出码"
        )
    )]
    CommandMasked,
    #[message(
        en = "the command checks nothing",
        zh = "该命令不检查任何东西",
        hint(en = "give the plain command that checks it", zh = "请给出真正执行检查的命令")
    )]
    CommandVacuous,
    #[message(
        en = "the command replaces the program it names",
        zh = "该命令替换了它所指的程序",
        hint(en = "give the plain command that checks it", zh = "请给出真正执行检查的命令")
    )]
    CommandReplaced,
    #[message(
        en = "what the command runs cannot be determined",
        zh = "无法看出该命令运行什么",
        hint(en = "give the plain command that checks it", zh = "请给出真正执行检查的命令")
    )]
    CommandOpaque,
    #[message(
        en = "the command asks its runner to run nothing, or accepts that nothing ran",
        zh = "该命令要求不运行测试，或没有测试也算通过",
        hint(en = "give the plain command that checks it", zh = "请给出真正执行检查的命令")
    )]
    CommandLenient,
    #[message(
        en = "the command checks something outside the checkout",
        zh = "该命令检查的是别处的内容",
        hint(en = "give the plain command that checks it", zh = "请给出真正执行检查的命令")
    )]
    CommandLeadsOut,
    #[message(
        en = "the command creates the result it should check",
        zh = "该命令自行造成它要证明的结果",
        hint(en = "give the plain command that checks it", zh = "请给出真正执行检查的命令")
    )]
    CommandWrites,
}

/// More findings than so many say nothing new.
const MAX_FINDINGS: usize = 100;

/// What a change did to the tests, to their runner, and to the checker.
pub fn tampering(changes: &[ChangedText<'_>], base: &BaseTree) -> Vec<Finding> {
    let edits = edits::notice(changes).into_iter();
    let runner = changes.iter().filter_map(|it| {
        let part = runner::edited(it)?;
        Some((Code::RunnerEdited, format!("{}: {part}", it.path)))
    });
    let shadows = changes.iter().filter(|it| shadow::shadows(it, base));
    let shadows = shadows.map(|it| (Code::RunnerReplaced, it.path.to_owned()));
    let evasions = evasion::named(changes, base).map(|it| (Code::CheckerNamed, it));
    let noticed = edits.chain(runner).chain(shadows).chain(evasions);
    noticed.take(MAX_FINDINGS).map(|(code, subject)| code.finding(subject)).collect()
}

/// The same where the plan lets the work change some files: what is done to those is only said.
pub fn tampering_with_leave(
    changes: &[ChangedText<'_>],
    base: &BaseTree,
    leave: &PathPatterns,
) -> Vec<Finding> {
    let (permitted, others): (Vec<_>, Vec<_>) = changes
        .iter()
        .partition(|it| leave.matches(it.path) || it.old_path.is_some_and(|it| leave.matches(it)));
    let mut findings = tampering(&others, base);
    let lowered = tampering(&permitted, base).into_iter().map(|it| {
        let is_permitted = Code::PERMITTED.iter().any(|code| code.as_str() == it.rule);
        if is_permitted { Finding { severity: Severity::P2, ..it } } else { it }
    });
    findings.extend(lowered);
    findings
}

/// What is wrong with a command that should prove a criterion.
pub fn command(subject: &str, text: &str) -> Vec<Finding> {
    let code = |flaw| match flaw {
        CommandFlaw::Masked => Code::CommandMasked,
        CommandFlaw::Vacuous => Code::CommandVacuous,
        CommandFlaw::Replaced => Code::CommandReplaced,
        CommandFlaw::Opaque => Code::CommandOpaque,
        CommandFlaw::Lenient => Code::CommandLenient,
    };
    let flaws = command::flaws(text).into_iter();
    flaws.map(|it| code(it).finding(subject)).collect()
}

/// Why an agent's command is refused before it runs.
pub fn inadmissible(subject: &str, text: &str) -> Option<Finding> {
    let why = evidence::inadmissible(text)?;
    let code = match why {
        Inadmissible::LeadsOut(_) => Code::CommandLeadsOut,
        Inadmissible::Writes(_) => Code::CommandWrites,
        Inadmissible::Lenient(_) => Code::CommandLenient,
    };
    Some(Finding { hint: Some(why.text()), ..code.finding(subject) })
}

/// Links of a change that lead out of the repository, each with its target.
pub fn links<'a>(links: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Finding> {
    let out = links.into_iter().filter(|(path, target)| evasion::leads_out(path, target));
    let finding = |(path, target)| Code::LinkLeadsOut.finding(format!("{path} -> {target}"));
    out.take(MAX_FINDINGS).map(finding).collect()
}

/// Files of a person's home that were changed while the plan was worked on, with their texts: those
/// that tell a runner what to run.
pub fn home<'a>(changed: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Finding> {
    let telling = changed.into_iter().filter(|(path, text)| shadow::tells_runners(path, text));
    let finding = |(path, _)| Code::RunnerEdited.finding(format!("~/{path}"));
    telling.map(finding).collect()
}

impl Code {
    /// Every code there is.
    pub const ALL: [Self; 16] = [
        Self::TestDeleted,
        Self::TestSkipped,
        Self::TestFocused,
        Self::AssertionWeakened,
        Self::AssertionVacuous,
        Self::RunnerEdited,
        Self::RunnerReplaced,
        Self::CheckerNamed,
        Self::LinkLeadsOut,
        Self::CommandMasked,
        Self::CommandVacuous,
        Self::CommandReplaced,
        Self::CommandOpaque,
        Self::CommandLenient,
        Self::CommandLeadsOut,
        Self::CommandWrites,
    ];

    /// What a plan can permit.
    const PERMITTED: [Self; 6] = [
        Self::TestDeleted,
        Self::TestSkipped,
        Self::TestFocused,
        Self::AssertionWeakened,
        Self::AssertionVacuous,
        Self::RunnerEdited,
    ];

    /// The name, as findings carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TestDeleted => "TEST_DELETED",
            Self::TestSkipped => "TEST_SKIPPED",
            Self::TestFocused => "TEST_FOCUSED",
            Self::AssertionWeakened => "ASSERTION_WEAKENED",
            Self::AssertionVacuous => "ASSERTION_VACUOUS",
            Self::RunnerEdited => "RUNNER_CONFIG_EDITED",
            Self::RunnerReplaced => "RUNNER_REPLACED",
            Self::CheckerNamed => "CHECKER_NAMED",
            Self::LinkLeadsOut => "LINK_LEADS_OUT",
            Self::CommandMasked => "COMMAND_MASKED",
            Self::CommandVacuous => "COMMAND_VACUOUS",
            Self::CommandReplaced => "COMMAND_REPLACED",
            Self::CommandOpaque => "COMMAND_OPAQUE",
            Self::CommandLenient => "COMMAND_LENIENT",
            Self::CommandLeadsOut => "COMMAND_LEADS_OUT",
            Self::CommandWrites => "COMMAND_WRITES",
        }
    }

    fn finding(self, subject: impl Into<String>) -> Finding {
        Finding::new(self.as_str(), Severity::P1, subject, &self)
    }
}
