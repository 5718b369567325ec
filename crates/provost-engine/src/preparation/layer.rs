//! What a preparation of the base left, for other checkouts with the same dependencies.
//!
//! It is made from the base alone, before any agent has worked, and only copies of it are ever
//! written to.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use provost_exec::{
    git::GitError,
    place::{Place, copy_tree, relocate},
};
use provost_vault::{
    LayerPart, Layout,
    layer::{LayerLock, LayerSeal},
};

use super::Preparation;

/// What was installed into a checkout of the base, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// Where it lies.
    files: PathBuf,
    /// The checkout that it was installed into, and whose path it names.
    tree: PathBuf,
    /// What was installed, from the tree.
    paths: Vec<PathBuf>,
    /// Those of the paths that the rules of the base leave out.
    ignored: Vec<PathBuf>,
    environments: Vec<PathBuf>,
    pub(crate) place: Place,
    /// Keeps it from being removed; none for a layer that is not shared.
    _lock: Option<Arc<LayerLock>>,
}

impl Layer {
    /// The layer in a checkout of the base that was made ready.
    pub(crate) fn of(
        preparation: &Preparation,
        tree: &Path,
        place: Place,
    ) -> Result<Self, GitError> {
        let paths = preparation.installed(tree)?;
        Ok(Self::new(preparation, (tree, tree), paths, place, None))
    }

    /// A layer that is kept for all that need the same.
    pub(super) fn kept(
        preparation: &Preparation,
        layout: &Layout,
        seal: LayerSeal,
        lock: LayerLock,
    ) -> Self {
        let at = |part| layout.layer(seal.key, part).path().into_std_path_buf();
        let place = Place::at(&at(LayerPart::Place));
        let from = (at(LayerPart::Kept), seal.tree);
        Self::new(preparation, (&from.0, &from.1), seal.paths, place, Some(Arc::new(lock)))
    }

    fn new(
        preparation: &Preparation,
        (files, tree): (&Path, &Path),
        paths: Vec<PathBuf>,
        place: Place,
        lock: Option<Arc<LayerLock>>,
    ) -> Self {
        // A rule may mean folders alone: what lies in one is left out in any case.
        let is_ignored =
            |it: &&PathBuf| preparation.base.is_ignored(&it.join("x").to_string_lossy());
        let ignored = paths.iter().filter(is_ignored).cloned().collect();
        let environments = preparation.environments().map(PathBuf::from).collect();
        let (files, tree) = (files.to_owned(), tree.to_owned());
        Self { files, tree, paths, ignored, environments, place, _lock: lock }
    }

    /// Copies what was installed into a checkout, and says what was copied.
    pub(crate) fn put_into(&self, tree: &Path) -> io::Result<Vec<PathBuf>> {
        self.copy(&self.paths, tree)
    }

    /// Copies it into the tree of a coder, unless it would be taken for the coder's work there.
    pub(crate) fn equip(&self, tree: &Path) -> io::Result<()> {
        self.copy(&self.ignored, tree).map(|_| ())
    }

    fn copy(&self, paths: &[PathBuf], tree: &Path) -> io::Result<Vec<PathBuf>> {
        let mut copied = Vec::new();
        for path in paths.iter().filter(|it| is_free(tree, it)) {
            copy_tree(&self.files.join(path), &tree.join(path))?;
            copied.push(path.clone());
        }
        for it in self.environments.iter().filter(|it| copied.contains(it)) {
            relocate(&tree.join(it), &self.tree, tree)?;
        }
        Ok(copied)
    }

    /// Whether everything that was installed finds its place in a checkout.
    pub(crate) fn fits(&self, tree: &Path) -> bool {
        self.paths.iter().all(|it| is_free(tree, it))
    }

    /// The virtual environments of a tree.
    pub(crate) fn environments_in(&self, tree: &Path) -> Vec<PathBuf> {
        self.environments.iter().map(|it| tree.join(it)).collect()
    }
}

/// Whether a tree has the folder of a path, and nothing at the path itself.
fn is_free(tree: &Path, path: &Path) -> bool {
    let has_folder = path.parent().is_none_or(|it| tree.join(it).is_dir());
    has_folder && tree.join(path).symlink_metadata().is_err()
}
