//! Fuzzing by hand, on the nightly toolchain; the test command only replays the corpus.

use std::path::Path;

use crate::{failure::Failure, install, process::Process, project};

const SECONDS: u32 = 60;
/// The target that compares with bash.
const LINES: &str = "lines";

/// What a person asked for.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    target: Option<&'a str>,
    seconds: u32,
}

/// Fuzzes one target, or each of them in turn.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let request = parse(options)?;
    if request.target == Some(LINES) {
        return lines(request.seconds);
    }
    let files = project::files()?;
    let known = targets(files.iter().map(|it| it.path.as_str()));
    let chosen = choose(&known, request.target)?;
    if !Process::new("cargo", &["+nightly", "--version"]).answers() {
        return Err(Failure::Unable(
            "fuzzing needs the nightly toolchain, which is not installed\n\
             hint: `rustup toolchain install nightly --profile minimal`"
                .to_owned(),
        ));
    }
    install::ensure(&install::FUZZ)?;
    let limit = format!("-max_total_time={}", request.seconds);
    for target in chosen {
        println!("fuzzing `{target}` for {} s", request.seconds);
        // What it finds goes into the first folder; the corpus in git is only read.
        let (found, corpus) = (format!("target/fuzz/{target}"), format!("fuzz/corpus/{target}"));
        project::write(&format!("{found}/.empty"), "")?;
        let words = ["+nightly", "fuzz", "run", target, &found, &corpus, "--", &limit];
        Process::new("cargo", &words).run()?;
    }
    Ok(())
}

/// Compares the parser of commands with real bash, on lines that no run has seen before. It needs no
/// other toolchain: the test makes them up.
fn lines(seconds: u32) -> Result<(), Failure> {
    let seed = std::process::id();
    println!("comparing with bash for {seconds} s, with the seed {seed}");
    Process::new("cargo", &["test", "--package", "provost-shell", "--test", "it", "foreseen::"])
        .environment("PROVOST_FUZZ_SEED", &seed.to_string())
        .environment("PROVOST_FUZZ_SECONDS", &seconds.to_string())
        .run()
}

fn parse<'a>(options: &[&'a str]) -> Result<Request<'a>, Failure> {
    let mut request = Request { target: None, seconds: SECONDS };
    let mut rest = options;
    loop {
        rest = match rest {
            [] => return Ok(request),
            ["--seconds", number, rest @ ..] => {
                request.seconds = number.parse().ok().filter(|&it| it > 0).ok_or_else(|| {
                    Failure::Unable(format!("`--seconds` takes a number from 1, not `{number}`"))
                })?;
                rest
            }
            [target, rest @ ..] if !target.starts_with('-') && request.target.is_none() => {
                request.target = Some(target);
                rest
            }
            [other, ..] => {
                return Err(Failure::Unable(format!("`fuzz` does not understand `{other}`")));
            }
        };
    }
}

/// The names of the fuzz targets among the files of the project.
fn targets<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    paths
        .filter_map(|it| it.strip_prefix("fuzz/fuzz_targets/"))
        .filter(|it| !it.contains('/'))
        .map(Path::new)
        .filter(|it| it.extension().is_some_and(|it| it == "rs"))
        .filter_map(|it| it.file_stem()?.to_str())
        .collect()
}

fn choose<'a>(known: &[&'a str], wanted: Option<&str>) -> Result<Vec<&'a str>, Failure> {
    if known.is_empty() {
        return Err(Failure::Unable("there is no target in `fuzz/fuzz_targets`".to_owned()));
    }
    let chosen: Vec<&str> =
        known.iter().copied().filter(|&it| wanted.is_none_or(|wanted| wanted == it)).collect();
    match wanted {
        Some(wanted) if chosen.is_empty() => Err(Failure::Unable(format!(
            "there is no fuzz target `{wanted}`\nhint: there are {}",
            known.join(", ")
        ))),
        _ => Ok(chosen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: &str, expected: Result<(Option<&str>, u32), &str>) {
        let options: Vec<&str> = options.split_whitespace().collect();
        let actual = parse(&options).map(|it| (it.target, it.seconds));
        assert_eq!(actual, expected.map_err(|it| Failure::Unable(it.to_owned())));
    }

    #[test]
    fn options_come_in_any_order() {
        check("", Ok((None, 60)));
        check("command", Ok((Some("command"), 60)));
        check("lines --seconds 5", Ok((Some("lines"), 5)));
        check("command --seconds 5", Ok((Some("command"), 5)));
        check("--seconds 5 command", Ok((Some("command"), 5)));
        check("--seconds 0", Err("`--seconds` takes a number from 1, not `0`"));
        check("--seconds -1", Err("`--seconds` takes a number from 1, not `-1`"));
        check("--seconds", Err("`fuzz` does not understand `--seconds`"));
        check("a b", Err("`fuzz` does not understand `b`"));
        check("--fast", Err("`fuzz` does not understand `--fast`"));
    }

    #[test]
    fn targets_are_the_files_of_one_folder() {
        let paths = [
            "fuzz/fuzz_targets/command.rs",
            "fuzz/fuzz_targets/secret.rs",
            "fuzz/fuzz_targets/notes.md",
            "fuzz/fuzz_targets/deep/part.rs",
            "fuzz/corpus/command/1",
        ];
        let known = targets(paths.into_iter());
        assert_eq!(known, ["command", "secret"]);
        assert_eq!(choose(&known, None).unwrap(), ["command", "secret"]);
        assert_eq!(choose(&known, Some("secret")).unwrap(), ["secret"]);
        assert_eq!(
            choose(&known, Some("secrets")).unwrap_err().to_string(),
            "there is no fuzz target `secrets`\nhint: there are command, secret",
        );
        assert!(choose(&[], None).is_err());
    }
}
