//! The head of a chain that is kept outside the project, in the person's state folder: a chain that
//! was removed together with its stored heads is still missed (ruling 88).
//!
//! It is written after the entry that it names is durable, so it can only lag behind: no crash makes
//! it name an entry that the chain does not have.

use provost_kernel::{Clock, Timestamp};
use serde::{Deserialize, Serialize};

use super::{AuditError, Head};
use crate::{Action, Disk, FileError, Layout, Location, Stored, read_json, write_json};

const SCHEMA: &str = "provost.chain-head/1";

/// The content of the file, one for each chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Witness {
    schema: String,
    ts: Timestamp,
    /// The path of the chain.
    chain: String,
    /// The project's folder, and which folder it is: one that was removed and made anew is another.
    project: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<u64>,
    /// When that folder was made: a file system gives its number to the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<u64>,
    head: Head,
    /// Why it was set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set_aside: Option<String>,
}

/// The head that is kept of a chain; none if there is none, or if it is of a project that is gone.
pub(super) fn witnessed<D: Disk>(disk: &D, layout: &Layout) -> Result<Option<Head>, AuditError> {
    let witness = read(disk, layout)?;
    let known = witness.filter(|it| it.is_of(ProjectFolder::of(disk, layout)));
    Ok(known.map(|it| it.head).filter(|it| it.seq > 0))
}

/// Refuses a home that is not there and of whose chain a head is kept: somebody removed it.
pub fn check_absent<D: Disk>(disk: &D, layout: &Layout) -> Result<(), AuditError> {
    match witnessed(disk, layout)? {
        Some(head) => Err(AuditError::Missing { at: layout.audit(), seq: head.seq }),
        None => Ok(()),
    }
}

/// Keeps a head of a chain, durably. The entry must be durable by then.
pub(crate) fn keep<D: Disk>(
    disk: &D,
    layout: &Layout,
    head: Head,
    clock: &dyn Clock,
) -> Result<(), AuditError> {
    if let Some(known) = read(disk, layout)? {
        let is_ours = known.is_of(ProjectFolder::of(disk, layout));
        if !is_ours {
            set_aside(disk, layout, known, "the project's folder is another one now", clock)?;
        } else if known.head.seq >= head.seq {
            // Another process was faster.
            return Ok(());
        }
    }
    Ok(replace(disk, layout, head, clock)?)
}

/// Keeps a head in place of whatever is there.
pub(super) fn replace<D: Disk>(
    disk: &D,
    layout: &Layout,
    head: Head,
    clock: &dyn Clock,
) -> Result<(), FileError> {
    let project = ProjectFolder::of(disk, layout);
    let witness = Witness {
        schema: SCHEMA.to_owned(),
        ts: clock.now(),
        chain: layout.audit().path().into_string(),
        project: layout.project().path().into_string(),
        folder: project.number,
        made: project.made,
        head,
        set_aside: None,
    };
    write_json(disk, &layout.chain_head(), &witness).map(drop)
}

/// Sets the heads of chains aside whose project is gone, each with a note. The answer is their paths.
pub fn set_aside_gone<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
) -> Result<Vec<String>, FileError> {
    let folder = layout.chain_heads();
    let names = match disk.list(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(FileError::on(Action::List, &folder))?,
    };
    let mut gone = Vec::new();
    for name in names.iter().filter(|it| is_current(it)) {
        let at = folder.join(name);
        let Stored::Present(witness) = read_json::<_, Witness>(disk, &at)? else { continue };
        let project = Layout::project_at(&witness.project);
        let is_gone =
            disk.stat(&project).is_err_and(|it| it.kind() == std::io::ErrorKind::NotFound);
        if is_gone {
            gone.push(witness.project.clone());
            note(disk, &at, witness, "the project is gone", clock)?;
        }
    }
    Ok(gone)
}

