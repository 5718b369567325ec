//! Counts as people say them in English: one case, two cases.

/// A count with the word for one or for many.
pub(super) fn n(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        for (count, expected) in [(0, "0 cases"), (1, "1 case"), (2, "2 cases")] {
            assert_eq!(n(count, "case", "cases"), expected);
        }
    }
}
