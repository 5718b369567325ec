//! Modules of tests inside a file of Rust: `#[cfg(test)] mod tests { … }`.

use std::{collections::BTreeMap, ops::Range};

use crate::plant::{
    language::Language,
    rust::attributes,
    tree::{Source, children, parse},
};

/// The modules of tests of a file, by name, each with its attributes.
pub fn test_modules(text: &str) -> BTreeMap<String, String> {
    let found = found(text).into_iter();
    found.filter_map(|(name, range)| Some((name, text.get(range)?.to_owned()))).collect()
}

/// The file with the modules of tests of another version: they stand where its own stood, and new
/// ones at its end.
pub fn with_test_modules(product: &str, tests: &str) -> String {
    let mut wanted = test_modules(tests);
    let (mut text, mut end) = (String::with_capacity(product.len()), 0);
    for (name, range) in found(product) {
        text.push_str(product.get(end..range.start).unwrap_or_default());
        text.push_str(&wanted.remove(&name).unwrap_or_default());
        end = range.end;
    }
    text.push_str(product.get(end..).unwrap_or_default());
    for module in wanted.into_values() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&module);
        text.push('\n');
    }
    text
}

/// The modules of tests that stand at the top of a file, with their attributes.
fn found(text: &str) -> Vec<(String, Range<usize>)> {
    let Some(tree) = parse(Language::Rust, text) else { return Vec::new() };
    let source = Source { text, root: tree.root_node() };
    let items = children(source.root).into_iter();
    let modules = items.filter(|it| it.kind() == "mod_item" && has_body(*it));
    modules
        .filter(|it| attributes(source, *it).iter().any(|it| is_test_only(it)))
        .map(|it| {
            let mut start = it.start_byte();
            let mut previous = it.prev_named_sibling();
            while let Some(item) = previous.filter(|it| it.kind() == "attribute_item") {
                start = item.start_byte();
                previous = item.prev_named_sibling();
            }
            (source.field(it, "name").to_owned(), start..it.end_byte())
        })
        .collect()
}

fn has_body(module: tree_sitter::Node<'_>) -> bool {
    module.child_by_field_name("body").is_some()
}

/// `cfg(test)`, alone or as one of several that must all hold.
pub(crate) fn is_test_only(attribute: &str) -> bool {
    let condition: String = attribute.chars().filter(|it| !it.is_whitespace()).collect();
    let Some(condition) = condition.strip_prefix("cfg(").and_then(|it| it.strip_suffix(')')) else {
        return false;
    };
    let all = condition.strip_prefix("all(").and_then(|it| it.strip_suffix(')'));
    condition == "test" || all.is_some_and(|it| it.split(',').any(|it| it == "test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "pub fn a() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::a(), 2); }\n}\n";

    #[track_caller]
    fn check(product: &str, tests: &str, expected: &str) {
        assert_eq!(with_test_modules(product, tests), expected);
    }

    #[test]
    fn the_module_of_the_other_version_takes_its_place() {
        let fixed = BASE.replace("{ 1 }", "{ 2 }");
        let weak = BASE.replace(", 2", ", 1");
        check(&fixed, BASE, &fixed);
        check(&weak, BASE, BASE);
        check(&fixed, &weak, &weak.replace("{ 1 }", "{ 2 }"));
    }

    #[test]
    fn a_module_that_one_version_lacks_comes_or_goes() {
        let bare = "pub fn a() -> u8 { 1 }\n\n\n";
        check(BASE, "pub fn a() -> u8 { 1 }\n", bare);
        check("pub fn a() -> u8 { 1 }\n", BASE, &BASE.replace("\n\n#", "\n#"));
    }

    #[test]
    fn only_modules_for_tests_are_taken() {
        let names = |text| test_modules(text).into_keys().collect::<Vec<_>>();
        assert_eq!(names("#[cfg(all(test, unix))]\n#[rustfmt::skip]\nmod a { }\nmod b { }"), ["a"]);
        assert_eq!(names("#[cfg(test)]\nmod tests;\n#[cfg(not(test))]\nmod c { }"), [""; 0]);
        assert_eq!(names("#[cfg(test)]\nmod a {}\n#[cfg(test)]\nmod b {}"), ["a", "b"]);
        assert_eq!(names("fn broken( {"), [""; 0]);
    }
}
