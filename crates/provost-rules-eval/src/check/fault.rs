//! Why a check failed: one message for each kind of fault.
//!
//! A fault is made only where a check fails, so that what passes costs nothing.

use provost_kernel::{Message, Text, shorten_to};
use provost_rules::secret;
use serde_json::Value;

#[derive(Debug, Message)]
#[message(code = "eval.check")]
pub(super) enum Fault {
    #[message(
        en = "the suite has no schema for `{artifact}`",
        zh = "套件中没有 `{artifact}` 的 schema"
    )]
    NoSchema { artifact: String },
    #[message(en = "`{artifact}` is missing", zh = "缺少 `{artifact}`")]
    Missing { artifact: String },
    #[message(en = "{errors:clauses}", zh = "{errors:clauses}")]
    Schema { errors: Vec<SchemaError> },
    #[message(en = "{faults:clauses}", zh = "{faults:clauses}")]
    Several { faults: Vec<Self> },
    #[message(en = "{at} is missing", zh = "缺少 {at}")]
    Absent { at: String },
    #[message(en = "{at} is {found}, not a list", zh = "{at} 为 {found}，不是列表")]
    NotAList { at: String, found: String },
    #[message(en = "{at} is {found}, not a number", zh = "{at} 为 {found}，不是数字")]
    NotANumber { at: String, found: String },
    #[message(en = "nothing to check at {at}", zh = "{at} 处没有可检查的内容")]
    NoSubject { at: String },
    #[message(
        en = "{at} has {found} {found:item|items}, expected {allowed}",
        zh = "{at} 有 {found} 项，应为 {allowed}"
    )]
    Length { at: String, found: usize, allowed: Allowed },
    #[message(en = "{at} is blank", zh = "{at} 为空")]
    Blank { at: String },
    #[message(
        en = "item {number}: `{field}` has {length} {length:character|characters}, expected at least {least}",
        zh = "第 {number} 项：`{field}` 有 {length} 个字符，至少应有 {least} 个"
    )]
    Short { number: usize, field: String, length: usize, least: usize },
    #[message(en = "`{label}` has no band", zh = "`{label}` 没有对应区间")]
    NoBand { label: String },
    #[message(
        en = "{label} but score {score} (allowed {allowed})",
        zh = "{label} 与得分 {score} 不符（允许 {allowed}）"
    )]
    Band { label: String, score: f64, allowed: String },
    #[message(
        en = "{at} is {found}, expected {min} to {max}",
        zh = "{at} 为 {found}，应在 {min} 到 {max} 之间"
    )]
    Range { at: String, found: f64, min: f64, max: f64 },
    #[message(
        en = "{one} is {left}, {other} is {right}",
        zh = "{one} 为 {left}，{other} 为 {right}"
    )]
    Unequal { one: String, left: String, other: String, right: String },
    #[message(en = "{at} is {found}, expected {expected}", zh = "{at} 为 {found}，应为 {expected}")]
    Differs { at: String, found: String, expected: String },
    #[message(
        en = "{at} is {found}, expected {expected} within {tolerance}",
        zh = "{at} 为 {found}，应为 {expected}（容差 {tolerance}）"
    )]
    DiffersBy { at: String, found: String, expected: String, tolerance: f64 },
    #[message(
        en = "{at} lacks {missing:names}: {found}",
        zh = "{at} 中没有 {missing:names}：{found}"
    )]
    NotContained { at: String, missing: Vec<String>, found: String },
    #[message(
        en = "{at} has none of {missing:names}: {found}",
        zh = "{at} 不含 {missing:names} 中的任何一个：{found}"
    )]
    NoneContained { at: String, missing: Vec<String>, found: String },
    #[message(
        en = "{at} has {unwanted:names}, which must not be there: {found}",
        zh = "{at} 含有不应出现的 {unwanted:names}：{found}"
    )]
    Contained { at: String, unwanted: Vec<String>, found: String },
    #[message(en = "{at} names no text to look for", zh = "{at} 没有给出要查找的文本")]
    NoTexts { at: String },
    #[message(
        en = "{at} does not match `{pattern}`: {found}",
        zh = "{at} 不匹配 `{pattern}`：{found}"
    )]
    NoMatch { at: String, pattern: String, found: String },
    #[message(
        en = "{at} matches `{pattern}`, which it must not: {found}",
        zh = "{at} 匹配了不应匹配的 `{pattern}`：{found}"
    )]
    Match { at: String, pattern: String, found: String },
    #[message(
        en = "the answer took {found} ms, expected at most {max} ms",
        zh = "应答耗时 {found} 毫秒，至多应为 {max} 毫秒"
    )]
    Slow { found: u64, max: u64 },
    #[message(en = "it is not known how long the answer took", zh = "不知道应答耗时多久")]
    NoLatency,
    #[message(
        en = "the answer cost {found} {found:token|tokens}, expected at most {max}",
        zh = "应答用了 {found} 个词元，至多应为 {max}"
    )]
    ManyTokens { found: u64, max: u64 },
    #[message(en = "the engine reported no tokens", zh = "引擎没有报告词元数")]
    NoTokens,
    #[message(
        en = "the answer cost {found}, expected at most {max}",
        zh = "应答费用为 {found}，至多应为 {max}"
    )]
    Expensive { found: String, max: String },
    #[message(
        en = "the price of the answer is not known: name the prices with `--price`",
        zh = "不知道应答的费用：请用 `--price` 给出单价"
    )]
    NoPrice,
    #[message(en = "nobody said anything of the answer", zh = "没有人评判过该应答")]
    Unsaid,
    #[message(en = "refused without a reason", zh = "被拒绝，未说明理由")]
    Refused,
    #[message(en = "refused: {reason}", zh = "被拒绝：{reason}")]
    RefusedBecause { reason: String },
    #[message(en = "the suite has no rubric", zh = "套件没有评分标准")]
    NoRubric,
    #[message(en = "the case has no known task type", zh = "用例没有已知的任务类型")]
    NoTaskType,
    #[message(en = "the case has no valid `expected`", zh = "用例没有说明预期")]
    NoExpectation,
    #[message(en = "{subject}: {message}", zh = "{subject}：{message}")]
    Calibration { subject: String, message: Text },
    #[message(
        en = "{found} {found:reason is|reasons are} specific, expected at least {least} ({notes:clauses})",
        zh = "{found} 条理由有具体线索，至少应有 {least} 条（{notes:clauses}）"
    )]
    Unspecific { found: usize, least: usize, notes: Vec<Note> },
    #[message(
        en = "{found} {found:title starts|titles start} with a verb, expected at least {least}; these do not: {other:names}",
        zh = "{found} 个标题以动词开头，至少应有 {least} 个；以下不是：{other:names}"
    )]
    NotVerbLed { found: usize, least: usize, other: Vec<String> },
    #[message(
        en = "the action names no object and no limit: {action}",
        zh = "行动没有明确的对象或约束：{action}"
    )]
    NoObject { action: String },
    #[message(
        en = "no part of the action starts with a verb: {action}",
        zh = "行动中没有以动词开头的部分：{action}"
    )]
    NoVerb { action: String },
    #[message(
        en = "{first} and {second} say the same (similarity {alike}, containment {inside})",
        zh = "第 {first} 条与第 {second} 条重复（相似度 {alike}，包含度 {inside}）",
        arg(alike = format!("{alike:.2}")),
        arg(inside = format!("{inside:.2}"))
    )]
    Repeats { first: usize, second: usize, alike: f64, inside: f64 },
    #[message(
        en = "it has {found} content {found:word|words}, expected at least {least}",
        zh = "有实义的词仅 {found} 个，至少应有 {least} 个"
    )]
    FewWords { found: usize, least: usize },
    #[message(
        en = "{share} % of it is new, expected at least {least} %",
        zh = "新内容占 {share} %，至少应占 {least} %",
        arg(share = format!("{:.0}", share * 100.0)),
        arg(least = format!("{:.0}", least * 100.0))
    )]
    LittleNew { share: f64, least: f64 },
    #[message(en = "it says what {number} says", zh = "与第 {number} 条相同")]
    SaysTheSame { number: usize },
    #[message(
        en = "`{headline}` does not name its subject (information {information}, expected {least})",
        zh = "`{headline}` 没有点明主题（信息量 {information}，应为 {least}）"
    )]
    Vague { headline: String, information: f64, least: f64 },
    #[message(
        en = "{found} {found:task has|tasks have} a result, expected at least {least}",
        zh = "{found} 项任务有产出，至少应有 {least} 项"
    )]
    NoResult { found: usize, least: usize },
    #[message(
        en = "{number} shares {found} {found:word|words} with the text, expected at least {least} and {share} % of its words: {text}",
        zh = "第 {number} 条与原文共有 {found} 个词，至少应有 {least} 个且占其用词的 {share} %：{text}",
        arg(share = format!("{:.0}", share * 100.0))
    )]
    Ungrounded { number: usize, text: String, found: usize, least: usize, share: f64 },
    #[message(
        en = "{found} % of the words stand in the text, expected at least {together} %",
        zh = "用词有 {found} % 出自原文，至少应占 {together} %",
        arg(found = format!("{:.0}", found * 100.0)),
        arg(together = format!("{:.0}", together * 100.0))
    )]
    LittleGround { found: f64, together: f64 },
    #[message(
        en = "quote {number} is not in the text: {quote}",
        zh = "第 {number} 条引文不在原文中：{quote}"
    )]
    NotQuoted { number: usize, quote: String },
}

