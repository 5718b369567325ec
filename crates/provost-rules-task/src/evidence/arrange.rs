//! The order in which a change is shown to a judge, and what did not fit.
//!
//! What could bend a verdict is shown first, and no file takes all the room: each gets a share, and
//! what is left over goes to those that need more, in the same order. The product is shown in turn,
//! a hunk of each file. The list of all files, and of what was cut, comes before everything else.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use provost_kernel::task::Excerpt;

use super::{
    class::{Class, PathClass},
    patch::{self, FilePatch},
};

/// How much of the change is shown.
const ROOM: usize = 120_000;
/// How much of one file is shown before the other files had their turn.
const SHARE: usize = 24_000;
/// How much of the list of files is shown.
const LISTING: usize = 32_000;
/// The shortest part of a hunk that is worth showing.
const LEAST: usize = 400;

/// A file of a change, as the list of files names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile<'a> {
    pub path: &'a str,
    pub added: u64,
    pub removed: u64,
    pub is_binary: bool,
}

/// A change as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Every file of the change, with what was cut of it.
    pub listing: String,
    /// The hunks that are shown.
    pub text: String,
    /// What was not shown, by file and class, in the order of the classes.
    pub cut: Vec<Cut>,
    /// How long the whole patch is.
    pub total_bytes: u64,
}

/// What was not shown of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub path: String,
    pub class: Class,
    /// How much; unknown where the patch itself was cut before.
    pub bytes: Option<usize>,
}

/// A part of the change on its way.
struct Waiting<'a> {
    file: usize,
    class: Class,
    text: &'a str,
}

/// The shown part under construction.
struct Shown<'a> {
    files: &'a [FilePatch],
    text: String,
    /// How much of each file is shown.
    used: Vec<usize>,
    /// The class and the file of the last part.
    last: Option<(Class, usize)>,
    cut: BTreeMap<(Class, usize), usize>,
}

