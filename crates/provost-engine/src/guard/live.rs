//! The live proof: a real client, once without the guard and once with it (ruling 41).
//!
//! Everything happens in a folder that is thrown away: a repository, a home for the client and a
//! home for provost. Nothing of the person's is used but the client's program.

mod error;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _, Seek as _},
    path::{Path, PathBuf},
    time::Duration,
};

use camino::Utf8PathBuf;
use provost_adapter::{
    Cancel,
    live::{self, Driven, LiveClient, LiveError, Stage},
};
use provost_exec::{Capture, Ended, Streams, environment};
use provost_kernel::{
    Actor, Message as _, Source, Text,
    guard::{Harness, Scope},
};
use provost_rules::secret;
use provost_rules_guard::{
    install::Hook,
    live::{Seen, judge},
};
use provost_vault::{Layout, SystemClock};
use serde::Serialize;
use tempfile::TempDir;

pub use self::error::ProofError;
use super::install::{self, Folders, Setup};
use crate::task::rehearsal::{Host, RehearsalError, make_repository, put};

/// What a client has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LiveProof {
    pub client: Harness,
    /// The program that was driven.
    pub program: PathBuf,
    /// What it says its version is.
    pub version: String,
    pub passed: bool,
    /// What the two runs prove, in words.
    pub verdict: Text,
    pub without: LiveRun,
    pub with: LiveRun,
}

/// One run of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LiveRun {
    /// Whether the file of an ordinary command is there.
    pub witness: bool,
    /// Whether the file of the command is there that the guard refuses.
    pub canary: bool,
    /// What the client told the model of each command.
    pub results: Vec<String>,
    pub exit_code: i32,
    /// How it ended otherwise than by itself.
    pub ended: Option<Ended>,
    pub milliseconds: u64,
    /// The last lines that it wrote to standard error.
    pub complaint: String,
}

/// How much of what a client prints is kept for people.
const SHOWN: usize = 2000;

/// Drives a client without the guard, then with it.
///
/// The guard is installed by the same code that does it for a person, and what it installs is the
/// program of the guardian: provost itself. A client that is not there is an error, never a proof.
pub fn prove(
    host: &Host,
    variables: &BTreeMap<String, String>,
    harness: Harness,
) -> Result<LiveProof, ProofError> {
    let client = LiveClient::of(harness).ok_or(LiveError::NotDriven { harness })?;
    let program = find(client.program(), &host.path).ok_or(LiveError::Missing { client })?;
    let bare = Theatre::new(host, variables, client, &program)?;
    let version = bare.version()?;
    let without = bare.drive()?;
    let guarded = Theatre::new(host, variables, client, &program)?;
    guarded.install()?;
    let with = guarded.drive()?;
    let verdict = judge(without.seen(), with.seen());
    Ok(LiveProof {
        client: harness,
        program,
        version,
        passed: verdict.is_passed(),
        verdict: verdict.text(),
        without,
        with,
    })
}

/// The program of this name in the absolute folders of `PATH`.
fn find(name: &str, path: &str) -> Option<PathBuf> {
    path.split(':')
        .map(Path::new)
        .filter(|it| it.is_absolute())
        .map(|it| it.join(name))
        .find(|it| is_executable(it))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// A folder in which a client plays once. It is gone afterwards.
struct Theatre<'a> {
    host: &'a Host,
    client: LiveClient,
    program: &'a Path,
    env: BTreeMap<String, String>,
    layout: Layout,
    repository: Utf8PathBuf,
    user_home: Utf8PathBuf,
    scratch: Utf8PathBuf,
    root: Utf8PathBuf,
    _folder: TempDir,
}

impl<'a> Theatre<'a> {
    fn new(
        host: &'a Host,
        variables: &BTreeMap<String, String>,
        client: LiveClient,
        program: &'a Path,
    ) -> Result<Self, ProofError> {
        let fail = |source| ProofError::from(RehearsalError::Folder(source));
        let folder = tempfile::Builder::new().prefix("provost-live-").tempdir().map_err(fail)?;
        // The sandbox refuses a path that leads through a link, as a temporary folder may.
        let root = folder.path().canonicalize().map_err(fail)?;
        let root = Utf8PathBuf::from_path_buf(root).map_err(|_| RehearsalError::NotUtf8)?;
        let repository = root.join("repository");
        let layout = Layout::new(&repository.join(".provost"), None, &root.join("state"));
        make_repository(host, &layout, &repository, &[("README.md", "Thrown away.\n")])?;
        let (user_home, scratch) = (root.join("home"), root.join("scratch"));
        for folder in [&user_home, &scratch] {
            make_folder(folder.as_std_path()).map_err(fail)?;
        }
        for (name, text) in client.live.files {
            let path = user_home.join(name);
            path.parent().map_or(Ok(()), |it| make_folder(it.as_std_path())).map_err(fail)?;
            put(user_home.as_std_path(), name, text).map_err(fail)?;
        }
        let named = variables.iter().map(|(name, value)| (name.clone(), value.clone()));
        let env = environment::inherited(environment::PLAIN, named);
        Ok(Self {
            host,
            client,
            program,
            env,
            layout,
            repository,
            user_home,
            scratch,
            root,
            _folder: folder,
        })
    }

