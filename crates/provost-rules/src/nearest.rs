//! The name that a person probably meant.

/// Finds the candidate nearest to a name that is not one, if any is near enough to be a slip.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.8;
    candidates
        .into_iter()
        .map(|it| (strsim::jaro_winkler(name, it), it))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let keys = ["identity", "lang", "remote", "retention"];
        for (name, expected) in [
            ("idenity", Some("identity")),
            ("language", Some("lang")),
            ("remotes", Some("remote")),
            ("retension", Some("retention")),
            ("xyzzy", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, keys), expected, "{name:?}");
        }
    }
}
