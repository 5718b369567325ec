//! One attempt: coder, policy, test, claims, judge, each a supervised step with its own folder.
//!
//! A step says what happened; none of them decides. Between the steps lie the checkpoints at
//! which a person's pause or a signal takes effect.

mod checks;
mod claims;
mod coder;
mod declare;
mod evidence;
mod facts_alone;
mod forward;
mod judge;
mod judge_folder;
mod note;
mod policy;
mod preflight;
mod prepare;
mod printed;
mod prompt;
mod proof;
mod record;
mod rulebook;
mod session;
mod step;
mod test;

use std::collections::{BTreeMap, BTreeSet};

use provost_adapter::{
    Adapter, AgentRole, ReplyProblem,
    select::{AdapterConfig, Selected},
};
use provost_desk::task::OpenTask;
use provost_exec::git::{GitError, PrivateClone, clone, tree::TreeFiles};
use provost_kernel::{
    AttemptNumber, Fault, Finding, Message, Text,
    learn::Rulebook,
    task::{
        self, Checked, Checkpoint, CommandEvidence, ErrorClass, EventKind, Facts, Metrics, Proofs,
        Role, Standing, TaskSpec, VerdictDecision, VerdictSummary,
    },
};
use provost_rules_task::{
    budget,
    checks::BrokenCheck,
    facts,
    inputs::PendingInput,
    spec::{check_judged, judge},
};
use provost_vault::{FileError, WorkPlace, is_present, make_work_folder};
use serde_json::json;

use self::note::Note;
pub(super) use self::{judge::rubric_of, record::record};
use super::{
    again::Again,
    orders::{interrupted, pause, stops},
    progress::{Step, Update},
    story::plan_of,
};
use crate::{
    Engine, EngineError, RunError,
    preparation::{Layer, Surroundings},
    story::attempt::Frozen,
};

/// How an attempt ended.
pub(super) enum Ended {
    /// The table is to be asked.
    Decided(Box<End>),
    /// The state is committed already: a person paused it, or a signal ended it.
    Stopped,
}

/// Everything that is known when the table is asked.
pub(super) struct End {
    pub(super) facts: Facts,
    pub(super) pending_input: PendingInput,
    /// What the message of the state should say besides.
    pub(super) detail: Option<Text>,
    pub(super) judge_decision: Option<VerdictDecision>,
    pub(super) verdict_summary: Option<VerdictSummary>,
    pub(super) rubric_version: Option<String>,
    pub(super) against: Vec<Text>,
    pub(super) reasons: Vec<String>,
    pub(super) next_instructions: String,
    /// What provost itself asks a person.
    pub(super) asks: Vec<Text>,
    pub(super) findings: Vec<Finding>,
    pub(super) checks: Vec<Checked>,
    pub(super) metrics: Metrics,
}

/// Why a step did not lead to the next one.
enum Stop {
    Ended(Ended),
    Failed(EngineError),
}

impl<E: Into<EngineError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// An adapter that was chosen for this attempt.
struct Agent {
    selected: Selected,
    adapter: Box<dyn Adapter>,
    model: Option<String>,
}

/// An attempt under way.
struct Attempt<'a, 'o, 't> {
    engine: Engine<'a>,
    open: &'o mut OpenTask<'t>,
    number: AttemptNumber,
    spec: TaskSpec,
    pending_input: PendingInput,
    /// Everything that people said up to this attempt.
    said: Vec<String>,
    metrics: Metrics,
    commands: Vec<CommandEvidence>,
    checks: Vec<Checked>,
    /// The checks besides the test that the change broke.
    broken: Vec<BrokenCheck>,
    findings: Vec<Finding>,
    /// The plan of the task, if it has one.
    plan: Option<Frozen>,
    /// What the coder handed in as its claims.
    claim: Result<Option<Vec<u8>>, ReplyProblem>,
    /// The files that the coder declared before it could change any; none where it did not.
    declared: Option<Vec<String>>,
    /// The attempt on whose files this one starts; none for one that starts from the base.
    started_on: Option<AttemptNumber>,
    /// The session that its coder goes on in.
    continued: Option<session::Continued>,
    /// The files in which the work that it goes on with and a newer base disagree.
    conflicts: Vec<String>,
    /// The files in which that is not resolved.
    unresolved: Vec<String>,
    /// What is proven of the plan.
    proofs: Option<Proofs>,
    /// What the judge judges by; none for a task without a type.
    rulebook: Option<Rulebook>,
    /// What was installed for the base.
    layer: Option<Layer>,
    /// What the programs of the coder find.
    around_coder: Surroundings,
    /// How long the steps ran so far.
    wall: std::time::Duration,
}

