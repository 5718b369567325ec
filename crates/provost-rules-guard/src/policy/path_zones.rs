//! Classifies paths by their text, and by the links that were found on the way to them.

use provost_kernel::guard::{
    Harness,
    policy::{FollowedLink, ToolCall},
};
use provost_shell::{Hole, Part, Word};

/// Stands for any text without `/`, as `*` does.
pub(super) const ANY: char = '\u{F0001}';
/// Stands for one character, as `?` does.
pub(super) const ONE: char = '\u{F0002}';
/// Stands for an unknown text.
pub(super) const UNKNOWN: char = '\u{F0003}';

/// The folders that a call is judged by.
#[derive(Clone, Debug)]
pub(super) struct PathZones {
    /// The folder the call runs in.
    pub(super) directory: String,
    /// The project's folder.
    pub(super) root: String,
    /// Folders that may be written besides.
    granted: Vec<String>,
    /// The home of provost.
    pub(super) home: Option<String>,
    /// The person's home; a made-up one if it is not known.
    pub(super) user_home: String,
    /// The program that asks.
    pub(super) program: Option<String>,
    /// The links that are known.
    links: Vec<FollowedLink>,
}

/// What a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// As much as is known, without `.` and `..`.
    pub(super) path: String,
    pub(super) tail: Tail,
}

/// What comes after the known part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing.
    Exact,
    /// Everything that lies in it.
    Everything,
    /// Some of what lies in it, by a pattern for the next component.
    Some(String),
    /// Unknown.
    Anything,
}

/// Whether a link that a path ends with is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Kept,
    Followed,
}

/// How many links are followed one after the other.
const MOST_LINKS: usize = 16;

/// Which part of the machine a path lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// The root, a home folder, the project, or a folder that one of them lies in.
    Whole,
    /// Inside the project.
    Inside,
    /// Below a folder for temporary files.
    Temporary,
    /// `/dev/null` and its kin.
    Pseudo,
    Device,
    System,
    /// Anything else.
    Outside,
}

impl PathZones {
    pub(super) fn of(call: &ToolCall) -> Self {
        let directory = tidy(&call.directory.replace('\\', "/"));
        let given = |it: &Option<String>| {
            let path = it.as_deref().map(|it| tidy(&it.replace('\\', "/")));
            path.filter(|it| it.len() > 1)
        };
        Self {
            root: given(&call.root).unwrap_or_else(|| directory.clone()),
            granted: call.granted.iter().filter_map(|it| given(&Some(it.clone()))).collect(),
            home: given(&call.home),
            user_home: given(&call.user_home).unwrap_or_else(|| "/~".to_owned()),
            program: given(&call.program),
            links: call.links.clone(),
            directory,
        }
    }

    /// What a word of a command names, seen from a folder; none if that is not known.
    pub(super) fn target(&self, word: &Word, from: Option<&str>) -> Target {
        self.locate(&self.spell(word, from), from)
    }

    /// What a text with marks names, seen from a folder.
    pub(super) fn spelled(&self, text: &str, from: Option<&str>) -> Target {
        // Where a tilde stands inside a word, as in `--file=~/x`, the program may expand it.
        match text.strip_prefix('~').filter(|it| it.is_empty() || it.starts_with('/')) {
            Some(rest) => self.locate(&format!("{}{rest}", self.user_home), from),
            None => self.locate(text, from),
        }
    }

    /// Whether a path belongs to what a client keeps for its agent: plans and memories.
    pub(super) fn is_own_of_client(&self, path: &str) -> bool {
        let mut memories = Harness::entries().flat_map(|it| it.agent.memories);
        memories.any(|it| lies_in(path, &format!("{}/{it}", self.user_home)))
    }

