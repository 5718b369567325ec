//! Where standard input comes from, and what happens when a shell reads its code there.

use std::collections::BTreeMap;

use super::{
    Reason, RedirectKind,
    draft::{Draft, DraftRedirect, Feed, Target},
    resolve::Resolver,
    seen::{Context, Seen},
    word::{Hole, Word},
};

/// A standard input that the text itself determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stdin {
    /// A redirection of this draft.
    Redirect { draft: usize, at: usize },
    /// A pipe, by the number of its feed.
    Pipe { feed: usize },
}

/// The names under which a program finds its standard input as a file.
pub(super) fn is_stdin_path(path: &str) -> bool {
    matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

impl Seen {
    /// The standard input of a draft, if the text says what it is.
    pub(super) fn stdin_of(&self, id: usize, draft: &Draft) -> Option<Stdin> {
        let own = draft.redirects.iter().rposition(DraftRedirect::feeds_input);
        if let Some(at) = own {
            return Some(Stdin::Redirect { draft: id, at });
        }
        let feed = draft.scene.feed?;
        match self.drafts.feeds.get(feed)? {
            Feed::Pipe { .. } => Some(Stdin::Pipe { feed }),
            Feed::Redirect { draft } => {
                let outer = self.drafts.list.get(*draft)?;
                let at = outer.redirects.iter().rposition(DraftRedirect::feeds_input)?;
                Some(Stdin::Redirect { draft: *draft, at })
            }
        }
    }

    /// The text that stands on standard input, if it is in the text.
    pub(super) fn stdin_text(&mut self, context: &Context) -> Option<Word> {
        let Some(Stdin::Redirect { draft, at }) = context.stdin else { return None };
        let draft = self.drafts.list.get(draft)?.clone();
        let redirect = draft.redirects.get(at)?;
        let pieces = match (&redirect.target, redirect.kind) {
            (Target::Body(body), _) => self.drafts.bodies.get(*body)?.clone(),
            (Target::Word(word), RedirectKind::HereString) => word.clone().into(),
            (Target::Word(_), _) => return None,
        };
        let mut resolver = Resolver::new(&self.drafts, context.arguments.as_deref());
        let word = resolver.word(&pieces);
        let paid = resolver.paid;
        self.drafts.charge(paid);
        Some(word)
    }

    /// A shell reads its code from standard input.
    pub(super) fn start_input(&mut self, by: usize, context: &Context, raw: &str) {
        if let Some(code) = self.stdin_text(context) {
            // What the shell then reads from its own input is the rest of the same text.
            let inner = Context { stdin: None, ..context.clone() };
            self.start_code(&code, None, by, &inner, raw);
            return;
        }
        let text = match context.stdin {
            Some(Stdin::Pipe { feed }) => format!("{} | {raw}", self.pipeline_text(feed)),
            Some(Stdin::Redirect { draft, at }) => match self.read_file(draft, at, context) {
                Some(file) => {
                    self.files.push((file, by));
                    return;
                }
                None => raw.to_owned(),
            },
            None => raw.to_owned(),
        };
        self.drafts.push_opaque(Reason::Input, &text);
    }

    /// A command as written, with what is put into a word from its input, as `xargs` does.
    pub(super) fn raw_with_input(&mut self, word: &Word, context: &Context, raw: &str) -> String {
        if !word.holes().any(|it| matches!(it, Hole::Input)) {
            return raw.to_owned();
        }
        let input = match context.stdin {
            Some(Stdin::Pipe { feed }) => self.pipeline_text(feed),
            Some(Stdin::Redirect { .. }) => {
                self.stdin_text(context).map(|it| it.to_string()).unwrap_or_default()
            }
            None => String::new(),
        };
        format!("{input} | {raw}")
    }

    /// Everything that stands before a pipe, with the here-documents in it.
    pub(super) fn pipeline_text(&mut self, feed: usize) -> String {
        let Some(Feed::Pipe { pipeline, from, .. }) = self.drafts.feeds.get(feed) else {
            return String::new();
        };
        let mut text = String::new();
        for draft in self.drafts.list.get(*pipeline..from.end).unwrap_or_default() {
            if text.len() > self.drafts.budget() {
                break;
            }
            text.push_str(if text.is_empty() { "" } else { " | " });
            text.push_str(&draft.raw);
            for redirect in &draft.redirects {
                let Target::Body(body) = redirect.target else { continue };
                let pieces = self.drafts.bodies.get(body).cloned().unwrap_or_default();
                let word = Resolver::new(&self.drafts, None).word(&pieces);
                text.push('\n');
                text.push_str(&word.to_string());
            }
        }
        self.drafts.charge(text.len());
        text
    }

    /// The file that a redirection reads, if it is known.
    fn read_file(&mut self, draft: usize, at: usize, context: &Context) -> Option<String> {
        let draft = self.drafts.list.get(draft)?.clone();
        let Target::Word(pieces) = &draft.redirects.get(at)?.target else { return None };
        let word = Resolver::new(&self.drafts, context.arguments.as_deref()).word(pieces);
        word.text().filter(|it| !is_stdin_path(it)).map(str::to_owned)
    }

    /// Notes the files that the text both writes and runs.
    pub(super) fn note_written_files(&mut self) {
        let mut written: BTreeMap<String, usize> = BTreeMap::new();
        for (index, invocation) in self.script.invocations.iter().enumerate() {
            for redirect in &invocation.redirects {
                let writes = match redirect.kind {
                    RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => true,
                    RedirectKind::Read
                    | RedirectKind::Duplicate
                    | RedirectKind::HereDocument
                    | RedirectKind::HereString => false,
                };
                if let Some(path) = redirect.target.text().filter(|_| writes) {
                    written.insert(plain_path(path).to_owned(), index);
                }
            }
            if invocation.program() == Some("tee") {
                for path in invocation.arguments().iter().filter_map(Word::text) {
                    written.insert(plain_path(path).to_owned(), index);
                }
            }
        }
        if written.is_empty() {
            return;
        }
        let mut run = std::mem::take(&mut self.files);
        for (index, invocation) in self.script.invocations.iter().enumerate() {
            let path = invocation.words.first().and_then(Word::text);
            run.extend(path.filter(|it| it.contains('/')).map(|it| (it.to_owned(), index)));
        }
        for (path, runner) in run {
            let Some(&writer) = written.get(plain_path(&path)) else { continue };
            let looked_at = (self.script.pipes.len() + 1) * 16 + self.script.invocations.len();
            if !self.drafts.charge(looked_at) {
                return;
            }
            let mut concerned = self.script.feeders(writer);
            concerned.extend([writer, runner]);
            let text: Vec<String> = concerned.into_iter().map(|it| self.text_of(it)).collect();
            self.drafts.push_opaque(Reason::Written, &text.join("\n"));
        }
    }

    /// An invocation with the texts that stand on its input.
    fn text_of(&self, index: usize) -> String {
        let Some(invocation) = self.script.invocations.get(index) else { return String::new() };
        let mut text = invocation.shown();
        for redirect in &invocation.redirects {
            text.push('\n');
            text.push_str(&redirect.target.to_string());
        }
        text
    }
}

fn plain_path(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Whether a word is a process substitution, or holds one.
pub(super) fn is_process(word: &Word) -> bool {
    word.holes().any(|it| matches!(it, Hole::Process))
}
