//! How well a judge agrees with people, from blind labels that were drawn at different rates.
//!
//! What is counted is how often a person accepts what the judge passed, and what it failed. The
//! rates that matter follow from both and from how much the judge passes. Only additions,
//! multiplications, divisions and square roots are used, so every machine gives the same bits.

use serde::Serialize;

/// Blind drawn labels under one guidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What the judge passed and failed, of all tasks.
    pub judged: Share,
    /// What people accepted, of the drawn tasks that the judge passed.
    pub passed: Share,
    /// The same of those that it failed.
    pub failed: Share,
}

/// Some of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub part: u32,
    pub whole: u32,
}

impl Share {
    pub fn of(part: u64, whole: u64) -> Self {
        let number = |it| u32::try_from(it).unwrap_or(u32::MAX);
        Self { part: number(part), whole: number(whole) }
    }
}

/// The 95 % interval of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// The intervals of both rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// Of what a person would accept, how much the judge passes.
    pub true_pass: Interval,
    /// Of what a person would reject, how much the judge fails.
    pub true_fail: Interval,
}

/// Below this, counts say more than an interval.
pub const MIN_LABELS: u32 = 20;
/// How many equally likely values stand for each share.
const VALUES: u32 = 64;
/// How finely a distribution is summed up.
const STEPS: u32 = 2048;
const TAIL: f64 = 0.025;

/// The intervals of both rates; none where there are too few labels.
pub fn agreement(sample: Sample) -> Option<Agreement> {
    let Sample { judged, passed, failed } = sample;
    if passed.whole.saturating_add(failed.whole) < MIN_LABELS || judged.whole == 0 {
        return None;
    }
    let s = f64::from(judged.part.min(judged.whole)) / f64::from(judged.whole);
    let (accepted_passes, accepted_fails) = (values(passed), values(failed));
    let pairs =
        || accepted_passes.iter().flat_map(|a| accepted_fails.iter().map(move |b| (*a, *b)));
    let share = |part: f64, rest: f64| if part + rest > 0.0 { part / (part + rest) } else { 0.5 };
    let true_pass = pairs().map(|(a, b)| share(a * s, b * (1.0 - s)));
    let true_fail = pairs().map(|(a, b)| share((1.0 - b) * (1.0 - s), (1.0 - a) * s));
    Some(Agreement {
        true_pass: middle(true_pass.collect()),
        true_fail: middle(true_fail.collect()),
    })
}

/// Equally likely values of a share, given what was counted: the quantiles of
/// `Beta(part + 1/2, whole - part + 1/2)`.
///
/// With `x = u² / (u² + (1 - u)²)` the density has no poles and no fractional powers, so it can be
/// summed up over equal steps of `u`.
fn values(Share { part, whole }: Share) -> Vec<f64> {
    let part = part.min(whole);
    let (k, rest) = (part, whole - part);
    let mode = if whole == 0 { 0.5 } else { f64::from(k) / f64::from(whole) };
    let scaled = |x: f64, mode: f64, n: u32| {
        if n == 0 { Wide::ONE } else { Wide::power(x / mode, n) }
    };
    let steps: Vec<(f64, f64)> = (0..STEPS)
        .map(|step| {
            let u = (f64::from(step) + 0.5) / f64::from(STEPS);
            let sum = u * u + (1.0 - u) * (1.0 - u);
            let x = u * u / sum;
            // The largest value of the product is 1. Its factors alone may be beyond all floats.
            let density = scaled(x, mode, k).times(scaled(1.0 - x, 1.0 - mode, rest)).value();
            (x, density / sum)
        })
        .collect();
    let total: f64 = steps.iter().map(|(_, density)| density).sum();
    let mut values = Vec::new();
    let (mut reached, mut wanted) = (0.0, 0_u32);
    for (x, density) in steps {
        reached += density / total;
        while wanted < VALUES && reached * f64::from(VALUES) >= f64::from(wanted) + 0.5 {
            values.push(x);
            wanted += 1;
        }
    }
    values
}

/// The middle 95 % of equally likely values.
fn middle(mut values: Vec<f64>) -> Interval {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let cut = values.iter().enumerate().filter(|(at, _)| share_of(*at, n) < TAIL).count();
    let low = values.get(cut).copied().unwrap_or(0.0);
    let high = values.get(n.saturating_sub(cut + 1)).copied().unwrap_or(1.0);
    Interval { low, high }
}

fn share_of(at: usize, n: usize) -> f64 {
    let number = |it: usize| f64::from(u32::try_from(it).unwrap_or(u32::MAX));
    number(at) / number(n)
}

/// A number of any size: `digits` times a power of [`Wide::UNIT`]. Scaling by a power of two is exact.
#[derive(Clone, Copy)]
struct Wide {
    digits: f64,
    units: i64,
}

