//! Reading cases and recordings that a person named.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::task::calibration::Files;
use provost_kernel::task::TaskType;

use super::error::CalibrateError;
use crate::{input::Source, session::AnyFault};

/// The folders of a type, with the ending of what is looked for in them.
const KINDS: [(&str, &str); 3] = [("cases", "json"), ("expected", "json"), ("examples", "md")];

/// Reads what a folder of calibration holds, and nothing else that lies in it.
pub(super) fn read_folder(folder: &Utf8Path) -> Result<Files, AnyFault> {
    // A folder of a type may be absent; the folder itself may not.
    list(folder)?;
    let read = |path: &Utf8Path| Source::File(path.to_owned()).read();
    let mut files = Files::new();
    for task_type in TaskType::WORDS {
        let place = folder.join(task_type);
        for (kind, ending) in KINDS {
            for path in list_if_present(&place.join(kind))? {
                if path.extension() == Some(ending) {
                    let name = path.file_name().unwrap_or_default();
                    files.insert(format!("{task_type}/{kind}/{name}"), read(&path)?);
                }
            }
        }
        let recorded = place.join("recorded.jsonl");
        if recorded.symlink_metadata().is_ok() {
            files.insert(format!("{task_type}/recorded.jsonl"), read(&recorded)?);
        }
    }
    Ok(files)
}

/// Reads a file of text, or standard input.
pub(super) fn read_text(path: &str) -> Result<String, AnyFault> {
    let bytes = Source::from(path).read()?;
    Ok(String::from_utf8(bytes).map_err(|_| CalibrateError::NotText { path: path.to_owned() })?)
}

fn list_if_present(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, CalibrateError> {
    match list(folder) {
        Err(CalibrateError::Folder { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(Vec::new())
        }
        listed => listed,
    }
}

fn list(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, CalibrateError> {
    let fail = |source| CalibrateError::Folder { path: folder.to_string(), source };
    let mut paths = Vec::new();
    for entry in folder.as_std_path().read_dir().map_err(fail)? {
        let path = Utf8PathBuf::from_path_buf(entry.map_err(fail)?.path());
        paths.push(path.map_err(|_| CalibrateError::Name { folder: folder.to_string() })?);
    }
    paths.sort();
    Ok(paths)
}
