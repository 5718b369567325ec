//! What the tests of the page are driven with: packages of npm, by their lock file, in a folder of
//! their own under `target`, and a Node that is new enough for them.

use std::env::consts::ARCH;

use crate::{failure::Failure, process::Process, project};

/// The folder, from the root of the checkout. The tests look for it there.
const FOLDER: &str = "target/e2e";
/// What is installed, and what npm writes when it is done.
const FILES: [&str; 2] = ["package.json", "package-lock.json"];
const DONE: &str = "target/e2e/node_modules/.package-lock.json";

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
    let mut is_current = project::read_if_present(DONE)?.is_some();
    for name in FILES {
        let wanted = project::read(&format!("e2e/{name}"))?;
        let copy = format!("{FOLDER}/{name}");
        is_current &= project::read_if_present(&copy)?.as_ref() == Some(&wanted);
        project::write(&copy, &wanted)?;
    }
    if is_current {
        return Ok(());
    }
    let arguments = ["ci", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund"];
    println!("installing: npm {}", arguments.join(" "));
    Process::new("npm", &arguments)
        .run()
        .map_err(|it| it.within("cannot install what drives the browser"))
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
    fn the_lock_file_names_no_registry() {
        let lock = project::read("e2e/package-lock.json").unwrap();
        assert!(!lock.contains("resolved") && !lock.contains("http"), "{lock}");
        assert!(lock.contains("\"integrity\": \"sha512-"));
    }

    #[test]
    fn versions_are_exact() {
        let package = project::read("e2e/package.json").unwrap();
        let package: serde_json::Value = serde_json::from_str(&package).unwrap();
        for (name, version) in package["devDependencies"].as_object().unwrap() {
            let version = version.as_str().unwrap();
            assert!(version.starts_with(|it: char| it.is_ascii_digit()), "{name} {version}");
        }
    }
}
