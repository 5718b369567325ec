//! What the process was given: variables, arguments, current folder. Nothing else reads them.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs::File,
    io,
    process::ExitCode,
    sync::{Arc, atomic::AtomicUsize},
};

use camino::Utf8PathBuf;
use provost_adapter::script::ScriptHost;
use provost_exec::{
    Guardian,
    detached::{self, Companion},
};
use provost_kernel::Message;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::Signals,
};

use crate::{output::escaped, session::AnyFault};

/// The variables of the environment, as they were when the process started.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

/// A part of the environment that provost cannot use.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "environment")]
pub(crate) enum EnvironmentError {
    /// A variable that is not UTF-8, in its name or in its value.
    #[message(
        en = "variable `{name}` is not UTF-8",
        zh = "环境变量 `{name}` 不是 UTF-8",
        hint(en = "unset `{name}` or write it in UTF-8", zh = "请取消设置 `{name}`，或改为 UTF-8")
    )]
    Variable { name: String },
    /// The current folder is gone or cannot be reached.
    #[message(
        en = "cannot find out the current folder",
        zh = "无法确定当前文件夹",
        hint(en = "change to a folder that exists", zh = "请换到一个存在的文件夹")
    )]
    NoFolder(#[source] io::Error),
    #[message(
        en = "the name of the current folder is not UTF-8: `{path}`",
        zh = "当前文件夹的名称不是 UTF-8：`{path}`",
        hint(en = "change to another folder, or rename it", zh = "请换到别的文件夹，或将其改名")
    )]
    Folder { path: String },
    #[message(en = "cannot listen to signals", zh = "无法监听信号")]
    NoSignals(#[source] io::Error),
    /// The system does not say where this program lies.
    #[message(en = "cannot find out where `provost` lies", zh = "无法确定 `provost` 的位置")]
    NoProgram(#[source] io::Error),
}

/// The argument that makes this program the guardian of a job.
pub(crate) const GUARDIAN: &str = "guardian";

/// How to start the guardian: this program again.
pub(crate) fn guardian() -> Result<Guardian, EnvironmentError> {
    let program = std::env::current_exe().map_err(EnvironmentError::NoProgram)?;
    Ok(Guardian { program, args: vec![GUARDIAN.to_owned()] })
}

/// Where this program really lies: what a client is told to start.
pub(crate) fn program() -> Result<Utf8PathBuf, EnvironmentError> {
    let program = std::env::current_exe().and_then(|it| it.canonicalize());
    let program = program.map_err(EnvironmentError::NoProgram)?;
    Utf8PathBuf::from_path_buf(program)
        .map_err(|path| EnvironmentError::Folder { path: escaped(path.as_os_str()) })
}

/// The argument that makes this program a scripted agent; the name of the agent follows.
pub(crate) const SCRIPT_AGENT: &str = "script-agent";

/// The argument that makes this program leave the session that it was started in; the command
/// follows.
pub(crate) const DETACHED: &str = "detached";

/// How to start a scripted agent: this program again.
pub(crate) fn script_host() -> Result<ScriptHost, EnvironmentError> {
    let program = std::env::current_exe().map_err(EnvironmentError::NoProgram)?;
    Ok(ScriptHost { program, args: vec![SCRIPT_AGENT.to_owned()] })
}

/// Plays a scripted agent to its end.
pub(crate) fn script_agent(name: &OsStr) -> ExitCode {
    provost_adapter::script::main(&name.to_string_lossy(), std::env::vars())
}

/// Starts this command again without `--detach`, in the background, and says which process it is.
pub(crate) fn run_detached(log: &File) -> Result<u32, AnyFault> {
    let given = arguments().into_iter().skip(1).filter_map(|it| it.into_string().ok());
    run_apart(&given.filter(|it| it != "--detach").collect::<Vec<_>>(), log)
}

/// Starts this program beside this process with other arguments, which ends when it does.
pub(crate) fn run_beside(args: &[String], log: &File) -> Result<Companion, AnyFault> {
    let program = std::env::current_exe().map_err(EnvironmentError::NoProgram)?;
    Ok(Companion::start(&program, args, log)?)
}

/// Starts this program with other arguments, in the background, and says which process it is.
pub(crate) fn run_apart(args: &[String], log: &File) -> Result<u32, AnyFault> {
    let program = std::env::current_exe().map_err(EnvironmentError::NoProgram)?;
    let args: Vec<String> = std::iter::once(DETACHED.to_owned()).chain(args.to_vec()).collect();
    Ok(detached::start(&program, &args, log)?)
}

/// Tells of signals that ask this process to end: the handler itself sets the flag, and another
/// thread calls back.
pub(crate) fn on_signal(
    flag: &Arc<AtomicUsize>,
    mut raise: impl FnMut(i32) + Send + 'static,
) -> Result<(), EnvironmentError> {
    let asking = [SIGTERM, SIGINT, SIGHUP, SIGQUIT];
    for signal in asking {
        let number = usize::try_from(signal).unwrap_or_default();
        signal_hook::flag::register_usize(signal, Arc::clone(flag), number)
            .map_err(EnvironmentError::NoSignals)?;
    }
    let mut signals = Signals::new(asking).map_err(EnvironmentError::NoSignals)?;
    std::thread::spawn(move || signals.forever().for_each(&mut raise));
    Ok(())
}

/// Ends this process as a signal would have.
pub(crate) fn end_by(signal: usize) {
    let signal = i32::try_from(signal).unwrap_or(SIGTERM);
    // Where it cannot be done, the process goes on to its exit code.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

/// The arguments, the program's own name first.
pub(crate) fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The folder in which the command was started.
pub(crate) fn current_folder() -> Result<Utf8PathBuf, EnvironmentError> {
    let path = std::env::current_dir().map_err(EnvironmentError::NoFolder)?;
    Utf8PathBuf::from_path_buf(path)
        .map_err(|path| EnvironmentError::Folder { path: escaped(path.as_os_str()) })
}

impl Environment {
    /// Reads every variable.
    pub(crate) fn read() -> Self {
        Self { variables: std::env::vars_os().collect() }
    }

    /// The text of a variable; none when it is not set or empty.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, EnvironmentError> {
        let Some(value) = self.variables.get(OsStr::new(name)).filter(|it| !it.is_empty()) else {
            return Ok(None);
        };
        let error = || EnvironmentError::Variable { name: name.to_owned() };
        value.to_str().map(Some).ok_or_else(error)
    }

    /// Every variable that is UTF-8, name and value.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        let text = |it: &OsString| it.to_str().map(str::to_owned);
        self.variables.iter().filter_map(move |(name, value)| Some((text(name)?, text(value)?)))
    }

    /// Every variable whose name starts with `PROVOST_`.
    pub(crate) fn of_provost(&self) -> Result<Vec<(&str, &str)>, EnvironmentError> {
        let ours = self
            .variables
            .iter()
            .filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PROVOST_"));
        ours.map(|(name, value)| {
            let error = || EnvironmentError::Variable { name: escaped(name) };
            Ok((name.to_str().ok_or_else(error)?, value.to_str().ok_or_else(error)?))
        })
        .collect()
    }
}

#[cfg(test)]
impl Environment {
    /// An environment of these variables only.
    pub(crate) fn of(variables: &[(&str, &str)]) -> Self {
        let owned = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Self { variables: owned.collect() }
    }
}
