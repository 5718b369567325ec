//! Plants under the real runners that every machine of the project has.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail loudly and make the files and processes they need"
)]

mod cargo;
mod node;
mod script;
mod unittest;
mod world;

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
