//! The command protocol, with programs that keep to it.

use std::time::Duration;

use provost_adapter::{
    AdapterError, AgentRole, CallError, CallOutcome, Failure, Keys, Reply, ReplyProblem,
    command::CommandAdapter,
};
use provost_exec::ExecError;
use provost_kernel::{Exit, Finding, Message, Severity, task::Usd};

use crate::world::{AGES, World, coder, judge, until};

/// A program that is a line of shell.
pub(crate) fn shell(script: &str) -> CommandAdapter {
    let argv = ["sh", "-c", script].map(str::to_owned);
    CommandAdapter::new("test", argv.to_vec())
}

/// The start of a reply of a coder.
pub(crate) const CODER: &str = r#"{"schema":"provost.adapter/1","role":"coder""#;

#[test]
fn the_program_gets_what_the_protocol_promises() {
    let world = World::new();
    let script = format!(
        r#"pwd > where; cp "$PROVOST_REQUEST" request; cat | wc -c > input; env > environment; \
        ps -o pgid= -p $$ > group; echo hello; echo trouble >&2; \
        printf '{CODER},"text":"done"}}' > "$PROVOST_REPLY""#
    );
    let keys = Keys::of(["MY_KEY"], &[("MY_KEY".to_owned(), "hush".to_owned())].into());
    let called = world.call(&shell(&script).with_keys(keys), &coder()).unwrap();

    assert_eq!(called.outcome, Ok(Reply::new(AgentRole::Coder, "done".into())));
    assert_eq!(called.rc, 0);
    assert_eq!(world.text("tree/where").trim(), world.at("tree"));
    assert_eq!(world.text("tree/input").trim(), "0");
    let received: provost_adapter::Request =
        serde_json::from_str(&world.text("tree/request")).unwrap();
    assert_eq!(received, coder());
    let environment = world.text("tree/environment");
    assert!(environment.contains("MY_KEY=hush"));
    assert!(environment.contains(&format!("PROVOST_REPLY={}", world.at("exchange/reply.json"))));
    assert!(!environment.contains("CARGO"));
    assert_ne!(world.text("tree/group").trim(), rustix_group());
    assert_eq!(world.text("logs/stdout.log"), "hello\n");
    assert_eq!(world.text("logs/stderr.log"), "trouble\n");
    // The log is provost's own, and has no secret in it.
    let log = called.log.to_string();
    assert!(log.starts_with("adapter=test\nkind=command\nrole=coder\ntask_code=code-1\n"), "{log}");
    assert!(!log.contains("hush") && !log.contains("hello"));
}

fn rustix_group() -> String {
    std::fs::read_to_string("/proc/self/stat")
        .unwrap()
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .nth(2)
        .unwrap()
        .to_owned()
}

#[test]
fn the_exit_code_says_what_the_reply_means() {
    let reply = format!(
        r#"{CODER},"text":"t","usage":{{"input_tokens":5,"output_tokens":2,"usd":0.5}},"session":"s1","retry_after_seconds":60}}"#
    );
    let check = |rc: i32, expected: &str| {
        let world = World::new();
        let script = format!("printf '%s' '{reply}' > \"$PROVOST_REPLY\"; exit {rc}");
        let called = world.call(&shell(&script), &coder()).unwrap();
        assert_eq!(called.rc, rc);
        let outcome = match &called.outcome {
            Ok(reply) => reply.text.clone(),
            Err(error) => error.text().to_string(),
        };
        assert_eq!(outcome, expected, "{rc}");
        // What it cost counts, however it ended.
        assert_eq!(called.usage.tokens(), Some(7), "{rc}");
        assert_eq!(called.usage.usd, Some(Usd::micros(500_000)));
        assert_eq!(called.session.unwrap().as_str(), "s1");
        assert_eq!(called.raw_reply.unwrap(), reply.as_bytes());
    };
    check(0, "t");
    check(1, "exited with 1");
    check(2, "exited with 2");
    check(75, "the quota is exhausted; retry in 60 s");
    check(124, "timed out");
    check(126, "exited with 126");
    check(127, "program not found");
    check(195, "the login or API key is missing or rejected");
    check(206, "exited with 206");
}

#[test]
fn a_program_that_does_not_exist_is_missing() {
    let world = World::new();
    let check = |program: &str, expected: CallOutcome, rc: i32| {
        let adapter = CommandAdapter::new("test", vec![program.to_owned()]);
        let called = world.call(&adapter, &coder()).unwrap();
        assert_eq!((called.outcome, called.rc), (expected, rc), "{program}");
    };
    check("no-such-program-anywhere", Err(CallError::Missing), 127);
    check("/no/such/program", Err(CallError::Missing), 127);
    world.write("outside/plain", "not a program");
    let plain = world.at("outside/plain");
    let adapter = CommandAdapter::new("test", vec![plain]);
    let called = world.call(&adapter, &coder()).unwrap();
    assert_eq!(called.rc, 126);
    assert!(matches!(called.outcome, Err(CallError::Failed(Failure::NotExecutable { .. }))));
}

