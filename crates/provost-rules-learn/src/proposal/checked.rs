//! One pass alone: checks a stored answer against the tickets and rules that it was given for
//! (`provost check proposal`).

use provost_form::{Problem, ProblemKind, json};
use provost_kernel::{
    Message,
    learn::{
        Guidance, HypothesesMode, Item, KeyError, MissionName, Reject, RejectKind, Scaffold,
        TicketKey, VerdictTerms,
    },
    shorten,
};
use serde::Serialize;

use super::{
    DECISION_ANALYSIS, Ground, Limits, OPERATIONS, STOP_LIST, bench::Refusal, decision, ops,
    reader, uncovered,
};
use crate::{
    guidance::{self, GuidanceError, Seed},
    text::TicketNames,
};

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedProposal {
    pub result: ProposalResult,
    pub pass: Pass,
    pub accepted: Vec<AcceptedItem>,
    pub rejected: Vec<Reject>,
    /// The learnable tickets that nothing accepted cites.
    pub uncovered: Vec<TicketKey>,
    /// The tickets that a decision pass found nothing to learn from.
    pub stop: Vec<TicketKey>,
    /// What was noticed and changed nothing.
    pub notes: Vec<String>,
}

/// Whether all of a pass stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalResult {
    Accept,
    Reject,
}

/// Which of the two passes an answer is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    Decision,
    Ops,
}

/// One thing that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AcceptedItem {
    pub kind: RejectKind,
    pub index: usize,
}

/// Why a file is not a list of ticket keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.learnable")]
pub enum LearnableError {
    #[message(
        en = "{0}",
        zh = "{0}",
        hint(
            en = "write the keys of the tickets as a list: `[\"QC-1::fail\", \"QC-2::pass\"]`",
            zh = "请以列表写出工单的键：`[\"QC-1::fail\", \"QC-2::pass\"]`"
        )
    )]
    Json(Problem),
    #[message(
        en = "the learnable tickets are not a list",
        zh = "可学习的工单不是列表",
        hint(
            en = "write the keys of the tickets as a list: `[\"QC-1::fail\", \"QC-2::pass\"]`",
            zh = "请以列表写出工单的键：`[\"QC-1::fail\", \"QC-2::pass\"]`"
        )
    )]
    NotList,
    /// `entry` counts from 1.
    #[message(
        en = "entry {entry} of the learnable tickets is not a string",
        zh = "可学习工单的第 {entry} 项不是文本",
        hint(
            en = "write the keys of the tickets as a list: `[\"QC-1::fail\", \"QC-2::pass\"]`",
            zh = "请以列表写出工单的键：`[\"QC-1::fail\", \"QC-2::pass\"]`"
        )
    )]
    NotText { entry: usize },
    #[message(
        en = "entry {entry} of the learnable tickets: {why}",
        zh = "可学习工单的第 {entry} 项：{why}",
        hint(
            en = "write the keys of the tickets as a list: `[\"QC-1::fail\", \"QC-2::pass\"]`",
            zh = "请以列表写出工单的键：`[\"QC-1::fail\", \"QC-2::pass\"]`"
        )
    )]
    NotKey { entry: usize, why: KeyError },
}

/// Why a file of guidance cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.guidance_choice")]
pub enum ChoiceError {
    #[message(transparent)]
    Guidance(GuidanceError),
    #[message(
        en = "the guidance has no mission",
        zh = "指引文件中没有任务目标",
        hint(en = "name the mission: `--mission NAME`", zh = "请以 `--mission NAME` 指明任务目标")
    )]
    None,
    #[message(
        en = "the guidance has more than one mission: {0:names}",
        zh = "指引文件中有多个任务目标：{0:names}",
        hint(en = "name the mission: `--mission NAME`", zh = "请以 `--mission NAME` 指明任务目标")
    )]
    Several(Vec<String>),
    #[message(transparent)]
    Name(KeyError),
}

const LIMITS: json::Limits = json::Limits { bytes: 4 * 1024 * 1024, depth: 16 };
/// The limits of a mission that sets none.
const LENGTHS: Limits = Limits { rule: 160, rationale: 60, falsifier: 80, max_operations: None };

/// Judges the answer of a pass. An answer that is not JSON is judged, and refused.
pub fn check(raw: &[u8], learnable: &[TicketKey], known: Option<&Seed>) -> CheckedProposal {
    match reader::object(raw) {
        Err(refusal) => CheckedProposal::void(guessed(raw), refusal, learnable),
        Ok(answer) => {
            let is_decision = !answer.contains_key(OPERATIONS)
                && (answer.contains_key(STOP_LIST) || answer.contains_key(DECISION_ANALYSIS));
            let text = String::from_utf8_lossy(raw);
            if is_decision {
                of_decision(&text, learnable)
            } else {
                of_ops(&text, learnable, known)
            }
        }
    }
}

