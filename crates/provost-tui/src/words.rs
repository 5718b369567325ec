//! The words of the terminal, in both languages.

use provost_kernel::{
    Lang, Message,
    task::{RunStep, SealFact, SealStanding, TaskGroup},
};

/// A word or a sentence of the terminal itself; what is said of a task comes from the desk.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "tui")]
pub(crate) enum Word {
    #[message(en = "live", zh = "实时")]
    Live,
    #[message(en = "reading", zh = "读取中")]
    Reading,
    #[message(en = "as of {age} ago", zh = "{age} 前的状态")]
    Stale { age: String },
    #[message(en = "chain intact", zh = "审计链完好")]
    ChainIntact,
    #[message(en = "chain BROKEN", zh = "审计链已损坏")]
    ChainBroken,
    #[message(en = "WAITS FOR YOU", zh = "等你处理")]
    Waits,
    #[message(en = "RUNS", zh = "运行中")]
    Runs,
    #[message(en = "PROVEN", zh = "已证明")]
    Proven,
    #[message(en = "APPROVED, NOT ALL OF IT PROVEN", zh = "已批准，未全部证明")]
    Unproven,
    #[message(en = "CLOSED", zh = "已结束")]
    Closed,
    #[message(en = "no tasks yet", zh = "还没有任务")]
    NoTasks,
    #[message(
        en = "start one: `provost do \"what should change\"`",
        zh = "新建任务：`provost do \"要改什么\"`"
    )]
    StartOne,
    #[message(en = "nothing waits for you", zh = "没有等你处理的事项")]
    NothingWaits,
    #[message(en = "no task matches `{filter}`", zh = "没有任务匹配 `{filter}`")]
    NoMatch { filter: String },
    #[message(en = "reading the task", zh = "正在读取任务")]
    ReadingTask,
    #[message(en = "what you can do", zh = "可以做什么")]
    Orders,
    #[message(en = "nothing to order now", zh = "目前没有可下达的指令")]
    NoOrders,
    #[message(
        en = "`{task}` cannot take this now; `o` shows what it can",
        zh = "`{task}` 目前不能这样做；按 `o` 查看可以做什么"
    )]
    NotNow { task: String },
    #[message(en = "attempt {attempt}, commit {commit}", zh = "第 {attempt} 次尝试，提交 {commit}")]
    About { attempt: u16, commit: String },
    #[message(en = "attempt {attempt}, without a commit", zh = "第 {attempt} 次尝试，没有提交")]
    AboutAttempt { attempt: u16 },
    #[message(en = "before the first attempt", zh = "尚无尝试")]
    AboutNone,
    #[message(en = "y  do it     Esc  leave it", zh = "Y  确认     Esc  取消")]
    Confirm,
    #[message(
        en = "Enter  go on     Ctrl-J  new line     Esc  leave it",
        zh = "Enter  继续     Ctrl-J  换行     Esc  取消"
    )]
    Typing,
    #[message(en = "Enter  go on     Esc  leave it", zh = "Enter  继续     Esc  取消")]
    TypingLine,
    #[message(en = "sending", zh = "正在提交")]
    Sending,
    #[message(en = "`{label}` is required", zh = "必须填写 `{label}`")]
    Required { label: String },
    #[message(en = "`{label}` takes at most {max} characters", zh = "`{label}` 最多 {max} 个字符")]
    TooLong { label: String, max: usize },
    #[message(en = "one of {choices:names}", zh = "可选 {choices:names}")]
    Choices { choices: Vec<String> },
    #[message(en = "filter", zh = "筛选")]
    Filter,
    #[message(en = "keys", zh = "按键")]
    Keys,
    #[message(en = "inbox", zh = "收件箱")]
    Inbox,
    #[message(en = "this is on the page: `provost serve`", zh = "此内容在网页上：`provost serve`")]
    OnThePage,
    #[message(en = "done: {label}, `{task}`", zh = "已完成：{label}，`{task}`")]
    Done { label: String, task: String },
    #[message(
        en = "recorded: {label}, `{task}`; it takes effect at the next step",
        zh = "已记录：{label}，`{task}`；将在下一步生效"
    )]
    Recorded { label: String, task: String },
    #[message(en = "started: {label}, `{task}`", zh = "已启动：{label}，`{task}`")]
    Started { label: String, task: String },
    #[message(en = "nothing was printed", zh = "没有输出")]
    NoOutput,
    #[message(
        en = "change of `{task}`, attempt {attempt}",
        zh = "`{task}` 的改动，第 {attempt} 次尝试"
    )]
    Change { task: String, attempt: u16 },
    #[message(
        en = "`{task}`, attempt {attempt}: what the step `{step}` printed",
        zh = "`{task}`，第 {attempt} 次尝试：步骤 `{step}` 的输出"
    )]
    Printed { task: String, attempt: u16, step: String },
    #[message(en = "{count} files cannot be read", zh = "{count} 个文件无法读取")]
    Unreadable { count: usize },
    #[message(
        en = "`{task}` does not match the audit chain: `provost audit verify`",
        zh = "`{task}` 与审计链不符：`provost audit verify`"
    )]
    Altered { task: String },
    #[message(en = "this window is too small", zh = "窗口太小")]
    TooSmall,
    #[message(en = "{step} {time} of {limit}", zh = "{step} {time} / {limit}")]
    StepOf { step: String, time: String, limit: String },
    #[message(en = "{step} {time}", zh = "{step} {time}")]
    Step { step: String, time: String },
    #[message(en = "exit {code}", zh = "退出码 {code}")]
    Exit { code: i32 },
    #[message(en = "on the base: exit {code}", zh = "在基准版本上：退出码 {code}")]
    OnBase { code: i32 },
    #[message(en = "row {row}", zh = "依据 {row}")]
    Row { row: String },
    #[message(en = "commit {commit}", zh = "提交 {commit}")]
    Commit { commit: String },
    #[message(en = "{spent} of {limit}", zh = "{spent} / {limit}")]
    Cost { spent: String, limit: String },
    #[message(en = "cost unknown", zh = "花费未知")]
    CostUnknown,
    #[message(
        en = "{files} {files:file|files} changed, +{added} -{removed}",
        zh = "改动 {files} 个文件，+{added} -{removed}"
    )]
    Size { files: usize, added: usize, removed: usize },
}

