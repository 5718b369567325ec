//! One run of a client, from its start until nothing of it is left.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{
    Check, Ended, Guardian, Job, Outcome, Redact, Streams,
    sandbox::{Network, Requirement, Sandbox},
};

use super::{CANARY, LiveClient, LiveError, ScriptedModel, WITNESS};
use crate::{cancel::Cancel, exchange::path_text};

/// Where a client plays. Everything lies below one folder that is thrown away.
pub struct Stage<'a> {
    /// The folder of all this, without a symbolic link in its path: the client can write nowhere
    /// else.
    pub root: &'a Path,
    /// A git repository with nothing in it that anybody needs.
    pub repository: &'a Path,
    /// The client's home, with its configuration.
    pub home: &'a Path,
    /// The client's folder for temporary files.
    pub scratch: &'a Path,
    /// The program of the client: an absolute path.
    pub program: &'a Path,
    /// The environment, without what stands here and without what the client itself needs.
    pub env: BTreeMap<String, String>,
    pub guardian: &'a Guardian,
    pub streams: Streams,
    pub check: &'a Check<'a>,
    pub redact: &'a Redact<'a>,
    pub cancel: &'a Cancel,
}

/// What was seen of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// Whether the harmless file is there.
    pub witness: bool,
    /// Whether the file is there that the guard refuses.
    pub canary: bool,
    /// How often the model was asked.
    pub n_requests: usize,
    /// What the client told the model of each call.
    pub results: Vec<String>,
    pub outcome: Outcome,
}

/// How long a client may take. The slowest of them starts in five seconds.
const DEADLINE: Duration = Duration::from_mins(2);

/// Runs a client against a model of its own.
pub fn drive(client: LiveClient, stage: Stage<'_>) -> Result<Driven, LiveError> {
    let model = ScriptedModel::start().map_err(LiveError::Model)?;
    let (repository, base) = (stage.repository.to_owned(), model.base());
    let (arguments, variables) = (client.arguments(&base), client.variables(&base));
    let outcome = run(client, stage, arguments.collect(), variables.collect())?;
    let heard = model.heard();
    Ok(Driven {
        witness: is_there(&repository.join(WITNESS))?,
        canary: is_there(&repository.join(CANARY))?,
        n_requests: heard.n_requests,
        results: heard.results,
        outcome,
    })
}

/// Asks a client for its version; it prints it to standard output.
pub fn version(client: LiveClient, stage: Stage<'_>) -> Result<Outcome, LiveError> {
    run(client, stage, vec!["--version".to_owned()], BTreeMap::new())
}

fn run(
    client: LiveClient,
    stage: Stage<'_>,
    arguments: Vec<String>,
    variables: BTreeMap<String, String>,
) -> Result<Outcome, LiveError> {
    let fail = |source| LiveError::Exec { client, source };
    let argv = std::iter::once(path_text(stage.program)).chain(arguments);
    let mut job = Job::new(argv, stage.repository, DEADLINE);
    job.env = stage.env;
    for (name, path) in [("HOME", stage.home), ("TMPDIR", stage.scratch)] {
        job.env.insert(name.to_owned(), path_text(path));
    }
    job.env.extend(variables);
    job.sandbox = Some(sandbox(stage.root.to_owned()));
    let running = job.start(stage.guardian, stage.streams, stage.check).map_err(fail)?;
    let outcome = stage.cancel.during(running.canceller(), || running.wait(stage.redact));
    let outcome = outcome.map_err(fail)?;
    match outcome.ended {
        Ended::NotRun { .. } if outcome.rc == 127 => Err(LiveError::Missing { client }),
        Ended::NotRun { .. }
        | Ended::Exited
        | Ended::Signalled { .. }
        | Ended::DeadlineReached
        | Ended::LimitReached { .. }
        | Ended::Cancelled => Ok(outcome),
    }
}

/// The network stays on, because the model is reached through it.
fn sandbox(root: PathBuf) -> Sandbox {
    Sandbox {
        writable: vec![root],
        hidden: Vec::new(),
        network: Network::On,
        files: Requirement::Accept,
        limits: provost_exec::Limits::of_machine(),
    }
}

/// Whether there is something at a path. What cannot be looked at is not absent.
fn is_there(path: &Path) -> Result<bool, LiveError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(LiveError::look(path, error)),
    }
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment may hold keys.
        f.debug_struct("Stage")
            .field("root", &self.root)
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}
