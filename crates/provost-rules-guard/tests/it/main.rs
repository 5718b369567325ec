//! What the guard says to whole payloads, and what its page says.

#![expect(clippy::unwrap_used, reason = "a fixture that is missing fails its test")]

mod corpus;
mod hook;
#[cfg(target_os = "linux")]
#[path = "../../../provost-shell/tests/it/lines.rs"]
mod lines;
mod page;
mod payload;
#[cfg(target_os = "linux")]
#[path = "../../../provost-shell/tests/it/sandbox.rs"]
mod sandbox;
#[cfg(target_os = "linux")]
mod started;

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
