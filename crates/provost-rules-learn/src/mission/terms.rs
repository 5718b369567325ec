//! The words of a mission: those for its verdicts, and those that its overrides look for.

use std::collections::BTreeSet;

use provost_form::{Shape as _, flag, list, text, word};
use provost_kernel::{
    Lang,
    learn::{Label, Override, VerdictTerms},
};
use regex::Regex;

use super::{Document, MissionProblem};
use crate::answer::folded;

/// Reads the words for each verdict, or takes those of the language.
pub(super) fn read(table: &mut Document<'_>, language: Lang) -> VerdictTerms {
    let pass = words(table, "verdict_terms.pass", language.pick(&["pass"], &["通过", "pass"]));
    let fail =
        words(table, "verdict_terms.fail", language.pick(&["fail"], &["不通过", "未通过", "fail"]));
    for (key, list) in [("verdict_terms.pass", &pass), ("verdict_terms.fail", &fail)] {
        if list.is_empty() {
            table.report(key, MissionProblem::NoVerdictWord);
        }
    }
    let passing: BTreeSet<String> = pass.iter().map(|it| folded(it)).collect();
    if fail.iter().any(|it| passing.contains(&folded(it))) {
        table.report("verdict_terms.fail", MissionProblem::AmbiguousVerdictWord);
    }
    VerdictTerms { pass, fail }
}

fn words(table: &mut Document<'_>, key: &str, built_in: &[&str]) -> Vec<String> {
    let texts = table.optional(key, list(text().line()));
    texts.unwrap_or_else(|| built_in.iter().map(|it| (*it).to_owned()).collect())
}

/// Reads the checks on the evidence. Each has a name of its own and patterns that compile.
pub(super) fn overrides(table: &mut Document<'_>) -> Vec<Override> {
    let allows_pass = table.optional("allow_pass_override", flag()).unwrap_or(false);
    let mut ids = BTreeSet::new();
    let overrides = table.tables("overrides", |it| {
        let id = it.required("id", text().line());
        if id.as_ref().is_some_and(|id| !ids.insert(id.clone())) {
            it.report("id", MissionProblem::OverrideTwice);
        }
        let verdict = it.optional("verdict", word()).unwrap_or(Label::Fail);
        if verdict == Label::Pass && !allows_pass {
            it.report("verdict", MissionProblem::PassOverride);
        }
        let regex = it.required("regex", text().and_then(pattern));
        let unless_regex = it.optional("unless_regex", text().and_then(pattern));
        let item = it.optional("item", text().line());
        let reason = it.required("reason", text().line());
        Some(Override { id: id?, item, regex: regex?, unless_regex, verdict, reason: reason? })
    });
    overrides.unwrap_or_default()
}

/// A pattern that compiles.
fn pattern(text: String) -> Result<String, MissionProblem> {
    let is_pattern = !text.is_empty() && Regex::new(&text).is_ok();
    if is_pattern { Ok(text) } else { Err(MissionProblem::NotAPattern) }
}
