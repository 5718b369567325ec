//! How the work on plans stands as a whole: who is at risk, and whether anything goes on.

use provost_kernel::{
    Message,
    story::{ExecutionProgress, ExecutionStatus},
};

/// From so many updates without progress on, an execution is at risk.
pub const NO_PROGRESS: u32 = 2;
/// From so many times the same error on, an execution is at risk.
pub const SAME_ERROR: u32 = 3;

/// Why an execution is at risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "story.risk")]
pub enum Risk {
    #[message(en = "{times} updates without progress", zh = "连续 {times} 次更新没有进展")]
    NoProgress { times: u32 },
    #[message(en = "the same error {times} times", zh = "同一错误连续出现 {times} 次")]
    SameError { times: u32 },
}

/// Whether an execution is at risk, and why.
pub fn risk(progress: &ExecutionProgress) -> Option<Risk> {
    if progress.consecutive_no_progress >= NO_PROGRESS {
        return Some(Risk::NoProgress { times: progress.consecutive_no_progress });
    }
    let times = progress.consecutive_errors;
    (times >= SAME_ERROR).then_some(Risk::SameError { times })
}

/// Whether anything goes on, in one word: `never_run`, `active` or `all_done`.
pub fn overall(
    active: impl IntoIterator<Item = ExecutionStatus>,
    has_history: bool,
) -> &'static str {
    use ExecutionStatus::{
        Completed, Failed, Interrupted, Merged, Merging, Pending, Ready, Running, Starting, Stopped,
    };
    let mut is_known = has_history;
    for status in active {
        is_known = true;
        match status {
            Pending | Ready | Starting | Running | Merging => return "active",
            Interrupted | Completed | Failed | Stopped | Merged => {}
        }
    }
    if is_known { "all_done" } else { "never_run" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(no_progress: u32, errors: u32, expected: Option<&str>) {
        let progress = ExecutionProgress {
            consecutive_no_progress: no_progress,
            consecutive_errors: errors,
            ..ExecutionProgress::default()
        };
        let found = risk(&progress).map(|it| it.text().to_string());
        assert_eq!(found.as_deref(), expected, "{no_progress} {errors}");
    }

    #[test]
    fn risk_begins_at_two_without_progress_and_at_three_errors() {
        check(0, 0, None);
        check(1, 2, None);
        check(2, 0, Some("2 updates without progress"));
        check(0, 3, Some("the same error 3 times"));
        check(2, 3, Some("2 updates without progress"));
    }

    #[test]
    fn one_word_says_whether_anything_goes_on() {
        use ExecutionStatus::{Completed, Failed, Running};
        assert_eq!(overall([], false), "never_run");
        assert_eq!(overall([], true), "all_done");
        assert_eq!(overall([Completed, Failed], false), "all_done");
        assert_eq!(overall([Completed, Running], false), "active");
    }
}