/// Reads the list of tickets that an answer may cite; one that stands twice is one.
pub fn read_learnable(bytes: &[u8]) -> Result<Vec<TicketKey>, LearnableError> {
    let value = json::parse(bytes, LIMITS).map_err(LearnableError::Json)?;
    let list = value.as_array().ok_or(LearnableError::NotList)?;
    let mut keys: Vec<TicketKey> = Vec::new();
    for (index, it) in list.iter().enumerate() {
        let entry = index + 1;
        let text = it.as_str().ok_or(LearnableError::NotText { entry })?;
        let key = text.parse().map_err(|why| LearnableError::NotKey { entry, why })?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// Reads a file of guidance: of the mission that is named, or of the only one.
pub fn read_guidance(bytes: &[u8], mission: Option<&MissionName>) -> Result<Seed, ChoiceError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ChoiceError::Guidance(GuidanceError::Json(
            ProblemKind::NotUtf8 { at: error.valid_up_to() }.into(),
        ))
    })?;
    let mission = match mission {
        Some(mission) => mission.clone(),
        None => only_mission(text)?,
    };
    guidance::read(text, &mission).map_err(ChoiceError::Guidance)
}

fn only_mission(text: &str) -> Result<MissionName, ChoiceError> {
    let value = json::parse(text.as_bytes(), LIMITS)
        .map_err(|error| ChoiceError::Guidance(GuidanceError::Json(error)))?;
    let names: Vec<&String> = value.as_object().map(|it| it.keys().collect()).unwrap_or_default();
    match names.as_slice() {
        [] => Err(ChoiceError::None),
        [only] => only.parse().map_err(ChoiceError::Name),
        several => Err(ChoiceError::Several(several.iter().map(|it| shorten(it)).collect())),
    }
}

impl CheckedProposal {
    /// Nothing of the answer stands.
    fn void(pass: Pass, refusal: Refusal, learnable: &[TicketKey]) -> Self {
        let kind = match pass {
            Pass::Decision => RejectKind::Decision,
            Pass::Ops => RejectKind::Operation,
        };
        Self::rejected(pass, refusal.at(kind, 0), learnable)
    }

    fn rejected(pass: Pass, reject: Reject, learnable: &[TicketKey]) -> Self {
        Self {
            result: ProposalResult::Reject,
            pass,
            accepted: Vec::new(),
            rejected: vec![reject],
            uncovered: learnable.to_vec(),
            stop: Vec::new(),
            notes: Vec::new(),
        }
    }
}

fn of_decision(text: &str, learnable: &[TicketKey]) -> CheckedProposal {
    match decision(text, learnable) {
        Err(reject) => CheckedProposal::rejected(Pass::Decision, reject, learnable),
        Ok(pass) => CheckedProposal {
            result: ProposalResult::Accept,
            pass: Pass::Decision,
            accepted: vec![AcceptedItem { kind: RejectKind::Decision, index: 0 }],
            rejected: Vec::new(),
            uncovered: learnable.iter().filter(|it| !pass.stop.contains(it)).cloned().collect(),
            stop: pass.stop.into_iter().collect(),
            notes: pass.ignored.iter().map(|it| format!("ignored: {it}")).collect(),
        },
    }
}

fn of_ops(text: &str, learnable: &[TicketKey], known: Option<&Seed>) -> CheckedProposal {
    let empty = Scaffold::empty();
    let scaffold = known.map_or(&empty, |it| &it.scaffold);
    let guidance: Option<&Guidance> = known.map(|it| &it.guidance);
    let names = TicketNames::new(learnable.iter().map(TicketKey::group));
    let terms = terms();
    let nothing = |_: &TicketKey| -> Option<&[Item]> { None };
    let ground = Ground {
        learnable,
        handles: learnable,
        evidence: &nothing,
        names_ticket: &|it| names.are_in(it),
        guidance,
        scaffold,
        limits: LENGTHS,
        terms: &terms,
        forbidden_dimensions: &[],
        identity_names: &[],
        mode: HypothesesMode::Mixed,
    };
    match ops(text, &ground) {
        Err(reject) => CheckedProposal::rejected(Pass::Ops, reject, learnable),
        Ok(pass) => {
            let item = |kind: RejectKind| move |index: usize| AcceptedItem { kind, index };
            let operations = pass.operations.iter().map(|(it, _)| *it);
            let hypotheses = pass.hypotheses.iter().map(|(it, _)| *it);
            let accepted = operations
                .map(item(RejectKind::Operation))
                .chain(hypotheses.map(item(RejectKind::Hypothesis)))
                .collect();
            let uncovered = uncovered(learnable, &pass).into_iter().collect();
            let is_clean = pass.rejects.is_empty();
            CheckedProposal {
                result: if is_clean { ProposalResult::Accept } else { ProposalResult::Reject },
                pass: Pass::Ops,
                accepted,
                rejected: pass.rejects,
                uncovered,
                stop: Vec::new(),
                notes: pass.notes,
            }
        }
    }
}

/// Which pass an answer is of that cannot be read.
fn guessed(raw: &[u8]) -> Pass {
    let has = |word: &str| raw.windows(word.len()).any(|it| it == word.as_bytes());
    if has(STOP_LIST) && !has(OPERATIONS) { Pass::Decision } else { Pass::Ops }
}

/// The verdicts of both languages: an answer alone does not say which mission it is of.
fn terms() -> VerdictTerms {
    let list = |words: &[&str]| words.iter().map(|&it| it.to_owned()).collect();
    VerdictTerms {
        pass: list(&["pass", "通过"]), fail: list(&["fail", "不通过", "未通过"])
    }
}
