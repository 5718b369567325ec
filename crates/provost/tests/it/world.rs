//! A small world for one test: a person's home, a git repository, and nothing of this machine's.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

/// Runs a command of [`World::provost`] and compares its exit code and what it printed.
macro_rules! provost_snapshot {
    ($provost:expr, @$expected:literal) => {{
        let run = $provost.run();
        insta::with_settings!({ filters => run.filters() }, {
            insta::assert_snapshot!(run.text(), @$expected);
        });
    }};
}

/// A temporary folder with `home`, an empty home of a person, and `repo`, an empty repository.
#[derive(Debug)]
pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// A `provost` command that is about to run.
#[derive(Debug)]
pub(crate) struct Provost<'a> {
    world: &'a World,
    command: Command,
    input: Vec<u8>,
}

/// What a command printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Matches the path of the world.
    root: String,
    output: Output,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("provost-world-").tempdir().unwrap();
        let world = Self { folder };
        world.folder("home");
        world.folder("repo");
        let git = world.program("git").args(["init", "--quiet", "."]).output().unwrap();
        assert!(git.status.success(), "{git:?}");
        world
    }

    /// The real path of a place in the world.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// Makes a folder, with the folders above it.
    #[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
    pub(crate) fn folder(&self, path: impl AsRef<Path>) {
        fs::create_dir_all(self.path(path)).unwrap();
    }

    /// Writes a file, with the folders above it.
    #[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Removes a file.
    #[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
    pub(crate) fn remove(&self, path: impl AsRef<Path>) {
        fs::remove_file(self.path(path)).unwrap();
    }

    /// A world with this file in it.
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    /// A `provost` command in the repository, in an environment without a language.
    pub(crate) fn provost(&self) -> Provost<'_> {
        let command = self.program(env!("CARGO_BIN_EXE_provost"));
        let provost = Provost { world: self, command, input: Vec::new() };
        provost.stdout(Stdio::piped())
    }

    /// Any other program in the repository, in the same environment.
    #[expect(clippy::disallowed_methods, reason = "a test is the person who starts programs")]
    pub(crate) fn program(&self, name: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(name);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.current_dir(self.path("repo")).env_clear();
        command.env("HOME", self.path("home")).env("PATH", path);
        command
    }

    /// Runs a program of somebody who works in the repository, and finds provost in `PROVOST`.
    pub(crate) fn agent(&self, program: &Path) -> Ran {
        let mut command = self.program(program);
        command.env("PROVOST", env!("CARGO_BIN_EXE_provost")).stdout(Stdio::piped());
        Provost { world: self, command, input: Vec::new() }.run()
    }

    /// Every file and folder of the world, with its mode, its size and when it was written: to
    /// show that a command left everything alone.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut names = Vec::new();
        list(&self.path(""), &mut names);
        names.sort();
        names
    }
}

fn list(folder: &Path, names: &mut Vec<String>) {
    use std::os::unix::fs::MetadataExt as _;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let it = fs::symlink_metadata(&path).unwrap();
        let time = (it.mtime(), it.mtime_nsec());
        names.push(format!("{} {:o} {} {time:?}", path.display(), it.mode(), it.len()));
        if it.is_dir() {
            list(&path, names);
        }
    }
}

impl Provost<'_> {
    pub(crate) fn args<I, S>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.command.args(arguments);
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// Starts in another folder of the world.
    pub(crate) fn inside(mut self, folder: &str) -> Self {
        self.command.current_dir(self.world.path(folder));
        self
    }

    /// Sends this to standard input.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// Prints into this instead of a pipe of the test.
    pub(crate) fn stdout(mut self, file: impl Into<Stdio>) -> Self {
        self.command.stdout(file);
        self
    }

    pub(crate) fn run(mut self) -> Ran {
        let root = self.world.path("").display().to_string();
        let root = root.trim_end_matches('/').replace('.', r"\.");
        self.command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // A pipe that the test passed in stays open until nobody has its end for writing.
        drop(self.command);
        // A command that does not read its input may be gone before all of it is written.
        let _ = child.stdin.take().unwrap().write_all(&self.input);
        Ran { root, output: child.wait_with_output().unwrap() }
    }
}

impl Ran {
    pub(crate) fn exit(&self) -> Option<i32> {
        self.output.status.code()
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }

    /// Standard output as JSON: exactly one document.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.output.stdout).unwrap()
    }

    /// Exit code and both streams, as a snapshot shows them.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let exit = self.exit().map_or("signal".to_owned(), |it| it.to_string());
        write!(text, "exit: {exit}\n----- stdout -----\n{}", self.stdout()).unwrap();
        write!(text, "----- stderr -----\n{}", self.stderr()).unwrap();
        text
    }

    /// What differs from one machine to the next.
    pub(crate) fn filters(&self) -> Vec<(&str, &str)> {
        vec![
            (&self.root, "[WORLD]"),
            (r"(?m)platform( +)\w+ \w+$", "platform$1[PLATFORM]"),
            (r"(?m)^(\w+ +git +)\d.*$", "$1[VERSION]"),
            // What the kernel can hold differs, and so does the number of warnings about it.
            (r"(?m)^\w+ +sandbox .*(\n +hint: .*)?$", "[SANDBOX]"),
            // So do the agents that are installed.
            (r"(?m)^\w+ +agents .*(\n +hint: .*)?$", "[AGENTS]"),
            (r"warnings: \d", "warnings: [N]"),
            // What a run of `learn` depends on, and how many words its prompts have.
            (r"(by reflection|由反思) [0-9a-f]{12}", "$1 [ID]"),
            (r"tokens \d+", "tokens [N]"),
            (r"次，\d+ 个 token", "次，[N] 个 token"),
        ]
    }
}
