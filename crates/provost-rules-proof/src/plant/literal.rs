//! Another value for a literal: a number near it, as round, a string with `z` before it, the other boolean.
//!
//! The new value has the type of the old one and stays in its range, because a test file that no
//! longer compiles says nothing about a single test.

use tree_sitter::Node;

use super::{
    edit::Edit,
    tree::{Source, named},
};

/// Falsifies an expression of Python, JavaScript or Go that is a literal, or a collection: then its
/// first literal that decides about equality.
pub(super) fn falsify(source: Source<'_>, node: Node<'_>) -> Option<Edit> {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if let Some(edit) = scalar(source, node) {
            return Some(edit);
        }
        match node.kind() {
            "parenthesized_expression"
            | "unary_operator"
            | "unary_expression"
            | "as_expression"
            | "satisfies_expression"
            | "concatenated_string"
            | "literal_element" => {
                let is_signed = matches!(node.kind(), "unary_operator" | "unary_expression");
                if !is_signed || source.of(node).starts_with('-') {
                    stack.extend(named(node).first());
                }
            }
            "list" | "tuple" | "set" | "array" | "dictionary" | "object" | "literal_value" => {
                if let Some(edit) = empty(source, node) {
                    return Some(edit);
                }
                let members = named(node);
                // What is spread may overwrite the member that was changed.
                if !members.iter().any(|it| is_spread(*it)) {
                    stack.extend(members.into_iter().rev());
                }
            }
            "pair" | "keyed_element" => stack.extend(node.child_by_field_name("value")),
            "composite_literal" => stack.extend(node.child_by_field_name("body")),
            _ => {}
        }
    }
    None
}

fn is_spread(node: Node<'_>) -> bool {
    matches!(node.kind(), "spread_element" | "list_splat" | "dictionary_splat")
}

/// A list that must be empty gets a member.
fn empty(source: Source<'_>, node: Node<'_>) -> Option<Edit> {
    let text = source.of(node);
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    let is_list = matches!(node.kind(), "list" | "array");
    (is_list && inner.trim().is_empty()).then(|| Edit::insert(node.start_byte() + 1, "0"))
}

fn scalar(source: Source<'_>, node: Node<'_>) -> Option<Edit> {
    let text = source.of(node);
    let new = match node.kind() {
        "integer" | "float" | "number" | "int_literal" | "float_literal" | "integer_literal" => {
            let is_negative = node.prev_sibling().is_some_and(|it| it.kind() == "-");
            number(text, if is_negative { Sign::Negative } else { Sign::Positive })?
        }
        "true" | "false" | "boolean_literal" => boolean(text)?,
        "rune_literal" | "char_literal" => character(text)?,
        "string"
        | "template_string"
        | "interpreted_string_literal"
        | "raw_string_literal"
        | "string_literal" => return string(text, node.start_byte()),
        _ => return None,
    };
    Some(Edit::replace(node.byte_range(), new))
}

/// Falsifies one token of Rust.
pub(super) fn token(source: Source<'_>, node: Node<'_>) -> Option<Edit> {
    scalar(source, node)
}

/// What stands before a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Positive,
    Negative,
}

/// The next number, of the same type.
pub(super) fn number(text: &str, sign: Sign) -> Option<String> {
    let plain = text.replace('_', "");
    let radix = match plain.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        Some(_) | None => return decimal(&plain, sign),
    };
    let digits = &plain[2..];
    let end = digits.find(|it: char| !it.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = u128::from_str_radix(digits, radix).ok()?;
    is_suffix(suffix).then(|| format!("{}{suffix}", next(value, sign)))
}

fn decimal(text: &str, sign: Sign) -> Option<String> {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let is_octal = digits.len() > 1 && digits.starts_with('0') && !rest.starts_with('.');
    if is_octal {
        return None;
    }
    let value: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let (fraction, exponent, suffix) = parts(rest)?;
    if !is_suffix(suffix) || (digits.is_empty() && fraction.len() < 2) {
        return None;
    }
    // One more before an exponent may be too much for the type.
    let value = if exponent.is_empty() || value == 0 { next(value, sign) } else { value - 1 };
    Some(format!("{value}{fraction}{exponent}{suffix}"))
}

/// Fraction, exponent and suffix of what follows the digits of a number.
fn parts(rest: &str) -> Option<(&str, &str, &str)> {
    let digits = |text: &str| text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let fraction = match rest.strip_prefix('.') {
        Some(it) => 1 + digits(it),
        None => 0,
    };
    let (fraction, rest) = rest.split_at_checked(fraction)?;
    let exponent = match rest.strip_prefix(['e', 'E']) {
        Some(it) => {
            let sign = usize::from(it.starts_with(['+', '-']));
            1 + sign + digits(&it[sign..])
        }
        None => 0,
    };
    let (exponent, suffix) = rest.split_at_checked(exponent)?;
    Some((fraction, exponent, suffix))
}

