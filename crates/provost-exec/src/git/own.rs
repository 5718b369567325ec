//! The person's own git: in their repository, with their settings, hooks, filters and keys.
//!
//! It is used for what a person does with a result: a commit that is theirs, and the step of a
//! branch. No agent works at that time, and nothing of it is read for a verdict.

mod uncommitted;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use provost_kernel::Timestamp;

pub use self::uncommitted::Uncommitted;
use super::{Git, GitAction, GitError, Identity, ObjectId, run::Call};

/// Variables of git that say who somebody is, and where the settings are. The others lead to
/// another repository, and are left out.
const KEPT: [&str; 8] = [
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_SSH_COMMAND",
];
/// No editor and no question: they would not be seen.
const SILENT: [(&str, &str); 5] = [
    ("GIT_EDITOR", "false"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// The git of a person.
#[derive(Clone, Debug)]
pub struct Own<'a> {
    pub git: &'a Git,
    /// The person's environment.
    pub variables: &'a BTreeMap<String, String>,
    pub repository: &'a Path,
}

/// A folder in which a repository is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    /// Its branch; none where it is on a commit.
    pub branch: Option<String>,
}

/// A commit in the making.
#[derive(Clone, Copy, Debug)]
pub struct NewCommit<'a> {
    pub tree: &'a ObjectId,
    pub parents: &'a [&'a ObjectId],
    /// The file that holds the message.
    pub message: &'a Path,
    /// When it was written, where that is not now.
    pub written: Option<Timestamp>,
}

/// Whether git did what it was asked; what it said if not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Done,
    Refused { said: String },
}

