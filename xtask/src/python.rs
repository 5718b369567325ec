//! The official Python SDK of MCP, which the tests use as a client: in a folder of its own under
//! `target`, so that nothing of the machine's Python is touched.

use std::path::Path;

use crate::{failure::Failure, process::Process};

/// The folder, from the root of the checkout. The tests look for it there.
const FOLDER: &str = "target/mcp-client";
const PYTHON: &str = "target/mcp-client/bin/python";
/// What is installed into it, exact.
const PACKAGE: &str = "mcp==2.3.0";
/// Succeeds where it is there already.
const PROBE: &str = "import importlib.metadata as it; assert it.version('mcp') == '2.3.0'";

/// Installs the SDK, if it is not there.
pub(crate) fn ensure() -> Result<(), Failure> {
    if Process::new(PYTHON, &["-c", PROBE]).answers() {
        return Ok(());
    }
    for line in plan() {
        let [program, arguments @ ..] = line else { continue };
        println!("installing: {}", line.join(" "));
        Process::new(program, arguments)
            .run()
            .map_err(|it| it.within("cannot install the official SDK of MCP"))?;
    }
    Ok(())
}

/// `PATH` with the folder of the interpreter itself in front. A version manager puts a script in its
/// place that searches for it each time, which costs the tests more than what they run with it.
#[expect(clippy::disallowed_methods, reason = "a task hands on where programs are found")]
pub(crate) fn path() -> Result<String, Failure> {
    let program = Process::new("python3", &["-c", "import sys; print(sys.executable)"]).text()?;
    let folder = Path::new(program.trim()).parent().map(Path::to_path_buf);
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = folder.into_iter().chain(std::env::split_paths(&inherited));
    let joined = std::env::join_paths(folders)
        .map_err(|error| Failure::Unable(format!("cannot write `PATH`: {error}")))?;
    Ok(joined.to_string_lossy().into_owned())
}

fn plan() -> [&'static [&'static str]; 2] {
    [
        &["python3", "-m", "venv", "--clear", FOLDER],
        &[PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_what_is_looked_for() {
        let (name, version) = PACKAGE.split_once("==").unwrap();
        assert!(PROBE.contains(&format!("version('{name}') == '{version}'")));
        assert!(PYTHON.starts_with(FOLDER));
        assert!(plan().iter().flat_map(|it| it.iter()).any(|it| *it == PACKAGE));
    }
}
