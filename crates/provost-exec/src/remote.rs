//! Running a command as another user or on another machine: through an SSH alias, and no other way
//! (LOOP-A2).
//!
//! An alias names an entry of the person's SSH configuration, where user, host and key stand. A
//! destination that says any of these itself is refused, and so is an alias that provost's
//! configuration does not list.

use provost_kernel::Message;

use crate::{
    Check,
    error::{BadJob, ExecError, JobPart},
};

/// The shell that runs a command on the far side when the configuration names none.
pub const DEFAULT_SHELL: &str = "zsh -lc";

/// A place that commands can be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    alias: String,
    shell: String,
}

/// Why there is no [`Remote`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "remote")]
pub enum RemoteError {
    /// Not a plain name: it has a user, a blank, a leading `-` or another sign in it.
    #[message(
        en = "invalid SSH alias `{0}`",
        zh = "SSH 别名 `{0}` 无效",
        hint(
            en = "give user, host and key a name in your SSH configuration, and use that name",
            zh = "在 SSH 配置中为用户、主机和密钥取一个名称，并使用该名称"
        )
    )]
    BadAlias(String),
    #[message(
        en = "the SSH alias `{alias}` is not listed",
        zh = "SSH 别名 `{alias}` 未在列表中",
        hint(
            when = listed.is_empty(),
            en = "list it under `[remote] aliases` in `provost.toml`",
            zh = "请将其加入 `provost.toml` 的 `[remote] aliases`"
        ),
        hint(
            when = !listed.is_empty(),
            en = "listed under `[remote] aliases`: {listed}",
            zh = "`[remote] aliases` 中已有：{listed}"
        )
    )]
    NotListed { alias: String, listed: Vec<String> },
    #[message(
        en = "invalid shell `{0}` for remote commands",
        zh = "远程命令的 shell `{0}` 无效",
        hint(
            en = "write it as a program and its options, such as `zsh -lc`",
            zh = "写成程序加选项，例如 `zsh -lc`"
        )
    )]
    BadShell(String),
}

impl Remote {
    /// Takes an alias that is a plain name and is listed, with the shell of the far side.
    pub fn parse(alias: &str, listed: &[String], shell: &str) -> Result<Self, RemoteError> {
        let is_plain = !alias.is_empty()
            && !alias.starts_with(['-', '.'])
            && alias.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.'));
        if !is_plain {
            return Err(RemoteError::BadAlias(alias.escape_debug().take(80).collect()));
        }
        if !listed.iter().any(|it| it == alias) {
            return Err(RemoteError::NotListed {
                alias: alias.to_owned(),
                listed: listed.to_vec(),
            });
        }
        // The shell is sent as it is, so it may hold words and options and nothing else.
        let is_words = shell.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '/')
            && shell
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || matches!(it, '/' | '-' | '_' | '.' | ' '));
        if !is_words {
            return Err(RemoteError::BadShell(shell.escape_debug().take(80).collect()));
        }
        Ok(Self { alias: alias.to_owned(), shell: shell.to_owned() })
    }

    pub fn alias(&self) -> &str {
        &self.alias
    }

    /// The arguments of a job that runs `command` on the far side.
    ///
    /// The rules see the command before it is wrapped, as the shell text that it is. The far
    /// side's login shell takes one level of quotes away, whichever POSIX shell it is, and the
    /// configured shell then receives exactly `command`.
    pub fn argv(&self, command: &str, check: &Check<'_>) -> Result<Vec<String>, ExecError> {
        let plain = ["sh", "-c", command].map(str::to_owned);
        check(&plain).map_err(|finding| ExecError::Refused(Box::new(finding)))?;
        let quoted = shlex::try_quote(command)
            .map_err(|_| ExecError::BadJob(BadJob::Nul { part: JobPart::Command }))?;
        // `BatchMode`: never ask for a password. `-T`: no terminal. `--`: what follows is a name.
        let words = ["ssh", "-T", "-o", "BatchMode=yes", "--", self.alias.as_str()];
        let mut argv: Vec<String> = words.into_iter().map(str::to_owned).collect();
        argv.push(format!("{} {quoted}", self.shell));
        Ok(argv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> Vec<String> {
        vec!["builder".to_owned(), "box-2.lan".to_owned()]
    }

    /// LOOP-A2.
    #[test]
    fn only_a_listed_plain_name_is_an_alias() {
        let check = |alias: &str, is_allowed: bool| {
            let mut names = listed();
            names.extend(["a@b", "-oProxyCommand=x", "a b", "", "ssh://x"].map(str::to_owned));
            let actual = Remote::parse(alias, &names, DEFAULT_SHELL);
            assert_eq!(actual.is_ok(), is_allowed, "{alias:?}");
        };
        check("builder", true);
        check("box-2.lan", true);
        check("other", false);
        // Listing them does not help.
        check("a@b", false);
        check("-oProxyCommand=x", false);
        check("a b", false);
        check("", false);
        check("ssh://x", false);
        check("builder\n", false);
        check("builder\0", false);
        check("构建", false);
        check(".", false);
    }

    #[test]
    fn a_shell_is_words_and_nothing_that_a_shell_would_read() {
        let check = |shell: &str, is_allowed: bool| {
            let actual = Remote::parse("builder", &listed(), shell);
            assert_eq!(actual.is_ok(), is_allowed, "{shell:?}");
        };
        check("zsh -lc", true);
        check("/bin/bash -l -c", true);
        check("-c", false);
        check("", false);
        check("sh -c; rm", false);
        check("sh -c $(x)", false);
        check("sh -c\nx", false);
    }
}
