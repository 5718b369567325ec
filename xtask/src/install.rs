//! What the tasks need beyond a Rust toolchain, and how it gets onto the machine.

use std::collections::BTreeSet;

use crate::{failure::Failure, process::Process};

/// A program that a task needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    name: &'static str,
    /// A command line that succeeds when the tool is there.
    probe: &'static [&'static str],
    source: Source,
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The crate of the same name, installed by cargo.
    Crate { version: &'static str },
    /// The component of the same name of the Rust toolchain.
    Component,
    /// A package of the system.
    Debian { package: &'static str },
}

/// What may be done to this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Machine {
    is_root: bool,
    has_apt: bool,
}

/// What the test command needs.
pub(crate) const TEST: [Tool; 7] = [
    Tool { name: "rustfmt", probe: &["cargo", "fmt", "--version"], source: Source::Component },
    Tool { name: "clippy", probe: &["cargo", "clippy", "--version"], source: Source::Component },
    Tool {
        name: "cargo-nextest",
        probe: &["cargo", "nextest", "--version"],
        source: Source::Crate { version: "0.9.143" },
    },
    Tool { name: "git", probe: &["git", "--version"], source: Source::Debian { package: "git" } },
    // The plugin for opencode is JavaScript, and is tried in an engine for it.
    Tool {
        name: "node",
        probe: &["node", "--version"],
        source: Source::Debian { package: "nodejs" },
    },
    // Tests install packages as projects do.
    Tool { name: "npm", probe: &["npm", "--version"], source: Source::Debian { package: "npm" } },
    // The official client of MCP is a Python package.
    Tool {
        name: "python3",
        probe: &["python3", "-c", "import ensurepip, venv"],
        source: Source::Debian { package: "python3-venv" },
    },
];

/// What measures the server: clients that cost little beside it.
pub(crate) const LOAD: [Tool; 1] = [Tool {
    name: "wrk",
    // It knows no option that succeeds.
    probe: &["sh", "-c", "command -v wrk"],
    source: Source::Debian { package: "wrk" },
}];

/// What the tests need on Linux besides: full and read-only disks are small mounts in a namespace
/// of their own, the tests of permissions give up root, one test watches the system calls, the
/// instructions of a hook are counted, and the page is used in a browser, in both languages.
pub(crate) const LINUX: [Tool; 9] = [
    Tool {
        name: "unshare",
        probe: &["unshare", "--version"],
        source: Source::Debian { package: "util-linux" },
    },
    Tool {
        name: "setpriv",
        probe: &["setpriv", "--version"],
        source: Source::Debian { package: "util-linux" },
    },
    Tool {
        name: "strace",
        probe: &["strace", "--version"],
        source: Source::Debian { package: "strace" },
    },
    Tool {
        name: "mount",
        probe: &["mount", "--version"],
        source: Source::Debian { package: "mount" },
    },
    Tool {
        name: "valgrind",
        probe: &["valgrind", "--version"],
        source: Source::Debian { package: "valgrind" },
    },
    Tool {
        name: "chromium",
        probe: &["chromium", "--version", "--no-sandbox"],
        source: Source::Debian { package: "chromium" },
    },
    Tool {
        name: "fc-list",
        probe: &["fc-list", "--version"],
        source: Source::Debian { package: "fontconfig" },
    },
    Tool {
        name: "Noto Sans",
        probe: &["sh", "-c", "fc-list : family | grep -q '^Noto Sans$'"],
        source: Source::Debian { package: "fonts-noto-core" },
    },
    Tool {
        name: "Noto Sans CJK",
        probe: &["sh", "-c", "fc-list : family | grep -q '^Noto Sans CJK SC'"],
        source: Source::Debian { package: "fonts-noto-cjk" },
    },
];

/// What the cheats and the honest changes are run with, besides what the tests need.
pub(crate) const LIARS: [Tool; 3] = [
    Tool { name: "go", probe: &["go", "version"], source: Source::Debian { package: "golang-go" } },
    Tool { name: "npm", probe: &["npm", "--version"], source: Source::Debian { package: "npm" } },
    Tool {
        name: "make",
        probe: &["make", "--version"],
        source: Source::Debian { package: "make" },
    },
];

/// What fuzzing needs besides the nightly toolchain.
pub(crate) const FUZZ: [Tool; 1] = [Tool {
    name: "cargo-fuzz",
    probe: &["cargo", "fuzz", "--version"],
    source: Source::Crate { version: "0.13.2" },
}];

