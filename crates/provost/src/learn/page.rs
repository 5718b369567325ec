//! How people read figures of learning.

use provost_engine::learn::{MeasuredOn, Report, Stop};
use provost_kernel::learn::Spent;
use provost_rules_learn::metrics::Rate;

use crate::view::Page;

/// Writes what a run came to.
pub(super) fn report(page: &mut Page<'_>, report: &Report) {
    let Report { mission, before, after, epochs, gate, hypotheses, .. } = report;
    let (lang, count) = (page.lang, epochs.len());
    let stop = match report.stop {
        Stop::Epochs => lang.pick("all completed", "全部完成"),
        Stop::Converged => lang.pick("stopped: no more changes", "已无变化，提前结束"),
        Stop::Budget => lang.pick("stopped: budget exhausted", "预算用完，提前结束"),
    };
    page.write(
        format!(
            "mission `{mission}`: {count} {}, {stop}",
            if count == 1 { "epoch" } else { "epochs" }
        ),
        format!("任务目标 `{mission}`：{count} 轮，{stop}"),
    );
    match report.measured_on {
        MeasuredOn::Audit => page.write(
            "measured on the audit pool, which is not used for learning",
            "测量于审计池，其中的工单不参与学习",
        ),
        MeasuredOn::Learn => page.write(
            "measured on the tickets used for learning, in the first and last epoch; optimistic, because the mission has no audit pool",
            "测量于学习所用的工单（第一轮与最后一轮）；没有审计池，结果偏乐观",
        ),
        MeasuredOn::Unaudited => page.write(
            "measured on the tickets used for learning, in the first and last epoch; optimistic, because the budget ran out before the audit",
            "测量于学习所用的工单（第一轮与最后一轮）；预算在审计之前用完，结果偏乐观",
        ),
    }
    let (n, old, new) = (after.n, rate(before.accuracy), rate(after.accuracy));
    page.write(
        format!("accuracy      {old} -> {new} ({n} tickets)"),
        format!("准确率  {old} -> {new}（{n} 个工单）"),
    );
    let (was, is) = (&before.tally, &after.tally);
    for (en, zh, was, is) in [
        ("false passes", "误放行", was.false_pass, is.false_pass),
        ("false fails ", "误拦截", was.false_fail, is.false_fail),
    ] {
        page.line(&format!("{}  {was} -> {is}", lang.pick(en, zh)));
    }
    let (rules, step) = (report.rules.len(), report.guidance_step);
    page.write(
        format!("rules         {rules}, at step {step}"),
        format!("规则    {rules} 条，第 {step} 步"),
    );
    let [candidate, shadow, promoted, rejected, retired] = [
        hypotheses.candidate,
        hypotheses.shadow,
        hypotheses.promoted,
        hypotheses.rejected,
        hypotheses.retired,
    ];
    page.write(
        format!("hypotheses    {candidate} candidate, {shadow} in shadow, {promoted} promoted, {rejected} rejected, {retired} retired"),
        format!("假设    候选 {candidate}，测量中 {shadow}，晋升 {promoted}，否决 {rejected}，退役 {retired}"),
    );
    let (mode, tickets, decisions) = (&gate.mode, gate.tickets, gate.decisions);
    page.write(
        format!("gate          {mode}, {tickets} tickets, {decisions} decisions"),
        format!("门控    {mode}，{tickets} 个工单，{decisions} 次裁定"),
    );
    cost(page, report.calls, report.spent);
    if report.rejected_lines > 0 {
        let count = report.rejected_lines;
        page.write(
            format!("invalid ticket lines: {count}, see `ingest_rejects.jsonl`"),
            format!("无效的工单 {count} 行，见 `ingest_rejects.jsonl`"),
        );
    }
}

/// Writes what calls cost.
pub(super) fn cost(page: &mut Page<'_>, calls: u64, spent: Spent) {
    let (tokens, dollars) = (spent.tokens(), dollars(spent.micro_usd));
    page.write(
        format!("calls         {calls}, tokens {tokens}, ${dollars}"),
        format!("调用    {calls} 次，{tokens} 个 token，${dollars}"),
    );
}

/// A rate with its interval at 95 %.
pub(super) fn rate(rate: Option<Rate>) -> String {
    match rate {
        Some(Rate { value, low, high, .. }) => format!("{value:.3} [{low:.3}, {high:.3}]"),
        None => "-".to_owned(),
    }
}

/// Millionths of a dollar, to the cent.
pub(super) fn dollars(micro: u64) -> String {
    let cents = micro.div_ceil(10_000);
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spent_is_never_shown_as_less() {
        for (micro, expected) in
            [(0, "0.00"), (1, "0.01"), (10_000, "0.01"), (10_001, "0.02"), (12_340_000, "12.34")]
        {
            assert_eq!(dollars(micro), expected);
        }
    }
}
