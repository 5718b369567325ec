//! A proposal how to split a change: by folders, each part small enough to need no explanation.
//!
//! The same change always gives the same proposal. A file that is too large by itself stands
//! alone: how to divide it, only its author knows.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::story::{FileDelta, ScopeLimits, ScopePart};

use super::Size;

/// Files that belong together, and the folder that says so.
struct Group<'a> {
    about: String,
    files: Vec<&'a FileDelta>,
}

/// Splits what counts, in the order of the paths.
pub(super) fn propose(counted: &[&FileDelta], limits: ScopeLimits) -> Vec<ScopePart> {
    let mut groups = Vec::new();
    divide(counted, 0, limits, &mut groups);
    let mut parts: Vec<Vec<Group<'_>>> = Vec::new();
    for group in groups {
        let has_room = |part: &Vec<Group<'_>>| {
            let all = part.iter().chain([&group]).flat_map(|it| it.files.iter().copied());
            fits(&all.collect::<Vec<_>>(), limits)
        };
        match parts.last_mut().filter(|it| has_room(it)) {
            Some(part) => part.push(group),
            None => parts.push(vec![group]),
        }
    }
    parts.iter().map(|it| part(it)).collect()
}

/// Groups files by their folder at this depth, and deeper where that is still too much.
fn divide<'a>(
    files: &[&'a FileDelta],
    depth: usize,
    limits: ScopeLimits,
    groups: &mut Vec<Group<'a>>,
) {
    let mut folders: BTreeMap<String, Vec<&FileDelta>> = BTreeMap::new();
    for file in files {
        folders.entry(folder(&file.path, depth)).or_default().push(file);
    }
    for (about, files) in folders {
        let has_deeper = files.iter().any(|it| folder(&it.path, depth + 1) != about);
        if fits(&files, limits) {
            groups.push(Group { about, files });
        } else if has_deeper {
            divide(&files, depth + 1, limits, groups);
        } else {
            let each = files.into_iter().map(|it| Group { about: about.clone(), files: vec![it] });
            groups.extend(each);
        }
    }
}

fn fits(files: &[&FileDelta], limits: ScopeLimits) -> bool {
    !Size::of(files).is_over(limits.warn_lines, limits.warn_files)
}

/// The folders above a file, down to a depth; `.` is the root.
fn folder(path: &str, depth: usize) -> String {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let parts: Vec<&str> = folders.split('/').take(depth + 1).collect();
    let folder = parts.join("/");
    if folder.is_empty() { ".".to_owned() } else { folder }
}

fn part(groups: &[Group<'_>]) -> ScopePart {
    let files: Vec<&FileDelta> = groups.iter().flat_map(|it| it.files.iter().copied()).collect();
    let about: BTreeSet<&String> = groups.iter().map(|it| &it.about).collect();
    ScopePart {
        about: about.into_iter().cloned().collect(),
        lines: Size::of(&files).lines,
        files: files.into_iter().map(|it| it.path.clone()).collect(),
    }
}
