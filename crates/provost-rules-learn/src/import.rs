//! Tickets out of a person's own file: a table with a header, or lines of JSON that lack what a
//! ticket has.
//!
//! What a column means follows from its name. A cell that cannot be a label ends the import with its
//! line: a guess would be learned from.

mod csv;

use provost_kernel::{
    Message,
    learn::{Label, MissionName},
    shorten,
};
use serde_json::{Map, Value, json};

pub use self::csv::CsvError;

/// Why a file cannot become tickets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.import")]
pub enum ImportError {
    #[error(transparent)]
    #[message(transparent)]
    Csv(#[from] CsvError),
    #[message(
        en = "no column is the label: found {found}",
        zh = "没有标签列：现有 {found}",
        hint(
            en = "name a column `label`, with `pass` or `fail` in every row",
            zh = "请将一列命名为 `label`，每行写 `pass` 或 `fail`"
        )
    )]
    NoLabel { found: String },
    #[message(
        en = "no column is evidence: found {found}",
        zh = "没有证据列：现有 {found}",
        hint(
            en = "every column besides `label`, `id` and `reason` is evidence",
            zh = "`label`、`id` 与 `reason` 之外的每一列都是证据"
        )
    )]
    NoEvidence { found: String },
    #[message(
        en = "line {line}: expected `pass` or `fail`, found `{found}`",
        zh = "第 {line} 行：应为 `pass` 或 `fail`，实为 `{found}`",
        hint(en = "leave out a case that could not be decided", zh = "无法判定的案例请去掉")
    )]
    BadLabel { line: usize, found: String },
    #[message(en = "line {line}: not a JSON object", zh = "第 {line} 行：不是 JSON 对象")]
    NotObject { line: usize },
    #[message(en = "the file has no tickets", zh = "文件中没有工单")]
    Empty,
}

const LABEL: [&str; 4] = ["label", "verdict", "gt_label", "标签"];
const ID: [&str; 4] = ["group_id", "id", "key", "编号"];
const REASON: [&str; 3] = ["label_reason", "reason", "理由"];
const PASS: [&str; 10] =
    ["pass", "passed", "true", "yes", "1", "accept", "accepted", "approved", "good", "通过"];
const FAIL: [&str; 11] =
    ["fail", "failed", "false", "no", "0", "reject", "rejected", "bad", "不通过", "未通过", "驳回"];

/// Makes the lines of a ticket file out of a table.
pub fn from_csv(text: &str, mission: &MissionName) -> Result<Vec<String>, ImportError> {
    let mut records = csv::records(text)?.into_iter();
    let (_, header) = records.next().ok_or(ImportError::Empty)?;
    let names: Vec<String> = header.iter().map(|it| it.trim().to_owned()).collect();
    let found = || shorten(&names.join(", "));
    let column = |known: &[&str]| {
        names.iter().position(|it| known.iter().any(|name| it.eq_ignore_ascii_case(name)))
    };
    let label = column(&LABEL).ok_or_else(|| ImportError::NoLabel { found: found() })?;
    let (id, reason) = (column(&ID), column(&REASON));
    let is_evidence = |at: usize| at != label && Some(at) != id && Some(at) != reason;
    if !(0..names.len()).any(is_evidence) {
        return Err(ImportError::NoEvidence { found: found() });
    }
    let mut lines = Vec::new();
    for (number, (line, cells)) in (1..).zip(records) {
        let cell = |at: usize| cells.get(at).map_or("", String::as_str);
        let evidence = (0..names.len()).filter(|at| is_evidence(*at));
        let items: Vec<Value> = evidence
            .filter(|at| !cell(*at).trim().is_empty())
            .map(|at| json!({"name": names.get(at), "text": cell(at)}))
            .collect();
        let group = id.map(cell).filter(|it| !it.trim().is_empty());
        let mut ticket = json!({
            "mission": mission,
            "group_id": group.map_or_else(|| row(number), |it| it.trim().to_owned()),
            "label": verdict(cell(label), line)?,
            "items": items,
        });
        if let Some(reason) = reason.map(cell).filter(|it| !it.trim().is_empty()) {
            ticket["label_reason"] = json!(reason);
        }
        lines.push(ticket.to_string());
    }
    if lines.is_empty() { Err(ImportError::Empty) } else { Ok(lines) }
}

