//! The real clients: where they come from, and how each is led to the scripted model.

use std::{
    collections::BTreeMap,
    env::consts::{ARCH, OS},
    path::PathBuf,
};

use serde::Deserialize;

use crate::{failure::Failure, process::Process, project};

/// A client, and the package that it comes in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Client {
    /// The name of its program.
    pub(super) name: &'static str,
    package: &'static str,
    pub(super) version: &'static str,
    /// The folder that it is installed in.
    place: &'static str,
    /// Where its program lies, in the folder of its package or of all programs.
    program: Program,
    /// Whether `provost guard test --live` can drive it.
    pub(super) is_guarded: bool,
    /// How it is driven as an agent; none where that is not tried.
    pub(super) agent: Option<Agent>,
}

/// A client as an agent of a task. In all texts, `{base}` is the address of the model and `{repo}`
/// the person's repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Agent {
    pub(super) preset: &'static str,
    /// What the person has in their environment.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// What the person has in their home.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// How a person would start it in the tree, to see whether the plants are alive there.
    pub(super) plain: &'static [&'static str],
}

#[derive(Debug, PartialEq, Eq)]
enum Program {
    /// The package's own name ends with the platform, and the program lies in this folder of it:
    /// the package that people install puts it in its place by a script, and no script is run
    /// here.
    InPackage(&'static str),
    /// Where npm links every program.
    Linked,
}

/// The versions that the answers of provost were held against.
pub(super) static CLIENTS: [Client; 4] = [
    Client {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        version: "2.1.327",
        place: FOLDER,
        program: Program::InPackage(""),
        is_guarded: true,
        agent: Some(Agent {
            preset: "claude-code",
            variables: &[("ANTHROPIC_BASE_URL", "{base}"), ("ANTHROPIC_API_KEY", "none")],
            files: &[],
            plain: &["-p", "--output-format=json", "--", PROMPT],
        }),
    },
    Client {
        name: "codex",
        package: "@openai/codex",
        version: "0.169.0",
        place: FOLDER,
        program: Program::Linked,
        is_guarded: true,
        agent: Some(Agent {
            preset: "codex",
            variables: &[("OPENAI_API_KEY", "none")],
            // A person who works in a repository trusts it.
            files: &[(
                ".codex/config.toml",
                r#"model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
analytics.enabled = false
features.apps = false
features.plugins = false

[model_providers.scripted]
name = "scripted"
base_url = "{base}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

[projects."{repo}"]
trust_level = "trusted"
"#,
            )],
            plain: &[
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--sandbox=danger-full-access",
                "--",
                PROMPT,
            ],
        }),
    },
    Client {
        name: "gemini",
        package: "@google/gemini-cli",
        version: "0.61.0",
        place: FOLDER,
        program: Program::Linked,
        is_guarded: true,
        agent: None,
    },
    Client {
        name: "opencode",
        package: "opencode",
        version: "1.18.33",
        place: FOLDER,
        program: Program::InPackage("bin"),
        is_guarded: false,
        agent: Some(Agent {
            preset: "opencode",
            variables: &[("SCRIPTED_API_KEY", "none")],
            files: &[(
                ".config/opencode/opencode.json",
                r#"{
  "autoupdate": false,
  "model": "scripted/scripted",
  "small_model": "scripted/scripted",
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/anthropic",
      "name": "scripted",
      "options": { "baseURL": "{base}/v1", "apiKey": "{env:SCRIPTED_API_KEY}" },
      "models": { "scripted": { "name": "scripted" } }
    }
  }
}
"#,
            )],
            plain: &["run", "--format=json", "--", PROMPT],
        }),
    },
];

/// A version of Claude Code that people still have, from before `onFailure`.
pub(super) static OLDER: Client = Client {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.197",
    place: "target/clients-older",
    program: Program::InPackage(""),
    is_guarded: false,
    agent: None,
};

/// What a client is asked where provost does not ask.
const PROMPT: &str = "Is the work in this folder done? Answer with a verdict.";

/// Where the clients are installed.
const FOLDER: &str = "target/clients";

