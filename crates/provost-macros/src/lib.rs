//! `#[derive(Message)]`: a type whose texts in English and Chinese stand beside its variants.
//!
//! The derive checks at compile time that both languages use the same arguments, and that every
//! argument exists. What it generates returns data; only a surface renders it.

mod attribute;
mod expand;
mod template;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `provost_kernel::Message` and registers the templates in the catalogue.
///
/// On the type: `code = "prefix"` (required), `exit = Variant` (the default of all variants).
///
/// On a variant, or on a struct itself:
/// - `en = "…"`, `zh = "…"`: the texts. `{field}` inserts an argument, `{0}` one of a tuple,
///   `{n:one|many}` chooses by a count, `{list:names}` quotes the items in backticks,
///   `{list:clauses}` separates them by semicolons, `{x:?}` quotes a text, `{{` is a brace.
/// - `hint(en = "…", zh = "…", when = condition)`: what to do about it; may be repeated.
/// - `arg(name = expression)`: an argument that is computed from the fields.
/// - `code = "…"`: replaces the name of the variant in the code.
/// - `exit = Variant`: the exit code.
/// - `inherit = field`: hints and causes (where there are none of its own) and the exit code are
///   the field's.
/// - `findings = field`: the list of findings that the field holds.
/// - `transparent`: text, hints and exit code are those of the only field.
#[proc_macro_derive(Message, attributes(message))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
