//! From the file of a mission to a run: everything is read and checked before a model is asked.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    num::NonZeroU32,
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::{Cancel, model::ModelPool};
use provost_desk::Desk;
use provost_kernel::{
    Actor, Clock, Digest,
    learn::{Current, Edition, Endpoint, GateMode, Guidance, Mission, RunName, Source, Split},
};
use provost_rules_learn::{
    bound::{Bound, Plan},
    contract::Contract,
    guidance::{self as rules, GuidanceWarning, Seed},
    judge::{self, OtherScaffold},
    judge_mission, mission,
    prompt::{self, Question},
};
use provost_vault::{
    Layout, RealDisk, Stored,
    learn::{AccountLog, DocumentFile, RunFolder, RunView, read_current},
    write_atomic,
};
use serde_json::Value;

use super::{
    IngestReject, Instructions, LearnError, Refusal, Report, Setup, TicketIndex, Watch,
    accounts::Life,
    force::verify,
    gate::CALLS_PER_LABEL,
    identity::{Inputs, Part, edition_of},
    measure,
    mission_dir::MissionDir,
    reviews,
};

/// What a person asks for.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// The file of the mission: an absolute path.
    pub file: &'a Utf8Path,
    pub run: Option<RunName>,
    /// Whether a line that is not a ticket ends it before the first call.
    pub is_strict: bool,
    /// Whether it may begin although its caps cannot cover the worst case.
    pub allows_partial: bool,
    /// How many questions may be under way at once.
    pub jobs: Option<NonZeroU32>,
}

/// A mission that is ready to be learned. Nothing was asked and nothing written.
#[derive(Debug)]
pub struct Prepared {
    pub mission: Mission,
    pub dir: MissionDir,
    pub run: RunName,
    /// What was ignored in the files of the mission.
    pub warnings: Vec<GuidanceWarning>,
    pub(super) seed: Seed,
    instructions: Instructions,
    ticket_index: TicketIndex,
    identity: Value,
    layout: Layout,
    /// The judge and the mission's own rules.
    basis: String,
    /// Whether the run was begun before.
    pub is_resumed: bool,
}

/// No file that is read whole has more.
const LIMIT: u64 = 16 << 20;
/// The time that the built-in guidance has: files of a run hold no other.
const BUILT_IN: &str = "1970-01-01T00:00:00Z";
const DIGITS: usize = 12;
/// How many tokens an answer has at most where a mission does not say.
const LONG: u32 = 8192;
/// In Chinese, three bytes are a character.
const BYTES_PER_CHARACTER: u64 = 3;

/// Reads the file of a mission.
pub fn read_mission(file: &Utf8Path) -> Result<Mission, LearnError> {
    read_mission_as(file, Edition::default())
}

fn read_mission_as(file: &Utf8Path, edition: Edition) -> Result<Mission, LearnError> {
    let bytes = bytes(file).map_err(|source| {
        let path = file.to_owned();
        Refusal::NoFile { path, source }
    })?;
    let mission = mission::read_as(&utf8(file, bytes)?, edition)?;
    judge_mission::check(&mission).map_err(Refusal::Judge)?;
    Ok(mission)
}

impl Prepared {
    /// Reads everything that the mission names, and finds its run.
    pub fn new(order: &Order<'_>, desk: &Desk) -> Result<Self, LearnError> {
        let folder = order.file.parent().unwrap_or(Utf8Path::new("/"));
        let mut mission = read_mission(order.file)?;
        let dir = MissionDir::of(desk.layout(), &mission, folder);
        let named = named(order, &mission)?;
        let edition = edition(named.as_ref(), &mission, &dir, folder)?;
        if edition != mission.edition {
            mission = read_mission_as(order.file, edition)?;
        }
        mission.exclude_ticket_keys = left_out(&mission, &dir)?;
        mission.allow_partial |= order.allows_partial;
        if let Some(jobs) = order.jobs {
            mission.concurrency = jobs.get();
        }
        let instructions = instructions(&mission, folder)?;
        let mut seed = seed(&mission, folder)?;
        let ticket_index = TicketIndex::read(&tickets(&mission, folder, desk)?, &mission)?;
        if let Some(first) = ticket_index.rejects().first().filter(|_| order.is_strict) {
            let count = ticket_index.rejects().len();
            return Err(LearnError::Rejected { count, first: Box::new(first.clone()) });
        }
        let warnings = std::mem::take(&mut seed.warnings);
        let basis = basis(&mission, &seed.guidance);
        let begun = Beginning {
            mission: &mission,
            instructions: &instructions,
            ticket_index: &ticket_index,
        };
        let (run, seed, identity) = begun.find(&dir, desk, seed, named)?;
        let is_resumed = identity_of(&dir.view(&run))?.is_some();
        let prepared = Self {
            mission,
            dir,
            run,
            warnings,
            seed,
            instructions,
            ticket_index,
            identity,
            layout: desk.layout().clone(),
            basis,
            is_resumed,
        };
        prepared.check()?;
        Ok(prepared)
    }

