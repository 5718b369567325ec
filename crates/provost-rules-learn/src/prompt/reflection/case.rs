//! One case of a reflection: what was shown, what was answered, and what a person said.

use provost_kernel::{Lang, learn::Mission};
use serde_json::Value;

use super::{Case, matches, misses};
use crate::{
    prompt::fence::Fence,
    vote::{Candidate, Malformed},
};

/// Everything in a case that somebody else wrote.
pub(super) fn texts<'a>(
    mission: &'a Mission,
    case: &Case<'a>,
) -> impl Iterator<Item = &'a str> + Clone {
    let ticket = case.ticket;
    let items = ticket.items.iter().flat_map(|it| [it.name.as_str(), it.text.as_str()]);
    let words = [&ticket.title, &ticket.context, &ticket.label_reason].into_iter().flatten();
    let meta = mission.render_meta.iter().filter_map(|it| ticket.meta.get_key_value(it));
    let meta = meta.flat_map(|(name, it)| [name.as_str(), it.as_str()]);
    let answers = case.candidates.iter().filter_map(|it| it.outcome.as_ref().ok());
    let answers = answers.map(|(_, reason)| reason.as_str());
    let group = std::iter::once(ticket.group.as_str());
    items.chain(words.map(String::as_str)).chain(meta).chain(answers).chain(group)
}

/// The case under its handle.
pub(super) fn block(mission: &Mission, case: &Case<'_>, number: usize, fence: &Fence) -> String {
    let Case { ticket, selection, .. } = case;
    let language = mission.language;
    let handle = language.pick(format!("case {number}"), format!("第{number}组"));
    let low = if selection.low_agreement { ", low_agreement" } else { "" };
    let mut text = format!(
        "\n--- {handle} ---\nticket_key: {}\ngroup_id: {}\ngt_label: {}\nverdict: {} \
         (candidate {}, votes {}/{}{low})\nitems: {}\n",
        // As JSON strings, which is how the answer has to write them.
        Value::from(ticket.key().to_string()),
        Value::from(ticket.group.as_str()),
        ticket.label,
        selection.verdict,
        selection.selected_candidate,
        selection.votes,
        selection.pool,
        ticket.items.len(),
    );
    let decided = selection.override_id.iter();
    text.extend(decided.map(|it| format!("override: {}\n", Value::from(it.as_str()))));
    if matches(case) == 0 && misses(case) > 0 {
        text.push_str(
            language.pick("! every candidate misses the label\n", "! 所有回答都与标签不符\n"),
        );
    }
    for (label, words) in [("title", &ticket.title), ("context", &ticket.context)] {
        text.extend(words.iter().map(|it| fence.around(label, it)));
    }
    let meta = mission.render_meta.iter().filter_map(|it| ticket.meta.get_key_value(it));
    text.extend(meta.map(|(name, it)| fence.around_named("meta", name, it)));
    let items = (1..).zip(&ticket.items);
    text.extend(
        items.map(|(number, it)| fence.around_named(&format!("item {number}"), &it.name, &it.text)),
    );
    let answers: String = case.candidates.iter().map(|it| answer(it, case, language)).collect();
    text.push_str(&fence.around("candidates", &answers));
    text.extend(ticket.label_reason.iter().map(|it| fence.around("label_reason", it)));
    text
}

fn answer(candidate: &Candidate, case: &Case<'_>, language: Lang) -> String {
    let index = candidate.index;
    match &candidate.outcome {
        Ok((label, reason)) => {
            let is_right = *label == case.ticket.label;
            let mark = if is_right {
                language.pick("matches", "相符")
            } else {
                language.pick("misses", "不符")
            };
            format!("{index}: {label} | {reason} | {mark}\n")
        }
        Err(Malformed::Format(problem)) => format!("{index}: - | {problem}\n"),
        Err(Malformed::Transport) => format!("{index}: - | transport_error\n"),
    }
}
