//! The start of the binary that is shipped, against the smallest program there is.

use std::{ffi::OsStr, path::Path, process::Stdio};

use provost_testkit::command;
use serde_json::Value;

use super::{Comparison, Goal, compare};

pub(super) fn measure(provost: &Path) -> Vec<Value> {
    let times = compare(
        100,
        10,
        || run(provost.as_os_str(), &["--version"]),
        || run(OsStr::new("/bin/true"), &[]),
    );
    vec![
        Comparison {
            name: "start_up",
            what: "`provost --version`",
            baseline: "`/bin/true`",
            goal: Goal::TimeAtMost(2.0),
        }
        .result(&times),
    ]
}

fn run(program: &OsStr, arguments: &[&str]) {
    let status = command(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("a program").success());
}
