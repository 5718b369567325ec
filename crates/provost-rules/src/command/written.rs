//! Files that a text both writes and runs: what is in them is not in the text as code.

use std::collections::BTreeMap;

use super::{Invocation, Reason, RedirectKind, options::lead, seen::Seen, word::Word};

impl Seen {
    /// Notes the files that the text both writes and runs.
    pub(super) fn note_written_files(&mut self) {
        let mut written: BTreeMap<String, usize> = BTreeMap::new();
        for (index, invocation) in self.script.invocations.iter().enumerate() {
            for path in written_by(invocation).filter_map(Word::text) {
                written.insert(plain_path(path).to_owned(), index);
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
            let texts: Vec<String> = concerned.into_iter().map(|it| self.text_of(it)).collect();
            self.drafts.push_opaque(Reason::Written, &texts.join("\n"));
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

/// The files that an invocation writes, as far as its words say so.
fn written_by(invocation: &Invocation) -> impl Iterator<Item = &Word> {
    let redirects = invocation.redirects.iter().filter(|it| match it.kind {
        RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => true,
        RedirectKind::Read
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    });
    let arguments = invocation.arguments();
    let named: Vec<&Word> = match invocation.program() {
        Some("tee") => arguments.iter().collect(),
        Some("cp" | "install" | "ln" | "mv") => arguments.last().into_iter().collect(),
        Some("curl" | "wget") => {
            let is_output = |it: &Word| {
                matches!(lead(it), "-o" | "-O" | "--output" | "--output-document")
                    || (lead(it).ends_with('o') && lead(it).starts_with('-'))
            };
            let values = arguments.iter().zip(arguments.iter().skip(1));
            values.filter(|(option, _)| is_output(option)).map(|(_, value)| value).collect()
        }
        Some(_) | None => Vec::new(),
    };
    redirects.map(|it| &it.target).chain(named)
}

fn plain_path(path: &str) -> &str {
    path.trim_start_matches("./")
}
