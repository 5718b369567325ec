//! The program of the tests: it hosts the guardian and the scripted agents, and it asks a model.

#![expect(clippy::unwrap_used, reason = "a program of the tests fails loudly")]

use std::{collections::BTreeMap, path::Path, process::ExitCode, time::Duration};

use provost_adapter::{
    Adapter as _, AgentRole, Call, CallOutcome, Cancel, Exchange, Request, Workplace,
    chat::{ChatAdapter, ChatSettings},
};
use provost_exec::{Guardian, Streams};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["guardian"] => provost_exec::guardian::main(),
        ["script-agent", name] => provost_adapter::script::main(name, std::env::vars()),
        ["ask", base] => ask(base),
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
    let call = Call { request: &request, exchange: &exchange, workplace, cancel: &cancel };
    let called = ChatAdapter::new("chat", settings).unwrap().call(call).unwrap();
    let is_answer = matches!(called.outcome, CallOutcome::Answer(_));
    if is_answer { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
