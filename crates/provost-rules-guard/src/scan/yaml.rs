//! Commands in YAML: workflows, composite actions, GitLab's jobs, and hooks of pre-commit.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer,
    },
};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::{Command, Interpreter, Machine, ScanError, recipe::without_expressions};

type Texts = Option<Spanned<Lines>>;

#[derive(Debug, Deserialize)]
struct Workflow {
    #[serde(default)]
    defaults: Option<Defaults>,
    #[serde(default)]
    jobs: BTreeMap<String, Job>,
}

#[derive(Debug, Deserialize)]
struct Defaults {
    #[serde(default)]
    run: Option<RunDefaults>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RunDefaults {
    #[serde(default)]
    shell: Option<String>,
    #[serde(default)]
    working_directory: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Job {
    #[serde(default)]
    runs_on: Value,
    #[serde(default)]
    defaults: Option<Defaults>,
    #[serde(default)]
    steps: Option<Vec<Step>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Step {
    #[serde(default)]
    run: Texts,
    #[serde(default)]
    shell: Option<String>,
    #[serde(default)]
    working_directory: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Action {
    #[serde(default)]
    runs: Option<Runs>,
}

#[derive(Debug, Deserialize)]
struct Runs {
    #[serde(default)]
    steps: Option<Vec<Step>>,
}

/// A job of GitLab; what else stands at the top of the file has none of these keys.
#[derive(Debug, Default, Deserialize)]
struct Scripts {
    #[serde(default)]
    before_script: Texts,
    #[serde(default)]
    script: Texts,
    #[serde(default)]
    after_script: Texts,
}

#[derive(Debug, Deserialize)]
struct PreCommit {
    #[serde(default)]
    repos: Vec<Repository>,
}

#[derive(Debug, Deserialize)]
struct Repository {
    #[serde(default)]
    hooks: Vec<Hook>,
}

#[derive(Debug, Deserialize)]
struct Hook {
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    entry: Texts,
}

/// A text, or a list of texts, which may be nested.
#[derive(Debug, Default)]
enum Lines {
    Text(String),
    List(Vec<Spanned<Self>>),
    #[default]
    Other,
}

/// Something at the top of a file.
#[derive(Debug, Default)]
struct Entry(Scripts);

/// The `run` steps of a workflow.
pub(super) fn workflow(text: &str) -> Result<Vec<Command>, ScanError> {
    let Some(workflow) = read::<Workflow>(text)? else { return Ok(Vec::new()) };
    let common = workflow.defaults.and_then(|it| it.run).unwrap_or_default();
    let mut commands = Vec::new();
    for job in workflow.jobs.into_values() {
        let own = job.defaults.and_then(|it| it.run).unwrap_or_default();
        let defaults = RunDefaults {
            shell: own.shell.or_else(|| common.shell.clone()),
            working_directory: own.working_directory.or_else(|| common.working_directory.clone()),
        };
        let is_own = job.runs_on.to_string().contains("self-hosted");
        let machine = if is_own { Machine::Kept } else { Machine::ThrownAway };
        let is_windows = job.runs_on.to_string().contains("windows");
        for step in job.steps.into_iter().flatten() {
            commands.extend(step.commands(text, &defaults, machine, is_windows));
        }
    }
    Ok(commands)
}

/// The steps of a composite action.
pub(super) fn action(text: &str) -> Result<Vec<Command>, ScanError> {
    let action = read::<Action>(text)?;
    let steps = action.and_then(|it| it.runs).and_then(|it| it.steps).unwrap_or_default();
    let defaults = RunDefaults::default();
    let commands =
        steps.into_iter().flat_map(|it| it.commands(text, &defaults, Machine::ThrownAway, false));
    Ok(commands.collect())
}

/// The scripts of GitLab's jobs. Those of one job run in one shell, one after the other.
pub(super) fn gitlab(text: &str) -> Result<Vec<Command>, ScanError> {
    let entries = read::<BTreeMap<String, Entry>>(text)?.unwrap_or_default();
    let mut commands = Vec::new();
    for Entry(scripts) in entries.into_values() {
        let Scripts { before_script, script, after_script } = scripts;
        for texts in [before_script, script, after_script].into_iter().flatten() {
            texts.each(text, &mut |line, it| {
                commands.push(command(line, it, Machine::ThrownAway));
            });
        }
    }
    Ok(commands)
}

/// The entries of pre-commit that are commands of the project's own.
pub(super) fn pre_commit(text: &str) -> Result<Vec<Command>, ScanError> {
    let Some(config) = read::<PreCommit>(text)? else { return Ok(Vec::new()) };
    let mut commands = Vec::new();
    let hooks = config.repos.into_iter().flat_map(|it| it.hooks);
    let is_own =
        |it: &Hook| matches!(it.language.as_deref(), Some("system" | "script" | "unsupported"));
    for entry in hooks.filter(is_own).filter_map(|it| it.entry) {
        entry.each(text, &mut |line, it| commands.push(command(line, it, Machine::Kept)));
    }
    Ok(commands)
}

fn command(line: usize, text: &str, machine: Machine) -> Command {
    Command { machine, ..Command::on_kept(line, text, "") }
}

impl Step {
    fn commands(
        self,
        source: &str,
        defaults: &RunDefaults,
        machine: Machine,
        is_windows: bool,
    ) -> Vec<Command> {
        let shell = self.shell.as_deref().or(defaults.shell.as_deref());
        let interpreter = match shell.and_then(|it| it.split_whitespace().next()) {
            None if is_windows => Interpreter::PowerShell,
            None | Some("bash" | "sh") => Interpreter::Shell,
            Some("pwsh" | "powershell") => Interpreter::PowerShell,
            Some("python") => Interpreter::Python,
            Some(_) => Interpreter::Other,
        };
        let directory = self.working_directory.as_ref().or(defaults.working_directory.as_ref());
        // One that is computed is taken to be the root.
        let directory = directory.filter(|it| !it.contains("${{")).cloned().unwrap_or_default();
        let mut commands = Vec::new();
        if let Some(run) = self.run {
            run.each(source, &mut |line, it| {
                let text = without_expressions(it, "${{", "}}");
                let directory = directory.trim_start_matches("./").to_owned();
                let command = command(line, &text, machine);
                commands.push(Command { interpreter, directory, ..command });
            });
        }
        commands
    }
}

/// Visits the texts with the lines on which they begin.
trait Each {
    fn each(&self, source: &str, visit: &mut impl FnMut(usize, &str));
}

impl Each for Spanned<Lines> {
    fn each(&self, source: &str, visit: &mut impl FnMut(usize, &str)) {
        match &self.value {
            Lines::Text(text) => {
                let line = usize::try_from(self.defined.line()).unwrap_or(1).max(1);
                visit(first_line(source, line, text), text);
            }
            Lines::List(all) => all.iter().for_each(|it| it.each(source, visit)),
            Lines::Other => {}
        }
    }
}

/// The line on which a text begins: below the `|` or `>` that announces it.
fn first_line(source: &str, line: usize, text: &str) -> usize {
    let first = text.lines().next().unwrap_or_default().trim();
    let here = source.lines().nth(line - 1).unwrap_or_default();
    let is_block = !here.contains(first) || first.is_empty();
    line + usize::from(is_block)
}

/// Reads a document. One that is far larger than anybody writes is refused.
fn read<T: DeserializeOwned>(text: &str) -> Result<Option<T>, ScanError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 64,
            max_nodes: 100_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
        },
    };
    serde_saphyr::from_str_with_options::<Option<T>>(text, options).map_err(|error| {
        let line = error.location().and_then(|it| usize::try_from(it.line()).ok());
        ScanError::Malformed { format: "YAML", line: line.unwrap_or(1).max(1) }
    })
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LinesVisitor)
    }
}

