//! The programs that the tasks start, in the root of the checkout unless it is said otherwise.

use std::{
    ffi::OsStr,
    fs::File,
    path::Path,
    process::{Command, Stdio},
};

use crate::{failure::Failure, project};

/// What cargo says to this task of its own package. A cargo below would hand it on to build scripts
/// that ask for it, and build all that depends on them anew.
const OWN_PACKAGE: [&str; 7] = [
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_PKG_NAME",
    "CARGO_PKG_VERSION_MAJOR",
    "CARGO_PKG_VERSION_MINOR",
    "CARGO_PKG_VERSION_PATCH",
    "CARGO_PKG_VERSION_PRE",
];

/// A program that is about to be started.
#[derive(Debug)]
pub(crate) struct Process {
    command: Command,
    /// What a person would type, for messages.
    line: String,
}

/// A program that ended, and what it wrote to its standard output.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) stdout: String,
    /// Its messages; empty where they went to this terminal.
    pub(crate) stderr: String,
    pub(crate) is_success: bool,
    /// Which program it was and how it ended, for messages.
    pub(crate) text: String,
}

impl Process {
    #[expect(
        clippy::disallowed_methods,
        reason = "a task runs the project's own tools; it supervises no agent"
    )]
    pub(crate) fn new(program: impl AsRef<OsStr>, arguments: &[&str]) -> Self {
        let program = program.as_ref();
        let mut line = program.to_string_lossy().into_owned();
        for argument in arguments {
            line.push(' ');
            line.push_str(argument);
        }
        let mut command = Command::new(program);
        command.args(arguments).current_dir(project::root()).stdin(Stdio::null());
        for name in OWN_PACKAGE {
            command.env_remove(name);
        }
        Self { command, line }
    }

    /// A program that is ended, with everything that it started in its group, after a time such as
    /// `10m`: a hang is then seen as one, instead of taking the whole command with it.
    pub(crate) fn limited(limit: &str, program: &str, arguments: &[&str]) -> Self {
        let all = [&["--kill-after=10", limit, program], arguments].concat();
        Self::new("timeout", &all)
    }

    pub(crate) fn environment(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self.line = format!("{name}='{value}' {}", self.line);
        self
    }

    /// Starts the program without the variables of this process.
    pub(crate) fn bare(mut self) -> Self {
        self.command.env_clear();
        self
    }

    /// Gives the program variables whose values are not for messages.
    pub(crate) fn variables(mut self, variables: &[(String, String)]) -> Self {
        self.command.envs(variables.iter().map(|(name, value)| (name, value)));
        self
    }

    /// Starts the program in another folder.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Gives the program a file to read from.
    pub(crate) fn input(mut self, path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| {
            Failure::Unable(format!("cannot read `{}`: {error}", path.display()))
        })?;
        self.command.stdin(file);
        Ok(self)
    }

    /// Runs the program on this terminal.
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        let status = self.command.status().map_err(|error| cannot_start(&self.line, &error))?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::Refused(format!("`{}` ended with {status}", self.line)))
    }

    /// Runs the program and takes what it prints; its messages still go to this terminal.
    pub(crate) fn end(mut self) -> Result<Ended, Failure> {
        self.command.stderr(Stdio::inherit());
        self.capture()
    }

    /// Runs the program and takes everything that it writes.
    pub(crate) fn capture(mut self) -> Result<Ended, Failure> {
        let output = self.command.output().map_err(|error| cannot_start(&self.line, &error))?;
        let stdout = String::from_utf8(output.stdout)
            .map_err(|_| Failure::Unable(format!("`{}` printed bytes, not text", self.line)))?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = format!("`{}` ended with {}", self.line, output.status);
        Ok(Ended { stdout, stderr, is_success: output.status.success(), text })
    }

    /// What the program prints, if it succeeds.
    pub(crate) fn text(self) -> Result<String, Failure> {
        let ended = self.end()?;
        if ended.is_success { Ok(ended.stdout) } else { Err(Failure::Unable(ended.text)) }
    }

    /// Whether the program exists and succeeds, in silence.
    pub(crate) fn answers(mut self) -> bool {
        let status = self.command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|it| it.success())
    }
}

fn cannot_start(line: &str, error: &std::io::Error) -> Failure {
    Failure::Unable(format!("cannot start `{line}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_line() {
        let line = "no-such-program-of-provost --version";
        let failure = Process::new("no-such-program-of-provost", &["--version"]).run().unwrap_err();
        assert!(failure.to_string().starts_with(&format!("cannot start `{line}`: ")), "{failure}");

        let failure = Process::new("cargo", &["--no-such-option"]).text().unwrap_err();
        assert!(
            failure.to_string().starts_with("`cargo --no-such-option` ended with "),
            "{failure}"
        );
    }

    /// 124 is how `timeout` says that the time was over.
    #[test]
    fn a_program_that_hangs_is_ended() {
        assert!(Process::limited("1m", "true", &[]).answers());
        let line = Process::limited("0.1s", "sleep", &["60"]).run().unwrap_err().to_string();
        assert!(line.contains("124"), "{line}");
    }

    #[test]
    fn only_a_program_that_succeeds_answers() {
        assert!(Process::new("cargo", &["--version"]).answers());
        assert!(!Process::new("cargo", &["--no-such-option"]).answers());
        assert!(!Process::new("no-such-program-of-provost", &[]).answers());
    }
}
