//! Files that a text both writes and runs: what is in them is not in the text as code.

use std::collections::BTreeMap;

use super::{
    Invocation, Reason, RedirectKind,
    expand::Expander,
    options::lead,
    program::{Program, Trait},
    word::Word,
};

impl Expander {
    /// Notes the files that the text both writes and runs.
    pub(super) fn note_written_files(&mut self) {
        let mut written: BTreeMap<String, usize> = BTreeMap::new();
        for (index, invocation) in self.script.invocations.iter().enumerate() {
            for path in written_by(invocation) {
                written.insert(plain_path(&path).to_owned(), index);
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
fn written_by(invocation: &Invocation) -> Vec<String> {
    let redirects = invocation.redirects.iter().filter(|it| match it.kind {
        RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => true,
        RedirectKind::Read
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    });
    let arguments = invocation.arguments();
    let program = Program::of(invocation.program().unwrap_or_default());
    let named: Vec<&Word> = match program.name {
        "tee" | "sponge" => arguments.iter().collect(),
        _ if program.is(Trait::Places) => arguments.last().into_iter().collect(),
        _ if program.is(Trait::KeepsDownload) => values_of(arguments, 'o').collect(),
        _ => Vec::new(),
    };
    let targets = redirects.map(|it| &it.target).chain(named);
    let mut paths: Vec<String> = targets.filter_map(Word::text).map(str::to_owned).collect();
    if program.name == "dd" {
        let texts = arguments.iter().filter_map(Word::text);
        paths.extend(texts.filter_map(|it| it.strip_prefix("of=")).map(str::to_owned));
    }
    // `curl` prints what it brings unless it is told to keep the name.
    let keeps = |it: &Word| {
        let is_short = lead(it).starts_with('-') && !lead(it).starts_with("--");
        (is_short && lead(it).contains('O')) || lead(it).starts_with("--remote-name")
    };
    let names_itself =
        program.is(Trait::KeepsDownload) && (program.name != "curl" || arguments.iter().any(keeps));
    if names_itself {
        paths.extend(downloaded(arguments));
    }
    paths
}

/// The values of the options that name an output: `-o x`, `-sSLo x`, `-O x`, `--output x`.
fn values_of(arguments: &[Word], letter: char) -> impl Iterator<Item = &Word> {
    let is_output = move |it: &Word| {
        matches!(lead(it), "-O" | "--output" | "--output-document" | "--out")
            || (lead(it).ends_with(letter) && lead(it).starts_with('-'))
    };
    let values = arguments.iter().zip(arguments.iter().skip(1));
    values.filter(move |(option, _)| is_output(option)).map(|(_, value)| value)
}

/// The files that downloads are named by: the last part of each address.
fn downloaded(arguments: &[Word]) -> impl Iterator<Item = String> {
    let is_folder =
        |it: &Word| matches!(lead(it), "-P" | "-d" | "--directory-prefix" | "--output-dir");
    let folder = arguments
        .iter()
        .zip(arguments.iter().skip(1))
        .find(|(option, _)| is_folder(option))
        .and_then(|(_, value)| value.text())
        .map(|it| format!("{}/", it.trim_end_matches('/')))
        .unwrap_or_default();
    let addresses = arguments.iter().map(Word::to_string).filter(|it| !it.starts_with('-'));
    let names = addresses.filter_map(|it| {
        let path = it.split(['?', '#']).next().unwrap_or_default();
        path.rsplit_once('/').map(|(_, name)| name.to_owned()).filter(|it| !it.is_empty())
    });
    names.flat_map(move |it| [format!("{folder}{it}"), it]).collect::<Vec<_>>().into_iter()
}

fn plain_path(path: &str) -> &str {
    path.trim_start_matches("./")
}
