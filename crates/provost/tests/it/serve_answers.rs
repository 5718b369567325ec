//! What the answers of `provost serve` hold: headers, texts in both languages, every attempt.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    loop_world::Loop,
    serve::{filled, operations, world},
    serve_world::Served,
};

/// The policy is the document's; what keeps an answer what it is goes with each.
#[test]
fn each_answer_has_the_headers_that_it_needs() {
    let it = world();
    let served = Served::start(&it, &[]);
    for (path, cache, is_document) in [
        ("/", "no-cache", true),
        ("/tasks/ready", "no-cache", true),
        ("/app/store.js", "no-cache", false),
        ("/app/nothing.js", "no-store", false),
        ("/i18n/en.json", "no-cache", false),
        ("/i18n/zh.page.json", "no-cache", false),
        ("/api/tasks", "no-store", false),
        ("/api/nothing", "no-store", false),
    ] {
        let got = served.get(path);
        let header = |name: &str| got.headers.get(name).map(String::as_str);
        assert_eq!(header("cache-control"), Some(cache), "{path}: {got:?}");
        assert_eq!(header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
        assert_eq!(header("etag").is_some(), got.status == 200, "{path}");
        for name in ["content-security-policy", "referrer-policy", "cross-origin-opener-policy"] {
            assert_eq!(header(name).is_some(), is_document, "{path} {name}");
        }
        let policy = header("content-security-policy").unwrap_or_default();
        assert_eq!(policy.contains("require-trusted-types-for 'script'"), is_document, "{path}");
    }
}

/// The codes of every text in an answer.
fn codes(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if let (Some(Value::String(code)), true) = (map.get("code"), map.contains_key("args")) {
                found.insert(code.clone());
            }
            map.values().for_each(|it| codes(it, found));
        }
        Value::Array(items) => items.iter().for_each(|it| codes(it, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whatever is sent has a text in both languages.
#[test]
fn every_code_has_a_text_in_both_languages() {
    let it = world();
    let served = Served::guarded(&it);
    let [en, zh] = ["en", "zh"].map(|lang| served.get(&format!("/i18n/{lang}.json")).json());
    let names = |it: &Value| it.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&en), names(&zh));
    let mut found = BTreeSet::new();
    let mut look = |path: &str, body: Option<&Value>| {
        let got = body.map_or_else(|| served.get(path), |it| served.post(path, it));
        if let Ok(answer) = serde_json::from_str(&got.body) {
            codes(&answer, &mut found);
        }
    };
    for (method, path, _) in operations(&served) {
        if method == "GET" && path != "/api/stream" {
            look(&filled(&path), None);
        }
    }
    let order = |id: &str, action: &str, payload: Value| {
        let seen = json!({"attempt": 1, "state_version": 1});
        json!({"request_id": id, "action": action, "payload": payload, "seen": seen})
    };
    // What the binary refuses through its port, and what the rules do.
    look("/api/tasks/asks/orders", Some(&order("r-1", "RESUME", json!({}))));
    look("/api/tasks/asks/orders", Some(&order("r-2", "LAND", json!({}))));
    look("/api/tasks/ready/orders", Some(&order("r-3", "UNDO_LAND", json!({}))));
    look("/api/tasks/asks/orders", Some(&order("r-4", "RERUN", json!({"attempt": 9}))));
    look(
        "/api/tasks/ready/orders",
        Some(&order("r-5", "ACCEPT", json!({"finding": "X", "because": "y", "attempt": 1}))),
    );
    look(
        "/api/tasks/asks/orders",
        Some(&order("r-6", "OVERRIDE", json!({"overrides": {"max_attempts": 99}}))),
    );
    for (at, spec) in [
        json!({}),
        json!({"goal": "x"}),
        json!({"goal": "x", "coder": "nothing"}),
        json!({"goal": "x", "coder": "gemini", "test_cmd": "sudo true"}),
    ]
    .into_iter()
    .enumerate()
    {
        look("/api/tasks", Some(&json!({"request_id": format!("n-{at}"), "spec": spec})));
        look("/api/tasks/preview", Some(&json!({"spec": spec})));
    }
    assert!(found.iter().any(|it| it.starts_with("adapter.")), "{found:?}");
    assert!(found.iter().any(|it| it.starts_with("task.unproven")), "{found:?}");
    let unknown: Vec<_> = found.iter().filter(|it| !names(&en).contains(*it)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// An agent that cannot work says what it lacks, under each of its names.
#[test]
fn an_agent_that_is_missing_says_so() {
    let it = Loop::new();
    let served = Served::start(&it, &[]);
    let rows = served.get("/api/adapters").json();
    let rows = rows["adapters"].as_array().or(rows.as_array()).unwrap().clone();
    let row = |name: &str| rows.iter().find(|it| it["name"] == name).unwrap().clone();
    assert_eq!(
        (row("c")["available"].clone(), row("c")["reason"].clone()),
        (json!(true), json!(null))
    );
    for it in rows.iter().filter(|it| it["available"] == false) {
        assert!(it["reason"]["code"].is_string(), "{it}");
    }
    let (plain, other) = (row("codex"), row("codex-cli"));
    assert_eq!(
        (plain["available"].clone(), plain["reason"].clone()),
        (other["available"].clone(), other["reason"].clone())
    );
}

/// Proof and verdict of any attempt that there was.
#[test]
fn an_earlier_attempt_keeps_its_proof() {
    let it = Loop::new();
    it.coder("echo $((40 + attempt)) >answer.txt; reply done");
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let served = Served::start(&it, &[]);
    let of =
        |attempt: u16, what: &str| served.get(&format!("/api/tasks/t1/attempts/{attempt}/{what}"));
    let tests = |attempt| {
        let proof = of(attempt, "proof").json();
        let fact = proof["proof"].as_array().unwrap().iter().find(|it| it["fact"] == "tests");
        fact.unwrap().clone()
    };
    let (first, second) = (tests(1), tests(2));
    assert_eq!(
        (&first["standing"], &first["evidence"][0]["exit"]),
        (&json!("contradicted"), &json!(1)),
        "{first:#}"
    );
    assert_eq!(second["evidence"][0]["exit"], 0, "{second:#}");
    assert_ne!(first["evidence"][0]["tree"], second["evidence"][0]["tree"]);
    assert_eq!(of(2, "proof").json()["proof"], served.get("/api/tasks/t1").json()["proof"]);
    assert_eq!(of(2, "verdict").json()["judge"]["decision"], "PASS");
    assert_eq!(of(1, "verdict").status, 200);
    for what in ["proof", "verdict"] {
        assert_eq!(of(3, what).status, 404, "{what}");
        assert_eq!(served.get(&format!("/api/tasks/nothing/attempts/1/{what}")).status, 404);
    }
}

/// LOOP-U6: without a version, the one before; what an order lacks is named.
#[test]
fn a_rollback_needs_no_version() {
    let it = world();
    let served = Served::start(&it, &[]);
    let before = it.status("asks")["effective_max_attempts"].clone();
    let more = json!({"overrides": {"max_attempts": 9}});
    assert_eq!(served.order("asks", "r-1", "OVERRIDE", more).status, 200);
    let back = served.order("asks", "r-2", "ROLLBACK", json!({}));
    assert_eq!(
        (back.status, it.status("asks")["effective_max_attempts"].clone()),
        (200, before),
        "{back:?}"
    );
    let lacking = served.order("asks", "r-3", "ANSWER", json!({}));
    assert_eq!(
        (lacking.status, lacking.json()["code"].clone()),
        (400, json!("bad_body")),
        "{lacking:?}"
    );
    assert!(lacking.json()["args"]["why"].as_str().unwrap().contains("`text`"), "{lacking:?}");
}
