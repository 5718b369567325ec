//! Answers, kept while what they are made from stays the same: many clients ask the same again and
//! again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::{answer::Ready, refusal::Refusal};

/// So many are kept; then it begins anew.
const MOST: usize = 128;
/// A longer one is made each time.
const LONGEST: usize = 256 << 10;

/// Answers by their questions, each with a stamp of what it was made from.
pub(crate) struct Pages<S>(Mutex<BTreeMap<String, (S, Ready)>>);

/// The version of the board, and the day: what was spent today is part of a page.
pub(crate) type BoardStamp = (u64, i64);

/// Whether an answer holds as long as its stamp does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lasts {
    Yes,
    /// It depends on more, such as whether a process is there.
    No,
}

impl<S: PartialEq> Pages<S> {
    /// The answer to a question, made if the stamp is another one since. The stamp is taken before the
    /// answer is made: one of something newer is only asked for again.
    pub(crate) fn get(
        &self,
        question: &str,
        stamp: S,
        make: impl FnOnce() -> Result<(Ready, Lasts), Refusal>,
    ) -> Result<Ready, Refusal> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, ready)) = kept().get(question)
            && *known == stamp
        {
            return Ok(ready.clone());
        }
        let (ready, lasts) = make()?;
        if lasts == Lasts::No || ready.bytes.len() > LONGEST {
            return Ok(ready);
        }
        let mut kept = kept();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(question.to_owned(), (stamp, ready.clone()));
        Ok(ready)
    }
}

impl<S> Default for Pages<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_made_once_for_each_stamp() {
        let pages = Pages::<BoardStamp>::default();
        let ask = |question: &str, stamp, text: &str| {
            let ready = Ready::new(text.as_bytes().to_vec());
            let made = pages.get(question, stamp, || Ok((ready, Lasts::Yes)));
            String::from_utf8(made.unwrap().bytes.to_vec()).unwrap()
        };
        assert_eq!(ask("q", (1, 0), "one"), "one");
        assert_eq!(ask("q", (1, 0), "two"), "one");
        assert_eq!(ask("p", (1, 0), "three"), "three");
        assert_eq!(ask("q", (2, 0), "four"), "four");
        assert_eq!(ask("q", (2, 1), "five"), "five");
        assert!(pages.get("r", (2, 1), || Err(Refusal::not_found())).is_err());
        // What does not last, and what is too long, is made each time.
        for (question, length, lasts) in [("s", 1, Lasts::No), ("t", LONGEST + 1, Lasts::Yes)] {
            let first = Ready::new(vec![b'1'; length]);
            pages.get(question, (2, 1), || Ok((first, lasts))).unwrap();
            assert_eq!(ask(question, (2, 1), "again"), "again");
        }
    }
}
