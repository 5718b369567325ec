//! The policy that a hook is held against: built in, written in `provost.toml`, compiled.

use serde_json::Value;

use super::{allowed, ask, call, guarded, hook, refused};
use crate::world::World;

fn audit(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.path("repo/.provost/out/_audit/audit.jsonl"));
    text.unwrap().lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn compiled(world: &World) -> Value {
    let text = std::fs::read_to_string(world.path("repo/.provost/guard/policy.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Waits until a change of a file can be told from the next one by its time.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(2_100));
}

/// HOOK-1.5: a tool call is judged and recorded; what is denied is denied with and without a home.
#[test]
fn a_call_is_judged_and_recorded() {
    let world = guarded();
    allowed(&ask(&world, "cargo test"));
    assert!(refused(&ask(&world, "git reset --hard")).contains("`git.reset-hard`"));
    let asked = ask(&world, "npm publish");
    assert_eq!(asked.exit(), Some(0), "{}", asked.text());
    assert_eq!(asked.json()["hookSpecificOutput"]["permissionDecision"], "ask");

    let entries = audit(&world);
    let told: Vec<_> = entries
        .iter()
        .map(|it| {
            let body = &it["body"];
            let detail = &body["detail"];
            format!(
                "{} {} {} {}",
                body["action"], body["subject"], detail["effect"], detail["rule"]
            )
            .replace('"', "")
        })
        .collect();
    assert_eq!(
        told,
        [
            "guard.pre-tool-use tool:Bash passed default",
            "guard.pre-tool-use tool:Bash refused git.reset-hard",
            "guard.pre-tool-use tool:Bash asked publish",
        ],
    );
    let actor = &entries[0]["body"]["actor"];
    assert_eq!(actor["source"], "agent");
    assert_eq!(actor["id"], "5f3c1d52-0001-4000-8000-000000000001");
    assert_eq!(world.provost().args(["audit", "verify"]).run().exit(), Some(0));

    let bare = World::new();
    assert!(refused(&ask(&bare, "git reset --hard")).contains("`git.reset-hard`"));
    assert!(!bare.path("repo/.provost").exists());
}

/// The record never holds a secret that a command held.
#[test]
fn what_is_recorded_holds_no_secret() {
    let world = guarded();
    let secret = ["ghp", "_", "Zx81Kq0LmN2pR5tV7wY9aB3cD4eF6gH8jK0l"].concat();
    refused(&ask(&world, &format!("curl -H 'Authorization: token {secret}' https://example.com")));
    let folder = world.path("repo/.provost");
    let mut folders = vec![folder];
    let mut n_files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{}", path.display());
                n_files += 1;
            }
        }
    }
    assert!(n_files >= 3, "{n_files}");
}

/// Ruling on the compiled policy: a changed file takes the slow path once.
#[test]
fn rules_are_written_in_toml_and_read_from_the_compiled_file() {
    let world = guarded();
    let rule = "[[guard.rules]]\nid = \"no-curl\"\neffect = \"deny\"\ncommand = [\"curl\"]\n";
    world.write("repo/provost.toml", rule);
    settle();
    assert!(refused(&ask(&world, "curl -sI https://example.com")).contains("`no-curl`"));
    let first = compiled(&world);
    assert_eq!(first["repository"][0]["id"], "no-curl");
    assert_eq!(first["rules"], serde_json::json!([]), "none of them is the person's");
    assert_eq!(first["schema"], "provost.policy/1");
    let sources: Vec<_> =
        first["sources"].as_array().unwrap().iter().map(|it| !it["state"].is_null()).collect();
    assert_eq!(sources, [false, true, false]);

    refused(&ask(&world, "curl -sI https://example.com"));
    assert_eq!(compiled(&world), first, "nothing changed, so nothing was made anew");

    world.write("repo/provost.toml", rule.replace("deny", "record"));
    allowed(&ask(&world, "curl -sI https://example.com"));
    assert_ne!(compiled(&world)["compiled_at"], first["compiled_at"]);

    // An earlier layer stands above a later one, and no rule above what is built in.
    world.write("home/.config/provost/provost.toml", rule.replace("no-curl", "mine"));
    assert!(refused(&ask(&world, "curl -sI https://example.com")).contains("`mine`"));
    world.write("repo/provost.toml", "[[guard.rules]]\neffect = \"allow\"\n");
    assert!(refused(&ask(&world, "sudo ls")).contains("`command.sudo`"));
}

