//! `provost regress`: what must never come back, through the real engine (LOOP-B21).

use std::num::NonZeroUsize;

use provost_engine::task::regress::{Case, CaseResult, Trigger, cases, play};
use provost_form::nearest::nearest;
use provost_kernel::{Exit, Message};
use serde::Serialize;

use crate::{
    rehearsal,
    selfcheck::label,
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost regress\n  provost regress --case forbidden_glob\n  provost regress --twins\n\nEach case runs in a temporary folder of its own, with scripted agents: no key, no network."
)]
pub(crate) struct Args {
    /// Only the case with this name
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Run each case without its trigger and expect it to fail
    #[arg(long)]
    twins: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    passed: bool,
    twins: bool,
    cases: &'a [CaseResult],
}

/// A name that no case has.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.regress_case",
    en = "unknown case `{name}`",
    zh = "未知的用例 `{name}`",
    hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否想写 `{nearest}`？"),
    hint(
        en = "`provost regress` names every case",
        zh = "`provost regress` 列出所有用例"
    )
)]
struct UnknownCase {
    name: String,
    nearest: Option<&'static str>,
}

/// How many cases run at a time: many of them only wait.
const THREADS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let cases = self.cases()?;
        let host = rehearsal::host(session)?;
        let trigger = if self.twins { Trigger::Absent } else { Trigger::Present };
        let results = play(&host, &cases, trigger, THREADS);
        let passed = results.iter().all(|it| it.passed);
        session.output.show(&Answer { passed, twins: self.twins, cases: &results });
        Ok(if passed { Exit::Success } else { Exit::Refused })
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        for CaseResult { name, passed, expected, found, rule } in self.cases {
            let [expected, found, rule] = [expected, found, rule].map(|it| lang.render(&it.0));
            page.line(&format!("{}  {name:<28}  {found}", label(*passed, lang)));
            if !passed {
                page.row("        expected", "        应为", expected);
                page.row("        rule", "        规则", rule);
            }
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let failed = self.cases.iter().filter(|it| !it.passed).count();
        let count = self.cases.len() - failed;
        page.message(
            format!("ok: {count}, FAILED: {failed}"),
            format!("通过 {count}，未通过 {failed}"),
        );
    }
}

impl Args {
    /// The cases that were asked for.
    fn cases(&self) -> Result<Vec<Case>, UnknownCase> {
        let all = cases();
        let Some(name) = &self.case else { return Ok(all) };
        let found: Vec<Case> = all.iter().copied().filter(|it| it.name == name).collect();
        if found.is_empty() {
            let nearest = nearest(name, all.iter().map(|it| it.name));
            return Err(UnknownCase { name: name.chars().take(60).collect(), nearest });
        }
        Ok(found)
    }
}
