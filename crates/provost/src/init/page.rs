//! What a person reads while `provost init` looks: a line for everything that is found or tried.

use camino::Utf8Path;
use provost_adapter::preset::installed::{InstalledAgent, Login};
use provost_engine::task::{TestCounts, TrialRun, TrialTest};
use provost_exec::sandbox::{self, FileCover, NetworkCover};
use provost_kernel::task::{Check, CheckRun, CheckState};
use provost_rules_task::{
    detect::{Detected, FoundProject},
    setup::Addition,
};

use super::look::Head;
use crate::{
    agents::describe,
    environment,
    rows::{Mark, TEXT, columns, row},
    task::show::label,
    view::Page,
};

/// How many lines are shown of what a red check printed.
const TAIL: usize = 5;

/// The repository, its branch, and whether all is committed.
pub(super) fn head(page: &mut Page<'_>, root: &Utf8Path, head: &Head) {
    let name = root.file_name().unwrap_or("/");
    let short = head.commit.get(..7).unwrap_or_default();
    let detached = page.lang.pick("detached", "游离");
    let branch = head.branch.as_deref().unwrap_or(detached);
    let state = match head.uncommitted {
        0 => page.lang.pick("clean", "无未提交的改动").to_owned(),
        1 => page.lang.pick("1 uncommitted file", "1 个未提交的文件").to_owned(),
        n => page.lang.pick(format!("{n} uncommitted files"), format!("{n} 个未提交的文件")),
    };
    page.line(&format!("{name} · {branch}@{short} · {state}"));
}

/// Which projects there are.
pub(super) fn found(page: &mut Page<'_>, detected: &Detected) {
    let label = page.lang.pick("found", "项目");
    if detected.projects.is_empty() {
        let text = page.lang.pick("no known kind of project", "没有已知类型的项目");
        row(page, label, text, Mark::Doubtful, None);
    }
    for it in &detected.projects {
        row(page, label, &project(it), Mark::None, None);
    }
}

/// How the other checks came out; what a red one printed last stands below it.
pub(super) fn checks(page: &mut Page<'_>, checks: &[Check], runs: &[CheckRun]) {
    for check in checks {
        let name = check.kind.as_str();
        let label = page.lang.pick(name, label(name));
        let run = runs.iter().find(|it| it.kind == check.kind);
        let Some(run) = run else {
            let command = &check.command;
            let text = page.lang.pick(format!("{command}: not run"), format!("{command}：未运行"));
            row(page, label, &text, Mark::Doubtful, None);
            continue;
        };
        let mark = match run.state {
            CheckState::Green => Mark::Good,
            CheckState::Red => Mark::Bad,
            CheckState::CannotRun | CheckState::NotReady => Mark::Doubtful,
        };
        row(page, label, &run.command, mark, Some(run.wall_ms));
        if run.state == CheckState::Red {
            let lines: Vec<&str> = run.said.lines().filter(|it| !it.trim().is_empty()).collect();
            for line in &lines[lines.len().saturating_sub(TAIL)..] {
                page.exact(&format!("    │ {line}"));
            }
        }
    }
}

fn project(it: &FoundProject) -> String {
    let title = match it.ecosystem {
        "dotnet" => ".NET",
        "go" => "Go",
        "java" => "Java",
        "javascript" => "JavaScript",
        "make" => "make",
        "php" => "PHP",
        "python" => "Python",
        "ruby" => "Ruby",
        "rust" => "Rust",
        other => other,
    };
    let mut parts = vec![title.to_owned(), it.manifest.clone()];
    let lock = it.manager.as_ref().map(|it| it.found_by.clone());
    parts.extend(lock.filter(|lock| *lock != it.manifest));
    parts.join(" · ")
}

