//! The environment of a job: only what is listed, never what carries a secret or a way in.

use std::collections::BTreeMap;

/// What every job may see of the coordinator's environment. A final `*` stands for any ending.
pub const PLAIN: [&str; 13] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "COLORTERM",
    "TMPDIR",
    "USER",
    "LOGNAME",
    "SHELL",
    "TZ",
    "TZDIR",
];

/// What no job inherits, even when its name is listed: keys and tokens, sockets of agents that act
/// for the person, and variables that make a program load or run something else.
///
/// A job that needs one of these gets it set by name in [`Job::env`](crate::Job::env).
const NEVER: [&str; 22] = [
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "DBUS_*",
    "XDG_RUNTIME_DIR",
    "LD_*",
    "DYLD_*",
    "GIT_*",
    "BASH_ENV",
    "BASH_FUNC_*",
    "ENV",
    "PROVOST_*",
    "*_TOKEN",
    "*_KEY",
    "*_KEY_ID",
    "*_SECRET",
    "*_PASSWORD",
    "*_PASSWD",
    "*_PASS",
    "*_CREDENTIALS",
    "*_DSN",
    "*_AUTH",
];

/// Picks from `source` the variables whose names are in `names`; a final `*` in a name stands for
/// any ending.
pub fn inherited<'n>(
    names: impl IntoIterator<Item = &'n str>,
    source: impl IntoIterator<Item = (String, String)>,
) -> BTreeMap<String, String> {
    let names: Vec<&str> = names.into_iter().collect();
    source
        .into_iter()
        .filter(|(name, _)| names.iter().any(|pattern| matches(pattern, name)))
        .filter(|(name, _)| !is_withheld(name))
        .collect()
}

fn is_withheld(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    NEVER.iter().any(|pattern| matches(pattern, &upper))
}

fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(ending), _) => name.ends_with(ending),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], source: &[&str], expected: &[&str]) {
        let source = source.iter().map(|&name| (name.to_owned(), "x".to_owned()));
        let picked: Vec<String> = inherited(names.iter().copied(), source).into_keys().collect();
        assert_eq!(picked, expected, "{names:?}");
    }

    #[test]
    fn only_listed_names_are_inherited() {
        check(
            &PLAIN,
            &["PATH", "LC_ALL", "LC_TIME", "EDITOR", "path"],
            &["LC_ALL", "LC_TIME", "PATH"],
        );
        check(&["CARGO_HOME"], &["CARGO_HOME", "CARGO_HOME2", "PATH"], &["CARGO_HOME"]);
        check(&[], &["PATH"], &[]);
    }

    #[test]
    fn a_secret_is_withheld_even_when_its_name_is_listed() {
        let secrets = [
            "SSH_AUTH_SOCK",
            "DBUS_SESSION_BUS_ADDRESS",
            "XDG_RUNTIME_DIR",
            "LD_PRELOAD",
            "GITHUB_TOKEN",
            "github_token",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "BASH_ENV",
            "GIT_DIR",
        ];
        check(&["*"], &secrets, &[]);
        check(&secrets, &secrets, &[]);
    }
}
