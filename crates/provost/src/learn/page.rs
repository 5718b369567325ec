//! How people read figures of learning.

use provost_engine::learn::{MeasuredOn, Report, Stop};
use provost_kernel::learn::Spent;
use provost_rules_learn::{
    measure::{
        e_value::Claim,
        standing::Standing,
        summary::{RuleSummary, Summary, Visible},
    },
    metrics::Rate,
};

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
    match &report.measured {
        Some(measured) => {
            page.write(format!("gate          {mode}"), format!("门控    {mode}"));
            summary(page, measured);
        }
        None => page.write(
            format!("gate          {mode}, {tickets} tickets, {decisions} decisions"),
            format!("门控    {mode}，{tickets} 个工单，{decisions} 次裁定"),
        ),
    }
    cost(page, report.calls, report.spent);
    if report.rejected_lines > 0 {
        let count = report.rejected_lines;
        page.write(
            format!("invalid ticket lines: {count}, see `ingest_rejects.jsonl`"),
            format!("无效的工单 {count} 行，见 `ingest_rejects.jsonl`"),
        );
    }
}

/// Writes what labels say of rules.
pub(super) fn summary(page: &mut Page<'_>, summary: &Summary) {
    let Summary { labels, counted, waiting, proposed, refused, returned, rules, visible, .. } =
        summary;
    page.write(
        format!("{labels} labels, {counted} count"),
        format!("{labels} 个标签，其中 {counted} 个计入"),
    );
    if *labels > 0 && *counted == 0 {
        page.write(
            "no label counts, so nothing can be proven: labels that were not drawn, or not given by a person, teach and screen only",
            "没有标签计入，因此什么都无法证明：并非抽取的、或不是由人给出的标签只用于学习和筛选",
        );
    }
    for rule in rules {
        account(page, "", rule);
    }
    for name in returned {
        page.write(
            format!("{name} was in force and harms: it is a shadow again"),
            format!("{name} 曾经生效但有害：现已退回为影子"),
        );
    }
    if *proposed > 0 {
        page.write(
            format!("not past the screen: {proposed} of the proposed rules"),
            format!("{proposed} 条提议的规则尚未通过筛选"),
        );
    }
    if *refused > 0 {
        page.write(
            format!("refused by a golden case or a probe: {refused} of the proposed rules"),
            format!("{refused} 条提议的规则被金标案例或探针拒绝"),
        );
    }
    if *waiting > 0 {
        page.write(format!("{waiting} labels wait for bets"), format!("{waiting} 个标签等待押注"));
    }
    if let Some(Visible { labels, percent }) = visible {
        page.write(
            format!(
                "in {labels} more labels a rule that mends {percent} % of cases has four chances in five"
            ),
            format!("再有 {labels} 个标签，能改正 {percent} % 案例的规则有五分之四的机会得到证明"),
        );
    }
}

/// Writes what is known of one rule.
pub(super) fn account(page: &mut Page<'_>, indent: &str, rule: &RuleSummary) {
    let RuleSummary { name, text, wins, losses, e_value, standing, claim, .. } = rule;
    let [en, zh] = match (standing, claim) {
        (Standing::Proposed, _) => ["proposed", "已提议"],
        (Standing::Shadow, _) => ["shadow", "影子"],
        (Standing::Offered, _) => ["offered", "可采纳"],
        (Standing::Measured, _) => ["in force, measured", "生效中，经测量"],
        (Standing::Adopted, _) => {
            ["in force, adopted without measurement", "生效中，未经测量而采纳"]
        }
        (Standing::Retired, _) => ["retired", "已退役"],
    };
    let [what_en, what_zh] = match claim {
        Claim::Better => ["", ""],
        Claim::NotWorse => ["remove ", "移除 "],
    };
    let (bound_en, bound_zh) = match rule.bound {
        Some(bound) => {
            (format!(", E {e_value:.3} of {bound:.0}"), format!("，E {e_value:.3}／{bound:.0}"))
        }
        None => (String::new(), String::new()),
    };
    let (more_en, more_zh) = match rule.wins_to_proof {
        Some(more) => {
            (format!("; proven by {more} more wins"), format!("；再胜 {more} 次即得到证明"))
        }
        None => (String::new(), String::new()),
    };
    page.write(
        format!(
            "{indent}{name} {what_en}\"{text}\": {wins} wins, {losses} losses{bound_en}: {en}{more_en}"
        ),
        format!("{indent}{name} {what_zh}“{text}”：胜 {wins}，负 {losses}{bound_zh}：{zh}{more_zh}"),
    );
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
