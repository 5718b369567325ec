//! What a person reads while `provost init` looks: a line for everything that is found or tried.

use camino::Utf8Path;
use provost_adapter::preset::installed::{InstalledAgent, Login};
use provost_engine::task::{TestCounts, TrialPhase, TrialRun, TrialStep, TrialTest};
use provost_exec::sandbox::{self, FileCover, NetworkCover};
use provost_rules_task::{
    detect::{Detected, FoundProject},
    setup::Addition,
};

use super::look::Head;
use crate::{agents::describe, environment, output::plain, view::Page};

/// How wide the column of labels is, that of what is said, and a line of which nothing came.
const LABEL: usize = 9;
const TEXT: usize = 50;
const LINE: usize = 66;

/// What came of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Good,
    Doubtful,
    Bad,
    None,
}

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

/// Which projects there are, and which other checks.
pub(super) fn found(page: &mut Page<'_>, detected: &Detected) {
    let label = page.lang.pick("found", "项目");
    if detected.projects.is_empty() {
        let text = page.lang.pick("no known kind of project", "没有已知类型的项目");
        row(page, label, text, Mark::Doubtful, None);
    }
    for it in &detected.projects {
        row(page, label, &project(it), Mark::None, None);
    }
    let checks = &detected.checks;
    for (label, command) in [
        (page.lang.pick("types", "类型"), &checks.typecheck),
        (page.lang.pick("build", "构建"), &checks.build),
        (page.lang.pick("lint", "检查"), &checks.lint),
    ] {
        if let Some(command) = command {
            row(page, label, command, Mark::None, None);
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

/// One command of the preparation.
pub(super) fn step(page: &mut Page<'_>, step: &TrialStep) {
    let label = match step.phase {
        TrialPhase::Fetch => page.lang.pick("fetch", "安装"),
        TrialPhase::Build => page.lang.pick("build", "构建"),
    };
    let mark = match (step.rc, step.must_succeed) {
        (0, _) => Mark::Good,
        (_, true) => Mark::Bad,
        (_, false) => Mark::Doubtful,
    };
    row(page, label, &step.command, mark, Some(step.wall_ms));
}

/// What runs now, on a line that is written over.
pub(super) fn running(command: &str) -> String {
    format!("  … {}", shortened(&plain(command), LINE))
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

/// The agents that are installed.
pub(super) fn agents(page: &mut Page<'_>, agents: &[InstalledAgent]) {
    let label = page.lang.pick("agent", "智能体");
    if agents.is_empty() {
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
        page.line(&format!("  {} {line}", if is_new { "+" } else { " " }));
    }
}

/// One line: a label, what there is, what came of it, and how long it took.
fn row(page: &mut Page<'_>, label: &str, text: &str, mark: Mark, wall_ms: Option<u64>) {
    let mark = match mark {
        Mark::Good => "✓",
        Mark::Doubtful => "!",
        Mark::Bad => "✗",
        Mark::None => "",
    };
    let gap = " ".repeat(LABEL.saturating_sub(columns(label)));
    let text = &shortened(text, if mark.is_empty() { LINE } else { TEXT });
    let mut line = format!("  {label}{gap}  {text}");
    if !mark.is_empty() {
        line += &" ".repeat(TEXT.saturating_sub(columns(text)));
        line += "  ";
        line += mark;
    }
    let time = wall_ms.map(|it| format!("  {:>4}.{}s", it / 1000, it % 1000 / 100));
    line += &time.unwrap_or_default();
    page.line(line.trim_end());
}

/// A text that takes at most so many columns.
fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut shown = String::new();
    for it in text.chars() {
        if columns(&shown) + columns(it.encode_utf8(&mut [0; 4])) >= most {
            break;
        }
        shown.push(it);
    }
    shown + "…"
}

/// How many columns of a terminal a text takes: a Chinese character takes two.
fn columns(text: &str) -> usize {
    text.chars().map(|it| if matches!(it, '\u{2e80}'..='\u{ffef}') { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_its_columns() {
        for (text, most, expected) in [
            ("npm test", 8, "npm test"),
            ("npm test -- all", 8, "npm tes…"),
            ("运行所有测试", 12, "运行所有测试"),
            ("运行所有测试", 8, "运行所…"),
            ("", 4, ""),
        ] {
            assert_eq!(shortened(text, most), expected);
        }
    }
}
