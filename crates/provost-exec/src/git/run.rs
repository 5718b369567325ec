//! One git command: its settings, its environment, its output in a file.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::File,
    path::{Path, PathBuf},
};

use super::{Content, Git, GitAction, GitError, error::GitFailure, watch};
use crate::{
    Capture, Ended, ExecError, Job, Outcome, Streams,
    capture::{read_from_start, scratch},
    job::Input,
    sandbox::{Network, Requirement, Sandbox},
};

/// How much a command may print that prints a list.
pub(super) const LIST_CAP: u64 = 256 << 20;

/// Settings that outrank every configuration file: nothing is run that we did not ask for, nothing
/// is fetched, and the answer does not depend on the person's taste.
const SETTINGS: [&str; 36] = [
    "advice.detachedHead=false",
    "commit.gpgSign=false",
    "core.alternateRefsCommand=true",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.checkStat=default",
    "core.commitGraph=false",
    "core.editor=false",
    "core.excludesFile=/dev/null",
    "core.fileMode=true",
    "core.fsmonitor=false",
    "core.gitProxy=false",
    "core.hooksPath=/dev/null",
    "core.ignoreCase=false",
    "core.logAllRefUpdates=false",
    "core.multiPackIndex=false",
    "core.pager=cat",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.quotePath=false",
    "core.safecrlf=false",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.sshCommand=false",
    "core.symlinks=true",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "credential.helper=",
    "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "pack.useBitmaps=false",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
];

/// The environment of every command. Nothing is inherited, so no `GIT_…` of the person or of an
/// agent takes part. `PATH` is added.
const ENVIRONMENT: [(&str, &str); 15] = [
    ("GIT_ADVICE", "0"),
    ("GIT_ALLOW_PROTOCOL", "file"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("HOME", "/dev/null"),
    ("LC_ALL", "C"),
];

/// One command, in the making.
pub(super) struct Call<'g> {
    git: &'g Git,
    job: Job,
    stdout: Option<File>,
    /// What is done to what, for the error.
    action: GitAction,
    subject: String,
}

/// How a command ended that could be run.
pub(super) struct Ran {
    pub(super) rc: i32,
    pub(super) stdout: Vec<u8>,
    /// How much of the output was cut off.
    pub(super) dropped: u64,
    stderr: Vec<u8>,
}

impl Git {
    /// A command that works on the repository in `git_dir` and on no other.
    pub(super) fn in_dir(&self, git_dir: &Path, action: GitAction, args: &[&str]) -> Call<'_> {
        let mut call = self.call(Path::new("/"), action, git_dir, args);
        call.set("GIT_DIR", git_dir);
        call
    }

    /// A command that looks for the repository that `folder` belongs to.
    pub(super) fn at(&self, folder: &Path, action: GitAction, args: &[&str]) -> Call<'_> {
        self.call(folder, action, folder, args)
    }

    /// A command with an environment that the caller chose, and with whatever it configures.
    pub(super) fn own<'v>(
        &self,
        folder: &Path,
        action: GitAction,
        args: &[&str],
        environment: impl Iterator<Item = (&'v str, &'v str)>,
    ) -> Call<'_> {
        let argv = ["git", "--no-pager"].into_iter().chain(args.iter().copied());
        let mut job = Job::new(argv, folder, self.deadline);
        job.output_cap = LIST_CAP;
        job.env = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        job.env.insert("PATH".to_owned(), self.path.clone());
        let subject = folder.display().to_string();
        Call { git: self, job, stdout: None, action, subject }
    }

    fn call(&self, cwd: &Path, action: GitAction, subject: &Path, args: &[&str]) -> Call<'_> {
        let settings = SETTINGS.iter().flat_map(|it| ["-c", it]);
        let argv = ["git", "--no-pager"].into_iter().chain(settings).chain(args.iter().copied());
        let mut job = Job::new(argv, cwd, self.deadline);
        job.output_cap = LIST_CAP;
        job.env = ENVIRONMENT
            .into_iter()
            .chain([("PATH", self.path.as_str())])
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect::<BTreeMap<_, _>>();
        Call { git: self, job, stdout: None, action, subject: subject.display().to_string() }
    }
}

