//! One strict reader for documents that come from outside.
//!
//! A [`Form`] is a parsed document: JSON, TOML, or a value without a text. A [`Table`] reads its
//! fields by [`Shape`] and collects what is wrong as [`Problem`]s, each with its path and line.
//! Problems are data; the caller chooses codes, severity, and what becomes of unknown keys.
//!
//! ```
//! use provost_form::{Form, Limits, ProblemKind, Problems, list, text, whole};
//!
//! let bytes = br#"{"name": "a", "retires": 3}"#;
//! let form = Form::json(bytes, Limits { bytes: 1024, depth: 8 })?;
//! let problems = Problems::<ProblemKind>::default();
//! if let Some(mut table) = form.table(&problems) {
//!     let _name = table.required("name", text().line().max(120));
//!     let _retries = table.optional("retries", whole(0..=5_u32)).unwrap_or(2);
//!     let _paths = table.optional("paths", list(text().line())).unwrap_or_default();
//!     table.finish();
//! }
//! let problems = problems.into_vec();
//! assert_eq!(problems[0].to_string(), "line 1: `retires`: unknown key, did you mean `retries`?");
//! # Ok::<(), provost_form::Problem>(())
//! ```

mod document;
pub mod json;
mod line;
pub mod nearest;
mod path;
mod problem;
mod shape;
mod table;

pub use document::Form;
pub use json::Limits;
pub use path::{Path, Step};
pub use problem::{
    Bounds, Expected, Invalid, Problem, ProblemClass, ProblemKind, Problems, TomlError,
};
pub use shape::{
    AndThen, Choice, Decoded, Exact, Flag, List, Number, OneOrMore, Shape, Steps, Text, Whole,
    Word, choice, decimal, decoded, flag, list, number, one_or_more, steps, text, whole, word,
};
pub use table::{Field, Table, UnknownKey};

#[cfg(test)]
mod tests;
