//! Bringing a checkout back to what was delivered, after programs ran in it.

use super::{
    Git, GitAction, GitError, PrivateClone, list,
    survey::{self, Scope},
};

/// Puts every tracked file of a clean clone back to the commit that it was made from, and says
/// which ones were not as they had been. What is not tracked stays.
pub fn tracked(git: &Git, clone: &PrivateClone) -> Result<Vec<String>, GitError> {
    survey::check(&clone.tree, Scope::Hazards)?;
    let changed = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
    let changed = git
        .in_dir(&clone.git_dir, GitAction::Compare, &changed)
        .confined_to(&clone.git_dir)
        .in_tree(&clone.tree)
        .output()?;
    let paths: Vec<String> =
        list::paths(&changed).map(|it| String::from_utf8_lossy(it).into_owned()).collect();
    if !paths.is_empty() {
        let base = clone.base.as_str();
        let args = ["read-tree", "--reset", "-u", "--no-recurse-submodules", base];
        git.in_dir(&clone.git_dir, GitAction::Restore, &args).in_tree(&clone.tree).output()?;
    }
    Ok(paths)
}
