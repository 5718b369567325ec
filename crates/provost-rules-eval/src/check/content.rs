//! Checks of content: whether texts say something, start with a verb, repeat each other.
//!
//! Each says nothing if the texts are not there; then the check is skipped.

use provost_kernel::shorten_to;
use serde_json::Value;

use super::{
    super::{
        information::{action_information, has_technical_token, headline_information},
        lexicon::Lexicon,
        path::{Place, Subject},
        specificity::{Specifics, is_specific, keywords, specifics},
        text::{Tokens, norm, ratio, tokens},
        verb_lead::verb_led,
    },
    Outcome,
    fault::{Clue, Fault, Note, shown},
};
use crate::word_lists::WORDS;

/// How many characters of a title are shown.
const TITLE: usize = 40;

pub(super) fn specific(
    lexicon: &Lexicon,
    at: &Place,
    intent: &Place,
    (least, similarity): (usize, f64),
    subject: Subject<'_>,
) -> Option<Outcome> {
    let reasons = some(at.texts(subject)?)?;
    let intent = norm(intent.text(subject)?);
    let keywords = keywords(lexicon, &intent);
    let normal: Vec<_> = reasons.iter().map(|it| norm(it)).collect();
    let mut counted: Vec<Tokens<'_>> = Vec::new();
    let mut repeated = Vec::new();
    for (number, normal) in (1_usize..).zip(&normal) {
        let own = tokens(lexicon, normal);
        if !is_specific(lexicon, &keywords, normal, &own) {
            continue;
        }
        if counted.iter().any(|it| it.jaccard(&own) >= similarity) {
            repeated.push(number);
            continue;
        }
        counted.push(own);
        // The rest would only be counted further.
        if counted.len() >= least {
            return Some(Outcome::Pass);
        }
    }
    let notes = (1..).zip(&normal).map(|(number, normal)| {
        if repeated.contains(&number) {
            return Note::Repetition { number };
        }
        note(number, specifics(lexicon, &keywords, normal))
    });
    let notes = notes.collect();
    Some(Fault::Unspecific { found: counted.len(), least, notes }.into())
}

/// What was found in a reason.
fn note(number: usize, found: Specifics) -> Note {
    let Specifics { intent, structure, cost, generic } = found;
    let clues = [intent.map(Clue::Intent), structure.map(Clue::Structure), cost.map(Clue::Cost)];
    let clues: Vec<_> = clues.into_iter().flatten().collect();
    match (generic, clues.is_empty()) {
        (_, false) => Note::Clues { number, clues },
        (Some(phrase), true) => Note::Only { number, phrase },
        (None, true) => Note::Nothing { number },
    }
}

pub(super) fn titles(
    lexicon: &Lexicon,
    at: &Place,
    least: usize,
    subject: Subject<'_>,
) -> Option<Outcome> {
    let titles = some(at.texts(subject)?)?;
    let mut other = Vec::new();
    let mut found = 0;
    for title in titles {
        if verb_led(lexicon, &norm(title)).is_some() {
            found += 1;
            if found >= least {
                return Some(Outcome::Pass);
            }
        } else {
            other.push(cut(title));
        }
    }
    Some(Fault::NotVerbLed { found, least, other }.into())
}

pub(super) fn actionable(
    lexicon: &Lexicon,
    at: &Place,
    least: f64,
    subject: Subject<'_>,
) -> Option<Outcome> {
    let action = at.text(subject)?;
    Some(match action_information(lexicon, action) {
        Some(weight) if weight >= least => Outcome::Pass,
        Some(_) => Fault::NoObject { action: shown_text(action) }.into(),
        None => Fault::NoVerb { action: shown_text(action) }.into(),
    })
}

