//! A scene: a small repository, agents, and what is done with them.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use provost_adapter::select::AdapterConfig;
use provost_kernel::{
    Exit, Message, RecordFile, Severity, TaskId,
    task::{Checkpoint, DecisionRecord, EventKind, Order, Row, Standing, Status, TaskSpec},
};
use provost_rules_task::status;
use provost_vault::{RealDisk, Step as StepFolder, StepFile, task::read_tail, write_atomic};
use serde_json::{Value, json};

use crate::{
    EngineError, Interrupt,
    task::{
        Progress, Report, Update,
        rehearsal::{Host, Rehearsal, RehearsalError, Unwatched},
        selfcheck,
    },
};

/// What is done, and in which context.
#[derive(Debug)]
pub(super) struct Scene {
    agents: Vec<(&'static str, String)>,
    acts: Vec<Act>,
}

/// One thing that is done.
#[derive(Debug)]
pub(super) enum Act {
    /// Runs the usual spec, with these fields in place of its own.
    Run(Value),
    /// Runs it, and does something else when it reaches a checkpoint.
    RunUntil(Value, Checkpoint, Meanwhile),
    Resume,
    Order(Order),
    /// Somebody's hand in the files.
    SpoilSummary,
}

/// What happens while a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meanwhile {
    /// A person orders a pause.
    Pause,
    /// A signal asks the coordinator to end.
    Signal,
    /// Another coordinator tries to run the same task.
    Second,
    Nothing,
}

/// What is known after a scene.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) status: Option<Status>,
    /// What the last run would exit with; none before the first.
    pub(super) exit: Option<Exit>,
    pub(super) error: Option<String>,
    pub(super) second: Option<Exit>,
    pub(super) is_unchanged: bool,
    pub(super) prompts: Vec<String>,
    pub(super) decisions: Vec<Option<DecisionRecord>>,
    events: Vec<EventKind>,
    /// What the look over the home found, besides remarks.
    pub(super) findings: Vec<String>,
}

/// The name of the task of every scene.
const TASK: &str = "t1";
/// The test of every scene.
const CHECK: &str = "grep -qx 42 answer.txt || { echo 'answer.txt does not say 42'; exit 1; }\n";

impl Scene {
    /// A scene that runs the usual spec with these fields.
    pub(super) fn run(fields: Value) -> Self {
        Self { agents: Vec::new(), acts: vec![Act::Run(fields)] }
    }

    pub(super) fn of(acts: impl IntoIterator<Item = Act>) -> Self {
        Self { agents: Vec::new(), acts: acts.into_iter().collect() }
    }

    /// Adds an agent that is a shell script and leaves this text as its reply.
    pub(super) fn agent(
        mut self,
        name: &'static str,
        role: &str,
        script: &str,
        text: &str,
    ) -> Self {
        let reply = json!({ "schema": "provost.adapter/1", "role": role, "text": text });
        // JSON of ours has no single quote.
        let script = format!("{script}\nprintf '%s' '{reply}' > \"$PROVOST_REPLY\"");
        self.agents.push((name, script));
        self
    }

    /// Plays the scene in a folder of its own.
    pub(super) fn play(self, host: &Host) -> Result<Seen, RehearsalError> {
        let mut rehearsal = Rehearsal::new(host, &[("check.sh", CHECK)])?;
        for (name, script) in self.agents {
            let argv = ["sh".to_owned(), "-c".to_owned(), script].into();
            let agent = AdapterConfig::Command { argv, variables: Vec::new(), remote: None };
            rehearsal = rehearsal.with_adapter(name, agent);
        }
        let task: TaskId = TASK.parse().map_err(|_| RehearsalError::NotUtf8)?;
        let mut seen = Seen::default();
        for act in self.acts {
            let before = status_text(&rehearsal, &task)?;
            perform(&rehearsal, &task, act, &mut seen)?;
            // A signal belongs to the process that it was sent to.
            rehearsal.interrupt = Interrupt::new();
            seen.is_unchanged = status_text(&rehearsal, &task)? == before;
        }
        seen.look(&rehearsal, &task)?;
        Ok(seen)
    }
}

fn perform(
    rehearsal: &Rehearsal<'_>,
    task: &TaskId,
    act: Act,
    seen: &mut Seen,
) -> Result<(), RehearsalError> {
    match act {
        Act::Run(fields) => {
            let ran = rehearsal.run(rehearsal.spec(&usual(&fields))?, &Unwatched);
            seen.note(ran);
        }
        Act::RunUntil(fields, at, what) => {
            let spec = rehearsal.spec(&usual(&fields))?;
            let watcher = Watcher {
                rehearsal,
                task,
                at,
                what,
                spec: &spec,
                is_done: AtomicBool::new(false),
                second: Mutex::new(None),
            };
            let ran = rehearsal.run(spec.clone(), &watcher);
            seen.second = *watcher.second.lock().unwrap_or_else(PoisonError::into_inner);
            seen.note(ran);
        }
        Act::Resume => seen.note(rehearsal.resume(task)),
        Act::Order(order) => {
            rehearsal.order(task, order)?;
        }
        Act::SpoilSummary => {
            let at = rehearsal.desk.layout().final_summary(task);
            write_atomic(&RealDisk, &at, b"{}\n")?;
        }
    }
    Ok(())
}

