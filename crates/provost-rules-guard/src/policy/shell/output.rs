//! What a substitution puts into a command, where that is known: `rm -rf "$(pwd)"`.

use std::{collections::BTreeSet, ops::Range};

use provost_shell::{Hole, Invocation, Part, Place, Script, Word};

use super::{
    super::{
        arguments::{Arguments, program},
        path_zones::PathZones,
    },
    git, stdin,
};

/// More outputs of one substitution, and more substitutions, than this are not put in.
const MAX_OUTPUTS: usize = 4;
const MAX_HOLES: usize = 3;

/// What the substitutions of a text print.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// What each prints, by the part of the text that it is; none if that is not known.
    printed: Vec<(usize, Option<String>)>,
}

/// What a hole of a word may become, and whether it may become something else too.
type Choice = (Vec<String>, bool);

impl Outputs {
    pub(super) fn of(script: &Script, zones: &PathZones) -> Self {
        let mut feeds = vec![false; script.invocations.len()];
        for pipe in &script.pipes {
            feeds.iter_mut().take(pipe.from.end).skip(pipe.from.start).for_each(|it| *it = true);
        }
        let all = script.invocations.iter().zip(feeds);
        let inner = all.filter(|it| it.0.place == Place::Substitution);
        let text = |it: &Invocation, is_fed_on: bool| output(it, zones).filter(|_| !is_fed_on);
        Self { printed: inner.map(|(it, is_fed_on)| (it.part, text(it, is_fed_on))).collect() }
    }

    /// What the substitution of some parts prints.
    fn choice(&self, parts: &Range<usize>) -> Choice {
        let inside = self.printed.iter().filter(|it| parts.contains(&it.0));
        let known: Vec<String> = inside.clone().filter_map(|it| it.1.clone()).collect();
        let is_open = inside.count() > known.len() || known.is_empty();
        (known.into_iter().take(MAX_OUTPUTS).collect(), is_open)
    }

    /// The readings of some words, with what is known put in.
    pub(super) fn readings(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let holes: BTreeSet<(usize, usize)> =
            words.iter().flat_map(Word::parts).filter_map(substituted).collect();
        let mut readings = vec![words.to_vec()];
        for (start, end) in holes.into_iter().take(MAX_HOLES) {
            let (known, is_open) = self.choice(&(start..end));
            let put_in = |words: &Vec<Word>| -> Vec<Vec<Word>> {
                let given = known
                    .iter()
                    .map(|text| words.iter().flat_map(|it| put(it, (start, end), text)).collect());
                given.chain(is_open.then(|| words.clone())).collect()
            };
            readings = readings.iter().flat_map(put_in).collect();
        }
        readings
    }
}

/// Whether of an output only names or a number are kept: `terraform output -json | jq keys`.
pub(super) fn is_counted(script: &Script, index: usize) -> bool {
    let reader = |it: &&provost_shell::Pipe| it.from.contains(&index) && it.to.start > index;
    let Some(pipe) = script.pipes.iter().find(reader) else { return false };
    let Some(reader) = script.invocations.get(pipe.to.start) else { return false };
    let arguments = Arguments::of(reader);
    match program(reader).as_deref() {
        Some("jq" | "yq") => arguments.first().is_some_and(|it| {
            let last = it.rsplit('|').next().unwrap_or_default().trim();
            let last = last.trim_end_matches("[]");
            matches!(last, "keys" | "keys_unsorted" | "length" | "to_entries[].key")
        }),
        Some("wc") => true,
        Some("grep" | "rg") => arguments.has_letter("cq"),
        Some(_) | None => false,
    }
}

/// The parts of the text that a hole stands for.
fn substituted(part: &Part) -> Option<(usize, usize)> {
    match part {
        Part::Hole { hole: Hole::Command(parts), .. } => Some((parts.start, parts.end)),
        Part::Hole { .. } | Part::Text(_) => None,
    }
}

/// Puts an output into a word; one that is not quoted is split at blanks.
fn put(word: &Word, hole: (usize, usize), output: &str) -> Vec<Word> {
    let is_it = |it: &Part| substituted(it) == Some(hole);
    match word.parts() {
        [only @ Part::Hole { quoted: false, .. }] if is_it(only) => {
            output.split_whitespace().map(Word::of_text).collect()
        }
        parts if parts.iter().any(is_it) => {
            let mut filled = Word::default();
            for part in parts {
                match part {
                    part if is_it(part) => filled.push_text(output),
                    Part::Text(text) => filled.push_text(text),
                    Part::Hole { hole, quoted } => filled.push_hole(hole.clone(), *quoted),
                }
            }
            vec![filled]
        }
        _ => vec![word.clone()],
    }
}

/// What an invocation prints, if that is known.
fn output(invocation: &Invocation, zones: &PathZones) -> Option<String> {
    let is_known = invocation.words.iter().all(|it| it.text().is_some());
    let arguments = Arguments::of(invocation);
    let text = match program(invocation)?.as_str() {
        "pwd" => zones.directory.clone(),
        "mktemp" => "/tmp/tmp.made".to_owned(),
        "git" if arguments.has("--show-toplevel") => zones.root.clone(),
        "git" if arguments.has("--git-dir") || arguments.has("--git-common-dir") => {
            ".git".to_owned()
        }
        "git" if arguments.has("--git-path") => {
            format!(".git/{}", arguments.values(&["--git-path"]).next()?)
        }
        "git" if git::subcommand(arguments).0 == Some("branch") => "branch".to_owned(),
        "echo" | "printf" if is_known => stdin::printed(invocation).into_iter().next()?,
        _ => return None,
    };
    Some(text.trim_end_matches('\n').to_owned())
}
