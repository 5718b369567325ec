//! The home: is it there, is it private, can it be locked.

use std::{
    fs::{self, File, TryLockError},
    os::unix::fs::MetadataExt as _,
};

use camino::Utf8Path;
use provost_kernel::Lang;
use provost_vault::{Layout, RealDisk, inspect_home};

use super::{Check, State, checks::unusable, folders, git, repair::Repair};
use crate::{
    environment,
    home::{self, Home, HomeError},
    session::Session,
};

/// Makes the checks that make sense for the home as it is.
pub(super) fn all(session: &Session, lang: Lang) -> Vec<Check> {
    let folder = match environment::current_folder() {
        Ok(folder) => folder,
        Err(error) => return vec![unusable("home", &error, lang)],
    };
    match home::find(session.flags.home.as_deref(), &session.environment, &folder) {
        Ok(home) if home.path.is_dir() => {
            let layout = match session.intended_layout() {
                Ok(layout) => layout,
                Err(fault) => return vec![unusable("home", fault.0.as_ref(), lang)],
            };
            let mut checks = vec![found(&home, &layout, lang), permissions(&home.path, lang)];
            checks.extend(folders::check(&layout, lang));
            checks.push(git::ignored(&session.environment, &layout, lang));
            checks.extend(git::former_ignored(&session.environment, lang));
            checks.push(locks(&home.path, lang));
            checks
        }
        Ok(Home { path, .. }) => {
            let what =
                lang.pick(format!("`{path}` does not exist yet"), format!("`{path}` 尚不存在"));
            let hint =
                lang.pick("`provost doctor --fix` creates it", "`provost doctor --fix` 会创建它");
            let absent = Check::new("home", State::Warn, what).with_hint(hint);
            let near = path.ancestors().find(|it| it.is_dir()).unwrap_or(&folder);
            vec![absent.with_repair(Repair::CreateHome { path: path.clone() }), locks(near, lang)]
        }
        Err(error @ HomeError::Nowhere { .. }) => {
            let unusable = unusable("home", &error, lang);
            vec![Check { state: State::Warn, ..unusable }, locks(&folder, lang)]
        }
        Err(error) => vec![unusable("home", &error, lang)],
    }
}

fn found(home: &Home, layout: &Layout, lang: Lang) -> Check {
    let (path, how) = (&home.path, home.found.describe(lang));
    let what = lang.pick(format!("`{path}`, {how}"), format!("`{path}`，{how}"));
    match inspect_home(&RealDisk, layout) {
        Ok(true) => return Check::new("home", State::Ok, what),
        Ok(false) => {}
        Err(error) => return unusable("home", &error, lang),
    }
    let what = lang.pick(format!("{what}, is not prepared"), format!("{what}，尚未准备好"));
    let hint = lang.pick("`provost doctor --fix` prepares it", "`provost doctor --fix` 会准备好它");
    Check::new("home", State::Warn, what)
        .with_hint(hint)
        .with_repair(Repair::CreateHome { path: path.clone() })
}

fn permissions(home: &Utf8Path, lang: Lang) -> Check {
    const NAME: &str = "permissions";
    let metadata = match fs::metadata(home) {
        Ok(metadata) => metadata,
        Err(error) => {
            let what = lang.pick(
                format!("cannot look at `{home}`: {error}"),
                format!("无法查看 `{home}`：{error}"),
            );
            return Check::new(NAME, State::Fail, what);
        }
    };
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        let what = lang
            .pick(format!("`{home}` belongs to another user"), format!("`{home}` 属于其他用户"));
        let hint = lang.pick(
            "choose a home of your own with `--home DIR`",
            "请用 `--home DIR` 指定自己的主目录",
        );
        return Check::new(NAME, State::Fail, what).with_hint(hint);
    }
    let mode = metadata.mode() & 0o777;
    if mode == 0o700 {
        return Check::new(NAME, State::Ok, format!("`{home}` {mode:04o}"));
    }
    let what = lang.pick(
        format!("`{home}` has the mode {mode:04o}, expected 0700"),
        format!("`{home}` 的权限为 {mode:04o}，应为 0700"),
    );
    let hint = lang
        .pick("`provost doctor --fix` makes it private", "`provost doctor --fix` 会将其设为私有");
    let repair = Repair::MakePrivate { path: home.to_owned() };
    Check::new(NAME, State::Fail, what).with_hint(hint).with_repair(repair)
}

/// Locks the folder itself for an instant: nothing is written, and no other program locks it.
fn locks(folder: &Utf8Path, lang: Lang) -> Check {
    const NAME: &str = "locks";
    let error = match File::open(folder).map(|it| it.try_lock_shared()) {
        // Somebody else holds a lock: so there are locks.
        Ok(Ok(()) | Err(TryLockError::WouldBlock)) => {
            let what = lang.pick(
                format!("file locks work in `{folder}`"),
                format!("`{folder}` 中的文件锁可用"),
            );
            return Check::new(NAME, State::Ok, what);
        }
        Ok(Err(TryLockError::Error(error))) | Err(error) => error,
    };
    let what = lang.pick(
        format!("file locks do not work in `{folder}`: {error}"),
        format!("`{folder}` 中的文件锁不可用：{error}"),
    );
    let hint = lang.pick(
        "put the home on a local file system with `--home DIR`",
        "请用 `--home DIR` 将主目录放在本地文件系统上",
    );
    Check::new(NAME, State::Fail, what).with_hint(hint)
}
