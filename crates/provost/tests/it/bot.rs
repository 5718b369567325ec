//! `provost bot`: the real program, against a Bot API server on loopback.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use provost_testkit::{
    receiver::Receiver,
    telegram::{Answer, ApiRequest, ScriptedApi, Sender},
};
use serde_json::{Value, json};

use crate::{
    loop_live::until,
    loop_world::Loop,
    notify::{configure, messages, serve},
    serve::world,
};

/// How long a test waits. It is a cap, never a measure.
const PATIENCE: Duration = Duration::from_mins(2);
const PERSON: i64 = 7;

/// A bot that runs.
struct Bot<'a> {
    it: &'a Loop,
    child: Child,
}

impl<'a> Bot<'a> {
    fn start(it: &'a Loop, api: &ScriptedApi, variables: &[(&str, &str)]) -> Self {
        Self::of(it, api, &["bot", "--unguarded"], variables)
    }

    fn of(it: &'a Loop, api: &ScriptedApi, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
        command
            .args(args)
            .env("TELEGRAM_API_URL", api.url())
            .env("TELEGRAM_BOT_TOKEN", api.token())
            .env("TELEGRAM_CHAT_ALLOWLIST", PERSON.to_string())
            .envs(variables.iter().copied());
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { it, child }
    }

    /// Waits until it ends; gives its exit code and everything that it printed.
    fn wait(mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        BufReader::new(self.child.stderr.take().unwrap()).read_to_string(&mut text).unwrap();
        BufReader::new(self.child.stdout.take().unwrap()).read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap().code(), text)
    }

    fn terminate(self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(self.it.world.program("kill").args([signal, &pid]).status().unwrap().success());
        self.wait()
    }
}

fn ask(api: &ScriptedApi, text: &str) -> Value {
    let before = api.calls("sendMessage").len();
    let id = api.add_message(&Sender::new(PERSON, PERSON), text);
    let calls = api.wait_for_calls("sendMessage", before + 1, PATIENCE);
    api.wait_until_confirmed(id, PATIENCE);
    calls[before].body.clone()
}

