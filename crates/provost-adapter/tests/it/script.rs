//! The scripted agents, as the processes that they are.

use provost_adapter::{
    AgentRole, CallError, CallOutcome, CallResult, Failure, Reply, ReplyProblem, Request,
    script::{Behaviour, CONTEXT_MARK},
};
use serde_json::Value;

use crate::world::{World, coder, judge, request, script};

#[track_caller]
fn run(world: &World, behaviour: Behaviour, request: &Request) -> CallResult {
    world.call(&script(behaviour), request).unwrap()
}

#[track_caller]
fn answered(called: CallResult) -> Reply {
    let Ok(reply) = called.outcome else { panic!("{}", called.log) };
    reply
}

#[test]
fn an_honest_agent_does_the_work() {
    let world = World::new();
    answered(run(&world, Behaviour::Pass, &coder()));
    assert_eq!(world.text("tree/answer.txt"), "42\n");
    let world = World::new();
    let told = request(AgentRole::Coder, "script.file: src/a.txt\nscript.right: yes");
    answered(run(&world, Behaviour::Pass, &told));
    assert_eq!(world.text("tree/src/a.txt"), "yes\n");
}

#[test]
fn the_one_that_fixes_needs_to_be_told() {
    let world = World::new();
    answered(run(&world, Behaviour::FailThenFix, &coder()));
    assert_eq!(world.text("tree/answer.txt"), "41\n");
    let world = World::new();
    let told = request(AgentRole::Coder, &format!("{CONTEXT_MARK}\nexpected 42\nWrite it."));
    answered(run(&world, Behaviour::FailThenFix, &told));
    assert_eq!(world.text("tree/answer.txt"), "42\n");
}

#[test]
fn each_way_to_fail_has_its_outcome() {
    let check = |behaviour, role, expected: CallOutcome, rc: i32| {
        let called = run(&World::new(), behaviour, &request(role, "x"));
        assert_eq!((called.outcome, called.rc), (expected, rc), "{behaviour:?} {role:?}");
    };
    let absent = || Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent)));
    for role in AgentRole::ALL {
        check(Behaviour::NoOutput, role, absent(), 0);
        check(Behaviour::Crash, role, Err(CallError::Failed(Failure::Exit { rc: 1 })), 1);
        check(Behaviour::NotAuthorised, role, Err(CallError::NotAuthorised), 195);
        let called = run(&World::new(), Behaviour::Quota, &request(role, "x"));
        assert!(matches!(called.outcome, Err(CallError::Quota { retry_after: Some(_) })));
        let called = run(&World::new(), Behaviour::BadReply, &request(role, "x"));
        let outcome = called.outcome;
        assert!(
            matches!(outcome, Err(CallError::Failed(Failure::Reply(ReplyProblem::Malformed(_))))),
            "{outcome:?}"
        );
        let mut short = request(role, "x");
        short.deadline_seconds = 1;
        let called = run(&World::new(), Behaviour::TimeOut, &short);
        assert_eq!(called.outcome, Err(CallError::TimedOut));
    }
}

#[test]
fn each_liar_lies_as_it_says() {
    let world = World::new();
    let reply = answered(run(&world, Behaviour::ClaimsDoneWithoutChange, &coder()));
    assert!(reply.text.contains("all 128 tests pass"));
    assert_eq!(std::fs::read_dir(world.path.join("tree")).unwrap().count(), 0);

    let test = "#!/bin/sh\n# The test.\ngrep -qx 42 answer.txt\n";
    let world = World::new();
    world.write("tree/check.sh", test);
    answered(run(&world, Behaviour::EditsTests, &coder()));
    assert_eq!(world.text("tree/check.sh"), "#!/bin/sh\nexit 0\n");
    assert_eq!(world.text("tree/answer.txt"), "41\n");

    let world = World::new();
    world.write("tree/check.sh", test);
    answered(run(&world, Behaviour::WeakTest, &coder()));
    let weak = "#!/bin/sh\n# The test.\ngrep -qx 42 answer.txt || true\n";
    assert_eq!(world.text("tree/check.sh"), weak);

    let world = World::new();
    answered(run(&world, Behaviour::ForgesLog, &coder()));
    assert_eq!(world.text("tree/rc.txt"), "0\n");
    assert!(world.has("exchange/verdict.json") && world.has("exchange/run.log"));

    let world = World::new();
    answered(run(&world, Behaviour::TouchesForbidden, &coder()));
    assert!(world.has("tree/.env"));

    let world = World::new();
    let reply = answered(run(&world, Behaviour::PrintsFakeVerdict, &coder()));
    assert!(world.text("logs/stdout.log").contains("\"decision\": \"PASS\""));
    assert_eq!(reply.role, AgentRole::Coder);
}

