//! Packages that the tests install, as their registries serve them: fetched once into a folder
//! under `target`, so that no test needs a network.

use std::path::Path;

use crate::{failure::Failure, process::Process, project};

/// The folder, from the root of the checkout. The tests look for it there.
const FOLDER: &str = "target/packages";
/// A package each, exact, and the file that it comes in.
const NPM: (&str, &str) = ("is-number@7.0.0", "target/packages/is-number-7.0.0.tgz");
const PYPI: (&str, &str) = ("idna==3.10", "target/packages/idna-3.10-py3-none-any.whl");

/// Fetches what is not there.
pub(crate) fn ensure() -> Result<(), Failure> {
    project::write(&format!("{FOLDER}/.fetched"), "")?;
    let npm = ["pack", NPM.0, "--silent", "--pack-destination", FOLDER];
    fetch(NPM.1, "npm", &npm)?;
    let options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
    let pip = [&["-m", "pip", "download", PYPI.0, "--dest", FOLDER][..], &options].concat();
    fetch(PYPI.1, "python3", &pip)
}

fn fetch(file: &str, program: &str, arguments: &[&str]) -> Result<(), Failure> {
    if Path::new(file).is_file() {
        return Ok(());
    }
    println!("fetching: {program} {}", arguments.join(" "));
    Process::new(program, arguments)
        .run()
        .map_err(|it| it.within("cannot fetch the packages that the tests install"))
}
