//! The tables of the tracked state.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const NOW: u64 = 1_794_700_800_000;

/// An input with these fields of the client's own, in session `s1`.
fn input(hook: HookType, fields: Value) -> HookInput {
    let mut input = HookInput::empty(hook);
    input.session_id = Some("s1".to_owned());
    input.directory = Some("/p".to_owned());
    let Value::Object(mut fields) = fields else { panic!("{fields} is no object") };
    let mut text = |it: &str| fields.remove(it).map(|it| it.as_str().unwrap().to_owned());
    (input.prompt, input.tool_name) = (text("prompt"), text("tool_name"));
    input.tool_input = fields.remove("tool_input");
    input.fields = fields;
    input
}

fn start_of(id: &str, at: u64) -> Operation {
    let input = input(HookType::SubagentStart, json!({"agent_id": id, "agent_type": "executor"}));
    operation(&input, None, Millis(at)).unwrap()
}

fn stop_of(id: &str, at: u64, fields: Value) -> Operation {
    let mut input = input(HookType::SubagentStop, fields);
    input.fields.insert("agent_id".to_owned(), json!(id));
    operation(&input, None, Millis(at)).unwrap()
}

fn use_of(id: &str, tool: &str, file: Option<&str>) -> Operation {
    let fields = json!({"agent_id": id, "tool_name": tool, "tool_input": {"file_path": file}});
    operation(&input(HookType::PostToolUse, fields), None, Millis(NOW)).unwrap()
}

fn after(operations: impl IntoIterator<Item = Operation>) -> Tracking {
    let apply = |state, it| apply(state, &it, Millis(NOW));
    operations.into_iter().fold(Tracking::default(), apply)
}

fn totals(state: &Tracking) -> [u64; 3] {
    [state.total_spawned, state.total_completed, state.total_failed]
}

/// HOOK-2.2: an agent that starts is counted once, even if reported twice.
#[test]
fn a_start_is_counted_once() {
    let state = after([start_of("a", NOW), start_of("b", NOW), start_of("a", NOW + 9000)]);
    assert_eq!((totals(&state), state.n_running()), ([2, 0, 0], 2));
    let agent = &state.agents[0];
    assert_eq!((agent.agent_id.as_str(), agent.agent_type.as_str()), ("a", "executor"));
    assert_eq!(agent.started_at, Millis(NOW).into(), "the first start is the one that counts");
    assert_eq!(agent.session_id.as_deref(), Some("s1"));
    assert_eq!(agent.parent_mode, "none");
    let ended = after([start_of("a", NOW), stop_of("a", NOW, json!({})), start_of("a", NOW)]);
    assert_eq!((totals(&ended), ended.n_running()), ([1, 1, 0], 0));
}

/// HOOK-2.2: an end counts once, and only for an agent that is known.
#[test]
fn a_stop_is_counted_once_and_only_for_an_agent_that_runs() {
    #[track_caller]
    fn check(fields: Value, expected: [u64; 3], status: AgentStatus, summary: Option<&str>) {
        let stop = stop_of("a", NOW + 61_000, fields);
        let state = after([start_of("a", NOW), stop.clone()]);
        assert_eq!(totals(&state), expected);
        let agent = &state.agents[0];
        assert_eq!((agent.status, agent.duration_ms), (status, Some(61_000)));
        assert_eq!(agent.output_summary.as_deref(), summary);
        assert_eq!(apply(state.clone(), &stop, Millis(0)), state, "a second end changes nothing");
    }
    use AgentStatus::{Completed, Failed};
    check(json!({}), [1, 1, 0], Completed, None);
    check(json!({"success": true, "output": "done"}), [1, 1, 0], Completed, Some("done"));
    check(json!({"success": "false"}), [1, 1, 0], Completed, None);
    check(json!({"success": false}), [1, 0, 1], Failed, None);
    check(json!({"last_assistant_message": "bye"}), [1, 1, 0], Completed, Some("bye"));
    check(json!({"output": "x", "last_assistant_message": "y"}), [1, 1, 0], Completed, Some("x"));
    let before = after([start_of("a", NOW)]);
    assert_eq!(apply(before.clone(), &stop_of("z", NOW, json!({})), Millis(0)), before);
}

