//! What the page orders and only the command line can do, as it would do it.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use provost_desk::{PortError, task::Coordinator};
use provost_engine::task::{check_changes, check_new, check_spec, enqueue, rehearsal::Unwatched};
use provost_kernel::{
    Actor, Fault, Lang, RequestId, Severity, Source, TaskId,
    task::{LandMethod, Order},
};
use provost_rules_task::{
    goal::ids,
    landing::{stage, undoable},
    preview::{Defaults, promised},
    spec,
};
use provost_web::{AdapterRow, Connection, Creation, Landing, Launch, Preview, PreviewFinding};
use serde_json::Value;

use super::adapters::Known;
use crate::{
    agents,
    cli::Flags,
    config,
    environment::{self, Environment},
    home,
    output::Output,
    session::{AnyFault, Session},
    story::agent_at,
    task::{
        accept::acceptance,
        detach::{Apart, Guarded, may_run, start_apart},
        run::{check_rejudge, check_rerun, wiring_of},
    },
    wiring::{actor, desk},
};

/// A session of its own for each order, so that each sees the configuration as it is.
pub(crate) struct Port {
    environment: Environment,
    flags: Flags,
    lang: Lang,
    guarded: Guarded,
    /// Where the orders come from.
    door: Source,
}

impl Port {
    pub(crate) fn new(session: &Session, guarded: Guarded, door: Source) -> Self {
        Self {
            environment: session.environment.clone(),
            flags: session.flags.clone(),
            lang: session.output.lang,
            guarded,
            door,
        }
    }

    fn session(&self) -> Session {
        let mut output = Output::new(self.lang);
        output.configure(&self.flags);
        Session::new(self.environment.clone(), self.flags.clone(), output)
    }

    fn prepared(&self, task: &TaskId, order: Order) -> Result<Order, AnyFault> {
        let session = &mut self.session();
        match order {
            Order::Resume => may_run(session, task, self.guarded)?,
            Order::Rerun { attempt } => {
                check_rerun(&desk(session)?, task, attempt)?;
                may_run(session, task, self.guarded)?;
            }
            Order::Rejudge => {
                check_rejudge(&desk(session)?, task)?;
                may_run(session, task, self.guarded)?;
            }
            Order::Accept { finding, because, .. } => {
                return acceptance(&desk(session)?, task, finding, because);
            }
            Order::Set { changes } => {
                let spec = desk(session)?.spec(task)?.value;
                let wiring = wiring_of(session, &spec)?;
                let changes = check_changes(wiring.engine(&Unwatched), task, changes)?;
                return Ok(Order::Set { changes });
            }
            Order::Pause
            | Order::PauseNow
            | Order::Reset
            | Order::Edit { .. }
            | Order::Answer { .. }
            | Order::Override { .. }
            | Order::Rollback { .. }
            | Order::Approve
            | Order::Reject { .. }
            | Order::Land { .. }
            | Order::UndoLand { .. } => {}
        }
        Ok(order)
    }

    fn landed(&self, task: &TaskId, landing: &Landing) -> Result<(), AnyFault> {
        let session = &mut self.session();
        let status = desk(session)?.look(task)?.trusted()?.status.value;
        let mut options: Vec<String> = Vec::new();
        options.extend((self.door == Source::Web).then(|| "--from-page".to_owned()));
        match landing {
            Landing::Undo => {
                undoable(&status)?;
                options.push("--undo".to_owned());
            }
            Landing::Onto { branch, method } => {
                stage(&status)?;
                // A person's confirmed order is the approval.
                options.push("--yes".to_owned());
                options.extend(branch.iter().map(|it| format!("--branch={it}")));
                options.extend(method.map(|it| {
                    let option = match it {
                        LandMethod::Squash => "--squash",
                        LandMethod::Merge => "--merge",
                        LandMethod::Rebase => "--rebase",
                    };
                    option.to_owned()
                }));
            }
        }
        start_apart(session, task, &Apart { verb: "land", options, rest: &[] })
    }

    fn created(&self, creation: &Creation<'_>) -> Result<Option<TaskId>, AnyFault> {
        let session = &mut self.session();
        let mut given = creation.spec.clone();
        let project = project()?;
        if let Some(fields) = given.as_object_mut() {
            // A task of this page works in the repository that the server was started in.
            fields.insert("repo_path".to_owned(), project.as_str().into());
            if !fields.contains_key("task_id") {
                let goal = fields.get("goal").and_then(Value::as_str).unwrap_or_default().trim();
                let layout = session.layout()?;
                let is_free = |it: &TaskId| !provost_vault::is_present(&layout.task_spec(it));
                let free = ids(goal).into_iter().find(is_free);
                fields.extend(free.map(|it| ("task_id".to_owned(), it.as_str().into())));
            }
        }
        let (kept, _) = spec::read(given.to_string().as_bytes())?;
        check_spec(&kept.value)?;
        let task = kept.value.task_id.clone();
        if provost_vault::is_present(&session.layout()?.task_spec(&task)) {
            return Ok(None);
        }
        let mut new = provost_engine::task::NewTask::from(kept);
        new.request_id = Some(creation.request_id.clone());
        let mut wiring = wiring_of(session, &new.based())?;
        wiring.actor = Actor { source: self.door, ..actor() };
        check_new(wiring.engine(&Unwatched), &task, &new)?;
        // What may not begin is not made.
        if creation.begins {
            self.guarded.check(session, &wiring, &new.based())?;
        }
        enqueue(wiring.engine(&Unwatched), &task, new)?;
        Ok(Some(task))
    }

