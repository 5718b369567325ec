//! A repository with cases, engines that are shell scripts, and models on loopback.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread::JoinHandle,
};

use serde_json::{Value, json};

use crate::world::{Ran, World};

/// What a good engine answers about a text on cold starts.
const GOOD: &str = include_str!("../../../../fixtures/evals/artifacts/good/en-web-cold-start.json");

/// Where the report is.
pub(crate) const REPORT: &str = "repo/docs/evals/reports/latest.json";

/// A repository with cases.
pub(crate) struct Evals {
    pub(crate) world: World,
}

/// A case that the good answer fits.
pub(crate) fn case(id: &str) -> Value {
    json!({
        "id": id,
        "source_type": "web",
        "intent_text": "Cut the cold start of our Python service in containers",
        "extracted_text": "Four imported libraries made up 1.7 seconds of the cold start, before the \
            first request was answered. Moving imports into functions helped. A second build stage \
            shrank the image from 900 MB to 120 MB. The article lists the steps and measures each of \
            them in containers.",
        "title": "Cold starts of Python services",
    })
}

/// What a good engine answers: an object that a script can print.
pub(crate) fn good() -> Value {
    json!({ "artifacts": serde_json::from_str::<Value>(GOOD).unwrap() })
}

impl Evals {
    /// A repository with these cases, and `good.json` beside it.
    pub(crate) fn new(ids: &[&str]) -> Self {
        let evals = Self { world: World::new() };
        for id in ids {
            evals.case(&case(id));
        }
        evals.world.write("good.json", good().to_string());
        evals
    }

    pub(crate) fn case(&self, case: &Value) {
        let id = case["id"].as_str().unwrap();
        self.world.write(format!("repo/docs/evals/cases/{id}.json"), case.to_string());
    }

    /// Writes an engine that is a script, and says how it is named. `$1` is the good answer.
    pub(crate) fn engine(&self, script: &str) -> String {
        self.world.write("engine.sh", script);
        let [script, good] = ["engine.sh", "good.json"].map(|it| self.world.path(it));
        format!("cmd:sh {} {}", script.display(), good.display())
    }

    pub(crate) fn eval(&self, args: &[&str]) -> Ran {
        self.world.provost().args(["eval"]).args(args).run()
    }

    /// The report that was written.
    pub(crate) fn report(&self) -> Value {
        serde_json::from_slice(&fs::read(self.world.path(REPORT)).unwrap()).unwrap()
    }

    /// Id, status, and what failed or could not be measured, of each case of the report.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let report = self.report();
        let cases = report["cases"].as_array().unwrap();
        cases
            .iter()
            .map(|case| {
                let failed = case["checks"].as_array().unwrap().iter();
                let failed = failed.filter(|it| it["status"] == "fail");
                let mut words: Vec<&str> =
                    vec![case["id"].as_str().unwrap(), case["status"].as_str().unwrap()];
                words.extend(failed.map(|it| it["name"].as_str().unwrap()));
                words.extend(case["error"]["error_code"].as_str());
                words.join(" ")
            })
            .collect()
    }
}

/// A model on loopback: it gives the good artifact of each step, after these answers.
pub(crate) struct Model {
    address: std::net::SocketAddr,
    thread: Option<JoinHandle<Vec<String>>>,
}

/// What a model does with one request instead of answering.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instead {
    /// This status, with the headers.
    Status(u16, &'static str),
    /// This as the model's words.
    Says(&'static str),
}

impl Model {
    pub(crate) fn start(instead: Vec<Instead>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let (mut bodies, mut instead) = (Vec::new(), instead.into_iter());
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let Some(body) = receive(&stream) else { break };
                answer(&stream, &body, instead.next());
                bodies.push(body);
            }
            bodies
        });
        Self { address, thread: Some(thread) }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Ends the server, and says what it was asked.
    pub(crate) fn bodies(mut self) -> Vec<String> {
        self.end()
    }

    fn end(&mut self) -> Vec<String> {
        let Some(thread) = self.thread.take() else { return Vec::new() };
        // A connection without a request is the end.
        drop(TcpStream::connect(self.address));
        thread.join().unwrap()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.end();
    }
}

fn receive(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Some(String::from_utf8(body).unwrap())
}

fn answer(mut stream: &TcpStream, body: &str, instead: Option<Instead>) {
    let asked: Value = serde_json::from_str(body).unwrap();
    let prompt = asked["messages"][0]["content"].as_str().unwrap();
    let step = [("summary", "You summarise"), ("score", "how well"), ("todos", "into three to")];
    let step = step.iter().find(|(_, words)| prompt.contains(words)).map_or("card", |it| it.0);
    let good = good()["artifacts"][step].to_string();
    let (status, headers, words) = match instead {
        None => (200, "", format!("```json\n{good}\n```")),
        Some(Instead::Says(words)) => (200, "", words.to_owned()),
        Some(Instead::Status(status, headers)) => (status, headers, String::new()),
    };
    let choice = json!({"message": {"content": words}, "finish_reason": "stop"});
    let body = json!({"model": "model-of-the-test", "choices": [choice]}).to_string();
    // A client may leave in the middle; that is its right.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
}
