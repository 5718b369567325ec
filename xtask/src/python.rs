//! Python packages that the tests use: each in a folder of its own under `target`, so that nothing
//! of the machine's Python is touched.

use std::path::Path;

use crate::{failure::Failure, process::Process};

/// A package, exact, in a folder of its own under `target`, from the root of the checkout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Environment {
    pub(crate) folder: &'static str,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

/// The official client of MCP. The tests look for it in that folder.
const MCP: Environment = Environment { folder: "target/mcp-client", name: "mcp", version: "2.3.0" };
/// What makes up requests from the description of the HTTP interface.
pub(crate) const SCHEMATHESIS: Environment =
    Environment { folder: "target/schemathesis", name: "schemathesis", version: "4.32.5" };

/// Installs what is not there.
pub(crate) fn ensure() -> Result<(), Failure> {
    MCP.ensure()?;
    SCHEMATHESIS.ensure()
}

impl Environment {
    /// A program of the package.
    pub(crate) fn program(self, name: &str) -> String {
        format!("{}/bin/{name}", self.folder)
    }

    pub(crate) fn ensure(self) -> Result<(), Failure> {
        let python = self.program("python");
        if Process::new(&python, &["-c", &self.probe()]).answers() {
            return Ok(());
        }
        let package = format!("{}=={}", self.name, self.version);
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", &package];
        for (program, arguments) in
            [("python3", &["-m", "venv", "--clear", self.folder][..]), (&python, &install)]
        {
            println!("installing: {program} {}", arguments.join(" "));
            Process::new(program, arguments)
                .run()
                .map_err(|it| it.within(&format!("cannot install `{package}`")))?;
        }
        Ok(())
    }

    /// Python that succeeds where the package is there already.
    fn probe(self) -> String {
        format!(
            "import importlib.metadata as it; assert it.version('{}') == '{}'",
            self.name, self.version
        )
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_what_is_looked_for() {
        assert_eq!(
            MCP.probe(),
            "import importlib.metadata as it; assert it.version('mcp') == '2.3.0'"
        );
        assert_eq!(SCHEMATHESIS.program("st"), "target/schemathesis/bin/st");
    }
}
