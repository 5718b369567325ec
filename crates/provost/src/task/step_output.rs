//! `provost logs --agent|--test|--judge|--prepare`: what a step printed.

use provost_desk::{
    Desk,
    task::{Printed, StepOutput, StreamName},
};
use provost_kernel::{AttemptNumber, Exit, TaskId};
use serde::Serialize;

use super::logs::{Reader, wait};
use crate::{
    output::Format,
    session::{AnyFault, Session},
    view::{Page, View},
};

/// How much of a stream is shown: the end of it, where the reason stands.
const SHOWN: u64 = 256 * 1024;

/// Which output is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) task: &'a TaskId,
    pub(super) step: Printed,
    pub(super) attempt: Option<AttemptNumber>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    task_id: &'a TaskId,
    #[serde(flatten)]
    output: &'a StepOutput,
}

/// A line as it comes.
#[derive(Serialize)]
struct Line<'a> {
    stream: StreamName,
    line: &'a str,
}

/// Prints what the step printed.
pub(super) fn show(
    session: &mut Session,
    desk: &Desk,
    wanted: Wanted<'_>,
) -> Result<Exit, AnyFault> {
    let Wanted { task, step, attempt } = wanted;
    let output = desk.step_output(task, step, attempt, SHOWN)?;
    session.output.show(&Answer { task_id: task, output: &output });
    Ok(Exit::Success)
}

/// Prints what the step prints until the task stops or the reader closes the pipe.
pub(super) fn follow(
    session: &mut Session,
    desk: &Desk,
    wanted: Wanted<'_>,
) -> Result<Exit, AnyFault> {
    let Wanted { task, step, attempt } = wanted;
    let trail = desk.trail(task);
    let mut shown = Shown::default();
    loop {
        let is_over = trail.stands_still()?;
        match desk.step_output(task, step, attempt, u64::MAX) {
            Ok(output) => shown.print(session, &output, is_over),
            // The step has not begun; at the end that is the answer.
            Err(error) if is_over => return Err(error.into()),
            Err(_) => {}
        }
        if is_over || wait() == Reader::Gone {
            return Ok(Exit::Success);
        }
    }
}

/// How much of each stream was printed.
#[derive(Debug, Default)]
struct Shown {
    attempt: Option<AttemptNumber>,
    lengths: [usize; 2],
}

impl Shown {
    fn print(&mut self, session: &mut Session, output: &StepOutput, is_over: bool) {
        if self.attempt != Some(output.attempt) {
            *self = Self { attempt: Some(output.attempt), lengths: [0; 2] };
        }
        for (length, stream) in self.lengths.iter_mut().zip(&output.streams) {
            let text = stream.text.as_str();
            // A line that is still being written may be half of a secret.
            let end = if is_over { text.len() } else { text.rfind('\n').map_or(0, |it| it + 1) };
            let news = text.get(*length..end).unwrap_or_default();
            for line in news.lines().map(readable) {
                match session.output.format() {
                    Format::Text => session.output.line(&line),
                    Format::Json => {
                        session.output.record(&Line { stream: stream.name, line: &line });
                    }
                }
            }
            *length = (*length).max(end);
        }
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        for stream in &self.output.streams {
            stream.text.lines().for_each(|it| page.exact(&readable(it)));
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let (task, attempt) = (self.task_id, self.output.attempt.get());
        for stream in &self.output.streams {
            let path = &stream.path;
            if stream.is_cut {
                let kib = SHOWN / 1024;
                page.message(
                    format!("only the last {kib} KiB; all of it is in `{path}`"),
                    format!("仅显示最后 {kib} KiB；完整内容见 `{path}`"),
                );
            }
        }
        if self.output.streams.iter().all(|it| it.text.is_empty()) {
            page.message(
                format!("{task}, attempt {attempt}: the step printed nothing"),
                format!("{task} 第 {attempt} 次尝试：该步骤没有输出"),
            );
        }
    }
}

/// A line without what would colour it. Every other character stays, also what was written over: it
/// may be there to hide what stands before it. The output shows what would move the cursor as an
/// escape.
pub(super) fn readable(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let mut shown = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' if letters.next_if_eq(&'[').is_some() => {
                // The parameters, and the letter that ends them.
                while letters.next_if(|it| matches!(it, '\u{20}'..='\u{3f}')).is_some() {}
                letters.next_if(|it| matches!(it, '\u{40}'..='\u{7e}'));
            }
            '\t' => shown.push_str("    "),
            it => shown.push(it),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::plain;

    #[test]
    fn a_line_is_shown_without_its_escapes() {
        for (line, expected) in [
            ("plain", "plain"),
            ("\u{1b}[1;32mok\u{1b}[0m done", "ok done"),
            ("10%\r50%\r100%\r", "10%\\r50%\\r100%"),
            ("rm -rf /\rls", "rm -rf /\\rls"),
            ("a\tb\u{7}", "a    b\\u{7}"),
            ("\u{1b}]0;title\u{7}x", "\\u{1b}]0;title\\u{7}x"),
            ("a\u{9b}2J\u{202e}b", "a\\u{9b}2J\\u{202e}b"),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(plain(&readable(line)), expected, "{line:?}");
        }
    }
}
