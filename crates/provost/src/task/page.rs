//! How the parts of a task are written for people.

use provost_desk::task::{Next, Spent};
use provost_kernel::{
    Lang, Timestamp,
    task::{Landing, Review, ReviewOutcome, Usd, short},
};

use unicode_width::UnicodeWidthStr as _;

use crate::{paint::Tone, view::Page};

impl Page<'_> {
    /// Writes what can be typed next.
    pub(super) fn next(&mut self, next: &[Next]) {
        for it in next {
            let why = self.lang.render(&it.why);
            let why = self.lang.pick(format!(" ({why})"), format!("（{why}）"));
            let label = self.labelled(self.lang.pick("next", "下一步"), "");
            let command = Tone::Bold.of(it.command.as_str());
            let indent = label.width();
            self.indented(&[Tone::Plain.of(label), command, Tone::Dim.of(why)], indent);
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

/// What was spent; none where there is nothing to say. What is not known is never nothing.
pub(super) fn spent(spent: Spent, lang: Lang) -> Option<String> {
    match (spent.usd, spent.unknown_attempts) {
        (None, 0) => None,
        (None, _) => Some(lang.pick("unknown", "未知").to_owned()),
        (Some(usd), 0) => Some(money(usd)),
        (Some(usd), _) => Some(format!("{}+", money(usd))),
    }
}

/// An amount in dollars and cents.
pub(super) fn money(usd: Usd) -> String {
    let cents = usd.in_micros().saturating_add(5_000) / 10_000;
    if cents == 0 && usd.in_micros() > 0 {
        return "<$0.01".to_owned();
    }
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// What a person said of the result.
pub(super) fn review(review: &Review, lang: Lang) -> String {
    let (who, when) = (&review.actor.id, review.reviewed_at);
    let outcome = match review.outcome {
        ReviewOutcome::Approved => lang.pick("approved", "已批准"),
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
    fn a_cost_is_in_dollars_and_cents_or_unknown() {
        for (usd, unknown_attempts, expected) in [
            (None, 0, None),
            (None, 2, Some("unknown")),
            (Some(0), 0, Some("$0.00")),
            (Some(1), 0, Some("<$0.01")),
            (Some(184_999), 0, Some("$0.18")),
            (Some(5_000_000), 1, Some("$5.00+")),
        ] {
            let cost = Spent { usd: usd.map(Usd::micros), unknown_attempts };
            assert_eq!(spent(cost, Lang::En).as_deref(), expected, "{cost:?}");
        }
    }
}
