//! A verdict on a task without a type: a decision in words.

use super::fields::{Fields, Presence};
use crate::reply::PlainReply;

pub(super) fn read(fields: &mut Fields<'_>, needs_score: bool) -> Option<PlainReply> {
    let decision = fields.decision();
    fields.check_mode(Presence::Optional);
    let words = fields.words(Presence::Required, decision);
    let presence = if needs_score { Presence::Required } else { Presence::Optional };
    let score = fields.any_number("score", presence);
    let gated = fields.truth("gated", Presence::Optional).unwrap_or(false);
    Some(PlainReply {
        decision: decision?,
        reasons: words.reasons,
        next_instructions: words.next_instructions,
        questions_for_user: words.questions_for_user,
        score,
        gated,
    })
}
