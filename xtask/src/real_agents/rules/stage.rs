//! A client with a home and a repository of its own, which are thrown away, and a scripted model.

use std::path::{Path, PathBuf};

use super::{
    super::{
        client::inherited,
        model::{Door, Model},
        script::{Script, Step},
    },
    clients::Guarded,
};
use crate::{failure::Failure, process::Process, project};

const STAGE: &str = "target/real-agents/rules";

/// Where a client plays.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    guarded: &'a Guarded,
    pub(super) model: Model,
    /// Relative to the root of the checkout.
    path: String,
    /// The provost that guards the client.
    provost: Option<PathBuf>,
}

/// One session of a client, which ended.
#[derive(Debug)]
pub(super) struct Played {
    /// How many calls the client answered.
    pub(super) n_results: usize,
    /// How it ended, and what it said at last.
    pub(super) text: String,
}

impl<'a> Stage<'a> {
    /// Sets up a client of which a model asks these commands, chosen by what the prompt says. In
    /// them `{base}` is the address of the model, and the guard is not yet installed.
    pub(super) fn new(
        guarded: &'a Guarded,
        kind: &str,
        provost: Option<&Path>,
        steps: Vec<Step>,
    ) -> Result<Self, Failure> {
        let path = path(guarded, kind);
        project::remove(&path)?;
        // The commands name the address of the model, which is only known when it has started.
        let script = |base: &str| {
            let filled = |it: Step| {
                let commands = it.commands.iter().map(|it| it.replace("{base}", base)).collect();
                Step { commands, ..it }
            };
            Script::Steps(steps.into_iter().map(filled).collect())
        };
        let impostor = Script::Impostor { verdict: String::new() };
        let model = Model::start_with(script, impostor, Door::Open)
            .map_err(|error| Failure::Unable(format!("cannot start a scripted model: {error}")))?;
        let provost = provost.map(Path::to_owned);
        let stage = Self { guarded, model, path, provost };
        stage.write("repository/notes.txt", "one\n")?;
        for (path, text) in guarded.files {
            stage.write(&format!("home/{path}"), &text.replace("{base}", &stage.model.base()))?;
        }
        stage.write("home/README.md", "Thrown away.\n")?;
        for words in [
            &["init", "--quiet", "--initial-branch=main", "."][..],
            &["config", "user.name", "a"],
            &["config", "user.email", "a@localhost"],
            &["add", "--all"],
            &["commit", "--quiet", "--message=base"],
        ] {
            stage.process("git", words).run()?;
        }
        Ok(stage)
    }

    /// Lets provost do something, where there is one.
    pub(super) fn provost(&self, words: &[&str]) -> Result<(), Failure> {
        match &self.provost {
            Some(provost) => self.process(&provost.to_string_lossy(), words).text().map(drop),
            None => Ok(()),
        }
    }

    /// Installs the guard as a person does who guards all projects.
    pub(super) fn guard(&self) -> Result<(), Failure> {
        let client = self.guarded.client.name;
        self.provost(&["--quiet", "guard", "install", "--client", client, "--scope", "user"])
    }

    /// Lets the client work until it ends or its time is over.
    pub(super) fn play(&self, prompt: &str, seconds: &str) -> Result<Played, Failure> {
        let before = self.model.n_requests();
        let program = self.guarded.client.folder().join(self.guarded.client.name);
        let program = program.to_string_lossy();
        let base = self.model.base();
        let filled = |it: &&str| it.replace("{base}", &base).replace("{prompt}", prompt);
        let arguments: Vec<String> = self.guarded.arguments.iter().map(filled).collect();
        let mut words = vec!["--kill-after=10", seconds, &*program];
        words.extend(arguments.iter().map(String::as_str));
        let ended = self.process("timeout", &words).capture()?;
        let n_results = self.model.n_results_since(before);
        let text = format!("{}\n{}{}", ended.text, tail(&ended.stdout), tail(&ended.stderr));
        Ok(Played { n_results, text })
    }

    /// A process in the repository, with nothing of the person's but the way to programs.
    pub(super) fn process(&self, program: &str, words: &[&str]) -> Process {
        let own = self.provost.as_deref().and_then(Path::parent);
        let own = own.map(|it| format!("{}:", it.display()));
        let clients = self.guarded.client.folder();
        let path =
            format!("{}{}:{}", own.unwrap_or_default(), clients.display(), inherited("PATH"));
        let mut process = Process::new(program, words)
            .bare()
            .environment("PATH", &path)
            .environment("HOME", &self.folder("home").to_string_lossy())
            .environment("SHELL", "/bin/sh")
            .within(&self.folder("repository"));
        for (name, value) in self.guarded.variables {
            process = process.environment(name, &value.replace("{base}", &self.model.base()));
        }
        process
    }

    pub(super) fn folder(&self, path: &str) -> PathBuf {
        project::root().join(&self.path).join(path)
    }

    /// Writes a file of the stage.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        project::write(&format!("{}/{path}", self.path), text)
    }

    /// The text of a file of the stage.
    pub(super) fn read(&self, path: &str) -> Result<String, Failure> {
        project::read(&format!("{}/{path}", self.path))
    }

    /// The names of the files in a folder of the stage.
    pub(super) fn names(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let folder = self.folder(folder);
        let unable = |error: std::io::Error| {
            Failure::Unable(format!("cannot read `{}`: {error}", folder.display()))
        };
        let entries = std::fs::read_dir(&folder).map_err(unable)?;
        let name = |it: std::io::Result<std::fs::DirEntry>| {
            it.map(|it| it.file_name().to_string_lossy().into_owned()).map_err(unable)
        };
        entries.map(name).collect()
    }

    /// Removes a folder of the stage.
    pub(super) fn remove(&self, path: &str) -> Result<(), Failure> {
        project::remove(&format!("{}/{path}", self.path))
    }

    /// Whether there is such a file in the repository.
    pub(super) fn is_there(&self, canary: &str) -> bool {
        self.folder("repository").join(canary).symlink_metadata().is_ok()
    }
}

/// The folder of a stage, relative to the root of the checkout.
pub(super) fn path(guarded: &Guarded, kind: &str) -> String {
    format!("{STAGE}/{}/{kind}", guarded.name)
}

/// The last lines of a text, shortened.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len().saturating_sub(5);
    lines.iter().skip(last).map(|it| it.chars().take(400).collect::<String>() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_short() {
        assert_eq!(tail("a\nb\n"), "a\nb\n");
        assert_eq!(tail(&"x\n".repeat(99)).lines().count(), 5);
    }
}
