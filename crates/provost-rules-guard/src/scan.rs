//! What scripts would run: the commands of shell scripts, workflows, package scripts, recipes and
//! images, each held against the policy as if an agent had typed it.
//!
//! A file is recognised by its name and its first line. Nothing is run, and nothing outside of the
//! file is read.

mod package;
mod recipe;
mod source;
mod yaml;

use std::borrow::Cow;

use provost_kernel::{
    Message, Text,
    guard::policy::{Effect, Policy, PolicyRuling, ToolCall},
};
use provost_shell::{Join, Place};

pub use self::source::Source;
use super::policy;

/// The largest file that is judged, in bytes.
pub const MAX_LEN: usize = provost_shell::MAX_LEN;

/// How many commands a part of a long script has at least.
const PART: usize = 64;

/// Stands for an expression that something else than the shell puts in, such as `${{ … }}`.
const EXPRESSION: &str = "${EXPRESSION}";

/// Rules about the machine itself: where it is thrown away afterwards, they protect nothing.
const ABOUT_MACHINE: [&str; 10] = [
    "command.sudo",
    "delete.outside",
    "delete.system",
    "network.open",
    "path.outside",
    "path.system",
    "system.packages",
    "system.permissions",
    "system.schedule",
    "system.settings",
];

/// Rules about orders that only a person may give: whoever writes what CI runs is one.
const ABOUT_ORDERS: [&str; 1] = ["provost.order"];

/// Rules that say only that a part is not known before it runs.
const ABOUT_UNKNOWN: [&str; 3] = ["delete.unknown", "shell.dynamic", "shell.unreadable"];

/// One command, as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The line on which its text begins, from 1.
    line: usize,
    text: String,
    interpreter: Interpreter,
    machine: Machine,
    /// Where it runs, below the root of the repository.
    directory: String,
}

/// What reads the text of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Interpreter {
    #[default]
    Shell,
    PowerShell,
    Python,
    /// It is not judged.
    Other,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    /// A container or a hosted runner, which is gone afterwards.
    ThrownAway,
    /// Perhaps somebody's own.
    Kept,
}

/// Where the files lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanPlace {
    /// The root of the repository, absolute.
    pub root: String,
    /// The home of provost.
    pub home: Option<String>,
    /// The person's own home folder.
    pub user_home: Option<String>,
}

/// A command that a rule refuses or asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanFinding {
    pub line: usize,
    pub effect: Effect,
    pub rule: Cow<'static, str>,
    pub why: Text,
    /// The part of the command that the rule stands on.
    pub part: String,
    pub hint: Option<Text>,
    /// Whether the rule says only that something is not known before it runs.
    pub is_open: bool,
}

/// What came of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    pub n_commands: usize,
    pub findings: Vec<ScanFinding>,
}

/// Why a file could not be judged.
#[derive(Clone, Debug, PartialEq, Eq, Message, thiserror::Error)]
#[error("{}", self.text())]
#[message(code = "guard.scan")]
pub enum ScanError {
    #[message(
        en = "line {line} cannot be read as {format}",
        zh = "第 {line} 行无法按 {format} 读取",
        hint(
            en = "correct the file, or name the other files on the command line",
            zh = "请修正该文件，或在命令行中只列出其他文件"
        )
    )]
    Malformed { format: &'static str, line: usize },
    #[message(
        en = "it has more commands than can be judged",
        zh = "其中的命令过多，无法判断",
        hint(
            en = "split it, or name the other files on the command line",
            zh = "请将其拆分，或在命令行中只列出其他文件"
        )
    )]
    TooMuch,
}

/// Judges the commands of a file.
pub fn scan(
    policy: &Policy,
    place: &ScanPlace,
    source: Source,
    path: &str,
    text: &str,
) -> Result<Scanned, ScanError> {
    let commands = source::commands(source, path, text)?;
    let mut scanned = Scanned { n_commands: commands.len(), findings: Vec::new() };
    for command in &commands {
        match judge(policy, place, command) {
            Ok(findings) => scanned.findings.extend(findings),
            // A long script is judged part by part, if its parts can be told apart.
            Err(ScanError::TooMuch) => {
                for part in parts(command) {
                    scanned.findings.extend(judge(policy, place, &part)?);
                }
            }
            Err(error) => return Err(error),
        }
    }
    scanned.findings.sort_by(|a, b| (a.line, &a.rule, &a.part).cmp(&(b.line, &b.rule, &b.part)));
    // Several readings of one line are one finding.
    scanned.findings.dedup_by(|a, b| (&a.rule, a.line) == (&b.rule, b.line));
    Ok(scanned)
}

