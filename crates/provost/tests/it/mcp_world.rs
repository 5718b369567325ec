//! A server of stories, and clients that talk to it: the official SDK, and raw bytes.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::story_world::Project;

/// A project with its plan in the repository: the server reads no other.
pub(crate) fn project() -> Project {
    let project = Project::new();
    let plan = std::fs::read_to_string(project.world.path("plan.md")).unwrap();
    project.write("plan.md", &plan);
    project
}

/// Lets the official SDK take these steps, and says what came of each.
#[track_caller]
pub(crate) fn sdk(project: &Project, mode: &str, target: &[&str], steps: &Value) -> Vec<Value> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/mcp-client/bin/python");
    assert!(python.exists(), "the official SDK is not installed: run `cargo xtask tools`");
    let mut client = project.world.program(python);
    client.arg(root.join("fixtures/mcp/client.py")).arg(mode);
    // Over HTTP the token comes after the address.
    match target {
        ["http", url, token] => client.args(["http", url]).env("MCP_TOKEN", token),
        _ => client.args(target),
    };
    client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = client.spawn().unwrap();
    child.stdin.take().unwrap().write_all(steps.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answers.len(), steps.as_array().unwrap().len(), "{errors}");
    answers
}

/// A server that talks over its standard input and output.
pub(crate) struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Piped {
    pub(crate) fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut command = project.world.program(env!("CARGO_BIN_EXE_provost"));
        command.arg("mcp").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and waits for its answer; what comes before it has no id.
    #[track_caller]
    pub(crate) fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string().as_bytes());
        loop {
            let answer = self.line();
            if answer["id"] == id {
                return answer;
            }
            assert!(answer.get("id").is_none_or(Value::is_null), "{answer}");
            assert!(answer["error"]["code"].is_i64(), "{answer}");
        }
    }

    /// The next message: nothing but the protocol is on standard output.
    #[track_caller]
    pub(crate) fn line(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Closes the input and waits for the end: the exit code, and what is left on both streams.
    pub(crate) fn close(mut self) -> (Option<i32>, String, String) {
        self.input = None;
        self.end()
    }

    /// Asks it to end, as a system does.
    pub(crate) fn terminate(self) -> (Option<i32>, String, String) {
        kill(&self.child);
        self.end()
    }

    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code(), rest, errors)
    }
}

fn kill(child: &Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
}

/// A server that listens on an address of this machine.
pub(crate) struct Listening {
    child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Listening {
    pub(crate) fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut command = project.world.program(env!("CARGO_BIN_EXE_provost"));
        command.args(["mcp", "--http", "127.0.0.1:0", "--json"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut text = String::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            text.push_str(&line);
            if line == "}" {
                break;
            }
        }
        let said: Value = serde_json::from_str(&text).unwrap();
        let token = std::fs::read_to_string(said["tokenFile"].as_str().unwrap()).unwrap();
        let url = said["url"].as_str().unwrap().to_owned();
        Self { child, url, token: token.trim().to_owned() }
    }

    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap()
    }

    /// Where the official SDK finds it.
    pub(crate) fn target(&self) -> [&str; 3] {
        ["http", &self.url, &self.token]
    }

    /// Sends these bytes as they are; the answer is everything until the end.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        // A server that has read enough may close before everything was sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Posts a body with these headers instead of the usual ones of the same name.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> String {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![
            ("Authorization", bearer.as_str()),
            ("Host", self.address()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
        let lines = all.iter().chain(headers).map(|(name, value)| format!("{name}: {value}\r\n"));
        let head: String = lines.collect();
        let length = body.len();
        let head = format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n");
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub(crate) fn terminate(mut self) -> Option<i32> {
        kill(&self.child);
        self.child.wait().unwrap().code()
    }
}
