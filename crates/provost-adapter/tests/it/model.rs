//! Models against a real server on loopback, and real programs under a guardian.

use std::{net::TcpListener, ops::ControlFlow, sync::Arc, time::Duration};

use provost_adapter::{
    ApiKey, CallError, Cancel, Keys, RetryAfter, SecretString,
    model::{
        ChatModel, ChatModelSettings, CommandModel, CommandModelSettings, Model, ModelFailure,
        ModelPool, ModelSupplies, Timeout, assemble,
    },
    pool::Ended,
};
use provost_exec::{
    Guardian, environment,
    sandbox::{Network, Requirement, Sandbox},
};
use provost_kernel::{
    Finding, Severity,
    learn::Endpoint,
    model::{Decode, FailureClass, ModelReply, ModelRequest, Usage},
    task::Usd,
};
use provost_rules::retry::RetryPolicy;

use crate::{
    oracle::{Act, Oracle, last_words},
    world::{AGES, PROBE, World, until},
};

/// Retries that no test has to wait for.
const QUICK: RetryPolicy =
    RetryPolicy { retries: 3, first: Duration::from_millis(1), longest: Duration::from_millis(2) };

fn question(text: &str) -> ModelRequest {
    let decode = Decode {
        temperature: 0.4,
        top_p: Some(0.9),
        max_new_tokens: Some(64),
        seed: Some(43),
        ..Decode::greedy()
    };
    ModelRequest { decode, ..ModelRequest::instruct("Say it again.", text) }
}

fn settings(base: &str) -> ChatModelSettings {
    let mut settings = ChatModelSettings::new(base, "m-1");
    settings.retry = QUICK;
    settings.timeout = Timeout::Try(AGES);
    settings.connections = 4;
    settings
}

fn chat(base: &str) -> Arc<dyn Model> {
    Arc::new(ChatModel::new("m-1", settings(base)).unwrap())
}

fn ask(base: &str) -> Result<ModelReply, ModelFailure> {
    chat(base).ask(&question("ja"), &Cancel::new())
}

/// The address of a server that is not there.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

/// Asks so many questions; what came back, in the order in which it came.
fn run(pool: &ModelPool, count: usize) -> Vec<Result<String, ModelFailure>> {
    let mut heard = Vec::new();
    let mut questions = (0..count).map(|it| question(&it.to_string()));
    let ended = pool.run(&mut questions, &Cancel::new(), &mut |index, _, result| {
        assert_eq!(index, heard.len());
        heard.push(result.map(|it| it.text));
        ControlFlow::Continue(())
    });
    assert_eq!(ended, Ended::Done);
    heard
}

#[track_caller]
fn check_all(heard: Vec<Result<String, ModelFailure>>, count: usize) {
    let expected: Vec<_> = (0..count).map(|it| Ok(it.to_string())).collect();
    assert_eq!(heard, expected);
}

