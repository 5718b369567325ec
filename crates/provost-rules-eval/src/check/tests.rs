use serde_json::{Value, json};

use super::*;
use crate::suite::shared;

/// A case in the language.
pub(crate) fn case(lang: &str) -> Case {
    let fields = if lang == "zh" {
        json!({"id": "case_zh", "source_type": "web", "intent_text": "我想找到数据库迁移的实用清单",
            "extracted_text": "本文介绍数据库零停机迁移:先对新旧两个库双写,再用脚本校验两端的行数差异,切流前完整演练一次回滚,并给出步骤与检查清单。"})
    } else {
        json!({"id": "case_en", "source_type": "web",
            "intent_text": "I want a practical checklist for database migrations",
            "extracted_text": "How to migrate a database without downtime: dual writes keep both stores equal, a \
                script verifies row counts nightly, and the cut-over is rehearsed with a rollback."})
    };
    let id = fields["id"].as_str().unwrap().to_owned();
    Case { id, fields: fields.as_object().cloned().unwrap(), expect: None }
}

/// Artifacts that pass everything.
pub(crate) fn good(lang: &str) -> Artifacts {
    let content = if lang == "zh" {
        json!({"headline": "数据库零停机迁移的回滚清单", "points": ["先双写旧库与新库两端", "用校验脚本比对行数差异", "切流之前演练一次回滚"],
            "insight": "真正的风险不在切换,而在无法及时返回原状", "action": "写一页迁移回滚预案并约两位同事评审"})
    } else {
        json!({"headline": "Zero-downtime Postgres migration checklist",
            "points": ["Write to both stores first", "Verify row counts by script", "Rehearse the rollback once"],
            "insight": "Risk sits in the missing way back, not in the switch itself",
            "action": "Draft a one-page rollback plan for the orders table"})
    };
    let value = if lang == "zh" {
        json!({
            "summary": {"bullets": ["先对新旧两个库进行双写", "用脚本校验两端的行数差异", "切流前演练一次完整回滚"],
                "insight": "能否安全返回原状,比切换速度更能决定迁移成败"},
            "score": {"match_score": 86, "priority": "READ_NEXT",
                "reasons": ["给出了数据库迁移的完整步骤", "附有可直接使用的检查清单", "约20分钟即可读完并套用"]},
            "todos": {"todos": [{"title": "写一页迁移回滚预案文档", "eta": "45m"},
                {"title": "整理现有数据表的依赖", "eta": "30m"}, {"title": "约两位同事评审迁移步骤", "eta": "20m"}]},
            "card": content})
    } else {
        json!({
            "summary": {"bullets": ["Dual writes keep old and new stores equal", "A script verifies row counts nightly",
                    "Cut-over is rehearsed with a rollback"],
                "insight": "Safety comes from being able to return, which matters more than speed"},
            "score": {"match_score": 86.5, "priority": "READ_NEXT",
                "reasons": ["Covers database migrations end to end", "Has a checklist for the cut-over",
                    "Takes about 20 minutes to apply"]},
            "todos": {"todos": [{"title": "Draft a rollback plan", "eta": "45m", "type": "WRITE"},
                {"title": "List the tables with foreign keys", "eta": "30m"},
                {"title": "Schedule a review with two peers", "eta": "20m"}]},
            "card": content})
    };
    let mut artifacts = value.as_object().cloned().unwrap();
    let content = artifacts["card"].clone();
    artifacts["card"]["render_spec"] = json!({"format": "HTML_V1", "width": 1080.0, "height": 1350, "theme": "LIGHT",
        "payload": {"brand": {"watermark": "Read→Do"}, "layout": {"variant": "CARD_4x5_V1", "padding": 48},
            "content": content}});
    artifacts
}

/// The checks that did not pass, after a change at a place of the good artifacts.
#[track_caller]
fn check(lang: &str, place: &str, value: Value, expected: &[&str]) {
    let mut all = Value::Object(good(lang));
    if value.is_null() {
        let (parent, key) = place.rsplit_once('/').unwrap();
        all.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
    } else {
        let (parent, key) = place.rsplit_once('/').unwrap();
        let parent = all.pointer_mut(parent).unwrap();
        match key.parse::<usize>() {
            Ok(index) => parent[index] = value.clone(),
            Err(_) => parent[key] = value.clone(),
        }
    }
    let Value::Object(artifacts) = all else { unreachable!() };
    let results = check_case(shared(), &case(lang), &artifacts, Rubric::Standard);
    assert_eq!(results.len(), 15);
    let failed: Vec<_> = results
        .iter()
        .filter(|it| !it.pass)
        .map(|it| match &it.blocked_by {
            Some(blocker) => format!("{}<{blocker}", it.name),
            None => it.name.clone(),
        })
        .collect();
    assert_eq!(failed, expected, "{lang} {place} = {value}");
    // Every failure says why, with a code from which any language is rendered.
    let results = check_case(shared(), &case("en"), &artifacts, Rubric::Standard);
    let silent =
        |it: &CheckResult| !it.pass && it.message_code.is_none() && it.blocked_by.is_none();
    assert!(!results.iter().any(silent));
}