/// Arranges a change. `dropped` says that the patch was cut at its end.
pub fn arrange(patch: &str, listed: &[ListedFile<'_>], dropped: bool) -> Arrangement {
    let files = patch::files(patch);
    let mut shown = Shown {
        files: &files,
        text: String::new(),
        used: vec![0; files.len()],
        last: None,
        cut: BTreeMap::new(),
    };
    let required = waiting(&files, Class::is_required);
    let rest = shown.add(required, Limit::Share);
    let rest = shown.add(rest, Limit::Room);
    shown.leave_out(&rest);
    for class in [Class::Product, Class::Document] {
        let turns = in_turn(waiting(&files, |it| it == class));
        let rest = shown.add(turns, Limit::Share);
        let rest = shown.add(rest, Limit::Room);
        shown.leave_out(&rest);
    }

    let mut cut: Vec<Cut> = shown
        .cut
        .iter()
        .map(|((class, file), bytes)| Cut {
            path: files[*file].path.clone(),
            class: *class,
            bytes: Some(*bytes),
        })
        .collect();
    cut.extend(unread(&files, listed, dropped));
    cut.sort_by_key(|it| it.class);
    let listing = listing(listed, &cut);
    Arrangement { listing, text: shown.text, cut, total_bytes: patch.len() as u64 }
}

impl Arrangement {
    /// The files of which a judge must see everything and did not.
    pub fn unseen(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self
            .cut
            .iter()
            .filter(|it| it.class.is_required())
            .map(|it| it.path.as_str())
            .collect();
        paths.dedup();
        paths
    }

    /// How many files were not shown whole; lock files are never shown.
    pub fn partial(&self) -> usize {
        let cut = self.cut.iter().filter(|it| it.class != Class::Lock);
        cut.map(|it| it.path.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// What is shown, as a part of the whole.
    pub fn excerpt(&self) -> Excerpt {
        let mut excerpt = Excerpt::head(&self.text, usize::MAX);
        if self.partial() > 0 {
            excerpt.total_bytes = self.total_bytes;
            excerpt.truncated = true;
        }
        excerpt
    }
}

/// How much room a part may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// That of its file.
    Share,
    /// All that is left.
    Room,
}

/// The parts of these classes, in the order of the classes.
fn waiting(files: &[FilePatch], is_meant: impl Fn(Class) -> bool) -> VecDeque<Waiting<'_>> {
    let parts = files.iter().enumerate().flat_map(|(file, it)| {
        it.pieces.iter().map(move |it| Waiting { file, class: it.class, text: &it.text })
    });
    let mut parts: Vec<Waiting<'_>> = parts.filter(|it| is_meant(it.class)).collect();
    parts.sort_by_key(|it| it.class);
    parts.into()
}

/// The first part of each file, then the second of each, and so on.
fn in_turn(parts: VecDeque<Waiting<'_>>) -> VecDeque<Waiting<'_>> {
    let mut turns: Vec<(usize, Waiting<'_>)> = Vec::new();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for part in parts {
        let turn = counts.entry(part.file).or_default();
        turns.push((*turn, part));
        *turn += 1;
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, part)| part).collect()
}

impl<'a> Shown<'a> {
    /// Shows as much as fits, and returns what does not.
    fn add(&mut self, parts: VecDeque<Waiting<'a>>, limit: Limit) -> VecDeque<Waiting<'a>> {
        parts.into_iter().filter_map(|part| self.show(part, limit)).collect()
    }

    /// Shows a part, and returns what is left of it.
    fn show(&mut self, part: Waiting<'a>, limit: Limit) -> Option<Waiting<'a>> {
        let head = self.head(&part);
        let room = ROOM.saturating_sub(self.text.len());
        let share = match limit {
            Limit::Share => SHARE.saturating_sub(self.used[part.file]).min(room),
            Limit::Room => room,
        };
        let space = share.saturating_sub(head.len());
        let fits = part.text.len() + head.len() <= share;
        let length = if fits { part.text.len() } else { lines_within(part.text, space) };
        if !fits && length < LEAST {
            return Some(part);
        }
        let (now, later) = part.text.split_at(length);
        self.text.push_str(&head);
        self.text.push_str(now);
        self.used[part.file] += head.len() + length;
        self.last = Some((part.class, part.file));
        (!later.is_empty()).then_some(Waiting { text: later, ..part })
    }

    /// What stands before a part: its class and its file, where they change.
    fn head(&self, part: &Waiting<'_>) -> String {
        let file = &self.files[part.file];
        let title = match self.last {
            Some((class, _)) if class == part.class => String::new(),
            _ => format!("## {}\n", part.class.title()),
        };
        let is_same = self.last == Some((part.class, part.file));
        let name = format!("--- {}\n", file.path.escape_debug());
        match (is_same, self.used[part.file]) {
            (true, _) => String::new(),
            (false, 0) => format!("{title}{name}{}", file.header),
            (false, _) => format!("{title}{name}"),
        }
    }

    fn leave_out(&mut self, parts: &VecDeque<Waiting<'a>>) {
        for part in parts {
            *self.cut.entry((part.class, part.file)).or_default() += part.text.len();
        }
    }
}

/// How many bytes of whole lines fit.
fn lines_within(text: &str, space: usize) -> usize {
    let start = &text.as_bytes()[..space.min(text.len())];
    start.iter().rposition(|&it| it == b'\n').map_or(0, |it| it + 1)
}

/// The files that a cut patch does not reach, or not to their end. What was not read of the product
/// may hold anything.
fn unread(files: &[FilePatch], listed: &[ListedFile<'_>], dropped: bool) -> Vec<Cut> {
    let last = files.last().filter(|_| dropped);
    let is_read = |path: &str| {
        files.iter().any(|it| it.path == path) && last.is_none_or(|it| it.path != path)
    };
    let missing = listed
        .iter()
        .filter(|it| !it.is_binary && it.added + it.removed > 0)
        .filter(|it| dropped && !is_read(it.path));
    missing
        .map(|it| Cut {
            path: it.path.to_owned(),
            class: PathClass::of(it.path).class(it.removed > 0, true),
            bytes: None,
        })
        .collect()
}

/// A line for each file, by class; what was cut first.
fn listing(listed: &[ListedFile<'_>], cut: &[Cut]) -> String {
    let mut lines: Vec<String> = Vec::new();
    if !cut.is_empty() {
        lines.push("Not shown below:\n".to_owned());
        lines.extend(cut.iter().map(|it| {
            let bytes = it.bytes.map_or_else(|| "unread".to_owned(), |it| format!("{it} bytes"));
            format!("- {} ({}): {bytes}\n", it.path.escape_debug(), it.class.title())
        }));
        lines.push("\n".to_owned());
    }
    lines.push(format!("All {} changed files:\n", listed.len()));
    let mut files: Vec<(Class, &ListedFile<'_>)> =
        listed.iter().map(|it| (PathClass::of(it.path).class(it.removed > 0, false), it)).collect();
    files.sort_by_key(|(class, _)| *class);
    lines.extend(files.into_iter().map(|(_, it)| {
        let counts = if it.is_binary {
            "binary".to_owned()
        } else {
            format!("+{} -{}", it.added, it.removed)
        };
        format!("- {} {counts}\n", it.path.escape_debug())
    }));
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        if text.len() + line.len() > LISTING {
            let left = lines.len() - at;
            text.extend(["… and ", &left.to_string(), " more lines\n"]);
            break;
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests;
