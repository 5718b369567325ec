//! The six facts of a result, each with the runs that it rests on and with what they found.

use provost_kernel::{
    AttemptNumber, Finding, Severity, Text, Timestamp,
    task::{
        Acceptance, CheckRun, CheckRuns, Evidence, ProofCorner, ProofEffect, ProofFinding, Seal,
        SealFact, SealStanding, TestEvidence,
    },
};
use provost_rules_task::{concern, story};
use provost_vault::{AttemptFile, Location, Stored, read_record};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    criteria::{CriterionView, criteria},
    newest,
};
use crate::{
    DISK, Desk, DeskError, LookError,
    task::{LogRole, Printed, StreamName, View},
};

/// One fact of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FactView {
    pub fact: SealFact,
    pub standing: SealStanding,
    pub detail: Option<Text>,
    pub findings: Vec<FindingView>,
    pub evidence: Vec<EvidenceView>,
    pub criteria: Vec<CriterionView>,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingView {
    pub code: String,
    pub severity: Severity,
    /// What it does to the result: `notice`, `not_proven` or `hollow`.
    pub effect: Option<&'static str>,
    pub subject: String,
    pub message: Text,
    pub accepted: Option<AcceptedView>,
}

/// Who accepted a finding, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AcceptedView {
    pub because: String,
    pub actor: String,
    pub accepted_at: Timestamp,
}

/// One run of a command by provost itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EvidenceView {
    /// What was run: `test`, a check such as `lint`, or which product with which tests.
    pub name: String,
    pub command: String,
    pub exit: Option<i32>,
    pub duration_ms: Option<u64>,
    /// The commit that was run.
    pub tree: Option<String>,
    /// Whether it could reach the network; null where that is not on record.
    pub network: Option<bool>,
    pub base_exit: Option<i32>,
    pub output: Option<OutputPointer>,
    /// The end of what it printed, without secrets.
    pub tail: String,
}

/// Where the whole output lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutputPointer {
    pub attempt: u16,
    pub role: LogRole,
    pub stream: StreamName,
}

/// The most of an output that is shown beside its run.
const TAIL: u64 = 4096;

impl Desk {
    pub(super) fn facts(
        &self,
        view: &View,
        seals: &[Seal],
        unreadable: &mut Vec<String>,
    ) -> Result<Vec<FactView>, DeskError> {
        let proofs = self.proofs(view, unreadable)?;
        let accepted = view.accepted();
        let record = newest(view).and_then(|it| it.decision.as_ref());
        let all = record.map(|it| it.findings.as_slice()).unwrap_or_default();
        let of_claims = proofs.as_ref().map(story::findings).unwrap_or_default();
        let mut facts = Vec::with_capacity(seals.len());
        for seal in seals {
            let of_record = |is_wanted: fn(&Finding) -> bool| {
                let found = all.iter().filter(|it| is_wanted(it) && !of_claims.contains(it));
                found.map(|it| FindingView::of(it, &accepted)).collect::<Vec<_>>()
            };
            let (mut findings, mut evidence, mut found) = (Vec::new(), Vec::new(), Vec::new());
            match seal.fact {
                SealFact::Paths => findings = of_record(is_of_paths),
                SealFact::Secrets => findings = of_record(is_of_secrets),
                SealFact::Tests => {
                    let of_proof = view.proof.iter().flat_map(|it| &it.findings);
                    findings = of_proof.map(|it| FindingView::of_proof(it, &accepted)).collect();
                    evidence = self.runs(view, unreadable)?;
                }
                SealFact::Claims => {
                    findings = of_claims.iter().map(|it| FindingView::of(it, &accepted)).collect();
                    found = proofs.as_ref().map(criteria).unwrap_or_default();
                }
                SealFact::Judge => {
                    findings = of_record(|it| !is_of_paths(it) && !is_of_secrets(it));
                }
                SealFact::Review => {}
            }
            let (fact, standing, detail) = (seal.fact, seal.standing, seal.detail.clone());
            facts.push(FactView { fact, standing, detail, findings, evidence, criteria: found });
        }
        Ok(facts)
    }

