//! What the person's repository holds at a revision, read without a work tree.
//!
//! Objects are printed as they are stored: no filter, no textconv and no attribute takes part. So
//! what is read is what the revision says, whatever the work tree holds by now.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use provost_kernel::shorten_to;

use super::{Content, Git, GitAction, GitError, Kind, ObjectId, list, run::Ran};

/// How much of a revision that names nothing is shown.
const SHOWN: usize = 200;

/// Finds the commit that a revision names: a branch, a tag or a commit.
pub fn commit(git: &Git, repository: &Path, revision: &str) -> Result<ObjectId, GitError> {
    let bad_revision = || GitError::BadRevision {
        revision: shorten_to(revision, SHOWN).escape_debug().to_string(),
    };
    if revision.is_empty() || revision.starts_with('-') || revision.contains(char::is_control) {
        return Err(bad_revision());
    }
    if !repository.is_dir() {
        return Err(GitError::NotARepository { path: repository.to_owned() });
    }
    let commit = format!("{revision}^{{commit}}");
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
    let ran = git.at(repository, GitAction::Read, &args).run()?;
    if let Ok(id) = String::from_utf8_lossy(&ran.stdout).trim_end().parse() {
        return Ok(id);
    }
    // Git says the same of a revision that is not there and of a repository that is not.
    let ran = git.at(repository, GitAction::Read, &["rev-parse", "--git-dir"]).run()?;
    Err(if ran.rc == 0 { bad_revision() } else { unreadable(repository, &ran) })
}

/// Reads a file of at most `limit` bytes as a revision has it; none when it has nothing there.
///
/// The path is one from the root of the repository, with `/` between its parts. What is not a plain
/// file there is refused: a link would lead somewhere that the revision does not say.
pub fn file(
    git: &Git,
    repository: &Path,
    revision: &str,
    path: &str,
    limit: u64,
) -> Result<Option<Vec<u8>>, GitError> {
    if !is_inside(path) {
        return Err(GitError::BadPath { path: shorten_to(path, SHOWN).escape_debug().to_string() });
    }
    let commit = commit(git, repository, revision)?;
    let args = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--", path];
    let listed = git.at(repository, GitAction::Read, &args).output()?;
    if listed.is_empty() {
        return Ok(None);
    }
    let blob = blob(&listed, path)?;
    let args = ["cat-file", "blob", blob.as_str()];
    let ran = git.at(repository, GitAction::Read, &args).printing_at_most(limit).run()?;
    if ran.rc != 0 {
        let (action, subject) = (GitAction::Read, repository.display().to_string());
        return Err(GitError::Failed { action, subject, failure: ran.failure() });
    }
    if ran.dropped > 0 {
        return Err(GitError::TooLarge { what: Content::File, subject: path.to_owned(), limit });
    }
    Ok(Some(ran.stdout))
}

/// The plain files of a revision whose paths are text, each with the object that it holds.
pub fn files(
    git: &Git,
    repository: &Path,
    revision: &str,
) -> Result<BTreeMap<String, ObjectId>, GitError> {
    let commit = commit(git, repository, revision)?;
    let args = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()];
    let listed = list::tree(&git.at(repository, GitAction::List, &args).output()?)?;
    let is_plain = |kind: Kind| matches!(kind, Kind::File | Kind::Executable);
    let plain = listed.into_iter().filter(|(_, entry)| is_plain(entry.kind));
    Ok(plain.filter_map(|(path, it)| Some((String::from_utf8(path).ok()?, it.id))).collect())
}

/// The text of an object of at most `limit` bytes; none if it is larger or cannot be read.
pub fn text(git: &Git, repository: &Path, object: &ObjectId, limit: u64) -> Option<String> {
    let args = ["cat-file", "blob", object.as_str()];
    let ran = git.at(repository, GitAction::Read, &args).printing_at_most(limit).run().ok()?;
    let is_whole = ran.rc == 0 && ran.dropped == 0;
    is_whole.then(|| String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Why a repository does not answer.
pub(super) fn unreadable(repository: &Path, ran: &Ran) -> GitError {
    let failure = ran.failure();
    if failure.text.contains("not a git repository") {
        return GitError::NotARepository { path: repository.to_owned() };
    }
    let subject = repository.display().to_string();
    GitError::Failed { action: GitAction::Read, subject, failure }
}

/// Whether a path names something inside the repository, and one thing only.
fn is_inside(path: &str) -> bool {
    !path.contains(char::is_control) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The object of the one record that `ls-tree` printed, if that is a plain file.
fn blob(listed: &[u8], path: &str) -> Result<ObjectId, GitError> {
    let refuse = |what: &str| GitError::File {
        action: GitAction::Read,
        path: PathBuf::from(path),
        source: io::Error::other(format!("the revision has {what} there, not a plain file")),
    };
    let text = String::from_utf8_lossy(listed);
    let head = text.split('\t').next().unwrap_or_default();
    let fields: Vec<&str> = head.split(' ').collect();
    let [mode, kind, id] = *fields else { return Err(refuse("something unknown")) };
    match (mode, kind) {
        ("120000", _) => Err(refuse("a link")),
        (_, "tree") => Err(refuse("a folder")),
        (_, "blob") => id.parse().map_err(|_| refuse("something unknown")),
        _ => Err(refuse("another repository")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside_and_names_one_thing() {
        let check = |path: &str, expected: bool| assert_eq!(is_inside(path), expected, "{path:?}");
        check("provost.toml", true);
        check("folder/中文 x.txt", true);
        check("...", true);
        check("*", true);
        for bad in ["", ".", "..", "/etc/passwd", "a/../b", "a//b", "a/", "a\0", "a\nb"] {
            check(bad, false);
        }
    }

    #[test]
    fn only_a_plain_file_is_read() {
        const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        let check = |record: &str, expected: Result<&str, &str>| {
            let actual = blob(record.as_bytes(), "p").map(|it| it.to_string()).map_err(|error| {
                std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default()
            });
            let wrong = |it| format!("the revision has {it} there, not a plain file");
            assert_eq!(actual, expected.map(str::to_owned).map_err(wrong), "{record:?}");
        };
        check(&format!("100644 blob {ID}\tp\0"), Ok(ID));
        check(&format!("100755 blob {ID}\ta\tb\0"), Ok(ID));
        check(&format!("120000 blob {ID}\tp\0"), Err("a link"));
        check(&format!("040000 tree {ID}\tp\0"), Err("a folder"));
        check(&format!("160000 commit {ID}\tp\0"), Err("another repository"));
        check("100644 blob x\tp\0", Err("something unknown"));
        check("p\0", Err("something unknown"));
    }
}
