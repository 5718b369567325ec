//! What people are told by the commands that run: each change once, whatever happens to the sender.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::{Child, Stdio},
    sync::Arc,
    time::Duration,
};

use camino::Utf8Path;
use provost_desk::Desk;
use provost_kernel::{TaskId, Text, task::State};
use provost_testkit::{
    changes,
    receiver::{Receiver, Reception},
    telegram::ScriptedApi,
};
use provost_vault::{Layout, SystemClock, prepare_home};
use serde_json::{Value, json};

use crate::{loop_live::until, loop_world::Loop, world::World};

/// The home of a world as the commands of that world see it.
fn desk(it: &Loop) -> Desk {
    let home = it.world.path("repo/.provost");
    let state = it.world.path("home/.local/state");
    let (home, state) = (Utf8Path::from_path(&home).unwrap(), Utf8Path::from_path(&state).unwrap());
    let layout = Layout::new(home, None, state);
    prepare_home(&provost_vault::RealDisk, &layout).unwrap();
    Desk::new(layout, Arc::new(SystemClock))
}

pub(crate) fn configure(it: &Loop, receiver: &Receiver) {
    let text = format!("[notify]\nwebhook = \"{}\"\n", receiver.url("/hook"));
    it.world.write("repo/.provost/local.toml", text);
}

/// A server that sends notifications.
pub(crate) fn serve(it: &Loop) -> Child {
    let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
    command.args(["serve", "--unguarded", "--listen", "127.0.0.1:0"]);
    command.env("RDLOOP_NOTIFY_RATE_LIMIT", "60");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The fingerprints of each message that arrived.
pub(crate) fn messages(receiver: &Receiver) -> Vec<Vec<String>> {
    let prints = |body: &Value| {
        let notices = body["notices"].as_array().unwrap().clone();
        notices.iter().map(|it| it["fingerprint"].as_str().unwrap().to_owned()).collect()
    };
    receiver.requests().iter().map(|it| prints(&it.json())).collect()
}

/// LOOP-A16: every change is reported or folded into a digest, none is lost, and only the message of the
/// crash can come twice.
#[test]
fn five_hundred_changes_and_a_kill_lose_nothing() {
    let (it, receiver) = (Loop::new(), Receiver::start());
    configure(&it, &receiver);
    let desk = desk(&it);
    let mut server = serve(&it);
    let cursor = desk.layout().outbox_cursor().path();
    until(|| cursor.exists());
    for n in 0..500 {
        let id: TaskId = format!("t{n}").parse().unwrap();
        let mut open = changes::create(&desk, &id);
        changes::change(&mut open, State::Failed, None, &Text::verbatim("it failed"));
        if n == 250 {
            receiver.wait_for(|it| !it.is_empty(), Duration::from_mins(1));
            server.kill().unwrap();
            server.wait().unwrap();
            server = serve(&it);
        }
    }
    let told = || messages(&receiver).concat().into_iter().collect::<BTreeSet<_>>().len();
    until(|| told() == 500);
    server.kill().unwrap();
    server.wait().unwrap();
    let messages = messages(&receiver);
    let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, prints) in messages.iter().enumerate() {
        for print in prints {
            of.entry(print).or_default().push(at);
        }
    }
    let repeated: BTreeSet<usize> =
        of.values().filter(|it| it.len() > 1).filter_map(|it| it.first().copied()).collect();
    assert!(repeated.len() <= 1, "one message at most comes again: {repeated:?}");
    assert!(of.values().all(|it| it.len() <= 2));
    assert!(messages.iter().any(|it| it.len() > 1), "what is over the limit is a digest");
}

