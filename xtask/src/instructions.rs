//! How many instructions a hook costs: counted, and held against the figure in the project.
//!
//! Times differ from machine to machine and from minute to minute, counts hardly do. So the
//! figures can be part of the project, and a hook that becomes slow fails the test command. That
//! command counts the build of its tests: optimising the binary would take it a quarter of an hour
//! and shows the same growth. `cargo xtask instructions` counts the optimised one.

use std::{fs, path::Path, time::Instant};

use serde::{Deserialize, Serialize};

use crate::{
    build::{self, Alongside},
    dist::{self, Profile, Symbols},
    failure::Failure,
    ground::{self, Ground, cannot},
    install,
    process::Process,
    project,
};

const SCHEMA: &str = "provost.instructions/2";
const FIGURES: &str = "fixtures/guard/instructions.json";
const PAYLOAD: &str = "fixtures/guard/real/claude-code-2.1.197/PreToolUse.0.json";

/// What is asked about.
const KIND: &str = "pre-tool-use";

/// By how much the count may grow, in hundredths.
const GROWTH: u64 = 10;

/// How often it is counted. The least counts: it is the one without a hindrance.
const COUNTS: usize = 3;

/// How often that is tried. Counting is fifty times slower than running, so a hook on a busy machine
/// can meet its own deadline, and is not counted then.
const TRIES: usize = 9;

/// Whether the figure is checked or written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Check,
    Write,
}

/// The binary whose hook is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// The one that the tests run, not optimised.
    Tests,
    /// The one that is shipped, but for the optimisation across crates.
    Shipped,
}

/// What was counted, and how: the content of the file in the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    schema: String,
    shipped: u64,
    tests: u64,
    rustc: String,
    host: String,
    command: String,
    payload: String,
}

/// Counts the instructions of a hook and holds them against the figure, or writes both anew.
pub(crate) fn run(counted: Counted, mode: Mode) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        println!("instructions are counted on Linux only");
        return Ok(());
    }
    install::ensure(&install::LINUX)?;
    match mode {
        Mode::Check => {
            let known = serde_json::from_str(&project::read(FIGURES)?)
                .map_err(|error| Failure::Unable(format!("cannot read `{FIGURES}`: {error}")))?;
            let text = compare(&known, counted, counted.count()?, &version()?, &dist::host()?)?;
            println!("{text}");
        }
        Mode::Write => {
            let figures = figures(Counted::Shipped.count()?, Counted::Tests.count()?)?;
            let text = serde_json::to_string_pretty(&figures)
                .map_err(|error| Failure::Unable(format!("cannot write `{FIGURES}`: {error}")))?;
            project::write(FIGURES, &(text + "\n"))?;
            println!("wrote `{FIGURES}`: {} and {}", figures.shipped, figures.tests);
        }
    }
    Ok(())
}

impl Counted {
    fn count(self) -> Result<u64, Failure> {
        let start = Instant::now();
        let provost = match self {
            Self::Tests => build::provost(Alongside::Tests)?,
            Self::Shipped => dist::linked(Profile::Release, Symbols::Stripped)?,
        };
        println!("built the binary in {:.1} s", start.elapsed().as_secs_f64());
        count(&provost)
    }

    fn of(self, figures: &Figures) -> u64 {
        match self {
            Self::Tests => figures.tests,
            Self::Shipped => figures.shipped,
        }
    }
}

fn figures(shipped: u64, tests: u64) -> Result<Figures, Failure> {
    Ok(Figures {
        schema: SCHEMA.to_owned(),
        shipped,
        tests,
        rustc: version()?,
        host: dist::host()?,
        command: command(),
        payload: PAYLOAD.to_owned(),
    })
}

fn version() -> Result<String, Failure> {
    Ok(Process::new("rustc", &["--version"]).text()?.trim().to_owned())
}

/// What a client runs, for whoever reads the figures.
fn command() -> String {
    ground::hook("provost", KIND, "HOME").join(" ")
}

