use proptest::prelude::*;
use provost_kernel::{
    Lang, Message,
    learn::{Item, Split},
};

use super::*;

fn mission() -> MissionName {
    "m".parse().unwrap()
}

/// A ticket of the mission `m`.
pub(crate) fn ticket(line: &str) -> Ticket {
    read_line(line.as_bytes(), &mission()).unwrap().unwrap()
}

/// A line with these fields besides those that every ticket has.
fn line(fields: &str) -> String {
    format!(r#"{{"mission":"m","group_id":"g-1","label":"pass",{fields}}}"#)
}

#[track_caller]
fn check(line: impl AsRef<[u8]>, expected: Result<Option<&str>, &str>) {
    let actual = read_line(line.as_ref(), &mission());
    let actual = match &actual {
        Ok(ticket) => Ok(ticket.as_ref().map(|it| it.key().to_string())),
        Err(problem) => Err(problem.kind.code()),
    };
    let expected = expected.map(|it| it.map(str::to_owned));
    assert_eq!(actual, expected, "{}", String::from_utf8_lossy(line.as_ref()));
}

#[track_caller]
fn check_items(fields: &str, expected: &[(&str, &str)]) {
    let items = ticket(&line(fields)).items;
    let items: Vec<(&str, &str)> =
        items.iter().map(|Item { name, text }| (name.as_str(), text.as_str())).collect();
    assert_eq!(items, expected, "{fields}");
}

#[test]
fn a_line_is_one_ticket_and_a_blank_one_is_none() {
    check("", Ok(None));
    check(" \t\r\n", Ok(None));
    check("\u{feff}", Ok(None));
    check(line(r#""items":["x"]"#), Ok(Some("g-1::pass")));
    check(format!("\u{feff}{}\r\n", line(r#""items":["x"]"#)), Ok(Some("g-1::pass")));
    let both = |label| {
        format!(r#"{{"mission":"m","group_id":"工单-7","label":"{label}","items":["证据"]}}"#)
    };
    check(both("pass"), Ok(Some("工单-7::pass")));
    check(both("fail"), Ok(Some("工单-7::fail")));
}

#[test]
fn a_label_is_one_of_two_words() {
    let with =
        |label: &str| format!(r#"{{"mission":"m","group_id":"g","label":{label},"items":["x"]}}"#);
    check(with(r#"" PASS ""#), Ok(Some("g::pass")));
    check(with(r#""Fail\n""#), Ok(Some("g::fail")));
    for bad in [r#""""#, r#""ok""#, r#""passed""#, r#""通过""#, r#""pass fail""#, r#""unknown""#]
    {
        check(with(bad), Err("bad_label"));
    }
    check(with("true"), Err("wrong_type"));
    check(with("null"), Err("missing_field"));
}

#[test]
fn what_is_no_ticket_is_refused_by_name() {
    for (bytes, code) in [
        ("x", "bad_json"),
        (r#"{"mission":"m""#, "bad_json"),
        (r#"{"mission":"m"} {}"#, "bad_json"),
        (r#"{"mission":"m","mission":"m"}"#, "bad_json"),
        ("[]", "not_object"),
        ("null", "not_object"),
        ("{}", "missing_field"),
        (r#"{"mission":"n","group_id":"g","label":"pass","items":["x"]}"#, "other_mission"),
        (r#"{"mission":7,"group_id":"g","label":"pass","items":["x"]}"#, "wrong_type"),
        (r#"{"mission":"m","label":"pass","items":["x"]}"#, "missing_field"),
        (r#"{"mission":"m","group_id":"","label":"pass","items":["x"]}"#, "bad_group_id"),
        (r#"{"mission":"m","group_id":"a::b","label":"pass","items":["x"]}"#, "bad_group_id"),
        (r#"{"mission":"m","group_id":"a\nb","label":"pass","items":["x"]}"#, "bad_group_id"),
        (r#"{"mission":"m","group_id":" a","label":"pass","items":["x"]}"#, "bad_group_id"),
        (r#"{"mission":"m","group_id":5,"label":"pass","items":["x"]}"#, "wrong_type"),
        (r#"{"mission":"m","group_id":"g","items":["x"]}"#, "missing_field"),
        (r#"{"mission":"m","group_id":"g","label":"pass"}"#, "no_items"),
        (r#"{"mission":"m","group_id":"g","label":"pass","lable_reason":"x"}"#, "unknown_field"),
        (r#"{"mission":"m","group_id":"g","label":"pass","Items":["x"]}"#, "unknown_field"),
    ] {
        check(bytes, Err(code));
    }
    check(b"{\"mission\":\"\xff\"}", Err("bad_json"));
    let long = format!(r#"{{"mission":"m","x":"{}"}}"#, "x".repeat(9 * 1024 * 1024));
    check(long, Err("bad_json"));
    check("[".repeat(100_000), Err("bad_json"));
}

#[test]
fn each_optional_field_has_its_type() {
    for (fields, code) in [
        (r#""items":["x"],"title":1"#, "wrong_type"),
        (r#""items":["x"],"context":[]"#, "wrong_type"),
        (r#""items":["x"],"meta":[]"#, "wrong_type"),
        (r#""items":["x"],"blind":"yes""#, "wrong_type"),
        (r#""items":["x"],"split":"test""#, "bad_split"),
        (r#""items":["x"],"label_source":" ""#, "missing_field"),
        (r#""items":["x"],"label_source":1"#, "wrong_type"),
        (r#""items":["x"],"label_timestamp":5"#, "wrong_type"),
    ] {
        check(line(fields), Err(code));
    }
    let full = ticket(&line(
        r#""items":["x"],"title":"T","context":"C","meta":{"a":"1","b":2,"c":[true]},
           "label_reason":"no test","label_source":"judge:opus","labeler":"ann","blind":true,
           "label_timestamp":"2026-08-01T10:00:00Z","criteria_version":"2","split":"gate",
           "unrelated":{"x":1},"_note":"y""#,
    ));
    assert_eq!(full.title.as_deref(), Some("T"));
    assert_eq!(full.context.as_deref(), Some("C"));
    let meta: Vec<(&str, &str)> =
        full.meta.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    assert_eq!(meta, [("a", "1"), ("b", "2"), ("c", "[true]")]);
    assert_eq!(full.label_reason.as_deref(), Some("no test"));
    assert_eq!(full.label_source, LabelSource::Other("judge:opus".to_owned()));
    assert_eq!(full.labeler.as_deref(), Some("ann"));
    assert_eq!((full.blind, full.split), (Some(true), Some(Split::Gate)));
    assert_eq!(full.criteria_version.as_deref(), Some("2"));
    let plain = ticket(&line(r#""items":["x"],"title":null,"split":null"#));
    assert_eq!((plain.label_source, plain.blind, plain.split), (LabelSource::Human, None, None));
    assert_eq!(plain.title, None);
}

#[test]
fn a_time_that_is_none_is_left_out() {
    for (text, is_kept) in [
        ("2025-01-01T00:00:00", true),
        ("2025-01-01T00:00:00Z", true),
        ("2025-01-01T08:00:00+08:00", true),
        ("2025-01-01T00:00:00.5", true),
        ("2025-01-01", true),
        ("2025-13-01", false),
        ("yesterday", false),
        ("", false),
    ] {
        let read = ticket(&line(&format!(r#""items":["x"],"label_timestamp":"{text}""#)));
        assert_eq!(read.label_timestamp.as_deref(), is_kept.then_some(text), "{text:?}");
    }
}

#[test]
fn evidence_is_kept_as_it_was_written() {
    check_items(r#""items":["a"," b\n"]"#, &[("item_1", "a"), ("item_2", " b\n")]);
    check_items(
        r#""items":[{"name":"diff","text":"+ x"},"y",{"name":"日志","text":""}]"#,
        &[("diff", "+ x"), ("item_2", "y"), ("日志", "")],
    );
    check_items(
        r#""items":{"step 10":"c","step 9":"b","goal":"a","step 09":"d"}"#,
        &[("goal", "a"), ("step 09", "d"), ("step 9", "b"), ("step 10", "c")],
    );
    let json = r#""items":{"package.json":"{\"name\":\"x\"}"}"#;
    check_items(json, &[("package.json", r#"{"name":"x"}"#)]);
    check_items(
        r#""items":["Verdict: pass\nneeds review ::pass"]"#,
        &[("item_1", "Verdict: pass\nneeds review ::pass")],
    );
}

#[test]
fn images_are_in_the_order_of_their_numbers_and_their_json_is_opened() {
    check_items(
        r#""per_image":{"image_10":"c","image_2":"b","image_1":"a"}"#,
        &[("image_1", "a"), ("image_2", "b"), ("image_10", "c")],
    );
    check_items(
        r#""per_image":{"image_1":"{\"z\": \"螺丝\", \"a\": \"线缆\", \"n\": 3}"}"#,
        &[("image_1", "螺丝，线缆，3")],
    );
    check_items(r#""per_image":{"image_1":" \"a \\n b\" "}"#, &[("image_1", "a \n b")]);
    check_items(r#""per_image":{"image_1":"{not json"}"#, &[("image_1", "{not json")]);
    check_items(r#""per_image":{"image_1":"[1]"}"#, &[("image_1", "[1]")]);
}

#[test]
fn evidence_that_is_none_is_refused() {
    for (fields, code) in [
        (r#""items":[]"#, "no_items"),
        (r#""items":{}"#, "no_items"),
        (r#""items":null"#, "no_items"),
        (r#""per_image":{}"#, "no_items"),
        (r#""items":[""," \n"]"#, "no_items"),
        (r#""items":"x""#, "wrong_type"),
        (r#""per_image":["x"]"#, "wrong_type"),
        (r#""items":[1]"#, "bad_item"),
        (r#""items":{"a":["x"]}"#, "bad_item"),
        (r#""items":[{"name":"a"}]"#, "bad_item"),
        (r#""items":[{"name":"a","text":"x","label":"pass"}]"#, "bad_item"),
        (r#""items":[{"name":"","text":"x"}]"#, "bad_item"),
        (r#""items":{"a\nb":"x"}"#, "bad_item"),
        (r#""items":[{"name":"a","text":"x"},{"name":"a","text":"y"}]"#, "duplicate_item"),
        (r#""items":["x",{"name":"item_1","text":"y"}]"#, "duplicate_item"),
        (r#""items":["x"],"per_image":{"image_1":"y"}"#, "two_evidence_fields"),
    ] {
        check(line(fields), Err(code));
    }
}

/// The key of a ticket holds its label: evidence that quotes it would give the answer away.
#[test]
fn evidence_that_names_its_own_ticket_is_refused() {
    for (fields, leaks) in [
        (r#""items":["see g-1::pass"]"#, true),
        (r#""items":["见g-1::pass。"]"#, true),
        (r#""items":{"g-1::pass":"x"}"#, true),
        (r#""items":["x"],"title":"g-1::pass""#, true),
        (r#""items":["x"],"context":"(g-1::pass)""#, true),
        (r#""items":["x"],"meta":{"a":"g-1::pass"}"#, true),
        (r#""items":["x"],"label_reason":"g-1::pass""#, false),
        (r#""items":["other::pass, ::pass and ::fail"]"#, false),
        (r#""items":["big-1::pass and g-1::passed and g-1::pass_count"]"#, false),
        (r#""items":["G-1::PASS"]"#, true),
        (r#""items":["see g-1 ::pass"]"#, true),
        (r#""items":["see g-1::\tPass."]"#, true),
        (r#""items":["g-1：：pass"]"#, true),
        (r#""items":["ｇ-１::pass"]"#, true),
        (r#""items":["g-1\u200b::pass"]"#, true),
        (r#""items":[":: g-1 :: pass"]"#, true),
        (r#""items":["g-1 : : pass, g-1 :: FAIL, big-1 :: PASS"]"#, false),
    ] {
        check(line(fields), if leaks { Err("leaks_label") } else { Ok(Some("g-1::pass")) });
    }
}

#[test]
fn every_colon_is_known() {
    let has_colon = |it: &char| it.nfkc().any(|it| it == ':');
    assert_eq!((char::MIN..=char::MAX).filter(has_colon).collect::<Vec<_>>(), COLONS);
}

#[test]
fn a_person_is_a_person_however_spelt() {
    for (written, expected) in [
        ("human", LabelSource::Human),
        ("Human", LabelSource::Human),
        (" HUMAN ", LabelSource::Human),
        ("humans", LabelSource::Other("humans".to_owned())),
        ("judge:human", LabelSource::Other("judge:human".to_owned())),
    ] {
        let read = ticket(&line(&format!(r#""items":["x"],"label_source":"{written}""#)));
        assert_eq!(read.label_source, expected, "{written:?}");
    }
}

/// A line is known by its number in the file: the place is one within it.
#[test]
fn the_place_of_a_slip_is_a_column() {
    for (bytes, expected) in [
        ("{\"mission\":\n", "not valid JSON at column 11"),
        ("x\r\n", "not valid JSON at column 1"),
        ("{} {}\n", "text after the JSON value at column 4"),
    ] {
        let problem = read_line(bytes.as_bytes(), &mission()).unwrap_err();
        assert_eq!(problem.text().to_string(), expected, "{bytes:?}");
        assert!(!Lang::Zh.render(&problem.text()).contains('行'));
    }
}

#[test]
fn a_problem_speaks_both_languages_and_is_short() {
    let long = "键".repeat(100_000);
    let lines = [
        "x".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        line(r#""items":[]"#),
        line(r#""items":[1]"#),
        line(r#""items":5"#),
        line(r#""items":["g-1::pass"]"#),
        line(r#""items":["x"],"split":"test""#),
        line(&format!(r#""items":[{{"name":"{long}","text":"x"}}]"#)),
        line(r#""items":["x"],"per_image":{"a":"x"}"#),
        line(r#""items":["x"],"lable_source":"x""#),
        format!(r#"{{"mission":"{long}","group_id":"g","label":"pass","items":["x"]}}"#),
        format!(r#"{{"mission":"m","group_id":"{long}","label":"pass","items":["x"]}}"#),
        format!(r#"{{"mission":"m","group_id":"g","label":"{long}","items":["x"]}}"#),
    ];
    for line in lines {
        let problem = read_line(line.as_bytes(), &mission()).unwrap_err();
        for lang in [Lang::En, Lang::Zh] {
            let text = lang.render(&problem.text());
            assert!(!text.is_empty() && text.chars().count() < 300, "{text}");
            assert!(!text.ends_with('.') && !text.contains('\n'), "{text}");
            assert!(!problem.hints().is_empty(), "{text}");
        }
        assert!(Lang::Zh.render(&problem.text()).chars().any(|it| it > '\u{2e80}'));
    }
}

/// LOOP-A4: no text of a ticket that a model may be shown holds a secret.
#[test]
fn a_ticket_holds_no_secret() {
    let token = ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat();
    let read = |value: serde_json::Value| read_line(value.to_string().as_bytes(), &mission());
    let in_text = format!("before {token} after");
    let ticket = read(serde_json::json!({
        "mission": "m", "group_id": "g", "label": "fail", "title": in_text, "context": in_text,
        "label_reason": in_text, "meta": {"repo": in_text, &token: "x"},
        "items": [{"name": token, "text": "x"}, {"name": "log", "text": in_text}],
    }));
    let ticket = ticket.unwrap().unwrap();
    assert!(!format!("{ticket:?}").contains(&token), "{ticket:?}");
    assert_eq!(ticket.items[1].text, "before [REDACTED:github-token] after");
    let opened = format!("{{\"a\": \"{}\"}}", in_text.replace('g', "\\u0067"));
    let ticket = read(serde_json::json!({
        "mission": "m", "group_id": "g", "label": "fail", "per_image": {"image_1": opened},
    }));
    assert_eq!(ticket.unwrap().unwrap().items[0].text, "before [REDACTED:github-token] after");
    // A key is shown as well, and cannot be redacted.
    let problem = read(serde_json::json!({
        "mission": "m", "group_id": format!("case {token}"), "label": "fail", "items": ["x"],
    }))
    .unwrap_err();
    assert_eq!(problem.kind.code(), "secret_in_key");
    assert!(!problem.text().to_string().contains(&token));
}

proptest! {
    /// Whatever a line holds, it is a ticket that can be shown or a problem with a name.
    #[test]
    fn no_line_makes_it_panic(
        group in ".{0,12}", text in ".{0,30}", extra in r#"[\[\]{}":,0-9a-z ]{0,30}"#,
    ) {
        let object = serde_json::json!({
            "mission": "m", "group_id": group, "label": "fail", "items": {"a": text},
        });
        let lines = [object.to_string(), format!("{{\"mission\":\"m\",{extra}}}"), extra];
        for line in lines {
            match read_line(line.as_bytes(), &mission()) {
                Ok(Some(read)) => prop_assert!(leaking_field(&read).is_none()),
                Ok(None) => prop_assert!(line.trim().is_empty()),
                Err(problem) => prop_assert!(!problem.kind.code().is_empty()),
            }
        }
    }
}
