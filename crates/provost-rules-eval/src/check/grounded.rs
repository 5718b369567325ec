//! Whether texts are made of what their source says, so that one answer does not fit every source.
//!
//! Words are compared, not meanings: a share of what a text names has to stand in its source. Words
//! that stand in any text (`two`, `people`, `第一`) show nothing and do not count on either side.

use super::{
    super::{
        lexicon::Lexicon,
        path::{Place, Subject},
        text::{TextRun, Tokens, norm, ratio, runs, tokens},
    },
    Outcome,
    content::{shown_text, some},
    fault::Fault,
};
use crate::word_lists::WORDS;

/// What a suite asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// How many words of a text stand in the source.
    pub(super) least: usize,
    /// Which share of its words.
    pub(super) share: f64,
    /// Which share of the words of all texts.
    pub(super) together: f64,
    /// How many texts keep to this; all, if nothing is said.
    pub(super) texts: Option<usize>,
}

pub(super) fn grounded(
    lexicon: &Lexicon,
    at: &Place,
    text: &Place,
    bounds: Bounds,
    subject: Subject<'_>,
) -> Option<Outcome> {
    let source = norm(text.text(subject)?);
    let script = Script::of(&source);
    let source = telling(lexicon, &source);
    let texts = some(at.texts(subject)?)?;
    let Bounds { least, share, together, texts: wanted } = bounds;
    let (mut all, mut loose, mut n_loose) = (Tokens::default(), None, 0);
    for (number, text) in (1_usize..).zip(&texts) {
        let normal = norm(text);
        let own = telling(lexicon, &normal);
        let found = own.common(&source);
        // Of a translation only names and figures can be found again.
        let is_translated = Script::of(&normal).is_foreign_to(script);
        let is_grounded = if is_translated {
            found > 0
        } else {
            found >= least && ratio(found, own.len()) >= share
        };
        if !is_grounded {
            n_loose += 1;
            loose.get_or_insert((number, *text, found));
        }
        if !is_translated {
            all = all.union(&own.into_owned());
        }
    }
    if let Some((number, text, found)) = loose
        && texts.len() - n_loose < wanted.unwrap_or(texts.len()).min(texts.len())
    {
        let text = shown_text(text);
        return Some(Fault::Ungrounded { number, text, found, least, share }.into());
    }
    let found = ratio(all.common(&source), all.len());
    let is_together = all.is_empty() || found >= together;
    Some(if is_together { Outcome::Pass } else { Fault::LittleGround { found, together }.into() })
}

/// The tokens of a text that say what it is about.
fn telling<'a>(lexicon: &Lexicon, normal: &'a str) -> Tokens<'a> {
    let is_digit = |it: &str| it.len() == 1 && it.bytes().all(|it| it.is_ascii_digit());
    tokens(lexicon, normal)
        .filter(|it| !is_digit(it) && !lexicon.weak.contains(it) && !WORDS.common.has(it))
}

/// How much of a text is in which writing.
#[derive(Clone, Copy, Debug)]
struct Script {
    latin: usize,
    cjk: usize,
}

impl Script {
    fn of(text: &str) -> Self {
        runs(text).fold(Self { latin: 0, cjk: 0 }, |script, run| match run {
            // A word says about as much as two characters.
            TextRun::Latin(_) => Self { latin: script.latin + 2, ..script },
            TextRun::Cjk(run) => Self { cjk: script.cjk + run.chars().count(), ..script },
        })
    }

    /// Whether a text is in another writing than its source, which hardly uses that of the text.
    fn is_foreign_to(self, source: Self) -> bool {
        let own = if self.cjk > self.latin { source.cjk } else { source.latin };
        own * 5 < source.latin + source.cjk
    }
}
