//! Which files have commands in them, by their names and first lines.

use super::{Command, Interpreter, Machine, ScanError, package, recipe, yaml};

/// What a file is to those who run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Script,
    Workflow,
    Action,
    GitLab,
    PreCommit,
    Package,
    Makefile,
    Justfile,
    Dockerfile,
}

const SHELLS: [&str; 6] = ["ash", "bash", "dash", "ksh", "sh", "zsh"];

impl Source {
    /// The source that a name stands for; a script without an ending has it in its first line.
    pub fn of_name(path: &str) -> Option<Self> {
        let lowered = path.to_ascii_lowercase();
        let (folder, name) = lowered.rsplit_once('/').unwrap_or(("", &lowered));
        let ending = name.rsplit_once('.').map_or("", |it| it.1);
        let is_yaml = matches!(ending, "yml" | "yaml");
        let in_folder = |it: &str| folder == it || folder.ends_with(&format!("/{it}"));
        if is_yaml && (in_folder(".github/workflows") || in_folder(".gitea/workflows")) {
            return Some(Self::Workflow);
        }
        match name {
            "action.yml" | "action.yaml" => Some(Self::Action),
            ".gitlab-ci.yml" | ".gitlab-ci.yaml" => Some(Self::GitLab),
            ".pre-commit-config.yaml" | ".pre-commit-config.yml" => Some(Self::PreCommit),
            "package.json" => Some(Self::Package),
            "makefile" | "gnumakefile" => Some(Self::Makefile),
            "justfile" | ".justfile" => Some(Self::Justfile),
            "dockerfile" | "containerfile" => Some(Self::Dockerfile),
            _ if is_yaml && name.ends_with(&format!(".gitlab-ci.{ending}")) => Some(Self::GitLab),
            _ if name.starts_with("dockerfile.") || name.starts_with("containerfile.") => {
                Some(Self::Dockerfile)
            }
            _ => match ending {
                "sh" | "bash" | "ksh" | "zsh" => Some(Self::Script),
                "mk" | "make" => Some(Self::Makefile),
                "just" => Some(Self::Justfile),
                "dockerfile" | "containerfile" => Some(Self::Dockerfile),
                _ => None,
            },
        }
    }

    /// Whether a first line names a shell: `#!/usr/bin/env -S bash -e`.
    pub fn of_first_line(bytes: &[u8]) -> Option<Self> {
        let line = bytes.split(|it| *it == b'\n').next()?.strip_prefix(b"#!")?;
        let line = String::from_utf8_lossy(line.get(..256).unwrap_or(line)).into_owned();
        let names_shell = line
            .split_whitespace()
            .filter_map(|it| it.rsplit('/').next())
            .find(|it| !it.starts_with('-') && *it != "env" && !it.contains('='))
            .is_some_and(|it| SHELLS.contains(&it));
        names_shell.then_some(Self::Script)
    }
}

/// The commands of a file.
pub(super) fn commands(source: Source, path: &str, text: &str) -> Result<Vec<Command>, ScanError> {
    let folder = path.rsplit_once('/').map_or("", |it| it.0);
    match source {
        Source::Script => {
            // A script runs where it is called, and that is the root as a rule.
            let script = Command::on_kept(1, text, "");
            Ok(vec![script])
        }
        Source::Workflow => yaml::workflow(text),
        Source::Action => yaml::action(text),
        Source::GitLab => yaml::gitlab(text),
        Source::PreCommit => yaml::pre_commit(text),
        Source::Package => package::commands(text, folder),
        Source::Makefile => Ok(recipe::makefile(text, folder)),
        Source::Justfile => Ok(recipe::justfile(text, folder)),
        Source::Dockerfile => Ok(recipe::dockerfile(text)),
    }
}

impl Command {
    /// A command of a shell that may run on somebody's own machine.
    pub(super) fn on_kept(line: usize, text: &str, directory: &str) -> Self {
        Self {
            line,
            text: text.to_owned(),
            interpreter: Interpreter::Shell,
            machine: Machine::Kept,
            directory: directory.to_owned(),
        }
    }
}
