//! Everything that is looked at before anything is written.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::preset::{
    Preset,
    installed::{InstalledAgent, Login},
    table,
};
use provost_engine::task::{Progress, Trial, TrialTest, TrialUpdate, Update, detect, try_out};
use provost_exec::git::{Git, head};
use provost_kernel::{
    Config, Message as _, shorten,
    task::{Check, CheckRun, CheckState},
};
use provost_rules_task::{checks::cannot_run, detect::Detected, setup::TaskKeys};

use serde_json::Value;

use super::{InitError, page, problem::Problem};
use crate::{
    agents, environment, git,
    live::{LiveLine, Weight},
    rows,
    session::{AnyFault, Session},
    wiring::Wiring,
};

/// The judge of a project that names none: its tests.
const TESTS: &str = "tests";

/// What was found.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) repository: Utf8PathBuf,
    pub(super) head: Head,
    pub(super) detected: Detected,
    /// The command that was tried: what is configured, else what was found.
    pub(super) command: Option<String>,
    pub(super) trial: Trial,
    pub(super) agents: Vec<InstalledAgent>,
    /// The agent that codes; none where neither the configuration nor `PATH` has one.
    pub(super) coder: Option<Coder>,
    /// What the configuration of the project should say.
    pub(super) wanted: TaskKeys,
}

/// The agent that codes.
#[derive(Debug)]
pub(super) struct Coder {
    pub(super) name: String,
    /// None where it is a person's own.
    pub(super) preset: Option<&'static Preset>,
}

/// Nobody watches: what there is to tell comes from the trial itself.
#[derive(Debug)]
struct Unwatched;

impl Progress for Unwatched {
    fn update(&self, _: &Update<'_>) {}
}

/// Where the repository stands.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) commit: String,
    /// None when HEAD is detached.
    pub(super) branch: Option<String>,
    pub(super) uncommitted: usize,
}

impl Look {
    /// Looks at the repository, tries its test, and says what it sees as it goes on.
    pub(super) fn take(session: &mut Session, root: &Utf8Path) -> Result<Self, AnyFault> {
        let variables: BTreeMap<String, String> = session.environment.texts().collect();
        let git =
            Git::new(environment::guardian()?, variables.get("PATH").map_or("", String::as_str));
        let head = stand(session, &git, root)?;
        session.output.begin(|page| page::head(page, root, &head));

        let detected = detect(&git, root.as_std_path(), &head.commit)?;
        session.output.begin(|page| page::found(page, &detected));
        let config = session.configuration()?.config.clone();
        let command = config.task.test.clone().or_else(|| detected.checks.test.clone());
        let checks = detected.checks.with(&config.checks());
        let trial = trial(session, root, &head.commit, (command.as_deref(), &checks))?;
        session.output.begin(|page| page::test(page, command.as_deref(), &trial.test));
        session.output.begin(|page| page::checks(page, &checks, &trial.checks));

        let agents = agents::find(&variables);
        let own = config.task.coder.as_deref().or_else(|| only_program(&config, &agents));
        let own = own.filter(|it| agents::preset_of(&config, it).is_none());
        session.output.begin(|page| page::agents(page, &agents, own));
        session.output.begin(page::sandbox);
        let (coder, mut wanted) = wanted(&config, &agents, command.as_deref());
        wanted.extend(wanted_checks(&config, &trial.checks));
        let repository = root.to_owned();
        Ok(Self { repository, head, detected, command, trial, agents, coder, wanted })
    }

    /// What stands between this project and its first task.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.test_problem().into_iter().collect();
        problems.extend(self.trial.checks.iter().filter_map(check_problem));
        problems.extend(self.agent_problem());
        let not_installed = self.trial.not_installed.iter().cloned();
        problems.extend(not_installed.map(|it| Problem::NotInstalledFrom { what: it.0 }));
        problems.extend(self.detected.left_out().map(|it| Problem::LeftOut {
            folder: it.folder.clone(),
            command: it.checks.test.clone().unwrap_or_default(),
        }));
        problems
    }

    fn test_problem(&self) -> Option<Problem> {
        let command = self.command.clone().unwrap_or_default();
        match &self.trial.test {
            TrialTest::None => Some(Problem::NoTest),
            TrialTest::NotPrepared { why } => Some(Problem::NotPrepared { why: why.0.clone() }),
            TrialTest::CannotRun { why } => Some(Problem::CannotRun { why: why.0.clone() }),
            TrialTest::Ran(run) if run.is_green() => None,
            // Some runners fail when they find nothing to run.
            TrialTest::Ran(run) if run.is_empty() => Some(Problem::ZeroTests { command }),
            TrialTest::Ran(run) => Some(match run.counts.filter(|it| it.failed > 0) {
                Some(it) => Problem::Red {
                    failed: it.failed,
                    passed: it.passed,
                    names: run.failures.clone(),
                },
                None => Problem::RedExit { command, rc: run.rc, last_line: run.last_line.clone() },
            }),
        }
    }

    fn agent_problem(&self) -> Option<Problem> {
        let Some(coder) = &self.coder else {
            let programs = table::ALL.iter().map(|it| it.program.to_owned()).collect();
            return Some(Problem::NoAgent { programs });
        };
        // What a person's own adapter needs, only its run can tell.
        let preset = coder.preset?;
        let (title, program) = (preset.title.to_owned(), preset.program.to_owned());
        match self.agents.iter().find(|it| it.name == preset.name) {
            None => Some(Problem::NotInstalled { title, program }),
            Some(it) if it.login == Login::LoggedOut => Some(Problem::LoggedOut { title, program }),
            Some(_) => None,
        }
    }
}