    /// The report of the run, if it is finished: nothing is left to be asked. What it rests on is
    /// held against it first.
    pub fn finished(&self) -> Result<Option<Report>, LearnError> {
        let view = self.dir.view(&self.run);
        let report = finished(&view)?;
        if let Some(report) = &report {
            verify(&view, report)?;
        }
        Ok(report)
    }

    /// The most that the run may ask and spend, the gate and the audit included.
    pub fn bound(&self) -> Result<Bound, LearnError> {
        let Self { mission, ticket_index, .. } = self;
        let learn = ticket_index.pool(Split::Learn);
        let is_first = mission.edition.is_first();
        let has_gate = is_first && measure::mode(mission, ticket_index) != GateMode::Off;
        let gate = if has_gate { ticket_index.human_pool(Split::Gate) } else { Vec::new() };
        let reflection = &mission.reflection;
        let cap = reflection.max_calls_per_epoch.map_or(u64::MAX, u64::from);
        let longest = |it: Option<u32>| u64::from(it.unwrap_or(LONG));
        let plan = Plan {
            epochs: mission.runner.epochs,
            candidates: mission.candidates(),
            learn: ticket_index.asked(&learn),
            gate: ticket_index.asked(&gate),
            audit: ticket_index.asked(&ticket_index.human_pool(Split::Audit)),
            max_looks: mission.gate.max_looks,
            calls_per_label: if is_first { 0 } else { CALLS_PER_LABEL },
            reflections: self.inputs().worst_calls().min(cap),
            frame: self.frame(&learn)?,
            answer: mission
                .sampler
                .grid
                .iter()
                .map(|it| longest(it.max_new_tokens))
                .max()
                .unwrap_or(0),
            reflection: (
                reflection.max_reflection_length.into(),
                longest(reflection.decode.max_new_tokens),
            ),
        };
        Ok(plan.bound(&mission.budget, mission.price))
    }

    /// What a question has besides its ticket, in bytes: what provost says, and every rule that there
    /// may be.
    fn frame(&self, places: &[usize]) -> Result<u64, LearnError> {
        let Self { mission, seed, ticket_index, .. } = self;
        let Some(&first) = places.first() else { return Ok(0) };
        let question = Question {
            mission,
            contract: &Contract::of(mission)?,
            scaffold: &seed.scaffold,
            guidance: &seed.guidance,
            nonce: "",
        };
        let messages = prompt::rollout(question, &ticket_index.ticket(first, mission)?)?;
        let said = messages.iter().map(|it| count(it.content.len())).sum::<u64>();
        let rules = u64::from(mission.guidance.max_rules)
            .saturating_mul(mission.guidance.rule_max_chars.into())
            .saturating_mul(BYTES_PER_CHARACTER);
        Ok(said.saturating_add(rules))
    }

    /// The lines that were rejected.
    pub fn rejects(&self) -> &[IngestReject] {
        self.ticket_index.rejects()
    }

    /// Carries the run out, or goes on with it, to its report.
    pub fn run(
        &self,
        actor: &Actor,
        pool: &ModelPool,
        cancel: &Cancel,
        watch: &Watch<'_>,
        clock: Arc<dyn Clock>,
    ) -> Result<Report, LearnError> {
        let folder = RunFolder::open(&self.dir.at(&self.run), Arc::clone(&clock))?;
        let life = Life {
            log: AccountLog::open(&self.layout, &self.dir.mission, Arc::clone(&clock))?,
            actor: actor.clone(),
            run: self.run.clone(),
            basis: self.basis.clone(),
        };
        let Self { mission, instructions, seed, ticket_index, .. } = self;
        let setup = Setup { mission, instructions, seed, ticket_index, pool, cancel, watch };
        super::run(setup, folder, life, &*clock)
    }

    fn inputs(&self) -> Inputs<'_> {
        let Self { mission, instructions, seed, ticket_index, .. } = self;
        Inputs { mission, instructions, seed, ticket_index }
    }

    /// Refuses what could not be carried out, or is not the run that was begun.
    fn check(&self) -> Result<(), LearnError> {
        let view = self.dir.view(&self.run);
        if let Some(begun) = identity_of(&view)? {
            if let Some(what) = Part::differing(&begun, &self.identity) {
                return Err(LearnError::OtherInputs { run: self.run.to_string(), what });
            }
            if !self.mission.resume && finished(&view)?.is_none() {
                return Err(Refusal::NotResumed { run: self.run.clone() }.into());
            }
        }
        self.inputs().check_pool()?;
        self.inputs().check_gate()?;
        self.inputs().check_bound()
    }
}