/// Runs an attempt; `again` says what it takes from an earlier one.
pub(super) fn run(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    number: AttemptNumber,
    again: Option<Again>,
) -> Result<Ended, EngineError> {
    let spec = open.spec.value.clone();
    let metrics = Metrics::new(open.task().clone(), number.get());
    let mut attempt = Attempt {
        engine,
        number,
        spec,
        pending_input: PendingInput::default(),
        said: Vec::new(),
        metrics,
        commands: Vec::new(),
        checks: Vec::new(),
        broken: Vec::new(),
        findings: Vec::new(),
        plan: None,
        claim: Ok(None),
        declared: None,
        started_on: None,
        continued: None,
        conflicts: Vec::new(),
        unresolved: Vec::new(),
        proofs: None,
        rulebook: None,
        layer: None,
        around_coder: Surroundings::default(),
        wall: std::time::Duration::ZERO,
        open,
    };
    match attempt.steps(again) {
        Err(Stop::Ended(Ended::Stopped)) => {
            record::write_metrics(attempt.open, number, &attempt.metrics)?;
            Ok(Ended::Stopped)
        }
        Ok(ended) | Err(Stop::Ended(ended)) => Ok(ended),
        // What a signal broke off is not a fault of its own.
        Err(Stop::Failed(error)) => {
            if interrupted(engine, attempt.open)? {
                Ok(Ended::Stopped)
            } else {
                Err(error)
            }
        }
    }
}

