//! Finding the job's program and starting it.

use std::{
    fs::File,
    io::{self, Seek as _, Write as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rustix::{
    fs::{Access, access},
    io::Errno,
};

use crate::{
    capture::scratch,
    job::Input,
    sandbox::{self, Gap, Prepared, SandboxReport},
    wire::{Plan, Report},
};

/// Where programs are when the job's environment does not say.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;

/// A program that cannot be run, as a shell would report it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotRun {
    rc: i32,
    reason: String,
}

/// A program that runs.
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) sandbox: Option<SandboxReport>,
}

pub(super) enum StartError {
    NotRun(NotRun),
    Unenforceable(Vec<Gap>),
    Sandbox(io::Error),
}

impl From<NotRun> for Report {
    fn from(NotRun { rc, reason }: NotRun) -> Self {
        Self::NotRun { rc, reason }
    }
}

/// Finds the program, as a shell would, but only in absolute folders: an empty or relative entry
/// of `PATH` would mean the agent's own tree.
///
/// The search is done here and not left to `exec`, because a search in another `PATH` than our own
/// would cost a real fork.
pub(super) fn locate(plan: &Plan) -> Result<PathBuf, NotRun> {
    let Some(name) = plan.argv.first() else {
        return Err(NotRun { rc: NOT_FOUND, reason: "no command".to_owned() });
    };
    if name.contains('/') {
        return runnable(&plan.cwd.join(name));
    }
    let folders = plan.env.get("PATH").map_or(DEFAULT_PATH, String::as_str);
    let mut first_refusal = None;
    for folder in folders.split(':').map(Path::new).filter(|it| it.is_absolute()) {
        match runnable(&folder.join(name)) {
            Ok(program) => return Ok(program),
            Err(refusal) if refusal.rc == NOT_EXECUTABLE => {
                first_refusal.get_or_insert(refusal);
            }
            Err(_) => {}
        }
    }
    Err(first_refusal
        .unwrap_or_else(|| NotRun { rc: NOT_FOUND, reason: format!("`{name}` is not in PATH") }))
}

fn runnable(program: &Path) -> Result<PathBuf, NotRun> {
    let refuse =
        |rc, what: &str| Err(NotRun { rc, reason: format!("`{}` {what}", program.display()) });
    match access(program, Access::EXEC_OK) {
        Ok(()) if program.is_dir() => refuse(NOT_EXECUTABLE, "is a folder"),
        Ok(()) => Ok(program.to_owned()),
        Err(Errno::NOENT | Errno::NOTDIR) => refuse(NOT_FOUND, "does not exist"),
        Err(_) => refuse(NOT_EXECUTABLE, "is not executable"),
    }
}

/// Starts the program, inside its sandbox if it has one.
pub(super) fn start(
    plan: &Plan,
    program: &Path,
    prepared: Option<Prepared>,
) -> Result<Started, StartError> {
    let Some(prepared) = prepared else {
        let pid = spawn(plan, program).map_err(StartError::NotRun)?;
        return Ok(Started { pid, sandbox: None });
    };
    // Landlock restricts the thread that asks for it and whatever that thread starts. On a thread
    // of its own the child is inside and the guardian stays outside.
    std::thread::scope(|scope| {
        let inside = std::thread::Builder::new().spawn_scoped(scope, || {
            let (report, unmet) = sandbox::enter(prepared).map_err(StartError::Sandbox)?;
            if !unmet.is_empty() {
                return Err(StartError::Unenforceable(unmet));
            }
            let pid = spawn(plan, program).map_err(StartError::NotRun)?;
            Ok(Started { pid, sandbox: Some(report) })
        });
        let panicked = |_| StartError::Sandbox(io::Error::other("the sandbox thread panicked"));
        inside.map_err(StartError::Sandbox)?.join().map_err(panicked)?
    })
}

/// A file without a name that holds a text and is read from its start.
fn holding(text: &str) -> io::Result<File> {
    let mut file = scratch()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

fn spawn(plan: &Plan, program: &Path) -> Result<i32, NotRun> {
    let refuse = |source: &io::Error| {
        // The system does not say which of the two it did not find.
        let reason = if plan.cwd.is_dir() {
            format!("`{}` cannot be executed: {source}", program.display())
        } else {
            format!("the working folder `{}` does not exist", plan.cwd.display())
        };
        NotRun { rc: NOT_EXECUTABLE, reason }
    };
    let stdin = match &plan.input {
        Input::Nothing => Stdio::null(),
        Input::File(path) => Stdio::from(File::open(path).map_err(|source| refuse(&source))?),
        Input::Text(text) => Stdio::from(holding(text).map_err(|source| refuse(&source))?),
    };
    let Some((name, arguments)) = plan.argv.split_first() else {
        return Err(NotRun { rc: NOT_FOUND, reason: "no command".to_owned() });
    };
    // This process goes into the folder itself: with a folder to change to, a static std would
    // fork, which costs more than everything else the guardian does.
    std::env::set_current_dir(&plan.cwd).map_err(|source| NotRun {
        rc: NOT_EXECUTABLE,
        reason: format!("cannot start in `{}`: {source}", plan.cwd.display()),
    })?;
    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts programs")]
    let child = Command::new(program)
        .arg0(name)
        .args(arguments)
        .env_clear()
        .envs(&plan.env)
        .process_group(0)
        .stdin(stdin)
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|source| refuse(&source))?;
    i32::try_from(child.id()).map_err(|source| refuse(&io::Error::other(source)))
}
