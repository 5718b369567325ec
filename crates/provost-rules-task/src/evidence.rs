//! The evidence of a change, as a judge gets it.

mod name;

pub use self::name::file_name;
