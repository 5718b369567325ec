//! The judge: asked apart from the evidence, at temperature 0, at most three times, and never
//! believed in its arithmetic.

use provost_adapter::{
    AdapterError, AgentRole, CallError, CallResult, Dimension, Failure, JudgeRubric, Request,
};
use provost_exec::git::{PrivateClone, tree::TreeFiles};
use provost_kernel::{
    Finding, Message as _, Text,
    task::{ErrorClass, EventKind, Role, Standing, TaskType, VerdictDecision},
};
use provost_rules::json_reply;
use provost_rules_task::{
    facts,
    inputs::{self, PendingInput},
    judgement::{self, Judged, KeptVerdict},
    prompt::{JudgePrompt, ShownChange, judge},
    reply::Reply,
    rubric::Rubric,
    score::{Ask, Because, MachineFacts},
    sections, story,
    verdict::{self, Assessment, Yardstick},
};
use provost_vault::{
    RealDisk, Scratch, Step as StepFolder, StepFile, WorkPlace, write_json, write_record,
};

use super::{
    Agent, Attempt, End, Note, Stop,
    evidence::Bundle,
    judge_folder::JudgeFolder,
    policy::Change,
    step::{Cwd, Limit, Place, json},
    test::Tested,
    with_hints,
};
use crate::{
    EngineError,
    context::redact_text,
    task::progress::{Step, Update},
};

/// How many unseen files a person is asked about by name.
const ASKED: usize = 5;
/// The longest document that is looked at for its sections.
const DOCUMENT: u64 = 4 << 20;

/// One answer of a judge, or why there is none.
struct Answer {
    called: CallResult,
    /// None when there is no reply to look at.
    assessment: Option<Assessment>,
    class: ErrorClass,
}

