//! Where standard input comes from, and what happens when a shell reads its code there.

use super::{
    Reason, RedirectKind,
    draft::{Draft, DraftRedirect, Feed, Target, name_parameters},
    expand::{Context, Expander},
    resolve::Resolver,
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

impl Expander {
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

    /// A command as written, with the texts that say what a word of it stands for: assignments,
    /// and for `xargs` its input.
    pub(super) fn explain(&mut self, word: &Word, context: &Context, raw: &str) -> String {
        let mut names = Vec::new();
        if let Some(draft) = self.drafts.list.get(context.at) {
            draft.words.iter().for_each(|it| name_parameters(it, &mut names));
        }
        let mut texts = vec![raw.to_owned()];
        texts.extend(self.drafts.scope.sources(names).into_iter().map(str::to_owned));
        if word.holes().any(|it| matches!(it, Hole::Input)) {
            texts.extend(match context.stdin {
                Some(Stdin::Pipe { feed }) => Some(self.pipeline_text(feed)),
                Some(Stdin::Redirect { .. }) => self.stdin_text(context).map(|it| it.to_string()),
                None => None,
            });
        }
        texts.join("\n")
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
}

/// Whether a word is a process substitution, or holds one.
pub(super) fn is_process(word: &Word) -> bool {
    word.holes().any(|it| matches!(it, Hole::Process))
}
