//! How far a learning run is: what it did last.

use provost_engine::learn::Progress;
use provost_kernel::Lang;

use crate::live::{LiveLine, Weight};

pub(super) fn show(live: &LiveLine, progress: &Progress) {
    let lang = live.lang;
    live.show(Weight::Passing, |seconds| {
        let seconds = lang.pick(format!(", {seconds} s"), format!("，{seconds} 秒"));
        line(progress, lang) + &seconds
    });
}

fn line(progress: &Progress, lang: Lang) -> String {
    match *progress {
        Progress::Judged { epoch, done, of, calls, replayed } => lang.pick(
            format!(
                "epoch {epoch}: {done} of {of} tickets, {calls} calls, {replayed} of them replayed"
            ),
            format!(
                "第 {epoch} 轮：{done}/{of} 个工单，{calls} 次调用，其中 {replayed} 次取自记录"
            ),
        ),
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
