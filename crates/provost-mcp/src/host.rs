//! What the tools need of the program that offers them.

use std::sync::Arc;

use camino::Utf8PathBuf;
use provost_engine::{
    Desk, Engine, Interrupt,
    story::{Freshness, StoryError},
    task::Progress,
};
use provost_kernel::{Actor, Exit, Fault, Lang, Message};

use crate::Reply;

/// The program that offers the tools: it knows the home, the configuration and the environment.
pub trait Host: Send + Sync + 'static {
    fn lang(&self) -> Lang;

    /// The desk at the home.
    fn desk(&self) -> Result<Desk, HostError>;

    /// Who acts through the tools, for the record.
    fn actor(&self) -> Actor;

    /// Compares worktrees with what was proven.
    fn freshness(&self) -> &Freshness;

    /// A plan that a caller named, and the repository it lies in.
    fn plan(&self, path: &str, folder: Option<&str>) -> Result<PlanFile, HostError>;

    /// Lets something work with the engine of a repository, until it is done or interrupted; the
    /// watcher hears of every command.
    fn engine(
        &self,
        place: &Place,
        interrupt: &Arc<Interrupt>,
        progress: &dyn Progress,
        work: &mut dyn FnMut(&Engine<'_>) -> Result<Reply, StoryError>,
    ) -> Result<Reply, HostError>;

    /// Looks whether provost can work here.
    fn doctor(&self) -> Result<Reply, HostError>;
}

/// A repository, and the revision whose configuration counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub project: Utf8PathBuf,
    pub base: String,
}

/// A plan that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// The name of the file, which also says its format.
    pub name: String,
    pub bytes: Vec<u8>,
    /// The root of the repository it lies in.
    pub project: Utf8PathBuf,
}

/// Why a call could not be carried out.
#[derive(Debug)]
pub enum HostError {
    Story(StoryError),
    Other(Box<dyn Fault>),
}

impl From<StoryError> for HostError {
    fn from(error: StoryError) -> Self {
        Self::Story(error)
    }
}

impl HostError {
    /// The stable name of what is the matter.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Story(error) => error.code(),
            Self::Other(fault) => match fault.exit() {
                Exit::Refused => "REFUSED",
                Exit::Conflict => "CONFLICT",
                Exit::Integrity => "INTEGRITY",
                Exit::Success | Exit::Unable | Exit::Paused | Exit::Quota => "UNABLE",
            },
        }
    }

    pub fn fault(&self) -> &dyn Fault {
        match self {
            Self::Story(error) => error,
            Self::Other(fault) => fault.as_ref(),
        }
    }
}
