//! What a model may propose, once it was found valid, and why a proposal was not.

use serde::{Deserialize, Serialize};

use super::{RuleKey, TicketKey};
use crate::{Message, words::words};

/// A change of guidance that was found valid. None of them can name a scaffold rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    Add {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
    Update {
        key: RuleKey,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
    Delete {
        key: RuleKey,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
    Merge {
        key: RuleKey,
        merged_from: Vec<RuleKey>,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
}

/// A rule that is proposed and waits for support (LEARN-2.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// What makes two wordings one hypothesis.
    pub signature: String,
    pub text: String,
    pub falsifier: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    pub evidence: Vec<TicketKey>,
}

/// One thing that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    pub kind: RejectKind,
    /// Its place in its list; 0 for what concerns the whole answer.
    pub index: usize,
    pub code: RejectCode,
    /// What exactly, for a person.
    pub detail: String,
}

words! {
    /// What was refused.
    pub enum RejectKind {
        Decision = "decision",
        Operation = "operation",
        Hypothesis = "hypothesis",
    }
}

words! {
    /// Why something was refused. Its text stands beside the thing that it is about.
    #[derive(Message)]
    #[message(code = "learn.reject")]
    pub enum RejectCode {
        #[message(en = "the answer is not one JSON object", zh = "回答不是单个 JSON 对象")]
        NotJson = "not_json",
        #[message(en = "a key stands twice", zh = "键重复出现")]
        DuplicateKey = "duplicate_key",
        #[message(en = "there is text after the object", zh = "对象之后还有文本")]
        TrailingText = "trailing_text",
        #[message(en = "the answer has a field that was not asked for", zh = "回答含有未要求的字段")]
        UnknownField = "unknown_field",
        #[message(en = "it is not of the type that was asked for", zh = "类型与要求不符")]
        NotObject = "not_object",
        #[message(en = "`op` is not `add`, `update`, `delete` or `merge`", zh = "`op` 不是 `add`、`update`、`delete` 或 `merge`")]
        BadOp = "bad_op",
        #[message(en = "a scaffold rule is never changed", zh = "骨架规则不可更改")]
        ScaffoldTarget = "scaffold_target",
        #[message(en = "the checklist G0 is never removed", zh = "检查清单 G0 不可删除")]
        ChecklistDelete = "g0_delete",
        #[message(en = "the key of the rule is missing", zh = "缺少规则的键")]
        MissingKey = "missing_key",
        #[message(en = "unknown rule key", zh = "未知的规则键")]
        UnknownKey = "unknown_key",
        #[message(en = "a key is written G0, G1 and so on", zh = "键须写作 G0、G1 等")]
        BadKeyNamespace = "bad_key_namespace",
        #[message(en = "the evidence is missing", zh = "缺少证据")]
        EvidenceMissing = "evidence_missing",
        #[message(en = "the evidence is not a list of ticket keys", zh = "证据不是工单键的列表")]
        EvidenceNotList = "evidence_not_list",
        #[message(en = "the evidence is empty", zh = "证据为空")]
        EvidenceEmpty = "evidence_empty",
        #[message(en = "the evidence is not a learnable ticket", zh = "证据不是可学习的工单")]
        EvidenceOutside = "evidence_outside_L",
        #[message(en = "the text is missing", zh = "缺少文本")]
        TextEmpty = "text_empty",
        #[message(en = "the text is too long", zh = "文本过长")]
        TextTooLong = "text_too_long",
        #[message(en = "the rationale is too long", zh = "理由过长")]
        RationaleTooLong = "rationale_too_long",
        #[message(en = "the falsifier is too long", zh = "证伪条件过长")]
        FalsifierTooLong = "falsifier_too_long",
        #[message(en = "the wording leaves a third answer", zh = "措辞留有第三种结论")]
        ThirdState = "third_state",
        #[message(en = "it says what not to judge, and not what to judge", zh = "只说不应如何判，未说应如何判")]
        AmbiguousNegation = "ambiguous_negation",
        #[message(en = "it does not conclude pass or fail", zh = "没有通过或不通过的结论")]
        NotBinary = "not_binary",
        #[message(en = "it names a single case", zh = "指向单个案例")]
        LeaksTicket = "leaks_ticket",
        #[message(en = "it repeats the evidence of a case", zh = "照抄案例的证据")]
        CopiesEvidence = "copies_evidence",
        #[message(en = "it goes against the scaffold", zh = "与骨架规则冲突")]
        ConflictsScaffold = "conflicts_scaffold",
        #[message(en = "it goes by a brand or a name", zh = "以品牌或名称为依据")]
        BrandDimension = "brand_dimension",
        #[message(en = "it does not say what would prove it wrong", zh = "没有说明如何证伪")]
        FalsifierMissing = "falsifier_missing",
        #[message(en = "it names no rule to merge", zh = "未指明要合并的规则")]
        MergeFromEmpty = "merge_from_empty",
        #[message(en = "G0 and scaffold rules are never merged away", zh = "G0 与骨架规则不可被合并删除")]
        MergeFromProtected = "merge_from_protected",
        #[message(en = "a rule is not merged into itself", zh = "规则不能并入自身")]
        MergeSelf = "merge_self",
        #[message(en = "it stands in the answer already", zh = "回答中已有相同内容")]
        Duplicate = "duplicate",
        #[message(en = "the answer has more than may be kept", zh = "超出可保留的数量")]
        OverCap = "over_cap",
    }
}

impl Operation {
    pub fn evidence(&self) -> &[TicketKey] {
        match self {
            Self::Add { evidence, .. }
            | Self::Update { evidence, .. }
            | Self::Delete { evidence, .. }
            | Self::Merge { evidence, .. } => evidence,
        }
    }

    /// The rule that it would write; nothing for a removal.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Add { text, .. } | Self::Update { text, .. } | Self::Merge { text, .. } => {
                Some(text)
            }
            Self::Delete { .. } => None,
        }
    }

    /// The word of the operation, as a model writes it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Update { .. } => "update",
            Self::Delete { .. } => "delete",
            Self::Merge { .. } => "merge",
        }
    }
}
