//! Why a line is not a ticket.

use provost_kernel::{
    Message, Text,
    learn::{KeyError, TicketKey},
    task::WordError,
};
use provost_rules::json::StrictError;

/// Why a line is not a ticket.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.ticket")]
pub enum TicketProblem {
    #[message(
        en = "{problem}",
        zh = "{problem}",
        arg(problem = without_line(field0)),
        hint(
            en = "a ticket is `{{\"mission\":\"NAME\",\"group_id\":\"ID\",\"label\":\"pass\",\"items\":{{\"NAME\":\"TEXT\"}}}}` on one line",
            zh = "工单是一行 `{{\"mission\":\"名称\",\"group_id\":\"编号\",\"label\":\"pass\",\"items\":{{\"名称\":\"文本\"}}}}`"
        )
    )]
    Json(StrictError),
    #[message(
        en = "a ticket is one JSON object",
        zh = "工单须为一个 JSON 对象",
        hint(
            en = "a ticket is `{{\"mission\":\"NAME\",\"group_id\":\"ID\",\"label\":\"pass\",\"items\":{{\"NAME\":\"TEXT\"}}}}` on one line",
            zh = "工单是一行 `{{\"mission\":\"名称\",\"group_id\":\"编号\",\"label\":\"pass\",\"items\":{{\"名称\":\"文本\"}}}}`"
        )
    )]
    NotAnObject,
    #[message(
        en = "missing or blank field `{field}`",
        zh = "缺少字段 `{field}`，或其为空",
        hint(
            en = "a ticket is `{{\"mission\":\"NAME\",\"group_id\":\"ID\",\"label\":\"pass\",\"items\":{{\"NAME\":\"TEXT\"}}}}` on one line",
            zh = "工单是一行 `{{\"mission\":\"名称\",\"group_id\":\"编号\",\"label\":\"pass\",\"items\":{{\"名称\":\"文本\"}}}}`"
        )
    )]
    Missing { field: &'static str },
    #[message(
        en = "field `{field}` has the wrong type",
        zh = "字段 `{field}` 的类型不对",
        hint(
            en = "a ticket is `{{\"mission\":\"NAME\",\"group_id\":\"ID\",\"label\":\"pass\",\"items\":{{\"NAME\":\"TEXT\"}}}}` on one line",
            zh = "工单是一行 `{{\"mission\":\"名称\",\"group_id\":\"编号\",\"label\":\"pass\",\"items\":{{\"名称\":\"文本\"}}}}`"
        )
    )]
    WrongType { field: &'static str },
    /// An unknown field whose name is close to a known one.
    #[message(
        en = "unknown field `{field}`",
        zh = "未知字段 `{field}`",
        hint(en = "did you mean `{meant}`?", zh = "是否想写 `{meant}`？")
    )]
    UnknownField { field: String, meant: &'static str },
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
        en = "the label is `{found}`, expected `pass` or `fail`",
        zh = "标签为 `{found}`，应为 `pass` 或 `fail`",
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
            en = "write `\"items\": {{\"NAME\": \"TEXT\"}}`, or a list of texts",
            zh = "写作 `\"items\": {{\"名称\": \"文本\"}}`，或文本的列表"
        )
    )]
    NoItems,
    #[message(
        en = "the ticket has both `items` and `per_image`",
        zh = "该工单同时有 `items` 和 `per_image`",
        hint(
            en = "write `\"items\": {{\"NAME\": \"TEXT\"}}`, or a list of texts",
            zh = "写作 `\"items\": {{\"名称\": \"文本\"}}`，或文本的列表"
        )
    )]
    TwoEvidenceFields,
    /// A piece of evidence that is not a text, or whose name is not one line.
    #[message(
        en = "the piece of evidence `{name}` is not a text with a name on one line",
        zh = "证据 `{name}` 不是文本，或其名称不是一行",
        hint(
            en = "write `\"items\": {{\"NAME\": \"TEXT\"}}`, or a list of texts",
            zh = "写作 `\"items\": {{\"名称\": \"文本\"}}`，或文本的列表"
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

/// A JSON error without its line: the caller knows the line in the file.
#[derive(Message)]
#[message(code = "learn.ticket_json")]
enum LineError {
    #[message(en = "invalid JSON at column {column}", zh = "JSON 无效（第 {column} 列）")]
    Syntax { column: usize },
    #[message(
        en = "text after the JSON value at column {column}",
        zh = "JSON 值之后还有文本（第 {column} 列）"
    )]
    TrailingText { column: usize },
}

fn without_line(error: &StrictError) -> Text {
    match *error {
        StrictError::Syntax { column, .. } => LineError::Syntax { column }.text(),
        StrictError::TrailingText { column, .. } => LineError::TrailingText { column }.text(),
        StrictError::TooLarge { .. }
        | StrictError::NotUtf8 { .. }
        | StrictError::ByteOrderMark
        | StrictError::TooDeep { .. }
        | StrictError::DuplicateKey { .. } => error.text(),
    }
}

impl TicketProblem {
    /// The stable word in the list of rejected lines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "bad_json",
            Self::NotAnObject => "not_object",
            Self::Missing { .. } => "missing_field",
            Self::WrongType { .. } => "wrong_type",
            Self::UnknownField { .. } => "unknown_field",
            Self::OtherMission { .. } => "other_mission",
            Self::Group(_) => "bad_group_id",
            Self::BadLabel { .. } => "bad_label",
            Self::Split(_) => "bad_split",
            Self::NoItems => "no_items",
            Self::TwoEvidenceFields => "two_evidence_fields",
            Self::BadItem { .. } => "bad_item",
            Self::DuplicateItem { .. } => "duplicate_item",
            Self::LeaksLabel { .. } => "leaks_label",
            Self::DuplicateTicket { .. } => "duplicate_ticket",
        }
    }
}
