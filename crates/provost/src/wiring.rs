//! From a session to what the use cases need: the desk, the settings, the person who acts.

use std::{collections::BTreeMap, io::IsTerminal as _, path::Path, sync::Arc, time::Duration};

use provost_adapter::{
    AgentRole, PartialRuns,
    script::ScriptHost,
    select::{AdapterConfig, select},
};
use provost_desk::Desk;
use provost_engine::{Engine, Interrupt, SandboxNeed, Settings, task::Progress};
use provost_exec::{
    Guardian, Limits,
    git::{Git, read},
};
use provost_kernel::{Actor, Config, Lang, Source, guard::Harness, task::TaskSpec};
use provost_rules_story::gates::ConfiguredGate;
use provost_rules_task::prepare;
use provost_vault::{RealDisk, SystemClock, prepare_home};

use crate::{
    config::{self, BaseFile, FILE_LIMIT, PROJECT_FILE},
    environment,
    notify::secret_files,
    session::{AnyFault, Session},
};

/// Everything that a run needs, with a place to borrow it from.
#[derive(Debug)]
pub(crate) struct Wiring {
    pub(crate) desk: Desk,
    guardian: Guardian,
    script_host: ScriptHost,
    variables: BTreeMap<String, String>,
    settings: Settings,
    interrupt: Arc<Interrupt>,
    pub(crate) actor: Actor,
}

/// The desk of this session.
pub(crate) fn desk(session: &mut Session) -> Result<Desk, AnyFault> {
    let stale = session.configuration()?.config.lock.stale_minutes.get();
    let desk = Desk::new(session.layout()?, Arc::new(SystemClock));
    Ok(desk.with_stale_after(Duration::from_mins(stale.into())))
}

/// The person who acts through this program.
pub(crate) fn actor() -> Actor {
    let id = whoami::username().unwrap_or_else(|_| "unknown".to_owned());
    Actor { source: Source::Cli, id }
}

/// Whether a person sits at a terminal that this process belongs to.
pub(crate) fn is_attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

impl Wiring {
    /// The wiring for a task of this repository: its configuration is that of the base revision.
    pub(crate) fn new(
        session: &mut Session,
        repository: &Path,
        base_ref: &str,
    ) -> Result<Self, AnyFault> {
        prepare_home(&RealDisk, desk(session)?.layout())?;
        Self::looking(session, repository, base_ref)
    }

    /// The same for a look that leaves no trace in the home, which need not exist.
    pub(crate) fn looking(
        session: &mut Session,
        repository: &Path,
        base_ref: &str,
    ) -> Result<Self, AnyFault> {
        let desk = desk(session)?;
        let guardian = environment::guardian()?;
        let variables: BTreeMap<String, String> = session.environment.texts().collect();
        let path = variables.get("PATH").map_or("", String::as_str);
        let config = of_base(session, &Git::new(guardian.clone(), path), repository, base_ref)?;
        let settings = settings(&config, &variables, session.output.lang)?;
        let script_host = environment::script_host()?;
        let interrupt = if is_attended() { Interrupt::attended() } else { Interrupt::new() };
        let interrupt = Arc::new(interrupt);
        Ok(Self { desk, guardian, script_host, variables, settings, interrupt, actor: actor() })
    }

    /// The engine, with somebody who watches.
    pub(crate) fn engine<'a>(&'a self, progress: &'a dyn Progress) -> Engine<'a> {
        Engine {
            desk: &self.desk,
            guardian: &self.guardian,
            script_host: &self.script_host,
            variables: &self.variables,
            settings: &self.settings,
            interrupt: &self.interrupt,
            progress,
            actor: &self.actor,
        }
    }

    /// What is settled by the configuration of the base.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The client in which the coder of a task works, if it is one that the guard knows.
    pub(crate) fn coder_client(&self, spec: &TaskSpec) -> Option<Harness> {
        let settings = &self.settings;
        let name = spec.coder.as_ref().or(settings.coder.as_ref())?;
        let selected = select(name, AgentRole::Coder, &settings.adapters, settings.partial).ok()?;
        match &selected.config {
            AdapterConfig::Preset { preset, .. } => Harness::of_preset(preset),
            AdapterConfig::Command { .. }
            | AdapterConfig::Chat { .. }
            | AdapterConfig::Recording { .. }
            | AdapterConfig::Script { .. } => None,
        }
    }

