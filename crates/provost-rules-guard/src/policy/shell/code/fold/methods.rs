//! What the methods of a value give back.

use super::{
    super::{
        super::super::path_zones::ANY,
        call::Given,
        deed::Verb,
        machine::{Machine, picked},
        parse::Language,
        value::{Origin, Value, join},
    },
    texts::{backwards, changed, replaced, split},
};

/// Methods that give back what they belong to.
const SAME_METHODS: &[&str] = &[
    "absolute",
    "as_posix",
    "chomp",
    "cleanpath",
    "compact",
    "decode",
    "encode",
    "expand_path",
    "expanduser",
    "flat",
    "flatten",
    "force_encoding",
    "freeze",
    "resolve",
    "reverse.list",
    "rstrip",
    "lstrip",
    "sort",
    "sorted",
    "strip",
    "dup",
    "then.value",
    "toString",
    "to_a",
    "to_s",
    "to_path",
    "to_str",
    "to_sym",
    "toArray",
    "trim",
    "uniq",
    "valueOf",
    "with_suffix",
    "realpath",
    "shift.list",
    "__str__",
    "tr.none",
    "unicode_normalize",
];

impl Machine<'_> {
    /// What a method of a value gives back.
    pub(in super::super) fn fold_method(
        &mut self,
        of: &Value,
        method: &str,
        given: &Given,
    ) -> Option<Value> {
        let is_text = matches!(of, Value::Text(..));
        let first = given.at(0);
        let value = match method {
            // `Buffer.from(x, 'base64').toString()` was decoded when it was made.
            _ if SAME_METHODS.contains(&method) && !matches!(of, Value::Dict(_)) => of.clone(),
            "join" => match (of.members(), first.members()) {
                (Some(all), _) => join(
                    all,
                    first.known_text().unwrap_or(if self.language == Language::JavaScript {
                        ","
                    } else {
                        ""
                    }),
                ),
                (None, Some(all)) if is_text => join(all, of.known_text().unwrap_or_default()),
                // A path of ruby.
                _ if is_text && first.known_text().is_some() => {
                    self.paths(&[vec![of.clone()], given.values.clone()].concat())
                }
                _ => Value::Unknown(of.origin().and(given.origin()).and(Origin::COMPUTED)),
            },
            "joinpath" | "+" | "/" => {
                self.paths(&[vec![of.clone()], given.values.clone()].concat())
            }
            "concat" if is_text => join(&[vec![of.clone()], given.values.clone()].concat(), ""),
            "concat" => match (of.members(), first.members()) {
                (Some(one), Some(two)) => Value::List([one, two].concat()),
                _ => Value::Unknown(of.origin().and(given.origin())),
            },
            "format" if is_text => self.braced(of, given),
            "replace" | "replaceAll" | "sub" | "gsub" | "tr" if is_text => {
                replaced(of, &first, &given.at(1))
            }
            "lower" | "toLowerCase" | "downcase" | "casefold" if is_text => {
                changed(of, str::to_lowercase)
            }
            "upper" | "toUpperCase" | "upcase" | "swapcase" if is_text => {
                changed(of, str::to_uppercase)
            }
            "reverse" => backwards(of),
            "split" if is_text => split(of, &first),
            "glob" | "rglob" if is_text => {
                let deep = if method == "rglob" { format!("{ANY}{ANY}/") } else { String::new() };
                let (pattern, origin) = first.piece();
                let whole =
                    join(&[of.clone(), Value::Text(format!("{deep}{pattern}"), origin)], "/");
                self.listing(&whole, false)
            }
            "iterdir" | "children" | "each_child" | "entries" if is_text => {
                let found = self.listing(of, true);
                self.with_blocks(given, found)
            }
            "with_name" | "with_stem" if is_text => {
                join(&[of.clone(), Value::text(".."), first], "/")
            }
            "filter" | "select" | "reject" | "grep" | "find_all" | "findAll" => {
                self.over(of, given);
                picked(of.clone())
            }
            "forEach" | "map" | "each" | "flatMap" | "collect" | "flat_map" | "each_with_index"
            | "some" | "every" | "each_entry" | "for_each" | "each_line" | "imap" => {
                return Some(self.over(of, given));
            }
            "then" | "tap" | "yield_self" | "pipe" | "finally" | "catch" => {
                return Some(self.over_value(of, given));
            }
            "send" | "public_send" | "__send__" | "method" => self.sent(Some(of), method, given),
            "write" | "end" if of.origin().has(Origin::FETCHED) => {
                self.note(Verb::Send, &first);
                Value::NOTHING
            }
            "call" => return None,
            "parse_args" | "parse_known_args" => Value::Unknown(self.asked()),
            "pop" | "first" | "last" | "at" | "shift" => match of.members() {
                Some(all) => Value::either(all.iter().cloned()),
                None => return None,
            },
            "slice" | "substring" | "substr" | "padStart" if is_text => {
                Value::Unknown(of.origin().and(Origin::COMPUTED))
            }
            "constantize" | "constructor" => Value::Known("Function".to_owned()),
            _ => return None,
        };
        Some(value)
    }
}
