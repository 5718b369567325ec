//! The page in a real browser, over a real server, and the server under requests that are made up.
//!
//! The test command runs each file once. What takes longer has the options of `cargo xtask e2e`.

mod fuzz;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    build::{self, Alongside},
    failure::Failure,
    node,
    process::Process,
    project, python,
};

const FOLDER: &str = "e2e";
const SUFFIX: &str = ".spec.js";
/// The worlds of a run, each in a folder of its own.
const WORLDS: &str = "target/e2e/worlds";

/// What is run, and how often.
#[derive(Debug, PartialEq, Eq)]
struct Wish<'a> {
    names: Vec<&'a str>,
    repeat: usize,
    is_all: bool,
    is_fuzz: bool,
    provost: Option<&'a str>,
}

/// The step of the test command: every file once, and a few made-up requests.
pub(crate) fn test() -> Result<(), Failure> {
    let provost = build::provost(Alongside::Tests)?;
    let files = specs(&[])?;
    project::remove(WORLDS)?;
    let answer = once_more(|| browse(&provost, &files, false)?.run())
        .and_then(|()| fuzz::run(&provost, fuzz::Depth::Sample));
    project::remove(WORLDS)?;
    answer
}

/// A browser that hangs says nothing about the page: such a run is told of, and made once more. A test
/// that fails fails.
fn once_more(run: impl Fn() -> Result<(), Failure>) -> Result<(), Failure> {
    let answer = run();
    if answer.is_ok() || !hung(&project::read_if_present(REPORT)?.unwrap_or_default()) {
        return answer;
    }
    println!("the browser hung; every file runs once more");
    project::remove(WORLDS)?;
    run()
}

/// Whether tests were cut off by their time, and none failed by itself.
fn hung(report: &str) -> bool {
    let failed = |it: &&str| it.trim_start().starts_with("not ok ");
    let late = |it: &&str| it.contains("test timed out after");
    let (failures, cut_off) =
        (report.lines().filter(failed).count(), report.lines().filter(late).count());
    !report.is_empty() && failures == cut_off
}

/// `cargo xtask e2e`.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let wish = parse(options)?;
    let files = specs(&wish.names)?;
    crate::test::tools()?;
    let provost = match wish.provost {
        Some(path) => fs::canonicalize(path)
            .map_err(|error| Failure::Unable(format!("cannot find `{path}`: {error}")))?,
        None => build::provost(Alongside::Nothing)?,
    };
    let answer = if wish.is_fuzz {
        fuzz::run(&provost, fuzz::Depth::Long)
    } else {
        (0..wish.repeat).try_for_each(|_| {
            project::remove(WORLDS)?;
            browse(&provost, &files, wish.is_all)?.run()
        })
    };
    project::remove(WORLDS)?;
    answer
}

/// What Node's test runner writes for programs.
const REPORT: &str = "target/e2e/report.tap";
/// A file that takes so many milliseconds hangs.
const TEST_LIMIT: &str = "--test-timeout=600000";
/// All files together take a fraction of this; a run of the page in every shape takes the longest.
const RUN_LIMIT: &str = "25m";

/// Node's own test runner over these files.
fn browse(provost: &Path, files: &[String], is_all: bool) -> Result<Process, Failure> {
    project::write(REPORT, "")?;
    let report = format!("--test-reporter-destination={REPORT}");
    let mut arguments = vec!["--test", "--test-concurrency=2", TEST_LIMIT];
    arguments.extend(["--test-reporter=spec", "--test-reporter-destination=stdout"]);
    arguments.extend(["--test-reporter=tap", &report]);
    arguments.extend(files.iter().map(String::as_str));
    let process = Process::limited(RUN_LIMIT, &node::program(), &arguments)
        .environment("PROVOST_E2E_BINARY", &provost.to_string_lossy())
        // Files of one run share the worlds that they only read.
        .environment("PROVOST_E2E_RUN", &std::process::id().to_string())
        .environment("PATH", &python::path()?);
    Ok(if is_all { process.environment("PROVOST_E2E_ALL", "1") } else { process })
}

