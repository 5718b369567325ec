//! A small project in which hooks are run to be counted.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{failure::Failure, process::Process, project};

const RULES: &str = "fixtures/guard/rules.toml";

/// The folder that recorded payloads speak of.
const PROJECT: &str = "/home/user/project";

/// How long a file must have rested before its times prove that it has not changed since.
const RESTED: Duration = Duration::from_millis(2_100);

/// What a client runs.
pub(crate) fn hook<'a>(provost: &'a str, kind: &'a str, home: &'a str) -> [&'a str; 8] {
    [provost, "hook", "--client", "claude", "--type", kind, "--home", home]
}

/// A project under a path that is equally long everywhere.
pub(crate) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    /// A project whose payload is the one of this file, told as if it were about the project.
    pub(crate) fn new(payload: &str) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("provost-hook-")
            .tempdir_in("/tmp")
            .map_err(|it| cannot("make a folder in", "/tmp", &it))?;
        let ground = Self { folder };
        // A repository is where the rules of a project are looked for.
        for name in [".provost", ".git"] {
            let folder = ground.path(name);
            create(&folder).map_err(|it| cannot("create", &folder, &it))?;
        }
        ground.write("provost.toml", &project::read(RULES)?)?;
        let project = ground.folder.path().to_string_lossy().into_owned();
        ground.write("payload.json", &project::read(payload)?.replace(PROJECT, &project))?;
        thread::sleep(RESTED);
        Ok(ground)
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.path(name);
        write(Path::new(&path), text).map_err(|it| cannot("write", &path, &it))
    }

    /// Where the state lies.
    pub(crate) fn home(&self) -> String {
        self.path(".provost")
    }

    /// What is counted is a hook with rules of a person: they must have been found.
    pub(crate) fn check_policy(&self) -> Result<(), Failure> {
        let path = self.path(".provost/guard/policy.json");
        let text = fs::read_to_string(&path).map_err(|it| cannot("read", &path, &it))?;
        if text.contains("\"generated\"") {
            return Ok(());
        }
        Err(Failure::Unable(format!("the rules of `{RULES}` are not in the compiled policy")))
    }

    /// Runs a hook, which must let the call pass in silence.
    pub(crate) fn run(&self, words: &[&str]) -> Result<(), Failure> {
        let [program, arguments @ ..] = words else { return Ok(()) };
        let ended = Process::new(program, arguments)
            .bare()
            .environment("HOME", &self.path(""))
            .input(&PathBuf::from(self.path("payload.json")))?
            .end()?;
        if ended.is_success && ended.stdout.is_empty() {
            return Ok(());
        }
        Err(Failure::Unable(format!("{}: {}", ended.text, ended.stdout)))
    }
}

#[expect(clippy::disallowed_methods, reason = "a folder that is gone when the task ends")]
fn create(path: &str) -> std::io::Result<()> {
    fs::create_dir(path)
}

#[expect(clippy::disallowed_methods, reason = "a file that is gone when the task ends")]
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    fs::write(path, text)
}

/// What could not be done to a file.
pub(crate) fn cannot(action: &str, path: &str, error: &std::io::Error) -> Failure {
    Failure::Unable(format!("cannot {action} `{path}`: {error}"))
}
