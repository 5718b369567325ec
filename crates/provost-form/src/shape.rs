//! The shapes that a field can have.

mod number;

use std::marker::PhantomData;

use provost_kernel::{WordSet, shorten};
use serde::de::DeserializeOwned;

pub use self::number::{Exact, Number, Steps, Whole, decimal, number, steps, whole};
use crate::{
    problem::{Bounds, Expected, ProblemKind},
    table::Field,
};

/// How a field is read into a value. What is wrong is reported to the field.
pub trait Shape<K> {
    type Value;

    /// What a field of this shape holds, for one that is missing.
    fn expected(&self) -> Expected;

    fn read(&self, field: &Field<'_, K>) -> Option<Self::Value>;

    /// Reads further, with a rule of the reader.
    fn and_then<T, F>(self, read: F) -> AndThen<Self, F>
    where
        Self: Sized,
        F: Fn(Self::Value) -> Result<T, K>,
    {
        AndThen { shape: self, read }
    }
}

/// `true` or `false`.
pub fn flag() -> Flag {
    Flag
}

/// A string of any length and with any characters.
pub fn text() -> Text {
    Text { min: 0, max: None, is_filled: false, refused: |_| false }
}

/// One word of a closed set.
pub fn word<T: WordSet>() -> Word<T> {
    Word(PhantomData)
}

/// One of these words, for a set that has no type of its own.
pub fn choice<T: Copy>(words: &'static [(&'static str, T)]) -> Choice<T> {
    Choice(words)
}

/// A list; nothing is read if one entry is wrong, but every entry is looked at.
pub fn list<S>(each: S) -> List<S> {
    List { each, min: 0, max: None }
}

/// One value, or a list of them that is not empty.
pub fn one_or_more<S>(each: S) -> OneOrMore<S> {
    OneOrMore(List { each, min: 1, max: None })
}

/// A value of a type that serde decodes.
///
/// It serves types that are stored as well as read; what is wrong below the field has no path.
pub fn decoded<T: DeserializeOwned>(expected: Expected) -> Decoded<T> {
    Decoded { expected, decoded: PhantomData }
}

#[derive(Clone, Copy, Debug)]
pub struct Flag;

