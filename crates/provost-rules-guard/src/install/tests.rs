//! Installing and taking out again, as a table for each client.

use provost_kernel::guard::{Harness, HookType, client::Shape};
use serde_json::{Value, json};

use super::*;
use crate::event;

fn hook() -> Hook {
    Hook { program: "/opt/provost".to_owned(), home: Some("/r/.provost".to_owned()) }
}

/// The clients with entries in a JSON configuration.
fn json_clients() -> impl Iterator<Item = Harness> {
    let has_entries = |it: &Harness| match it.entry().install.form {
        InstallForm::Entries { .. } => true,
        InstallForm::Plugin { .. } => false,
    };
    Harness::ALL.iter().copied().filter(has_entries)
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A configuration of a person, with a hook of their own at an event that we take too.
fn person(harness: Harness) -> String {
    match harness.entry().install.form {
        InstallForm::Entries { shape: Shape::Flat, .. } => {
            "{\n    \"version\": 1,\n    \"hooks\": {\n        \"stop\": [{\"command\": \"./mine.sh\"}]\n    }\n}"
        }
        InstallForm::Entries { shape: Shape::Groups, .. } | InstallForm::Plugin { .. } => {
            "{\n\t\"zebra\": 1.50,\n\t\"hooks\": {\n\t\t\"SessionEnd\": [\n\t\t\t{\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]}\n\t\t]\n\t},\n\t\"apple\": [1, 2 ]\n}\n"
        }
    }
    .to_owned()
}

/// HOOK-1.5: what Claude Code is told, in full.
#[test]
fn claude_code_starts_the_program_without_a_shell() {
    let text = install(Harness::Claude, None, &hook()).unwrap();
    let hooks = &value(&text)["hooks"];
    assert_eq!(
        hooks["PreToolUse"],
        json!([{"hooks": [{
            "type": "command",
            "command": "/opt/provost",
            "args": ["hook", "--client", "claude", "--type", "pre-tool-use", "--home", "/r/.provost"],
            "timeout": 10,
            "onFailure": "block",
        }]}]),
    );
    let handler = |event: &str| hooks[event][0]["hooks"][0].clone();
    assert_eq!(handler("PermissionRequest")["onFailure"], "block");
    assert_eq!(handler("PostToolUse").get("onFailure"), None);
    assert_eq!(
        handler("Stop")["args"],
        json!([
            "hook",
            "--client",
            "claude",
            "--type",
            "stop-continuation",
            "--home",
            "/r/.provost"
        ])
    );
    let setup: Vec<_> = hooks["Setup"].as_array().unwrap().iter().collect();
    let matchers: Vec<_> = setup.iter().map(|it| &it["matcher"]).collect();
    assert_eq!(matchers, ["init", "maintenance"]);
    assert_eq!(hooks.as_object().unwrap().len(), 12);
}

#[test]
fn the_others_start_it_through_a_shell() {
    let command = |harness, event: &str, pointer: &str| {
        let text = install(harness, None, &hook()).unwrap();
        value(&text)["hooks"][event].pointer(pointer).cloned().unwrap()
    };
    assert_eq!(
        command(Harness::Codex, "PreToolUse", "/0/hooks/0"),
        json!({
            "type": "command",
            "command": "/opt/provost hook --client codex --type pre-tool-use --home /r/.provost",
            "timeout": 30,
        }),
    );
    assert_eq!(command(Harness::Codex, "SessionEnd", "/0/hooks/0/timeout"), json!(3));
    assert_eq!(
        command(Harness::Gemini, "BeforeTool", "/0/hooks/0"),
        json!({
            "name": "provost",
            "type": "command",
            "command": "/opt/provost hook --client gemini --type pre-tool-use --home /r/.provost",
            "timeout": 30000,
        }),
    );
    assert_eq!(
        command(Harness::Cursor, "beforeShellExecution", "/0"),
        json!({
            "command": "/opt/provost hook --client cursor --type pre-tool-use --home /r/.provost",
            "failClosed": true,
        }),
    );
    assert_eq!(value(&install(Harness::Cursor, None, &hook()).unwrap())["version"], 1);
}

/// HOOK-1.5: every entry names its client, its type and its home, and the guard takes the event
/// with that type.
#[test]
fn an_entry_names_the_type_that_its_event_means() {
    for harness in json_clients() {
        let text = install(harness, None, &hook()).unwrap();
        for Entry { event, command } in entries(harness, &text).unwrap() {
            let words = command.words().unwrap();
            let named = words.iter().position(|it| it == "--type").map(|at| words[at + 1].clone());
            let meaning = event::meaning(harness.client(), &event).unwrap();
            let hook: HookType = named.unwrap().parse().unwrap();
            let fits = |trigger: &str| {
                let payload = json!({ "trigger": trigger });
                event::fits(meaning, hook, payload.as_object().unwrap())
            };
            assert!(fits("init") || fits("maintenance"), "{harness} {event} {hook}");
            assert!(words.ends_with(&["--home".to_owned(), "/r/.provost".to_owned()]));
        }
    }
}

/// What an editor put before a text stays there, and the text is read all the same.
#[test]
fn a_byte_order_mark_is_kept() {
    for harness in json_clients() {
        let before = format!("\u{feff}{}", person(harness));
        let installed = install(harness, Some(&before), &hook()).unwrap();
        assert!(installed.starts_with("\u{feff}{"), "{harness} {installed}");
        assert_eq!(installed.matches('\u{feff}').count(), 1, "{harness}");
        assert!(is_exact(harness, &installed).unwrap(), "{harness}");
        let left = uninstall(harness, &installed).unwrap().unwrap();
        assert!(left.starts_with("\u{feff}{") && left.contains("./mine.sh"), "{harness} {left}");
    }
    let config = "\u{feff}# mine\nmodel = \"x\"\n";
    let hooks = install(Harness::Codex, None, &hook()).unwrap();
    let trusted = trust::of(Some(&hooks), "/u/.codex/hooks.json").unwrap();
    let written = trust::write(Some(config), &trusted, &[]).unwrap();
    assert!(written.starts_with(config), "{written}");
    assert_eq!(trust::missing(Some(&written), &trusted).unwrap(), None);
    assert_eq!(trust::remove(&written, &trusted).unwrap(), config);
}

/// A comment is never lost: where the client does not read it, it is named.
#[test]
fn a_comment_is_named_with_its_line() {
    #[track_caller]
    fn check(harness: Harness, text: &str, expected: &str) {
        let actual = match install(harness, Some(text), &hook()) {
            Ok(_) => "installed".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected, "{harness} {text}");
    }
    let line =
        |it: u8| format!("line {it} has a comment, and the client reads JSON without comments");
    for harness in [Harness::Claude, Harness::Codex, Harness::Cursor] {
        check(harness, "// mine\n{}", &line(1));
        check(harness, "\u{feff}{\n  \"a\": 1,\n  /* mine */ \"b\": 2, // x\n}", &line(3));
        check(harness, "{\"url\": \"http://x/*y*/\"}", "installed");
        check(harness, "{\"a\": // open", "invalid JSON: line 1: not valid JSON at column 7");
    }
}

#[test]
fn installing_twice_changes_nothing() {
    for &harness in Harness::ALL {
        let once = install(harness, None, &hook()).unwrap();
        assert_eq!(install(harness, Some(&once), &hook()).unwrap(), once, "{harness}");
        assert!(is_exact(harness, &once).unwrap(), "{harness}");
    }
}

#[test]
fn another_program_or_home_takes_the_place_of_the_first() {
    for &harness in Harness::ALL {
        let other =
            Hook { program: "/new/provost".to_owned(), home: Some("/q/.provost".to_owned()) };
        let text = install(harness, None, &hook()).unwrap();
        let text = install(harness, Some(&text), &other).unwrap();
        assert!(!text.contains("/opt/provost"), "{harness} {text}");
        assert_eq!(text, install(harness, None, &other).unwrap(), "{harness}");
    }
}

#[test]
fn what_a_person_wrote_keeps_its_bytes_and_comes_back() {
    for harness in json_clients() {
        let before = person(harness);
        let text = install(harness, Some(&before), &hook()).unwrap();
        for part in ["./mine.sh", "\"zebra\": 1.50", "\"apple\": [1, 2 ]"] {
            assert_eq!(text.contains(part), before.contains(part), "{harness} {part} {text}");
        }
        let ours = entries(harness, &text).unwrap().len();
        assert_eq!(
            ours,
            entries(harness, &install(harness, None, &hook()).unwrap()).unwrap().len()
        );
        let after = uninstall(harness, &text).unwrap().unwrap();
        assert_eq!(value(&after), value(&before), "{harness}");
        let keys = |text: &str| text.find("zebra") < text.find("apple");
        assert_eq!(keys(&after), keys(&before), "{harness} {after}");
        assert_eq!(entries(harness, &after).unwrap(), [], "{harness}");
    }
}

/// A hook of another program is at the same place after ours came and went: Codex trusts places.
#[test]
fn no_place_of_another_hook_changes() {
    let text = install(Harness::Codex, Some(&person(Harness::Codex)), &hook()).unwrap();
    let list = &value(&text)["hooks"]["SessionEnd"];
    assert_eq!(list[0]["hooks"][0]["command"], "./mine.sh");
    assert!(list[1]["hooks"][0]["command"].as_str().unwrap().starts_with("/opt/provost"));
}

#[test]
fn nothing_of_ours_is_left() {
    for &harness in Harness::ALL {
        let text = install(harness, None, &hook()).unwrap();
        assert_eq!(uninstall(harness, &text).unwrap(), None, "{harness}");
    }
    for harness in json_clients() {
        let text = person(harness);
        assert_eq!(uninstall(harness, &text).unwrap(), Some(text), "{harness}: nothing to do");
    }
}

/// A handler of a person in a group with ours stays there.
#[test]
fn only_our_handler_leaves_a_group() {
    let text = install(Harness::Claude, None, &hook()).unwrap();
    let mut changed = value(&text);
    let group = changed["hooks"]["PreToolUse"][0]["hooks"].as_array_mut().unwrap();
    group.push(json!({"type": "command", "command": "./mine.sh"}));
    let after = uninstall(Harness::Claude, &changed.to_string()).unwrap().unwrap();
    assert_eq!(
        value(&after),
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./mine.sh"}]}]}}),
    );
}

#[test]
fn comments_are_for_gemini_alone() {
    let text = "{\n  // mine\n  \"a\": 1, /* b */\n}\n";
    let written = install(Harness::Gemini, Some(text), &hook()).unwrap();
    assert!(written.contains("// mine") && written.contains("/* b */"), "{written}");
    let after = uninstall(Harness::Gemini, &written).unwrap().unwrap();
    assert!(after.contains("// mine") && after.contains("/* b */"), "{after}");
    for harness in [Harness::Claude, Harness::Codex, Harness::Cursor] {
        let error = install(harness, Some(text), &hook()).unwrap_err();
        assert_eq!(error, InstallError::Comment { line: 2 }, "{harness}");
    }
}

#[test]
fn what_is_not_a_configuration_is_refused() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        for harness in json_clients() {
            let error = install(harness, Some(text), &hook()).unwrap_err();
            let (kind, hints) = (format!("{error:?}"), error.hints());
            assert!(kind.starts_with(expected), "{harness} {text} {kind}");
            assert!(!hints.is_empty());
        }
    }
    check("{\"a\": ", "NotJson");
    check("{} {}", "NotJson");
    check("{'a': 1}", "NotJson");
    check("[]", "NotObject");
    check("{\"hooks\": []}", "Shape { at: \"hooks\" }");
    check("{\"hooks\": {\"SessionEnd\": {}}}", "Shape { at: \"hooks.SessionEnd\" }");
    let twice = "{\"hooks\": {}, \"hooks\": {}}";
    for harness in json_clients() {
        assert!(install(harness, Some(twice), &hook()).is_err(), "{harness}");
    }
    let error = install(Harness::Gemini, Some(twice), &hook()).unwrap_err();
    assert_eq!(error.to_string(), "duplicate key `hooks`");
    let foreign = install(Harness::Opencode, Some("export const X = 1;\n"), &hook()).unwrap_err();
    assert_eq!(foreign, InstallError::Foreign);
    assert_eq!(uninstall(Harness::Opencode, "export const X = 1;\n"), Err(InstallError::Foreign));
}

