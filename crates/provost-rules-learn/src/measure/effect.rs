//! What so many labels can show: the smallest effect that a rule has four chances in five to prove.

use super::{e_value::Claim, policy::Policy};

/// How the labels come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Labelling {
    AsTheyCome,
    /// Half of them are asked for, with so many judged tasks to each label.
    Asking {
        tasks_per_label: f64,
    },
}

/// The 80th percentile of the normal distribution.
const Z: f64 = 0.84;
/// How far a proof overshoots its bound on average, as a logarithm.
const OVERSHOOT: f64 = 0.7;

/// The smallest share of cases that a rule must mend, in percent; none where no rule can be shown.
///
/// `noise` is the share of verdicts that a line without meaning changes: half of those are wins and
/// half losses.
pub fn smallest(
    labels: u32,
    stake: f64,
    noise: f64,
    labelling: Labelling,
    policy: &Policy,
) -> Option<u32> {
    (1..=100).find(|percent| {
        is_visible(f64::from(*percent) / 100.0, labels, stake, noise, labelling, policy)
    })
}

fn is_visible(
    effect: f64,
    labels: u32,
    stake: f64,
    noise: f64,
    labelling: Labelling,
    policy: &Policy,
) -> bool {
    let rate = match labelling {
        Labelling::AsTheyCome => effect,
        Labelling::Asking { tasks_per_label } => {
            effect / 2.0 + ((tasks_per_label - 1.0) * effect).clamp(0.0, 0.5)
        }
    };
    // Two errors are needed before a rule can be written.
    let fresh = f64::from(labels) - 2.0 / effect;
    if fresh <= 0.0 {
        return false;
    }
    let (wins, losses) = (rate + noise / 2.0, noise / 2.0);
    let growth = |share: f64| {
        let (up, down) = ((1.0 + share).ln(), (1.0 - share).ln());
        let mean = wins * up + losses * down;
        (mean, wins * up * up + losses * down * down - mean * mean)
    };
    let bettors = Claim::Better.bettors().iter().map(|(share, weight)| (growth(*share), *weight));
    let best = bettors.max_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
    let Some(((mean, variance), weight)) = best else { return false };
    // What one bettor wins counts by its weight.
    let bound = (1.0 / (policy.alpha * stake * weight)).ln() + OVERSHOOT;
    fresh * mean - Z * (fresh * variance.max(0.0)).sqrt() >= bound
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented table, within three points.
    #[test]
    fn the_visible_effects_are_those_of_the_table() {
        let asking = Labelling::Asking { tasks_per_label: 4.0 };
        for (labels, noise, labelling, expected) in [
            (34, 0.0, Labelling::AsTheyCome, 41),
            (50, 0.0, Labelling::AsTheyCome, 28),
            (100, 0.0, Labelling::AsTheyCome, 14),
            (200, 0.0, Labelling::AsTheyCome, 7),
            (34, 0.0, asking, 19),
            (50, 0.0, asking, 12),
            (100, 0.0, asking, 6),
            (200, 0.0, asking, 3),
        ] {
            let is = smallest(labels, 0.5, noise, labelling, &Policy::STANDARD);
            let is_close = is.is_some_and(|it| it.abs_diff(expected) <= 3);
            assert!(is_close, "{labels} {labelling:?}: {is:?} is not {expected}");
        }
    }

    #[test]
    fn noise_and_small_stakes_cost_and_few_labels_show_nothing() {
        let asking = Labelling::Asking { tasks_per_label: 4.0 };
        let effect =
            |labels, stake, noise| smallest(labels, stake, noise, asking, &Policy::STANDARD);
        assert!(effect(50, 0.5, 0.095) > effect(50, 0.5, 0.0));
        assert!(effect(50, 0.05, 0.0) > effect(50, 0.5, 0.0));
        assert_eq!(effect(8, 0.5, 0.0), None);
        assert_eq!(effect(0, 0.5, 0.0), None);
    }
}
