//! Compound commands: groups, branches, loops, functions and tests.

use std::rc::Rc;

use super::{
    Place, Reason, RedirectKind,
    draft::{
        Draft, DraftAssignment, DraftRedirect, Feed, Piece, Pieces, Value, bare_text, static_text,
    },
    lexer::Parser,
};

/// How a loop over words comes by its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    /// `for`, and it certainly runs.
    Runs,
    /// `for`, but it may not run.
    MayRun,
    /// `select`: a person chooses.
    Asks,
}

impl Parser<'_, '_> {
    /// Reads one command of any form.
    pub(super) fn command(&mut self) {
        let arithmetic = self.after("((").filter(|&it| self.closes_arithmetic(it));
        if let Some(inside) = arithmetic {
            self.at = inside;
            let first = self.drafts.list.len();
            let sum = self.arithmetic();
            if sum.reads_as_command || sum.has_separator {
                self.report(Reason::Syntax);
                self.nested_subshell(inside);
            }
            self.compound_redirects(first);
        } else if self.eat("(") {
            self.compound(Place::Subshell, |it| it.lists(")"));
        } else if self.eat_word("{") {
            self.compound(Place::Group, |it| it.lists("}"));
        } else if self.eat_word("if") {
            self.compound(Place::Branch, Self::branches);
        } else if self.eat_word("while") || self.eat_word("until") {
            self.compound(Place::Loop, |it| {
                it.body(&["do"]);
                it.body(&["done"]);
            });
        } else if self.eat_word("select") {
            self.compound(Place::Loop, |it| it.for_each(Loop::Asks));
        } else if self.eat_word("for") {
            let kind = if self.scene.is_conditional { Loop::MayRun } else { Loop::Runs };
            self.compound(Place::Loop, |it| it.for_each(kind));
        } else if self.eat_word("case") {
            self.compound(Place::Branch, Self::cases);
        } else if self.eat_word("[[") {
            self.compound(Place::Group, Self::test);
        } else if self.eat_word("function") {
            self.skip_blanks();
            let name = static_text(&self.word()).unwrap_or_default();
            self.skip_blanks();
            if self.eat("(") {
                self.skip_blanks();
                self.expect(")");
            }
            self.function(&name);
        } else if self.eat_word("coproc") {
            self.skip_blanks();
            self.deeper(Self::command);
        } else {
            self.simple();
        }
    }

    /// Reads `(( … ))` as a shell does that knows no arithmetic.
    fn nested_subshell(&mut self, from: usize) {
        let inside = self.source.get(from..self.at).unwrap_or_default();
        let inside = inside.trim_end_matches(')');
        if self.drafts.charge(inside.len()) {
            let mut scene = self.inner_scene(Place::Subshell);
            self.deeper(|it| {
                scene.depth = it.scene.depth;
                Parser::new(inside, it.drafts, scene).script();
            });
        }
    }

    /// Reads lists until this closes them.
    fn lists(&mut self, end: &'static str) {
        self.body(&[end]);
    }

    fn compound(&mut self, place: Place, read: impl FnOnce(&mut Self)) {
        let first = self.drafts.list.len();
        let outer = self.scene;
        self.scene.place = place;
        self.scene.is_conditional = true;
        self.deeper(read);
        self.scene = outer;
        self.compound_redirects(first);
    }

