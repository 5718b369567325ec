//! `provost learn agreement`: what the judge said, held against what people said.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use provost_engine::learn::reviews::{JudgeAgreement, judge_agreement};
use provost_kernel::{Exit, Lang, TaskId, task::TaskType};
use provost_rules_learn::agreement::{Agreement, Caveat};
use serde::Serialize;

use super::page;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
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
    /// Tasks that could not be looked at.
    unreadable: Vec<TaskId>,
}

#[derive(Debug, Serialize)]
struct Answer(Vec<Row>);

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        if self.0.is_empty() {
            page.line(lang.pick("no task has been reviewed yet", "还没有任务被复核过"));
        }
        for line in self.0.iter().flat_map(|it| lines(it, lang)) {
            page.line(&line);
        }
    }
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let types = self.task_type.as_ref().map_or(TaskType::ALL, std::slice::from_ref);
        let mut rows = Vec::new();
        for &task_type in types {
            let JudgeAgreement { agreement, unreadable } = judge_agreement(&desk, task_type)?;
            if self.task_type.is_some() || agreement.all.n > 0 || agreement.left_out > 0 {
                rows.push(Row { task_type, agreement, unreadable });
            }
        }
        session.output.show(&Answer(rows));
        Ok(Exit::Success)
    }
}

fn lines(row: &Row, lang: Lang) -> Vec<String> {
    let Row { task_type, agreement, unreadable } = row;
    let Agreement { all, blind, not_blind, left_out, acceptance, .. } = agreement;
    let n = all.n;
    let kappa = all.kappa.map_or_else(|| "-".to_owned(), |it| format!("{it:.2}"));
    let mut lines = vec![
        lang.pick(
            format!("{task_type}: {n} labels of people"),
            format!("{task_type}：人给出的标签 {n} 个"),
        ),
        lang.pick(
            format!("  agreement {}, kappa {kappa}", page::rate(all.accuracy)),
            format!("  一致率 {},kappa {kappa}", page::rate(all.accuracy)),
        ),
        lang.pick(
            format!(
                "  passes what people accept {}, fails what they reject {}",
                page::rate(all.true_pass_rate),
                page::rate(all.true_fail_rate)
            ),
            format!(
                "  人所接受的判通过 {}，人所拒绝的判不通过 {}",
                page::rate(all.true_pass_rate),
                page::rate(all.true_fail_rate)
            ),
        ),
        lang.pick(
            format!(
                "  false passes {}, false fails {}",
                all.tally.false_pass, all.tally.false_fail
            ),
            format!("  误放行 {}，误拦截 {}", all.tally.false_pass, all.tally.false_fail),
        ),
        lang.pick(
            format!(
                "  blind {} of {}, after seeing the verdict {} of {}",
                page::rate(blind.accuracy),
                blind.n,
                page::rate(not_blind.accuracy),
                not_blind.n
            ),
            format!(
                "  盲评 {}（共 {}），看过裁决后 {}（共 {}）",
                page::rate(blind.accuracy),
                blind.n,
                page::rate(not_blind.accuracy),
                not_blind.n
            ),
        ),
    ];
    if let Some(it) = acceptance {
        lines.push(lang.pick(
            format!(
                "  the judge passed {:.3}; corrected for its errors, people would accept {:.3} [{:.3}, {:.3}]",
                it.observed, it.corrected, it.low, it.high
            ),
            format!(
                "  评审通过率 {:.3}；修正其误差后，人会接受 {:.3} [{:.3}, {:.3}]",
                it.observed, it.corrected, it.low, it.high
            ),
        ));
    }
    if *left_out > 0 {
        lines.push(lang.pick(
            format!("  {left_out} labels are not a person's, and are in none of these figures"),
            format!("  {left_out} 个标签不是人给出的，不计入以上数字"),
        ));
    }
    lines.extend(agreement.caveats.iter().map(|it| format!("  ! {}", caveat(*it, lang))));
    if !unreadable.is_empty() {
        let tasks: Vec<String> = unreadable.iter().map(|it| format!("`{it}`")).collect();
        let tasks = tasks.join(", ");
        lines.push(
            lang.pick(format!("  ! could not look at {tasks}"), format!("  ! 无法查看 {tasks}")),
        );
    }
    lines
}

fn caveat(caveat: Caveat, lang: Lang) -> &'static str {
    match caveat {
        Caveat::NoHumanLabels => lang.pick("no person labelled anything", "没有人给出过标签"),
        Caveat::OnlyPassesReviewed => lang.pick(
            "people looked only at what the judge passed: nobody knows what it blocks",
            "人只看过评审通过的：无从得知它拦下了什么",
        ),
        Caveat::OnlyFailsReviewed => lang.pick(
            "people looked only at what the judge failed: nobody knows what it lets through",
            "人只看过评审不通过的：无从得知它放过了什么",
        ),
        Caveat::FewLabels => lang.pick("fewer than 30 labels of one kind", "某一类标签少于 30 个"),
        Caveat::NoneBlind => lang.pick(
            "no label was given without sight of the verdict",
            "没有标签是在未看裁决时给出的",
        ),
        Caveat::NotBetterThanChance => {
            lang.pick("the judge is no better than chance", "评审不优于随机")
        }
    }
}
