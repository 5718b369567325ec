//! Tables of sources and their plants, by language, and what holds for all of them.

mod go;
mod javascript;
mod properties;
mod python;
mod rust;

use super::*;

/// The sites of a file: names, line, `!` for an inverted one, `=` for one with a literal.
#[track_caller]
fn check_sites(path: &str, text: &str, expected: &[&str]) {
    let found: Vec<String> = sites(path, text)
        .unwrap()
        .into_iter()
        .map(|it| {
            let inverted = if it.is_inverted { " !" } else { "" };
            let literal = if it.has_literal { " =" } else { "" };
            format!("{}:{}{inverted}{literal}", it.id, it.line)
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// What becomes of a file when every test in it gets the plant.
#[track_caller]
fn check(path: &str, plant: Plant, text: &str, expected: &str) {
    let plants: Vec<_> = sites(path, text).unwrap().into_iter().map(|it| (it.id, plant)).collect();
    assert!(!plants.is_empty(), "no test found in: {text}");
    let planted = apply(path, text, &plants);
    assert_eq!(planted.refused, [], "{text}");
    assert_eq!(planted.text, expected);
}

/// Why the tests of a file get no plant.
#[track_caller]
fn check_refused(path: &str, plant: Plant, text: &str, expected: &[Refusal]) {
    let plants: Vec<_> = sites(path, text).unwrap().into_iter().map(|it| (it.id, plant)).collect();
    let planted = apply(path, text, &plants);
    assert_eq!(planted.text, text);
    assert_eq!(planted.refused.into_iter().map(|it| it.1).collect::<Vec<_>>(), expected);
}

#[test]
fn only_the_named_tests_are_planted() {
    let text = "def test_a():\n    f()\n\ndef test_b():\n    g()\n";
    let id = |name: &str| TestId(vec![name.to_owned()]);
    let planted =
        apply("test_x.py", text, &[(id("test_b"), Plant::Failure), (id("test_c"), Plant::Failure)]);
    assert_eq!(
        planted.text,
        "def test_a():\n    f()\n\ndef test_b():\n    assert 1 == 2\n    g()\n"
    );
    assert_eq!(planted.refused, [(id("test_c"), Refusal::NotFound)]);
}

#[test]
fn a_language_without_plants_is_left_alone() {
    assert_eq!(sites("test_x.rb", "def test_a; end"), None);
    assert_eq!(sites("Makefile", "test:"), None);
    let id = TestId(vec!["test_a".to_owned()]);
    let planted = apply("test_x.rb", "def test_a; end", &[(id.clone(), Plant::Failure)]);
    assert_eq!(planted.text, "def test_a; end");
    assert_eq!(planted.refused, [(id, Refusal::NotFound)]);
}

#[test]
fn data_is_not_run() {
    for (path, expected) in [
        ("tests/golden/totals.json", true),
        ("tests/a.txt", true),
        ("tests/json.py", false),
        ("tests/run.sh", false),
        ("tests/run", false),
        ("a.rb", false),
    ] {
        assert_eq!(is_data(path), expected, "{path}");
    }
}

#[test]
fn a_reported_name_leads_to_its_site() {
    let text = "describe('a', () => {\n  it('b', () => {});\n  it('b[0]', () => {});\n  \
                it.each([1])('has %i of $x.y', () => {});\n  it(`at ${1}`, () => {});\n});\n";
    let sites = sites("x.test.js", text).unwrap();
    let line = |names: &[&str]| site(&sites, names).map(|it| it.line);
    assert_eq!(line(&["a", "b"]), Some(2));
    assert_eq!(line(&["a", "b[0]"]), Some(3));
    assert_eq!(line(&["a", "b[1]"]), Some(2));
    assert_eq!(line(&["a", "has 1 of two"]), Some(4));
    assert_eq!(line(&["a", "at 1"]), Some(5));
    assert_eq!(line(&["a", "has"]), None);
    assert_eq!(line(&["b"]), None);
}

#[test]
fn a_star_is_any_text() {
    let table = [
        ("a", "a", true),
        ("a", "ab", false),
        ("*", "", true),
        ("a*", "abc", true),
        ("a*c", "abc", true),
        ("a*c", "abcd", false),
        ("a*b*c", "axbxc", true),
        ("a*b*c", "axc", false),
        ("a*a", "a", false),
        ("a * b", "a * b", true),
    ];
    for (pattern, name, expected) in table {
        assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
    }
}
