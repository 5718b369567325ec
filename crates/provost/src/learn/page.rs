//! How people read figures of learning.

use provost_engine::learn::{MeasuredOn, Report, Stop};
use provost_kernel::{Lang, learn::Spent};
use provost_rules_learn::metrics::{Figures, Rate};

/// What a run came to, in a few lines.
pub(super) fn report(report: &Report, lang: Lang) -> Vec<String> {
    let Report { mission, before, after, epochs, gate, hypotheses, .. } = report;
    let count = epochs.len();
    let stop = match report.stop {
        Stop::Epochs => lang.pick("every epoch was gone through", "各轮均已完成"),
        Stop::Converged => lang.pick("the last epoch changed nothing", "最后一轮没有变化"),
        Stop::Budget => lang.pick("the budget is spent", "预算已用完"),
    };
    let on = match report.measured_on {
        MeasuredOn::Audit => {
            lang.pick("on the audit pool, which nobody learned from", "无人学习过的审计池")
        }
        MeasuredOn::Learn => lang.pick(
            "in the first and the last epoch, on the tickets that were learned from, which flatters: there is no audit pool",
            "第一轮和最后一轮、学习所用的工单，偏乐观：没有审计池",
        ),
        MeasuredOn::Unaudited => lang.pick(
            "in the first and the last epoch, on the tickets that were learned from, which flatters: the budget was spent before the audit pool was asked",
            "第一轮和最后一轮、学习所用的工单，偏乐观：预算在审计之前已用完",
        ),
    };
    let mut lines = vec![
        lang.pick(
            format!("mission `{mission}`: epochs {count}, {stop}"),
            format!("任务目标 `{mission}`：{count} 轮，{stop}"),
        ),
        lang.pick(format!("measured {on}"), format!("测量于：{on}")),
    ];
    lines.extend(compared(before, after, lang));
    lines.push(rules(report, lang));
    lines.push(lang.pick(
        format!(
            "hypotheses  candidate {}, measured {}, promoted {}, rejected {}, retired {}; gate {}, tickets {}, decisions {}",
            hypotheses.candidate,
            hypotheses.shadow,
            hypotheses.promoted,
            hypotheses.rejected,
            hypotheses.retired,
            gate.mode,
            gate.tickets,
            gate.decisions
        ),
        format!(
            "假设  候选 {}，测量中 {}，晋升 {}，否决 {}，退役 {}；门控 {}，{} 个工单，{} 次裁定",
            hypotheses.candidate,
            hypotheses.shadow,
            hypotheses.promoted,
            hypotheses.rejected,
            hypotheses.retired,
            gate.mode,
            gate.tickets,
            gate.decisions
        ),
    ));
    lines.push(cost(report.calls, report.spent, lang));
    if report.rejected_lines > 0 {
        let count = report.rejected_lines;
        lines.push(lang.pick(
            format!("lines that are no tickets: {count}, see `ingest_rejects.jsonl`"),
            format!("{count} 行不是工单：见 `ingest_rejects.jsonl`"),
        ));
    }
    lines
}

/// Accuracy, false passes and false fails, before and after.
fn compared(before: &Figures, after: &Figures, lang: Lang) -> [String; 3] {
    let (n, old, new) = (after.n, rate(before.accuracy), rate(after.accuracy));
    let (was, is) = (&before.tally, &after.tally);
    [
        lang.pick(
            format!("accuracy      {old} -> {new} of {n} tickets"),
            format!("准确率  {old} -> {new}，共 {n} 个工单"),
        ),
        lang.pick(
            format!("false passes  {} -> {}", was.false_pass, is.false_pass),
            format!("误放行  {} -> {}", was.false_pass, is.false_pass),
        ),
        lang.pick(
            format!("false fails   {} -> {}", was.false_fail, is.false_fail),
            format!("误拦截  {} -> {}", was.false_fail, is.false_fail),
        ),
    ]
}

fn rules(report: &Report, lang: Lang) -> String {
    let (count, step) = (report.rules.len(), report.guidance_step);
    lang.pick(format!("rules {count}, step {step}"), format!("规则 {count} 条，第 {step} 步"))
}

/// What calls cost.
pub(super) fn cost(calls: u64, spent: Spent, lang: Lang) -> String {
    let (tokens, dollars) = (spent.tokens(), dollars(spent.micro_usd));
    lang.pick(
        format!("calls {calls}, tokens {tokens}, ${dollars}"),
        format!("调用 {calls} 次，{tokens} 个 token，${dollars}"),
    )
}

/// A rate with its interval at 95 %.
pub(super) fn rate(rate: Option<Rate>) -> String {
    match rate {
        Some(Rate { value, low, high, .. }) => format!("{value:.3} [{low:.3}, {high:.3}]"),
        None => "-".to_owned(),
    }
}

/// Millionths of a dollar, to the cent.
fn dollars(micro: u64) -> String {
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
