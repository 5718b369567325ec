//! The guard's part of the configuration, for the file that hooks read.
//!
//! It belongs to a home: the person's file, the file of the repository that the home lies in, and
//! the home's own. Variables and flags have no say, because a hook runs in an agent's environment.

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::guard::policy::look;
use provost_kernel::{
    Clock as _, Config, Digest, Millis,
    guard::{
        CompiledPolicy, PolicySource, SourceState,
        policy::{Policy, PolicyRule},
    },
};
use provost_rules::config::{ConfigError, Effective, Keys, Origin, Setting, settings};
use provost_rules_guard::policy::validate;
use provost_vault::SystemClock;

use super::{Project, file, guard::loosens, is_own, place::Place, places};
use crate::{cli::Flags, environment::Environment, session::AnyFault};

const RULES: &str = "guard.rules";

/// Reads the files of a home's policy.
pub(crate) fn compile(
    environment: &Environment,
    home: &Utf8Path,
) -> Result<CompiledPolicy, AnyFault> {
    let (flags, folder) = (flags(home), home.parent().unwrap_or(home));
    let mut files = Files::of(Some(folder));
    let is_own = |origin: &Origin| is_own(environment, &flags, folder, origin);
    for place in places_of(environment, home)? {
        files.add(&place, &is_own)?;
    }
    files.policy()
}

/// The policy of a guard for all projects: the person's own files, tightened by those of a project.
pub(crate) fn compile_for_user(
    environment: &Environment,
    user_home: &Utf8Path,
    project: Option<&Utf8Path>,
) -> Result<CompiledPolicy, AnyFault> {
    let mut files = Files::of(project);
    // Nothing of a project lies around this folder.
    let own = places(environment, &flags(user_home), Utf8Path::new("/"), Project::WorkTree)?;
    let is_own = |origin: &Origin| own.iter().any(|it| is_of(origin, it));
    for place in &own {
        files.add(place, &is_own)?;
    }
    let policy = files.policy()?;
    let Some(project) = project else { return Ok(policy) };
    for place in places_of(environment, &project.join(".provost"))? {
        if !own.contains(&place) {
            files.add(&place, &is_own)?;
        }
    }
    let CompiledPolicy { sources, repository, level, .. } = files.policy()?;
    Ok(CompiledPolicy { sources, repository, level, ..policy })
}

/// The digest of what the person's own policy says, whenever it was compiled.
pub(crate) fn digest_for_user(environment: &Environment, user_home: &Utf8Path) -> Option<Digest> {
    let policy = compile_for_user(environment, user_home, None).ok()?;
    let CompiledPolicy { rules, level, packs, unknown_fields, .. } = policy;
    Digest::of_json(&(rules, level, packs, unknown_fields)).ok()
}

/// The layers that were read so far, and the files that they came from.
struct Files {
    /// The folder whose policy it is, by its real path.
    project: Option<Utf8PathBuf>,
    keys: Keys,
    compiled_at: Millis,
    effective: Effective,
    /// The rules of layers that are not the person's own: they can only tighten.
    repository: Vec<PolicyRule>,
    sources: Vec<PolicySource>,
}

impl Files {
    fn of(project: Option<&Utf8Path>) -> Self {
        Self {
            project: project.map(|it| it.canonicalize_utf8().unwrap_or_else(|_| it.to_owned())),
            keys: Keys::of(&Config::schema()),
            compiled_at: SystemClock.millis(),
            effective: Effective::built_in(),
            repository: Vec::new(),
            sources: Vec::new(),
        }
    }

    fn add(&mut self, place: &Place, is_own: &dyn Fn(&Origin) -> bool) -> Result<(), AnyFault> {
        let Place::File { path } = place else { return Ok(()) };
        // The stamp comes first: a change between the two looks makes the digest differ later.
        let stamp = look(path.as_str()).ok().flatten();
        let bytes = file::bytes(path)?;
        let state = stamp
            .zip(bytes.as_deref())
            .map(|(stamp, bytes)| SourceState { stamp, digest: Digest::of_bytes(bytes) });
        self.sources.push(PolicySource { path: path.to_string(), state });
        if let Some(bytes) = bytes {
            let mut layer = settings(&self.keys, &file::parse(place, &bytes)?)?;
            // What a repository may not say has no effect, and locks nobody out.
            layer.retain(|it| !loosens(it) || is_own(&it.origin));
            self.repository.extend(taken_apart(&mut layer, is_own)?);
            self.effective.add(layer)?;
        }
        Ok(())
    }

    fn policy(&self) -> Result<CompiledPolicy, AnyFault> {
        let mut config = self.effective.config()?;
        config.guard.rules.retain(|it| is_for(it, self.project.as_deref()));
        let (compiled_at, sources) = (self.compiled_at, self.sources.clone());
        let repository = self.repository.clone();
        let policy = Policy { repository, ..Policy::of_rules(config.guard.rules.clone()) };
        validate(&policy)?;
        let Policy { repository, rules, .. } = policy;
        Ok(CompiledPolicy { compiled_at, sources, repository, rules, ..carried(&config) })
    }
}

/// Takes the rules out of a layer that is not the person's own: they can only tighten.
fn taken_apart(
    layer: &mut Vec<Setting>,
    is_own: &dyn Fn(&Origin) -> bool,
) -> Result<Vec<PolicyRule>, AnyFault> {
    let Some(at) = layer.iter().position(|it| it.key == RULES) else { return Ok(Vec::new()) };
    if layer.get(at).is_none_or(|it| is_own(&it.origin)) {
        return Ok(Vec::new());
    }
    let Setting { value, .. } = layer.remove(at);
    Ok(serde_json::from_value(value).map_err(ConfigError::Incoherent)?)
}

/// Whether a rule is for a project, or for all of them.
fn is_for(rule: &PolicyRule, project: Option<&Utf8Path>) -> bool {
    rule.project.as_deref().is_none_or(|it| project.is_some_and(|project| project == it))
}

fn is_of(origin: &Origin, place: &Place) -> bool {
    matches!((origin, place), (Origin::File { path, .. }, Place::File { path: own }) if path == own)
}

fn flags(home: &Utf8Path) -> Flags {
    Flags { home: Some(home.to_owned()), lang: None, json: false, quiet: false }
}

fn places_of(environment: &Environment, home: &Utf8Path) -> Result<Vec<Place>, AnyFault> {
    places(environment, &flags(home), home.parent().unwrap_or(home), Project::WorkTree)
}

/// The policy of a configuration that no file stands for any more: that of an attempt, which was
/// read from the base revision.
pub(crate) fn carried(config: &Config) -> CompiledPolicy {
    // An attempt works in a clone: what is permitted in one project is not permitted there.
    let rules = config.guard.rules.iter();
    let rules = rules.filter(|it| it.project.is_none() || !it.effect.passes()).cloned().collect();
    CompiledPolicy {
        compiled_at: Millis(0),
        sources: Vec::new(),
        unknown_fields: config.guard.unknown_fields,
        rules,
        repository: Vec::new(),
        level: Some(config.guard.level),
        packs: config.guard.packs,
        lang: config.lang,
        replay_days: config.retention.replay_days.get(),
    }
}
