//! What the parser writes down before anything is resolved.
//!
//! A draft is one simple command as written. Its words are lists of pieces, in which parameters
//! are still names: what they stand for is only known when the whole text has been read.

use std::{ops::Range, rc::Rc};

use super::{Join, Opaque, Place, Reason, RedirectKind, scope::Scope, word::Hole};

/// The deepest nesting that is followed.
pub(super) const MAX_DEPTH: u8 = 40;

/// A word, or a text with expansions in it, as written.
pub(super) type Pieces = Vec<Piece>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text {
        text: String,
        quoted: bool,
    },
    Hole {
        hole: Hole,
        quoted: bool,
    },
    Parameter(Box<Parameter>),
    /// `{`, `,` or `}` that may belong to a brace expansion
    Mark(char),
}

/// `$name` or `${name…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) index: Index,
    pub(super) change: Change,
    pub(super) quoted: bool,
}

/// Which element of an array a parameter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    None,
    All,
    At(usize),
    /// It is computed, or a key.
    Other,
}

/// What a parameter expansion does with the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// `${x:-word}`: the word if there is no value
    Default(Pieces),
    /// `${x:=word}`: the same, and the variable keeps it
    Assign(Pieces),
    /// `${x:+word}`: the word if there is a value
    Alternate(Pieces),
    /// Anything else: the result is not known.
    Other,
}

/// One simple command, or the redirections of a compound one.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) assignments: Vec<DraftAssignment>,
    pub(super) words: Vec<Pieces>,
    pub(super) redirects: Vec<DraftRedirect>,
    /// The text as written, without the bodies of here-documents.
    pub(super) raw: String,
    pub(super) scene: Scene,
    /// The drafts inside `<( … )` and `>( … )` among its words.
    pub(super) processes: Vec<Process>,
}

/// Where a draft stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub(super) place: Place,
    pub(super) join: Join,
    /// The function whose body this is in, by its number.
    pub(super) function: Option<usize>,
    /// Where its standard input comes from, if the text says so.
    pub(super) feed: Option<usize>,
    /// Whether it may not run at all, or runs in a shell of its own.
    pub(super) is_conditional: bool,
    pub(super) depth: u8,
    /// Where it begins in the outermost text.
    pub(super) at: usize,
    /// Whether it is in a text of its own, such as a here-document: `at` is where that begins.
    pub(super) is_inner: bool,
}

#[derive(Clone, Debug)]
pub(super) struct DraftAssignment {
    pub(super) name: String,
    pub(super) value: Value,
    /// `+=`
    pub(super) appends: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    One(Pieces),
    List(Vec<Pieces>),
}

#[derive(Clone, Debug)]
pub(super) struct DraftRedirect {
    pub(super) descriptor: Option<u32>,
    pub(super) kind: RedirectKind,
    pub(super) target: Target,
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    Word(Pieces),
    /// The body of a here-document, by its number: it stands after the line.
    Body(usize),
}

/// A process substitution.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) drafts: Range<usize>,
    /// `<( … )` is read from, `>( … )` is written to.
    pub(super) is_read: bool,
}

/// Where the standard input of some drafts comes from.
#[derive(Clone, Debug)]
pub(super) enum Feed {
    /// From the drafts of the stage before; the pipeline begins at `pipeline`.
    Pipe { pipeline: usize, from: Range<usize>, to: Range<usize> },
    /// From a redirection of the compound command around them: that draft has it.
    Redirect { draft: usize },
}

/// Everything that has been read so far.
#[derive(Debug)]
pub(super) struct Drafts {
    pub(super) list: Vec<Rc<Draft>>,
    pub(super) feeds: Vec<Feed>,
    pub(super) bodies: Vec<Rc<Pieces>>,
    pub(super) scope: Scope,
    pub(super) opaque: Vec<Opaque>,
    budget: usize,
}

