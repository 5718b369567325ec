//! What is looked at before an agent is paid: whether it is there, and whether it is let in. All of it
//! is free.

use provost_adapter::{
    preset::{
        Preset,
        installed::{Login, login_of},
    },
    select::{AdapterConfig, Selected},
};
use provost_kernel::task::ErrorClass;

use crate::{Engine, EngineError, RunError, preparation::has_program};

/// Refuses an agent that could not work.
pub(super) fn check(engine: Engine<'_>, selected: &Selected) -> Result<(), EngineError> {
    match &selected.config {
        AdapterConfig::Preset { preset, program, variables, .. } => match Preset::named(preset) {
            Some(preset) => check_preset(engine, preset, program.as_deref(), variables),
            None => Ok(()),
        },
        AdapterConfig::Chat { key_variable: Some(variable), .. } => {
            let is_set = engine.variables.get(variable).is_some_and(|it| !it.is_empty());
            let (name, variable) = (selected.name.clone(), variable.clone());
            if is_set { Ok(()) } else { Err(RunError::NoKey { name, variable }.into()) }
        }
        AdapterConfig::Chat { key_variable: None, .. }
        | AdapterConfig::Command { .. }
        | AdapterConfig::Recording { .. }
        | AdapterConfig::Script { .. } => Ok(()),
    }
}

/// What an agent that could not work means for an attempt.
pub(super) fn class(error: &EngineError) -> Option<ErrorClass> {
    let EngineError::Run(error) = error else { return None };
    if matches!(error, RunError::NotInstalled { .. }) {
        return Some(ErrorClass::AdapterMissing);
    }
    let is_locked_out = matches!(error, RunError::NotLoggedIn { .. } | RunError::NoKey { .. });
    is_locked_out.then_some(ErrorClass::Auth)
}

fn check_preset(
    engine: Engine<'_>,
    preset: &'static Preset,
    program: Option<&str>,
    added: &[String],
) -> Result<(), EngineError> {
    let title = preset.title;
    let name = program.unwrap_or(preset.program);
    // One with a path of its own may lie in the base, and nothing of that runs outside the sandbox.
    if name.contains('/') {
        return Ok(());
    }
    if !has_program(&engine, name) {
        return Err(RunError::NotInstalled { title, program: name.to_owned() }.into());
    }
    let (None, Some(mend)) = (program, preset.mend_login()) else { return Ok(()) };
    // In a repository, its settings would be obeyed.
    let Ok(nowhere) = tempfile::tempdir() else { return Ok(()) };
    match login_of(preset, added, engine.guardian, engine.variables, nowhere.path()) {
        Login::LoggedOut => Err(RunError::NotLoggedIn { title, mend }.into()),
        Login::LoggedIn | Login::Unknown => Ok(()),
    }
}
