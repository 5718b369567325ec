//! What a push does to branches that others work on, and where it goes.

use provost_kernel::guard::policy::RepositoryFact;
use provost_shell::Word;

use super::super::super::{
    action::Action,
    arguments::{Arguments, lead},
    builtin::BuiltIn::{GitForcePush, GitForceWithLease, GitPushDelete, GitPushMain, GitRemote},
};

/// Branches that several people work on.
const SHARED: [&str; 8] =
    ["dev", "develop", "main", "master", "prod", "production", "staging", "trunk"];

pub(super) fn push(rest: Arguments<'_>, here: Option<&str>, action: &mut Action) {
    let is_leased = |it: &str| it.starts_with("--force-w") || it.starts_with("--force-i");
    let leased = rest.words().iter().any(|it| is_leased(lead(it)));
    let is_forced = rest.words().iter().any(|it| {
        let option = lead(it).split('=').next().unwrap_or_default();
        option.len() > 3 && "--force".starts_with(option) || option == "--force"
    });
    let is_mirror = rest.has_long("--mirror");
    let has_plus = rest.operands().any(|it| lead(it).starts_with('+'));
    if is_mirror || has_plus || ((is_forced || rest.has_letter("f")) && !is_to_own_branch(rest)) {
        let branch = pushed_branch(rest).filter(|_| !is_mirror && !has_plus);
        let own = here.zip(branch).map(|(folder, branch)| RepositoryFact::OwnBranch {
            folder: folder.to_owned(),
            branch,
        });
        action.meet_unless(GitForcePush, own);
    } else if leased && rest.words().iter().any(|it| names_shared(&it.to_string())) {
        action.meet(GitForceWithLease);
    }
    // Only what is configured has a name.
    let is_address = |it: &str| it.contains("://") || it.starts_with("git@");
    if rest.operands().next().is_some_and(|it| is_address(lead(it))) {
        action.meet(GitRemote);
    }
    if rest.operands().skip(1).any(|it| reaches_main(lead(it))) {
        action.meet(GitPushMain);
    }
    let deletes = rest.has_letter("d") || rest.has_long("--delete") || rest.has_long("--prune");
    if deletes || rest.operands().any(|it| lead(it).starts_with(':') && lead(it).len() > 1) {
        action.meet(GitPushDelete);
    }
}

/// Whether a word names a branch that others work on, alone or in a refspec.
fn names_shared(text: &str) -> bool {
    let is_shared = |it: &str| {
        let name = it.trim_start_matches("refs/heads/").trim_start_matches("origin/");
        SHARED.contains(&name) || name.starts_with("release")
    };
    text.split([':', '=']).any(is_shared)
}

/// `git push -f origin feature/x`: one named branch of the person's own.
fn is_to_own_branch(rest: Arguments<'_>) -> bool {
    pushed_branch(rest).is_some_and(|it| is_own_branch(&it))
}

/// The one branch that a push names, under the same name on both sides.
fn pushed_branch(rest: Arguments<'_>) -> Option<String> {
    let operands: Vec<&Word> = rest.operands().collect();
    let is_wide = ["--all", "--branches", "--mirror", "--tags"].iter().any(|it| rest.has_long(it));
    let [_remote, branch] = operands.as_slice() else { return None };
    let branch = branch.text().filter(|it| !is_wide && !it.contains([':', '*', '+']))?;
    Some(branch.to_owned())
}

/// A name such as `fix/login`: what people call the branches they work on alone.
pub(super) fn is_own_branch(name: &str) -> bool {
    const KINDS: [&str; 14] = [
        "bug",
        "bugfix",
        "chore",
        "docs",
        "experiment",
        "feat",
        "feature",
        "fix",
        "refactor",
        "spike",
        "temp",
        "test",
        "tmp",
        "wip",
    ];
    let kind = name.split_once('/').map(|(kind, _)| kind);
    kind.is_some_and(|it| KINDS.contains(&it)) && !name.contains([':', '*', '+'])
}

/// `main`, `HEAD:main`: what is pushed becomes the main branch.
fn reaches_main(refspec: &str) -> bool {
    let (_, to) = refspec.rsplit_once(':').unwrap_or(("", refspec));
    let name = to.trim_start_matches('+').trim_start_matches("refs/heads/");
    matches!(name, "main" | "master" | "trunk")
}