    /// What a path names that a tool was given.
    pub(super) fn target_of(&self, path: &str) -> Target {
        let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
        let path = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.user_home)
            }
            _ => path,
        };
        self.locate(&path, Some(&self.directory))
    }

    /// A word as text, with marks for what is open in it.
    pub(super) fn spell(&self, word: &Word, from: Option<&str>) -> String {
        let mut text = String::new();
        for part in word.parts() {
            match part {
                Part::Text(known) => text.push_str(known),
                Part::Hole { hole, .. } => match hole {
                    Hole::Parameter(name) => text.push_str(&self.variable(name, from)),
                    Hole::Tilde(written) => text.push_str(&self.tilde(written, from)),
                    Hole::Pattern(written) => push_pattern(&mut text, written),
                    Hole::Brace | Hole::Arithmetic => text.push(ANY),
                    Hole::Command(_) | Hole::Process | Hole::Input => text.push(UNKNOWN),
                },
            }
        }
        text
    }

    fn variable(&self, name: &str, from: Option<&str>) -> String {
        match name {
            "HOME" => self.user_home.clone(),
            "PWD" => from.map_or_else(|| UNKNOWN.to_string(), str::to_owned),
            "TMPDIR" | "TMP" | "TEMP" | "RUNNER_TEMP" => "/tmp".to_owned(),
            "CI_PROJECT_DIR" | "GITHUB_WORKSPACE" => self.root.clone(),
            _ if Harness::entries().any(|it| it.agent.roots.contains(&name)) => self.root.clone(),
            _ => UNKNOWN.to_string(),
        }
    }

    fn tilde(&self, written: &str, from: Option<&str>) -> String {
        match written {
            "~" => self.user_home.clone(),
            "~+" => self.variable("PWD", from),
            "~-" => UNKNOWN.to_string(),
            other => format!("/home/{}", other.trim_start_matches('~')),
        }
    }

    /// What a link leads to, where that is what is touched. Who deletes it deletes the link alone.
    pub(super) fn through(&self, target: Target) -> Target {
        if self.links.is_empty() {
            return target;
        }
        let path = self.followed(&target.path, End::Followed);
        Target { path, ..target }
    }

    /// Whether a link on the way to a path may matter: elsewhere, what is written is asked about, and
    /// the links are those of the system.
    pub(super) fn may_be_led(&self, path: &str) -> bool {
        path.starts_with('/') && matches!(self.zone(path), Zone::Inside | Zone::Temporary)
    }

    /// A path without the links on its way.
    fn followed(&self, path: &str, end: End) -> String {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let led = self.links.iter().find_map(|link| {
                let rest = path.strip_prefix(&link.at)?;
                let is_on_way = rest.starts_with('/') || (rest.is_empty() && end == End::Followed);
                is_on_way.then(|| format!("{}{rest}", link.to))
            });
            match led {
                Some(other) => path = other,
                None => break,
            }
        }
        path
    }

    fn locate(&self, spelled: &str, from: Option<&str>) -> Target {
        let target = Self::by_text(spelled, from);
        if self.links.is_empty() {
            return target;
        }
        // `link/` is what it leads to, and so is what a pattern finds in it.
        let is_folder = target.tail != Tail::Exact || spelled.ends_with(['/', '.']);
        let end = if is_folder { End::Followed } else { End::Kept };
        Target { path: self.followed(&target.path, end), ..target }
    }

    fn by_text(spelled: &str, from: Option<&str>) -> Target {
        let has_drive = spelled.split('/').next().is_some_and(is_drive);
        let is_rooted = spelled.starts_with(['/', UNKNOWN]) || has_drive;
        let base = if is_rooted { "" } else { from.unwrap_or_default() };
        let mut known: Vec<&str> = Vec::new();
        let is_absolute = !base.is_empty() || has_drive || spelled.starts_with('/');
        let all: Vec<&str> = base.split('/').chain(spelled.split('/')).collect();
        for (at, component) in all.iter().enumerate() {
            let is_open = component.contains([ANY, ONE, UNKNOWN]);
            match *component {
                "" | "." => {}
                ".." => {
                    let is_above = known.last().is_none_or(|it| *it == "..");
                    if !is_above {
                        known.pop();
                    } else if !is_absolute {
                        known.push("..");
                    }
                }
                _ if !is_open => known.push(component),
                _ => {
                    let rest = all.get(at + 1..).unwrap_or_default();
                    let tail = tail(component, rest);
                    return Target { path: path_of(&known, is_absolute), tail };
                }
            }
        }
        Target { path: path_of(&known, is_absolute), tail: Tail::Exact }
    }

    /// Whether a path is the project, a granted folder, or lies in one of them.
    pub(super) fn is_inside(&self, path: &str) -> bool {
        // A folder that holds a person's home is not a project.
        let is_project = |it: &&&String| !lies_in(&self.user_home, it);
        let projects = [&self.root, &self.directory];
        projects.iter().filter(is_project).any(|it| lies_in(path, it))
            || self.granted.iter().any(|it| lies_in(path, it))
    }

    /// Which part of the machine a known path lies in.
    pub(super) fn zone(&self, path: &str) -> Zone {
        if !path.starts_with('/') {
            let leaves = path.split('/').next() == Some("..");
            return if leaves { Zone::Outside } else { Zone::Inside };
        }
        let wholes = [&self.directory, &self.root, &self.user_home];
        if wholes.into_iter().any(|it| lies_in(it, path)) || is_home(path) {
            return Zone::Whole;
        }
        if self.is_inside(path) {
            return Zone::Inside;
        }
        let temporary = ["/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/dev/shm"];
        if temporary.iter().any(|it| lies_in(path, it) && path != *it) {
            return Zone::Temporary;
        }
        let pseudo = [
            "/dev/null",
            "/dev/zero",
            "/dev/full",
            "/dev/random",
            "/dev/urandom",
            "/dev/tty",
            "/dev/stdin",
            "/dev/stdout",
            "/dev/stderr",
            "/dev/fd",
            "/dev/tcp",
            "/dev/udp",
        ];
        if pseudo.iter().any(|it| lies_in(path, it)) {
            return Zone::Pseudo;
        }
        if lies_in(path, "/dev") {
            return Zone::Device;
        }
        let system = [
            "/bin",
            "/boot",
            "/etc",
            "/lib",
            "/lib32",
            "/lib64",
            "/opt",
            "/proc",
            "/root",
            "/run",
            "/sbin",
            "/sys",
            "/usr",
            "/var",
            "/System",
            "/Library",
            "/Applications",
            "/private",
            "/C:/Windows",
            "/c/Windows",
        ];
        if system.iter().any(|it| lies_in(path, it)) && !lies_in(path, &self.user_home) {
            return Zone::System;
        }
        Zone::Outside
    }

    /// The zone that a target reaches: the folder itself if all of it is meant.
    pub(super) fn reach(&self, target: &Target) -> Zone {
        match &target.tail {
            Tail::Exact | Tail::Everything | Tail::Anything => self.zone(&target.path),
            Tail::Some(pattern) => {
                let wholes = [&self.directory, &self.root, &self.user_home];
                let hits = wholes.into_iter().any(|it| {
                    let below = it.strip_prefix(target.path.trim_end_matches('/'));
                    let next = below.and_then(|it| it.strip_prefix('/')?.split('/').next());
                    next.is_some_and(|it| !it.is_empty() && fits(pattern, it))
                });
                let child = format!("{}/x", target.path.trim_end_matches('/'));
                if hits {
                    Zone::Whole
                } else if target.path == "/" {
                    Zone::System
                } else {
                    self.zone(&child)
                }
            }
        }
    }
}

