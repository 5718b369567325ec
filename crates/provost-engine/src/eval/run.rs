//! One run: workers answer and judge, one thread collects, and the gate decides.

use std::{
    collections::BTreeMap,
    fmt,
    sync::mpsc::{Receiver, sync_channel},
    thread::ScopedJoinHandle,
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use provost_adapter::Cancel;
use provost_kernel::{
    Digest, Lang, Timestamp,
    eval::{CaseResult, CaseStatus, Profile, Report, Response, Run},
};
use provost_rules::{
    eval::{
        baseline::compare,
        check::Rubric,
        epochs::{merge, statistics},
        gate::GatePolicy,
        report::{Findings, assemble},
        stub::{self, StubOptions},
        suite::Suite,
        waiver::Waivers,
    },
    secret,
};
use provost_vault::eval::Journal;
use serde_json::{Value, json};

use super::{
    cases::Listing,
    chat::ChatPlan,
    command::{self, CommandMode, CommandPlan},
    error::EvalError,
    floor::{Done, Floor, Setting, Turn, Watcher},
    journal::{self, Kept, Known},
    lines,
    recording::{Recorder, Replay},
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
    pub policy: GatePolicy,
    pub waivers: Waivers,
    pub baseline: Option<Report>,
    pub report: Utf8PathBuf,
    /// Whether a run that was ended goes on.
    pub is_resumed: bool,
    pub now: Timestamp,
    pub runner_version: &'a str,
    pub lang: Lang,
}

/// Who answers.
#[derive(Debug)]
pub enum Engine {
    Stub(StubOptions),
    Command(Box<CommandPlan>),
    Chat(Box<ChatPlan>),
    /// Nobody: only recordings do.
    Replay,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    pub report: Report,
    /// How many cases were measured now, and not known before.
    pub measured: usize,
}

/// How often it is looked whether the run is over.
const LOOK: Duration = Duration::from_millis(50);

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
    let key = plan.key()?;
    let mut old = known.as_deref().cloned().unwrap_or_default();
    if plan.is_resumed {
        old.extend(journal::read(&plan.report, &key));
    }
    let is_current = |kept: &Kept, digest: &Digest| {
        kept.case == *digest && kept.result.status != CaseStatus::Error
    };
    old.retain(|id, kept| {
        let at = listing.cases.binary_search_by(|it| it.id.cmp(id));
        at.is_ok_and(|at| listing.cases.get(at).is_some_and(|it| is_current(kept, &it.digest)))
    });
    let to_run = |id: &String| !old.contains_key(id);
    let order: Vec<usize> =
        (0..listing.cases.len()).filter(|at| to_run(&listing.cases[*at].id)).collect();
    let mut journal = match plan.engine {
        // What takes no time need not be kept.
        Engine::Stub(_) | Engine::Replay => None,
        Engine::Command(_) | Engine::Chat(_) => Some(journal::begin(&plan.report, &key, &old)?),
    };
    let measured = order.len();
    let done = collect(plan, listing, &order, old.len(), &mut journal, cancel, watcher)?;
    if done.len() < measured {
        let (done, total) = (old.len() + done.len(), listing.cases.len());
        return Err(EvalError::Interrupted { done, total, is_kept: journal.is_some() });
    }
    let mut all = old;
    all.extend(done.into_iter().map(|it| (it.result.id.clone(), it)));
    if let Some(known) = known {
        *known = all.clone();
    }
    let report = plan.report(listing, all, started.elapsed())?;
    Ok(Ran { report, measured })
}

/// Removes the journal of a run whose report is written.
pub fn forget(plan: &Plan<'_>) {
    // A journal that stays is known for an old one by its key, or repeats what is in the report.
    let _ = Journal::forget(&Journal::of(&plan.report));
}

/// Lets workers answer, and takes what they bring.
fn collect(
    plan: &Plan<'_>,
    listing: &Listing,
    order: &[usize],
    n_known: usize,
    journal: &mut Option<Journal>,
    cancel: &Cancel,
    watcher: &dyn Watcher,
) -> Result<Vec<Kept>, EvalError> {
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
        order,
        epochs: plan.epochs,
        rubric: plan.rubric,
        profile: plan.profile,
        engine_version: &version,
        is_version_named: plan.engine_version.is_some(),
        lang: plan.lang,
        retries: plan.retries,
        recorder: recorder.as_ref(),
        cancel,
    };
    let jobs = plan.jobs.clamp(1, order.len().max(1));
    // What is finished and not yet taken is bounded, and so is the memory of it.
    let (sink, source) = sync_channel(jobs * 4);
    let floor = Floor::new(setting, sink);
    let kept = std::thread::scope(|scope| {
        let worker = || scope.spawn(|| work(plan, replay.as_ref(), &floor));
        let workers: Vec<_> = (0..jobs).map(|_| worker()).collect();
        let is_idle = || workers.iter().all(ScopedJoinHandle::is_finished);
        let kept = gather(
            plan,
            listing,
            order.len(),
            n_known,
            journal,
            &source,
            watcher,
            &floor,
            &is_idle,
        );
        // Nobody may wait for a reader that has left.
        drop(source);
        for worker in workers {
            if worker.join().is_err() {
                floor.fail(EvalError::Broken);
            }
        }
        kept
    });
    match floor.into_failure() {
        Some(error) => Err(error),
        None => Ok(kept),
    }
}

