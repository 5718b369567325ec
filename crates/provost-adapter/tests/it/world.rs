//! A work tree and an exchange folder for each test, and a call in them.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

use provost_adapter::{
    Adapter, AdapterError, AgentRole, Call, CallResult, Cancel, Exchange, Request, Workplace,
    preset::{activity::Activity, session::Resumed},
    script::{Behaviour, ScriptAdapter, ScriptHost},
};
use provost_exec::{
    Capture, Check, Guardian, Streams, environment,
    sandbox::{Network, Requirement, Sandbox},
};
use provost_kernel::{SessionId, model::Usage};
use tempfile::TempDir;

pub(crate) const PROBE: &str = env!("CARGO_BIN_EXE_provost-adapter-probe");

/// Longer than anything that works takes, on any machine.
pub(crate) const AGES: Duration = Duration::from_mins(2);

pub(crate) struct World {
    /// Held for its end: it removes the folder.
    _folder: TempDir,
    pub(crate) path: PathBuf,
    pub(crate) cancel: Cancel,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) has_sandbox: bool,
    pub(crate) grace: Duration,
    /// What the agents were seen to do.
    pub(crate) seen: Mutex<Vec<Activity>>,
    /// The session that the agent goes on in, and what it cost so far.
    pub(crate) resumed: Option<(SessionId, Usage)>,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for name in ["tree", "exchange", "logs", "outside"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        let env = environment::inherited(environment::PLAIN, std::env::vars());
        Self {
            _folder: folder,
            path,
            cancel: Cancel::new(),
            env,
            has_sandbox: false,
            grace: Duration::from_millis(200),
            seen: Mutex::default(),
            resumed: None,
        }
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.path.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path.join(name).symlink_metadata().is_ok()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path.join(name).parent().unwrap()).unwrap();
        fs::write(self.path.join(name), text).unwrap();
    }

    fn open(&self, name: &str) -> File {
        let path = self.path.join("logs").join(name);
        OpenOptions::new().create(true).read(true).append(true).open(path).unwrap()
    }

    pub(crate) fn streams(&self) -> Streams {
        let capture = |name: &str| Capture {
            raw: self.open(&format!("{name}.raw")),
            clean: self.open(&format!("{name}.log")),
        };
        Streams { stdout: capture("stdout"), stderr: capture("stderr") }
    }

    /// Puts the files of the adapter where they belong, and calls it.
    pub(crate) fn call(
        &self,
        adapter: &dyn Adapter,
        request: &Request,
    ) -> Result<CallResult, AdapterError> {
        self.call_checked(adapter, request, &|_| Ok(()))
    }

    pub(crate) fn call_checked(
        &self,
        adapter: &dyn Adapter,
        request: &Request,
        check: &Check<'_>,
    ) -> Result<CallResult, AdapterError> {
        let exchange = Exchange::open(&self.path.join("exchange"))?;
        for file in adapter.files(request, &exchange) {
            fs::write(exchange.file(file.name), file.bytes).unwrap();
        }
        let guardian = Guardian { program: PROBE.into(), args: vec!["guardian".to_owned()] };
        let workplace = Workplace {
            tree: &self.path.join("tree"),
            guardian: &guardian,
            streams: self.streams(),
            env: self.env.clone(),
            sandbox: self.has_sandbox.then(|| Sandbox {
                writable: vec![self.path.join("tree"), self.path.join("exchange")],
                hidden: Vec::new(),
                network: Network::Off(Requirement::Accept),
                files: Requirement::Must,
                limits: provost_exec::Limits::default(),
            }),
            grace: self.grace,
            output_cap: 1 << 20,
            check,
            redact: &|bytes| bytes.into(),
        };
        let seen = |it: &Activity| self.seen.lock().unwrap().push(it.clone());
        let (exchange, cancel) = (&exchange, &self.cancel);
        let resumed = self.resumed.as_ref();
        let resumed = resumed.map(|(session, spent)| Resumed { session, spent: *spent });
        adapter.call(Call { request, exchange, workplace, cancel, seen: &seen, resumed })
    }

    /// The living processes that have this world's folder in their environment or arguments.
    pub(crate) fn living(&self) -> Vec<i32> {
        let mark = self.path.to_str().unwrap().as_bytes();
        let has_mark = |pid: i32, name: &str| {
            let bytes = fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            bytes.windows(mark.len()).any(|it| it == mark)
        };
        fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|&pid| has_mark(pid, "environ") || has_mark(pid, "cmdline"))
            .collect()
    }
}

pub(crate) fn request(role: AgentRole, prompt: &str) -> Request {
    let task = "t1".to_owned().try_into().unwrap();
    let attempt = 1.try_into().unwrap();
    Request::new(role, task, attempt, "code-1", prompt.to_owned(), AGES)
}

pub(crate) fn coder() -> Request {
    request(AgentRole::Coder, "Write the answer.")
}

pub(crate) fn judge() -> Request {
    request(AgentRole::Judge, "Judge the answer.")
}

pub(crate) fn host() -> ScriptHost {
    ScriptHost { program: PROBE.into(), args: vec!["script-agent".to_owned()] }
}

pub(crate) fn script(behaviour: Behaviour) -> ScriptAdapter {
    ScriptAdapter::new(behaviour.as_str(), behaviour, &host())
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
