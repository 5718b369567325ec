use provost_kernel::{Lang, Message};
use serde_json::json;

use super::*;

const BOTH: [AgentRole; 2] = AgentRole::ALL;

fn config(value: serde_json::Value) -> AdapterConfig {
    serde_json::from_value(value).unwrap()
}

/// What a name selects, as one word, when everything is allowed.
#[track_caller]
fn meaning(name: &str, role: AgentRole) -> Result<String, SelectError> {
    let selected = select(name, role, &BTreeMap::new(), PartialRuns::Allowed)?;
    Ok(match selected.config {
        AdapterConfig::Preset { preset, .. } => preset,
        AdapterConfig::Script { behaviour } => behaviour.as_str().to_owned(),
        AdapterConfig::Chat { base, .. } => base,
        other @ (AdapterConfig::Command { .. } | AdapterConfig::Recording { .. }) => {
            panic!("{other:?}")
        }
    })
}

/// Every name that a task of the original may hold means something here.
#[test]
fn the_names_of_the_original_are_known() {
    let check = |names: &[&str], roles: &[AgentRole], expected: &str| {
        for name in names {
            for &role in roles {
                assert_eq!(meaning(name, role).as_deref(), Ok(expected), "{name} {role:?}");
            }
        }
    };
    check(&["cursor-agent", "cursor_cli", "cursor-cli", "cursor"], &BOTH, "cursor");
    check(&["codex-cli", "codex_cli", "codex"], &BOTH, "codex");
    check(
        &["claude-bridge", "claude_bridge", "claude-cli", "claude_cli", "claude-code"],
        &BOTH,
        "claude-code",
    );
    check(&["antigravity-cli"], &[AgentRole::Judge], "http://127.0.0.1:8317/v1");
    check(&["mock"], &BOTH, "mock");
    check(&["mock_timeout", "mock-timeout"], &BOTH, "time_out");
    check(&["mock_need_input", "mock-need-input"], &[AgentRole::Judge], "need_input");
    check(&["structure_gate", "structure-gate"], &BOTH, "structure_gate");
    check(&["script:edits_tests"], &[AgentRole::Coder], "edits_tests");
}

#[test]
fn a_name_that_means_nothing_comes_with_the_nearest() {
    let check = |name: &str, text: &str, hint: &str| {
        let error = meaning(name, AgentRole::Coder).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), Lang::En.render_all(&error.hints())),
            (text, vec![hint.into()])
        );
    };
    check("codex-clii", "unknown adapter `codex-clii`", "did you mean `codex-cli`?");
    check("claude-coed", "unknown adapter `claude-coed`", "did you mean `claude-code`?");
    check("script:pas", "unknown adapter `script:pas`", "did you mean `script:pass`?");
    check(
        "xyzzy",
        "unknown adapter `xyzzy`",
        "describe it under `[adapter.xyzzy]` in `provost.toml`",
    );
    let long = "x".repeat(100_000);
    assert!(meaning(&long, AgentRole::Coder).unwrap_err().to_string().len() < 200);
    let forged = meaning("a\nb", AgentRole::Coder).unwrap_err().to_string();
    assert_eq!(forged, "unknown adapter `a\\nb`");
    assert!(meaning("", AgentRole::Coder).is_err());
}

/// LOOP-A15: each name in each role, with and without `ALLOW_PARTIAL_RUN=true`.
#[test]
fn a_partial_adapter_is_refused_unless_it_is_allowed() {
    use AgentRole::{Coder, Judge};
    use Level::{Partial, Supported, Unsupported};
    for (name, role, level) in [
        ("claude-code", Coder, Supported),
        ("claude-code", Judge, Partial),
        ("codex", Coder, Supported),
        ("codex", Judge, Partial),
        ("gemini", Coder, Supported),
        ("gemini", Judge, Partial),
        ("opencode", Coder, Supported),
        ("opencode", Judge, Partial),
        ("aider", Coder, Partial),
        ("aider", Judge, Unsupported),
        ("cursor", Coder, Partial),
        ("cursor", Judge, Partial),
        ("antigravity-cli", Coder, Unsupported),
        ("antigravity-cli", Judge, Partial),
        ("openai-api", Judge, Partial),
        ("openrouter-api", Judge, Partial),
        ("moonshot-api", Judge, Partial),
        ("mock", Coder, Supported),
        ("mock", Judge, Supported),
        ("mock_need_input", Coder, Unsupported),
        ("script:edits_tests", Judge, Unsupported),
    ] {
        let ask = |partial| select(name, role, &BTreeMap::new(), partial);
        let (refused, allowed) = (ask(PartialRuns::Refused), ask(PartialRuns::Allowed));
        match level {
            Supported => assert!(refused.is_ok() && allowed.is_ok(), "{name} {role:?}"),
            Partial => {
                let error = refused.unwrap_err();
                assert!(matches!(error, SelectError::Partial { .. }), "{name} {error:?}");
                assert!(!error.hints().is_empty() && Lang::Zh.render(&error.text()).contains(name));
                assert_eq!(allowed.unwrap().support.level, Partial, "{name} {role:?}");
            }
            Unsupported => {
                for error in [refused.unwrap_err(), allowed.unwrap_err()] {
                    assert!(matches!(error, SelectError::Unsupported { .. }), "{name} {error:?}");
                }
            }
        }
    }
}

