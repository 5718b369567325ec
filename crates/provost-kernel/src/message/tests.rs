//! The derive, the rendering and the records of messages.

use serde_json::json;

use super::*;
use crate::Lang;

#[derive(Clone, Copy, Debug, provost_macros::Message)]
#[message(code = "test.kind")]
enum Kind {
    #[message(en = "task", zh = "任务")]
    Task,
    #[message(en = "session", zh = "会话")]
    Session,
}

#[derive(Debug, provost_macros::Message)]
#[message(code = "test.problem", exit = Refused)]
enum Problem {
    #[message(
        en = "{files} {files:file|files} changed in `{path}`",
        zh = "`{path}` 中有 {files} 个文件被更改",
        hint(en = "run `provost show {kind}`", zh = "运行 `provost show {kind}`"),
        hint(when = *files > 1, en = "split it", zh = "请拆分")
    )]
    Files { files: usize, path: String, kind: Kind },
    #[message(en = "unknown {0}: use {known:names}", zh = "未知的{0}：可用 {known:names}",
        arg(known = ["a", "b"]), exit = Integrity)]
    Unknown(Kind),
    #[message(code = "braces", en = "{{{0:?}}}", zh = "{{{0:?}}}")]
    Quoted(String),
    #[message(transparent)]
    Inner(Box<Self>),
}

