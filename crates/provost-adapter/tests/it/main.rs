//! What the crate does with real processes and a real server on loopback.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail loudly and make the files that they need"
)]

mod chat;
mod command;
mod hostile;
mod live;
mod model;
mod oracle;
mod preset;
mod recording;
mod remote;
mod script;
mod server;
mod world;

/// A file that no `mod` names would be compiled by nobody and pass for ever.
#[test]
fn no_test_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let text = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap();
        assert!(module == "main" || text.contains(&format!("mod {module};")), "{name}");
    }
}
