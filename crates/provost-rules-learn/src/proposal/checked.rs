//! One pass alone: an answer that somebody has, held against the tickets and rules that it was
//! given for (`provost check proposal`).

use provost_kernel::{
    Exit, Lang, Message, Text,
    learn::{
        Guidance, HypothesesMode, Item, KeyError, MissionName, Reject, RejectCode, RejectKind,
        Scaffold, TicketKey, VerdictTerms,
    },
};
use provost_rules::json::{self, StrictError};
use serde::Serialize;

use super::{
    DECISION_ANALYSIS, Ground, Limits, OPERATIONS, STOP_LIST, bench::Refusal, decision, meaning,
    ops, reader, uncovered,
};
use crate::{
    guidance::{self, GuidanceError, Seed},
    text::TicketNames,
};

/// What was found, as the command prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedProposal {
    pub result: ProposalResult,
    pub pass: Pass,
    pub accepted: Vec<AcceptedItem>,
    pub rejected: Vec<RejectedItem>,
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

/// One thing that does not, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RejectedItem {
    pub kind: RejectKind,
    pub index: usize,
    pub code: RejectCode,
    /// What it is about; empty where the code says it all.
    pub detail: String,
    pub message: String,
}

/// A file that is no list of ticket keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum LearnableError {
    Json(StrictError),
    NotList,
    /// The places count from 0.
    NotText {
        index: usize,
    },
    NotKey {
        index: usize,
        why: KeyError,
    },
}

/// A file of guidance that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum ChoiceError {
    Guidance(GuidanceError),
    /// It is not said which mission is meant.
    Several(Vec<String>),
    Name(KeyError),
}

const LIMITS: json::Limits = json::Limits { bytes: 4 * 1024 * 1024, depth: 16 };
/// The limits of a mission that sets none.
const LENGTHS: Limits = Limits { rule: 160, rationale: 60, falsifier: 80, max_operations: None };

/// Judges the answer of a pass. An answer that is not JSON is judged, and refused.
pub fn check(
    raw: &[u8],
    learnable: &[TicketKey],
    known: Option<&Seed>,
    lang: Lang,
) -> CheckedProposal {
    let found = match reader::object(raw) {
        Err(refusal) => Found::void(guessed(raw), refusal, learnable),
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
    };
    found.told(lang)
}

/// Reads the list of tickets that an answer may cite; one that stands twice is one.
pub fn read_learnable(bytes: &[u8]) -> Result<Vec<TicketKey>, LearnableError> {
    let value = json::parse(bytes, LIMITS).map_err(LearnableError::Json)?;
    let list = value.as_array().ok_or(LearnableError::NotList)?;
    let mut keys: Vec<TicketKey> = Vec::new();
    for (index, it) in list.iter().enumerate() {
        let text = it.as_str().ok_or(LearnableError::NotText { index })?;
        let key = text.parse().map_err(|why| LearnableError::NotKey { index, why })?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// Reads a file of guidance: of the mission that is named, or of the only one.
pub fn read_guidance(bytes: &[u8], mission: Option<&MissionName>) -> Result<Seed, ChoiceError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ChoiceError::Guidance(GuidanceError::Json(StrictError::NotUtf8 { at: error.valid_up_to() }))
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
        [only] => only.parse().map_err(ChoiceError::Name),
        several => Err(ChoiceError::Several(several.iter().map(|it| json::shorten(it)).collect())),
    }
}

/// What was found, before it is put in words.
struct Found {
    pass: Pass,
    accepted: Vec<AcceptedItem>,
    rejected: Vec<Reject>,
    uncovered: Vec<TicketKey>,
    stop: Vec<TicketKey>,
    notes: Vec<String>,
}

