//! From words to commands: lists, pipelines and simple commands.

use std::rc::Rc;

use super::{
    Join, Reason,
    assignment::{self, DECLARATIONS},
    brace,
    draft::{Draft, DraftAssignment, Feed, Pieces, Value, bare_text, cost},
    lexer::Parser,
};

/// The words that end a list, and so may not begin a command.
const CLOSERS: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl Parser<'_, '_> {
    /// Reads the whole text.
    pub(super) fn script(&mut self) {
        loop {
            self.list();
            let Some(closer) = self.closer() else { break };
            self.report(Reason::Syntax);
            self.eat(closer);
        }
        // A here-document at the very end has no body.
        self.pending.clear();
    }

    /// Reads lists until one of `ends` closes them; passes over it and says which one it was.
    pub(super) fn body(&mut self, ends: &[&'static str]) -> Option<&'static str> {
        loop {
            self.list();
            let closer = self.closer();
            if closer.is_none_or(|it| !ends.contains(&it)) {
                self.report(Reason::Syntax);
            }
            self.eat(closer?);
            if closer.is_some_and(|it| ends.contains(&it)) {
                return closer;
            }
        }
    }

    /// Reads commands until something closes the list, or the text ends.
    fn list(&mut self) {
        loop {
            self.skip_lines();
            if self.peek().is_none() || self.closer().is_some() || self.drafts.is_spent() {
                if self.drafts.is_spent() {
                    self.at = self.source.len();
                }
                return;
            }
            let before = self.at;
            self.and_or();
            self.scene.join = Join::Sequence;
            self.skip_blanks();
            match self.peek() {
                Some(b'\n' | b'#' | b')') | None => {}
                Some(b';') if self.after(";;").or(self.after(";&")).is_some() => {}
                Some(b';') => self.at += 1,
                Some(b'&') if self.after("&&").is_none() => {
                    self.at += 1;
                    self.scene.join = Join::Background;
                }
                Some(_) => {
                    self.report(Reason::Syntax);
                    if self.at == before {
                        self.skip_one();
                    }
                }
            }
        }
    }

    /// What closes the list at this point, if something does.
    fn closer(&mut self) -> Option<&'static str> {
        match self.peek()? {
            b')' => Some(")"),
            b';' => [";;&", ";;", ";&"].into_iter().find(|it| self.after(it).is_some()),
            b't' | b'e' | b'f' | b'd' | b'}' => {
                CLOSERS.into_iter().find(|it| self.after_word(it).is_some())
            }
            _ => None,
        }
    }

    /// Where the text goes on after this word, if it comes next and is a whole word.
    pub(super) fn after_word(&self, word: &str) -> Option<usize> {
        let at = self.after(word)?;
        let next = self.source.get(at..).map(|it| it.trim_start_matches("\\\n"))?;
        next.is_empty().then_some(at).or_else(|| {
            next.starts_with([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']).then_some(at)
        })
    }

    /// Passes over this word, if it comes next and is a whole word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let after = self.after_word(word);
        if let Some(at) = after {
            self.at = at;
        }
        after.is_some()
    }

    fn and_or(&mut self) {
        loop {
            self.pipeline();
            self.skip_blanks();
            self.scene.join = if self.eat("&&") {
                Join::And
            } else if self.eat("||") {
                Join::Or
            } else {
                return;
            };
            self.skip_lines();
        }
    }

    fn pipeline(&mut self) {
        let outer = self.scene.feed;
        let pipeline = self.drafts.list.len();
        let mut open = None;
        loop {
            self.skip_pipeline_words();
            let stage = self.drafts.list.len();
            self.command();
            let end = self.drafts.list.len();
            if let Some(Feed::Pipe { to, .. }) = open.and_then(|it| self.drafts.feeds.get_mut(it)) {
                *to = stage..end;
            }
            self.skip_blanks();
            if self.after("||").is_some() || !(self.eat("|&") || self.eat("|")) {
                break;
            }
            open = Some(self.drafts.feeds.len());
            self.drafts.feeds.push(Feed::Pipe { pipeline, from: stage..end, to: end..end });
            self.scene.feed = open;
            self.scene.join = Join::Pipe;
            self.skip_lines();
        }
        self.scene.feed = outer;
    }

    /// Passes over `!` and over `time` where it is not a program with options of its own.
    fn skip_pipeline_words(&mut self) {
        loop {
            self.skip_blanks();
            if self.eat_word("!") {
                continue;
            }
            let Some(at) = self.after_word("time") else { return };
            let next = self.source.get(at..).unwrap_or_default().trim_start_matches([' ', '\t']);
            if next.starts_with('-') && !next.starts_with("-p ") {
                return;
            }
            self.at = at;
            self.skip_blanks();
            self.eat_word("-p");
        }
    }

    /// Reads a simple command, or a function definition.
    pub(super) fn simple(&mut self) {
        let start = self.at;
        let scene = self.scene_from(start);
        let outer = std::mem::take(&mut self.processes);
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { break };
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            match byte {
                b'\n' | b';' | b'&' | b'|' | b')' | b'#' => break,
                b'(' => {
                    let name = words.first().and_then(|it: &Pieces| bare_text(it));
                    if let Some(name) = name.filter(|_| words.len() == 1 && self.eat_empty_list()) {
                        self.processes = outer;
                        let name = name.to_owned();
                        self.function(&name);
                        return;
                    }
                    self.report(Reason::Syntax);
                    break;
                }
                _ => {}
            }
            let before = self.at;
            let word = self.word();
            if self.at == before {
                self.report(Reason::Syntax);
                break;
            }
            let declares = words
                .first()
                .and_then(|it| bare_text(it))
                .is_some_and(|it| DECLARATIONS.contains(&it));
            match assignment::split(&word).filter(|_| words.is_empty() || declares) {
                Some(mut found) if words.is_empty() || self.after("(").is_some() => {
                    self.array(&mut found);
                    assignments.push(found);
                }
                Some(_) | None => {
                    if self.drafts.charge(brace::cost(&word)) {
                        words.extend(brace::expand(word));
                    }
                }
            }
        }
        let raw = self.source.get(start..self.at).unwrap_or_default().trim_end();
        let is_empty = assignments.is_empty() && words.is_empty() && redirects.is_empty();
        let processes = std::mem::replace(&mut self.processes, outer);
        if !is_empty && self.drafts.charge(raw.len() / 4) {
            let raw = raw.to_owned();
            // Before `|` and `&` a command runs in a shell of its own.
            let mut scene = scene;
            let is_apart = matches!(self.peek(), Some(b'|' | b'&'))
                && self.after("||").or(self.after("&&")).is_none();
            scene.is_conditional |= is_apart;
            self.push(Draft { assignments, words, redirects, raw, scene, processes });
        }
    }

    /// Writes down a draft and what it tells about variables, aliases and functions.
    pub(super) fn push(&mut self, draft: Draft) {
        let id = self.drafts.list.len();
        if let Some(function) = draft.scene.function {
            self.drafts.scope.add_to_function(function, id);
        }
        assignment::collect(self.drafts, &draft);
        if let Some(last) = draft.words.last().filter(|_| self.drafts.scope.keeps_last_word()) {
            let value = Value::One(last.clone());
            self.drafts.assign(DraftAssignment::new("_", value), &draft.raw);
            self.drafts.scope.open("_");
        }
        self.drafts.list.push(Rc::new(draft));
    }

    fn eat_empty_list(&mut self) -> bool {
        let start = self.at;
        self.eat("(");
        self.skip_blanks();
        let is_empty = self.eat(")");
        if !is_empty {
            self.at = start;
        }
        is_empty
    }

    /// Reads the elements of `name=( … )`, if that is what comes next.
    fn array(&mut self, assignment: &mut DraftAssignment) {
        let is_empty = matches!(&assignment.value, Value::One(it) if it.is_empty());
        if !is_empty || !self.eat("(") {
            return;
        }
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            if self.eat(")") {
                break;
            }
            let before = self.at;
            let word = self.word();
            if self.at == before {
                self.report(Reason::Syntax);
                break;
            }
            if self.drafts.charge(brace::cost(&word) + cost(&word)) {
                elements.extend(brace::expand(word));
            }
        }
        assignment.value = Value::List(elements);
    }
}
