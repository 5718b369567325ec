//! `provost story rebase`: measures a plan from another base, as a person.

use provost_engine::{
    story::{Rebasing, execution_of, rebase},
    task::rehearsal::Unwatched,
};
use provost_kernel::Exit;

use super::{desk, person};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::Wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Use it after the base branch was merged into the work, or the work was moved onto it: what comes\nfrom there then counts neither as work of a story nor as tampering. Stories that are done are stale\nuntil they are proven again. The revision comes after the base so far, and the worktree holds it. The\norder is for people: it is refused where an agent runs, because an agent can commit to any branch.\n\nExample:\n  provost story rebase ralph/login --onto main\n\nExits with 0 when it is done, 1 when the commit cannot be the base, and 2 without such a plan or\ncommit."
)]
pub(super) struct Args {
    /// The branch of the plan
    #[arg(value_name = "BRANCH")]
    branch: String,
    /// The commit to measure from: a branch, a tag or a commit
    #[arg(long, value_name = "REV")]
    onto: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let execution = execution_of(&desk(session)?, &self.branch)?;
        let base = execution.base_commit_sha.as_deref().unwrap_or("HEAD");
        let wiring = Wiring::new(session, execution.project_root.as_ref(), base)?;
        wiring.listen()?;
        let rebased = rebase(&wiring.engine(&Unwatched), &self.branch, &self.onto)?;
        session.output.show(&rebased);
        Ok(Exit::Success)
    }
}

impl View for Rebasing {
    fn page(&self, page: &mut Page<'_>) {
        let Self { branch, base_commit_sha: base, commits, conflicts, .. } = self;
        let noun =
            if *commits == 1 { "commit no longer counts" } else { "commits no longer count" };
        page.write(
            format!("`{branch}` is measured from {base}; {commits} {noun} as its work"),
            format!("`{branch}` 现以 {base} 为基准，{commits} 个提交不再计入其改动"),
        );
        if *conflicts > 0 {
            page.write(
                format!(
                    "{conflicts} accepted results conflict with it: what they changed counts again"
                ),
                format!("{conflicts} 个已接受的结果与新基准冲突，其改动将重新计入"),
            );
        }
    }
}
