//! `provost eval`: flags, exit codes, what is printed and what is written.

use std::fs;

use serde_json::{Value, json};

use crate::{
    eval_world::{Evals, REPORT, case},
    world::World,
};

/// EVAL-1.1, EVAL-6.1, EVAL-6.2: the built-in engine needs nothing, and failures are grouped.
#[test]
fn cases_are_judged_and_failures_are_grouped_by_severity() {
    let evals = Evals::new(&["one", "two"]);
    provost_snapshot!(evals.world.provost().args(["eval"]), @r"
    exit: 0
    ----- stdout -----
    P0 (0)
    P1 (0)
    P2 (0)
    cases 2  passed 2  failed 0  errors 0 | checks 30  P0 0  P1 0  P2 0 | fail-on P1 | GATE PASSED (exit 0)
    report docs/evals/reports/latest.json
    ----- stderr -----
    ");
    let generator = "stub:fail=score.priority_band@one;fail=card.headline_specific@two";
    provost_snapshot!(evals.world.provost().args(["eval", "--generator", generator]), @r"
    exit: 1
    ----- stdout -----
    P0 (1)
      one  score.priority_band     READ_NEXT but score 3 (allowed s ≥ 79.5)
    P1 (0)
    P2 (1)
      two  card.headline_specific  `Some thoughts on productivity` does not name its subject (information 0, expected 2)
    warning: 1 case fails at P2, allowed 0
    refused: 1 check failed at P0
    cases 2  passed 0  failed 2  errors 0 | checks 30  P0 1  P1 0  P2 1 | fail-on P1 | GATE FAILED (exit 1)
    report docs/evals/reports/latest.json
    ----- stderr -----
    ");
    let report = evals.report();
    assert_eq!(report["schema"], "readdo.eval.report/1");
    assert_eq!(report["run"]["profile"], "engineer");
    assert_eq!(report["run"]["model_id"], "heuristic:local-v2");
    assert_eq!(report["run"]["template_versions"]["card"], "card.v1");
    assert_eq!(report["totals"]["p0_fail"], 1);
    assert_eq!(report["totals"]["p2_fail"], 1);
    let first = &report["cases"][0];
    assert_eq!(first["checks"].as_array().unwrap().len(), 15);
    assert!(!first["preview"]["reasons"].as_array().unwrap().is_empty());
}

/// EVAL-1.2, EVAL-1.3: every flag does what it says, a value that is none is refused, and there
/// are three exit codes.
#[test]
fn flags_do_what_they_say() {
    let evals = Evals::new(&["one", "two", "three"]);
    let check = |args: &[&str], exit: i32, said: &str| {
        let ran = evals.eval(args);
        assert_eq!(ran.exit(), Some(exit), "{args:?}\n{}", ran.text());
        assert!(ran.text().contains(said), "{args:?}: {said}\n{}", ran.text());
    };
    check(&[], 0, "cases 3  passed 3");
    check(&["--cases", "docs/evals/cases/one.json"], 0, "cases 1 ");
    check(&["--cases=docs/**/t*.json"], 0, "cases 2 ");
    check(&["--cases", "docs/evals/cases/{one,two}.json"], 0, "cases 2 ");
    check(&["--cases", "nothing/*.json"], 2, "no file matches `nothing/*.json`");
    check(&["--cases", "nothing/*.json"], 2, "hint: name the cases with `--cases GLOB`");
    check(&["--cases", "docs/[.json"], 2, "invalid file pattern");
    check(&["--filter", "t*"], 0, "cases 2 ");
    check(&["--filter", "one", "--filter", "two"], 0, "cases 2 ");
    check(&["--filter", "nobody"], 2, "no case of");
    check(&["--shard", "1/2"], 0, "cases 2 ");
    check(&["--shard", "2/2"], 0, "cases 1 ");
    check(&["--shard", "3/2"], 2, "is not a part such as `1/4`");
    for level in ["P9", "p0", "1"] {
        check(&["--fail-on", level], 2, "invalid value");
    }
    check(&["--profile", "poet"], 2, "invalid value");
    check(&["--format", "xml"], 2, "invalid value");
    check(&["--format"], 2, "a value is required");
    check(&["--unknown"], 2, "unexpected argument");
    check(&["--generator", "oracle"], 2, "unknown engine");
    check(&["--generator", "cmd:sudo true"], 2, "refused to run");
    check(&["--generator", "http://example.org/v1", "--model", "m"], 2, "not on this machine");
    check(&["--generator", "http://127.0.0.1:1/v1"], 2, "no model is named");
    check(&["--generator", "replay:nowhere"], 2, "cannot read");
    check(&["--baseline", "nowhere.json"], 2, "cannot read");
    check(&["--schemas", "."], 2, "missing schema for");
    check(&["--lexicon", "docs/evals/cases/one.json"], 2, "error:");
    for file in ["--out", "--html", "--junit", "--sarif"] {
        check(&[file, "docs"], 2, "`docs` is a folder");
    }
    check(&["--out", "/dev/null"], 0, "report /dev/null");
    check(&["--profile", "creator"], 0, "GATE PASSED");
    check(&["--strict-rubric"], 0, "checks 54");
    check(&["--list"], 0, "one  docs/evals/cases/one.json");
    check(&["--explain", "todos.verb_led"], 0, "at least two titles start with a verb");
    check(&["--explain", "nothing"], 2, "unknown check `nothing`");
    check(&["--jobs", "0"], 2, "invalid value");

    let p0 = "stub:fail=card.shape@one";
    let p1 = "stub:fail=todos.verb_led@one";
    let p2 = "stub:fail=summary.bullets_distinct@one";
    let gates = [
        (p0, "P0", 1),
        (p0, "P1", 1),
        (p0, "P2", 1),
        (p1, "P0", 0),
        (p1, "P1", 1),
        (p1, "P2", 1),
        (p2, "P0", 0),
        (p2, "P1", 0),
        (p2, "P2", 1),
    ];
    for (generator, level, exit) in gates {
        check(&["--generator", generator, "--fail-on", level], exit, &format!("fail-on {level}"));
    }
    check(&["--generator", p2], 0, "1 case fails at P2, allowed 0");
    check(&["--generator", p2, "--p2-budget", "0"], 1, "GATE FAILED");
    check(&["--generator", p2, "--p2-budget", "34%"], 0, "GATE PASSED");
    check(&["--generator", p2, "--p2-budget", "1", "--fail-on", "P2"], 0, "GATE PASSED");
}

/// Ruling 52: what cannot be run leaves the earlier report as it was.
#[test]
fn a_run_that_cannot_start_leaves_the_earlier_report() {
    let evals = Evals::new(&["one"]);
    evals.eval(&[]);
    let before = fs::read(evals.world.path(REPORT)).unwrap();
    evals.world.write("repo/docs/evals/cases/bad.json", "{");
    for args in [&[][..], &["--cases", "no/*.json"], &["--generator", "replay:no"]] {
        assert_eq!(evals.eval(args).exit(), Some(2), "{args:?}");
        assert_eq!(fs::read(evals.world.path(REPORT)).unwrap(), before, "{args:?}");
    }
}

/// EVAL-1.3, EVAL-2.1, EVAL-2.2: all that is wrong with all cases is listed, with file and place.
#[test]
fn everything_that_is_wrong_with_cases_is_listed() {
    let evals = Evals::new(&["one"]);
    let mut html = case("html");
    html["extracted_text"] = json!(format!("<script>x</script>{}", "words ".repeat(20)));
    evals.case(&html);
    let mut twice = case("one");
    twice["notes"] = json!("again");
    evals.world.write("repo/docs/evals/cases/twice.json", twice.to_string());
    evals.world.write("repo/docs/evals/cases/empty.json", "");
    evals.world.write("repo/docs/evals/cases/list.json", "[]");
    evals.world.write("repo/docs/evals/cases/lacking.json", r#"{"id":"lacking"}"#);
    provost_snapshot!(evals.world.provost().args(["eval"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: docs/evals/cases/empty.json#: line 1: not valid JSON at column 0
    error: docs/evals/cases/html.json#/extracted_text: line 1: the text has raw HTML (`<script`)
    error: docs/evals/cases/lacking.json#/source_type: missing, expected a string
    error: docs/evals/cases/lacking.json#/intent_text: missing, expected a string
    error: docs/evals/cases/lacking.json#/extracted_text: missing, expected a string
    error: docs/evals/cases/list.json#: line 1: expected an object, found `[]`
    error: docs/evals/cases/twice.json#/id: the id `one` is that of `docs/evals/cases/one.json`
    error: invalid cases, nothing was run: 7 errors
    ");
}

/// Ruling 53: lengths and private data warn, and are errors for those who want it.
#[test]
fn strict_cases_make_warnings_errors() {
    let evals = Evals::new(&[]);
    let mut short = case("short");
    short["extracted_text"] = json!("Write to somebody@example.com");
    short["extra"] = json!(1);
    evals.case(&short);
    let ran = evals.eval(&[]);
    assert_eq!(ran.exit().map(|it| it < 2), Some(true), "{}", ran.text());
    assert!(ran.stderr().contains("warning: docs/evals/cases/short.json#/extracted_text"));
    let ran = evals.eval(&["--strict-cases"]);
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("error: docs/evals/cases/short.json#/extra"), "{}", ran.text());
    let mut lenient = case("lenient");
    lenient.as_object_mut().unwrap().remove("source_type");
    evals.case(&lenient);
    assert_eq!(evals.eval(&["--filter", "lenient"]).exit(), Some(2));
    assert_eq!(evals.eval(&["--filter", "lenient", "--lenient-cases"]).exit(), Some(0));
}

/// The document on standard output is the one in the file, and nothing else is there.
#[test]
fn json_on_standard_output_is_the_report() {
    let evals = Evals::new(&["one", "two"]);
    for args in [["--format", "json"], ["--format=json", "--jobs=1"]] {
        let ran = evals.eval(&args);
        assert_eq!(ran.stdout().into_bytes(), fs::read(evals.world.path(REPORT)).unwrap());
    }
    let ran = evals.world.provost().args(["--json", "eval"]).run();
    assert_eq!(ran.json(), evals.report());
}

/// With JSON there is one document on standard output, and everything that is wrong is in it.
#[test]
fn json_says_what_is_wrong_with_cases() {
    let evals = Evals::new(&["one"]);
    evals.world.write("repo/docs/evals/cases/empty.json", "");
    evals.world.write("repo/docs/evals/cases/lacking.json", r#"{"id":"lacking"}"#);
    for args in
        [&["eval", "--format", "json"][..], &["--json", "eval"], &["eval", "--list", "--json"]]
    {
        let ran = evals.world.provost().args(args).run();
        assert_eq!(ran.exit(), Some(2), "{args:?}");
        let error = &ran.json()["error"];
        let findings = error["findings"].as_array().unwrap();
        assert_eq!((error["exit"].as_u64(), findings.len()), (Some(2), 4), "{error}");
        assert_eq!(findings[0]["subject"], "docs/evals/cases/empty.json#");
        assert_eq!(findings[0]["rule"], "case.json");
        assert_eq!(findings[1]["subject"], "docs/evals/cases/lacking.json#/source_type");
    }
    // An error that is not about cases has none.
    let ran = evals.eval(&["--format", "json", "--cases", "no/*.json"]);
    assert_eq!(ran.json()["error"].get("findings"), None);
}

/// The same input has the same digest, in whatever language people read the report.
#[test]
fn the_digest_does_not_depend_on_the_language() {
    let evals = Evals::new(&["one", "two"]);
    let engine = evals.engine(
        "case \"$(cat)\" in *eval_two*) echo 'no JSON';; *) sed 's/\"priority\":\"[A-Z_]*\"/\"priority\":\"SKIP\"/' \"$1\";; esac\n",
    );
    let run = |lang: &str| {
        let eval = evals.world.provost().args(["--lang", lang, "eval", "--generator", &engine]);
        let ran = eval.run();
        assert_eq!(ran.exit(), Some(1));
        (evals.report(), ran.stdout())
    };
    let ((english, said), (chinese, said_in_chinese)) = (run("en"), run("zh"));
    assert_ne!(said, said_in_chinese, "a person reads their own language");
    assert_eq!(english["gate"], chinese["gate"], "the report has codes and one text");
    assert!(english["gate"]["reason_code"].is_string());
    assert_eq!(english["digest"], chinese["digest"]);
}

/// The same input has the same digest, whatever the number of workers and the order.
#[test]
fn the_digest_does_not_depend_on_the_workers() {
    let ids: Vec<String> = (0..40).map(|it| format!("case-{it:02}")).collect();
    let evals = Evals::new(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let digests = ["1", "2", "8", "3"].map(|jobs| {
        let ran = evals.eval(&["--jobs", jobs, "--generator", "stub:flaky=0.3,7;latency=1"]);
        assert_eq!(ran.exit(), Some(1), "{}", ran.text());
        evals.report()["digest"].as_str().unwrap().to_owned()
    });
    assert!(digests.iter().all(|it| *it == digests[0]), "{digests:?}");
    let ids_of_report: Vec<Value> =
        evals.report()["cases"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(json!(ids_of_report), json!(ids));
}

/// `JUnit`, SARIF, one HTML page and annotations say what the report says.
#[test]
fn other_tools_get_their_own_form() {
    let evals = Evals::new(&["one", "two"]);
    let generator = "stub:fail=todos.verb_led@two";
    let args =
        ["--generator", generator, "--junit", "out/j.xml", "--sarif", "s.json", "--html", "h.html"];
    let eval = evals.world.provost().args(["eval"]).args(args);
    let ran = eval.variable("GITHUB_ACTIONS", "true").run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(
        ran.stderr()
            .contains("::error file=docs/evals/cases/two.json,title=P1 two todos.verb_led::"),
        "{}",
        ran.stderr()
    );
    let read = |path: &str| fs::read_to_string(evals.world.path(path)).unwrap();
    assert!(read("repo/out/j.xml").contains("<failure type=\"P1\""));
    let sarif: Value = serde_json::from_str(&read("repo/s.json")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "todos.verb_led");
    let html = read("repo/h.html");
    assert!(html.contains("todos.verb_led") && html.matches("<script").count() == 1, "{html}");
    assert!(!evals.eval(&["--generator", generator]).stderr().contains("::error"));
}

/// A comparison shows what got better and worse, and gates only when it was asked to.
#[test]
fn a_baseline_shows_what_changed_and_can_gate() {
    let evals = Evals::new(&["one", "two"]);
    let (better, worse) =
        ("stub:fail=card.headline_specific@one", "stub:fail=card.headline_specific@two");
    evals.eval(&["--generator", better, "--out", "old.json"]);
    let ran = evals.eval(&["--generator", worse, "--baseline", "old.json"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let baseline = &evals.report()["baseline"];
    assert_eq!(baseline["better"][0]["case"], "one");
    assert_eq!(baseline["worse"][0]["case"], "two");
    let gate = |gate: &str, level: &str| {
        let args = [
            "--generator",
            worse,
            "--baseline",
            "old.json",
            "--baseline-gate",
            gate,
            "--fail-on",
            level,
        ];
        evals.eval(&args).exit()
    };
    assert_eq!(gate("worse", "P1"), Some(0));
    assert_eq!(gate("worse", "P2"), Some(1));
    assert_eq!(gate("significant", "P1"), Some(0));
}

/// Ruling 81: where every case lacks what a check looks at, the gate does not pass.
#[test]
fn a_gate_does_not_pass_over_skipped_checks() {
    let evals = Evals::new(&["one", "two"]);
    evals.world.write("repo/s/own.json", OWN);
    let engine = evals.engine("cat > /dev/null; echo '{\"artifacts\":{\"notes\":{}}}'\n");
    let suite = ["--suite", "s/own.json", "--generator", &engine];
    let eval = evals.world.provost().args(["eval"]).args(suite);
    provost_snapshot!(eval, @r"
    exit: 1
    ----- stdout -----
    P0 (0)
    P1 (2)
      one  notes.steps  nothing to check at /notes/steps/*
      two  notes.steps  nothing to check at /notes/steps/*
    P2 (0)
    refused: 2 checks were skipped at P1
    cases 2  passed 0  failed 2  errors 0 | checks 2  P0 0  P1 0  P2 0 | fail-on P1 | GATE FAILED (exit 1)
    report docs/evals/reports/latest.json
    ----- stderr -----
    ");
    let ran = evals.eval(&[&suite[..], &["--fail-on", "P0"]].concat());
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
}

/// A suite with one check at P1 and no schema.
const OWN: &str = r#"{"schema": 1, "name": "own", "about": "own", "artifacts": ["notes"],
  "case": {"id": "id", "fields": [{"name": "id", "required": true}, {"name": "source_type"},
    {"name": "intent_text"}, {"name": "extracted_text"}, {"name": "title"}]},
  "checks": [{"name": "notes.steps", "level": "P1", "kind": "verb_led", "at": "/notes/steps/*", "least": 1}]}"#;

/// Ruling 81: a suite that judges nothing, a waiver of nothing, and a case that cannot be read are
/// errors, and none of them is a gate that passes.
#[test]
fn a_gate_that_could_not_fail_is_an_error() {
    let evals = Evals::new(&["one"]);
    let suite = |check: Value| {
        let mut suite: Value = serde_json::from_str(OWN).unwrap();
        suite["checks"] = check;
        evals.world.write("repo/s/own.json", suite.to_string());
        let ran = evals.eval(&["--suite", "s/own.json"]);
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        ran.stderr()
    };
    assert!(suite(json!([])).contains("error: the suite has no checks"));
    let empty = json!([{"name": "x", "level": "P0", "kind": "equal", "pairs": []}]);
    assert!(suite(empty).contains("error: check `x` can never fail: `pairs` is empty"));
    let blank = json!([{"name": "x", "level": "P0", "kind": "shape"}]);
    assert!(
        suite(blank).contains("error: check `x` can never fail: `lists` and `texts` are empty")
    );

    let waiver = |lines: &str| {
        let text = format!("[[waiver]]\nreason = \"known\"\nuntil = \"2999-01-01\"\n{lines}\n");
        evals.world.write("repo/docs/evals/waivers.toml", text);
        evals.eval(&[])
    };
    let ran = waiver("check = \"todos.verb_let\"");
    assert_eq!(ran.exit(), Some(2));
    let error = "the waiver of `todos.verb_let` names a check that suite `read-do` does not have";
    assert!(ran.stderr().contains(error), "{}", ran.stderr());
    assert!(ran.stderr().contains("hint: did you mean `todos.verb_led`?"), "{}", ran.stderr());
    let ran = waiver("check = \"todos.verb_led\"\ncase = \"gone\"");
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("names the case `gone`, which does not exist"));
    assert_eq!(evals.eval(&["--filter", "one"]).exit(), Some(0), "a part of the cases is known");
    assert_eq!(waiver("check = \"other\"\nsuite = \"calibration\"").exit(), Some(0));

    let cases = evals.world.path("repo/docs/evals/cases");
    std::os::unix::fs::symlink("nowhere.json", cases.join("two.json")).unwrap();
    let ran = evals.eval(&[]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(
        ran.stderr().contains("error: docs/evals/cases/two.json: No such file"),
        "{}",
        ran.stderr()
    );
    evals.world.remove("repo/docs/evals/cases/two.json");
    let pipe = cases.join("pipe.json");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let ran = evals.eval(&[]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("error: docs/evals/cases/pipe.json: not a regular file"));
}

/// Repetition names what is flaky, and the majority decides.
#[test]
fn epochs_name_what_is_flaky() {
    let evals = Evals::new(&["one", "two", "three"]);
    evals.eval(&["--generator", "stub:flaky=0.4,3", "--epochs", "5", "--jobs", "2"]);
    let report = evals.report();
    assert_eq!(report["epochs"]["runs"], 15);
    assert!(!report["epochs"]["flaky"].as_array().unwrap().is_empty(), "{report:#}");
    let low = report["epochs"]["low"].as_f64().unwrap();
    let high = report["epochs"]["high"].as_f64().unwrap();
    assert!(0.0 < low && low < high && high < 1.0);
}

/// A waiver excuses a failure until its day; after it, the gate says so.
#[test]
fn a_waiver_needs_a_reason_and_ends() {
    let evals = Evals::new(&["one"]);
    let eval = || evals.eval(&["--generator", "stub:fail=todos.verb_led@one"]);
    assert_eq!(eval().exit(), Some(1));
    let waiver = |reason: &str, until: &str| {
        let text = format!(
            "[[waiver]]\ncheck = \"todos.verb_led\"\nreason = \"{reason}\"\nuntil = \"{until}\"\n"
        );
        evals.world.write("repo/docs/evals/waivers.toml", text);
        eval().exit()
    };
    assert_eq!(waiver("the model is being replaced", "2999-01-01"), Some(0));
    assert_eq!(waiver("the model is being replaced", "2020-01-01"), Some(1));
    assert!(eval().stdout().contains("the waiver of `todos.verb_led` expired on 2020-01-01"));
    assert_eq!(waiver(" ", "2999-01-01"), Some(2));
    assert_eq!(waiver("why", "soon"), Some(2));
}

/// A third suite is data: its own cases, schema and checks, without code in the runner.
#[test]
fn a_third_suite_is_data() {
    let evals = Evals { world: World::new() };
    let page = include_str!("../../../../docs/eval.md");
    let block = |name: &str| {
        let start = format!("<!-- {name} -->\n```json\n");
        let (_, rest) = page.split_once(&start).unwrap();
        rest.split_once("```").unwrap().0.to_owned()
    };
    evals.world.write("repo/suites/release-notes.json", block("suite"));
    evals.world.write("repo/suites/notes.schema.json", block("schema"));
    evals.world.write("repo/notes/one.json", block("case"));
    evals.world.write("good.json", block("good"));
    let engine = evals.engine("cat > /dev/null; cat \"$1\"\n");
    let args =
        ["--suite", "suites/release-notes.json", "--cases", "notes/*.json", "--generator", &engine];
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(evals.report()["run"]["suite"], "release-notes");
    evals.world.write("good.json", block("bad"));
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stdout().contains("notes.steps_verb_led"), "{}", ran.text());
}
