//! A verdict on a task without a type: a decision in words.

use provost_form::{decimal, flag, word};

use super::fields::{Fields, Presence, check_mode, read as field, words};
use crate::reply::PlainReply;

pub(super) fn read(fields: &mut Fields<'_>, needs_score: bool) -> Option<PlainReply> {
    let decision = fields.required("decision", word());
    check_mode(fields, Presence::Optional);
    let words = words(fields, Presence::Required, decision);
    let presence = if needs_score { Presence::Required } else { Presence::Optional };
    let score = field(fields, "score", presence, decimal());
    let gated = fields.optional("gated", flag()).unwrap_or(false);
    Some(PlainReply {
        decision: decision?,
        reasons: words.reasons,
        next_instructions: words.next_instructions,
        questions_for_user: words.questions_for_user,
        score,
        gated,
    })
}
