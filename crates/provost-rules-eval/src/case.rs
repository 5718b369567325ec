//! Reads case files: strict JSON, the fields of the suite, no raw HTML, nothing private.
//!
//! Everything that is wrong is listed, with file and place, over all files. A finding at P0 is an
//! error; one at P2 is a warning.

pub mod csv;
mod html;
mod private;
mod problem;

use provost_form::{
    Bounds, Expected, Field, Form, Limits, Problem, ProblemKind, Problems, Table, decoded,
};
use provost_kernel::{
    Finding, Message as _, Severity, Text,
    eval::{Case, Expect},
    shorten,
};
use serde::Deserialize as _;
use serde_json::Value;

use self::problem::CaseProblem;
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

/// Reads one file.
pub fn read(name: &str, bytes: &[u8], form: &CaseForm, strictness: Strictness) -> ReadCase {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let finding = |problem: Problem<CaseProblem>| problem::finding(&problem, name, strictness);
    let document = match Form::json(bytes, LIMITS) {
        Ok(document) => document.with_nulls(),
        Err(problem) => {
            let findings = vec![finding(problem.map(CaseProblem::Form))];
            return ReadCase { case: None, findings };
        }
    };
    let problems = Problems::default();
    let expect = document.table(&problems).and_then(|mut it| fields(&mut it, form, strictness));
    let is_whole = problems.left_out() == 0;
    let findings: Vec<Finding> = problems.into_vec().into_iter().map(finding).collect();
    let is_good = is_whole && findings.iter().all(|it| it.severity != Severity::P0);
    let case = if is_good { case(document.into_root(), expect, form, strictness) } else { None };
    ReadCase { case, findings }
}

/// Reads a file that [`read`] found good: the same case, without looking for faults again.
pub fn read_again(bytes: &[u8], form: &CaseForm, strictness: Strictness) -> Option<Case> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let document: Value = serde_json::from_slice(bytes).ok()?;
    let expect = document.get(EXPECT).and_then(|it| Expect::deserialize(it).ok());
    case(document, expect, form, strictness)
}

/// The case in a document without faults.
fn case(
    document: Value,
    expect: Option<Expect>,
    form: &CaseForm,
    strictness: Strictness,
) -> Option<Case> {
    let Value::Object(mut fields) = document else { return None };
    fields.remove(EXPECT);
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

/// The message of a second case with the same id.
pub fn duplicate(id: &str, first: &str) -> Text {
    CaseProblem::Duplicate { id: id.to_owned(), first: first.to_owned() }.text()
}

/// Checks every field; what the author expects is decoded.
fn fields(
    table: &mut Table<'_, CaseProblem>,
    form: &CaseForm,
    strictness: Strictness,
) -> Option<Expect> {
    let expect = table.optional(EXPECT, decoded(Expected::Object));
    for field in &form.fields {
        let is_filled_in = strictness == Strictness::Lenient && field.default.is_some();
        match table.field(&field.name) {
            Some(value) => check(field, &value),
            None if field.required && !is_filled_in => {
                let expected = field.kind.expected().unwrap_or(Expected::Text);
                table.report(&field.name, ProblemKind::Missing { expected });
            }
            None => {}
        }
    }
    table.finish();
    if let Some(id) = table.field(&form.id)
        && id.value.as_str().is_some_and(|it| !is_id(it))
    {
        id.report(CaseProblem::Id);
    }
    expect
}

fn check(form: &FieldForm, field: &Field<'_, CaseProblem>) {
    match (form.kind, field.value) {
        (FieldKind::Text, Value::String(text)) => check_text(form, field, text),
        (FieldKind::Object, Value::Object(_))
        | (FieldKind::List, Value::Array(_))
        | (FieldKind::Number, Value::Number(_))
        | (FieldKind::Flag, Value::Bool(_))
        | (FieldKind::Any, _) => {}
        (kind, _) => kind.expected().into_iter().for_each(|it| field.mismatch(it)),
    }
}

fn check_text(form: &FieldForm, field: &Field<'_, CaseProblem>, text: &str) {
    if form.required && text.trim().is_empty() {
        field.report(ProblemKind::Blank);
        return;
    }
    if !form.one_of.is_empty() && !form.one_of.iter().any(|it| it == text) {
        let known = form.one_of.clone();
        field.report(ProblemKind::NotOneOf { known, found: shorten(text) });
    }
    let (found, bounds) = (text.chars().count(), Bounds::of(form.min, form.max));
    if !bounds.contains(found) {
        field.report(ProblemKind::Length { found, bounds });
    }
    if !form.prose {
        return;
    }
    match html::look(text) {
        html::Markup::None => {}
        html::Markup::Entities(found) => field.report(CaseProblem::Entities { found }),
        html::Markup::Raw(tag) => field.report(CaseProblem::Html { tag }),
    }
    for kind in private::look(text) {
        field.report(CaseProblem::Private { kind });
    }
}

fn is_id(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|it| it.is_ascii_alphanumeric())
        && letters.all(|it| it.is_ascii_alphanumeric() || "_.-".contains(it))
        && text.len() <= MAX_ID
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

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let read = read("a", &bytes, &shared().case, Strictness::Strict);
            prop_assert_eq!(read.case.is_some(), read.findings.is_empty());
        }
    }
}