#[test]
fn good_artifacts_pass_everything() {
    for lang in ["en", "zh"] {
        check(lang, "/summary/evidence", json!([]), &[]);
    }
}

/// EVAL-5.1: the six ends of the bands, to the half point.
#[test]
fn score_bands() {
    for (priority, score, passes) in [
        ("READ_NEXT", json!(79.5), true),
        ("READ_NEXT", json!(79.49), false),
        ("WORTH_IT", json!(80.49), true),
        ("WORTH_IT", json!(80.5), false),
        ("WORTH_IT", json!(59.5), true),
        ("WORTH_IT", json!(59.4), false),
        ("IF_TIME", json!(60.4), true),
        ("IF_TIME", json!(60.5), false),
        ("IF_TIME", json!(39.5), true),
        ("IF_TIME", json!(39.49), false),
        ("SKIP", json!(40.49), true),
        ("SKIP", json!(40.5), false),
        ("SKIP", json!(0), true),
        ("READ_NEXT", json!(100), true),
        ("SKIP", json!(79.999), false),
    ] {
        let mut artifacts = good("en");
        artifacts["score"]["priority"] = json!(priority);
        artifacts["score"]["match_score"] = score.clone();
        let results = check_case(shared(), &case("en"), &artifacts, Rubric::Standard);
        let band = results.iter().find(|it| it.name == "score.priority_band").unwrap();
        assert_eq!(band.pass, passes, "{priority} {score}");
    }
    let both = ["schema.score", "score.priority_band"];
    check("en", "/score/match_score", json!(true), &both);
    check("en", "/score/match_score", json!("86"), &both);
    check("en", "/score/match_score", Value::Null, &both);
    check("en", "/score/priority", json!("NOW"), &both);
    let message = |score: f64| {
        let mut artifacts = good("en");
        artifacts["score"]["priority"] = json!("IF_TIME");
        artifacts["score"]["match_score"] = json!(score);
        let results = check_case(shared(), &case("en"), &artifacts, Rubric::Standard);
        results.into_iter().find_map(|it| it.message).unwrap()
    };
    assert_eq!(message(81.0), "IF_TIME but score 81 (allowed 39.5 ≤ s < 60.5)");
}

/// EVAL-5.1: lengths of lists.
#[test]
fn list_lengths() {
    let texts = |n: usize| {
        json!(
            (0..n).map(|i| format!("Covers database migration step {i}{i}{i}")).collect::<Vec<_>>()
        )
    };
    check("en", "/score/reasons", texts(2), &["schema.score", "score.reasons_min"]);
    check(
        "en",
        "/score/reasons",
        json!("x"),
        &["schema.score", "score.reasons_min", "score.reasons_specific<schema.score"],
    );
    check(
        "en",
        "/score/reasons",
        json!([]),
        &["schema.score", "score.reasons_min", "score.reasons_specific<schema.score"],
    );
    let todos = |n: usize| {
        json!((0..n).map(|_| json!({"title": "Write the plan", "eta": "10m"})).collect::<Vec<_>>())
    };
    check("en", "/todos/todos", todos(2), &["schema.todos", "todos.shape"]);
    check("en", "/todos/todos", todos(3), &[]);
    check("en", "/todos/todos", todos(7), &[]);
    check("en", "/todos/todos", todos(8), &["schema.todos", "todos.shape"]);
    check(
        "zh",
        "/card/points",
        json!(["先双写旧库与新库两端", "用校验脚本比对行数差异"]),
        &["schema.card", "card.shape"],
    );
}

