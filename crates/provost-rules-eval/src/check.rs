//! The kinds of checks, and what each says of one case.
//!
//! A kind is an algorithm; its numbers come from the suite. A check whose subject is missing is
//! skipped, and a check that cannot judge fails: neither is ever a pass.

mod content;
mod fault;
mod form;
mod grounded;
mod judged;
mod kind;
mod measured;
mod soundness;
mod text;

use std::collections::BTreeSet;

use provost_kernel::{
    Message as _, Text,
    eval::{Artifacts, Case, CheckResult, CheckStatus, Meta},
};

pub use self::{
    judged::{Example, JUDGE_INSTRUCTIONS, Question, Verdict, Verdicts},
    kind::{Bands, Kind},
};
pub use super::path::Subject;
use super::suite::{Suite, SuiteCheck};

/// The check that fails when an engine's output cannot be judged. It appears only then.
pub const ENGINE_OUTPUT: &str = "engine.output";

/// Which checks of a suite are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rubric {
    Standard,
    /// The optional checks, too.
    Strict,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Pass,
    Fail(Text),
    /// What it looks at is not there.
    Missing,
}

impl From<fault::Fault> for Outcome {
    fn from(fault: fault::Fault) -> Self {
        Self::Fail(fault.text())
    }
}

/// Asks the checks that need nothing but the artifacts of one case.
pub fn check_case(
    suite: &Suite,
    case: &Case,
    artifacts: &Artifacts,
    rubric: Rubric,
) -> Vec<CheckResult> {
    let (meta, said) = (Meta::default(), Verdicts::new());
    check_answer(suite, Subject { case, artifacts, meta: &meta, said: &said }, rubric)
}

/// Asks every check of the suite about one answer, in the order of the suite (EVAL-4.1).
pub fn check_answer(suite: &Suite, subject: Subject<'_>, rubric: Rubric) -> Vec<CheckResult> {
    let mut results: Vec<_> = asked(suite, rubric).map(|it| ask(suite, it, subject)).collect();
    explain_skips(suite, &mut results);
    results
}

/// Says of a skipped check where it looked, unless a check that failed says why nothing is there.
fn explain_skips(suite: &Suite, results: &mut [CheckResult]) {
    let failed: BTreeSet<_> = results
        .iter()
        .filter(|it| it.status == CheckStatus::Fail)
        .map(|it| it.name.clone())
        .collect();
    for result in results.iter_mut().filter(|it| it.status == CheckStatus::Skipped) {
        if result.blocked_by.as_ref().is_some_and(|it| failed.contains(it)) {
            continue;
        }
        let check = suite.checks.iter().find(|it| it.name == result.name);
        let place = check.and_then(|it| it.kind.places().into_iter().next());
        let is_said =
            check.is_some_and(|it| matches!(it.kind, Kind::Command { .. } | Kind::Judge { .. }));
        let fault = match place.map(|it| it.as_str().to_owned()) {
            Some(at) if !is_said => fault::Fault::NoSubject { at },
            Some(_) | None => fault::Fault::Unsaid,
        };
        let text = fault.text();
        *result = CheckResult::without_subject(result.level, &result.name, &text);
    }
}

/// The checks that are asked.
pub fn asked(suite: &Suite, rubric: Rubric) -> impl Iterator<Item = &SuiteCheck> {
    suite.checks.iter().filter(move |it| rubric == Rubric::Strict || !it.optional)
}

fn ask(suite: &Suite, check: &SuiteCheck, subject: Subject<'_>) -> CheckResult {
    let SuiteCheck { name, level, kind, .. } = check;
    let artifact = kind.artifact();
    let is_there = |it: &str| subject.artifacts.get(it).is_some_and(serde_json::Value::is_object);
    // The check of the schema reports an artifact that is missing.
    let outcome = match (artifact, kind) {
        (_, Kind::Schema { artifact }) => form::schema(suite, artifact, subject),
        (Some(artifact), _) if !is_there(artifact) => Outcome::Missing,
        _ => look(suite, check, subject),
    };
    match outcome {
        Outcome::Pass => CheckResult::pass(*level, name),
        Outcome::Fail(message) => CheckResult::fail(*level, name, &message),
        Outcome::Missing => {
            let blocker = artifact.and_then(|it| suite.schema_check(it));
            CheckResult::skipped(*level, name, blocker.unwrap_or(ENGINE_OUTPUT))
        }
    }
}

fn look(suite: &Suite, check: &SuiteCheck, subject: Subject<'_>) -> Outcome {
    let lexicon = &suite.lexicon;
    let outcome = match &check.kind {
        Kind::Schema { artifact } => Some(form::schema(suite, artifact, subject)),
        Kind::Shape { lists, texts } => Some(form::shape(lists, texts, subject)),
        Kind::Items { at, min, max, fields } => Some(form::items(at, *min..=*max, fields, subject)),
        Kind::Band { label, number, tolerance, bands } => {
            Some(form::band(label, number, *tolerance, bands, subject))
        }
        Kind::Range { at, min, max } => Some(form::range(at, *min..=*max, subject)),
        Kind::Equal { pairs } => Some(form::equal(pairs, subject)),
        Kind::Contains { at, all, any, none, from, ignore_case } => {
            let wanted = text::Wanted { all, any, none, from: from.as_ref() };
            text::contains(at, &wanted, *ignore_case, subject)
        }
        Kind::Regex { at, pattern, absent } => text::regex(at, pattern, *absent, subject),
        Kind::Equals { at, to, value, tolerance, ignore_case } => {
            let expected = to.as_ref().map_or(value.as_ref(), |it| it.value(subject));
            let same = form::Sameness { tolerance: *tolerance, ignore_case: *ignore_case };
            Some(form::equals(at, to.as_ref(), expected, same, subject))
        }
        Kind::Latency { max_ms } => Some(measured::latency(*max_ms, subject)),
        Kind::Cost { max_tokens, max_usd } => Some(measured::cost(*max_tokens, *max_usd, subject)),
        Kind::Command { .. } | Kind::Judge { .. } => Some(judged::said(&check.name, subject)),
        Kind::Calibrated { at, task_type, expected } => {
            Some(form::calibrated(suite, at, task_type, expected, subject))
        }
        Kind::Specific { at, intent, least, similarity } => {
            content::specific(lexicon, at, intent, (*least, *similarity), subject)
        }
        Kind::VerbLed { at, least } => content::titles(lexicon, at, *least, subject),
        Kind::Actionable { at, weight } => content::actionable(lexicon, at, *weight, subject),
        Kind::Distinct { at, similarity, containment, least_tokens } => {
            let limits = (*similarity, *containment, *least_tokens);
            content::distinct(lexicon, at, limits, subject)
        }
        Kind::Adds { at, to, least_tokens, least_new, similarity } => {
            let limits = (*least_tokens, *least_new, *similarity);
            content::adds(lexicon, at, to, limits, subject)
        }
        Kind::Headline { at, weight, weight_with_token } => {
            content::headline(lexicon, at, (*weight, *weight_with_token), subject)
        }
        Kind::Produces { at, types, least } => {
            content::produces(lexicon, at, types, *least, subject)
        }
        Kind::Grounded { at, text, least, share, together, texts } => {
            let bounds = grounded::Bounds {
                least: *least,
                share: *share,
                together: *together,
                texts: *texts,
            };
            grounded::grounded(lexicon, at, text, bounds, subject)
        }
        Kind::Quoted { at, text } => content::quoted(at, text, subject),
    };
    outcome.unwrap_or(Outcome::Missing)
}

#[cfg(test)]
pub(super) mod tests;
