//! A rehearsal: a temporary repository with its own home, in which tasks really run.
//!
//! What provost says of itself is proven here, with the engine that everybody else's tasks run
//! in. Nothing of the person's is used but `PATH`: no configuration, no home, no state folder;
//! and everything is gone when the rehearsal is.

mod error;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    path::Path,
    sync::Arc,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::{script::ScriptHost, select::AdapterConfig};
use provost_desk::{
    Desk,
    task::{Receipt, Take},
};
use provost_exec::{Capture, Guardian, Job, Outcome, Running, Streams};
use provost_kernel::{
    Actor, RecordFile, Source, TaskId,
    task::{Order, TaskSpec},
};
use provost_rules_task::spec;
use provost_vault::{Layout, RealDisk, SystemClock, prepare_home};
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

pub use self::error::RehearsalError;
use super::{Progress, Report, Start, Update, run};
use crate::{Engine, EngineError, Interrupt, Settings};

/// What a rehearsal needs of the program that holds it.
#[derive(Clone, Debug)]
pub struct Host {
    pub guardian: Guardian,
    pub script_host: ScriptHost,
    /// Where programs are found.
    pub path: String,
}

/// A temporary repository with its own home.
#[derive(Debug)]
pub struct Rehearsal<'a> {
    host: &'a Host,
    pub desk: Desk,
    pub repository: Utf8PathBuf,
    pub interrupt: Interrupt,
    settings: Settings,
    variables: BTreeMap<String, String>,
    actor: Actor,
    /// The folder of all this; removed with it.
    _root: TempDir,
}

/// No observer.
#[derive(Debug)]
pub struct Unwatched;

/// How long git may take to make a repository of a few files.
const DEADLINE: Duration = Duration::from_mins(1);
/// What makes a folder a repository with one commit.
const COMMIT: &str = "git init --quiet --initial-branch=main . && git add --all && \
                      git commit --quiet --allow-empty --message='what there was'";

impl Progress for Unwatched {
    fn update(&self, _: &Update<'_>) {}
}

impl<'a> Rehearsal<'a> {
    /// Makes a repository with these files in it.
    pub fn new(host: &'a Host, files: &[(&str, &str)]) -> Result<Self, RehearsalError> {
        let folder = tempfile::Builder::new().prefix("provost-rehearsal-").tempdir();
        let root = folder.map_err(RehearsalError::Folder)?;
        // The sandbox refuses a path that leads through a link, as a temporary folder may.
        let real = root.path().canonicalize().map_err(RehearsalError::Folder)?;
        let real = Utf8PathBuf::from_path_buf(real).map_err(|_| RehearsalError::NotUtf8)?;
        let repository = real.join("repository");
        let layout = Layout::new(&repository.join(".provost"), None, &real.join("state"));
        make_repository(host, &layout, &repository, files)?;
        let variables = [("PATH", host.path.clone()), ("HOME", real.into_string())];
        Ok(Self {
            host,
            desk: Desk::new(layout, Arc::new(SystemClock)),
            repository,
            interrupt: Interrupt::new(),
            settings: Settings {
                grace: Duration::from_secs(1),
                output_cap: Job::OUTPUT_CAP,
                ..Settings::default()
            },
            variables: variables.map(|(name, value)| (name.to_owned(), value)).into(),
            actor: Actor { source: Source::Provost, id: "rehearsal".to_owned() },
            _root: root,
        })
    }

    /// Adds an adapter, as a configuration would.
    #[must_use]
    pub fn with_adapter(mut self, name: &str, adapter: AdapterConfig) -> Self {
        self.settings.adapters.insert(name.to_owned(), adapter);
        self
    }

    /// A spec for this repository, from the fields that matter.
    pub fn spec(&self, fields: &Value) -> Result<RecordFile<TaskSpec>, RehearsalError> {
        let mut all = json!({ "repo_path": self.repository, "base_ref": "main" });
        if let (Some(all), Some(fields)) = (all.as_object_mut(), fields.as_object()) {
            all.extend(fields.clone());
        }
        let (spec, _) = spec::read(all.to_string().as_bytes())
            .map_err(|it| RehearsalError::Engine(it.into()))?;
        Ok(spec)
    }

    /// Runs a spec until it is ready, has failed, or waits for a person.
    pub fn run(
        &self,
        spec: RecordFile<TaskSpec>,
        progress: &dyn Progress,
    ) -> Result<Report, EngineError> {
        let task = spec.value.task_id.clone();
        run(self.engine(progress), &task, Start::Spec(Box::new(spec.into())), None)
    }