fn lines(it: &Loop, path: &str) -> Vec<Value> {
    it.text(path).lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// LOOP-A10: the start is recorded as calling no model, and a violation ends it with 2 and a line.
#[test]
fn a_bot_is_started_without_a_model_or_not_at_all() {
    let it = world();
    let api = ScriptedApi::start();
    let bot = Bot::start(&it, &api, &[("NO_LLM", "true")]);
    ask(&api, "/tasks");
    let record = it.json("_audit/no_llm_startup_assert.json");
    assert_eq!((&record["module"], &record["NO_LLM"]), (&json!("telegram"), &json!(true)));
    assert_eq!(record["pid"], bot.child.id());
    assert!(record["ts"].is_string(), "{record:#}");
    assert_eq!(bot.terminate("-TERM").0, Some(0));

    for (count, (name, value, context)) in [
        ("NO_LLM", "false", "false"),
        ("NO_LLM", "1", "1"),
        ("TELEGRAM_API_URL", "https://api.openai.com/v1", "api.openai.com"),
        ("TELEGRAM_API_URL", "https://api.anthropic.com", "api.anthropic.com"),
    ]
    .into_iter()
    .enumerate()
    {
        let (exit, text) = Bot::start(&it, &api, &[(name, value)]).wait();
        assert_eq!(exit, Some(2), "{text}");
        assert!(text.contains("NO_LLM_VIOLATION"), "{text}");
        let violations = lines(&it, "_audit/no_llm_violations.jsonl");
        assert_eq!(violations.len(), count + 1);
        let last = &violations[count];
        assert_eq!((&last["module"], &last["context"]), (&json!("telegram"), &json!(context)));
        for field in ["ts", "violation", "pid"] {
            assert!(!last[field].is_null(), "{last:#}");
        }
    }
}

#[test]
fn what_is_missing_or_wrong_is_said_without_the_token() {
    let it = Loop::new();
    let ran = it.provost(&["bot"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("@BotFather"), "{}", ran.stderr());
    let secret = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
    for (name, value) in [
        ("TELEGRAM_BOT_TOKEN", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"),
        ("TELEGRAM_CHAT_ALLOWLIST", "@ann"),
        ("RDLOOP_WRITE_RATE_LIMIT", "many"),
        ("RDLOOP_POLL_INTERVAL", "-1"),
        ("TELEGRAM_API_URL", "http://api.telegram.org"),
    ] {
        let ran =
            it.provost(&["bot"]).variable("TELEGRAM_BOT_TOKEN", secret).variable(name, value).run();
        assert_eq!(ran.exit(), Some(2), "{name}: {}", ran.stderr());
        assert!(!ran.stderr().contains("AAHdqT"), "{name}: {}", ran.stderr());
        assert!(ran.stderr().contains("hint"), "{name}: {}", ran.stderr());
    }
}

/// LOOP-A8, LOOP-A9: orders are taken with the flag alone, and the person's id is on record.
#[test]
fn orders_are_taken_with_the_flag_alone() {
    let it = world();
    let api = ScriptedApi::start();
    let bot = Bot::start(&it, &api, &[("RDLOOP_ENABLE_WRITES", "TRUE")]);
    let said = ask(&api, "/answer asks port 8080");
    assert!(said["text"].as_str().unwrap().contains("takes no orders"), "{said:#}");
    assert_eq!(lines(&it, "_audit/gui_actions.jsonl")[0]["payload"]["refused"], "writes_disabled");
    assert_eq!(bot.terminate("-INT").0, Some(0));

    it.judge(&crate::loop_world::plain("PASS"));
    let bot = Bot::start(&it, &api, &[("RDLOOP_ENABLE_WRITES", "true")]);
    let said = ask(&api, "/answer asks port 8080");
    assert_eq!(said["text"], "Answer: asks goes on (repo)");
    until(|| it.status("asks")["state"] == "READY_FOR_REVIEW");
    let actions = lines(&it, "_audit/gui_actions.jsonl");
    let taken: Vec<&Value> = actions.iter().filter(|it| it["action"] != "order.refused").collect();
    assert_eq!(taken[0]["action"], "task.answer", "{taken:#?}");
    assert!(taken.iter().all(|it| it["source"] == "telegram" && it["actor"] == "7"), "{taken:#?}");
    assert_eq!(bot.terminate("-TERM").0, Some(0));
}

/// Where nothing may run unattended, the chat names what goes on all the same.
#[test]
fn a_refused_resume_says_what_goes_on() {
    let it = world();
    let api = ScriptedApi::start();
    let bot = Bot::of(&it, &api, &["bot"], &[("RDLOOP_ENABLE_WRITES", "true")]);
    for order in ["/resume asks", "/answer asks port 8080"] {
        let said = ask(&api, order);
        let text = said["text"].as_str().unwrap();
        assert!(text.contains("`provost resume asks`"), "{order}: {text}");
        assert!(text.contains("`provost bot --unguarded`"), "{order}: {text}");
    }
    assert_eq!(bot.terminate("-TERM").0, Some(0));
    it.judge(&crate::loop_world::plain("PASS"));
    it.resume("asks", 0, "READY_FOR_REVIEW");
}

/// LOOP-A8, ruling 70: below an agent no bot starts, whatever the flag says. It would send in the person's
/// name, to where the agent's environment says.
#[test]
fn an_agent_starts_no_bot() {
    let it = world();
    let api = ScriptedApi::start();
    for flag in ["true", "false"] {
        let variables = [("RDLOOP_ENABLE_WRITES", flag), ("CLAUDECODE", "1")];
        let (exit, text) = Bot::start(&it, &api, &variables).wait();
        assert_eq!(exit, Some(1), "{text}");
        assert!(text.contains("`CLAUDECODE` is set, so an agent runs here"), "{text}");
    }
    assert_eq!(api.requests().len(), 0);
}

/// LOOP-A8: the same below the process of an agent, which can take its variables away.
#[test]
fn a_process_of_an_agent_starts_no_bot() {
    let it = world();
    let api = ScriptedApi::start();
    let claude = it.world.path("bin/claude");
    it.world.folder("bin");
    it.world.write("bin/claude", std::fs::read("/bin/sh").unwrap());
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&claude, mode).unwrap();
    let program = env!("CARGO_BIN_EXE_provost");
    let mut agent = it.world.program(&claude);
    agent.args(["-c", &format!("'{program}' bot --unguarded; echo \"rc $?\"")]);
    agent
        .env("TELEGRAM_API_URL", api.url())
        .env("TELEGRAM_BOT_TOKEN", api.token())
        .env("TELEGRAM_CHAT_ALLOWLIST", PERSON.to_string())
        .env("RDLOOP_ENABLE_WRITES", "true");
    let agent = agent.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let bot = Bot { it: &it, child: agent.spawn().unwrap() };
    let (_, text) = bot.wait();
    assert!(text.contains("was started by `claude`") && text.contains("rc 1"), "{text}");
    assert_eq!(api.requests().len(), 0);
    assert_eq!(it.status("asks")["state"], "PAUSED");
}

/// LOOP-A8: in the job of a task no bot starts at all.
#[test]
fn a_coder_starts_no_bot() {
    let it = Loop::new();
    let api = ScriptedApi::start();
    let (url, token, program) = (api.url(), api.token(), env!("CARGO_BIN_EXE_provost"));
    it.coder(&format!(
        "export TELEGRAM_API_URL={url} TELEGRAM_BOT_TOKEN={token} TELEGRAM_CHAT_ALLOWLIST={PERSON}\n\
         RDLOOP_ENABLE_WRITES=true '{program}' bot --unguarded; echo \"rc $?\"; echo 42 >answer.txt"
    ));
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let printed = it.text("t1/attempt_001/coder/stdout.log");
    assert!(printed.contains("rc ") && !printed.contains("rc 0"), "{printed}");
    assert_eq!(api.calls("getUpdates").len(), 0);
}

/// Ruling 93: a bot, a server and a run in one project tell each change once.
#[test]
fn a_bot_a_server_and_a_run_tell_each_change_once() {
    let it = world();
    let (api, receiver) = (ScriptedApi::start(), Receiver::start());
    configure(&it, &receiver);
    let bot = Bot::start(&it, &api, &[("RDLOOP_NOTIFY_RATE_LIMIT", "60")]);
    ask(&api, "/help");
    let mut server = serve(&it);
    let ids = ["one", "two", "three"];
    it.judge(&crate::loop_world::plain("PASS"));
    for id in ids {
        it.check(id, json!({}), 0, "READY_FOR_REVIEW");
    }
    let told = || messages(&receiver).concat();
    until(|| told().len() >= ids.len());
    let chat = |id: &str| {
        let title = format!("{id} is ready for review");
        let text = |it: &ApiRequest| it.body["text"].as_str().unwrap_or_default().to_owned();
        api.calls("sendMessage").iter().filter(|it| text(it).contains(&title)).count()
    };
    until(|| ids.iter().all(|it| chat(it) > 0));
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(bot.terminate("-TERM").0, Some(0));
    let told = told();
    assert_eq!(told.iter().collect::<std::collections::BTreeSet<_>>().len(), told.len());
    assert_eq!(ids.map(chat), [1, 1, 1]);
}

#[test]
fn a_second_reader_and_a_revoked_token_are_said_and_end_it() {
    for (answer, exit, said) in [
        (Answer::Conflict, 5, "each project needs a bot of its own: write `/newbot`"),
        (Answer::Unauthorized, 2, "rejected the token"),
    ] {
        let it = Loop::new();
        let api = ScriptedApi::start();
        let bot = Bot::start(&it, &api, &[]);
        ask(&api, "/help");
        api.everything(answer);
        let (code, text) = bot.wait();
        assert_eq!(code, Some(exit), "{text}");
        assert!(text.contains(said) && !text.contains(api.token()), "{text}");
    }
}

/// A signal ends a bot that waits in a poll of 30 s, long before that.
#[test]
fn a_bot_in_a_long_poll_ends_with_a_signal() {
    let it = Loop::new();
    let api = ScriptedApi::start();
    let mut bot = Bot::start(&it, &api, &[]);
    let mut first = String::new();
    let mut stderr = BufReader::new(bot.child.stderr.take().unwrap());
    while !first.contains("reads messages") {
        first.clear();
        assert_ne!(stderr.read_line(&mut first).unwrap(), 0);
    }
    api.wait_for_calls("getUpdates", 1, PATIENCE);
    // Its own command line does not name the token.
    let arguments = std::fs::read(format!("/proc/{}/cmdline", bot.child.id())).unwrap_or_default();
    assert!(!String::from_utf8_lossy(&arguments).contains(api.token()));
    let asked = Instant::now();
    let pid = bot.child.id().to_string();
    assert!(it.world.program("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(bot.child.wait().unwrap().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(25));
}

/// LOOP-U5: an update whose answer a kill cut off comes again, and its order has no second effect.
#[test]
fn an_order_that_a_kill_cut_off_has_one_effect() {
    let it = world();
    it.judge(&crate::loop_world::plain("PASS"));
    let api = ScriptedApi::start();
    let writes = [("RDLOOP_ENABLE_WRITES", "true")];
    api.script("sendMessage", [Answer::Hang]);
    let bot = Bot::start(&it, &api, &writes);
    let id = api.add_message(&Sender::new(PERSON, PERSON), "/answer asks port 8080");
    api.wait_for_calls("sendMessage", 1, PATIENCE);
    assert_eq!(bot.terminate("-KILL").0, None);
    assert_eq!(api.unconfirmed(), [id]);
    let bot = Bot::start(&it, &api, &writes);
    api.wait_until_confirmed(id, PATIENCE);
    until(|| it.status("asks")["state"] == "READY_FOR_REVIEW");
    let actions = lines(&it, "_audit/gui_actions.jsonl");
    let count = |action: &str| actions.iter().filter(|it| it["action"] == action).count();
    assert_eq!((count("task.answer"), count("task.resume")), (1, 1), "{actions:#?}");
    assert_eq!(bot.terminate("-TERM").0, Some(0));
}
