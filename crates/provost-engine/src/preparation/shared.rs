//! Layers that all tasks of a home share: made once, sealed, and read by all that need the same.

use std::{path::Path, thread, time::Duration};

use provost_exec::{
    git::{Git, GitError, PrivateClone, clone},
    strays,
};
use provost_kernel::Digest;
use provost_vault::{
    LayerPart, Location, RealDisk,
    layer::{LayerClaim, LayerLock, claim, seal, start_over, sweep_layers},
    make_work_folder,
};

use super::{
    Preparation,
    layer::Layer,
    ready::{NotReady, PrepareRun, PrepareStep, Readiness, Site},
    surroundings::Surroundings,
};
use crate::{Engine, story::StoryError};

/// How often is looked whether somebody else is ready with a layer.
const POLL: Duration = Duration::from_millis(100);

/// Where a layer is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerSite<'a> {
    pub(crate) engine: &'a Engine<'a>,
    pub(crate) git: &'a Git,
    /// A clone of the base.
    pub(crate) source: &'a PrivateClone,
    /// Who alone has the layer where no sandbox keeps others from writing to it.
    pub(crate) owner: &'a str,
}

/// Where a layer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerOrigin {
    /// It was installed now.
    Made,
    /// It was there already.
    Reused,
}

/// Runs the commands that make a layer, in a checkout.
pub(crate) type LayerMaker<'a, E> =
    &'a mut dyn FnMut(&PrepareStep, &Surroundings, &PrivateClone) -> Result<PrepareRun, E>;

/// A layer, how large it is, and where it comes from.
pub(crate) type Had = (Layer, u64, LayerOrigin);

impl Preparation {
    /// The layer of the base: the one that is there, or a new one.
    pub(crate) fn layer<E: From<GitError> + From<StoryError>>(
        &self,
        site: LayerSite<'_>,
        run: LayerMaker<'_, E>,
    ) -> Result<Result<Had, NotReady>, E> {
        if let Some(absent) = &self.absent {
            return Ok(Err(NotReady::Absent(absent.clone())));
        }
        let LayerSite { engine, source, owner, .. } = site;
        let layout = engine.desk.layout();
        let key = self.layer_key(engine, &source.base, owner)?;
        loop {
            let now = engine.desk.clock().millis();
            match claim(layout, key, now).map_err(StoryError::File)? {
                LayerClaim::Whole(seal, lock) => {
                    let bytes = seal.bytes;
                    let layer = Layer::kept(self, layout, seal, lock);
                    return Ok(Ok((layer, bytes, LayerOrigin::Reused)));
                }
                LayerClaim::Empty(lock) => match self.make_layer(site, key, lock, run)? {
                    Ok(Some(had)) => return Ok(Ok(had)),
                    Ok(None) => {}
                    Err(why) => return Ok(Err(why)),
                },
                LayerClaim::Busy => {
                    if engine.interrupt.cause().is_some() {
                        return Err(StoryError::Interrupted.into());
                    }
                    thread::sleep(POLL);
                }
            }
        }
    }

    /// Makes a layer; none where somebody removed it at once.
    fn make_layer<E: From<GitError> + From<StoryError>>(
        &self,
        site: LayerSite<'_>,
        key: Digest,
        lock: LayerLock,
        run: LayerMaker<'_, E>,
    ) -> Result<Result<Option<Had>, NotReady>, E> {
        let LayerSite { engine, git, source, .. } = site;
        let layout = engine.desk.layout();
        let part = |it| layout.layer(key, it);
        // What a run that was killed has left may still write there.
        let folder = part(LayerPart::Folder).path();
        strays::end(folder.as_std_path()).map_err(StoryError::Scratch)?;
        start_over(layout, key, &lock).map_err(StoryError::File)?;
        let (root, aside) = (make(&part(LayerPart::Place))?, make(&part(LayerPart::Spent))?);
        let tree = part(LayerPart::Tree).path().into_std_path_buf();
        let checkout = clone::exact(git, source, &source.base, &tree, &Engine::identity())?;
        let place = engine.make_place(&root).map_err(StoryError::Scratch)?;
        let (checkout, aside): (&PrivateClone, &Path) = (&checkout, &aside);
        let site = Site { engine, git, source, checkout, aside, place: &place, layer: None };
        let readiness = self.make_ready(site, &mut |step, around| run(step, around, checkout))?;
        if let Readiness::NotReady(why) = readiness {
            start_over(layout, key, &lock).map_err(StoryError::File)?;
            return Ok(Err(why));
        }
        let paths = self.installed(&checkout.tree)?;
        let made = seal(layout, key, (&checkout.tree, paths), lock).map_err(StoryError::File)?;
        trim(engine);
        Ok(Ok(made.map(|(seal, lock)| {
            let bytes = seal.bytes;
            (Layer::kept(self, layout, seal, lock), bytes, LayerOrigin::Made)
        })))
    }
}

fn make(at: &Location) -> Result<std::path::PathBuf, StoryError> {
    Ok(make_work_folder(at)?)
}

/// Removes the layers beyond the limit. What cannot be removed now can be later.
fn trim(engine: &Engine<'_>) {
    let (swept, _) = sweep_layers(engine.desk.layout(), engine.settings.environment_limit);
    for it in swept.expired {
        let _ = it.remove(&RealDisk);
    }
}
