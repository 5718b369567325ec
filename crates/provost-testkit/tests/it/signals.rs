//! A signal at every checkpoint of an attempt and in the middle of every step (LOOP-U7).

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use provost_adapter::select::AdapterConfig;
use provost_kernel::{
    TaskId,
    task::{Checkpoint, EventKind, PauseCode, State, Status, TaskSpec},
};
use provost_rules_task::selfcheck;
use provost_testkit::{
    Ended, Place, command,
    coordinator::{Errand, desk},
};
use rustix::process::{Pid, Signal, kill_process};

/// Longer than anything that works takes, on any machine.
const AGES: Duration = Duration::from_mins(2);

/// A repository whose task passes at once, and a home.
pub(super) struct Ground {
    pub(super) place: Place,
    pub(super) repository: Utf8PathBuf,
}

impl Ground {
    pub(super) fn new() -> Self {
        let place = Place::new();
        let root = place.path().canonicalize_utf8().unwrap();
        let repository = root.join("repository");
        fs::create_dir(&repository).unwrap();
        fs::write(repository.join("check.sh"), "grep -qx 42 answer.txt\n").unwrap();
        let git = |args: &[&str]| {
            let ran = command("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
                .args(args)
                .current_dir(&repository)
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert!(ran.success(), "{args:?}");
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "base"]);
        Self { place, repository }
    }

    pub(super) fn spec(&self, task: &str) -> TaskSpec {
        TaskSpec {
            repo_path: self.repository.to_string(),
            goal: "write 42 into answer.txt".to_owned(),
            test_cmd: Some("sh check.sh".to_owned()),
            coder: Some("script:pass".to_owned()),
            judge: Some("mock".to_owned()),
            ..TaskSpec::new(task.parse().unwrap())
        }
    }

    pub(super) fn home(&self) -> Utf8PathBuf {
        self.place.path().canonicalize_utf8().unwrap().join(".provost")
    }

    /// The state of a task, after a look.
    pub(super) fn look(&self, task: &TaskId) -> Status {
        desk(&self.home()).look(task).unwrap().status.value
    }

    pub(super) fn count(&self, task: &TaskId, kind: EventKind) -> usize {
        let desk = desk(&self.home());
        let events = desk.files(task).events().unwrap();
        assert_eq!(events.unreadable, [0; 0]);
        events.records.iter().filter(|it| it.value.kind == kind).count()
    }

    /// The living processes that have this place in their environment, arguments or folder.
    fn living(&self, but: u32) -> Vec<(u32, String)> {
        let mark = self.place.path().as_str();
        let is_ours = |pid: u32| {
            let folder = fs::read_link(format!("/proc/{pid}/cwd"));
            let has_folder = folder.is_ok_and(|it| it.to_string_lossy().contains(mark));
            let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            has_folder || String::from_utf8_lossy(&text).contains(mark)
        };
        let pids = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|it| it.ok()?.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|&pid| pid != but && is_ours(pid))
            .map(|pid| {
                let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                (pid, String::from_utf8_lossy(&text).replace('\0', " "))
            })
            .collect()
    }

    /// Nothing of a run is left: no process, no lock, and files that agree.
    pub(super) fn assert_settled(&self, task: &TaskId) {
        let end = Instant::now() + AGES;
        while !self.living(0).is_empty() {
            assert!(Instant::now() < end, "still there: {:?}", self.living(0));
            std::thread::sleep(Duration::from_millis(5));
        }
        let desk = desk(&self.home());
        let open = desk.hold(task).unwrap();
        let status = open.status.value.clone();
        let layout = desk.layout();
        let summary = provost_vault::read_json::<_, provost_kernel::RecordFile<_>>(
            &provost_vault::RealDisk,
            &layout.final_summary(task),
        );
        let summary = summary.unwrap().present().map(|it| it.value);
        let index = desk.files(task).index_entry().unwrap().present().map(|it| it.value);
        let findings = selfcheck::check(&status, summary.as_ref(), index.as_ref());
        assert_eq!(findings, [], "{status:?}");
    }
}

/// A coordinator under way.
pub(super) struct Coordinator {
    child: Ended,
    pub(super) lines: Lines<BufReader<ChildStdout>>,
}