impl Attempt<'_, '_, '_> {
    fn steps(&mut self, again: Option<Again>) -> Result<Ended, Stop> {
        self.mark("attempt_started_at");
        record::write_environment(self)?;
        // The tree first: a repository that is not there has no configuration that names agents.
        let clone = self.clone_tree()?;
        self.bring_forward(&clone, again)?;
        self.plan = plan_of(self.engine, &self.spec)?;
        let coder = self.agent(AgentRole::Coder, &clone)?;
        let judge = self.judge_agent(&clone)?;
        let works = (again != Some(Again::Rejudge)).then_some(&coder);
        self.preflight(works, judge.as_ref())?;
        self.rulebook = self.find_rulebook()?;
        // Nothing is paid for before it is known that the base can be tested.
        self.prepare_base(&clone)?;
        self.equip_coder(&clone)?;

        let base = self.base_test(&clone)?;
        let checks_of_base = self.base_checks(&clone)?;

        self.checkpoint(Checkpoint::BeforeCoder)?;
        let said = if again == Some(Again::Rejudge) {
            self.delivered_before()?
        } else {
            self.declare(&coder, &clone)?;
            self.work(&coder, &clone, Again::prompt_of(again))?
        };
        self.checkpoint(Checkpoint::AfterCoder)?;
        let change = self.hold_against_rules(&clone, &said)?;

        self.checkpoint(Checkpoint::BeforeTest)?;
        let tested = self.test(&clone, &change, base.as_ref())?;
        self.run_checks(&clone, &change, &checks_of_base, &tested)?;
        self.checkpoint(Checkpoint::AfterTest)?;
        self.check_claims(&clone, &change)?;
        let bundle = self.pack(&change, &tested, &said)?;

        self.checkpoint(Checkpoint::BeforeJudge)?;
        let judged = match &judge {
            Some(judge) => self.judge(judge, &clone, &change, &tested, &bundle)?,
            None => self.judge_by_facts(&clone, (&change, &said), &tested)?,
        };
        self.checkpoint(Checkpoint::AfterJudge)?;
        Ok(Ended::Decided(judged))
    }

    /// The judge of this attempt; none where the facts alone decide.
    fn judge_agent(&mut self, clone: &PrivateClone) -> Result<Option<Agent>, Stop> {
        let configured = self.engine.settings.judge.as_deref();
        // A task of an earlier version may have neither a judge nor a test.
        if let Err(fault) = check_judged(&self.spec, configured) {
            let (class, detail) = (ErrorClass::AdapterMissing, with_hints(&fault));
            return Err(self.end_at(Role::Coordinator, 0, class, detail));
        }
        match judge(&self.spec, configured) {
            Some(_) => self.agent(AgentRole::Judge, clone).map(Some),
            None => Ok(None),
        }
    }

    /// The adapter that plays a role in this attempt.
    fn agent(&mut self, role: AgentRole, clone: &PrivateClone) -> Result<Agent, Stop> {
        let settings = self.engine.settings;
        let (name, model) = match role {
            AgentRole::Coder => (
                self.spec.coder.as_ref().or(settings.coder.as_ref()),
                self.spec.coder_model.as_ref().or(settings.coder_model.as_ref()),
            ),
            AgentRole::Judge => (
                self.spec.judge.as_ref().or(settings.judge.as_ref()),
                self.spec.judge_model.as_ref().or(settings.judge_model.as_ref()),
            ),
        };
        let Some(name) = name.cloned() else {
            let detail = Note::NoAgent { role: role.as_str() }.text();
            return Err(self.end_at(Role::Coordinator, 0, ErrorClass::AdapterMissing, detail));
        };
        let configured = self.adapters_of_base(&name, clone)?;
        match self.engine.adapter(&configured, &name, role) {
            Ok((selected, adapter)) => Ok(Agent { selected, adapter, model: model.cloned() }),
            Err(
                error @ (EngineError::Select(_)
                | EngineError::Adapter(_)
                | EngineError::Remote(_)
                | EngineError::Run(RunError::Recording { .. })),
            ) => {
                let detail = with_hints(&error);
                Err(self.end_at(Role::Coordinator, 0, ErrorClass::AdapterMissing, detail))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The configured adapters. Relative paths of this one lie in a checkout of the base, which no
    /// agent can write: in the tree that an agent delivers, another program could lie there.
    fn adapters_of_base(
        &self,
        name: &str,
        clone: &PrivateClone,
    ) -> Result<BTreeMap<String, AdapterConfig>, Stop> {
        let mut adapters = self.engine.settings.adapters.clone();
        let Some(config) = adapters.get(name) else { return Ok(adapters) };
        let layout = self.engine.desk.layout();
        let place = layout.work_place(self.open.task(), self.number, WorkPlace::BaseTree);
        let into = place.path();
        if config.rooted(into.as_std_path(), |_| true) == *config {
            return Ok(adapters);
        }
        let git = self.engine.git();
        let files = TreeFiles::of(&git, clone, &clone.base)?;
        let files: BTreeSet<&str> = files.plain().collect();
        let rooted = config.rooted(into.as_std_path(), |it| files.contains(it));
        if rooted != *config {
            if !is_present(&place) {
                make_work_folder(&layout.judge_root())?;
                let identity = Engine::identity();
                clone::exact(&git, clone, &clone.base, into.as_std_path(), &identity)?;
            }
            adapters.insert(name.to_owned(), rooted);
        }
        Ok(adapters)
    }

    /// Makes the private clone that the agent works in.
    fn clone_tree(&mut self) -> Result<PrivateClone, Stop> {
        self.engine.progress.update(&Update::StepStarted { step: Step::Clone });
        let layout = self.engine.desk.layout();
        make_work_folder(&layout.work(self.open.task()))?;
        let into = layout.work_place(self.open.task(), self.number, WorkPlace::Tree).path();
        let repository = std::path::Path::new(&self.spec.repo_path);
        let made = clone::private(
            &self.engine.git(),
            repository,
            &self.spec.base_ref,
            into.as_std_path(),
            &Engine::identity(),
        );
        match made {
            Ok(clone) => Ok(clone),
            Err(
                error @ (GitError::NotARepository { .. }
                | GitError::Bare { .. }
                | GitError::BadRevision { .. }),
            ) => Err(self.end_at(Role::Coordinator, 0, ErrorClass::NotGitRepo, error.text())),
            Err(error) => Err(error.into()),
        }
    }

    /// A place where a signal or a person's pause takes effect.
    fn checkpoint(&mut self, checkpoint: Checkpoint) -> Result<(), Stop> {
        self.engine.progress.update(&Update::Checkpoint(checkpoint));
        self.stop_if_interrupted()?;
        while let Some(record) = self.open.apply_orders()?.left {
            // While a task runs, a pause is the only order that is left to its coordinator.
            if stops(&record.order) {
                pause(self.engine, self.open, &record, checkpoint.as_str())?;
                return Err(Stop::Ended(Ended::Stopped));
            }
        }
        Ok(())
    }

    /// Ends the attempt if a signal came.
    fn stop_if_interrupted(&mut self) -> Result<(), Stop> {
        if interrupted(self.engine, self.open)? {
            return Err(Stop::Ended(Ended::Stopped));
        }
        Ok(())
    }

    /// Adds an event of this attempt.
    fn note(&self, kind: EventKind, summary: impl Into<String>) -> Result<(), FileError> {
        self.open.files().append_note(task::Note::new(kind, summary), self.number.get())
    }

    /// Adds an event with what was checked so far, so that a reader of a run need not wait for its
    /// end.
    fn note_checks(&self, kind: EventKind, summary: impl Into<String>) -> Result<(), FileError> {
        let note = task::Note::new(kind, summary).with(&json!({ "checks": self.checks }));
        self.open.files().append_note(note, self.number.get())
    }

    /// Remembers when something happened.
    fn mark(&mut self, phase: &str) {
        let now = self.engine.desk.clock().now();
        self.metrics.phase_ts.insert(phase.to_owned(), now);
    }

    /// Remembers what was checked, and tells the watcher.
    fn checked(&mut self, name: &str, standing: Standing, detail: Text) {
        let checked = Checked { name: name.to_owned(), standing, detail };
        self.engine.progress.update(&Update::Checked(&checked));
        self.checks.push(checked);
    }

    /// The end of an attempt in one of its steps; the detail may be empty.
    fn end_at(&mut self, role: Role, rc: i32, class: ErrorClass, detail: impl Into<Text>) -> Stop {
        let facts = facts::of_step(&self.open.status.value, role, rc, class);
        let mut end = self.end(facts);
        end.detail = Some(detail.into()).filter(|it| !it.is_empty());
        end.reasons.extend(end.detail.as_ref().map(ToString::to_string));
        Stop::Ended(Ended::Decided(Box::new(end)))
    }

    fn end(&mut self, facts: Facts) -> End {
        let Metrics { tokens, usd, .. } = self.metrics;
        for it in budget::unreported(&self.spec.budget, tokens, usd) {
            self.checked("budget", Standing::NotVerified, it.text());
        }
        self.metrics.elapsed_seconds =
            self.wall.as_secs() + u64::from(self.wall.subsec_nanos() > 0);
        End {
            facts,
            pending_input: self.pending_input.clone(),
            detail: None,
            judge_decision: None,
            verdict_summary: None,
            rubric_version: None,
            against: Vec::new(),
            reasons: self
                .findings
                .iter()
                .map(|it| format!("{}: {}", it.subject, it.message))
                .collect(),
            next_instructions: String::new(),
            asks: Vec::new(),
            findings: self.findings.clone(),
            checks: self.checks.clone(),
            metrics: self.metrics.clone(),
        }
    }
}

/// An error with its hints, in one line.
fn with_hints(fault: &dyn Fault) -> Text {
    let (text, hints) = (fault.text(), fault.hints());
    if hints.is_empty() { text } else { Note::WithHints { text, hints }.text() }
}
