//! `provost diff`: the change, with what could bend a verdict first.

use provost_kernel::{AttemptNumber, Exit, Lang, TaskId};
use provost_rules_task::evidence::{Class, Section};
use serde::Serialize;

use super::run::attempt_number;
use crate::{
    paint::Tone,
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost diff\n  provost diff fix-login --stat\n\nSettings, runner configuration and tests come first, documents last.\nWithout an id: the task that changed last."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// One line for each file
    #[arg(long)]
    stat: bool,
    /// The attempt; the newest one that delivered something, if not given
    #[arg(long, value_name = "N", value_parser = attempt_number)]
    attempt: Option<AttemptNumber>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    task_id: TaskId,
    attempt: u16,
    files: Vec<File>,
    /// Null with `--stat`.
    patch: Option<String>,
}

#[derive(Debug, Serialize)]
struct File {
    path: String,
    kind: &'static str,
    added: usize,
    removed: usize,
    #[serde(skip)]
    class: Class,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let task = desk.meant(self.id.as_deref())?;
        let diff = desk.diff(&task, self.attempt)?;
        let patch = diff.files.iter().map(|it| it.text.as_str()).collect();
        session.output.show(&Answer {
            task_id: task,
            attempt: diff.attempt.get(),
            files: diff.files.iter().map(File::of).collect(),
            patch: Some(patch).filter(|_| !self.stat),
        });
        Ok(Exit::Success)
    }
}

impl File {
    fn of(section: &Section) -> Self {
        let Section { path, class, added, removed, .. } = section;
        let (path, kind) = (path.clone(), title(*class, Lang::En));
        Self { path, kind, added: *added, removed: *removed, class: *class }
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let Some(patch) = &self.patch else {
            let width = self.files.iter().map(|it| it.path.chars().count()).max().unwrap_or(0);
            for it in &self.files {
                let File { path, added, removed, class, .. } = it;
                let kind = title(*class, page.lang);
                page.line(&format!("{path:width$}  +{added} -{removed}  {kind}"));
            }
            return;
        };
        for line in patch.lines() {
            page.exact_as(tone(line), line);
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let (task, attempt, files) = (&self.task_id, self.attempt, self.files.len());
        let added: usize = self.files.iter().map(|it| it.added).sum();
        let removed: usize = self.files.iter().map(|it| it.removed).sum();
        let noun = if files == 1 { "file" } else { "files" };
        page.message(
            format!("{task}, attempt {attempt}: {files} {noun}, +{added} -{removed}"),
            format!("{task} 第 {attempt} 次尝试：{files} 个文件，+{added} -{removed}"),
        );
    }
}

/// What a line of a patch is, as git colours it. A removed line that begins with `--` looks like a
/// header, and is still red.
fn tone(line: &str) -> Tone {
    match line.as_bytes().first() {
        Some(b'+') => Tone::Ok,
        Some(b'-') => Tone::Bad,
        Some(b'@') => Tone::Run,
        Some(b' ') | None => Tone::Plain,
        Some(_) => Tone::Bold,
    }
}

pub(super) fn title(class: Class, lang: Lang) -> &'static str {
    match class {
        Class::Settings => lang.pick("settings", "设置"),
        Class::Runner => lang.pick("test runner or CI", "测试运行器或 CI"),
        Class::TestWithDeletions => lang.pick("test, lines removed", "测试（有删除）"),
        Class::Test => lang.pick("test", "测试"),
        Class::Risk => lang.pick("code, look closely", "代码（需留意）"),
        Class::Product => lang.pick("code", "代码"),
        Class::Document => lang.pick("document", "文档"),
        Class::Lock => lang.pick("lock file", "锁文件"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_patch_has_the_colour_that_git_gives_it() {
        for (line, expected) in [
            ("+new", Tone::Ok),
            ("-old", Tone::Bad),
            ("--- a/file", Tone::Bad),
            ("@@ -1 +1 @@", Tone::Run),
            (" same", Tone::Plain),
            ("", Tone::Plain),
            ("diff --git a/file b/file", Tone::Bold),
        ] {
            assert_eq!(tone(line), expected, "{line}");
        }
    }
}
