//! What a person sees while a task runs: one line for each step, and what is proven so far.

mod activity;

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use provost_adapter::preset::activity::Activity;
use provost_engine::task::{Progress, Step, Update};
use provost_kernel::{
    Lang, Text,
    task::{CheckKind, Standing, TaskSpec},
};

use super::show::{RUBRIC, label};
use crate::output::plain;

/// How many reasons are shown.
const REASONS: usize = 3;

/// Prints progress to standard error.
#[derive(Debug)]
pub(crate) struct Live {
    lang: Lang,
    is_quiet: bool,
    /// On a terminal the running step is shown with the time that it has taken.
    is_terminal: bool,
    state: Mutex<Shown>,
    is_over: AtomicBool,
}

#[derive(Debug, Default)]
struct Shown {
    /// `attempt 1 of 3`.
    heading: String,
    running: Option<(Step, Instant)>,
    proven: Vec<String>,
    /// What the coder said last.
    said: Option<Activity>,
}

impl Live {
    pub(crate) fn new(lang: Lang, is_quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let state = Mutex::new(Shown::default());
        Self { lang, is_quiet, is_terminal, state, is_over: AtomicBool::new(false) }
    }

    /// Runs something while the time of the running step is kept current on a terminal.
    pub(crate) fn during<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if self.is_quiet || !self.is_terminal {
            return work();
        }
        std::thread::scope(|scope| {
            let (done, over) = mpsc::channel::<()>();
            scope.spawn(move || {
                while over.recv_timeout(Duration::from_secs(1))
                    == Err(mpsc::RecvTimeoutError::Timeout)
                {
                    self.tick();
                }
            });
            let result = work();
            self.is_over.store(true, Ordering::Relaxed);
            drop(done);
            self.clear();
            result
        })
    }

    fn tick(&self) {
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((step, since)) = state.running {
            let (name, heading) = (step_name(step, self.lang), &state.heading);
            let elapsed = seconds(since.elapsed());
            let proven = state.proven.join(", ");
            let proven = if proven.is_empty() { proven } else { format!("  [{proven}]") };
            let _ = write!(io::stderr(), "\r\x1b[K{heading}  {name} {elapsed}{proven}");
        }
    }

    fn clear(&self) {
        if self.is_terminal && !self.is_quiet {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn line(&self, text: &str) {
        if !self.is_quiet {
            self.clear();
            let _ = writeln!(io::stderr(), "{}", plain(text));
        }
    }
}

impl Progress for Live {
    fn update(&self, update: &Update<'_>) {
        let lang = self.lang;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match update {
            Update::Created { spec, coder, judge } => {
                self.line(&heading(spec, coder, judge));
                let test = spec.test_cmd.as_deref().and_then(|it| it.lines().next());
                test.map(|it| format!("  {:<8} {it}", lang.pick("test", "测试")))
            }
            Update::AttemptStarted { task, attempt, count, of } => {
                state.proven.clear();
                // Attempts that do not count have a folder, too.
                let folder = if attempt == count {
                    String::new()
                } else {
                    lang.pick(
                        format!(" (kept as attempt {attempt})"),
                        format!("（记录为第 {attempt} 号）"),
                    )
                };
                state.heading = lang.pick(
                    format!("{task} attempt {count} of {of}{folder}"),
                    format!("{task} 第 {count} 次尝试（共 {of} 次）{folder}"),
                );
                Some(state.heading.clone())
            }
            Update::StepStarted { step } => {
                state.running = Some((*step, Instant::now()));
                None
            }
            Update::Continued { has_session: true } => {
                Some(lang.pick("  same tree, same session", "  沿用上次的文件和会话").to_owned())
            }
            Update::Continued { has_session: false } => {
                Some(lang.pick("  same tree, new session", "  沿用上次的文件，新建会话").to_owned())
            }
            Update::SessionDropped(why) => {
                let why = lang.render(why);
                Some(lang.pick(
                    format!("  the session is not continued: {why}"),
                    format!("  不再沿用会话：{why}"),
                ))
            }
            Update::Agent(activity @ Activity::Says { .. }) => {
                state.said = Some((*activity).clone());
                None
            }
            Update::Agent(activity) => Some(activity::line(activity, lang)),
            Update::Printed(lines) => {
                lines.iter().for_each(|it| self.line(&activity::printed(it)));
                None
            }
            Update::StepFinished { step, outcome, wall } => {
                state.running = None;
                if let Some(said) = state.said.take() {
                    self.line(&activity::line(&said, lang));
                }
                let (name, wall) = (step_name(*step, lang), seconds(*wall));
                Some(format!("  {name:<8} {wall:>7}  {}", lang.render(outcome)))
            }
            // A task without a type has no rubric, and needs none.
            Update::Checked(checked)
                if checked.name == RUBRIC && checked.standing == Standing::NotVerified =>
            {
                None
            }
            Update::Checked(checked) => {
                let detail = lang.render(&checked.detail);
                let (mark, word) = match checked.standing {
                    Standing::Verified => ("+", lang.pick("verified", "已验证")),
                    Standing::Failed => ("-", lang.pick("failed", "未通过")),
                    Standing::NotVerified => ("?", lang.pick("not verified", "未验证")),
                };
                state.proven.push(format!("{mark}{}", checked.name));
                let (name, shown) = (&checked.name, label(&checked.name));
                Some(lang.pick(
                    format!("  {mark} {name}: {word}: {detail}"),
                    format!("  {mark} {shown}：{word}：{detail}"),
                ))
            }
            Update::Waiting { role, wait } => {
                let wait = seconds(*wait);
                Some(lang.pick(
                    format!("  the quota of the {role} is spent: waiting {wait}"),
                    format!("  {role} 的配额已用尽：等待 {wait}"),
                ))
            }
            Update::Decided { decision, reasons, .. } => {
                state.running = None;
                self.line(&format!("  = {}", lang.render(&decision.message)));
                for reason in few(reasons, lang) {
                    self.line(&format!("      {reason}"));
                }
                None
            }
            Update::Merged { branch, behind } => Some(lang.pick(
                format!(
                    "{branch} moved by {behind} commit{} · no conflict · verifying the merge",
                    if *behind == 1 { "" } else { "s" }
                ),
                format!("{branch} 已前进 {behind} 个提交 · 无冲突 · 正在验证合并结果"),
            )),
            Update::Checkpoint(_) | Update::CommandStarted { .. } | Update::CommandEnded { .. } => {
                None
            }
        };
        drop(state);
        if let Some(text) = text {
            self.line(&text);
        }
    }
}

/// The first few reasons; a mark says that there are more.
pub(super) fn few(reasons: &[Text], lang: Lang) -> Vec<String> {
    let shown = reasons.iter().take(REASONS).map(|it| lang.render(it));
    shown.chain((reasons.len() > REASONS).then(|| "…".to_owned())).collect()
}

/// Where a task starts, who works, who judges, and what it may cost.
fn heading(spec: &TaskSpec, coder: &str, judge: &str) -> String {
    let commit: String = spec.base_ref.chars().take(7).collect();
    let base = match &spec.target_branch {
        Some(branch) if *branch != spec.base_ref => format!("{branch}@{commit}"),
        Some(_) | None => spec.base_ref.clone(),
    };
    let mut parts = vec![spec.task_id.to_string(), base, coder.to_owned(), judge.to_owned()];
    parts.extend(spec.budget.usd.map(|it| format!("≤ {it}")));
    parts.join(" · ")
}

fn step_name(step: Step, lang: Lang) -> &'static str {
    match step {
        Step::Clone => lang.pick("clone", "克隆"),
        Step::Coder => lang.pick("coder", "编码"),
        Step::Policy => lang.pick("policy", "规则"),
        Step::Prepare => lang.pick("prepare", "准备"),
        Step::Base => lang.pick("base", "基准"),
        Step::Test => lang.pick("test", "测试"),
        Step::Check(CheckKind::Lint) => lang.pick("lint", "代码检查"),
        Step::Check(CheckKind::Types) => lang.pick("types", "类型"),
        Step::Check(CheckKind::Build) => lang.pick("build", "构建"),
        Step::Declare => lang.pick("declaration", "文件声明"),
        Step::Claims => lang.pick("claims", "声明"),
        Step::Judge => lang.pick("judge", "评审"),
    }
}

fn seconds(duration: Duration) -> String {
    let tenths = duration.as_millis() / 100;
    format!("{}.{} s", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_three_reasons_are_shown() {
        let reasons = ["a", "b", "c", "d"].map(Text::verbatim);
        assert_eq!(few(&reasons, Lang::En), ["a", "b", "c", "…"]);
        assert_eq!(few(&reasons[..3], Lang::Zh), ["a", "b", "c"]);
        assert_eq!(few(&[], Lang::En), Vec::<String>::new());
    }
}