impl Own<'_> {
    /// Who commits; none where git does not know.
    pub fn identity(&self) -> Result<Option<Identity>, GitError> {
        let args = ["-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"];
        let ran = self.call(self.repository, GitAction::Read, &args).run()?;
        let line = String::from_utf8_lossy(&ran.stdout).into_owned();
        let identity = line.split_once(" <").and_then(|(name, rest)| {
            let (email, _) = rest.split_once('>')?;
            Some(Identity { name: name.to_owned(), email: email.to_owned() })
        });
        Ok(identity.filter(|_| ran.rc == 0))
    }

    /// Lets the person's hook look at a message, and change it.
    pub fn check_message(&self, message: &Path) -> Result<Answer, GitError> {
        let text = text(message)?;
        let args = ["hook", "run", "--ignore-missing", "commit-msg", "--", text];
        answer(self.call(self.repository, GitAction::Commit, &args))
    }

    /// Makes a commit, signed if the person signs.
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<ObjectId, GitError> {
        let args = ["config", "--type=bool", "--get", "commit.gpgSign"];
        let signs = self.call(self.repository, GitAction::Read, &args).run()?;
        let mut args = vec!["commit-tree"];
        if signs.stdout.starts_with(b"true") {
            args.push("-S");
        }
        args.extend(new.parents.iter().flat_map(|it| ["-p", it.as_str()]));
        args.extend(["-F", text(new.message)?, new.tree.as_str()]);
        let mut call = self.call(self.repository, GitAction::Commit, &args);
        if let Some(written) = new.written {
            call.set("GIT_AUTHOR_DATE", format!("@{} +0000", written.seconds()));
        }
        let line = call.line()?;
        line.parse().map_err(|_| GitError::BadRevision { revision: line })
    }

    /// Every folder in which the repository is checked out.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let args = ["worktree", "list", "--porcelain", "-z"];
        let listed = self.git.at(self.repository, GitAction::List, &args).output()?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let mut found: Vec<Worktree> = Vec::new();
        for line in listed.split('\0') {
            if let Some(path) = line.strip_prefix("worktree ") {
                found.push(Worktree { path: path.into(), branch: None });
            } else if let (Some(name), Some(last)) =
                (line.strip_prefix("branch refs/heads/"), found.last_mut())
            {
                last.branch = Some(name.to_owned());
            }
        }
        Ok(found)
    }

    /// The tracked files of a worktree that differ from its commit.
    pub fn uncommitted(&self, worktree: &Path) -> Result<Vec<String>, GitError> {
        let args = ["--no-optional-locks", "status", "--porcelain", "-z", "--no-renames"];
        let args = [args.as_slice(), &["--untracked-files=no"]].concat();
        let listed = self.call(worktree, GitAction::Compare, &args).output()?;
        let entries = listed.split(|it| *it == 0);
        let names = entries.filter_map(|it| it.get(3..)).filter(|it| !it.is_empty());
        Ok(names.map(|it| String::from_utf8_lossy(it).into_owned()).collect())
    }

    /// Whether index and tracked files of a worktree are those of a commit.
    pub fn has_files_of(&self, worktree: &Path, commit: &ObjectId) -> Result<bool, GitError> {
        for which in [&["--cached"][..], &[]] {
            let args = [&["diff-index", "--quiet"], which, &[commit.as_str(), "--"]].concat();
            if self.call(worktree, GitAction::Compare, &args).run()?.rc != 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Moves the branch of a worktree forward, with its index and its files.
    pub fn fast_forward(&self, worktree: &Path, to: &ObjectId) -> Result<Answer, GitError> {
        let args = ["merge", "--ff-only", "--no-stat", "--quiet", to.as_str()];
        answer(self.call(worktree, GitAction::Move, &args))
    }

    /// Moves a branch that is checked out nowhere, if it is still where it was.
    pub fn move_branch(
        &self,
        branch: &str,
        to: &ObjectId,
        from: Option<&ObjectId>,
        why: &str,
    ) -> Result<Answer, GitError> {
        let name = format!("refs/heads/{branch}");
        let nothing = "0".repeat(to.as_str().len());
        let from = from.map_or(nothing.as_str(), ObjectId::as_str);
        let args = ["update-ref", "-m", why, &name, to.as_str(), from];
        answer(self.call(self.repository, GitAction::Move, &args))
    }

    /// The tip of a branch; none where it does not exist.
    pub fn tip(&self, branch: &str) -> Result<Option<ObjectId>, GitError> {
        self.resolve(&format!("refs/heads/{branch}"))
    }

    /// The commit that a full name stands for.
    pub fn resolve(&self, reference: &str) -> Result<Option<ObjectId>, GitError> {
        let commit = format!("{reference}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let ran = self.git.at(self.repository, GitAction::Read, &args).run()?;
        Ok(String::from_utf8_lossy(&ran.stdout).trim_end().parse().ok())
    }

    /// Whether a name can be that of a branch.
    pub fn is_branch_name(&self, name: &str) -> Result<bool, GitError> {
        if name.starts_with('-') || name.contains(char::is_control) || name.starts_with('@') {
            return Ok(false);
        }
        let args = ["check-ref-format", "--branch", name];
        let ran = self.git.at(self.repository, GitAction::Read, &args).run()?;
        Ok(ran.rc == 0 && String::from_utf8_lossy(&ran.stdout).trim_end() == name)
    }

    /// Names a commit, so that git keeps it.
    pub fn name(&self, reference: &str, commit: &ObjectId) -> Result<(), GitError> {
        let args = ["update-ref", reference, commit.as_str()];
        self.git.at(self.repository, GitAction::Save, &args).output().map(drop)
    }

    /// Takes such a name away.
    pub fn forget(&self, reference: &str) -> Result<(), GitError> {
        let args = ["update-ref", "-d", reference];
        self.git.at(self.repository, GitAction::Save, &args).output().map(drop)
    }

    /// When a commit was written.
    pub fn written(&self, commit: &ObjectId) -> Result<Option<Timestamp>, GitError> {
        let args = ["show", "-s", "--format=%at", commit.as_str()];
        let line = self.git.at(self.repository, GitAction::Read, &args).line()?;
        let seconds = line.trim().parse::<u64>().ok();
        Ok(seconds.map(|it| Timestamp::from(provost_kernel::Millis(it.saturating_mul(1000)))))
    }

    fn call(&self, folder: &Path, action: GitAction, args: &[&str]) -> Call<'_> {
        let is_kept = |name: &str| !name.starts_with("GIT_") || KEPT.contains(&name);
        let own = self.variables.iter().filter(|(name, _)| is_kept(name));
        let own = own.map(|(name, value)| (name.as_str(), value.as_str()));
        self.git.own(folder, action, args, own.chain(SILENT))
    }
}

/// What a command came to that may be refused.
fn answer(call: Call<'_>) -> Result<Answer, GitError> {
    let ran = call.run()?;
    Ok(match ran.rc {
        0 => Answer::Done,
        // Quotes need no escape where a person reads them.
        _ => Answer::Refused { said: ran.failure().text.replace("\\'", "'") },
    })
}

fn text(path: &Path) -> Result<&str, GitError> {
    path.to_str().ok_or_else(|| super::clone::bad_path(path))
}
