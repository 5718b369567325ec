//! Which layers have to go, so that the others stay below a limit.

use provost_kernel::Millis;

use super::{LayerSeal, is_used, lock_of};
use crate::{
    Action, Disk as _, Expired, FileError, LayerPart, Layout, Location, RealDisk, Stored, Swept,
    Why, read_record,
};

/// What stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptLayers {
    pub count: usize,
    pub bytes: u64,
}

/// A layer, as it lies there.
#[derive(Clone, Debug)]
struct Found {
    at: Location,
    /// None for one that is not whole.
    bytes: Option<u64>,
    used: Millis,
    is_used: bool,
}

/// Finds the layers that are not whole, and those beyond a limit, and touches nothing.
pub fn sweep_layers(layout: &Layout, limit: u64) -> (Swept, KeptLayers) {
    let folder = layout.layers();
    let names = match RealDisk.list(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let error = FileError::on(Action::List, &folder)(error);
            return (Swept { unreadable: vec![error], ..Swept::default() }, KeptLayers::default());
        }
        Ok(names) => names,
    };
    let is_lock = |it: &&String| it.rsplit_once('.').is_some_and(|it| it.1 == "lock");
    let found = names.iter().filter(|it| !is_lock(it)).map(|it| find(&folder.join(it)));
    let (expired, kept) = choose(found.collect(), limit);
    (Swept { expired, unreadable: Vec::new() }, kept)
}

fn find(at: &Location) -> Found {
    let lock = lock_of(at);
    let seal = lock.as_ref().map(|_| at.join(LayerPart::SEAL));
    let seal = seal.and_then(|it| read_record::<_, LayerSeal>(&RealDisk, &it).ok());
    let bytes = match seal {
        Some(Stored::Present(seal)) => Some(seal.value.bytes),
        Some(Stored::Absent | Stored::Corrupt(_)) | None => None,
    };
    let used = lock.and_then(|it| RealDisk.stat(&it).ok()).map_or(Millis(0), |it| it.modified);
    Found { at: at.clone(), bytes, used, is_used: is_used(at) }
}

/// What is used stays, even beyond the limit.
fn choose(mut found: Vec<Found>, limit: u64) -> (Vec<Expired>, KeptLayers) {
    found.sort_by_key(|it| it.used);
    let mut kept = KeptLayers {
        count: found.iter().filter(|it| it.bytes.is_some()).count(),
        bytes: found.iter().filter_map(|it| it.bytes).sum(),
    };
    let mut expired = Vec::new();
    for it in found.into_iter().filter(|it| !it.is_used) {
        let is_surplus = match it.bytes {
            Some(bytes) if kept.bytes > limit => {
                kept = KeptLayers { count: kept.count - 1, bytes: kept.bytes - bytes };
                true
            }
            Some(_) => false,
            None => true,
        };
        if is_surplus {
            let len = it.bytes.unwrap_or_default();
            expired.push(Expired { at: it.at, len, why: Why::Environment });
        }
    }
    (expired, kept)
}
