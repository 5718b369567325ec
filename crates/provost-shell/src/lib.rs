//! What a command line really does.
//!
//! [`parse`] reads a text as a shell would (POSIX `sh` and the common forms of `bash`) and lists
//! every program that could run: behind quotes, substitutions, pipes, here-documents, prefixes
//! such as `env` or `timeout`, and inside `bash -c`, `eval` and `ssh`. What it cannot understand
//! is an [`Opaque`] item, never dropped, so that a caller can fail closed. The parser is total:
//! it never panics, its work is linear in the text, and its depth is bounded. It judges nothing;
//! whether a line gains another user's rights, which [`privilege`] says, stands on the parse alone.

mod ansi;
mod assignment;
mod brace;
mod call;
mod compound;
mod dollar;
mod draft;
mod evaluated;
mod expand;
mod heredoc;
mod launch;
mod lexer;
mod options;
mod parser;
mod privilege;
mod program;
mod redirect;
mod resolve;
mod scope;
mod stdin;
mod sum;
mod word;
mod written;

use std::ops::Range;

pub use privilege::{Privilege, privilege};
pub use program::{
    DeleteKind, Family, ProcessKind, Program, RemoteKind, SystemKind, Trait, Writes,
};
pub use word::{Hole, Part, Word};

/// The longest text that is read, in bytes; a longer one is opaque as a whole.
pub const MAX_LEN: usize = 1 << 20;

/// Everything that a text could run, flattened, in the order in which it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub invocations: Vec<Invocation>,
    /// Which invocations write into which.
    pub pipes: Vec<Pipe>,
    /// What could not be understood. A caller that protects something fails closed on these.
    pub opaque: Vec<Opaque>,
}

/// One program that could run, or bare assignments and redirections without a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments, assignments taken off.
    pub words: Vec<Word>,
    /// The same with each value that the text gives to the variables among the arguments, where
    /// it gives several: `rm a` and `rm b` for `for x in a b; do rm $x; done`. Where a variable
    /// may have other values too, the words as they are stand among them. Empty where there is
    /// only one reading, or where each stands in the list by itself.
    pub readings: Vec<Vec<Word>>,
    /// The assignments before the program, such as `LANG=C`.
    pub assignments: Vec<Assignment>,
    pub redirects: Vec<Redirect>,
    /// Code in another language, handed over on the command line (`python -c`).
    pub inline: Option<Inline>,
    /// What stands around it.
    pub place: Place,
    /// How it follows what stands before it.
    pub join: Join,
    /// Where it begins in the text, in bytes: where the outermost command does whose code it is in.
    pub at: usize,
    /// Which command of the text it comes from, by its number: one may become several.
    pub part: usize,
    /// The invocation that starts this one: `env` for the `ls` in `env ls`.
    pub launched_by: Option<usize>,
    /// Whether it starts other invocations of this list, so that it is itself only a prefix.
    pub is_prefix: bool,
    /// Whether it starts another program whose place among the words could only be guessed.
    pub is_uncertain: bool,
}

/// A variable that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
}

/// A redirection, with the file or text that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor as written, if one is.
    pub descriptor: Option<u32>,
    pub kind: RedirectKind,
    /// The file, the descriptor, or the text of a here-document.
    pub target: Word,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`, `>&` with a file
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `>&1`, `<&0`, `>&-`
    Duplicate,
    /// `<<`
    HereDocument,
    /// `<<<`
    HereString,
}

/// Code in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    /// The interpreter without its version, such as `python`.
    pub language: String,
    pub code: Word,
}

/// What stands directly around a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing: it runs when the text runs.
    Script,
    /// `( … )`
    Subshell,
    /// `{ … }`
    Group,
    /// `if`, `elif`, `else`, `case`
    Branch,
    /// `for`, `while`, `until`, `select`
    Loop,
    /// The body of a function
    Function,
    /// `$( … )` or backquotes
    Substitution,
    /// `<( … )` or `>( … )`
    Process,
}

/// How a command follows what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// It is the first of its list, or stands after `;` or a new line.
    Sequence,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `&`: what stands before it still runs.
    Background,
}

/// Some invocations write into others, through `|`, `<( … )` or `>( … )`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipe {
    pub from: Range<usize>,
    pub to: Range<usize>,
}

/// A part of the text that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    pub reason: Reason,
    /// The text concerned, as written.
    pub text: String,
}

/// Why a part of a text is opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The name of a program is computed: `$(pick) x`, `/usr/bin/s*o x`.
    Name,
    /// The name of a program is in a variable that the text does not set: `$CC x.c`.
    Variable,
    /// Shell code is computed: `bash -c "$x"`.
    Code,
    /// Shell code is read from a pipe, or from an input that is not in the text.
    Input,
    /// The code is in another language: `python -c …`.
    Foreign,
    /// A file is run that the text itself has written.
    Written,
    /// This is not a shell text, or shells disagree about it.
    Syntax,
    /// A here-document has no end, or shells disagree about where it ends.
    HereDocument,
    /// The text is longer than [`MAX_LEN`].
    TooLong,
    /// The text is nested too deeply.
    TooDeep,
    /// The text repeats itself so much that following it would take too long.
    TooMuch,
}

/// Reads a text as a shell would.
pub fn parse(text: &str) -> Script {
    expand::Expander::through(text)
}

/// Reads an argument vector, which no shell splits, and looks into `sh -c`, `env` and so on.
pub fn parse_argv<S: AsRef<str>>(argv: &[S]) -> Script {
    expand::Expander::through_argv(argv)
}

impl Script {
    /// The invocations that do the work, prefixes such as `env` taken off.
    pub fn programs(&self) -> impl Iterator<Item = &Invocation> {
        self.invocations.iter().filter(|it| !it.is_prefix && !it.words.is_empty())
    }

    /// The invocations whose output can reach the input of this one, through any number of pipes.
    pub fn feeders(&self, index: usize) -> Vec<usize> {
        let mut reached = vec![false; self.invocations.len()];
        let mut open: Vec<&Pipe> = self.pipes.iter().rev().collect();
        // A pipe stands after the pipes that it can be fed by, except where `>( … )` turns the
        // order round; so the number of rounds is bounded by how deep those are nested.
        loop {
            let before = open.len();
            open.retain(|pipe| {
                let feeds = pipe.to.clone().any(|to| to == index || reached.get(to) == Some(&true));
                if feeds {
                    reached.iter_mut().take(pipe.from.end).skip(pipe.from.start).for_each(|it| {
                        *it = true;
                    });
                }
                !feeds
            });
            if open.len() == before {
                break;
            }
        }
        reached.iter().enumerate().filter(|(_, it)| **it).map(|(at, _)| at).collect()
    }
}

impl Invocation {
    /// The program's name without its folder, if it is known: `sudo` for `/usr/bin/sudo`.
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::base_name)
    }

    /// What stands after the program.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The invocation as a person may read it, with `…` for what is not known.
    pub fn shown(&self) -> String {
        let assigned = self.assignments.iter().map(|it| format!("{}={}", it.name, it.value));
        assigned.chain(self.words.iter().map(Word::to_string)).collect::<Vec<_>>().join(" ")
    }
}
