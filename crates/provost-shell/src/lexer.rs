//! From characters to words: blanks, comments, quotes and patterns.

use super::{
    Reason,
    draft::{Drafts, MAX_DEPTH, Piece, Pieces, Process, Scene, push_text},
    heredoc::Pending,
    word::Hole,
};

/// Stands in a text for something that is not known: shell code that is put together from
/// expansions is read with one of these in each gap. It is not a character, so no real text
/// contains it; one that does is taken as unknown, which is the safe side.
pub(super) const GAP: char = '\u{FDD0}';

/// Reads one text. The drafts it finds go to the end of a list that all texts share.
#[derive(Debug)]
pub(super) struct Parser<'s, 'd> {
    pub(super) source: &'s str,
    pub(super) at: usize,
    pub(super) drafts: &'d mut Drafts,
    pub(super) scene: Scene,
    /// Here-documents whose bodies begin after the next new line.
    pub(super) pending: Vec<Pending>,
    /// The process substitutions of the command that is being read.
    pub(super) processes: Vec<Process>,
    /// Whether the text has been called opaque already; once is enough.
    pub(super) is_reported: bool,
}

/// What ends a run of unquoted characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// A blank or an operator: a word.
    Blank,
    /// `}`: the word in `${x:-word}`
    Brace,
    /// `)`: the inside of a pattern such as `@(a|b)`
    Parenthesis,
    /// `]`: a subscript
    Bracket,
}

/// What ends a run of characters that are quoted as by `"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// `"`
    Quotes,
    /// `}`: the word in `"${x:-word}"`
    Brace,
    /// The end of the text: the body of a here-document.
    Body,
}

impl<'s, 'd> Parser<'s, 'd> {
    pub(super) fn new(source: &'s str, drafts: &'d mut Drafts, scene: Scene) -> Self {
        Self {
            source,
            at: 0,
            drafts,
            scene,
            pending: Vec::new(),
            processes: Vec::new(),
            is_reported: false,
        }
    }

    /// The scene of something that begins here.
    pub(super) fn scene_from(&self, start: usize) -> Scene {
        if self.scene.is_inner { self.scene } else { Scene { at: start, ..self.scene } }
    }

    /// The scene of a text that is read apart from this one.
    pub(super) fn inner_scene(&self, place: super::Place) -> Scene {
        Scene { place, is_inner: true, ..self.scene_from(self.at) }
    }

