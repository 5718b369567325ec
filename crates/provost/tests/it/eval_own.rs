//! A suite of one's own, from what `eval init` writes to a report, with models on loopback.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{eval_world::Evals, world::World};

/// A model that answers by a function of the prompt, for as long as the test lives.
struct Scripted {
    address: std::net::SocketAddr,
    heard: Arc<Mutex<Vec<(String, String)>>>,
}

impl Scripted {
    fn start(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), noted) = (stream, &noted) else { return };
                let Some((key, body)) = receive(&stream) else { continue };
                let asked: Value = serde_json::from_str(&body).unwrap();
                let messages = asked["messages"].as_array().unwrap();
                let prompt: Vec<&str> =
                    messages.iter().map(|it| it["content"].as_str().unwrap()).collect();
                let prompt = prompt.join("\n");
                reply(&stream, &answer(&prompt));
                noted.lock().unwrap().push((key, prompt));
            }
        });
        Self { address, heard }
    }

    fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn heard(&self) -> Vec<(String, String)> {
        self.heard.lock().unwrap().clone()
    }
}

/// The key and the body of a request.
fn receive(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length, mut key) = (String::new(), 0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap();
            }
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => {
                value.trim().clone_into(&mut key);
            }
            Some(_) | None => {}
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((key, String::from_utf8(body).unwrap()))
}

fn reply(mut stream: &TcpStream, words: &str) {
    let choice = json!({"message": {"content": words}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
    let body = json!({"model": "m-1", "choices": [choice], "usage": usage}).to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
}

fn begun(example: &str) -> Evals {
    let evals = Evals { world: World::new() };
    let ran = evals.eval(&["init", "own", "--example", example]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    evals
}

const SUITE: [&str; 2] = ["--suite", "own/suite.json"];

/// What a good model reads out of the three invoices.
fn invoice(prompt: &str) -> String {
    let (seller, total, currency) = if prompt.contains("Northwind") {
        ("Northwind Ltd", json!(1250), "USD")
    } else if prompt.contains("Blum") {
        ("bäckerei blum", json!(119.001), "EUR")
    } else {
        ("\"Acme\" Tools", json!(12.3), "GBP")
    };
    format!(
        "Here:\n```json\n{}\n```",
        json!({"seller": seller, "total": total, "currency": currency})
    )
}

/// JSON out of a text, from what `init` writes: cases in a table, a prompt in a file, and
/// the price of the run. The key is named, and stands nowhere.
#[test]
fn facts_are_read_from_a_text() {
    let evals = begun("extraction");
    let again = evals.eval(&["init", "own"]);
    assert_eq!(again.exit(), Some(2));
    assert!(again.stderr().contains("`own/suite.json` exists already"), "{}", again.text());
    let listed = evals.eval(&[&SUITE[..], &["--list"]].concat());
    assert_eq!(listed.stdout().lines().count(), 3, "{}", listed.text());

    let model = Scripted::start(invoice);
    let base = model.base();
    let key = "zq-7781-do-not-show";
    let args = [&SUITE[..], &["--generator", &base, "--model", "m", "--price", "1/2"]].concat();
    let with_key = [&args[..], &["--api-key-env", "MY_KEY", "--record", "rec"]].concat();
    let ran = evals.world.provost().args(["eval"]).args(&with_key).variable("MY_KEY", key).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stdout().contains("cost  300 tokens read, 30 written  $0.00036"), "{}", ran.text());
    let heard = model.heard();
    assert_eq!(heard.len(), 3);
    for (sent, prompt) in &heard {
        assert!(sent.ends_with(key) && !prompt.contains(key), "{prompt}");
        assert!(prompt.contains("\"minLength\"") && !prompt.contains("{{"), "{prompt}");
    }
    let report = evals.report();
    assert_eq!(
        report["run"]["usage"],
        json!({"input_tokens": 300, "output_tokens": 30, "usd": 0.00036})
    );
    let version = report["run"]["template_versions"]["invoice"].as_str().unwrap();
    assert!(version.starts_with("invoice@"), "{version}");
    let text = fs::read_to_string(evals.world.path("repo/docs/evals/reports/latest.json")).unwrap();
    assert!(!text.contains(key));
    // What was recorded has its time and its tokens.
    let ran = evals.eval(&[&SUITE[..], &["--generator", "replay:rec"]].concat());
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());

    // Another prompt of the same name, and a model that reads the net for the total.
    evals.world.write("repo/net/invoice.txt", "{{text}} {{schema}}");
    let wrong = Scripted::start(|prompt| invoice(prompt).replace("119.001", "100"));
    let base = wrong.base();
    let args = [&SUITE[..], &["--generator", &base, "--model", "m", "--prompts", "net"]].concat();
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let line = "tax  invoice.total  /invoice/total is 100, expected 119 within 0.005";
    assert!(ran.stdout().contains(line), "{}", ran.text());
    let version = evals.report()["run"]["template_versions"]["invoice"].clone();
    assert!(version.as_str().unwrap().starts_with("net/invoice@"), "{version}");
}

/// Every fault of a suite, a prompt or a case is named before anything runs.
#[test]
fn faults_of_ones_own_suite_are_named() {
    let evals = begun("extraction");
    let model = ["--generator", "http://127.0.0.1:9/v1", "--model", "m"];
    let says = |more: &[&str], expected: &str| {
        let ran = evals.eval(&[&SUITE[..], more].concat());
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.stderr().contains(expected), "{}", ran.stderr());
    };
    evals.world.write("repo/own/prompts/invoice.txt", "{{text}} is {{total}}");
    says(&model, "prompt `invoice.txt` has `{{total}}`, which the engine does not see");
    evals.world.write("repo/own/cases.csv", "id,text,total,currency,seller\na,b,c,EUR,x\n\na,\"b");
    says(&["--list"], "own/cases.csv:2#/total: ");
    says(&["--list"], "own/cases.csv:4: a quote is not closed");
    evals.world.write("repo/lines.jsonl", "{\"id\": \"a\"\n{\"id\": 1}\n");
    says(&["--list", "--cases", "lines.jsonl"], "lines.jsonl:1#: ");
    says(&["--list", "--cases", "lines.jsonl"], "lines.jsonl:2#/id: ");
    let twice = r#"{"id": "a", "text": "t", "total": 1, "currency": "EUR", "seller": "s"}"#;
    evals.world.write("repo/lines.jsonl", format!("{twice}\n{twice}\n"));
    says(&["--list", "--cases", "lines.jsonl"], "lines.jsonl:2#/id: ");
}

