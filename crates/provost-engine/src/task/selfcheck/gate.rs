//! The gate: the built-in pipeline task from end to end, and what it must leave behind (LOOP-B23).
//!
//! No model takes part. It proves that the pipeline works, not that a judge does.

use provost_kernel::{
    AttemptNumber, Finding, Message, RecordFile, Text,
    message::Phrase,
    task::{EventKind, ScoreOf100, State, Status, Verdict},
};
use provost_rules_task::verdict::{self, Yardstick};
use provost_vault::{RealDisk, Step, StepFile, Stored, is_present, read_json, task::read_tail};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    DECISIONS, Replay, attempt::check_verdict, decision_vectors, examine, findings::Findings,
    replay,
};
use crate::{
    EngineError,
    task::rehearsal::{Host, Rehearsal, RehearsalError, Unwatched},
};

/// One thing that was to be proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    pub name: &'static str,
    pub passed: bool,
    /// What was found.
    pub detail: Phrase,
}

#[derive(Debug, Message)]
#[message(code = "task.gate")]
enum Detail {
    #[message(en = "{state}: {message}", zh = "{state}：{message}")]
    State { state: State, message: Text },
    #[message(en = "missing: {0}", zh = "缺少：{0}")]
    Missing(Vec<String>),
    #[message(en = "{vectors} vectors", zh = "{vectors} 个向量")]
    Vectors { vectors: usize },
    #[message(
        en = "passed: {passed}, failed: [{failed}], missing: [{missing}]",
        zh = "通过 {passed}，未通过 [{failed}]，缺失 [{missing}]"
    )]
    Calibration { passed: usize, failed: Vec<String>, missing: Vec<String> },
    #[message(en = "17 fields, {score} of 100", zh = "17 个字段，{score}/100")]
    Verdict { score: ScoreOf100 },
    #[message(en = "{subject}: {message}", zh = "{subject}：{message}")]
    Finding { subject: String, message: Text },
    #[message(en = "no findings", zh = "没有发现问题")]
    Clean,
}

/// The first line of the document that the pipeline task writes.
const TITLE: &str = "# 需求文档";

/// The coder that writes the document by default.
pub const GATE_CODER: &str = "script:structure_gate";

/// Runs the pipeline task in a temporary folder, and looks at everything that it left.
///
/// Another coder than [`GATE_CODER`] shows that the gate can fail.
pub fn gate(host: &Host, coder: &str) -> Result<Vec<Proof>, RehearsalError> {
    let rehearsal = Rehearsal::new(host, &[("README.md", "A place for a document.\n")])?;
    let fields = json!({
        "task_id": "structure_gate",
        "goal": "Write the requirements of a notification service.",
        "acceptance": "artifacts/requirements.md has its title and its sections.",
        "task_type": "requirements_doc",
        "coder": coder,
        "judge": "script:structure_gate",
        "rubric_thresholds": { "min_score": 3 },
        "max_attempts": 1,
    });
    let spec = rehearsal.spec(&fields)?;
    let ran = rehearsal.run(spec.clone(), &Unwatched);
    let left = Left { rehearsal: &rehearsal, spec: &spec.value };
    let mut proofs = vec![state(ran.map(|it| it.status))];
    proofs.extend([
        proof("artifact", left.artifact()),
        proof("events", left.events()),
        proof("attempt_files", left.attempt_files()),
        proof("verdict", left.verdict()),
        proof("rubric", left.rubric()),
        proof("selfcheck", left.selfcheck()),
    ]);
    proofs.push(proof("calibration", calibration(host)));
    let vectors = decision_vectors(DECISIONS);
    let vectors = vectors.map(|vectors| Detail::Vectors { vectors }.text());
    proofs.push(proof("decision_vectors", vectors.map_err(|it| it.text())));
    Ok(proofs)
}

/// What a look found: what holds, or what does not.
type Found = Result<Text, Text>;

fn proof(name: &'static str, found: Found) -> Proof {
    let passed = found.is_ok();
    let (Ok(detail) | Err(detail)) = found;
    Proof { name, passed, detail: Phrase(detail) }
}

fn calibration(host: &Host) -> Found {
    let Replay { passed, failed, missing } = replay(host)?;
    let is_green = failed.is_empty() && missing.is_empty() && passed > 0;
    let text = Detail::Calibration { passed, failed, missing }.text();
    if is_green { Ok(text) } else { Err(text) }
}

fn state(ran: Result<Status, EngineError>) -> Proof {
    let found = match ran {
        Ok(status) if status.state == State::ReadyForReview => Ok(status.state.as_str().into()),
        Ok(status) => Err(Detail::State { state: status.state, message: status.text() }.text()),
        Err(error) => Err(error.text()),
    };
    proof("state", found)
}

/// What the pipeline task left behind.
struct Left<'a> {
    rehearsal: &'a Rehearsal<'a>,
    spec: &'a provost_kernel::task::TaskSpec,
}