#[test]
fn a_question_goes_out_as_it_is_and_the_answer_comes_back_with_its_cost() {
    let server = Oracle::echo();
    let mut settings = settings(&server.base());
    settings.key = ApiKey::FromVariable {
        variable: "MODEL_KEY".to_owned(),
        secret: Some(SecretString::from("hush-hush".to_owned())),
    };
    let model = ChatModel::new("m-1", settings).unwrap();
    let answer = model.ask(&question("第一行\n第二行"), &Cancel::new()).unwrap();
    assert_eq!(answer.text, "第一行\n第二行");
    let usage = Usage { input_tokens: Some(1000), output_tokens: Some(10), usd: None };
    assert_eq!(answer.usage, usage);
    let [heard] = server.heard().try_into().unwrap();
    assert!(heard.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", heard.head);
    assert!(heard.head.to_ascii_lowercase().contains("\r\nauthorization: bearer hush-hush\r\n"));
    assert_eq!(heard.body["messages"][0]["role"], "system");
    assert_eq!(heard.body["temperature"], 0.4);
    assert_eq!(heard.body["max_tokens"], 64);
    assert!(!heard.body.to_string().contains("hush"));
    assert!(!format!("{model:?}").contains("hush"));
}

#[test]
fn a_key_that_is_not_set_is_named_and_nobody_is_asked() {
    let server = Oracle::echo();
    let mut settings = settings(&server.base());
    settings.key = ApiKey::FromVariable { variable: "MODEL_KEY".to_owned(), secret: None };
    let problem =
        ChatModel::new("m-1", settings).unwrap().ask(&question("x"), &Cancel::new()).unwrap_err();
    assert!(problem.to_string().contains("MODEL_KEY is not set"), "{problem}");
    assert_eq!(server.heard().len(), 0);
}

/// What a repetition may change is repeated three times, and nothing else is.
#[test]
fn a_server_in_trouble_is_asked_again_three_times() {
    let check = |act: fn() -> Act, troubles: usize, n_requests: usize, is_answered: bool| {
        let server =
            Oracle::start(
                move |number, body| {
                    if number < troubles { act() } else { Act::Say(last_words(body)) }
                },
            );
        let asked = ask(&server.base());
        assert_eq!(asked.is_ok(), is_answered, "{asked:?}");
        assert_eq!(server.heard().len(), n_requests, "{asked:?}");
    };
    let busy = || Act::Refuse(429, "Retry-After: 0\r\n");
    let down = || Act::Refuse(503, "");
    check(busy, 2, 3, true);
    check(busy, 3, 4, true);
    check(busy, 4, 4, false);
    check(down, 3, 4, true);
    check(down, 9, 4, false);
    check(|| Act::Die, 3, 4, true);
    check(|| Act::Die, 9, 4, false);
    check(|| Act::Refuse(429, "Retry-After: 3600\r\n"), 9, 1, false);
    check(|| Act::Refuse(400, ""), 9, 1, false);
    check(|| Act::Refuse(401, ""), 9, 1, false);
    check(|| Act::Refuse(404, ""), 9, 1, false);
    check(|| Act::Refuse(302, "Location: /elsewhere\r\n"), 9, 1, false);
    check(|| Act::Body(b"<html>".to_vec()), 9, 1, false);
    check(|| Act::Body(vec![b' '; (4 << 20) + 1]), 9, 1, false);
}

/// A quota that is spent is told from a server that is gone, with the time after which to ask.
#[test]
fn a_quota_that_is_spent_is_known() {
    let check = |act: fn() -> Act, expected: Option<&str>| {
        let server = Oracle::start(move |_, _| act());
        let ModelFailure { error, detail } = ask(&server.base()).unwrap_err();
        assert!(detail.to_string().contains("the quota is exhausted"), "{detail}");
        let retry_after = expected.and_then(RetryAfter::parse);
        assert_eq!(error, CallError::Quota { retry_after }, "{detail}");
        assert_eq!(retry_after.map(RetryAfter::stored).as_deref(), expected);
    };
    check(|| Act::Refuse(402, ""), None);
    check(|| Act::Refuse(429, "Retry-After: 3600\r\n"), Some("3600 s"));
    // Another server is asked as if this one were gone.
    let (spent, server) = (Oracle::start(|_, _| Act::Refuse(402, "")), Oracle::echo());
    check_all(
        run(&ModelPool::new(vec![(chat(&spent.base()), 2), (chat(&server.base()), 2)], 4), 10),
        10,
    );
}

/// What a model said before it was cut off is what it said, and it is paid for.
#[test]
fn an_answer_that_was_cut_off_is_handed_back_as_it_is() {
    let server = Oracle::start(|_, _| {
        let body = r#"{"choices": [{"message": {"content": "Verdict: p"},
            "finish_reason": "length"}], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}"#;
        Act::Body(body.as_bytes().to_vec())
    });
    let answer = ask(&server.base()).unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.tokens()), ("Verdict: p", Some(8)));
}

/// One connection for each question that is under way, however many questions there are.
#[test]
fn connections_are_used_again() {
    let server = Oracle::echo();
    let pool = ModelPool::new(vec![(chat(&server.base()), 4)], 4);
    check_all(run(&pool, 200), 200);
    assert_eq!(server.heard().len(), 200);
    assert!(server.connections() <= 4, "{}", server.connections());
}

#[test]
fn the_answers_are_the_same_at_any_number_of_workers() {
    let servers = [Oracle::echo(), Oracle::echo()];
    for concurrency in [1, 4, 16] {
        let models = servers.iter().map(|it| (chat(&it.base()), concurrency)).collect();
        check_all(run(&ModelPool::new(models, concurrency), 100), 100);
    }
}

#[test]
fn a_server_that_is_not_there_leaves_its_questions_to_another() {
    let server = Oracle::echo();
    let pool = ModelPool::new(vec![(chat(&nowhere()), 4), (chat(&server.base()), 4)], 8);
    check_all(run(&pool, 100), 100);
}

#[test]
fn a_server_that_dies_in_the_middle_leaves_its_questions_to_another() {
    let dying = Oracle::start(
        |number, body| {
            if number < 20 { Act::Say(last_words(body)) } else { Act::Die }
        },
    );
    let server = Oracle::echo();
    let pool = ModelPool::new(vec![(chat(&dying.base()), 4), (chat(&server.base()), 4)], 8);
    check_all(run(&pool, 200), 200);
}

