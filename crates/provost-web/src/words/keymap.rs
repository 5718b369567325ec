//! Words of the map of keys and of the palette.

use provost_kernel::Message;

/// What each key does.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum KeyWord {
    #[message(en = "Everywhere", zh = "任何位置")]
    KeysEverywhere,
    #[message(en = "Lists", zh = "列表")]
    KeysLists,
    #[message(en = "A task", zh = "任务")]
    KeysTask,
    #[message(en = "stories, evals, learning, guard, audit", zh = "故事、评测、学习、守卫、审计")]
    KeyViews,
    #[message(en = "inbox", zh = "收件箱")]
    KeyInbox,
    #[message(en = "tasks", zh = "任务")]
    KeyTasks,
    #[message(en = "go to a task, or give an order", zh = "前往任务或下达指令")]
    KeyPalette,
    #[message(en = "close, leave the field", zh = "关闭，离开输入框")]
    KeyClose,
    #[message(en = "next, previous", zh = "下一项、上一项")]
    KeyMove,
    #[message(en = "open", zh = "打开")]
    KeyOpen,
    #[message(en = "back to the list", zh = "返回列表")]
    KeyBack,
    #[message(en = "all, waits, runs, proven, closed", zh = "全部、等待、运行、已证明、已关闭")]
    KeyGroups,
    #[message(en = "approve", zh = "批准")]
    KeyApprove,
    #[message(en = "reject, with a reason", zh = "拒绝并说明原因")]
    KeyReject,
    #[message(en = "answer", zh = "答复")]
    KeyAnswer,
    #[message(en = "pause, or go on", zh = "暂停或继续")]
    KeyPause,
    #[message(en = "land", zh = "合入")]
    KeyLand,
    #[message(en = "hide or show the score", zh = "隐藏或显示得分")]
    KeyBlind,
    #[message(en = "file, seen", zh = "文件、已看")]
    KeyFileSeen,
    #[message(en = "send", zh = "发送")]
    KeySend,
    #[message(en = "this map", zh = "按键说明")]
    KeyHelp,
    #[message(en = "Single letters are keys", zh = "单个字母作为按键")]
    LettersOn,
    #[message(en = "Close", zh = "关闭")]
    Close,
    #[message(en = "Nothing matches.", zh = "没有匹配项。")]
    PaletteNone,
    #[message(en = "go", zh = "前往")]
    PaletteGo,
    #[message(en = "task", zh = "任务")]
    PaletteTask,
    #[message(en = "order", zh = "指令")]
    PaletteOrder,
    #[message(en = "A task, a view or an order", zh = "任务、视图或指令")]
    PaletteType,
}
