//! The program of the tests: it hosts the guardian and the scripted agents, it asks a model, and it
//! plays a client with a hook.

#![expect(clippy::unwrap_used, reason = "a program of the tests fails loudly")]

use std::{collections::BTreeMap, path::Path, process::ExitCode, time::Duration};

use provost_adapter::{
    Adapter as _, AgentRole, Call, Cancel, Exchange, Request, Workplace,
    chat::{ChatAdapter, ChatSettings},
};
use provost_exec::{Guardian, Streams};
use serde_json::json;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["guardian"] => provost_exec::guardian::main(),
        ["script-agent", name] => provost_adapter::script::main(name, std::env::vars()),
        ["ask", base] => ask(base),
        ["live-client", ..] => live_client(),
        other => panic!("the probe has no role {other:?}"),
    }
}

/// Asks a model in the environment of this process, and says whether it answered.
fn ask(base: &str) -> ExitCode {
    let mut settings = ChatSettings::new(base);
    settings.model = Some("m".to_owned());
    let task = "t1".to_owned().try_into().unwrap();
    let attempt = 1.try_into().unwrap();
    let deadline = Duration::from_secs(30);
    let request = Request::new(AgentRole::Judge, task, attempt, "c", "judge".to_owned(), deadline);
    let here = Path::new("/");
    let workplace = Workplace {
        tree: here,
        guardian: &Guardian { program: here.to_owned(), args: Vec::new() },
        streams: Streams::nowhere().unwrap(),
        env: BTreeMap::new(),
        sandbox: None,
        grace: Duration::ZERO,
        output_cap: 0,
        check: &|_| Ok(()),
        redact: &|bytes| bytes.into(),
    };
    let exchange = Exchange::open(here).unwrap();
    let cancel = Cancel::new();
    let seen = |_: &_| {};
    let call = Call {
        request: &request,
        exchange: &exchange,
        workplace,
        cancel: &cancel,
        seen: &seen,
        resumed: None,
    };
    let called = ChatAdapter::new("chat", settings).unwrap().call(call).unwrap();
    let is_answer = called.outcome.is_ok();
    if is_answer { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays a client: carries out what the model asks for, unless the hook in its home refuses.
fn live_client() -> ExitCode {
    let variable = |name: &str| std::env::vars().find(|(it, _)| it == name).unwrap().1;
    let address = format!("{}/v1/messages", variable("ANTHROPIC_BASE_URL"));
    let hook = Path::new(&variable("HOME")).join("hook");
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    loop {
        let request = json!({ "tools": [{ "name": "Bash" }], "messages": messages });
        let mut response = ureq::post(&address).send(request.to_string()).unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
        if answer["stop_reason"] == "end_turn" {
            return ExitCode::SUCCESS;
        }
        let command = answer["content"][0]["input"]["command"].as_str().unwrap();
        let asked = hook.exists().then(|| shell(&[hook.to_str().unwrap(), command]));
        let result = match asked {
            Some(output) if output.status.code() == Some(2) => {
                String::from_utf8(output.stdout).unwrap()
            }
            Some(_) | None => {
                shell(&["-c", command]);
                "done".to_owned()
            }
        };
        let block = json!({ "type": "tool_result", "content": result });
        messages.push(json!({ "role": "user", "content": [block] }));
    }
}

#[expect(clippy::disallowed_methods, reason = "a client starts programs as it likes")]
fn shell(arguments: &[&str]) -> std::process::Output {
    std::process::Command::new("sh").args(arguments).output().unwrap()
}
