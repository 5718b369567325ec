//! The actions of a call: one for each program, file or address.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    rc::Rc,
};

use provost_kernel::{guard::policy::RepositoryFact, shorten_to};
use provost_rules::secret;

use super::{builtin::BuiltIn, protected::Access};

/// The longest subject that a ruling repeats, in characters.
const SHOWN: usize = 200;

/// Where clouds hand out credentials, by address and by name.
const METADATA: [&str; 15] = [
    "100.100.100.200",
    "168.63.129.16",
    "169.254.0.23",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "192.0.0.192",
    "fd00:ec2::23",
    "fd00:ec2::254",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.tencentyun.com",
];

/// One thing that a call does, and what the built-in rules say to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Action {
    /// The program and its words, those that are not known left open.
    pub(super) words: Vec<Option<String>>,
    /// The paths that it touches, as far as they are known.
    pub(super) paths: Vec<Touched>,
    /// The hosts that it speaks to.
    pub(super) hosts: Vec<String>,
    pub(super) found: Vec<Found>,
    /// What it is, as it stands there: whoever repeats it takes secrets out by [`show`].
    pub(super) subject: Rc<str>,
    /// Where it begins in the command, in bytes, if that is known.
    pub(super) at: Option<usize>,
}

/// A path that an action touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) path: String,
    pub(super) access: Access,
}

/// A built-in rule that an action meets.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) rule: BuiltIn,
    /// As [`Action::subject`].
    pub(super) subject: Rc<str>,
    /// What takes the edge off it, should it hold.
    pub(super) unless: Option<RepositoryFact>,
}

impl Action {
    pub(super) fn on(subject: &str) -> Self {
        Self { subject: subject.into(), ..Self::default() }
    }

    /// Notes a path that the action touches.
    pub(super) fn touch(&mut self, path: String, access: Access) {
        self.paths.push(Touched { path, access });
    }

    /// Notes a rule with the action itself as its subject.
    pub(super) fn meet(&mut self, rule: BuiltIn) {
        self.meet_unless(rule, None);
    }

    /// Notes a rule that a fact about the repository may take the edge off.
    pub(super) fn meet_unless(&mut self, rule: BuiltIn, unless: Option<RepositoryFact>) {
        let subject = self.subject.clone();
        self.found.push(Found { rule, subject, unless });
    }

    /// Notes a rule, if there is one.
    pub(super) fn meet_any(&mut self, rule: Option<BuiltIn>) {
        if let Some(rule) = rule {
            self.meet(rule);
        }
    }

    /// Notes a rule with a subject of its own.
    pub(super) fn meet_with(&mut self, rule: BuiltIn, subject: &str) {
        self.found.push(Found { rule, subject: subject.into(), unless: None });
    }
}

/// Places the actions that were found in several parts of a text together: where as much of their
/// subject as possible stands.
pub(super) fn place_in<'a>(text: &str, actions: impl Iterator<Item = &'a mut Action>) {
    for action in actions.filter(|it| it.at.is_none()) {
        let subject = &*action.subject;
        let ends = [subject.len(), 64, 32, 16, 8].into_iter();
        let known = ends.filter_map(|it| subject.get(..it)).filter(|it| !it.is_empty());
        action.at = known.into_iter().find_map(|it| text.find(it));
    }
}

/// A text as a ruling may repeat it: without secrets, in one line, and not too long.
pub fn show(text: &str) -> String {
    let clean = secret::redact(text.as_bytes());
    let clean = String::from_utf8_lossy(&clean);
    let marked = |it: char| {
        if it.is_control() || ('\u{F0001}'..='\u{F0003}').contains(&it) { ' ' } else { it }
    };
    shorten_to(&clean, SHOWN).chars().map(marked).collect()
}

/// The host of an address such as `https://user@example.com:8080/x`; numbers in their usual form.
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
    (is_scheme && !host.is_empty()).then(|| usual(host))
}

/// The host that a text without a scheme is for a program that fetches it.
///
/// Any word could be one, so only what hands out credentials counts. A single label is a word like
/// any other, unless the path after it is the one that is asked there.
pub(super) fn bare_metadata_host(text: &str) -> Option<String> {
    let lowered = text.to_ascii_lowercase();
    let is_asked = ["/computemetadata", "/latest"].iter().any(|it| lowered.contains(it));
    let bare = usual(text);
    let host = if bare.parse::<IpAddr>().is_ok() {
        Some(bare)
    } else {
        host_of(&format!("http://{}", text.trim_start_matches('/')))
    };
    host.filter(|it| is_metadata(it) && (it.contains(['.', ':']) || is_asked))
}

