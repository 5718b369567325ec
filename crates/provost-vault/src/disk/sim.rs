//! A simulated disk that forgets what was not synced and can lose its power at any step.
//!
//! Every operation that changes something is a step. What a step does is visible at once and
//! durable only after a sync. When the power goes, a crash keeps *any subset* of what was not
//! synced: each write whole, either half of it or not at all, and each name that was made,
//! replaced or removed. [`SimDisk::images`] enumerates them all.

mod state;

use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use provost_kernel::Millis;

use self::state::{DataChange, Entry, Fate, NameChange, State, parent};
use super::{Disk, Kind, Stat};
use crate::{Location, Stamp};

/// A disk in memory. A clone shares nothing with its original.
#[derive(Debug, Default)]
pub struct SimDisk {
    state: Mutex<State>,
}

/// An open file of a [`SimDisk`].
#[derive(Clone, Copy, Debug)]
pub struct SimFile(usize);

impl SimDisk {
    /// An empty disk whose power goes before the given step; later operations fail.
    pub fn with_power(steps: u64) -> Self {
        let disk = Self::default();
        disk.state().power = Some(steps);
        disk
    }

    /// The same contents and pending changes, with power for so many more steps.
    #[must_use]
    pub fn again_with_power(&self, steps: u64) -> Self {
        let mut state = self.state().clone();
        state.power = Some(state.steps + steps);
        Self { state: Mutex::new(state) }
    }

    /// How many changing operations were tried so far.
    pub fn steps(&self) -> u64 {
        self.state().steps
    }

    /// Whether something was tried after the power went: the process that tried it is gone.
    pub fn has_lost_power(&self) -> bool {
        self.state().has_lost_power
    }

    /// Every disk that a crash at this moment can leave behind.
    pub fn images(&self) -> Vec<Self> {
        let state = self.state().clone();
        let mut data = vec![Vec::new()];
        for (index, node) in state.nodes.iter().enumerate() {
            for change in &node.pending {
                let fates: &[Fate] = match change {
                    DataChange::Write { bytes, .. } if bytes.len() > 1 => {
                        &[Fate::Lost, Fate::FirstHalf, Fate::SecondHalf, Fate::Kept]
                    }
                    DataChange::Write { .. } | DataChange::Truncate { .. } => {
                        &[Fate::Lost, Fate::Kept]
                    }
                };
                data = data
                    .iter()
                    .flat_map(|chosen: &Vec<_>| {
                        fates.iter().map(move |fate| {
                            let mut chosen = chosen.clone();
                            chosen.push((index, change, *fate));
                            chosen
                        })
                    })
                    .collect();
            }
        }
        let n_names = state.pending_names.len();
        let mut images = Vec::new();
        for kept_names in 0..1_u32 << n_names {
            for fates in &data {
                images.push(state.image(fates, |at| kept_names >> at & 1 == 1));
            }
        }
        images
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for SimDisk {
    type File = SimFile;

    fn create_folder(&self, at: &Location) -> io::Result<()> {
        let mut state = self.state();
        let name = key(at);
        if state.names.contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if at.folder().is_some() {
            state.has_folder_of(&name)?;
            state.step()?;
            state.change_name(NameChange::Make { name, entry: Entry::Folder });
            return Ok(());
        }
        // A root comes with the folders above it, each durable before the next is made.
        let ends = name.match_indices('/').map(|(end, _)| end).chain([name.len()]);
        for folder in ends.map(|end| name[..end].to_owned()) {
            if !state.names.contains_key(&folder) {
                state.step()?;
                let above = parent(&folder).to_owned();
                state.change_name(NameChange::Make { name: folder, entry: Entry::Folder });
                state.step()?;
                state.settle_names(&above);
            }
        }
        Ok(())
    }

    fn create(&self, at: &Location) -> io::Result<SimFile> {
        let mut state = self.state();
        let name = key(at);
        if state.names.contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.make_file(&name)
    }

    fn open_log(&self, at: &Location) -> io::Result<SimFile> {
        let mut state = self.state();
        let name = key(at);
        match state.file(&name) {
            Ok(node) => Ok(SimFile(node)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => state.make_file(&name),
            Err(error) => Err(error),
        }
    }

    fn open_lock(&self, at: &Location) -> io::Result<SimFile> {
        self.open_log(at)
    }

    fn open(&self, at: &Location) -> io::Result<SimFile> {
        self.state().file(&key(at)).map(SimFile)
    }

    fn append(&self, file: &SimFile, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        state.step()?;
        let offset = state.bytes(*file)?.len();
        state.change_data(*file, DataChange::Write { offset, bytes: bytes.to_vec() })?;
        Ok(bytes.len())
    }

    fn write_at(&self, file: &SimFile, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut state = self.state();
        state.step()?;
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        state.change_data(*file, DataChange::Write { offset, bytes: bytes.to_vec() })?;
        Ok(bytes.len())
    }

    fn read_at(&self, file: &SimFile, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.state();
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let rest = state.bytes(*file)?.get(offset..).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        Ok(n)
    }

    fn len(&self, file: &SimFile) -> io::Result<u64> {
        Ok(self.state().bytes(*file)?.len() as u64)
    }

    fn stamp(&self, file: &SimFile) -> io::Result<Stamp> {
        self.state().stamp(*file)
    }

    fn truncate(&self, file: &SimFile, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let len = usize::try_from(len).map_err(io::Error::other)?;
        state.change_data(*file, DataChange::Truncate { len })
    }

    fn sync(&self, file: &SimFile) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let node = state.nodes.get_mut(file.0).ok_or(io::ErrorKind::NotFound)?;
        node.durable.clone_from(&node.bytes);
        node.pending.clear();
        Ok(())
    }

    fn sync_data(&self, file: &SimFile) -> io::Result<()> {
        self.sync(file)
    }

    fn make_private(&self, _: &SimFile) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Location, to: &Location) -> io::Result<()> {
        let mut state = self.state();
        let (from, to) = (key(from), key(to));
        let entry = Entry::File(state.file(&from)?);
        state.step()?;
        state.change_name(NameChange::Rename { from, to, entry });
        Ok(())
    }

    fn remove(&self, at: &Location) -> io::Result<()> {
        let mut state = self.state();
        let name = key(at);
        state.file(&name)?;
        state.step()?;
        state.change_name(NameChange::Remove { name });
        Ok(())
    }

    fn sync_folder(&self, at: &Location) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.settle_names(&key(at));
        Ok(())
    }

