//! Reads case files: strict JSON, the fields of the suite, no raw HTML, nothing private.
//!
//! Everything that is wrong is listed, with file and place, over all files, because cases are
//! repaired all at once. A finding at P0 is an error; one at P2 is a warning.

mod html;
mod private;

use std::collections::BTreeMap;

use provost_kernel::{
    Digest, Finding, Message, Severity, Text,
    eval::{Case, Expect},
};
use provost_rules::json::{self, Limits, shorten};
use serde_json::{Map, Value};

use super::suite::{CaseForm, FieldForm, FieldKind};

/// What a case file may hold: many times a long article.
const LIMITS: Limits = Limits { bytes: 4 * 1024 * 1024, depth: 16 };
/// `eval_` and an id must fit into 64 characters.
const MAX_ID: usize = 58;
/// What an author expects, and never sent to an engine.
const EXPECT: &str = "expect";

/// How strictly cases are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// A field with a default may be missing.
    Lenient,
    Normal,
    /// A warning is an error.
    Strict,
}

/// One file, read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCase {
    /// The case; nothing if there is an error.
    pub case: Option<Case>,
    pub findings: Vec<Finding>,
}

/// All files of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cases {
    /// In the order of their ids.
    pub cases: Vec<Case>,
    /// Errors and warnings, in the order of the files.
    pub findings: Vec<Finding>,
    /// Over the id and the digest of each file, in the order of the ids.
    pub sha256: Option<Digest>,
}

/// Reads all files of a run. The names are for people.
pub fn read_all<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    form: &CaseForm,
    strictness: Strictness,
) -> Cases {
    let mut all = Cases::default();
    let mut seen: BTreeMap<String, (String, Digest)> = BTreeMap::new();
    for (name, bytes) in files {
        let ReadCase { case, findings } = read(name, bytes, form, strictness);
        all.findings.extend(findings);
        let Some(case) = case else { continue };
        if let Some((first, _)) = seen.get(&case.id) {
            let message = duplicate(&case.id, first);
            let place = format!("{name}#/{}", form.id);
            all.findings.push(finding("case.duplicate", Severity::P0, place, message));
            continue;
        }
        seen.insert(case.id.clone(), (name.to_owned(), Digest::of_bytes(bytes)));
        all.cases.push(case);
    }
    all.cases.sort_by(|one, other| one.id.cmp(&other.id));
    let lines: Vec<_> = seen.iter().map(|(id, (_, digest))| format!("{id} {digest}\n")).collect();
    all.sha256 = Some(Digest::of_bytes(lines.concat().as_bytes()));
    all
}

/// Reads one file.
pub fn read(name: &str, bytes: &[u8], form: &CaseForm, strictness: Strictness) -> ReadCase {
    let mut reader = Reader { name, strictness, findings: Vec::new() };
    let case = reader.read(bytes, form);
    let is_good = reader.findings.iter().all(|it| it.severity != Severity::P0);
    ReadCase { case: case.filter(|_| is_good), findings: reader.findings }
}

/// Reads a file that [`read`] found good: the same case, without looking for faults again.
pub fn read_again(bytes: &[u8], form: &CaseForm, strictness: Strictness) -> Option<Case> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Value::Object(mut fields) = serde_json::from_slice(bytes).ok()? else { return None };
    let expect = fields.remove(EXPECT).and_then(|it| serde_json::from_value(it).ok());
    if strictness == Strictness::Lenient {
        for FieldForm { name, default, .. } in &form.fields {
            if let (false, Some(default)) = (fields.contains_key(name), default) {
                fields.insert(name.clone(), default.as_str().into());
            }
        }
    }
    let id = fields.get(&form.id)?.as_str()?.to_owned();
    Some(Case { id, fields, expect })
}

impl Cases {
    /// Whether a file has an error, so that nothing may be run.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|it| it.severity == Severity::P0)
    }
}