    /// The same, ended by the caller that raises this instead of by a signal.
    pub(crate) fn with_interrupt(self, interrupt: Arc<Interrupt>) -> Self {
        Self { interrupt, ..self }
    }

    /// Whether a signal asked to end.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.signal().is_some()
    }

    /// Ends what runs when a signal comes, so that the state can say so.
    pub(crate) fn listen(&self) -> Result<(), AnyFault> {
        let interrupt = Arc::clone(&self.interrupt);
        let flag = interrupt.flag();
        Ok(environment::on_signal(&flag, move |signal| interrupt.raise(signal))?)
    }
}

/// The configuration of a repository, with the project's file as a revision has it.
pub(crate) fn of_base(
    session: &Session,
    git: &Git,
    repository: &Path,
    base_ref: &str,
) -> Result<Config, AnyFault> {
    let base = base_file(git, repository, base_ref);
    let folder = environment::current_folder()?;
    let loaded = config::load_for_repository(&session.environment, &session.flags, &folder, &base);
    Ok(loaded.map_err(|failure| failure.fault)?.config)
}

/// The project's file as a revision has it. A repository that cannot be read has no configuration;
/// the run says what is the matter.
pub(crate) fn base_file(git: &Git, repository: &Path, revision: &str) -> BaseFile {
    let content = read::file(git, repository, revision, PROJECT_FILE, FILE_LIMIT);
    BaseFile { revision: revision.to_owned(), content: content.ok().flatten() }
}

/// The gates that the configuration names.
fn gates(config: &Config) -> Vec<ConfiguredGate> {
    let gates = config.story.gates.iter();
    gates
        .map(|it| ConfiguredGate {
            id: it.id.clone(),
            kind: it.kind,
            command: it.command.clone(),
            when: it.when.clone(),
        })
        .collect()
}

/// How much of the machine a job may take: what is configured, else most of it.
fn job_limits(config: &Config) -> Limits {
    let machine = Limits::of_machine();
    let configured = config.sandbox.memory_mb.map(|it| it.get().saturating_mul(1 << 20));
    Limits {
        memory: configured.or(machine.memory),
        processes: Some(config.sandbox.processes.get()),
    }
}

fn settings(
    config: &Config,
    variables: &BTreeMap<String, String>,
    language: Lang,
) -> Result<Settings, AnyFault> {
    let allowed = variables.get("ALLOW_PARTIAL_RUN").map(String::as_str);
    let home = variables.get("HOME").map(String::as_str).unwrap_or_default();
    Ok(Settings {
        adapters: config::adapters(config)?,
        coder: config.task.coder.clone(),
        judge: config.task.judge.clone(),
        test: config.task.test.clone(),
        checks: config.checks(),
        task_limits: config.task.limits.clone(),
        coder_model: config.task.coder_model.clone(),
        judge_model: config.task.judge_model.clone(),
        partial: PartialRuns::of_variable(allowed),
        quota_wait: Duration::from_secs(config.task.quota_wait.0),
        land_method: config.land.method,
        proof_level: config.proof.level,
        proof_require: config.proof.require,
        proof_tests: config.proof.tests.clone(),
        proof_product: config.proof.product.clone(),
        sandbox: if config.sandbox.required { SandboxNeed::Required } else { SandboxNeed::Wanted },
        job_limits: job_limits(config),
        grace: Duration::from_secs(config.job.grace_seconds.into()),
        output_cap: config.job.output_limit_bytes.get(),
        remote_aliases: config.remote.aliases.clone(),
        remote_shell: config.remote.shell.clone(),
        prepare: prepare::wanted(&config.prepare)?,
        prepare_default: config.task.prepare_default,
        environment_limit: config.retention.environments_mb.saturating_mul(1 << 20),
        guard: Some(config::carried(config)),
        secret_files: secret_files(home, &config.notify),
        gates: gates(config),
        limits: config.story.scope.limits(),
        language,
    })
}