impl Found {
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
            pass,
            accepted: Vec::new(),
            rejected: vec![reject],
            uncovered: learnable.to_vec(),
            stop: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn told(self, lang: Lang) -> CheckedProposal {
        let tell = |it: Reject| RejectedItem {
            kind: it.kind,
            index: it.index,
            code: it.code,
            detail: it.detail,
            message: meaning(it.code, lang).to_owned(),
        };
        let result =
            if self.rejected.is_empty() { ProposalResult::Accept } else { ProposalResult::Reject };
        CheckedProposal {
            result,
            pass: self.pass,
            accepted: self.accepted,
            rejected: self.rejected.into_iter().map(tell).collect(),
            uncovered: self.uncovered,
            stop: self.stop,
            notes: self.notes,
        }
    }
}

fn of_decision(text: &str, learnable: &[TicketKey]) -> Found {
    match decision(text, learnable) {
        Err(reject) => Found::rejected(Pass::Decision, reject, learnable),
        Ok(pass) => Found {
            pass: Pass::Decision,
            accepted: vec![AcceptedItem { kind: RejectKind::Decision, index: 0 }],
            rejected: Vec::new(),
            uncovered: learnable.iter().filter(|it| !pass.stop.contains(it)).cloned().collect(),
            stop: pass.stop.into_iter().collect(),
            notes: pass.ignored.iter().map(|it| format!("ignored: {it}")).collect(),
        },
    }
}

fn of_ops(text: &str, learnable: &[TicketKey], known: Option<&Seed>) -> Found {
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
        Err(reject) => Found::rejected(Pass::Ops, reject, learnable),
        Ok(pass) => {
            let item = |kind: RejectKind| move |index: usize| AcceptedItem { kind, index };
            let operations = pass.operations.iter().map(|(it, _)| *it);
            let hypotheses = pass.hypotheses.iter().map(|(it, _)| *it);
            let accepted = operations
                .map(item(RejectKind::Operation))
                .chain(hypotheses.map(item(RejectKind::Hypothesis)))
                .collect();
            let uncovered = uncovered(learnable, &pass).into_iter().collect();
            Found {
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

impl Message for LearnableError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Json(error) => error.text().render(lang),
            Self::NotList => {
                lang.pick("the learnable tickets are not a list", "可学习的工单不是列表").to_owned()
            }
            Self::NotText { index } => lang.pick(
                format!("entry {} of the learnable tickets is not a text", index + 1),
                format!("可学习工单的第 {} 项不是文本", index + 1),
            ),
            Self::NotKey { index, why } => lang.pick(
                format!(
                    "entry {} of the learnable tickets: {}",
                    index + 1,
                    why.text().render(lang)
                ),
                format!("可学习工单的第 {} 项:{}", index + 1, why.text().render(lang)),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = lang.pick(
                "write the keys of the tickets as a list: `[\"QC-1::fail\", \"QC-2::pass\"]`",
                "请以列表写出工单的键:`[\"QC-1::fail\", \"QC-2::pass\"]`",
            );
            vec![hint.to_owned()]
        })
    }

    fn exit(&self) -> Exit {
        Exit::Unable
    }
}

impl Message for ChoiceError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Guidance(GuidanceError::Json(error)) => error.text().render(lang),
            Self::Guidance(error) => error.text().render(lang),
            Self::Several(names) => {
                let names = names.join(", ");
                lang.pick(
                    format!("the guidance is not of one mission: it has {}", or_none(&names, lang)),
                    format!("指导文件不是恰好一个任务目标:其中有 {}", or_none(&names, lang)),
                )
            }
            Self::Name(error) => error.text().render(lang),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Guidance(error) => error.hints_in(lang),
            Self::Several(_) => {
                let hint = lang.pick(
                    "say which mission is meant: `--mission NAME`",
                    "请以 `--mission NAME` 指明任务目标",
                );
                vec![hint.to_owned()]
            }
            Self::Name(error) => error.hints_in(lang),
        })
    }

    fn exit(&self) -> Exit {
        Exit::Unable
    }
}

fn or_none(names: &str, lang: Lang) -> &str {
    if names.is_empty() { lang.pick("none", "无") } else { names }
}
