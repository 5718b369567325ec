//! What a desk cannot find out alone, because it takes git, the configuration of a person, or the
//! files of a run: the binary fills these ports, with the functions that its commands call.

use std::{fmt, sync::Arc};

use provost_kernel::{Fault, Message};

use crate::{guard::GuardPort, learn::LearnPort, story::StoryPort};

/// Why a port could not answer: what the command would say.
#[derive(Debug)]
pub struct PortError(pub Box<dyn Fault>);

impl<T: Fault> From<T> for PortError {
    fn from(fault: T) -> Self {
        Self(Box::new(fault))
    }
}

/// The ports of the capabilities besides tasks.
#[derive(Clone)]
pub struct Ports {
    pub stories: Arc<dyn StoryPort>,
    pub learn: Arc<dyn LearnPort>,
    pub guard: Arc<dyn GuardPort>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports").finish_non_exhaustive()
    }
}

/// A page that cannot be given.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.page")]
pub enum PageError {
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] provost_vault::FileError),
    #[message(
        en = "the cursor leads nowhere",
        zh = "游标无效",
        hint(en = "begin again without one", zh = "请去掉游标重新开始")
    )]
    Cursor,
    #[message(en = "cannot find `{name}`", zh = "找不到 `{name}`")]
    Unknown { name: String },
}
