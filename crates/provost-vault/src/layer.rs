//! What was installed for a base, kept for all that need the same: a layer.
//!
//! A layer is whole once its seal is written, which happens last; the seal has the digest of all
//! that lies in it, and a layer that differs from it is not used. Who reads a layer shares its lock;
//! who makes or removes one has the lock alone. Only copies of a layer are ever written to.

mod measure;
mod sweep;

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use provost_kernel::{Digest, Millis, Record, RecordFile};
use serde::{Deserialize, Serialize};

use self::measure::measure;
pub use self::sweep::{KeptLayers, sweep_layers};
use crate::{
    Action, Disk as _, FileError, LayerPart, Layout, Location, RealDisk, Stored,
    disk::open_in_folder, is_present, make_work_folder, read_record, remove, write_json,
};

/// What a layer is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSeal {
    /// What it was made from.
    pub key: Digest,
    /// The checkout that its files name.
    pub tree: PathBuf,
    /// What was installed, from that checkout.
    pub paths: Vec<PathBuf>,
    pub bytes: u64,
    /// Of everything in it.
    pub digest: Digest,
}

impl Record for LayerSeal {
    const SCHEMA: &'static str = "provost.layer/1";
    const KEYS: &'static [&'static str] = &["bytes", "digest", "key", "paths", "tree"];
}

/// A layer that stays for as long as this is there.
#[derive(Debug)]
pub struct LayerLock {
    file: File,
}

/// What became of asking for a layer.
#[derive(Debug)]
pub enum LayerClaim {
    Whole(LayerSeal, LayerLock),
    /// The caller makes it, and starts over first.
    Empty(LayerLock),
    /// Somebody makes or removes it now.
    Busy,
}

/// Asks for a layer.
pub fn claim(layout: &Layout, key: Digest, now: Millis) -> Result<LayerClaim, FileError> {
    let at = layout.layer(key, LayerPart::Lock);
    let fail = |action| FileError::on(action, &at);
    let file =
        open_in_folder(&RealDisk, &at, |disk| disk.open_lock(&at)).map_err(fail(Action::Open))?;
    match file.try_lock_shared() {
        Ok(()) => {
            if let Some(seal) = intact(layout, key)? {
                // The layer that was used least recently is the first to be removed.
                let used = SystemTime::UNIX_EPOCH + Duration::from_millis(now.0);
                file.set_modified(used).map_err(fail(Action::Write))?;
                return Ok(LayerClaim::Whole(seal, LayerLock { file }));
            }
            file.unlock().map_err(fail(Action::Lock))?;
        }
        Err(TryLockError::WouldBlock) => return Ok(LayerClaim::Busy),
        Err(TryLockError::Error(error)) => return Err(fail(Action::Lock)(error)),
    }
    if !RealDisk.try_lock(&file).map_err(fail(Action::Lock))? {
        return Ok(LayerClaim::Busy);
    }
    // Somebody may have made it in between.
    if is_present(&layout.layer(key, LayerPart::Seal)) {
        return Ok(LayerClaim::Busy);
    }
    Ok(LayerClaim::Empty(LayerLock { file }))
}

/// Removes what is left of a layer that is not whole; the caller has its lock alone.
pub fn start_over(layout: &Layout, key: Digest, _lock: &LayerLock) -> Result<(), FileError> {
    clear(&layout.layer(key, LayerPart::Folder))
}

/// Makes a layer whole of what was installed into a checkout at these paths; none where it was
/// removed in between.
pub fn seal(
    layout: &Layout,
    key: Digest,
    (tree, paths): (&Path, Vec<PathBuf>),
    lock: LayerLock,
) -> Result<Option<(LayerSeal, LayerLock)>, FileError> {
    let kept = layout.layer(key, LayerPart::Kept);
    let into = make_work_folder(&kept)?;
    for path in &paths {
        carry(tree, &into, path).map_err(FileError::on(Action::Replace, &kept))?;
    }
    for part in [LayerPart::Tree, LayerPart::TreeGit, LayerPart::Spent] {
        remove(&layout.layer(key, part))?;
    }
    let (digest, bytes) = contents(layout, key)?;
    let seal = LayerSeal { key, tree: tree.to_owned(), paths, bytes, digest };
    let at = layout.layer(key, LayerPart::Seal);
    write_json(&RealDisk, &at, &RecordFile::new(seal.clone()))?;
    // From alone to shared is not one step: somebody may remove it in between.
    lock.file.lock_shared().map_err(FileError::on(Action::Lock, &at))?;
    Ok(is_present(&at).then_some((seal, lock)))
}

