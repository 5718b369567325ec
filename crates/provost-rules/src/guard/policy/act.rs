//! What a call does, taken apart: one act for each program, file or address.

use super::builtin::BuiltIn;
use crate::secret;

/// The longest subject that a ruling repeats, in characters.
const SHOWN: usize = 200;

/// One thing that a call does, and what the built-in rules say to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Act {
    /// The program and its words, those that are not known left open.
    pub(super) words: Vec<Option<String>>,
    /// The paths that it touches, as far as they are known.
    pub(super) paths: Vec<String>,
    /// The hosts that it speaks to.
    pub(super) hosts: Vec<String>,
    pub(super) found: Vec<Found>,
    /// The act as a person may read it.
    pub(super) subject: String,
}

/// A built-in rule that an act meets.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) rule: &'static BuiltIn,
    pub(super) subject: String,
}

impl Act {
    pub(super) fn on(subject: &str) -> Self {
        Self { subject: subject.to_owned(), ..Self::default() }
    }

    /// Notes a rule with the act itself as its subject.
    pub(super) fn meet(&mut self, rule: &'static BuiltIn) {
        let subject = self.subject.clone();
        self.found.push(Found { rule, subject });
    }

    /// Notes a rule, if there is one.
    pub(super) fn meet_any(&mut self, rule: Option<&'static BuiltIn>) {
        if let Some(rule) = rule {
            self.meet(rule);
        }
    }

    /// Notes a rule with a subject of its own.
    pub(super) fn meet_with(&mut self, rule: &'static BuiltIn, subject: &str) {
        self.found.push(Found { rule, subject: subject.to_owned() });
    }
}

/// A text as a ruling may repeat it: without secrets, in one line, and not too long.
pub(super) fn show(text: &str) -> String {
    let clean = secret::redact(text.as_bytes());
    let clean = String::from_utf8_lossy(&clean);
    let marked = |it: char| {
        if it.is_control() || ('\u{F0001}'..='\u{F0003}').contains(&it) { ' ' } else { it }
    };
    let shown: String = clean.chars().take(SHOWN).map(marked).collect();
    if clean.chars().nth(SHOWN).is_some() { format!("{shown}…") } else { shown }
}

/// The host of an address such as `https://user@example.com:8080/x`.
pub(super) fn host_of(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it));
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    (is_scheme && !host.is_empty()).then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_is_what_is_asked() {
        for (text, expected) in [
            ("https://Example.com/x", Some("example.com")),
            ("http://user:pw@a.b:80?q", Some("a.b")),
            ("http://good.com@evil.com/", Some("evil.com")),
            ("http://[::1]:3000/", Some("::1")),
            ("https://example.com.", Some("example.com")),
            ("example.com", None),
            ("https://", None),
            ("a b://c", None),
        ] {
            assert_eq!(host_of(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_subject_is_short_and_holds_no_secret() {
        assert_eq!(show("a\nb"), "a b");
        assert_eq!(show(&"x".repeat(300)).chars().count(), 201);
        let token = ["ghp_", "a8K2mQ9xZr4TbV7nW3cJ6hL1sD5fG0pYeU2i"].concat();
        assert!(!show(&format!("curl -H {token}")).contains(&token));
    }
}
