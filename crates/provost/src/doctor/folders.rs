//! The folders of tasks: does each belong to the person alone.

use std::{fs, os::unix::fs::MetadataExt as _};

use provost_kernel::Lang;
use provost_vault::{Layout, Location, RealDisk, private_folders};

use super::{Check, State, checks::unusable, repair::Repair};

const NAME: &str = "tasks";

/// How many tasks are looked at.
const MAX_TASKS: usize = 1000;

/// What is wrong with a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    NotAFolder,
    OfAnother,
    Mode(u32),
}

/// Looks at the folders that must be private; none if there are no tasks yet.
pub(super) fn check(layout: &Layout, lang: Lang) -> Option<Check> {
    let folders = match private_folders(&RealDisk, layout, MAX_TASKS) {
        Ok(folders) if folders.is_empty() => return None,
        Ok(folders) => folders,
        Err(error) => return Some(unusable(NAME, &error, lang)),
    };
    let troubled: Vec<(&Location, Trouble)> =
        folders.iter().filter_map(|it| trouble(it).map(|trouble| (it, trouble))).collect();
    // What cannot be repaired is named first.
    let worst = troubled
        .iter()
        .find(|(_, it)| !matches!(it, Trouble::Mode(_)))
        .or_else(|| troubled.first());
    let Some((at, trouble)) = worst else {
        let (out, n_folders) = (layout.out().path(), folders.len());
        let what = lang.pick(
            format!("private folders in `{out}`: {n_folders}, all 0700"),
            format!("`{out}` 中的私有文件夹共 {n_folders} 个，权限均为 0700"),
        );
        return Some(Check::new(NAME, State::Ok, what));
    };
    let (path, n_troubled) = (at.path(), troubled.len());
    let (what, hint) = match trouble {
        Trouble::NotAFolder => (
            lang.pick(format!("`{path}` is not a folder"), format!("`{path}` 不是文件夹")),
            lang.pick("remove what stands there", "请移除该处的内容"),
        ),
        Trouble::OfAnother => (
            lang.pick(
                format!("`{path}` belongs to another user"),
                format!("`{path}` 属于其他用户"),
            ),
            lang.pick(
                "choose a home of your own with `--home DIR`, or take the folder over",
                "请用 `--home DIR` 指定自己的主目录，或取得该文件夹的所有权",
            ),
        ),
        Trouble::Mode(mode) => (
            lang.pick(
                format!("`{path}` has the mode {mode:04o}, expected 0700"),
                format!("`{path}` 的权限为 {mode:04o}，应为 0700"),
            ),
            lang.pick(
                "`provost doctor --fix` makes it private",
                "`provost doctor --fix` 会将其设为私有",
            ),
        ),
    };
    let what = lang.pick(
        format!("{what}; folders that are not as they should be: {n_troubled}"),
        format!("{what}；不符合要求的文件夹共 {n_troubled} 个"),
    );
    let exposed: Vec<Location> = troubled
        .iter()
        .filter(|(_, it)| matches!(it, Trouble::Mode(_)))
        .map(|(at, _)| (*at).clone())
        .collect();
    let check = Check::new(NAME, State::Fail, what).with_hint(hint);
    if exposed.is_empty() {
        return Some(check);
    }
    Some(check.with_repair(Repair::MakeFoldersPrivate { folders: exposed }))
}

/// What is wrong with a folder, if anything; one that is gone by now is not.
fn trouble(at: &Location) -> Option<Trouble> {
    let metadata = fs::symlink_metadata(at.path()).ok()?;
    let mode = metadata.mode() & 0o7777;
    if !metadata.is_dir() {
        Some(Trouble::NotAFolder)
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        Some(Trouble::OfAnother)
    } else {
        // Files made in a folder with the set-group-ID bit are private all the same.
        (mode & !0o2000 != 0o700).then_some(Trouble::Mode(mode))
    }
}