impl Attempt<'_, '_, '_> {
    /// Has the attempt judged, and says what the table is told.
    pub(super) fn judge(
        &mut self,
        agent: &Agent,
        clone: &PrivateClone,
        change: &Change,
        tested: &Tested,
        bundle: &Bundle,
    ) -> Result<Box<End>, Stop> {
        let yardstick = Yardstick::embedded().map_err(EngineError::from)?;
        let folder = self.judge_folder(agent, clone, change, tested, bundle)?;
        let missing = self.missing_sections(clone, change)?;
        self.note_checks(EventKind::JudgeStarted, format!("judge={}", agent.selected.name))?;
        self.mark("judge_started_at");
        self.engine.progress.update(&Update::StepStarted { step: Step::Judge });
        let mut tries: u8 = 1;
        let mut refused: Vec<Finding> = Vec::new();
        let (answer, limit) = loop {
            let (deadline, limit) = self.deadline(self.spec.judge_timeout_seconds)?;
            let request = self.judge_request(agent, &yardstick, tested, bundle, &refused, deadline);
            let answer = self.ask(agent, request, bundle, &yardstick, &folder, tries)?;
            if !judgement::is_asked_again(tries, answer.class) || limit == Limit::Budget {
                break (answer, limit);
            }
            refused = answer.assessment.as_ref().map(Assessment::findings).unwrap_or_default();
            self.note(EventKind::JudgeRetried, format!("try {tries}: {}", answer.class))?;
            tries += 1;
        };
        self.metrics.judge_rc = Some(answer.called.rc);
        self.metrics.judge_retries = u32::from(tries) - 1;
        self.mark("judge_finished_at");
        let outcome = answer.called.text();
        self.engine.progress.update(&Update::StepFinished {
            step: Step::Judge,
            outcome: &outcome,
            wall: answer.called.wall,
        });
        let (rc, valid) = (answer.called.rc, answer.class == ErrorClass::None);
        let summary = format!("rc={rc} valid={valid} retries={}", tries - 1);
        self.note(EventKind::JudgeFinished, summary)?;
        let asks = self.asks(change, Some(bundle));
        let facts = self.machine_facts(tested, &missing, asks);
        let mut end = self.settle(answer, limit, outcome, &yardstick, facts)?;
        // The next attempt is told where the points went.
        let is_approval = end.facts.verdict_decision == Some(VerdictDecision::Pass);
        if self.spec.task_type.is_some() && !(is_approval && end.facts.thresholds_pass) {
            let absent = missing.into_iter().map(|section| Because::SectionMissing { section });
            end.against.extend(absent.map(|it| it.text()));
        }
        Ok(end)
    }

    /// What provost found out by itself, for the verdict.
    pub(super) fn machine_facts(
        &self,
        tested: &Tested,
        missing: &[String],
        mut asks: Vec<Ask>,
    ) -> MachineFacts {
        asks.extend(tested.asks.iter().map(|why| Ask::NotProven { why: why.clone() }));
        let mut facts = MachineFacts {
            test_rc: tested.rc,
            test_findings: tested.against.clone(),
            broken_checks: self.broken.clone(),
            missing_sections: u32::try_from(missing.len()).unwrap_or(u32::MAX),
            // A rubric takes points for them; without one, what is required is required.
            absent_sections: match self.spec.task_type {
                Some(_) => Vec::new(),
                None => missing.to_vec(),
            },
            unresolved: self.unresolved.iter().map(|it| redact_text(it)).collect(),
            asks,
            ..MachineFacts::default()
        };
        if let Some(proofs) = &self.proofs {
            story::weigh(proofs, &mut facts);
        }
        facts
    }

    /// The sections that the task requires and the result lacks (LOOP-B6).
    pub(super) fn missing_sections(
        &mut self,
        clone: &PrivateClone,
        change: &Change,
    ) -> Result<Vec<String>, Stop> {
        let required = self.spec.required_sections.clone();
        if required.is_empty() {
            return Ok(Vec::new());
        }
        let git = self.engine.git();
        let files = TreeFiles::of(&git, clone, &change.commit)?;
        let changed = change.files.iter().filter(|it| it.new.is_some());
        let paths = sections::looked_at(&required, changed.map(|it| it.path.as_str()));
        let texts = files.texts(&git, clone, paths.iter().map(String::as_str), DOCUMENT)?;
        let missing = sections::missing(&required, &texts);
        let missing: Vec<String> = missing.into_iter().map(str::to_owned).collect();
        let (standing, note) = if missing.is_empty() {
            (Standing::Verified, Note::Sections { sections: required.len() })
        } else {
            (Standing::Failed, Note::SectionsMissing { missing: missing.clone() })
        };
        self.checked("sections", standing, note.text());
        Ok(missing)
    }

    /// What a person must decide before an approval counts: files that programs outside the sandbox
    /// obey, and what the judge has not seen.
    pub(super) fn asks(&self, change: &Change, bundle: Option<&Bundle>) -> Vec<Ask> {
        let accepted = inputs::accepted(&self.said);
        let is_accepted = |path: &str| {
            let below =
                |it: &String| path.strip_prefix(it.as_str()).is_some_and(|it| it.starts_with('/'));
            accepted.contains(path) || accepted.iter().any(below)
        };
        let unseen = bundle.map(|it| it.change.unseen()).unwrap_or_default();
        let unseen: Vec<&str> = unseen.into_iter().filter(|it| !is_accepted(it)).collect();
        let more = unseen.len().saturating_sub(ASKED);
        let unseen = unseen.into_iter().take(ASKED);
        let unseen = unseen.map(|it| Ask::Unseen { path: redact_text(it) });
        let asks = change.concerns.asks();
        asks.chain(unseen).chain((more > 0).then_some(Ask::MoreUnseen { more })).collect()
    }

    /// What people said, for the judge: answers, the instruction of this attempt, a rejection.
    fn said_to_judge(&self) -> Vec<String> {
        let PendingInput { instruction, rejection, .. } = &self.pending_input;
        let rejection = rejection.as_ref().and_then(|it| it.because.as_ref());
        self.said.iter().chain(instruction).chain(rejection).cloned().collect()
    }

    /// What the table is told of the last answer.
    fn settle(
        &mut self,
        answer: Answer,
        limit: Limit,
        outcome: Text,
        yardstick: &Yardstick,
        facts: MachineFacts,
    ) -> Result<Box<End>, Stop> {
        let Answer { class, assessment, .. } = answer;
        let reply = assessment.as_ref().and_then(|it| it.reply.as_ref());
        let (ErrorClass::None, Some(reply)) = (class, reply) else {
            let defects = assessment.map(|it| it.findings()).unwrap_or_default();
            let detail = match defects.first().cloned() {
                Some(Finding { subject: name, message: text, .. }) => {
                    Note::Named { name, text }.text()
                }
                None => outcome,
            };
            self.findings.extend(defects);
            self.checked("verdict", Standing::Failed, detail.clone());
            let (rc, class) = match (class, limit) {
                (ErrorClass::Timeout, Limit::Budget) => (0, ErrorClass::Budget),
                (ErrorClass::Timeout, Limit::Step) => (124, class),
                (ErrorClass::Auth, _) => (195, class),
                (class, _) => (0, class),
            };
            return Err(self.end_at(Role::Judge, rc, class, detail));
        };
        self.weigh(reply, yardstick, &facts)
    }

    /// Holds a reply against the facts, keeps the verdict, and says what the table is told.
    pub(super) fn weigh(
        &mut self,
        reply: &Reply,
        yardstick: &Yardstick,
        facts: &MachineFacts,
    ) -> Result<Box<End>, Stop> {
        let mut judged = judgement::of(reply, yardstick, &self.spec, facts);
        if let Some(rulebook) = &self.rulebook {
            judged = judged.guided_by(rulebook.digest());
        }
        self.keep_verdict(&judged)?;
        Ok(Box::new(self.judged(judged, &yardstick.rubric)?))
    }

    fn judged(&mut self, judged: Judged, rubric: &Rubric) -> Result<End, Stop> {
        if judged.judge_decision != judged.judgement.decision {
            let because: Vec<String> = judged.against.iter().map(ToString::to_string).collect();
            let (from, to) = (judged.judge_decision, judged.judgement.decision);
            let summary = format!("{from} to {to}: {}", because.join("; "));
            self.note(EventKind::DecisionLowered, summary)?;
        }
        let summary = judged.verdict.summary();
        let (standing, note) = match summary.final_score_0_100 {
            Some(score) if summary.gated => (Standing::Verified, Note::GatedScore { score }),
            Some(score) => (Standing::Verified, Note::Score { score }),
            None => (Standing::NotVerified, Note::NoRubric),
        };
        self.checked("rubric", standing, note.text());
        let facts = facts::of_verdict(&self.open.status.value, judged.judgement.clone());
        let mut end = self.end(facts);
        end.rubric_version = summary.final_score_0_100.map(|_| rubric.version.clone());
        end.judge_decision = Some(judged.judge_decision);
        end.verdict_summary = Some(summary);
        end.against = judged.against;
        end.reasons = judged.reasons;
        end.next_instructions = judged.next_instructions;
        end.asks = judged.asks;
        Ok(end)
    }

    fn keep_verdict(&self, judged: &Judged) -> Result<(), EngineError> {
        let layout = self.engine.desk.layout();
        let at = layout.verdict(self.open.task(), self.number);
        match &judged.verdict {
            KeptVerdict::Rubric(verdict) => write_json(&RealDisk, &at, verdict)?,
            KeptVerdict::Plain(verdict) => write_json(&RealDisk, &at, verdict)?,
        };
        let at = self.file(StepFolder::Judge, StepFile::Score);
        write_record(&RealDisk, &at, &json(&judged.score))?;
        Ok(())
    }

    fn judge_request(
        &self,
        agent: &Agent,
        yardstick: &Yardstick,
        tested: &Tested,
        bundle: &Bundle,
        refused: &[Finding],
        deadline: std::time::Duration,
    ) -> Request {
        let typed = self.spec.task_type.map(|it| (it, yardstick.rubric.of(it)));
        let text = judge(&JudgePrompt {
            goal: &self.spec.goal,
            acceptance: &sections::told(&self.spec.acceptance, &self.spec.required_sections),
            rubric: typed,
            rulebook: self.rulebook.as_ref(),
            thresholds: &self.spec.rubric_thresholds,
            test: tested.rc.map(|rc| (rc, tested.log.as_str())),
            proofs: self.proofs.as_ref(),
            changed_paths: &bundle.changed_paths,
            change: ShownChange::Arranged(&bundle.change),
            said: &self.said_to_judge(),
            coder_output: &bundle.coder_output,
            findings: &self.findings,
            refused_reply: refused,
            language: self.engine.settings.language,
        });
        let code = self.spec.task_code.clone().unwrap_or_default();
        let task = self.open.task().clone();
        let mut request =
            Request::new(AgentRole::Judge, task, self.number, &code, text.system, deadline);
        request.evidence = text.user;
        request.model.clone_from(&agent.model);
        request.rubric = self.spec.task_type.map(|it| rubric_of(&yardstick.rubric, it));
        request
    }

    /// Asks once.
    fn ask(
        &mut self,
        agent: &Agent,
        mut request: Request,
        bundle: &Bundle,
        yardstick: &Yardstick,
        folder: &JudgeFolder,
        tries: u8,
    ) -> Result<Answer, Stop> {
        let exchange = WorkPlace::JudgeExchange(tries);
        let file = self.put(exchange, "evidence.json", &bundle.file)?;
        let files = std::iter::once(&file).chain(&folder.index);
        request.evidence_files = files.map(|it| it.to_string_lossy().into_owned()).collect();
        let prompt = self.file(StepFolder::Judge, StepFile::Prompt);
        let text = format!("{}\n---\n{}", request.prompt, request.evidence);
        write_record(&RealDisk, &prompt, text.as_bytes())?;
        let scratch = Scratch::Judge(tries);
        let cwd = Cwd::Evidence(folder.path.clone());
        let place = Place { step: StepFolder::Judge, exchange, cwd, scratch };
        let called = match self.call(agent, &request, &place, Role::Judge) {
            // A recording that was never asked this: it has no answer.
            Err(Stop::Failed(EngineError::Adapter(error @ AdapterError::NotRecorded { .. }))) => {
                let detail = with_hints(&error);
                return Err(self.end_at(Role::Judge, 0, ErrorClass::JudgeInvalid, detail));
            }
            called => called?,
        };
        self.stop_if_interrupted()?;
        let (class, assessment) = match &called.outcome {
            Ok(reply) => {
                let judged = verdict::Judged::from(&self.spec);
                // Its words go on record and to the next coder, so they carry no secret.
                let text = redact_text(&reply.text);
                let object = json_reply::object(&text);
                let assessment = verdict::validate(object.as_bytes(), yardstick, judged);
                (assessment.error_class(), Some(assessment))
            }
            Err(CallError::TimedOut) => (ErrorClass::Timeout, None),
            Err(CallError::NotAuthorised) => (ErrorClass::Auth, None),
            Err(CallError::Quota { .. }) => (ErrorClass::Quota, None),
            Err(CallError::Budget) => return Err(self.budget_reached(Role::Judge)?),
            Err(CallError::Missing) => (ErrorClass::AdapterMissing, None),
            Err(CallError::Failed(failure)) => (class_of(failure), None),
            Err(CallError::Cancelled) => (ErrorClass::Crash, None),
            Err(CallError::NotRecorded) => (ErrorClass::JudgeInvalid, None),
        };
        Ok(Answer { called, assessment, class })
    }
}

/// What a failed call of a judge means: an invalid answer, or no judge to answer.
fn class_of(failure: &Failure) -> ErrorClass {
    match failure {
        Failure::Exit { .. }
        | Failure::Signal { .. }
        | Failure::Session
        | Failure::Reply(_)
        | Failure::BodyTooLarge
        | Failure::Body { .. }
        | Failure::Unfinished { .. } => ErrorClass::VerdictInvalid,
        Failure::NotExecutable { .. }
        | Failure::Http { .. }
        | Failure::Redirected { .. }
        | Failure::Unreachable { .. } => ErrorClass::JudgeInvalid,
    }
}

/// The part of the rubric that a judge is sent.
pub(in crate::task) fn rubric_of(rubric: &Rubric, task_type: TaskType) -> JudgeRubric {
    let typed = rubric.of(task_type);
    JudgeRubric {
        task_type,
        version: rubric.version.clone(),
        hash: rubric.hash,
        gate_threshold: typed.gate_threshold,
        dimensions: typed
            .dimensions
            .iter()
            .map(|it| Dimension {
                key: it.key.clone(),
                weight: it.weight,
                is_hard_gate: it.is_hard_gate,
            })
            .collect(),
    }
}
