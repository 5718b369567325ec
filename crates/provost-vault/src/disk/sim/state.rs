//! What a simulated disk holds now, what of it is durable, and what a crash makes of the rest.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    ops::Range,
    sync::Mutex,
};

use super::{SimDisk, SimFile};
use crate::Stamp;

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) nodes: Vec<Node>,
    /// What a reader sees now.
    pub(super) names: BTreeMap<String, Entry>,
    /// What a crash cannot take away.
    pub(super) durable_names: BTreeMap<String, Entry>,
    pub(super) pending_names: Vec<NameChange>,
    pub(super) locked: BTreeSet<usize>,
    pub(super) steps: u64,
    pub(super) power: Option<u64>,
    pub(super) has_lost_power: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) bytes: Vec<u8>,
    pub(super) durable: Vec<u8>,
    pub(super) pending: Vec<DataChange>,
    /// How often it was written to.
    pub(super) changes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    File(usize),
    Folder,
}

#[derive(Clone, Debug)]
pub(super) enum DataChange {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { len: usize },
}

#[derive(Clone, Debug)]
pub(super) enum NameChange {
    Make { name: String, entry: Entry },
    Rename { from: String, to: String, entry: Entry },
    Remove { name: String },
}

/// What a crash makes of one write that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Lost,
    /// Only its first half reached the disk.
    FirstHalf,
    /// Only its second half did: a write may span two blocks, in any order.
    SecondHalf,
    Kept,
}

impl State {
    /// What is left when the changes meet these fates.
    pub(super) fn image(
        &self,
        fates: &[(usize, &DataChange, Fate)],
        keeps_name: impl Fn(usize) -> bool,
    ) -> SimDisk {
        let mut contents: Vec<Vec<u8>> = self.nodes.iter().map(|it| it.durable.clone()).collect();
        for (node, change, fate) in fates {
            let Some(bytes) = contents.get_mut(*node) else { continue };
            match fate {
                Fate::Lost => {}
                Fate::FirstHalf => change.part(|half| 0..half).apply(bytes),
                Fate::SecondHalf => change.part(|half| half..usize::MAX).apply(bytes),
                Fate::Kept => change.apply(bytes),
            }
        }
        let mut names = self.durable_names.clone();
        for (at, change) in self.pending_names.iter().enumerate() {
            if keeps_name(at) {
                change.apply(&mut names);
            }
        }
        // A name is reachable only if the folders above it are.
        let reachable = |name: &str| {
            let mut above = name;
            while let Some((folder, _)) = above.rsplit_once('/') {
                if names.get(folder) != Some(&Entry::Folder) {
                    return false;
                }
                above = folder;
            }
            true
        };
        let names: BTreeMap<String, Entry> = names
            .iter()
            .filter(|(name, _)| reachable(name))
            .map(|(name, entry)| (name.clone(), *entry))
            .collect();
        let nodes = contents
            .into_iter()
            .map(|bytes| Node { durable: bytes.clone(), bytes, ..Node::default() })
            .collect();
        let state = Self { nodes, durable_names: names.clone(), names, ..Self::default() };
        SimDisk { state: Mutex::new(state) }
    }

    /// Spends one step, or fails because the power is gone.
    pub(super) fn step(&mut self) -> io::Result<()> {
        if self.power.is_some_and(|power| self.steps >= power) {
            self.has_lost_power = true;
        }
        if self.has_lost_power {
            return Err(io::Error::other("the power is gone"));
        }
        self.steps += 1;
        Ok(())
    }

    pub(super) fn change_name(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.pending_names.push(change);
    }

    /// Makes the names in a folder durable.
    pub(super) fn settle_names(&mut self, folder: &str) {
        for change in std::mem::take(&mut self.pending_names) {
            if change.folder() == folder {
                change.apply(&mut self.durable_names);
            } else {
                self.pending_names.push(change);
            }
        }
    }

    pub(super) fn change_data(&mut self, file: SimFile, change: DataChange) -> io::Result<()> {
        let node = self.nodes.get_mut(file.0).ok_or(io::ErrorKind::NotFound)?;
        change.apply(&mut node.bytes);
        node.pending.push(change);
        node.changes += 1;
        Ok(())
    }

    pub(super) fn file(&self, name: &str) -> io::Result<usize> {
        match self.names.get(name) {
            Some(Entry::File(node)) => Ok(*node),
            Some(Entry::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub(super) fn has_folder_of(&self, name: &str) -> io::Result<()> {
        match name.rsplit_once('/') {
            Some((folder, _)) if self.names.get(folder) != Some(&Entry::Folder) => {
                Err(io::ErrorKind::NotFound.into())
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn make_file(&mut self, name: &str) -> io::Result<SimFile> {
        self.has_folder_of(name)?;
        self.step()?;
        self.nodes.push(Node::default());
        let node = self.nodes.len() - 1;
        self.change_name(NameChange::Make { name: name.to_owned(), entry: Entry::File(node) });
        Ok(SimFile(node))
    }

    pub(super) fn stamp(&self, file: SimFile) -> io::Result<Stamp> {
        let node = self.nodes.get(file.0).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self::stamp_of(node.bytes.len() as u64, file.0, node.changes))
    }

    pub(super) fn stamp_of(len: u64, node: usize, changes: u64) -> Stamp {
        let changes = i128::from(changes);
        Stamp { len, identity: (0, node as u64), modified: changes, changed: changes }
    }

    pub(super) fn bytes(&self, file: SimFile) -> io::Result<&Vec<u8>> {
        Ok(&self.nodes.get(file.0).ok_or(io::ErrorKind::NotFound)?.bytes)
    }
}

impl DataChange {
    pub(super) fn apply(&self, contents: &mut Vec<u8>) {
        match self {
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                if contents.len() < end {
                    contents.resize(end, 0);
                }
                if let Some(place) = contents.get_mut(*offset..end) {
                    place.copy_from_slice(bytes);
                }
            }
            Self::Truncate { len } => contents.resize(*len, 0),
        }
    }

    /// What is left of a write when it is torn in the middle.
    pub(super) fn part(&self, range: impl FnOnce(usize) -> Range<usize>) -> Self {
        match self {
            Self::Write { offset, bytes } => {
                let Range { start, end } = range(bytes.len() / 2);
                let part = bytes.get(start..end.min(bytes.len())).unwrap_or_default().to_vec();
                Self::Write { offset: offset + start, bytes: part }
            }
            Self::Truncate { len } => Self::Truncate { len: *len },
        }
    }
}

impl NameChange {
    pub(super) fn apply(&self, names: &mut BTreeMap<String, Entry>) {
        match self {
            Self::Make { name, entry } => {
                names.insert(name.clone(), *entry);
            }
            Self::Rename { from, to, entry } => {
                // The old name may already be another file's, or gone.
                if names.get(from) == Some(entry) {
                    names.remove(from);
                }
                names.insert(to.clone(), *entry);
            }
            Self::Remove { name } => {
                names.remove(name);
            }
        }
    }

    pub(super) fn folder(&self) -> &str {
        let name = match self {
            Self::Make { name, .. } | Self::Remove { name } | Self::Rename { to: name, .. } => name,
        };
        parent(name)
    }
}

/// The folder that a name lies in.
pub(super) fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}
