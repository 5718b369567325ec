//! Forgotten files: a module that no file declares is neither compiled nor tested.

use std::collections::BTreeMap;

use super::Problem;
use crate::project::File;

/// What a module is declared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Product,
    Tests,
}

/// Checks that every file of a crate is declared by the file above it, and that the integration
/// tests of a crate are one binary.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let texts = texts(files);
    files
        .iter()
        .filter(|it| it.is_rust() && it.path.starts_with("crates/"))
        .filter_map(|it| check_file(&it.path, &texts))
        .collect()
}

/// The text of each file, by its path.
pub(super) fn texts(files: &[File]) -> BTreeMap<&str, &str> {
    files.iter().map(|it| (it.path.as_str(), it.text.as_str())).collect()
}

/// The name of the module that a file is, and the files that may declare it; nothing for a file
/// that cargo finds by itself.
pub(super) fn parents(path: &str) -> Option<(&str, [String; 3])> {
    let (folder, name) = path.rsplit_once('/')?;
    let module = name.strip_suffix(".rs")?;
    if matches!(module, "lib" | "main") {
        return None;
    }
    let parents = [format!("{folder}/lib.rs"), format!("{folder}/main.rs"), format!("{folder}.rs")];
    Some((module, parents))
}

/// What a file declares the module for, if it does.
pub(super) fn declaration(text: &str, module: &str) -> Option<Purpose> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = lines.iter().position(|it| declares(it, module))?;
    let attributes = lines[..at].iter().rev().take_while(|it| it.starts_with("#["));
    let is_for_tests = |it: &&str| it.starts_with("#[cfg(test") || it.starts_with("#[cfg(all(test");
    Some(if attributes.copied().any(|it| is_for_tests(&it)) {
        Purpose::Tests
    } else {
        Purpose::Product
    })
}

fn check_file(path: &str, texts: &BTreeMap<&str, &str>) -> Option<Problem> {
    let (module, parents) = parents(path)?;
    match path.split('/').skip(2).collect::<Vec<_>>().as_slice() {
        // Files that cargo finds by itself.
        [_] | ["src", "bin", _] | ["benches" | "examples", _] => return None,
        ["tests", _] => {
            return Some(Problem::new(
                path,
                "is an integration binary of its own: move it to `tests/it/`",
            ));
        }
        _ => {}
    }
    let mut declaring = parents.iter().filter_map(|it| texts.get(it.as_str()));
    if declaring.any(|text| declaration(text, module).is_some()) {
        return None;
    }
    Some(Problem::new(path, format!("no file declares `mod {module};`, so it is never compiled")))
}

fn declares(line: &str, module: &str) -> bool {
    let Some(words) = line.strip_suffix(';') else {
        return false;
    };
    match words.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["mod", name] => *name == module,
        [visibility, "mod", name] => visibility.starts_with("pub") && *name == module,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{assert_problems, file},
        *,
    };

    #[track_caller]
    fn check_files(paths_and_texts: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<File> =
            paths_and_texts.iter().map(|(path, text)| file(path, text)).collect();
        assert_problems(&check(&files), expected);
    }

    #[test]
    fn a_test_file_that_is_not_declared_is_forgotten() {
        check_files(
            &[
                ("crates/a/tests/it/main.rs", "mod crash;\nmod nested;\n// mod lost;\n"),
                ("crates/a/tests/it/crash.rs", ""),
                ("crates/a/tests/it/nested.rs", "mod part;"),
                ("crates/a/tests/it/nested/part.rs", ""),
                ("crates/a/tests/it/lost.rs", ""),
                ("crates/a/tests/it/nested/gone.rs", ""),
            ],
            &[
                "crates/a/tests/it/lost.rs: no file declares `mod lost;`, so it is never compiled",
                "crates/a/tests/it/nested/gone.rs: no file declares `mod gone;`, so it is never compiled",
            ],
        );
    }

    #[test]
    fn sources_are_held_to_the_same_rule() {
        check_files(
            &[
                ("crates/a/build.rs", ""),
                (
                    "crates/a/src/lib.rs",
                    "pub mod one;\npub(crate) mod two;\nmod tree;\nmod three {\n}\n",
                ),
                ("crates/a/src/one.rs", ""),
                ("crates/a/src/two.rs", ""),
                ("crates/a/src/three.rs", ""),
                ("crates/a/src/tree.rs", "#[cfg(unix)]\n    mod leaf;"),
                ("crates/a/src/tree/leaf.rs", ""),
                ("crates/a/src/bin/tool.rs", ""),
                ("crates/a/src/bin/other/main.rs", "mod part;"),
                ("crates/a/src/bin/other/part.rs", ""),
                ("xtask/src/anything.rs", ""),
            ],
            &["crates/a/src/three.rs: no file declares `mod three;`, so it is never compiled"],
        );
    }

    #[test]
    fn a_crate_has_one_integration_binary() {
        check_files(
            &[("crates/a/tests/cli.rs", ""), ("crates/a/tests/it/main.rs", "")],
            &["crates/a/tests/cli.rs: is an integration binary of its own: move it to `tests/it/`"],
        );
    }
}
