//! What the crate does with real processes, a real kernel and a real git.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail loudly and make the files and processes they need"
)]

mod crash;
mod git_changes;
mod git_clone;
mod git_hostile;
mod git_read;
mod git_stat;
mod git_unfit;
mod guardian;
mod limits;
mod remote;
mod repository;
mod sandbox;
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
