//! Taking the agent's own objects into the private repository.
//!
//! An object file is named after what it should hold, and git mostly believes the name. So the
//! agent's store is read once, into a pack, and every id is computed again while the pack is
//! unpacked on our side. Afterwards history and index must be complete without the agent's store;
//! an object that was not what its name says is then missing, and the part is unreadable.

use std::{fs::OpenOptions, path::Path};

use super::{
    Git, GitAction, GitError, ObjectId, PrivateClone,
    changes::DIFF_TREE,
    clone,
    folder::AgentFolder,
    list::{self, Raw},
    snapshot::{reading, scratch_file},
};

/// How large the agent's own objects may be together.
const MAX_PACK: u64 = 1 << 30;

type Found = Result<ObjectId, String>;

/// Makes sure that `head` and `staged` can be read from the private repository alone.
pub(super) fn verified(
    git: &Git,
    clone: &PrivateClone,
    folder: &AgentFolder,
    head: Found,
    staged: Found,
    work: &ObjectId,
) -> Result<(Found, Found), GitError> {
    let blobs = match &staged {
        Ok(tree) if tree != work => {
            new_files(git, clone, tree)?.into_iter().filter_map(|it| it.new_blob).collect()
        }
        Ok(_) | Err(_) => Vec::new(),
    };
    let new_head = head.as_ref().ok().filter(|id| **id != clone.base);
    if new_head.is_none() && blobs.is_empty() {
        return Ok((head, staged));
    }
    // One broken half must not hide the other, so each is brought over by itself.
    let commits = match new_head {
        Some(id) => bring_over(git, clone, folder, &[id.to_string(), format!("^{}", clone.base)])?,
        None => Ok(()),
    };
    let wanted: Vec<String> = blobs.iter().map(ToString::to_string).collect();
    let files = if wanted.is_empty() { Ok(()) } else { bring_over(git, clone, folder, &wanted)? };
    Ok((settle(git, clone, head, commits)?, settle(git, clone, staged, files)?))
}

/// Accepts a part that was brought over and is complete.
fn settle(
    git: &Git,
    clone: &PrivateClone,
    found: Found,
    brought: Result<(), String>,
) -> Result<Found, GitError> {
    match (found, brought) {
        (Ok(id), Ok(())) => complete(git, clone, id),
        (Ok(_), Err(why)) | (Err(why), _) => Ok(Err(why)),
    }
}

/// The files of a tree that the base does not have, or not like this.
pub(super) fn new_files(
    git: &Git,
    clone: &PrivateClone,
    tree: &ObjectId,
) -> Result<Vec<Raw>, GitError> {
    let args = [DIFF_TREE.as_slice(), &[clone.base.as_str(), tree.as_str()]].concat();
    let bytes = reading(git, clone, GitAction::Compare, &args).output()?;
    let (raws, _) = list::changes(&bytes)?;
    Ok(raws.into_iter().filter(|it| it.new_blob.is_some()).collect())
}

/// Packs what is wanted with the agent's store in reach, and unpacks it without.
fn bring_over(
    git: &Git,
    clone: &PrivateClone,
    folder: &AgentFolder,
    wanted: &[String],
) -> Result<Result<(), String>, GitError> {
    let path = clone.git_dir.join("objects/info/alternates");
    let alternates = std::fs::read(&path).map_err(|source| GitError::File {
        action: GitAction::Read,
        path,
        source,
    })?;
    let store = match folder.objects(&alternates) {
        Ok(store) => store,
        Err(why) => return Ok(Err(why)),
    };
    let wanted_file = scratch_file(clone, "agent.wanted");
    clone::write(&wanted_file, format!("{}\n", wanted.join("\n")).as_bytes())?;
    let pack = scratch_file(clone, "agent.pack");
    clone::write(&pack, b"")?;
    let file = |source| GitError::File { action: GitAction::Open, path: pack.clone(), source };
    #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
    let output = OpenOptions::new().read(true).append(true).open(&pack).map_err(file)?;

    let args = ["pack-objects", "--revs", "--stdout", "--quiet", "--no-reuse-delta"];
    let packed = reading(git, clone, GitAction::Read, &args)
        .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&store)?)
        .reading(wanted_file)
        .writing(output)
        .printing_at_most(MAX_PACK)
        .run()?;
    if packed.rc != 0 {
        return Ok(Err(format!("objects cannot be read: {}", packed.failure().text)));
    }
    if packed.dropped > 0 {
        return Ok(Err(format!("the objects are larger than {MAX_PACK} bytes")));
    }
    let args = ["index-pack", "--stdin", "--strict"];
    let unpacked = reading(git, clone, GitAction::Import, &args).reading(pack).run()?;
    if unpacked.rc != 0 {
        return Ok(Err(format!("objects are damaged: {}", unpacked.failure().text)));
    }
    Ok(Ok(()))
}

/// Whether everything that `id` leads to is there, down to the base.
fn complete(git: &Git, clone: &PrivateClone, id: ObjectId) -> Result<Found, GitError> {
    let base = format!("^{}", clone.base);
    let args = ["rev-list", "--objects", "--quiet", id.as_str(), &base];
    let ran = reading(git, clone, GitAction::Verify, &args).run()?;
    if ran.rc != 0 {
        return Ok(Err(format!("objects are missing: {}", ran.failure().text)));
    }
    Ok(Ok(id))
}

/// A path in the form of a list of paths, in which `:` separates and quotes protect.
pub(super) fn quoted(path: &Path) -> Result<String, GitError> {
    let text = path.to_str().ok_or_else(|| GitError::BadPath {
        path: path.as_os_str().as_encoded_bytes().escape_ascii().to_string(),
    })?;
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}