/// Answers the two questions of the handbook, and judges answers by whether they name a manager.
fn handbook(prompt: &str) -> String {
    if prompt.contains("The criterion:") {
        let pass = !prompt.contains("manager");
        return json!({"reason": "the passages name no manager", "pass": pass}).to_string();
    }
    let answer = if prompt.contains("laptop?") {
        "At the desk on Floor 3 [2]."
    } else {
        "A week before [1]."
    };
    assert!(prompt.contains("[1] ") && prompt.contains("[2] "), "{prompt}");
    answer.to_owned()
}

/// Answers in words from passages, with a program and a judge of the person's own.
#[test]
fn answers_from_passages_are_judged() {
    let evals = begun("rag");
    let good = Scripted::start(handbook);
    let base = good.base();
    let engine = [&SUITE[..], &["--generator", &base, "--model", "m"]].concat();
    // A suite names a program and a judge; only the command line lets them run.
    let ran = evals.eval(&engine);
    assert_eq!(ran.exit(), Some(2));
    let said = "check `answer.sources` runs a program of the suite: `python3 checks/sources.py`";
    assert!(ran.stderr().contains(said), "{}", ran.stderr());
    let ran = evals.eval(&[&engine[..], &["--run-checks"]].concat());
    assert!(ran.stderr().contains("check `answer.faithful` needs a judge"), "{}", ran.stderr());
    assert_eq!(good.heard().len(), 0, "nothing was asked");

    let judged = [&engine[..], &["--run-checks", "--judge", &base, "--judge-model", "m"]].concat();
    let ran = evals.eval(&judged);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    // Two examples and two answers.
    assert!(ran.stdout().contains("judge  400 tokens read, 40 written"), "{}", ran.text());
    assert_eq!(evals.report()["run"]["judge"], "m");

    let with = |answer: &'static str| {
        let model = Scripted::start(move |prompt| {
            let is_answer = !prompt.contains("The criterion:") && prompt.contains("laptop?");
            if is_answer { answer.to_owned() } else { handbook(prompt) }
        });
        let base = model.base();
        let mut args = judged.clone();
        args[3] = &base;
        let ran = evals.eval(&args);
        (ran.exit(), ran.stdout())
    };
    let (exit, shown) = with("On floor 3 [7].");
    assert_eq!(exit, Some(1), "{shown}");
    assert!(
        shown.contains("laptop  answer.sources  refused: \"there is no passage 7\""),
        "{shown}"
    );
    let (exit, shown) = with("On floor 3, says your manager [2].");
    assert_eq!(exit, Some(1), "{shown}");
    assert!(
        shown.contains("laptop  answer.faithful  refused: \"the passages name no manager\""),
        "{shown}"
    );
    let (_, shown) = with("At the desk [2].");
    assert!(shown.contains("laptop  answer.facts  /answer/text lacks `\"floor 3\"`"), "{shown}");

    // A judge that lets everything pass measures nothing, and one without a verdict neither.
    let blind = Scripted::start(|_| r#"{"pass": true}"#.to_owned());
    let blind = blind.base();
    let mut args = judged.clone();
    args[8] = &blind;
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(2));
    let said = "the judge agrees with 1 of 2 examples of `answer.faithful`";
    assert!(ran.stderr().contains(said), "{}", ran.stderr());
    assert!(ran.stderr().contains("wrong about example 2"), "{}", ran.stderr());
    let mute = Scripted::start(|_| "I would rather not.".to_owned());
    let mute = mute.base();
    args[8] = &mute;
    let ran = evals.eval(&args);
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("the judge gave no verdict"), "{}", ran.stderr());
}

