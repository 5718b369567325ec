//! Engines that misbehave: the other cases go on, the report says what happened, the exit code is
//! right.

use std::fs;

use serde_json::json;

use crate::eval_world::{Evals, Instead, Model, case};

const IDS: [&str; 8] =
    ["a-good", "b-hangs", "c-dies", "d-garbage", "e-huge", "f-good", "g-silent", "h-good"];

/// One process for each case: what each of them does.
const ONE_SHOT: &str = r#"
input=$(cat)
case "$input" in
*eval_b-hangs*) sleep 600 & sleep 600 ;;
*eval_c-dies*) kill -9 $$ ;;
*eval_d-garbage*) echo 'this is no JSON {' ;;
*eval_e-huge*) head -c 4200000 /dev/zero | tr '\0' x ;;
*eval_g-silent*) ;;
*eval_x-exits*) echo broken >&2; exit 3 ;;
*eval_y-error*) echo '{"failed_step":"score","error_code":"AI_SCHEMA_INVALID","message":"no score","retryable":false}' ;;
*) cat "$1" ;;
esac
"#;

/// One process for each worker.
const LINES: &str = r#"
echo '{"protocol":"readdo.gen/1"}'
good=$(cat "$1")
while IFS= read -r line; do
  id=$(printf %s "$line" | sed 's/^{"id":"\([^"]*\)".*/\1/')
  case "$id" in
  eval_b-hangs) sleep 600 ;;
  eval_c-dies) kill -9 $$ ;;
  eval_d-garbage) echo 'this is no JSON {' ;;
  eval_e-huge) head -c 4200000 /dev/zero | tr '\0' x; echo ;;
  eval_g-silent) exit 0 ;;
  eval_x-exits) echo '{"id":"nobody","output":{}}' ;;
  eval_y-error) printf '{"id":"%s","error":{"error_code":"AI_PROVIDER_ERROR","message":"no"}}\n' "$id" ;;
  *) printf '{"id":"%s","output":%s}\n' "$id" "$good" ;;
  esac
done
"#;

