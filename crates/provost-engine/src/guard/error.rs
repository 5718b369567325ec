//! Why the guard could not do its work. On a tool or a permission each of these is a refusal.

use std::sync::Arc;

use provost_kernel::{Fault, Message};
use provost_vault::{FileError, HomeError, audit::AuditError, guard::PermitsError};

/// Something that the guard could not do.
#[derive(Debug, thiserror::Error, Message)]
#[message(code = "guard")]
pub enum GuardError {
    /// The home cannot be used.
    #[error(transparent)]
    #[message(transparent)]
    Home(Arc<dyn Fault>),
    /// The compiled policy exists and is not valid.
    #[error("{}", self.text())]
    #[message(
        en = "cannot read the compiled policy `{path}`: {why}",
        zh = "无法读取已编译的策略 `{path}`：{why}",
        hint(
            en = "compile it again: `provost guard compile`",
            zh = "请重新编译：`provost guard compile`"
        ),
        exit = Integrity
    )]
    Policy { path: String, why: String },
    /// The policy of an attempt is not valid.
    #[error("{}", self.text())]
    #[message(
        en = "the variable `PROVOST_GUARD` does not hold a policy",
        zh = "变量 `PROVOST_GUARD` 中不是策略"
    )]
    Carried,
    /// The files of the configuration cannot be compiled.
    #[error(transparent)]
    #[message(transparent)]
    Compile(Arc<dyn Fault>),
    #[error(transparent)]
    #[message(transparent)]
    UserHome(#[from] HomeError),
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    /// The stored permissions cannot be read.
    #[error(transparent)]
    #[message(transparent)]
    Permits(#[from] PermitsError),
    #[error(transparent)]
    #[message(transparent)]
    Audit(#[from] AuditError),
}
