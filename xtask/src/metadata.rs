//! What cargo knows about the packages, as far as the tasks ask.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{failure::Failure, process::Process};

/// The answer of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// None where only the workspace was asked for.
    #[serde(default)]
    pub(crate) resolve: Option<Resolve>,
}

/// What cargo resolved every dependency to.
#[derive(Debug, Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<NodeDependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NodeDependency {
    /// The id of its package.
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DependencyKind {
    kind: Option<Kind>,
}

impl DependencyKind {
    /// Whether it is for tests alone.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind == Some(Kind::Dev)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Option<Kind>,
}

/// What a dependency is for; cargo writes nothing for a normal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Dev,
    Build,
}

/// One line of `--message-format=json`; lines of other kinds lack the fields and give nothing.
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    target: Option<Target>,
    executable: Option<PathBuf>,
    profile: Option<Profile>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

impl Metadata {
    /// The packages of this workspace alone.
    pub(crate) fn of_workspace() -> Result<Self, Failure> {
        Self::parse(
            &Process::new("cargo", &["metadata", "--format-version=1", "--no-deps"]).text()?,
        )
    }

    /// The packages of this workspace and everything that they depend on, on any platform.
    pub(crate) fn of_everything() -> Result<Self, Failure> {
        Self::parse(&Process::new("cargo", &["metadata", "--format-version=1"]).text()?)
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text)
            .map_err(|error| Failure::Unable(format!("cannot read `cargo metadata`: {error}")))
    }
}

/// Finds the executable of the binary `name` among the messages of a build; the same target
/// built as a test harness is not it.
pub(crate) fn find_executable(messages: &str, name: &str) -> Option<PathBuf> {
    messages.lines().filter_map(|it| serde_json::from_str::<Message>(it).ok()).find_map(|it| {
        let is_binary = it.reason == "compiler-artifact"
            && it.target.is_some_and(|it| it.name == name && it.kind == ["bin"])
            && it.profile.is_some_and(|it| !it.test);
        it.executable.filter(|_| is_binary)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_dependency_is_read() {
        let text = r#"{"packages": [{"name": "a", "version": "1.0.0", "license": null,
            "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]}]}"#;
        let metadata = Metadata::parse(text).unwrap();
        let kinds: Vec<_> = metadata.packages[0].dependencies.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [None, Some(Kind::Dev)]);
        assert!(Metadata::parse("{}").is_err());
    }

    #[test]
    fn only_the_binary_itself_is_the_executable() {
        let artifact = |kind: &str, name: &str, test: bool, path: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"{name}","kind":["{kind}"]}},"profile":{{"test":{test}}},"executable":"{path}"}}"#
            )
        };
        let finished = r#"{"reason":"build-finished","success":true}"#.to_owned();
        let harness = artifact("bin", "tool", true, "t/deps/tool-1");
        let library = artifact("lib", "tool", false, "t/deps/tool-2");
        let other = artifact("bin", "tool-2", false, "t/tool-2");
        let binary = artifact("bin", "tool", false, "t/tool");

        let all = [&harness, &library, &other, &binary, &finished].map(String::as_str).join("\n");
        assert_eq!(find_executable(&all, "tool"), Some(PathBuf::from("t/tool")));
        let none = [&harness, &library, &other, &finished].map(String::as_str).join("\n");
        assert_eq!(find_executable(&none, "tool"), None);
        assert_eq!(find_executable("warning: not JSON", "tool"), None);
    }
}