/// The commands in a text that may be a file of this kind; none if it cannot be read.
pub(crate) fn texts(source: Source, path: &str, text: &str) -> Vec<String> {
    let commands = source::commands(source, path, text).unwrap_or_default();
    let is_shell = |it: &Command| it.interpreter == Interpreter::Shell;
    commands.into_iter().filter(is_shell).map(|it| it.text).collect()
}

/// The parts of a long script, each of some commands that stand at the start of a line and in no
/// other command; the script itself if there is no such place.
fn parts(command: &Command) -> Vec<Command> {
    let text = command.text.as_str();
    let script = provost_shell::parse(text);
    let mut begins = vec![0];
    let mut n_commands = 0;
    for it in &script.invocations {
        n_commands += 1;
        let is_apart = it.place == Place::Script
            && it.join == Join::Sequence
            && it.launched_by.is_none()
            && text.get(..it.at).is_some_and(|it| it.ends_with('\n'));
        if is_apart && n_commands > PART && begins.last().is_some_and(|last| *last < it.at) {
            begins.push(it.at);
            n_commands = 0;
        }
    }
    let ends = begins.iter().copied().skip(1).chain([text.len()]);
    let parts = begins.iter().zip(ends).map(|(&begin, end)| Command {
        line: command.line + text.get(..begin).map_or(0, |it| it.matches('\n').count()),
        text: text.get(begin..end).unwrap_or_default().to_owned(),
        ..command.clone()
    });
    parts.collect()
}

fn judge(
    policy: &Policy,
    place: &ScanPlace,
    command: &Command,
) -> Result<Vec<ScanFinding>, ScanError> {
    let (tool, text) = match command.interpreter {
        Interpreter::Shell => ("Bash", command.text.clone()),
        Interpreter::PowerShell => ("PowerShell", command.text.clone()),
        // The code begins on the line after the command's own.
        Interpreter::Python => ("Bash", format!("python3 - <<'SCAN'\n{}\nSCAN\n", command.text)),
        Interpreter::Other => return Ok(Vec::new()),
    };
    let before = usize::from(command.interpreter == Interpreter::Python);
    let directory = match command.directory.as_str() {
        "" => place.root.clone(),
        below => format!("{}/{below}", place.root.trim_end_matches('/')),
    };
    let call = ToolCall {
        tool: Some(tool.to_owned()),
        root: Some(place.root.clone()),
        home: place.home.clone(),
        user_home: place.user_home.clone(),
        ..ToolCall::shell(&text, &directory)
    };
    let mut findings = Vec::new();
    for (at, ruling) in policy::rulings(policy, &call) {
        if ruling.rule == "shell.limits" {
            return Err(ScanError::TooMuch);
        }
        let newlines = text.get(..at).map_or(0, |it| it.matches('\n').count());
        let line = command.line + newlines.saturating_sub(before);
        findings.extend(finding(command.machine, line, ruling));
    }
    if command.interpreter == Interpreter::Python {
        // Its code is one command, whose parts have no lines.
        findings.sort_by(|a, b| a.rule.cmp(&b.rule));
        findings.dedup_by(|a, b| a.rule == b.rule);
    }
    Ok(findings)
}

/// The finding that a ruling amounts to where the command runs.
fn finding(machine: Machine, line: usize, ruling: PolicyRuling) -> Option<ScanFinding> {
    let PolicyRuling { effect, rule, why, subject, hint, open: _, touched: _ } = ruling;
    let effect = match (machine, rule.as_ref()) {
        (Machine::ThrownAway, it) if ABOUT_MACHINE.contains(&it) => return None,
        (_, it) if ABOUT_ORDERS.contains(&it) => return None,
        // A script that installs something may need it; that an agent may not is another matter.
        (Machine::Kept, "command.sudo") => Effect::Ask,
        _ => effect,
    };
    let is_open = ABOUT_UNKNOWN.contains(&rule.as_ref());
    (!effect.passes()).then_some(ScanFinding {
        line,
        effect,
        rule,
        why,
        part: subject,
        hint,
        is_open,
    })
}

#[cfg(test)]
mod tests;
