//! The guard's part of the configuration, for the file that hooks read.
//!
//! It belongs to a home: the person's file, the file of the repository that the home lies in, and
//! the home's own. Variables and flags have no say, because a hook runs in an agent's environment.

use camino::Utf8Path;
use provost_engine::guard::policy::look;
use provost_kernel::{
    Clock as _, Config, Digest, Millis,
    guard::{CompiledPolicy, PolicySource, SourceState, policy::Policy},
};
use provost_rules::config::{Effective, Keys, settings};
use provost_rules_guard::policy::validate;
use provost_vault::SystemClock;

use super::{Project, file, place::Place, places};
use crate::{cli::Flags, environment::Environment, session::AnyFault};

/// Reads the files of a home's policy.
pub(crate) fn compile(
    environment: &Environment,
    home: &Utf8Path,
) -> Result<CompiledPolicy, AnyFault> {
    let compiled_at = SystemClock.millis();
    let keys = Keys::of(&Config::schema());
    let mut effective = Effective::built_in();
    let mut sources = Vec::new();
    let flags = Flags { home: Some(home.to_owned()), lang: None, json: false, quiet: false };
    let folder = home.parent().unwrap_or(home);
    for place in places(environment, &flags, folder, Project::WorkTree)? {
        let Place::File { path } = &place else { continue };
        // The stamp comes first: a change between the two looks makes the digest differ later.
        let stamp = look(path.as_str()).ok().flatten();
        let bytes = file::bytes(path)?;
        let state = stamp
            .zip(bytes.as_deref())
            .map(|(stamp, bytes)| SourceState { stamp, digest: Digest::of_bytes(bytes) });
        sources.push(PolicySource { path: path.to_string(), state });
        if let Some(bytes) = bytes {
            effective.add(settings(&keys, &file::parse(&place, &bytes)?)?)?;
        }
    }
    let config = effective.config()?;
    validate(&Policy { rules: config.guard.rules.clone() })?;
    Ok(CompiledPolicy { compiled_at, sources, ..carried(&config) })
}

/// The policy of a configuration that no file stands for any more: that of an attempt, which was
/// read from the base revision.
pub(crate) fn carried(config: &Config) -> CompiledPolicy {
    CompiledPolicy {
        compiled_at: Millis(0),
        sources: Vec::new(),
        unknown_fields: config.guard.unknown_fields,
        rules: config.guard.rules.clone(),
        lang: config.lang,
        replay_days: config.retention.replay_days.get(),
    }
}
