//! Packages of npm that the tests use, by their lock files, each set in a folder of its own under
//! `target`, and a Node that is new enough for them.

use std::env::consts::ARCH;

use crate::{failure::Failure, process::Process, project};

/// Packages that are installed together. The tests look for them in that folder.
#[derive(Clone, Copy, Debug)]
struct PackageSet {
    /// Where `package.json` and its lock file are, from the root of the checkout.
    source: &'static str,
    /// Where they are installed.
    folder: &'static str,
    /// What they are for, in messages.
    purpose: &'static str,
}

const SETS: [PackageSet; 2] = [
    PackageSet { source: "e2e", folder: "target/e2e", purpose: "what drives the browser" },
    PackageSet {
        source: "crates/provost-testkit/telegram-test-api",
        folder: "target/telegram-test-api",
        purpose: "the Bot API server of the tests",
    },
];
const FILES: [&str; 2] = ["package.json", "package-lock.json"];
/// What npm writes when it is done.
const DONE: &str = "node_modules/.package-lock.json";

/// Succeeds with a Node that the driver takes; that of Debian 12 is older.
const PROBE: &str = "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)";
/// The Node that is fetched where the system's is too old.
const VERSION: &str = "24.21.0";
const OWN: &str = "target/e2e-node/package/bin/node";

/// Installs what is not there.
pub(crate) fn ensure() -> Result<(), Failure> {
    if !Process::new(program(), &["-e", PROBE]).answers() {
        own_node()?;
    }
    SETS.iter().try_for_each(|it| it.ensure())
}

impl PackageSet {
    /// Installs the packages unless those of the lock file are there.
    fn ensure(self) -> Result<(), Failure> {
        let mut is_current =
            project::read_if_present(&format!("{}/{DONE}", self.folder))?.is_some();
        for name in FILES {
            let wanted = project::read(&format!("{}/{name}", self.source))?;
            let copy = format!("{}/{name}", self.folder);
            is_current &= project::read_if_present(&copy)?.as_ref() == Some(&wanted);
            project::write(&copy, &wanted)?;
        }
        if is_current {
            return Ok(());
        }
        let options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
        let arguments = [&["ci", "--prefix", self.folder][..], &options].concat();
        println!("installing: npm {}", arguments.join(" "));
        Process::new("npm", &arguments)
            .run()
            .map_err(|it| it.within(&format!("cannot install {}", self.purpose)))
    }
}

/// The Node that runs the tests of the page.
pub(crate) fn program() -> String {
    let own = project::root().join(OWN);
    if own.is_file() { own.to_string_lossy().into_owned() } else { "node".to_owned() }
}

/// Fetches a Node as npm serves it.
fn own_node() -> Result<(), Failure> {
    let (package, archive) = package();
    project::write("target/e2e-node/.fetched", "")?;
    println!("installing: {package}, since the system's Node is too old for the browser tests");
    let to = "target/e2e-node";
    Process::new("npm", &["pack", &package, "--silent", "--pack-destination", to])
        .run()
        .map_err(|it| it.within("cannot fetch a Node that drives the browser"))?;
    Process::new("tar", &["--extract", "--gzip", "--file", &archive, "--directory", to]).run()
}

fn package() -> (String, String) {
    let arch = if ARCH == "aarch64" { "arm64" } else { "x64" };
    let name = format!("node-linux-{arch}");
    (format!("{name}@{VERSION}"), format!("target/e2e-node/{name}-{VERSION}.tgz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_files_name_no_registry() {
        for set in SETS {
            let lock = project::read(&format!("{}/package-lock.json", set.source)).unwrap();
            assert!(!lock.contains("\"resolved\"") && !lock.contains("registry"), "{lock}");
            let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
            for (name, package) in lock["packages"].as_object().unwrap() {
                let integrity = package["integrity"].as_str().unwrap_or_default();
                assert!(name.is_empty() || integrity.starts_with("sha512-"), "{name}");
            }
        }
    }

    #[test]
    fn versions_are_exact() {
        for set in SETS {
            let package = project::read(&format!("{}/package.json", set.source)).unwrap();
            let package: serde_json::Value = serde_json::from_str(&package).unwrap();
            for (name, version) in package["devDependencies"].as_object().unwrap() {
                let version = version.as_str().unwrap();
                assert!(version.starts_with(|it: char| it.is_ascii_digit()), "{name} {version}");
            }
        }
    }
}
