//! A sentence becomes a task: `provost do`, and `provost run` with a goal (rulings 71, 72, 85).

use crate::loop_world::{Loop, RIGHT, WRONG, ended};

const GOAL: &str = "write the answer into answer.txt";
const ID: &str = "write-answer-answer-txt";

fn world() -> Loop {
    Loop::with_config("[task]\ncoder = \"c\"\n")
}

#[test]
fn a_sentence_is_a_task_that_starts_where_one_stands() {
    let it = world();
    it.git("checkout --quiet -b topic");
    let head = it.git("rev-parse HEAD");
    it.world.write("repo/notes.txt", "mine");
    let ran = it.provost(&["do", GOAL, "--test", "sh check.sh"]).run();
    let answer = ended(&ran, 0, "READY_FOR_REVIEW");
    assert_eq!(answer["task_id"], ID);
    assert!(ran.stderr().contains("1 uncommitted file is not part"), "{}", ran.stderr());
    assert!(!ran.stderr().contains("provost.toml"), "{}", ran.stderr());
    it.world.write("repo/provost.toml", "");
    let ran = it.provost(&["do", "and another thing", "--test", "sh check.sh"]).run();
    assert!(ran.stderr().contains("`provost.toml` is one of them"), "{}", ran.stderr());
    let spec = it.json(&format!("{ID}/task.json"));
    assert_eq!(spec["base_ref"], head.trim());
    assert_eq!(spec["target_branch"], "topic");
    // What moves on is not followed: the base is a commit.
    it.commit();
    it.order(&["show", ID]);
    assert_eq!(it.json(&format!("{ID}/task.json"))["base_ref"], head.trim());
}

#[test]
fn the_same_sentence_goes_on_and_another_time_is_another_task() {
    let it = world();
    it.coder("sleep 60");
    let spec = it.provost(&["do", GOAL, "--test", "sh check.sh", "--max-attempts", "1"]);
    it.coder(WRONG);
    ended(&spec.run(), 1, "FAILED");
    // The failed one is finished: the sentence is a task of its own.
    it.coder("exit 3");
    let second = format!("{ID}-2");
    let again = ["do", GOAL, "--test", "sh check.sh"];
    let ran = it.provost(&again).run();
    let answer = ended(&ran, 3, "PAUSED_CODER_FAILED");
    assert_eq!(answer["task_id"], second.as_str());
    let said = format!("`{ID}` had this goal and is finished");
    assert!(ran.stderr().contains(&said), "{}", ran.stderr());
    // With another test it is another task: a slip can be put right.
    let other = it.provost(&["do", GOAL, "--test", "sh chekc.sh"]).run();
    assert_eq!(other.json()["task_id"], format!("{ID}-3").as_str(), "{}", other.text());
    // That one is paused: the sentence goes on with it.
    it.coder(RIGHT);
    let ran = it.provost(&["run", GOAL]).run();
    let answer = ended(&ran, 0, "READY_FOR_REVIEW");
    assert_eq!(answer["task_id"], second.as_str());
    assert!(ran.stderr().contains("going on with it"), "{}", ran.stderr());
}

