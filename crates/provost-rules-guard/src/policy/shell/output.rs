//! What a substitution puts into a command, where that is known: `rm -rf "$(pwd)"`.

use provost_shell::{Hole, Invocation, Part, Place, Script, Word};

use super::{
    super::{
        arguments::{Arguments, program},
        path_zones::PathZones,
    },
    git, stdin,
};

/// More substitutions than this are not put in.
const MAX_OUTPUTS: usize = 4;

/// What the substitutions of a text print.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    known: Vec<String>,
    /// Whether one of them prints something unknown.
    is_open: bool,
}

impl Outputs {
    pub(super) fn of(script: &Script, zones: &PathZones) -> Self {
        let mut outputs = Self::default();
        let mut feeds = vec![false; script.invocations.len()];
        for pipe in &script.pipes {
            feeds.iter_mut().take(pipe.from.end).skip(pipe.from.start).for_each(|it| *it = true);
        }
        for (invocation, is_fed_on) in script.invocations.iter().zip(feeds) {
            if invocation.place != Place::Substitution {
                continue;
            }
            match output(invocation, zones).filter(|_| !is_fed_on) {
                Some(text) if outputs.known.len() < MAX_OUTPUTS => outputs.known.push(text),
                Some(_) | None => outputs.is_open = true,
            }
        }
        outputs
    }

    /// The readings of some words, with what is known put in.
    pub(super) fn readings(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let has_hole = words.iter().any(|it| it.parts().iter().any(is_substitution));
        if !has_hole || self.known.is_empty() {
            return vec![words.to_vec()];
        }
        let mut readings: Vec<Vec<Word>> = self
            .known
            .iter()
            .map(|text| words.iter().flat_map(|it| put(it, text)).collect())
            .collect();
        if self.is_open {
            readings.push(words.to_vec());
        }
        readings
    }
}

fn is_substitution(part: &Part) -> bool {
    matches!(part, Part::Hole { hole: Hole::Command, .. })
}

/// Puts an output into a word; one that is not quoted is split at blanks.
fn put(word: &Word, output: &str) -> Vec<Word> {
    match word.parts() {
        [Part::Hole { hole: Hole::Command, quoted: false }] => {
            output.split_whitespace().map(Word::of_text).collect()
        }
        parts if parts.iter().any(is_substitution) => {
            let mut xargs_args = Word::default();
            for part in parts {
                match part {
                    Part::Text(text) => xargs_args.push_text(text),
                    Part::Hole { hole: Hole::Command, .. } => xargs_args.push_text(output),
                    Part::Hole { hole, quoted } => xargs_args.push_hole(hole.clone(), *quoted),
                }
            }
            vec![xargs_args]
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
        "git" if git::subcommand(arguments).0 == Some("branch") => "branch".to_owned(),
        "echo" | "printf" if is_known => stdin::printed(invocation).into_iter().next()?,
        _ => return None,
    };
    Some(text.trim_end_matches('\n').to_owned())
}
