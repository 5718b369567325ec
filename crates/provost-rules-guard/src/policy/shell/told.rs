//! Orders to the guard that only a person may give, whatever its program is called and whoever
//! types them.

use provost_shell::{Family, RemoteKind, Script, Trait, Word};

use super::{
    super::{
        action::Action,
        arguments::{known, program},
        builtin::BuiltIn::ProvostCommand,
    },
    ShellAnalyzer,
};

/// What only a person may tell the guard.
const ORDERS: [&str; 4] = ["allow", "deny", "snooze", "trust"];

/// Programs that type their words into another one.
const TYPISTS: [&str; 12] = [
    "byobu",
    "dtach",
    "expect",
    "kitty",
    "osascript",
    "screen",
    "tmux",
    "wezterm",
    "xdotool",
    "ydotool",
    "zellij",
    "wtype",
];

/// Notes an order to the guard among the words of a program that is more than said.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script) {
    for it in &script.invocations {
        let texts = it.words.iter().filter_map(Word::text);
        let is_order = if program(it).is_some_and(|it| TYPISTS.contains(&it.as_str())) {
            orders(texts.flat_map(typed))
        } else {
            !says(known(it)) && orders(texts)
        };
        if is_order {
            let mut action = Action::on(&it.shown());
            action.meet(ProvostCommand);
            look.actions.push(action);
        }
    }
}

/// Whether `guard` stands there with an order behind it, and something before it.
fn orders<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let (mut n_before, mut was_guard) = (0, false);
    for word in words {
        if was_guard && n_before > 1 && ORDERS.contains(&word) {
            return true;
        }
        was_guard = word == "guard";
        n_before += 1;
    }
    false
}

/// Whether the words of a program are texts, names of tests, or those of another tool.
fn says(program: &provost_shell::Program) -> bool {
    program.is_any(&[
        Trait::Idle,
        Trait::Looks,
        Trait::Prose,
        Trait::Reads,
        Trait::RunsTests,
        Trait::RunsWithLines,
        Trait::Speaks,
        Trait::TakesPattern,
    ]) || matches!(program.family, Family::Git | Family::Remote(RemoteKind::Registry))
}

/// The words of a text that is typed; a key has a name.
fn typed(text: &str) -> impl Iterator<Item = &str> {
    let is_between =
        |it: char| it.is_whitespace() || matches!(it, ';' | '\'' | '"' | '\\' | '{' | '}');
    text.split(is_between).filter(|it| !it.is_empty() && *it != "Space")
}
