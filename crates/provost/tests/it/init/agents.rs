//! The agents that are installed, as `init` and `doctor` find them.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use super::Project;

/// An agent's free question is asked outside the repository, whose settings could run programs.
#[test]
fn agents_are_asked_outside_the_repository() {
    let project = Project::cart();
    let canary = project.world.path("canary");
    let script = format!("#!/bin/sh\npwd >>{}\nexit 0\n", canary.display());
    project.world.write("bin/claude", script);
    let program: PathBuf = project.world.path("bin/claude");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    project.init(&["--check"]).run();
    let folders = fs::read_to_string(canary).unwrap();
    let repository = project.world.path("repo").display().to_string();
    assert_eq!(folders.lines().count(), 2, "{folders}");
    assert!(folders.lines().all(|it| !it.starts_with(&repository)), "{folders}");
}

#[test]
fn doctor_says_which_agents_and_which_judge_can_be_used() {
    let check = |project: &Project, name: &str, lang: &str| {
        let doctor = project.world.provost().variable("PATH", project.path.clone());
        let document = doctor.args(["doctor", "--json", "--lang", lang]).run().json();
        let checks = document["checks"].as_array().unwrap().clone();
        let found = checks.into_iter().find(|it| it["name"] == name).unwrap();
        format!("{}: {}", found["state"].as_str().unwrap(), found["what"].as_str().unwrap())
    };
    let project = Project::cart();
    assert_eq!(check(&project, "agents", "en"), "warn: none found in PATH");
    let own = "home/.config/provost/provost.toml";
    project.world.write(
        own,
        "[task]\ncoder = \"mine\"\n[adapter.mine]\nkind = \"command\"\nargv = [\"./mine\"]\n",
    );
    let of_own = "ok: the coder is `mine`, an adapter of your own";
    assert_eq!(check(&project, "agents", "en"), of_own);
    // A slip is not one.
    project.world.write(own, "[task]\ncoder = \"clode\"\n");
    assert_eq!(check(&project, "agents", "en"), "warn: none found in PATH");
    project.world.write(own, "");
    assert_eq!(check(&project, "judge", "zh"), "ok: 由测试决定；不调用模型");
    let project = project.with_claude(1);
    assert_eq!(check(&project, "agents", "en"), "warn: Claude Code 2.1.325, not logged in");
    let project = project.with_claude(0);
    assert_eq!(check(&project, "agents", "zh"), "ok: Claude Code 2.1.325，已登录");
    project.world.write(
        "home/.config/provost/provost.toml",
        "[task]\ncoder = \"codex\"\njudge = \"j\"\n[adapter.j]\nkind = \"chat\"\nbase = \"http://127.0.0.1:1/v1\"\nkey_variable = \"J_KEY\"\n",
    );
    assert_eq!(
        check(&project, "agents", "en"),
        "warn: the coder Codex is not installed: `codex` is not in PATH"
    );
    assert_eq!(check(&project, "judge", "en"), "warn: `j` has no key: `J_KEY` is not set");
}