/// What evidence rests on besides labels. Where it is another one, what was proven proves nothing.
fn basis(mission: &Mission, own: &Guidance) -> String {
    let model = mission.model().unwrap_or_else(|| "-".to_owned());
    format!("model {model}; rules {}", own.digest())
}

/// The run that was asked for by name.
fn named(order: &Order<'_>, mission: &Mission) -> Result<Option<RunName>, LearnError> {
    Ok(match (&order.run, &mission.output.run_name) {
        (Some(run), _) => Some(run.clone()),
        (None, Some(name)) => Some(name.parse().map_err(Refusal::Name)?),
        (None, None) => None,
    })
}

/// The edition of a run: its own if it was begun, that of the recording that answers, or the newest.
fn edition(
    named: Option<&RunName>,
    mission: &Mission,
    dir: &MissionDir,
    folder: &Utf8Path,
) -> Result<Edition, LearnError> {
    if let Some(run) = named
        && let Some(identity) = identity_of(&dir.view(run))?
    {
        return Ok(edition_of(&identity));
    }
    let is_old = |it: &Endpoint| match it {
        Endpoint::Recording { path, .. } => is_old_recording(&folder.join(path)),
        Endpoint::Chat { .. } | Endpoint::Command { .. } => false,
    };
    let is_first = mission.endpoints.iter().all(is_old);
    Ok(if is_first { Edition::First } else { Edition::default() })
}

/// Whether a recording was made up to 0.1.0, where the lines of a run had no schema. One that cannot
/// be read is reported by the endpoint.
fn is_old_recording(path: &Utf8Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut line = Vec::new();
    let read = BufReader::new(file.take(LIMIT)).read_until(b'\n', &mut line);
    let first: Option<Value> = read.ok().and_then(|_| serde_json::from_slice(&line).ok());
    first.is_some_and(|it| it.get("v").is_some() && it.get("schema").is_none())
}

/// What decides which run it is.
#[derive(Clone, Copy)]
struct Beginning<'a> {
    mission: &'a Mission,
    instructions: &'a Instructions,
    ticket_index: &'a TicketIndex,
}

impl Beginning<'_> {
    /// The run, what it begins with, and what it depends on.
    ///
    /// A run that was begun goes on from its own beginning: what is in force may have changed since.
    fn find(
        self,
        dir: &MissionDir,
        desk: &Desk,
        seed: Seed,
        named: Option<RunName>,
    ) -> Result<(RunName, Seed, Value), LearnError> {
        if self.mission.guidance.reset_on_rerun {
            let identity = self.identity(&seed)?;
            let run = named.map_or_else(|| name(&identity), Ok)?;
            return Ok((run, seed, identity));
        }
        let begun = match &named {
            Some(run) => vec![run.clone()],
            None => dir.begun()?,
        };
        for run in begun {
            let view = dir.view(&run);
            let Some(kept) = identity_of(&view)? else { continue };
            let own = self.start_of(&view, &kept, &seed)?;
            let identity = self.identity(&own)?;
            let is_open = identity == kept && finished(&view)?.is_none();
            if named.is_some() || is_open {
                return Ok((run, own, identity));
            }
        }
        let current = read_current(&RealDisk, desk.layout(), &dir.mission)?;
        let seed = in_force(seed, current, dir)?;
        let identity = self.identity(&seed)?;
        let run = named.map_or_else(|| name(&identity), Ok)?;
        Ok((run, seed, identity))
    }

    fn identity(self, seed: &Seed) -> Result<Value, LearnError> {
        let Self { mission, instructions, ticket_index } = self;
        Inputs { mission, instructions, seed, ticket_index }.identity()
    }

    /// The guidance that a run began with, under the scaffold of the mission.
    fn start_of(self, view: &RunView, kept: &Value, seed: &Seed) -> Result<Seed, LearnError> {
        let start = kept.get("start").unwrap_or(&Value::Null).to_string();
        let Ok(start) = rules::read(&start, &self.mission.mission) else {
            let path = view.location().path().join("run.json");
            return Err(Refusal::Damaged { path, why: "`start` is no guidance".to_owned() }.into());
        };
        Ok(Seed { scaffold: seed.scaffold.clone(), ..start })
    }
}

/// The report of a run that is over.
pub(super) fn finished(view: &RunView) -> Result<Option<Report>, LearnError> {
    match view.read(DocumentFile::Report)? {
        Stored::Present(report) => Ok(Some(report)),
        Stored::Absent => Ok(None),
        Stored::Corrupt(it) => {
            let path = view.location().path().join(DocumentFile::Report.file_name());
            Err(Refusal::Damaged { path, why: it.why }.into())
        }
    }
}

