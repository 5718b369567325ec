//! Hooks that make test runners record their tests: files beside the checkout, and variables that
//! name them. The command itself is never edited.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use provost_rules_proof::record::RecordedFile;
use provost_vault::{FileError, Location, RealDisk, make_work_folder, work_part, write_record};

/// The largest record that is read.
const RECORD: u64 = 32 << 20;
/// The most files of a record that are read: a runner leaves one for each of its processes.
const RECORDS: usize = 20_000;

const FILES: [(&str, &str); 10] = [
    ("sitecustomize.py", include_str!("hooks/sitecustomize.py")),
    ("preload.cjs", include_str!("hooks/preload.cjs")),
    ("lines.cjs", include_str!("hooks/lines.cjs")),
    ("jest.cjs", include_str!("hooks/jest.cjs")),
    ("vitest.mjs", include_str!("hooks/vitest.mjs")),
    ("mocha.cjs", include_str!("hooks/mocha.cjs")),
    ("node.mjs", include_str!("hooks/node.mjs")),
    ("cargo", include_str!("hooks/cargo.sh")),
    ("go", include_str!("hooks/go.sh")),
    ("README", "Reporters for test runners.\n"),
];

/// The first version of Node that takes reporters from its environment.
const NODE_WITH_REPORTERS: u32 = 20;

/// Languages whose runners may be started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Languages {
    pub(super) python: bool,
    /// The major version of Node.
    pub(super) node: Option<u32>,
    pub(super) rust: bool,
    pub(super) go: bool,
}

/// Hooks for the runs in one checkout.
pub(super) struct Hooks {
    pub(super) folder: PathBuf,
    /// Where runners leave their records; jobs can write there.
    pub(super) records: PathBuf,
}

impl Hooks {
    /// Puts the hooks beside a checkout.
    pub(super) fn install(beside: &Location, root: &Path) -> Result<Self, FileError> {
        let records = make_work_folder(&work_part(beside, "records"))?;
        let at = work_part(beside, "hooks");
        let folder = make_work_folder(&at)?;
        for (name, text) in FILES {
            let text = [("@RECORD@", &*records), ("@ROOT@", root), ("@HOOKS@", &*folder)]
                .into_iter()
                .fold(text.to_owned(), |text, (mark, path)| {
                    text.replace(mark, &path.to_string_lossy())
                });
            write_record(&RealDisk, &work_part(&at, name), text.as_bytes())?;
        }
        for name in ["cargo", "go"] {
            // Without it the runner does not start, and its tests are not known.
            let _ = fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755));
        }
        Ok(Self { folder, records })
    }

    /// The variables with which the runners of these languages find the hooks; what is set already
    /// stays.
    pub(super) fn environment(
        &self,
        languages: Languages,
        environment: &mut BTreeMap<String, String>,
    ) {
        let folder = self.folder.to_string_lossy();
        let records = self.records.to_string_lossy();
        let mut add = |name: &str, value: String, between: &str| {
            let known = environment.get(name).filter(|it| !it.is_empty());
            let value = known.map_or(value.clone(), |it| format!("{it}{between}{value}"));
            environment.insert(name.to_owned(), value);
        };
        if languages.python {
            let options = format!("--junitxml={records}/pytest.xml -o junit_family=xunit1");
            add("PYTEST_ADDOPTS", options, " ");
            add("PYTHONPATH", folder.to_string(), ":");
        }
        if let Some(version) = languages.node {
            add("NODE_OPTIONS", format!("--require={folder}/preload.cjs"), " ");
            if version >= NODE_WITH_REPORTERS {
                let options = format!(
                    "--test-reporter={folder}/node.mjs \
                     --test-reporter-destination={records}/node.jsonl --test-reporter=spec \
                     --test-reporter-destination=stdout"
                );
                add("NODE_OPTIONS", options, " ");
            }
        }
        if languages.go {
            add("GOFLAGS", format!("-exec={folder}/go -count=1"), " ");
        }
        if !languages.rust {
            return;
        }
        let arch = std::env::consts::ARCH.to_ascii_uppercase();
        for libc in ["GNU", "MUSL"] {
            let name = format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_{libc}_RUNNER");
            environment.insert(name, format!("{folder}/cargo"));
        }
    }

    /// What the runners left. A file that cannot be read is left out, as if it were not there.
    pub(super) fn recorded(&self) -> io::Result<Vec<RecordedFile>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.records)?.take(RECORDS) {
            let entry = entry?;
            let metadata = entry.path().symlink_metadata()?;
            if !metadata.is_file() || metadata.len() > RECORD {
                continue;
            }
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            files.push(RecordedFile {
                name: entry.file_name().to_string_lossy().into_owned(),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
        files.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(files)
    }
}
