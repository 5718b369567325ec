//! The judgements of `eval`: cases, checks, the gate and the report.
//!
//! A suite is data: the fields of its cases, the schemas of its artifacts, and its checks, each an
//! algorithm of [`check`] with parameters. Read→Do is the first, the judge's calibration the second.

pub mod baseline;
pub mod case;
pub mod check;
pub mod checked;
pub mod epochs;
pub mod gate;
mod information;
pub mod judge;
pub mod lexicon;
mod path;
pub mod price;
pub mod prompt;
pub mod report;
pub mod response;
mod specificity;
pub mod stub;
pub mod suite;
pub mod text;
mod verb_lead;
pub mod waiver;
mod word_lists;
mod words;