/// Where the repository stands; one without a commit cannot be tried.
fn stand(session: &Session, git: &Git, root: &Utf8Path) -> Result<Head, AnyFault> {
    let found = head::of(git, root.as_std_path())?;
    let question = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"];
    let changed = git::ask(&session.environment, root, &question)?;
    let Some(commit) = found.commit else {
        let is_empty = changed.stdout.is_empty();
        return Err(InitError::NoCommit { repository: root.to_owned(), is_empty }.into());
    };
    let uncommitted = changed.stdout.split(|it| *it == 0).filter(|it| !it.is_empty()).count();
    Ok(Head { commit: commit.to_string(), branch: found.branch, uncommitted })
}

/// Tries the preparation and the test, as a task would run them.
fn trial(
    session: &mut Session,
    root: &Utf8Path,
    commit: &str,
    commands: (Option<&str>, &[Check]),
) -> Result<Trial, AnyFault> {
    let wiring = Wiring::looking(session, root.as_std_path(), commit)?;
    wiring.listen()?;
    let live = LiveLine::new(session.output.lang, session.flags.quiet);
    let output = &mut session.output;
    let mut tell = |update: TrialUpdate<'_>| match update {
        TrialUpdate::Starts(command) => {
            live.show(Weight::Last, |_| rows::running(command));
        }
        TrialUpdate::Prepared(step) => {
            live.clear();
            output.begin(|page| rows::step(page, step));
        }
    };
    let engine = wiring.engine(&Unwatched);
    let tried = try_out(engine, root.as_std_path(), commit, commands, &mut tell);
    live.clear();
    // What a signal broke off is not a fault of its own.
    if wiring.is_interrupted() {
        return Err(InitError::Stopped.into());
    }
    Ok(tried?)
}

/// What keeps a check from being one that a task is held against.
fn check_problem(run: &CheckRun) -> Option<Problem> {
    let name = run.kind.as_str();
    match run.state {
        CheckState::Green => None,
        CheckState::Red => {
            let (command, rc) = (shorten(&run.command), run.rc);
            Some(Problem::CheckRed { name, command, rc })
        }
        CheckState::CannotRun | CheckState::NotReady => {
            Some(Problem::CheckCannotRun { name, why: cannot_run(run).text() })
        }
    }
}

/// The checks that the configuration lacks: only what is green on the base can be held against a
/// change.
fn wanted_checks(config: &Config, runs: &[CheckRun]) -> TaskKeys {
    let configured = config.checks();
    let is_new = |it: &&CheckRun| configured.iter().all(|own| own.kind != it.kind);
    let green = runs.iter().filter(|it| it.state == CheckState::Green).filter(is_new);
    green.map(|it| (it.kind.to_string(), it.command.clone())).collect()
}

/// The one program of their own that a person has described, where no agent is installed.
fn only_program<'a>(config: &'a Config, agents: &[InstalledAgent]) -> Option<&'a str> {
    let is_program = |it: &Value| it.get("kind").and_then(Value::as_str) == Some("command");
    let mut programs = config.adapter.iter().filter(|it| is_program(it.1)).map(|it| it.0.as_str());
    let only = programs.next().filter(|_| agents.is_empty());
    if programs.next().is_some() { None } else { only }
}

/// The agent that codes, and what the configuration lacks.
fn wanted(
    config: &Config,
    agents: &[InstalledAgent],
    command: Option<&str>,
) -> (Option<Coder>, TaskKeys) {
    let mut wanted = TaskKeys::new();
    let mut want = |key: &str, configured: Option<&String>, value: Option<&str>| {
        if let (None, Some(value)) = (configured, value) {
            wanted.insert(key.to_owned(), value.to_owned());
        }
    };
    let best = agents.iter().min_by_key(|it| match it.login {
        Login::LoggedIn => 0,
        Login::Unknown => 1,
        Login::LoggedOut => 2,
    });
    let task = &config.task;
    let best = best.map(|it| it.name).or_else(|| only_program(config, agents));
    want("coder", task.coder.as_ref(), best);
    // Without a test, tests cannot judge.
    want("judge", task.judge.as_ref(), command.map(|_| TESTS));
    want("test", task.test.as_ref(), command);
    let coder = task.coder.as_deref().or(best);
    let coder =
        coder.map(|it| Coder { name: it.to_owned(), preset: agents::preset_of(config, it) });
    (coder, wanted)
}