#[test]
fn an_agent_remembers_its_task_its_mode_and_its_model() {
    let long = "任".repeat(300);
    let fields = json!({"agent_id": "a", "prompt": long, "model": "m1"});
    let start = operation(&input(HookType::SubagentStart, fields), Some(Mode::Ralph), Millis(NOW));
    let state = after(start);
    let agent = &state.agents[0];
    assert_eq!(agent.task_description.as_ref().unwrap().chars().count(), 200);
    assert_eq!((agent.parent_mode.as_str(), agent.agent_type.as_str()), ("ralph", "unknown"));
    assert_eq!(agent.model.as_deref(), Some("m1"));

    let stop = stop_of("a", NOW, json!({"output": "好".repeat(600), "model": "m2"}));
    let state = apply(state, &stop, Millis(NOW));
    let agent = &state.agents[0];
    assert_eq!(agent.output_summary.as_ref().unwrap().chars().count(), 500);
    assert_eq!(agent.model.as_deref(), Some("m2"));
}

/// HOOK-2.2: every call is counted; the newest are listed, and each file once.
#[test]
fn calls_are_counted_and_the_newest_are_listed() {
    let calls = (0..60).map(|n| use_of("a", &format!("T{n}"), None));
    let state = after(std::iter::once(start_of("a", NOW)).chain(calls));
    let agent = &state.agents[0];
    assert_eq!((agent.tool_calls, agent.tool_usage.len()), (60, 50));
    assert_eq!(agent.tool_usage[0].tool_name, "T10");
    assert_eq!(agent.tool_usage[49].tool_name, "T59");
    assert_eq!(agent.tool_usage[0].success, Some(true));

    let writes = (0..110).map(|n| use_of("a", "Write", Some(&format!("/p/{n}.rs"))));
    let again = [use_of("a", "Edit", Some("/p/50.rs")), use_of("a", "Read", Some("/p/x.rs"))];
    let state = after(std::iter::once(start_of("a", NOW)).chain(writes).chain(again));
    let files = &state.agents[0].file_ownership;
    assert_eq!((files.len(), files[0].as_str()), (100, "10.rs"));
    assert_eq!(files[99], "50.rs", "a file that is written again is the newest");

    let late =
        [start_of("a", NOW), stop_of("a", NOW, json!({})), use_of("a", "Write", Some("/p/a"))];
    let agent = &after(late).agents[0];
    assert_eq!((agent.tool_calls, agent.file_ownership.len()), (1, 0));
    assert_eq!(after([use_of("z", "Bash", None)]), Tracking::default());
}

#[test]
fn a_failed_call_is_counted_as_one() {
    let fields = json!({
        "agent_id": "a", "tool_name": "Write", "tool_input": {"file_path": "/p/a"},
        "error": "no", "duration_ms": 83,
    });
    let failed = operation(&input(HookType::PostToolUse, fields), None, Millis(NOW)).unwrap();
    let agent = &after([start_of("a", NOW), failed]).agents[0];
    assert_eq!(agent.tool_usage[0].success, Some(false));
    assert_eq!(agent.tool_usage[0].duration_ms, Some(83));
    assert!(agent.file_ownership.is_empty());
}

/// A session takes only its own agents with it, and no total.
#[test]
fn the_end_of_a_session_leaves_the_others_alone() {
    let mut other = start_of("b", NOW);
    let Operation::Start { agent } = &mut other else { panic!("{other:?}") };
    agent.session_id = Some("s2".to_owned());
    let mut nobody = start_of("c", NOW);
    let Operation::Start { agent } = &mut nobody else { panic!("{nobody:?}") };
    agent.session_id = None;
    let end = operation(&input(HookType::SessionEnd, json!({})), None, Millis(NOW)).unwrap();
    let state = after([start_of("a", NOW), other, nobody, end]);
    let left: Vec<_> = state.agents.iter().map(|it| it.agent_id.as_str()).collect();
    assert_eq!((left, totals(&state)), (vec!["b", "c"], [3, 0, 0]));
}

/// The newest hundred that ended are remembered, and everybody who runs.
#[test]
fn only_so_many_that_ended_are_remembered() {
    let ids: Vec<String> = (0..105).map(|n| format!("a{n}")).collect();
    let mut operations = vec![start_of("runs", NOW)];
    operations.extend(ids.iter().map(|id| start_of(id, NOW)));
    // The one that started last ends first.
    for (seconds, id) in ids.iter().rev().enumerate() {
        operations.push(stop_of(id, NOW + 1000 * seconds as u64, json!({})));
    }
    let state = after(operations);
    assert_eq!(totals(&state), [106, 105, 0]);
    let left: Vec<_> = state.agents.iter().map(|it| it.agent_id.clone()).collect();
    let mut expected = vec!["runs".to_owned()];
    expected.extend(ids[..100].iter().cloned());
    assert_eq!(left, expected);
}

