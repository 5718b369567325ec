use proptest::prelude::*;
use provost_kernel::{Lang, Message as _, task::State};
use serde_json::json;

use super::*;

const LIMITS: Limits = Limits { bytes: 10_000, depth: 5 };

/// Reads one table, and lists what is wrong with it.
#[track_caller]
fn check(form: Result<Form<'_>, Problem>, read: impl Fn(&mut Table<'_>), expected: &[&str]) {
    let problems = Problems::<ProblemKind>::default();
    let found = match form {
        Err(problem) => vec![problem],
        Ok(form) => {
            if let Some(mut table) = form.table(&problems) {
                read(&mut table);
                table.finish();
            }
            problems.into_vec()
        }
    };
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(lines, expected);
    for problem in found {
        let zh = Lang::Zh.render(&problem.text());
        assert!(zh.chars().any(|it| it > '\u{2e80}'), "{zh}");
    }
}

fn json_form(text: &str) -> Result<Form<'_>, Problem> {
    Form::json(text.as_bytes(), LIMITS)
}

fn toml_form(text: &str) -> Result<Form<'_>, Problem> {
    Form::toml(text.as_bytes(), LIMITS)
}

/// What is wrong with the field `x` of a document.
#[track_caller]
fn field(read: impl Fn(&mut Table<'_>), value: &str, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|it| format!("line 1: {it}")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(json_form(&format!("{{\"x\": {value}}}")), read, &expected);
}

fn optional<S: Shape<ProblemKind> + Clone>(shape: S) -> impl Fn(&mut Table<'_>) {
    move |it| {
        it.optional("x", shape.clone());
    }
}

fn required<S: Shape<ProblemKind> + Clone>(shape: S) -> impl Fn(&mut Table<'_>) {
    move |it| {
        it.required("x", shape.clone());
    }
}

#[test]
fn each_shape_says_what_it_expects() {
    let texts = || optional(list(text().line()).min(1).max(2));
    field(optional(flag()), "true", &[]);
    field(optional(flag()), "null", &[]);
    field(required(flag()), "null", &["`x`: missing, expected `true` or `false`"]);
    field(optional(flag()), "1", &["`x`: expected `true` or `false`, found `1`"]);
    field(optional(text()), "\"\"", &[]);
    field(optional(text()), "{}", &["`x`: expected a string, found `{}`"]);
    field(optional(text().filled()), "\" \\n\"", &["`x`: blank"]);
    field(optional(text().max(2)), "\"键键\"", &[]);
    let long = &["`x`: expected at most 2 characters, found 3"];
    field(optional(text().max(2)), "\"键键键\"", long);
    let both = &["`x`: expected 4 to 9 characters, found 3", "`x`: contains a control character"];
    field(optional(text().line().min(4).max(9)), "\"a\\u001bb\"", both);
    field(optional(word::<Lang>()), "\"zh\"", &[]);
    let words = &["`x`: expected one of `en`, `zh`, found `de`"];
    field(optional(word::<Lang>()), "\"de\"", words);
    let sizes = || choice(&[("small", 1), ("large", 2)]);
    field(move |it| assert_eq!(it.optional("x", sizes()), Some(2)), "\"large\"", &[]);
    let known = &["`x`: expected one of `small`, `large`, found `huge`"];
    field(optional(sizes()), "\"huge\"", known);
    let known = &["`x`: missing, expected one of `small`, `large`"];
    field(required(sizes()), "null", known);
    let words = &["`x`: expected one of `en`, `zh`, found `1`"];
    field(optional(word::<Lang>()), "1", words);
    field(optional(whole(0..=9_u8)), "9", &[]);
    let range = &["`x`: expected a whole number from 0 to 9, found `10`"];
    field(optional(whole(0..=9_u8)), "10", range);
    let kind = &["`x`: expected a whole number from 0 to 9, found `1.0`"];
    field(optional(whole(0..=9_u8)), "1.0", kind);
    let open = &["`x`: expected a whole number of at least 1, found `-1`"];
    field(optional(whole(1..=u64::MAX)), "-1", open);
    field(optional(whole(1..=u64::MAX)), "18446744073709551615", &[]);
    let number_range = &["`x`: expected a number from 0 to 2, found `2.1`"];
    field(optional(number(0.0..=2.0)), "2.1", number_range);
    field(|it| assert_eq!(it.optional("x", steps(2, 0..=10)), Some(9)), "4.5", &[]);
    field(optional(decimal()), "1.25", &[]);
    field(optional(decimal()), "1e300", &["`x`: expected a number, found `1e+300`"]);
    field(optional(decimal().within(0..=1)), "1", &[]);
    let within = &["`x`: expected a number from 0 to 1, found `1.01`"];
    field(optional(decimal().within(0..=1)), "1.01", within);
    let step = &["`x`: expected a number from 0 to 5 in steps of 0.5, found `4.4`"];
    field(optional(steps(2, 0..=10)), "4.4", step);
    field(optional(decoded::<(u8, u8)>(Expected::List)), "[1, 2]", &[]);
    let why = &["`x`: cannot be decoded: invalid length 1, expected a tuple of size 2"];
    field(optional(decoded::<(u8, u8)>(Expected::List)), "[1]", why);
    field(texts(), "[\"a\", \"b\"]", &[]);
    field(texts(), "\"a\"", &["`x`: expected a list of strings, found `\"a\"`"]);
    field(texts(), "[]", &["`x`: expected 1 to 2 entries, found 0"]);
    let each = &[
        "`x`: expected 1 to 2 entries, found 3",
        "`x[0]`: blank",
        "`x[2]`: expected a string, found `1`",
    ];
    field(texts(), "[\"\", \"b\", 1]", each);
    let one = |it: &mut Table<'_>| {
        assert_eq!(it.optional("x", one_or_more(text())).as_deref(), Some(&["a".to_owned()][..]));
    };
    field(one, "\"a\"", &[]);
    field(one, "[\"a\"]", &[]);
    let any = || optional(one_or_more(text()));
    field(any(), "[]", &["`x`: expected at least 1 entries, found 0"]);
    field(any(), "1", &["`x`: expected a string or a list of strings, found `1`"]);
}