#[test]
fn an_installation_that_somebody_changed_is_not_exact() {
    let text = install(Harness::Claude, None, &hook()).unwrap();
    for (from, to) in [
        ("\"onFailure\": \"block\"", "\"onFailure\": \"ignore\""),
        ("\"timeout\": 10", "\"timeout\": 1"),
        ("\"PreToolUse\"", "\"Notification\""),
        ("\"/r/.provost\"", "\"/q\""),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert!(!is_exact(Harness::Claude, &changed).unwrap(), "{to}");
    }
    let narrowed = text.replacen("\"hooks\": [", "\"matcher\": \"Read\", \"hooks\": [", 1);
    assert!(!is_exact(Harness::Claude, &narrowed).unwrap(), "{narrowed}");
    assert!(!is_exact(Harness::Claude, "{}").unwrap());
}

#[test]
fn a_client_can_be_told_to_run_no_hook() {
    #[track_caller]
    fn check(harness: Harness, text: &str, expected: Option<&str>) {
        assert_eq!(switched_off(harness, text).unwrap(), expected, "{text}");
    }
    check(Harness::Claude, "{\"disableAllHooks\": true}", Some("disableAllHooks"));
    check(Harness::Claude, "{\"disableAllHooks\": false}", None);
    check(Harness::Gemini, "{\"hooksConfig\": {\"enabled\": false}}", Some("hooksConfig.enabled"));
    let named = "{\"hooksConfig\": {\"disabled\": [\"x\", \"provost\"]}}";
    check(Harness::Gemini, named, Some("hooksConfig.disabled"));
    check(Harness::Gemini, "{\"hooksConfig\": {\"enabled\": true, \"disabled\": [\"x\"]}}", None);
    check(Harness::Codex, "{}", None);
}

/// A path with everything in it arrives as it is, in every client.
#[test]
fn a_strange_path_arrives_unchanged() {
    let strange = Hook {
        program: "/a b/it's \"$HOME\" `x` \\ é 键/provost".to_owned(),
        home: Some("/h; rm -rf / #".to_owned()),
    };
    for &harness in Harness::ALL {
        let text = install(harness, None, &strange).unwrap();
        for entry in entries(harness, &text).unwrap() {
            assert_eq!(Hook::of(&entry.command), Some(strange.clone()), "{harness}");
        }
    }
}
