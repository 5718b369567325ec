//! Words of the list of tasks and of the inbox.

use provost_kernel::Message;

/// Headlines, columns, filters, what an empty list says.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum ListWord {
    #[message(en = "{count} {n:waits|wait} for you", zh = "{count}{n:|}项等你处理")]
    TasksWait { count: String, n: i64 },
    #[message(en = "nothing waits for you", zh = "没有任务等你处理")]
    TasksNoneWait,
    #[message(en = "nothing runs", zh = "没有任务在运行")]
    TasksNoneRun,
    #[message(en = "nothing is proven", zh = "尚无已证明的任务")]
    TasksNoneProven,
    #[message(en = "{count} {n:runs|run}", zh = "{count}{n:|}项正在运行")]
    TasksRun { count: String, n: i64 },
    #[message(en = ", {count} {n:is|are} queued", zh = "，{count}{n:|}项排队")]
    TasksQueued { count: String, n: i64 },
    #[message(en = "{count} {n:is|are} proven", zh = "{count}{n:|}项已证明")]
    TasksProven { count: String, n: i64 },
    #[message(en = "Today: {n} {n:attempt|attempts}", zh = "今天：{n} 次尝试")]
    TodayAttempts { n: i64 },
    #[message(en = "Filter", zh = "筛选")]
    Filter,
    #[message(en = "Filter by name, goal, reason", zh = "按名称、目标、原因筛选")]
    FilterBy,
    #[message(en = "Groups", zh = "分组")]
    Groups,
    #[message(en = "oldest", zh = "最早")]
    Oldest,
    #[message(en = "somebody decided to live with it", zh = "有人决定接受")]
    UnprovenNote,
    #[message(en = "task", zh = "任务")]
    ColTask,
    #[message(en = "why", zh = "原因")]
    ColWhy,
    #[message(en = "try, cost", zh = "次数")]
    ColTry,
    #[message(en = "age", zh = "时间")]
    ColAge,
    #[message(en = "Nothing runs, nothing waits.", zh = "没有任务在运行，也没有任务等待。")]
    EmptyTitle,
    #[message(
        en = "A task is a file: what to do, when it is done, who does it, who judges it.",
        zh = "任务是一个文件：做什么、何时算完成、谁来做、谁来评审。"
    )]
    EmptyDetail,
    #[message(en = "No task matches.", zh = "没有匹配的任务。")]
    NoneFound,
    #[message(en = "No task is in this group.", zh = "此分组没有任务。")]
    NoneHere,
    #[message(
        en = "{n} {n:attempt|attempts} did not report what {n:it|they} cost",
        zh = "有 {n} 次尝试未报告费用"
    )]
    CostUnknown { n: i64 },
    #[message(en = "The oldest since {time}.", zh = "最早的自 {time} 起。")]
    OldestSince { time: String },
    #[message(
        en = "What asks you something comes first, then what is ready, then what stopped.",
        zh = "先是提问，然后是待审阅的结果，最后是停下的任务。"
    )]
    InboxOrder,
    #[message(en = "Nothing waits for you.", zh = "没有任务等你处理。")]
    InboxEmpty,
    #[message(
        en = "When an agent asks, a result is ready or a task stops, it is shown here.",
        zh = "智能体提问、结果待审阅或任务停下时，会显示在这里。"
    )]
    InboxEmptyDetail,
    #[message(en = "Asks you", zh = "向你提问")]
    KindQuestion,
    #[message(en = "Ready for review", zh = "待审阅")]
    KindReview,
    #[message(en = "Stopped", zh = "已停下")]
    KindStop,
    #[message(en = "after attempt {n}", zh = "第 {n} 次尝试之后")]
    AfterAttempt { n: i64 },
    #[message(en = "Open the task", zh = "打开任务")]
    OpenTask,
    #[message(en = "What was said", zh = "说了什么")]
    WhatWasSaid,
    #[message(en = "What is proven so far", zh = "目前已证明的内容")]
    WhatIsProven,
    #[message(en = "Back to the inbox", zh = "返回收件箱")]
    BackToInbox,
    #[message(en = "What you answered before", zh = "你之前的答复")]
    YourEarlierAnswers,
}