    fn previewed(&self, given: &Value) -> Result<Preview, AnyFault> {
        let session = &mut self.session();
        let config = session.configuration()?.config.clone();
        let mut draft = given.clone();
        if let Some(fields) = draft.as_object_mut() {
            fields.insert("repo_path".to_owned(), project()?.as_str().into());
            fields.entry("task_id").or_insert_with(|| "new-task".into());
        }
        let wrong = |fault: &dyn Fault| PreviewFinding {
            code: fault.text().code().unwrap_or("task.spec").to_owned(),
            severity: Severity::P0,
            subject: String::new(),
            message: fault.text(),
        };
        let (kept, noted) = match spec::read(draft.to_string().as_bytes()) {
            Ok(read) => read,
            Err(fault) => {
                return Ok(Preview { proves: Vec::new(), findings: vec![wrong(&fault)] });
            }
        };
        let mut findings: Vec<PreviewFinding> = noted
            .into_iter()
            .map(|it| PreviewFinding {
                code: it.rule.into_owned(),
                severity: it.severity,
                subject: it.subject,
                message: it.message,
            })
            .collect();
        let (test, judge) = (config.task.test.as_deref(), config.task.judge.as_deref());
        let mut spec = kept.value;
        spec.test_cmd = spec.test_cmd.or_else(|| test.map(str::to_owned));
        findings.extend(check_spec(&spec).err().map(|it| wrong(&it)));
        findings.extend(spec::check_judged(&spec, judge).err().map(|it| wrong(&it)));
        Ok(Preview { proves: promised(&spec, Defaults { test, judge }), findings })
    }

    fn listed(&self) -> Result<Vec<AdapterRow>, AnyFault> {
        let session = &mut self.session();
        let configured = config::adapters(&session.configuration()?.config)?;
        let variables: BTreeMap<String, String> = self.environment.texts().collect();
        let installed = agents::find(&variables);
        let allowed = self.environment.text("ALLOW_PARTIAL_RUN")?;
        let partial = provost_adapter::PartialRuns::of_variable(allowed);
        let (configured, installed) = (&configured, &installed);
        Ok(Known { configured, installed, variables: &variables, partial }.rows())
    }
}

/// The repository that the server was started in.
fn project() -> Result<Utf8PathBuf, AnyFault> {
    let folder = environment::current_folder()?;
    let root = home::git_root(&folder).unwrap_or(folder);
    Ok(root.canonicalize_utf8().unwrap_or(root))
}

impl Coordinator for Port {
    fn prepare(&self, task: &TaskId, order: Order) -> Result<Order, PortError> {
        self.prepared(task, order).map_err(said)
    }

    fn carry_out(
        &self,
        task: &TaskId,
        order: &Order,
        request_id: &RequestId,
    ) -> Result<(), PortError> {
        // The desk knows the request already, so the command finds it and goes on.
        let options = vec![format!("--request-id={request_id}")];
        let (verb, rest) = match order {
            Order::Rerun { attempt } => ("rerun", vec![attempt.get().to_string()]),
            Order::Rejudge => ("rejudge", Vec::new()),
            Order::Pause
            | Order::PauseNow
            | Order::Resume
            | Order::Reset
            | Order::Edit { .. }
            | Order::Answer { .. }
            | Order::Override { .. }
            | Order::Rollback { .. }
            | Order::Approve
            | Order::Reject { .. }
            | Order::Land { .. }
            | Order::UndoLand { .. }
            | Order::Accept { .. }
            | Order::Set { .. } => ("resume", Vec::new()),
        };
        let command = Apart { verb, options, rest: &rest };
        start_apart(&mut self.session(), task, &command).map_err(said)
    }
}

impl Launch for Port {
    fn run(&self, task: &TaskId) -> Result<(), PortError> {
        let options = vec!["--waiting".to_owned()];
        let command = Apart { verb: "run", options, rest: &[] };
        start_apart(&mut self.session(), task, &command).map_err(said)
    }

    fn land(&self, task: &TaskId, landing: &Landing) -> Result<(), PortError> {
        self.landed(task, landing).map_err(said)
    }

    fn create(&self, creation: &Creation<'_>) -> Result<Option<TaskId>, PortError> {
        self.created(creation).map_err(said)
    }

    fn preview(&self, spec: &Value) -> Result<Preview, PortError> {
        self.previewed(spec).map_err(said)
    }

    fn agent(&self, connection: Connection) -> Option<String> {
        agent_at(connection.theirs, connection.ours)
    }

    fn adapters(&self) -> Result<Vec<AdapterRow>, PortError> {
        self.listed().map_err(said)
    }
}

fn said(fault: AnyFault) -> PortError {
    PortError(fault.0)
}
