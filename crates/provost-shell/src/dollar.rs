//! What `$` and backquotes begin: parameters, substitutions, arithmetic, `$'…'`.

use std::ops::Range;

use super::{
    Place, Reason,
    draft::{Change, Index, Parameter, Piece, Pieces, Scene, push_text, static_text},
    lexer::{Parser, Until, Within},
    sum::Sum,
    word::Hole,
};

type MakeChange = fn(Pieces) -> Change;

/// The operators of `${name…}` that take a word; the longer of two comes first.
const OPERATORS: [(&str, MakeChange); 8] = [
    (":-", Change::Default),
    ("-", Change::Default),
    (":=", Change::Assign),
    ("=", Change::Assign),
    (":+", Change::Alternate),
    ("+", Change::Alternate),
    (":?", |_| Change::None),
    ("?", |_| Change::None),
];

impl Parser<'_, '_> {
    /// Reads what begins with `$`.
    pub(super) fn dollar(&mut self, pieces: &mut Pieces, quoted: bool) {
        if let Some(inside) = self.after("$((").filter(|&it| self.closes_arithmetic(it)) {
            self.at = inside;
            self.arithmetic();
            pieces.push(Piece::Hole { hole: Hole::Arithmetic, quoted: true });
        } else if self.eat("$(") {
            let outer = std::mem::take(&mut self.processes);
            let inside = self.substitution(Place::Substitution);
            self.processes = outer;
            pieces.push(Piece::Hole { hole: Hole::Command(inside), quoted });
        } else if self.eat("${") {
            self.deeper(|it| it.parameter(pieces, quoted));
        } else if self.eat("$[") {
            let mut inside = Pieces::new();
            self.deeper(|it| it.unquoted(&mut inside, Until::Bracket));
            self.expect("]");
            pieces.push(Piece::Hole { hole: Hole::Arithmetic, quoted: true });
        } else if !quoted && self.eat("$'") {
            self.ansi_quotes(pieces);
        } else if !quoted && self.eat("$\"") {
            self.quoted(pieces, Within::Quotes);
        } else {
            self.at += 1;
            let name = self.parameter_name();
            if name.is_empty() {
                push_text(pieces, "$", quoted);
            } else {
                let (index, change) = (Index::None, Change::None);
                pieces.push(Piece::Parameter(Box::new(Parameter { name, index, change, quoted })));
            }
        }
    }

    /// Reads a list of commands up to `)`, and passes over that.
    pub(super) fn substitution(&mut self, place: Place) -> Range<usize> {
        let first = self.drafts.list.len();
        let start = self.at;
        let outer = self.scene;
        let pending = std::mem::take(&mut self.pending);
        self.scene = Scene { place, join: super::Join::Sequence, is_conditional: true, ..outer };
        self.deeper(|it| it.body(&[")"]));
        self.scene = outer;
        let inside = self.source.get(start..self.at).unwrap_or_default();
        if !pending.is_empty() && inside.contains('\n') {
            // Does the body of a here-document begin inside the substitution or after it?
            self.report(Reason::HereDocument);
        }
        self.pending = pending;
        first..self.drafts.list.len()
    }

    /// Reads `` ` … ` ``. What is inside is a text of its own, with one layer of `\` removed.
    pub(super) fn backquotes(&mut self, pieces: &mut Pieces, quoted: bool) {
        self.at += 1;
        let mut inside = String::new();
        let mut is_closed = false;
        let mut rest = self.rest().chars();
        while let Some(one) = rest.next() {
            match one {
                '`' => {
                    is_closed = true;
                    break;
                }
                '\\' => match rest.clone().next() {
                    Some(next @ ('$' | '`' | '\\')) => {
                        inside.push(next);
                        rest.next();
                    }
                    Some('"') if quoted => {
                        inside.push('"');
                        rest.next();
                    }
                    Some(_) | None => inside.push('\\'),
                },
                _ => inside.push(one),
            }
        }
        self.at = self.source.len() - rest.as_str().len();
        if !is_closed {
            self.report(Reason::Syntax);
        }
        let scene = Scene {
            join: super::Join::Sequence,
            is_conditional: true,
            ..self.inner_scene(Place::Substitution)
        };
        let first = self.drafts.list.len();
        if self.drafts.charge(inside.len()) {
            self.deeper(|it| {
                let scene = Scene { depth: it.scene.depth, ..scene };
                Parser::new(&inside, it.drafts, scene).script();
            });
        }
        let hole = Hole::Command(first..self.drafts.list.len());
        pieces.push(Piece::Hole { hole, quoted });
    }