impl Drafts {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            list: Vec::new(),
            feeds: Vec::new(),
            bodies: Vec::new(),
            scope: Scope::default(),
            opaque: Vec::new(),
            budget,
        }
    }

    /// Pays for work that the length of the text does not bound; says whether it may be done.
    pub(super) fn charge(&mut self, bytes: usize) -> bool {
        let is_enough = bytes < self.budget;
        self.budget = self.budget.saturating_sub(bytes);
        is_enough
    }

    /// What is left to pay with.
    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    pub(super) fn is_spent(&self) -> bool {
        self.budget == 0
    }

    pub(super) fn push_opaque(&mut self, reason: Reason, text: &str) {
        let is_known =
            self.opaque.iter().rev().take(8).any(|it| it.reason == reason && it.text == text);
        if !is_known && self.charge(text.len() + 32) {
            self.opaque.push(Opaque { reason, text: text.to_owned() });
        }
    }
}

impl Scene {
    /// Where a text begins.
    pub(super) fn outermost(depth: u8) -> Self {
        Self {
            place: Place::Script,
            join: Join::Sequence,
            function: None,
            feed: None,
            is_conditional: false,
            depth,
            at: 0,
            is_inner: false,
        }
    }
}

/// Whether a name is that of an argument: `@`, `*`, or a number.
pub(super) fn is_positional(name: &str) -> bool {
    matches!(name, "@" | "*") || (!name.is_empty() && name.bytes().all(|it| it.is_ascii_digit()))
}

/// The text of a word in which nothing is open and nothing is quoted, as reserved words need it.
pub(super) fn bare_text(pieces: &[Piece]) -> Option<&str> {
    match pieces {
        [Piece::Text { text, quoted: false }] => Some(text),
        _ => None,
    }
}

/// The text of a word in which nothing is open.
pub(super) fn static_text(pieces: &[Piece]) -> Option<String> {
    let mut whole = String::new();
    for piece in pieces {
        match piece {
            Piece::Text { text, .. } => whole.push_str(text),
            Piece::Mark(mark) => whole.push(*mark),
            Piece::Hole { .. } | Piece::Parameter(_) => return None,
        }
    }
    Some(whole)
}

/// Adds text to a word, to its last piece if that is of the same kind.
pub(super) fn push_text(pieces: &mut Pieces, added: &str, is_quoted: bool) {
    match pieces.last_mut() {
        Some(Piece::Text { text, quoted }) if *quoted == is_quoted => text.push_str(added),
        _ => pieces.push(Piece::Text { text: added.to_owned(), quoted: is_quoted }),
    }
}

/// The names of the parameters in some pieces.
pub(super) fn name_parameters(pieces: &[Piece], names: &mut Vec<String>) {
    for piece in pieces {
        let Piece::Parameter(it) = piece else { continue };
        if !names.contains(&it.name) && names.len() < 16 {
            names.push(it.name.clone());
        }
        match &it.change {
            Change::None | Change::Other => {}
            Change::Default(word) | Change::Assign(word) | Change::Alternate(word) => {
                name_parameters(word, names);
            }
        }
    }
}

impl Value {
    pub(super) fn name_parameters(&self, names: &mut Vec<String>) {
        match self {
            Self::One(pieces) => name_parameters(pieces, names),
            Self::List(list) => list.iter().for_each(|it| name_parameters(it, names)),
        }
    }
}

/// How much room pieces take, for the budget.
pub(super) fn cost(pieces: &[Piece]) -> usize {
    pieces
        .iter()
        .map(|it| match it {
            Piece::Text { text, .. } => text.len() + 16,
            Piece::Hole { .. } | Piece::Mark(_) => 16,
            Piece::Parameter(it) => {
                it.name.len()
                    + match &it.change {
                        Change::None | Change::Other => 32,
                        Change::Default(word) | Change::Assign(word) | Change::Alternate(word) => {
                            32 + cost(word)
                        }
                    }
            }
        })
        .sum()
}
