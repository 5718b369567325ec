//! The digests of `status.json` in the chain: whether a state is one that provost wrote.
//!
//! An entry names the digest of the state that it replaces and of the one that it announces, and is
//! durable before the file is renamed. So the newest entry of a task names the state on the disk
//! however often the machine stopped between the two, and no other state does.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use memchr::{memchr, memmem, memrchr};
use provost_kernel::{Digest, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Body, Link, read_link};
use crate::{
    Disk, FileError, Layout,
    follow::{Care, Followed, Piece},
};

/// How a state follows another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    pub task: TaskId,
    /// The digest of the state before; none for the first one, and for one that takes the place of
    /// a file that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Digest>,
    pub to: Digest,
}

/// Where a state comes from, as far as the chain knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// provost wrote it, and it is the newest.
    Genuine,
    /// The chain has no digest of the task: an earlier version wrote its state.
    Unrecorded,
    /// It is neither of the two newest states.
    Altered,
}

/// The newest change of the state of each task.
#[derive(Clone, Debug, Default)]
pub struct Statuses {
    /// With the number of the entry.
    tasks: BTreeMap<TaskId, (u64, StatusChange)>,
}

/// What the chain says of states, kept by a program that looks at many: it reads what was added.
///
/// It lies in the memory of that program, where no other one can write. Orders are never built on it:
/// for those the chain is read from its start.
#[derive(Debug, Default)]
pub struct StatusMemory(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    followed: Followed,
    statuses: Arc<Statuses>,
}

/// Stands in every line that has a change, and in few others.
const KEY: &[u8] = b"\"task_status\":{";
/// Stands before the id of the task in a change.
const TASK: &[u8] = b"\"task\":\"";

impl Statuses {
    /// Reads what the chain says now. A line that is not as it was written says nothing.
    pub fn read<D: Disk>(disk: &D, layout: &Layout) -> Result<Self, FileError> {
        let mut kept = Kept::default();
        kept.read(disk, layout, Care::Whole)?;
        Ok(Arc::unwrap_or_clone(kept.statuses))
    }

    /// Learns from those of the lines that have a change: most of a chain is about other things. Of the
    /// lines of one task only the last counts, and the others are not read.
    fn look(&mut self, mut lines: &[u8], finder: &memmem::FinderRev<'_>) {
        let mut learned: BTreeSet<TaskId> = BTreeSet::new();
        while let Some(found) = finder.rfind(lines) {
            let (before, behind) = lines.split_at(found);
            let start = memrchr(b'\n', before).map_or(0, |it| it + 1);
            let end = found + memchr(b'\n', behind).unwrap_or(behind.len());
            // The keys are in order: nothing that looks like a change stands behind it.
            let is_older = task_of(behind).is_some_and(|it| learned.contains(&it));
            let line = lines.get(start..end).filter(|_| !is_older);
            if let Some(Link { body, .. }) = line.and_then(read_link)
                && let Some(change) = &body.task_status
                && learned.insert(change.task.clone())
            {
                self.learn(&body);
            }
            lines = lines.get(..start).unwrap_or_default();
        }
    }

    pub(super) fn learn(&mut self, body: &Body) {
        if let Some(change) = &body.task_status {
            self.tasks.insert(change.task.clone(), (body.seq, change.clone()));
        }
    }

    /// Where the state with this digest comes from.
    pub fn judge(&self, task: &TaskId, digest: Digest) -> Provenance {
        match self.tasks.get(task) {
            None => Provenance::Unrecorded,
            Some((_, it)) if it.to == digest || it.from == Some(digest) => Provenance::Genuine,
            Some(_) => Provenance::Altered,
        }
    }

    /// What names the newest change of a task: its entry and its digests.
    pub fn newest(&self, task: &TaskId) -> Option<(u64, Option<Digest>, Digest)> {
        self.tasks.get(task).map(|(seq, it)| (*seq, it.from, it.to))
    }

    /// The number of the entry with the newest change; 0 if there is none.
    pub(super) fn entry(&self, task: &TaskId) -> u64 {
        self.tasks.get(task).map_or(0, |it| it.0)
    }
}

impl StatusMemory {
    /// What the chain says now. Of a chain that has grown only the end of what was read is compared.
    pub fn now<D: Disk>(&self, disk: &D, layout: &Layout) -> Result<Arc<Statuses>, FileError> {
        self.read(disk, layout, Care::Tail)
    }

    /// The same, where every byte that was read before is compared.
    pub fn compared<D: Disk>(&self, disk: &D, layout: &Layout) -> Result<Arc<Statuses>, FileError> {
        self.read(disk, layout, Care::Whole)
    }

    fn read<D: Disk>(
        &self,
        disk: &D,
        layout: &Layout,
        care: Care,
    ) -> Result<Arc<Statuses>, FileError> {
        // Who comes while it is read waits for the same answer.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.read(disk, layout, care)?;
        Ok(Arc::clone(&kept.statuses))
    }
}

impl Kept {
    fn read<D: Disk>(&mut self, disk: &D, layout: &Layout, care: Care) -> Result<(), FileError> {
        let finder = memmem::FinderRev::new(KEY);
        let Self { followed, statuses } = self;
        followed.read(disk, &layout.audit(), care, |piece| match piece {
            Piece::Anew => *statuses = Arc::default(),
            Piece::Lines(lines) => Arc::make_mut(statuses).look(lines, &finder),
        })
    }
}

/// The task of a change, as far as the text from its key on shows it.
fn task_of(behind: &[u8]) -> Option<TaskId> {
    let line = behind.get(..memchr(b'\n', behind).unwrap_or(behind.len()))?;
    let id = line.get(memmem::find(line, TASK)? + TASK.len()..)?;
    std::str::from_utf8(id.get(..memchr(b'"', id)?)?).ok()?.parse().ok()
}

