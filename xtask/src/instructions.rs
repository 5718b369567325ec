//! How many instructions a hook costs: counted, and held against the figure in the project.
//!
//! Times differ from machine to machine and from minute to minute, counts hardly do. So the
//! figure can be part of the project, and a hook that becomes slow fails the test command.

use std::{fs, path::Path, time::Instant};

use serde::{Deserialize, Serialize};

use crate::{
    dist::{self, Profile, Symbols},
    failure::Failure,
    ground::{self, Ground, cannot},
    install,
    process::Process,
    project,
};

const SCHEMA: &str = "provost.instructions/1";
const FIGURE: &str = "fixtures/guard/instructions.json";
const PAYLOAD: &str = "fixtures/guard/real/claude-code-2.1.197/PreToolUse.0.json";

/// What is asked about.
const KIND: &str = "pre-tool-use";

/// By how much the count may grow, in hundredths.
const GROWTH: u64 = 10;

/// How often it is counted. The least counts: it is the one without a hindrance.
const COUNTS: u32 = 3;

/// Whether the figure is checked or written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Check,
    Write,
}

/// What was counted, and how: the content of the file in the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    schema: String,
    instructions: u64,
    rustc: String,
    host: String,
    command: String,
    payload: String,
}

/// Counts the instructions of a hook and holds them against the figure, or writes it anew.
pub(crate) fn run(mode: Mode) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        println!("instructions are counted on Linux only");
        return Ok(());
    }
    install::ensure(&install::LINUX)?;
    let start = Instant::now();
    let provost = dist::linked(Profile::Release, Symbols::Stripped)?;
    println!("built the optimised binary in {:.1} s", start.elapsed().as_secs_f64());
    let counted = figure(count(&provost)?)?;
    match mode {
        Mode::Check => {
            let known = serde_json::from_str(&project::read(FIGURE)?)
                .map_err(|error| Failure::Unable(format!("cannot read `{FIGURE}`: {error}")))?;
            println!("{}", compare(&known, &counted)?);
        }
        Mode::Write => {
            let text = serde_json::to_string_pretty(&counted)
                .map_err(|error| Failure::Unable(format!("cannot write `{FIGURE}`: {error}")))?;
            project::write(FIGURE, &(text + "\n"))?;
            println!("wrote `{FIGURE}`: {} instructions", counted.instructions);
        }
    }
    Ok(())
}

fn figure(instructions: u64) -> Result<Figure, Failure> {
    let version = Process::new("rustc", &["--version"]).text()?;
    Ok(Figure {
        schema: SCHEMA.to_owned(),
        instructions,
        rustc: version.trim().to_owned(),
        host: dist::host()?,
        command: command(),
        payload: PAYLOAD.to_owned(),
    })
}

/// What a client runs, for whoever reads the figure.
fn command() -> String {
    ground::hook("provost", KIND, "HOME").join(" ")
}

/// Holds a count against the figure.
fn compare(known: &Figure, counted: &Figure) -> Result<String, Failure> {
    let (was, is) = (known.instructions, counted.instructions);
    if known.schema != SCHEMA || was == 0 {
        return Err(Failure::Unable(format!("`{FIGURE}` is no figure of `{SCHEMA}`")));
    }
    if known.host != counted.host {
        return Ok(format!("not compared: `{FIGURE}` was counted on {}", known.host));
    }
    let text = format!("a hook takes {is} instructions, `{FIGURE}` says {was}");
    if u128::from(is) * 100 <= u128::from(was) * u128::from(100 + GROWTH) {
        return Ok(text);
    }
    let other = if known.rustc == counted.rustc {
        String::new()
    } else {
        format!("\nhint: the figure is of {}, this is {}", known.rustc, counted.rustc)
    };
    Err(Failure::Refused(format!(
        "{text}: more than {GROWTH} % more{other}\n\
         hint: if the hook does more on purpose, `cargo xtask instructions --write`"
    )))
}

