//! What people put in force: the guidance of a run, an earlier step of it, and their word on a
//! ticket. Each is in the audit chain before it takes effect.

use provost_kernel::{
    Actor, Clock, Digest, RequestId,
    learn::{Current, Guidance, Resolution, Resolved, RunName, Scaffold, TicketKey},
};
use provost_rules_learn::guidance::{self as rules, Logged};
use provost_vault::{
    Durable, Layout, RealDisk, Stored,
    audit::{Audit, Event},
    learn::{
        ArtifactFile, CurrentFileError, MissionLog, RunView, adoption, read_current, subject,
        summary, write_current,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    LearnError, Refusal, Report,
    calls::chained,
    mission_dir::{MissionDir, each, records},
};

/// Puts guidance in force in a home, in the name of an actor.
#[derive(Clone, Copy)]
pub struct GuidanceStore<'a> {
    pub layout: &'a Layout,
    pub clock: &'a dyn Clock,
    pub actor: &'a Actor,
    /// The id that somebody gave their order.
    pub request_id: Option<&'a RequestId>,
}

/// What became of an order.
#[derive(Clone, Debug)]
pub struct RolledBack {
    pub run: RunName,
    /// What is in force now.
    pub guidance: Guidance,
    /// Whether something else was in force before.
    pub is_changed: bool,
}

/// A line of the queue, as far as it is needed here.
#[derive(Deserialize)]
struct Queued {
    ticket_key: TicketKey,
}

impl GuidanceStore<'_> {
    /// Puts the guidance of a finished run in force, once: a run that was in force before stays
    /// what a person made of it since.
    pub fn adopt(
        &self,
        dir: &MissionDir,
        run: &RunName,
        report: &Report,
    ) -> Result<bool, LearnError> {
        let is_known =
            |it: &Current| it.run() == run && it.guidance().digest() == report.guidance_sha256;
        let history = dir.history()?;
        let adoption = adoption(&RealDisk, self.layout, &dir.mission)?;
        let is_adopted =
            |it: &Current| adoption.as_ref().is_some_and(|adoption| adoption.names(it));
        if let Some(last) = history.last().filter(|it| is_known(it) && is_adopted(it)) {
            return self.complete(dir, last);
        }
        if history.iter().any(is_known) {
            // Somebody put something else in force since: it must be there.
            read_current(&RealDisk, self.layout, &dir.mission)?;
            return Ok(false);
        }
        if report.measured.is_none() {
            // No measurement, no force: a run of 0.1.0 is shown, and what it put in force stays.
            return Ok(false);
        }
        let view = dir.view(run);
        let guidance = rules::replay(&log(&view)?)?;
        if guidance.digest() != report.guidance_sha256 {
            return Err(damaged(&view, "its rules are not those of the report"));
        }
        let before = self.before(dir)?;
        let order = ("learn.adopt", None);
        self.put(dir, order, run, &scaffold(&view)?, guidance, before.as_ref())?;
        Ok(true)
    }

    /// Puts an earlier step in force again, as a step of its own.
    pub fn roll_back(
        &self,
        dir: &MissionDir,
        named: Option<&RunName>,
        step: u64,
    ) -> Result<RolledBack, LearnError> {
        let current = self.before(dir)?;
        let run = match (named, &current) {
            (Some(run), _) => dir.choose(Some(run))?,
            (None, Some(current)) => dir.choose(Some(current.run()))?,
            (None, None) => {
                return Err(Refusal::NothingInForce { mission: dir.mission.clone() }.into());
            }
        };
        let view = dir.view(&run);
        let lines = log(&view)?;
        let earlier = rules::rebuild(&lines, step)?;
        let last = match &current {
            Some(current) => current.guidance().clone(),
            None => rules::replay(&lines)?,
        };
        let scaffold = scaffold(&view)?;
        let is_same = read_current(&RealDisk, self.layout, &dir.mission)
            .is_ok_and(|it| it.is_some_and(|it| holds(&it, &run, &scaffold, &earlier)));
        if is_same {
            return Ok(RolledBack { run, guidance: last, is_changed: false });
        }
        let guidance = rules::restored(&last, &earlier);
        let kept = guidance.clone();
        let events = self.rolled_back(dir, step, &guidance)?;
        self.enter(dir, events)?;
        let order = ("learn.rollback", Some(("to_step", json!(step))));
        self.put(dir, order, &run, &scaffold, guidance, current.as_ref())?;
        Ok(RolledBack { run, guidance: kept, is_changed: true })
    }

    /// Keeps a person's word on a ticket that a run gave up on; whether it is new.
    pub fn resolve(
        &self,
        dir: &MissionDir,
        key: &TicketKey,
        resolution: Resolution,
    ) -> Result<bool, LearnError> {
        if dir.resolutions()?.get(key) == Some(&resolution) {
            return Ok(false);
        }
        let mut is_queued = false;
        for run in dir.begun()? {
            each(&dir.view(&run), ArtifactFile::StopGradientQueue, |it: Queued| {
                is_queued |= it.ticket_key == *key;
            })?;
        }
        if !is_queued {
            let (mission, key) = (dir.mission.clone(), key.clone());
            return Err(Refusal::NotQueued { mission, key }.into());
        }
        self.audit(dir, "learn.resolve", json!({"ticket_key": key, "as": resolution}))?;
        let resolved = Resolved {
            v: 1,
            ticket_key: key.clone(),
            resolution,
            actor: self.actor.clone(),
            at: self.clock.now(),
        };
        dir.home.append(MissionLog::Resolutions, &resolved)?;
        Ok(true)
    }

    /// Puts what the history has last in force, where the machine stopped before that was done; it
    /// is in the audit chain already.
    fn complete(&self, dir: &MissionDir, last: &Current) -> Result<bool, LearnError> {
        let is_done = match read_current(&RealDisk, self.layout, &dir.mission) {
            Ok(current) => current.as_ref() == Some(last),
            Err(
                CurrentFileError::Damaged { .. }
                | CurrentFileError::Lost { .. }
                | CurrentFileError::Forged { .. },
            ) => false,
            Err(error @ CurrentFileError::File { .. }) => return Err(error.into()),
        };
        if !is_done {
            write_current(&RealDisk, self.layout, &dir.mission, last.clone())?;
        }
        Ok(!is_done)
    }

    /// What was in force. A file that is damaged, forged or gone is replaced: the history has what it
    /// was, and the audit chain says which of its lines that is.
    pub(super) fn before(&self, dir: &MissionDir) -> Result<Option<Current>, LearnError> {
        match read_current(&RealDisk, self.layout, &dir.mission) {
            Ok(current) => Ok(current),
            Err(
                CurrentFileError::Damaged { .. }
                | CurrentFileError::Lost { .. }
                | CurrentFileError::Forged { .. },
            ) => {
                let adoption = adoption(&RealDisk, self.layout, &dir.mission)?;
                let is_adopted =
                    |it: &Current| adoption.as_ref().is_some_and(|adoption| adoption.names(it));
                Ok(dir.history()?.into_iter().rfind(is_adopted))
            }
            Err(error @ CurrentFileError::File { .. }) => Err(error.into()),
        }
    }

    pub(super) fn put(
        &self,
        dir: &MissionDir,
        (action, note): (&str, Option<(&str, Value)>),
        run: &RunName,
        scaffold: &Scaffold,
        guidance: Guidance,
        before: Option<&Current>,
    ) -> Result<(), LearnError> {
        let current = Current::new(run.clone(), scaffold, guidance)?;
        let mut detail = json!({"old": before.map(summary), "new": summary(&current)});
        if let (Some((name, note)), Value::Object(detail)) = (note, &mut detail) {
            detail.insert(name.to_owned(), note);
        }
        self.audit(dir, action, detail)?;
        Ok(write_current(&RealDisk, self.layout, &dir.mission, current)?)
    }

    fn audit(&self, dir: &MissionDir, action: &str, detail: Value) -> Result<(), LearnError> {
        let event = Event {
            actor: self.actor.clone(),
            action: action.to_owned(),
            subject: subject(&dir.mission),
            request_id: self.request_id.cloned(),
            detail,
        };
        let mut chain = Audit::open(&RealDisk, self.layout)?;
        let head = chain.append(&event, self.clock, Durable::Now)?;
        Ok(chain.store_head(head, action, self.clock)?)
    }
}

