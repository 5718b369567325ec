//! Which checks of the whole tree a story needs: typecheck and build, and what is configured.
//!
//! The configuration comes first. What it leaves open is found by the files of the base, never by
//! those of the agent: a project that an agent could describe anew would check whatever it likes.
//! Where the base shows that there is nothing to check, a gate does not apply; where it is unknown
//! how to check, a story cannot pass.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use provost_kernel::{
    Finding, Message, Severity,
    story::{GateKind, GateOutcome},
};
use provost_rules::ecosystem::{self, DetectedProject, ProjectFiles, Purpose};

use super::evidence::CommandRun;

/// A gate as the configuration names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredGate {
    pub id: String,
    pub kind: GateKind,
    /// The command, as a shell reads it.
    pub command: String,
    /// A file of the base that must be there.
    pub when: Option<String>,
}

/// A gate, and what is to be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    pub kind: GateKind,
    /// How it is called; empty where its kind says it.
    pub name: String,
    /// The folder in which it runs, from the root of the repository; the root is empty.
    pub folder: String,
    pub plan: GatePlan,
}

/// What is to be done about a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatePlan {
    Run(String),
    /// There is nothing to check.
    NotApplicable,
    /// It is unknown how to check it.
    NotConfigured,
}

/// A command that runs the tests of a project, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    pub folder: String,
    pub command: String,
}

/// The gates that every story needs.
const HARD: [GateKind; 2] = [GateKind::Typecheck, GateKind::Build];

/// What is written for people, and neither compiled nor run.
const DOCUMENTS: [&str; 5] = [".md", ".markdown", ".rst", ".adoc", ".asciidoc"];

/// Says which gates a change needs.
pub fn plan(configured: &[ConfiguredGate], base: ProjectFiles<'_>, changed: &[&str]) -> Vec<Gate> {
    if is_documentation(changed) {
        return HARD.map(|kind| gate(kind, GatePlan::NotApplicable)).into();
    }
    let is_there = |it: &&ConfiguredGate| it.when.as_ref().is_none_or(|it| base.paths.contains(it));
    let configured: Vec<&ConfiguredGate> = configured.iter().filter(is_there).collect();
    let found = found(base, changed);
    let mut gates = Vec::new();
    for kind in HARD {
        let named = configured.iter().filter(|it| it.kind == kind);
        let named: Vec<Gate> = named.map(|it| of_configuration(it)).collect();
        gates.extend(if named.is_empty() { by_detection(kind, &found) } else { named });
    }
    let others = configured.iter().filter(|it| !HARD.contains(&it.kind));
    gates.extend(others.map(|it| of_configuration(it)));
    gates
}

/// The command that runs the tests by their names, where the base shows one.
pub fn tests(
    configured: &[ConfiguredGate],
    base: ProjectFiles<'_>,
    changed: &[&str],
) -> Option<TestCommand> {
    let named = configured.iter().find(|it| it.kind == GateKind::Test);
    let named = named.map(|it| TestCommand { folder: String::new(), command: it.command.clone() });
    named.or_else(|| {
        let found = found(base, changed);
        found.into_iter().find_map(|it| {
            let command = it.test?;
            Some(TestCommand { folder: it.folder, command })
        })
    })
}

/// What a gate comes to that is not run.
pub fn outcome(plan: &GatePlan) -> Option<GateOutcome> {
    match plan {
        GatePlan::Run(_) => None,
        GatePlan::NotApplicable => Some(GateOutcome::NotApplicable),
        GatePlan::NotConfigured => Some(GateOutcome::NotConfigured),
    }
}

/// What a gate comes to that was run, and its exit code where it ended.
pub fn ran(run: &CommandRun) -> (GateOutcome, Option<i32>) {
    match run {
        CommandRun::Ended { exit_code: 0, .. } => (GateOutcome::Passed, Some(0)),
        // A shell that finds no program has checked nothing.
        CommandRun::Ended { exit_code: code @ (126 | 127), .. } => {
            (GateOutcome::NotRun, Some(*code))
        }
        CommandRun::Ended { exit_code, .. } => (GateOutcome::Failed, Some(*exit_code)),
        CommandRun::NotRun { .. } => (GateOutcome::NotRun, None),
    }
}