impl Wide {
    const ONE: Self = Self { digits: 1.0, units: 0 };
    /// 2 to the 256th.
    const UNIT: f64 = {
        let (two_to_16, two_to_64) = (65_536.0, 65_536.0 * 65_536.0 * 65_536.0 * 65_536.0);
        two_to_64 * two_to_64 * two_to_64 * two_to_16 * two_to_16 * two_to_16 * two_to_16
    };

    fn power(base: f64, mut exponent: u32) -> Self {
        let (mut result, mut square) = (Self::ONE, Self { digits: base, units: 0 });
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(square);
            }
            square = square.times(square);
            exponent >>= 1;
        }
        result
    }

    fn times(self, other: Self) -> Self {
        let digits = self.digits * other.digits;
        let units = self.units.saturating_add(other.units);
        if digits > Self::UNIT {
            Self { digits: digits / Self::UNIT, units: units.saturating_add(1) }
        } else if digits > 0.0 && digits < 1.0 / Self::UNIT {
            Self { digits: digits * Self::UNIT, units: units.saturating_sub(1) }
        } else {
            Self { digits, units }
        }
    }

    /// As a float; what is too small for one is 0.
    fn value(self) -> f64 {
        match self.units {
            0 => self.digits,
            -1 => self.digits / Self::UNIT,
            ..=-2 => 0.0,
            1.. => self.digits * Self::UNIT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(part: u32, whole: u32) -> Share {
        Share { part, whole }
    }

    fn near(is: f64, expected: f64) {
        assert!((is - expected).abs() < 0.004, "{is} is not {expected}");
    }

    /// Quantiles of known distributions: Beta(1/2, 1/2) is the arcsine law, `sin²(πq/2)`.
    #[test]
    fn the_values_are_quantiles_of_the_beta_distribution() {
        let arcsine = values(share(0, 0));
        assert_eq!(arcsine.len(), 64);
        near(arcsine[0], 0.000_15);
        near(arcsine[31], 0.4877);
        near(arcsine[63], 0.999_85);
        let many = values(share(9000, 10_000));
        assert_eq!(many.len(), 64, "many labels do not underflow");
        near(many[32], 0.9);
        near(many[60], 0.9 + 1.62 * 0.003);
        let none = values(share(0, 20));
        near(none[32], 0.0115);
    }

    #[test]
    fn rates_are_weighed_by_what_the_judge_passes() {
        let sample = Sample { judged: share(90, 100), passed: share(36, 40), failed: share(4, 40) };
        let agreement = agreement(sample).unwrap();
        // A point estimate of .9·.9 / (.9·.9 + .1·.1) and of .9·.1 / (.9·.1 + .1·.9).
        assert!(agreement.true_pass.low > 0.96 && agreement.true_pass.low < 0.988);
        assert!(agreement.true_pass.high > 0.99);
        assert!(agreement.true_fail.low > 0.28 && agreement.true_fail.low < 0.5);
        assert!(agreement.true_fail.high > 0.5 && agreement.true_fail.high < 0.75);
    }

    #[test]
    fn too_few_labels_give_no_interval() {
        let few = Sample { judged: share(1, 2), passed: share(9, 10), failed: share(1, 9) };
        assert_eq!(agreement(few), None);
        let unjudged = Sample { judged: share(0, 0), passed: share(9, 20), failed: share(1, 9) };
        assert_eq!(agreement(unjudged), None);
    }

    /// With 30 to 100 labels the interval covers the truth in at least 90 % of all samples.
    #[test]
    fn the_interval_covers_the_truth() {
        for (n, passed_of_ten, a, b) in
            [(30, 8, 0.9, 0.3), (50, 9, 0.95, 0.2), (100, 6, 0.8, 0.1), (30, 5, 0.7, 0.4)]
        {
            let (half, s) = (n / 2, f64::from(passed_of_ten) / 10.0);
            let truth = a * s / (a * s + b * (1.0 - s));
            let (mut covered, mut total) = (0.0, 0.0);
            for k in 0..=half {
                for l in 0..=half {
                    let weight = binomial(half, k, a) * binomial(half, l, b);
                    if weight < 1e-4 {
                        continue;
                    }
                    let sample = Sample {
                        judged: share(passed_of_ten * 100, 1000),
                        passed: share(k, half),
                        failed: share(l, half),
                    };
                    let Interval { low, high } = agreement(sample).unwrap().true_pass;
                    total += weight;
                    covered += if low <= truth && truth <= high { weight } else { 0.0 };
                }
            }
            assert!(covered / total >= 0.9, "{n} labels: {}", covered / total);
        }
    }

    fn binomial(n: u32, k: u32, p: f64) -> f64 {
        let choose: f64 = (1..=k).map(|it| f64::from(n - k + it) / f64::from(it)).product();
        choose * Wide::power(p, k).value() * Wide::power(1.0 - p, n - k).value()
    }
}
