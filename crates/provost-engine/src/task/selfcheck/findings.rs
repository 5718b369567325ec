//! Findings in the making.

use provost_kernel::{Finding, Message, Severity, TaskId, Text, task::EventKind};
use provost_vault::{Corruption, Stored};

/// What was found so far.
pub(super) struct Findings {
    pub(super) list: Vec<Finding>,
}

/// What does not hold of the files of a task.
#[derive(Debug, Message)]
#[message(code = "task.examine")]
pub(super) enum Defect {
    #[message(en = "the file is missing", zh = "缺少此文件")]
    Missing,
    #[message(en = "the folder contains no task", zh = "该文件夹中没有任务")]
    NoTask,
    #[message(en = "cannot read it: {why}", zh = "无法读取：{why}")]
    Unreadable { why: String },
    #[message(en = "cannot read the index entry", zh = "无法读取此索引条目")]
    UnreadableEntry,
    #[message(en = "cannot read the line", zh = "无法读取此行")]
    UnreadableLine,
    #[message(en = "the status lacks this field", zh = "状态文件缺少此字段")]
    MissingField,
    #[message(en = "it names another task", zh = "指向另一个任务")]
    OtherTask,
    #[message(
        en = "the status is RUNNING, but no process runs the task",
        zh = "状态为 RUNNING，但没有进程在运行此任务",
        hint(
            en = "`provost show {task}` corrects the state, `provost resume {task}` continues",
            zh = "`provost show {task}` 会更正状态；`provost resume {task}` 继续运行"
        )
    )]
    NotRunning { task: TaskId },
    #[message(en = "the lock was not released after the crash", zh = "崩溃后锁未释放")]
    LockLeft,
    #[message(en = "the event {kind} is missing", zh = "缺少事件 {kind}")]
    MissingEvent { kind: EventKind },
    #[message(en = "missing: {fields}", zh = "缺少 {fields}")]
    Incomplete { fields: Vec<&'static str> },
    #[message(en = "invalid verdict: {why}", zh = "不是有效的裁决：{why}")]
    NotAVerdict { why: String },
    #[message(
        en = "the rubric has another hash under the same version",
        zh = "同一版本的评分标准哈希不同"
    )]
    OtherRubric,
    #[message(en = "{0}", zh = "{0}")]
    Audit(Text),
}

impl Findings {
    pub(super) fn new() -> Self {
        Self { list: Vec::new() }
    }

    pub(super) fn add(&mut self, severity: Severity, subject: &str, defect: &Defect) {
        self.list.push(Finding::new("task.selfcheck", severity, subject, defect));
    }

    /// What a file holds; one that cannot be read is a finding.
    pub(super) fn present<T>(&mut self, stored: Stored<T>, name: &str) -> Option<T> {
        match stored {
            Stored::Present(value) => Some(value),
            Stored::Absent => None,
            Stored::Corrupt(Corruption { why, .. }) => {
                self.add(Severity::P0, name, &Defect::Unreadable { why });
                None
            }
        }
    }
}
