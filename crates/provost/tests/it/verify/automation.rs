//! What starts `provost verify` for people: the action, and the hook of docs/ci.md.

use std::{collections::BTreeMap, fs};

use serde::Deserialize;

use super::{FIXED, Project};

/// The action that is to be pasted into workflows, as far as it can be checked without running it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
    name: String,
    description: String,
    inputs: BTreeMap<String, Input>,
    outputs: BTreeMap<String, Output>,
    runs: Runs,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    description: String,
    #[serde(default)]
    default: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    description: String,
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Runs {
    using: String,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    id: Option<String>,
    shell: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    run: String,
}

/// VERIFY: the action is a composite one, names only what it declares, and puts no input into a
/// script: each comes as a variable.
#[test]
fn the_action_is_well_formed() {
    let text = include_str!("../../../../../action.yml");
    let action: Action = serde_saphyr::from_str(text).unwrap();
    assert_eq!((action.name.as_str(), action.runs.using.as_str()), ("provost verify", "composite"));
    assert!(!action.description.is_empty());
    let ids: Vec<&str> = action.runs.steps.iter().filter_map(|it| it.id.as_deref()).collect();
    for it in action.outputs.values() {
        assert!(!it.description.is_empty());
        assert!(ids.iter().any(|id| it.value.contains(&format!("steps.{id}.outputs."))), "{it:?}");
    }
    let mut used = Vec::new();
    for step in &action.runs.steps {
        assert_eq!(step.shell, "bash");
        assert!(!step.run.contains("${{"), "an input in a script can run anything: {}", step.run);
        for value in step.env.values() {
            let input = value.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
            assert!(action.inputs.contains_key(input), "{value}");
            used.push(input.to_owned());
        }
    }
    for (name, input) in &action.inputs {
        assert!(used.contains(name), "{name}: {}", input.default);
        assert!(!input.description.is_empty());
    }
}

/// VERIFY: the hook of docs/ci.md lets a good branch through and stops a bad one.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test is the person who sets a path")]
fn the_pre_push_hook_of_the_page_works() {
    use std::os::unix::fs::PermissionsExt as _;
    let page = include_str!("../../../../../docs/ci.md");
    let hook = page.split("```sh\n").find(|it| it.starts_with("#!/bin/sh")).unwrap();
    let hook = hook.split("```").next().unwrap();
    let push = |project: &Project| {
        project.git("init --quiet --bare ../remote");
        project.git("remote add origin ../remote");
        project.git("push --quiet origin main");
        project.world.write("repo/.git/hooks/pre-push", hook);
        let path = project.world.path("repo/.git/hooks/pre-push");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        let provost = std::path::Path::new(env!("CARGO_BIN_EXE_provost"));
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", provost.parent().unwrap().display());
        let mut git = project.world.program("git");
        git.args(["push", "--quiet", "origin", "work"]).env("PATH", path).output().unwrap()
    };
    let good = Project::red().with(&[("cart.py", FIXED)]);
    let pushed = push(&good);
    assert!(pushed.status.success(), "{pushed:?}");
    let bad =
        Project::green().with(&[("cart.py", "def total(items, discount=0):\n    return 0\n")]);
    let pushed = push(&bad);
    assert!(!pushed.status.success(), "{pushed:?}");
    let said = String::from_utf8_lossy(&pushed.stdout).into_owned()
        + &String::from_utf8_lossy(&pushed.stderr);
    assert!(said.contains("refused: CONTRADICTED"), "{said}");
}
