//! What is read out of whole command lines.

#![expect(clippy::unwrap_used, reason = "a fixture that is missing fails its test")]

mod corpus;
#[cfg(target_os = "linux")]
mod foreseen;
mod lines;
mod oracle;
mod privilege;
mod programs;
mod properties;
#[cfg(target_os = "linux")]
mod sandbox;
mod shell;

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
