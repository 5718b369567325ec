//! What can be asked of `provost eval`.

use std::num::{NonZeroU32, NonZeroUsize};

use camino::Utf8PathBuf;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use provost_engine::eval::{Generator, Shard};
use provost_kernel::{
    Severity,
    eval::{BaselineGate, Profile},
};
use provost_rules_eval::gate::Budget;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 the gate passed, 1 it failed, 2 it could not be asked.\n\nExamples:\n  provost eval\n  provost eval --generator 'cmd:python3 engine.py' --jobs 4 --timeout 120\n  provost eval --generator http://127.0.0.1:8080/v1 --model my-model --record recordings\n  provost eval --generator replay:recordings --baseline docs/evals/reports/latest.json\n  provost eval --watch"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Args {
    /// `watch` is the same as `--watch`
    #[arg(value_parser = ["watch"], hide = true)]
    pub(super) word: Option<String>,

    /// The case files, relative to the repository
    #[arg(long, value_name = "GLOB", default_value = "docs/evals/cases/*.json")]
    pub(super) cases: String,
    /// Where the report goes, relative to the repository
    #[arg(long, value_name = "PATH", default_value = "docs/evals/reports/latest.json")]
    pub(super) out: Utf8PathBuf,
    /// What is printed
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["json", "text"])]
    pub(super) format: String,
    /// Fail at this level and at graver ones
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "P1",
        value_parser = PossibleValuesParser::new(["P0", "P1", "P2"]).map(level)
    )]
    pub(super) fail_on: Severity,
    /// For whom the engine writes
    #[arg(
        long,
        value_name = "PROFILE",
        default_value = "engineer",
        value_parser = PossibleValuesParser::new(Profile::WORDS).try_map(|it| it.parse::<Profile>())
    )]
    pub(super) profile: Profile,

    /// Who answers: `stub`, `cmd:PROGRAM ARGUMENTS`, `http:ADDRESS` or `replay:FOLDER`
    #[arg(long, value_name = "ENGINE", default_value = "stub", help_heading = "Engine")]
    pub(super) generator: Generator,
    /// One process for each case, or one for each worker that speaks JSON lines
    #[arg(
        long,
        value_name = "MODE",
        default_value = "oneshot",
        value_parser = ["oneshot", "jsonl"],
        help_heading = "Engine"
    )]
    pub(super) cmd_mode: String,
    /// Where the program starts, instead of an empty folder; it may write there
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(super) cmd_cwd: Option<Utf8PathBuf>,
    /// The model to ask an HTTP engine for
    #[arg(long, value_name = "MODEL", help_heading = "Engine")]
    pub(super) model: Option<String>,
    /// The variable that holds the key of an HTTP engine
    #[arg(long, value_name = "VARIABLE", help_heading = "Engine")]
    pub(super) api_key_env: Option<String>,
    /// How often a model may repair an answer that is none
    #[arg(long, value_name = "N", default_value = "1", value_parser = ["0", "1"], help_heading = "Engine")]
    pub(super) repair: String,
    /// Let the engine use the network
    #[arg(long, help_heading = "Engine")]
    pub(super) allow_net: bool,
    /// The version that the engine is said to have; another one in an answer is a warning
    #[arg(long, value_name = "VERSION", help_heading = "Engine")]
    pub(super) engine_version: Option<String>,
    /// Record the answers in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "replay", help_heading = "Engine")]
    pub(super) record: Option<Utf8PathBuf>,
    /// Answer from this folder instead of asking the engine
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(super) replay: Option<Utf8PathBuf>,

    /// How many cases run at once: the number of processors, or 4 for an HTTP engine
    #[arg(long, short, value_name = "N", help_heading = "Run")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// How many seconds an answer may take
    #[arg(long, value_name = "SECONDS", default_value = "60", help_heading = "Run")]
    pub(super) timeout: NonZeroU32,
    /// How often an engine that failed is asked again: twice over HTTP, else not at all
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) retries: Option<u32>,
    /// How often each case runs; the majority decides
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Run")]
    pub(super) epochs: NonZeroU32,
    /// Go on with a run that was ended
    #[arg(long, help_heading = "Run")]
    pub(super) resume: bool,
    /// Run again when something changes, and only what changed
    #[arg(long, help_heading = "Run")]
    pub(super) watch: bool,

    /// Only cases whose id matches; may be repeated
    #[arg(long, value_name = "GLOB", help_heading = "Cases")]
    pub(super) filter: Vec<String>,
    /// Only this part of the cases, such as `1/4`
    #[arg(long, value_name = "I/N", help_heading = "Cases")]
    pub(super) shard: Option<Shard>,
    /// What patterns and paths are relative to
    #[arg(long, value_name = "DIR", help_heading = "Cases")]
    pub(super) root: Option<Utf8PathBuf>,
    /// A warning about a case is an error
    #[arg(long, conflicts_with = "lenient_cases", help_heading = "Cases")]
    pub(super) strict_cases: bool,
    /// A missing `source_type` is `web`
    #[arg(long, help_heading = "Cases")]
    pub(super) lenient_cases: bool,
    /// Print the cases and run nothing
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
    /// The optional checks, too
    #[arg(long, help_heading = "Checks")]
    pub(super) strict_rubric: bool,
    /// Say what a check looks at, and run nothing
    #[arg(long, value_name = "CHECK", help_heading = "Checks")]
    pub(super) explain: Option<String>,

    /// How many cases may fail at P2: a number, or a share such as `20%`
    #[arg(long, value_name = "N|R%", help_heading = "Gate")]
    pub(super) p2_budget: Option<Budget>,
    /// What an engine that is not there means
    #[arg(
        long,
        value_name = "MEANING",
        default_value = "error",
        value_parser = ["error", "fail"],
        help_heading = "Gate"
    )]
    pub(super) errors_as: String,
    /// Compare with an earlier report
    #[arg(long, value_name = "REPORT", help_heading = "Gate")]
    pub(super) baseline: Option<Utf8PathBuf>,
    /// What getting worse than the earlier report does
    #[arg(
        long,
        value_name = "GATE",
        default_value = "show",
        value_parser = PossibleValuesParser::new(BaselineGate::WORDS).try_map(|it| it.parse::<BaselineGate>()),
        help_heading = "Gate"
    )]
    pub(super) baseline_gate: BaselineGate,
    /// Failures that were accepted, with a reason and an end
    #[arg(long, value_name = "FILE", help_heading = "Gate")]
    pub(super) waivers: Option<Utf8PathBuf>,

    /// Write `JUnit` XML, too
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(super) junit: Option<Utf8PathBuf>,
    /// Write SARIF, too
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(super) sarif: Option<Utf8PathBuf>,
    /// Write one HTML page, too
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(super) html: Option<Utf8PathBuf>,
    /// Nothing is ever printed in colour
    #[arg(long, hide = true)]
    pub(super) no_color: bool,
}

fn level(text: String) -> Severity {
    match text.as_str() {
        "P0" => Severity::P0,
        "P2" => Severity::P2,
        _ => Severity::P1,
    }
}

impl Args {
    pub(super) fn wants_json(&self) -> bool {
        self.format == "json"
    }

    pub(super) fn is_watching(&self) -> bool {
        self.watch || self.word.is_some()
    }
}
