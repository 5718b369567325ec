//! How sure a share is that was counted.

use crate::text::count;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The Wilson interval at 95 %, to four places.
pub fn wilson(passed: u64, total: u64) -> (f64, f64) {
    if total == 0 {
        return (0.0, 1.0);
    }
    let number = |it: u64| count(usize::try_from(it).unwrap_or(usize::MAX));
    let (n, p) = (number(total), number(passed) / number(total));
    let (middle, scale) = (p + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let round = |it: f64| (it.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0;
    (round((middle - half) / scale), round((middle + half) / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_wilson() {
        for (passed, total, expected) in [
            (0, 0, (0.0, 1.0)),
            (10, 10, (0.7225, 1.0)),
            (0, 10, (0.0, 0.2775)),
            (50, 100, (0.4038, 0.5962)),
        ] {
            assert_eq!(wilson(passed, total), expected, "{passed}/{total}");
        }
    }
}