impl Call<'_> {
    /// Sets a variable. A path that is not text cannot be passed on, and is refused when the
    /// command is run.
    pub(super) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let value = value.as_ref().to_str().unwrap_or("\0").to_owned();
        self.job.env.insert(name.to_owned(), value);
    }

    /// Gives the command more settings, which outrank the others.
    pub(super) fn configured(mut self, settings: impl Iterator<Item = &'static str>) -> Self {
        let more = settings.flat_map(|it| ["-c".to_owned(), it.to_owned()]);
        let place = 2 + 2 * SETTINGS.len();
        self.job.argv.splice(place..place, more);
        self
    }

    /// Lets the command read the settings of the person as well: to say what they are.
    pub(super) fn with_own_settings(mut self) -> Self {
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"] {
            self.job.env.remove(name);
        }
        self
    }

    pub(super) fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.set(name, value);
        self
    }

    /// Lets the command write into this folder and nowhere else, as far as the kernel can see to
    /// it. It is a second wall around commands that read what an agent wrote.
    pub(super) fn confined_to(mut self, folder: &Path) -> Self {
        self.job.sandbox = Some(Sandbox {
            writable: vec![folder.to_owned()],
            hidden: Vec::new(),
            network: Network::On,
            files: Requirement::Accept,
            limits: crate::Limits::default(),
        });
        self
    }

    /// Gives the command this folder as its work tree.
    pub(super) fn in_tree(mut self, tree: &Path) -> Self {
        tree.clone_into(&mut self.job.cwd);
        self.with("GIT_WORK_TREE", tree)
    }

    pub(super) fn reading(mut self, stdin: PathBuf) -> Self {
        self.job.input = Input::File(stdin);
        self
    }

    pub(super) fn writing(mut self, stdout: File) -> Self {
        self.stdout = Some(stdout);
        self
    }

    pub(super) fn printing_at_most(mut self, bytes: u64) -> Self {
        self.job.output_cap = bytes;
        self
    }

    /// Runs the command, whatever its exit code.
    pub(super) fn run(self) -> Result<Ran, GitError> {
        self.finish().map(|(ran, _)| ran)
    }

    /// Runs a command that must succeed and whose whole output is wanted.
    pub(super) fn output(self) -> Result<Vec<u8>, GitError> {
        let (action, subject, limit) = (self.action, self.subject.clone(), self.job.output_cap);
        let ran = self.finish()?.0;
        if ran.rc != 0 {
            let failure = GitFailure::new(ran.rc, &ran.stderr);
            return Err(GitError::Failed { action, subject, failure });
        }
        if ran.dropped > 0 {
            return Err(GitError::TooLarge { what: Content::Output, subject, limit });
        }
        Ok(ran.stdout)
    }

    /// Runs a command that must succeed and prints one line.
    pub(super) fn line(self) -> Result<String, GitError> {
        let (action, subject) = (self.action, self.subject.clone());
        let bytes = self.output()?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text.trim_end_matches('\n').to_owned()),
            Err(error) => {
                let failure = GitFailure::new(0, error.as_bytes());
                Err(GitError::Failed { action, subject, failure })
            }
        }
    }

    fn finish(mut self) -> Result<(Ran, Outcome), GitError> {
        let broken = |source| GitError::Exec(ExecError::Output { stream: "stdout", source });
        let has_own = self.stdout.is_some();
        let stdout = match self.stdout.take() {
            Some(file) => file,
            None => scratch().map_err(broken)?,
        };
        let stderr = scratch().map_err(broken)?;
        let capture = |raw: &File| {
            let raw = raw.try_clone()?;
            Ok(Capture { clean: raw.try_clone()?, raw })
        };
        let streams = Streams {
            stdout: capture(&stdout).map_err(broken)?,
            stderr: capture(&stderr).map_err(broken)?,
        };
        // Git's own commands are ours, so no command rule is asked.
        let running =
            self.job.start(&self.git.guardian, streams, &|_| Ok(())).map_err(GitError::Exec)?;
        let outcome = match watch::wait(running, self.git.watch.as_deref()) {
            Some(outcome) => outcome.map_err(GitError::Exec)?,
            None => return Err(self.cancelled()),
        };
        if outcome.ended == Ended::Cancelled {
            return Err(self.cancelled());
        }
        let cap = self.job.output_cap;
        let stdout =
            if has_own { Vec::new() } else { read_from_start(&stdout, cap).map_err(broken)? };
        let stderr = read_from_start(&stderr, cap).map_err(broken)?;
        let ran = Ran { rc: outcome.rc, stdout, dropped: outcome.stdout_dropped, stderr };
        Ok((ran, outcome))
    }

    fn cancelled(self) -> GitError {
        GitError::Cancelled { action: self.action, subject: self.subject }
    }
}

impl Ran {
    /// How git failed.
    pub(super) fn failure(&self) -> GitFailure {
        GitFailure::new(self.rc, &self.stderr)
    }
}