#[expect(clippy::too_many_arguments, reason = "one loop of one caller")]
fn gather(
    plan: &Plan<'_>,
    listing: &Listing,
    expected: usize,
    n_known: usize,
    journal: &mut Option<Journal>,
    source: &Receiver<Done>,
    watcher: &dyn Watcher,
    floor: &Floor<'_>,
    is_idle: &dyn Fn() -> bool,
) -> Vec<Kept> {
    let epochs = usize::try_from(plan.epochs).unwrap_or(1).max(1);
    let mut pending: BTreeMap<usize, Vec<CaseResult>> = BTreeMap::new();
    let mut kept = Vec::with_capacity(expected);
    while kept.len() < expected {
        // Asked first: what the last of them sent is there when nobody works any more.
        let is_last = is_idle();
        let Ok(Done { at, result }) = source.recv_timeout(LOOK) else {
            if floor.is_over() || is_last {
                break;
            }
            continue;
        };
        let runs = pending.entry(at).or_default();
        runs.push(result);
        if runs.len() < epochs {
            continue;
        }
        let runs = pending.remove(&at).unwrap_or_default();
        let statuses = runs.iter().map(|it| it.status).collect();
        let (Some(listed), Some(result)) = (listing.cases.get(at), merge(runs)) else { continue };
        let one = Kept { case: listed.digest, result, statuses };
        if let Some(journal) = journal
            && let Err(error) = journal::add(journal, &one)
        {
            floor.fail(error);
            break;
        }
        kept.push(one);
        let last = kept.last().map(|it| &it.result);
        if let Some(last) = last {
            watcher.measured(n_known + kept.len(), listing.cases.len(), last);
        }
    }
    kept
}

/// What one worker does.
fn work(plan: &Plan<'_>, replay: Option<&Replay>, floor: &Floor<'_>) {
    let (cancel, lang) = (floor.setting.cancel, plan.lang);
    match (&plan.engine, replay) {
        (_, Some(replay)) => {
            floor.each(|turn| replay.answer(&turn.request, turn.epoch, lang));
        }
        (Engine::Stub(options), None) => {
            floor.each(|turn| Ok(built_in(plan, options, turn, cancel)));
        }
        (Engine::Command(command), None) => match command.mode {
            CommandMode::OneShot => {
                floor.each(|turn| command::ask(command, turn, cancel, lang));
            }
            CommandMode::Lines => lines::work(command, floor),
        },
        (Engine::Chat(chat), None) => floor.each(|turn| chat.ask(turn, floor)),
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
            "strict": self.rubric == Rubric::Strict, "lang": self.lang.pick("en", "zh"),
        }))?)
    }

    fn report(&self, listing: &Listing, all: Known, took: Duration) -> Result<Report, EvalError> {
        let (mut cases, mut statuses) = (Vec::with_capacity(all.len()), Vec::new());
        for kept in all.into_values() {
            cases.push(kept.result);
            if self.epochs > 1 {
                statuses.push(kept.statuses);
            }
        }
        let epochs = (self.epochs > 1).then(|| statistics(self.epochs, &statuses, &cases));
        let run = Run {
            suite: self.suite.name.clone(),
            profile: self.profile,
            engine_version: self.reported_version(&cases),
            template_versions: BTreeMap::new(),
            model_id: String::new(),
            generator: redacted(&self.engine_name),
            fail_on: self.policy.fail_on,
            cases: cases.len(),
            priority_values: self.suite.priority_values(),
            runner_version: self.runner_version.to_owned(),
            lexicon_sha256: self.suite.lexicon.digest,
            schemas_sha256: self.suite.schemas_sha256,
            cases_sha256: listing.digest(),
            epochs: self.epochs,
            lang: self.lang,
            timestamp: Some(self.now),
            duration_ms: u64::try_from(took.as_millis()).ok(),
        };
        let baseline = self.baseline.as_ref().map(|it| compare(it, &run, &cases));
        let findings = Findings { run, cases, epochs, baseline };
        Ok(assemble(findings, &self.policy, &self.waivers, self.now, self.lang)?)
    }

    /// The version in the report: what a person said, else what the engine says of itself.
    fn reported_version(&self, cases: &[CaseResult]) -> String {
        if let Some(version) = &self.engine_version {
            return version.clone();
        }
        let mut said: Vec<&str> =
            cases.iter().filter_map(|it| it.meta.engine_version.as_deref()).collect();
        said.sort_unstable();
        said.dedup();
        if said.is_empty() { self.version() } else { said.join(", ") }
    }
}

fn redacted(text: &str) -> String {
    String::from_utf8_lossy(&secret::redact(text.as_bytes())).into_owned()
}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The engine's environment may hold keys.
        f.debug_struct("Plan").field("engine_name", &self.engine_name).finish_non_exhaustive()
    }
}
