//! `provost selfcheck`: whether the tasks of a home are sound (LOOP-B20), and with `--gate`
//! whether provost itself is (LOOP-B23).

use camino::Utf8PathBuf;
use provost_engine::task::selfcheck::{Examination, GATE_CODER, Proof, examine, gate};
use provost_kernel::{Exit, Finding, Lang, TaskId};
use serde::Serialize;

use crate::{
    home::HomeError,
    output::Format,
    rehearsal,
    session::{AnyFault, Preparation, Run, Session},
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
        // One that is not there yet holds no task either.
        Ok(home) if home.path.exists() => home.path,
        Ok(_) => {
            session.layout()?;
            answer(session, None, &Examination::default());
            return Ok(Exit::Success);
        }
        Err(AnyFault(fault)) if is_nowhere(&*fault) => {
            answer(session, None, &Examination::default());
            return Ok(Exit::Success);
        }
        Err(fault) => return Err(fault),
    };
    let examined = examine(&wiring::desk(session)?)?;
    answer(session, Some(home), &examined);
    Ok(if examined.passed() { Exit::Success } else { Exit::Refused })
}

/// Whether there is no home at all, which is no reason to complain.
fn is_nowhere(fault: &dyn provost_kernel::Fault) -> bool {
    let fault: &(dyn std::error::Error + 'static) = fault;
    matches!(fault.downcast_ref::<HomeError>(), Some(HomeError::Nowhere { .. }))
}

fn answer(session: &mut Session, home: Option<Utf8PathBuf>, examined: &Examination) {
    let (lang, output) = (session.output.lang, &mut session.output);
    let count = examined.tasks.len();
    match output.format() {
        Format::Json => output.document(&Answer {
            passed: examined.passed(),
            home: home.clone(),
            tasks: count,
            findings: examined
                .findings()
                .map(|(task_id, finding)| Found { task_id, finding })
                .collect(),
        }),
        Format::Text => {
            let mut group = None;
            for (task, finding) in examined.findings() {
                let name = task.map_or_else(
                    || lang.pick("the home", "主目录").to_owned(),
                    ToString::to_string,
                );
                if group.as_ref() != Some(&name) {
                    output.line(&name);
                    group = Some(name);
                }
                let Finding { severity, subject, message, .. } = finding;
                let message = lang.render(message);
                output.line(&format!("  {severity:?} {subject}: {message}"));
                if let Some(hint) = &finding.hint {
                    let label = lang.pick("hint: ", "提示：");
                    output.line(&format!("     {label}{}", lang.render(hint)));
                }
            }
        }
    }
    let found = examined.findings().count();
    output.message(&match home {
        None => lang
            .pick("there is no home here, so no task", "这里没有主目录，因而没有任务")
            .to_owned(),
        Some(home) if count == 0 && found == 0 => {
            lang.pick(format!("no tasks in `{home}`"), format!("`{home}` 中没有任务"))
        }
        Some(_) => lang.pick(
            format!("tasks: {count}, findings: {found}"),
            format!("任务 {count} 个，问题 {found} 个"),
        ),
    });
}

fn run_gate(session: &mut Session, coder: &str) -> Result<Exit, AnyFault> {
    let checks = gate(&rehearsal::host(session)?, coder)?;
    let passed = checks.iter().all(|it| it.passed);
    let (lang, output) = (session.output.lang, &mut session.output);
    match output.format() {
        Format::Json => output.document(&GateAnswer { passed, checks: &checks }),
        Format::Text => {
            for Proof { name, passed, detail } in &checks {
                let detail = lang.render(&detail.0);
                output.line(&format!("{}  {name:<16}  {detail}", label(*passed, lang)));
            }
        }
    }
    let failed = checks.iter().filter(|it| !it.passed).count();
    let count = checks.len() - failed;
    output.message(&lang.pick(
        format!("ok: {count}, FAILED: {failed}; no model took part"),
        format!("通过 {count}，未通过 {failed}；没有模型参与"),
    ));
    Ok(if passed { Exit::Success } else { Exit::Refused })
}

/// How a proof came out, in a word.
pub(crate) fn label(passed: bool, lang: Lang) -> &'static str {
    if passed { lang.pick("ok    ", "通过  ") } else { lang.pick("FAILED", "未通过") }
}
