//! What evals make of whole files of cases and of answers.

#![expect(clippy::unwrap_used, reason = "a fixture that is missing fails its test")]

mod blind;
mod bounds;
mod data;
mod own;
mod suites;

/// A file that no `mod` line names would never run.
#[test]
fn no_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let source = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs") else { continue };
        assert!(module == "main" || source.contains(&format!("mod {module};")), "{name}");
    }
}