    /// Orders something of a task.
    pub fn order(&self, task: &TaskId, order: Order) -> Result<Receipt, EngineError> {
        let take = Take { task, order, request_id: None, actor: self.actor.clone(), seen: None };
        Ok(self.desk.order(take)?)
    }

    /// Orders a task to go on, and runs it.
    pub fn resume(&self, task: &TaskId) -> Result<Report, EngineError> {
        self.order(task, Order::Resume)?;
        run(self.engine(&Unwatched), task, Start::Ordered, None)
    }

    fn engine<'e>(&'e self, progress: &'e dyn Progress) -> Engine<'e> {
        Engine {
            desk: &self.desk,
            guardian: &self.host.guardian,
            script_host: &self.host.script_host,
            variables: &self.variables,
            settings: &self.settings,
            interrupt: &self.interrupt,
            progress,
            actor: &self.actor,
        }
    }
}

/// Makes a home, and a repository with these files around it.
pub fn make_repository(
    host: &Host,
    layout: &Layout,
    repository: &Utf8Path,
    files: &[(&str, &str)],
) -> Result<(), RehearsalError> {
    // The home lies in the repository, and making it makes both.
    prepare_home(&RealDisk, layout).map_err(RehearsalError::Home)?;
    for (name, text) in files {
        put(repository.as_std_path(), name, text).map_err(RehearsalError::Folder)?;
    }
    let mut job = Job::new(["sh", "-c", COMMIT], repository.as_std_path(), DEADLINE);
    job.env = git_environment(&host.path, repository);
    let played = Playing::start(host, &job)?.wait()?;
    if played.outcome.is_success() {
        Ok(())
    } else {
        Err(RehearsalError::NoRepository { printed: played.stderr })
    }
}

/// A program of a rehearsal that runs.
#[derive(Debug)]
pub struct Playing {
    running: Running,
    /// Where what it prints can be read.
    printed: [File; 2],
}

/// How a program of a rehearsal ended, and what it printed.
#[derive(Debug)]
pub struct Played {
    pub outcome: Outcome,
    pub stdout: String,
    pub stderr: String,
}

impl Playing {
    /// Starts a job; what it prints goes to files without a name.
    pub fn start(host: &Host, job: &Job) -> Result<Self, RehearsalError> {
        let open = || -> io::Result<_> {
            Ok(tempfile::Builder::new().append(true).tempfile()?.into_file())
        };
        let capture = || -> io::Result<_> { Ok(Capture { raw: open()?, clean: open()? }) };
        let streams = || -> io::Result<_> {
            let (stdout, stderr) = (capture()?, capture()?);
            let printed = [stdout.clean.try_clone()?, stderr.clean.try_clone()?];
            Ok((Streams { stdout, stderr }, printed))
        };
        let (streams, printed) = streams().map_err(RehearsalError::Folder)?;
        let running = job.start(&host.guardian, streams, &|_| Ok(())).map_err(EngineError::from)?;
        Ok(Self { running, printed })
    }

    /// The process id of the program; none when it could not be run.
    pub fn pid(&self) -> Option<i32> {
        self.running.pid()
    }

    /// Waits until nothing of it is left.
    pub fn wait(self) -> Result<Played, RehearsalError> {
        let outcome = self.running.wait(&|it| it.into()).map_err(EngineError::from)?;
        let read = |mut file: File| -> io::Result<_> {
            let mut text = String::new();
            file.rewind()?;
            file.read_to_string(&mut text)?;
            Ok(text)
        };
        let [stdout, stderr] = self.printed;
        let stdout = read(stdout).map_err(RehearsalError::Folder)?;
        let stderr = read(stderr).map_err(RehearsalError::Folder)?;
        Ok(Played { outcome, stdout, stderr })
    }
}

/// An environment in which git reads no configuration.
fn git_environment(path: &str, home: &Utf8Path) -> BTreeMap<String, String> {
    [
        ("PATH", path),
        ("HOME", home.as_str()),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "provost"),
        ("GIT_AUTHOR_EMAIL", "provost@localhost"),
        ("GIT_COMMITTER_NAME", "provost"),
        ("GIT_COMMITTER_EMAIL", "provost@localhost"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

/// Puts a file into a folder, whole.
pub(crate) fn put(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    temporary.persist(folder.join(name))?;
    Ok(())
}
