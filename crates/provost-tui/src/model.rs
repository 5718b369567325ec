//! What is drawn: a board and a task in the language of the reader, without anything that could
//! move the cursor.

use provost_desk::task::{Action, FieldKind, Seen};
use provost_kernel::{
    Timestamp,
    task::{Running, SealStanding, TaskGroup},
};
use serde_json::{Map, Value};

use crate::strip::Standings;

/// The board as it was read last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Board {
    pub(crate) items: Vec<Item>,
    /// What could not be read, and which tasks cannot be trusted.
    pub(crate) trouble: Vec<String>,
}

/// One task of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) goal: String,
    pub(crate) group: TaskGroup,
    pub(crate) strip: Standings,
    /// Why it stands where it stands.
    pub(crate) why: String,
    /// `2/3`.
    pub(crate) tries: String,
    pub(crate) updated_at: Timestamp,
    pub(crate) running: Option<Running>,
    pub(crate) state_version: u64,
    /// Whether it waits for its turn.
    pub(crate) is_queued: bool,
}

/// Everything that is known of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detail {
    pub(crate) id: String,
    /// Row of the table, score, cost, commit.
    pub(crate) headline: Vec<String>,
    pub(crate) lines: Vec<DetailLine>,
    pub(crate) offers: Vec<Offer>,
    pub(crate) seen: Seen,
    /// The commit of the newest result.
    pub(crate) commit: Option<String>,
    pub(crate) state_version: u64,
}

/// A line about a task, and who speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DetailLine {
    pub(crate) voice: Voice,
    pub(crate) text: String,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// provost itself.
    Ruling,
    /// provost, of a fact: its seal stands in front.
    Fact(SealStanding),
    /// A command, an exit code, output.
    Evidence,
    /// What an agent, a judge or a person said.
    Claim,
    /// A heading.
    Heading,
    Plain,
}

/// Something that a person may order now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) action: Action,
    pub(crate) label: String,
    /// The same as a command to type.
    pub(crate) command: String,
    pub(crate) fields: Vec<Field>,
    /// What is known of the order already.
    pub(crate) payload: Map<String, Value>,
}

/// A part of an order that the person fills in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) is_required: bool,
    pub(crate) kind: FieldKind,
    pub(crate) max_chars: Option<usize>,
    pub(crate) choices: Vec<String>,
    pub(crate) value: String,
}

/// A change, or what a step printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paper {
    pub(crate) title: String,
    pub(crate) lines: Vec<PaperLine>,
    /// Where parts of it begin, such as files.
    pub(crate) parts: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaperLine {
    pub(crate) kind: PaperKind,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaperKind {
    Plain,
    Heading,
    Added,
    Removed,
    Dim,
}
