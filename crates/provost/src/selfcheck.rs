//! `provost selfcheck`: whether the tasks of a home are sound (LOOP-B20), and with `--gate`
//! whether provost itself is (LOOP-B23).

use camino::Utf8PathBuf;
use provost_engine::task::selfcheck::{Examination, GATE_CODER, Proof, examine, gate};
use provost_kernel::{Exit, Finding, Lang, TaskId};
use serde::Serialize;

use crate::{
    home::HomeError,
    rehearsal,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost selfcheck\n  provost selfcheck --gate --json\n\nRead-only: nothing is repaired. Exit codes: 0 no findings, 1 findings, 2 error"
)]
pub(crate) struct Args {
    /// Run the built-in pipeline task and check its results
    #[arg(long)]
    gate: bool,
    /// Another coder for the pipeline task: the gate must fail then
    #[arg(long, hide = true, requires = "gate", default_value = GATE_CODER)]
    coder: String,
}

/// The answer about a home, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    passed: bool,
    home: Option<Utf8PathBuf>,
    tasks: usize,
    findings: Vec<Found<'a>>,
}

/// A finding with the task that it was found in; none for what belongs to the home.
#[derive(Debug, Serialize)]
struct Found<'a> {
    task_id: Option<&'a TaskId>,
    finding: &'a Finding,
}

/// The answer about provost, as a script reads it.
#[derive(Debug, Serialize)]
struct GateAnswer<'a> {
    passed: bool,
    checks: &'a [Proof],
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        // The gate runs programs, in a folder of its own.
        if self.gate { Preparation::Identity } else { Preparation::Configuration }
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        if self.gate { run_gate(session, &self.coder) } else { look(session) }
    }
}

fn look(session: &mut Session) -> Result<Exit, AnyFault> {
    let home = match session.home() {
        Ok(home) if home.path.exists() => Some(home.path),
        // One that is not there yet holds no task either.
        Ok(_) => session.layout().map(|_| None)?,
        Err(AnyFault(fault)) if is_nowhere(&*fault) => None,
        Err(fault) => return Err(fault),
    };
    let examined = match home {
        Some(_) => examine(&wiring::desk(session)?)?,
        None => Examination::default(),
    };
    let found = examined.findings().map(|(task_id, finding)| Found { task_id, finding });
    session.output.show(&Answer {
        passed: examined.passed(),
        home,
        tasks: examined.tasks.len(),
        findings: found.collect(),
    });
    Ok(if examined.passed() { Exit::Success } else { Exit::Refused })
}

/// Whether there is no home at all, which is not a reason to complain.
fn is_nowhere(fault: &dyn provost_kernel::Fault) -> bool {
    let fault: &(dyn std::error::Error + 'static) = fault;
    matches!(fault.downcast_ref::<HomeError>(), Some(HomeError::Nowhere { .. }))
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let mut group = None;
        for Found { task_id, finding } in &self.findings {
            if group != Some(task_id) {
                let home = || lang.pick("the home", "主目录").to_owned();
                page.line(&task_id.map_or_else(home, ToString::to_string));
                group = Some(task_id);
            }
            let Finding { severity, subject, message, hint, .. } = finding;
            page.line(&format!("  {severity:?} {}", page.labelled(subject, lang.render(message))));
            if let Some(hint) = hint {
                let hint = lang.render(hint);
                page.write(format!("     hint: {hint}"), format!("     提示：{hint}"));
            }
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let (count, found) = (self.tasks, self.findings.len());
        match &self.home {
            None => page.message("no home here, so no tasks", "这里没有主目录，因而没有任务"),
            Some(home) if count == 0 && found == 0 => {
                page.message(format!("no tasks in `{home}`"), format!("`{home}` 中没有任务"));
            }
            Some(_) => page.message(
                format!("tasks: {count}, findings: {found}"),
                format!("任务 {count} 个，问题 {found} 个"),
            ),
        }
    }
}

fn run_gate(session: &mut Session, coder: &str) -> Result<Exit, AnyFault> {
    let checks = gate(&rehearsal::host(session)?, coder)?;
    let passed = checks.iter().all(|it| it.passed);
    session.output.show(&GateAnswer { passed, checks: &checks });
    Ok(if passed { Exit::Success } else { Exit::Refused })
}

impl View for GateAnswer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        for Proof { name, passed, detail } in self.checks {
            let (label, detail) = (label(*passed, page.lang), page.lang.render(&detail.0));
            page.line(&format!("{label}  {name:<16}  {detail}"));
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let failed = self.checks.iter().filter(|it| !it.passed).count();
        let count = self.checks.len() - failed;
        page.message(
            format!("ok: {count}, FAILED: {failed}; no model took part"),
            format!("通过 {count}，未通过 {failed}；没有模型参与"),
        );
    }
}

/// How a proof came out, in a word.
pub(crate) fn label(passed: bool, lang: Lang) -> &'static str {
    if passed { lang.pick("ok    ", "通过  ") } else { lang.pick("FAILED", "未通过") }
}
