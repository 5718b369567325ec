//! Where the demo plays: a repository with its home, and this program to be started in it.

use std::{
    collections::BTreeMap,
    thread::sleep,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_desk::{Desk, task::View};
use provost_engine::task::rehearsal::{Host, Played, Playing, RehearsalError, make_repository};
use provost_exec::Job;
use provost_kernel::{
    AttemptNumber, Lang, TaskId,
    task::{EventKind, State, Status},
};
use provost_vault::{Layout, RealDisk, Step, StepFile, SystemClock, WorkPlace, task::read_tail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::session::AnyFault;

/// The repository, and everything that a command needs to be started in it.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    host: &'a Host,
    lang: Lang,
    repository: Utf8PathBuf,
    desk: Desk,
    env: BTreeMap<String, String>,
    /// A home of a person and a state folder of their own, removed with the stage.
    _root: TempDir,
}

/// What a kill left.
#[derive(Debug)]
pub(super) struct Killed {
    /// The state on disk.
    pub(super) state: Option<State>,
    /// How many processes of the task are still there.
    pub(super) n_left: usize,
}

/// Longer than any step of the demo can take.
const DEADLINE: Duration = Duration::from_mins(2);

/// How long an agent may take to begin.
const START: Duration = Duration::from_secs(30);

/// What the repository holds at first.
const FILES: [(&str, &str); 8] = [
    ("README.md", "A repository for `provost demo`.\n"),
    ("agent.sh", AGENT),
    ("check.sh", CHECK),
    ("provost.toml", CONFIGURATION),
    ("honest.json", HONEST),
    ("liar.json", LIAR),
    ("cheat.json", CHEAT),
    ("steady.json", STEADY),
];

const CHECK: &str = r#"found=$(cat answer.txt 2>/dev/null || echo nothing)
test "$found" = 42 || { echo "answer.txt should say 42, and says: $found"; exit 1; }
"#;

const CONFIGURATION: &str = r#"[adapter.steady]
kind = "command"
argv = ["sh", "agent.sh"]
"#;

/// An agent that begins, and that is stopped the first time.
const AGENT: &str = r#"echo 41 > answer.txt
if grep -Eq '"attempt": ?1[,}]' "$PROVOST_REQUEST"; then sleep 60; fi
echo 42 > answer.txt
echo '{"schema":"provost.adapter/1","role":"coder","text":"I took my time and wrote the answer."}' > "$PROVOST_REPLY"
"#;

const HONEST: &str = r#"{
  "task_id": "honest",
  "goal": "Write 42 into answer.txt.",
  "acceptance": "check.sh passes.",
  "test_cmd": "sh check.sh",
  "task_type": "engineering_impl",
  "coder": "script:fail_then_fix",
  "judge": "script:mock"
}
"#;

const LIAR: &str = r#"{
  "task_id": "liar",
  "goal": "Write 42 into answer.txt.",
  "acceptance": "check.sh passes.",
  "test_cmd": "sh check.sh",
  "max_attempts": 1,
  "coder": "script:claims_done_without_change",
  "judge": "script:pass"
}
"#;

const CHEAT: &str = r#"{
  "task_id": "cheat",
  "goal": "Write 42 into answer.txt.",
  "acceptance": "check.sh passes.",
  "test_cmd": "sh check.sh",
  "allowed_paths": ["answer.txt"],
  "coder": "script:edits_tests",
  "judge": "script:pass"
}
"#;

const STEADY: &str = r#"{
  "task_id": "steady",
  "goal": "Write 42 into answer.txt.",
  "acceptance": "check.sh passes.",
  "test_cmd": "sh check.sh",
  "coder": "steady",
  "judge": "script:mock"
}
"#;

