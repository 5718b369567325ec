//! A spec in TOML is the same spec, and both are described by one schema.

use std::fs;

use serde_json::{Value, json};

use crate::loop_world::{Loop, ended};

/// The first block of a page that is written in this language.
#[track_caller]
fn example(page: &str, language: &str) -> String {
    let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// The two examples of the documentation are one task: what the one made, the other finds.
#[test]
fn both_forms_of_the_documentation_are_one_task() {
    let it = Loop::new();
    it.world.write("repo/task.toml", example("task.md", "toml"));
    it.world.write("repo/task.json", example("task.md", "json"));
    let made = it.provost(&["run", "task.toml"]).run();
    let made = ended(&made, 0, "READY_FOR_REVIEW");
    assert_eq!((&made["task_id"], &made["ran"]), (&json!("answer"), &json!(true)));
    let found = ended(&it.provost(&["run", "task.json"]).run(), 0, "READY_FOR_REVIEW");
    assert_eq!((&found["task_id"], &found["ran"]), (&json!("answer"), &json!(false)));
}

#[test]
fn a_slip_in_a_spec_names_file_line_and_key_and_makes_no_task() {
    let it = Loop::new();
    for (name, text, said) in [
        (
            "a.toml",
            "task_id = \"t\"\ntset_cmd = \"make\"\n",
            "line 2: `tset_cmd`: unknown key, did you mean `test_cmd`?",
        ),
        (
            "b.toml",
            "task_id = \"t\"\ngaol = \"x\"\n",
            "line 2: `gaol`: unknown key, did you mean `goal`?",
        ),
        (
            "c.json",
            "{\"task_id\": \"t\",\n \"gaol\": \"x\"}\n",
            "line 2: `gaol`: unknown key, did you mean `goal`?",
        ),
        ("d.toml", "task_id = \"t\"\ngoal = x\n", "line 2: not valid TOML"),
        (
            "e.toml",
            "task_id = \"t\"\n[budget]\neuro = 1\n",
            "field `budget` is invalid: unknown key `euro`",
        ),
    ] {
        it.world.write(format!("repo/{name}"), text);
        let before = it.world.listing();
        let ran = it.provost(&["run", name]).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.stderr().contains(name) && ran.stderr().contains(said), "{}", ran.stderr());
        assert_eq!(it.world.listing(), before);
    }
}

/// A spec is found by its id in the two folders where specs lie.
#[test]
fn a_spec_in_toml_is_found_by_its_id() {
    let it = Loop::new();
    it.world.write(
        "repo/tasks/t1.toml",
        "task_id = \"t1\"\nrepo_path = \"..\"\ngoal = \"write 42\"\ntest_cmd = \"sh check.sh\"\ncoder = \"c\"\n",
    );
    ended(&it.provost(&["run", "t1"]).run(), 0, "READY_FOR_REVIEW");
}

#[test]
fn the_schema_of_a_spec_is_printed_as_it_is_published() {
    let it = Loop::new();
    let printed = it.world.provost().args(["config", "schema", "task"]).run();
    assert_eq!(printed.exit(), Some(0), "{}", printed.text());
    let path = format!("{}/../../schemas/task.schema.json", env!("CARGO_MANIFEST_DIR"));
    let published: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&printed.stdout()).unwrap(), published);
    let keys = published["properties"].as_object().unwrap();
    let examples: Value = serde_json::from_str(&example("task.md", "json")).unwrap();
    for key in examples.as_object().unwrap().keys() {
        assert!(keys.contains_key(key), "{key}");
    }
}