/// Counts what one hook takes in a home whose policy is compiled.
fn count(provost: &Path) -> Result<u64, Failure> {
    let ground = Ground::new(PAYLOAD)?;
    let provost = provost.to_string_lossy();
    let home = ground.home();
    let hook = ground::hook(&provost, KIND, &home);
    // The first compiles the policy; each adds an entry behind the last.
    for _ in 0..3 {
        ground.run(&hook)?;
    }
    ground.check_policy()?;
    let report = ground.path("report");
    let option = format!("--callgrind-out-file={report}");
    let mut counting = vec!["valgrind", "--quiet", "--tool=callgrind", &option];
    counting.extend(&hook);
    let mut least = None;
    for _ in 0..COUNTS {
        ground.run(&counting)?;
        let text = fs::read_to_string(&report).map_err(|it| cannot("read", &report, &it))?;
        let total =
            total(&text).ok_or_else(|| Failure::Unable("valgrind counted nothing".to_owned()))?;
        println!("counted {total} instructions");
        least = least.into_iter().chain([total]).min();
    }
    least.ok_or_else(|| Failure::Unable("nothing was counted".to_owned()))
}

/// The sum of all that a report of callgrind lists.
fn total(report: &str) -> Option<u64> {
    let line = report.lines().rev().find_map(|it| it.strip_prefix("totals: "))?;
    line.trim().parse().ok().filter(|&it| it > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(instructions: u64) -> Figure {
        Figure {
            schema: SCHEMA.to_owned(),
            instructions,
            rustc: "rustc 1.95.0".to_owned(),
            host: "x86_64-unknown-linux-gnu".to_owned(),
            command: "provost hook".to_owned(),
            payload: PAYLOAD.to_owned(),
        }
    }

    #[track_caller]
    fn check(was: u64, is: u64, is_refused: bool) {
        match compare(&figure(was), &figure(is)) {
            Ok(text) => assert!(!is_refused && text.contains(&is.to_string()), "{text}"),
            Err(failure) => {
                assert!(is_refused && matches!(failure, Failure::Refused(_)), "{failure}");
                assert!(failure.to_string().contains("more than 10 % more"), "{failure}");
            }
        }
    }

    #[test]
    fn a_tenth_more_is_allowed_and_not_one_above() {
        check(1_000_000, 1_000_000, false);
        check(1_000_000, 500_000, false);
        check(1_000_000, 1_100_000, false);
        check(1_000_000, 1_100_001, true);
        check(1_000_000, u64::MAX, true);
    }

    #[test]
    fn a_figure_that_says_nothing_is_never_a_success() {
        assert!(matches!(compare(&figure(0), &figure(1)), Err(Failure::Unable(_))));
        let other = Figure { schema: "provost.instructions/2".to_owned(), ..figure(1) };
        assert!(matches!(compare(&other, &figure(1)), Err(Failure::Unable(_))));
    }

    #[test]
    fn another_compiler_is_named_and_another_machine_not_compared() {
        let older = Figure { rustc: "rustc 1.94.0".to_owned(), ..figure(10) };
        let text = compare(&older, &figure(20)).unwrap_err().to_string();
        assert!(text.contains("the figure is of rustc 1.94.0, this is rustc 1.95.0"), "{text}");
        let other = Figure { host: "aarch64-unknown-linux-gnu".to_owned(), ..figure(10) };
        assert!(compare(&other, &figure(20)).unwrap().starts_with("not compared: "));
    }

    #[test]
    fn the_sum_is_found_in_a_report() {
        let report = "events: Ir\nfn=(1) main\n3 20\nsummary: 1\n\ntotals: 1234567\n";
        assert_eq!(total(report), Some(1_234_567));
        assert_eq!(total("totals: 0\n"), None);
        assert_eq!(total("totals: many\n"), None);
        assert_eq!(total(""), None);
    }

    /// The project's own figure can be read, and is of the command and the payload of today.
    #[test]
    fn the_figure_of_the_project_is_one() {
        let known: Figure = serde_json::from_str(&project::read(FIGURE).unwrap()).unwrap();
        assert_eq!((known.schema.as_str(), known.payload.as_str()), (SCHEMA, PAYLOAD));
        assert_eq!(known.command, command());
        assert!(known.instructions > 0);
    }
}
