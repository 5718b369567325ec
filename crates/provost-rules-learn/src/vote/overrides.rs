//! Checks on the evidence that a mission declares, compiled once.

use provost_kernel::{
    Message,
    learn::{Label, Override, Ticket},
};
use regex::Regex;

/// The checks of a mission, in the order of its file.
#[derive(Clone, Debug, Default)]
pub struct Overrides(Vec<Compiled>);

/// A pattern that does not compile.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "learn.override",
    en = "`{field}` of the override `{id}` is not a regular expression",
    zh = "覆盖规则 `{id}` 的 `{field}` 不是正则表达式",
    hint(
        en = "write it in single quotes, which keep a backslash; look-around is not supported",
        zh = "请用单引号书写，使反斜杠保持原样；不支持环视"
    )
)]
pub struct OverrideError {
    /// The check.
    pub id: String,
    /// Which of its fields.
    pub field: &'static str,
    source: Box<regex::Error>,
}

/// What the checks found in a ticket.
#[derive(Debug)]
pub(super) struct Hit<'a> {
    /// The first check that applies.
    pub(super) decisive: Option<&'a Override>,
    /// Whether a check would have applied, had the evidence not excused it.
    pub(super) is_excused: bool,
}

#[derive(Clone, Debug)]
struct Compiled {
    check: Override,
    pattern: Regex,
    excuse: Option<Regex>,
}

impl Overrides {
    /// Compiles the patterns.
    pub fn new(checks: &[Override]) -> Result<Self, OverrideError> {
        let compiled = checks.iter().map(|check| {
            let pattern = |field, text: &str| {
                Regex::new(text).map_err(|error| OverrideError {
                    id: check.id.clone(),
                    field,
                    source: error.into(),
                })
            };
            let excuse = check.unless_regex.as_deref();
            Ok(Compiled {
                pattern: pattern("regex", &check.regex)?,
                excuse: excuse.map(|it| pattern("unless_regex", it)).transpose()?,
                check: check.clone(),
            })
        });
        compiled.collect::<Result<_, _>>().map(Self)
    }

    /// The verdict on a ticket that a check decides, whatever a model says.
    pub fn verdict(&self, ticket: &Ticket) -> Option<Label> {
        self.look(ticket).decisive.map(|it| it.verdict)
    }

    /// Looks through the evidence of a ticket.
    pub(super) fn look(&self, ticket: &Ticket) -> Hit<'_> {
        let mut is_excused = false;
        for compiled in &self.0 {
            match compiled.look(ticket) {
                Found::Nothing => {}
                Found::Excused => is_excused = true,
                Found::Hit => return Hit { decisive: Some(&compiled.check), is_excused },
            }
        }
        Hit { decisive: None, is_excused }
    }
}

/// What one check finds.
enum Found {
    Nothing,
    /// A piece of evidence has the pattern, and every such piece has the excuse as well.
    Excused,
    Hit,
}

impl Compiled {
    fn look(&self, ticket: &Ticket) -> Found {
        let item = self.check.item.as_deref();
        let items = ticket.items.iter().filter(|it| item.is_none_or(|item| it.name == item));
        let found = items.filter(|it| self.pattern.is_match(&it.text));
        let excused = |text: &str| self.excuse.as_ref().is_some_and(|it| it.is_match(text));
        found.fold(Found::Nothing, |found, it| match found {
            Found::Nothing | Found::Excused if excused(&it.text) => Found::Excused,
            Found::Nothing | Found::Excused | Found::Hit => Found::Hit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticket::tests::ticket;

    fn check(id: &str, item: Option<&str>, regex: &str, unless: Option<&str>) -> Override {
        Override {
            id: id.to_owned(),
            item: item.map(str::to_owned),
            regex: regex.to_owned(),
            unless_regex: unless.map(str::to_owned),
            verdict: Label::Fail,
            reason: "x".to_owned(),
        }
    }

    #[test]
    fn the_first_check_that_applies_decides() {
        let ticket = ticket(
            r#"{"mission":"m","group_id":"g","label":"pass","items":{"log":"错误: 3 failed","note":"known: 3 failed"}}"#,
        );
        for (checks, decisive, is_excused) in [
            (&[][..], None, false),
            (&[check("a", None, "failed", None)], Some("a"), false),
            (&[check("a", None, "错误", None)], Some("a"), false),
            (&[check("a", None, "passed", None)], None, false),
            (&[check("a", Some("note"), "错误", None)], None, false),
            (&[check("a", Some("nothing"), "failed", None)], None, false),
            (&[check("a", Some("note"), "failed", Some("known"))], None, true),
            // One piece is excused and the other is not.
            (&[check("a", None, "failed", Some("known"))], Some("a"), false),
            (
                &[check("a", Some("note"), "failed", Some("known")), check("b", None, "3", None)],
                Some("b"),
                true,
            ),
            (&[check("a", None, "3", None), check("b", None, "3", None)], Some("a"), false),
        ] {
            let overrides = Overrides::new(checks).unwrap();
            let hit = overrides.look(&ticket);
            assert_eq!(hit.decisive.map(|it| it.id.as_str()), decisive, "{checks:?}");
            assert_eq!(hit.is_excused, is_excused, "{checks:?}");
        }
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let error = Overrides::new(&[check("a", None, "(", None)]).unwrap_err();
        assert_eq!(error.to_string(), "`regex` of the override `a` is not a regular expression");
        let error = Overrides::new(&[check("a", None, "x", Some("["))]).unwrap_err();
        assert_eq!(
            provost_kernel::Lang::Zh.render(&error.text()),
            "覆盖规则 `a` 的 `unless_regex` 不是正则表达式"
        );
        assert_eq!(error.hints().len(), 1);
        assert!(std::error::Error::source(&error).is_some());
    }
}