#[test]
fn a_server_that_does_not_answer_leaves_its_questions_to_another() {
    let silent = Oracle::start(|_, _| Act::Hang);
    let server = Oracle::echo();
    let mut settings = settings(&silent.base());
    settings.timeout = Timeout::Try(Duration::from_millis(200));
    let models: Vec<(Arc<dyn Model>, usize)> =
        vec![(Arc::new(ChatModel::new("m-1", settings).unwrap()), 2), (chat(&server.base()), 2)];
    check_all(run(&ModelPool::new(models, 4), 30), 30);
    // What took too long once is not asked again of the same server.
    let mut asked: Vec<String> = silent.heard().iter().map(|it| last_words(&it.body)).collect();
    let count = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), count);
}

#[test]
fn servers_that_are_all_gone_are_said_to_be_so() {
    let pool = ModelPool::new(vec![(chat(&nowhere()), 2), (chat(&nowhere()), 2)], 4);
    for heard in run(&pool, 10) {
        let problem = heard.unwrap_err();
        assert_eq!(problem.error.class(), FailureClass::Transient, "{problem:?}");
        assert!(problem.to_string().contains("cannot reach"), "{problem}");
    }
}

#[test]
fn questions_under_way_break_off_when_somebody_asks_for_it() {
    let server = Oracle::start(
        |number, body| {
            if number == 0 { Act::Say(last_words(body)) } else { Act::Hang }
        },
    );
    let pool = ModelPool::new(vec![(chat(&server.base()), 3)], 3);
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let mut heard = 0;
            let mut questions = (0..).map(|it: u32| question(&it.to_string()));
            let ended = pool.run(&mut questions, &cancel, &mut |_, _, result| {
                assert!(result.is_ok());
                heard += 1;
                ControlFlow::Continue(())
            });
            (ended, heard)
        });
        until(|| server.heard().len() >= 4);
        cancel.cancel();
        let (ended, heard) = running.join().unwrap();
        assert_eq!(ended, Ended::Cancelled);
        assert!(heard <= 1, "{heard}");
    });
}

fn program(world: &World, argv: &[&str]) -> CommandModelSettings {
    CommandModelSettings {
        argv: argv.iter().map(|&it| it.to_owned()).collect(),
        cwd: world.path.clone(),
        env: environment::inherited(environment::PLAIN, std::env::vars()),
        guardian: guardian(),
        sandbox: None,
        check: Arc::new(|_| Ok(())),
        timeout: AGES,
    }
}

fn command(world: &World, script: &str) -> CommandModel {
    CommandModel::new(program(world, &["sh", "-c", script]))
}

fn guardian() -> Guardian {
    Guardian { program: PROBE.into(), args: vec!["guardian".to_owned()] }
}