/// What a key does, for the key line and the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "tui.key")]
pub(crate) enum KeyWord {
    #[message(en = "move", zh = "移动")]
    Move,
    #[message(en = "a page up or down", zh = "翻页")]
    Page,
    #[message(en = "first, last", zh = "首个、末个")]
    Ends,
    #[message(en = "open", zh = "打开")]
    Open,
    #[message(en = "back", zh = "返回")]
    Back,
    #[message(en = "list or detail", zh = "列表或详情")]
    Pane,
    #[message(en = "to a group", zh = "跳到分组")]
    Group,
    #[message(en = "approve", zh = "批准")]
    Approve,
    #[message(en = "reject", zh = "拒绝")]
    Reject,
    #[message(en = "answer", zh = "答复")]
    Answer,
    #[message(en = "pause or go on", zh = "暂停或继续")]
    PauseOrResume,
    #[message(en = "pause", zh = "暂停")]
    Pause,
    #[message(en = "go on", zh = "继续")]
    Resume,
    #[message(en = "land", zh = "合入")]
    Land,
    #[message(en = "all orders", zh = "全部指令")]
    Orders,
    #[message(en = "diff", zh = "改动")]
    Diff,
    #[message(en = "log", zh = "日志")]
    Log,
    #[message(en = "next file or step", zh = "下一个文件或步骤")]
    Part,
    #[message(en = "filter", zh = "筛选")]
    Filter,
    #[message(en = "inbox, tasks", zh = "收件箱、任务")]
    Goto,
    #[message(en = "keys", zh = "按键")]
    Help,
    #[message(en = "quit", zh = "退出")]
    Quit,
}

/// The heading of a group.
pub(crate) fn group(group: TaskGroup, lang: Lang) -> String {
    let word = match group {
        TaskGroup::Waits => Word::Waits,
        TaskGroup::Runs => Word::Runs,
        TaskGroup::Proven => Word::Proven,
        TaskGroup::Unproven => Word::Unproven,
        TaskGroup::Closed => Word::Closed,
    };
    lang.render(&word.text())
}

/// A fact in four cells.
pub(crate) fn short_fact(fact: SealFact, lang: Lang) -> &'static str {
    match fact {
        SealFact::Paths => lang.pick("path", "路径"),
        SealFact::Secrets => lang.pick("secr", "密钥"),
        SealFact::Tests => lang.pick("test", "测试"),
        SealFact::Claims => lang.pick("clai", "声明"),
        SealFact::Judge => lang.pick("judg", "评审"),
        SealFact::Review => lang.pick("revi", "审阅"),
    }
}