fn read<D: Disk>(disk: &D, layout: &Layout) -> Result<Option<Witness>, AuditError> {
    let at = layout.chain_head();
    match read_json::<_, Witness>(disk, &at)? {
        Stored::Absent => Ok(None),
        Stored::Present(witness) => Ok(Some(witness)),
        Stored::Corrupt(_) => Err(AuditError::Witness { at }),
    }
}

fn set_aside<D: Disk>(
    disk: &D,
    layout: &Layout,
    witness: Witness,
    why: &str,
    clock: &dyn Clock,
) -> Result<(), FileError> {
    note(disk, &layout.chain_head(), witness, why, clock)
}

/// Moves a head to a name of its own, with a note; the note comes first.
fn note<D: Disk>(
    disk: &D,
    at: &Location,
    witness: Witness,
    why: &str,
    clock: &dyn Clock,
) -> Result<(), FileError> {
    let noted = Witness { set_aside: Some(why.to_owned()), ..witness };
    let stem = at.name().trim_end_matches(END);
    let Some(folder) = at.folder() else { return Ok(()) };
    let aside = folder.join(format!("{stem}.{:015}.aside", clock.millis().0));
    write_json(disk, &aside, &noted)?;
    disk.remove(at).map_err(FileError::on(Action::Remove, at))
}

const END: &str = ".json";

fn is_current(name: &str) -> bool {
    Location::accepts(name) && name.ends_with(END) && !name.starts_with('.')
}

/// Which folder the project is; nothing where that cannot be said.
#[derive(Clone, Copy, Debug)]
struct ProjectFolder {
    number: Option<u64>,
    made: Option<u64>,
}

impl ProjectFolder {
    fn of<D: Disk>(disk: &D, layout: &Layout) -> Self {
        let at = layout.project();
        let number = disk.stat(&at).ok().map(|it| it.stamp.identity.1);
        Self { number, made: disk.birth(&at).ok().flatten() }
    }
}

impl Witness {
    /// Whether it is of the project whose folder this is. A file system that says nothing of
    /// folders leaves the path to decide.
    fn is_of(&self, folder: ProjectFolder) -> bool {
        let is_same = |then: Option<u64>, now: Option<u64>| match (then, now) {
            (Some(then), Some(now)) => then == now,
            (_, _) => true,
        };
        is_same(self.folder, folder.number) && is_same(self.made, folder.made)
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Actor, Millis, Source};
    use serde_json::json;

    use super::*;
    use crate::{
        Durable, RealDisk,
        audit::{Audit, Event, Trouble, mark_if_broken, restart, verify},
        disk::{create_folders, read_all},
        prepare_home,
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
        Layout::new(Utf8Path::new("/p/.provost"), None, Utf8Path::new("/s"))
    }

    fn ann() -> Actor {
        Actor { source: Source::Cli, id: "ann".to_owned() }
    }

    fn event(n: u64) -> Event {
        Event {
            actor: ann(),
            action: "task.pause".to_owned(),
            subject: format!("task:t{n}"),
            request_id: None,
            detail: json!({ "n": n }),
        }
    }

    fn append(disk: &SimDisk, n: u64) -> Result<Head, AuditError> {
        Audit::open_for_call(disk, &layout())?.append(&event(n), &Noon, Durable::Now)
    }

    /// A chain of three entries, with the head of the second kept in both places.
    fn chain() -> SimDisk {
        let (disk, layout) = (SimDisk::default(), layout());
        create_folders(&disk, &layout.project()).unwrap();
        append(&disk, 1).unwrap();
        let mut chain = Audit::open(&disk, &layout).unwrap();
        let head = chain.append(&event(2), &Noon, Durable::Now).unwrap();
        chain.store_head(head, "test", &Noon).unwrap();
        append(&disk, 3).unwrap();
        disk
    }

    fn bytes(disk: &SimDisk, at: &Location) -> Vec<u8> {
        disk.open(at).map(|it| read_all(disk, &it).unwrap()).unwrap_or_default()
    }

