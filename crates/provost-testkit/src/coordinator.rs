//! A coordinator that tests can hold at a checkpoint: the real engine in a process of its own.

use std::{
    collections::BTreeMap, io::Write as _, path::PathBuf, process::ExitCode, sync::Arc,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::{script::ScriptHost, select::AdapterConfig};
use provost_desk::{Desk, task::Take};
use provost_engine::{
    Engine, EngineError, Interrupt, Settings,
    task::{Progress, Report, Start, Update, run},
};
use provost_exec::Guardian;
use provost_kernel::{
    Actor, Message, RecordFile, Source, TaskId,
    task::{Checkpoint, Order, TaskSpec},
};
use provost_rules_task::status;
use provost_vault::SystemClock;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

/// What a test asks a coordinator to do: one JSON object on the command line.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Errand {
    pub home: Utf8PathBuf,
    /// The spec as a person writes it; none goes on with the task.
    pub spec: Option<TaskSpec>,
    pub task: TaskId,
    /// Where the process waits for a signal, or for the file `go` beside the home.
    pub stop_at: Option<Checkpoint>,
    /// Adapters by name.
    pub adapters: BTreeMap<String, AdapterConfig>,
    /// Whether nothing is said.
    #[serde(default)]
    pub is_quiet: bool,
}

impl Errand {
    /// Runs a spec in a home.
    pub fn new(home: &Utf8Path, spec: &TaskSpec) -> Self {
        Self {
            home: home.to_owned(),
            spec: Some(spec.clone()),
            task: spec.task_id.clone(),
            stop_at: None,
            adapters: BTreeMap::new(),
            is_quiet: false,
        }
    }

    /// The same task again, ordered to go on.
    #[must_use]
    pub fn resumed(&self) -> Self {
        Self { spec: None, stop_at: None, ..self.clone() }
    }
}

/// The desk at a home of tests.
pub fn desk(home: &Utf8Path) -> Desk {
    Desk::new(crate::layout(home), Arc::new(SystemClock))
}

/// Says what happens on standard output, and waits where it was asked to.
struct Watcher {
    stop_at: Option<Checkpoint>,
    interrupt: Arc<Interrupt>,
    go: Utf8PathBuf,
    is_quiet: bool,
}

impl Progress for Watcher {
    fn update(&self, update: &Update<'_>) {
        if self.is_quiet {
            return;
        }
        match update {
            Update::Checkpoint(checkpoint) if self.stop_at == Some(*checkpoint) => {
                acknowledge(&format!("at {checkpoint}"));
                while self.interrupt.signal().is_none() && !self.go.exists() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Update::StepStarted { step } => acknowledge(&format!("step {step:?}")),
            Update::AttemptStarted { attempt, .. } => acknowledge(&format!("started {attempt}")),
            Update::Decided { attempt, decision, .. } => {
                acknowledge(&format!("decided {attempt} {}", decision.row));
            }
            Update::Created { .. }
            | Update::Checkpoint(_)
            | Update::StepFinished { .. }
            | Update::Continued { .. }
            | Update::SessionDropped(_)
            | Update::Agent(_)
            | Update::Printed(_)
            | Update::Checked(_)
            | Update::Merged { .. }
            | Update::Waiting { .. }
            | Update::CommandStarted { .. }
            | Update::CommandEnded { .. } => {}
        }
    }
}

/// Runs an errand; the exit code is that of `provost run`.
pub fn main(errand: &str) -> ExitCode {
    let errand: Errand = match serde_json::from_str(errand) {
        Ok(errand) => errand,
        Err(error) => {
            acknowledge(&format!("error: {error}"));
            return ExitCode::from(2);
        }
    };
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/proc/self/exe"));
    match coordinate(errand, program) {
        Ok(report) => {
            let status = report.status;
            let code = status.pause_reason_code.map_or("", |it| it.as_str());
            acknowledge(&format!("ended {} {code}", status.state));
            ExitCode::from(status::exit(status.state, status.pause_reason_code).code())
        }
        Err(error) => {
            acknowledge(&format!("error: {error}"));
            ExitCode::from(error.exit().code())
        }
    }
}

/// Runs an errand in this process; `program` hosts guardians and scripted agents.
pub fn coordinate(errand: Errand, program: PathBuf) -> Result<Report, EngineError> {
    let desk = desk(&errand.home);
    let guardian = Guardian { program: program.clone(), args: vec!["guardian".to_owned()] };
    let script_host = ScriptHost { program, args: vec!["script-agent".to_owned()] };
    let interrupt = Arc::new(Interrupt::new());
    for signal in [SIGTERM, SIGINT] {
        let number = usize::try_from(signal).unwrap_or_default();
        let _ = signal_hook::flag::register_usize(signal, interrupt.flag(), number);
    }
    if let Ok(mut signals) = Signals::new([SIGTERM, SIGINT]) {
        let interrupt = Arc::clone(&interrupt);
        std::thread::spawn(move || signals.forever().for_each(|it| interrupt.raise(it)));
    }
    let actor = Actor { source: Source::Cli, id: "worker".to_owned() };
    let settings = Settings {
        adapters: errand.adapters,
        grace: Duration::from_millis(500),
        output_cap: 1 << 20,
        ..Settings::default()
    };
    let variables: BTreeMap<String, String> = std::env::vars().collect();
    let watcher = Watcher {
        stop_at: errand.stop_at,
        interrupt: Arc::clone(&interrupt),
        go: errand.home.with_file_name("go"),
        is_quiet: errand.is_quiet,
    };
    let engine = Engine {
        desk: &desk,
        guardian: &guardian,
        script_host: &script_host,
        variables: &variables,
        settings: &settings,
        interrupt: &interrupt,
        progress: &watcher,
        actor: &actor,
    };
    if let Some(spec) = errand.spec {
        return run(
            engine,
            &errand.task,
            Start::Spec(Box::new(RecordFile::new(spec).into())),
            None,
        );
    }
    let actor = actor.clone();
    desk.order(Take {
        task: &errand.task,
        order: Order::Resume,
        request_id: None,
        actor,
        seen: None,
    })?;
    run(engine, &errand.task, Start::Ordered, None)
}

#[expect(clippy::print_stdout, reason = "printing is what a worker is for")]
fn acknowledge(line: &str) {
    println!("{line}");
    // A reader that went away has read enough.
    let _ = std::io::stdout().flush();
}