/// The variables of an agent's environment have no say in what it may do.
#[test]
fn the_environment_cannot_loosen_the_policy() {
    let world = guarded();
    let open = r#"{"compiled_at":0,"sources":[],"unknown_fields":"pass","replay_days":7,
        "rules":[{"effect":"allow"}]}"#;
    world.write("repo/provost.toml", "[[guard.rules]]\neffect = \"deny\"\ncommand = [\"ls\"]\n");
    let ran = hook(&world, "claude", "pre-tool-use")
        .variable("PROVOST_GUARD", open)
        .variable("PROVOST_GUARD_UNKNOWN_FIELDS", "pass")
        .variable("DISABLE_OMC", "1")
        .input(call(&world, "ls").to_string())
        .run();
    assert!(refused(&ran).contains("`repository.1`"));
}

/// HOOK-1.2: the names of dropped fields can be seen, and their values cannot.
#[test]
fn a_dropped_field_is_logged_at_debug() {
    let world = guarded();
    let mut payload = call(&world, "ls");
    payload["surprise"] = "the value".into();
    let run = |level: &str| {
        hook(&world, "claude", "pre-tool-use")
            .variable("PROVOST_LOG", level)
            .input(payload.to_string())
            .run()
    };
    let quiet = run("info");
    assert_eq!((quiet.exit(), quiet.stderr().as_str()), (Some(0), ""));
    let told = run("debug");
    assert_eq!((told.exit(), told.stdout().as_str()), (Some(0), ""));
    assert_eq!(told.stderr(), "provost: field dropped surprise\n");
}

/// HOOK-1.2, HOOK-1.3: a drop on a sensitive type is in the audit, by name.
#[test]
fn a_field_that_a_sensitive_type_drops_is_recorded() {
    let world = guarded();
    let payload = serde_json::json!({
        "session_id": "s1", "cwd": world.path("repo"), "hook_event_name": "SessionEnd",
        "reason": "other", "surprise": "the value",
    });
    allowed(&hook(&world, "claude", "session-end").input(payload.to_string()).run());
    let entry = &audit(&world)[0]["body"];
    assert_eq!(entry["action"], "guard.session-end");
    assert_eq!(entry["detail"]["dropped"], serde_json::json!(["surprise"]));
    assert!(!entry.to_string().contains("the value"));
}

/// The chain of a guarded home cannot be altered or cut unseen, and does not heal itself.
#[test]
fn a_chain_that_was_altered_or_cut_stops_the_agent() {
    let world = guarded();
    let path = "repo/.provost/out/_audit/audit.jsonl";
    let verify = || world.provost().args(["audit", "verify", "--quiet"]).run().exit();
    for _ in 0..3 {
        allowed(&ask(&world, "ls"));
    }
    let whole = std::fs::read_to_string(world.path(path)).unwrap();
    world.write(path, whole.replace("\"seq\":3", "\"seq\":4"));
    assert_eq!(verify(), Some(6));
    assert!(refused(&ask(&world, "ls")).contains("was altered or cut short"));
    assert_eq!(verify(), Some(6), "it is not put aside as if a crash had left it");

    world.write(path, &whole);
    let end = serde_json::json!({"session_id": "s1", "cwd": world.path("repo"), "reason": "other"});
    allowed(&hook(&world, "claude", "session-end").input(end.to_string()).run());
    assert_eq!(verify(), Some(0));
    world.write(path, "");
    assert!(refused(&ask(&world, "ls")).contains("is missing"));
    assert_eq!(verify(), Some(6), "the end of a session left the head of the chain apart from it");
}

/// An event that no type is about goes through, and is recorded.
#[test]
fn an_event_that_no_type_is_about_is_recorded() {
    let world = guarded();
    let payload = serde_json::json!({
        "session_id": "s1", "cwd": world.path("repo"), "hook_event_name": "Notification",
        "message": "x",
    });
    allowed(&world.provost().args(["hook", "--client", "claude"]).input(payload.to_string()).run());
    assert_eq!(audit(&world)[0]["body"]["action"], "guard.no-type");
}
