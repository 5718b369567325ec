//! What speaks against a secret: placeholders, published examples, words.

use memchr::memmem;

/// What people write where a secret would stand, in lower case.
const PLACEHOLDERS: [&str; 34] = [
    "${",
    "$(",
    "{{",
    "<%",
    "%(",
    "****",
    "....",
    "xxxx",
    "____",
    "0123456789",
    "1234567890",
    "abcdefghij",
    "changeme",
    "change_me",
    "change-me",
    "deadbeef",
    "default",
    "dummy",
    "example",
    "getenv",
    "insert",
    "notreal",
    "not-real",
    "os.environ",
    "placeholder",
    "process.env",
    "redacted",
    "replace",
    "sample",
    "your",
    "示例",
    "你的",
    "您的",
    "占位",
];

/// Keys that their vendors publish, by their beginning.
const PUBLISHED: [&str; 2] = [
    // The key of the storage emulator.
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    // The token that explains the format of signed tokens.
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw",
];

/// Passwords that guard nothing.
const COMMON: [&str; 16] = [
    "admin",
    "hunter2",
    "none",
    "null",
    "pass",
    "passwd",
    "password",
    "postgres",
    "pwd",
    "root",
    "secret",
    "test",
    "token",
    "undefined",
    "user",
    "username",
];

/// Whether this is visibly no secret.
pub(super) fn is_placeholder(secret: &[u8]) -> bool {
    let lowered = secret.to_ascii_lowercase();
    let has = |it: &&str| memmem::find(&lowered, it.as_bytes()).is_some();
    let is_published = PUBLISHED.iter().any(|it| secret.starts_with(it.as_bytes()));
    let ends = secret.first().zip(secret.last());
    let is_bracketed = matches!(ends, Some((b'<', b'>') | (b'{', b'}')));
    PLACEHOLDERS.iter().any(has) || is_published || is_bracketed
}

/// Whether a token has as many different characters as chance would give it.
pub(super) fn is_varied(token: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in token {
        if let Some(seen) = seen.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    seen.iter().filter(|it| **it).count() >= 8
}

/// Whether a password could guard something.
pub(super) fn is_password(password: &[u8], user: Option<&[u8]>) -> bool {
    let is_short = password.len() < 6;
    let is_common = COMMON.iter().any(|it| password.eq_ignore_ascii_case(it.as_bytes()));
    let is_variable = password.starts_with(b"$") || password.starts_with(b"%");
    let is_masked = password.iter().all(|it| Some(it) == password.first());
    !is_short && !is_common && !is_variable && !is_masked && user != Some(password)
}

/// Whether a value looks drawn by lot, and not like words, a path or a name.
///
/// Words change between letters and digits, or between small and large ones, seldom; what is
/// drawn by lot does so all the time.
pub(super) fn is_random(value: &[u8]) -> bool {
    let class = |it: u8| match it {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let pairs = value.iter().zip(value.iter().skip(1));
    let changes = pairs
        .filter(|&(&a, &b)| class(a) != class(b) && class(a) != 0 && class(b) != 0)
        // A large letter at the start of a word is not a sign of chance.
        .filter(|&(&a, &b)| !(class(a) == 2 && class(b) == 1))
        .count();
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let enough = if value.len() < 16 { 3.0 } else { 3.5 };
    has_digit && has_letter && changes >= 3.max(value.len() / 10) && entropy(value) >= enough
}

/// Shannon's entropy, in bits for each byte.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let length = u32::try_from(value.len()).map_or(f64::from(u32::MAX), f64::from);
    let present = counts.iter().filter(|it| **it > 0);
    present.map(|&it| f64::from(it) / length).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_random() {
        for (value, expected) in [
            ("correct-horse-battery-staple", false),
            ("bert-base-uncased-v2", false),
            ("com.example.Application2", false),
            ("/run/secrets/db_password", false),
            ("AccessTokenResponse2", false),
            ("aaaaaaaaaaaa1a1a", false),
            ("20240101", false),
            ("Tr0ub4dor&3", true),
            ("9f86d081884c7d659a2feaa0", true),
            ("kJ8s-2Lq9_xZ4v", true),
        ] {
            assert_eq!(is_random(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn placeholders_are_recognised() {
        for (value, expected) in [
            ("AKIAIOSFODNN7EXAMPLE", true),
            ("<token>", true),
            ("{token}", true),
            ("${GITHUB_TOKEN}", true),
            ("xxxxxxxxxxxx", true),
            ("your-api-key", true),
            ("[REDACTED:github-token]", true),
            ("Zm9vYmFyMTIz", false),
        ] {
            assert_eq!(is_placeholder(value.as_bytes()), expected, "{value}");
        }
    }
}
