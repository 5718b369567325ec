//! Replays what the fuzz target of the hook starts from.

use std::path::Path;

use crate::hook;

#[track_caller]
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
        n_files += 1;
    }
    assert!(n_files >= 10, "{target} has {n_files} files");
}

/// HOOK-1.4, HOOK-1.5: real payloads and hostile ones, each asked about in several ways.
#[test]
fn the_corpus_of_the_hook_holds() {
    replay("hook", hook::hook);
}