/// The usual spec, with these fields in place of its own.
fn usual(fields: &Value) -> Value {
    let mut spec = json!({
        "task_id": TASK,
        "goal": "Write 42 into answer.txt.",
        "acceptance": "check.sh passes.",
        "test_cmd": "sh check.sh",
        "coder": "script:pass",
        "judge": "script:mock",
        "coder_timeout_seconds": 60,
        "judge_timeout_seconds": 60,
        "test_timeout_seconds": 60,
    });
    if let (Some(spec), Some(fields)) = (spec.as_object_mut(), fields.as_object()) {
        spec.extend(fields.clone());
    }
    spec
}

fn status_text(rehearsal: &Rehearsal<'_>, task: &TaskId) -> Result<String, RehearsalError> {
    Ok(read_tail(&RealDisk, &rehearsal.desk.layout().status(task), u64::MAX)?)
}

impl Seen {
    /// What the last run would exit with.
    fn note(&mut self, ran: Result<Report, EngineError>) {
        match ran {
            Ok(Report { status, .. }) => {
                self.exit = Some(status::exit(status.state, status.pause_reason_code));
                self.error = None;
            }
            Err(error) => {
                self.exit = Some(error.exit());
                self.error = Some(error.text().to_string());
            }
        }
    }

    /// Reads what is left when all is done.
    fn look(&mut self, rehearsal: &Rehearsal<'_>, task: &TaskId) -> Result<(), RehearsalError> {
        let files = rehearsal.desk.files(task);
        self.status = files.status()?.present().map(|it| it.value);
        self.events = files.events()?.records.iter().map(|it| it.value.kind).collect();
        for attempt in files.attempts()? {
            let layout = rehearsal.desk.layout();
            let at = layout.step_file(task, attempt, StepFolder::Coder, StepFile::Prompt);
            self.prompts.push(read_tail(&RealDisk, &at, u64::MAX)?);
            self.decisions.push(files.decision(attempt)?.present().map(|it| it.value));
        }
        let examined = selfcheck::examine(&rehearsal.desk)?;
        let grave = examined.findings().filter(|(_, it)| it.severity <= Severity::P1);
        self.findings = grave.map(|(_, it)| format!("{}: {}", it.subject, it.message)).collect();
        Ok(())
    }

    pub(super) fn count(&self, kind: EventKind) -> usize {
        self.events.iter().filter(|it| **it == kind).count()
    }

    /// The row that decided the newest attempt.
    pub(super) fn row(&self) -> Option<Row> {
        Some(self.decisions.last()?.as_ref()?.decision.row)
    }

    /// How something stands that was checked in the newest attempt.
    pub(super) fn standing(&self, name: &str) -> Option<Standing> {
        let checks = &self.decisions.last()?.as_ref()?.checks;
        checks.iter().find(|it| it.name == name).map(|it| it.standing)
    }

    /// Where the task stands, in a few words.
    pub(super) fn summary(&self) -> String {
        let Some(status) = &self.status else {
            return self.error.clone().unwrap_or_else(|| "no status".to_owned());
        };
        let code = status.pause_reason_code.map(|it| format!(" {it}")).unwrap_or_default();
        format!("{}{code}", status.state)
    }
}

/// Somebody who does something when a checkpoint is reached, once.
struct Watcher<'a> {
    rehearsal: &'a Rehearsal<'a>,
    task: &'a TaskId,
    at: Checkpoint,
    what: Meanwhile,
    spec: &'a RecordFile<TaskSpec>,
    is_done: AtomicBool,
    second: Mutex<Option<Exit>>,
}

impl Progress for Watcher<'_> {
    fn update(&self, update: &Update<'_>) {
        let Update::Checkpoint(at) = update else { return };
        if *at != self.at || self.is_done.swap(true, Ordering::SeqCst) {
            return;
        }
        match self.what {
            Meanwhile::Pause => {
                // One that is not taken shows in the state that the scene expects.
                let _ = self.rehearsal.order(self.task, Order::Pause);
            }
            Meanwhile::Signal => self.rehearsal.interrupt.raise(15),
            Meanwhile::Second => {
                let exit = match self.rehearsal.run(self.spec.clone(), &Unwatched) {
                    Ok(_) => Exit::Success,
                    Err(error) => error.exit(),
                };
                *self.second.lock().unwrap_or_else(PoisonError::into_inner) = Some(exit);
            }
            Meanwhile::Nothing => {}
        }
    }
}
