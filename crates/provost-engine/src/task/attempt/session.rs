//! The session of the coder: gone on in where that fits, and kept for the attempt after this one.

use provost_adapter::{
    CallError, CallResult, Failure,
    preset::{
        Preset,
        session::{Resumed, Sessions},
    },
    select::AdapterConfig,
};
use provost_kernel::{
    AttemptNumber, Digest, Message as _,
    task::{EventKind, SessionAgent, SessionRecord},
};
use provost_rules::secret;
use provost_rules_task::session::{NextCall, SessionEnd, goes_on, is_kept};
use provost_vault::{
    FileError, FoundTranscript, Location, RealDisk, Scratch, WorkPlace, find_transcript,
    keep_record, keep_session, kept_record, kept_transcript, remove, work_path, write_record,
};

use super::{Agent, Attempt, Stop, step::STATE};
use crate::{EngineError, task::progress::Update};

/// The session that the coder goes on in.
pub(super) struct Continued {
    record: SessionRecord,
    transcript: Vec<u8>,
}

/// An agent that can go on in a session.
struct Resumable {
    preset: &'static Preset,
    sessions: &'static Sessions,
    agent: SessionAgent,
}

impl Resumable {
    fn of(coder: &Agent) -> Option<Self> {
        let AdapterConfig::Preset { preset, model, .. } = &coder.selected.config else {
            return None;
        };
        let preset = Preset::named(preset)?;
        let agent = SessionAgent {
            adapter: coder.selected.name.clone(),
            preset: preset.name.to_owned(),
            model: coder.model.clone().or_else(|| model.clone()),
        };
        Some(Self { preset, sessions: preset.sessions.as_ref()?, agent })
    }
}

impl Continued {
    pub(super) fn resumed(&self) -> Resumed<'_> {
        Resumed { session: &self.record.session, spent: self.record.spent }
    }
}