/// How the test came out.
pub(super) fn test(page: &mut Page<'_>, command: Option<&str>, test: &TrialTest) {
    let label = page.lang.pick("test", "测试");
    let command = command.unwrap_or_default();
    match test {
        TrialTest::None => {
            let text = page.lang.pick("none found", "没有找到");
            row(page, label, text, Mark::Bad, None);
        }
        TrialTest::NotPrepared { .. } | TrialTest::CannotRun { .. } => {
            let text = page.lang.pick(format!("{command}: not run"), format!("{command}：未运行"));
            row(page, label, &text, Mark::Bad, None);
        }
        TrialTest::Ran(run) => {
            let mark = if run.is_green() { Mark::Good } else { Mark::Bad };
            let text = counted(page, run);
            let between = TEXT.saturating_sub(columns(command) + columns(&text));
            if between >= 2 {
                let text = format!("{command}{}{text}", " ".repeat(between));
                row(page, label, &text, mark, Some(run.wall_ms));
            } else {
                row(page, label, command, Mark::None, None);
                row(page, "", &text, mark, Some(run.wall_ms));
            }
        }
    }
}

fn counted(page: &Page<'_>, run: &TrialRun) -> String {
    let Some(TestCounts { passed, failed, skipped }) = run.counts else {
        return page.lang.pick(format!("exit code {}", run.rc), format!("退出码 {}", run.rc));
    };
    if run.is_empty() && skipped == 0 {
        return page.lang.pick("0 tests", "0 个测试").to_owned();
    }
    let parts =
        [(failed, "failed", "失败"), (passed, "passed", "通过"), (skipped, "skipped", "跳过")];
    let said: Vec<String> = parts
        .into_iter()
        .filter(|(n, en, _)| *n > 0 || *en == "passed")
        .map(|(n, en, zh)| page.lang.pick(format!("{n} {en}"), format!("{n} 个{zh}")))
        .collect();
    said.join(page.lang.pick(", ", "，"))
}

/// The agents that are installed, and a person's own.
pub(super) fn agents(page: &mut Page<'_>, agents: &[InstalledAgent], own: Option<&str>) {
    let label = page.lang.pick("agent", "智能体");
    if let Some(name) = own {
        let en = format!("{name}, described in `provost.toml`");
        let zh = format!("{name}，见 `provost.toml`");
        row(page, label, &page.lang.pick(en, zh), Mark::None, None);
    } else if agents.is_empty() {
        row(page, label, page.lang.pick("none found", "没有找到"), Mark::Bad, None);
    }
    for it in agents {
        let text = describe(it, page.lang);
        let mark = match it.login {
            Login::LoggedIn => Mark::Good,
            Login::LoggedOut => Mark::Bad,
            Login::Unknown => Mark::None,
        };
        row(page, label, &text, mark, None);
    }
}

/// What a job can be held to here.
pub(super) fn sandbox(page: &mut Page<'_>) {
    let label = page.lang.pick("sandbox", "沙箱");
    let report = environment::guardian().ok().and_then(|it| sandbox::probe(&it).ok());
    let (text, mark) = match report.map(|it| (it.files, it.network)) {
        Some((FileCover::Full, NetworkCover::Namespace)) => {
            (page.lang.pick("files, network", "文件、网络"), Mark::Good)
        }
        Some(_) => (
            page.lang.pick("in part; see `provost doctor`", "部分有效；见 `provost doctor`"),
            Mark::Doubtful,
        ),
        None => {
            (page.lang.pick("none; see `provost doctor`", "无效；见 `provost doctor`"), Mark::Bad)
        }
    };
    row(page, label, text, mark, None);
}

/// What would be added to the project's file.
pub(super) fn proposal(page: &mut Page<'_>, addition: &Addition) {
    page.write("`provost.toml`:", "`provost.toml`：");
    for line in addition.text.lines() {
        let is_new = addition.added.keys().any(|key| {
            let rest = line.trim_start().trim_start_matches("task.").strip_prefix(key.as_str());
            rest.is_some_and(|it| it.trim_start().starts_with('='))
        });
        page.exact(&format!("  {} {line}", if is_new { "+" } else { " " }));
    }
}
