//! The packages of the projects, installed once, for the runs that provost has no part in.

use std::path::PathBuf;

use crate::{
    failure::Failure,
    process::Process,
    project,
    stage::{Cast, Play},
};

const FOLDER: &str = "target/liars/packages";

/// How a project that has this file gets its packages, and where they lie then.
const INSTALLS: [(&str, &str, &str); 2] = [
    (
        "package-lock.json",
        "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error",
        "node_modules",
    ),
    (
        "requirements.txt",
        "python3 -m venv .venv && .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt",
        ".venv",
    ),
];

/// Installs the packages of these projects, where they are not there.
pub(super) fn ensure<'a>(
    cast: &Cast,
    projects: impl Iterator<Item = &'a str>,
) -> Result<(), Failure> {
    let mut projects: Vec<&str> = projects.collect();
    projects.sort_unstable();
    projects.dedup();
    for name in projects {
        let source = project::root().join("fixtures/cheats/projects").join(name);
        for (file, line, brought) in INSTALLS {
            let folder = project::root().join(FOLDER).join(name);
            if !source.join(file).is_file() || folder.join(brought).is_dir() {
                continue;
            }
            println!("installing the packages of `{name}`");
            for it in [file, "package.json"] {
                if source.join(it).is_file() {
                    project::copy(&source.join(it), &folder.join(it))?;
                }
            }
            Process::new("sh", &["-ec", line])
                .bare()
                .variables(&cast.variables)
                .within(&folder)
                .run()?;
        }
    }
    Ok(())
}

/// The folder of what a project of the catalogue needs.
pub(super) fn of(play: &Play) -> Option<PathBuf> {
    let name = play.sources.first()?.rsplit('/').next()?;
    Some(project::root().join(FOLDER).join(name)).filter(|it| it.is_dir())
}
