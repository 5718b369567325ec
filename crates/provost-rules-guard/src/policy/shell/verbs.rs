//! Commands that are known by their words: one table, in the order of the programs.
//!
//! To add one: a row of `table.rs` at its place.

mod table;

use provost_shell::Word;

use self::table::TABLE;
use super::super::{
    action::Action,
    arguments::{Arguments, lead},
    builtin::BuiltIn,
};

/// A command, and the rule that it meets.
struct Verb {
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
    rule: BuiltIn,
}

/// Options by which a program only says what it would change elsewhere.
const REHEARSALS: [&str; 8] = [
    "--check",
    "--dry-run",
    "--help",
    "--list-hosts",
    "--list-tags",
    "--list-tasks",
    "--syntax-check",
    "--version",
];

/// Meets the rules of a command.
pub(super) fn judge(program: &str, arguments: Arguments<'_>, action: &mut Action) {
    let begin = TABLE.partition_point(|it| it.program < program);
    let rows = TABLE.iter().skip(begin).take_while(|it| it.program == program);
    let is_rehearsal = || REHEARSALS.iter().any(|it| arguments.has(it));
    let is_change = |it: &Verb| matches!(it.rule, BuiltIn::CloudChange | BuiltIn::Publish);
    for row in rows.filter(|it| it.fits(arguments) && !(is_change(it) && is_rehearsal())) {
        action.meet(row.rule);
    }
}

impl Verb {
    fn fits(&self, arguments: Arguments<'_>) -> bool {
        let mut operands = arguments.operands().map(lead);
        let is_one = |wanted: &str, given: &str| wanted.split('|').any(|it| it == given);
        self.words.iter().all(|wanted| match *wanted {
            "$" => operands.next().is_none(),
            wanted => operands.any(|given| is_one(wanted, given)),
        }) && (self.options.is_empty() || self.options.iter().any(|it| has(arguments, it)))
    }
}

/// Whether an option is there, alone or with its value.
fn has(arguments: Arguments<'_>, option: &str) -> bool {
    let is_short = option.len() == 2 && !option.starts_with("--");
    let is_it = |word: &Word| {
        let given = lead(word);
        given == option
            || given.strip_prefix(option).is_some_and(|it| is_short || it.starts_with('='))
    };
    arguments.words().iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(TABLE.is_sorted_by_key(|it| it.program));
    }

    #[test]
    fn a_command_is_known_by_its_words() {
        for (command, expected) in [
            ("gh auth token", Some("secret.printed")),
            ("gh auth status", None),
            ("gh auth status -t", Some("secret.printed")),
            ("gh pr view 42 --json title", None),
            ("kubectl get secrets", None),
            ("kubectl get secret db -o yaml", Some("secret.printed")),
            ("kubectl -n prod get secret db -ojson", Some("secret.printed")),
            ("apt-get install -y jq", None),
            ("apt-get -y purge libc6", Some("system.packages")),
            ("date +%s", None),
            ("date -s 2001-01-01", Some("system.settings")),
            ("terraform output", None),
            ("heroku logs --tail", None),
        ] {
            let script = provost_shell::parse(command);
            let invocation = &script.invocations[0];
            let mut action = Action::default();
            let program = invocation.program().unwrap();
            judge(program, Arguments::of(invocation), &mut action);
            assert_eq!(action.found.first().map(|it| it.rule.id()), expected, "{command}");
        }
    }
}