    fn troubles(disk: &SimDisk) -> Vec<Trouble> {
        verify(disk, &layout()).unwrap().problems.iter().map(|it| it.trouble).collect()
    }

    /// KEEP-2: whatever is removed of the chain, a head that is left refuses the next entry.
    #[test]
    fn a_chain_that_was_removed_takes_no_entry() {
        let layout = layout();
        let (chain_file, heads) = (layout.audit(), layout.audit_heads());
        let check = |removed: &[&Location], kept: usize, expected: &str, found: &[Trouble]| {
            let disk = chain();
            for it in removed {
                disk.remove(it).unwrap();
            }
            if kept > 0 {
                let text = bytes(&disk, &chain_file);
                let lines: Vec<_> = text.split_inclusive(|it| *it == b'\n').take(kept).collect();
                write_atomic(&disk, &chain_file, &lines.concat()).unwrap();
            }
            let error = append(&disk, 4).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(provost_kernel::Message::exit(&error), provost_kernel::Exit::Integrity);
            assert_eq!(troubles(&disk), found);
        };
        let gone = "is missing: its entry 2 is known";
        check(&[&chain_file], 0, gone, &[Trouble::CutShort]);
        check(&[&chain_file, &heads], 0, gone, &[Trouble::Missed]);
        let cut = "was altered or cut short";
        check(&[], 1, cut, &[Trouble::CutShort]);
        check(&[&heads], 1, cut, &[Trouble::Missed]);
        // One that lost less than any head names is as it would be after a power cut.
        let disk = chain();
        let text = bytes(&disk, &chain_file);
        let lines: Vec<_> = text.split_inclusive(|it| *it == b'\n').take(2).collect();
        write_atomic(&disk, &chain_file, &lines.concat()).unwrap();
        append(&disk, 4).unwrap();
        assert_eq!(troubles(&disk), []);
    }

    /// An order looks at the head outside the project though another one is stored.
    #[test]
    fn a_chain_that_was_exchanged_with_its_heads_takes_no_order() {
        let (disk, other, layout) = (chain(), SimDisk::default(), layout());
        let mut forged = Audit::open(&other, &layout).unwrap();
        let head = forged.append(&event(11), &Noon, Durable::Now).unwrap();
        forged.store_head(head, "forged", &Noon).unwrap();
        for at in [layout.audit(), layout.audit_heads()] {
            write_atomic(&disk, &at, &bytes(&other, &at)).unwrap();
        }
        let error = Audit::open(&disk, &layout)
            .unwrap()
            .append(&event(9), &Noon, Durable::Now)
            .unwrap_err();
        assert!(matches!(error, AuditError::Broken { .. }), "{error}");
        assert_eq!(troubles(&disk), [Trouble::Missed]);
    }

    /// An edit in the middle, which no appender sees, is found by the look at a whole chain.
    #[test]
    fn an_edit_in_the_middle_is_marked() {
        let (disk, layout) = (chain(), layout());
        assert_eq!(mark_if_broken(&disk, &layout, &Noon).unwrap(), None);
        let text = String::from_utf8(bytes(&disk, &layout.audit())).unwrap();
        write_atomic(&disk, &layout.audit(), text.replace("task:t1", "task:t9").as_bytes())
            .unwrap();
        append(&disk, 4).unwrap();
        let found = mark_if_broken(&disk, &layout, &Noon).unwrap().unwrap();
        assert_eq!((found.line, found.trouble), (1, Trouble::Altered));
        assert!(matches!(append(&disk, 5).unwrap_err(), AuditError::Broken { .. }));
        assert!(troubles(&disk).contains(&Trouble::Marked));
    }