/// Whether a path is a folder, or lies in it.
pub(super) fn lies_in(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// A text with marks in the place of `*` and `?`.
pub(super) fn marked(text: &str) -> String {
    let mark = |it: char| match it {
        '*' => ANY,
        '?' => ONE,
        other => other,
    };
    text.chars().map(mark).collect()
}

/// Whether a text with marks could become this name; case does not count.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let mut reached = vec![false; name.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for mark in pattern.to_lowercase().chars() {
        let mut next = vec![false; name.len() + 1];
        let mut before = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reached.get(at).copied().unwrap_or_default();
            let last = at.checked_sub(1);
            let was = last.and_then(|it| reached.get(it)).copied().unwrap_or_default();
            before |= here;
            *slot = match mark {
                ANY | UNKNOWN => before,
                ONE => was,
                _ => was && last.and_then(|it| name.get(it)) == Some(&mark),
            };
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

/// The folder of some person, on the usual systems.
fn is_home(path: &str) -> bool {
    let components: Vec<&str> = path.split('/').skip(1).collect();
    let is_drive = matches!(components.as_slice(), [drive] if is_drive(drive));
    is_drive || matches!(components.as_slice(), ["home" | "Users" | "root"] | ["home" | "Users", _])
}

/// `C:`, as another system names its roots.
fn is_drive(component: &str) -> bool {
    matches!(component.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

fn tail(component: &str, rest: &[&str]) -> Tail {
    let is_unknown = component.contains(UNKNOWN) || rest.contains(&"..");
    let is_broad = component.chars().all(|it| matches!(it, ANY | ONE | '.'));
    let is_last = rest.iter().all(|it| it.is_empty() || it.chars().all(|it| it == ANY));
    match (is_unknown, is_broad && is_last) {
        (true, _) => Tail::Anything,
        (false, true) => Tail::Everything,
        (false, false) => Tail::Some(component.to_owned()),
    }
}

fn path_of(components: &[&str], is_absolute: bool) -> String {
    format!("{}{}", if is_absolute { "/" } else { "" }, components.join("/"))
}

/// An absolute path without `.`, `..` and doubled signs.
fn tidy(path: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                known.pop();
            }
            _ => known.push(component),
        }
    }
    path_of(&known, true)
}