impl Left<'_> {
    fn artifact(&self) -> Found {
        let layout = self.rehearsal.desk.layout();
        let at = layout.promoted_artifact(&self.spec.task_id, "requirements.md");
        let text = read_tail(&RealDisk, &at, u64::MAX).map_err(|it| it.text())?;
        let first = text.lines().next().unwrap_or_default();
        let shown = format!("artifacts/requirements.md: `{first}`").into();
        if first == TITLE { Ok(shown) } else { Err(shown) }
    }

    fn events(&self) -> Found {
        let files = self.rehearsal.desk.files(&self.spec.task_id);
        let events = files.events().map_err(|it| it.text())?;
        let is_there = |kind: &EventKind| events.records.iter().any(|it| it.value.kind == *kind);
        let (found, missing): (Vec<_>, Vec<_>) = EventKind::MINIMUM.into_iter().partition(is_there);
        let names =
            |kinds: Vec<EventKind>| kinds.iter().map(ToString::to_string).collect::<Vec<_>>();
        if missing.is_empty() {
            Ok(names(found).join(", ").into())
        } else {
            Err(Detail::Missing(names(missing)).text())
        }
    }

    /// The folders of the three steps, and the exit codes of the two agents (LOOP-B14).
    fn attempt_files(&self) -> Found {
        let layout = self.rehearsal.desk.layout();
        let of = |step, file| {
            let at = layout.step_file(&self.spec.task_id, AttemptNumber::FIRST, step, file);
            (is_present(&at), at)
        };
        let files = [
            of(Step::Coder, StepFile::Rc),
            of(Step::Coder, StepFile::RunLog),
            of(Step::Coder, StepFile::Stdout),
            of(Step::Judge, StepFile::Rc),
            of(Step::Judge, StepFile::RunLog),
            of(Step::Judge, StepFile::Stdout),
            of(Step::Test, StepFile::RunLog),
        ];
        let missing: Vec<String> =
            files.iter().filter(|it| !it.0).map(|it| it.1.path().into_string()).collect();
        if missing.is_empty() {
            Ok("attempt_001/{coder,judge,test}".into())
        } else {
            Err(Detail::Missing(missing).text())
        }
    }

    fn stored_verdict(&self) -> Result<Value, Text> {
        let at = self.rehearsal.desk.layout().verdict(&self.spec.task_id, AttemptNumber::FIRST);
        match read_json::<_, Value>(&RealDisk, &at).map_err(|it| it.text())? {
            Stored::Present(verdict) => Ok(verdict),
            Stored::Absent | Stored::Corrupt(_) => Err(missing("judge/verdict.json")),
        }
    }

    /// Valid and complete: the 17 fields, and what they were measured by.
    fn verdict(&self) -> Found {
        let stored = self.stored_verdict()?;
        let mut findings = Findings::new();
        check_verdict(&stored, self.spec, "verdict.json", &mut findings).map_err(|it| it.text())?;
        if let Some(finding) = findings.list.into_iter().next() {
            return Err(finding.message);
        }
        let yardstick = Yardstick::embedded().map_err(|it| it.text())?;
        let judged = verdict::Judged::from(self.spec);
        let assessed = verdict::validate(stored.to_string().as_bytes(), &yardstick, judged);
        if let Some(Finding { subject, message, .. }) = assessed.findings().into_iter().next() {
            return Err(Detail::Finding { subject, message }.text());
        }
        let read: RecordFile<Verdict> =
            serde_json::from_value(stored).map_err(|it| Text::verbatim(it.to_string()))?;
        if read.value.thresholds_used != self.spec.rubric_thresholds {
            return Err(missing("thresholds_used"));
        }
        Ok(Detail::Verdict { score: read.value.final_score_0_100 }.text())
    }

    /// The rubric is what its own hash says, and the verdict was measured by it.
    fn rubric(&self) -> Found {
        let rubric = Yardstick::embedded().map_err(|it| it.text())?.rubric;
        let stored = self.stored_verdict()?;
        let (version, hash) = (rubric.version.as_str(), rubric.hash.to_string());
        let shown = format!("{version} {hash}");
        let is_same = stored["rubric_version_used"] == version
            && stored["rubric_hash_used"].as_str() == Some(&hash);
        if is_same { Ok(shown.into()) } else { Err(missing(&shown)) }
    }

    fn selfcheck(&self) -> Found {
        let examined = examine(&self.rehearsal.desk).map_err(|it| it.text())?;
        match examined.findings().next() {
            None => Ok(Detail::Clean.text()),
            Some((_, it)) => {
                let subject = format!("{:?} {}", it.severity, it.subject);
                Err(Detail::Finding { subject, message: it.message.clone() }.text())
            }
        }
    }
}

fn missing(name: &str) -> Text {
    Detail::Missing(vec![name.to_owned()]).text()
}
