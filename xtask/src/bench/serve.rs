//! How fast the server answers: measured from a second process, over loopback.

use crate::{dist, failure::Failure, node, process::Process, python};

/// Serves 10,000 finished tasks and asks with 50 clients; `e2e/load.js` says what it found.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let provost = match options {
        [] => {
            println!("building the binary that is shipped (link-time optimisation takes minutes)");
            dist::binary()?
        }
        ["--provost", path] => std::fs::canonicalize(path)
            .map_err(|error| Failure::Unable(format!("cannot find `{path}`: {error}")))?,
        [other, ..] => {
            return Err(Failure::Unable(format!("`bench serve` does not understand `{other}`")));
        }
    };
    crate::test::tools()?;
    Process::new(node::program(), &["e2e/load.js"])
        .environment("PROVOST_E2E_BINARY", &provost.to_string_lossy())
        .environment("PATH", &python::path()?)
        .run()
}
