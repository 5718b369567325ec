use std::collections::BTreeSet;

use super::*;
use crate::Message as _;

fn is_relative(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split('/').all(|it| !matches!(it, "" | ".."))
}

/// No two clients share a name, a preset, a file or a mark.
#[test]
fn every_entry_is_told_from_the_others() {
    let names: [fn(&ClientEntry) -> &'static str; 4] =
        [|it| it.title, |it| it.preset, |it| it.agent.name, |it| it.install.project];
    for name in names {
        let all: BTreeSet<_> = Harness::entries().map(name).collect();
        assert_eq!(all.len(), Harness::ALL.len(), "{all:?}");
    }
    let marks: Vec<_> =
        Harness::entries().filter_map(|it| it.marks).flat_map(|it| it.fields).collect();
    assert_eq!(marks.iter().collect::<BTreeSet<_>>().len(), marks.len(), "{marks:?}");
}

#[test]
fn a_word_leads_to_its_own_entry() {
    for &harness in Harness::ALL {
        assert_eq!(harness.entry().harness, harness);
        assert_eq!(Harness::of_preset(harness.entry().preset), Some(harness));
    }
    for &client in Client::ALL {
        assert_eq!(client.entry().client, client);
    }
}

#[test]
fn a_preset_names_its_program() {
    for (preset, expected) in [
        ("claude-code", Some(Harness::Claude)),
        ("codex", Some(Harness::Codex)),
        ("gemini", Some(Harness::Gemini)),
        ("cursor", Some(Harness::Cursor)),
        ("opencode", Some(Harness::Opencode)),
        ("claude", None),
        ("aider", None),
        ("", None),
    ] {
        assert_eq!(Harness::of_preset(preset), expected, "{preset:?}");
    }
}

#[test]
fn the_events_of_an_entry_are_whole() {
    for entry in Harness::entries() {
        let Events { installed, understood, untyped, untyped_by_type } = entry.events;
        let typed = installed.iter().chain(understood).map(|it| it.0);
        let names: Vec<_> = typed.chain(untyped.iter().chain(untyped_by_type).copied()).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        for name in names {
            assert!(entry.events.meaning(name).is_some(), "{name}");
        }
        assert!(installed.iter().all(|it| it.1 != Meaning::NoType), "{}", entry.title);
        let types = installed.iter().map(|it| it.1);
        assert!(types.clone().any(|it| it == Meaning::Hook(HookType::PreToolUse)));
        assert_eq!(entry.events.meaning("no such event"), None);
    }
}

#[test]
fn every_entry_says_where_and_how_it_is_installed() {
    for ClientEntry { title, install, agent, events, .. } in Harness::entries() {
        for file in [Some(install.user), install.trust].into_iter().flatten() {
            assert!(is_relative(file.home), "{title}");
            assert!(file.moved.iter().all(|it| is_relative(it.1)), "{title}");
        }
        assert!(is_relative(install.project), "{title}");
        match install.form {
            InstallForm::Plugin { template, .. } => {
                assert_eq!(template.matches("[\"@COMMAND@\"]").count(), 1, "{title}");
            }
            InstallForm::Entries { fields, .. } => {
                let starts = |it: &&Field| {
                    matches!(it.value, FieldValue::Line | FieldValue::Program)
                        && it.at == FieldAt::All
                };
                assert_eq!(fields.iter().filter(starts).count(), 1, "{title}");
                for at in fields.iter().map(|it| it.at) {
                    if let FieldAt::Event(name) | FieldAt::Except(name) = at {
                        assert!(events.installed.iter().any(|it| it.0 == name), "{title}: {name}");
                    }
                }
            }
        }
        // What an installation writes must not be written by the agent that it guards.
        let names: Vec<&str> = install.project.split('/').collect();
        let pairs = agent.configuration.iter().chain(agent.secrets);
        let is_protected = |pair: &(&str, &str)| names.windows(2).any(|it| it == [pair.0, pair.1]);
        assert!(pairs.clone().any(is_protected), "{title}: `{}`", install.project);
        assert!(agent.folders.contains(&names[0]), "{title}");
    }
}

#[test]
fn every_gate_has_a_payload_that_says_event_command_and_folder() {
    for ClientEntry { title, gates, install, events, .. } in Harness::entries() {
        assert!(!gates.is_empty(), "{title}");
        for TrialGate { event, payload, .. } in *gates {
            let value: serde_json::Value = serde_json::from_str(payload).unwrap();
            assert!(value.is_object(), "{title}");
            let is_asked = events.installed.iter().any(|it| it.0 == *event);
            let is_plugin = matches!(install.form, InstallForm::Plugin { .. });
            assert!(is_asked || is_plugin, "{title}: {event}");
            assert!(payload.contains("\"@command\"") && payload.contains("\"@folder\""), "{title}");
            assert!(payload.contains("\"@event\"") || is_plugin, "{title}");
        }
    }
}

#[test]
fn every_client_has_a_known_gap() {
    for entry in Harness::entries() {
        assert!(!entry.gaps.is_empty(), "{}", entry.title);
        assert!(
            entry.gaps.iter().all(|it| it
                .gap
                .text()
                .code()
                .is_some_and(|it| it.starts_with("guard.gap")))
        );
    }
}

#[test]
fn a_client_that_is_driven_is_sent_to_the_model_and_told_nothing_of_hooks() {
    for entry in Harness::entries() {
        let Some(live) = &entry.live else { continue };
        let values = live.variables.iter().map(|it| it.1);
        let words: Vec<_> = live.arguments.iter().copied().chain(values).collect();
        assert!(words.iter().any(|it| it.contains("{base}")), "{words:?}");
        assert!(!words.iter().any(|it| it.contains("://")), "{words:?}");
        assert!(!live.arguments.iter().any(|it| it.contains("hook")), "{words:?}");
        assert!(live.files.iter().all(|it| is_relative(it.0)), "{}", entry.title);
    }
}

#[test]
fn the_words_read_as_a_list() {
    assert_eq!(Harness::words_or(), "claude, codex, gemini, cursor or opencode");
}