pub(super) fn distinct(
    lexicon: &Lexicon,
    at: &Place,
    (similarity, containment, least_tokens): (f64, f64, usize),
    subject: Subject<'_>,
) -> Option<Outcome> {
    let normal: Vec<_> = some(at.texts(subject)?)?.into_iter().map(norm).collect();
    let sets: Vec<_> = normal.iter().map(|it| tokens(lexicon, it)).collect();
    let texts: Vec<_> = (1..).zip(normal.iter().zip(&sets)).collect();
    for (index, &(first, (one, one_set))) in texts.iter().enumerate() {
        for &(second, (other, other_set)) in texts.iter().skip(index + 1) {
            let (alike, inside) = (one_set.jaccard(other_set), one_set.containment(other_set));
            let is_large = one_set.len().min(other_set.len()) >= least_tokens;
            if one == other || alike >= similarity || (inside >= containment && is_large) {
                return Some(Fault::Repeats { first, second, alike, inside }.into());
            }
        }
    }
    Some(Outcome::Pass)
}

pub(super) fn adds(
    lexicon: &Lexicon,
    at: &Place,
    to: &Place,
    (least_tokens, least_new, similarity): (usize, f64, f64),
    subject: Subject<'_>,
) -> Option<Outcome> {
    let insight = norm(at.text(subject)?);
    let normal: Vec<_> = some(to.texts(subject)?)?.into_iter().map(norm).collect();
    let own = tokens(lexicon, &insight);
    let sets: Vec<_> = normal.iter().map(|it| tokens(lexicon, it)).collect();
    let found = own.len();
    if found < least_tokens {
        return Some(Fault::FewWords { found, least: least_tokens }.into());
    }
    let new = own.iter().filter(|it| sets.iter().all(|set| !set.contains(it))).count();
    let share = ratio(new, found);
    if share < least_new {
        return Some(Fault::LittleNew { share, least: least_new }.into());
    }
    let repeated = (1..).zip(&sets).find(|(_, set)| own.jaccard(set) >= similarity);
    Some(match repeated {
        None => Outcome::Pass,
        Some((number, _)) => Fault::SaysTheSame { number }.into(),
    })
}

pub(super) fn headline(
    lexicon: &Lexicon,
    at: &Place,
    (least, least_with_token): (f64, f64),
    subject: Subject<'_>,
) -> Option<Outcome> {
    let headline = at.text(subject)?;
    let weight = headline_information(lexicon, headline);
    if weight >= least || (weight >= least_with_token && has_technical_token(headline)) {
        return Some(Outcome::Pass);
    }
    Some(Fault::Vague { headline: cut(headline), information: weight, least }.into())
}

pub(super) fn produces(
    lexicon: &Lexicon,
    at: &Place,
    types: &[String],
    least: usize,
    subject: Subject<'_>,
) -> Option<Outcome> {
    let items = some(at.values(subject)?)?;
    let has_types = items.iter().any(|it| it.get("type").is_some());
    let makes = |item: &&&Value| {
        let text = |key| item.get(key).and_then(Value::as_str);
        if has_types {
            text("type").is_some_and(|it| types.iter().any(|known| known == it))
        } else {
            text("title").map(norm).is_some_and(|it| {
                verb_led(lexicon, &it).is_some_and(|led| {
                    let verb = it.strip_suffix(led.after).unwrap_or(&it);
                    WORDS.producing.iter().any(|known| verb.ends_with(known))
                })
            })
        }
    };
    let found = items.iter().filter(makes).count();
    Some(if found >= least { Outcome::Pass } else { Fault::NoResult { found, least }.into() })
}

pub(super) fn quoted(at: &Place, text: &Place, subject: Subject<'_>) -> Option<Outcome> {
    // Evidence is optional: where there is none, nothing is quoted wrongly.
    let Some(quotes) = at.texts(subject) else { return Some(Outcome::Pass) };
    let source = norm(text.text(subject)?);
    let foreign = (1..).zip(quotes).find(|(_, it)| !source.contains(&norm(it)));
    Some(match foreign {
        None => Outcome::Pass,
        Some((number, quote)) => Fault::NotQuoted { number, quote: shown_text(quote) }.into(),
    })
}

/// A list with something in it.
pub(super) fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

pub(super) fn shown_text(text: &str) -> String {
    shown(&Value::from(text))
}

fn cut(text: &str) -> String {
    shorten_to(text, TITLE)
}
