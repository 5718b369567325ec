//! A model that judges by the rules that it is shown, and proposes rules that fit the cases it is
//! shown: the better they fit, the sooner. It does not know which of them are true.

use std::collections::BTreeSet;

use provost_kernel::learn::{Label, TicketKey};
use serde_json::{Value, json};

use super::{Kind, ParsedPrompt, Said, Shown};

/// The words that rules are about, each with words of its own around it, so that no two rules are
/// taken for one.
pub const VOCABULARY: [(&str, &str); 8] = [
    ("alpha", "If the log of the case mentions alpha, then"),
    ("beta", "If beta stands among the steps, then"),
    ("gamma", "If somebody wrote gamma anywhere, then"),
    ("delta", "If the summary speaks of delta, then"),
    ("kappa", "If kappa turns up in an item, then"),
    ("lambda", "If one finds lambda in what was done, then"),
    ("sigma", "If any remark contains sigma, then"),
    ("omega", "If omega was noticed, then"),
];

/// A ticket with this word is failed by a model that knows no rule.
const BROKEN: &str = "broken";
/// There is nothing to learn from a ticket with this word.
const HOPELESS: &str = "hopeless";
/// The answers to a ticket with this word disagree.
const WOBBLY: &str = "wobbly";
/// A ticket with this word gets no answer that can be used.
const GARBLED: &str = "garbled";

/// What a model says that does its best.
pub fn scripted_model(heard: &ParsedPrompt) -> Said {
    Said::Text(match heard.kind {
        Kind::Judge => judge(heard),
        Kind::Decide => {
            let is_hopeless = |it: &&Shown| words(&it.text).contains(HOPELESS);
            let stopped = heard.cases.iter().filter(is_hopeless).filter_map(|it| it.key.clone());
            decide(&stopped.collect::<Vec<_>>())
        }
        Kind::Propose => propose(&fitting(heard), &[]),
    })
}

/// A rule that decides by one word.
pub fn rule(word: &str, verdict: Label) -> String {
    let phrase = VOCABULARY.iter().find(|(it, _)| *it == word).map_or("If", |(_, it)| *it);
    format!("{phrase} {verdict}.")
}

/// Judges a case as the rules say that it is shown.
pub fn judge(heard: &ParsedPrompt) -> String {
    let Some(case) = heard.cases.first() else { return String::new() };
    let found = words(&case.text);
    if found.contains(GARBLED) {
        return "I would rather not say.".to_owned();
    }
    let mut verdict = if found.contains(BROKEN) { Label::Fail } else { Label::Pass };
    for rule in &heard.rules {
        let is_about =
            VOCABULARY.iter().any(|(word, _)| found.contains(word) && words(rule).contains(word));
        if is_about && rule.contains("then") {
            verdict = if rule.contains("then fail") { Label::Fail } else { Label::Pass };
        }
    }
    if found.contains(WOBBLY) && heard.temperature > 0.5 {
        verdict = verdict.opposite();
    }
    two_lines(verdict)
}

/// An answer in the form that is asked for.
pub fn two_lines(verdict: Label) -> String {
    format!("Item 1 decides.\nReason: the evidence shows it\nVerdict: {verdict}")
}

/// The answer of a decision pass.
pub fn decide(stopped: &[TicketKey]) -> String {
    json!({"no_evidence_group_ids": stopped, "decision_analysis": "tried what there is"})
        .to_string()
}

/// The answer of an ops pass.
pub fn propose(hypotheses: &[Value], operations: &[Value]) -> String {
    json!({
        "has_evidence": true,
        "evidence_analysis": "words decide",
        "operations": operations,
        "hypotheses": hypotheses,
    })
    .to_string()
}

/// A hypothesis that decides by one word.
pub fn hypothesis(word: &str, verdict: Label, evidence: &[TicketKey]) -> Value {
    json!({
        "text": rule(word, verdict),
        "falsifier": format!("A case with {word} that is labelled {}.", verdict.opposite()),
        "dimension": "wording",
        "evidence": evidence,
    })
}

/// The words of a text.
pub fn words(text: &str) -> BTreeSet<&str> {
    text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).collect()
}

/// Rules for every case that was judged wrong, those first that speak for the most of them.
fn fitting(heard: &ParsedPrompt) -> Vec<Value> {
    let is_wrong = |it: &&Shown| it.key.as_ref().is_some_and(|key| Some(key.label()) != it.verdict);
    let mut left: Vec<&Shown> = heard.cases.iter().filter(is_wrong).collect();
    let mut found = Vec::new();
    for label in [Label::Fail, Label::Pass] {
        loop {
            let of = |word: &str| -> Vec<TicketKey> {
                let speaks = |it: &&&Shown| words(&it.text).contains(word);
                let keys = left.iter().filter(speaks).filter_map(|it| it.key.clone());
                keys.filter(|it| it.label() == label).collect()
            };
            let best = VOCABULARY.iter().map(|(word, _)| (*word, of(word)));
            let Some((word, keys)) = best.max_by_key(|(_, keys)| keys.len()) else { break };
            if keys.is_empty() {
                break;
            }
            found.push(hypothesis(word, label, &keys));
            left.retain(|it| it.key.as_ref().is_none_or(|key| !keys.contains(key)));
        }
    }
    found
}
