//! What the kernel can hold a job to.

use provost_exec::sandbox::{self, FileCover, NetworkCover};
use provost_kernel::{Lang, Message as _};

use super::{Check, State, checks::unusable};
use crate::environment;

/// Tries the sandbox out, on a program that does nothing.
pub(super) fn check(lang: Lang) -> Check {
    const NAME: &str = "sandbox";
    let guardian = match environment::guardian() {
        Ok(guardian) => guardian,
        Err(error) => return unusable(NAME, &error, lang),
    };
    let report = match sandbox::probe(&guardian) {
        Ok(report) => report,
        Err(error) => return unusable(NAME, &error, lang),
    };
    let gaps: Vec<_> = report.gaps.iter().map(|it| lang.render(&it.text())).collect();
    let mut open = gaps.join(lang.pick("; ", "；"));
    if !open.is_empty() {
        open.insert_str(0, lang.pick("; not held: ", "；不受限："));
    }
    let abi = report.landlock_abi;
    match (report.files, report.network) {
        (FileCover::Full, NetworkCover::Namespace) => Check::new(
            NAME,
            State::Ok,
            lang.pick(
                format!("files and network are held (Landlock {abi}){open}"),
                format!("可限制文件与网络（Landlock {abi}）{open}"),
            ),
        ),
        (FileCover::Full | FileCover::Partial | FileCover::None, _) => Check::new(
            NAME,
            State::Warn,
            lang.pick(
                format!("not all that a job does can be held (Landlock {abi}){open}"),
                format!("无法完全限制作业（Landlock {abi}）{open}"),
            ),
        )
        .with_hint(lang.pick(
            "a newer kernel, or user namespaces switched on, would close these gaps",
            "更新的内核，或启用用户命名空间，可消除这些缺口",
        )),
    }
}
