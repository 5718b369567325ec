//! Answers about the board, kept while it stays the same: many clients ask the same again and again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::{answer::Ready, refusal::Refusal};

/// So many are kept; then it begins anew.
const MOST: usize = 128;

#[derive(Default)]
pub(crate) struct Pages(Mutex<BTreeMap<String, (Stamp, Ready)>>);

/// The version of the board, and the day: what was spent today is part of a page.
pub(crate) type Stamp = (u64, i64);

impl Pages {
    /// The answer to a question, made if the board is another one since.
    pub(crate) fn get(
        &self,
        question: &str,
        stamp: Stamp,
        make: impl FnOnce() -> Result<Ready, Refusal>,
    ) -> Result<Ready, Refusal> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, ready)) = kept().get(question)
            && *known == stamp
        {
            return Ok(ready.clone());
        }
        let ready = make()?;
        let mut kept = kept();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(question.to_owned(), (stamp, ready.clone()));
        Ok(ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_made_once_for_each_board() {
        let pages = Pages::default();
        let ask = |question: &str, stamp, text: &str| {
            let made = pages.get(question, stamp, || Ok(Ready::new(text.as_bytes().to_vec())));
            String::from_utf8(made.unwrap().bytes.to_vec()).unwrap()
        };
        assert_eq!(ask("q", (1, 0), "one"), "one");
        assert_eq!(ask("q", (1, 0), "two"), "one");
        assert_eq!(ask("p", (1, 0), "three"), "three");
        assert_eq!(ask("q", (2, 0), "four"), "four");
        assert_eq!(ask("q", (2, 1), "five"), "five");
        assert!(pages.get("r", (2, 1), || Err(Refusal::not_found())).is_err());
    }
}