/// EVAL-5.1: lengths are code points.
#[test]
fn text_lengths() {
    check("zh", "/todos/todos/0/title", json!("写一页迁移回滚案"), &[]);
    check("zh", "/todos/todos/0/title", json!("写一页迁移回滚"), &["schema.todos", "todos.shape"]);
    check("zh", "/todos/todos/0/title", json!("写".repeat(140)), &[]);
    check("zh", "/todos/todos/0/title", json!("写".repeat(141)), &["schema.todos"]);
    check("en", "/card/headline", json!("Postgres1"), &["schema.card"]);
    check("en", "/card/caption", json!("𝒳".repeat(600)), &[]);
    check("en", "/card/caption", json!("𝒳".repeat(601)), &["schema.card"]);
    check(
        "en",
        "/card/action",
        json!("   "),
        &["schema.card", "card.shape", "card.action_specific"],
    );
    check("en", "/todos/todos/0/eta", json!(""), &["schema.todos", "todos.shape"]);
    check("en", "/todos/todos/0/eta", json!("15m"), &["schema.todos"]);
}

/// EVAL-3.2: the schemas, and the title pattern that means the same in every engine.
#[test]
fn schemas() {
    check("en", "/todos/todos/0/title", json!("Draft写一页行动计划"), &[]);
    check("en", "/todos/todos/0/title", json!("draft a rollback plan"), &["schema.todos"]);
    check("en", "/todos/todos/0/title", json!("A/B test the page"), &["schema.todos"]);
    check("en", "/todos/todos/0/title", json!("Draft2 a rollback plan"), &["schema.todos"]);
    check("en", "/todos/todos/0/title", json!("Draft a plan\nnow"), &["schema.todos"]);
    check("en", "/todos/todos/0/type", json!("READ"), &["schema.todos"]);
    check("en", "/todos/todos/0/type", Value::Null, &[]);
    check("en", "/todos/more", json!(1), &["schema.todos"]);
    check("en", "/card/hashtags", json!(["#ok_1", "ok-2"]), &[]);
    check("en", "/card/hashtags", json!(["#标签"]), &["schema.card"]);
    check("en", "/card/render_spec/width", json!(599), &["schema.card"]);
    check("en", "/card/render_spec/width", json!(600.5), &["schema.card"]);
    check(
        "en",
        "/score/evidence",
        json!([{"quote": "dual writes, verification", "supports": "reason#6"}]),
        &[],
    );
    check(
        "en",
        "/score/evidence",
        json!([{"quote": "dual writes, verification", "supports": "reason#7"}]),
        &["schema.score"],
    );
    check("en", "/summary/bullets/0", json!("1234567"), &["schema.summary"]);
    check("en", "/score/confidence", json!(1.01), &["schema.score"]);
}

/// A check whose subject is missing is skipped, and names what blocked it.
#[test]
fn a_missing_artifact_blocks_its_checks() {
    for bad in [json!([]), json!("text"), json!(5)] {
        let mut artifacts = good("en");
        artifacts.insert("score".to_owned(), bad);
        let results = check_case(shared(), &case("en"), &artifacts, Rubric::Standard);
        let blocked: Vec<_> = results
            .iter()
            .filter(|it| !it.pass)
            .map(|it| (it.name.as_str(), it.blocked_by.as_deref()))
            .collect();
        let by = Some("schema.score");
        assert_eq!(
            blocked,
            [
                ("schema.score", None),
                ("score.reasons_min", by),
                ("score.priority_band", by),
                ("score.reasons_specific", by)
            ]
        );
    }
    let results = check_case(shared(), &case("en"), &Artifacts::new(), Rubric::Standard);
    assert!(results.iter().all(|it| !it.pass));
    assert_eq!(results.iter().filter(|it| it.is_counted()).count(), 4);
}

/// EVAL-5.2: at least two reasons, two titles, and an action that names something.
#[test]
fn sense_at_p1() {
    let (vague, one) = (
        ["Very useful and insightful", "Great content overall", "Worth reading today"],
        "Has a checklist inside",
    );
    check("en", "/score/reasons", json!(vague), &["score.reasons_specific"]);
    check("en", "/score/reasons", json!([vague[0], vague[1], one]), &["score.reasons_specific"]);
    check("en", "/score/reasons", json!([vague[0], "Shows database rollback", one]), &[]);
    check("en", "/score/reasons", json!([vague[0], one, one]), &["score.reasons_specific"]);
    check(
        "zh",
        "/score/reasons",
        json!([
            "内容很好,非常值得一读再读",
            "讲得很好,干货满满很有启发",
            "写得不错,推荐阅读受益匪浅"
        ]),
        &["score.reasons_specific"],
    );
    check("zh", "/score/reasons/0", json!("内容很好,非常值得一读再读"), &[]);
    check("en", "/todos/todos/0/title", json!("Rollback plan notes"), &[]);
    check(
        "en",
        "/todos/todos",
        json!([{"title": "Rollback plan notes", "eta": "10m"}, {"title": "Learn more about it", "eta": "10m"},
        {"title": "Write the plan", "eta": "10m"}]),
        &["todos.verb_led"],
    );
    check(
        "zh",
        "/todos/todos",
        json!([{"title": "数据库迁移相关的笔记", "eta": "10m"}, {"title": "了解一下迁移的背景", "eta": "10m"},
        {"title": "写一页迁移回滚预案", "eta": "10m"}]),
        &["todos.verb_led"],
    );
    check("en", "/card/action", json!("Apply it to your work"), &["card.action_specific"]);
    check("en", "/card/action", json!("Great ideas for everyone"), &["card.action_specific"]);
    check("zh", "/card/action", json!("把所学应用到实际工作和生活中"), &["card.action_specific"]);
}

