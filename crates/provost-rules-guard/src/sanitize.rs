//! Makes what an agent said safe to store: without secrets, and truncated (HOOK-2.6).
//!
//! Secrets are removed before the cut, because half of one is no longer recognised. A text much
//! longer than the limit is cut once before, so that a payload of megabytes costs little.

use std::borrow::Cow;

use provost_rules::secret::{
    self,
    needle::{Needle, Needles, begins_with},
};
use serde_json::{Map, Value};

/// What stands for a value that its key calls a secret.
const REDACTED: &str = "[REDACTED]";

/// What is behind this many bytes of a text is never kept, so it is not looked at.
const LOOKED_AT: usize = 64 * 1024;

/// Keys that contain one of these words, in whatever case, have secrets for values.
const SECRET_KEYS: [&str; 14] = [
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "credential",
    "privatekey",
    "private_key",
    "private-key",
];

/// The text without secrets, cut to so many characters.
pub fn text(text: &str, n_characters: usize) -> String {
    first(&redact(text), n_characters).into_owned()
}

/// The same, with three dots where something was cut off.
pub(super) fn with_dots(text: &str, n_characters: usize) -> String {
    let clean = redact(text);
    let is_cut = text.len() > LOOKED_AT || clean.chars().nth(n_characters).is_some();
    let kept = first(&clean, n_characters);
    if is_cut { format!("{kept}...") } else { kept.into_owned() }
}

/// A value as JSON, each of its texts without secrets.
pub(super) fn json(value: &Value) -> String {
    match value.as_str() {
        Some(text) => redact(text).into_owned(),
        None => redact(&clean(value).to_string()).into_owned(),
    }
}

fn clean(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).into_owned()),
        Value::Array(items) => items.iter().map(clean).collect(),
        Value::Object(object) => {
            let entry = |(key, value): (&String, &Value)| {
                let value = if names_secret(key) { REDACTED.into() } else { clean(value) };
                (redact(key).into_owned(), value)
            };
            Value::Object(object.iter().map(entry).collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn names_secret(key: &str) -> bool {
    let lowered = key.to_ascii_lowercase();
    SECRET_KEYS.iter().any(|it| lowered.contains(it))
}

fn redact(text: &str) -> Cow<'_, str> {
    let looked_at = text.floor_char_boundary(LOOKED_AT);
    let clean = match secret::redact(&text.as_bytes()[..looked_at]) {
        Cow::Borrowed(_) => Cow::Borrowed(&text[..looked_at]),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    };
    if may_name_secret(&clean) { Cow::Owned(veil(&clean)) } else { clean }
}

/// Words without which no word of a text says that a secret follows, nor holds one.
static WORTH_A_LOOK: Needles<{ SECRET_KEYS.len() + OTHERS.len() }> = Needles::new(worth_a_look());

/// What else a secret follows, or stands in.
const OTHERS: [&str; 5] = ["bearer", "basic", "-u", "--user", "://"];

const fn worth_a_look() -> [Needle; SECRET_KEYS.len() + OTHERS.len()] {
    let mut all = [("", 0); SECRET_KEYS.len() + OTHERS.len()];
    let mut at = 0;
    while at < all.len() {
        let is_key = at < SECRET_KEYS.len();
        all[at].0 = if is_key { SECRET_KEYS[at] } else { OTHERS[at - SECRET_KEYS.len()] };
        at += 1;
    }
    all
}

/// Whether a look at each word is worth its while.
fn may_name_secret(text: &str) -> bool {
    let mut is_found = false;
    WORTH_A_LOOK.each_in(text.as_bytes(), |word, _, rest| is_found |= begins_with(rest, word));
    is_found
}

/// Hides what stands where a command or a message puts a secret of no known form: behind a word
/// that names one, and as the password of an address.
fn veil(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut before = Before::Plain;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let (kept, next) = veil_word(word, before);
        hidden += &kept;
        hidden += &piece[word.len()..];
        before = if word.is_empty() { before } else { next };
    }
    hidden
}

/// What the word before says of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Plain,
    /// It is an option, or a kind of login, whose value this is.
    Names,
    /// It is a word of a sentence that may be about a secret.
    Mentions,
    /// It is an option for a user and a password.
    User,
}

