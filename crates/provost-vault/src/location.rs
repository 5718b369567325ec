//! A place under a root. Having one proves that the path was not joined by hand.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::message::{Argument, IntoArgument};

/// A file or folder under a root folder.
///
/// There is no public way to build one from a string: [`Layout`](crate::Layout) makes them from
/// ids. The part below the root has plain components only, and disks walk it without following
/// a symbolic link, so a location never leads out of its root (LOOP-A6).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    root: Utf8PathBuf,
    below: Utf8PathBuf,
}

impl IntoArgument for Location {
    fn to_argument(&self) -> Argument {
        self.path().to_argument()
    }
}

impl Location {
    /// The root folder itself.
    pub(crate) fn root(root: &Utf8Path) -> Self {
        Self { root: root.to_owned(), below: Utf8PathBuf::new() }
    }

    /// One component further down.
    pub(crate) fn join(&self, component: impl AsRef<str>) -> Self {
        let component = component.as_ref();
        debug_assert!(is_plain(component), "not one component: {component:?}");
        Self { root: self.root.clone(), below: self.below.join(component) }
    }

    /// The folder that contains this place; none for the root itself.
    pub(crate) fn folder(&self) -> Option<Self> {
        let below = self.below.parent()?;
        Some(Self { root: self.root.clone(), below: below.to_owned() })
    }

    /// The last component; empty for the root itself.
    pub fn name(&self) -> &str {
        self.below.file_name().unwrap_or_default()
    }

    pub(crate) fn root_path(&self) -> &Utf8Path {
        &self.root
    }

    pub(crate) fn below(&self) -> &Utf8Path {
        &self.below
    }

    /// The whole path, for messages and for other programs.
    pub fn path(&self) -> Utf8PathBuf {
        if self.below.as_str().is_empty() { self.root.clone() } else { self.root.join(&self.below) }
    }

    /// Whether a name that was read from a disk is one plain component.
    pub(crate) fn accepts(name: &str) -> bool {
        is_plain(name)
    }
}

fn is_plain(component: &str) -> bool {
    !component.is_empty()
        && component != "."
        && component != ".."
        && !component.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_knows_its_folder_and_its_name() {
        let root = Location::root(Utf8Path::new("/home/.provost"));
        let file = root.join("out").join("t1").join("status.json");
        assert_eq!(file.path(), "/home/.provost/out/t1/status.json");
        assert_eq!(file.name(), "status.json");
        assert_eq!(file.folder().unwrap().path(), "/home/.provost/out/t1");
        assert_eq!(root.folder(), None);
        assert_eq!(root.path(), "/home/.provost");
    }

    #[test]
    fn only_one_plain_component_is_accepted() {
        for name in ["a", ".hidden", "a b", "任务", "..."] {
            assert!(Location::accepts(name), "{name:?}");
        }
        for name in ["", ".", "..", "a/b", "/a", "a\\b", "a\0"] {
            assert!(!Location::accepts(name), "{name:?}");
        }
    }
}
