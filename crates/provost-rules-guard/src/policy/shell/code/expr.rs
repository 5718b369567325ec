//! What the languages have in common: one small tree that each of them is translated into.
//!
//! Everything is an expression. What has no meaning for the judgement is [`Expr::Other`], whose
//! parts are still looked at.

use std::{fmt, rc::Rc};

/// A piece of code.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Text(String),
    Number(i64),
    Name(String),
    /// A name that does not depend on what the code calls it: a module, or what is imported.
    Known(String),
    /// `a.b`
    Member(Box<Self>, String),
    /// `a[b]`
    Index(Box<Self>, Box<Self>),
    Call(Box<Call>),
    /// Parts in a row, as text: `a + b`, templates.
    Joined(Vec<Self>),
    /// `a / b`
    Slash(Box<Self>, Box<Self>),
    /// `'%s' % a`
    Format(Box<Self>, Box<Self>),
    List(Vec<Self>),
    Dict(Vec<(Self, Self)>),
    Function(Rc<Function>),
    /// A class, or a module: what is bound in it stays bound.
    Class(Vec<Self>),
    Assign {
        to: Box<Self>,
        value: Box<Self>,
    },
    /// `a += b`, `a << b`
    Append {
        to: Box<Self>,
        value: Box<Self>,
    },
    /// A loop over values, or a list that is made by one.
    Each {
        item: Box<Self>,
        of: Box<Self>,
        picks: bool,
        body: Box<Self>,
    },
    /// `while`; endless if nothing but its body ends it.
    Loop {
        is_endless: bool,
        body: Vec<Self>,
    },
    /// A part that may or may not run. `picks` if its condition looks at a text, `leaves` if what
    /// follows runs only where it did not.
    Branch {
        condition: Box<Self>,
        picks: bool,
        leaves: bool,
        body: Vec<Self>,
    },
    /// One of several values.
    Either(Vec<Self>),
    /// One after the other; the value of the last.
    Block(Vec<Self>),
    Return(Box<Self>),
    Spread(Box<Self>),
    /// Backquotes.
    Shell(Box<Self>),
    /// Anything else.
    Other(Vec<Self>),
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: Expr,
    pub(super) arguments: Vec<Argument>,
}

/// What is given to a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) value: Expr,
}

/// A function with or without a name.
#[derive(Clone)]
pub(super) struct Function {
    /// Its place in the code, by which it is known.
    pub(super) at: usize,
    pub(super) parameters: Vec<Expr>,
    pub(super) body: Vec<Expr>,
}

/// A function is known by its place; all that is in it would be as long as the code.
impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Expr {
    pub(super) fn none() -> Self {
        Self::Other(Vec::new())
    }

    pub(super) fn name(name: &str) -> Self {
        Self::Name(name.to_owned())
    }

    pub(super) fn assign(to: Self, value: Self) -> Self {
        Self::Assign { to: Box::new(to), value: Box::new(value) }
    }

    pub(super) fn member(of: Self, name: &str) -> Self {
        Self::Member(Box::new(of), name.to_owned())
    }

    pub(super) fn call(callee: Self, values: Vec<Self>) -> Self {
        let arguments = values.into_iter().map(|value| Argument { name: None, value }).collect();
        Self::Call(Box::new(Call { callee, arguments }))
    }
}
