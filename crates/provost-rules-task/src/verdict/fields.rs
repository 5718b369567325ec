//! The fields that both kinds of verdict have.

use provost_form::{ProblemKind, Shape, list, text};
use provost_kernel::{
    shorten,
    task::{ScoringMode, VerdictDecision},
};

use super::Defect;

pub(super) type Fields<'a> = provost_form::Table<'a, Defect>;

/// Whether a field has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
}

/// What both kinds of verdict say to the next attempt and to a person.
pub(super) struct Words {
    pub(super) reasons: Vec<String>,
    pub(super) next_instructions: String,
    pub(super) questions_for_user: Vec<String>,
}

pub(super) fn read<S: Shape<Defect>>(
    fields: &mut Fields<'_>,
    key: &str,
    presence: Presence,
    shape: S,
) -> Option<S::Value> {
    match presence {
        Presence::Required => fields.required(key, shape),
        Presence::Optional => fields.optional(key, shape),
    }
}

/// Checks the mode that the judge says it used: only one can approve.
pub(super) fn check_mode(fields: &mut Fields<'_>, presence: Presence) {
    let mode = |it: String| match it.parse() {
        Ok(ScoringMode::RubricAnalytic) => Ok(()),
        Ok(mode @ ScoringMode::HolisticImpression) => Err(Defect::WrongMode { mode }),
        Err(_) => Err(Defect::UnknownMode { found: shorten(&it) }),
    };
    read(fields, "scoring_mode_used", presence, text().and_then(mode));
}

/// Reads the words. A `FAIL` needs instructions, and `NEED_USER_INPUT` a question.
pub(super) fn words(
    fields: &mut Fields<'_>,
    presence: Presence,
    decision: Option<VerdictDecision>,
) -> Words {
    let is_blank = |texts: &[String]| texts.iter().all(|it| it.trim().is_empty());
    let reasons = read(fields, "reasons", presence, list(text()));
    if reasons.as_deref().is_some_and(is_blank) {
        fields.report("reasons", ProblemKind::Blank);
    }
    let next = read(fields, "next_instructions", presence, text());
    let lacks_instructions = next.as_ref().is_some_and(|it| it.trim().is_empty());
    if lacks_instructions && decision == Some(VerdictDecision::Fail) {
        fields.report("next_instructions", ProblemKind::Blank);
    }
    let questions = read(fields, "questions_for_user", presence, list(text()));
    let lacks_questions = questions.as_deref().is_some_and(is_blank);
    if lacks_questions && decision == Some(VerdictDecision::NeedUserInput) {
        fields.report("questions_for_user", ProblemKind::Blank);
    }
    Words {
        reasons: reasons.unwrap_or_default(),
        next_instructions: next.unwrap_or_default(),
        questions_for_user: questions.unwrap_or_default(),
    }
}
