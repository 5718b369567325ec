//! How the parts of a task are written for people.

use provost_desk::task::Next;
use provost_kernel::{
    Lang, Timestamp,
    task::{Landing, Review, ReviewOutcome, short},
};

use crate::view::Page;

impl Page<'_> {
    /// Writes what can be typed next.
    pub(super) fn next(&mut self, next: &[Next]) {
        for it in next {
            let (command, why) = (&it.command, self.lang.render(&it.why));
            let value = self.lang.pick(format!("{command} ({why})"), format!("{command}（{why}）"));
            self.row("next", "下一步", value);
        }
    }
}

/// How long ago something was, in a sentence.
pub(super) fn ago(now: Timestamp, then: Timestamp, lang: Lang) -> String {
    let age = age(now, then);
    let (count, unit) = age.split_at(age.len() - 1);
    let unit = match unit {
        "s" => "秒",
        "m" => "分钟",
        "h" => "小时",
        _ => "天",
    };
    lang.pick(format!("{age} ago"), format!("{count} {unit}前"))
}

/// How long ago something was, in the largest unit that fits.
pub(super) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = (now.seconds() - then.seconds()).max(0);
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// The first characters of a text that somebody else wrote, on one line.
pub(super) fn cut(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().nth(most).is_none() {
        return line.to_owned();
    }
    let start: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{start}…")
}

/// What a person said of the result.
pub(super) fn review(review: &Review, lang: Lang) -> String {
    let (who, when) = (&review.actor.id, review.reviewed_at);
    let outcome = match review.outcome {
        ReviewOutcome::Approved => lang.pick("approved", "已接受"),
        ReviewOutcome::Rejected => lang.pick("rejected", "已拒绝"),
    };
    let said =
        lang.pick(format!("{outcome} by {who}, {when}"), format!("{outcome}（{who}，{when}）"));
    match &review.because {
        Some(because) => lang.pick(format!("{said}: {because}"), format!("{said}：{because}")),
        None => said,
    }
}

/// Where a result was put, and whether it is still there.
pub(super) fn landed(landing: &Landing, lang: Lang) -> String {
    let Landing { attempt, branch, method, put, undone } = landing;
    let (commit, who) = (short(&put.commit), &put.actor.id);
    let at = put.at.map(|it| it.to_string());
    let at = at.unwrap_or_else(|| lang.pick("not finished", "尚未完成").to_owned());
    let said = lang.pick(
        format!("{branch} {commit}, {method} of attempt {attempt} by {who}, {at}"),
        format!("{branch} {commit}，第 {attempt} 次尝试，{method}（{who}，{at}）"),
    );
    match undone.as_ref().and_then(|it| Some((short(&it.commit), it.at?))) {
        Some((commit, at)) => lang.pick(
            format!("{said}; taken back by {commit}, {at}"),
            format!("{said}；已由 {commit} 撤销（{at}）"),
        ),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Millis;

    use super::*;

    #[test]
    fn an_age_is_in_the_largest_unit() {
        for (seconds, expected) in [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3599, "59m"),
            (3600, "1h"),
            (86_399, "23h"),
            (86_400, "1d"),
            (8_640_000, "100d"),
        ] {
            let now = Timestamp::from(Millis(seconds * 1000));
            assert_eq!(age(now, Timestamp::EPOCH), expected);
        }
        // A clock that went back.
        assert_eq!(age(Timestamp::EPOCH, Timestamp::from(Millis(5000))), "0s");
    }

    #[test]
    fn a_text_is_cut_at_its_end_or_its_first_line() {
        for (text, expected) in [
            ("", ""),
            ("abcde", "abcde"),
            ("abcdef", "abcd…"),
            ("字字字字字字", "字字字字…"),
            ("ab\ncd", "ab…"),
            ("ab\n", "ab…"),
        ] {
            assert_eq!(cut(text, 5), expected, "{text:?}");
        }
    }
}
