//! Words of the view Audit.

use provost_kernel::Message;

#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, clippy::enum_variant_names, reason = "the page names them, not this program")]
enum Word {
    #[message(en = "The chain is intact:", zh = "审计链完整：")]
    AuditIntact,
    #[message(
        en = " {entries} {n:entry|entries}, {heads} stored {m:head|heads}, {after} after the last.",
        zh = "{entries} 条{n:|}，已存链头 {heads} 个{m:|}，最后链头之后 {after} 条。"
    )]
    AuditCounts { entries: String, n: i64, heads: String, m: i64, after: String },
    #[message(
        en = "Entry {n} is not the one that was written.",
        zh = "第 {n} 条不是当初写入的内容。"
    )]
    AuditBrokenAt { n: String },
    #[message(en = " What stands above it proves nothing.", zh = "其上方的内容不证明任何事。")]
    AuditAbove,
    #[message(
        en = "The chain itself is whole, and something else does not fit it.",
        zh = "审计链本身完整，但有其他内容与之不符。"
    )]
    AuditElsewhere,
    #[message(
        en = "Each entry carries the hash of the one before it. Yourself:",
        zh = "每条都带有上一条的摘要。自行验证："
    )]
    AuditSub,
    #[message(
        en = "Its hash is {found}, and the next entry says that it was {expected}.",
        zh = "其摘要为 {found}，而下一条记载的是 {expected}。"
    )]
    AuditMismatch { found: String, expected: String },
    #[message(
        en = "The last head that still fits was stored with entry {n}, at {time}.",
        zh = "最后一个仍相符的链头存于第 {n} 条，时间 {time}。"
    )]
    AuditLastHead { n: String, time: String },
    #[message(
        en = "No stored head vouches for what stands before it.",
        zh = "没有已存链头能证明其之前的内容。"
    )]
    AuditNoHead,
    #[message(en = "The audit chain is broken at entry {n}.", zh = "审计链在第 {n} 条断开。")]
    AuditBanner { n: String },
    #[message(en = "The audit chain and the state do not fit.", zh = "审计链与状态不符。")]
    AuditBannerElse,
    #[message(
        en = "Copy the file before anything else writes to it; entries before the first problem are intact.",
        zh = "请先备份该文件，再做其他操作；第一个问题之前的条目完好。"
    )]
    AuditCopy,
    #[message(en = "Who, what, which task, request id", zh = "谁、做了什么、哪个任务、请求编号")]
    AuditFilter,
    #[message(en = "Orders of people", zh = "人的指令")]
    AuditPeople,
    #[message(en = "Decisions", zh = "决定")]
    AuditDecisions,
    #[message(en = "Guard", zh = "守卫")]
    AuditGuard,
    #[message(en = "Page and bot", zh = "页面与机器人")]
    AuditPage,
    #[message(en = "Verify again", zh = "重新验证")]
    AuditVerify,
    #[message(en = "entry", zh = "序号")]
    AuditEntry,
    #[message(en = "time", zh = "时间")]
    AuditTime,
    #[message(en = "action", zh = "操作")]
    AuditAction,
    #[message(en = "subject", zh = "对象")]
    AuditSubject,
    #[message(en = "who, and what", zh = "谁，说了什么")]
    AuditWho,
    #[message(en = "hash", zh = "摘要")]
    AuditHash,
    #[message(en = "this line cannot be read", zh = "此行无法读取")]
    AuditUnreadable,
    #[message(en = "altered", zh = "被改动")]
    AuditAltered,
    #[message(
        en = "A filled knot is a head that was stored apart, so that a cut is found.",
        zh = "实心结点表示另存的链头，截断因此会被发现。"
    )]
    AuditKnot,
    #[message(en = "a head was stored with it", zh = "另存了链头")]
    AuditHeadStored,
    #[message(en = "request {id}", zh = "请求 {id}")]
    AuditRequest { id: String },
    #[message(en = "No entry matches.", zh = "没有匹配的条目。")]
    AuditNoneFound,
    #[message(en = "Nothing has happened yet.", zh = "尚无任何记录。")]
    AuditEmpty,
    #[message(
        en = "Every order, decision and ruling leaves an entry that carries the hash of the one before it.",
        zh = "每条指令、决定与裁定都会留下一条记录，并带有上一条的摘要。"
    )]
    AuditEmptyDetail,
    #[message(en = "Unreadable ends that were put aside:", zh = "已移开的无法读取的末尾：")]
    AuditPutAside,
}
