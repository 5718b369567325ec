//! The project's own tasks, as `cargo xtask TASK`.
//!
//! Each task is a function that gathers facts and starts programs; what it decides is in pure
//! functions beside it, so that each of them can be shown to fail. Nothing here is shipped.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task runner talks to the terminal; only the binary that is shipped does so too"
)]

mod bench;
mod build;
mod codegen;
mod crash;
mod dist;
mod e2e;
mod failure;
mod fuzz;
mod ground;
mod honest;
mod install;
mod instructions;
mod layout;
mod liars;
mod metadata;
mod node;
mod packages;
mod process;
mod project;
mod python;
mod rates;
mod real_agents;
mod stage;
mod test;
mod tidy;
mod vendor;

use std::process::ExitCode;

use crate::{build::Alongside, codegen::Mode, failure::Failure, instructions::Counted};

const USAGE: &str = "\
Usage: cargo xtask TASK

  test                          run every check of the project; installs what is missing
  tools                         install what the tests need and is missing
  tidy                          check layers, requirements, ignore rules, dependencies, sources
  codegen [--check]             write the generated files, or check that they are unchanged
  vendor                        fetch the libraries of the page (npm) into web/vendor
  e2e [NAME…] [--repeat N]      use the page in a browser; NAME may be how a file's name begins
        [--all]                 at every width and in every scheme, also what the tests leave out
        [--fuzz]                make up many requests from the description of the interface
        [--provost PATH]        with this binary instead of one that is built now
  bench                         measure, print a table, write target/bench/latest.json
  bench serve [--provost PATH]  measure how fast the server answers 50 clients
        [--tasks N]            over so many tasks, 10,000 where nothing is said
  bench proof [--seconds N]     measure what the proof of a green test costs; takes half an hour
        [--level LEVEL]         at one level alone, basic, standard or strict
        [--tests TESTS]         with tests that are changed, or untouched
        [--provost PATH]
  bench --only guard-peers      ask this guard and others (npm, PyPI) about the listed calls
        [--every N]             about every Nth call alone
        [--provost PATH]        with this binary instead of one that is built now
  crash                         kill what writes 2,000 times; takes about half an hour
  rates [MISSIONS]              simulate missions of learning: how often its gate is wrong, how often
                                it finds a rule, what it costs; 500 to each cell
  dist [--binary PATH]          build the binary that is shipped, a Debian package, checksums
  layout                        write which functions lie together in the binary that is shipped
  instructions [--tests]        count the instructions of a hook, of the optimised binary or that of
                                the tests; fail at 10 % above the figure
  instructions --write          count both, and write the figures
  fuzz [TARGET] [--seconds N]   fuzz one target or all of them, 60 seconds each (nightly)
  fuzz lines [--seconds N]      compare the parser of commands with real bash
  real-agents [CLIENT…]         prove the guard with real clients (npm)
  real-agents rules [CLIENT…]   play a command of each rule with real clients (npm)
        [--provost PATH]        with this binary instead of one that is built now
  real-agents judge [CLIENT…]   have real clients judge, and code, what tries to take them over
        [--only PLAY] [--keep]  one play alone; leave the worlds, to look at them
        [--provost PATH]        with this binary instead of one that is built now
  real-agents journey [NAME…]   walk from `init` to a landed commit with real clients; a NAME is a
        [--keep]                client or a project: python, node, rust, go
        [--provost PATH]
  liars [NAME…] [--set SET]     run cheats beside their honest twins (npm, PyPI); NAME may be how
        [--level LEVEL]         names begin, SET is documents or experiments
        [--off MECHANISM]       leave out record, square or plant, to see what it alone notices
        [--provost PATH]        with this binary instead of one that is built now
        [--keep]                leave the worlds, to look at them
  honest [NAME…] [--keep]       run honest work of many kinds, none of which may be refused
         [--provost PATH]
         [--warm]               one project of each ecosystem, twice, without a home: how long";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

fn dispatch(words: &[&str]) -> Result<(), Failure> {
    match words {
        ["test"] => test::run(),
        ["tools"] => test::tools(),
        ["tidy"] => tidy::run(),
        ["codegen"] => codegen::run(Alongside::Nothing, Mode::Write),
        ["codegen", "--check"] => codegen::run(Alongside::Nothing, Mode::Check),
        ["e2e", options @ ..] => e2e::run(options),
        ["vendor"] => vendor::run(),
        ["bench", options @ ..] => bench::run(options),
        ["crash"] => crash::run(),
        ["rates", options @ ..] => rates::run(options),
        ["dist", options @ ..] => dist::run(options),
        ["layout"] => layout::run(),
        ["instructions"] => instructions::run(Counted::Shipped, instructions::Mode::Check),
        ["instructions", "--tests"] => instructions::run(Counted::Tests, instructions::Mode::Check),
        ["instructions", "--write"] => {
            instructions::run(Counted::Shipped, instructions::Mode::Write)
        }
        ["fuzz", options @ ..] => fuzz::run(options),
        ["real-agents", options @ ..] => real_agents::run(options),
        ["liars", options @ ..] => liars::run(options),
        ["honest", options @ ..] => honest::run(options),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(Failure::Unable(format!("there is no task `{}`\n\n{USAGE}", other.join(" ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(words: &[&str]) {
        let failure = dispatch(words).unwrap_err();
        assert!(matches!(failure, Failure::Unable(_)), "{failure}");
    }

    /// None of these may start anything: a wrong word is not a task.
    #[test]
    fn a_wrong_word_is_not_a_task() {
        refused(&["tests"]);
        refused(&["test", "--fast"]);
        refused(&["codegen", "--chek"]);
        refused(&["--check", "codegen"]);
        refused(&["instructions", "--wirte"]);
        refused(&["real-agents", "clode"]);
        refused(&["real-agents", "judge", "gemini"]);
        refused(&["real-agents", "rules", "--fast"]);
        refused(&["real-agents", "rules", "clode"]);
        refused(&["real-agents", "judge", "--olny"]);
        refused(&["real-agents", "journey", "cobol"]);
        refused(&["liars", "--of", "plant"]);
        refused(&["bench", "prof"]);
        refused(&["bench", "--only", "guard-pears"]);
        refused(&["bench", "--only", "guard-peers", "--fast"]);
        refused(&["bench", "serve", "--fast"]);
        refused(&["e2e", "--repaet", "2"]);
        refused(&["e2e", "no-such-spec"]);
        refused(&["dist", "--binray", "x"]);
    }

    #[test]
    fn every_task_is_in_the_usage() {
        for task in [
            "test",
            "tools",
            "tidy",
            "codegen",
            "vendor",
            "e2e",
            "crash",
            "bench",
            "dist",
            "layout",
            "instructions",
            "fuzz",
            "real-agents",
            "liars",
            "honest",
        ] {
            assert!(USAGE.lines().any(|it| it.split_whitespace().next() == Some(task)), "{task}");
        }
    }
}
