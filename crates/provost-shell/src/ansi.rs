//! `$'…'`: quotes in which escapes are decoded.

use super::{
    Reason,
    draft::{Piece, Pieces, push_text},
    lexer::{GAP, Parser},
    word::Hole,
};

impl Parser<'_, '_> {
    /// Reads the rest of `$'…'`, escapes decoded as bash does.
    pub(super) fn ansi_quotes(&mut self, pieces: &mut Pieces) {
        let mut bytes = Vec::new();
        let mut is_cut = false;
        let mut is_closed = false;
        let mut rest = self.rest().chars();
        while let Some(one) = rest.next() {
            let mut buffer = [0; 4];
            match one {
                '\'' => {
                    is_closed = true;
                    break;
                }
                '\\' => {
                    let decoded = decode(&mut rest);
                    // A zero ends the string, however long it goes on.
                    is_cut |= decoded == [0];
                    if !is_cut {
                        bytes.extend(decoded);
                    }
                }
                _ if is_cut => {}
                _ => bytes.extend_from_slice(one.encode_utf8(&mut buffer).as_bytes()),
            }
        }
        self.at = self.source.len() - rest.as_str().len();
        if !is_closed {
            self.report(Reason::Syntax);
        }
        let text = String::from_utf8_lossy(&bytes);
        push_text(pieces, "", true);
        for (at, run) in text.split(GAP).enumerate() {
            if at > 0 {
                pieces.push(Piece::Hole { hole: Hole::Input, quoted: true });
            }
            push_text(pieces, run, true);
        }
    }
}

/// Decodes what follows `\` in `$'…'`.
fn decode(rest: &mut std::str::Chars<'_>) -> Vec<u8> {
    let Some(one) = rest.next() else { return vec![b'\\'] };
    match one {
        'a' => vec![7],
        'b' => vec![8],
        'e' | 'E' => vec![27],
        'f' => vec![12],
        'n' => vec![10],
        'r' => vec![13],
        't' => vec![9],
        'v' => vec![11],
        '\\' | '\'' | '"' | '?' => one.to_string().into_bytes(),
        '0'..='7' => {
            let first = one.to_digit(8).unwrap_or_default();
            let number = digits(rest, 8, 2).fold(first, |sum, it| sum * 8 + it);
            vec![number.to_le_bytes()[0]]
        }
        'x' | 'u' | 'U' => {
            let most = match one {
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            let found: Vec<u32> = digits(rest, 16, most).collect();
            let number = found.iter().fold(0, |sum: u32, it| sum << 4 | it);
            if found.is_empty() {
                vec![b'\\', one.to_string().as_bytes().first().copied().unwrap_or_default()]
            } else if one == 'x' {
                vec![number.to_le_bytes()[0]]
            } else {
                char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER).to_string().into()
            }
        }
        'c' => match rest.next() {
            Some(control) => vec![control.to_string().as_bytes().first().map_or(0, |it| it & 31)],
            None => vec![b'\\', b'c'],
        },
        other => {
            let mut kept = vec![b'\\'];
            kept.extend(other.to_string().bytes());
            kept
        }
    }
}

/// Takes at most `most` digits from the front.
fn digits<'a>(
    rest: &'a mut std::str::Chars<'_>,
    radix: u32,
    most: usize,
) -> impl Iterator<Item = u32> + 'a {
    (0..most).map_while(move |_| {
        let digit = rest.clone().next().and_then(|it| it.to_digit(radix))?;
        rest.next();
        Some(digit)
    })
}