#[test]
fn every_problem_has_its_path_and_line() {
    let read = |table: &mut Table<'_>| {
        table.required("id", text().line());
        table.tables("stories", |story| {
            let state = story.optional("state", word::<State>());
            story.required("title", text()).map(|title| (title, state))
        });
    };
    check(
        json_form("{\n\"stories\": [\n1,\n{\"titel\": \"x\"},\n{\"title\":\n2}]}"),
        read,
        &[
            "`id`: missing, expected a string",
            "line 3: `stories[0]`: expected an object, found `1`",
            "line 4: `stories[1].title`: missing, expected a string",
            "line 4: `stories[1].titel`: unknown key, did you mean `title`?",
            "line 5: `stories[2].title`: expected a string, found `2`",
        ],
    );
    check(
        toml_form("id = 2026-01-01\n\n[[stories]]\ntitle = 'x'\nnope = 1\n"),
        read,
        &[
            "line 1: `id`: expected a string, found `2026-01-01`",
            "line 5: `stories[0].nope`: unknown key",
        ],
    );
    check(Ok(Form::value(json!({"id": 1}))), read, &["`id`: expected a string, found `1`"]);
    check(json_form("[]"), read, &["line 1: expected an object, found `[]`"]);
}

#[test]
fn a_document_is_read_whole_or_not_at_all() {
    let nothing = |_: &mut Table<'_>| {};
    let twice = "line 3: `a[1].b`: duplicate key";
    check(json_form("{\"a\": [0,\n{\"b\": 1,\n\"b\": 2}]}"), nothing, &[twice]);
    let trailing = "line 2: text after the JSON value at column 1";
    check(json_form("{}\nx"), nothing, &[trailing]);
    let large = " ".repeat(10_001);
    for form in [json_form(&large), toml_form(&large)] {
        check(form, nothing, &["larger than 10000 bytes"]);
    }
    let deep = "nested deeper than 5 levels";
    check(toml_form("a = [[[[[]]]]]"), nothing, &[deep]);
    check(toml_form("a = [[[[]]]]"), |it| it.know(["a"]), &[]);
    let result = toml_form("a = 1\na = 2\n").unwrap_err();
    assert_eq!(result.line, Some(2));
    assert!(matches!(result.kind, ProblemKind::NotToml { .. }));
    check(json_form("\u{feff}{}"), nothing, &["line 1: starts with a byte order mark"]);
    check(toml_form("\u{feff}"), nothing, &[]);
    for form in [Form::json(b"\n\xff", LIMITS), Form::toml(b"\n\xff", LIMITS)] {
        check(form, nothing, &["not UTF-8 from byte 1 on"]);
    }
}

#[test]
fn sections_are_one_table() {
    let problems = Problems::<ProblemKind>::default();
    let text = "epochs = 1\nseed = 1\nreflection = 2\n'a.b' = 1\nmax_rules = 3\n[runner]\nepoch = 1\n[reflect]\nsize = 1\n[model]\npath = 'x'\n[empty]\n";
    let form = toml_form(text).unwrap();
    let mut table = form.sections(&problems).unwrap();
    assert_eq!(table.optional("seed", whole(0..=9_u32)), Some(1));
    assert_eq!(table.optional("runner.epochs", whole(0..=9_u32)), None);
    table.required("reflection.size", whole(0..=9_u32));
    table.alias("guidance.max_rules", "max_rules");
    assert_eq!(table.optional("guidance.max_rules", whole(0..=9_u32)), Some(3));
    assert!(table.has_section("empty") && table.skip("empty") && table.skip("model"));
    assert!(!table.skip("nothing") && !table.has_section("guidance"));
    table.finish();
    let lines: Vec<String> = problems.into_vec().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "line 3: `reflection.size`: missing, expected a whole number from 0 to 9",
            "line 4: `\"a.b\"`: unknown key",
            "line 1: `epochs`: unknown key, did you mean `runner.epochs`?",
            "line 9: `reflect.size`: unknown key, did you mean `reflection.size`?",
            "line 3: `reflection`: expected a table, found `2`",
            "line 7: `runner.epoch`: unknown key, did you mean `runner.epochs`?",
        ]
    );
}

