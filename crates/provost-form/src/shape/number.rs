//! The shapes of numbers.

use std::ops::RangeInclusive;

use provost_kernel::Decimal;

use super::{Shape, of_type};
use crate::{
    problem::{Expected, ProblemKind},
    table::Field,
};

/// A whole number; `1.0` is none.
pub fn whole<T>(range: RangeInclusive<T>) -> Whole<T> {
    Whole { range }
}

pub fn number(range: RangeInclusive<f64>) -> Number {
    Number { range }
}

/// An exact decimal number.
pub fn decimal() -> Exact {
    Exact { range: None }
}

/// A decimal number as a count of steps: `steps(2, 0..=10)` reads `4.5` as 9.
pub fn steps(per_one: u32, range: RangeInclusive<i64>) -> Steps {
    Steps { per_one, range }
}

#[derive(Clone, Debug)]
pub struct Whole<T> {
    range: RangeInclusive<T>,
}

#[derive(Clone, Debug)]
pub struct Number {
    range: RangeInclusive<f64>,
}

#[derive(Clone, Debug)]
pub struct Exact {
    range: Option<RangeInclusive<i32>>,
}

#[derive(Clone, Debug)]
pub struct Steps {
    per_one: u32,
    range: RangeInclusive<i64>,
}

impl Exact {
    #[must_use]
    pub fn within(self, range: RangeInclusive<i32>) -> Self {
        Self { range: Some(range) }
    }
}

impl<K, T> Shape<K> for Whole<T>
where
    K: From<ProblemKind>,
    T: TryFrom<i128> + Copy + PartialOrd,
    i128: From<T>,
{
    type Value = T;

    fn expected(&self) -> Expected {
        let (min, max): (i128, i128) = ((*self.range.start()).into(), (*self.range.end()).into());
        let min = i64::try_from(min).unwrap_or(i64::MAX);
        let max = u64::try_from(max).unwrap_or_default();
        // A limit that is only that of the type tells a person nothing.
        if [u64::MAX, i64::MAX.unsigned_abs(), u32::MAX.into()].contains(&max) {
            Expected::WholeFrom { min }
        } else {
            Expected::Whole { min, max }
        }
    }

    fn read(&self, field: &Field<'_, K>) -> Option<T> {
        let expected = || Shape::<K>::expected(self);
        let whole = field.value.as_number().and_then(serde_json::Number::as_i128);
        let whole = of_type(field, expected(), whole)?;
        let found = T::try_from(whole).ok().filter(|it| self.range.contains(it));
        in_range(field, expected(), found)
    }
}

impl<K: From<ProblemKind>> Shape<K> for Number {
    type Value = f64;

    fn expected(&self) -> Expected {
        Expected::Number { min: *self.range.start(), max: *self.range.end() }
    }

    fn read(&self, field: &Field<'_, K>) -> Option<f64> {
        let expected = || Shape::<K>::expected(self);
        let number = of_type(field, expected(), field.value.as_f64())?;
        in_range(field, expected(), Some(number).filter(|it| self.range.contains(it)))
    }
}

impl<K: From<ProblemKind>> Shape<K> for Exact {
    type Value = Decimal;

    fn expected(&self) -> Expected {
        self.range.as_ref().map_or(Expected::AnyNumber, |it| Expected::Number {
            min: (*it.start()).into(),
            max: (*it.end()).into(),
        })
    }

    fn read(&self, field: &Field<'_, K>) -> Option<Decimal> {
        let expected = || Shape::<K>::expected(self);
        let number = of_type(field, expected(), field.value.as_number())?;
        let exact = Decimal::of_number(number);
        let Some(range) = &self.range else { return of_type(field, expected(), exact) };
        let whole = |it: &i32| Decimal::ratio((*it).into(), 1);
        let range = whole(range.start())..=whole(range.end());
        in_range(field, expected(), exact.filter(|it| range.contains(it)))
    }
}

impl<K: From<ProblemKind>> Shape<K> for Steps {
    type Value = i64;

    fn expected(&self) -> Expected {
        #[expect(
            clippy::cast_precision_loss,
            reason = "it is shown, and nothing is compared with it"
        )]
        let of = |steps: i64| steps as f64 / f64::from(self.per_one);
        let (min, step) = (of(*self.range.start()), of(1));
        if *self.range.end() == i64::MAX {
            Expected::StepsFrom { min, step }
        } else {
            Expected::Steps { min, max: of(*self.range.end()), step }
        }
    }

    fn read(&self, field: &Field<'_, K>) -> Option<i64> {
        let expected = || Shape::<K>::expected(self);
        let number = of_type(field, expected(), field.value.as_number())?;
        let steps = Decimal::of_number(number).and_then(|it| it.in_units_of(self.per_one));
        in_range(field, expected(), steps.filter(|it| self.range.contains(it)))
    }
}

fn in_range<K: From<ProblemKind>, T>(
    field: &Field<'_, K>,
    expected: Expected,
    value: Option<T>,
) -> Option<T> {
    if value.is_none() {
        field.report(ProblemKind::OutOfRange { expected, found: field.shown() });
    }
    value
}