pub(crate) fn fact(fact: SealFact, lang: Lang) -> &'static str {
    match fact {
        SealFact::Paths => lang.pick("paths", "路径"),
        SealFact::Secrets => lang.pick("secrets", "密钥"),
        SealFact::Tests => lang.pick("tests", "测试"),
        SealFact::Claims => lang.pick("claims", "声明"),
        SealFact::Judge => lang.pick("judge", "评审"),
        SealFact::Review => lang.pick("review", "审阅"),
    }
}

pub(crate) fn standing(standing: SealStanding, lang: Lang) -> &'static str {
    match standing {
        SealStanding::Verified => lang.pick("verified", "已验证"),
        SealStanding::Contradicted => lang.pick("contradicted", "不成立"),
        SealStanding::NotVerified => lang.pick("not verified", "未验证"),
        SealStanding::Running => lang.pick("running", "运行中"),
        SealStanding::NotAsked => lang.pick("not asked", "未要求"),
        SealStanding::Stale => lang.pick("stale", "已过期"),
        SealStanding::Waived => lang.pick("waived", "已豁免"),
    }
}

pub(crate) fn step(step: RunStep, lang: Lang) -> &'static str {
    match step {
        RunStep::Prepare => lang.pick("prepare", "准备"),
        RunStep::Base => lang.pick("test on the base", "基准测试"),
        RunStep::Coder => lang.pick("agent", "智能体"),
        RunStep::Policy => lang.pick("policy", "策略检查"),
        RunStep::Test => lang.pick("test", "测试"),
        RunStep::Proof => lang.pick("proof", "证明"),
        RunStep::Claims => lang.pick("claims", "声明"),
        RunStep::Judge => lang.pick("judge", "评审"),
        RunStep::Landing => lang.pick("landing", "合入"),
    }
}

/// What waits, runs, waits for its turn and is proven, in one sentence.
pub(crate) fn sentence(
    (waits, runs, queued, proven): (usize, usize, usize, usize),
    lang: Lang,
) -> String {
    if lang == Lang::Zh {
        let queued = if queued > 0 { format!("{queued} 个排队，") } else { String::new() };
        return format!("{waits} 项等你处理，{runs} 个在运行，{queued}{proven} 个已证明。");
    }
    let clause = |count: usize, one: &str, many: &str| match count {
        0 => format!("nothing {one}"),
        1 => format!("one {one}"),
        _ => format!("{} {many}", number(count)),
    };
    let mut clauses =
        vec![clause(waits, "waits for you", "wait for you"), clause(runs, "runs", "run")];
    if queued > 0 {
        clauses.push(clause(queued, "is queued", "are queued"));
    }
    clauses.push(clause(proven, "is proven", "are proven"));
    let text = clauses.join(", ");
    let (first, rest) = text.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

/// A number in words up to a hundred, in digits beyond.
fn number(count: usize) -> String {
    const ONES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] =
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    match (ONES.get(count), TENS.get((count / 10).wrapping_sub(2)), count % 10) {
        (Some(word), _, _) => (*word).to_owned(),
        (None, Some(tens), 0) => (*tens).to_owned(),
        (None, Some(tens), ones) => format!("{tens}-{}", ONES[ones]),
        (None, None, _) => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_one_sentence() {
        for (counts, expected) in [
            ((6, 3, 0, 41), "Six wait for you, three run, forty-one are proven."),
            ((1, 1, 1, 1), "One waits for you, one runs, one is queued, one is proven."),
            ((0, 0, 0, 0), "Nothing waits for you, nothing runs, nothing is proven."),
            ((12, 20, 2, 100), "Twelve wait for you, twenty run, two are queued, 100 are proven."),
        ] {
            assert_eq!(sentence(counts, Lang::En), expected);
        }
        for (counts, expected) in [
            ((6, 3, 0, 41), "6 项等你处理，3 个在运行，41 个已证明。"),
            ((6, 3, 2, 41), "6 项等你处理，3 个在运行，2 个排队，41 个已证明。"),
        ] {
            assert_eq!(sentence(counts, Lang::Zh), expected);
        }
    }

    #[test]
    fn the_names_of_facts_fit_above_their_seals() {
        for lang in [Lang::En, Lang::Zh] {
            for it in SealFact::ALL {
                assert_eq!(crate::width::cells(short_fact(*it, lang)), 4);
            }
        }
    }
}