#[test]
fn a_signal_is_a_failure_with_its_number() {
    let world = World::new();
    let called = world.call(&shell("kill -KILL $$"), &coder()).unwrap();
    assert_eq!(called.outcome, Err(CallError::Failed(Failure::Signal { signal: 9 })));
    assert_eq!(called.rc, 137);
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    let world = World::new();
    let mut request = coder();
    request.deadline_seconds = 1;
    let script = format!(
        r#"printf '{CODER},"text":"early","usage":{{"output_tokens":9}}}}' > "$PROVOST_REPLY"; \
        trap '' TERM; sleep 1000 & sleep 1000"#
    );
    let called = world.call(&shell(&script), &request).unwrap();
    assert_eq!((called.outcome, called.rc), (Err(CallError::TimedOut), 124));
    // A reply of a program that was ended is no answer, but what it cost counts.
    assert_eq!(called.usage.output_tokens, Some(9));
    assert_eq!(world.living(), [0; 0]);
}

/// The caller says how long a program may take to end itself.
#[test]
fn a_program_has_the_grace_that_the_caller_gives() {
    let check = |grace: Duration, says_farewell: bool| {
        let mut world = World::new();
        world.grace = grace;
        let mut request = coder();
        request.deadline_seconds = 1;
        let script = "trap 'sleep 1; touch farewell; exit' TERM; while :; do sleep 0.01; done";
        let called = world.call(&shell(script), &request).unwrap();
        assert_eq!(called.outcome, Err(CallError::TimedOut));
        assert_eq!(world.has("tree/farewell"), says_farewell, "{grace:?}");
    };
    check(Duration::ZERO, false);
    check(AGES, true);
}

/// LOOP-A3: the rules see the command before anything starts.
#[test]
fn a_command_that_the_rules_refuse_is_not_started() {
    let world = World::new();
    let refuse = |argv: &[String]| {
        assert_eq!(argv[0], "sh");
        Err(Finding {
            rule: "command.sudo".into(),
            severity: Severity::P0,
            subject: "sudo".to_owned(),
            message: "no".into(),
            hint: None,
        })
    };
    let error = world.call_checked(&shell("touch started"), &coder(), &refuse).unwrap_err();
    assert!(
        matches!(&error, AdapterError::Exec { source: ExecError::Refused(_), .. }),
        "{error:?}"
    );
    assert_eq!(error.exit(), Exit::Refused);
    assert_eq!(error.to_string(), "cannot run the adapter `test`");
    assert!(!world.has("tree/started"));
}

#[test]
fn the_sandbox_leaves_the_tree_and_the_exchange_folder() {
    let mut world = World::new();
    world.has_sandbox = true;
    world.write("outside/file", "the person's");
    let script = format!(
        r#"echo mine > here; echo x > {}; printf '{CODER},"text":"done"}}' > "$PROVOST_REPLY""#,
        world.at("outside/file")
    );
    let called = world.call(&shell(&script), &coder()).unwrap();
    assert!(called.outcome.is_ok(), "{:?}", called.outcome);
    assert_eq!(world.text("tree/here"), "mine\n");
    assert_eq!(world.text("outside/file"), "the person's");
    assert!(called.sandbox.is_some());
    assert!(called.log.to_string().contains("\nsandbox=files Full"), "{}", called.log);
}

#[test]
fn a_call_ends_when_somebody_asks_for_it() {
    let world = World::new();
    let cancel = world.cancel.clone();
    std::thread::scope(|scope| {
        let script = "touch ready; trap '' TERM; sleep 1000 & sleep 1000";
        let calling = scope.spawn(|| world.call(&shell(script), &coder()).unwrap());
        until(|| world.has("tree/ready"));
        cancel.cancel();
        let called = calling.join().unwrap();
        assert_eq!(called.outcome, Err(CallError::Cancelled));
        assert_eq!(world.living(), [0; 0]);
    });
    // What was cancelled stays so: the next call does not begin.
    let called = world.call(&shell("touch again"), &coder()).unwrap();
    assert_eq!(called.outcome, Err(CallError::Cancelled));
    assert!(!world.has("tree/again"));
}

#[test]
fn a_reply_to_another_role_is_no_answer() {
    let world = World::new();
    let script = format!(r#"printf '{CODER},"text":"PASS"}}' > "$PROVOST_REPLY""#);
    let called = world.call(&shell(&script), &judge()).unwrap();
    let problem = ReplyProblem::OtherRole(AgentRole::Coder);
    assert_eq!(called.outcome, Err(CallError::Failed(Failure::Reply(problem))));
}