struct LinesVisitor;

impl<'de> Visitor<'de> for LinesVisitor {
    type Value = Lines;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a command or a list of commands")
    }

    fn visit_str<E>(self, text: &str) -> Result<Lines, E> {
        Ok(Lines::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Lines, E> {
        Ok(Lines::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Lines, E> {
        Ok(Lines::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Lines, E> {
        Ok(Lines::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Lines, E> {
        Ok(Lines::Other)
    }

    fn visit_unit<E>(self) -> Result<Lines, E> {
        Ok(Lines::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Lines, A::Error> {
        let mut all = Vec::new();
        while let Some(it) = access.next_element()? {
            all.push(it);
        }
        Ok(Lines::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Lines, A::Error> {
        while access.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Lines::Other)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a job or a setting")
    }

    fn visit_str<E>(self, _: &str) -> Result<Entry, E> {
        Ok(Entry::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Entry, E> {
        Ok(Entry::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Entry, E> {
        Ok(Entry::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Entry, E> {
        Ok(Entry::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Entry, E> {
        Ok(Entry::default())
    }

    fn visit_unit<E>(self) -> Result<Entry, E> {
        Ok(Entry::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Entry, A::Error> {
        while access.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Entry::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Entry, A::Error> {
        Scripts::deserialize(MapAccessDeserializer::new(access)).map(Entry)
    }
}