    /// A new chain goes on behind the last entry that was known, and says so.
    #[test]
    fn a_person_begins_a_new_chain() {
        let layout = layout();
        assert_eq!(restart(&chain(), &layout, &ann(), "", &Noon).unwrap(), None, "it is intact");
        for damage in 0..4 {
            let disk = chain();
            let old = bytes(&disk, &layout.audit());
            match damage {
                0 => disk.remove(&layout.audit()).unwrap(),
                1 => drop(write_atomic(&disk, &layout.audit(), b"x\n").unwrap()),
                2 => drop(write_atomic(&disk, &layout.chain_head(), b"{}").unwrap()),
                _ => drop(write_atomic(&disk, &layout.audit_heads(), b"{}\n").unwrap()),
            }
            append(&disk, 4)
                .map(drop)
                .or_else(|it| {
                    assert_eq!(provost_kernel::Message::exit(&it), provost_kernel::Exit::Integrity);
                    Ok::<_, AuditError>(())
                })
                .unwrap();
            let begun = restart(&disk, &layout, &ann(), "restored", &Noon).unwrap().unwrap();
            assert!(begun.old.seq >= 2, "{damage}: {begun:?}");
            assert_eq!(begun.head.seq, begun.old.seq + 1);
            assert_eq!(append(&disk, 5).unwrap().seq, begun.head.seq + 1);
            let report = verify(&disk, &layout).unwrap();
            assert!(report.is_intact(), "{damage}: {report:?}");
            assert_eq!(report.restarted_behind, Some(begun.old));
            let kept = disk.list(&layout.quarantine()).unwrap();
            assert!(begun.kept_as.iter().all(|it| kept.contains(it)), "{kept:?}");
            if damage > 1 {
                let copy = begun.kept_as.iter().find(|it| it.contains("audit")).unwrap();
                assert!(bytes(&disk, &layout.quarantine().join(copy)).starts_with(&old));
            }
        }
    }

    /// Ruling 88: a project that was removed and cloned again at the same place is another one, also
    /// where its folder has the number of the old one; without its chain, the same folder is not.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test is whoever removes a project")]
    fn a_project_that_was_made_anew_is_not_locked_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let project = root.join("project");
        let home = project.join(".provost");
        let layout = Layout::new(&home, None, &root.join("state"));
        let begin = || {
            std::fs::create_dir(&project).unwrap();
            prepare_home(&RealDisk, &layout).unwrap();
            let mut chain = Audit::open(&RealDisk, &layout).unwrap();
            let head = chain.append(&event(1), &Noon, Durable::Now).unwrap();
            chain.store_head(head, "test", &Noon).unwrap();
        };
        begin();
        std::fs::remove_dir_all(&home).unwrap();
        assert!(check_absent(&RealDisk, &layout).is_err(), "the project is the same");
        for _ in 0..4 {
            std::fs::remove_dir_all(&project).unwrap();
            begin();
        }
        assert_eq!(witnessed(&RealDisk, &layout).unwrap().map(|it| it.seq), Some(1));
    }

    /// Ruling 88: a project that is gone is gone, and its head is set aside with a note.
    #[test]
    fn the_head_of_a_project_that_is_gone_is_set_aside() {
        let (disk, layout) = (chain(), layout());
        assert_eq!(set_aside_gone(&disk, &layout, &Noon).unwrap(), [""; 0]);
        for at in [layout.audit(), layout.audit_heads()] {
            disk.remove(&at).unwrap();
        }
        assert!(check_absent(&disk, &layout).is_err(), "the project's folder is still there");
        let other = Layout::new(Utf8Path::new("/q/.provost"), None, Utf8Path::new("/s"));
        replace(&disk, &other, Head { seq: 7, hash: provost_kernel::Digest::ZERO }, &Noon).unwrap();
        assert_eq!(set_aside_gone(&disk, &layout, &Noon).unwrap(), ["/q"]);
        check_absent(&disk, &other).unwrap();
        let names = disk.list(&layout.chain_heads()).unwrap();
        assert_eq!(names.iter().filter(|it| it.contains(".aside")).count(), 1, "{names:?}");
    }
}
