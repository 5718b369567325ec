//! Cases in a table: one record of RFC 4180 for each case, under a header with the fields.

use provost_kernel::Message;
use serde_json::{Map, Value};

use super::EXPECT;
use crate::suite::{CaseForm, FieldKind};

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "eval.case.csv")]
pub enum CsvError {
    #[message(
        en = "the file is empty: its first line names the fields",
        zh = "文件为空：首行应为字段名"
    )]
    NoHeader,
    #[message(en = "the header names `{name}` twice", zh = "表头中 `{name}` 出现两次")]
    Twice { name: String },
    #[message(
        en = "{found} {found:value|values}, and the header has {expected}",
        zh = "有 {found} 个值，而表头有 {expected} 个"
    )]
    Width { found: usize, expected: usize },
    #[message(en = "a quote is not closed", zh = "引号没有闭合")]
    Open,
    #[message(
        en = "a quote in the middle of a value: put the value into quotes and double those in it",
        zh = "值的中间有引号：请将整个值放入引号，并将其中的引号写两次"
    )]
    Quote,
    #[message(en = "it is not UTF-8", zh = "不是 UTF-8")]
    NotUtf8,
}

/// Whether these bytes end inside of a quoted value, so that the record goes on after the line.
pub fn is_open(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'"', bytes).count() % 2 == 1
}

/// The names of the fields.
pub fn header(bytes: &[u8]) -> Result<Vec<String>, CsvError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let names: Vec<String> = record(bytes)?.iter().map(|it| it.trim().to_owned()).collect();
    if names.iter().all(String::is_empty) {
        return Err(CsvError::NoHeader);
    }
    let is_twice = |at: usize, name: &String| names.iter().take(at).any(|it| it == name);
    match names.iter().enumerate().find(|(at, it)| is_twice(*at, it)) {
        Some((_, name)) => Err(CsvError::Twice { name: name.clone() }),
        None => Ok(names),
    }
}

/// One record as the case file that it stands for. An empty value is none.
pub fn case(header: &[String], bytes: &[u8], form: &CaseForm) -> Result<Vec<u8>, CsvError> {
    let values = record(bytes)?;
    if values.len() != header.len() {
        return Err(CsvError::Width { found: values.len(), expected: header.len() });
    }
    let cells = header.iter().zip(values).filter(|(_, it)| !it.is_empty());
    let fields: Map<String, Value> =
        cells.map(|(name, it)| (name.clone(), value(name, it, form))).collect();
    // Texts and values that were JSON always have a JSON form.
    Ok(serde_json::to_vec(&fields).unwrap_or_default())
}

/// What a cell holds. One that is not of its kind stays a text, and the reader of cases says so.
fn value(name: &str, cell: String, form: &CaseForm) -> Value {
    let kind = form.fields.iter().find(|it| it.name == name).map(|it| it.kind);
    match kind {
        Some(FieldKind::Text) => Value::String(cell),
        None if name != EXPECT => Value::String(cell),
        Some(
            FieldKind::Number
            | FieldKind::Flag
            | FieldKind::List
            | FieldKind::Object
            | FieldKind::Any,
        )
        | None => serde_json::from_str(&cell).unwrap_or(Value::String(cell)),
    }
}

/// The values of one record.
fn record(bytes: &[u8]) -> Result<Vec<String>, CsvError> {
    let text = str::from_utf8(bytes).map_err(|_| CsvError::NotUtf8)?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut rest = text.strip_suffix('\r').unwrap_or(text);
    let mut values = Vec::new();
    loop {
        let (value, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_value(quoted)?,
            None => plain_value(rest)?,
        };
        values.push(value);
        match after {
            Some(after) => rest = after,
            None => return Ok(values),
        }
    }
}

/// A value up to the next comma, and what comes after that; nothing at the end.
fn plain_value(text: &str) -> Result<(String, Option<&str>), CsvError> {
    let (value, after) = match text.split_once(',') {
        Some((value, after)) => (value, Some(after)),
        None => (text, None),
    };
    if value.contains('"') { Err(CsvError::Quote) } else { Ok((value.to_owned(), after)) }
}

/// A value up to its closing quote; a doubled quote is one of the value.
fn quoted_value(text: &str) -> Result<(String, Option<&str>), CsvError> {
    let (mut value, mut rest) = (String::new(), text);
    loop {
        let (part, after) = rest.split_once('"').ok_or(CsvError::Open)?;
        value.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                value.push('"');
                rest = more;
            }
            None if after.is_empty() => return Ok((value, None)),
            None => {
                let after = after.strip_prefix(',').ok_or(CsvError::Quote)?;
                return Ok((value, Some(after)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::suite::FieldForm;

    #[test]
    fn a_record_is_that_of_the_standard() {
        let check = |text: &str, expected: Result<&[&str], CsvError>| {
            let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(record(text.as_bytes()), expected, "{text:?}");
        };
        check("a,b,c\r\n", Ok(&["a", "b", "c"]));
        check("", Ok(&[""]));
        check(",", Ok(&["", ""]));
        check("a,\"b, \"\"c\"\"\nd\",\"\"", Ok(&["a", "b, \"c\"\nd", ""]));
        check("a,\"b", Err(CsvError::Open));
        check("a\"b", Err(CsvError::Quote));
        check("\"a\"b", Err(CsvError::Quote));
        assert_eq!(record(b"\xff"), Err(CsvError::NotUtf8));
        assert!(is_open(b"a,\"b\n") && !is_open(b"a,\"b\"\"\"\n"));
    }

    #[test]
    fn a_header_names_each_field_once() {
        assert_eq!(header(b"\xef\xbb\xbfid, text\n").unwrap(), ["id", "text"]);
        assert_eq!(header(b"\n"), Err(CsvError::NoHeader));
        assert_eq!(header(b"id,id\n"), Err(CsvError::Twice { name: "id".to_owned() }));
    }

    #[test]
    fn a_cell_is_of_the_kind_of_its_field() {
        let field = |name: &str, kind| FieldForm::new(name, kind);
        let form = CaseForm {
            id: "id".to_owned(),
            fields: vec![
                field("id", FieldKind::Text),
                field("n", FieldKind::Number),
                field("l", FieldKind::List),
                field("a", FieldKind::Any),
            ],
        };
        let check = |header: &str, row: &str, expected: Value| {
            let header = super::header(header.as_bytes()).unwrap();
            let bytes = case(&header, row.as_bytes(), &form).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected, "{row}");
        };
        check("id,n,l", "7,1.5,\"[1,\"\"a\"\"]\"", json!({"id": "7", "n": 1.5, "l": [1, "a"]}));
        check("id,n,l", "7,many,", json!({"id": "7", "n": "many"}));
        check("id,a,more", "7,plain,3", json!({"id": "7", "a": "plain", "more": "3"}));
        check(
            "id,expect",
            "7,\"{\"\"score_min\"\":1}\"",
            json!({"id": "7", "expect": {"score_min": 1}}),
        );
        let header = ["id".to_owned()];
        assert_eq!(case(&header, b"a,b", &form), Err(CsvError::Width { found: 2, expected: 1 }));
    }
}