/// A run tells of its result, and a receiver that is away holds nothing up.
#[test]
fn a_run_tells_of_its_result_once() {
    let (it, receiver) = (Loop::new(), Receiver::start());
    configure(&it, &receiver);
    receiver.close();
    let ran = it.run("t1", json!({}));
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let last = "warning: notifications did not reach `webhook`; `provost notify test` says why, and \
                the next command tries again";
    assert_eq!(ran.stderr().lines().last(), Some(last), "{}", ran.stderr());
    assert_eq!(messages(&receiver).len(), 0);
    receiver.reopen();
    let ran = it.run("t2", json!({}));
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(!ran.stderr().contains("did not reach"), "{}", ran.stderr());
    let mut told: Vec<String> = Vec::new();
    for request in receiver.requests() {
        for notice in request.json()["notices"].as_array().unwrap() {
            assert_eq!(notice["state"], "READY_FOR_REVIEW", "{notice}");
            told.push(notice["task_id"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(told, ["t1", "t2"]);
}

/// A receiver that hangs is waited for once, and what it did not take is told by the next command.
#[test]
fn a_receiver_that_hangs_holds_up_no_run() {
    let (it, receiver) = (Loop::new(), Receiver::start());
    configure(&it, &receiver);
    receiver.always(Reception::Hang);
    let ran = it.run("t1", json!({}));
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("did not reach `webhook`"), "{}", ran.stderr());
    assert_eq!(receiver.requests().len(), 1);
    receiver.always(Reception::Accept);
    it.check("t2", json!({}), 0, "READY_FOR_REVIEW");
    let told: BTreeSet<String> = messages(&receiver).concat().into_iter().collect();
    assert_eq!((told.len(), it.status("t1")["state"].as_str()), (2, Some("READY_FOR_REVIEW")));
}

/// A failure is told with its reason, in the language of notifications and not in that of the command.
#[test]
fn a_failure_is_told_with_its_reason() {
    let (it, receiver) = (Loop::new(), Receiver::start());
    let text = format!("[notify]\nwebhook = \"{}\"\nlang = \"zh\"\n", receiver.url("/hook"));
    it.world.write("repo/.provost/local.toml", text);
    it.coder("echo 41 >answer.txt; reply done");
    it.judge(&crate::loop_world::plain("FAIL"));
    let ran = it.run("t1", json!({ "max_attempts": 1, "test_cmd": "grep -qx 42 answer.txt" }));
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let requests = receiver.requests();
    let body = requests.last().unwrap().json();
    let notice = &body["notices"][0];
    assert_eq!((&body["title"], &notice["state"]), (&json!("🔴 t1 已失败"), &json!("FAILED")));
    assert_eq!(notice["message"], "第 1 次尝试失败（共 1 次），次数已用完");
    assert_eq!((&notice["attempt"], &notice["count"]), (&json!(1), &json!(1)));
    let reasons = notice["reasons"].as_array().unwrap();
    assert!(reasons.contains(&json!("测试失败，退出码 1")), "{notice:#}");
    let text = body["text"].as_str().unwrap();
    assert!(text.contains("测试失败，退出码 1\n"), "{text}");
    assert!(text.contains("第 1 次尝试，共 1 次"), "{text}");
}

#[test]
fn a_test_message_says_which_channel_failed() {
    let (world, receiver) = (World::new(), Receiver::start());
    world.folder("repo/.provost");
    provost_snapshot!(world.provost().args(["notify", "test"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: no channel is set up
    hint: set `notify.desktop = true`, `notify.webhook`, `notify.ntfy` or `notify.command` in `.provost/local.toml`, or `TELEGRAM_BOT_TOKEN` and `TELEGRAM_CHAT_ALLOWLIST`: docs/notify.md
    ");
    let taken = world.path("taken.json");
    let text = format!(
        "[notify]\nwebhook = \"{}\"\ncommand = \"tee '{}'\"\n",
        receiver.url("/hook"),
        taken.display()
    );
    world.write("repo/.provost/local.toml", text);
    provost_snapshot!(world.provost().args(["notify", "test"]), @r"
    exit: 0
    ----- stdout -----
    ✓ webhook: taken
    ✓ command: taken
    ----- stderr -----
    ");
    let said: Value = serde_json::from_slice(&std::fs::read(taken).unwrap()).unwrap();
    assert_eq!(said["notices"][0]["kind"], "test");
    receiver.close();
    provost_snapshot!(world.provost().args(["notify", "test", "--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    ✗ webhook: 无法连接 `webhook`：connection refused
    ✓ command: 已送达
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(["notify", "status"]), @r"
    exit: 0
    ----- stdout -----
    webhook: nothing waits
    command: nothing waits
    ----- stderr -----
    ");
}

/// A half of Telegram tells no chat, and is said.
#[test]
fn a_half_of_telegram_is_said() {
    let (world, receiver) = (World::new(), Receiver::start());
    world.folder("repo/.provost");
    let token = ("TELEGRAM_BOT_TOKEN", "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw");
    let chats = ("TELEGRAM_CHAT_ALLOWLIST", "7");
    let cases = [
        (token, "names no chat to tell", "export TELEGRAM_CHAT_ALLOWLIST=ID"),
        (chats, "the bot has no token", "`notify.telegram_token_file`"),
    ];
    for ((name, value), said, hint) in cases {
        for command in ["test", "status"] {
            let ran = world.provost().args(["notify", command]).variable(name, value).run();
            assert_eq!(ran.exit(), Some(2), "{name} {command}: {}", ran.text());
            let text = ran.stderr();
            assert!(text.contains(said) && text.contains(hint), "{name} {command}: {text}");
        }
    }
    let text = format!("[notify]\nwebhook = \"{}\"\n", receiver.url("/hook"));
    world.write("repo/.provost/local.toml", text);
    for ((name, value), said, _) in cases {
        for (command, exit) in [("test", 1), ("status", 0)] {
            let ran = world.provost().args(["notify", command]).variable(name, value).run();
            assert_eq!(ran.exit(), Some(exit), "{name} {command}: {}", ran.text());
            let shown = ran.stdout();
            let line = shown.lines().find(|it| it.contains("telegram: ")).unwrap_or_default();
            assert!(line.contains(said), "{name} {command}: {shown}");
        }
    }
}

/// What is wrong with a secret in a file names that file.
#[test]
fn a_wrong_token_file_is_named() {
    let world = World::new();
    world.folder("home/secrets");
    world.write("home/secrets/token", "not a token\n");
    let set = |name: &str, mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(world.path(name), mode).unwrap();
    };
    set("home/secrets", 0o755);
    set("home/secrets/token", 0o600);
    let test = |named: &str| {
        let text = format!("[notify]\ntelegram_token_file = \"{named}\"\n");
        world.write("repo/.provost/local.toml", text);
        let ran = world.provost().args(["notify", "test"]).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        ran.stderr()
    };
    let said = test("~/secrets/token");
    assert!(
        said.contains("home/secrets/token`, which `notify.telegram_token_file` names"),
        "{said}"
    );
    assert!(!said.contains("TELEGRAM_BOT_TOKEN"), "{said}");
    let said = test("~/secrets");
    assert!(said.contains("is not a file") && !said.contains("chmod"), "{said}");
    set("home/secrets/token", 0o644);
    let said = test("~/secrets/token");
    assert!(said.contains("hint: `chmod 600 ") && said.contains("home/secrets/token`"), "{said}");
}

/// A repository that names a program or an address is refused; its secrets must be private.
#[test]
fn a_repository_cannot_redirect_notifications() {
    let world = World::new().with("repo/provost.toml", "[notify]\ncommand = \"touch owned\"\n");
    provost_snapshot!(world.provost().args(["notify", "test"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `notify.command` (`[WORLD]/repo/provost.toml:2`) may not come from a repository: it would decide where your notifications go
    hint: move it to `~/.config/provost/provost.toml` or `.provost/local.toml`
    ");
    assert!(!world.path("repo/owned").exists());
}

/// LOOP-A10: an agent sends no message in the person's name, and does not read what signs for them.
#[test]
fn an_agent_neither_sends_nor_reads_secrets() {
    let (it, receiver) = (Loop::new(), Receiver::start());
    it.world.write("home/hook-secret", "MARKER-OF-THE-SECRET\n");
    let file = it.world.path("home/hook-secret");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, mode).unwrap();
    let hook = receiver.url("/hook");
    let text = format!("[notify]\nwebhook = \"{hook}\"\nwebhook_secret_file = \"~/hook-secret\"\n");
    it.world.write("repo/.provost/local.toml", text);
    let program = env!("CARGO_BIN_EXE_provost");
    it.coder(&format!(
        "echo 42 >answer.txt; cat '{}'; '{program}' notify test; echo \"rc $?\"",
        file.display()
    ));
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let printed = it.text("t1/attempt_001/coder/stdout.log");
    assert!(printed.contains("rc ") && !printed.contains("rc 0"), "{printed}");
    assert!(!printed.contains("MARKER-OF-THE-SECRET"), "{printed}");
    let tests =
        receiver.requests().iter().filter(|it| it.json()["notices"][0]["kind"] == "test").count();
    assert_eq!(tests, 0);
    // The person can.
    let ran = it.provost(&["notify", "test"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.stderr());
}

/// LOOP-A10: an agent chooses the environment of what it starts, and not where the person is told.
#[test]
fn a_run_below_an_agent_redirects_and_uses_up_nothing() {
    let (it, own, other) = (Loop::new(), Receiver::start(), Receiver::start());
    configure(&it, &own);
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(messages(&own).len(), 1);
    let api = ScriptedApi::start();
    let spec = it.spec("t2", json!({}));
    let ran = it
        .provost(&["run", spec.to_str().unwrap()])
        .variable("CLAUDECODE", "1")
        .variable("PROVOST_NOTIFY_WEBHOOK", other.url("/hook"))
        .variable("TELEGRAM_API_URL", api.url())
        .variable("TELEGRAM_BOT_TOKEN", api.token())
        .variable("TELEGRAM_CHAT_ALLOWLIST", "7")
        .run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let wait = "notifications wait for your next command, `provost serve` or `provost bot`: ";
    assert!(ran.stderr().contains(wait), "{}", ran.stderr());
    assert_eq!((messages(&own).len(), messages(&other).len(), api.requests().len()), (1, 0, 0));
    // The person is told of both by their own next command.
    it.check("t3", json!({}), 0, "READY_FOR_REVIEW");
    let told: Vec<Value> = receiver_tasks(&own);
    assert_eq!(told, ["t1", "t2", "t3"]);
}

/// What was told at one address was not told at another.
#[test]
fn another_address_uses_up_no_message() {
    let (it, own, other) = (Loop::new(), Receiver::start(), Receiver::start());
    configure(&it, &own);
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    configure(&it, &other);
    it.check("t2", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(receiver_tasks(&other), ["t2"]);
    configure(&it, &own);
    it.check("t3", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(receiver_tasks(&own), ["t1", "t2", "t3"]);
}

/// The tasks of every notice that arrived, in order.
fn receiver_tasks(receiver: &Receiver) -> Vec<Value> {
    let notices = |body: Value| body["notices"].as_array().unwrap().clone();
    let all = receiver.requests().into_iter().flat_map(|it| notices(it.json()));
    all.map(|it| it["task_id"].clone()).collect()
}

/// What signs for the person and what lets them in is not sent around, whoever writes it.
#[test]
fn the_secrets_of_channels_are_not_told() {
    let (it, receiver) = (Loop::new(), Receiver::start());
    configure(&it, &receiver);
    let token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
    let question = format!("Is hook-secret or {token} right?");
    it.judge(&json!({
        "decision": "NEED_USER_INPUT", "reasons": ["hook-secret is it"], "next_instructions": "",
        "questions_for_user": [question],
    }));
    let spec = it.spec("t1", json!({}));
    let ran = it
        .provost(&["run", spec.to_str().unwrap()])
        .variable("PROVOST_WEBHOOK_SECRET", "hook-secret")
        .variable("TELEGRAM_BOT_TOKEN", token)
        .run();
    assert_eq!(ran.exit(), Some(3), "{}", ran.text());
    let body = receiver.requests().pop().unwrap().json().to_string();
    assert!(body.contains("Is [REDACTED] or [REDACTED] right?"), "{body}");
    assert!(body.contains("[REDACTED] is it"), "{body}");
    assert!(!body.contains("hook-secret") && !body.contains("AAHdqT"), "{body}");
}