/// Installs those of the tools that do not answer.
pub(crate) fn ensure(tools: &[Tool]) -> Result<(), Failure> {
    let missing: Vec<&Tool> = tools.iter().filter(|it| !it.answers()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for line in plan(&missing, Machine::this())? {
        let [program, arguments @ ..] = line.as_slice() else {
            continue;
        };
        println!("installing: {}", line.join(" "));
        Process::new(program, arguments)
            .environment("DEBIAN_FRONTEND", "noninteractive")
            .run()
            .map_err(|it| it.within("cannot install what the tests need"))?;
    }
    match missing.iter().find(|it| !it.answers()) {
        None => Ok(()),
        Some(tool) => Err(Failure::Unable(format!(
            "`{}` was installed and still does not answer: is its folder in PATH?",
            tool.name
        ))),
    }
}

impl Tool {
    fn answers(&self) -> bool {
        match self.probe {
            [program, arguments @ ..] => Process::new(program, arguments).answers(),
            [] => false,
        }
    }
}

impl Source {
    fn package(self) -> Option<&'static str> {
        match self {
            Self::Crate { version: _ } | Self::Component => None,
            Self::Debian { package } => Some(package),
        }
    }
}

impl Machine {
    fn this() -> Self {
        Self {
            is_root: Process::new("id", &["-u"]).text().is_ok_and(|it| it.trim() == "0"),
            has_apt: Process::new("apt-get", &["--version"]).answers(),
        }
    }
}

/// The command lines that install these tools on such a machine.
///
/// Packages of the system are installed only where that needs no password; elsewhere the person
/// is told their names.
fn plan<'a>(missing: &[&'a Tool], machine: Machine) -> Result<Vec<Vec<&'a str>>, Failure> {
    let mut lines = Vec::new();
    let packages: BTreeSet<&str> = missing.iter().filter_map(|it| it.source.package()).collect();
    if !packages.is_empty() {
        if !(machine.is_root && machine.has_apt) {
            let names = packages.into_iter().collect::<Vec<_>>().join(" ");
            return Err(Failure::Unable(format!(
                "these packages are missing and only root may install them: {names}\n\
                 hint: on Debian, `sudo apt-get install {names}`"
            )));
        }
        lines.push(vec!["apt-get", "update"]);
        let mut line = vec!["apt-get", "install", "--yes", "--no-install-recommends"];
        line.extend(packages);
        lines.push(line);
    }
    for tool in missing {
        match tool.source {
            Source::Debian { package: _ } => {}
            Source::Component => lines.push(vec!["rustup", "component", "add", tool.name]),
            Source::Crate { version } => {
                lines.push(vec!["cargo", "install", "--locked", "--version", version, tool.name]);
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Machine = Machine { is_root: true, has_apt: true };

    fn tool(name: &str) -> &'static Tool {
        TEST.iter().chain(&LINUX).find(|it| it.name == name).unwrap()
    }

    #[track_caller]
    fn check(missing: &[&str], machine: Machine, expected: Result<&[&str], &str>) {
        let missing: Vec<&Tool> = missing.iter().map(|it| tool(it)).collect();
        let actual = plan(&missing, machine)
            .map(|it| it.iter().map(|line| line.join(" ")).collect::<Vec<_>>())
            .map_err(|it| it.to_string());
        let expected =
            expected.map(|it| it.iter().map(ToString::to_string).collect()).map_err(str::to_owned);
        assert_eq!(actual, expected);
    }

    #[test]
    fn each_tool_comes_from_its_source() {
        check(&[], ROOT, Ok(&[]));
        check(
            &["cargo-nextest", "clippy", "git"],
            ROOT,
            Ok(&[
                "apt-get update",
                "apt-get install --yes --no-install-recommends git",
                "cargo install --locked --version 0.9.143 cargo-nextest",
                "rustup component add clippy",
            ]),
        );
        check(
            &["setpriv", "git", "unshare"],
            ROOT,
            Ok(&["apt-get update", "apt-get install --yes --no-install-recommends git util-linux"]),
        );
    }

    #[test]
    fn a_package_that_only_root_may_install_is_named() {
        let message = "these packages are missing and only root may install them: git\n\
                       hint: on Debian, `sudo apt-get install git`";
        check(&["git"], Machine { is_root: false, has_apt: true }, Err(message));
        check(&["git"], Machine { is_root: true, has_apt: false }, Err(message));
        let user = Machine { is_root: false, has_apt: false };
        check(&["clippy"], user, Ok(&["rustup component add clippy"]));
    }

    #[test]
    fn a_tool_that_does_not_answer_is_missing() {
        let absent = Tool {
            name: "absent",
            probe: &["no-such-program-of-provost"],
            source: Source::Component,
        };
        assert!(!absent.answers());
        assert!(tool("git").answers());
    }
}