/// The clients with these names, or all of those that can be driven in this way.
pub(super) fn choose(
    names: &[&str],
    can: fn(&Client) -> bool,
) -> Result<Vec<&'static Client>, Failure> {
    let all = || CLIENTS.iter().filter(|it| can(it));
    if names.is_empty() {
        return Ok(all().collect());
    }
    let find = |name: &&str| {
        all().find(|it| it.name == *name).ok_or_else(|| {
            let known = all().map(|it| it.name).collect::<Vec<_>>().join(", ");
            Failure::Unable(format!("unknown client `{name}`\nhint: the clients are {known}"))
        })
    };
    names.iter().map(find).collect()
}

/// Installs those clients that are not there in their version. No script of a package is run.
pub(super) fn install(clients: &[&Client]) -> Result<(), Failure> {
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for client in clients {
        if !client.is_installed()? {
            let package = format!("{}@{}", client.package(), client.version);
            missing.entry(client.place).or_default().push(package);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    if !Process::new("npm", &["--version"]).answers() {
        return Err(Failure::Unable(
            "the clients come with npm, which is not installed\nhint: install Node.js 20 or newer"
                .to_owned(),
        ));
    }
    for (place, packages) in missing {
        if project::read_if_present(&format!("{place}/package.json"))?.is_none() {
            project::write(&format!("{place}/package.json"), "{ \"private\": true }\n")?;
        }
        let mut words = vec!["install", "--prefix", place, "--ignore-scripts"];
        words.extend(["--save-exact", "--no-audit", "--no-fund", "--loglevel=error"]);
        words.extend(packages.iter().map(String::as_str));
        println!("installing: npm {}", words.join(" "));
        Process::new("npm", &words).run()?;
    }
    Ok(())
}

impl Client {
    /// The package that holds the program.
    fn package(&self) -> String {
        match self.program {
            Program::InPackage(_) => format!("{}-{}", self.package, platform()),
            Program::Linked => self.package.to_owned(),
        }
    }

    fn is_installed(&self) -> Result<bool, Failure> {
        #[derive(Deserialize)]
        struct Manifest {
            version: String,
        }
        let path = format!("{}/node_modules/{}/package.json", self.place, self.package());
        let text = project::read_if_present(&path)?.unwrap_or_default();
        let manifest: Option<Manifest> = serde_json::from_str(&text).ok();
        Ok(manifest.is_some_and(|it| it.version == self.version))
    }

    /// The folder in which the program lies.
    pub(super) fn folder(&self) -> PathBuf {
        let modules = project::root().join(self.place).join("node_modules");
        match self.program {
            Program::InPackage(folder) => modules.join(self.package()).join(folder),
            Program::Linked => modules.join(".bin"),
        }
    }
}

/// The platform, as the names of packages spell it.
fn platform() -> String {
    let system = if OS == "macos" { "darwin" } else { OS };
    let processor = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

#[expect(clippy::disallowed_methods, reason = "a task hands on where programs are found")]
pub(crate) fn inherited(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_or_all_of_them() {
        let names = |options: &[&str], can: fn(&Client) -> bool| {
            choose(options, can).map(|it| it.iter().map(|it| it.name).collect::<Vec<_>>())
        };
        let is_guarded = |it: &Client| it.is_guarded;
        let is_agent = |it: &Client| it.agent.is_some();
        assert_eq!(names(&[], is_guarded).unwrap(), ["claude", "codex", "gemini"]);
        assert_eq!(names(&[], is_agent).unwrap(), ["claude", "codex", "opencode"]);
        assert_eq!(names(&["codex"], is_guarded).unwrap(), ["codex"]);
        assert_eq!(names(&["codex", "claude"], is_agent).unwrap(), ["codex", "claude"]);
        assert_eq!(
            names(&["clode"], is_guarded).unwrap_err().to_string(),
            "unknown client `clode`\nhint: the clients are claude, codex, gemini",
        );
        assert!(names(&["gemini"], is_agent).is_err());
    }

    /// Nothing that a client is told leads it off this machine.
    #[test]
    fn every_address_is_the_one_of_the_model() {
        for agent in CLIENTS.iter().filter_map(|it| it.agent.as_ref()) {
            let texts = agent.variables.iter().chain(agent.files).map(|it| it.1);
            let all = texts.collect::<Vec<_>>().concat();
            assert!(all.contains("{base}"), "{}", agent.preset);
            assert!(!all.contains("://"), "{}", agent.preset);
        }
    }
}
