//! Which modes are active (HOOK-2.4).

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    RecordFile,
    guard::{Mode, ModeMarker, ModeState},
};

use super::{GuardFiles, locked};
use crate::{
    Action, Disk, FileError, Location, Stored, read::read_record_or_quarantine, read_json,
    write_json,
};

impl<D: Disk> GuardFiles<'_, D> {
    /// What is stored of each mode. One whose file is corrupt has nothing stored.
    pub fn modes(&self) -> Result<BTreeMap<Mode, ModeState>, FileError> {
        Ok(self.kept_modes()?.into_iter().map(|(mode, kept)| (mode, kept.value)).collect())
    }

    /// The modes that are active.
    pub fn active_modes(&self) -> Result<BTreeSet<Mode>, FileError> {
        let modes = self.modes()?.into_iter();
        Ok(modes.filter(|(_, state)| state.active).map(|(mode, _)| mode).collect())
    }

    /// Changes the state of a mode, as `decide` says when it has seen the others; no other process
    /// can change one in between. What else stands in the file stays.
    pub fn change_mode<E: From<FileError>>(
        &self,
        mode: Mode,
        decide: impl FnOnce(&BTreeMap<Mode, ModeState>) -> Result<ModeState, E>,
    ) -> Result<ModeState, E> {
        locked(self.disk, &self.layout.modes_lock(), || {
            let mut kept = self.kept_modes()?;
            let states = kept.iter().map(|(mode, it)| (*mode, it.value.clone())).collect();
            let after = decide(&states)?;
            let rest = match kept.remove(&mode) {
                Some(before) if before.value == after => return Ok(after),
                Some(before) => before.rest,
                None if after == ModeState::default() => return Ok(after),
                None => serde_json::Map::new(),
            };
            let file = RecordFile { value: ModeState { mode: Some(mode), ..after }, rest };
            write_json(self.disk, &self.layout.mode_state(mode), &file)?;
            Ok(file.value)
        })
    }

    /// Removes the marker that another tool left of a swarm, if `is_stale` says so, and names it.
    pub fn remove_marker(
        &self,
        is_stale: impl FnOnce(&ModeMarker) -> bool,
    ) -> Result<Option<Location>, FileError> {
        let at = self.layout.swarm_marker();
        let marker = match read_json::<D, ModeMarker>(self.disk, &at)? {
            Stored::Present(marker) => marker,
            Stored::Absent | Stored::Corrupt(_) => return Ok(None),
        };
        if !is_stale(&marker) {
            return Ok(None);
        }
        self.disk.remove(&at).map_err(FileError::on(Action::Remove, &at))?;
        Ok(Some(at))
    }

    fn kept_modes(&self) -> Result<BTreeMap<Mode, RecordFile<ModeState>>, FileError> {
        let folder = self.layout.guard();
        // One look at the folder is cheaper than eight for files that are hardly ever there.
        let names = match self.disk.list(&folder) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(BTreeMap::new());
            }
            Err(error) => return Err(FileError::on(Action::List, &folder)(error)),
        };
        let mut modes = BTreeMap::new();
        for &mode in Mode::ALL {
            let at = self.layout.mode_state(mode);
            if names.iter().all(|it| it != at.name()) {
                continue;
            }
            let kept = read_record_or_quarantine(self.disk, self.layout, self.clock, &at)?;
            if let Some(mut kept) = kept {
                let RecordFile::<ModeState> { value, .. } = &mut kept;
                value.mode = Some(mode);
                modes.insert(mode, kept);
            }
        }
        Ok(modes)
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Clock, Millis};
    use serde_json::json;

    use super::*;
    use crate::{Layout, sim::SimDisk, write_atomic};

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn active() -> ModeState {
        ModeState { active: true, started_at: Some(Noon.now().into()), ..ModeState::default() }
    }

    /// HOOK-2.2: read, decide and write without another process in between, and keep what is not
    /// known.
    #[test]
    fn a_mode_is_changed_in_view_of_the_others() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        assert_eq!(files.active_modes().unwrap(), BTreeSet::new());
        let original = json!({"active": false, "iteration": 3, "prompt": "go on"});
        write_json(&disk, &layout.mode_state(Mode::Ralph), &original).unwrap();
        let after = files.change_mode(Mode::Ralph, |states| {
            assert_eq!(states.len(), 1);
            Ok::<_, FileError>(active())
        });
        assert_eq!(after.unwrap(), ModeState { mode: Some(Mode::Ralph), ..active() });
        let stored = read_json(&disk, &layout.mode_state(Mode::Ralph)).unwrap();
        let expected = json!({
            "schema": "provost.mode/1", "mode": "ralph", "active": true, "iteration": 3,
            "prompt": "go on", "started_at": "1970-01-01T12:00:00Z",
        });
        assert_eq!(stored, Stored::Present(expected));
        assert_eq!(files.active_modes().unwrap(), BTreeSet::from([Mode::Ralph]));

        let steps = disk.steps();
        files.change_mode(Mode::Ralph, |it| Ok::<_, FileError>(it[&Mode::Ralph].clone())).unwrap();
        assert_eq!(disk.steps(), steps, "what is the same is not written again");
    }

    #[test]
    fn a_refusal_changes_nothing_and_frees_the_lock() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        let refused = files.change_mode(Mode::Swarm, |_| {
            let why = std::io::ErrorKind::Other.into();
            Err(FileError::on(Action::Read, &layout.guard())(why))
        });
        assert!(refused.is_err());
        assert_eq!(files.modes().unwrap(), BTreeMap::new());
        files.change_mode(Mode::Swarm, |_| Ok::<_, FileError>(active())).unwrap();
        assert_eq!(files.active_modes().unwrap(), BTreeSet::from([Mode::Swarm]));
    }

    /// HOOK-2.5: a corrupt state is nothing, is recorded, and is replaced by the next write.
    #[test]
    fn a_corrupt_state_is_read_as_nothing() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        let at = layout.mode_state(Mode::Team);
        for broken in [&b"{\"active\": tr"[..], b"", b"[]", b"{\"active\": 1}", b"\xff"] {
            write_atomic(&disk, &at, broken).unwrap();
            assert_eq!(files.modes().unwrap(), BTreeMap::new(), "{broken:?}");
            let error = files.last_tool_error().unwrap().unwrap();
            assert_eq!(error.tool_name, "state-read");
            assert_eq!(error.tool_input_preview.as_deref(), Some(at.path().as_str()));
        }
        assert!(!disk.list(&layout.quarantine()).unwrap().is_empty());
        files.change_mode(Mode::Team, |_| Ok::<_, FileError>(active())).unwrap();
        assert_eq!(files.active_modes().unwrap(), BTreeSet::from([Mode::Team]));

        write_atomic(&disk, &at, b"{\"schema\": \"provost.mode/2\"}").unwrap();
        assert!(files.modes().is_err(), "a newer one is not corrupt");
        assert!(files.change_mode(Mode::Team, |_| Ok::<_, FileError>(active())).is_err());
    }

    #[test]
    fn a_marker_goes_when_it_is_stale() {
        let (disk, layout) = (SimDisk::default(), layout());
        let files = GuardFiles::new(&disk, &layout, &Noon);
        assert_eq!(files.remove_marker(|_| true).unwrap(), None);
        let at = layout.swarm_marker();
        write_atomic(&disk, &at, b"{\"startedAt\": \"x\", \"mode\": \"swarm\"}").unwrap();
        assert_eq!(files.remove_marker(|_| false).unwrap(), None);
        let found = files.remove_marker(|it| it.started_at.as_ref().unwrap().as_str() == "x");
        assert_eq!(found.unwrap(), Some(at.clone()));
        assert!(disk.stat(&at).is_err());
    }
}