#[derive(Clone, Copy, Debug)]
pub struct Text {
    min: usize,
    max: Option<usize>,
    is_filled: bool,
    refused: fn(char) -> bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Word<T>(PhantomData<T>);

#[derive(Clone, Copy, Debug)]
pub struct Choice<T: 'static>(&'static [(&'static str, T)]);

#[derive(Clone, Copy, Debug)]
pub struct List<S> {
    each: S,
    min: usize,
    max: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct OneOrMore<S>(List<S>);

#[derive(Clone, Debug)]
pub struct Decoded<T> {
    expected: Expected,
    decoded: PhantomData<T>,
}

#[derive(Clone, Copy, Debug)]
pub struct AndThen<S, F> {
    shape: S,
    read: F,
}

impl Text {
    /// At least so many characters (Unicode code points).
    #[must_use]
    pub fn min(self, min: usize) -> Self {
        Self { min, ..self }
    }

    /// At most so many characters (Unicode code points).
    #[must_use]
    pub fn max(self, max: usize) -> Self {
        Self { max: Some(max), ..self }
    }

    /// Not empty, and not white space alone.
    #[must_use]
    pub fn filled(self) -> Self {
        Self { is_filled: true, ..self }
    }

    /// Without these control characters.
    #[must_use]
    pub fn without(self, refused: fn(char) -> bool) -> Self {
        Self { refused, ..self }
    }

    /// Filled, and on one line: without any control character.
    #[must_use]
    pub fn line(self) -> Self {
        self.filled().without(char::is_control)
    }

    /// What is wrong with a text that is not the value of a field, such as a key.
    pub fn problems(&self, text: &str) -> Vec<ProblemKind> {
        if self.is_filled && text.trim().is_empty() {
            return vec![ProblemKind::Blank];
        }
        let mut problems = Vec::new();
        let (found, bounds) = (text.chars().count(), Bounds::of(self.min, self.max));
        if !bounds.contains(found) {
            problems.push(ProblemKind::Length { found, bounds });
        }
        if text.contains(self.refused) {
            problems.push(ProblemKind::ControlCharacter);
        }
        problems
    }
}

impl<T> Choice<T> {
    fn words(&self) -> Vec<String> {
        self.0.iter().map(|(word, _)| (*word).to_owned()).collect()
    }
}

impl<S> List<S> {
    #[must_use]
    pub fn min(self, min: usize) -> Self {
        Self { min, ..self }
    }

    #[must_use]
    pub fn max(self, max: usize) -> Self {
        Self { max: Some(max), ..self }
    }
}

impl<S> OneOrMore<S> {
    /// At least so many, if it is a list.
    #[must_use]
    pub fn min(self, min: usize) -> Self {
        Self(self.0.min(min))
    }

    #[must_use]
    pub fn max(self, max: usize) -> Self {
        Self(self.0.max(max))
    }
}

impl<K: From<ProblemKind>> Shape<K> for Flag {
    type Value = bool;

    fn expected(&self) -> Expected {
        Expected::Flag
    }

    fn read(&self, field: &Field<'_, K>) -> Option<bool> {
        of_type(field, Expected::Flag, field.value.as_bool())
    }
}

impl<K: From<ProblemKind>> Shape<K> for Text {
    type Value = String;

    fn expected(&self) -> Expected {
        Expected::Text
    }

    fn read(&self, field: &Field<'_, K>) -> Option<String> {
        let text = of_type(field, Expected::Text, field.value.as_str())?;
        let problems = self.problems(text);
        let is_good = problems.is_empty();
        for it in problems {
            field.report(it);
        }
        is_good.then(|| text.to_owned())
    }
}

impl<K: From<ProblemKind>, T: WordSet> Shape<K> for Word<T> {
    type Value = T;

    fn expected(&self) -> Expected {
        Expected::OneOf(words::<T>())
    }

    fn read(&self, field: &Field<'_, K>) -> Option<T> {
        one_of(field, words::<T>, |it| it.parse().ok())
    }
}

impl<K: From<ProblemKind>, T: Copy> Shape<K> for Choice<T> {
    type Value = T;

    fn expected(&self) -> Expected {
        Expected::OneOf(self.words())
    }

    fn read(&self, field: &Field<'_, K>) -> Option<T> {
        let find = |text: &str| self.0.iter().find(|(word, _)| *word == text).map(|(_, it)| *it);
        one_of(field, || self.words(), find)
    }
}

impl<K: From<ProblemKind>, S: Shape<K>> Shape<K> for List<S> {
    type Value = Vec<S::Value>;

    fn expected(&self) -> Expected {
        if self.each.expected() == Expected::Text { Expected::Texts } else { Expected::List }
    }

    fn read(&self, field: &Field<'_, K>) -> Option<Self::Value> {
        if !field.value.is_array() {
            field.mismatch(self.expected());
            return None;
        }
        let items = field.items()?;
        let (found, bounds) = (items.len(), Bounds::of(self.min, self.max));
        let has_count = bounds.contains(found);
        if !has_count {
            field.report(ProblemKind::Count { found, bounds });
        }
        let read: Vec<_> = items.iter().filter_map(|it| self.each.read(it)).collect();
        (has_count && read.len() == found).then_some(read)
    }
}

impl<K: From<ProblemKind>, S: Shape<K>> Shape<K> for OneOrMore<S> {
    type Value = Vec<S::Value>;

    fn expected(&self) -> Expected {
        let each = self.0.each.expected();
        if each == Expected::Text { Expected::TextOrTexts } else { each }
    }

    fn read(&self, field: &Field<'_, K>) -> Option<Self::Value> {
        if field.value.is_array() {
            return self.0.read(field);
        }
        let expected = self.expected();
        if expected == Expected::TextOrTexts && !field.value.is_string() {
            field.mismatch(expected);
            return None;
        }
        self.0.each.read(field).map(|it| vec![it])
    }
}

impl<K: From<ProblemKind>, T: DeserializeOwned> Shape<K> for Decoded<T> {
    type Value = T;

    fn expected(&self) -> Expected {
        self.expected.clone()
    }

    fn read(&self, field: &Field<'_, K>) -> Option<T> {
        match T::deserialize(field.value) {
            Ok(value) => Some(value),
            Err(error) => {
                field.report(ProblemKind::undecodable(&error));
                None
            }
        }
    }
}

impl<K, S, T, F> Shape<K> for AndThen<S, F>
where
    K: From<ProblemKind>,
    S: Shape<K>,
    F: Fn(S::Value) -> Result<T, K>,
{
    type Value = T;

    fn expected(&self) -> Expected {
        self.shape.expected()
    }

    fn read(&self, field: &Field<'_, K>) -> Option<T> {
        match (self.read)(self.shape.read(field)?) {
            Ok(value) => Some(value),
            Err(kind) => {
                field.report(kind);
                None
            }
        }
    }
}

fn of_type<K: From<ProblemKind>, T>(
    field: &Field<'_, K>,
    expected: Expected,
    value: Option<T>,
) -> Option<T> {
    if value.is_none() {
        field.mismatch(expected);
    }
    value
}

fn one_of<K: From<ProblemKind>, T>(
    field: &Field<'_, K>,
    known: impl Fn() -> Vec<String>,
    find: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let text = of_type(field, Expected::OneOf(known()), field.value.as_str())?;
    let word = find(text);
    if word.is_none() {
        field.report(ProblemKind::NotOneOf { known: known(), found: shorten(text) });
    }
    word
}

fn words<T: WordSet>() -> Vec<String> {
    T::WORDS.iter().map(|it| (*it).to_owned()).collect()
}
