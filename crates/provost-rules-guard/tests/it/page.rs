//! The page on the guard, held against the rules that it describes.

use provost_kernel::{
    Message as _,
    guard::{
        HookType,
        policy::{Effect, GuardLevel, Pack},
    },
};
use provost_rules_guard::{fields, policy::BuiltIn};

const PAGE: &str = include_str!("../../../../docs/guard.md");

fn rows(first: &str) -> Vec<Vec<&str>> {
    let cells = |line: &'static str| line.trim_matches('|').split(" | ").map(str::trim).collect();
    let lines = PAGE.lines().skip_while(|it| !it.starts_with(first)).skip(2);
    lines.take_while(|it| it.starts_with('|')).map(cells).collect()
}

#[test]
fn the_page_lists_every_built_in_rule_and_no_other() {
    let expected: Vec<Vec<String>> = BuiltIn::ALL
        .iter()
        .map(|it| {
            let effect = |level| format!("`{}`", it.effect_at(level).as_str());
            let permitted = match (it.effect_at(GuardLevel::Strict), it.can_be_permitted()) {
                (Effect::Allow, _) => "–",
                (_, true) => "code",
                (_, false) => "a person alone",
            };
            vec![
                format!("`{}`", it.id()),
                effect(GuardLevel::Standard),
                it.pack().map_or("core", Pack::as_str).to_owned(),
                effect(GuardLevel::Relaxed),
                effect(GuardLevel::Strict),
                permitted.to_owned(),
                it.text().to_string(),
            ]
        })
        .collect();
    assert_eq!(rows("| rule | effect | pack |"), expected);
}

/// HOOK-1.1, HOOK-1.3: the published types, what they require and which are sensitive.
#[test]
fn the_page_lists_every_type_with_what_it_requires() {
    let expected: Vec<Vec<String>> = HookType::ALL
        .iter()
        .map(|&it| {
            let required: Vec<_> =
                fields::of(it).required.iter().map(|it| format!("`{it}`")).collect();
            let required = required.join(", ");
            vec![
                format!("`{it}`"),
                if required.is_empty() { "–".to_owned() } else { required },
                if it.is_sensitive() { "sensitive" } else { "normal" }.to_owned(),
                it.failure_severity().to_string(),
            ]
        })
        .collect();
    assert_eq!(rows("| type | required fields |"), expected);
}