/// A program that breaks said nothing: the case is not measured, and passes nothing.
#[test]
fn a_program_that_breaks_says_nothing() {
    let evals = begun("rag");
    let path = evals.world.path("repo/own/suite.json");
    let mut suite: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    suite["checks"] =
        json!([{"name": "x", "level": "P1", "kind": "command", "run": "sh checks/x.sh"}]);
    evals.world.write("repo/own/suite.json", suite.to_string());
    let engine =
        evals.engine("cat >/dev/null; echo '{\"artifacts\":{\"answer\":{\"text\":\"a\"}}}'\n");
    let on = |script: &str, exit: i32, outcome: &str| {
        evals.world.write("repo/own/checks/x.sh", script);
        let ran = evals.eval(&[&SUITE[..], &["--generator", &engine, "--run-checks"]].concat());
        assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
        assert_eq!(evals.outcomes()[0], outcome);
    };
    on("cat >/dev/null\n", 0, "laptop pass");
    on("grep -q '\"facts\"' && exit 1\n", 1, "laptop fail x");
    on("exit 3\n", 2, "laptop error CHECK_UNAVAILABLE");
    on("kill -9 $$\n", 2, "laptop error CHECK_UNAVAILABLE");
}

/// A failure on the page has its input, what is right, the answer and the difference; and
/// several runs are one table.
#[test]
fn a_failure_is_understood_from_the_page() {
    let evals = begun("extraction");
    let good = Scripted::start(invoice).base();
    let wrong = Scripted::start(|prompt| invoice(prompt).replace("119.001", "100")).base();
    evals.world.write("repo/net/invoice.txt", "{{text}} {{schema}}");
    let run = |base: &str, out: &str, more: &[&str]| {
        let args = ["--generator", base, "--model", "m", "--out", out];
        evals.eval(&[&SUITE[..], &args[..], more].concat())
    };
    assert_eq!(run(&good, "a.json", &[]).exit(), Some(0));
    let ran = run(&wrong, "b.json", &["--prompts", "net", "--html", "page.html"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let page = fs::read_to_string(evals.world.path("repo/page.html")).unwrap();
    for part in [
        "<dt>expected</dt><dd>1<mark>19</mark></dd><dt>found</dt><dd>1<mark>00</mark></dd>",
        "to pay 119,00 EUR.",
        "<dt>total</dt><dd>119</dd>",
        "data-c=\"invoice.total\"",
        "initial-scale=1",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let shown = evals.eval(&["matrix", "a.json", "b.json", "--html", "m.html"]);
    assert_eq!(shown.exit(), Some(0), "{}", shown.text());
    assert!(shown.stdout().contains("  m-1  3/3, 330 tokens"), "{}", shown.text());
    assert!(shown.stdout().contains("  m-1  2/3, 330 tokens"), "{}", shown.text());
    assert!(shown.stdout().contains("net/invoice@"), "{}", shown.text());
    let page = fs::read_to_string(evals.world.path("repo/m.html")).unwrap();
    assert!(page.contains("<td>2/3, 330 tokens</td>"), "{page}");
    evals.world.write(
        "repo/b.json",
        fs::read_to_string(evals.world.path("repo/b.json"))
            .unwrap()
            .replace("\"fail\"", "\"pass\""),
    );
    assert_eq!(evals.eval(&["matrix", "a.json", "b.json"]).exit(), Some(2));
}
