//! Tracks the working directory of each part of a command line.

use provost_shell::{Invocation, Join, Place};

use super::super::{
    arguments::{Arguments, program},
    path_zones::{PathZones, Tail},
};

/// The folders in which the next program could run; none of them stands for an unknown one.
#[derive(Clone, Debug)]
pub(super) struct CwdTracker {
    folders: Vec<Option<String>>,
    /// What holds if the last change of folder did not take place.
    before: Vec<Option<String>>,
}

/// More folders than this are not told apart.
const MAX_FOLDERS: usize = 8;

impl CwdTracker {
    pub(super) fn new(from: Option<&str>) -> Self {
        Self { folders: vec![from.map(str::to_owned)], before: Vec::new() }
    }

    /// The folders, each once.
    pub(super) fn folders(&self) -> impl Iterator<Item = Option<&str>> {
        self.folders.iter().map(Option::as_deref)
    }

    /// Goes on to an invocation.
    pub(super) fn enter(&mut self, invocation: &Invocation) {
        // `cd x && y` goes on in the new folder; what stands after that may be in the old one.
        match invocation.join {
            Join::And | Join::Pipe => {}
            Join::Sequence | Join::Or | Join::Background => {
                let before = std::mem::take(&mut self.before);
                self.add(before);
            }
        }
    }

    /// Notes what an invocation did to the folder, as `next` will see it.
    pub(super) fn leave(
        &mut self,
        zones: &PathZones,
        invocation: &Invocation,
        next: Option<&Invocation>,
        after: Option<&Invocation>,
    ) {
        let name = program(invocation);
        if !matches!(name.as_deref(), Some("cd" | "pushd" | "chdir" | "popd")) {
            return;
        }
        let word = Arguments::of(invocation).operands().next();
        let mut reached: Vec<Option<String>> = Vec::new();
        for folder in &self.folders {
            let target = match word {
                Some(word) => zones.target(word, folder.as_deref()),
                None if name.as_deref() == Some("cd") => zones.target_of("~"),
                None => zones.target_of(&format!("{}", super::super::path_zones::UNKNOWN)),
            };
            let is_known = target.tail == Tail::Exact
                && (target.path.starts_with('/') || folder.is_none())
                && word.is_none_or(|it| it.text() != Some("-"));
            reached.push(is_known.then_some(target.path).filter(|it| it.starts_with('/')));
        }
        reached.dedup();
        let is_plain = invocation.place == Place::Script && invocation.launched_by.is_none();
        // `cd x || exit` goes on only where `cd x` worked.
        let gives_up = next.is_some_and(|it| {
            it.join == Join::Or
                && matches!(it.program(), Some("exit" | "return" | "false" | "die" | "break"))
        });
        let is_certain = match next.map(|it| it.join) {
            None | Some(Join::And) => true,
            Some(Join::Or) => gives_up && after.is_none_or(|it| it.join != Join::Or),
            Some(Join::Sequence | Join::Pipe | Join::Background) => false,
        };
        let before = std::mem::replace(&mut self.folders, reached);
        if is_plain && is_certain {
            if !gives_up {
                self.before.extend(before);
            }
        } else {
            self.add(before);
        }
    }

    fn add(&mut self, more: Vec<Option<String>>) {
        for folder in more {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
        if self.folders.len() > MAX_FOLDERS {
            self.folders.truncate(MAX_FOLDERS);
            self.folders.push(None);
        }
    }
}
