//! Where everything lives: the only code that joins paths (LOOP-A6).

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{AttemptNumber, Digest, SessionId, TaskId};

use crate::Location;

/// The folders of one provost home, as methods that take ids and never strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    home: Utf8PathBuf,
    out: Utf8PathBuf,
    work: Utf8PathBuf,
}

/// A supervised step of an attempt, with a folder of its own (LOOP-B14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Coder,
    Test,
    Judge,
}

/// A file that each step leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepFile {
    /// The exit code, durable before anything is concluded from it (LOOP-A12).
    Rc,
    /// What provost says about the step, for people.
    RunLog,
    Stdout,
    Stderr,
    /// The streams as they were captured, before redaction; removed when the step is over.
    StdoutRaw,
    StderrRaw,
    Request,
    Reply,
}

impl Layout {
    /// The layout of a home.
    ///
    /// `out` moves the tasks out of the home (`RDLOOP_OUT_DIR`). `state` is the person's state
    /// folder (`$XDG_STATE_HOME`): work trees lie there, outside every repository, in a folder
    /// named after the digest of the home, so that two homes never share one.
    pub fn new(home: &Utf8Path, out: Option<&Utf8Path>, state: &Utf8Path) -> Self {
        let digest = Digest::of_bytes(home.as_str().as_bytes()).to_string();
        Self {
            home: home.to_owned(),
            out: out.map_or_else(|| home.join("out"), Utf8Path::to_owned),
            work: state.join("provost").join("work").join(&digest[..16]),
        }
    }

    pub fn home(&self) -> Location {
        Location::root(&self.home)
    }

    /// Says which format the home has.
    pub fn format(&self) -> Location {
        self.home().join("format")
    }

    /// Makes git ignore the home, wherever it lies.
    pub fn gitignore(&self) -> Location {
        self.home().join(".gitignore")
    }

    pub fn out(&self) -> Location {
        Location::root(&self.out)
    }

    pub fn task(&self, task: &TaskId) -> Location {
        self.out().join(task.as_str())
    }

    pub fn task_spec(&self, task: &TaskId) -> Location {
        self.task(task).join("task.json")
    }

    pub fn status(&self, task: &TaskId) -> Location {
        self.task(task).join("status.json")
    }

    pub fn final_summary(&self, task: &TaskId) -> Location {
        self.task(task).join("final_summary.json")
    }

    pub fn runtime_overrides(&self, task: &TaskId) -> Location {
        self.task(task).join("runtime_overrides.json")
    }

    pub fn events(&self, task: &TaskId) -> Location {
        self.task(task).join("events.jsonl")
    }

    pub fn task_lock(&self, task: &TaskId) -> Location {
        self.task(task).join("lock")
    }

    pub fn attempt(&self, task: &TaskId, attempt: AttemptNumber) -> Location {
        self.task(task).join(format!("attempt_{attempt}"))
    }

    pub fn step_file(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        step: Step,
        file: StepFile,
    ) -> Location {
        self.attempt(task, attempt).join(step.folder_name()).join(file.file_name())
    }

    pub fn verdict(&self, task: &TaskId, attempt: AttemptNumber) -> Location {
        self.attempt(task, attempt).join(Step::Judge.folder_name()).join("verdict.json")
    }

    pub fn index_entry(&self, task: &TaskId) -> Location {
        self.out().join("_index").join("tasks").join(format!("{task}.json"))
    }

    pub fn audit(&self) -> Location {
        self.out().join("_audit").join("audit.jsonl")
    }

    pub fn audit_heads(&self) -> Location {
        self.out().join("_audit").join("heads.jsonl")
    }

    pub fn quarantine(&self) -> Location {
        self.home().join("quarantine")
    }

    pub fn guard(&self) -> Location {
        self.home().join("guard")
    }

    pub fn last_tool_error(&self) -> Location {
        self.guard().join("last-tool-error.json")
    }

    pub fn tracking(&self) -> Location {
        self.guard().join("subagent-tracking.json")
    }

    pub fn tracking_lock(&self) -> Location {
        self.guard().join("subagent-tracker.lock")
    }

    pub fn replays(&self) -> Location {
        self.guard().join("replay")
    }

    pub fn replay(&self, session: &SessionId) -> Location {
        self.replays().join(format!("agent-replay-{session}.jsonl"))
    }

    /// The folder of the private work trees of a task, outside every repository.
    pub fn work(&self, task: &TaskId) -> Location {
        Location::root(&self.work).join(task.as_str())
    }
}

impl Step {
    fn folder_name(self) -> &'static str {
        match self {
            Self::Coder => "coder",
            Self::Test => "test",
            Self::Judge => "judge",
        }
    }
}

impl StepFile {
    fn file_name(self) -> &'static str {
        match self {
            Self::Rc => "rc.txt",
            Self::RunLog => "run.log",
            Self::Stdout => "stdout.log",
            Self::Stderr => "stderr.log",
            Self::StdoutRaw => "stdout.raw",
            Self::StderrRaw => "stderr.raw",
            Self::Request => "request.json",
            Self::Reply => "reply.json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOOP-A6, LOOP-B14: the paths that people and other programs rely on.
    #[test]
    fn paths_are_the_published_ones() {
        let layout = Layout::new(Utf8Path::new("/r/.provost"), None, Utf8Path::new("/s"));
        let task: TaskId = "t1".parse().unwrap();
        let first = AttemptNumber::FIRST;
        for (location, expected) in [
            (layout.task_spec(&task), "/r/.provost/out/t1/task.json"),
            (layout.status(&task), "/r/.provost/out/t1/status.json"),
            (layout.final_summary(&task), "/r/.provost/out/t1/final_summary.json"),
            (layout.events(&task), "/r/.provost/out/t1/events.jsonl"),
            (layout.index_entry(&task), "/r/.provost/out/_index/tasks/t1.json"),
            (layout.verdict(&task, first), "/r/.provost/out/t1/attempt_001/judge/verdict.json"),
            (
                layout.step_file(&task, first, Step::Coder, StepFile::Rc),
                "/r/.provost/out/t1/attempt_001/coder/rc.txt",
            ),
            (layout.audit(), "/r/.provost/out/_audit/audit.jsonl"),
            (layout.tracking_lock(), "/r/.provost/guard/subagent-tracker.lock"),
            (
                layout.replay(&"s1".parse().unwrap()),
                "/r/.provost/guard/replay/agent-replay-s1.jsonl",
            ),
        ] {
            assert_eq!(location.path(), expected);
        }
    }

    #[test]
    fn tasks_can_move_and_work_trees_never_lie_in_the_home() {
        let (home, state) = (Utf8Path::new("/r/.provost"), Utf8Path::new("/s"));
        let layout = Layout::new(home, Some(Utf8Path::new("/elsewhere")), state);
        let task: TaskId = "t1".parse().unwrap();
        assert_eq!(layout.status(&task).path(), "/elsewhere/t1/status.json");

        let other = Layout::new(Utf8Path::new("/q/.provost"), None, state);
        assert!(layout.work(&task).path().starts_with("/s/provost/work"));
        assert_ne!(layout.work(&task), other.work(&task));
    }
}