struct Reader<'a> {
    name: &'a str,
    strictness: Strictness,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn read(&mut self, bytes: &[u8], form: &CaseForm) -> Option<Case> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value = match json::parse(bytes, LIMITS) {
            Ok(value) => value,
            Err(error) => {
                let place = match &error {
                    json::StrictError::DuplicateKey { at } => at.clone(),
                    json::StrictError::TooLarge { .. }
                    | json::StrictError::NotUtf8 { .. }
                    | json::StrictError::ByteOrderMark
                    | json::StrictError::TooDeep { .. }
                    | json::StrictError::TrailingText { .. }
                    | json::StrictError::Syntax { .. } => String::new(),
                };
                self.error("case.json", &place, error.text());
                return None;
            }
        };
        let Value::Object(mut fields) = value else {
            self.error("case.json", "", Fault::NotAnObject.text());
            return None;
        };
        let expect = fields.remove(EXPECT).and_then(|it| self.expect(it));
        for field in &form.fields {
            self.field(field, &mut fields);
        }
        for key in fields.keys().filter(|key| !form.fields.iter().any(|it| it.name == **key)) {
            let place = format!("/{}", shorten(key));
            self.warn("case.unknown_field", &place, Fault::UnknownField.text());
        }
        let id = fields.get(&form.id)?.as_str()?.to_owned();
        self.id(&form.id, &id);
        Some(Case { id, fields, expect })
    }

    fn expect(&mut self, value: Value) -> Option<Expect> {
        match serde_json::from_value(value) {
            Ok(expect) => Some(expect),
            Err(error) => {
                self.error("case.expect", "/expect", shorten(&error.to_string()).into());
                None
            }
        }
    }

    fn field(&mut self, form: &FieldForm, fields: &mut Map<String, Value>) {
        let name = &form.name;
        let place = format!("/{name}");
        let Some(value) = fields.get(name) else {
            if let (Strictness::Lenient, Some(default)) = (self.strictness, &form.default) {
                fields.insert(name.clone(), default.as_str().into());
            } else if form.required {
                self.error("case.missing", &place, Fault::Missing.text());
            }
            return;
        };
        match (form.kind, value) {
            (FieldKind::Object, Value::Object(_)) => {}
            (FieldKind::Text, Value::String(text)) => self.text(form, &place, text),
            (FieldKind::Object, _) => {
                self.error("case.type", &place, Fault::NotAnObjectField.text());
            }
            (FieldKind::Text, _) => self.error("case.type", &place, Fault::NotAText.text()),
        }
    }

    fn text(&mut self, form: &FieldForm, place: &str, text: &str) {
        if form.required && text.trim().is_empty() {
            self.error("case.blank", place, Fault::Blank.text());
            return;
        }
        if !form.one_of.is_empty() && !form.one_of.iter().any(|it| it == text) {
            let fault = Fault::NotOneOf { found: shorten(text), known: form.one_of.clone() };
            self.error("case.enum", place, fault.text());
        }
        let (length, min) = (text.chars().count(), form.min);
        if length < min || form.max.is_some_and(|it| length > it) {
            self.warn("case.length", place, Fault::Length { length, min, max: form.max }.text());
        }
        if !form.prose {
            return;
        }
        match html::look(text) {
            html::Markup::None => {}
            html::Markup::Entities(found) => {
                self.warn("case.entities", place, Fault::Entities { found }.text());
            }
            html::Markup::Raw(tag) => {
                self.error("case.html", place, Fault::Html { tag: tag.to_string() }.text());
            }
        }
        for kind in private::look(text) {
            self.warn("case.private", place, Fault::Private { kind }.text());
        }
    }

    fn id(&mut self, field: &str, id: &str) {
        let mut letters = id.chars();
        let starts = letters.next().is_some_and(|it| it.is_ascii_alphanumeric());
        let continues = letters.all(|it| it.is_ascii_alphanumeric() || "_.-".contains(it));
        if !(starts && continues && id.len() <= MAX_ID) {
            self.warn("case.id", &format!("/{field}"), Fault::Id.text());
        }
    }

    fn error(&mut self, rule: &'static str, place: &str, message: Text) {
        let subject = format!("{}#{place}", self.name);
        self.findings.push(finding(rule, Severity::P0, subject, message));
    }

    fn warn(&mut self, rule: &'static str, place: &str, message: Text) {
        let severity = match self.strictness {
            Strictness::Lenient | Strictness::Normal => Severity::P2,
            Strictness::Strict => Severity::P0,
        };
        let subject = format!("{}#{place}", self.name);
        self.findings.push(finding(rule, severity, subject, message));
    }
}

fn finding(rule: &'static str, severity: Severity, subject: String, message: Text) -> Finding {
    Finding { rule: rule.into(), severity, subject, message, hint: None }
}