/// Ruling 81: two bullets and 40 % of all of them are of the text; what would fit any text is not.
#[test]
fn bullets_are_made_of_their_text() {
    let any = "The author explains the main idea in a clear way";
    let failed = &["summary.grounded"];
    check("en", "/summary/bullets/0", json!(any), &[]);
    let two =
        ["Several approaches are compared with care", "Everyone can apply a part of it at once"];
    check("en", "/summary/bullets", json!([any, two[0], two[1]]), failed);
    // Words of any text are no ground: the text has `both`, `first` and `two`, too.
    check(
        "en",
        "/summary/bullets",
        json!(["Two people come first", "One day is the last", any]),
        failed,
    );
    check("zh", "/summary/bullets/0", json!("作者用清楚的方式说明主要观点"), &[]);
    check(
        "zh",
        "/summary/bullets",
        json!([
            "作者用清楚的方式说明主要观点",
            "几种做法都经过仔细比较",
            "每个人都能马上用到一部分"
        ]),
        failed,
    );
    // Of a translation, names and figures are left.
    let english =
        json!(["The SQLite file is copied first", "Row counts are compared", "Nobody waits"]);
    check("zh", "/summary/bullets", english, failed);
}

#[test]
fn a_translated_bullet_needs_a_name_or_a_figure() {
    let grounded = json!({"name": "x", "level": "P1", "kind": "grounded", "at": "/a/l/*",
        "text": "/case/right", "least": 2, "share": 0.3, "together": 0.4});
    let ask = |bullets: &[&str], expected: &str| {
        let form = json!({"schema": 1, "name": "own", "about": "own", "artifacts": ["a"],
            "case": {"id": "id", "fields": [{"name": "id", "required": true}, {"name": "right"}]},
            "checks": [grounded.clone()]});
        let lexicon = crate::lexicon::Lexicon::embedded().unwrap();
        let bytes = serde_json::to_vec(&form).unwrap();
        let suite = Suite::read(&bytes, &crate::suite::SchemaTexts::new(), lexicon).unwrap();
        let fields = json!({"id": "c", "right": "We copied the SQLite file in 90 seconds and kept the old one."});
        let case =
            Case { id: "c".to_owned(), fields: fields.as_object().cloned().unwrap(), expect: None };
        let answer = json!({"a": {"l": bullets}});
        let results = check_case(&suite, &case, answer.as_object().unwrap(), Rubric::Standard);
        let said = results[0].message.clone().unwrap_or_else(|| results[0].status.to_string());
        assert_eq!(said, expected, "{bullets:?}");
    };
    ask(&["用 90 秒复制数据库文件", "先复制 SQLite 文件再说"], "pass");
    ask(&["The SQLite file was copied", "用 90 秒复制数据库文件"], "pass");
    ask(
        &["用很短时间复制数据库文件"],
        "1 shares 0 words with the text, expected at least 2 and 30 % of its words: \"用很短时间复制数据库文件\"",
    );
    ask(
        &["The SQLite file", "A seaside walk with gulls, copied here"],
        "2 shares 1 word with the text, expected at least 2 and 30 % of its words: \"A seaside walk with gulls, copied here\"",
    );
}

/// EVAL-5.3.
#[test]
fn sense_at_p2() {
    check(
        "en",
        "/summary/bullets/1",
        json!("Dual writes keep old and new stores equal"),
        &["summary.bullets_distinct"],
    );
    check(
        "zh",
        "/summary/bullets/1",
        json!("先对新旧两个库进行双写操作"),
        &["summary.bullets_distinct"],
    );
    check(
        "en",
        "/summary/insight",
        json!("Dual writes keep the old and new stores equal"),
        &["summary.insight_adds"],
    );
    check(
        "zh",
        "/summary/insight",
        json!("用脚本校验两端的行数差异即可"),
        &["summary.insight_adds"],
    );
    check(
        "en",
        "/summary/insight",
        json!("It is what it is, and so on"),
        &["summary.insight_adds"],
    );
    check(
        "en",
        "/card/headline",
        json!("Some thoughts on productivity"),
        &["card.headline_specific"],
    );
    check("zh", "/card/headline", json!("关于成长和效率的一些思考"), &["card.headline_specific"]);
    check("en", "/card/headline", json!("A guide to SQLite"), &[]);
}