/// What is to be said of a gate that does not look at the change.
#[derive(Clone, Copy, Debug, Message)]
#[message(code = "story.gate")]
enum GateRemark<'a> {
    #[message(
        en = "`{0}` passes with an error in the changed files, and did not on the base",
        zh = "改动的文件中有错误时 `{0}` 仍然通过，而在基准版本上不会",
        hint(en = "put back how it is built and checked", zh = "请恢复原来的构建与检查方式",)
    )]
    Hollow(&'a str),
    #[message(
        en = "`{0}` passes with an error in the changed files: it does not look at them",
        zh = "改动的文件中有错误时 `{0}` 仍然通过：它没有检查这些文件",
        hint(
            en = "configure a `[[story.gates]]` that looks at them, if they matter",
            zh = "如果这些文件重要，请配置会检查它们的 `[[story.gates]]`",
        )
    )]
    Blind(&'a str),
    #[message(
        en = "`{0}` notices errors of syntax, and none of types",
        zh = "`{0}` 只能发现语法错误，不能发现类型错误"
    )]
    SyntaxOnly(&'a str),
}

/// The finding about a gate that looked at the changed files on the base, and does no longer.
pub fn hollow(name: &str) -> Finding {
    Finding::new("GATE_HOLLOW", Severity::P1, name, &GateRemark::Hollow(name))
}

/// The notice about a gate that never looked at the changed files: the project's own doing.
pub fn blind(name: &str) -> Finding {
    Finding::new("GATE_HOLLOW", Severity::P2, name, &GateRemark::Blind(name))
}

/// The notice about a typecheck that checks no types.
pub fn syntax_only(name: &str) -> Finding {
    Finding::new("GATE_SYNTAX_ONLY", Severity::P2, name, &GateRemark::SyntaxOnly(name))
}

/// Whether a typecheck can be asked about a file: plain JavaScript has no types of its own.
pub fn has_types(path: &str) -> bool {
    !["js", "mjs", "cjs", "jsx"]
        .iter()
        .any(|it| path.rsplit_once('.').is_some_and(|(_, end)| end == *it))
}

/// Whether a change is one of documents alone. An empty change is not.
fn is_documentation(changed: &[&str]) -> bool {
    let is_document = |path: &&str| {
        let path = path.to_ascii_lowercase();
        DOCUMENTS.iter().any(|it| path.ends_with(it))
    };
    !changed.is_empty() && changed.iter().all(is_document)
}

/// The projects of a folder, with the commands that gates run.
fn projects(base: ProjectFiles<'_>, folder: &str) -> Vec<DetectedProject> {
    ecosystem::projects(base, folder, Purpose::Gate)
}

/// What is found at the root; if that is nothing, in the packages that the change touches.
fn found(base: ProjectFiles<'_>, changed: &[&str]) -> Vec<DetectedProject> {
    let at_root = projects(base, "");
    if !at_root.is_empty() {
        return at_root;
    }
    let folders: BTreeSet<&str> = changed.iter().filter_map(|it| package(base, it)).collect();
    folders.into_iter().flat_map(|folder| projects(base, folder)).collect()
}

/// The nearest folder around a file in which something can be checked.
fn package<'a>(base: ProjectFiles<'_>, path: &'a str) -> Option<&'a str> {
    path.rmatch_indices('/')
        .filter_map(|(at, _)| path.get(..at))
        .find(|folder| !projects(base, folder).is_empty())
}

fn by_detection(kind: GateKind, found: &[DetectedProject]) -> Vec<Gate> {
    let is_several = found.len() > 1;
    let of = |it: &DetectedProject| {
        let plan = if kind == GateKind::Typecheck { &it.typecheck } else { &it.build };
        let name = match (is_several, it.folder.as_str()) {
            (false, _) => String::new(),
            (true, "") => format!("{} {kind}", it.name),
            (true, folder) => format!("{} {kind} ({folder})", it.name),
        };
        let plan = plan.clone().map_or(GatePlan::NotApplicable, GatePlan::Run);
        Gate { kind, name, folder: it.folder.clone(), plan }
    };
    if found.is_empty() {
        return vec![gate(kind, GatePlan::NotConfigured)];
    }
    found.iter().map(of).collect()
}

fn of_configuration(it: &ConfiguredGate) -> Gate {
    let plan = GatePlan::Run(it.command.clone());
    Gate { kind: it.kind, name: it.id.clone(), folder: String::new(), plan }
}

fn gate(kind: GateKind, plan: GatePlan) -> Gate {
    Gate { kind, name: String::new(), folder: String::new(), plan }
}
