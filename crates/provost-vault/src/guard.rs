//! The state of the guard: what hooks write, many short processes at once.
//!
//! Every file here is changed in one way: lock, read, modify, replace (HOOK-2.2). A corrupt one
//! is put aside, recorded and started empty (HOOK-2.5). Replays are the exception: they only
//! grow, a line at a time, and nothing is concluded from them.

mod modes;
mod permits;
mod replay;
mod spool;
mod tool_error;

use std::fmt;

use provost_kernel::{Clock, guard::RefusalCode};

pub(crate) use self::tool_error::replace_tool_error;
pub use self::{
    permits::{PermitsError, read_permits, read_refusals},
    replay::{Appended, Pruned},
    spool::Tracked,
    tool_error::Reaction,
};
use crate::{Action, Disk, FileError, Layout, Location, disk::open_in_folder};

/// The files of the guard in one home.
#[derive(Clone, Copy)]
pub struct GuardFiles<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    clock: &'a dyn Clock,
}

impl<'a, D: Disk> GuardFiles<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout, clock: &'a dyn Clock) -> Self {
        Self { disk, layout, clock }
    }

    /// A code that cannot be guessed.
    pub fn new_code(&self) -> RefusalCode {
        let random = uuid::Uuid::new_v4().into_bytes();
        let mut code = [0; RefusalCode::LEN];
        // The bytes in the middle say which kind of id it is, so those at the front are taken.
        for (to, from) in code.iter_mut().zip(random) {
            *to = from;
        }
        RefusalCode::of_random(code)
    }
}

impl<D: Disk> fmt::Debug for GuardFiles<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardFiles").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// Does something while no other process can. A process that dies in between frees the lock.
fn locked<D: Disk, T, E: From<FileError>>(
    disk: &D,
    lock: &Location,
    act: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let file = open_in_folder(disk, lock, |disk| disk.open_lock(lock))
        .map_err(FileError::on(Action::Open, lock))?;
    disk.lock(&file).map_err(FileError::on(Action::Lock, lock))?;
    let result = act();
    // The kernel frees the lock with the file at the latest.
    let _ = disk.unlock(&file);
    result
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }

    /// The files of other crates that name one of these, in order.
    fn naming(words: &[&str]) -> Vec<String> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = Vec::new();
        for entry in fs::read_dir(crates).unwrap() {
            let folder = entry.unwrap().path().join("src");
            if folder.is_dir() && !folder.starts_with(env!("CARGO_MANIFEST_DIR")) {
                sources(&folder, &mut found);
            }
        }
        let names = |it: &PathBuf| {
            let text = fs::read_to_string(it).unwrap();
            words.iter().any(|word| text.contains(word))
        };
        found.retain(names);
        let shown = |it: &PathBuf| it.strip_prefix(crates).unwrap().display().to_string();
        let mut shown: Vec<String> = found.iter().map(shown).collect();
        shown.sort();
        shown
    }

    /// HOOK-2.2: a process that writes the guard's state ends after one change, so each write is
    /// lock, read, modify, replace. A long-lived process would have to debounce its writes first.
    #[test]
    fn only_one_shot_processes_write_the_state_of_the_guard() {
        let engine = ["after", "mode", "orders", "sweep", "way_out"];
        let engine = engine.map(|it| format!("provost-engine/src/guard/{it}.rs"));
        let by_bench = "provost-testkit/src/";
        let mut writers = naming(&["GuardFiles", "modify_tracked"]);
        writers.retain(|it| !it.starts_with(by_bench));
        assert_eq!(writers, engine);
        let uses = ["hook::{", "mode::", "orders::", "sweep::"]
            .map(|it| format!("provost_engine::guard::{it}"));
        let uses: Vec<&str> = uses.iter().map(String::as_str).collect();
        let commands = ["guard/mode", "guard/modes", "guard/order", "guard/sweep", "hook"];
        assert_eq!(naming(&uses), commands.map(|it| format!("provost/src/{it}.rs")));
    }
}
