//! The configuration: every key that provost reads, its meaning and its built-in value.
//!
//! What stands in the documentation of a field is its description in the published JSON Schema.
//! How the layers of a configuration combine is a judgement and lives in `provost-rules`.

mod notify;

use std::{
    collections::BTreeMap,
    num::{NonZeroU8, NonZeroU32, NonZeroU64},
};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::notify::NotifyConfig;
use crate::{
    Lang,
    guard::{
        UnknownFields,
        policy::{GuardLevel, GuardPacks, PolicyRule},
    },
    story::{GateKind, ScopeLimits},
    task::{LandMethod, ProofLevel, ProofRequirement, Usd, Wall},
};

/// The configuration of provost, as `provost.toml` writes it.
///
/// No text may be empty or contain a control character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(title = "provost.toml")]
pub struct Config {
    /// The language of messages. When it is not set, the locale decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Lang")]
    pub lang: Option<Lang>,
    /// Who may run provost, and on which machine. A later layer can repeat it, not change it.
    pub identity: IdentityConfig,
    /// Commands that run as another user or on another machine, through SSH.
    pub remote: RemoteConfig,
    /// The lock of a running task.
    pub lock: LockConfig,
    /// The processes that provost supervises.
    pub job: JobConfig,
    /// How long files are kept that provost could do without.
    pub retention: RetentionConfig,
    /// How several tasks run.
    pub run: RunConfig,
    /// What holds for a task that does not say it itself.
    pub task: TaskConfig,
    /// What is done to find out whether a green test proves anything.
    pub proof: ProofConfig,
    /// How a result comes onto a branch.
    pub land: LandConfig,
    /// The walls around the processes of a task.
    pub sandbox: SandboxConfig,
    /// What agents may do with their tools, and what is taken of the payloads of hooks.
    pub guard: GuardConfig,
    // What is prepared by lock file is a table of the engine, not a value of this key.
    /// What is run in a clean checkout before its checks, with the network on. When the list is
    /// empty, the lock files of the repository decide, unless `task.prepare_default` is false.
    pub prepare: Vec<PrepareConfig>,
    /// How the stories of a plan are checked.
    pub story: StoryConfig,
    /// Who is told when a task needs a person. Only a person's own file may set it: a repository could
    /// otherwise name a program to start or an address to send to.
    pub notify: NotifyConfig,
    // What an adapter can be is known to `provost-adapter` alone: here it is any table.
    /// The agents and models, by name; a later layer replaces an adapter as a whole.
    #[schemars(
        with = "BTreeMap<String, Map<String, Value>>",
        extend("propertyNames" = {"pattern": "^[A-Za-z0-9._-]{1,64}$"})
    )]
    pub adapter: BTreeMap<String, Value>,
}

/// Who may run provost, and on which machine (LOOP-A1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct IdentityConfig {
    /// The user who may run provost, as `id -un` prints it. When it is not set, any user may.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub user: Option<String>,
    /// The machine on which provost may run, as `hostname` prints it. When it is not set, any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub host: Option<String>,
}

/// Commands that run as another user or on another machine (LOOP-A2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct RemoteConfig {
    /// The SSH configuration's `Host` aliases that may be used. A later layer can only remove.
    pub aliases: Vec<String>,
    /// The shell that runs the command on the other side.
    pub shell: String,
}

/// The lock of a running task (LOOP-U9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct LockConfig {
    /// How many minutes a holder on another machine may be silent before its lock is taken over.
    pub stale_minutes: NonZeroU32,
}

/// The processes that provost supervises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct JobConfig {
    /// How many seconds a process has between the request to end and its end by force.
    pub grace_seconds: u32,
    /// How many bytes of output are kept of one process; what is over is cut off and said so.
    pub output_limit_bytes: NonZeroU64,
}

/// How long files are kept that provost could do without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct RetentionConfig {
    // The limit and the direction are HOOK-2.6.
    /// How many days the replay of a session is kept. A later layer can only shorten it.
    #[schemars(extend("maximum" = 7))]
    pub replay_days: NonZeroU32,
    /// How many hours a temporary file is kept that a crash left behind.
    pub temporary_hours: NonZeroU32,
    /// How many corrupt versions of one file are kept aside.
    pub quarantine_copies: NonZeroU32,
    /// How many days the output of commands is kept that were run for a story. What the newest
    /// verdict on a story stands on is kept for good.
    pub evidence_days: NonZeroU32,
    /// How many MB installed dependencies may take that are kept for later tasks. Those that were
    /// used least recently are removed first, and never those of a running task.
    pub environments_mb: u64,
}

/// How several tasks run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct RunConfig {
    /// How many of them run at a time, where the command does not say it.
    pub jobs: NonZeroU8,
}