/// Holds a count against its figure.
fn compare(
    known: &Figures,
    counted: Counted,
    is: u64,
    rustc: &str,
    host: &str,
) -> Result<String, Failure> {
    let was = counted.of(known);
    if known.schema != SCHEMA || was == 0 {
        return Err(Failure::Unable(format!("`{FIGURES}` has no figures of `{SCHEMA}`")));
    }
    if known.host != host {
        return Ok(format!("not compared: `{FIGURES}` was counted on {}", known.host));
    }
    let text = format!("a hook takes {is} instructions, `{FIGURES}` says {was}");
    if u128::from(is) * 100 <= u128::from(was) * u128::from(100 + GROWTH) {
        return Ok(text);
    }
    let other = if known.rustc == rustc {
        String::new()
    } else {
        format!("\nhint: the figure is of {}, this is {rustc}", known.rustc)
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
    let mut counts = Vec::new();
    let mut failure = None;
    for _ in 0..TRIES {
        if counts.len() == COUNTS {
            break;
        }
        match ground.run(&counting).and_then(|()| counted(&report)) {
            Ok(total) => counts.push(total),
            Err(error) => failure = Some(error),
        }
    }
    let least = counts.into_iter().min();
    least
        .ok_or_else(|| failure.unwrap_or_else(|| Failure::Unable("nothing was counted".to_owned())))
}

fn counted(report: &str) -> Result<u64, Failure> {
    let text = fs::read_to_string(report).map_err(|it| cannot("read", report, &it))?;
    let total =
        total(&text).ok_or_else(|| Failure::Unable("valgrind counted nothing".to_owned()))?;
    println!("counted {total} instructions");
    Ok(total)
}

/// The sum of all that a report of callgrind lists.
fn total(report: &str) -> Option<u64> {
    let line = report.lines().rev().find_map(|it| it.strip_prefix("totals: "))?;
    line.trim().parse().ok().filter(|&it| it > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSTC: &str = "rustc 1.95.0";
    const HOST: &str = "x86_64-unknown-linux-gnu";

    /// The figure of one binary never stands for the other one.
    fn known(tests: u64) -> Figures {
        Figures {
            schema: SCHEMA.to_owned(),
            shipped: 1,
            tests,
            rustc: RUSTC.to_owned(),
            host: HOST.to_owned(),
            command: "provost hook".to_owned(),
            payload: PAYLOAD.to_owned(),
        }
    }

    #[track_caller]
    fn check(was: u64, is: u64, is_refused: bool) {
        match compare(&known(was), Counted::Tests, is, RUSTC, HOST) {
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
        let held = |known: &Figures| compare(known, Counted::Tests, 1, RUSTC, HOST);
        assert!(matches!(held(&known(0)), Err(Failure::Unable(_))));
        let other = Figures { schema: "provost.instructions/1".to_owned(), ..known(1) };
        assert!(matches!(held(&other), Err(Failure::Unable(_))));
    }

    #[test]
    fn another_compiler_is_named_and_another_machine_not_compared() {
        let held = |known: &Figures| compare(known, Counted::Tests, 20, RUSTC, HOST);
        let older = Figures { rustc: "rustc 1.94.0".to_owned(), ..known(10) };
        let text = held(&older).unwrap_err().to_string();
        assert!(text.contains("the figure is of rustc 1.94.0, this is rustc 1.95.0"), "{text}");
        let other = Figures { host: "aarch64-unknown-linux-gnu".to_owned(), ..known(10) };
        assert!(held(&other).unwrap().starts_with("not compared: "));
    }

    #[test]
    fn the_sum_is_found_in_a_report() {
        let report = "events: Ir\nfn=(1) main\n3 20\nsummary: 1\n\ntotals: 1234567\n";
        assert_eq!(total(report), Some(1_234_567));
        assert_eq!(total("totals: 0\n"), None);
        assert_eq!(total("totals: many\n"), None);
        assert_eq!(total(""), None);
    }

    /// The project's own figures can be read, and are of the command and the payload of today.
    #[test]
    fn the_figures_of_the_project_are_two() {
        let known: Figures = serde_json::from_str(&project::read(FIGURES).unwrap()).unwrap();
        assert_eq!((known.schema.as_str(), known.payload.as_str()), (SCHEMA, PAYLOAD));
        assert_eq!(known.command, command());
        assert!(known.shipped > 0 && known.tests > 0);
    }
}