    /// Puts the guard into the client's configuration.
    fn install(&self) -> Result<(), ProofError> {
        let actor = Actor { source: Source::Provost, id: "live".to_owned() };
        let folders = Folders {
            user_home: self.user_home.clone(),
            project: Some(self.repository.clone()),
            moved: Vec::new(),
        };
        let user = Layout::of_user(&self.user_home.join(".local/state"));
        let setup = Setup {
            project: Some(&self.layout),
            user: &user,
            policy: None,
            clock: &SystemClock,
            actor: &actor,
            folders: &folders,
        };
        let program = self.host.guardian.program.to_str().ok_or(RehearsalError::NotUtf8)?;
        let hook = Hook { program: program.to_owned(), home: None };
        let plan = install::plan(setup, self.client.harness, Scope::User, &hook)?;
        Ok(install::carry_out(setup, &hook, &plan)?)
    }

    fn drive(&self) -> Result<LiveRun, ProofError> {
        let (driven, [_, stderr]) = self.on(live::drive)?;
        let Driven { witness, canary, results, outcome, .. } = driven;
        let milliseconds = u64::try_from(outcome.wall.as_millis()).unwrap_or(u64::MAX);
        Ok(LiveRun {
            witness,
            canary,
            results: results.into_iter().map(shown).collect(),
            exit_code: outcome.rc,
            ended: (outcome.ended != Ended::Exited).then_some(outcome.ended),
            milliseconds,
            complaint: shown(stderr),
        })
    }

    /// What the client says its version is: a word for people.
    fn version(&self) -> Result<String, ProofError> {
        let (_, [stdout, _]) = self.on(live::version)?;
        let line = stdout.lines().next().unwrap_or_default();
        Ok(line.chars().filter(|it| !it.is_control()).take(80).collect())
    }

    /// Puts the client on the stage; what it printed comes with what was seen.
    fn on<T>(
        &self,
        play: impl FnOnce(LiveClient, Stage<'_>) -> Result<T, LiveError>,
    ) -> Result<(T, [String; 2]), ProofError> {
        let fail = |source| ProofError::from(RehearsalError::Folder(source));
        let (streams, printed) = streams().map_err(fail)?;
        let cancel = Cancel::new();
        let stage = Stage {
            root: self.root.as_std_path(),
            repository: self.repository.as_std_path(),
            home: self.user_home.as_std_path(),
            scratch: self.scratch.as_std_path(),
            program: self.program,
            env: self.env.clone(),
            guardian: &self.host.guardian,
            streams,
            check: &|_| Ok(()),
            redact: &|bytes| secret::redact(bytes),
            cancel: &cancel,
        };
        let seen = play(self.client, stage)?;
        let [stdout, stderr] = printed.map(read);
        Ok((seen, [stdout.map_err(fail)?, stderr.map_err(fail)?]))
    }
}

impl LiveRun {
    fn seen(&self) -> Seen {
        Seen { witness: self.witness, canary: self.canary, n_results: self.results.len() }
    }

    /// How long it took.
    pub fn wall(&self) -> Duration {
        Duration::from_millis(self.milliseconds)
    }
}

/// Files without a name, and where they can be read.
fn streams() -> io::Result<(Streams, [File; 2])> {
    let open =
        || -> io::Result<_> { Ok(tempfile::Builder::new().append(true).tempfile()?.into_file()) };
    let capture = || -> io::Result<_> { Ok(Capture { raw: open()?, clean: open()? }) };
    let (stdout, stderr) = (capture()?, capture()?);
    let printed = [stdout.clean.try_clone()?, stderr.clean.try_clone()?];
    Ok((Streams { stdout, stderr }, printed))
}

fn read(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The end of what somebody else wrote, without what would steer a terminal.
fn shown(text: String) -> String {
    let start = text.chars().count().saturating_sub(SHOWN);
    let plain = |it: char| if it.is_control() && it != '\n' { ' ' } else { it };
    text.chars().skip(start).map(plain).collect::<String>().trim().to_owned()
}

#[expect(clippy::disallowed_methods, reason = "a folder that is thrown away; no home lies in it")]
fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_absolute_folders_only() {
        assert!(find("sh", "/nowhere:/bin:/usr/bin").is_some_and(|it| it.ends_with("sh")));
        assert_eq!(find("sh", "bin:.:"), None);
        assert_eq!(find("no-such-program-of-provost", "/bin:/usr/bin"), None);
        // A folder is not a program.
        assert_eq!(find("bin", "/usr"), None);
    }

    #[test]
    fn what_is_shown_steers_no_terminal() {
        assert_eq!(shown("a\u{1b}[2J\nb\n".to_owned()), "a [2J\nb");
        assert_eq!(shown("x".repeat(SHOWN + 5)).len(), SHOWN);
    }
}
