//! What programs find around a checkout: a home, caches, a virtual environment.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use provost_exec::{environment, place::Place};
use provost_rules_task::prepare::{cache_variables, lasting_caches};

use crate::Engine;

/// What programs find around a checkout that is ready: whatever runs in it, runs with this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    pub(crate) home: Home,
    /// Variables, which replace those of the job.
    pub(crate) variables: BTreeMap<String, String>,
    /// Folders of programs, which go before those of `PATH`.
    pub(crate) programs: Vec<PathBuf>,
}

/// Whose home and caches a job has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Home {
    /// Those of the person, which it cannot write to.
    #[default]
    OfPerson,
    /// These, and what it leaves there stays.
    Shared(Place),
    /// A copy of these, which is gone after it.
    Copied { place: Place, caches: Copied },
    /// The caches of a place, and the home of the person.
    Caches(Place),
}

/// Which caches are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copied {
    All,
    /// Those that programs read when dependencies are installed.
    Lasting,
}

impl Surroundings {
    /// Adds them to the environment of a job, whose own temporary folder is `scratch`, and says
    /// what it may write to besides.
    pub(crate) fn apply(
        &self,
        scratch: &Path,
        environment: &mut BTreeMap<String, String>,
    ) -> io::Result<Vec<PathBuf>> {
        let (place, writable) = match &self.home {
            Home::OfPerson => (None, Vec::new()),
            Home::Shared(place) | Home::Caches(place) => {
                (Some(place.clone()), vec![place.root().to_owned()])
            }
            Home::Copied { place, caches } => (Some(copy(place, *caches, scratch)?), Vec::new()),
        };
        if let Some(place) = place {
            let caches = place.caches().to_string_lossy().into_owned();
            let variables = cache_variables()
                .map(|(name, value)| (name.to_owned(), value.replace("{caches}", &caches)));
            environment.extend(variables);
            if !matches!(self.home, Home::Caches(_)) {
                let home = place.home().to_string_lossy().into_owned();
                environment.insert("HOME".to_owned(), home);
            }
        }
        environment.extend(self.variables.clone());
        let path = environment.get("PATH").cloned().unwrap_or_default();
        let programs = self.programs.iter().map(|it| it.to_string_lossy().into_owned());
        let folders: Vec<String> = programs.chain([path]).filter(|it| !it.is_empty()).collect();
        environment.insert("PATH".to_owned(), folders.join(":"));
        Ok(writable)
    }

    /// The same for several jobs one after the other: they have one copy, in a temporary folder that
    /// they share.
    pub(crate) fn shared_in(mut self, scratch: &Path) -> io::Result<Self> {
        if let Home::Copied { place, caches } = &self.home {
            self.home = Home::Shared(copy(place, *caches, scratch)?);
        }
        Ok(self)
    }

    /// With virtual environments of Python: the first one is the active one.
    #[must_use]
    pub(crate) fn with_environments(mut self, environments: &[PathBuf]) -> Self {
        let there: Vec<&PathBuf> = environments.iter().filter(|it| it.is_dir()).collect();
        if let Some(first) = there.first() {
            let folder = first.to_string_lossy().into_owned();
            self.variables.insert("VIRTUAL_ENV".to_owned(), folder);
        }
        self.programs.extend(there.into_iter().map(|it| it.join("bin")));
        self
    }

    /// With what a job that fetches packages may see of the person's environment.
    #[must_use]
    pub(crate) fn with_registries(mut self, engine: &Engine<'_>) -> Self {
        let names = environment::PROXIES.into_iter().chain(environment::REGISTRIES);
        self.variables.extend(engine.inherited(names));
        self
    }
}

fn copy(place: &Place, caches: Copied, scratch: &Path) -> io::Result<Place> {
    let lasting: BTreeSet<String> = lasting_caches();
    let wanted = match caches {
        Copied::All => None,
        Copied::Lasting => Some(&lasting),
    };
    let own = tempfile::Builder::new().prefix("place-").tempdir_in(scratch)?.keep();
    place.copy(&own, wanted)
}

impl Engine<'_> {
    /// Makes a place in an empty folder.
    pub(crate) fn make_place(&self, root: &Path) -> io::Result<Place> {
        Place::make(root, &self.personal_folders())
    }
}