#[test]
fn the_strict_rubric_asks_more() {
    let count = |change: &dyn Fn(&mut Artifacts)| {
        let mut artifacts = good("en");
        change(&mut artifacts);
        let results = check_case(shared(), &case("en"), &artifacts, Rubric::Strict);
        assert_eq!(results.len(), 18);
        results.into_iter().skip(15).filter(|it| !it.pass).map(|it| it.name).collect::<Vec<_>>()
    };
    assert_eq!(count(&|_| {}), ["todos.output_oriented"]);
    assert_eq!(
        count(&|it| it["card"]["headline"] = json!("Another headline"))[1],
        "card.content_mirrors"
    );
    let quote = |text: &str| json!([{"quote": text, "supports": "reason#1"}]);
    assert_eq!(count(&|it| it["score"]["evidence"] = quote("never said anywhere")).len(), 2);
    assert_eq!(count(&|it| it["score"]["evidence"] = quote("DUAL writes  keep both")).len(), 1);
}

/// What one check of a suite of two artifacts says of an answer.
#[track_caller]
fn ask_own(check: Value, answer: Value, expected: &str) {
    let form = json!({"schema": 1, "name": "own", "about": "own", "artifacts": ["a", "b"],
        "case": {"id": "id", "fields": [{"name": "id", "required": true}, {"name": "right"}]},
        "checks": [check]});
    let bytes = serde_json::to_vec(&form).unwrap();
    let lexicon = crate::lexicon::Lexicon::embedded().unwrap();
    let suite = Suite::read(&bytes, &crate::suite::SchemaTexts::new(), lexicon).unwrap();
    let fields = json!({"id": "c", "right": 5, "list": [1.0, {"n": 2}]});
    let case =
        Case { id: "c".to_owned(), fields: fields.as_object().cloned().unwrap(), expect: None };
    let results = check_case(&suite, &case, answer.as_object().unwrap(), Rubric::Standard);
    let said = results[0].message.clone().unwrap_or_else(|| results[0].status.to_string());
    assert_eq!(said, expected, "{answer}");
}

/// Numbers are compared by their values, at every depth, and a fault shows what it found.
#[test]
fn what_is_equal_has_the_same_value() {
    let equal = |one: &str, other: &str| json!({"name": "x", "level": "P1", "kind": "equal", "pairs": [[one, other]]});
    let same = |one: Value, other: Value, expected: &str| {
        let answer = json!({"a": {"v": one}, "b": {"v": other}});
        ask_own(equal("/a/v", "/b/v"), answer, expected);
    };
    same(json!(1), json!(1.0), "pass");
    same(json!([1, {"n": 2.0}]), json!([1.0, {"n": 2}]), "pass");
    same(
        json!(u64::MAX),
        json!(u64::MAX - 1),
        &format!("/a/v is {}, /b/v is {}", u64::MAX, u64::MAX - 1),
    );
    same(json!(1), json!("1"), "/a/v is 1, /b/v is \"1\"");
    same(json!([1]), json!([1, 2]), "/a/v is [1], /b/v is [1,2]");
    same(json!({"n": 1}), json!({"m": 1}), "/a/v is {\"n\":1}, /b/v is {\"m\":1}");
    ask_own(equal("/a/v", "/case/right"), json!({"a": {"v": 5.0}}), "pass");
    ask_own(equal("/a/v", "/case/right"), json!({"a": {"v": 4}}), "/a/v is 4, /case/right is 5");
    // What is in neither of two places is not the same.
    ask_own(equal("/a/x", "/b/y"), json!({"a": {}, "b": {}}), "/a/x is missing; /b/y is missing");
    ask_own(equal("/a/x", "/b/y"), json!({"a": {}, "b": {"y": 1}}), "/a/x is missing");
    let long = "x".repeat(400);
    let range =
        json!({"name": "x", "level": "P1", "kind": "range", "at": "/a/v", "min": 0, "max": 1});
    ask_own(range.clone(), json!({"a": {"v": "0.5"}}), "/a/v is \"0.5\", not a number");
    ask_own(range.clone(), json!({"a": {}}), "/a/v is missing");
    let shown = format!("/a/v is \"{}…, not a number", "x".repeat(79));
    ask_own(range, json!({"a": {"v": long}}), &shown);
}

