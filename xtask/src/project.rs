//! The checkout: where it is and what lies in it.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, process::Process};

/// A text file of the project.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Relative to the root, with `/` between the components.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|it| it == "rs")
    }
}

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Every text file that is in git, or would be with the next `git add`.
pub(crate) fn files() -> Result<Vec<File>, Failure> {
    let listed =
        Process::new("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .text()?;
    let mut files = Vec::new();
    for path in listed.split_terminator('\0') {
        match fs::read(root().join(path)) {
            // A file that is not text has no lines to check.
            Ok(bytes) => files.extend(
                String::from_utf8(bytes).ok().map(|text| File { path: path.to_owned(), text }),
            ),
            // Removed, and the removal is not yet in git; or a folder that is a repository.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {
            }
            Err(error) => return Err(cannot("read", path, &error)),
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The text of a file of the project.
pub(crate) fn read(path: &str) -> Result<String, Failure> {
    fs::read_to_string(root().join(path)).map_err(|error| cannot("read", path, &error))
}

/// The text of a file that need not be there.
pub(crate) fn read_if_present(path: &str) -> Result<Option<String>, Failure> {
    match fs::read_to_string(root().join(path)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", path, &error)),
    }
}

/// Replaces a file of the project, and creates the folder it lies in.
#[expect(
    clippy::disallowed_methods,
    reason = "these files can be made again at any time; they are not state"
)]
pub(crate) fn write(path: &str, text: &str) -> Result<(), Failure> {
    let full = root().join(path);
    if let Some(folder) = full.parent() {
        fs::create_dir_all(folder).map_err(|error| cannot("create the folder of", path, &error))?;
    }
    fs::write(full, text).map_err(|error| cannot("write", path, &error))
}

/// Copies a file below `target`; what was there before may be in use, and gives way.
#[expect(clippy::disallowed_methods, reason = "what lies in `target` can be made again")]
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let shown = to.display().to_string();
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| cannot("create the folder of", &shown, &error))?;
    }
    match fs::remove_file(to) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(cannot("replace", &shown, &error));
        }
        Ok(()) | Err(_) => {}
    }
    fs::copy(root().join(from), to).map_err(|error| cannot("write", &shown, &error)).map(drop)
}

/// Removes a folder below `target` with everything in it; one that is absent is no failure.
#[expect(clippy::disallowed_methods, reason = "what lies in `target` can be made again")]
pub(crate) fn remove(folder: &str) -> Result<(), Failure> {
    match fs::remove_dir_all(root().join(folder)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot("remove", folder, &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn cannot(action: &str, path: &str, error: &std::io::Error) -> Failure {
    Failure::Unable(format!("cannot {action} `{path}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_is_found_and_its_files_are_listed() {
        let files = files().unwrap();
        let own = files.iter().find(|it| it.path == "xtask/src/project.rs").unwrap();
        assert!(own.is_rust());
        assert!(own.text.starts_with("//! The checkout"));
        assert!(files.iter().all(|it| !it.path.starts_with("target/")));
    }

    #[test]
    fn an_absent_file_is_nothing_or_an_error_that_names_it() {
        assert_eq!(read_if_present("no/such/file"), Ok(None));
        let failure = read("no/such/file").unwrap_err().to_string();
        assert!(failure.starts_with("cannot read `no/such/file`: "), "{failure}");
    }
}
