//! What Telegram refuses: texts that are too long, buttons with too much data, and HTML that it
//! cannot parse.
//!
//! The errors are worded as Telegram words them. `MarkdownV2` is not checked.

use serde_json::Value;

/// The most characters of a message, after its markup is parsed.
pub const TEXT: usize = 4096;
/// The most bytes of a button's data.
pub const DATA: usize = 64;

const TAGS: [&str; 16] = [
    "a",
    "b",
    "blockquote",
    "code",
    "del",
    "em",
    "i",
    "ins",
    "pre",
    "s",
    "span",
    "strike",
    "strong",
    "tg-emoji",
    "tg-spoiler",
    "u",
];
const ENTITIES: [&str; 4] = ["amp", "gt", "lt", "quot"];

/// Checks the body of `sendMessage` or `editMessageText`; the error is Telegram's description.
pub fn check(body: &Value) -> Result<(), String> {
    let text = body["text"].as_str().unwrap_or_default();
    let is_html = body["parse_mode"].as_str().is_some_and(|it| it.eq_ignore_ascii_case("html"));
    let length = if is_html {
        parse(text).map_err(|it| format!("Bad Request: can't parse entities: {it}"))?
    } else {
        text.chars().count()
    };
    if length > TEXT {
        return Err("Bad Request: message is too long".to_owned());
    }
    if text.trim().is_empty() {
        return Err("Bad Request: message text is empty".to_owned());
    }
    for button in buttons(body) {
        if button["text"].as_str().is_none_or(str::is_empty) {
            return Err("Bad Request: inline keyboard button text is empty".to_owned());
        }
        if button["callback_data"].as_str().is_some_and(|it| it.len() > DATA) {
            return Err("Bad Request: BUTTON_DATA_INVALID".to_owned());
        }
    }
    Ok(())
}

/// The buttons below a message, row after row.
fn buttons(body: &Value) -> impl Iterator<Item = &Value> {
    let rows = body["reply_markup"]["inline_keyboard"].as_array();
    rows.into_iter().flatten().filter_map(Value::as_array).flatten()
}

/// The number of characters that are shown of a text in HTML.
fn parse(text: &str) -> Result<usize, String> {
    let mut open: Vec<&str> = Vec::new();
    let mut length = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '<' {
            let end = rest.find('>').ok_or("unclosed start tag")?;
            tag(&rest[1..end], &mut open)?;
            rest = &rest[end + 1..];
            continue;
        }
        let width = if first == '&' { entity(rest)? } else { first.len_utf8() };
        length += 1;
        rest = &rest[width..];
    }
    match open.last() {
        None => Ok(length),
        Some(name) => Err(format!("can't find end tag corresponding to start tag \"{name}\"")),
    }
}

fn tag<'a>(inside: &'a str, open: &mut Vec<&'a str>) -> Result<(), String> {
    if let Some(name) = inside.strip_prefix('/') {
        return match open.pop() {
            Some(opened) if opened == name => Ok(()),
            Some(opened) => Err(format!("unexpected end tag \"{name}\", expected \"{opened}\"")),
            None => Err(format!("unexpected end tag \"{name}\"")),
        };
    }
    let name = inside.split_whitespace().next().unwrap_or_default();
    if !TAGS.contains(&name) {
        return Err(format!("unsupported start tag \"{name}\""));
    }
    open.push(name);
    Ok(())
}

/// How many bytes an entity takes. Telegram shows an unknown one as it is; here it is an error,
/// since it is text that was not escaped.
fn entity(text: &str) -> Result<usize, String> {
    let unescaped = || "unescaped `&`".to_owned();
    let end = text.find(';').ok_or_else(unescaped)?;
    let name = &text[1..end];
    let is_number = name.strip_prefix('#').is_some_and(|it| {
        let digits = it.strip_prefix('x').unwrap_or(it);
        !digits.is_empty() && digits.chars().all(|it| it.is_ascii_hexdigit())
    });
    if ENTITIES.contains(&name) || is_number { Ok(end + 1) } else { Err(unescaped()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_html(text: &str, expected: Result<(), &str>) {
        let actual = check(&json!({"text": text, "parse_mode": "HTML"}));
        assert_eq!(actual, expected.map_err(|it| format!("Bad Request: {it}")), "{text}");
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        for character in ["a", "任", "😀", "&lt;", "<b>a</b>"] {
            check_html(&character.repeat(TEXT), Ok(()));
            check_html(&character.repeat(TEXT + 1), Err("message is too long"));
        }
        check_html(" ", Err("message text is empty"));
        assert!(check(&json!({"text": "&lt;".repeat(1024)})).is_ok());
        assert!(check(&json!({"text": "&lt;".repeat(1025)})).is_err());
    }

    #[test]
    fn html_that_was_not_escaped_is_refused() {
        check_html("<b>1 &lt; 2 &amp; &#x41;</b> <a href=\"x\">y</a>", Ok(()));
        check_html("a < b", Err("can't parse entities: unclosed start tag"));
        check_html("a & b", Err("can't parse entities: unescaped `&`"));
        check_html("a &b; c", Err("can't parse entities: unescaped `&`"));
        check_html("<img>", Err("can't parse entities: unsupported start tag \"img\""));
        let message = "can't parse entities: unexpected end tag \"b\", expected \"i\"";
        check_html("<b><i></b></i>", Err(message));
        let message = "can't parse entities: can't find end tag corresponding to start tag \"b\"";
        check_html("<b>a", Err(message));
        assert_eq!(check(&json!({"text": "a < b"})), Ok(()));
    }

    #[test]
    fn a_button_has_64_bytes() {
        let body = |data: &str| {
            let button = json!({"text": "next", "callback_data": data});
            json!({"text": "a", "reply_markup": {"inline_keyboard": [[button]]}})
        };
        assert_eq!(check(&body(&"任".repeat(21))), Ok(()));
        let message = "Bad Request: BUTTON_DATA_INVALID".to_owned();
        assert_eq!(check(&body(&"任".repeat(22))), Err(message));
    }
}