/// The message of a second case with the same id.
pub fn duplicate(id: &str, first: &str) -> Text {
    Fault::Duplicate { id: id.to_owned(), first: first.to_owned() }.text()
}

/// What is wrong with a case.
#[derive(Debug, Message)]
#[message(code = "eval.case")]
enum Fault {
    #[message(en = "a case is one JSON object", zh = "用例须为一个 JSON 对象")]
    NotAnObject,
    #[message(en = "the id `{id}` is that of `{first}`", zh = "id `{id}` 已被 `{first}` 使用")]
    Duplicate { id: String, first: String },
    #[message(en = "unknown field", zh = "未知字段")]
    UnknownField,
    #[message(en = "the field is missing", zh = "缺少该字段")]
    Missing,
    #[message(en = "the field is not an object", zh = "该字段不是对象")]
    NotAnObjectField,
    #[message(en = "the field is not a text", zh = "该字段不是文本")]
    NotAText,
    #[message(en = "the field is blank", zh = "该字段为空")]
    Blank,
    #[message(en = "`{found}` is not one of {known}", zh = "`{found}` 不在 {known} 之中")]
    NotOneOf { found: String, known: Vec<String> },
    #[message(
        en = "the text has {length} {length:character|characters}, expected {min}..{max}",
        zh = "文本有 {length} 个字符，应为 {min}..{max}"
    )]
    Length { length: usize, min: usize, max: Option<usize> },
    #[message(
        en = "the text has {found} HTML {found:entity|entities}",
        zh = "有 {found} 个 HTML 实体"
    )]
    Entities { found: usize },
    #[message(en = "the text has raw HTML (`<{tag}`)", zh = "含有原始 HTML(`<{tag}`)")]
    Html { tag: String },
    #[message(en = "the text seems to hold {kind}", zh = "可能含有{kind}")]
    Private { kind: private::Private },
    #[message(
        en = "an id should be letters, digits, `_`, `.` and `-`, at most {limit} of them",
        zh = "id 应由字母、数字、`_`、`.`、`-` 组成，至多 {limit} 个字符",
        arg(limit = MAX_ID)
    )]
    Id,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::suite::shared, *};

    fn good() -> Value {
        json!({"id": "case_001", "source_type": "web", "intent_text": "Plan a migration",
            "extracted_text": "The text of an article, which has to be a little longer than this."})
    }

    #[track_caller]
    fn check_bytes(bytes: &[u8], strictness: Strictness, expected: &[&str]) {
        let found = read("a.json", bytes, &shared().case, strictness);
        let lines: Vec<_> = found
            .findings
            .iter()
            .map(|it| format!("{:?} {} {}", it.severity, it.rule, it.subject))
            .collect();
        assert_eq!(lines, expected, "{}", String::from_utf8_lossy(bytes));
        assert_eq!(found.case.is_some(), !lines.iter().any(|it| it.starts_with("P0")));
        if found.case.is_some() {
            assert_eq!(read_again(bytes, &shared().case, strictness), found.case);
        }
    }

    #[track_caller]
    fn check(change: Value, expected: &[&str]) {
        let mut case = good();
        for (key, value) in change.as_object().unwrap() {
            if value.is_null() {
                case.as_object_mut().unwrap().remove(key);
            } else {
                case[key] = value.clone();
            }
        }
        check_bytes(case.to_string().as_bytes(), Strictness::Normal, expected);
    }

    /// EVAL-2.1: required and optional fields, and what is an error always.
    #[test]
    fn fields_are_held_against_the_form() {
        check(json!({}), &[]);
        check(json!({"title": "T", "domain": "example.com", "notes": "n"}), &[]);
        check(json!({"id": null}), &["P0 case.missing a.json#/id"]);
        check(json!({"source_type": null}), &["P0 case.missing a.json#/source_type"]);
        check(json!({"source_type": "podcast"}), &["P0 case.enum a.json#/source_type"]);
        check(json!({"intent_text": "  "}), &["P0 case.blank a.json#/intent_text"]);
        check(
            json!({"intent_text": 5, "extracted_text": null}),
            &["P0 case.type a.json#/intent_text", "P0 case.missing a.json#/extracted_text"],
        );
        check(json!({"more": 1}), &["P2 case.unknown_field a.json#/more"]);
        check(json!({"expect": {"priority_in": ["SKIP"]}}), &[]);
        check(json!({"expect": {"priority": 1}}), &["P0 case.expect a.json#/expect"]);
    }

    /// Ruling 53: limits of length and id warn.
    #[test]
    fn limits_warn_at_their_ends() {
        check(json!({"intent_text": "ab"}), &["P2 case.length a.json#/intent_text"]);
        check(json!({"intent_text": "学习法"}), &[]);
        check(json!({"intent_text": "长".repeat(800)}), &[]);
        check(json!({"intent_text": "长".repeat(801)}), &["P2 case.length a.json#/intent_text"]);
        check(
            json!({"extracted_text": "字".repeat(49)}),
            &["P2 case.length a.json#/extracted_text"],
        );
        check(json!({"extracted_text": "字".repeat(50)}), &[]);
        check(
            json!({"extracted_text": "字".repeat(50_001)}),
            &["P2 case.length a.json#/extracted_text"],
        );
        check(json!({"title": "t".repeat(301)}), &["P2 case.length a.json#/title"]);
        check(json!({"id": "a".repeat(58)}), &[]);
        check(json!({"id": "a".repeat(59)}), &["P2 case.id a.json#/id"]);
        check(json!({"id": "../x"}), &["P2 case.id a.json#/id"]);
    }

    /// EVAL-2.2: raw HTML is refused, and private data is warned about.
    #[test]
    fn html_is_an_error_and_private_data_a_warning() {
        check(json!({"title": "<script>alert(1)</script>"}), &["P0 case.html a.json#/title"]);
        check(
            json!({"intent_text": "write to jane@corp.com"}),
            &["P2 case.private a.json#/intent_text"],
        );
        check(json!({"notes": "<html>"}), &[]);
    }

    #[test]
    fn bytes_that_are_no_case_are_errors() {
        let normal = Strictness::Normal;
        check_bytes(b"", normal, &["P0 case.json a.json#"]);
        check_bytes(b"[]", normal, &["P0 case.json a.json#"]);
        check_bytes(br#"{"id": "a", "id": "b"}"#, normal, &["P0 case.json a.json#/id"]);
        let marked = [b"\xef\xbb\xbf".as_slice(), good().to_string().as_bytes()].concat();
        check_bytes(&marked, normal, &[]);
    }

    #[test]
    fn strict_readers_refuse_what_others_warn_about_and_lenient_ones_fill_in() {
        let mut case = good();
        case["more"] = json!(1);
        let bytes = case.to_string().into_bytes();
        check_bytes(&bytes, Strictness::Strict, &["P0 case.unknown_field a.json#/more"]);
        case.as_object_mut().unwrap().remove("more");
        case.as_object_mut().unwrap().remove("source_type");
        let bytes = case.to_string().into_bytes();
        check_bytes(&bytes, Strictness::Lenient, &[]);
        let read = read("a", &bytes, &shared().case, Strictness::Lenient);
        assert_eq!(read.case.unwrap().text("source_type"), Some("web"));
    }

    /// EVAL-1.3: all bad cases are listed, and an id stands once.
    #[test]
    fn every_bad_file_is_listed() {
        let one = good().to_string();
        let files =
            [("b", one.as_bytes()), ("a", one.as_bytes()), ("c", b"{}".as_slice()), ("d", b"x")];
        let all = read_all(files, &shared().case, Strictness::Normal);
        let rules: Vec<_> = all.findings.iter().map(|it| it.subject.as_str()).collect();
        assert!(all.has_errors());
        assert_eq!(all.cases.len(), 1);
        assert_eq!(
            rules,
            ["a#/id", "c#/id", "c#/source_type", "c#/intent_text", "c#/extracted_text", "d#"]
        );
    }

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_the_files() {
        let mut other = good();
        other["id"] = json!("case_002");
        let (one, other) = (good().to_string(), other.to_string());
        let digest = |files: [(&str, &[u8]); 2]| {
            read_all(files, &shared().case, Strictness::Normal).sha256.unwrap()
        };
        let (one, other) = (("a", one.as_bytes()), ("b", other.as_bytes()));
        assert_eq!(digest([one, other]), digest([other, one]));
        assert_ne!(digest([one, other]), digest([one, ("b", b"x")]));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let read = read("a", &bytes, &shared().case, Strictness::Strict);
            prop_assert_eq!(read.case.is_some(), read.findings.is_empty());
        }
    }
}
