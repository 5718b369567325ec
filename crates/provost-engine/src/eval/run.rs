//! One run: workers answer and judge, one thread collects, and the gate decides.

use std::{
    collections::BTreeMap,
    fmt,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use provost_adapter::{
    Cancel,
    pool::{self, Limits, Order, Worker},
};
use provost_kernel::{
    Digest, Timestamp,
    eval::{CaseResult, CaseStatus, Profile, Report, Response, Run},
    model::Usage,
};
use provost_rules::secret;
use provost_rules_eval::{
    baseline::{Comparison, Earlier, Extent},
    check::Rubric,
    epochs::merge,
    gate::GatePolicy,
    price::Prices,
    report::Tally,
    stub::{self, StubOptions},
    suite::Suite,
    waiver::Waivers,
};
use provost_vault::eval::Journal;
use serde_json::{Value, json};

use super::{
    cases::Listing,
    chat::ChatPlan,
    command::{self, CommandMode, CommandPlan},
    error::EvalError,
    journal::{self, Known, MeasuredCase},
    lines,
    others::Others,
    recording::{Recorder, Replay},
    results::Results,
    work_queue::{Job, Measured, Setting, Turn, Watcher, WorkQueue},
};

/// What is run, with what, and what is made of it.
pub struct Plan<'a> {
    pub suite: &'a Suite,
    pub engine: Engine,
    /// How the report names the engine.
    pub engine_name: String,
    /// Record what the engine answers here.
    pub record: Option<Utf8PathBuf>,
    /// Answer from here instead of asking the engine.
    pub replay: Option<Utf8PathBuf>,
    pub profile: Profile,
    /// What a person says that the engine's version is.
    pub engine_version: Option<String>,
    pub rubric: Rubric,
    pub epochs: u32,
    pub jobs: usize,
    pub retries: u32,
    /// Whom the checks of the suite may ask.
    pub others: Others,
    /// What tokens cost.
    pub prices: Option<Prices>,
    pub policy: GatePolicy,
    pub waivers: Waivers,
    pub baseline: Option<Earlier>,
    pub report: Utf8PathBuf,
    /// Whether a run that was ended goes on.
    pub is_resumed: bool,
    pub now: Timestamp,
    pub runner_version: &'a str,
}

/// Who answers.
#[derive(Debug)]
pub enum Engine {
    Stub(StubOptions),
    Command(Box<CommandPlan>),
    Chat(Box<ChatPlan>),
    /// None: only recordings do.
    Replay,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    pub report: Report,
    /// The cases that are not simply good: what failed, and nothing else of them.
    pub noted: Vec<CaseResult>,
    /// All cases.
    pub results: Results,
    /// How many cases were measured now, and not known before.
    pub measured: usize,
}

/// Runs every case that is not known, and makes the report. What is known after it is put into
/// `known`, if the caller wants to run again.
pub fn run(
    plan: &Plan<'_>,
    listing: &Listing,
    known: Option<&mut Known>,
    cancel: &Cancel,
    watcher: &dyn Watcher,
) -> Result<Ran, EvalError> {
    let started = Instant::now();
    let n_cases = listing.cases.len();
    if listing.is_whole {
        let ids: Vec<_> = listing.cases.iter().map(|it| it.id.as_str()).collect();
        plan.waivers.check_cases(&ids)?;
    }
    plan.others.suffice(plan.suite, plan.rubric)?;
    let judge_usage = plan.others.calibrate(plan.suite, plan.rubric, cancel)?;
    let extent = if listing.is_whole { Extent::All } else { Extent::Part };
    let comparison = plan.baseline.as_ref().map(|it| Comparison::new(it, extent));
    let mut desk = Desk {
        tally: Tally::new(&plan.waivers, plan.now).with_epochs(plan.epochs).against(comparison),
        results: Results::new(&plan.report, n_cases),
        n_done: 0,
        journal: None,
        known,
    };
    desk.take_over(plan, listing)?;
    let order: Vec<usize> = (0..n_cases).filter(|at| !desk.results.has(*at)).collect();
    let measured = order.len();
    collect(plan, listing, &order, &mut desk, cancel, watcher)?;
    let Desk { tally, results, n_done, journal, .. } = desk;
    if n_done < n_cases {
        let is_kept = journal.is_some();
        return Err(EvalError::Interrupted { done: n_done, total: n_cases, is_kept });
    }
    let mut run = plan.described(listing, &tally, started.elapsed());
    run.judge_usage = judge_usage;
    let (mut report, noted) = tally.report(run, &plan.policy);
    report.digest = Some(results.digest(&report)?);
    Ok(Ran { report, noted, results, measured })
}

/// Removes the journal of a run whose report is written.
pub fn forget(plan: &Plan<'_>) {
    // A journal that stays is known for an old one by its key, or repeats what is in the report.
    let _ = Journal::forget(&Journal::of(&plan.report));
}

/// Where results come together.
struct Desk<'a> {
    tally: Tally<'a>,
    results: Results,
    n_done: usize,
    journal: Option<Journal>,
    known: Option<&'a mut Known>,
}