/// Five minutes, and never the hour of a marker.
#[test]
fn an_agent_is_stale_after_five_minutes() {
    #[track_caller]
    fn check(started_at: &str, age: u64, expected: bool) {
        let mut state = after([start_of("a", NOW)]);
        state.agents[0].started_at = started_at.to_owned().into();
        let now = Millis(NOW + age);
        let (after, lost) = fail_stale(state.clone(), now);
        assert_eq!((is_stale(&state.agents[0], now), lost.len() == 1), (expected, expected));
        let n_failed = u64::from(expected);
        assert_eq!((after.total_failed, after.n_running() == 0), (n_failed, expected));
        let again = fail_stale(after.clone(), now);
        assert_eq!(again, (after.clone(), vec![]), "nobody is lost twice");
        assert!(expected || after == state);
    }
    let start = "2026-11-15T00:00:00.000Z";
    check(start, 0, false);
    check(start, 300_000, false);
    check(start, 300_001, true);
    check("2027-01-01T00:00:00Z", 0, false);
    check("soon", u64::MAX / 2, false);

    let state = after([start_of("a", NOW), stop_of("a", NOW, json!({}))]);
    assert_eq!(fail_stale(state.clone(), Millis(NOW + 900_000)), (state, vec![]));
    let (state, lost) = fail_stale(after([start_of("a", NOW)]), Millis(NOW + 301_000));
    assert_eq!(lost, ["a"]);
    let agent = &state.agents[0];
    assert_eq!((agent.status, agent.duration_ms), (AgentStatus::Failed, Some(301_000)));
    assert_eq!(apply(state.clone(), &stop_of("a", NOW, json!({})), Millis(0)), state);
}

/// What carries no agent, or one that no client names so, changes nothing.
#[test]
fn most_payloads_change_nothing() {
    for &hook in HookType::ALL {
        for id in [json!("a"), json!("../a"), json!(""), json!(null), json!(7)] {
            let fields = json!({"agent_id": id, "tool_name": "Bash"});
            let is_change = operation(&input(hook, fields), None, Millis(NOW)).is_some();
            let is_about_agents =
                ["subagent-start", "subagent-stop", "post-tool-use"].contains(&hook.as_str());
            let expected = hook == HookType::SessionEnd || (is_about_agents && id == json!("a"));
            assert_eq!(is_change, expected, "{hook} {id}");
        }
    }
    let mut end = HookInput::empty(HookType::SessionEnd);
    assert_eq!(operation(&end, None, Millis(NOW)), None);
    end.session_id = Some("s1".to_owned());
    assert!(operation(&end, None, Millis(NOW)).is_some());
}

#[test]
fn the_parent_is_the_first_of_five_modes() {
    #[track_caller]
    fn check(active: &[Mode], expected: Option<Mode>) {
        assert_eq!(parent_mode(&active.iter().copied().collect()), expected, "{active:?}");
    }
    check(&[], None);
    check(&[Mode::Team, Mode::Pipeline, Mode::Ultraqa], None);
    check(&[Mode::Ralph, Mode::Ultrawork], Some(Mode::Ultrawork));
    check(&[Mode::Ralph, Mode::Autopilot], Some(Mode::Autopilot));
    check(Mode::ALL, Some(Mode::Ultrapilot));
    check(&[Mode::Swarm, Mode::Ralph], Some(Mode::Swarm));
}

/// A word of a small language of operations, so that they meet each other often.
fn any_operation() -> impl Strategy<Value = Operation> {
    let id = || (0_u8..4).prop_map(|n| format!("a{n}"));
    prop_oneof![
        (id(), 0_u64..900_000).prop_map(|(id, at)| start_of(&id, NOW + at)),
        (id(), 0_u64..900_000, any::<bool>()).prop_map(|(id, at, ok)| stop_of(
            &id,
            NOW + at,
            json!({"success": ok})
        )),
        id().prop_map(|id| use_of(&id, "Write", Some("/p/a.rs"))),
        Just(Operation::EndSession { session_id: "s1".to_owned() }),
    ]
}

proptest! {
    /// HOOK-2.2: whatever comes in whatever order, no total falls, no more end than started,
    /// and no agent stands there twice.
    #[test]
    fn the_totals_agree_with_each_other(operations in prop::collection::vec(any_operation(), 0..40)) {
        let mut state = Tracking::default();
        for operation in &operations {
            let next = apply(state.clone(), operation, Millis(NOW));
            for (before, after) in totals(&state).into_iter().zip(totals(&next)) {
                prop_assert!(before <= after);
            }
            prop_assert!(next.total_completed + next.total_failed <= next.total_spawned);
            let ids: BTreeSet<_> = next.agents.iter().map(|it| &it.agent_id).collect();
            prop_assert_eq!(ids.len(), next.agents.len());
            state = next;
        }
    }
}
