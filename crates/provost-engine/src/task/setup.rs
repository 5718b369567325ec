//! Writes what a project needs into its `provost.toml`, and takes it out again.
//!
//! What is about to be added is on record before the file is replaced: after a crash in between,
//! the record names keys that the file does not have, and taking them out changes nothing.

use camino::Utf8Path;
use provost_kernel::{Message, RecordFile, task::ProjectSetup};
use provost_rules_task::setup::{self, Addition, Removal, TaskKeys};
use provost_vault::{
    FileError, ForeignError, ForeignFile, HomeError, Layout, RealDisk, Stored, prepare_home,
    read_record, remove, write_json,
};

/// Why the configuration of a project was not changed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.setup")]
pub enum ProjectSetupError {
    #[message(transparent)]
    Foreign(#[from] ForeignError),
    #[message(transparent)]
    File(#[from] FileError),
    #[message(transparent)]
    Home(#[from] HomeError),
    #[message(
        en = "`{path}` is not valid TOML: {why}",
        zh = "`{path}` 不是有效的 TOML：{why}",
        hint(
            en = "correct it and run the command again; nothing was changed",
            zh = "请改正后重试；没有更改任何内容"
        )
    )]
    NotToml { path: String, why: String },
}

/// What would be written.
#[derive(Clone, Debug)]
pub struct SetupPlan {
    file: ForeignFile,
    pub addition: Addition,
}

/// What would be taken out.
#[derive(Clone, Debug)]
pub struct RemovalPlan {
    file: ForeignFile,
    created: bool,
    pub removal: Removal,
}

/// Says what a file lacks.
pub fn plan_setup(path: &Utf8Path, wanted: &TaskKeys) -> Result<SetupPlan, ProjectSetupError> {
    let file = ForeignFile::read(path)?;
    let addition = setup::add(file.text()?, wanted).map_err(|it| not_toml(path, &it))?;
    Ok(SetupPlan { file, addition })
}

/// Writes what is planned; the home is made if it is not there, and ignores itself in git.
pub fn carry_out_setup(layout: &Layout, plan: &SetupPlan) -> Result<(), ProjectSetupError> {
    prepare_home(&RealDisk, layout)?;
    if plan.addition.added.is_empty() {
        return Ok(());
    }
    let mut known = known(layout)?.unwrap_or_default();
    known.created |= plan.file.text()?.is_none();
    known.keys.extend(plan.addition.added.clone());
    write_json(&RealDisk, &layout.project_setup(), &RecordFile::new(known))?;
    plan.file.replace(plan.addition.text.as_bytes())?;
    Ok(())
}

/// Says what can be taken out; none where nothing was written.
pub fn plan_removal(
    layout: &Layout,
    path: &Utf8Path,
) -> Result<Option<RemovalPlan>, ProjectSetupError> {
    let Some(ProjectSetup { keys, created }) = known(layout)? else { return Ok(None) };
    let file = ForeignFile::read(path)?;
    let text = file.text()?.unwrap_or_default();
    let removal = setup::take_out(text, &keys).map_err(|it| not_toml(path, &it))?;
    Ok(Some(RemovalPlan { file, created, removal }))
}

/// Takes out what is planned: the file as a whole, if nothing else is left in it.
pub fn carry_out_removal(layout: &Layout, plan: &RemovalPlan) -> Result<(), ProjectSetupError> {
    if !plan.removal.removed.is_empty() {
        match &plan.removal.text {
            None if plan.created => plan.file.remove()?,
            text => plan.file.replace(text.as_deref().unwrap_or_default().as_bytes())?,
        }
    }
    remove(&layout.project_setup())?;
    Ok(())
}

fn known(layout: &Layout) -> Result<Option<ProjectSetup>, ProjectSetupError> {
    // A record that cannot be read vouches for nothing: what stands in the file is the person's.
    Ok(match read_record(&RealDisk, &layout.project_setup())? {
        Stored::Present(it) => Some(it.value),
        Stored::Absent | Stored::Corrupt(_) => None,
    })
}

fn not_toml(path: &Utf8Path, error: &setup::TomlError) -> ProjectSetupError {
    let why = error.message().to_owned();
    ProjectSetupError::NotToml { path: path.to_string(), why }
}