/// What holds for a task that does not say it itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct TaskConfig {
    /// The adapter that codes. When it is not set, a task must name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub coder: Option<String>,
    /// The adapter that judges. When neither it nor the task names one, the tests decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub judge: Option<String>,
    /// The command that tests a task which names none, as a shell reads it. When it is not set, a
    /// task without a test command has no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub test: Option<String>,
    /// The command that checks the types of a task which names none, as a shell reads it. What is
    /// green on the base must stay green. When it is not set, types are not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub types: Option<String>,
    /// The command that looks for faults of style and use in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub lint: Option<String>,
    /// The command that builds the product in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub build: Option<String>,
    /// The model that the coder asks for. When it is not set, the adapter chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub coder_model: Option<String>,
    /// The model that the judge asks for. When it is not set, the adapter chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub judge_model: Option<String>,
    /// The most that a task may take which sets no limit itself.
    pub limits: TaskLimits,
    /// How long a task waits for a provider whose quota is spent: seconds, or a text such as
    /// `30m`. When the provider asks for more, the task is paused.
    pub quota_wait: Wall,
    /// Whether the lock files of the repository say what to prepare when `prepare` is empty.
    pub prepare_default: bool,
}

/// The most that one task may take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct TaskLimits {
    /// In US dollars, of coder and judge together. When it is not set, money is not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Usd")]
    pub usd: Option<Usd>,
    /// In tokens, of coder and judge together. When it is not set, tokens are not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub tokens: Option<u64>,
    /// In time that the steps run: seconds, or a text such as `45m`. When it is not set, only each
    /// step has a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Wall")]
    pub wall: Option<Wall>,
    /// In attempts that count. When it is not set, there are three.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 50))]
    pub attempts: Option<u16>,
}

/// What is done to find out whether a green test proves anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct ProofConfig {
    /// How much is done. A later layer can only raise it.
    pub level: ProofLevel,
    /// What a green test has to prove at least. A later layer can only raise it.
    pub require: ProofRequirement,
    /// Files that are tests, whatever their path looks like: paths, folders or globs from the root.
    /// A later layer can only add some.
    pub tests: Vec<String>,
    /// Files that are the product although their path looks like a test. A later layer can only
    /// remove some.
    pub product: Vec<String>,
}

/// How a result comes onto a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct LandConfig {
    /// As one commit (`squash`), as a merge with the attempt (`merge`), or as the commit of the
    /// attempt with its time (`rebase`).
    pub method: LandMethod,
}

/// The walls around the processes of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct SandboxConfig {
    /// Whether a process is refused when its sandbox cannot be enforced here. A later layer can
    /// only switch it on.
    pub required: bool,
    /// How much memory the processes of a job may use together, in MB. Most of what the machine has, if
    /// this is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<NonZeroU64>,
    /// How many processes a job may have at once.
    pub processes: NonZeroU32,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        const { Self { required: false, memory_mb: None, processes: NonZeroU32::new(4096).unwrap() } }
    }
}

/// What agents may do with their tools, and what is taken of the payloads of hooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct GuardConfig {
    // The two ways are HOOK-1.2's versions.
    /// What becomes of a field of a payload that its type does not know. A later layer cannot
    /// return from `drop` to `pass`, and the sensitive types always drop it.
    pub unknown_fields: UnknownFields,
    /// How strict the built-in rules are. A later layer can only raise it, and the repository's
    /// own file never lowers it.
    pub level: GuardLevel,
    /// Packs of built-in rules; what one that is off says is only recorded. A later layer cannot
    /// switch off what an earlier one switched on, and the repository's own file switches off none.
    pub packs: GuardPacks,
    /// The rules for tool calls, in their order: the first that fits decides. A later layer adds
    /// its rules behind those of the earlier ones, and those of the repository's own file can only
    /// tighten. A built-in refusal is answered by a rule that names it.
    pub rules: Vec<PolicyRule>,
}

/// One step that prepares a clean checkout: a command, or the installation of an ecosystem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["command"] }, { "required": ["ecosystem"] }]))]
pub struct PrepareConfig {
    /// The command, as a shell reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// The name of a package manager, such as `uv` or `npm`: it installs as its lock file would let
    /// it. Instead of `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ecosystem: Option<String>,
    /// The folder of the ecosystem's lock file, from the root; without one, the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub folder: Option<String>,
    /// A file of the repository: without it, the step is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub when: Option<String>,
}

/// How the stories of a plan are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct StoryConfig {
    /// Checks of the whole tree that a story must pass. For a kind that is not named here, the
    /// files of the base decide. A later layer replaces the list.
    pub gates: Vec<GateConfig>,
    /// How large the change of a story may be. A later layer can only choose smaller numbers.
    pub scope: ScopeConfig,
}