/// How many characters of a value are shown.
const SHOWN: usize = 80;

/// A value as a fault shows it: one line, without secrets, and no full text.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    // Redacted before it is cut: half a secret is not recognised.
    let clean = secret::redact_shapes(text.as_bytes());
    shorten_to(&String::from_utf8_lossy(&clean), SHOWN)
}

/// A text as a fault shows it: its start, without secrets.
pub(super) fn shown_text(text: &str) -> String {
    shown(&Value::from(text))
}

/// One error of a schema; no value is shown in full.
#[derive(Debug, Message)]
#[message(code = "eval.check.schema_error")]
pub(super) enum SchemaError {
    #[message(en = "{path}: {error}", zh = "{path}：{error}")]
    At { path: String, error: String },
    #[message(en = "and more", zh = "以及更多")]
    More,
}

/// How many items a list may have.
#[derive(Debug, Message)]
#[message(code = "eval.check.allowed")]
pub(super) enum Allowed {
    #[message(en = "{0}", zh = "{0}")]
    Exactly(usize),
    #[message(en = "{0}..{1}", zh = "{0}..{1}")]
    Between(usize, usize),
    #[message(en = "at least {0}", zh = "至少 {0}")]
    AtLeast(usize),
}

/// What was found in one reason.
#[derive(Debug, Message)]
#[message(code = "eval.check.note")]
pub(super) enum Note {
    #[message(en = "{number}: repeats another", zh = "{number}：重复")]
    Repetition { number: usize },
    #[message(en = "{number}: {clues}", zh = "{number}：{clues}")]
    Clues { number: usize, clues: Vec<Clue> },
    #[message(en = "{number}: only `{phrase}`", zh = "{number}：仅有 `{phrase}`")]
    Only { number: usize, phrase: String },
    #[message(en = "{number}: nothing specific", zh = "{number}：无线索")]
    Nothing { number: usize },
}

/// Something specific in a reason.
#[derive(Debug, Message)]
#[message(code = "eval.check.clue")]
pub(super) enum Clue {
    #[message(en = "intent `{0}`", zh = "意图 `{0}`")]
    Intent(String),
    #[message(en = "structure `{0}`", zh = "结构 `{0}`")]
    Structure(String),
    #[message(en = "cost `{0}`", zh = "成本 `{0}`")]
    Cost(String),
}
