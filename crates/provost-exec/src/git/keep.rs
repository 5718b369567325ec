//! Names in the person's repository that keep what the stories of a plan set out from: git removes
//! what nothing names, and then nobody could measure a change any more.

use std::path::Path;

use provost_kernel::story::{ExecutionId, TreeId};

use super::{Git, GitError, ObjectId, PrivateClone};

/// The name under which a result lies in the private repository while it is fetched.
const KEPT_REF: &str = "refs/provost/kept";

/// The name of the commit from which an execution set out.
pub fn base_name(execution: &ExecutionId) -> String {
    format!("refs/provost/base/{execution}")
}

/// The name of what a story left behind, by its tree: the same result has the same name.
pub fn result_name(execution: &ExecutionId, tree: &TreeId) -> String {
    format!("refs/provost/stories/{execution}/{}", tree.0)
}

/// Names the commit from which an execution sets out.
pub fn base(
    git: &Git,
    repository: &Path,
    execution: &ExecutionId,
    commit: &ObjectId,
) -> Result<(), GitError> {
    let args = ["update-ref", &base_name(execution), commit.as_str()];
    git.at(repository, "name the base in", &args).output().map(drop)
}

/// Fetches a commit of the private repository into the person's, under the name of its tree.
pub fn result(
    git: &Git,
    clone: &PrivateClone,
    commit: &ObjectId,
    repository: &Path,
    execution: &ExecutionId,
    tree: &TreeId,
) -> Result<(), GitError> {
    let args = ["update-ref", KEPT_REF, commit.as_str()];
    git.in_dir(&clone.git_dir, "name the result in", &args).output()?;
    let source = clone.git_dir.to_str().ok_or_else(|| super::clone::bad_path(&clone.git_dir))?;
    // Two commits of one tree differ in their time alone: either will do.
    let refspec = format!("+{KEPT_REF}:{}", result_name(execution, tree));
    let fetch = [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--no-write-commit-graph",
        "--",
        source,
        &refspec,
    ];
    git.at(repository, "keep the result in", &fetch).output().map(drop)
}
