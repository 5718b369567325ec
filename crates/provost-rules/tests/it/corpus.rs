//! Replays what the fuzz target of the secret scanner starts from.

use std::path::Path;

use crate::properties;

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

#[test]
fn the_corpus_of_the_secret_scanner_holds() {
    replay("secret", properties::secret);
}