#[derive(Debug, thiserror::Error, provost_macros::Message)]
#[error("{}", self.text())]
#[message(code = "test.disk")]
enum Disk {
    #[message(en = "cannot read", zh = "无法读取")]
    Read { source: std::io::Error },
    #[message(en = "cannot load", zh = "无法加载")]
    Load(#[source] Box<Self>),
}

#[test]
fn causes_are_messages_where_they_are_ours() {
    let read = Disk::Read { source: std::io::Error::other("broken") };
    let texts: Vec<_> =
        Disk::Load(Box::new(read)).causes().iter().map(|it| Lang::Zh.render(it)).collect();
    assert_eq!(texts, ["无法读取", "broken"]);
}

fn files(files: usize) -> Problem {
    Problem::Files { files, path: "a b".to_owned(), kind: Kind::Task }
}

#[track_caller]
fn check(problem: &Problem, code: &str, en: &str, zh: &str) {
    let text = problem.text();
    assert_eq!(text.code(), Some(code));
    assert_eq!((Lang::En.render(&text).as_str(), Lang::Zh.render(&text).as_str()), (en, zh));
    let stored = serde_json::to_value(&text).unwrap();
    assert_eq!(serde_json::from_value::<Text>(stored).unwrap(), text, "code and arguments");
    let record = text.record().unwrap();
    assert_eq!(Text::restore("old".to_owned(), Some(&record)), text);
}

#[test]
fn both_languages_are_rendered_and_survive_storage() {
    check(&files(1), "test.problem.files", "1 file changed in `a b`", "`a b` 中有 1 个文件被更改");
    check(&files(3), "test.problem.files", "3 files changed in `a b`", "`a b` 中有 3 个文件被更改");
    let unknown = Problem::Unknown(Kind::Session);
    check(
        &unknown,
        "test.problem.unknown",
        "unknown session: use `a`, `b`",
        "未知的会话：可用 `a`、`b`",
    );
    check(&Problem::Quoted("x\ny".to_owned()), "test.problem.braces", "{\"x\\ny\"}", "{\"x\\ny\"}");
}

#[derive(Debug, provost_macros::Message)]
#[message(code = "test.all", en = "refused: {0:clauses}", zh = "已拒绝：{0:clauses}")]
struct All(Vec<Kind>);

#[test]
fn clauses_are_separated_by_semicolons() {
    let text = All(vec![Kind::Task, Kind::Session]).text();
    assert_eq!(Lang::En.render(&text), "refused: task; session");
    assert_eq!(Lang::Zh.render(&text), "已拒绝：任务；会话");
}

#[test]
fn texts_beside_their_codes_are_localized() {
    let stored = files(1).text().record().unwrap();
    let mut value = json!({
        "message": "old", "message_code": stored.code, "message_args": stored.args,
        "warnings": ["old", "foreign"], "warnings_codes": [stored, {"code": ""}],
    });
    Lang::Zh.localize(&mut value);
    let text = "`a b` 中有 1 个文件被更改";
    assert_eq!(value["message"], text);
    assert_eq!(value["warnings"], json!([text, "foreign"]));
}

#[test]
fn hints_have_conditions_and_exits_have_a_default() {
    let hints = |it: &Problem| it.hints().iter().map(Text::to_string).collect::<Vec<_>>();
    assert_eq!(hints(&files(1)), ["run `provost show task`"]);
    assert_eq!(hints(&files(2)), ["run `provost show task`", "split it"]);
    assert_eq!(files(1).exit(), Exit::Refused);
    assert_eq!(Problem::Unknown(Kind::Task).exit(), Exit::Integrity);
    let inner = Problem::Inner(Box::new(files(2)));
    assert_eq!((inner.text(), hints(&inner)), (files(2).text(), hints(&files(2))));
}

#[test]
fn what_an_earlier_or_a_later_version_stored_is_shown_as_it_is() {
    let stored = json!({"en": "yes", "zh": "是"});
    let text: Text = serde_json::from_value(stored).unwrap();
    assert_eq!((Lang::En.render(&text).as_str(), Lang::Zh.render(&text).as_str()), ("yes", "是"));
    let stored = json!({"code": "later.unknown", "args": {"x": 1}, "en": "new", "zh": "新"});
    let text: Text = serde_json::from_value(stored).unwrap();
    assert_eq!(Lang::Zh.render(&text), "新");
    let record = MessageRecord { code: "later.unknown".to_owned(), args: serde_json::Map::new() };
    assert_eq!(Text::restore("as stored".to_owned(), Some(&record)).to_string(), "as stored");
    // A record that lacks an argument is not rendered with a hole in it.
    let record =
        MessageRecord { code: "test.problem.files".to_owned(), args: serde_json::Map::new() };
    assert_eq!(Text::restore("as stored".to_owned(), Some(&record)).to_string(), "as stored");
}

/// What somebody else wrote stays the string that earlier versions stored; a message of ours can be
/// read in the other language.
#[test]
fn a_text_in_an_older_log_is_a_string() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Line {
        #[serde(with = "text_or_string")]
        why: Text,
    }
    let older: Line = serde_json::from_value(json!({"why": "gone"})).unwrap();
    assert_eq!(serde_json::to_value(&older).unwrap(), json!({"why": "gone"}));
    let ours = serde_json::to_value(Line { why: Problem::Unknown(Kind::Task).text() }).unwrap();
    let again: Line = serde_json::from_value(ours).unwrap();
    assert_eq!(Lang::Zh.render(&again.why), "未知的任务：可用 `a`、`b`");
}

#[test]
fn a_phrase_is_one_string_in_the_language_of_the_reader() {
    let answer =
        json!({"a": [Phrase::of(&Kind::Task)], "b": {"$text": 1}, "c": {"en": "x", "zh": "y"}});
    for (lang, word) in [(Lang::En, "task"), (Lang::Zh, "任务")] {
        let mut value = answer.clone();
        lang.localize(&mut value);
        assert_eq!(value, json!({"a": [word], "b": {"$text": 1}, "c": {"en": "x", "zh": "y"}}));
    }
}

#[test]
fn the_catalogue_has_every_template_once() {
    let codes: Vec<&str> =
        templates().map(|it| it.code).filter(|it| it.starts_with("test.")).collect();
    assert_eq!(codes.len(), 10, "{codes:?}");
    assert!(codes.contains(&"test.problem.files.hint2"), "{codes:?}");
}
