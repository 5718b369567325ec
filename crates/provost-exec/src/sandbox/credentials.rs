//! Where a person's credentials lie: no step that runs what an agent wrote may read them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// From the home: keys and tokens, programs that hand them out, and the logins of agents.
const IN_HOME: [&str; 41] = [
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/doctl",
    ".terraform.d",
    ".vault-token",
    ".config/op",
    ".docker",
    ".kube",
    ".pgpass",
    ".my.cnf",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".config/opencode",
    ".local/share/opencode",
    // Browsers keep the key of the page, and what was typed may hold a token.
    ".mozilla",
    ".config/chromium",
    ".config/google-chrome",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    "snap/firefox",
    "snap/chromium",
    ".var/app/org.mozilla.firefox",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Safari",
    ".bash_history",
    ".zsh_history",
];

/// The same of registries of packages, which a job that fetches packages may read.
const OF_REGISTRIES: [&str; 15] = [
    ".netrc",
    ".pypirc",
    ".pip",
    ".config/pip",
    ".config/pypoetry/auth.toml",
    ".config/uv",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".bundle/config",
    ".gem/credentials",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/NuGet",
    ".nuget/NuGet",
];
/// Settings that some programs look for in every folder above a project, and fail if they may not
/// read them: hidden only if they hold a secret.
const WALKED_UP_TO: [&str; 2] = [".npmrc", ".yarnrc.yml"];
/// From the folder of cargo.
const OF_CARGO: [&str; 2] = ["credentials", "credentials.toml"];

/// Which credentials are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credentials {
    All,
    /// Those that have nothing to do with packages.
    BesidesRegistries,
}

/// The places of credentials that are there.
pub fn credentials(home: &Path, cargo_home: &Path, which: Credentials) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = IN_HOME.iter().map(|it| home.join(it)).collect();
    if which == Credentials::All {
        all.extend(OF_REGISTRIES.iter().map(|it| home.join(it)));
        all.extend(OF_CARGO.iter().map(|it| cargo_home.join(it)));
        all.extend(WALKED_UP_TO.iter().map(|it| home.join(it)).filter(|it| has_secret(it)));
    }
    all.retain(|it| it.is_absolute() && it.symlink_metadata().is_ok());
    all
}

/// The environments of a project that lie in its folder: keys that programs of the project read, and
/// that git as a rule does not keep. Samples of them hold none.
pub fn environments(project: &Path) -> Vec<PathBuf> {
    let is_environment = |name: &str| {
        let kind = name.strip_prefix(".env").and_then(|it| it.strip_prefix('.'));
        let is_sample = |it| ["example", "sample", "template", "dist", "defaults"].contains(&it);
        name == ".env" || kind.is_some_and(|it| !is_sample(it))
    };
    // What cannot be listed is not there to be read either.
    let entries = fs::read_dir(project).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|it| it.file_name().to_str().is_some_and(is_environment))
        .map(|it| it.path())
        .collect();
    found.sort();
    found
}

/// Whether settings hold a token or a password; what cannot be read may.
fn has_secret(file: &Path) -> bool {
    let Ok(text) = fs::read_to_string(file) else { return true };
    let text = text.to_ascii_lowercase();
    ["_auth", "_password", "token", "npmauthident"].iter().any(|it| text.contains(it))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes a person's home")]
mod tests {
    use super::*;

    #[test]
    fn environments_of_a_project_are_found_and_samples_are_not() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".env", ".env.local", ".env.example", ".envrc", "env", ".environment"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = environments(folder.path());
        let names: Vec<_> = found.iter().map(|it| it.file_name().unwrap()).collect();
        assert_eq!(names, [".env", ".env.local"]);
        assert_eq!(environments(&folder.path().join("none")), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_is_there_is_hidden_and_settings_without_a_secret_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let found = |which| {
            let found = credentials(home, &home.join(".cargo"), which);
            let names = found.iter().map(|it| it.strip_prefix(home).unwrap().to_owned());
            names.map(|it| it.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found(Credentials::All), Vec::<String>::new());
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join(".cargo")).unwrap();
        fs::write(home.join(".cargo/credentials.toml"), "").unwrap();
        fs::write(home.join(".npmrc"), "registry=https://example.com\n").unwrap();
        assert_eq!(found(Credentials::All), [".ssh", ".cargo/credentials.toml"]);
        assert_eq!(found(Credentials::BesidesRegistries), [".ssh"]);
        fs::write(home.join(".npmrc"), "//example.com/:_authToken=x\n").unwrap();
        assert_eq!(found(Credentials::All), [".ssh", ".cargo/credentials.toml", ".npmrc"]);
    }
}
