//! The fields of a reply, read one by one; what is wrong is collected, not thrown.

use provost_kernel::task::{Decimal, HalfPoints, ScoringMode, VerdictDecision};
use serde_json::{Map, Value};

use super::{Defect, defect::Shape};
use crate::strict::shorten;

pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    defects: Vec<Defect>,
}

/// Whether a field has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
}

impl<'a> Fields<'a> {
    pub(super) fn new(object: &'a Map<String, Value>) -> Self {
        Self { object, defects: Vec::new() }
    }

    pub(super) fn report(&mut self, defect: Defect) {
        self.defects.push(defect);
    }

    pub(super) fn has_defects(&self) -> bool {
        !self.defects.is_empty()
    }

    pub(super) fn into_defects(self) -> Vec<Defect> {
        self.defects
    }

    /// The value of a field; `null` is no value.
    fn get(&mut self, field: &'static str, presence: Presence) -> Option<&'a Value> {
        let value = self.object.get(field).filter(|it| !it.is_null());
        if value.is_none() && presence == Presence::Required {
            self.report(Defect::Missing { field });
        }
        value
    }

    fn wrong_type<T>(&mut self, field: &str, expected: Shape) -> Option<T> {
        self.report(Defect::WrongType { field: field.to_owned(), expected });
        None
    }

    pub(super) fn text(&mut self, field: &'static str, presence: Presence) -> Option<&'a str> {
        let value = self.get(field, presence)?;
        value.as_str().or_else(|| self.wrong_type(field, Shape::Text))
    }

    pub(super) fn truth(&mut self, field: &'static str, presence: Presence) -> Option<bool> {
        let value = self.get(field, presence)?;
        value.as_bool().or_else(|| self.wrong_type(field, Shape::Truth))
    }

    pub(super) fn object(&mut self, field: &'static str) -> Option<&'a Map<String, Value>> {
        let value = self.get(field, Presence::Required)?;
        value.as_object().or_else(|| self.wrong_type(field, Shape::Object))
    }

    /// A list of texts, each as it stands.
    pub(super) fn texts(&mut self, field: &'static str, presence: Presence) -> Option<Vec<String>> {
        let value = self.get(field, presence)?;
        let Some(list) = value.as_array() else { return self.wrong_type(field, Shape::Texts) };
        let mut texts = Vec::new();
        for (index, it) in list.iter().enumerate() {
            match it.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => return self.wrong_type(&format!("{field}[{index}]"), Shape::Text),
            }
        }
        Some(texts)
    }

    /// A number from 0 to a limit.
    pub(super) fn number(
        &mut self,
        field: &'static str,
        presence: Presence,
        max: u8,
    ) -> Option<Decimal> {
        let value = self.get(field, presence)?;
        self.bounded(field, value, max)
    }

    fn bounded(&mut self, field: &str, value: &Value, max: u8) -> Option<Decimal> {
        let Value::Number(number) = value else { return self.wrong_type(field, Shape::Number) };
        let found = Decimal::of_number(number);
        let range = Decimal::ZERO..=Decimal::ratio(i64::from(max), 1);
        let expected = Shape::UpTo { max };
        found.filter(|it| range.contains(it)).or_else(|| self.out_of_range(field, value, expected))
    }

    /// A number of half points up to a limit.
    pub(super) fn half_points(
        &mut self,
        field: &str,
        value: &Value,
        max: HalfPoints,
    ) -> Option<HalfPoints> {
        let Value::Number(number) = value else { return self.wrong_type(field, Shape::Number) };
        let points = Decimal::of_number(number).and_then(|it| HalfPoints::try_from(it).ok());
        let expected = Shape::HalfPoints { max };
        points.filter(|&it| it <= max).or_else(|| self.out_of_range(field, value, expected))
    }

    fn out_of_range<T>(&mut self, field: &str, value: &Value, expected: Shape) -> Option<T> {
        let found = shorten(&value.to_string());
        self.report(Defect::OutOfRange { field: field.to_owned(), found, expected });
        None
    }

    pub(super) fn penalty(&mut self) -> Option<HalfPoints> {
        let value = self.get("penalty", Presence::Required)?;
        self.half_points("penalty", value, HalfPoints::MAX_PENALTY)
    }

    pub(super) fn weight(&mut self, dimension: &str, value: &Value) -> Option<Decimal> {
        self.bounded(&format!("weights.{}", shorten(dimension)), value, 1)
    }

    /// A plain number of any size; for a score that has no rubric.
    pub(super) fn any_number(
        &mut self,
        field: &'static str,
        presence: Presence,
    ) -> Option<Decimal> {
        let value = self.get(field, presence)?;
        let Value::Number(number) = value else { return self.wrong_type(field, Shape::Number) };
        Decimal::of_number(number).or_else(|| self.wrong_type(field, Shape::SmallNumber))
    }

    pub(super) fn decision(&mut self) -> Option<VerdictDecision> {
        let text = self.text("decision", Presence::Required)?;
        text.parse().ok().or_else(|| {
            self.report(Defect::UnknownDecision { found: shorten(text) });
            None
        })
    }

    /// The mode that the judge says it used: a mode that cannot approve, or no mode at all.
    pub(super) fn check_mode(&mut self, presence: Presence) {
        let Some(text) = self.text("scoring_mode_used", presence) else { return };
        match text.parse() {
            Ok(ScoringMode::RubricAnalytic) => {}
            Ok(mode @ ScoringMode::HolisticImpression) => self.report(Defect::WrongMode { mode }),
            Err(_) => self.report(Defect::UnknownMode { found: shorten(text) }),
        }
    }

    /// What both kinds of verdict say to the next attempt and to a person.
    ///
    /// A refusal without instructions and a question without a question are none.
    pub(super) fn words(&mut self, presence: Presence, decision: Option<VerdictDecision>) -> Words {
        let reasons = self.texts("reasons", presence);
        if reasons.as_ref().is_some_and(|it| it.iter().all(|it| it.trim().is_empty())) {
            self.report(Defect::Blank { field: "reasons".to_owned() });
        }
        let next = self.text("next_instructions", presence);
        let is_blank = next.is_some_and(|it| it.trim().is_empty());
        if is_blank && decision == Some(VerdictDecision::Fail) {
            self.report(Defect::Blank { field: "next_instructions".to_owned() });
        }
        let questions = self.texts("questions_for_user", presence);
        let asks_nothing =
            questions.as_ref().is_some_and(|it| it.iter().all(|it| it.trim().is_empty()));
        if asks_nothing && decision == Some(VerdictDecision::NeedUserInput) {
            self.report(Defect::Blank { field: "questions_for_user".to_owned() });
        }
        Words {
            reasons: reasons.unwrap_or_default(),
            next_instructions: next.unwrap_or_default().to_owned(),
            questions_for_user: questions.unwrap_or_default(),
        }
    }
}

/// What both kinds of verdict say in words.
pub(super) struct Words {
    pub(super) reasons: Vec<String>,
    pub(super) next_instructions: String,
    pub(super) questions_for_user: Vec<String>,
}