/// A check whose text is not there says where it looked, unless another check says why.
#[test]
fn a_check_without_a_subject_says_where_it_looked() {
    let verbs =
        json!({"name": "x", "level": "P1", "kind": "verb_led", "at": "/a/steps/*", "least": 1});
    for answer in [json!({"a": {}}), json!({"a": {"steps": []}}), json!({"a": {"steps": "Write"}})]
    {
        ask_own(verbs.clone(), answer, "nothing to check at /a/steps/*");
    }
    ask_own(verbs.clone(), json!({}), "nothing to check at /a/steps/*");
}

/// A suite with one check, judged on an answer and a case.
#[track_caller]
fn judge_one(check: Value, artifact: Value, case: Value, meta: Value, expected: &str) {
    let (said, meta) = (Verdicts::new(), serde_json::from_value(meta).unwrap());
    let suite = one_check(check.clone()).unwrap();
    let case =
        Case { id: "a".to_owned(), fields: case.as_object().cloned().unwrap(), expect: None };
    let artifacts = Artifacts::from_iter([("answer".to_owned(), artifact)]);
    let subject = Subject { case: &case, artifacts: &artifacts, meta: &meta, said: &said };
    let result = check_answer(&suite, subject, Rubric::Standard).remove(0);
    let text = result.text().map(|it| it.to_string()).unwrap_or_default();
    assert_eq!(text, expected, "{check}");
    assert_eq!(result.pass, expected.is_empty(), "{check}");
}

fn one_check(mut check: Value) -> Result<Suite, crate::suite::SuiteError> {
    check["name"] = json!("x");
    check["level"] = json!("P1");
    let suite = json!({"schema": 1, "name": "own", "about": "own", "artifacts": ["answer"],
        "case": {"id": "id", "fields": [{"name": "id"}, {"name": "right", "type": "any"}]},
        "checks": [check]});
    let lexicon = crate::lexicon::Lexicon::embedded().unwrap();
    Suite::read(suite.to_string().as_bytes(), &crate::suite::SchemaTexts::new(), lexicon)
}