/// What a run depends on, if it was begun.
pub(super) fn identity_of(view: &RunView) -> Result<Option<Value>, LearnError> {
    match view.run()? {
        Stored::Present(value) => Ok(Some(value)),
        Stored::Absent => Ok(None),
        Stored::Corrupt(it) => {
            let path = view.location().path().join("run.json");
            Err(Refusal::Damaged { path, why: it.why }.into())
        }
    }
}

/// The guidance that the judge of a task type begins with.
pub(super) fn judge_seed() -> Seed {
    let (scaffold, guidance) = judge::seed();
    Seed { scaffold, guidance, updated_at: BUILT_IN.to_owned(), warnings: Vec::new() }
}

/// A new run begins with what is in force, if anything is.
fn in_force(seed: Seed, current: Option<Current>, dir: &MissionDir) -> Result<Seed, LearnError> {
    let Some(current) = current else { return Ok(seed) };
    if current.scaffold() != seed.scaffold.digest() {
        let (mission, found) = (dir.mission.clone(), current.scaffold());
        return Err(Refusal::Scaffold(OtherScaffold { mission, found }).into());
    }
    Ok(Seed { guidance: current.into_guidance(), ..seed })
}

pub(super) fn seed(mission: &Mission, folder: &Utf8Path) -> Result<Seed, LearnError> {
    match &mission.guidance.path {
        Some(path) => {
            let path = folder.join(path);
            let seed = rules::read(&text(&path)?, &mission.mission);
            Ok(seed.map_err(|error| Refusal::Guidance { path, error: Box::new(error) })?)
        }
        None => Ok(judge_seed()),
    }
}

fn tickets(
    mission: &Mission,
    folder: &Utf8Path,
    desk: &Desk,
) -> Result<Vec<Utf8PathBuf>, LearnError> {
    match &mission.source {
        Source::Files(paths) => Ok(paths.iter().map(|it| folder.join(it)).collect()),
        Source::Reviews(task_type) => {
            let reviewed = reviews::gather(desk, *task_type)?;
            let is_empty = std::fs::metadata(&reviewed).is_ok_and(|it| it.len() == 0);
            if is_empty || mission.edition.is_first() {
                return Ok(vec![reviewed]);
            }
            let at = desk.layout().probes(&mission.mission);
            write_atomic(&RealDisk, &at, judge::probes(&mission.mission).as_bytes())?;
            Ok(vec![reviewed, at.path()])
        }
    }
}

/// The tickets that the mission leaves out, and those of which a person said that nothing can be
/// learned from them.
fn left_out(
    mission: &Mission,
    dir: &MissionDir,
) -> Result<Vec<provost_kernel::learn::TicketKey>, LearnError> {
    let resolved = dir.resolutions()?.into_iter().filter(|(_, it)| it.leaves_out());
    let all: BTreeSet<_> =
        mission.exclude_ticket_keys.iter().cloned().chain(resolved.map(|(key, _)| key)).collect();
    Ok(all.into_iter().collect())
}

fn instructions(mission: &Mission, folder: &Utf8Path) -> Result<Instructions, LearnError> {
    let read = |path: &Option<String>, key: &'static str| {
        let Some(path) = path.as_ref().map(|it| folder.join(it)) else { return Ok(None) };
        let text = text(&path)?;
        if text.trim().is_empty() {
            return Err(LearnError::from(Refusal::Blank { path, key }));
        }
        Ok(Some(text))
    };
    let reflection = &mission.reflection;
    Ok(Instructions {
        decision: read(&reflection.decision_prompt_path, "reflection.decision_prompt_path")?,
        ops: read(&reflection.ops_prompt_path, "reflection.ops_prompt_path")?,
    })
}

pub(super) fn text(path: &Utf8Path) -> Result<String, LearnError> {
    let fail = |source| LearnError::Unreadable { path: path.to_owned(), source };
    utf8(path, bytes(path).map_err(fail)?)
}

/// A file, and no more of it than is ever needed to see that it is too large.
fn bytes(path: &Utf8Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn utf8(path: &Utf8Path, bytes: Vec<u8>) -> Result<String, LearnError> {
    if count(bytes.len()) > LIMIT {
        return Err(Refusal::TooLarge { path: path.to_owned(), limit: LIMIT }.into());
    }
    String::from_utf8(bytes).map_err(|_| Refusal::NotText { path: path.to_owned() }.into())
}

/// An unnamed run is named after what it depends on.
fn name(identity: &Value) -> Result<RunName, LearnError> {
    let digest = Digest::of_json(identity)?.to_string();
    let short: String = digest.chars().take(DIGITS).collect();
    Ok(format!("run-{short}").parse().map_err(Refusal::Name)?)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