impl Attempt<'_, '_, '_> {
    /// Looks for the session that the coder goes on in.
    pub(super) fn find_session(
        &mut self,
        coder: &Agent,
        rerun: Option<AttemptNumber>,
    ) -> Result<(), Stop> {
        self.continued = self.session_before(coder, rerun)?;
        if let Some(Continued { record, .. }) = &self.continued {
            self.metrics.session_of = Some(record.attempt.get());
            let summary = format!("attempt {}: {}", record.attempt, record.session);
            self.note(EventKind::SessionContinued, summary)?;
        }
        if self.started_on.is_some() {
            let has_session = self.continued.is_some();
            self.engine.progress.update(&Update::Continued { has_session });
        }
        Ok(())
    }

    fn session_before(
        &self,
        coder: &Agent,
        rerun: Option<AttemptNumber>,
    ) -> Result<Option<Continued>, EngineError> {
        let Some(Resumable { agent, .. }) = Resumable::of(coder) else { return Ok(None) };
        let layout = self.engine.desk.layout();
        // What cannot be read is not gone on in, and stops nothing.
        let Ok(Some(record)) = kept_record(layout, self.open.task()) else { return Ok(None) };
        let next = NextCall {
            started_on: self.started_on,
            context_mode: self.spec.attempt_context_mode,
            is_rerun: rerun.is_some(),
            agent: &agent,
        };
        match goes_on(&record, next) {
            None => return Ok(None),
            Some(Err(end)) => {
                self.drop_session(&end)?;
                return Ok(None);
            }
            Some(Ok(())) => {}
        }
        let Ok(Some(transcript)) = kept_transcript(layout, &record) else {
            self.drop_session(&SessionEnd::NoTranscript)?;
            return Ok(None);
        };
        Ok(Some(Continued { record, transcript }))
    }

    /// Puts the transcript where the program looks for it.
    pub(super) fn put_session(&self, agent: &Agent) -> Result<(), FileError> {
        let (Some(continued), Some(own)) = (&self.continued, Resumable::of(agent)) else {
            return Ok(());
        };
        match self.place_of(&continued.record, own.sessions) {
            Some(at) => write_record(&RealDisk, &at, &continued.transcript),
            // Without it, the program says that it has no such session.
            None => Ok(()),
        }
    }

    /// Where the program looks for a transcript, if it has the name of one.
    fn place_of(&self, record: &SessionRecord, sessions: &Sessions) -> Option<Location> {
        let SessionRecord { file, session, .. } = record;
        let put = sessions.put.iter().copied().chain([file.as_str()]);
        let is_it = sessions.accepts(session) && sessions.is_transcript(file, session);
        self.transcripts(sessions, put).filter(|_| is_it)
    }

    /// A place below the folder of the transcripts, in the private state of this attempt's coder.
    fn transcripts<'a>(
        &self,
        sessions: &Sessions,
        below: impl Iterator<Item = &'a str>,
    ) -> Option<Location> {
        let place = WorkPlace::Scratch(Scratch::Coder);
        let place = self.engine.desk.layout().work_place(self.open.task(), self.number, place);
        let parts: Vec<&str> = [STATE].into_iter().chain(sessions.folder).chain(below).collect();
        work_path(&place, &parts)
    }

    /// Whether a call is to be repeated in a session of its own, because the program could not go on in
    /// the earlier one. It has done nothing then.
    pub(super) fn begins_anew(
        &mut self,
        agent: &Agent,
        called: &CallResult,
    ) -> Result<bool, FileError> {
        if called.outcome != Err(CallError::Failed(Failure::Session)) {
            return Ok(false);
        }
        let (Some(continued), Some(own)) = (self.continued.take(), Resumable::of(agent)) else {
            return Ok(false);
        };
        if let Some(at) = self.place_of(&continued.record, own.sessions) {
            remove(&at)?;
        }
        self.metrics.session_of = None;
        self.drop_session(&SessionEnd::NotResumed { title: own.preset.title })?;
        Ok(true)
    }

    /// Keeps the transcript of the coder's session, and nothing else of its state.
    pub(super) fn keep_session(&self, coder: &Agent, called: &CallResult) -> Result<(), FileError> {
        let Some(Resumable { sessions, agent, .. }) = Resumable::of(coder) else { return Ok(()) };
        if !is_kept(&self.spec) {
            return Ok(());
        }
        let session = called.session.as_ref().filter(|it| sessions.accepts(it));
        let Some(session) = session else { return Ok(()) };
        let (layout, task) = (self.engine.desk.layout(), self.open.task());
        let Some(folder) = self.transcripts(sessions, std::iter::empty()) else { return Ok(()) };
        let is_it = |name: &str| sessions.is_transcript(name, session);
        let (file, transcript) = match find_transcript(&folder, sessions.depth, &is_it)? {
            FoundTranscript::One(file, transcript) => (file, transcript),
            FoundTranscript::None => return self.drop_session(&SessionEnd::NoTranscript),
            FoundTranscript::Several => return self.drop_session(&SessionEnd::SeveralTranscripts),
            FoundTranscript::TooLarge => return self.drop_session(&SessionEnd::TooLarge),
        };
        // It could not be redacted without being broken, and secrets are kept nowhere.
        if !secret::scan(&transcript).is_empty() {
            return self.drop_session(&SessionEnd::Secret);
        }
        let before = self.continued.as_ref().map(|it| &it.record);
        let before = before.filter(|it| it.session == *session).map(|it| it.spent);
        let spent = Some(called.session_usage).filter(|it| !it.is_unknown()).or(before);
        let record = SessionRecord {
            task_id: task.clone(),
            attempt: self.number,
            agent,
            session: session.clone(),
            file,
            digest: Digest::of_bytes(&transcript),
            spent: spent.unwrap_or_default(),
        };
        keep_session(layout, record, &transcript)
    }

    /// Takes the session along where an attempt goes on with the files of an earlier one as they are.
    pub(super) fn carry_session(&self, earlier: AttemptNumber) -> Result<(), FileError> {
        let layout = self.engine.desk.layout();
        match kept_record(layout, self.open.task()) {
            Ok(Some(record)) if record.attempt == earlier => {
                keep_record(layout, SessionRecord { attempt: self.number, ..record })
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Says that a session is not gone on in.
    fn drop_session(&self, end: &SessionEnd) -> Result<(), FileError> {
        let text = end.text();
        self.engine.progress.update(&Update::SessionDropped(&text));
        self.note(EventKind::SessionDropped, text.to_string())
    }
}
