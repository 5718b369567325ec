//! `provost guard compile`: the policy of the home, made anew from its files.

use provost_engine::guard::policy;
use provost_kernel::Exit;
use provost_vault::{RealDisk, prepare_home};
use serde::Serialize;

use crate::{
    config, environment,
    hook::ground::of_user,
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost guard compile\n\nHooks read `guard/policy.json`, not TOML, and recompile it when the configuration changes. Use this\ncommand if the file was damaged."
)]
pub(super) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Compiled {
    path: String,
    rules: usize,
    sources: Vec<String>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = session.layout()?;
        prepare_home(&RealDisk, &layout)?;
        let environment = &session.environment;
        let policy = policy::renew(&RealDisk, &layout.guard_policy(), &|| {
            config::compile(environment, &layout.home().path()).map_err(|it| it.0)
        })?;
        let ground = of_user(environment, &environment::current_folder()?)?;
        if let Some(user) = ground.user.filter(|it| it.layout.home().path().is_dir()) {
            // What a guard for all projects reads here.
            let (path, project) = (user.layout.home().path(), user.project.as_deref());
            policy::renew(&RealDisk, &user.layout.guard_policy_of(project), &|| {
                config::compile_for_user(environment, &path, project).map_err(|it| it.0)
            })?;
        }
        let sources = policy.sources.iter().filter(|it| it.state.is_some());
        let compiled = Compiled {
            path: layout.guard_policy().path().to_string(),
            rules: policy.rules.len(),
            sources: sources.map(|it| it.path.clone()).collect(),
        };
        session.output.show(&compiled);
        Ok(Exit::Success)
    }
}

impl View for Compiled {
    fn page(&self, page: &mut Page<'_>) {
        let Self { path, rules, sources } = self;
        page.write(
            format!("wrote `{path}`: {rules} custom rules besides the built-in ones"),
            format!("已写入 `{path}`：除内置规则外，自定义规则 {rules} 条"),
        );
        for source in sources {
            page.write(format!("  from `{source}`"), format!("  来自 `{source}`"));
        }
    }
}
