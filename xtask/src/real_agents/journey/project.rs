//! A small project, what is to change in it, and how a model does that.

use std::path::PathBuf;

use serde::Deserialize;

use super::super::script::{Script, Step};
use crate::{failure::Failure, project};

/// The folder of the projects.
const FOLDER: &str = "fixtures/journey";
/// What they are called.
pub(super) const NAMES: [&str; 4] = ["python", "node", "rust", "go"];

/// What the agent prints after its tests, before their exit code.
const ENDED: &str = "the tests ended with ";

/// A project as its `journey.toml` tells it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Project {
    #[serde(skip)]
    pub(super) name: &'static str,
    /// What it is built with, and where its dependency comes from.
    #[expect(dead_code, reason = "for readers of the file")]
    about: String,
    /// What the person wants.
    pub(super) goal: String,
    /// Programs that are installed for it.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    /// What the person has in their environment; `{world}` is the folder around the repository.
    #[serde(default)]
    pub(super) variables: Vec<(String, String)>,
    /// A shell that runs before the base is committed.
    pub(super) setup: String,
    /// What the model must be told before it does the right thing: the test that it broke.
    told: String,
    /// How the agent runs the tests.
    test: String,
    /// How the tests are run in a fresh clone.
    pub(super) clean: String,
    #[serde(skip)]
    wrong: Vec<File>,
    #[serde(skip)]
    right: Vec<File>,
}

/// A file that the model writes, by its path in the repository.
type File = (String, String);

/// The projects of these names, or all of them.
pub(super) fn load(names: &[&'static str]) -> Result<Vec<Project>, Failure> {
    let is_chosen = |it: &&&str| names.is_empty() || names.contains(*it);
    let files = project::files()?;
    NAMES.iter().filter(is_chosen).map(|name| read(name, &files)).collect()
}

fn read(name: &'static str, files: &[project::File]) -> Result<Project, Failure> {
    let path = format!("{FOLDER}/{name}/journey.toml");
    let text = project::read(&path)?;
    let parsed: Project = toml::from_str(&text)
        .map_err(|error| Failure::Unable(format!("cannot read `{path}`: {error}")))?;
    let below = |folder: &str| -> Vec<File> {
        let folder = format!("{FOLDER}/{name}/{folder}/");
        let own = files.iter().filter_map(|it| Some((it.path.strip_prefix(&folder)?, &it.text)));
        own.map(|(path, text)| (path.to_owned(), text.clone())).collect()
    };
    Ok(Project { name, wrong: below("wrong"), right: below("right"), ..parsed })
}

impl Project {
    /// Its folder in this checkout.
    pub(super) fn folder(&self) -> PathBuf {
        project::root().join(FOLDER).join(self.name)
    }

    /// The model of this project: it breaks a test and runs them, and does the work when a prompt
    /// names that test.
    pub(super) fn script(&self) -> Script {
        let test = format!("{}; echo \"{ENDED}$?\"", self.test);
        let step = |told: &str, files: &[File]| Step {
            told: told.to_owned(),
            commands: vec![writing(files), test.clone()],
        };
        Script::Steps(vec![step("", &self.wrong), step(&self.told, &self.right)])
    }
}

/// The exit codes of the tests that the agent itself ran, by what came of its calls.
pub(super) fn codes(results: &[String]) -> Vec<i32> {
    let code = |it: &String| {
        let rest = it.rsplit_once(ENDED)?.1;
        let digits = rest.chars().take_while(char::is_ascii_digit).collect::<String>();
        digits.parse().ok()
    };
    results.iter().filter_map(code).collect()
}

/// A command that writes these files.
fn writing(files: &[File]) -> String {
    let write = |(path, text): &File| format!("cat >{path} <<'END'\n{text}END\n");
    files.iter().map(write).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_breaks_a_test_and_then_adds_one() {
        let projects = load(&[]).unwrap();
        assert_eq!(projects.iter().map(|it| it.name).collect::<Vec<_>>(), NAMES);
        for it in projects {
            assert!(!it.wrong.is_empty(), "{}", it.name);
            let is_test = |it: &&File| it.0.contains("test");
            assert!(it.right.iter().any(|it| is_test(&it)), "{}", it.name);
            assert!(!it.wrong.iter().any(|it| is_test(&it)), "{}", it.name);
            // The person does not name it, or the model would know before it is told.
            assert!(!it.told.is_empty() && !it.goal.contains(&it.told), "{}", it.name);
        }
        assert_eq!(load(&["go"]).unwrap().len(), 1);
    }

    #[test]
    fn the_tests_of_the_agent_end_with_a_code() {
        let results = ["x\nthe tests ended with 101\n", "", "the tests ended with 0"];
        assert_eq!(codes(&results.map(str::to_owned)), [101, 0]);
    }

    #[test]
    fn files_are_written_as_they_are() {
        let files = [("a/b.py".to_owned(), "x = '$y'\n".to_owned())];
        assert_eq!(writing(&files), "cat >a/b.py <<'END'\nx = '$y'\nEND\n");
    }
}
