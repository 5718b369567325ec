//! `provost guard trust`: paths outside the project that agents may write to and delete in.

use provost_engine::guard::place::place;
use provost_kernel::{
    Exit,
    guard::{TrustedPath, policy::ToolCall},
};
use provost_rules_guard::policy::trustworthy;
use serde::Serialize;

use super::{
    log::recorded_in,
    order::{self, DONE, as_person, orders},
};
use crate::{
    environment,
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard trust\n  provost guard trust ../shared --because \"the fixtures of all projects\"\n  provost guard trust ../shared --remove --because \"moved\"\n\nWithout a path, lists the trusted ones. Secrets, settings of agents and provost's own files stay\nprotected below them. It is for people: it needs a terminal and a yes, and is refused where an agent\nruns (1)."
)]
pub(super) struct Args {
    /// A folder or file outside the project
    #[arg(value_name = "PATH", requires = "because")]
    path: Option<String>,
    /// Trust it no more
    #[arg(long, requires = "path")]
    remove: bool,
    /// Why
    #[arg(long, value_name = "TEXT", requires = "path")]
    because: Option<String>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let Some(path) = &self.path else {
            let layout = recorded_in(session, false)?;
            let trusted = orders(&layout).overview()?.permits.trusted;
            session.output.show(&List { trusted });
            return Ok(DONE);
        };
        let layout = order::home(session)?;
        let lang = session.output.lang;
        let current = environment::current_folder()?;
        let user_home = session.environment.text("HOME")?;
        let at = place(Some(&layout), Some(current.as_str()), user_home, None, None);
        let call = ToolCall {
            root: at.root,
            home: at.home,
            user_home: at.user_home,
            ..ToolCall::shell("", current.as_str())
        };
        let because = self.because.as_deref();
        let changed = if self.remove {
            let path = trustworthy(&call, path).unwrap_or_else(|_| path.clone());
            let question =
                lang.pick(format!("trust `{path}` no more?"), format!("不再信任 `{path}`？"));
            as_person(session, &layout, because, &question, |orders, order| {
                Ok(orders.distrust(&path, order)?)
            })?;
            Changed { path, trusted: false }
        } else {
            let path = trustworthy(&call, path)?;
            let question = lang.pick(
                format!("let agents write to and delete in `{path}`?"),
                format!("允许智能体写入并删除 `{path}` 中的内容？"),
            );
            as_person(session, &layout, because, &question, |orders, order| {
                Ok(orders.trust(&path, order)?)
            })?;
            Changed { path, trusted: true }
        };
        session.output.show(&changed);
        Ok(DONE)
    }
}

#[derive(Debug, Serialize)]
struct Changed {
    path: String,
    trusted: bool,
}

impl View for Changed {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, path) = (page.lang, &self.path);
        page.line(&if self.trusted {
            lang.pick(format!("`{path}` is trusted"), format!("`{path}` 已受信任"))
        } else {
            lang.pick(format!("`{path}` is trusted no more"), format!("`{path}` 不再受信任"))
        });
    }
}

#[derive(Debug, Serialize)]
struct List {
    trusted: Vec<TrustedPath>,
}

impl View for List {
    fn page(&self, page: &mut Page<'_>) {
        if self.trusted.is_empty() {
            page.line(page.lang.pick("no path is trusted", "没有受信任的路径"));
        }
        for TrustedPath { path, because, by, .. } in &self.trusted {
            page.line(&format!("`{path}`  {by}  {because}"));
        }
    }
}
