//! Recording a real agent, and playing the recording without it.

use std::{
    fs::OpenOptions,
    io::{self, Write},
};

use provost_adapter::{
    AdapterError, CallError,
    recording::{RecorderAdapter, RecordingAdapter},
    script::Behaviour,
};

use crate::world::{World, judge, script};

/// LOOP-B3: a recorded judge is asked at temperature 0 as well.
#[test]
fn what_was_recorded_is_what_is_played() {
    let world = World::new();
    let tape = world.path.join("tape.jsonl");
    let file = OpenOptions::new().create(true).append(true).open(&tape).unwrap();
    let recorder = RecorderAdapter::new(Box::new(script(Behaviour::Mock)), Box::new(file));
    let mut requests = [judge(), judge()];
    for (rc, request) in [0, 1].into_iter().zip(&mut requests) {
        let name = format!("exchange/evidence-{rc}.json");
        let evidence = format!(r#"{{"test": {{"rc": {rc}}}}}"#);
        world.write(&name, &evidence);
        request.evidence = evidence;
        request.evidence_files.push(world.at(&name));
    }
    let recorded = requests.each_ref().map(|request| {
        let called = world.call(&recorder, request).unwrap();
        std::fs::remove_file(world.path.join("exchange/reply.json")).unwrap();
        called
    });

    let player = RecordingAdapter::read("tape", &world.text("tape.jsonl")).unwrap();
    for (request, recorded) in requests.iter_mut().zip(recorded) {
        // Another run of the same question.
        request.task_code = "another".to_owned();
        request.deadline_seconds = 1;
        request.evidence_files.clear();
        let played = world.call(&player, request).unwrap();
        assert_eq!(played.outcome, recorded.outcome);
        assert!(played.outcome.is_ok());
        assert!(played.log.lines().contains(&"temperature=0".to_owned()), "{}", played.log);
    }
    let mut other = judge();
    other.evidence = r#"{"test": {"rc": 2}}"#.to_owned();
    let error = world.call(&player, &other).unwrap_err();
    assert!(error.to_string().contains("differs first in `/evidence` at character 16"), "{error}");
}

#[test]
fn a_failure_is_passed_on_and_not_recorded() {
    let world = World::new();
    let tape = world.path.join("tape.jsonl");
    let file = OpenOptions::new().create(true).append(true).open(&tape).unwrap();
    let recorder = RecorderAdapter::new(Box::new(script(Behaviour::Crash)), Box::new(file));
    let called = world.call(&recorder, &judge()).unwrap();
    assert!(matches!(called.outcome, Err(CallError::Failed(_))));
    assert_eq!(world.text("tape.jsonl"), "");
}

#[test]
fn an_answer_that_cannot_be_recorded_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let recorder = RecorderAdapter::new(Box::new(script(Behaviour::Pass)), Box::new(Full));
    let error = World::new().call(&recorder, &judge()).unwrap_err();
    assert!(matches!(error, AdapterError::NotKept { .. }), "{error:?}");
}