/// Makes the lines of a ticket file out of lines of JSON: what a ticket needs and a line lacks is
/// filled in, and everything else stays.
pub fn from_lines(text: &str, mission: &MissionName) -> Result<Vec<String>, ImportError> {
    let mut lines = Vec::new();
    let filled = (1..).zip(text.lines()).filter(|(_, it)| !it.trim().is_empty());
    for (line, text) in filled {
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|_| ImportError::NotObject { line })?;
        let mut ticket = object;
        ticket.insert("mission".to_owned(), json!(mission));
        ticket.entry("group_id").or_insert_with(|| json!(row(lines.len() + 1)));
        let label = ticket.get("label").cloned().unwrap_or_default();
        let label = label.as_str().map_or_else(|| label.to_string(), str::to_owned);
        ticket.insert("label".to_owned(), json!(verdict(&label, line)?));
        lines.push(Value::Object(ticket).to_string());
    }
    if lines.is_empty() { Err(ImportError::Empty) } else { Ok(lines) }
}

/// The name of a case without one.
fn row(number: usize) -> String {
    format!("row-{number:04}")
}

fn verdict(cell: &str, line: usize) -> Result<Label, ImportError> {
    let word = cell.trim().to_lowercase();
    match (PASS.contains(&word.as_str()), FAIL.contains(&word.as_str())) {
        (true, _) => Ok(Label::Pass),
        (_, true) => Ok(Label::Fail),
        (false, false) => Err(ImportError::BadLabel { line, found: shorten(cell.trim()) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticket::read_line;

    fn mission() -> MissionName {
        "m".parse().unwrap()
    }

    /// Every line is a ticket, and these are the key and the names of its evidence.
    #[track_caller]
    fn check(lines: &[String], expected: &[(&str, &[&str])]) {
        let tickets: Vec<_> =
            lines.iter().map(|it| read_line(it.as_bytes(), &mission()).unwrap().unwrap()).collect();
        let found: Vec<(String, Vec<&str>)> = tickets
            .iter()
            .map(|it| (it.key().to_string(), it.items.iter().map(|it| it.name.as_str()).collect()))
            .collect();
        let expected: Vec<(String, Vec<&str>)> =
            expected.iter().map(|(key, names)| ((*key).to_owned(), names.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_table_becomes_tickets() {
        let lines = from_csv(
            "ID,Label,goal,log,reason\na1,pass,g,\"ok, \"\"fine\"\"\nsecond line\",\n,REJECT,h,,no test\n",
            &mission(),
        )
        .unwrap();
        check(&lines, &[("a1::pass", &["goal", "log"]), ("row-0002::fail", &["goal"])]);
        assert!(lines[0].contains("ok, \\\"fine\\\"\\nsecond line"), "{}", lines[0]);
        assert!(lines[1].contains("\"label_reason\":\"no test\""), "{}", lines[1]);
        check(
            &from_csv("标签;证据\n通过;x\n不通过;y\n", &mission()).unwrap(),
            &[("row-0001::pass", &["证据"]), ("row-0002::fail", &["证据"])],
        );
    }

    #[test]
    fn lines_become_tickets() {
        let lines = from_lines(
            "{\"label\": \"pass\", \"items\": [\"x\"]}\n\n{\"mission\": \"other\", \"group_id\": \"g\", \"label\": false, \"items\": {\"a\": \"y\"}}\n",
            &mission(),
        );
        check(&lines.unwrap(), &[("row-0001::pass", &["item_1"]), ("g::fail", &["a"])]);
    }

    #[test]
    fn what_cannot_be_a_ticket_ends_the_import_with_its_line() {
        let csv = |text: &str| from_csv(text, &mission()).unwrap_err();
        assert_eq!(csv(""), ImportError::Empty);
        assert_eq!(csv("label,log\n"), ImportError::Empty);
        assert_eq!(csv("a,b\n1,2\n"), ImportError::NoLabel { found: "a, b".to_owned() });
        assert_eq!(
            csv("id,label\n1,pass\n"),
            ImportError::NoEvidence { found: "id, label".to_owned() }
        );
        let found = "maybe".to_owned();
        assert_eq!(
            csv("label,x\npass,\"1\n2\"\nmaybe,1\n"),
            ImportError::BadLabel { line: 4, found }
        );
        let lines = |text: &str| from_lines(text, &mission()).unwrap_err();
        assert_eq!(lines(" \n"), ImportError::Empty);
        assert_eq!(lines("{\"label\": \"pass\"}\n[]\n"), ImportError::NotObject { line: 2 });
        let found = "null".to_owned();
        assert_eq!(lines("\n{}"), ImportError::BadLabel { line: 2, found });
    }
}
