//! Which agents are installed here, and whether they are logged in: looked up, never asked a model.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{Ended, Guardian, Job, Streams, environment};
use serde::Serialize;

use super::{LoginCheck, Preset, state::StateKind, table};

/// An agent that does not answer a free question in this time is not waited for.
const DEADLINE: Duration = Duration::from_secs(10);
/// How much of an answer is read.
const ANSWER: u64 = 16 << 10;

/// An agent whose program is in `PATH`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstalledAgent {
    /// The name of its preset.
    pub name: &'static str,
    pub title: &'static str,
    pub program: PathBuf,
    /// As the program prints it; none if it does not.
    pub version: Option<String>,
    pub login: Login,
}

/// Whether an agent has what it needs to work for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Login {
    LoggedIn,
    LoggedOut,
    /// It has no free way to tell, or gave no answer.
    Unknown,
}

/// Every agent of the table that is installed, in its order. `nowhere` is an empty folder: in a
/// repository, its settings would be obeyed.
pub fn installed(
    guardian: &Guardian,
    variables: &BTreeMap<String, String>,
    nowhere: &Path,
) -> Vec<InstalledAgent> {
    let look = |preset: &'static Preset| {
        let program = find(preset.program, variables)?;
        let ask =
            |arguments: &[&str]| ask(guardian, variables, preset, (&program, arguments), nowhere);
        let version = ask(&["--version"]).and_then(|(_, text)| version(&text));
        let login = asked_login(guardian, variables, preset, &program, nowhere);
        Some(InstalledAgent { name: preset.name, title: preset.title, program, version, login })
    };
    table::ALL.iter().filter_map(look).collect()
}

/// Whether an agent is logged in whose program is in `PATH`. `added` are variables that the person
/// gives it besides; `nowhere` is an empty folder.
pub fn login_of(
    preset: &'static Preset,
    added: &[String],
    guardian: &Guardian,
    variables: &BTreeMap<String, String>,
    nowhere: &Path,
) -> Login {
    let login = find(preset.program, variables).map_or(Login::Unknown, |program| {
        asked_login(guardian, variables, preset, &program, nowhere)
    });
    // Which of them is a key that the program does not count, only the person knows.
    let has_added = added.iter().any(|it| variables.get(it).is_some_and(|it| !it.is_empty()));
    if has_added && login == Login::LoggedOut { Login::Unknown } else { login }
}

fn asked_login(
    guardian: &Guardian,
    variables: &BTreeMap<String, String>,
    preset: &'static Preset,
    program: &Path,
    nowhere: &Path,
) -> Login {
    let Some(check) = &preset.login else { return Login::Unknown };
    let answer = ask(guardian, variables, preset, (program, check.arguments), nowhere);
    match login(answer.map(|(rc, _)| rc)) {
        Login::LoggedOut if is_blind(check, preset, variables) => Login::Unknown,
        it @ (Login::LoggedIn | Login::LoggedOut | Login::Unknown) => it,
    }
}

/// Whether the person has something in place of a login that the program does not tell of.
fn is_blind(check: &LoginCheck, preset: &Preset, variables: &BTreeMap<String, String>) -> bool {
    if check.keys.iter().any(|it| variables.get(*it).is_some_and(|it| !it.is_empty())) {
        return true;
    }
    let (Some(key), Some(home)) = (check.provider, variables.get("HOME")) else { return false };
    let settings = preset.state.files.iter().filter(|it| it.kind == StateKind::Settings);
    let texts = settings
        .filter_map(|it| std::fs::read_to_string(it.source(Path::new(home), variables)).ok());
    texts.into_iter().any(|text| names_provider(&text, key))
}

fn names_provider(settings: &str, key: &str) -> bool {
    settings.lines().any(|line| {
        let rest = line.trim_start().strip_prefix(key);
        rest.is_some_and(|it| it.trim_start().starts_with('='))
    })
}

/// A program in the absolute folders of `PATH`.
pub fn find(program: &str, variables: &BTreeMap<String, String>) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = variables.get("PATH").map(String::as_str).unwrap_or_default();
    let is_program = |it: &PathBuf| {
        it.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::split_paths(path).filter(|it| it.is_absolute());
    folders.map(|it| it.join(program)).find(is_program)
}

