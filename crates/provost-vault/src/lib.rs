//! Crash-safe files.
//!
//! Only this crate writes under a provost home. A reader sees the old file or the new one, never
//! a part of either, whatever instant the machine stops at; a line that was acknowledged is
//! there after a power cut; and no path leads out of its root, because [`Location`]s come from
//! [`Layout`] alone and are walked without following a symbolic link.

mod atomic;
pub mod audit;
mod capture;
mod clock;
#[cfg(test)]
mod crash;
mod disk;
mod error;
#[cfg(unix)]
pub mod eval;
mod follow;
#[cfg(unix)]
mod foreign;
pub mod guard;
mod home;
pub mod layer;
mod layout;
pub mod learn;
mod location;
pub mod lock;
mod log;
pub mod notify;
mod process;
mod read;
mod remote;
mod replace;
pub mod requests;
mod retention;
mod session;
mod stamp;
pub mod story;
pub mod task;
mod task_names;
mod token;
mod tracking;
mod work;

pub use atomic::{FolderSync, Written, write_atomic, write_json, write_record};
pub use capture::{open_capture, settle_captures};
pub use clock::SystemClock;
pub use disk::sim;
pub use disk::{Disk, Kind, RealDisk, Stat};
pub use error::{Action, FileError};
#[cfg(unix)]
pub use foreign::{ForeignError, ForeignFile, remove_folders};
pub use home::{HomeError, inspect_home, prepare_home, private_folders};
#[cfg(unix)]
pub use home::{make_home_private, make_private};
pub use layout::{AttemptFile, LayerPart, Layout, Scratch, Step, StepFile, WorkPlace};
pub use location::Location;
pub use log::{Durable, Lines, Log, Records, last_line, lines, read_records};
pub use process::ProcessIdentity;
pub use read::{Corruption, Stored, read_json, read_or_quarantine, read_record};
pub use remote::{RemoteOrders, modify_remote_orders};
pub use replace::{RetryPolicy, is_held_by_another};
pub use retention::{Expired, Retention, Swept, Why, sweep, sweep_replays, sweep_stories};
pub use session::{
    FoundTranscript, find_transcript, forget_session, keep_record, keep_session, kept_record,
    kept_transcript, work_path,
};
pub use stamp::Stamp;
pub use token::{KeptToken, draw_key, mcp_token};
pub use tracking::{PATIENCE, TrackingError, modify_tracked};
pub use work::{
    is_present, make_folder, make_work_folder, remove, remove_empty, set_aside, work_apart,
    work_below, work_part,
};