/// Removes a layer that is not in use: it is moved away first, so that no part of it is taken for a
/// whole.
pub(crate) fn discard(folder: &Location) -> Result<(), FileError> {
    let Some(lock) = lock_of(folder) else { return remove(folder) };
    let fail = |error| FileError::on(Action::Lock, folder)(error);
    let file = RealDisk.open_lock(&lock).map_err(fail)?;
    if !RealDisk.try_lock(&file).map_err(fail)? {
        return Err(fail(io::ErrorKind::ResourceBusy.into()));
    }
    clear(folder)
}

/// Whether somebody uses, makes or removes a layer.
fn is_used(folder: &Location) -> bool {
    let Some(lock) = lock_of(folder) else { return false };
    let file = RealDisk.open_lock(&lock);
    // What cannot be locked may be in use.
    !file.and_then(|it| RealDisk.try_lock(&it)).is_ok_and(|is_free| is_free)
}

/// The lock of a layer; none for one that was moved away.
fn lock_of(folder: &Location) -> Option<Location> {
    let name = folder.name();
    (!name.contains('.')).then(|| Some(folder.folder()?.join(format!("{name}.lock")))).flatten()
}

#[expect(clippy::disallowed_methods, reason = "a folder of installed files, which the vault owns")]
fn clear(folder: &Location) -> Result<(), FileError> {
    let Some(parent) = folder.folder() else { return Ok(()) };
    let gone = parent.join(format!("{}.gone", folder.name()));
    remove(&gone)?;
    match fs::rename(folder.path(), gone.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(FileError::on(Action::Remove, folder)(error)),
        Ok(()) => remove(&gone),
    }
}

/// The seal of a layer whose contents are what it says. One that is not loses its seal.
fn intact(layout: &Layout, key: Digest) -> Result<Option<LayerSeal>, FileError> {
    let at = layout.layer(key, LayerPart::Seal);
    match read_record::<_, LayerSeal>(&RealDisk, &at)? {
        Stored::Absent => return Ok(None),
        Stored::Present(seal) if seal.value.key == key => {
            if contents(layout, key).is_ok_and(|it| it.0 == seal.value.digest) {
                return Ok(Some(seal.value));
            }
        }
        Stored::Present(_) | Stored::Corrupt(_) => {}
    }
    remove(&at)?;
    Ok(None)
}

fn contents(layout: &Layout, key: Digest) -> Result<(Digest, u64), FileError> {
    let parts = [LayerPart::Kept, LayerPart::Place].map(|it| layout.layer(key, it));
    let folders = parts.each_ref().map(|it| it.path().into_std_path_buf());
    measure(&folders).map_err(FileError::on(Action::Read, &layout.layer(key, LayerPart::Folder)))
}

