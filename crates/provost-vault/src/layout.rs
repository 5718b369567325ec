//! Where everything lives: the only code that joins paths (LOOP-A6).

mod audit;
mod base;
mod guard;
mod learn;
mod notify;
mod story;
mod user;
mod work;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{AttemptNumber, Digest, TaskId};

pub use self::notify::SenderRank;
pub use self::work::{LayerPart, Scratch, WorkPlace};
use crate::Location;

/// The folders of one provost home, as methods that take ids and never strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    home: Utf8PathBuf,
    out: Utf8PathBuf,
    work: Utf8PathBuf,
    judge: Utf8PathBuf,
    user: Utf8PathBuf,
}

/// A supervised step of an attempt, with a folder of its own (LOOP-B14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The coder says which files it will change.
    Declare,
    Coder,
    /// What makes the checkout of the test ready.
    Prepare,
    Test,
    Judge,
}

/// A file that an attempt leaves behind, besides those of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptFile {
    Evidence,
    /// What was asked of the decision table, and what it answered.
    Decision,
    Metrics,
    Environment,
    /// What is proven of the plan.
    Proofs,
    /// What the test proves.
    TestProof,
    /// What it proves of the merge with the branch that the result lands on.
    LandingProof,
    /// How the checks besides the test came out.
    Checks,
    /// One line for each command that was run.
    Commands,
    DiffPatch,
    DiffStat,
    HeadCommit,
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
    /// For a coder: what it claims to have done.
    Claim,
    /// What the agent was told.
    Prompt,
    /// For a judge: what provost made of its scores.
    Score,
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
            judge: state.join("provost").join("judge").join(&digest[..16]),
            user: user::home(state),
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

    /// Where a task lies that is being removed.
    pub fn removed(&self, task: &TaskId) -> Location {
        self.out().join(format!("_removed-{task}"))
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

    /// Every order that people gave the task, in order: what they want is in this log or nowhere.
    pub fn orders(&self, task: &TaskId) -> Location {
        self.task(task).join("control").join("orders.jsonl")
    }

    pub fn user_input(&self, task: &TaskId) -> Location {
        self.task(task).join("user_input.jsonl")
    }

    /// One version of the overrides; the newest is also in [`runtime_overrides`].
    ///
    /// [`runtime_overrides`]: Layout::runtime_overrides
    pub fn override_version(&self, task: &TaskId, version: u32) -> Location {
        self.task(task).join("overrides").join(format!("{version:04}.json"))
    }

    /// What a run in the background prints.
    pub fn detached_log(&self, task: &TaskId) -> Location {
        self.task(task).join("detached.log")
    }

    /// What a run of several tasks in the background prints.
    pub fn queue_log(&self) -> Location {
        self.home().join("queue.log")
    }

    pub fn review(&self, task: &TaskId) -> Location {
        self.task(task).join("review.json")
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

    pub fn attempt_file(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        file: AttemptFile,
    ) -> Location {
        self.attempt(task, attempt).join(file.file_name())
    }

    /// The newest of the files that attempts made to be looked at.
    pub fn promoted_artifact(&self, task: &TaskId, name: &'static str) -> Location {
        self.task(task).join("artifacts").join(name)
    }

    /// Where files that an attempt made to be looked at are kept; none if the name is not a plain
    /// path of at most eight components.
    pub fn artifact(&self, task: &TaskId, attempt: AttemptNumber, path: &str) -> Option<Location> {
        let components: Vec<&str> = path.split('/').collect();
        if components.len() > 8 || !components.iter().all(|it| Location::accepts(it)) {
            return None;
        }
        let root = self.task(task).join("artifacts").join(format!("attempt_{attempt}"));
        Some(components.into_iter().fold(root, |at, it| at.join(it)))
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

    /// The folder of the index: one entry for each task.
    pub fn index(&self) -> Location {
        self.out().join("_index").join("tasks")
    }

    pub fn index_entry(&self, task: &TaskId) -> Location {
        self.index().join(format!("{task}.json"))
    }

    /// The secret of the server over HTTP.
    pub fn mcp_token(&self) -> Location {
        self.home().join("keys").join("mcp-token")
    }

    /// What `provost init` wrote into the project's configuration.
    pub fn project_setup(&self) -> Location {
        self.home().join("project-setup.json")
    }

    pub fn quarantine(&self) -> Location {
        self.home().join("quarantine")
    }

    /// The folder of the private work trees of a task, outside every repository.
    pub fn work(&self, task: &TaskId) -> Location {
        Location::root(&self.work).join(task.as_str())
    }

    /// The folder of all layers.
    pub fn layers(&self) -> Location {
        // No task has such a name.
        Location::root(&self.work).join("_layers")
    }

    /// A folder or file of a layer. Programs that are installed name their path, which has a limit:
    /// the name is the beginning of the key, and the seal has all of it.
    pub fn layer(&self, key: Digest, part: LayerPart) -> Location {
        let name = &key.to_string()[..16];
        match (part, part.name()) {
            (LayerPart::Lock, _) => self.layers().join(format!("{name}.lock")),
            (LayerPart::Gone, _) => self.layers().join(format!("{name}.gone")),
            (_, None) => self.layers().join(name),
            (_, Some(part)) => self.layers().join(name).join(part),
        }
    }

    /// The session of an agent that the next attempt may go on in.
    pub fn session(&self, task: &TaskId) -> Location {
        self.work(task).join(work::SESSION)
    }

    /// A file in a folder of one attempt; the name is one component.
    pub fn work_file(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        place: WorkPlace,
        name: &'static str,
    ) -> Location {
        self.work_place(task, attempt, place).join(name)
    }

    /// A folder of one attempt among them.
    pub fn work_place(&self, task: &TaskId, attempt: AttemptNumber, place: WorkPlace) -> Location {
        // Beside the trees of agents, so that these can be hidden from a judge.
        let is_of_judge =
            matches!(place, WorkPlace::JudgeFolder | WorkPlace::BaseTree | WorkPlace::BaseTreeGit);
        if is_of_judge {
            Location::root(&self.judge).join(format!("{task}.{attempt}{}", place.suffix()))
        } else {
            self.work(task).join(format!("attempt_{attempt}{}", place.suffix()))
        }
    }

    /// The folder that holds the work trees of every task of every home.
    pub fn trees(&self) -> Location {
        Location::root(self.work.parent().unwrap_or(&self.work))
    }

    /// The folder of what judges of this home read.
    pub fn judge_root(&self) -> Location {
        Location::root(&self.judge)
    }

    /// A file in the folder of a judge; none when a part of its name is not one plain component.
    pub fn judge_file(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        parts: &[&str],
    ) -> Option<Location> {
        let folder = self.work_place(task, attempt, WorkPlace::JudgeFolder);
        parts.iter().try_fold(folder, |at, part| Location::accepts(part).then(|| at.join(part)))
    }
}

impl Step {
    fn folder_name(self) -> &'static str {
        match self {
            Self::Declare => "declare",
            Self::Coder => "coder",
            Self::Prepare => "prepare",
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
            Self::Claim => "claim.json",
            Self::Prompt => "prompt.txt",
            Self::Score => "score.json",
        }
    }
}

impl AttemptFile {
    fn file_name(self) -> &'static str {
        match self {
            Self::Evidence => "evidence.json",
            Self::Decision => "decision.json",
            Self::Metrics => "metrics.json",
            Self::Environment => "env.json",
            Self::Proofs => "proofs.json",
            Self::TestProof => "test_proof.json",
            Self::LandingProof => "landing_proof.json",
            Self::Checks => "checks.json",
            Self::Commands => "commands.log",
            Self::DiffPatch => "diff.patch",
            Self::DiffStat => "diff.stat",
            Self::HeadCommit => "head_commit.txt",
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Millis,
        guard::{Harness, Mode},
    };

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
            (layout.outbox(), "/r/.provost/out/_notify/outbox.jsonl"),
            (layout.claims(), "/r/.provost/stories/claims.jsonl"),
            (layout.database(), "/r/.provost/provost.db"),
            (
                layout.story_output(
                    &"e1".parse().unwrap(),
                    &"US-001".parse().unwrap(),
                    Millis(7),
                    2,
                    StepFile::Stdout,
                ),
                "/r/.provost/stories/evidence/e1/US-001/7/2-stdout.log",
            ),
            (
                layout.learn_run(&"挡风板".parse().unwrap(), &"run-1".parse().unwrap()),
                "/r/.provost/learn/挡风板/run-1",
            ),
            (Layout::mission_elsewhere(Utf8Path::new("/o"), &"m".parse().unwrap()), "/o/m"),
            (layout.tracking_lock(), "/r/.provost/guard/subagent-tracker.lock"),
            (layout.mode_state(Mode::Swarm), "/r/.provost/guard/swarm-state.json"),
            (layout.guard_policy(), "/r/.provost/guard/policy.json"),
            (layout.guard_install(Harness::Codex), "/r/.provost/guard/install-codex.json"),
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
        assert!(layout.story_work().path().starts_with("/s/provost/work"));
        let (layers, key) = (layout.layers().path(), Digest::of_bytes(b"x"));
        assert!(layers.starts_with(layout.work(&task).path().parent().unwrap()));
        let lock = layout.layer(key, LayerPart::Lock).path();
        assert_eq!(lock, layers.join("2d711642b726b044.lock"));
        assert_eq!(
            layout.layer(key, LayerPart::Seal).path(),
            layers.join("2d711642b726b044/seal.json")
        );
        let (trees, first) = (layout.trees().path(), AttemptNumber::FIRST);
        assert_eq!(trees, "/s/provost/work");
        for place in WorkPlace::ALL {
            let is_tree = layout.work_place(&task, first, place).path().starts_with(&trees);
            let is_beside = matches!(
                place,
                WorkPlace::JudgeFolder | WorkPlace::BaseTree | WorkPlace::BaseTreeGit
            );
            assert_eq!(is_tree, !is_beside, "{place:?}");
        }
        let evidence = |parts: &[&str]| layout.judge_file(&task, first, parts);
        let path = evidence(&["evidence", "a.txt"]).unwrap().path();
        assert!(path.as_str().ends_with("/t1.001/evidence/a.txt"), "{path}");
        for bad in ["", ".", "..", "a/b", "a\\b", "a\0"] {
            assert_eq!(evidence(&["evidence", bad]), None, "{bad:?}");
        }
    }
}
