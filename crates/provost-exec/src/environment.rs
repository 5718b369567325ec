//! The environment of a job: only what is listed, never what carries a secret or a way in.

use std::{collections::BTreeMap, path::Path};

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

/// What every job may see besides: where certificates of a company lie, and toolchains.
pub const CERTIFICATES: [&str; 10] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "CARGO_HTTP_CAINFO",
    "JAVA_HOME",
    "GOROOT",
    "npm_config_nodedir",
];

/// What a job with a network may see besides: how it is reached.
pub const PROXIES: [&str; 8] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
];

/// What a job may see besides that fetches packages: where they come from.
pub const REGISTRIES: [&str; 17] = [
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "PIP_NO_INDEX",
    "PIP_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
    "GOPROXY",
    "GONOPROXY",
    "GOPRIVATE",
    "GONOSUMDB",
    "GOSUMDB",
];

/// Where toolchains lie that a program in `PATH` belongs to: a variable, and the folder of the
/// person's home that is meant without it. A job has another home, and would not find them.
const TOOLCHAINS: [(&str, &str); 13] = [
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("NODENV_ROOT", ".nodenv"),
    ("GOENV_ROOT", ".goenv"),
    ("JENV_ROOT", ".jenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("MISE_CONFIG_DIR", ".config/mise"),
    ("SDKMAN_DIR", ".sdkman"),
    ("PYTHONUSERBASE", ".local"),
];

/// The variables by which programs find their toolchains, whatever their home is.
pub fn toolchains(
    variables: &BTreeMap<String, String>,
    exists: impl Fn(&Path) -> bool,
) -> BTreeMap<String, String> {
    let home = variables.get("HOME").map(Path::new);
    let found = |(name, folder): &(&str, &str)| {
        let given = variables.get(*name).filter(|it| Path::new(it).is_absolute()).cloned();
        let usual = || home.map(|it| it.join(folder)).filter(|it| exists(it));
        let value = given.or_else(|| usual().map(|it| it.to_string_lossy().into_owned()))?;
        Some(((*name).to_owned(), value))
    };
    TOOLCHAINS.iter().filter_map(found).collect()
}

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
    fn toolchains_are_found_in_the_home_that_a_job_does_not_have() {
        let variables = [("HOME", "/h"), ("PYENV_ROOT", "/opt/pyenv"), ("NVM_DIR", "relative")];
        let variables = variables.map(|(name, it)| (name.to_owned(), it.to_owned())).into();
        let found = toolchains(&variables, |it| it == Path::new("/h/.rustup"));
        let found: Vec<_> = found.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
        assert_eq!(found, [("PYENV_ROOT", "/opt/pyenv"), ("RUSTUP_HOME", "/h/.rustup")]);
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