/// EVAL-4.1: one bad case never ends the others.
#[test]
fn a_hostile_program_spoils_its_own_cases_only() {
    let evals = Evals::new(&IDS);
    evals.case(&case("x-exits"));
    evals.case(&case("y-error"));
    let engine = evals.engine(ONE_SHOT);
    let ran = evals.eval(&["--generator", &engine, "--timeout", "6", "--jobs", "3"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(
        evals.outcomes(),
        [
            "a-good pass",
            "b-hangs error AI_TIMEOUT",
            "c-dies error AI_PROVIDER_ERROR",
            "d-garbage fail engine.output AI_PARSE_ERROR",
            "e-huge fail engine.output AI_PARSE_ERROR",
            "f-good pass",
            "g-silent fail engine.output AI_PARSE_ERROR",
            "h-good pass",
            "x-exits error AI_PROVIDER_ERROR",
            "y-error fail engine.output AI_SCHEMA_INVALID",
        ]
    );
    let report = evals.report();
    assert!(report["cases"][8]["error"]["message"].as_str().unwrap().contains("broken"));
}

#[test]
fn a_hostile_program_that_stays_spoils_its_own_cases_only() {
    let evals = Evals::new(&IDS);
    evals.case(&case("x-exits"));
    evals.case(&case("y-error"));
    let engine = evals.engine(LINES);
    let args = ["--generator", &engine, "--cmd-mode", "jsonl", "--timeout", "6", "--jobs", "2"];
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(
        evals.outcomes(),
        [
            "a-good pass",
            "b-hangs error AI_TIMEOUT",
            "c-dies error AI_PROVIDER_ERROR",
            "d-garbage fail engine.output AI_PARSE_ERROR",
            "e-huge fail engine.output AI_PARSE_ERROR",
            "f-good pass",
            "g-silent error AI_PROVIDER_ERROR",
            "h-good pass",
            "x-exits fail engine.output RUN_INCONSISTENT",
            "y-error error AI_PROVIDER_ERROR",
        ]
    );
}

/// Answers in another order than the questions reach their own cases: each score is that of its
/// case.
#[test]
fn answers_in_the_wrong_order_reach_their_cases() {
    let evals = Evals::new(&["a", "b", "c", "d", "e", "f", "g"]);
    for (at, id) in ["a", "b", "c", "d", "e", "f", "g"].iter().enumerate() {
        let mut case = case(id);
        let score = 90 + at;
        case["expect"] = json!({"score_min": score, "score_max": score});
        evals.case(&case);
    }
    // It answers two at a time, the second first; at the end, what is left.
    let engine = evals.engine(
        r#"
good=$(cat "$1")
say() {
  at=$(printf %s "$1" | tr abcdefg 0123456 | sed 's/^.*_//')
  printf '{"id":"%s","output":%s}\n' "$1" "$(printf %s "$good" | sed "s/\"match_score\":92/\"match_score\":9$at/")"
}
name() { printf %s "$1" | sed 's/^{"id":"\([^"]*\)".*/\1/'; }
while IFS= read -r one; do
  one=$(name "$one")
  if [ "$one" = eval_g ]; then say "$one"; continue; fi
  IFS= read -r two || { say "$one"; break; }
  say "$(name "$two")"
  say "$one"
done
"#,
    );
    let args = ["--generator", &engine, "--cmd-mode", "jsonl", "--jobs", "1", "--timeout", "20"];
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(evals.report()["totals"]["cases_passed"], 7);
}

/// An answer that belongs to another case is inconsistent, and a program that does not exist is
/// no answer at all.
#[test]
fn an_answer_must_belong_to_its_question() {
    let evals = Evals::new(&["one"]);
    let engine =
        evals.engine("cat >/dev/null; sed 's/^{/{\"meta\":{\"run_id\":\"eval_other\"},/' \"$1\"\n");
    assert_eq!(evals.eval(&["--generator", &engine]).exit(), Some(1));
    assert_eq!(evals.outcomes(), ["one fail engine.output RUN_INCONSISTENT"]);
    for mode in ["oneshot", "jsonl"] {
        let ran = evals.eval(&["--generator", "cmd:no-such-program", "--cmd-mode", mode]);
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert_eq!(evals.outcomes(), ["one error SPAWN_FAILED"]);
    }
    let ran = evals.eval(&["--generator", "cmd:no-such-program", "--errors-as", "fail"]);
    assert_eq!(ran.exit(), Some(1));
}

/// EVAL-3.1: what an engine is given, and nothing else: no notes, no expectation, no secrets of
/// the environment, no network.
#[test]
fn an_engine_gets_its_input_and_nothing_else() {
    let evals = Evals::new(&[]);
    let mut with_notes = case("one");
    with_notes["notes"] = json!("only for people");
    with_notes["expect"] = json!({"score_min": 1});
    evals.case(&with_notes);
    let engine =
        evals.engine("cat >&2; env >&2; ls -A >&2; cat /proc/net/dev | grep -v lo: >&2; exit 3\n");
    let eval = evals.world.provost().args(["eval", "--generator", &engine]);
    let ran = eval.variable("MY_TOKEN", "do-not-show").run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let message = evals.report()["cases"][0]["error"]["message"].to_string();
    assert!(!message.contains("do-not-show") && !message.contains("for people"), "{message}");
    let engine = evals.engine(
        "case \"$(cat)\" in *'for people'*|*score_min*) exit 4;; *'\"profile\":\"manager\"'*) cat \"$1\";; esac\n",
    );
    let ran = evals.eval(&["--generator", &engine, "--profile", "manager"]);
    assert_eq!(evals.outcomes(), ["one pass"], "{}", ran.text());
}

/// EVAL-3.2: a model is asked four times for each case; a limit on the rate is waited for, and a
/// server that does not know a field is asked without it.
#[test]
fn a_model_is_asked_until_it_answers() {
    let evals = Evals::new(&["one"]);
    let instead = vec![
        Instead::Status(429, "Retry-After: 0\r\n"),
        Instead::Status(400, ""),
        Instead::Says("I would rather not."),
    ];
    let model = Model::start(instead);
    let base = model.base();
    let args = ["--generator", &base, "--model", "m", "--record", "rec"];
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let bodies = model.bodies();
    assert_eq!(bodies.len(), 7);
    assert!(bodies[0].contains("response_format") && !bodies[2].contains("response_format"));
    assert!(bodies.iter().all(|it| it.contains("\"temperature\":0")));
    // What makes answers repeatable and short is asked for, and left out where it is not known.
    let sampled = ["\"seed\":0", "\"max_tokens\":8192"];
    assert!(sampled.iter().all(|it| bodies[0].contains(it) && !bodies[2].contains(it)));
    let report = evals.report();
    assert_eq!(
        (&report["totals"]["repairs"], &report["cases"][0]["meta"]["repairs"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(evals.report()["run"]["model_id"], "model-of-the-test");
    // The server is gone; what was recorded is not.
    let digest = evals.report()["cases"][0]["checks"].clone();
    let ran = evals.eval(&["--generator", "replay:rec"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(evals.report()["cases"][0]["checks"], digest);
    assert_eq!(evals.report()["totals"]["repairs"], 1);
    let ran = evals.eval(&["--generator", &base, "--model", "other", "--replay", "rec"]);
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stdout().contains("another engine was recorded"), "{}", ran.text());
    let ran = evals.eval(&["--generator", &base, "--model", "m", "--retries", "0"]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert_eq!(evals.outcomes(), ["one error AI_PROVIDER_ERROR"]);
}

/// A spent quota and a refused key are no answers: exit 2, ruling 52.
#[test]
fn a_spent_quota_is_not_a_verdict() {
    for (status, headers) in [(429, ""), (402, ""), (401, ""), (500, "")] {
        let evals = Evals::new(&["one", "two"]);
        let model = Model::start(vec![Instead::Status(status, headers)]);
        let args = ["--generator", &model.base(), "--model", "m", "--retries", "0", "--jobs", "1"];
        let ran = evals.eval(&args);
        assert_eq!(ran.exit(), Some(2), "{status}\n{}", ran.text());
        assert_eq!(evals.outcomes(), ["one error AI_PROVIDER_ERROR", "two pass"], "{status}");
    }
}

/// What a model keeps getting wrong is judged, with the step that it failed.
#[test]
fn a_model_that_cannot_answer_fails_its_case() {
    let evals = Evals::new(&["one"]);
    let model = Model::start(vec![Instead::Says("no"), Instead::Says("{\"bullets\": []}")]);
    let ran = evals.eval(&["--generator", &model.base(), "--model", "m"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(evals.outcomes(), ["one fail engine.output AI_SCHEMA_INVALID"]);
    assert_eq!(evals.report()["cases"][0]["error"]["failed_step"], "summarize");
    assert_eq!(evals.report()["totals"]["repairs"], 1);
}

/// Each repetition of a case has a seed of its own.
#[test]
fn repetitions_have_their_own_seeds() {
    let evals = Evals::new(&["one"]);
    let model = Model::start(Vec::new());
    let args = ["--generator", &model.base(), "--model", "m", "--epochs", "2", "--jobs", "1"];
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let bodies = model.bodies();
    for (bodies, seed) in [(&bodies[..4], "\"seed\":0"), (&bodies[4..], "\"seed\":1")] {
        assert!(bodies.len() == 4 && bodies.iter().all(|it| it.contains(seed)), "{seed}");
    }
}

/// A secret in a case or in an answer is in no report, no log and no recording; nor is what only
/// looks like one.
#[test]
fn a_secret_is_written_nowhere() {
    for rest in ["R7kQ2mZx9TbL4vWc8NdJ5sHf1YgP6aEu3oXi", "abcdefghijklmnopqrstuvwxyz0123456789"] {
        is_written_nowhere(&format!("ghp_{rest}"));
    }
}

fn is_written_nowhere(key: &str) {
    let evals = Evals::new(&["one"]);
    let mut leaking = case("two");
    leaking["title"] = json!(format!("Use {key} to log in"));
    evals.case(&leaking);
    let good = fs::read_to_string(evals.world.path("good.json")).unwrap();
    evals
        .world
        .write("good.json", good.replace("\"headline\":\"", &format!("\"headline\":\"{key} ")));
    let engine = evals.engine("input=$(cat); echo \"$input\" >&2; cat \"$1\"\n");
    let outputs = ["--junit", "j.xml", "--sarif", "s.json", "--html", "h.html", "--record", "rec"];
    let ran = evals.world.provost().args(["eval", "--generator", &engine]).args(outputs).run();
    assert!(!ran.text().contains(key), "{}", ran.text());
    let failing = evals.engine("cat >&2; exit 1\n");
    let ran = evals.eval(&["--generator", &failing, "--out", "failed.json"]);
    assert!(!ran.text().contains(key), "{}", ran.text());
    let mut looked_at = 0;
    let mut folders = vec![evals.world.path("repo")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("cases/two.json") {
                let text = fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&text);
                assert!(!text.contains(key), "{}", path.display());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 8, "{looked_at}");
}
