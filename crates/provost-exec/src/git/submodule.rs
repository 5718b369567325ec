//! Submodules of a base: brought into the private repository from where the person has them, and checked
//! out with it. Nothing is fetched; one that the person has not fetched is an empty folder.
//!
//! An agent can write into the repository of a submodule. So its objects come over in a pack, and every
//! id is computed again on our side.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{
    Git, GitAction, GitError, ObjectId, PrivateClone, clone,
    folder::AgentFolder,
    import::quoted,
    list,
    snapshot::{scratch_file, to_path},
};

/// How large the files of a submodule may be together.
const MAX_PACK: u64 = 1 << 30;

/// So many submodules are looked at.
const MOST: usize = 200;

/// How many bytes of a `.git` file are read.
const MAX_LINK: u64 = 8 << 10;

/// Brings the commits that a base names over from the submodules of a worktree, as far as they are there.
pub(super) fn bring_over(
    git: &Git,
    git_dir: &Path,
    worktree: &Path,
    base: &ObjectId,
) -> Result<(), GitError> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", base.as_str()];
    let listed = git.in_dir(git_dir, GitAction::List, &args).output()?;
    for (path, commit) in links(&listed) {
        let Some(store) = store(&worktree.join(to_path(&path))) else { continue };
        take(git, git_dir, &store, &commit)?;
    }
    Ok(())
}

/// Checks the submodules of a clone out that are there, read-only.
pub(super) fn check_out(git: &Git, clone: &PrivateClone) -> Result<(), GitError> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", clone.base.as_str()];
    let listed = git.in_dir(&clone.git_dir, GitAction::List, &args).output()?;
    for (number, (path, commit)) in links(&listed).into_iter().enumerate() {
        let wanted = format!("{commit}^{{tree}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted];
        if git.in_dir(&clone.git_dir, GitAction::Read, &args).run()?.rc != 0 {
            continue;
        }
        let place = clone.tree.join(to_path(&path));
        if !place.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            continue;
        }
        let index = scratch_file(clone, &format!("module-{number}.index"));
        // Git writes the index, and wants its folder.
        clone::write(&scratch_file(clone, "module"), b"")?;
        let args = ["read-tree", "--reset", "-u", "--no-recurse-submodules", &commit.to_string()];
        let call = git.in_dir(&clone.git_dir, GitAction::CheckOut, &args).in_tree(&place);
        call.with("GIT_INDEX_FILE", &index).output()?;
        close(&place).map_err(|source| GitError::File {
            action: GitAction::CheckOut,
            path: place.clone(),
            source,
        })?;
    }
    Ok(())
}

/// The places and commits of other repositories that a listed tree names.
fn links(listed: &[u8]) -> Vec<(Vec<u8>, ObjectId)> {
    let link = |record: &[u8]| {
        let rest = record.strip_prefix(b"160000 commit ")?;
        let tab = rest.iter().position(|&it| it == b'\t')?;
        let id = std::str::from_utf8(rest.get(..tab)?).ok()?.parse().ok()?;
        Some((rest.get(tab + 1..)?.to_vec(), id))
    };
    list::paths(listed).filter_map(link).take(MOST).collect()
}

/// The repository of a submodule that was fetched.
fn store(place: &Path) -> Option<AgentFolder> {
    let own = place.join(".git");
    let metadata = own.symlink_metadata().ok()?;
    if metadata.is_dir() {
        return Some(AgentFolder::at(own));
    }
    if !metadata.is_file() || metadata.len() > MAX_LINK {
        return None;
    }
    let text = fs::read_to_string(&own).ok()?;
    let target = place.join(text.strip_prefix("gitdir: ")?.trim_end());
    let target = target.canonicalize().ok()?;
    target.is_dir().then(|| AgentFolder::at(target))
}

/// Packs one commit, without its history, with the store in reach, and unpacks it without. What cannot be
/// read is not there.
fn take(git: &Git, git_dir: &Path, from: &AgentFolder, commit: &ObjectId) -> Result<(), GitError> {
    let Ok(store) = from.own_objects() else { return Ok(()) };
    let file = |name: &str| -> PathBuf { git_dir.join("provost").join(name) };
    let (wanted, pack) = (file("module.wanted"), file("module.pack"));
    clone::write(&wanted, format!("--shallow {commit}\n{commit}\n").as_bytes())?;
    clone::write(&pack, b"")?;
    let fail = |source| GitError::File { action: GitAction::Open, path: pack.clone(), source };
    #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
    let output = OpenOptions::new().read(true).append(true).open(&pack).map_err(fail)?;
    let args = ["pack-objects", "--revs", "--stdout", "--quiet", "--no-reuse-delta"];
    let packed = git
        .in_dir(git_dir, GitAction::Read, &args)
        .confined_to(git_dir)
        .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&store)?)
        .reading(wanted)
        .writing(output)
        .printing_at_most(MAX_PACK)
        .run()?;
    if packed.rc != 0 || packed.dropped > 0 {
        return Ok(());
    }
    let args = ["index-pack", "--stdin", "--fsck-objects"];
    let call = git.in_dir(git_dir, GitAction::Import, &args).confined_to(git_dir);
    call.reading(pack).run()?;
    Ok(())
}

/// Takes the right to write away from every file.
fn close(folder: &Path) -> std::io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let mode = entry.metadata()?.permissions().mode() & !0o222;
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode))?;
            }
        }
    }
    Ok(())
}
