//! A person's repository with one commit, a private clone of it, and an agent in that clone.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use provost_exec::git::{
    FileChange, Git, Identity, Kind, PrivateClone, Snapshot, changes, clone, snapshot,
};

use crate::world::{World, guardian};

pub(crate) struct Repository {
    pub(crate) world: World,
    pub(crate) git: Git,
    pub(crate) path: PathBuf,
    pub(crate) clone: PrivateClone,
}

pub(crate) fn identity() -> Identity {
    Identity { name: "an agent".to_owned(), email: "agent@example.com".to_owned() }
}

pub(crate) fn git() -> Git {
    Git::new(guardian(), &std::env::var("PATH").unwrap())
}

/// Runs a script as a person or an agent would, and insists that it works.
#[track_caller]
pub(crate) fn script(world: &World, folder: &str, text: &str) -> String {
    let output = Command::new("sh")
        .args(["-ec", text])
        .current_dir(world.path.join(folder))
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", world.path.join("nobody"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.com")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.com")
        .env("W", &world.path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

impl Repository {
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// A repository whose first commit also holds what the script makes.
    pub(crate) fn with(more: &str) -> Self {
        let world = World::new();
        std::fs::create_dir(world.path.join("person")).unwrap();
        let first = "git init -q -b main; printf 'one\\ntwo\\n' > text; echo x > gone; \
            printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh; ln -s text link; \
            printf 'a\\0b' > binary; mkdir folder; echo 1 > folder/中文.txt; \
            echo '*.log' > .gitignore; echo kept > kept.log; git add -f kept.log;";
        let text = format!("{first} {more} git add -A; git commit -q -m base");
        script(&world, "person", &text);
        let git = git();
        let path = world.path.join("person");
        let clone =
            clone::private(&git, &path, "main", &world.path.join("attempt_001"), &identity())
                .unwrap();
        Self { world, git, path, clone }
    }

    /// Runs a script in the agent's tree. `$W` is the world, `$G` the private repository.
    #[track_caller]
    pub(crate) fn agent(&self, text: &str) -> String {
        script(&self.world, "attempt_001", text)
    }

    #[track_caller]
    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot::take(&self.git, &self.clone).unwrap()
    }

    #[track_caller]
    pub(crate) fn changes(&self) -> Vec<FileChange> {
        changes::of(&self.git, &self.clone, &self.snapshot()).unwrap()
    }

    /// Each change on a line: path, lines, kinds, stages.
    #[track_caller]
    pub(crate) fn described(&self) -> Vec<String> {
        self.changes().iter().map(describe).collect()
    }
}

pub(crate) fn describe(change: &FileChange) -> String {
    let kind = |kind: Option<Kind>| match kind {
        None => "-",
        Some(Kind::File) => "file",
        Some(Kind::Executable) => "program",
        Some(Kind::Symlink) => "link",
        Some(Kind::Repository) => "repository",
    };
    let stages = [
        (change.stages.committed, "committed"),
        (change.stages.staged, "staged"),
        (change.stages.unstaged, "unstaged"),
        (change.stages.untracked, "untracked"),
    ];
    let stages: Vec<&str> = stages.iter().filter_map(|(is, name)| is.then_some(*name)).collect();
    let lines = if change.is_binary {
        "binary".to_owned()
    } else {
        format!("+{} -{}", change.added, change.removed)
    };
    let (old, new) = (kind(change.old), kind(change.new));
    format!("{} {lines} {old}>{new} {}", change.path.escape_debug(), stages.join(","))
}