#[test]
fn a_program_reads_a_question_and_writes_an_answer() {
    let world = World::new();
    let ask = |script: &str, text: &str| {
        command(&world, script).ask(&question(text), &Cancel::new()).unwrap()
    };
    let counts =
        r#"n=$(grep -c '"schema":"provost.learn.question/1".*中文'); echo "{\"text\":\"$n\"}""#;
    assert_eq!(ask(counts, "中文 $(touch x)").text, "1");
    assert!(!world.has("x"));
    // Longer than a socket holds at once.
    let length = r#"n=$(wc -c); printf '{"text":"%d"}' "$n""#;
    let long: usize = ask(length, &"y".repeat(3 << 20)).text.parse().unwrap();
    assert!(long > 3 << 20, "{long}");
    // It may leave its input alone.
    let says = r#"printf %s '{"text":"ja\nnein","spent":{"prompt_tokens":3,"micro_usd":7}}'"#;
    let answer = ask(says, "x");
    let usd = Some(Usd::micros(7));
    let usage = Usage { input_tokens: Some(3), output_tokens: Some(0), usd };
    assert_eq!((answer.text.as_str(), answer.usage), ("ja\nnein", usage));
    assert!(ask(r#"echo '{"text":"12345678"}'"#, "x").usage.is_unknown());
}

/// What a program must not read, such as the labels of the tickets, can be hidden from it.
#[test]
fn a_program_in_a_sandbox_still_reads_its_question() {
    let world = World::new();
    world.write("outside/labels", "pass");
    let script = r#"n=$(grep -c messages); echo "{\"text\":\"$n $(cat outside/labels)\"}""#;
    let mut settings = program(&world, &["sh", "-c", script]);
    settings.sandbox = Some(Sandbox {
        writable: vec![world.path.join("tree")],
        hidden: vec![world.path.join("outside")],
        network: Network::On,
        files: Requirement::Must,
        limits: provost_exec::Limits::default(),
    });
    let answer = CommandModel::new(settings).ask(&question("x"), &Cancel::new()).unwrap();
    assert_eq!(answer.text, "1 ");
}

#[test]
fn a_program_that_fails_has_not_answered_whatever_it_printed() {
    let world = World::new();
    let check = |script: &str, expected: &str| {
        let problem = command(&world, script).ask(&question("x"), &Cancel::new()).unwrap_err();
        assert!(problem.to_string().contains(expected), "{script}: {problem}");
    };
    check(r#"echo '{"text":"x"}'; exit 3"#, "exited with 3");
    check(r#"echo '{"text":"x"}'; kill -9 $$"#, "killed by signal 9");
    check("true", "invalid output");
    check("echo ja", "invalid output");
    check(r#"echo '{"text":"x"} {"text":"y"}'"#, "invalid output");
    check(r#"echo '{"text":"x","text":"y"}'"#, "invalid output");
    check(r#"echo '{"said":"x"}'"#, "invalid output");
    check("head -c 9000000 /dev/zero", "larger than 4 MiB");

    let refuse = |_: &[String]| {
        Err(Finding {
            rule: "command.sudo".into(),
            severity: Severity::P0,
            subject: "sudo".to_owned(),
            message: "no".into(),
            hint: None,
        })
    };
    for settings in [
        program(&world, &["no-such-program"]),
        program(&world, &[]),
        CommandModelSettings { check: Arc::new(refuse), ..program(&world, &["true"]) },
        CommandModelSettings {
            timeout: Duration::from_millis(100),
            ..program(&world, &["sleep", "3600"])
        },
    ] {
        let problem = CommandModel::new(settings).ask(&question("x"), &Cancel::new()).unwrap_err();
        assert_ne!(problem.error.class(), FailureClass::NotRecorded, "{problem:?}");
    }
}

#[test]
fn a_program_ends_when_somebody_asks_for_it() {
    let world = World::new();
    let mark = world.at("started");
    let model = command(&world, &format!("touch {mark}; sleep 3600 & sleep 3600 {mark}"));
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| model.ask(&question("x"), &cancel));
        until(|| world.has("started"));
        cancel.cancel();
        assert!(asking.join().unwrap().is_err());
    });
    assert_eq!(world.living(), [0; 0]);
    assert!(model.ask(&question("x"), &cancel).is_err());
}

#[test]
fn the_endpoints_of_a_mission_make_a_pool() {
    let world = World::new();
    let server = Oracle::echo();
    let digest = question("0").digest().unwrap();
    let line = format!(r#"{{"request_sha256":"{digest}","answer":{{"text":"recorded"}}}}"#);
    world.write("calls.jsonl", &(line + "\n"));
    let keys = Keys::of(["K"], &[("K".to_owned(), "hush".to_owned())].into());
    let env = environment::inherited(environment::PLAIN, std::env::vars());
    let supplies = ModelSupplies {
        keys: &keys,
        folder: &world.path,
        guardian: &guardian(),
        env: &env,
        sandbox: None,
        check: Arc::new(|_| Ok(())),
    };
    let pool = |endpoint: Endpoint, concurrency: u32| assemble(&[endpoint], concurrency, &supplies);
    let chat = |base_url: String| Endpoint::Chat {
        base_url,
        model: "m".to_owned(),
        key_variable: Some("K".to_owned()),
        concurrency: 8,
        timeout_seconds: 60,
    };
    let of_chat = pool(chat(server.base()), 3).unwrap();
    assert_eq!(of_chat.concurrency(), 3);
    check_all(run(&of_chat, 10), 10);
    assert!(server.heard()[0].head.to_ascii_lowercase().contains("bearer hush"));
    assert!(pool(chat("http://x.example".to_owned()), 1).is_err(), "a key in the open");

    let argv = ["sh", "-c", "echo '{\"text\":\"said\"}'"].map(str::to_owned);
    let command = Endpoint::Command {
        command: argv.to_vec(),
        model: None,
        concurrency: 2,
        timeout_seconds: 60,
    };
    assert_eq!(run(&pool(command, 9).unwrap(), 3), ["said"; 3].map(|it| Ok(it.to_owned())));

    let recording = |path: &str| Endpoint::Recording { path: path.to_owned(), model: None };
    let heard = run(&pool(recording("calls.jsonl"), 4).unwrap(), 2);
    assert_eq!(heard[0], Ok("recorded".to_owned()));
    let missed = heard[1].as_ref().unwrap_err();
    assert_eq!(missed.error.class(), FailureClass::NotRecorded);
    assert!(pool(recording("absent.jsonl"), 4).is_err());
}