#[test]
fn unknown_keys_are_the_readers_choice() {
    let form = json_form(r#"{"a": 1, "color": 2, "b": 3, "_note": 4}"#).unwrap();
    let problems = Problems::<ProblemKind>::default();
    let mut table = form.table(&problems).unwrap();
    table.know(["a", "colour", "_nose"]);
    table.hide(["_nose"]);
    let unknown: Vec<_> = table.unknown().into_iter().map(|it| (it.key, it.nearest)).collect();
    let meant = Some("colour".to_owned());
    assert_eq!(unknown, [("_note".to_owned(), None), ("b".into(), None), ("color".into(), meant)]);
    table.skip_rest();
    table.finish();
    assert!(problems.is_empty());
    let names = json_form(r#"{"a": 1, "b": 2}"#);
    let read = |it: &mut Table<'_>| it.alias("a", "b");
    check(names, read, &["line 1: `b`: another name of `a`, which is set too"]);
}

/// A reader's own rules stand beside those of the form, in one list.
#[test]
fn a_reader_has_rules_of_its_own() {
    #[derive(Debug, PartialEq)]
    enum Kind {
        Form(ProblemKind),
        Odd(u64),
    }
    impl From<ProblemKind> for Kind {
        fn from(kind: ProblemKind) -> Self {
            Self::Form(kind)
        }
    }
    let even = || {
        let check = |it: u64| if it.is_multiple_of(2) { Ok(it / 2) } else { Err(Kind::Odd(it)) };
        whole(0..=u64::MAX).and_then(check)
    };
    let form = json_form("{\"a\": 4,\n\"b\": 3}").unwrap();
    let problems = Problems::<Kind>::default();
    let mut table = form.table(&problems).unwrap();
    assert_eq!(table.required("a", even()), Some(2));
    assert_eq!(table.required("b", even()), None);
    assert!(problems.has(&Path::default().key("b")) && !problems.has(&Path::default().key("a")));
    let expected = Problem { path: Path::default().key("b"), line: Some(2), kind: Kind::Odd(3) };
    assert_eq!(problems.into_result(Some(())), Err(expected.into()));
}

#[test]
fn nulls_are_absent_in_json_unless_they_count() {
    let form = json_form(r#"{"a": null}"#).unwrap();
    for (form, count) in [(form.clone(), 0), (form.with_nulls(), 1)] {
        let problems = Problems::<ProblemKind>::default();
        let mut table = form.table(&problems).unwrap();
        table.optional("a", text());
        table.finish();
        assert_eq!(problems.into_vec().len(), count);
    }
}

/// A document may hold a secret where another type is expected.
#[test]
fn only_the_start_of_a_long_value_is_shown() {
    let shown = |value: &str| {
        let text = format!("{{\"a\": {value}}}");
        let form = Form::json(text.as_bytes(), Limits { bytes: 1000, depth: 9 }).unwrap();
        let problems = Problems::<ProblemKind>::default();
        form.table(&problems).unwrap().optional("a", flag());
        problems.into_vec().remove(0).to_string()
    };
    let token = "ghp_x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo";
    assert!(shown("\"yes\"").ends_with("found `\"yes\"`"), "{}", shown("\"yes\""));
    assert!(shown(&format!("\"{token}\"")).ends_with("found `\"ghp_…\"`"));
    assert!(shown(&format!("[\"{token}\"]")).ends_with("found `[…]`"));
    assert!(shown(&format!("{{\"k\": \"{token}\"}}")).ends_with("found `{…}`"));
}

#[test]
fn a_thousand_problems_are_counted_and_each_is_short() {
    let key = "k".repeat(5000);
    let text = format!("{{\"{key}\": \"{key}\", \"a\": [{}1]}}", "1,".repeat(999));
    let form = Form::json(text.as_bytes(), Limits { bytes: 100_000, depth: 3 }).unwrap();
    let problems = Problems::<ProblemKind>::default();
    let mut table = form.table(&problems).unwrap();
    table.optional(&key, flag());
    table.optional("a", list(flag()));
    assert_eq!(problems.left_out(), 901);
    assert!(problems.into_vec().iter().all(|it| it.to_string().chars().count() < 250));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in r#"[a-c_.= "\[\]{}0-9\n:,'-]{0,60}"#) {
        for form in [json_form(&text), toml_form(&text)] {
            let Ok(form) = form else { continue };
            let problems = Problems::<ProblemKind>::default();
            if let Some(mut table) = form.sections(&problems) {
                table.required("a.b", list(steps(10, 0..=5)));
                table.optional("c", one_or_more(text_line()));
                table.finish();
            }
            let lines = text.split('\n').count();
            for problem in problems.into_vec() {
                prop_assert!(problem.line.is_none_or(|it| (1..=lines).contains(&it)));
            }
        }
    }
}

fn text_line() -> Text {
    text().line().max(3)
}