/// The digest of a state. The head of the chain is left out: it names the entry that has the digest.
pub(crate) fn status_digest(mut status: Value) -> Option<Digest> {
    status.as_object_mut()?.remove("audit_head");
    Digest::of_json(&status).ok()
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Actor, Clock, Millis, Source};
    use serde_json::json;

    use super::*;
    use crate::{
        Durable,
        audit::{Audit, Event},
        disk::read_all,
        sim::SimDisk,
        write_atomic,
    };

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn digest(text: &str) -> Digest {
        Digest::of_bytes(text.as_bytes())
    }

    fn change(task: &str, from: &str, to: &str) -> StatusChange {
        StatusChange { task: task.parse().unwrap(), from: Some(digest(from)), to: digest(to) }
    }

    /// Enters a change, and an entry that only says that it has one.
    fn enter(disk: &SimDisk, change: StatusChange) {
        let layout = layout();
        let mut audit = Audit::open(disk, &layout).unwrap();
        let said = json!({"task_status": {"from": "x", "task": "t1", "to": "y"}});
        let event = Event {
            actor: Actor { source: Source::Web, id: "ann".to_owned() },
            action: "task.pause".to_owned(),
            subject: format!("task:{}", change.task),
            request_id: None,
            detail: said,
        };
        audit.append_status(None, &event, change, &Noon).unwrap();
        audit.append(&event, &Noon, Durable::Now).unwrap();
    }

    fn chain() -> SimDisk {
        let disk = SimDisk::default();
        enter(&disk, change("t1", "", "a"));
        enter(&disk, change("t2", "", "b"));
        enter(&disk, change("t1", "a", "c"));
        disk
    }

    fn text(disk: &SimDisk) -> String {
        let bytes = read_all(disk, &disk.open(&layout().audit()).unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn judge(statuses: &Statuses, task: &str, of: &str) -> Provenance {
        statuses.judge(&task.parse().unwrap(), digest(of))
    }

    #[test]
    fn the_newest_change_of_each_task_counts() {
        use Provenance::{Altered, Genuine, Unrecorded};
        let (disk, memory) = (chain(), StatusMemory::default());
        let check = |statuses: &Statuses, expected: [(&str, &str, Provenance); 5]| {
            for (task, of, provenance) in expected {
                assert_eq!(judge(statuses, task, of), provenance, "{task} {of}");
            }
        };
        let expected = [
            ("t1", "c", Genuine),
            ("t1", "a", Genuine),
            ("t1", "b", Altered),
            ("t2", "b", Genuine),
            ("t3", "b", Unrecorded),
        ];
        check(&Statuses::read(&disk, &layout()).unwrap(), expected);
        check(&memory.now(&disk, &layout()).unwrap(), expected);
        enter(&disk, change("t1", "c", "d"));
        enter(&disk, change("t3", "", "e"));
        let expected = [
            ("t1", "d", Genuine),
            ("t1", "c", Genuine),
            ("t1", "a", Altered),
            ("t2", "b", Genuine),
            ("t3", "e", Genuine),
        ];
        check(&memory.now(&disk, &layout()).unwrap(), expected);
        check(&memory.compared(&disk, &layout()).unwrap(), expected);
    }

    /// What a memory says of a chain that somebody changed is what a first reading says of it.
    #[test]
    fn a_changed_chain_is_remembered_no_better_than_it_reads() {
        let layout = layout();
        let whole = text(&chain());
        let last: String = whole.split_inclusive('\n').take(4).collect();
        let other = {
            let disk = SimDisk::default();
            enter(&disk, change("t1", "", "forged"));
            text(&disk)
        };
        for changed in [
            whole.replace(&digest("c").to_string(), &digest("z").to_string()),
            whole.replacen("\"seq\":5", "\"seq\":6", 1),
            last,
            other,
            String::new(),
        ] {
            let (disk, memory) = (chain(), StatusMemory::default());
            memory.now(&disk, &layout).unwrap();
            write_atomic(&disk, &layout.audit(), changed.as_bytes()).unwrap();
            let (kept, read) =
                (memory.now(&disk, &layout).unwrap(), Statuses::read(&disk, &layout).unwrap());
            assert_eq!(kept.tasks, read.tasks);
            assert_ne!(judge(&kept, "t1", "c"), Provenance::Genuine, "{changed}");
        }
    }

    /// An edit in place that hides behind an append is found where everything is compared.
    #[test]
    fn an_edit_behind_an_append_is_found_by_comparing() {
        let (disk, layout, memory) = (chain(), layout(), StatusMemory::default());
        for n in 0..20 {
            enter(&disk, change(&format!("u{n}"), "", "a"));
        }
        memory.now(&disk, &layout).unwrap();
        let place = text(&disk).find(&digest("c").to_string()).unwrap();
        let file = disk.open_lock(&layout.audit()).unwrap();
        disk.write_at(&file, digest("z").to_string().as_bytes(), place as u64).unwrap();
        enter(&disk, change("t4", "", "e"));
        let kept = memory.now(&disk, &layout).unwrap();
        assert_eq!(judge(&kept, "t1", "c"), Provenance::Genuine, "it was, when it was read");
        assert_eq!(judge(&kept, "t4", "e"), Provenance::Genuine);
        let kept = memory.compared(&disk, &layout).unwrap();
        assert_eq!(judge(&kept, "t1", "c"), Provenance::Altered);
        assert_eq!(kept.tasks, Statuses::read(&disk, &layout).unwrap().tasks);
    }
}