impl Desk<'_> {
    /// Takes what is known already, from a run that was ended or from the one before.
    fn take_over(&mut self, plan: &Plan<'_>, listing: &Listing) -> Result<(), EvalError> {
        let key = plan.key()?;
        for (at, listed) in listing.cases.iter().enumerate() {
            let kept = self.known.as_ref().and_then(|it| it.get(&listed.id, &listed.digest));
            if let Some(kept) = kept.filter(MeasuredCase::is_measured) {
                self.put(at, kept)?;
            }
        }
        let (mut bytes, mut failure) = (0, None);
        if plan.is_resumed {
            bytes = journal::read(&plan.report, &key, |kept| {
                let at = listing.cases.binary_search_by(|it| it.id.cmp(&kept.result.id));
                let listed = at.ok().and_then(|at| Some((at, listing.cases.get(at)?)));
                if let Some((at, listed)) = listed
                    && listed.digest == kept.case
                    && kept.is_measured()
                    && !self.results.has(at)
                    && let Err(error) = self.put(at, kept)
                {
                    failure.get_or_insert(error);
                }
            });
        }
        // What takes no time need not be kept, and beside a device nothing can be.
        let is_kept = match plan.engine {
            Engine::Stub(_) | Engine::Replay => false,
            Engine::Command(_) | Engine::Chat(_) => plan.report.is_file() || !plan.report.exists(),
        };
        if is_kept {
            self.journal = Some(journal::begin(&plan.report, &key, bytes)?);
        }
        failure.map_or(Ok(()), Err)
    }

    /// Takes what was measured now.
    fn take(&mut self, at: usize, kept: MeasuredCase) -> Result<(), EvalError> {
        if let Some(journal) = &mut self.journal {
            journal::add(journal, &kept)?;
        }
        if let Some(known) = &mut self.known {
            known.put(&kept)?;
        }
        self.put(at, kept)
    }

    /// Takes all runs of one case.
    fn merge(
        &mut self,
        at: usize,
        runs: Vec<CaseResult>,
        listing: &Listing,
        watcher: &dyn Watcher,
    ) -> Result<(), EvalError> {
        let statuses = runs.iter().map(|it| it.status).collect();
        let (Some(listed), Some(result)) = (listing.cases.get(at), merge(runs)) else {
            return Ok(());
        };
        let status = result.status;
        self.take(at, MeasuredCase { case: listed.digest, result, statuses })?;
        watcher.measured(self.n_done, listing.cases.len(), &listed.id, status);
        Ok(())
    }

    fn put(&mut self, at: usize, kept: MeasuredCase) -> Result<(), EvalError> {
        let MeasuredCase { mut result, statuses, .. } = kept;
        self.tally.add(&mut result, &statuses);
        self.n_done += 1;
        self.results.put(at, &result)
    }
}

impl MeasuredCase {
    /// Whether there is a result that need not be measured again.
    fn is_measured(&self) -> bool {
        self.result.status != CaseStatus::Error
    }
}

