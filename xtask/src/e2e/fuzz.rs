//! Requests that Schemathesis makes up from the description of the interface: whatever is asked, the
//! server must not fail.

use std::path::Path;

use crate::{failure::Failure, node, process::Process, project, python};

/// How many examples are made up for each route.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Depth {
    Sample,
    Long,
}

/// Serves a world of its own and lets Schemathesis ask. `e2e/fuzz.js` starts and ends the server.
pub(crate) fn run(provost: &Path, depth: Depth) -> Result<(), Failure> {
    let (examples, limit) = match depth {
        Depth::Sample => ("5", "10m"),
        Depth::Long => ("200", "2h"),
    };
    let schemathesis = project::root().join(python::SCHEMATHESIS.program("schemathesis"));
    let ended = Process::limited(limit, &node::program(), &["e2e/fuzz.js", examples])
        .environment("PROVOST_E2E_BINARY", &provost.to_string_lossy())
        .environment("PROVOST_E2E_SCHEMATHESIS", &schemathesis.to_string_lossy())
        .environment("PATH", &python::path()?)
        .capture()?;
    if ended.is_success {
        println!("{}", ended.stdout.lines().last().unwrap_or_default());
        return Ok(());
    }
    print!("{}{}", ended.stdout, ended.stderr);
    Err(Failure::Refused(ended.text))
}