impl<'a> Stage<'a> {
    /// Makes the repository, in a temporary folder or in the one that is kept.
    pub(super) fn new(
        host: &'a Host,
        lang: Lang,
        kept: Option<&Utf8Path>,
    ) -> Result<Self, AnyFault> {
        let folder = tempfile::Builder::new().prefix("provost-demo-").tempdir();
        let root = folder.map_err(RehearsalError::Folder)?;
        let real = root.path().canonicalize().map_err(RehearsalError::Folder)?;
        let real = Utf8PathBuf::from_path_buf(real).map_err(|_| RehearsalError::NotUtf8)?;
        let repository = kept.map_or_else(|| real.join("repository"), Utf8Path::to_owned);
        let state = real.join("state");
        let layout = Layout::new(&repository.join(".provost"), None, &state);
        make_repository(host, &layout, &repository, &FILES)?;
        let env = [
            ("PATH", host.path.clone()),
            ("HOME", real.to_string()),
            ("XDG_STATE_HOME", state.into_string()),
        ];
        Ok(Self {
            host,
            lang,
            repository,
            desk: Desk::new(layout, std::sync::Arc::new(SystemClock)),
            env: env.map(|(name, value)| (name.to_owned(), value)).into(),
            _root: root,
        })
    }

    /// Starts `provost` with these arguments in the repository.
    fn start(&self, arguments: &[&str]) -> Result<Playing, RehearsalError> {
        let program = self.host.guardian.program.to_string_lossy().into_owned();
        let lang = ["--lang", self.lang.pick("en", "zh")];
        let argv = std::iter::once(program.as_str()).chain(arguments.iter().copied()).chain(lang);
        let mut job = Job::new(argv, self.repository.as_std_path(), DEADLINE);
        job.env.clone_from(&self.env);
        Playing::start(self.host, &job)
    }

    /// Runs `provost` with these arguments to its end.
    pub(super) fn provost(&self, arguments: &[&str]) -> Result<Played, AnyFault> {
        Ok(self.start(arguments)?.wait()?)
    }

    /// Runs a task and kills its coordinator while the agent works.
    pub(super) fn kill_during(&self, task: &TaskId) -> Result<Killed, AnyFault> {
        let playing = self.start(&["run", &format!("{task}.json")])?;
        let layout = self.desk.layout();
        let tree = layout.work_place(task, AttemptNumber::FIRST, WorkPlace::Tree).path();
        let begun = tree.join("answer.txt");
        let since = Instant::now();
        // The agent's own file is the proof that it works; there is nothing else to wait for.
        while !begun.exists() && since.elapsed() < START {
            sleep(Duration::from_millis(10));
        }
        if let Some(pid) = playing.pid().and_then(Pid::from_raw) {
            // One that has ended by itself is told apart by its state.
            let _ = kill_process(pid, Signal::KILL);
        }
        let outcome = playing.wait()?.outcome;
        let state = self.status(task)?.map(|it| it.state);
        Ok(Killed { state, n_left: outcome.unkillable.len() })
    }

    /// The state on disk, as it is.
    pub(super) fn status(&self, task: &TaskId) -> Result<Option<Status>, AnyFault> {
        Ok(self.desk.files(task).status()?.present().map(|it| it.value))
    }

    /// Everything that is known of a task.
    pub(super) fn view(&self, task: &TaskId) -> Result<View, AnyFault> {
        Ok(self.desk.view(task)?)
    }

    /// How many events of a kind there are.
    pub(super) fn count(&self, task: &TaskId, kind: EventKind) -> Result<usize, AnyFault> {
        let events = self.desk.files(task).events()?;
        Ok(events.records.iter().filter(|it| it.value.kind == kind).count())
    }

    /// What the coder said at the end of an attempt.
    pub(super) fn claim(&self, task: &TaskId, attempt: u16) -> Result<String, AnyFault> {
        let reply = self.step_text(task, attempt, StepFile::Reply)?;
        let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
        Ok(reply["text"].as_str().unwrap_or_default().to_owned())
    }

    /// What the coder was told.
    pub(super) fn prompt(&self, task: &TaskId, attempt: u16) -> Result<String, AnyFault> {
        self.step_text(task, attempt, StepFile::Prompt)
    }

    fn step_text(&self, task: &TaskId, attempt: u16, file: StepFile) -> Result<String, AnyFault> {
        let number = attempt.try_into().unwrap_or(AttemptNumber::FIRST);
        let at = self.desk.layout().step_file(task, number, Step::Coder, file);
        Ok(read_tail(&RealDisk, &at, u64::MAX)?)
    }
}