fn specs(names: &[&str]) -> Result<Vec<String>, Failure> {
    let folder = project::root().join(FOLDER);
    let unreadable = |error| Failure::Unable(format!("cannot read `{FOLDER}`: {error}"));
    let found = fs::read_dir(folder).map_err(unreadable)?;
    let mut files: Vec<PathBuf> =
        found.map(|it| it.map(|it| it.path()).map_err(unreadable)).collect::<Result<_, _>>()?;
    files.sort();
    let files = files.iter().filter_map(|it| it.file_name()?.to_str());
    let wanted: Vec<String> = chosen(&files.collect::<Vec<_>>(), names)?
        .iter()
        .map(|it| format!("{FOLDER}/{it}"))
        .collect();
    Ok(wanted)
}

/// Those of the files that are tests and whose names begin as it was asked for.
fn chosen<'a>(files: &[&'a str], names: &[&str]) -> Result<Vec<&'a str>, Failure> {
    let tests: Vec<&str> = files.iter().copied().filter(|it| it.ends_with(SUFFIX)).collect();
    if let Some(strange) = names.iter().find(|name| !tests.iter().any(|it| it.starts_with(**name)))
    {
        let known: Vec<&str> = tests.iter().map(|it| it.trim_end_matches(SUFFIX)).collect();
        return Err(Failure::Unable(format!(
            "`{strange}` is not a test of the page; they are {}",
            known.join(", ")
        )));
    }
    let is_wanted = |it: &&str| names.is_empty() || names.iter().any(|name| it.starts_with(name));
    Ok(tests.into_iter().filter(is_wanted).collect())
}

fn parse<'a>(options: &[&'a str]) -> Result<Wish<'a>, Failure> {
    let mut wish =
        Wish { names: Vec::new(), repeat: 1, is_all: false, is_fuzz: false, provost: None };
    let mut rest = options;
    while let [option, behind @ ..] = rest {
        rest = behind;
        match (*option, behind) {
            ("--repeat", [count, behind @ ..]) => {
                wish.repeat = count.parse().ok().filter(|it| *it > 0).ok_or_else(|| {
                    Failure::Unable(format!("`--repeat` needs a number, not `{count}`"))
                })?;
                rest = behind;
            }
            ("--provost", [path, behind @ ..]) => {
                wish.provost = Some(path);
                rest = behind;
            }
            ("--all", _) => wish.is_all = true,
            ("--fuzz", _) => wish.is_fuzz = true,
            (name, _) if !name.starts_with('-') => wish.names.push(name),
            (other, _) => {
                return Err(Failure::Unable(format!("`e2e` does not understand `{other}`")));
            }
        }
    }
    Ok(wish)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_told_from_names() {
        let wish = parse(&["list", "--repeat", "20", "--all", "--provost", "x"]).unwrap();
        let expected = Wish {
            names: vec!["list"],
            repeat: 20,
            is_all: true,
            is_fuzz: false,
            provost: Some("x"),
        };
        assert_eq!(wish, expected);
        for wrong in [&["--repeat"][..], &["--repeat", "0"], &["--provost"], &["--al"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_name_is_how_a_file_begins() {
        let files = ["etag-304.spec.js", "list.spec.js", "package.json", "world.js"];
        assert_eq!(chosen(&files, &[]).unwrap(), ["etag-304.spec.js", "list.spec.js"]);
        assert_eq!(chosen(&files, &["etag"]).unwrap(), ["etag-304.spec.js"]);
        let failure = chosen(&files, &["world"]).unwrap_err().to_string();
        assert_eq!(failure, "`world` is not a test of the page; they are etag-304, list");
    }

    /// LOOP-U8: the test of `ETag` in a browser is one of the files that the test command runs.
    #[test]
    fn the_test_command_runs_the_test_of_etags() {
        assert!(specs(&[]).unwrap().contains(&"e2e/etag-304.spec.js".to_owned()));
    }

    #[test]
    fn a_hang_is_told_from_a_failure() {
        let late = "not ok 1 - e2e/a.spec.js\n  ---\n  error: 'test timed out after 300000ms'\n";
        for (report, is_hung) in [
            (late.to_owned(), true),
            (format!("ok 1 - b\n{late}ok 2 - c\n{late}"), true),
            (format!("{late}    not ok 1 - c\n  error: 'red'\n"), false),
            ("not ok 1 - c\n  error: 'red'\n".to_owned(), false),
            // The whole run was ended, and what it came to is not known: nothing failed.
            ("ok 1 - b\n".to_owned(), true),
            (String::new(), false),
        ] {
            assert_eq!(hung(&report), is_hung, "{report}");
        }
    }
}
