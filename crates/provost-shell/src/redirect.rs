//! Redirections.

use super::{
    RedirectKind,
    draft::{DraftRedirect, Target, static_text},
    lexer::Parser,
};

/// The operators, longest first, so that the first that fits is the one meant.
const OPERATORS: [(&str, RedirectKind); 12] = [
    ("<<<", RedirectKind::HereString),
    ("<<-", RedirectKind::HereDocument),
    ("<<", RedirectKind::HereDocument),
    ("<&", RedirectKind::Duplicate),
    ("<>", RedirectKind::ReadWrite),
    ("<", RedirectKind::Read),
    (">>", RedirectKind::Append),
    (">&", RedirectKind::Duplicate),
    (">|", RedirectKind::Write),
    (">", RedirectKind::Write),
    ("&>>", RedirectKind::Append),
    ("&>", RedirectKind::Write),
];

impl Parser<'_, '_> {
    /// Reads a redirection, if one comes next.
    pub(super) fn redirect(&mut self) -> Option<DraftRedirect> {
        let start = self.at;
        let descriptor = self.descriptor();
        let found = OPERATORS.into_iter().find(|(it, _)| self.after(it).is_some());
        let is_process = self.after("<(").or(self.after(">(")).is_some();
        let Some((operator, kind)) = found.filter(|_| !is_process) else {
            self.at = start;
            return None;
        };
        let is_bare = self.at == start;
        if operator.starts_with('&') && !is_bare {
            self.at = start;
            return None;
        }
        self.eat(operator);
        self.skip_blanks();
        if kind == RedirectKind::HereDocument {
            let body = self.delimiter(operator == "<<-");
            return Some(DraftRedirect { descriptor, kind, target: Target::Body(body) });
        }
        let word = self.word();
        let is_number = static_text(&word)
            .is_some_and(|it| it.trim_end_matches('-').bytes().all(|it| it.is_ascii_digit()));
        // `>& file` writes, `>& 1` duplicates.
        let kind = if operator == ">&" && !is_number { RedirectKind::Write } else { kind };
        Some(DraftRedirect { descriptor, kind, target: Target::Word(word) })
    }

    /// Reads the number or the `{name}` directly before an operator.
    fn descriptor(&mut self) -> Option<u32> {
        let run = self.rest();
        let digits = run.bytes().take(9).take_while(u8::is_ascii_digit).count();
        let is_operator = |at: usize| run.get(at..).is_some_and(|it| it.starts_with(['<', '>']));
        if digits > 0 && is_operator(digits) {
            self.at += digits;
            return run.get(..digits)?.parse().ok();
        }
        let name = run.strip_prefix('{')?;
        let is_name = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
        let length = name.bytes().take(64).take_while(|&it| is_name(it)).count();
        let close = length + 1;
        if length > 0 && run.get(close..)?.starts_with('}') && is_operator(close + 1) {
            self.at += close + 1;
            // A descriptor of the shell's choice is never one of the first three.
            return Some(10);
        }
        None
    }
}
