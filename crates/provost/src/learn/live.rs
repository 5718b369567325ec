//! How far a learning run is: what it did last.

use provost_engine::learn::Progress;
use provost_kernel::Lang;

use super::page;
use crate::live::{LiveLine, Weight};

pub(super) fn show(live: &LiveLine, progress: &Progress) {
    let lang = live.lang;
    live.show(Weight::Passing, |seconds| {
        let took = lang.pick(format!(", {seconds} s"), format!("，{seconds} 秒"));
        format!("{}{took}{}", line(progress, lang), remaining(progress, seconds, lang))
    });
}

/// What is known of the time that is left, for a person who waits.
fn remaining(progress: &Progress, seconds: u64, lang: Lang) -> String {
    let Progress::Judged { calls, replayed, left, .. } = *progress else { return String::new() };
    match minutes_left(seconds, calls.saturating_sub(replayed), left) {
        Some(minutes) => {
            lang.pick(format!(", about {minutes} min left"), format!("，约还需 {minutes} 分钟"))
        }
        None => String::new(),
    }
}

/// How many minutes so many answers take, when so many took so many seconds. Nothing before there was
/// an answer to go by: replies of a recording take no time.
fn minutes_left(seconds: u64, asked: u64, left: u64) -> Option<u64> {
    let needed = u128::from(seconds.max(1)) * u128::from(left);
    let seconds = needed.checked_div(u128::from(asked))?;
    u64::try_from(seconds.div_ceil(60)).ok()
}

fn line(progress: &Progress, lang: Lang) -> String {
    match *progress {
        Progress::Judged { epoch, done, of, calls, replayed, spent, left: _ } => {
            let (tokens, dollars) = (spent.tokens(), page::dollars(spent.micro_usd));
            lang.pick(
                format!(
                    "epoch {epoch}: {done} of {of} tickets, {calls} calls, {replayed} of them \
                     replayed, tokens {tokens}, ${dollars}"
                ),
                format!(
                    "第 {epoch} 轮：{done}/{of} 个工单，{calls} 次调用，其中 {replayed} 次取自记录，\
                     {tokens} 个 token，${dollars}"
                ),
            )
        }
        Progress::Reflected { cycle, applied, rejects, rules } => {
            let applied = if applied {
                lang.pick("applied", "已应用")
            } else {
                lang.pick("not applied", "未应用")
            };
            lang.pick(
                format!("reflection {cycle}: {applied}, {rejects} rejected, {rules} rules"),
                format!("反思 {cycle}：{applied}，拒绝 {rejects} 项，{rules} 条规则"),
            )
        }
        Progress::Epoch { epoch, correct, of } => lang.pick(
            format!("epoch {epoch}: {correct} of {of} correct"),
            format!("第 {epoch} 轮：{correct}/{of} 正确"),
        ),
        Progress::Measuring { of } => lang.pick(
            format!("measuring on {of} tickets of the audit pool"),
            format!("在审计池的 {of} 个工单上测量"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_answers_so_far() {
        for (seconds, asked, left, expected) in [
            (10, 0, 100, None),
            (60, 10, 20, Some(2)),
            (0, 10, 20, Some(1)),
            (61, 60, 60, Some(2)),
            (100, 5, 0, Some(0)),
            (u64::MAX, 1, u64::MAX, None),
        ] {
            assert_eq!(minutes_left(seconds, asked, left), expected, "{seconds} {asked} {left}");
        }
    }
}
