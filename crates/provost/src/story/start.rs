//! `provost story start`: starts a plan.

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::{
    story::{Dependencies, Starting, start},
    task::rehearsal::Unwatched,
};
use provost_exec::git::GitError;
use provost_kernel::{
    Exit, Finding,
    story::{Execution, Story},
};
use serde::Serialize;

use crate::{
    environment, home,
    input::Source,
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::Wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A plan is Markdown (`### US-001: …` with acceptance criteria, in English or Chinese), `prd.json`, or\na task list of spec-kit.\n\nExamples:\n  provost story start docs/prd.md\n  provost story start prd.json --project ../shop --json\n\nExits with 0 when the plan was started, with 1 when plans that it depends on are not done, with 2\nwhen it cannot be read, and with 5 when its branch has an active plan."
)]
pub(super) struct Args {
    /// The plan; `-` is standard input
    #[arg(value_name = "PLAN")]
    plan: String,
    /// A folder in the repository [default: the current one]
    #[arg(long, value_name = "DIR")]
    project: Option<Utf8PathBuf>,
    /// Start even if plans it depends on are not done
    #[arg(long)]
    ignore_dependencies: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    execution_id: &'a str,
    branch: &'a str,
    base_commit_sha: Option<&'a str>,
    dependencies: &'a [String],
    stories: &'a [Story],
    findings: &'a [Finding],
    execution: &'a Execution,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let bytes = Source::from(self.plan.as_str()).read()?;
        let project = self.project()?;
        let wiring = Wiring::new(session, project.as_std_path(), "HEAD")?;
        wiring.listen()?;
        let name = Utf8Path::new(&self.plan).file_name().unwrap_or("plan");
        let dependencies =
            if self.ignore_dependencies { Dependencies::Ignored } else { Dependencies::Required };
        let starting = Starting { name, bytes: &bytes, project: &project, dependencies };
        let (execution, plan) = start(&wiring.engine(&Unwatched), starting)?;
        session.output.show(&Answer {
            execution_id: execution.id.as_str(),
            branch: execution.branch.as_str(),
            base_commit_sha: execution.base_commit_sha.as_deref(),
            dependencies: &plan.dependencies,
            stories: &plan.stories,
            findings: &plan.notices,
            execution: &execution,
        });
        Ok(Exit::Success)
    }
}

impl Args {
    /// The root of the work tree, without links.
    fn project(&self) -> Result<Utf8PathBuf, AnyFault> {
        let folder = match &self.project {
            Some(folder) => folder.clone(),
            None => environment::current_folder()?,
        };
        let no_repository = || GitError::NotARepository { path: folder.clone().into() };
        let real = folder.canonicalize_utf8().map_err(|_| no_repository())?;
        Ok(home::git_root(&real).ok_or_else(no_repository)?)
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (branch, id) = (self.branch, self.execution_id);
        page.line(
            &page
                .lang
                .pick(format!("started `{branch}` ({id})"), format!("已启动 `{branch}`（{id}）")),
        );
        for story in self.stories {
            let n_criteria = story.criteria.len();
            page.line(&format!("  {} {} ({n_criteria} AC)", story.id, story.title));
            for it in &story.criteria {
                let need = it.need.map_or("", |it| it.label().as_str());
                page.line(&format!("    {} {need}  {}", it.id, it.text));
            }
            if !story.tests_may_change.is_empty() {
                let paths = story.tests_may_change.join(", ");
                page.line(&page.lang.pick(
                    format!("    tests may change: {paths}"),
                    format!("    可以修改的测试：{paths}"),
                ));
            }
        }
        self.findings.iter().for_each(|it| page.finding(it));
        if let Some(first) = self.stories.first() {
            page.message(
                format!("next: `provost story prompt {}`", first.id),
                format!("下一步：`provost story prompt {}`", first.id),
            );
        }
    }
}
