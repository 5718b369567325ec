//! Why a line is not a ticket.

use provost_form::{Expected, ProblemClass, ProblemKind};
use provost_kernel::{
    Message, WordError,
    learn::{KeyError, TicketKey},
};

/// Why a line is not a ticket.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.ticket")]
pub enum TicketProblem {
    #[message(
        en = "{0}",
        zh = "{0}",
        hint(
            en = r#"a ticket is `{{"mission":"NAME","group_id":"ID","label":"pass","items":{{"NAME":"TEXT"}}}}` on one line"#,
            zh = r#"工单是一行 `{{"mission":"名称","group_id":"编号","label":"pass","items":{{"名称":"文本"}}}}`"#
        )
    )]
    Form(ProblemKind),
    #[message(
        en = "the ticket belongs to the mission `{found}`",
        zh = "该工单属于任务目标 `{found}`",
        hint(
            en = "keep the tickets of each mission in files of its own",
            zh = "每个任务目标的工单请放在各自的文件里"
        )
    )]
    OtherMission { found: String },
    #[message(transparent)]
    Group(KeyError),
    #[message(
        en = "expected `pass` or `fail`, found `{found}`",
        zh = "应为 `pass` 或 `fail`，实为 `{found}`",
        hint(en = "leave out a case that could not be decided", zh = "无法判定的案例请去掉")
    )]
    BadLabel { found: String },
    #[message(transparent)]
    Split(WordError),
    /// Every piece of evidence is blank.
    #[message(
        en = "the ticket has no evidence",
        zh = "该工单没有证据",
        hint(
            en = r#"write `"items": {{"NAME": "TEXT"}}`, or a list of texts"#,
            zh = r#"写作 `"items": {{"名称": "文本"}}`，或文本的列表"#
        )
    )]
    NoItems,
    #[message(
        en = "the ticket has both `items` and `per_image`",
        zh = "该工单同时有 `items` 和 `per_image`",
        hint(
            en = r#"write `"items": {{"NAME": "TEXT"}}`, or a list of texts"#,
            zh = r#"写作 `"items": {{"名称": "文本"}}`，或文本的列表"#
        )
    )]
    TwoEvidenceFields,
    /// A piece of evidence that is not a text, or whose name is not one line.
    #[message(
        en = "the piece of evidence `{name}` is not a text with a name on one line",
        zh = "证据 `{name}` 不是文本，或其名称不是一行",
        hint(
            en = r#"write `"items": {{"NAME": "TEXT"}}`, or a list of texts"#,
            zh = r#"写作 `"items": {{"名称": "文本"}}`，或文本的列表"#
        )
    )]
    BadItem { name: String },
    #[message(
        en = "two pieces of evidence are called `{name}`",
        zh = "有两项证据都叫 `{name}`",
        hint(en = "give each piece a name of its own", zh = "请为每项证据取不同的名称")
    )]
    DuplicateItem { name: String },
    /// A prompt with this field would contain the label.
    #[message(
        en = "field `{field}` contains the key `{key}`, which tells the label",
        zh = "字段 `{field}` 含有工单键 `{key}`，会泄露标签",
        hint(
            en = "take the key out of the evidence: a model must not see the label",
            zh = "请从证据中去掉该键：模型不得看到标签"
        )
    )]
    LeaksLabel { field: String, key: TicketKey },
    /// The key of a ticket is shown to reflection, and stands in every file of a run.
    #[message(
        en = "`group_id` contains a secret ({kind})",
        zh = "`group_id` 含有机密（{kind}）",
        hint(
            en = "call the case by another name, and revoke the secret",
            zh = "请为该案例另取名称，并吊销该机密"
        )
    )]
    SecretInKey { kind: &'static str },
    /// An earlier line has the same key.
    #[message(
        en = "duplicate ticket `{key}`",
        zh = "工单 `{key}` 重复",
        hint(
            en = "give the second one a `group_id` of its own, or remove it",
            zh = "请为后一个取不同的 `group_id`，或将其删除"
        )
    )]
    DuplicateTicket { key: TicketKey },
}

impl From<ProblemKind> for TicketProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
}

impl TicketProblem {
    /// The stable word in the list of rejected lines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Form(kind) => form_code(kind),
            Self::OtherMission { .. } => "other_mission",
            Self::Group(_) => "bad_group_id",
            Self::BadLabel { .. } => "bad_label",
            Self::Split(_) => "bad_split",
            Self::NoItems => "no_items",
            Self::TwoEvidenceFields => "two_evidence_fields",
            Self::BadItem { .. } => "bad_item",
            Self::DuplicateItem { .. } => "duplicate_item",
            Self::LeaksLabel { .. } => "leaks_label",
            Self::SecretInKey { .. } => "secret_in_key",
            Self::DuplicateTicket { .. } => "duplicate_ticket",
        }
    }
}

fn form_code(kind: &ProblemKind) -> &'static str {
    // Only the ticket itself has to be an object.
    if matches!(kind, ProblemKind::WrongType { expected: Expected::Object, .. }) {
        return "not_object";
    }
    match kind.class() {
        ProblemClass::Syntax => "bad_json",
        ProblemClass::Missing | ProblemClass::Blank => "missing_field",
        ProblemClass::UnknownKey => "unknown_field",
        ProblemClass::Type
        | ProblemClass::Range
        | ProblemClass::Choice
        | ProblemClass::Length
        | ProblemClass::Count
        | ProblemClass::ControlCharacter => "wrong_type",
    }
}
