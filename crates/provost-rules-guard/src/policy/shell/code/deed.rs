//! What a code does.

use super::value::Origin;

/// One thing that a code does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Deed {
    pub(super) verb: Verb,
    /// What it is done with, with marks for what is not known.
    pub(super) words: Vec<(String, Origin)>,
    /// The folder that the code is in, if that is known.
    pub(super) folder: Option<String>,
    /// Whether it is done with some of the names that were listed, and not with all.
    pub(super) is_picked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Delete,
    /// Taken away from where it was.
    Move,
    Write,
    /// Filled with what an archive has in it.
    Unpack,
    /// Goes on under a second name.
    Link,
    Read,
    /// A line for a shell.
    Line,
    /// A program with its words.
    Words,
    /// Code of the same language.
    Code,
    /// Statements for a database.
    Statement,
    Fetch,
    /// A path, and what is written to it.
    Content,
    /// Leaves the machine.
    Send,
    /// Is given to a call that nothing is known of.
    Give,
    /// The same, to one that changes things by its name.
    GiveToWriter,
    /// A call whose name is put together.
    Hide,
    /// A socket, or one side of a connection in the place of another.
    Connect,
    Redirect,
    /// Another process, in a loop without an end.
    Fork,
    /// The rights of another user.
    Become,
}
