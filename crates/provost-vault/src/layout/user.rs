//! The home of a person, outside every project: what a guard for all projects keeps.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::Digest;

use super::Layout;
use crate::Location;

impl Layout {
    /// The layout of the home of a person, which is not of any project: what a guard for all projects
    /// keeps outside of any.
    pub fn of_user(state: &Utf8Path) -> Self {
        Self::new(&home(state), None, state)
    }

    /// The layout of the home of the person whom this home belongs to.
    #[must_use]
    pub fn for_user(&self) -> Self {
        Self::of_user(self.user.ancestors().nth(2).unwrap_or(&self.user))
    }

    /// The home of the person.
    pub fn user_home(&self) -> Location {
        Location::root(&self.user)
    }

    /// The compiled policy of a guard for all projects, in the home of the person: that of a project,
    /// or of no project.
    pub fn guard_policy_of(&self, project: Option<&Utf8Path>) -> Location {
        match project {
            Some(project) => {
                let digest = Digest::of_bytes(project.as_str().as_bytes()).to_string();
                self.guard().join("policies").join(format!("{}.json", &digest[..32]))
            }
            None => self.guard_policy(),
        }
    }
}

pub(super) fn home(state: &Utf8Path) -> Utf8PathBuf {
    state.join("provost").join("guard-home")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_home_of_a_person_knows_their_own() {
        let own = Layout::of_user(Utf8Path::new("/s"));
        let of_project = Layout::new(Utf8Path::new("/r/.provost"), None, Utf8Path::new("/s"));
        assert_eq!(of_project.for_user(), own);
        assert_eq!(own.for_user(), own);
        assert_eq!(own.home().path(), of_project.user_home().path());
    }
}