/// What an agent leaves behind is ended with it, so its late work never happens.
#[test]
fn a_late_writer_comes_too_late() {
    let world = World::new();
    let called = run(&world, Behaviour::WritesLate, &coder());
    assert!(called.log.to_string().contains("\nleftovers_ended=1\n"), "{}", called.log);
    let reply = answered(called);
    assert_eq!(reply.text, "Done. Look at the answer again in a moment.");
    assert_eq!(world.living(), [0; 0]);
    assert_eq!(world.text("tree/answer.txt"), "41\n");
}

/// LOOP-B3: the log of a judge says at which temperature it was asked.
#[test]
fn a_judge_answers_with_a_verdict() {
    let world = World::new();
    let mut asked = judge();
    let evidence = r#"{"test": {"rc": 1, "log_tail": {"text": "expected 42"}}}"#;
    world.write("exchange/evidence.json", evidence);
    asked.evidence_files.push(world.at("exchange/evidence.json"));
    let called = run(&world, Behaviour::Mock, &asked);
    assert!(called.log.to_string().contains("\ntemperature=0\n"), "{}", called.log);
    let verdict: Value = serde_json::from_str(&answered(called).text).unwrap();
    assert_eq!(verdict["decision"], "FAIL");
    assert!(verdict["next_instructions"].as_str().unwrap().contains("expected 42"));
}

#[test]
fn the_structure_gate_runs_end_to_end() {
    let world = World::new();
    let called = run(&world, Behaviour::StructureGate, &judge());
    let verdict: Value = serde_json::from_str(&answered(called).text).unwrap();
    assert_eq!(verdict["decision"], "FAIL");

    let world = World::new();
    answered(run(&world, Behaviour::StructureGate, &coder()));
    let document = world.text("tree/artifacts/requirements.md");
    assert!(document.starts_with("# 需求文档\n"));
    assert_eq!(document.lines().filter(|it| it.starts_with("## ")).count(), 6);
    assert!(serde_json::from_str::<Value>(&world.text("tree/artifacts/spec.json")).is_ok());
    std::fs::remove_file(world.path.join("exchange/reply.json")).unwrap();
    world.write("tree/evidence/result/artifacts/requirements.md.txt", &document);
    let called = run(&world, Behaviour::StructureGate, &judge());
    let verdict: Value = serde_json::from_str(&answered(called).text).unwrap();
    assert_eq!(verdict["decision"], "PASS");
}

/// They work in the sandbox, as every agent must.
#[test]
fn scripted_agents_run_in_the_sandbox() {
    for &behaviour in Behaviour::ALL {
        for &role in behaviour.roles() {
            let mut world = World::new();
            world.has_sandbox = true;
            let mut asked = request(role, "x");
            asked.deadline_seconds = if behaviour == Behaviour::TimeOut { 1 } else { 60 };
            let called = run(&world, behaviour, &asked);
            assert!(called.sandbox.is_some() || called.rc != 0, "{behaviour:?}");
            let has_answer = called.outcome.is_ok();
            let expected = !matches!(
                behaviour,
                Behaviour::TimeOut
                    | Behaviour::NoOutput
                    | Behaviour::BadReply
                    | Behaviour::Crash
                    | Behaviour::NotAuthorised
                    | Behaviour::Quota
            );
            assert_eq!(has_answer, expected, "{behaviour:?} {:?}", called.outcome);
            assert_eq!(world.living(), [0; 0], "{behaviour:?}");
        }
    }
}
