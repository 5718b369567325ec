//! How many answers could not be read, and when there are too many to go on.
//!
//! A model that answers in another form than it was asked for is judged by what happens to be
//! readable. That is no measurement, so the run ends, and says so with an answer as an example.

use provost_kernel::shorten_to;

/// How much of an answer is kept as an example, in characters.
const EXAMPLE: usize = 160;

/// The answers of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerCount {
    pub answers: u64,
    pub malformed: u64,
    /// The first answer that could not be read, and why.
    pub example: Option<Example>,
}

/// An answer that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub problem: String,
    pub text: String,
}

impl AnswerCount {
    /// Counts an answer, with what is wrong with it.
    pub fn read(&mut self, text: &str, problem: Option<&str>) {
        self.answers += 1;
        let Some(problem) = problem else { return };
        self.malformed += 1;
        self.example.get_or_insert_with(|| Example {
            problem: problem.to_owned(),
            text: shorten_to(text.trim(), EXAMPLE),
        });
    }

    /// Whether more than so many thousandths of the answers are malformed.
    pub fn exceeds(&self, thousandths: u16) -> bool {
        u128::from(self.malformed) * 1000 > u128::from(self.answers) * u128::from(thousandths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_share_is_too_much() {
        for (answers, malformed, expected) in [
            (0, 0, false),
            (100, 5, false),
            (100, 6, true),
            (8, 1, true),
            (20, 1, false),
            (u64::MAX, u64::MAX, true),
        ] {
            let count = AnswerCount { answers, malformed, example: None };
            assert_eq!(count.exceeds(50), expected, "{malformed} of {answers}");
            assert!(!count.exceeds(1000));
        }
    }

    #[test]
    fn the_first_malformed_answer_is_the_example() {
        let mut count = AnswerCount::default();
        count.read("fine", None);
        count.read(&" x".repeat(1000), Some("line_count"));
        count.read("later", Some("empty"));
        assert_eq!((count.answers, count.malformed), (3, 2));
        let example = count.example.unwrap();
        assert_eq!(example.problem, "line_count");
        assert!(example.text.chars().count() <= EXAMPLE + 1, "{}", example.text);
    }
}