    /// The runs of the newest attempt: its test, its other checks, and what put the test to the proof.
    fn runs(
        &self,
        view: &View,
        unreadable: &mut Vec<String>,
    ) -> Result<Vec<EvidenceView>, DeskError> {
        let status = view.status();
        let task = &status.task_id;
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else {
            return Ok(Vec::new());
        };
        let at = |file| self.layout().attempt_file(task, attempt, file);
        let kept = kept::<Evidence>(&at(AttemptFile::Evidence), unreadable)?;
        let kept = kept.map(|it| it.test).unwrap_or_default();
        let tree = self.commit_of(task, attempt.get())?;
        let mut runs = Vec::new();
        let metrics = newest(view).and_then(|it| it.metrics.as_ref());
        if let Some(exit) = metrics.and_then(|it| it.test_rc).or(kept.rc) {
            let TestEvidence { cmd, wall_ms, network, .. } = kept;
            let ms = metrics.and_then(|it| it.step_ms.get("test").copied()).or(wall_ms);
            let (output, tail) = self.test_output(view, attempt)?;
            let named = || view.spec.as_ref().and_then(|it| it.value.test_cmd.clone());
            runs.push(EvidenceView {
                name: "test".to_owned(),
                command: cmd.or_else(named).unwrap_or_default(),
                exit: Some(exit),
                duration_ms: ms,
                tree: tree.clone(),
                network,
                base_exit: view.base.as_ref().map(|it| it.rc),
                output,
                tail,
            });
        }
        let checks = self::kept::<CheckRuns>(&at(AttemptFile::Checks), unreadable)?;
        let base = self::kept::<CheckRuns>(&self.layout().base_checks(task), unreadable)?;
        for run in checks.iter().flat_map(|it| &it.runs) {
            let before = base.as_ref().and_then(|it| it.of(run.kind));
            runs.push(of_check(run, before, tree.clone()));
        }
        if let Some(proof) = &view.proof {
            // The run of the test itself stands above.
            let others = proof.runs.iter().filter(|it| it.corner != ProofCorner::Plain);
            runs.extend(others.map(|it| EvidenceView {
                name: it.corner.to_string(),
                command: proof.command.clone(),
                exit: Some(it.rc),
                duration_ms: Some(it.wall_ms),
                tree: None,
                network: None,
                base_exit: None,
                output: None,
                tail: String::new(),
            }));
        }
        Ok(runs)
    }

    /// Where the output of the test lies, and its end.
    fn test_output(
        &self,
        view: &View,
        attempt: AttemptNumber,
    ) -> Result<(Option<OutputPointer>, String), DeskError> {
        let task = &view.status().task_id;
        let printed = match self.step_output(task, Printed::Test, Some(attempt), TAIL) {
            Ok(printed) => printed,
            Err(DeskError::Look(LookError::NoOutput { .. })) => return Ok((None, String::new())),
            Err(error) => return Err(error),
        };
        let mut streams = printed.streams.into_iter().filter(|it| !it.text.trim().is_empty());
        let Some(first) = streams.next() else { return Ok((None, String::new())) };
        let (attempt, role) = (attempt.get(), LogRole::Test);
        Ok((Some(OutputPointer { attempt, role, stream: first.name }), first.text))
    }
}

fn of_check(run: &CheckRun, base: Option<&CheckRun>, tree: Option<String>) -> EvidenceView {
    EvidenceView {
        name: run.kind.to_string(),
        command: run.command.clone(),
        exit: Some(run.rc),
        duration_ms: Some(run.wall_ms),
        tree,
        network: Some(false),
        base_exit: base.map(|it| it.rc),
        output: None,
        tail: run.said.clone(),
    }
}

/// A record of an attempt; one that cannot be understood is named.
fn kept<T: provost_kernel::Record>(
    at: &Location,
    unreadable: &mut Vec<String>,
) -> Result<Option<T>, DeskError> {
    Ok(match read_record::<_, T>(&DISK, at)? {
        Stored::Present(record) => Some(record.value),
        Stored::Absent => None,
        Stored::Corrupt(_) => {
            unreadable.push(at.path().to_string());
            None
        }
    })
}

fn is_of_secrets(finding: &Finding) -> bool {
    ["task.policy.secrets", "task.policy.unscanned"].contains(&&*finding.rule)
}

fn is_of_paths(finding: &Finding) -> bool {
    let concerns = [concern::PLANTED, concern::LEADS_OUT, concern::SUBMODULE];
    let is_policy = finding.rule.starts_with("task.policy.") && !is_of_secrets(finding);
    is_policy || concerns.contains(&&*finding.rule)
}

impl FindingView {
    fn of(finding: &Finding, accepted: &[Acceptance]) -> Self {
        Self {
            code: finding.rule.to_string(),
            severity: finding.severity,
            effect: None,
            subject: finding.subject.clone(),
            message: finding.message.clone(),
            accepted: AcceptedView::of(&finding.rule, accepted),
        }
    }

    pub(super) fn of_proof(finding: &ProofFinding, accepted: &[Acceptance]) -> Self {
        let (severity, effect) = match finding.code.effect() {
            ProofEffect::Hollow => (Severity::P0, "hollow"),
            ProofEffect::NotProven => (Severity::P1, "not_proven"),
            ProofEffect::Notice => (Severity::P2, "notice"),
        };
        Self {
            code: finding.code.to_string(),
            severity,
            effect: Some(effect),
            subject: finding.subjects.join(", "),
            message: finding.text(),
            accepted: AcceptedView::of(finding.code.as_str(), accepted),
        }
    }
}

impl AcceptedView {
    fn of(code: &str, accepted: &[Acceptance]) -> Option<Self> {
        let found = accepted.iter().find(|it| it.finding == code)?;
        Some(Self {
            because: found.because.clone(),
            actor: found.actor.to_string(),
            accepted_at: found.accepted_at,
        })
    }
}