/// Whether a host hands out credentials of a cloud.
pub(super) fn is_metadata(host: &str) -> bool {
    // Some names lead to the number that they begin with, as `169.254.169.254.example` may.
    let is_wrapped = |it: &str| {
        it.parse::<Ipv4Addr>().is_ok()
            && (host.starts_with(&format!("{it}."))
                || host.starts_with(&format!("{}.", it.replace('.', "-"))))
    };
    METADATA.iter().any(|it| host == *it || is_wrapped(it))
}

/// A host in the form that it is compared in: `2852039166` is `169.254.169.254`.
fn usual(host: &str) -> String {
    let plain: String = unescaped(host).chars().map(narrow).collect();
    let plain = plain.trim_end_matches('.').to_ascii_lowercase();
    let zoneless = plain.split('%').next().unwrap_or_default();
    match zoneless.parse::<Ipv6Addr>() {
        Ok(address) => match embedded(address) {
            Some(inner) => inner.to_string(),
            None => address.to_string(),
        },
        Err(_) => number(&plain).map_or(plain, |it| it.to_string()),
    }
}

/// The address that one of the newer kind stands for: mapped, compatible, or translated.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [lead @ .., high, low] = address.segments();
    let is_translated = lead == [0x64, 0xff9b, 0, 0, 0, 0];
    let is_compatible = lead == [0; 6] && high != 0;
    let bytes = (u32::from(high) << 16) | u32::from(low);
    let inner = (is_translated || is_compatible).then(|| Ipv4Addr::from(bytes));
    address.to_ipv4_mapped().or(inner)
}

/// An address of one to four numbers, each decimal, octal or hexadecimal; the last fills the rest.
fn number(text: &str) -> Option<Ipv4Addr> {
    let parts: Option<Vec<u64>> = text.split('.').map(digits).collect();
    let parts = parts.filter(|it| it.len() <= 4)?;
    let (last, lead) = parts.split_last()?;
    let width = 4_u32.checked_sub(u32::try_from(lead.len()).ok()?)?;
    if *last >= 1_u64 << (8 * width) || lead.iter().any(|it| *it > 255) {
        return None;
    }
    let shifted = lead.iter().zip([24_u32, 16, 8]).map(|(part, by)| part << by);
    u32::try_from(shifted.sum::<u64>() + last).ok().map(Ipv4Addr::from)
}

fn digits(part: &str) -> Option<u64> {
    let is_number = part.starts_with(|it: char| it.is_ascii_digit());
    match part.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u64::from_str_radix(part, 8).ok(),
        None => is_number.then(|| part.parse().ok()).flatten(),
    }
}

/// Wide digits and dots, which resolvers read as the narrow ones.
fn narrow(one: char) -> char {
    match one {
        '。' | '．' | '｡' => '.',
        '！'..='～' => {
            char::from_u32(u32::from(one) - u32::from('！') + u32::from('!')).unwrap_or(one)
        }
        other => other,
    }
}

/// A text with `%2e` and its kin read.
pub(super) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|it| *first == b'%' && it.iter().all(u8::is_ascii_hexdigit))
            .and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
            ("http://2852039166/", Some("169.254.169.254")),
            ("http://0xA9.0376.43518", Some("169.254.169.254")),
            ("http://[::ffff:169.254.169.254]/", Some("169.254.169.254")),
            ("http://[::ffff:a9fe:a9fe]:80", Some("169.254.169.254")),
            ("http://[64:ff9b::169.254.169.254]", Some("169.254.169.254")),
            ("http://%3169.254.169.254", Some("169.254.169.254")),
            ("http://１６９.254。169.254", Some("169.254.169.254")),
            ("http://256.1.1.1.1", Some("256.1.1.1.1")),
            ("http://1.2.3.999999", Some("1.2.3.999999")),
            ("http://08.example", Some("08.example")),
        ] {
            assert_eq!(host_of(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_bare_host_counts_only_if_it_hands_out_credentials() {
        for (text, expected) in [
            ("169.254.169.254/latest/meta-data", Some("169.254.169.254")),
            ("169.254.170.2", Some("169.254.170.2")),
            ("2852039166", Some("169.254.169.254")),
            ("//metadata.google.internal/x", Some("metadata.google.internal")),
            ("metadata/computeMetadata/v1", Some("metadata")),
            ("169-254-169-254.nip.io", Some("169-254-169-254.nip.io")),
            ("fd00:ec2::254", Some("fd00:ec2::254")),
            ("metadata", None),
            ("metadata/x.json", None),
            ("example.com", None),
            ("10", None),
            ("", None),
        ] {
            assert_eq!(bare_metadata_host(text).as_deref(), expected, "{text}");
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
