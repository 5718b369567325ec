//! Half a character in an answer: JSON can write one and no text can hold it. One message with such a half
//! must not hold up the messages behind it.

/// The same JSON with U+FFFD in place of each escape that is half of a pair.
pub(super) fn whole(json: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some((&byte, behind)) = rest.split_first() {
        // What follows a backslash is never the beginning of an escape itself.
        let length = match (byte, unit(rest)) {
            (b'\\', Some(0xd800..=0xdbff)) => match rest.get(6..).and_then(unit) {
                Some(0xdc00..=0xdfff) => 12,
                Some(_) | None => half(&mut kept),
            },
            (b'\\', Some(0xdc00..=0xdfff)) => half(&mut kept),
            (b'\\', _) => 2.min(rest.len()),
            (_, _) => rest.len() - behind.len(),
        };
        let (piece, left) = match length {
            0 => (&[][..], &rest[6..]),
            length => rest.split_at(length),
        };
        kept.extend_from_slice(piece);
        rest = left;
    }
    kept
}

/// Writes what stands for a half; nothing of the half itself is kept.
fn half(kept: &mut Vec<u8>) -> usize {
    kept.extend_from_slice(br"\ufffd");
    0
}

/// The UTF-16 unit that an escape at the beginning names.
fn unit(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_replaced_and_everything_else_stays() {
        for (json, expected) in [
            (r#""\ud83d x""#, r#""\ufffd x""#),
            (r#""\ude00""#, r#""\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \n \u00e9""#, r#""\\ud83d \n \u00e9""#),
            (r#""\ud83"#, r#""\ud83"#),
            ("\"\\", "\"\\"),
        ] {
            let text = String::from_utf8(whole(json.as_bytes())).unwrap();
            assert_eq!(text, expected, "{json}");
        }
    }
}