fn is_suffix(text: &str) -> bool {
    matches!(text, "" | "n" | "f32" | "f64")
        || text
            .strip_prefix(['i', 'u'])
            .is_some_and(|it| matches!(it, "8" | "16" | "32" | "64" | "128" | "size"))
}

/// One more, unless that leaves a type of fixed width, or is lost in a double.
fn next(value: u128, sign: Sign) -> u128 {
    const DOUBLE: u128 = (1 << 53) - 1;
    if let Some(round) = round(value) {
        return round;
    }
    let more = value.saturating_add(1);
    let is_last = more.is_power_of_two() && more >= 128;
    match sign {
        _ if value >= DOUBLE => value / 2,
        Sign::Negative if value > 0 => value - 1,
        Sign::Positive if is_last => value - 1,
        Sign::Negative | Sign::Positive => more,
    }
}

/// A round number below a round one, so that a product which bends round numbers alone bends this too.
fn round(value: u128) -> Option<u128> {
    let n_zeros =
        (1..6).take_while(|it| value > 0 && value.is_multiple_of(10_u128.pow(*it))).count();
    let unit = 10_u128.checked_pow(u32::try_from(n_zeros).ok()?)?;
    match n_zeros {
        0 => None,
        _ if value > unit => Some(value - unit),
        1 => None,
        _ => Some(value - unit / 10),
    }
}

fn boolean(text: &str) -> Option<String> {
    let other = match text {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        _ => return None,
    };
    Some(other.to_owned())
}

/// `'a'` and `b'a'`.
fn character(text: &str) -> Option<String> {
    let start = text.find('\'')?;
    let new = if text.get(start..) == Some("'z'") { "'y'" } else { "'z'" };
    Some(format!("{}{new}", &text[..start]))
}

/// A `z` behind the opening quote; in a byte string, whose length is its type in Rust, instead of the
/// first character.
fn string(text: &str, start: usize) -> Option<Edit> {
    let quote = text.find(['"', '\'', '`'])?;
    let body = &text[quote..];
    let is_triple = ["\"\"\"", "'''"]
        .iter()
        .any(|it| body.len() >= 6 && body.starts_with(it) && body.ends_with(it));
    let inner = quote + if is_triple { 3 } else { 1 };
    let prefix = &text[..quote];
    if prefix.contains(['b', 'B']) {
        let first = text[inner..].chars().next().filter(char::is_ascii_alphanumeric)?;
        let new = if first == 'z' { "y" } else { "z" };
        return Some(Edit::replace(start + inner..start + inner + 1, new));
    }
    Some(Edit::insert(start + inner, "z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plant::edit::apply;

    #[test]
    fn a_number_becomes_its_neighbour() {
        let table = [
            ("3", Some("4")),
            ("0", Some("1")),
            ("1_000", Some("900")),
            ("180", Some("170")),
            ("10", Some("11")),
            ("127", Some("126")),
            ("255u8", Some("254u8")),
            ("65535", Some("65534")),
            ("0xff", Some("254")),
            ("0xFEu8", Some("255u8")),
            ("0b11", Some("4")),
            ("0o17", Some("16")),
            ("9007199254740993", Some("4503599627370496")),
            ("18446744073709551615", Some("9223372036854775807")),
            ("10n", Some("11n")),
            ("2.5", Some("3.5")),
            ("2.5f32", Some("3.5f32")),
            (".5", Some("1.5")),
            ("5.", Some("6.")),
            ("1e300", Some("0e300")),
            ("0.5e-3", Some("1.5e-3")),
            ("3i", None),
            ("3j", None),
            ("010", None),
            ("0x1p-2", None),
            (".", None),
            ("1234567890123456789012345678901234567890", None),
        ];
        for (text, expected) in table {
            assert_eq!(number(text, Sign::Positive).as_deref(), expected, "{text}");
        }
        assert_eq!(number("128i8", Sign::Negative).as_deref(), Some("127i8"));
        assert_eq!(number("0", Sign::Negative).as_deref(), Some("1"));
    }

    #[test]
    fn a_string_gets_a_letter() {
        let table = [
            ("\"a\"", "\"za\""),
            ("''", "'z'"),
            ("'''a'''", "'''za'''"),
            ("rb'a'", "rb'z'"),
            ("b\"zero\"", "b\"yero\""),
            ("r#\"\"\"#", "r#\"z\"\"#"),
            ("`a`", "`za`"),
            ("f\"{x}\"", "f\"z{x}\""),
        ];
        for (text, expected) in table {
            let edit = string(text, 0).expect(text);
            assert_eq!(apply(text, vec![edit]), expected);
        }
        assert_eq!(string("b\"\"", 0), None);
        assert_eq!(character("b'a'").as_deref(), Some("b'z'"));
        assert_eq!(character("'z'").as_deref(), Some("'y'"));
    }
}