    /// Whether the arithmetic that begins at `from` is closed by `))`. If it is not, the two
    /// parentheses before it are a substitution and a subshell.
    pub(super) fn closes_arithmetic(&mut self, from: usize) -> bool {
        let bytes = self.source.as_bytes();
        let mut depth = 2_usize;
        let mut at = from;
        let mut quote = None;
        let is_closed = loop {
            let Some(&byte) = bytes.get(at) else { break false };
            at += 1;
            match (byte, quote) {
                (b'\\', None | Some(b'"')) => at += 1,
                (_, Some(open)) => quote = quote.filter(|_| byte != open),
                (b'\'' | b'"', None) => quote = Some(byte),
                (b'(', None) => depth += 1,
                (b')', None) if depth == 2 => break bytes.get(at) == Some(&b')'),
                (b')', None) => depth -= 1,
                _ => {}
            }
        };
        // Each look ahead costs; a text that asks for too many of them is opaque.
        self.drafts.charge((at - from) / 4) && is_closed
    }

    /// Reads arithmetic up to `))`, for the substitutions in it, and passes over that.
    pub(super) fn arithmetic(&mut self) -> Sum {
        let mut depth = 0_usize;
        let mut sum = Sum::default();
        let mut pieces = Pieces::new();
        while let Some(byte) = self.peek() {
            if byte == b')' && depth == 0 {
                break;
            }
            let next = self.source.as_bytes().get(self.at + 1).copied();
            sum.read(byte, next);
            match byte {
                b'$' => self.deeper(|it| it.dollar(&mut pieces, true)),
                b'`' => self.backquotes(&mut pieces, true),
                b'"' => {
                    self.at += 1;
                    self.quoted(&mut pieces, Within::Quotes);
                }
                b'(' | b')' => {
                    depth = if byte == b'(' { depth + 1 } else { depth - 1 };
                    self.at += 1;
                }
                _ => self.skip_one(),
            }
        }
        self.expect("))");
        if sum.reads_as_command {
            self.report(Reason::Syntax);
        }
        sum
    }

    /// Reads the rest of `${ … }`.
    fn parameter(&mut self, pieces: &mut Pieces, quoted: bool) {
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            // `${ command; }` is a substitution in newer shells.
            self.at += 1;
            let outer = self.scene;
            self.scene.place = Place::Substitution;
            let first = self.drafts.list.len();
            self.body(&["}"]);
            self.scene = outer;
            let hole = Hole::Command(first..self.drafts.list.len());
            pieces.push(Piece::Hole { hole, quoted });
            return;
        }
        let is_length = self.after("#").is_some() && self.after("#}").is_none() && self.eat("#");
        let is_indirect = self.eat("!");
        let name = self.parameter_name();
        let index = if self.eat("[") { self.subscript() } else { Index::None };
        let change = self.change(quoted);
        if is_length {
            pieces.push(Piece::Hole { hole: Hole::Arithmetic, quoted: true });
            return;
        }
        if name.is_empty() {
            self.report(Reason::Syntax);
        }
        let change = if is_indirect { Change::Other } else { change };
        if let Change::Assign(value) = &change {
            self.drafts.assign_default(&name, value);
        }
        pieces.push(Piece::Parameter(Box::new(Parameter { name, index, change, quoted })));
    }

    fn subscript(&mut self) -> Index {
        let mut inside = Pieces::new();
        self.unquoted(&mut inside, Until::Bracket);
        self.expect("]");
        match inside.as_slice() {
            [Piece::Hole { hole: Hole::Pattern(all), .. }] if all == "*" => Index::All,
            other => match static_text(other).as_deref() {
                Some("@") => Index::All,
                Some(number) => number.parse().map_or(Index::Other, Index::At),
                None => Index::Other,
            },
        }
    }

    /// Reads the operator and the word of `${name…}`, and passes over `}`.
    fn change(&mut self, quoted: bool) -> Change {
        if self.eat("}") {
            return Change::None;
        }
        let mut word = Pieces::new();
        let operator = OPERATORS.into_iter().find(|(it, _)| self.eat(it));
        if operator.is_none() && self.after("@P").is_some() {
            // The value is expanded once more, as a prompt is.
            self.drafts.push_opaque(Reason::Code, self.source);
        }
        // Patterns after `#`, `%`, `/` may be quoted with `'` even inside double quotes.
        if quoted && operator.is_some() {
            self.quoted(&mut word, Within::Brace);
        } else {
            self.unquoted(&mut word, Until::Brace);
            self.expect("}");
        }
        operator.map_or(Change::Other, |(_, change)| change(word))
    }

    /// Reads a name, a number, or one of the special parameters.
    fn parameter_name(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.peek() {
            let is_name = byte.is_ascii_alphabetic() || byte == b'_';
            let is_number = byte.is_ascii_digit();
            let starts_as_number = name.starts_with(|it: char| it.is_ascii_digit());
            let fits = match name.as_str() {
                "" => is_name || is_number,
                // `$10` is `$1` and a zero; inside braces a longer number is rare and unknown.
                _ if starts_as_number => false,
                _ => is_name || is_number,
            };
            if !fits {
                if name.is_empty() && b"@*#?$!-".contains(&byte) {
                    self.at += 1;
                    name.push(char::from(byte));
                }
                break;
            }
            self.at += 1;
            name.push(char::from(byte));
        }
        name
    }

    pub(super) fn expect(&mut self, end: &str) {
        if !self.eat(end) {
            self.report(Reason::Syntax);
        }
    }
}