/// How large the change of a story may be (STORY-3.3, STORY-3.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct ScopeConfig {
    /// How many changed lines need no explanation.
    #[schemars(extend("maximum" = ScopeLimits::SEED.warn_lines))]
    pub warn_lines: NonZeroU32,
    /// How many changed files need no explanation.
    #[schemars(extend("maximum" = ScopeLimits::SEED.warn_files))]
    pub warn_files: NonZeroU32,
    /// How many changed lines one story may have at all.
    #[schemars(extend("maximum" = ScopeLimits::SEED.hard_lines))]
    pub hard_lines: NonZeroU32,
    /// How many changed files one story may have at all.
    #[schemars(extend("maximum" = ScopeLimits::SEED.hard_files))]
    pub hard_files: NonZeroU32,
}

/// One check of the whole tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct GateConfig {
    /// How it is called in reports.
    pub id: String,
    /// What it checks. A story needs a typecheck and a build.
    pub kind: GateKind,
    /// The command, as a shell reads it.
    pub command: String,
    /// A file of the base: without it, the gate is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub when: Option<String>,
}

impl Config {
    /// The JSON Schema of `provost.toml`, without references, so that each key stands in its
    /// place.
    pub fn schema() -> Value {
        let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
        settings.into_generator().into_root_schema_for::<Self>().to_value()
    }
}

impl Default for RemoteConfig {
    fn default() -> Self {
        Self { aliases: Vec::new(), shell: "zsh -lc".to_owned() }
    }
}

impl Default for LockConfig {
    fn default() -> Self {
        const { Self { stale_minutes: NonZeroU32::new(30).unwrap() } }
    }
}

impl Default for JobConfig {
    fn default() -> Self {
        const {
            let output_limit_bytes = NonZeroU64::new(16 * 1024 * 1024).unwrap();
            Self { grace_seconds: 5, output_limit_bytes }
        }
    }
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { jobs: NonZeroU8::MIN }
    }
}

impl Default for RetentionConfig {
    fn default() -> Self {
        const {
            Self {
                replay_days: NonZeroU32::new(7).unwrap(),
                temporary_hours: NonZeroU32::MIN,
                quarantine_copies: NonZeroU32::new(3).unwrap(),
                evidence_days: NonZeroU32::new(30).unwrap(),
                environments_mb: 10_000,
            }
        }
    }
}

impl Default for ScopeConfig {
    fn default() -> Self {
        const {
            Self {
                warn_lines: NonZeroU32::new(1500).unwrap(),
                warn_files: NonZeroU32::new(15).unwrap(),
                hard_lines: NonZeroU32::new(3000).unwrap(),
                hard_files: NonZeroU32::new(25).unwrap(),
            }
        }
    }
}

impl ScopeConfig {
    /// The limits, none of them over the seed's. What needs no explanation must be allowed at all.
    pub fn limits(&self) -> ScopeLimits {
        let Self { warn_lines, warn_files, hard_lines, hard_files } = self;
        let number = |it: &NonZeroU32| u64::from(it.get());
        let (hard_lines, hard_files) = (number(hard_lines), number(hard_files));
        let limits = ScopeLimits {
            warn_lines: number(warn_lines).min(hard_lines),
            warn_files: number(warn_files).min(hard_files),
            hard_lines,
            hard_files,
        };
        limits.tightened(ScopeLimits::SEED)
    }
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self {
            unknown_fields: UnknownFields::Drop,
            level: GuardLevel::Standard,
            packs: GuardPacks::default(),
            rules: Vec::new(),
        }
    }
}

