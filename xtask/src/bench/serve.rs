//! How fast the server answers: measured from a second process, over loopback.

use crate::{dist, failure::Failure, install, node, process::Process, python};

/// Serves 10,000 finished tasks and asks with 50 clients of `wrk`; `e2e/load.js` says what it found.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let (mut provost, mut tasks, mut rest) = (None, "10000", options);
    loop {
        match rest {
            [] => break,
            ["--provost", path, behind @ ..] => {
                let found = std::fs::canonicalize(path)
                    .map_err(|error| Failure::Unable(format!("cannot find `{path}`: {error}")))?;
                (provost, rest) = (Some(found), behind);
            }
            // Fewer, to see that the measurement itself works.
            ["--tasks", count, behind @ ..] if count.parse::<u32>().is_ok_and(|it| it > 1) => {
                (tasks, rest) = (count, behind);
            }
            [other, ..] => {
                return Err(Failure::Unable(format!(
                    "`bench serve` does not understand `{other}`"
                )));
            }
        }
    }
    let provost = if let Some(provost) = provost {
        provost
    } else {
        println!("building the binary that is shipped (link-time optimisation takes minutes)");
        dist::binary()?
    };
    crate::test::tools()?;
    install::ensure(&install::LOAD)?;
    Process::new(node::program(), &["e2e/load.js"])
        .environment("PROVOST_E2E_TASKS", tasks)
        .environment("PROVOST_E2E_BINARY", &provost.to_string_lossy())
        .environment("PATH", &python::path()?)
        .run()
}