    fn stat(&self, at: &Location) -> io::Result<Stat> {
        let state = self.state();
        let name = key(at);
        let (kind, stamp) = match state.names.get(&name) {
            Some(Entry::File(node)) => (Kind::File, state.stamp(SimFile(*node))?),
            // What lies in it says more than a time would.
            Some(Entry::Folder) => (Kind::Folder, State::stamp_of(0, usize::MAX, 0)),
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(Stat { kind, len: stamp.len, modified: Millis(0), mode: 0o600, stamp })
    }

    fn birth(&self, at: &Location) -> io::Result<Option<u64>> {
        self.stat(at).map(|_| None)
    }

    fn list(&self, at: &Location) -> io::Result<Vec<String>> {
        let folder = key(at);
        let state = self.state();
        if state.names.get(&folder) != Some(&Entry::Folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let inside = |name: &String| match name.rsplit_once('/') {
            Some((above, last)) if above == folder => Some(last.to_owned()),
            Some(_) | None => None,
        };
        Ok(state.names.keys().filter_map(inside).collect())
    }

    fn lock(&self, file: &SimFile) -> io::Result<()> {
        // No other process runs on this disk: a lock that is held is a mistake, not a wait.
        if self.try_lock(file)? { Ok(()) } else { Err(io::ErrorKind::Deadlock.into()) }
    }

    fn try_lock(&self, file: &SimFile) -> io::Result<bool> {
        let mut state = self.state();
        if state.has_lost_power {
            return Err(io::Error::other("the power is gone"));
        }
        Ok(state.locked.insert(file.0))
    }

    fn unlock(&self, file: &SimFile) -> io::Result<()> {
        self.state().locked.remove(&file.0);
        Ok(())
    }

    fn is_current(&self, file: &SimFile, at: &Location) -> io::Result<bool> {
        Ok(self.state().names.get(&key(at)) == Some(&Entry::File(file.0)))
    }
}

fn key(at: &Location) -> String {
    at.path().as_str().trim_start_matches('/').to_owned()
}