impl Default for TaskConfig {
    fn default() -> Self {
        Self {
            coder: None,
            judge: None,
            test: None,
            types: None,
            lint: None,
            build: None,
            coder_model: None,
            judge_model: None,
            limits: TaskLimits::default(),
            quota_wait: Wall(0),
            prepare_default: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_built_in_values_are_the_published_ones() {
        assert_eq!(
            serde_json::to_value(Config::default()).unwrap(),
            json!({
                "identity": {},
                "remote": {"aliases": [], "shell": "zsh -lc"},
                "lock": {"stale_minutes": 30},
                "job": {"grace_seconds": 5, "output_limit_bytes": 16_777_216},
                "retention": {
                    "replay_days": 7,
                    "temporary_hours": 1,
                    "quarantine_copies": 3,
                    "evidence_days": 30,
                    "environments_mb": 10_000,
                },
                "run": {"jobs": 1},
                "task": {"limits": {}, "quota_wait": 0, "prepare_default": true},
                "proof": {"level": "standard", "require": "holds", "tests": [], "product": []},
                "land": {"method": "squash"},
                "sandbox": {"required": false, "processes": 4096},
                "guard": {
                    "unknown_fields": "drop",
                    "level": "standard",
                    "packs": {
                        "git": true,
                        "database": true,
                        "kubernetes": true,
                        "cloud": true,
                        "containers": true,
                        "network": true,
                    },
                    "rules": [],
                },
                "prepare": [],
                "story": {
                    "gates": [],
                    "scope": {
                        "warn_lines": 1500,
                        "warn_files": 15,
                        "hard_lines": 3000,
                        "hard_files": 25,
                    },
                },
                "notify": {"rate_per_minute": 5, "desktop": false},
                "adapter": {},
            }),
        );
    }

    /// STORY-3.3, STORY-3.4: what is built in is what the seed says, and nothing is over it.
    #[test]
    fn the_limits_of_a_story_are_those_of_the_seed_or_tighter() {
        #[track_caller]
        fn check(text: &str, expected: [u64; 4]) {
            let limits = serde_json::from_str::<ScopeConfig>(text).unwrap().limits();
            let ScopeLimits { warn_lines, warn_files, hard_lines, hard_files } = limits;
            assert_eq!([warn_lines, warn_files, hard_lines, hard_files], expected, "{text}");
        }
        assert_eq!(ScopeConfig::default().limits(), ScopeLimits::SEED);
        check(r#"{"warn_lines": 10, "hard_files": 20}"#, [10, 15, 3000, 20]);
        check(r#"{"hard_lines": 100, "hard_files": 3}"#, [100, 3, 100, 3]);
        check(r#"{"hard_lines": 9000, "warn_files": 99}"#, [1500, 15, 3000, 25]);
    }

    #[test]
    fn a_key_that_nobody_reads_is_refused_at_every_depth() {
        for (text, expected) in [
            ("{}", true),
            (r#"{"identity": {"user": "ann"}}"#, true),
            (r#"{"idenity": {}}"#, false),
            (r#"{"identity": {"usr": "ann"}}"#, false),
            (r#"{"lock": {"stale_minutes": 0}}"#, false),
            (r#"{"retention": {"temporary_hours": -1}}"#, false),
            (r#"{"task": {"quota_wait": "30m"}}"#, true),
            (r#"{"task": {"quota_wait": "soon"}}"#, false),
            (r#"{"task": {"coders": "x"}}"#, false),
            (r#"{"sandbox": {"required": "yes"}}"#, false),
            (r#"{"guard": {"unknown_fields": "pass"}}"#, true),
            (r#"{"guard": {"unknown_fields": "keep"}}"#, false),
            (r#"{"guard": {"rules": [{"effect": "deny", "command": ["curl"]}]}}"#, true),
            (r#"{"guard": {"rules": [{"effect": "forbid"}]}}"#, false),
            (r#"{"guard": {"rules": [{"effect": "deny", "commands": ["curl"]}]}}"#, false),
            (r#"{"prepare": [{"command": "npm ci", "when": "package-lock.json"}]}"#, true),
            (r#"{"prepare": [{"ecosystem": "uv", "folder": "backend"}]}"#, true),
            (r#"{"prepare": [{"command": 1}]}"#, false),
            (r#"{"prepare": [{"command": "npm ci", "if": "x"}]}"#, false),
            (r#"{"story": {"gates": [{"id": "b", "kind": "build", "command": "make"}]}}"#, true),
            (r#"{"story": {"gates": [{"id": "b", "command": "make"}]}}"#, false),
            (r#"{"story": {"scope": {"warn_lines": 10}}}"#, true),
            (r#"{"story": {"scope": {"warn_lines": 0}}}"#, false),
            (r#"{"story": {"scope": {"lines": 10}}}"#, false),
            (r#"{"adapter": {"any": {"thing": 1}}}"#, true),
            (r#"{"adapter": []}"#, false),
        ] {
            assert_eq!(serde_json::from_str::<Config>(text).is_ok(), expected, "{text}");
        }
    }

    /// Walks every object of the schema: a key without a description is a key that people cannot
    /// use.
    #[track_caller]
    fn each_property_is_described(schema: &Value) -> usize {
        let items = schema.get("items").map_or(0, each_property_is_described);
        let Some(properties) = schema["properties"].as_object() else { return items };
        items
            + properties
                .iter()
                .map(|(key, it)| {
                    assert!(it["description"].is_string(), "{key}");
                    assert!(it["$ref"].is_null(), "{key}");
                    1 + each_property_is_described(it)
                })
                .sum::<usize>()
    }

    #[test]
    fn the_schema_describes_every_key() {
        assert_eq!(each_property_is_described(&Config::schema()), 96);
        assert_eq!(
            Config::schema()["properties"]["adapter"]["additionalProperties"]["type"],
            json!("object"),
        );
    }
}
