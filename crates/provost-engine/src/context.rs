//! What a use case is given of the outside world.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use provost_adapter::{
    Adapter, AgentRole, Keys, PartialRuns, Supplies, assemble,
    script::ScriptHost,
    select::{AdapterConfig, Selected, select},
};
use provost_desk::Desk;
use provost_exec::{
    Guardian, Limits, environment,
    git::{Git, Identity},
    place::PersonalFolders,
    remote::Remote,
    sandbox::{Credentials, Network, Requirement, Sandbox, credentials, environments},
};
use provost_kernel::{
    Actor, Finding, Lang, RecordFile, TaskLimits,
    guard::CompiledPolicy,
    story::ScopeLimits,
    task::{Check, LandMethod, ProofLevel, ProofRequirement},
};
use provost_rules::{secret, sudo::refuse_sudo};
use provost_rules_story::gates::ConfiguredGate;
use provost_rules_task::prepare::Wanted;
use provost_shell::parse_argv;
use provost_vault::WorkPlace;
use serde_json::{Map, Value};

use crate::{EngineError, Interrupt, RunError, guard::hook, task::Progress};

/// Everything that a run needs and does not decide.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    pub desk: &'a Desk,
    pub guardian: &'a Guardian,
    pub script_host: &'a ScriptHost,
    /// The person's environment.
    pub variables: &'a BTreeMap<String, String>,
    pub settings: &'a Settings,
    pub interrupt: &'a Interrupt,
    pub progress: &'a dyn Progress,
    /// Who runs it.
    pub actor: &'a Actor,
}

/// What the configuration says about runs.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The adapters of the configuration, by name.
    pub adapters: BTreeMap<String, AdapterConfig>,
    /// Who works where the task names none.
    pub coder: Option<String>,
    /// Who judges where the task names none.
    pub judge: Option<String>,
    /// The test command of tasks that name none.
    pub test: Option<String>,
    /// What is checked besides, in tasks that name no check of the kind.
    pub checks: Vec<Check>,
    /// The limits of tasks that set none.
    pub task_limits: TaskLimits,
    pub coder_model: Option<String>,
    pub judge_model: Option<String>,
    /// Whether adapters may run that are not known to work (LOOP-A15).
    pub partial: PartialRuns,
    /// How long a spent quota is waited for.
    pub quota_wait: Duration,
    /// How much is done to find out whether a green test proves anything.
    pub proof_level: ProofLevel,
    /// What a green test has to prove at least.
    pub proof_require: ProofRequirement,
    /// Files that are tests, and files that are the product, whatever their paths look like.
    pub proof_tests: Vec<String>,
    pub proof_product: Vec<String>,
    /// How a result comes onto a branch unless the command says it.
    pub land_method: LandMethod,
    /// Whether a job that cannot be confined is refused.
    pub sandbox: SandboxNeed,
    /// How much of the machine a job may take.
    pub job_limits: Limits,
    /// How long a process has between the request to end and its end by force.
    pub grace: Duration,
    /// How many bytes of each stream are kept.
    pub output_cap: u64,
    pub remote_aliases: Vec<String>,
    pub remote_shell: String,
    /// What makes a clean checkout ready for its test.
    pub prepare: Vec<Wanted>,
    /// Whether a lock file says by itself how to prepare.
    pub prepare_default: bool,
    /// How many bytes installed dependencies may take that are kept for later tasks.
    pub environment_limit: u64,
    /// The policy that the hooks of an agent are held against: its sandbox hides the home, and
    /// with it the compiled one.
    pub guard: Option<CompiledPolicy>,
    /// Files of the person that hold secrets, wherever they lie: no job reads them.
    pub secret_files: Vec<PathBuf>,
    /// The gates of the configuration, which come before those that are found.
    pub gates: Vec<ConfiguredGate>,
    /// How large the change of a story may be.
    pub limits: ScopeLimits,
    /// The language of prompts.
    pub language: Lang,
}

/// Whether a job must be confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxNeed {
    /// As far as the kernel can; what it cannot is said.
    #[default]
    Wanted,
    Required,
}