/// Lets workers answer, and takes what they bring.
fn collect(
    plan: &Plan<'_>,
    listing: &Listing,
    order: &[usize],
    desk: &mut Desk<'_>,
    cancel: &Cancel,
    watcher: &dyn Watcher,
) -> Result<(), EvalError> {
    let recorder = match (&plan.record, &plan.replay) {
        (Some(folder), None) => Some(Recorder::new(folder.clone(), plan.identity())),
        (Some(_) | None, _) => None,
    };
    let named = match plan.engine {
        Engine::Replay => None,
        Engine::Stub(_) | Engine::Command(_) | Engine::Chat(_) => Some(plan.identity()),
    };
    let replay = plan.replay.as_ref().map(|it| Replay::new(it.clone(), named));
    let version = plan.version();
    let setting = Setting {
        suite: plan.suite,
        listing,
        rubric: plan.rubric,
        profile: plan.profile,
        engine_version: &version,
        is_version_named: plan.engine_version.is_some(),
        retries: plan.retries,
        others: &plan.others,
        prices: plan.prices,
        is_replayed: plan.replay.is_some(),
        recorder: recorder.as_ref(),
        cancel,
    };
    let workers = plan.jobs.clamp(1, order.len().max(1));
    let total = match &plan.engine {
        Engine::Command(it) if it.mode == CommandMode::Lines => workers * lines::WINDOW,
        Engine::Stub(_) | Engine::Command(_) | Engine::Chat(_) | Engine::Replay => workers,
    };
    let limits = Limits { lanes: vec![workers], total, order: Order::Finished };
    let epochs = plan.epochs.max(1);
    let mut jobs = order.iter().flat_map(|&at| (0..epochs).map(move |epoch| (at, epoch)));
    let work = |worker: &Worker<'_, '_, Job, Measured>| {
        work(plan, replay.as_ref(), &WorkQueue::new(&setting, worker));
    };
    let mut pending: BTreeMap<usize, Vec<CaseResult>> = BTreeMap::new();
    let mut failure = None;
    let mut take = |_, &(at, _): &Job, measured: Measured| {
        let taken = measured.and_then(|result| {
            let runs = pending.entry(at).or_default();
            runs.push(result);
            if runs.len() < usize::try_from(epochs).unwrap_or(usize::MAX) {
                return Ok(());
            }
            let runs = pending.remove(&at).unwrap_or_default();
            desk.merge(at, runs, listing, watcher)
        });
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let run = AssertUnwindSafe(|| pool::run(&limits, &mut jobs, cancel, &work, &mut take));
    catch_unwind(run).map_err(|_| EvalError::Broken)?;
    failure.map_or(Ok(()), Err)
}

/// What one worker does.
fn work(plan: &Plan<'_>, replay: Option<&Replay>, queue: &WorkQueue<'_, '_>) {
    let cancel = queue.setting.cancel;
    match (&plan.engine, replay) {
        (_, Some(replay)) => {
            queue.each(|turn| replay.answer(&turn.request, turn.epoch));
        }
        (Engine::Stub(options), None) => {
            queue.each(|turn| Ok(built_in(plan, options, turn, cancel)));
        }
        (Engine::Command(command), None) => match command.mode {
            CommandMode::OneShot => {
                queue.each(|turn| command::ask(command, turn, cancel));
            }
            CommandMode::Lines => lines::work(command, queue),
        },
        (Engine::Chat(chat), None) => queue.each(|turn| chat.ask(turn, queue)),
        // A plan without an engine has recordings.
        (Engine::Replay, None) => {}
    }
}

fn built_in(plan: &Plan<'_>, options: &StubOptions, turn: &Turn, cancel: &Cancel) -> Response {
    if options.latency_ms > 0 {
        cancel.sleep(Duration::from_millis(options.latency_ms));
    }
    let mut response = stub::answer(&turn.request, &plan.suite.lexicon);
    options.apply(&turn.case.id, turn.epoch, &mut response.artifacts);
    response
}

impl Plan<'_> {
    /// The version that the engine is told.
    fn version(&self) -> String {
        let own = match self.engine {
            Engine::Stub(_) => stub::ENGINE_VERSION,
            Engine::Command(_) | Engine::Chat(_) | Engine::Replay => "0.1.0",
        };
        self.engine_version.clone().unwrap_or_else(|| own.to_owned())
    }

    /// What an answer depends on besides its request.
    fn identity(&self) -> Value {
        match &self.engine {
            Engine::Stub(options) => {
                json!({"kind": "stub", "model": stub::MODEL_ID, "options": format!("{options:?}")})
            }
            Engine::Command(plan) => {
                let lines = plan.mode == CommandMode::Lines;
                json!({"kind": "cmd", "argv": plan.argv, "lines": lines})
            }
            Engine::Chat(plan) => plan.identity(self.profile),
            Engine::Replay => json!({"kind": "replay"}),
        }
    }

    /// Over everything that results depend on besides the cases.
    fn key(&self) -> Result<Digest, EvalError> {
        Ok(Digest::of_json(&json!({
            "engine": self.identity(), "version": self.version(), "runner": self.runner_version,
            "suite": self.suite.name, "lexicon": self.suite.lexicon.digest,
            "schemas": self.suite.schemas_sha256, "profile": self.profile, "epochs": self.epochs,
            "strict": self.rubric == Rubric::Strict, "checks": self.suite.digest,
            "others": self.others.identity(),
        }))?)
    }

    /// What is run, and with what.
    fn described(&self, listing: &Listing, tally: &Tally<'_>, took: Duration) -> Run {
        // The version is what a person said, else what the engine says of itself.
        let said = self.engine_version.clone().or_else(|| tally.engine_version());
        Run {
            suite: self.suite.name.clone(),
            profile: self.profile,
            engine_version: said.unwrap_or_else(|| self.version()),
            template_versions: BTreeMap::new(),
            model_id: String::new(),
            generator: redacted(&self.engine_name),
            fail_on: self.policy.fail_on,
            cases: listing.cases.len(),
            priority_values: self.suite.priority_values(),
            runner_version: self.runner_version.to_owned(),
            lexicon_sha256: self.suite.lexicon.digest,
            schemas_sha256: self.suite.schemas_sha256,
            cases_sha256: listing.digest(),
            epochs: self.epochs,
            timestamp: Some(self.now),
            duration_ms: u64::try_from(took.as_millis()).ok(),
            suite_sha256: Some(self.suite.digest),
            judge: self.others.judge.as_ref().map(|it| redacted(&it.model)),
            usage: Usage::default(),
            judge_usage: Usage::default(),
        }
    }
}

fn redacted(text: &str) -> String {
    String::from_utf8_lossy(&secret::redact_shapes(text.as_bytes())).into_owned()
}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The engine's environment may hold keys.
        f.debug_struct("Plan").field("engine_name", &self.engine_name).finish_non_exhaustive()
    }
}