    /// The next byte, line continuations passed over.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while self.rest().starts_with("\\\n") {
            self.at += 2;
        }
        self.source.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Where the text goes on after `expected`, if that is what comes next.
    pub(super) fn after(&self, expected: &str) -> Option<usize> {
        let mut at = self.at;
        for byte in expected.bytes() {
            while self.source.get(at..).is_some_and(|it| it.starts_with("\\\n")) {
                at += 2;
            }
            if self.source.as_bytes().get(at) != Some(&byte) {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Passes over `expected`, if that is what comes next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let after = self.after(expected);
        if let Some(at) = after {
            self.at = at;
        }
        after.is_some()
    }

    /// Passes over one character, whatever it is.
    pub(super) fn skip_one(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes over blanks, comments and new lines; reads the here-documents after each line.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'#') => self.skip_comment(),
                Some(b'\n') => {
                    self.at += 1;
                    self.here_documents();
                }
                Some(_) | None => return,
            }
        }
    }

    pub(super) fn skip_comment(&mut self) {
        self.at = self.rest().find('\n').map_or(self.source.len(), |it| self.at + it);
    }

    /// Says that this text is not understood. All of it is opaque then: from here on, quotes may
    /// be read the wrong way round.
    pub(super) fn report(&mut self, reason: Reason) {
        if !self.is_reported {
            self.is_reported = true;
            self.drafts.push_opaque(reason, self.source);
        }
    }

    /// Reads something nested, unless that is too deep.
    pub(super) fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.scene.depth >= MAX_DEPTH {
            self.report(Reason::TooDeep);
            self.at = self.source.len();
            return T::default();
        }
        self.scene.depth += 1;
        let found = read(self);
        self.scene.depth = self.scene.depth.saturating_sub(1);
        found
    }

    /// Reads one word.
    pub(super) fn word(&mut self) -> Pieces {
        let mut pieces = Pieces::new();
        self.unquoted(&mut pieces, Until::Blank);
        pieces
    }

    /// Reads unquoted characters up to an end, which is left in place.
    pub(super) fn unquoted(&mut self, pieces: &mut Pieces, until: Until) {
        let start = self.at;
        let first = pieces.len();
        let mut open_braces = 0_usize;
        let mut bracket = None;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => self.single_quotes(pieces),
                b'"' => {
                    self.at += 1;
                    self.quoted(pieces, Within::Quotes);
                }
                b'\\' => self.escape(pieces),
                b'$' => self.dollar(pieces, false),
                b'`' => self.backquotes(pieces, false),
                b'<' | b'>' if self.after("<(").or(self.after(">(")).is_some() => {
                    self.process(pieces);
                }
                b'}' if until == Until::Brace => return,
                b')' if until == Until::Parenthesis => return,
                b']' if until == Until::Bracket && bracket.is_none() => return,
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>'
                    if until == Until::Blank =>
                {
                    return;
                }
                b'(' if until == Until::Blank => {
                    if !self.is_pattern_group(start) {
                        return;
                    }
                    self.pattern_group(pieces);
                }
                b'(' if until == Until::Parenthesis => self.pattern_group(pieces),
                b'*' | b'?' => {
                    self.at += 1;
                    let pattern = Hole::Pattern(char::from(byte).to_string());
                    pieces.push(Piece::Hole { hole: pattern, quoted: false });
                }
                b'[' => {
                    self.at += 1;
                    push_text(pieces, "[", false);
                    // The bracket begins a piece of its own, so that it can become a pattern.
                    if bracket.is_none() {
                        split_last(pieces, "[");
                        bracket = pieces.len().checked_sub(1);
                    }
                }
                b']' => {
                    self.at += 1;
                    push_text(pieces, "]", false);
                    if let Some(from) = bracket.take() {
                        fold_pattern(pieces, from);
                    }
                }
                b'{' => {
                    self.at += 1;
                    open_braces += 1;
                    pieces.push(Piece::Mark('{'));
                }
                b',' | b'}' if open_braces > 0 => {
                    self.at += 1;
                    open_braces -= usize::from(byte == b'}');
                    pieces.push(Piece::Mark(char::from(byte)));
                }
                b'~' if self.begins_path(start, pieces.len() == first) => self.tilde(pieces),
                _ => self.plain(pieces),
            }
        }
    }

    /// Reads characters quoted as by `"` up to an end, and passes over that end.
    pub(super) fn quoted(&mut self, pieces: &mut Pieces, within: Within) {
        // Even an empty pair of quotes makes a word.
        push_text(pieces, "", true);
        loop {
            let run = self.rest();
            let plain = run.find(['"', '\\', '$', '`', '}', '\'', GAP]).unwrap_or(run.len());
            push_text(pieces, run.get(..plain).unwrap_or_default(), true);
            self.at += plain;
            let Some(byte) = self.peek() else { break };
            match byte {
                b'"' if within == Within::Quotes => {
                    self.at += 1;
                    return;
                }
                b'}' if within == Within::Brace => {
                    self.at += 1;
                    return;
                }
                b'"' if within == Within::Brace => {
                    self.at += 1;
                    self.deeper(|it| it.quoted(pieces, Within::Quotes));
                }
                b'\'' if within == Within::Brace => self.doubtful_quote(pieces),
                b'\\' => self.quoted_escape(pieces, within),
                b'$' => self.dollar(pieces, true),
                b'`' => self.backquotes(pieces, true),
                _ => {
                    let one = self.rest().chars().next().unwrap_or_default();
                    self.at += one.len_utf8();
                    push_char(pieces, one, true);
                }
            }
        }
        if within != Within::Body {
            self.report(Reason::Syntax);
        }
    }

    fn single_quotes(&mut self, pieces: &mut Pieces) {
        self.at += 1;
        let run = self.rest();
        let length = run.find('\'').unwrap_or_else(|| {
            self.report(Reason::Syntax);
            run.len()
        });
        push_text(pieces, "", true);
        push_run(pieces, run.get(..length).unwrap_or_default(), true);
        self.at = (self.at + length + 1).min(self.source.len());
    }

    /// A single quote inside `"${x:-…}"` quotes in some shells and not in others. That makes no
    /// difference as long as nothing special stands between it and the next one.
    fn doubtful_quote(&mut self, pieces: &mut Pieces) {
        self.at += 1;
        push_text(pieces, "'", true);
        let run = self.rest();
        let next = run.find(['\'', '"', '\\', '$', '`', '}', GAP]);
        match next {
            Some(length) if run.get(length..).is_some_and(|it| it.starts_with('\'')) => {
                push_text(pieces, run.get(..=length).unwrap_or_default(), true);
                self.at += length + 1;
            }
            Some(_) | None => self.report(Reason::Syntax),
        }
    }

    fn escape(&mut self, pieces: &mut Pieces) {
        self.at += 1;
        match self.rest().chars().next() {
            Some(one) => {
                self.at += one.len_utf8();
                push_char(pieces, one, true);
            }
            None => push_text(pieces, "\\", true),
        }
    }

    fn quoted_escape(&mut self, pieces: &mut Pieces, within: Within) {
        self.at += 1;
        let next = self.rest().chars().next();
        let is_special = match next {
            Some('$' | '`' | '\\') => true,
            Some('"') => within != Within::Body,
            Some('}') => within == Within::Brace,
            Some(_) | None => false,
        };
        if let Some(one) = next.filter(|_| is_special) {
            self.at += one.len_utf8();
            push_char(pieces, one, true);
        } else {
            push_text(pieces, "\\", true);
        }
    }

    /// Reads `<( … )` or `>( … )`.
    fn process(&mut self, pieces: &mut Pieces) {
        let is_read = self.after("<(").is_some();
        let _ = self.eat("<(") || self.eat(">(");
        let outer = std::mem::take(&mut self.processes);
        let drafts = self.substitution(super::Place::Process);
        self.processes = outer;
        self.processes.push(Process { drafts, is_read });
        pieces.push(Piece::Hole { hole: Hole::Process, quoted: true });
    }

    /// Whether `(` continues a pattern such as `@(a|b)`.
    fn is_pattern_group(&self, start: usize) -> bool {
        let before = self.source.get(start..self.at).unwrap_or_default();
        before.ends_with(['?', '*', '+', '@']) || (before.len() > 1 && before.ends_with('!'))
    }

    fn pattern_group(&mut self, pieces: &mut Pieces) {
        self.at += 1;
        let start = self.at;
        let mut inside = Pieces::new();
        self.deeper(|it| it.unquoted(&mut inside, Until::Parenthesis));
        let text = self.source.get(start..self.at).unwrap_or_default().to_owned();
        // In zsh such a group may hold code: `*(e:'…':)`.
        if !self.eat(")") || text.contains(['\'', '"', ':']) {
            self.report(Reason::Syntax);
        }
        let sign = take_sign(pieces, &text);
        let pattern = Hole::Pattern(format!("{sign}({text})"));
        pieces.push(Piece::Hole { hole: pattern, quoted: false });
    }

    /// Whether `~` stands where a path may begin.
    fn begins_path(&self, start: usize, is_first: bool) -> bool {
        let before = self.source.get(start..self.at).unwrap_or_default();
        is_first || before.ends_with(['=', ':'])
    }

    fn tilde(&mut self, pieces: &mut Pieces) {
        let run = self.rest();
        let is_name = |it: char| it.is_ascii_alphanumeric() || "~_.+-".contains(it);
        let length = run.find(|it| !is_name(it)).unwrap_or(run.len());
        self.at += length;
        let text = run.get(..length).unwrap_or_default().to_owned();
        pieces.push(Piece::Hole { hole: Hole::Tilde(text), quoted: true });
    }

    /// Reads characters that mean only themselves; at least one.
    fn plain(&mut self, pieces: &mut Pieces) {
        let run = self.rest();
        let is_special = |it: char| " \t\n;&|()<>'\"\\$`*?[]{},}~".contains(it);
        let first = run.chars().next().map_or(0, char::len_utf8);
        let more = run.get(first..).unwrap_or_default();
        let length = first + more.find(is_special).unwrap_or(more.len());
        push_run(pieces, run.get(..length).unwrap_or_default(), false);
        self.at += length;
    }
}

