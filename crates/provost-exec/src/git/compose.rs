//! A tree that never was: one of the repository's, with some files of another, or with new texts.

use provost_kernel::Timestamp;

use super::{
    Git, GitAction, GitError, Identity, Kind, ObjectId, PrivateClone, clone,
    publish::{Commit, commit_tree},
    snapshot::{reading, scratch_file},
};

/// Where the private repository keeps the last tree that was composed, so that it can be cloned.
const COMPOSED_REF: &str = "refs/provost/composed";

/// What a composed tree has at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub path: String,
    pub content: Replacement,
}

/// The new content of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    Absent,
    /// An object that the repository has.
    Object(Kind, ObjectId),
    Text {
        text: String,
        is_executable: bool,
    },
}

/// Makes a commit whose tree is that of `onto` with these edits.
pub fn compose(
    git: &Git,
    clone: &PrivateClone,
    onto: &ObjectId,
    edits: &[Edit],
    identity: &Identity,
) -> Result<ObjectId, GitError> {
    let texts = write_texts(git, clone, edits)?;
    let index = scratch_file(clone, "composed.index");
    let call = |args: &[&str]| {
        reading(git, clone, GitAction::WriteIndex, args).with("GIT_INDEX_FILE", &index)
    };
    let records = records(edits, &texts, onto);
    let input = scratch_file(clone, "composed.records");
    // This also makes the folder of the index.
    clone::write(&input, &records)?;
    call(&["read-tree", onto.as_str()]).output()?;
    if !records.is_empty() {
        // It wants a work tree, and looks at none of its files.
        let update = call(&["update-index", "-z", "--index-info"]).in_tree(&clone.tree);
        update.reading(input).output()?;
    }
    let line = call(&["write-tree"]).line()?;
    let tree: ObjectId = line.parse().map_err(|_| GitError::BadRevision { revision: line })?;
    let parts = Commit {
        tree: &tree,
        parent: &clone.base,
        identity,
        when: Timestamp::EPOCH,
        message: "work",
    };
    commit_tree(git, clone, &parts, COMPOSED_REF)
}

/// Stores the new texts; their ids, in the order of the edits that have one.
fn write_texts(git: &Git, clone: &PrivateClone, edits: &[Edit]) -> Result<Vec<ObjectId>, GitError> {
    let mut paths: Vec<u8> = Vec::new();
    let texts = edits.iter().filter_map(|it| match &it.content {
        Replacement::Text { text, .. } => Some(text),
        Replacement::Absent | Replacement::Object(..) => None,
    });
    for (number, text) in texts.enumerate() {
        let file = scratch_file(clone, &format!("composed.{number}"));
        clone::write(&file, text.as_bytes())?;
        let path = file.to_str().ok_or_else(|| clone::bad_path(&file))?;
        paths.extend_from_slice(path.as_bytes());
        paths.push(b'\n');
    }
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let input = scratch_file(clone, "composed.paths");
    clone::write(&input, &paths)?;
    let args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    let bytes = reading(git, clone, GitAction::Write, &args).reading(input).output()?;
    let text = String::from_utf8_lossy(&bytes);
    let bad = |line: &str| GitError::BadRevision { revision: line.to_owned() };
    text.lines().map(|it| it.parse().map_err(|_| bad(it))).collect()
}

/// The edits as `update-index --index-info` reads them.
fn records(edits: &[Edit], texts: &[ObjectId], onto: &ObjectId) -> Vec<u8> {
    let mut texts = texts.iter();
    let mut records = Vec::new();
    for Edit { path, content } in edits {
        let head = match content {
            Replacement::Absent => Some(("0", "0".repeat(onto.as_str().len()))),
            Replacement::Object(kind, id) => Some((kind.mode(), id.to_string())),
            Replacement::Text { is_executable, .. } => texts.next().map(|id| {
                let kind = if *is_executable { Kind::Executable } else { Kind::File };
                (kind.mode(), id.to_string())
            }),
        };
        if let Some((mode, id)) = head {
            records.extend_from_slice(format!("{mode} {id}\t{path}\0").as_bytes());
        }
    }
    records
}