impl std::fmt::Debug for GuidanceStore<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuidanceStore").field("actor", self.actor).finish_non_exhaustive()
    }
}

/// The scaffold that a run was begun with, each text as its digest says.
pub(super) fn scaffold(view: &RunView) -> Result<Scaffold, LearnError> {
    let path = || view.location().path().join("scaffold.json");
    match view.scaffold::<Value>()? {
        Stored::Present(file) => Ok(rules::read_scaffold(&file.to_string())
            .map_err(|error| Refusal::Damaged { path: path(), why: error.to_string() })?),
        Stored::Absent => Err(Refusal::Gone { path: path() }.into()),
        Stored::Corrupt(it) => Err(Refusal::Damaged { path: path(), why: it.why }.into()),
    }
}

/// The log of the guidance of a run.
pub(super) fn log(view: &RunView) -> Result<Vec<Logged>, LearnError> {
    records(view, ArtifactFile::GuidanceLog)
}

/// Holds the files that a report rests on against it.
pub(super) fn verify(view: &RunView, report: &Report) -> Result<(), LearnError> {
    let altered = |path| Err(Refusal::Altered { path }.into());
    if scaffold(view)?.digest() != report.scaffold_sha256 {
        return altered(view.location().path().join("scaffold.json"));
    }
    if rules::replay(&log(view)?)?.digest() != report.guidance_sha256 {
        return altered(view.artifact(ArtifactFile::GuidanceLog).path());
    }
    let mut calls = Digest::ZERO;
    for line in view.lines(ArtifactFile::Calls)? {
        calls = chained(calls, &line?);
    }
    if calls != report.calls_sha256 {
        return altered(view.artifact(ArtifactFile::Calls).path());
    }
    Ok(())
}

fn damaged(view: &RunView, why: &str) -> LearnError {
    let path = view.artifact(ArtifactFile::GuidanceLog).path();
    Refusal::Damaged { path, why: why.to_owned() }.into()
}

/// Whether exactly these rules are in force already.
fn holds(current: &Current, run: &RunName, scaffold: &Scaffold, rules: &Guidance) -> bool {
    current.run() == run
        && current.scaffold() == scaffold.digest()
        && current.guidance().rules == rules.rules
}