    /// Reads the redirections after a compound command whose drafts begin at `first`.
    fn compound_redirects(&mut self, first: usize) {
        let outer = std::mem::take(&mut self.processes);
        let start = self.at;
        let end = self.drafts.list.len();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            let Some(redirect) = self.redirect() else { break };
            redirects.push(redirect);
        }
        let processes = std::mem::replace(&mut self.processes, outer);
        if redirects.is_empty() {
            return;
        }
        let is_fed = redirects.iter().any(DraftRedirect::feeds_input);
        let raw = self.source.get(start..self.at).unwrap_or_default().trim().to_owned();
        let (scene, draft) = (self.scene_from(start), self.drafts.list.len());
        self.push(Draft {
            assignments: Vec::new(),
            words: Vec::new(),
            redirects,
            raw,
            scene,
            processes,
        });
        if is_fed && self.drafts.charge(end - first) {
            let feed = self.drafts.feeds.len();
            self.drafts.feeds.push(Feed::Redirect { draft });
            for inner in self.drafts.list.iter_mut().take(end).skip(first) {
                if inner.scene.feed == scene.feed {
                    Rc::make_mut(inner).scene.feed = Some(feed);
                }
            }
        }
    }

    fn branches(&mut self) {
        self.body(&["then"]);
        while let Some(end) = self.body(&["elif", "else", "fi"]) {
            match end {
                "fi" => return,
                "elif" => self.lists("then"),
                _ => {}
            }
        }
    }

    fn for_each(&mut self, kind: Loop) {
        self.skip_blanks();
        let start = self.at;
        if self.eat("((") {
            self.arithmetic();
        } else {
            let name = static_text(&self.word()).unwrap_or_default();
            self.skip_lines();
            let is_open = !self.eat_word("in");
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                let before = self.at;
                let word = if is_open { Pieces::new() } else { self.word() };
                if self.at == before {
                    break;
                }
                words.push(word);
            }
            let header = self.source.get(start..self.at).unwrap_or_default();
            for word in words {
                let value = Value::One(word);
                self.drafts.assign(DraftAssignment::new(&name, value), header);
            }
            if is_open || kind == Loop::Asks {
                self.drafts.scope.open(&name);
            }
            if kind == Loop::Runs {
                self.drafts.note_certain(&name);
            }
        }
        self.skip_blanks();
        self.eat(";");
        self.skip_lines();
        if self.eat_word("{") {
            self.body(&["}"]);
        } else {
            self.expect("do");
            self.body(&["done"]);
        }
    }

    fn cases(&mut self) {
        self.skip_blanks();
        self.word();
        self.skip_lines();
        if !self.eat_word("in") {
            self.report(Reason::Syntax);
            return;
        }
        loop {
            self.skip_lines();
            if self.eat_word("esac") {
                return;
            }
            self.eat("(");
            if !self.patterns() {
                self.report(Reason::Syntax);
                return;
            }
            match self.body(&[";;&", ";;", ";&", "esac"]) {
                Some("esac") | None => return,
                Some(_) => {}
            }
        }
    }

    /// Reads the patterns of one case, and passes over `)`.
    fn patterns(&mut self) -> bool {
        loop {
            self.skip_blanks();
            self.word();
            self.skip_blanks();
            if self.eat(")") {
                return true;
            }
            if !self.eat("|") {
                return false;
            }
        }
    }

    /// Reads `[[ … ]]`, where operators are plain words. A shell that does not know it would run
    /// what stands after `||` or on the next line, so those words are commands as well.
    fn test(&mut self) {
        let mut start = self.at;
        let scene = self.scene_from(start);
        let outer = std::mem::take(&mut self.processes);
        let mut words: Vec<Pieces> = vec![vec![quoted_piece("[[")]];
        loop {
            self.skip_blanks();
            let is_line = matches!(self.peek(), Some(b'\n' | b'#'));
            let is_operator = is_line || self.eat("&&") || self.eat("||") || self.eat("|");
            if is_operator {
                self.test_segment(start, scene, std::mem::take(&mut words));
                start = self.at;
            }
            self.skip_lines();
            if self.eat_word("]]") {
                break;
            }
            match self.peek() {
                None | Some(b';' | b'&') => {
                    self.report(Reason::Syntax);
                    break;
                }
                Some(b'<' | b'>') if self.after("<(").or(self.after(">(")).is_some() => {
                    words.push(self.word());
                }
                Some(b'<') if self.after("<<").is_some() => {
                    self.report(Reason::Syntax);
                    break;
                }
                // What looks like an operator is one of the test, or part of a pattern.
                Some(b'(' | b')' | b'<' | b'>') => self.at += 1,
                Some(b'|') => {}
                Some(_) => words.push(self.word()),
            }
        }
        self.test_segment(start, scene, words);
        self.processes = outer;
    }

    /// Writes down one part of a test. Only the first is one for sure; another one is only noted
    /// if it begins like a command.
    fn test_segment(&mut self, start: usize, scene: super::draft::Scene, words: Vec<Pieces>) {
        let begins_as_command = |it: &Pieces| {
            matches!(it.first(), Some(Piece::Text { text, .. })
                if text.starts_with(|it: char| it.is_alphanumeric() || "./_[".contains(it)))
        };
        let processes = std::mem::take(&mut self.processes);
        let mut words = words;
        if words.first().is_some_and(|it| bare_text(it) == Some("!")) {
            words.remove(0);
        }
        if words.first().is_some_and(begins_as_command) || !processes.is_empty() {
            let raw = self.source.get(start..self.at).unwrap_or_default().trim().to_owned();
            let (assignments, redirects) = (Vec::new(), Vec::new());
            self.push(Draft { assignments, words, redirects, raw, scene, processes });
        }
    }

    /// Reads the body of a function.
    pub(super) fn function(&mut self, name: &str) {
        self.skip_lines();
        let outer = self.scene;
        self.scene.function = Some(self.drafts.scope.define(name));
        self.scene.place = Place::Function;
        self.scene.is_conditional = true;
        self.deeper(Self::command);
        self.scene = outer;
    }
}

impl DraftRedirect {
    /// Whether it gives the command its standard input.
    pub(super) fn feeds_input(&self) -> bool {
        self.descriptor.unwrap_or_default() == 0
            && match self.kind {
                RedirectKind::Read
                | RedirectKind::ReadWrite
                | RedirectKind::HereDocument
                | RedirectKind::HereString => true,
                RedirectKind::Write | RedirectKind::Append | RedirectKind::Duplicate => false,
            }
    }
}

fn quoted_piece(text: &str) -> Piece {
    Piece::Text { text: text.to_owned(), quoted: true }
}

/// The first word of a draft, if it is known, without its folder.
pub(super) fn first_word(draft: &Draft) -> Option<String> {
    let word = draft.words.first()?;
    let text = bare_text(word).map(str::to_owned).or_else(|| static_text(word))?;
    Some(text.rsplit('/').next().unwrap_or_default().to_owned())
}
