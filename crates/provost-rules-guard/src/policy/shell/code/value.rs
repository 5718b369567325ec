//! What an expression could be when the code runs.

use std::rc::Rc;

use super::{super::super::path_zones::UNKNOWN, expr::Function};

/// How many values are followed where a name may have several.
const MAX_SEVERAL: usize = 16;
/// The longest text that is put together.
const MAX_TEXT: usize = 1 << 16;

/// Where a value comes from, as far as that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin(u8);

impl Origin {
    /// It was put together.
    pub(super) const COMPUTED: Self = Self(1);
    /// It was decoded.
    pub(super) const DECODED: Self = Self(2);
    /// It came over the network.
    pub(super) const FETCHED: Self = Self(4);
    /// It holds all variables of the environment.
    pub(super) const ENVIRONMENT: Self = Self(8);
    /// It was read from a file outside the project.
    pub(super) const FILE: Self = Self(16);
    /// It is given by whoever calls, and nobody in this code does.
    pub(super) const CALLER: Self = Self(32);

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Unknown(Origin),
    /// A text or a path, with marks for what is not known of it.
    Text(String, Origin),
    Number(i64),
    List(Vec<Self>),
    Dict(Vec<(String, Self)>),
    /// Something with a name in the language or its libraries: `os.system`.
    Known(String),
    Function(Rc<Function>),
    Several(Vec<Self>),
}

impl Value {
    pub(super) const NOTHING: Self = Self::Unknown(Origin(0));

    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned(), Origin::default())
    }

    pub(super) fn built(text: String, origin: Origin) -> Self {
        if text.len() > MAX_TEXT {
            return Self::Unknown(origin.and(Origin::COMPUTED));
        }
        Self::Text(text, origin.and(Origin::COMPUTED))
    }

    /// What is known of its origin, parts included.
    pub(super) fn origin(&self) -> Origin {
        match self {
            Self::Unknown(origin) | Self::Text(_, origin) => *origin,
            Self::List(all) | Self::Several(all) => origin_of(all),
            Self::Dict(all) => {
                all.iter().fold(Origin::default(), |sum, (_, it)| sum.and(it.origin()))
            }
            Self::Known(name) if is_environment(name) => Origin::ENVIRONMENT,
            Self::Known(_) | Self::Number(_) | Self::Function(_) => Origin::default(),
        }
    }

    /// The same with more said of its origin.
    pub(super) fn with(self, more: Origin) -> Self {
        match self {
            Self::Unknown(origin) => Self::Unknown(origin.and(more)),
            Self::Text(text, origin) => Self::Text(text, origin.and(more)),
            Self::List(all) => Self::List(all.into_iter().map(|it| it.with(more)).collect()),
            Self::Several(all) => Self::Several(all.into_iter().map(|it| it.with(more)).collect()),
            Self::Number(_) | Self::Dict(_) | Self::Known(_) | Self::Function(_) => self,
        }
    }

    /// One of several values.
    pub(super) fn either(all: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for it in all {
            match it {
                Self::Several(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() > MAX_SEVERAL {
            // What is left out is unknown, and says so.
            let rest = origin_of(flat.get(MAX_SEVERAL..).unwrap_or_default());
            flat.truncate(MAX_SEVERAL);
            flat.push(Self::Unknown(rest));
        }
        match flat.len() {
            0 => Self::NOTHING,
            1 => flat.remove(0),
            _ => Self::Several(flat),
        }
    }

    /// Each value that it could be.
    pub(super) fn options(&self) -> &[Self] {
        match self {
            Self::Several(all) => all,
            Self::Unknown(_)
            | Self::Text(..)
            | Self::Number(_)
            | Self::List(_)
            | Self::Dict(_)
            | Self::Known(_)
            | Self::Function(_) => std::slice::from_ref(self),
        }
    }

    /// The texts that it could be, those of a list one by one; marks stand for what is not known.
    pub(super) fn texts(&self) -> Vec<(String, Origin)> {
        match self {
            Self::Text(text, origin) => vec![(text.clone(), *origin)],
            Self::Number(number) => vec![(number.to_string(), Origin::default())],
            Self::List(all) | Self::Several(all) => all.iter().flat_map(Self::texts).collect(),
            Self::Dict(all) => all.iter().flat_map(|(_, it)| it.texts()).collect(),
            Self::Known(name) if name == "None" => Vec::new(),
            Self::Unknown(_) | Self::Known(_) | Self::Function(_) => {
                vec![(UNKNOWN.to_string(), self.origin())]
            }
        }
    }

    /// As one text in a row with others.
    pub(super) fn piece(&self) -> (String, Origin) {
        match self {
            Self::Text(text, origin) => (text.clone(), *origin),
            Self::Number(number) => (number.to_string(), Origin::default()),
            Self::Unknown(_)
            | Self::List(_)
            | Self::Dict(_)
            | Self::Known(_)
            | Self::Function(_)
            | Self::Several(_) => (UNKNOWN.to_string(), self.origin()),
        }
    }

    /// The single known text.
    pub(super) fn known_text(&self) -> Option<&str> {
        match self {
            Self::Text(text, _) if !text.contains(UNKNOWN) => Some(text),
            Self::Unknown(_)
            | Self::Text(..)
            | Self::Number(_)
            | Self::List(_)
            | Self::Dict(_)
            | Self::Known(_)
            | Self::Function(_)
            | Self::Several(_) => None,
        }
    }

    /// The members of a list, or the value alone.
    pub(super) fn members(&self) -> Option<&[Self]> {
        match self {
            Self::List(all) => Some(all),
            Self::Unknown(_)
            | Self::Text(..)
            | Self::Number(_)
            | Self::Dict(_)
            | Self::Known(_)
            | Self::Function(_)
            | Self::Several(_) => None,
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Dict(all) => all.iter().rev().find(|(it, _)| it == key).map(|(_, it)| it),
            Self::Unknown(_)
            | Self::Text(..)
            | Self::Number(_)
            | Self::List(_)
            | Self::Known(_)
            | Self::Function(_)
            | Self::Several(_) => None,
        }
    }
}

pub(super) fn origin_of(all: &[Value]) -> Origin {
    all.iter().fold(Origin::default(), |sum, it| sum.and(it.origin()))
}

/// Texts in a row; where one could be several, so can the whole.
pub(super) fn join(parts: &[Value], between: &str) -> Value {
    let mut wholes: Vec<(String, Origin)> = vec![(String::new(), Origin::default())];
    for (at, part) in parts.iter().enumerate() {
        let sign = if at == 0 { "" } else { between };
        let mut next = Vec::new();
        for (text, origin) in &wholes {
            for option in part.options().iter().take(MAX_SEVERAL) {
                let (piece, from) = option.piece();
                if text.len() + piece.len() > MAX_TEXT {
                    return Value::Unknown(origin_of(parts).and(Origin::COMPUTED));
                }
                next.push((format!("{text}{sign}{piece}"), origin.and(from)));
            }
        }
        if next.len() > MAX_SEVERAL {
            // Too many to follow: this part is taken as unknown.
            let from = part.origin();
            next = wholes
                .iter()
                .map(|(text, origin)| (format!("{text}{sign}{UNKNOWN}"), origin.and(from)))
                .collect();
        }
        wholes = next;
    }
    Value::either(wholes.into_iter().map(|(text, origin)| Value::built(text, origin)))
}

/// All variables at once.
pub(super) fn is_environment(name: &str) -> bool {
    matches!(
        name,
        "os.environ" | "os.environb" | "process.env" | "ENV" | "%ENV" | "Deno.env" | "Bun.env"
    )
}
