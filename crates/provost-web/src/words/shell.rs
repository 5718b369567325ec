//! Words of the frame around every view, and of its states.

use provost_kernel::Message;

/// Navigation, switches, notices, the sign-in.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum ShellWord {
    #[message(en = "Skip to content", zh = "跳到正文")]
    Skip,
    #[message(en = "Views", zh = "视图")]
    Views,
    #[message(en = "Views, short", zh = "主要视图")]
    ViewsTabs,
    #[message(en = "Tasks", zh = "任务")]
    ViewTasks,
    #[message(en = "Task", zh = "任务")]
    ViewTask,
    #[message(en = "Inbox", zh = "收件箱")]
    ViewInbox,
    #[message(en = "New task", zh = "新建任务")]
    ViewNew,
    #[message(en = "Stories", zh = "故事")]
    ViewStories,
    #[message(en = "Evals", zh = "评测")]
    ViewEvals,
    #[message(en = "Learning", zh = "学习")]
    ViewLearn,
    #[message(en = "Guard", zh = "守卫")]
    ViewGuard,
    #[message(en = "Audit", zh = "审计")]
    ViewAudit,
    #[message(en = "Sign in", zh = "登录")]
    ViewLogin,
    #[message(en = "Not found", zh = "未找到")]
    ViewMissing,
    #[message(en = "More", zh = "更多")]
    More,
    #[message(en = "live", zh = "实时")]
    Live,
    #[message(en = "not live", zh = "未实时更新")]
    NotLive,
    #[message(en = "chain intact", zh = "审计链完整")]
    ChainIntact,
    #[message(en = "chain broken", zh = "审计链已断")]
    ChainBroken,
    #[message(en = "{person}, may order", zh = "{person}，可下达指令")]
    PersonOrders { person: String },
    #[message(en = "{person}, reads", zh = "{person}，只读")]
    PersonReads { person: String },
    #[message(en = "Language", zh = "语言")]
    Language,
    #[message(en = "theme", zh = "主题")]
    Theme,
    #[message(en = "keys", zh = "按键")]
    Keys,
    #[message(en = "Sign in", zh = "登录")]
    SignIn,
    #[message(en = "Sign out", zh = "退出登录")]
    SignOut,
    #[message(en = "Go to a task, or give an order", zh = "前往任务或下达指令")]
    Palette,
    #[message(en = "Reconnecting.", zh = "正在重新连接。")]
    Reconnecting,
    #[message(en = "What you see is from {time}.", zh = "当前内容截至 {time}。")]
    ShownFrom { time: String },
    #[message(en = "Try {n}, the next in {seconds} s.", zh = "已尝试{n}次，{seconds} 秒后再试。")]
    NextTry { n: String, seconds: i64 },
    #[message(en = "Try now", zh = "立即重试")]
    TryNow,
    #[message(en = "Read-only.", zh = "只读。")]
    ReadOnly,
    #[message(
        en = "This server takes no orders; the commands to type are shown instead.",
        zh = "此服务器不接受指令；页面改为显示可输入的命令。"
    )]
    ReadOnlyDetail,
    #[message(en = "Refused.", zh = "已拒绝。")]
    Refused,
    #[message(en = "This cannot be shown.", zh = "无法显示。")]
    CannotShow,
    #[message(
        en = "This cannot be refreshed; what you see is older.",
        zh = "无法刷新；当前显示的是较早的内容。"
    )]
    CannotRefresh,
    #[message(en = "Try again", zh = "重试")]
    Again,
    #[message(en = "Loading", zh = "正在加载")]
    Loading,
    #[message(en = "{n} {n:task|tasks} cannot be read:", zh = "有 {n} 个任务无法读取：")]
    Unreadable { n: i64 },
    #[message(
        en = "{n} {n:state|states} changed outside provost:",
        zh = "有 {n} 个状态被 provost 以外的程序改动："
    )]
    Altered { n: i64 },
    #[message(en = "The server does not answer.", zh = "服务器没有响应。")]
    ErrorUnreachable,
    #[message(
        en = "The page cannot draw this answer of the server.",
        zh = "页面无法显示服务器的这个回答。"
    )]
    ErrorView,
    #[message(en = "The server answered {status}.", zh = "服务器返回 {status}。")]
    ErrorUnknown { status: i64 },
    #[message(en = "Nothing is at this address.", zh = "此地址没有内容。")]
    Missing,
    #[message(en = "Sign in with the token.", zh = "请用令牌登录。")]
    LoginTitle,
    #[message(
        en = "The terminal shows an address with a token. Open it, or paste it here.",
        zh = "终端会显示带令牌的地址。请打开该地址，或粘贴到这里。"
    )]
    LoginDetail,
    #[message(en = "Token", zh = "令牌")]
    LoginToken,
    #[message(en = "Not signed in.", zh = "未登录。")]
    LoginRefused,
    #[message(en = "{task} now waits for you", zh = "{task} 正等你处理")]
    NowWaits { task: String },
    #[message(en = "{n} more {n:task waits|tasks wait} for you", zh = "又有 {n} 个任务等你处理")]
    NowWait { n: i64 },
    #[message(en = "copy", zh = "复制")]
    Copy,
    #[message(en = "copied", zh = "已复制")]
    Copied,
    #[message(en = "copy: {command}", zh = "复制：{command}")]
    CopyCommand { command: String },
}
