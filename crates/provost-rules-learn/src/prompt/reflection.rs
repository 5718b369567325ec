//! What a model is told to learn from: cases with their labels, as many as fit.
//!
//! A case is shown whole or not at all. What does not fit is left for a later prompt, and what
//! would not fit alone is named, so that nothing waits for it.

mod case;
mod wording;

use provost_kernel::{
    learn::{Guidance, Label, Mission, Scaffold, Ticket},
    model::{Message, Speaker},
};

use super::{fence::Fence, rules};
use crate::vote::{Candidate, Selection};

/// What both passes of a reflection are told besides the cases.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub mission: &'a Mission,
    pub scaffold: &'a Scaffold,
    pub guidance: &'a Guidance,
    /// The person's own instructions for the pass, in place of the built-in ones. The form of the
    /// answer and what is said of data stay.
    pub instructions: Option<&'a str>,
}

/// A ticket that was judged.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub ticket: &'a Ticket,
    pub selection: &'a Selection,
    pub candidates: &'a [Candidate],
}

/// A prompt, and which of the cases stand in it, by their places in what was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Empty when no case is shown: then there is nothing to ask.
    pub messages: Vec<Message>,
    /// In the order of their handles: the first one is `case 1`.
    pub shown: Vec<usize>,
    /// What did not fit, in its order.
    pub unshown: Vec<usize>,
    /// Those of them that would not fit alone either.
    pub overlong: Vec<usize>,
}

/// Asks which cases nothing can be learned from.
pub fn decision(frame: &Frame<'_>, cases: &[Case<'_>], cycle: u32, nonce: &str) -> Packed {
    pack(frame, cases, cycle, nonce, wording::decision)
}

/// Asks for changes of the rules, and for hypotheses (LEARN-2.1).
pub fn ops(frame: &Frame<'_>, cases: &[Case<'_>], cycle: u32, nonce: &str) -> Packed {
    pack(frame, cases, cycle, nonce, wording::ops)
}

/// What a prompt takes.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    chars: usize,
    tokens: usize,
}

impl Size {
    /// An estimate: about six letters make a token, and so does one character of another script.
    fn of(text: &str) -> Self {
        let chars = text.chars().count();
        let letters = text.chars().filter(char::is_ascii).count();
        Self { chars, tokens: (letters / 6 + (chars - letters)).max(1) }
    }

    fn plus(self, other: Self) -> Self {
        Self { chars: self.chars + other.chars, tokens: self.tokens + other.tokens }
    }

    fn fits(self, mission: &Mission) -> bool {
        let most = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
        self.chars <= most(mission.reflection.max_reflection_length)
            && self.tokens <= most(mission.reflection.token_budget)
    }
}

fn pack(
    frame: &Frame<'_>,
    cases: &[Case<'_>],
    cycle: u32,
    nonce: &str,
    instructions: impl Fn(&Frame<'_>, &Fence) -> String,
) -> Packed {
    let (mission, language) = (frame.mission, frame.mission.language);
    let fence = Fence::new(nonce, cases.iter().flat_map(|it| case::texts(mission, it)));
    let system = instructions(frame, &fence);
    let opening = format!(
        "{}{}",
        wording::opening(frame, cycle),
        rules(frame.scaffold, frame.guidance, language)
    );
    let fixed = Size::of(&system).plus(Size::of(&opening));
    let whole = |cases: &[Case<'_>], blocks: Size| {
        fixed.plus(Size::of(&wording::counts(cases, language))).plus(blocks)
    };
    let mut order: Vec<usize> = (0..cases.len()).collect();
    // The sort is stable: of equal cases, the earlier one comes first.
    order.sort_by_key(|at| std::cmp::Reverse(cases.get(*at).map(priority)));
    let (mut shown, mut taken, mut text, mut size) =
        (Vec::new(), Vec::new(), String::new(), Size::default());
    let (mut unshown, mut overlong) = (Vec::new(), Vec::new());
    for at in order {
        let Some(case) = cases.get(at) else { continue };
        let block = case::block(mission, case, shown.len() + 1, &fence);
        let grown = size.plus(Size::of(&block));
        taken.push(*case);
        if whole(&taken, grown).fits(mission) {
            shown.push(at);
            text.push_str(&block);
            size = grown;
            continue;
        }
        taken.pop();
        unshown.push(at);
        let alone = Size::of(&case::block(mission, case, 1, &fence));
        if !whole(&[*case], alone).fits(mission) {
            overlong.push(at);
        }
    }
    unshown.sort_unstable();
    overlong.sort_unstable();
    let messages = if shown.is_empty() {
        Vec::new()
    } else {
        let user = format!("{opening}{}{text}", wording::counts(&taken, language));
        vec![
            Message { role: Speaker::System, content: system },
            Message { role: Speaker::User, content: user },
        ]
    };
    Packed { messages, shown, unshown, overlong }
}

/// How much a case promises to teach: answers that disagree the most, then all wrong, then a
/// wrong verdict.
fn priority(case: &Case<'_>) -> u8 {
    match (matches(case), misses(case)) {
        (1.., 1..) => 3,
        (0, 1..) => 2,
        _ if !case.selection.label_match => 1,
        _ => 0,
    }
}

fn labels(case: &Case<'_>) -> impl Iterator<Item = Label> {
    case.candidates.iter().filter_map(|it| it.outcome.as_ref().ok().map(|(label, _)| *label))
}

fn matches(case: &Case<'_>) -> usize {
    labels(case).filter(|it| *it == case.ticket.label).count()
}

fn misses(case: &Case<'_>) -> usize {
    labels(case).filter(|it| *it != case.ticket.label).count()
}

#[cfg(test)]
pub(super) mod tests;