fn veil_word(word: &str, before: Before) -> (Cow<'_, str>, Before) {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let bare = word.trim_matches(QUOTES);
    let key = bare.trim_end_matches([':', '=']).to_ascii_lowercase();
    let is_login = matches!(key.as_str(), "bearer" | "basic");
    match before {
        Before::Names if !is_login && !bare.starts_with('-') => {
            return (REDACTED.into(), Before::Plain);
        }
        Before::Mentions if looks_made(bare) => return (REDACTED.into(), Before::Plain),
        Before::User if bare.contains(':') => return (REDACTED.into(), Before::Plain),
        Before::Plain | Before::Names | Before::Mentions | Before::User => {}
    }
    if let Some((name, value)) = bare.split_once(['=', ':'])
        && names_secret(name)
        && !value.is_empty()
        && !value.starts_with("//")
    {
        return (format!("{name}={REDACTED}").into(), Before::Plain);
    }
    if let Some(kept) = without_password(word) {
        return (kept.into(), Before::Plain);
    }
    let is_option = bare.starts_with('-');
    let next = if is_login || (names_secret(&key) && (is_option || bare.ends_with(':'))) {
        Before::Names
    } else if names_secret(&key) {
        Before::Mentions
    } else if matches!(bare, "-u" | "--user" | "--proxy-user") {
        Before::User
    } else {
        Before::Plain
    };
    (word.into(), next)
}

/// Whether a word is more likely made by a machine than written in a sentence.
fn looks_made(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    word.chars().count() >= 6 && (has(|it| it.is_ascii_digit()) && has(char::is_alphabetic))
}

/// An address without the password in it: `https://user:password@host`.
fn without_password(word: &str) -> Option<String> {
    let (scheme, rest) = word.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?.0.split_once(':')?;
    let after = &rest[authority.rfind('@')?..];
    Some(format!("{scheme}://{user}:{REDACTED}{after}"))
}

fn first(text: &str, n_characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(n_characters) {
        Some((end, _)) => Cow::Borrowed(&text[..end]),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A token of a public format, put together so that this file holds none.
    fn token() -> String {
        format!("ghp_{}", "a8Kd0fLq2mNw5xRz7vTb9cYh1jPs3gEuQ4iX")
    }

    /// HOOK-2.6: what is kept has no secret in it, also where the cut would have halved one.
    #[test]
    fn a_secret_is_taken_out_before_the_cut() {
        let token = token();
        let clean = text(&format!("push with {token} now"), 200);
        assert_eq!(clean, "push with [REDACTED:github-token] now");
        for n in 0..60 {
            let cut = text(&format!("push with {token} now"), n);
            assert!(!cut.contains("a8Kd"), "{n}: {cut}");
        }
        let long = format!("{}{token}", "x ".repeat(40_000));
        assert!(!text(&long, 100_000).contains("a8Kd"));
    }

    /// HOOK-2.6: a secret of no known form is found by the word before it.
    #[test]
    fn what_is_called_a_secret_is_hidden() {
        let check = |given: &str, expected: &str| assert_eq!(text(given, 500), expected, "{given}");
        check(
            "curl -H \"Authorization: Bearer Tr0ub4dor&3x\" u",
            "curl -H \"Authorization: Bearer [REDACTED] u",
        );
        check("x --password=hunter2 y", "x --password=[REDACTED] y");
        check("x --password hunter2 y", "x --password [REDACTED] y");
        check("x --token --verbose y", "x --token --verbose y");
        check("API_TOKEN=hunter2 ./run", "API_TOKEN=[REDACTED] ./run");
        check("api_key: hunter2", "api_key: [REDACTED]");
        check("curl -u me:hunter2 x", "curl -u [REDACTED] x");
        check(
            "git clone https://me:hunter2@host/x.git",
            "git clone https://me:[REDACTED]@host/x.git",
        );
        check("login failed for password Tr0ub4dor&3x", "login failed for password [REDACTED]");
        for innocent in [
            "the token expired",
            "cargo test --all",
            "git clone https://host/x.git",
            "see https://host/secret/page",
            "a basic-usage example, sort -u x",
            "cat src/token.rs",
            "密码 错误",
        ] {
            check(innocent, innocent);
        }
    }

    #[test]
    fn a_cut_counts_characters_and_says_so() {
        assert_eq!(text("模式模式", 2), "模式");
        assert_eq!(with_dots("模式模式", 2), "模式...");
        assert_eq!(with_dots("模式", 2), "模式");
        assert_eq!(with_dots("", 0), "");
        let huge = with_dots(&"é".repeat(100_000), 3);
        assert_eq!(huge, "ééé...");
    }

    /// HOOK-2.6: a key that names a secret hides its value, in whatever case it is written.
    #[test]
    fn a_key_that_names_a_secret_hides_its_value() {
        for key in ["apiKey", "API_KEY", "privateKey", "accessToken", "Password", "client_secret"] {
            let shown = json(&json!({"a": [{key: "hunter2"}], "b": 1}));
            assert!(!shown.contains("hunter2"), "{key}: {shown}");
            assert!(shown.contains(REDACTED) && shown.contains("\"b\":1"), "{key}: {shown}");
        }
        let shown = json(&json!({"env": {"X": token()}, "list": [token()]}));
        assert!(!shown.contains("a8Kd"), "{shown}");
        assert_eq!(json(&json!("plain")), "plain");
        assert_eq!(json(&json!({"command": "ls"})), "{\"command\":\"ls\"}");
    }
}