#[expect(clippy::disallowed_methods, reason = "a folder of installed files, which the vault owns")]
fn carry(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    if let Some(folder) = to.join(path).parent() {
        fs::create_dir_all(folder)?;
    }
    fs::rename(from.join(path), to.join(path))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test installs something")]
mod tests {
    use camino::Utf8Path;

    use super::*;

    struct World {
        layout: Layout,
        _folder: tempfile::TempDir,
    }

    fn world() -> World {
        let folder = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(folder.path()).unwrap();
        let layout = Layout::new(Utf8Path::new("/r/.provost"), None, state);
        World { layout, _folder: folder }
    }

    impl World {
        /// Asks for a layer, at this second.
        fn claim(&self, name: &str, now: u64) -> LayerClaim {
            claim(&self.layout, Digest::of_bytes(name.as_bytes()), Millis(now * 1000)).unwrap()
        }

        fn at(&self, name: &str, part: LayerPart) -> PathBuf {
            let key = Digest::of_bytes(name.as_bytes());
            self.layout.layer(key, part).path().into_std_path_buf()
        }

        /// Makes a layer with one file of so many bytes.
        fn make(&self, name: &str, len: usize, now: u64) {
            let LayerClaim::Empty(lock) = self.claim(name, now) else { panic!("{name}") };
            start_over(&self.layout, Digest::of_bytes(name.as_bytes()), &lock).unwrap();
            let tree = self.at(name, LayerPart::Tree);
            fs::create_dir_all(tree.join("a/node_modules")).unwrap();
            fs::write(tree.join("a/node_modules/x.js"), vec![b'x'; len]).unwrap();
            fs::write(tree.join("source.js"), "not kept").unwrap();
            fs::create_dir_all(self.at(name, LayerPart::Place).join("home")).unwrap();
            let paths = vec![PathBuf::from("a/node_modules")];
            let key = Digest::of_bytes(name.as_bytes());
            let sealed = seal(&self.layout, key, (&tree, paths), lock).unwrap();
            assert_eq!(sealed.unwrap().0.bytes, len as u64);
            assert!(matches!(self.claim(name, now), LayerClaim::Whole(..)));
        }

        fn names(&self, cap: u64) -> (Vec<String>, KeptLayers) {
            let (swept, kept) = sweep_layers(&self.layout, cap);
            assert!(swept.unreadable.is_empty());
            let name = |it: &str| {
                let names = ["a", "b", "c"];
                let is = |name: &&&str| self.at(name, LayerPart::Folder).ends_with(it);
                names.iter().find(is).map_or(it.to_owned(), |it| (*it).to_owned())
            };
            let names = swept.expired.iter().map(|it| name(it.at.name())).collect();
            for it in &swept.expired {
                it.remove(&RealDisk).unwrap();
            }
            (names, kept)
        }
    }

    #[test]
    fn a_layer_is_used_only_as_it_was_sealed() {
        let world = world();
        world.make("a", 3, 1);
        let kept = world.at("a", LayerPart::Kept);
        assert!(kept.join("a/node_modules/x.js").is_file());
        assert!(!world.at("a", LayerPart::Tree).exists());
        fs::write(kept.join("a/node_modules/x.js"), "yyy").unwrap();
        let LayerClaim::Empty(lock) = world.claim("a", 2) else { panic!() };
        // A second caller waits meanwhile.
        assert!(matches!(world.claim("a", 2), LayerClaim::Busy));
        drop(lock);
        world.make("a", 3, 3);
    }

    /// A run that died while it installed leaves no seal.
    #[test]
    fn a_layer_without_a_seal_is_made_again() {
        let world = world();
        let LayerClaim::Empty(lock) = world.claim("a", 1) else { panic!() };
        fs::create_dir_all(world.at("a", LayerPart::Kept)).unwrap();
        drop(lock);
        assert_eq!(world.names(0).0, ["a"]);
        assert!(!world.at("a", LayerPart::Folder).exists());
        let LayerClaim::Empty(lock) = world.claim("a", 1) else { panic!() };
        fs::create_dir_all(world.at("a", LayerPart::Kept)).unwrap();
        assert_eq!(world.names(0).0, [""; 0]);
        start_over(&world.layout, Digest::of_bytes(b"a"), &lock).unwrap();
        assert!(!world.at("a", LayerPart::Folder).exists());
    }

    #[test]
    fn what_was_used_least_recently_goes_first_and_what_is_in_use_stays() {
        let world = world();
        for (name, now) in [("a", 10), ("b", 20), ("c", 30)] {
            world.make(name, 100, now);
        }
        assert_eq!(world.names(300), (vec![], KeptLayers { count: 3, bytes: 300 }));
        let LayerClaim::Whole(_, lock) = world.claim("a", 40) else { panic!() };
        assert_eq!(world.names(200).0, ["b"]);
        drop(lock);
        assert_eq!(world.names(150), (vec!["c".to_owned()], KeptLayers { count: 1, bytes: 100 }));
        let LayerClaim::Whole(_, _lock) = world.claim("a", 50) else { panic!() };
        assert_eq!(world.names(0), (vec![], KeptLayers { count: 1, bytes: 100 }));
    }

    /// A removal that was cut off is ended by the next one.
    #[test]
    fn what_was_moved_away_is_never_used() {
        let world = world();
        world.make("a", 1, 1);
        fs::rename(world.at("a", LayerPart::Folder), world.at("a", LayerPart::Gone)).unwrap();
        assert_eq!(world.names(1_000).0.len(), 1);
        assert!(!world.at("a", LayerPart::Gone).exists());
        assert!(matches!(world.claim("a", 2), LayerClaim::Empty(_)));
    }
}
