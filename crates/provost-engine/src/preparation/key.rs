//! What tells a layer from every other: all that decides what is installed.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt as _, path::Path, time::Duration};

use provost_exec::{
    Job, Streams,
    environment::REGISTRIES,
    git::ObjectId,
    sandbox::{FileCover, Network},
};
use provost_kernel::Digest;
use provost_rules_task::prepare::{LayerInputs, Pinned};
use provost_vault::make_work_folder;
use serde::Serialize;

use super::Preparation;
use crate::{Engine, context::redact, story::StoryError};

/// How long programs may take to say their versions, and how much they may say.
const VERSIONS: Duration = Duration::from_secs(30);
const SAID: u64 = 16 << 10;
/// How long versions are kept that no lock file names.
const WEEK: u64 = 7 * 24 * 60 * 60 * 1000;

/// Whatever two preparations must agree in to share what they install.
#[derive(Debug, Serialize)]
struct LayerKey<'a> {
    /// Of how a layer lies on a disk, and of what makes one.
    format: u32,
    provost: &'static str,
    platform: [&'static str; 2],
    commands: String,
    programs: Vec<String>,
    versions: String,
    registries: BTreeMap<String, String>,
    /// The digests of the files that decide what is installed, by path.
    files: BTreeMap<&'a str, &'a str>,
    folders: Vec<&'a str>,
    commit: Option<&'a str>,
    week: Option<u64>,
    /// Who alone may have it.
    owner: Option<&'a str>,
}

/// What the programs of a preparation say, and whether jobs are kept out of other folders.
struct Surveyed {
    versions: String,
    is_confined: bool,
}

impl Preparation {
    /// The key of the layer of a commit. Where jobs cannot be kept from writing to it, it is the
    /// owner's alone.
    pub(super) fn layer_key(
        &self,
        engine: &Engine<'_>,
        commit: &ObjectId,
        owner: &str,
    ) -> Result<Digest, StoryError> {
        let installs = &self.suggested.installs;
        let Surveyed { versions, is_confined } = self.survey(engine)?;
        let (mut files, mut folders) = (BTreeMap::new(), Vec::new());
        let mut is_whole = !self.asked.is_empty();
        for it in installs {
            match &it.inputs {
                LayerInputs::Tree => is_whole = true,
                LayerInputs::Some { files: inputs, folders: there } => {
                    let id = |path| self.files.entry(path).map(|(_, id)| id.as_str());
                    let inputs = inputs.iter().filter_map(|it| Some((it.as_str(), id(it)?)));
                    files.extend(inputs);
                    folders.extend(there.iter().map(String::as_str));
                }
            }
        }
        let floats =
            !self.asked.is_empty() || installs.iter().any(|it| it.pinned == Pinned::Floating);
        let (fetch, build) = self.steps(Path::new(""));
        let key = LayerKey {
            format: 1,
            provost: env!("CARGO_PKG_VERSION"),
            platform: [std::env::consts::OS, std::env::consts::ARCH],
            commands: format!("{fetch:?} {build:?}"),
            programs: installs.iter().map(|it| identity(engine, it.program)).collect(),
            versions,
            registries: engine.inherited(REGISTRIES),
            files,
            folders,
            commit: is_whole.then(|| commit.as_str()),
            week: floats.then(|| engine.desk.clock().millis().0 / WEEK),
            owner: (!is_confined).then_some(owner),
        };
        // Plain data always has a JSON form.
        Ok(Digest::of_json(&key)
            .unwrap_or_else(|_| Digest::of_bytes(format!("{key:?}").as_bytes())))
    }

    /// Asks the programs that packages are installed for, in one job that may write nowhere.
    fn survey(&self, engine: &Engine<'_>) -> Result<Surveyed, StoryError> {
        let mut commands: Vec<&str> =
            self.suggested.installs.iter().filter_map(|it| it.versions).collect();
        commands.sort_unstable();
        commands.dedup();
        commands.push("true");
        let folder = make_work_folder(&engine.desk.layout().layers())?;
        let mut job = Job::new(["sh", "-c", &commands.join("; ")], &folder, VERSIONS);
        job.env = engine.job_environment(&folder);
        job.output_cap = SAID;
        job.sandbox = Some(engine.sandbox(Vec::new(), Network::On));
        let (streams, printed) = Streams::in_memory()?;
        let check = |argv: &[String]| engine.check(argv);
        let ended = job.start(engine.guardian, streams, &check)?.wait(&redact)?;
        let is_confined = ended.sandbox.is_some_and(|it| it.files == FileCover::Full);
        let versions = String::from_utf8_lossy(&printed.read(SAID)?).into_owned();
        Ok(Surveyed { versions, is_confined })
    }
}

/// What tells a program from another version of it: some take a second to say their own.
fn identity(engine: &Engine<'_>, program: &str) -> String {
    let path = engine.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let mut folders = std::env::split_paths(path).map(|it| it.join(program));
    let found = folders.find(|it| it.is_file()).and_then(|it| fs::canonicalize(it).ok());
    let Some(found) = found else { return program.to_owned() };
    let Ok(metadata) = found.metadata() else { return program.to_owned() };
    format!("{} {} {}.{}", found.display(), metadata.len(), metadata.mtime(), metadata.mtime_nsec())
}
