//! The command line that a client starts, and how our own is recognised among others.

use provost_kernel::guard::{Client, HookType};
use serde_json::Value;

use super::InstallError;

/// The scope that stands in place of a home.
const USER: &str = "user";

/// What every entry of an installation starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The program, as an absolute path.
    pub program: String,
    /// The provost home, as an absolute path; nothing where each call finds the repository that its
    /// session is in.
    pub home: Option<String>,
}

/// How a client starts a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandLine {
    /// The program and its arguments: nothing lies between the client and the program.
    Exec(Vec<String>),
    /// A line for the client's shell.
    Shell(String),
}

impl Hook {
    /// Refuses what could not be written so that every client reads it the same way.
    pub(super) fn check(&self) -> Result<(), InstallError> {
        for path in [Some(&self.program), self.home.as_ref()].into_iter().flatten() {
            if !path.starts_with('/') || path.contains(char::is_control) {
                return Err(InstallError::Path { path: path.clone() });
            }
        }
        Ok(())
    }

    /// What a command line of ours starts.
    pub fn of(command: &CommandLine) -> Option<Self> {
        let words = command.words()?;
        let after = |flag| words.iter().position(|it| it == flag).and_then(|it| words.get(it + 1));
        let home = after("--home").cloned();
        let is_known = home.is_some() || after("--scope").is_some_and(|it| it == USER);
        is_known.then_some(Self { program: words.first()?.clone(), home })
    }

    /// The program and its arguments: nothing is left to where the client happens to run.
    pub(super) fn words(&self, client: Client, hook: HookType) -> Vec<String> {
        let (client, hook) = (client.to_string(), hook.to_string());
        let target = match &self.home {
            Some(home) => ["--home", home],
            None => ["--scope", USER],
        };
        let words = [&self.program, "hook", "--client", &client, "--type", &hook];
        words.into_iter().chain(target).map(str::to_owned).collect()
    }
}

/// Words as a line that every shell splits into the same words.
pub(super) fn quoted(words: &[String]) -> Result<String, InstallError> {
    let path = || words.first().cloned().unwrap_or_default();
    shlex::try_join(words.iter().map(String::as_str))
        .map_err(|_| InstallError::Path { path: path() })
}

impl CommandLine {
    /// The command line of a handler, in a client's own form.
    pub(super) fn of(handler: &Value) -> Option<Self> {
        let command = handler.get("command")?.as_str()?;
        let Some(args) = handler.get("args") else {
            return Some(Self::Shell(command.to_owned()));
        };
        let args = args.as_array()?.iter().map(|it| it.as_str().map(str::to_owned));
        let words: Option<Vec<String>> =
            std::iter::once(Some(command.to_owned())).chain(args).collect();
        words.map(Self::Exec)
    }

    /// The program and its arguments; nothing if a shell would not split the line plainly.
    pub fn words(&self) -> Option<Vec<String>> {
        match self {
            Self::Exec(words) => Some(words.clone()),
            Self::Shell(line) => shlex::split(line),
        }
    }

    /// The program that is started.
    pub fn program(&self) -> Option<String> {
        self.words()?.into_iter().next()
    }

    /// Whether it is one that an installation of provost wrote, whatever its version and its home.
    pub fn is_ours(&self) -> bool {
        let Some(words) = self.words() else { return false };
        let [program, verb, rest @ ..] = words.as_slice() else { return false };
        let name = program.rsplit('/').next().unwrap_or_default();
        let has = |flag: &str| rest.iter().any(|it| it == flag);
        let is_aimed = has("--home") || has("--scope");
        name.contains("provost") && verb == "hook" && has("--client") && is_aimed
    }

    /// The line as a person would type it.
    pub fn shown(&self) -> String {
        match self {
            Self::Exec(words) => quoted(words).unwrap_or_else(|_| words.join(" ")),
            Self::Shell(line) => line.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(handler: Value, expected: bool) {
        let actual = CommandLine::of(&handler).is_some_and(|it| it.is_ours());
        assert_eq!(actual, expected, "{handler}");
    }

    #[test]
    fn our_own_command_line_is_recognised_and_no_other() {
        let args = ["hook", "--client", "claude", "--home", "/h"];
        check(json!({"command": "/opt/provost", "args": args}), true);
        check(json!({"command": "/nix/.provost-wrapped", "args": args}), true);
        check(json!({"command": "/opt/other", "args": args}), false);
        check(json!({"command": "/opt/provost", "args": ["doctor"]}), false);
        check(json!({"command": "/opt/provost", "args": ["hook", "--client", "claude"]}), false);
        check(json!({"command": "/opt/provost", "args": "hook --client --home"}), false);
        check(json!({"command": "'/a b/provost' hook --client codex --home /h"}), true);
        check(json!({"command": "echo provost hook --client codex --home /h"}), false);
        check(json!({"command": "'/a b/provost hook --client codex --home /h"}), false);
        check(json!({"command": "/opt/provost"}), false);
        check(json!({"command": 1}), false);
        check(json!({"url": "http://localhost/provost hook --client x --home y"}), false);
        check(json!("provost hook --client x --home y"), false);
    }

    /// Whatever a path looks like, a shell sees it as one word.
    #[test]
    fn a_path_stays_one_word() {
        for path in ["/opt/provost", "/a b/provost", "/it's/$HOME/`x`/provost", "/a\"b/provost"] {
            let hook = Hook { program: path.to_owned(), home: Some("/h; rm -rf /".to_owned()) };
            let words = hook.words(Client::Codex, HookType::PreToolUse);
            assert_eq!(CommandLine::Shell(quoted(&words).unwrap()).words(), Some(words));
        }
    }

    #[test]
    fn a_path_that_not_everybody_reads_alike_is_refused() {
        for (path, expected) in
            [("/opt/provost", true), ("provost", false), ("/a\nb", false), ("/a\0", false)]
        {
            let hook = Hook { program: path.to_owned(), home: Some("/h".to_owned()) };
            assert_eq!(hook.check().is_ok(), expected, "{path:?}");
        }
    }
}
