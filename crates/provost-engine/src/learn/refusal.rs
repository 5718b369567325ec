//! Requests about a mission that cannot be met.

use camino::Utf8PathBuf;
use provost_kernel::{
    Message,
    learn::{KeyError, MissionName, RunName, TicketKey},
};
use provost_rules_learn::{
    guidance::GuidanceError, import::ImportError, judge::OtherScaffold,
    judge_mission::JudgeMissionError, measure::book::Reason,
};

/// A request about a mission that cannot be met.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.refusal")]
pub enum Refusal {
    /// The file of a mission itself.
    #[message(
        en = "cannot read `{path}`",
        zh = "无法读取 `{path}`",
        hint(
            en = "name the file of a mission; `provost learn mission engineering_impl` prints one, and docs/learn.md has every key",
            zh = "请给出任务目标的文件；`provost learn mission engineering_impl` 可打印一份，所有的键见 `docs/learn.md`"
        )
    )]
    NoFile { path: Utf8PathBuf, source: std::io::Error },
    #[message(
        en = "`{path}` has more than {limit} bytes",
        zh = "`{path}` 超过 {limit} 字节",
        hint(
            en = "see docs/learn.md for the files of a mission",
            zh = "任务目标的文件见 `docs/learn.md`"
        )
    )]
    TooLarge { path: Utf8PathBuf, limit: u64 },
    #[message(
        en = "`{path}` is not UTF-8",
        zh = "`{path}` 不是 UTF-8",
        hint(
            en = "see docs/learn.md for the files of a mission",
            zh = "任务目标的文件见 `docs/learn.md`"
        )
    )]
    NotText { path: Utf8PathBuf },
    #[message(
        en = "`{path}` is empty, and `{key}` must name instructions",
        zh = "`{path}` 为空，而 `{key}` 必须指向有内容的指示",
        hint(
            en = "write the instructions, or remove `{key}` to use the built-in ones",
            zh = "写入指示，或去掉 `{key}` 以使用内置指示"
        )
    )]
    Blank { path: Utf8PathBuf, key: &'static str },
    /// A file of cases that cannot become tickets.
    #[message(en = "`{path}`: {error}", zh = "`{path}`：{error}", inherit = error)]
    Import { path: Utf8PathBuf, error: ImportError },
    /// A person's file is never replaced.
    #[message(
        en = "`{path}` already exists",
        zh = "`{path}` 已存在",
        hint(
            en = "choose another folder with `--dir DIR`, or another name with `--mission NAME`",
            zh = "请用 `--dir DIR` 选择其他目录，或用 `--mission NAME` 另取名称"
        )
    )]
    Exists { path: Utf8PathBuf },
    /// A season without a ledger.
    #[message(
        en = "mission `{mission}` has no measurements yet",
        zh = "任务目标 `{mission}` 还没有测量结果",
        hint(
            en = "`provost learn run MISSION.toml` begins the first one",
            zh = "`provost learn run MISSION.toml` 会开始第一个阶段"
        )
    )]
    NothingMeasured { mission: MissionName },
    /// A rule that neither the run nor what is in force ever had.
    #[message(
        en = "mission `{mission}` never had a rule {rule}",
        zh = "任务目标 `{mission}` 从未有过规则 {rule}",
        hint(
            en = "see `provost learn rules {mission}`",
            zh = "见 `provost learn rules {mission}`"
        )
    )]
    NoRule { mission: MissionName, rule: String },
    /// Without a name, there must be one mission only.
    #[message(
        en = "name the mission: there are {known}",
        zh = "请写明任务目标：现有 {known}",
        hint(en = "`provost learn why MISSION RULE`", zh = "`provost learn why MISSION RULE`")
    )]
    WhichMission { known: String },
    #[error(transparent)]
    #[message(transparent)]
    Name(KeyError),
    #[error(transparent)]
    #[message(transparent)]
    Judge(JudgeMissionError),
    #[error(transparent)]
    #[message(transparent)]
    Scaffold(OtherScaffold),
    /// The run was interrupted, and the mission forbids resuming.
    #[message(
        en = "run `{run}` was interrupted, and `resume = false` forbids resuming it",
        zh = "运行 `{run}` 曾被中止，而 `resume = false` 不允许继续",
        hint(
            en = "write `resume = true`, or name another run: `provost learn run MISSION.toml --run NAME`",
            zh = "写 `resume = true`，或另起运行名：`provost learn run MISSION.toml --run NAME`"
        ),
        exit = Conflict
    )]
    NotResumed { run: RunName },
    /// A file of a run is not what provost wrote.
    #[message(
        en = "`{path}` is damaged: {why}",
        zh = "`{path}` 已损坏：{why}",
        hint(
            en = "it was changed by hand: begin another run with `provost learn run MISSION.toml --run NAME`",
            zh = "文件被人改动过：用 `provost learn run MISSION.toml --run NAME` 另起运行"
        ),
        exit = Integrity
    )]
    Damaged { path: Utf8PathBuf, why: String },
    /// A file that every run has is gone.
    #[message(
        en = "`{path}` is missing, and every run has it",
        zh = "`{path}` 不见了，而每次运行都有它",
        hint(
            en = "restore the file, or begin another run with `provost learn run MISSION.toml --run NAME`",
            zh = "恢复该文件，或用 `provost learn run MISSION.toml --run NAME` 另起运行"
        ),
        exit = Integrity
    )]
    Gone { path: Utf8PathBuf },
    #[message(
        en = "`{path}` does not match the report of the finished run",
        zh = "`{path}` 与已完成运行的报告不符",
        hint(
            en = "restore the file, or begin another run with `provost learn run MISSION.toml --run NAME`",
            zh = "恢复该文件，或用 `provost learn run MISSION.toml --run NAME` 另起运行"
        ),
        exit = Integrity
    )]
    Altered { path: Utf8PathBuf },
    /// The guidance that a mission begins with.
    #[message(en = "`{path}`: {error}", zh = "`{path}`：{error}", inherit = error)]
    Guidance { path: Utf8PathBuf, error: Box<GuidanceError> },
    #[message(
        en = "no mission `{name}` in this home",
        zh = "此主目录中没有任务目标 `{name}`",
        hint(
            when = known.is_empty(),
            en = "begin one with `provost learn run MISSION.toml`, or name the file of a mission",
            zh = "用 `provost learn run MISSION.toml` 开始，或给出任务目标的文件"
        ),
        hint(
            when = !known.is_empty(),
            en = "known are {known:names}; a mission whose runs are elsewhere is named by its file",
            zh = "已有 {known:names}；运行在别处的任务目标请用其文件指明"
        )
    )]
    NoMission { name: String, known: Vec<MissionName> },
    #[message(
        en = "the mission `{mission}` has no run `{run}`",
        zh = "任务目标 `{mission}` 没有运行 `{run}`",
        hint(
            when = known.is_empty(),
            en = "begin one with `provost learn run MISSION.toml`; runs under `output.root` are found through the file of the mission",
            zh = "用 `provost learn run MISSION.toml` 开始；`output.root` 下的运行请通过任务目标的文件查看"
        ),
        hint(when = !known.is_empty(), en = "known are {known:names}", zh = "已有 {known:names}")
    )]
    NoRun { mission: MissionName, run: RunName, known: Vec<RunName> },
    #[message(
        en = "the mission `{mission}` has no run",
        zh = "任务目标 `{mission}` 还没有运行",
        hint(
            en = "begin one with `provost learn run MISSION.toml`; runs under `output.root` are found through the file of the mission",
            zh = "用 `provost learn run MISSION.toml` 开始；`output.root` 下的运行请通过任务目标的文件查看"
        )
    )]
    NeverRun { mission: MissionName },
    #[message(
        en = "no guidance is in force for `{mission}`",
        zh = "`{mission}` 没有生效中的指引",
        hint(
            en = "finish a run with `provost learn run MISSION.toml`; see `provost learn status {mission}`",
            zh = "用 `provost learn run MISSION.toml` 完成一次运行；见 `provost learn status {mission}`"
        )
    )]
    NothingInForce { mission: MissionName },
    #[message(
        en = "no run of `{mission}` gave up on ticket `{key}`",
        zh = "`{mission}` 的运行都没有放弃工单 `{key}`",
        hint(
            en = "`provost learn queue {mission}` lists the keys",
            zh = "`provost learn queue {mission}` 列出这些键"
        )
    )]
    NotQueued { mission: MissionName, key: TicketKey },
    /// A name that no account has.
    #[message(
        en = "mission `{mission}` has no account `{rule}`",
        zh = "任务目标 `{mission}` 没有账户 `{rule}`",
        hint(
            en = "`provost learn verify {mission}` lists them, such as `h1`",
            zh = "`provost learn verify {mission}` 列出账户，如 `h1`"
        )
    )]
    NoAccount { mission: MissionName, rule: String },
    #[message(
        en = "`{rule}` removes or merges rules; a person does that in the guidance file of the mission",
        zh = "`{rule}` 会移除或合并规则；请由人在任务目标的指引文件中进行",
        exit = Refused
    )]
    NotARule { rule: String },
    #[message(
        en = "`{rule}` makes {worse} labelled {worse:case|cases} worse and {better} better",
        zh = "`{rule}` 使 {worse} 个已标注案例变差，{better} 个变好",
        hint(
            en = "`--although-worse REASON` adopts it all the same, and keeps the reason",
            zh = "`--although-worse REASON` 可照样采纳，并记下理由"
        ),
        exit = Refused
    )]
    MakesWorse { rule: String, better: usize, worse: usize },
    #[message(
        en = "`{rule}` is a hypothesis with {cycles} {cycles:cycle|cycles} and {keys} {keys:ticket|tickets}; it needs 2 and 6",
        zh = "`{rule}` 是一条假设，只有 {cycles} 次反思、{keys} 个工单支持；至少需要 2 次和 6 个",
        hint(
            en = "label more cases and run the mission again",
            zh = "请标注更多案例，再运行任务目标"
        ),
        exit = Refused
    )]
    LittleSupport { rule: String, cycles: usize, keys: usize },
    #[message(
        en = "the labels of `{mission}` come from files: nobody can be asked for one",
        zh = "`{mission}` 的标签来自文件：无法请人评审",
        hint(
            en = "`provost learn mission TASK_TYPE` prints a mission that learns from reviews",
            zh = "`provost learn mission TASK_TYPE` 打印从评审中学习的任务目标"
        ),
        exit = Unable
    )]
    NotReviews { mission: MissionName },
    /// What the accounts do not allow.
    #[message(
        en = "the ledger does not allow it: {why}",
        zh = "账本不允许：{why}",
        hint(
            en = "`provost learn verify` lists the accounts",
            zh = "`provost learn verify` 列出各账户"
        ),
        exit = Refused
    )]
    Ledger { why: Reason },
}