/// A typo, an empty repository, a folder without one, a task that nothing could judge: said before
/// anything is made.
#[test]
fn what_cannot_run_makes_no_task() {
    let it = world();
    let refused = |arguments: &[&str], exit: i32, said: &str| {
        let ran = it.provost(arguments).run();
        assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
        assert!(ran.stderr().contains(said), "{arguments:?}: {}", ran.stderr());
    };
    refused(&["do", " "], 2, "the goal is empty");
    refused(&["do", GOAL, "--test", "sudo make test"], 1, "sudo");
    refused(&["do", GOAL, "--test", "true", "--in", "../x"], 2, "allowed_paths");
    refused(&["do", GOAL, "--test", "true", "--budget", "much"], 2, "much");
    refused(&["do", GOAL, "--test", "true", "--agent", "script:pas"], 2, "script:pass");
    refused(&["do", GOAL, "--test", "true", "--agent", "gemini-cli"], 2, "gemini");
    refused(&["run", "no-such-task"], 2, "provost do");
    refused(&["run", "no-such-task", "--test", "true"], 2, "--test");
    let tasks = it.provost(&["ls"]).run().json();
    assert_eq!(tasks["tasks"], serde_json::json!([]), "a task was made");

    it.world.folder("plain");
    let ran = it.provost(&["do", GOAL]).inside("plain").run();
    assert_eq!(ran.exit(), Some(2));
    it.git("checkout --quiet --orphan nothing");
    let ran = it.provost(&["do", GOAL, "--test", "true", "--agent", "c"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.stderr().contains("no commit to start from"), "{}", ran.stderr());
}

/// An agent that changes nothing has not done what was asked, however green the tests are.
#[test]
fn a_green_test_alone_is_not_a_change() {
    let it = world();
    it.coder("reply 'all done'");
    let ran = it.provost(&["do", GOAL, "--test", "true", "--max-attempts", "1"]).run();
    ended(&ran, 1, "FAILED");
    let decided = it.text(&format!("{ID}/attempt_001/decision.json"));
    assert!(decided.contains("nothing was changed"), "{decided}");
    // What the tests do not show is said.
    it.coder("echo note >note.txt; reply done");
    let ran = it.provost(&["do", "add a note", "--test", "true"]).run();
    assert!(ran.stderr().contains("it does not show the change"), "{}", ran.stderr());
    assert!(ran.stderr().contains("? tests: not verified: "), "{}", ran.stderr());
    assert!(!ran.stderr().contains("rubric"), "{}", ran.stderr());
}

/// An agent that asks before it begins is heard after its first attempt, and told the answer.
#[test]
fn a_question_of_the_agent_waits_for_its_answer() {
    let it = world();
    it.coder("reply 'I looked at it. Should a discount above 100 be refused or clipped?'");
    let ran = it.provost(&["do", GOAL, "--test", "sh check.sh"]).run();
    let answer = ended(&ran, 3, "PAUSED_WAITING_USER_INPUT");
    let id = answer["task_id"].as_str().unwrap().to_owned();
    assert_eq!(it.status(&id)["attempts_consumed"], 0);
    let shown = it.world.provost().args(["show", &id]).run().stdout();
    assert!(shown.contains("refused or clipped?"), "{shown}");
    it.coder(RIGHT);
    ended(&it.provost(&["answer", &id, "clip it", "--run"]).run(), 0, "READY_FOR_REVIEW");
    assert!(it.text(&format!("{id}/attempt_002/coder/prompt.txt")).contains("clip it"));
}

/// A detached HEAD is a place to start from, and no branch to go to.
#[test]
fn a_detached_head_has_no_branch_to_go_to() {
    let it = world();
    it.git("checkout --quiet --detach");
    let ran = it.provost(&["do", "把答案写入文件", "--test", "sh check.sh"]).run();
    let answer = ended(&ran, 0, "READY_FOR_REVIEW");
    let id = answer["task_id"].as_str().unwrap();
    assert!(id.starts_with("task-"), "{id}");
    assert!(it.json(&format!("{id}/task.json"))["target_branch"].is_null());
}

/// The change with what could bend a verdict first; the id of a task by its start, or the newest.
#[test]
fn a_change_is_shown_with_risky_files_first() {
    let it = world();
    let nothing = it.provost(&["diff"]).run();
    assert_eq!(nothing.exit(), Some(2));
    assert!(nothing.stderr().contains("no tasks yet"), "{}", nothing.stderr());
    it.coder(
        "echo text >a.md; mkdir -p tests; echo 'assert 1' >tests/test_x.py; \
         echo '[pytest]' >pytest.ini; echo 42 >answer.txt; reply done",
    );
    it.provost(&["do", GOAL, "--test", "sh check.sh"]).run();
    let all = it.provost(&["diff"]).run().json();
    let paths: Vec<&str> =
        all["files"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["pytest.ini", "tests/test_x.py", "a.md", "answer.txt"]);
    assert!(all["patch"].as_str().unwrap().contains("+42"));
    let stat = it.world.provost().args(["diff", "write-an", "--stat"]).run();
    assert!(stat.stdout().contains("pytest.ini       +1 -0  test runner or CI"), "{}", stat.text());
    let none = it.provost(&["diff", ID, "--attempt", "7"]).run();
    assert_eq!(none.exit(), Some(2));
    assert!(none.stderr().contains("attempt 7"), "{}", none.stderr());
    // The start of an id is enough, and without one the newest task is meant.
    for arguments in [vec!["show"], vec!["show", "write"], vec!["explain"], vec!["logs", "write"]] {
        assert_eq!(it.provost(&arguments).run().exit(), Some(0), "{arguments:?}");
    }
}

/// An agent that stands in a file that is not committed is named, with what to type.
#[test]
fn an_agent_that_is_not_committed_is_named() {
    let it = Loop::new();
    let ran = it.provost(&["do", GOAL, "--test", "sh check.sh"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("`--agent c`"), "{}", ran.text());
    let config = std::fs::read_to_string(it.world.path("repo/provost.toml")).unwrap();
    it.world.write("repo/provost.toml", format!("[task]\ncoder = \"j\"\n{config}"));
    let ran = it.provost(&["do", GOAL, "--test", "sh check.sh"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("`git add provost.toml && git commit"), "{}", ran.text());
    assert!(ran.stderr().contains("`--agent j`"), "{}", ran.text());
    it.git("checkout --quiet provost.toml");
}