impl Coordinator {
    pub(super) fn start(errand: &Errand) -> Self {
        let text = serde_json::to_string(errand).unwrap();
        let child: Child = command(super::WORKER)
            .args(["coordinate", &text])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut child = Ended(child);
        let lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Reads until a line that starts so.
    pub(super) fn until(&mut self, start: &str) {
        let found = self.lines.by_ref().map_while(Result::ok).any(|it| it.starts_with(start));
        assert!(found, "never said `{start}`");
    }

    pub(super) fn pid(&self) -> Pid {
        Pid::from_raw(self.child.0.id().try_into().unwrap()).unwrap()
    }

    pub(super) fn kill(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for the end, and says the exit code; none when a signal ended it.
    pub(super) fn end(mut self) -> Option<i32> {
        self.child.0.wait().unwrap().code()
    }
}

/// What must hold after a signal, and that the task can be finished.
fn check_ended(ground: &Ground, errand: &Errand, code: Option<i32>, signal: Signal, place: &str) {
    let expected = if signal == Signal::KILL { None } else { Some(3) };
    assert_eq!(code, expected, "{place} {signal:?}");
    let task = &errand.task;
    let status = ground.look(task);
    assert_eq!(status.state, State::Paused, "{place} {signal:?}: {}", status.message);
    assert_eq!(status.pause_reason_code, Some(PauseCode::Crash), "{place} {signal:?}");
    // However often one looks, it is said once.
    for _ in 0..3 {
        ground.look(task);
    }
    assert_eq!(ground.count(task, EventKind::CoordinatorCrashed), 1, "{place} {signal:?}");
    assert_eq!(status.attempts_consumed, 0, "a crash consumes nothing");
    if signal == Signal::TERM {
        let name = status.last_transition.and_then(|it| it.signal_name);
        assert_eq!(name.as_deref(), Some("SIGTERM"), "{place}");
    }
    ground.assert_settled(task);

    let code = Coordinator::start(&errand.resumed()).end();
    let status = ground.look(task);
    assert_eq!(code, Some(0), "{place} {signal:?}: {:?} {}", status.state, status.message);
    assert_eq!(status.state, State::ReadyForReview, "{place} {signal:?}");
    assert_eq!(ground.count(task, EventKind::CoordinatorCrashed), 1, "{place} {signal:?}");
    ground.assert_settled(task);
}

/// A task id that says what it is for.
fn name_of(kind: &str, place: &str, signal: Signal) -> String {
    format!("{kind}-{place}-{}", signal.as_raw())
}

const SIGNALS: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::KILL];

/// LOOP-U7: the coordinator waits at each checkpoint until the signal is there.
#[test]
fn a_signal_at_any_checkpoint_pauses_the_task_once_and_resume_finishes_it() {
    let ground = Ground::new();
    for &checkpoint in Checkpoint::ALL {
        for signal in SIGNALS {
            let name = name_of("at", checkpoint.as_str(), signal);
            let mut errand = Errand::new(&ground.home(), &ground.spec(&name));
            errand.stop_at = Some(checkpoint);
            let mut coordinator = Coordinator::start(&errand);
            coordinator.until("at ");
            coordinator.kill(signal);
            let code = coordinator.end();
            check_ended(&ground, &errand, code, signal, checkpoint.as_str());
        }
    }
}

/// LOOP-U7: in the middle of each step, with a process that does not end by itself.
#[test]
fn a_signal_in_the_middle_of_a_step_ends_its_processes() {
    let ground = Ground::new();
    let marker = ground.place.path().join("go-on");
    // Waits until the marker is there, with a child of its own that ignores TERM.
    let wait = format!(
        "if [ ! -e {marker} ]; then (trap '' TERM; while :; do sleep 1; done) & \
         while [ ! -e {marker} ]; do sleep 0.05; done; fi"
    );
    let coder = format!(
        "{wait}; echo 42 > answer.txt; \
         printf '{{\"schema\":\"provost.adapter/1\",\"role\":\"coder\",\"text\":\"done\"}}' > \"$PROVOST_REPLY\""
    );
    let verdict = r#"{\"decision\":\"PASS\",\"reasons\":[\"ok\"],\"next_instructions\":\"\",\"questions_for_user\":[]}"#;
    let judge = format!(
        "{wait}; cat > \"$PROVOST_REPLY\" <<'E'\n\
         {{\"schema\":\"provost.adapter/1\",\"role\":\"judge\",\"text\":\"{verdict}\"}}\nE\n"
    );
    for (step, slow) in [("Coder", "coder"), ("Test", "test"), ("Judge", "judge")] {
        for signal in SIGNALS {
            let _ = fs::remove_file(&marker);
            let mut spec = ground.spec(&name_of("slow", slow, signal));
            let mut errand = Errand::new(&ground.home(), &spec);
            let program = |text: &str| AdapterConfig::Command {
                argv: vec!["sh".to_owned(), "-c".to_owned(), text.to_owned()],
                variables: Vec::new(),
                remote: None,
            };
            match slow {
                "coder" => {
                    errand.adapters.insert("slow".to_owned(), program(&coder));
                    spec.coder = Some("slow".to_owned());
                }
                // The test runs on the base first, where there is no answer yet.
                "test" => {
                    let test = format!("if [ -e answer.txt ]; then {wait}; fi; sh check.sh");
                    spec.test_cmd = Some(test);
                }
                _ => {
                    errand.adapters.insert("slow".to_owned(), program(&judge));
                    spec.judge = Some("slow".to_owned());
                }
            }
            errand.spec = Some(spec);
            let mut coordinator = Coordinator::start(&errand);
            coordinator.until(&format!("step {step}"));
            // The program may not have started yet: any moment of the step will do.
            std::thread::sleep(Duration::from_millis(60));
            coordinator.kill(signal);
            let code = coordinator.end();
            fs::write(&marker, "").unwrap();
            check_ended(&ground, &errand, code, signal, step);
        }
    }
}

/// Two coordinators on one task: one runs, the other says who holds it and changes nothing.
#[test]
fn a_second_coordinator_is_told_who_runs_and_changes_nothing() {
    let ground = Ground::new();
    let mut errand = Errand::new(&ground.home(), &ground.spec("shared"));
    errand.stop_at = Some(Checkpoint::BeforeTest);
    let mut first = Coordinator::start(&errand);
    first.until("at ");
    let layout = provost_testkit::layout(&ground.home());
    let read = |at: provost_vault::Location| fs::read(at.path()).unwrap();
    let files = || (read(layout.status(&errand.task)), read(layout.events(&errand.task)));
    let before = files();

    let mut second = Coordinator::start(&Errand { stop_at: None, ..errand.clone() });
    let said: Vec<String> = second.lines.by_ref().map_while(Result::ok).collect();
    let pid = first.pid().as_raw_nonzero().to_string();
    assert!(said.iter().any(|it| it.starts_with("error:") && it.contains(&pid)), "{said:?}");
    assert_eq!(second.end(), Some(5));
    assert_eq!(files(), before, "not a byte was changed");

    fs::write(ground.home().with_file_name("go"), "").unwrap();
    assert_eq!(first.end(), Some(0));
    assert_eq!(ground.look(&errand.task).state, State::ReadyForReview);
}