fn push_pattern(text: &mut String, written: &str) {
    let mut set = 0_u32;
    for one in written.chars() {
        match one {
            '[' | '(' => {
                set += 1;
                text.push(if one == '[' { ONE } else { ANY });
            }
            ']' | ')' => set = set.saturating_sub(1),
            _ if set > 0 => {}
            '*' | '+' | '@' | '!' => text.push(ANY),
            '?' => text.push(ONE),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones() -> PathZones {
        let mut call = ToolCall::shell("", "/home/user/project/web");
        call.root = Some("/home/user/project".to_owned());
        call.user_home = Some("/home/user".to_owned());
        PathZones::of(&call)
    }

    #[test]
    fn a_path_leads_where_its_letters_say() {
        for (path, expected) in [
            ("/", Zone::Whole),
            ("/home", Zone::Whole),
            ("/home/you", Zone::Whole),
            ("~", Zone::Whole),
            (".", Zone::Whole),
            ("..", Zone::Whole),
            ("dist", Zone::Inside),
            ("../api/x", Zone::Inside),
            ("../../other", Zone::Outside),
            ("~/notes", Zone::Outside),
            ("/tmp/x", Zone::Temporary),
            ("/tmp", Zone::Outside),
            ("/tmp/../etc/passwd", Zone::System),
            ("/etc/hosts", Zone::System),
            ("/dev/sda", Zone::Device),
            ("/dev/null", Zone::Pseudo),
            ("/home/user/project-evil", Zone::Outside),
            ("/../..", Zone::Whole),
        ] {
            let zones = zones();
            assert_eq!(zones.zone(&zones.target_of(path).path), expected, "{path}");
        }
    }

    #[test]
    fn a_pattern_fits_what_it_could_become() {
        let env = format!(".e{ONE}v");
        assert!(fits(&env, ".env") && fits(&format!("{ANY}.pem"), "KEY.pem"));
        assert!(!fits(&env, ".eenv") && !fits(&format!("{ANY}.rs"), "x.pem"));
    }
}
