//! Why a line is not a ticket.

use provost_kernel::{
    Lang, Message, Text,
    learn::{KeyError, TicketKey},
    task::WordError,
};
use provost_rules::json::StrictError;

/// Why a line is not a ticket.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum TicketProblem {
    Json(StrictError),
    NotAnObject,
    Missing {
        field: &'static str,
    },
    WrongType {
        field: &'static str,
    },
    /// A field that nobody reads and that is almost one that somebody does.
    UnknownField {
        field: String,
        meant: &'static str,
    },
    OtherMission {
        found: String,
    },
    Group(KeyError),
    BadLabel {
        found: String,
    },
    Split(WordError),
    /// No piece of evidence has any text.
    NoItems,
    TwoEvidenceFields,
    /// A piece of evidence that is no text, or whose name is none.
    BadItem {
        name: String,
    },
    DuplicateItem {
        name: String,
    },
    /// What a model would be shown tells it the label.
    LeaksLabel {
        field: String,
        key: TicketKey,
    },
    /// An earlier line has the same key.
    DuplicateTicket {
        key: TicketKey,
    },
}

impl TicketProblem {
    /// The word that stands for it in the list of refused lines.
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

impl Message for TicketProblem {
    fn text(&self) -> Text {
        Text::each(|lang| {
            match self {
                // The line is that of the file, which whoever lists the problem knows.
                Self::Json(StrictError::Syntax { column, .. }) => lang.pick(
                    format!("the line is not JSON, at column {column}"),
                    format!("该行不是 JSON(第 {column} 列)"),
                ),
                Self::Json(StrictError::TrailingText { column, .. }) => lang.pick(
                    format!("there is text after the JSON value, at column {column}"),
                    format!("JSON 值之后还有文本(第 {column} 列)"),
                ),
                Self::Json(error) => error.text().render(lang),
                Self::NotAnObject => {
                    lang.pick("a ticket is one JSON object", "工单须为一个 JSON 对象").to_owned()
                }
                Self::Missing { field } => lang.pick(
                    format!("field `{field}` is missing or blank"),
                    format!("缺少字段 `{field}`,或其为空"),
                ),
                Self::WrongType { field } => lang.pick(
                    format!("field `{field}` does not have the type of that field"),
                    format!("字段 `{field}` 的类型不对"),
                ),
                Self::UnknownField { field, .. } => lang.pick(
                    format!("field `{field}` is not known, and it looks like one that is"),
                    format!("未知字段 `{field}`,它像是某个已知字段"),
                ),
                Self::OtherMission { found } => lang.pick(
                    format!("the ticket belongs to the mission `{found}`"),
                    format!("该工单属于任务目标 `{found}`"),
                ),
                Self::Group(error) => error.text().render(lang),
                Self::BadLabel { found } => lang.pick(
                    format!("the label is `{found}`, expected `pass` or `fail`"),
                    format!("标签为 `{found}`,应为 `pass` 或 `fail`"),
                ),
                Self::Split(error) => error.text().render(lang),
                Self::NoItems => {
                    lang.pick("the ticket has no evidence", "该工单没有证据").to_owned()
                }
                Self::TwoEvidenceFields => lang
                    .pick(
                        "the ticket has both `items` and `per_image`",
                        "该工单同时有 `items` 和 `per_image`",
                    )
                    .to_owned(),
                Self::BadItem { name } => lang.pick(
                    format!("the piece of evidence `{name}` is not a text with a name on one line"),
                    format!("证据 `{name}` 不是文本,或其名称不是一行"),
                ),
                Self::DuplicateItem { name } => lang.pick(
                    format!("two pieces of evidence are called `{name}`"),
                    format!("有两项证据都叫 `{name}`"),
                ),
                Self::LeaksLabel { field, key } => lang.pick(
                    format!("field `{field}` contains the key `{key}`, which tells the label"),
                    format!("字段 `{field}` 含有工单键 `{key}`,会泄露标签"),
                ),
                Self::DuplicateTicket { key } => lang.pick(
                    format!("an earlier line is the ticket `{key}`, too"),
                    format!("前面已有工单 `{key}`"),
                ),
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::Json(_)
                | Self::NotAnObject
                | Self::Missing { .. }
                | Self::WrongType { .. } => shape(lang),
                Self::UnknownField { meant, .. } => {
                    lang.pick(format!("did you mean `{meant}`?"), format!("是否想写 `{meant}`?"))
                }
                Self::OtherMission { .. } => lang
                    .pick(
                        "keep the tickets of each mission in files of its own",
                        "每个任务目标的工单请放在各自的文件里",
                    )
                    .to_owned(),
                Self::Group(error) => return error.hints_in(lang),
                Self::Split(error) => return error.hints_in(lang),
                Self::BadLabel { .. } => lang
                    .pick(
                        "a case that nobody could decide is not a ticket: leave it out",
                        "无人能判定的案例不是工单:请去掉它",
                    )
                    .to_owned(),
                Self::NoItems | Self::TwoEvidenceFields | Self::BadItem { .. } => lang
                    .pick(
                        r#"write `"items": {"NAME": "TEXT"}`, or a list of texts"#,
                        r#"写作 `"items": {"名称": "文本"}`,或文本的列表"#,
                    )
                    .to_owned(),
                Self::DuplicateItem { .. } => lang
                    .pick("give each piece a name of its own", "请为每项证据取不同的名称")
                    .to_owned(),
                Self::LeaksLabel { .. } => lang
                    .pick(
                        "take the key out of the evidence: a model must not see the label",
                        "请从证据中去掉该键:模型不得看到标签",
                    )
                    .to_owned(),
                Self::DuplicateTicket { .. } => lang
                    .pick(
                        "give the second one a `group_id` of its own, or remove it",
                        "请为后一个取不同的 `group_id`,或将其删除",
                    )
                    .to_owned(),
            };
            vec![hint]
        })
    }
}

fn shape(lang: Lang) -> String {
    lang.pick(
        r#"a ticket is `{"mission":"NAME","group_id":"ID","label":"pass","items":{"NAME":"TEXT"}}` on one line"#,
        r#"工单是一行 `{"mission":"名称","group_id":"编号","label":"pass","items":{"名称":"文本"}}`"#,
    )
    .to_owned()
}
