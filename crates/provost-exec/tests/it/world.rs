//! A folder of its own for each test, jobs in it, and a look at what is left of them.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use provost_exec::{Capture, ExecError, Guardian, Job, Outcome, Running, Streams, environment};
use tempfile::TempDir;

pub(crate) const PROBE: &str = env!("CARGO_BIN_EXE_provost-exec-probe");

/// Longer than anything that works takes, on any machine.
pub(crate) const AGES: Duration = Duration::from_mins(2);

pub(crate) struct World {
    /// Held for its end: it removes the folder.
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

/// What a job left.
pub(crate) struct Left {
    pub(crate) outcome: Outcome,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn guardian() -> Guardian {
    Guardian { program: PROBE.into(), args: vec!["guardian".to_owned()] }
}

/// The environment that a job gets from the person's own.
pub(crate) fn plain_environment() -> BTreeMap<String, String> {
    environment::inherited(environment::PLAIN, std::env::vars())
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        Self { _folder: folder, path }
    }

    /// A path in the folder, as text.
    pub(crate) fn at(&self, name: &str) -> String {
        self.path.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn job(&self, argv: &[&str]) -> Job {
        let mut job = Job::new(argv.iter().copied(), &self.path, AGES);
        job.env = plain_environment();
        job
    }

    /// The probe in one of its roles, with this folder as the last argument.
    pub(crate) fn role(&self, role: &str) -> Job {
        self.job(&[PROBE, role, self.path.to_str().unwrap()])
    }

    pub(crate) fn open(&self, name: &str) -> File {
        OpenOptions::new().create(true).read(true).append(true).open(self.path.join(name)).unwrap()
    }

    pub(crate) fn streams(&self) -> Streams {
        let capture =
            |raw: &str, clean: &str| Capture { raw: self.open(raw), clean: self.open(clean) };
        Streams {
            stdout: capture("stdout.raw", "stdout.log"),
            stderr: capture("stderr.raw", "stderr.log"),
        }
    }

    pub(crate) fn start(&self, job: &Job) -> Result<Running, ExecError> {
        job.start(&guardian(), self.streams(), &|_| Ok(()))
    }

    /// Runs a job to its end in streams of its own.
    pub(crate) fn run(&self, job: &Job) -> Left {
        for name in ["stdout.raw", "stdout.log", "stderr.raw", "stderr.log"] {
            let _ = fs::remove_file(self.path.join(name));
        }
        let outcome = self.start(job).unwrap().wait(&|bytes| bytes.into()).unwrap();
        Left { outcome, stdout: self.text("stdout.log"), stderr: self.text("stderr.log") }
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path.join(name)).unwrap()).into_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path.join(name).parent().unwrap()).unwrap();
        fs::write(self.path.join(name), text).unwrap();
    }

    /// The process id that a role noted under this name, once it has.
    pub(crate) fn noted(&self, name: &str) -> i32 {
        let path = self.path.join(name);
        let mut pid = None;
        until(|| {
            pid = fs::read_to_string(&path).ok().and_then(|it| it.parse().ok());
            pid.is_some()
        });
        pid.unwrap()
    }

    /// The living processes that have this world's folder among their arguments.
    pub(crate) fn living(&self) -> Vec<i32> {
        let mark = self.path.to_str().unwrap().as_bytes();
        let has_mark = |line: &[u8]| line.windows(mark.len()).any(|it| it == mark);
        processes()
            .filter(|pid| has_mark(&fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()))
            .collect()
    }
}

fn processes() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Waits for a condition that must come true.
#[track_caller]
pub(crate) fn until(mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + AGES;
    while !condition() {
        assert!(Instant::now() < end, "waited in vain");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether this process is gone, or dead and only not collected yet.
pub(crate) fn is_gone(pid: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    stat.rsplit(')').next().unwrap().trim_start().starts_with('Z')
}

pub(crate) fn parent_of(pid: i32) -> i32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Everything below a folder: paths with what the files hold.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(path, target.into_os_string().into_encoded_bytes());
        } else if path.is_dir() {
            found.extend(contents(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}