/// What a program exits with, and what it prints.
fn ask(
    guardian: &Guardian,
    variables: &BTreeMap<String, String>,
    preset: &Preset,
    (program, arguments): (&Path, &[&str]),
    nowhere: &Path,
) -> Option<(i32, String)> {
    let program = program.to_str()?;
    let argv = [program].into_iter().chain(arguments.iter().copied());
    let mut job = Job::new(argv, nowhere, DEADLINE);
    job.output_cap = ANSWER;
    let harmless = environment::PLAIN.into_iter().chain(environment::CERTIFICATES);
    let all = variables.iter().map(|(name, value)| (name.clone(), value.clone()));
    job.env = environment::inherited(harmless.chain(environment::PROXIES), all);
    let folders = preset.state.files.iter().map(|it| it.variable.to_owned());
    for name in preset.passing(variables).into_iter().chain(folders) {
        if let Some(value) = variables.get(&name) {
            job.env.insert(name, value.clone());
        }
    }
    for (name, value) in preset.settings {
        job.env.insert((*name).to_owned(), (*value).to_owned());
    }
    let (streams, printed) = Streams::in_memory().ok()?;
    // The programs and their arguments are those of the table.
    let running = job.start(guardian, streams, &|_| Ok(())).ok()?;
    let outcome = running.wait(&|bytes| bytes.into()).ok()?;
    if outcome.ended != Ended::Exited {
        return None;
    }
    let text = printed.read(ANSWER).ok()?;
    Some((outcome.rc, String::from_utf8_lossy(&text).into_owned()))
}

/// What an exit code says about a login.
fn login(rc: Option<i32>) -> Login {
    match rc {
        Some(0) => Login::LoggedIn,
        Some(1) => Login::LoggedOut,
        Some(_) | None => Login::Unknown,
    }
}

/// The first word of an answer that looks like a version.
fn version(text: &str) -> Option<String> {
    let is_version = |it: &&str| {
        let mut characters = it.chars();
        characters.next().is_some_and(|it| it.is_ascii_digit())
            && it.contains('.')
            && it.len() <= 32
            && characters.all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '+'))
    };
    let mut words = text.split_whitespace().map(|it| it.trim_start_matches('v'));
    words.find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_word_that_looks_like_one() {
        for (text, expected) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("v1.18.33", Some("1.18.33")),
            ("aider 0.86.2.dev+x", Some("0.86.2.dev+x")),
            ("2026", None),
            ("1.2\u{1b}[31m", None),
            ("", None),
        ] {
            assert_eq!(version(text).as_deref(), expected, "{text:?}");
        }
    }

    /// Codex says that a person with a key, or with a provider of their own, is not logged in.
    #[test]
    fn what_a_program_does_not_tell_of_is_unknown() {
        let codex = Preset::named("codex").unwrap();
        let check = codex.login.as_ref().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        let of = |more: &[(&str, &str)]| {
            let all = [("HOME", home)].into_iter().chain(more.iter().copied());
            all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        assert!(!is_blind(check, codex, &of(&[])));
        assert!(!is_blind(check, codex, &of(&[("CODEX_API_KEY", "")])));
        assert!(is_blind(check, codex, &of(&[("CODEX_API_KEY", "k")])));
        assert!(names_provider("model = \"m\"\n model_provider = \"mine\"\n", "model_provider"));
        assert!(!names_provider(
            "[model_providers.mine]\n# model_provider = 1\n",
            "model_provider"
        ));
    }

    #[test]
    fn only_a_plain_answer_says_whether_somebody_is_logged_in() {
        for (rc, expected) in [
            (Some(0), Login::LoggedIn),
            (Some(1), Login::LoggedOut),
            (Some(2), Login::Unknown),
            (Some(127), Login::Unknown),
            (None, Login::Unknown),
        ] {
            assert_eq!(login(rc), expected, "{rc:?}");
        }
    }
}
