//! Suggestions for a name that is unknown.

/// Finds the candidate nearest to an unknown name, if one is near enough to be a typo.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.8;
    /// A longer name is not a typo, and comparing it takes time.
    const MAX_NAME: usize = 200;
    if name.len() > MAX_NAME {
        return None;
    }
    candidates
        .into_iter()
        .map(|it| (strsim::jaro_winkler(name, it), it))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, it)| it)
}

/// Finds the candidate that an unknown name is at most two letters away from.
///
/// This is stricter than [`nearest`]: it serves readers that ignore unknown names but refuse a
/// typo of a known one.
pub fn typo<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = name.to_lowercase().replace(['-', ' '], "_");
    // Two letters away from a short word are too many other words.
    let distance = |known: &str| if known.len() > 5 { 2 } else { 1 };
    candidates.into_iter().find(|it| strsim::osa_distance(&plain, it) <= distance(it))
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

    #[test]
    fn a_typo_is_two_letters_away_or_one_from_a_short_word() {
        let keys = ["test_cmd", "label", "forbidden_globs"];
        for (name, expected) in [
            ("tset_cmd", Some("test_cmd")),
            ("Test-Cmd", Some("test_cmd")),
            ("test cm", Some("test_cmd")),
            ("test_command", None),
            ("lable", Some("label")),
            ("laybels", None),
            ("forbiden_glob", Some("forbidden_globs")),
        ] {
            assert_eq!(typo(name, keys), expected, "{name:?}");
        }
    }
}