/// Adds text in which gaps are holes.
fn push_run(pieces: &mut Pieces, run: &str, quoted: bool) {
    for (at, text) in run.split(GAP).enumerate() {
        if at > 0 {
            pieces.push(Piece::Hole { hole: Hole::Input, quoted: false });
        }
        if !text.is_empty() {
            push_text(pieces, text, quoted);
        }
    }
}

fn push_char(pieces: &mut Pieces, one: char, quoted: bool) {
    push_run(pieces, one.encode_utf8(&mut [0; 4]), quoted);
}

/// Takes the sign of a group off the text before it, where it says more as a part of the pattern:
/// `!(x)` is all but `x`, and the `@` of `a@(x)` is not a letter of the name.
fn take_sign(pieces: &mut Pieces, inside: &str) -> String {
    let Some(Piece::Text { text, quoted: false }) = pieces.last_mut() else { return String::new() };
    let Some(sign) = text.chars().next_back().filter(|it| matches!(it, '!' | '@' | '+')) else {
        return String::new();
    };
    let known = text.len() - 1;
    let has_name = text.get(..known).is_some_and(|it| !it.is_empty() && !it.ends_with('/'));
    let is_broad = |it: &str| it.contains('*') && it.chars().all(|it| "*?.".contains(it));
    if sign != '!' && !has_name && !inside.split('|').any(is_broad) {
        return String::new();
    }
    text.truncate(known);
    sign.to_string()
}

/// Splits `end` off the last piece.
fn split_last(pieces: &mut Pieces, end: &str) {
    if let Some(Piece::Text { text, quoted }) = pieces.last_mut() {
        let quoted = *quoted;
        if text.len() > end.len() && text.ends_with(end) {
            text.truncate(text.len() - end.len());
            pieces.push(Piece::Text { text: end.to_owned(), quoted });
        }
    }
}

/// Makes one pattern of `[ … ]`.
fn fold_pattern(pieces: &mut Pieces, from: usize) {
    let mut pattern = String::new();
    for piece in pieces.drain(from..) {
        match piece {
            Piece::Text { text, .. } => pattern.push_str(&text),
            Piece::Mark(mark) => pattern.push(mark),
            Piece::Hole { hole, .. } => pattern.push_str(&hole.to_string()),
            Piece::Parameter(it) => pattern.extend(["$", it.name.as_str()]),
        }
    }
    pieces.push(Piece::Hole { hole: Hole::Pattern(pattern), quoted: false });
}
