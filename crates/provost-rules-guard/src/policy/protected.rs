//! The paths that may not be touched: secrets, git's own files, provost's home and configuration.
//!
//! Names are compared without regard to case, and a pattern counts as every name that it could
//! become, as long as some of its letters are there to see: `.e?v` is `.env`, `*` is nothing.

mod component;

use provost_kernel::guard::{Harness, client::AgentProgram};

use component::{Component, has_pair};

use super::{
    builtin::BuiltIn::{
        self, GitMetadata, ProvostConfiguration, ProvostState, SecretPath, SystemHistory,
    },
    path_zones::{ANY, ONE, PathZones, UNKNOWN, Zone, lies_in},
};

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Delete,
}

/// File names that are secret wherever they lie.
const SECRET_NAMES: [&str; 16] = [
    ".env",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".pgpass",
    ".pypirc",
    ".vault-token",
    "_netrc",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "id_xmss",
];

/// The ends of file names that are secret.
const SECRET_ENDS: [&str; 7] = [".pem", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"];

/// The ends of files of programs and of texts, which only speak of what they are named after.
const SOURCE_ENDS: [&str; 40] = [
    ".adoc", ".c", ".cc", ".cjs", ".cpp", ".cs", ".css", ".dart", ".erl", ".ex", ".exs", ".go",
    ".graphql", ".h", ".hpp", ".hs", ".html", ".java", ".js", ".jsx", ".kt", ".lua", ".md", ".mdx",
    ".mjs", ".ml", ".php", ".proto", ".py", ".pyi", ".rb", ".rs", ".rst", ".scala", ".scss",
    ".svelte", ".swift", ".ts", ".tsx", ".vue",
];

/// Folders of programs, in which one named `secrets` is a part of the program.
const SOURCE_FOLDERS: [&str; 8] =
    ["crates", "docs", "internal", "lib", "packages", "pkg", "src", "tests"];

/// Folders that are secret as a whole.
const SECRET_FOLDERS: [&str; 6] =
    [".aws", ".azure", ".gnupg", ".mozilla", ".password-store", ".ssh"];

/// Files that are secret in a certain folder.
const SECRET_FILES: [(&str, &str); 22] = [
    (".cargo", "credentials"),
    (".cargo", "credentials.toml"),
    (".config", "bravesoftware"),
    (".config", "chromium"),
    (".config", "gcloud"),
    (".config", "google-chrome"),
    (".config", "microsoft-edge"),
    (".docker", "config.json"),
    (".gem", "credentials"),
    (".kube", "config"),
    (".ssh", "id_ed25519"),
    (".ssh", "id_rsa"),
    ("config", "master.key"),
    ("credentials", "production.key"),
    ("credentials", "staging.key"),
    ("etc", "gshadow"),
    ("etc", "shadow"),
    ("etc", "sudoers"),
    ("gh", "hosts.yml"),
    ("google", "chrome"),
    ("library", "keychains"),
    ("share", "keyrings"),
];

/// What follows `.env.` in files without secrets.
const EXAMPLES: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];

const HISTORIES: [&str; 5] =
    [".bash_history", ".zsh_history", ".histfile", ".sh_history", "fish_history"];

impl PathZones {
    /// The rule that protects a path, given as far as it is known, with marks for the rest.
    pub(super) fn protects(&self, path: &str, access: Access) -> Option<BuiltIn> {
        let names = Component::all(path);
        let texts: Vec<&str> = names.iter().map(|it| it.text).collect();
        let is_own = self.home.as_deref().is_some_and(|it| lies_in(path, it));
        let is_of_user = has_pair(&names, &[("provost", "guard-home")]);
        // The folder around the home of the person goes with it.
        let is_around = access == Access::Delete
            && matches!(texts.as_slice(), [.., "state", "provost"] | [.., ".local", "state"]);
        if is_own || is_of_user || is_around || names.iter().any(|it| it.is(".provost")) {
            return Some(ProvostState);
        }
        let last = names.last().copied().unwrap_or(Component::of(""));
        let is_history = last.is_any(&HISTORIES);
        let is_read = access == Access::Read;
        if is_secret(&names) || self.is_secret_at_home(path) || (is_history && is_read) {
            return Some(SecretPath);
        }
        if is_read {
            return None;
        }
        // A lock is left behind by a git that was ended, and git itself says to delete it.
        let is_lock = access == Access::Delete
            && !last.is_pattern()
            && last.text.rsplit_once('.').is_some_and(|it| it.1 == "lock");
        let is_exclude = match texts.as_slice() {
            [.., ".git", "info", "exclude"] => true,
            [.., ".git", _] => is_lock,
            _ => false,
        };
        let is_configuration = last.is("provost.toml")
            || has_pair(&names, &[(".config", "provost")])
            || Harness::entries().any(|it| configures(&it.agent, &names, access));
        let is_program = self.program.as_deref() == Some(path);
        if is_configuration || is_program {
            Some(ProvostConfiguration)
        } else if names.iter().any(|it| it.is(".git")) && !is_exclude {
            Some(GitMetadata)
        } else if is_history {
            Some(SystemHistory)
        } else {
            None
        }
    }

