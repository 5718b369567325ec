//! `provost learn agreement`: what the judge said, held against what people said.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use provost_engine::learn::reviews::{JudgeAgreement, judge_agreement};
use provost_kernel::{Exit, Lang, TaskId, task::TaskType};
use provost_rules_learn::{
    agreement::{Agreement, Caveat},
    measure::interval::MIN_LABELS,
    review::DrawnAgreement,
};
use serde::Serialize;

use super::page;
use crate::{
    session::{AnyFault, Run, Session},
    story::desk,
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn agreement engineering_impl\n\nOnly what a person said counts: a label that a judge gave is in none of the figures. Intervals are\nat 95 %."
)]
pub(super) struct Args {
    /// The task type [default: all reviewed types]
    #[arg(
        value_name = "TASK_TYPE",
        value_parser = PossibleValuesParser::new(TaskType::WORDS).try_map(|it| it.parse::<TaskType>())
    )]
    task_type: Option<TaskType>,
}

/// The agreement of one judge, as a script reads it.
#[derive(Debug, Serialize)]
struct Row {
    task_type: TaskType,
    agreement: Agreement,
    /// From the labels of drawn tasks, under each guidance.
    by_guidance: Vec<DrawnAgreement>,
    /// Tasks that could not be looked at.
    unreadable: Vec<TaskId>,
}

#[derive(Debug, Serialize)]
struct Answer(Vec<Row>);

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        if self.0.is_empty() {
            page.write("no task has been reviewed yet", "还没有任务经过审阅");
        }
        self.0.iter().for_each(|it| row(page, it));
    }
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let types = self.task_type.as_ref().map_or(TaskType::ALL, std::slice::from_ref);
        let mut rows = Vec::new();
        for &task_type in types {
            let JudgeAgreement { agreement, by_guidance, unreadable } =
                judge_agreement(&desk, task_type)?;
            if self.task_type.is_some() || agreement.all.n > 0 || agreement.left_out > 0 {
                rows.push(Row { task_type, agreement, by_guidance, unreadable });
            }
        }
        session.output.show(&Answer(rows));
        Ok(Exit::Success)
    }
}

fn row(page: &mut Page<'_>, row: &Row) {
    let Row { task_type, agreement, by_guidance, unreadable } = row;
    let Agreement { all, blind, not_blind, left_out, acceptance, .. } = agreement;
    let (lang, n) = (page.lang, all.n);
    let kappa = all.kappa.map_or_else(|| "-".to_owned(), |it| format!("{it:.2}"));
    page.write(
        format!("{task_type}: {n} labels of people"),
        format!("{task_type}：人给出的标签 {n} 个"),
    );
    let accuracy = page::rate(all.accuracy);
    page.write(
        format!("  agreement {accuracy}, kappa {kappa}"),
        format!("  一致率 {accuracy}，kappa {kappa}"),
    );
    let (passes, fails) = (page::rate(all.true_pass_rate), page::rate(all.true_fail_rate));
    page.write(
        format!("  passes what people accept {passes}, fails what they reject {fails}"),
        format!("  人所接受的判通过 {passes}，人所拒绝的判不通过 {fails}"),
    );
    let (passes, fails) = (all.tally.false_pass, all.tally.false_fail);
    page.write(
        format!("  false passes {passes}, false fails {fails}"),
        format!("  误放行 {passes}，误拦截 {fails}"),
    );
    let (unseen, seen) = (page::rate(blind.accuracy), page::rate(not_blind.accuracy));
    let (n_unseen, n_seen) = (blind.n, not_blind.n);
    page.write(
        format!("  blind {unseen} of {n_unseen}, after seeing the verdict {seen} of {n_seen}"),
        format!("  盲评 {unseen}（共 {n_unseen}），看过裁决后 {seen}（共 {n_seen}）"),
    );
    if let Some(it) = acceptance {
        page.write(
            format!(
                "  the judge passed {:.3}; corrected for its errors, people would accept {:.3} [{:.3}, {:.3}]",
                it.observed, it.corrected, it.low, it.high
            ),
            format!(
                "  评审通过率 {:.3}；修正其误差后，人会接受 {:.3} [{:.3}, {:.3}]",
                it.observed, it.corrected, it.low, it.high
            ),
        );
    }
    for under in by_guidance {
        drawn(page, under);
    }
    if *left_out > 0 {
        page.write(
            format!("  {left_out} labels do not come from people and are not counted"),
            format!("  {left_out} 个标签不是人给出的，不计入以上数字"),
        );
    }
    for it in &agreement.caveats {
        page.line(&format!("  ! {}", caveat(*it, lang)));
    }
    if !unreadable.is_empty() {
        let tasks: Vec<String> = unreadable.iter().map(|it| format!("`{it}`")).collect();
        let (en, zh) = (tasks.join(", "), tasks.join("、"));
        page.write(format!("  ! cannot read {en}"), format!("  ! 无法读取 {zh}"));
    }
}

/// What drawn labels say under one guidance: counts where there are too few for rates.
fn drawn(page: &mut Page<'_>, under: &DrawnAgreement) {
    let DrawnAgreement { guidance, judged, passed, failed, rates } = under;
    let short = guidance.map(|it| it.to_string().chars().take(12).collect::<String>());
    let rules = short.as_deref().unwrap_or("-");
    let (n, total) = (passed.whole.saturating_add(failed.whole), judged.total);
    page.write(
        format!("  with the rules {rules}: {total} judged, {n} of them drawn and reviewed blind"),
        format!("  使用规则 {rules}：判定 {total} 个，其中 {n} 个抽中并盲评"),
    );
    page.write(
        format!(
            "    people accepted {} of {} that it passed, and {} of {} that it failed",
            passed.part, passed.whole, failed.part, failed.whole
        ),
        format!(
            "    判通过的 {} 个中人接受 {} 个，判不通过的 {} 个中人接受 {} 个",
            passed.whole, passed.part, failed.whole, failed.part
        ),
    );
    match rates {
        Some(rates) => {
            let [passes, fails] = [rates.true_pass, rates.true_fail]
                .map(|it| format!("[{:.3}, {:.3}]", it.low, it.high));
            page.write(
                format!("    so it passes {passes} of what people accept, and fails {fails} of what they reject"),
                format!("    因此：人所接受的判通过 {passes}，人所拒绝的判不通过 {fails}"),
            );
        }
        None => page.write(
            format!("    fewer than {MIN_LABELS} labels: no rates follow"),
            format!("    少于 {MIN_LABELS} 个标签：得不出比率"),
        ),
    }
}

fn caveat(caveat: Caveat, lang: Lang) -> &'static str {
    match caveat {
        Caveat::NoHumanLabels => lang.pick("no labels from people", "没有人给出过标签"),
        Caveat::OnlyPassesReviewed => lang.pick(
            "people reviewed only what the judge passed: false fails are unknown",
            "人只审阅了评审通过的任务：误拦截情况未知",
        ),
        Caveat::OnlyFailsReviewed => lang.pick(
            "people reviewed only what the judge failed: false passes are unknown",
            "人只审阅了评审不通过的任务：误放行情况未知",
        ),
        Caveat::FewLabels => lang.pick("fewer than 30 labels of one kind", "某一类标签少于 30 个"),
        Caveat::NoneBlind => {
            lang.pick("no label was given blind, before seeing the verdict", "没有盲评的标签")
        }
        Caveat::NotBetterThanChance => {
            lang.pick("the judge is no better than chance", "评审不优于随机")
        }
    }
}