/// What stands in a text, and what must not.
#[test]
fn texts_are_looked_for() {
    let on = |check: Value, text: &str, right: Value, expected: &str| {
        judge_one(check, json!({"text": text}), json!({"right": right}), json!({}), expected);
    };
    let at = |mut more: Value| {
        more["kind"] = json!("contains");
        more["at"] = json!("/answer/text");
        more
    };
    let none = Value::Null;
    on(at(json!({"all": ["one", "two"]})), "two, then one", none.clone(), "");
    on(at(json!({"all": ["One"]})), "one", none.clone(), r#"/answer/text lacks `"One"`: "one""#);
    on(at(json!({"all": ["One"], "ignore_case": true})), "ONE", none.clone(), "");
    on(at(json!({"any": ["a", "b"]})), "b", none.clone(), "");
    on(
        at(json!({"any": ["a", "b"]})),
        "c",
        none.clone(),
        r#"/answer/text has none of `"a"`, `"b"`: "c""#,
    );
    on(
        at(json!({"none": ["sorry"]})),
        "sorry, no",
        none,
        r#"/answer/text has `"sorry"`, which must not be there: "sorry, no""#,
    );
    let from = at(json!({"from": "/case/right"}));
    on(from.clone(), "30 days", json!("30 days"), "");
    on(from.clone(), "30 days", json!(["30", "days", 3]), "");
    on(from.clone(), "30 days", json!(["31"]), r#"/answer/text lacks `"31"`: "30 days""#);
    for nothing in [json!(""), json!([]), json!({}), json!([[]])] {
        on(from.clone(), "x", nothing, "/case/right names no text to look for");
    }
    judge_one(
        from,
        json!({}),
        json!({"right": "x"}),
        json!({}),
        "nothing to check at /answer/text",
    );
    let all = json!({"kind": "contains", "at": "/answer/list/*", "all": ["b", "3"]});
    judge_one(all, json!({"list": ["a", "b", 3]}), json!({}), json!({}), "");
}

#[test]
fn patterns_match_or_must_not() {
    let on = |pattern: &str, absent: bool, text: &str, expected: &str| {
        let check =
            json!({"kind": "regex", "at": "/answer/text", "pattern": pattern, "absent": absent});
        judge_one(check, json!({"text": text}), json!({}), json!({}), expected);
    };
    on(r"^\d{4}-\d{2}-\d{2}$", false, "2026-11-19", "");
    on(r"^\d+$", false, "x1", r#"/answer/text does not match `^\d+$`: "x1""#);
    on("(?i)as an ai", true, "A fine day", "");
    on(
        "(?i)as an ai",
        true,
        "As an AI, I cannot",
        r#"/answer/text matches `(?i)as an ai`, which it must not: "As an AI, I cannot""#,
    );
}

/// Numbers are compared by value, and within a tolerance; so they are inside of objects.
#[test]
fn values_are_what_the_case_says() {
    let on = |more: Value, found: Value, right: Value, expected: &str| {
        let mut check = more;
        check["kind"] = json!("equals");
        check["at"] = json!("/answer/value");
        if check.get("value").is_none() {
            check["to"] = json!("/case/right");
        }
        judge_one(check, json!({"value": found}), json!({"right": right}), json!({}), expected);
    };
    on(json!({}), json!(1.0), json!(1), "");
    on(json!({}), json!("1"), json!(1), "/answer/value is \"1\", expected 1");
    on(json!({"tolerance": 0.3}), json!(0.3), json!(0.6), "");
    on(json!({"tolerance": 0.01}), json!({"a": [1.005]}), json!({"a": [1.0]}), "");
    on(
        json!({"tolerance": 0.01}),
        json!(1.5),
        json!(1.0),
        "/answer/value is 1.5, expected 1.0 within 0.01",
    );
    on(json!({"ignore_case": true}), json!("ACME Ltd"), json!("Acme LTD"), "");
    on(json!({}), json!("a"), json!("A"), "/answer/value is \"a\", expected \"A\"");
    on(json!({"value": "EUR"}), json!("EUR"), Value::Null, "");
    on(
        json!({"value": "EUR"}),
        json!("USD"),
        Value::Null,
        "/answer/value is \"USD\", expected \"EUR\"",
    );
    let check = json!({"kind": "equals", "at": "/answer/value", "to": "/case/right"});
    judge_one(check.clone(), json!({}), json!({"right": 1}), json!({}), "/answer/value is missing");
    judge_one(check, json!({"value": 1}), json!({}), json!({}), "/case/right is missing");
}

/// What was not measured never passes.
#[test]
fn an_answer_has_a_price_and_a_time() {
    let on = |check: Value, meta: Value, expected: &str| {
        judge_one(check, json!({}), json!({}), meta, expected);
    };
    let slow = json!({"kind": "latency", "max_ms": 100});
    on(slow.clone(), json!({"latency_ms": 100}), "");
    on(slow.clone(), json!({"latency_ms": 101}), "the answer took 101 ms, expected at most 100 ms");
    on(slow, json!({}), "it is not known how long the answer took");
    let used = json!({"usage": {"input_tokens": 90, "output_tokens": 20, "usd": 0.01}});
    let tokens = |max: u64| json!({"kind": "cost", "max_tokens": max});
    on(tokens(110), used.clone(), "");
    on(tokens(109), used.clone(), "the answer cost 110 tokens, expected at most 109");
    on(tokens(109), json!({}), "the engine reported no tokens");
    let money = |max: f64| json!({"kind": "cost", "max_usd": max});
    on(money(0.01), used.clone(), "");
    on(money(0.009), used, "the answer cost $0.01, expected at most $0.009");
    on(
        money(1.0),
        json!({}),
        "the price of the answer is not known: name the prices with `--price`",
    );
}

/// Where nobody said anything of an answer, it did not pass.
#[test]
fn others_have_to_speak() {
    let suite = one_check(json!({"kind": "command", "run": "sh check.sh"})).unwrap();
    let case = case("en");
    let (artifacts, meta) = (Artifacts::new(), Meta::default());
    let on = |said: &[(bool, &str)], expected: (CheckStatus, &str)| {
        let verdict = |&(pass, reason): &(bool, &str)| {
            ("x".to_owned(), Verdict { pass, reason: reason.to_owned() })
        };
        let said: Verdicts = said.iter().map(verdict).collect();
        let subject = Subject { case: &case, artifacts: &artifacts, meta: &meta, said: &said };
        let result = check_answer(&suite, subject, Rubric::Standard).remove(0);
        let text = result.text().map(|it| it.to_string()).unwrap_or_default();
        assert_eq!((result.status, text.as_str()), expected);
    };
    on(&[(true, "fine")], (CheckStatus::Pass, ""));
    on(&[(false, "the sum is wrong")], (CheckStatus::Fail, "refused: \"the sum is wrong\""));
    on(&[(false, " ")], (CheckStatus::Fail, "refused without a reason"));
    on(&[], (CheckStatus::Skipped, "nobody said anything of the answer"));
}

/// A judge is asked about the answer and what the suite gives it, as data.
#[test]
fn a_judge_is_asked_by_a_criterion() {
    let check = json!({"kind": "judge", "at": "/answer/text", "criterion": "It is polite.",
        "given": ["/case/right"], "examples": [
            {"answer": "Thank you", "case": {"right": "r"}, "pass": true},
            {"answer": "Go away", "pass": false}]});
    let suite = one_check(check).unwrap();
    let fields = json!({"right": "x", "other": "y"});
    let case =
        Case { id: "a".to_owned(), fields: fields.as_object().cloned().unwrap(), expect: None };
    let artifacts = Artifacts::from_iter([("answer".to_owned(), json!({"text": "Please"}))]);
    let (meta, said) = (Meta::default(), Verdicts::new());
    let subject = Subject { case: &case, artifacts: &artifacts, meta: &meta, said: &said };
    let asked = Question::about(&suite.checks[0], subject).unwrap();
    assert!(asked.instructions.ends_with("The criterion: It is polite."));
    assert_eq!(asked.data, r#"{"answer":"Please","given":{"/case/right":"x"}}"#);
    let examples = Question::examples(&suite.checks[0]);
    let shown: Vec<_> = examples.iter().map(|(it, pass)| (it.data.as_str(), *pass)).collect();
    assert_eq!(
        shown,
        [
            (r#"{"answer":"Thank you","given":{"/case/right":"r"}}"#, true),
            (r#"{"answer":"Go away","given":{}}"#, false)
        ]
    );
    assert_eq!(Verdict::read(&json!({"pass": "yes"})), None);
    let said = Verdict::read(&json!({"reason": "rude", "pass": false})).unwrap();
    assert_eq!((said.pass, said.reason.as_str()), (false, "rude"));
}

/// Ruling 81: of the new kinds, too, one that could never fail is an error of the suite.
#[test]
fn a_check_of_ones_own_can_judge() {
    let on = |check: Value, expected: &str| {
        let error = one_check(check.clone()).unwrap_err().to_string();
        assert_eq!(error, format!("check `x` {expected}"), "{check}");
    };
    let at = "/answer/text";
    on(
        json!({"kind": "contains", "at": at}),
        "can never fail: `all`, `any`, `none` and `from` are empty",
    );
    on(
        json!({"kind": "contains", "at": at, "any": ["a", ""]}),
        "can never fail: `any` has an empty text, which stands everywhere",
    );
    on(
        json!({"kind": "regex", "at": at, "pattern": "a*"}),
        "can never fail: the pattern matches every text",
    );
    on(
        json!({"kind": "regex", "at": at, "pattern": "a*", "absent": true}),
        "can never pass: the pattern matches every text",
    );
    for both in [json!({}), json!({"to": "/case/right", "value": 1})] {
        let mut check = both;
        check["kind"] = json!("equals");
        check["at"] = json!(at);
        on(check, "needs either `to`, a place of the case, or `value`");
    }
    on(
        json!({"kind": "equals", "at": at, "to": at}),
        "can never fail: `/answer/text` is compared with itself",
    );
    on(json!({"kind": "equals", "at": at, "value": 1, "tolerance": -1}), "has a tolerance below 0");
    on(json!({"kind": "latency", "max_ms": 0}), "can never pass: `max_ms` is 0");
    on(json!({"kind": "cost"}), "can never fail: neither `max_tokens` nor `max_usd` is set");
    on(json!({"kind": "command", "run": " "}), "names no program in `run`");
    let judge = |examples: Value, agreement: f64| {
        json!({"kind": "judge", "at": at, "criterion": "c", "examples": examples,
            "agreement": agreement})
    };
    let right = json!({"answer": 1, "pass": true});
    let wrong = json!({"answer": 1, "pass": false});
    on(
        judge(json!([right]), 1.0),
        "needs examples of a right and of a wrong answer, to know whether the judge can tell them apart",
    );
    on(
        judge(json!([right, wrong]), 0.5),
        "can never fail: an `agreement` of 0.5 is no better than chance; use more than 0.5 and at most 1",
    );
    let error = one_check(json!({"kind": "regex", "at": at, "pattern": "("})).unwrap_err();
    assert!(error.to_string().contains("unclosed group"), "{error}");
}