    /// The rule that protects what lies in a folder, which goes with the folder. A home and a whole
    /// project have a rule of their own.
    pub(super) fn protects_below(&self, folder: &str) -> Option<BuiltIn> {
        let holds = |it: &Option<String>| it.as_deref().is_some_and(|it| holds(folder, it));
        let is_whole = !folder.starts_with('/') || self.zone(folder) == Zone::Whole;
        match () {
            () if is_whole => None,
            () if holds(&self.home) => Some(ProvostState),
            () if holds(&self.program) => Some(ProvostConfiguration),
            () => None,
        }
    }

    /// Files that are ordinary in a project and hold logins in a person's home.
    fn is_secret_at_home(&self, path: &str) -> bool {
        path.strip_prefix(&self.user_home)
            .is_some_and(|it| Component::of(it.trim_start_matches('/')).is(".npmrc"))
    }
}

/// Whether a folder, a part of whose name may be open, holds a path.
fn holds(folder: &str, path: &str) -> bool {
    let names = Component::all(folder);
    let mut inner = path.split('/').filter(|it| !it.is_empty());
    !names.is_empty()
        && names.iter().all(|it| inner.next().is_some_and(|name| it.is_on_way(name)))
        && inner.next().is_some()
}

/// Whether a path is of the configuration by which a client calls provost. Without the folders
/// that it lies in, it is gone.
fn configures(client: &AgentProgram, names: &[Component<'_>], access: Access) -> bool {
    let Some(last) = names.last() else { return false };
    client.configuration_names.iter().any(|it| last.text.eq_ignore_ascii_case(it))
        || has_pair(names, client.configuration)
        || (access == Access::Delete && last.is_any(client.folders))
}

fn is_secret(names: &[Component<'_>]) -> bool {
    let Some(last) = names.last() else { return false };
    let is_secret_name = |name: &Component<'_>| {
        name.is_any(&SECRET_NAMES)
            || (name.is_pattern() && SECRET_NAMES.iter().any(|it| name.looks_like(it)))
            || is_environment(name)
    };
    let by_name = names.iter().any(is_secret_name);
    // A pattern may become `key.pem`; a name is compared with the end alone.
    let could_end = |end: &str| last.is_pattern() && last.is(&format!("key{end}"));
    let by_end =
        SECRET_ENDS.iter().any(|it| last.ends(it) || could_end(it)) && !is_certificate(last);
    let is_public = last.ends(".pub") || last.begins("known_hosts");
    let by_folder = names.iter().any(|it| it.is_any(&SECRET_FOLDERS)) && !is_public;
    let is_environ = names.first().is_some_and(|it| it.text == "proc") && last.is("environ");
    // An account's region and its output format are not secret.
    let is_plain =
        matches!(names, [.., folder, file] if folder.text == ".aws" && file.text == "config");
    let by_word = keeps_secrets(names);
    let by_pair = has_pair(names, &SECRET_FILES)
        || Harness::entries().any(|it| has_pair(names, it.agent.secrets));
    let is_list = [".csv", ".txt", ".xlsx"].iter().any(|it| last.ends(it))
        && ["password", "passwords", "密码"].iter().any(|it| last.begins(it));
    (by_name || by_end || by_folder || by_word || is_environ || by_pair || is_list) && !is_plain
}

/// A file that is called `secrets`, or lies in a folder of that name, unless it is a program's.
fn keeps_secrets(names: &[Component<'_>]) -> bool {
    let Some((last, folders)) = names.split_last() else { return false };
    if !names.iter().any(|it| it.begins("secrets") || it.is("secrets")) {
        return false;
    }
    let is_source = SOURCE_ENDS.iter().any(|it| last.ends(it))
        || last.lowered().split('.').skip(1).any(|it| EXAMPLES.contains(&it));
    let is_module =
        last.lowered() == "secrets" && folders.iter().any(|it| SOURCE_FOLDERS.contains(&it.text));
    !is_source && !is_module
}

/// `cert.pem` and `fullchain.pem` are shown to everybody; `key.pem` is not.
fn is_certificate(name: &Component<'_>) -> bool {
    let name = name.lowered();
    let Some(stem) = name.strip_suffix(".pem").filter(|it| !it.contains([ANY, ONE, UNKNOWN]))
    else {
        return false;
    };
    let mut parts = stem.split(|it: char| !it.is_ascii_alphanumeric());
    let speaks = ["bundle", "cert", "chain", "crt", "csr"].iter().any(|it| stem.contains(it))
        || parts.any(|it| matches!(it, "ca" | "cacert" | "root"));
    let is_public_key = stem.contains("pub");
    !stem.contains("priv") && (is_public_key || (speaks && !stem.contains("key")))
}

/// Whether a name, or a pattern of names, is that of a program or of a text.
pub(super) fn is_source(name: &str) -> bool {
    SOURCE_ENDS.iter().any(|it| name.ends_with(it))
}

/// `.env.production`, but not `.env.example`.
fn is_environment(name: &Component<'_>) -> bool {
    name.begins(".env.") && name.text.len() > ".env.".len() && !is_template(name.text)
}

/// `.env.example`: an environment without its values.
pub(super) fn is_template(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let rest = name.strip_prefix(".env.").unwrap_or_default();
    EXAMPLES.iter().any(|it| rest == *it || rest.ends_with(&format!(".{it}")))
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::policy::ToolCall;

    use super::*;

    #[track_caller]
    fn check(path: &str, access: Access, expected: Option<&str>) {
        let mut call = ToolCall::shell("", "/home/user/project");
        call.home = Some("/srv/provost-home".to_owned());
        call.user_home = Some("/home/user".to_owned());
        let zones = PathZones::of(&call);
        let path = zones.target_of(path).path;
        assert_eq!(zones.protects(&path, access).map(BuiltIn::id), expected, "{path}");
    }

    #[test]
    fn secrets_are_closed_to_readers_and_writers() {
        for path in [
            ".env",
            "a/.ENV",
            ".env.production",
            ".env/bin/x",
            "Secrets/db.yaml",
            "secrets",
            "secrets/prod.key",
            "secrets.json",
            "src/secrets.yml",
            "secrets.env",
            "secrets.txt",
            "config/secrets.toml",
            "tls/key.PEM",
            "privkey.pem",
            "cert-key.pem",
            "ca-private.pem",
            "server.pem",
            "~/.ssh/id_rsa",
            "~/.ssh",
            "~/.ssh/config",
            "~/.aws/credentials",
            "~/.netrc",
            "~/.npmrc",
            "/etc/shadow",
            "/proc/self/environ",
            ".claude/settings.local.json",
            "~/.config/gcloud/x.db",
            "配置/.env",
        ] {
            check(path, Access::Read, Some("secret.path"));
            check(path, Access::Write, Some("secret.path"));
        }
        for path in [
            ".envrc",
            ".env.example",
            ".env.local.example",
            "src/secret.rs",
            "src/secrets.rs",
            "src/secrets/mod.rs",
            "src/secrets",
            "src/secrets_manager.ts",
            "src/secrets_test.go",
            "docs/secrets.md",
            "secrets.example.yaml",
            "tests/fixtures/cert.pem",
            "tls/fullchain.pem",
            "tls/ca.pem",
            "public_key.pem",
            "a.pem.rs",
            "~/.ssh/id_rsa.pub",
            "~/.ssh/known_hosts",
            ".npmrc",
            "environ",
            "etc/hosts",
            "",
        ] {
            check(path, Access::Read, None);
        }
    }

    #[test]
    fn provost_keeps_its_own() {
        check(".provost/out/x", Access::Read, Some("provost.state"));
        check("sub/.Provost/x", Access::Write, Some("provost.state"));
        check("/srv/provost-home/guard/policy.json", Access::Read, Some("provost.state"));
        check("/srv/provost-home2/x", Access::Write, None);
        for path in [
            "provost.toml",
            ".claude/settings.json",
            "~/.claude/settings.json",
            ".codex/hooks.json",
            ".gemini/settings.json",
            ".cursor/hooks.json",
            ".opencode/plugins/x.js",
        ] {
            check(path, Access::Write, Some("provost.configuration"));
            check(path, Access::Read, None);
        }
        check(".claude", Access::Delete, Some("provost.configuration"));
        check(".claude/commands/x.md", Access::Write, None);
    }

    #[test]
    fn git_keeps_its_own() {
        check(".git/hooks/pre-commit", Access::Write, Some("git.metadata"));
        check(".git/config", Access::Write, Some("git.metadata"));
        check(".git", Access::Delete, Some("git.metadata"));
        check(".git/config", Access::Read, None);
        check(".git/info/exclude", Access::Write, None);
        check(".github/workflows/ci.yml", Access::Write, None);
        check(".gitignore", Access::Write, None);
    }
}
