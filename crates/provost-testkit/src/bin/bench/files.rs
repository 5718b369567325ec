//! Writes and appends, against a bare loop of the same system calls.

use std::{
    fs::File,
    io::Write as _,
    os::{fd::OwnedFd, unix::fs::FileExt as _},
};

use camino::Utf8Path;
use provost_testkit::Place;
use provost_vault::{Durable, Log, RealDisk, write_atomic};
use rustix::fs::{Mode, OFlags};
use serde_json::Value;

use super::{Comparison, Goal, compare};

const PAYLOAD: usize = 2048;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

pub(super) fn measure() -> Vec<Value> {
    vec![
        Comparison {
            name: "atomic_write",
            what: "2 KiB replaced with `write_atomic`",
            baseline: "a bare loop of the same system calls",
            goal: Goal::RateAtLeast(0.9),
        }
        .result(&atomic_writes()),
        Comparison {
            name: "synced_append",
            what: "300 bytes appended and synced with `Log`",
            baseline: "a bare loop of the same system calls",
            goal: Goal::RateAtLeast(0.9),
        }
        .result(&synced_appends()),
    ]
}

fn atomic_writes() -> super::Times {
    let place = Place::new();
    let at = place.layout().status(&"ours".parse().expect("an id"));
    let payload = vec![b'x'; PAYLOAD];
    write_atomic(&RealDisk, &at, &payload).expect("a write");
    std::fs::DirBuilder::new()
        .create(place.home().join("out/bare"))
        .expect("the folder of the bare loop");
    let out = place.home().join("out");
    let mut n = 0_u64;
    compare(
        40,
        50,
        || drop(write_atomic(&RealDisk, &at, &payload).expect("a write")),
        || {
            n += 1;
            bare_write(&out, &format!(".status.json.tmp.{n:036}"), &payload);
        },
    )
}

/// Every call that `write_atomic` makes, and nothing else.
fn bare_write(out: &Utf8Path, temporary: &str, payload: &[u8]) {
    let folder = bare_passage(out);
    let create = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let mode = Mode::RUSR | Mode::WUSR;
    let file = rustix::fs::openat(&folder, temporary, create, mode).expect("a temporary file");
    let mut file = File::from(file);
    file.metadata().expect("what it is");
    rustix::fs::fchmod(&file, mode).expect("its mode");
    drop(folder);
    file.write_all(payload).expect("a write");
    file.sync_all().expect("a sync");
    drop(file);
    let folder = bare_passage(out);
    rustix::fs::renameat(&folder, temporary, &folder, "status.json").expect("a rename");
    drop(folder);
    let parent = rustix::fs::open(out.as_std_path(), FOLDER | OFlags::PATH, Mode::empty());
    let parent = parent.expect("the folder above");
    let flags = FOLDER | OFlags::RDONLY | OFlags::NOFOLLOW;
    let folder = rustix::fs::openat(&parent, "bare", flags, Mode::empty()).expect("the folder");
    File::from(folder).sync_all().expect("a sync of the folder");
}

fn bare_passage(out: &Utf8Path) -> OwnedFd {
    let parent = rustix::fs::open(out.as_std_path(), FOLDER | OFlags::PATH, Mode::empty());
    let flags = FOLDER | OFlags::PATH | OFlags::NOFOLLOW;
    rustix::fs::openat(parent.expect("the root"), "bare", flags, Mode::empty()).expect("a folder")
}

fn synced_appends() -> super::Times {
    let place = Place::new();
    let at = place.layout().events(&"ours".parse().expect("an id"));
    let line = vec![b'x'; 299];
    let mut log = Log::open(&RealDisk, &at).expect("a log");
    let flags = FILE | OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
    let path = place.path().join("bare.jsonl");
    let mode = Mode::RUSR | Mode::WUSR;
    let mut bare = File::from(
        rustix::fs::open(path.as_std_path(), flags, mode).expect("the log of the bare loop"),
    );
    let mut whole = line.clone();
    whole.push(b'\n');
    compare(
        40,
        100,
        || log.append(&line, Durable::Now).expect("an append"),
        || {
            bare.lock().expect("the lock");
            let len = bare.metadata().expect("its length").len();
            if len > 0 {
                bare.read_exact_at(&mut [0], len - 1).expect("its last byte");
            }
            bare.write_all(&whole).expect("a write");
            bare.sync_data().expect("a sync");
            bare.unlock().expect("the lock");
        },
    )
}
