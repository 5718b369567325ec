//! Real processes, real signals, real disks, and whole learning runs: what only a machine can show.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test prepares its world by hand, prints what it measured, and ends at a surprise"
)]

mod crash;
mod crowd;
mod disk;
mod job;
mod learn;
mod lock;
mod receiver;
mod signals;
mod tasks;
mod telegram;

#[test]
fn no_test_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let declared = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || declared.contains(&format!("mod {module};")), "{name}");
    }
}

/// The worker's binary.
const WORKER: &str = env!("CARGO_BIN_EXE_provost-worker");
