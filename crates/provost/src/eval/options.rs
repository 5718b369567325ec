//! What can be asked of `provost eval`.

use std::num::{NonZeroU32, NonZeroUsize};

use camino::Utf8PathBuf;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use provost_engine::eval::{Generator, Shard};
use provost_kernel::{
    Severity,
    eval::{BaselineGate, Profile},
};
use provost_rules_eval::{gate::Budget, price::Prices};

use super::{bless::BlessArgs, init::InitArgs, matrix::MatrixArgs};

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 the gate passed, 1 it failed, 2 error.\n\nExamples:\n  provost eval\n  provost eval --generator 'cmd:python3 engine.py' --jobs 4 --timeout 120\n  provost eval --generator http://127.0.0.1:8080/v1 --model my-model --record recordings\n  provost eval --generator replay:recordings --gate new\n  provost eval bless\n  provost eval --watch"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// `watch` is the same as `--watch`
    #[arg(value_parser = ["watch"], hide = true)]
    pub(super) word: Option<String>,

    /// The case files (JSON, JSONL, CSV), relative to the repository [default: those of the suite, else docs/evals/cases/*.json]
    #[arg(long, value_name = "GLOB")]
    pub(super) cases: Option<String>,
    /// The report file, relative to the repository
    #[arg(long, value_name = "PATH", default_value = "docs/evals/reports/latest.json")]
    pub(super) out: Utf8PathBuf,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["json", "text"])]
    pub(super) format: String,
    /// Fail at this level or above
    #[arg(long, value_name = "LEVEL", default_value = "P1", value_parser = severity())]
    pub(super) fail_on: Severity,
    /// The reader the engine writes for
    #[arg(
        long,
        value_name = "PROFILE",
        default_value = "engineer",
        value_parser = PossibleValuesParser::new(Profile::WORDS).try_map(|it| it.parse::<Profile>())
    )]
    pub(super) profile: Profile,

    /// The engine: `stub`, `cmd:PROGRAM ARGUMENTS`, `http:ADDRESS` or `replay:FOLDER`
    #[arg(long, value_name = "ENGINE", default_value = "stub", help_heading = "Engine")]
    pub(super) generator: Generator,
    /// One process per case, or one per worker speaking JSON Lines
    #[arg(
        long,
        value_name = "MODE",
        default_value = "oneshot",
        value_parser = ["oneshot", "jsonl"],
        help_heading = "Engine"
    )]
    pub(super) cmd_mode: String,
    /// The program's working directory, which it may write to
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(super) cmd_cwd: Option<Utf8PathBuf>,
    /// The model to ask an HTTP engine for
    #[arg(long, value_name = "MODEL", help_heading = "Engine")]
    pub(super) model: Option<String>,
    /// The variable that holds the key of an HTTP engine
    #[arg(long, value_name = "VARIABLE", help_heading = "Engine")]
    pub(super) api_key_env: Option<String>,
    /// Prompts from this folder instead of the suite's, under the same names
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(super) prompts: Option<Utf8PathBuf>,
    /// US dollars for a million tokens read and written, such as `0.15/0.60`
    #[arg(long, value_name = "IN/OUT", help_heading = "Engine")]
    pub(super) price: Option<Prices>,
    /// How often a model may repair an invalid answer
    #[arg(long, value_name = "N", default_value = "1", value_parser = ["0", "1"], help_heading = "Engine")]
    pub(super) repair: String,
    /// Let the engine use the network
    #[arg(long, help_heading = "Engine")]
    pub(super) allow_net: bool,
    /// The expected engine version; a different one is a warning
    #[arg(long, value_name = "VERSION", help_heading = "Engine")]
    pub(super) engine_version: Option<String>,
    /// Record the answers in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "replay", help_heading = "Engine")]
    pub(super) record: Option<Utf8PathBuf>,
    /// Answer from this folder instead of asking the engine
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(super) replay: Option<Utf8PathBuf>,

    /// Cases run in parallel [default: one per CPU, 4 for an HTTP engine]
    #[arg(long, short, value_name = "N", help_heading = "Run")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// The time limit per answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", help_heading = "Run")]
    pub(super) timeout: NonZeroU32,
    /// Retries after an engine error [default: 2 over HTTP, else 0]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) retries: Option<u32>,
    /// How often to run each case; the majority decides
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Run")]
    pub(super) epochs: NonZeroU32,
    /// Resume an interrupted run
    #[arg(long, help_heading = "Run")]
    pub(super) resume: bool,
    /// Watch the files and re-run what changed
    #[arg(long, help_heading = "Run")]
    pub(super) watch: bool,

    /// Only cases whose id matches; can be repeated
    #[arg(long, value_name = "GLOB", help_heading = "Cases")]
    pub(super) filter: Vec<String>,
    /// Run only this shard of the cases, such as `1/4`
    #[arg(long, value_name = "I/N", help_heading = "Cases")]
    pub(super) shard: Option<Shard>,
    /// The directory that patterns and paths are relative to
    #[arg(long, value_name = "DIR", help_heading = "Cases")]
    pub(super) root: Option<Utf8PathBuf>,
    /// Treat case warnings as errors
    #[arg(long, conflicts_with = "lenient_cases", help_heading = "Cases")]
    pub(super) strict_cases: bool,
    /// Treat a missing `source_type` as `web`
    #[arg(long, help_heading = "Cases")]
    pub(super) lenient_cases: bool,
    /// List the cases without running them
    #[arg(long, help_heading = "Cases")]
    pub(super) list: bool,

    /// `read-do`, `calibration`, or a file of your own
    #[arg(long, value_name = "SUITE", default_value = "read-do", help_heading = "Checks")]
    pub(super) suite: String,
    /// Schemas from this folder, `NAME.schema.json`
    #[arg(long, value_name = "DIR", help_heading = "Checks")]
    pub(super) schemas: Option<Utf8PathBuf>,
    /// Word lists from this file
    #[arg(long, value_name = "FILE", help_heading = "Checks")]
    pub(super) lexicon: Option<Utf8PathBuf>,
    /// Run the optional checks too
    #[arg(long, help_heading = "Checks")]
    pub(super) strict_rubric: bool,
    /// Run the programs that the suite's `command` checks name
    #[arg(long, help_heading = "Checks")]
    pub(super) run_checks: bool,
    /// The model that makes the suite's `judge` checks: an OpenAI-compatible address
    #[arg(long, value_name = "ADDRESS", help_heading = "Checks")]
    pub(super) judge: Option<String>,
    /// The model to ask the judge's address for
    #[arg(long, value_name = "MODEL", requires = "judge", help_heading = "Checks")]
    pub(super) judge_model: Option<String>,
    /// The variable that holds the judge's key
    #[arg(long, value_name = "VARIABLE", requires = "judge", help_heading = "Checks")]
    pub(super) judge_key_env: Option<String>,
    /// Explain a check without running anything
    #[arg(long, value_name = "CHECK", help_heading = "Checks")]
    pub(super) explain: Option<String>,

    /// P2 failures allowed: a number, or a share such as `20%`
    #[arg(long, value_name = "N|R%", help_heading = "Gate")]
    pub(super) p2_budget: Option<Budget>,
    /// How to treat an unavailable engine
    #[arg(
        long,
        value_name = "MEANING",
        default_value = "error",
        value_parser = ["error", "fail"],
        help_heading = "Gate"
    )]
    pub(super) errors_as: String,
    /// Compare with an earlier report [default with `--gate`: docs/evals/baselines/SUITE.json]
    #[arg(long, value_name = "REPORT", help_heading = "Gate")]
    pub(super) baseline: Option<Utf8PathBuf>,
    /// What the baseline decides: nothing (`show`), or fail on what got worse, got significantly worse, or is new
    #[arg(
        id = "gate",
        long = "gate",
        alias = "baseline-gate",
        value_name = "GATE",
        default_value = "show",
        value_parser = PossibleValuesParser::new(BaselineGate::WORDS).try_map(|it| it.parse::<BaselineGate>()),
        help_heading = "Gate"
    )]
    pub(super) baseline_gate: BaselineGate,
    /// A file of accepted failures, each with a reason and expiry
    #[arg(long, value_name = "FILE", help_heading = "Gate")]
    pub(super) waivers: Option<Utf8PathBuf>,

    /// Also write `JUnit` XML
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(super) junit: Option<Utf8PathBuf>,
    /// Also write SARIF
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(super) sarif: Option<Utf8PathBuf>,
    /// Also write an HTML page
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(super) html: Option<Utf8PathBuf>,
    /// Nothing is ever printed in colour
    #[arg(long, hide = true)]
    pub(super) no_color: bool,
}

/// What else can be done with evals.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Init(InitArgs),
    Bless(BlessArgs),
    Matrix(MatrixArgs),
}

/// Reads the lowest level that fails.
pub(crate) fn severity() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["P0", "P1", "P2"]).map(|text| match text.as_str() {
        "P0" => Severity::P0,
        "P2" => Severity::P2,
        _ => Severity::P1,
    })
}

impl Args {
    pub(super) fn wants_json(&self) -> bool {
        self.format == "json"
    }

    pub(super) fn is_watching(&self) -> bool {
        self.watch || self.word.is_some()
    }
}