impl Engine<'_> {
    /// Git, with the person's own `PATH`; a signal ends it.
    pub(crate) fn git(&self) -> Git {
        let path = self.variables.get("PATH").map_or("/usr/bin:/bin", String::as_str);
        Git::new(self.guardian.clone(), path).with_watch(Arc::new(self.interrupt.cancel().clone()))
    }

    /// Who commits results.
    pub(crate) fn identity() -> Identity {
        Identity { name: "provost".to_owned(), email: "provost@localhost".to_owned() }
    }

    /// The adapter that a name means among those that are configured, ready to be called.
    pub(crate) fn adapter(
        &self,
        configured: &BTreeMap<String, AdapterConfig>,
        name: &str,
        role: AgentRole,
    ) -> Result<(Selected, Box<dyn Adapter>), EngineError> {
        let selected =
            select(name, role, configured, self.settings.partial).map_err(EngineError::Select)?;
        let selected = selected.with_named_variables(self.variables);
        let supplies = Supplies {
            script_host: self.script_host,
            keys: Keys::of(
                selected.config.variables(self.variables).iter().map(String::as_str),
                self.variables,
            ),
            remote: self.remote(&selected)?,
            recording: &recording(&selected)?,
        };
        let adapter = assemble(&selected, supplies).map_err(EngineError::Adapter)?;
        Ok((selected, adapter))
    }

    fn remote(&self, selected: &Selected) -> Result<Option<Remote>, EngineError> {
        let AdapterConfig::Command { remote: Some(alias), .. } = &selected.config else {
            return Ok(None);
        };
        let Settings { remote_aliases, remote_shell, .. } = self.settings;
        Ok(Some(Remote::parse(alias, remote_aliases, remote_shell)?))
    }

    /// The environment of a job: what is harmless of the person's, where its toolchains are, and a
    /// temporary folder.
    pub(crate) fn job_environment(&self, scratch: &std::path::Path) -> BTreeMap<String, String> {
        let names = environment::PLAIN.into_iter().chain(environment::CERTIFICATES);
        let mut environment = self.inherited(names);
        environment.extend(environment::toolchains(self.variables, std::path::Path::is_dir));
        environment.insert("TMPDIR".to_owned(), scratch.to_string_lossy().into_owned());
        environment
    }

    /// What is harmless of these variables.
    pub(crate) fn inherited<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> BTreeMap<String, String> {
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), value.clone()));
        environment::inherited(names, variables)
    }

    /// The environment of an agent: that of a job, and the policy for its hooks. No program is
    /// looked for where the agent works.
    pub(crate) fn agent_environment(&self, scratch: &std::path::Path) -> BTreeMap<String, String> {
        let mut environment = self.job_environment(scratch);
        let trees = self.desk.layout().trees().path();
        if let Some(path) = environment.get_mut("PATH") {
            let is_elsewhere = |it: &&str| {
                let folder = std::path::Path::new(it);
                folder.is_absolute() && !folder.starts_with(&trees)
            };
            *path = path.split(':').filter(is_elsewhere).collect::<Vec<_>>().join(":");
        }
        environment.extend(self.inherited(environment::PROXIES));
        let policy = self.settings.guard.clone().map(RecordFile::new);
        if let Some(text) = policy.and_then(|it| serde_json::to_string(&it).ok()) {
            environment.insert(hook::CARRIED_POLICY.to_owned(), text);
        }
        environment
    }

    /// A sandbox in which these folders can be written, and the home cannot even be read.
    pub(crate) fn sandbox(&self, writable: Vec<PathBuf>, network: Network) -> Sandbox {
        let layout = self.desk.layout();
        let mut hidden = vec![layout.home(), layout.out()];
        // A path that leads nowhere would close the folders on the way to it.
        hidden.extend(Some(layout.user_home()).filter(|it| it.path().exists()));
        let hidden: Vec<_> = hidden.iter().map(|it| it.path().into_std_path_buf()).collect();
        let files = self.requirement();
        let limits = self.settings.job_limits;
        Sandbox { writable, hidden, network, files, limits }
    }

    /// A sandbox for an agent: of the person's credentials it can read those that it works with.
    pub(crate) fn agent_sandbox(&self, writable: Vec<PathBuf>, selected: &Selected) -> Sandbox {
        let mut sandbox = self.sandbox(writable, Network::On);
        let needed = self.needed_by(selected);
        let is_needed = |place: &Path| needed.iter().any(|it| it.starts_with(place));
        self.hide_credentials(&mut sandbox, Credentials::All, is_needed);
        sandbox
    }

    /// A sandbox for a judge: that of an agent, in which no work tree can be read.
    pub(crate) fn judge_sandbox(&self, writable: Vec<PathBuf>, selected: &Selected) -> Sandbox {
        let mut sandbox = self.agent_sandbox(writable, selected);
        sandbox.hidden.push(self.desk.layout().trees().path().into_std_path_buf());
        sandbox
    }

    /// The same for a job that runs what an agent wrote and needs no login: it cannot read the
    /// person's credentials either. Those of registries are for what has the network. Nor can it read
    /// what the coder left beside its delivery: that is not part of what is proven.
    pub(crate) fn closed_sandbox(&self, writable: Vec<PathBuf>, network: Network) -> Sandbox {
        let mut sandbox = self.sandbox(writable, network);
        let which = match network {
            Network::On => Credentials::BesidesRegistries,
            Network::Off(_) => Credentials::All,
        };
        let of_coders = self.folders_of_coders(&sandbox.writable);
        let of_coders: Vec<PathBuf> =
            of_coders.into_iter().filter(|it| is_apart(&sandbox, it)).collect();
        sandbox.hidden.extend(of_coders);
        self.hide_credentials(&mut sandbox, which, |_| false);
        sandbox
    }

    fn hide_credentials(
        &self,
        sandbox: &mut Sandbox,
        which: Credentials,
        is_needed: impl Fn(&Path) -> bool,
    ) {
        let PersonalFolders { home, cargo_home } = self.personal_folders();
        let mut hidden = credentials(&home, &cargo_home, which);
        // The home of provost lies in the project whose work tree the person uses.
        let own = self.desk.layout().home().path().into_std_path_buf();
        hidden.extend(own.parent().map(environments).unwrap_or_default());
        hidden.extend(self.settings.secret_files.iter().filter(|it| it.exists()).cloned());
        let hidden = hidden.into_iter();
        let hidden: Vec<PathBuf> =
            hidden.filter(|it| is_apart(sandbox, it) && !is_needed(it)).collect();
        sandbox.hidden.extend(hidden);
    }

    /// The folders that coders could write, of the tasks whose folders these are.
    fn folders_of_coders(&self, writable: &[PathBuf]) -> Vec<PathBuf> {
        let trees = self.desk.layout().trees().path().into_std_path_buf();
        let trees = trees.canonicalize().unwrap_or(trees);
        let of_task = |it: &PathBuf| {
            let mut parts = it.strip_prefix(&trees).ok()?.components();
            Some(trees.join(parts.next()?).join(parts.next()?))
        };
        let tasks: BTreeSet<PathBuf> = writable.iter().filter_map(of_task).collect();
        let entries = tasks.iter().filter_map(|it| std::fs::read_dir(it).ok()).flatten().flatten();
        let is_of_coder =
            |it: &std::fs::DirEntry| it.file_name().to_str().is_some_and(WorkPlace::is_of_coder);
        entries.filter(is_of_coder).map(|it| it.path()).collect()
    }

    /// Where the person's settings of package managers lie.
    pub(crate) fn personal_folders(&self) -> PersonalFolders {
        let folder = |name: &str| self.variables.get(name).map(PathBuf::from);
        let home = folder("HOME").unwrap_or_default();
        let cargo_home = folder("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
        PersonalFolders { home, cargo_home }
    }

    /// What happens where the kernel cannot enforce a rule.
    pub(crate) fn requirement(&self) -> Requirement {
        match self.settings.sandbox {
            SandboxNeed::Wanted => Requirement::Accept,
            SandboxNeed::Required => Requirement::Must,
        }
    }

    /// The command rules: `sudo` is refused in every form (LOOP-A3).
    #[expect(clippy::unused_self, reason = "the rules of a context may depend on it")]
    pub(crate) fn check(&self, argv: &[String]) -> Result<(), Finding> {
        refuse_sudo(&parse_argv(argv)).map_or(Ok(()), Err)
    }
}