/// LOOP-A15: an alias of the configuration is no way around it.
#[test]
fn a_configured_name_has_the_support_of_what_it_means() {
    use AgentRole::{Coder, Judge};
    let configured: BTreeMap<String, AdapterConfig> = [
        ("mine", json!({"kind": "preset", "preset": "cursor"})),
        ("mock", json!({"kind": "command", "argv": ["./my-mock"]})),
        ("local", json!({"kind": "chat", "base": "http://127.0.0.1:1/v1", "model": "m"})),
        ("tape", json!({"kind": "recording", "file": "tape.jsonl"})),
        ("typo", json!({"kind": "preset", "preset": "codx"})),
    ]
    .map(|(name, value)| (name.to_owned(), config(value)))
    .into();
    let check = |name: &str, role: AgentRole, expected: Result<(), &str>| {
        let actual = select(name, role, &configured, PartialRuns::Refused);
        let actual = actual.map(|_| ()).map_err(|it| it.to_string());
        assert_eq!(actual, expected.map_err(str::to_owned), "{name} {role:?}");
    };
    check(
        "mine",
        Coder,
        Err("the adapter `mine` is PARTIAL as a coder: it could not be installed and tested; its \
             flags are taken from public pages"),
    );
    check("mock", Coder, Ok(()));
    check("local", Judge, Ok(()));
    check(
        "local",
        Coder,
        Err("the adapter `local` cannot be a coder: it only answers, and cannot change files"),
    );
    check("tape", Judge, Ok(()));
    check("typo", Coder, Err("unknown preset `codx` of the adapter `typo`"));
    let selected = select("mock", Coder, &configured, PartialRuns::Refused).unwrap();
    assert!(matches!(selected.config, AdapterConfig::Command { .. }));
}

#[test]
fn a_description_with_an_unknown_key_is_refused() {
    for (value, is_allowed) in [
        (json!({"kind": "command", "argv": ["x"]}), true),
        (json!({"kind": "command", "argv": ["x"], "remote": "box", "variables": ["A"]}), true),
        (json!({"kind": "command", "argv": ["x"], "shell": true}), false),
        (json!({"kind": "command"}), false),
        (json!({"kind": "chat", "base": "b", "format": "json_object"}), true),
        (json!({"kind": "chat", "base": "b", "key": "sk-in-the-file"}), false),
        (json!({"kind": "script", "behaviour": "pass"}), true),
        (json!({"kind": "script", "behaviour": "late_writer"}), false),
        (json!({"kind": "magic"}), false),
    ] {
        let read = serde_json::from_value::<AdapterConfig>(value.clone());
        assert_eq!(read.is_ok(), is_allowed, "{value}");
    }
}

#[test]
fn an_adapter_names_the_variables_it_needs() {
    let set = ["CURSOR_API_KEY", "AWS_PROFILE", "CLAUDE_CODE_USE_BEDROCK", "MINE"];
    let set = set.map(|it| (it.to_owned(), "x".to_owned())).into();
    let check = |value: serde_json::Value, expected: &[&str]| {
        assert_eq!(config(value).variables(&set), expected);
    };
    check(json!({"kind": "command", "argv": ["x"], "variables": ["A", "B"]}), &["A", "B"]);
    check(json!({"kind": "chat", "base": "b", "key_variable": "K"}), &["K"]);
    check(json!({"kind": "chat", "base": "b"}), &[]);
    check(json!({"kind": "script", "behaviour": "pass"}), &[]);
    check(json!({"kind": "preset", "preset": "cursor"}), &["CURSOR_API_KEY"]);
    check(
        json!({"kind": "preset", "preset": "claude-code", "variables": ["MINE"]}),
        &["AWS_PROFILE", "CLAUDE_CODE_USE_BEDROCK", "MINE"],
    );
}

/// What is added under the name of a preset counts for all its names, unless one has a table.
#[test]
fn additions_count_for_every_name_of_a_preset() {
    let configured: BTreeMap<String, AdapterConfig> = [
        ("claude-code", json!({"kind": "preset", "preset": "claude-code", "model": "one"})),
        ("claude-cli", json!({"kind": "preset", "preset": "claude-code", "model": "two"})),
        ("codex", json!({"kind": "command", "argv": ["mine"]})),
    ]
    .map(|(name, value)| (name.to_owned(), config(value)))
    .into();
    for (name, expected) in [
        ("claude-code", Some("one")),
        ("claude_code", Some("one")),
        ("claude", Some("one")),
        ("claude-cli", Some("two")),
        ("codex-cli", None),
    ] {
        let selected = select(name, AgentRole::Coder, &configured, PartialRuns::Refused).unwrap();
        let AdapterConfig::Preset { model, .. } = selected.config else { panic!("{name}") };
        assert_eq!(model.as_deref(), expected, "{name}");
    }
    assert_eq!(preset_meant("claude_cli").map(|it| it.name), Some("claude-code"));
    assert!(preset_meant("mock").is_none() && preset_meant("mine").is_none());
}
