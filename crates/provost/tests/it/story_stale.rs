//! What was proven holds for its tree: another tree makes it stale, wherever it is shown.

use serde_json::{Value, json};

use crate::{
    mcp_world::Piped,
    story_world::{Project, honest},
};

/// A project whose first story is done.
fn done_project() -> Project {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    project
}

/// The files that changed since the story was proven; none if it is not stale.
#[track_caller]
fn changed(project: &Project) -> Option<Vec<String>> {
    let stale = project.row("US-001")["stale"].clone();
    let status = project.story(&["status", "--json"]).json();
    assert_eq!(status["executions"][0]["stories"][0]["stale"], stale, "{status:#}");
    let name = |it: &Value| it.as_str().unwrap().to_owned();
    Some(stale["changed"].as_array()?.iter().map(name).collect())
}

/// PROOF-9: the status and the story say that it is stale, and what changed; a second look renews it.
#[test]
fn a_story_that_is_done_turns_stale_when_the_tree_moves_on() {
    let project = done_project();
    assert_eq!(changed(&project), None);
    let shown = |arguments: &[&str]| project.story(arguments).stdout();
    assert!(shown(&["status"]).contains("[x] US-001 2/2 AC  Greet"), "{}", shown(&["status"]));

    project.write("greet.sh", "echo hello # again\n");
    assert_eq!(changed(&project).unwrap(), ["greet.sh"]);
    let status = shown(&["status"]);
    assert!(status.contains("[~] US-001 2/2 AC  STALE  Greet"), "{status}");
    assert!(status.contains("1 file has changed since it was proven: greet.sh"), "{status}");
    let story = shown(&["get", "US-001"]);
    assert!(story.contains("STALE  1 file has changed since it was proven"), "{story}");
    assert!(story.contains("`provost story verify US-001`"), "{story}");
    assert!(story.contains("[~] AC-1 STALE") && !story.contains("AC-1 PROVEN"), "{story}");
    let chinese = shown(&["get", "US-001", "--lang", "zh"]);
    assert!(chinese.contains("证明之后有 1 个文件改变：greet.sh"), "{chinese}");

    // The next look proves it on the tree that is there now.
    assert_eq!(project.story(&["verify", "US-001"]).exit(), Some(0));
    assert_eq!(changed(&project), None);
    assert!(shown(&["status"]).contains("[x] US-001"), "{}", shown(&["status"]));
}

/// PROOF-9: the tools of agents say the same.
#[test]
fn the_tools_show_what_is_stale() {
    let project = done_project();
    let mut server = Piped::start(&project, &[]);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    server.ask(1, "initialize", &hello);
    server.send(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let mut id = 1;
    let mut call = |name: &str, arguments: Value| {
        id += 1;
        let answer = server.ask(id, "tools/call", &json!({"name": name, "arguments": arguments}));
        answer["result"]["structuredContent"].clone()
    };
    let story = json!({"storyId": "US-001"});
    assert_eq!(call("ralph_get", story.clone())["stories"][0]["stale"], Value::Null);
    project.write("new.sh", "echo\n");
    for _ in 0..2 {
        let view = call("ralph_get", story.clone());
        assert_eq!(view["stories"][0]["stale"]["changed"], json!(["new.sh"]), "{view:#}");
        assert_eq!(view["stories"][0]["acStatus"]["AC-1"]["label"], "STALE", "{view:#}");
        let status = call("ralph_status", json!({}));
        let plan = &status["executions"][0];
        assert_eq!(plan["staleStories"], 1, "{status:#}");
        assert_eq!(plan["stories"][0]["stale"]["changedFiles"], 1, "{status:#}");
    }
    project.shell("rm new.sh");
    let view = call("ralph_get", story);
    assert_eq!(view["stories"][0]["stale"], Value::Null, "{view:#}");
    assert_eq!(view["stories"][0]["acStatus"]["AC-1"]["label"], "REPRODUCED", "{view:#}");
    server.close();
}

/// PROOF-9: what is no change of the tree makes nothing stale.
#[test]
fn a_commit_or_a_build_makes_nothing_stale() {
    let project = Project::new();
    project.write(".gitignore", "out/\n");
    project.shell("git add -A; git commit -qm ignore");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    for (what, script) in [
        ("a commit", "git add -A; git commit -qm work"),
        ("an ignored file", "mkdir out; echo > out/x"),
        ("compiled files", "mkdir __pycache__; echo > __pycache__/x.pyc"),
        ("other times", "touch -d '2 days ago' greet.sh; touch Makefile"),
        ("the plan beside the work", "cp ../plan.md plan.md"),
        ("another branch", "git checkout -qb other"),
    ] {
        project.shell(script);
        assert_eq!(changed(&project), None, "{what}");
    }
}

/// PROOF-9: nothing that an agent writes makes a changed tree look like the one that was proven.
#[test]
fn what_is_stale_cannot_be_hidden() {
    for (what, script, expected) in [
        (
            "a time set back",
            "touch -r greet.sh ../t; echo 'echo hullo' > greet.sh; touch -r ../t greet.sh",
            Some("greet.sh"),
        ),
        (
            "a flag of the index",
            "echo 'echo x' > greet.sh; git update-index --assume-unchanged greet.sh",
            Some("greet.sh"),
        ),
        (
            "a path that is left out",
            "echo 'echo x' > greet.sh; git update-index --skip-worktree greet.sh",
            Some("greet.sh"),
        ),
        (
            "a file that is left out",
            "git update-index --skip-worktree greet.sh; git config core.sparseCheckout true; rm greet.sh",
            Some("greet.sh"),
        ),
        (
            "an exclusion of its own",
            "echo new.sh > .git/info/exclude; echo > new.sh",
            Some("new.sh"),
        ),
        (
            "an ignored file that is added",
            "echo 'new.sh\n.gitignore' > .gitignore; echo > new.sh; git add -f new.sh",
            Some("new.sh"),
        ),
        (
            "a filter",
            "git config filter.x.clean 'git show HEAD:greet.sh'; echo 'greet.sh filter=x' > .git/info/attributes; echo 'echo x' > greet.sh",
            Some("greet.sh"),
        ),
        (
            "another result under its name",
            "echo 'echo x' > greet.sh; git add -A; git commit -qm x; git for-each-ref --format='%(refname)' refs/provost | while read -r it; do git update-ref $it HEAD; done",
            None,
        ),
        (
            "a result that is gone",
            "echo 'echo x' > greet.sh; git for-each-ref --format='%(refname)' refs/provost | while read -r it; do git update-ref -d $it; done; git gc -q --prune=now",
            None,
        ),
        (
            "a rejected update as a file",
            "mkdir new; echo '{\"storyId\": \"US-001\", \"passes\": true, \"scripts\": {}}' > new/package.json",
            Some("new/package.json"),
        ),
        ("no worktree", "rm -rf .git", None),
    ] {
        let project = done_project();
        let rejected = json!({"storyId": "US-001", "passes": true, "scripts": {}});
        project.update(&rejected, 1);
        assert_eq!(changed(&project), None, "{what}");
        project.shell(script);
        let found = changed(&project).unwrap_or_else(|| panic!("{what}"));
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert!(expected.iter().all(|it| found.contains(it)), "{what}: {found:?}");
    }
}
