//! Here-documents: the body is data, what it substitutes is code, what follows it is code again.

use std::rc::Rc;

use super::{
    Reason,
    draft::{Pieces, push_text},
    lexer::{GAP, Parser, Within},
};

/// A here-document whose body has not been read yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    delimiter: String,
    /// A quoted delimiter keeps the body as it is.
    is_quoted: bool,
    /// `<<-` takes leading tabs off.
    strips_tabs: bool,
    /// Where the body goes.
    body: usize,
}

impl Parser<'_, '_> {
    /// Reads the delimiter after `<<`; answers with the number of the body to come.
    pub(super) fn delimiter(&mut self, strips_tabs: bool) -> usize {
        let body = self.drafts.bodies.len();
        self.drafts.bodies.push(Rc::default());
        let (mut delimiter, mut is_quoted) = (String::new(), false);
        let mut quote = None;
        while self.peek().is_some() || quote.is_some() {
            let Some(one) = self.rest().chars().next() else { break };
            match (one, quote) {
                (' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>', None) => break,
                (GAP, _) => self.report(Reason::HereDocument),
                ('$' | '`', None) => {
                    // `$'…'` and `$"…"` are quotes here too, `$(…)` is not: shells disagree.
                    self.report(Reason::HereDocument);
                    delimiter.push(one);
                }
                ('\'' | '"', None) => {
                    (quote, is_quoted) = (Some(one), true);
                }
                (_, Some(open)) if open == one => quote = None,
                ('\\', None | Some('"')) => {
                    is_quoted = true;
                    self.at += 1;
                    let next = self.rest().chars().next();
                    if quote.is_some() && !matches!(next, Some('"' | '\\' | '$' | '`')) {
                        delimiter.push('\\');
                    }
                    delimiter.extend(next);
                    self.skip_one();
                    continue;
                }
                _ => delimiter.push(one),
            }
            self.at += one.len_utf8();
        }
        self.pending.push(Pending { delimiter, is_quoted, strips_tabs, body });
        body
    }

    /// Reads the bodies that begin here, at the start of a line.
    pub(super) fn here_documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let scene = self.inner_scene(super::Place::Substitution);
            let (text, is_whole) = self.here_document(&pending);
            if !is_whole {
                self.report(Reason::HereDocument);
            }
            let mut pieces = Pieces::new();
            if pending.is_quoted {
                push_text(&mut pieces, &text, true);
            } else {
                let mut inner = Parser::new(&text, self.drafts, scene);
                inner.deeper(|it| it.quoted(&mut pieces, Within::Body));
            }
            if let Some(body) = self.drafts.bodies.get_mut(pending.body) {
                *body = Rc::new(pieces);
            }
        }
    }

    /// Reads lines up to the delimiter; says whether it is certain where the body ends.
    fn here_document(&mut self, pending: &Pending) -> (String, bool) {
        let mut text = String::new();
        let mut is_certain = true;
        let mut continues = false;
        while self.at < self.source.len() {
            let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
            self.at += line.len();
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let is_end = bare == pending.delimiter;
            if is_end && !continues {
                return (text, is_certain);
            }
            // A line that ends in a backslash swallows the next one, in most shells; and inside a
            // substitution `EOF)` is the end for some.
            let after = bare.strip_prefix(pending.delimiter.as_str());
            let may_end = is_end || after.is_some_and(|it| it.trim_start().starts_with(')'));
            is_certain &= !may_end;
            let backslashes = bare.bytes().rev().take_while(|&it| it == b'\\').count();
            continues = !pending.is_quoted && backslashes % 2 == 1;
            text.push_str(line);
        }
        (text, false)
    }
}