/// Takes secrets out of what a program wrote (LOOP-A4).
pub(crate) fn redact(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    secret::redact(bytes)
}

/// Takes secrets out of the texts of a JSON document, however they are escaped; what is not JSON is
/// treated as plain bytes.
pub(crate) fn redact_json(bytes: &[u8]) -> Vec<u8> {
    fn clean(value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(redact_text(&text)),
            Value::Array(items) => items.into_iter().map(clean).collect(),
            Value::Object(object) => object
                .into_iter()
                .map(|(key, value)| (redact_text(&key), clean(value)))
                .collect::<Map<_, _>>()
                .into(),
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }
    match serde_json::from_slice(bytes) {
        // Plain data always has a JSON form.
        Ok(value) => serde_json::to_vec(&clean(value)).unwrap_or_default(),
        Err(_) => redact(bytes).into_owned(),
    }
}

/// Takes secrets out of a text.
pub(crate) fn redact_text(text: &str) -> String {
    String::from_utf8_lossy(&secret::redact(text.as_bytes())).into_owned()
}

/// What the file of a recording holds; nothing for other adapters.
fn recording(selected: &Selected) -> Result<String, EngineError> {
    let AdapterConfig::Recording { file } = &selected.config else { return Ok(String::new()) };
    std::fs::read_to_string(file)
        .map_err(|source| RunError::Recording { file: file.clone(), source }.into())
}

impl fmt::Debug for Engine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment may hold keys.
        f.debug_struct("Engine").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Whether a place lies outside of everything that a sandbox can write.
fn is_apart(sandbox: &Sandbox, place: &Path) -> bool {
    !sandbox.writable.iter().any(|it| place.starts_with(it))
}
