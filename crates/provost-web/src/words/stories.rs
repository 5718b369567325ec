//! Words of the view Stories.

use provost_kernel::Message;

#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
enum Word {
    #[message(
        en = "{count} of {total} {n:story|stories} {n:is|are} done.",
        zh = "{total}个故事中，{count}{n:|}个已完成。"
    )]
    StoriesDone { count: String, total: String, n: i64 },
    #[message(
        en = "None of {total} {n:story|stories} is done yet.",
        zh = "{total}{n:|}个故事均未完成。"
    )]
    StoriesNoneDone { total: String, n: i64 },
    #[message(en = "{count} {n:is|are} contradicted.", zh = "{count}{n:|}个不成立。")]
    StoriesContradicted { count: String, n: i64 },
    #[message(en = "{count} {n:is|are} stale.", zh = "{count}{n:|}个已过期。")]
    StoriesStale { count: String, n: i64 },
    #[message(
        en = "Criteria are frozen when a plan starts. What an agent claims is run again; only what was run counts.",
        zh = "标准在计划启动时固定。智能体的声明会重新运行；只有运行过的才算数。"
    )]
    StoriesSub,
    #[message(en = "{n} of {all}", zh = "{n}/{all}")]
    StatOf { n: String, all: String },
    #[message(en = "criteria pass", zh = "项标准通过")]
    StoriesCriteria,
    #[message(en = "complete when first called done", zh = "首次宣称完成时证据完整")]
    StoriesFirst,
    #[message(en = "{n:rule|rules} that refused an update", zh = "条规则拒绝过更新{n:|}")]
    StoriesRefusedBy { n: i64 },
    #[message(en = "{n:waiver|waivers}", zh = "项豁免{n:|}")]
    StoriesWaivers { n: i64 },
    #[message(en = "base", zh = "基准")]
    StoriesBase,
    #[message(en = "started", zh = "开始于")]
    StoriesStarted,
    #[message(en = "merged", zh = "合并于")]
    StoriesMerged,
    #[message(en = "done", zh = "已完成")]
    StoryDone,
    #[message(en = "stale", zh = "已过期")]
    StoryStale,
    #[message(en = "contradicted", zh = "不成立")]
    StoryContradicted,
    #[message(en = "in work", zh = "进行中")]
    StoryOpen,
    #[message(en = "declared, {n} {n:file|files}", zh = "已声明 {n} 个文件")]
    StoryDeclared { n: i64 },
    #[message(en = "not begun", zh = "未开始")]
    StoryNotBegun,
    #[message(en = "{n}/{all} AC", zh = "{n}/{all} 项标准")]
    StoryShare { n: i64, all: i64 },
    #[message(en = "Show {story}", zh = "展开 {story}")]
    StoryOpenIt { story: String },
    #[message(en = "Criteria of {story}", zh = "{story} 的标准")]
    StoryCriteria { story: String },
    #[message(en = "needs {label}", zh = "需要 {label}")]
    StoryNeeds { label: String },
    #[message(en = "tree {tree}", zh = "树 {tree}")]
    StoryTree { tree: String },
    #[message(en = "words alone", zh = "只有文字")]
    StoryWords,
    #[message(en = "nothing was run", zh = "没有运行")]
    StoryNothing,
    #[message(en = "blocked:", zh = "受阻：")]
    StoryBlocked,
    #[message(en = "by {actor}:", zh = "{actor}：")]
    StoryWaivedBy { actor: String },
    #[message(en = "PROVEN", zh = "已证明")]
    LabelProven,
    #[message(en = "SHOWN", zh = "已展示")]
    LabelShown,
    #[message(en = "HOLDS", zh = "成立")]
    LabelHolds,
    #[message(en = "PRESENT", zh = "存在")]
    LabelPresent,
    #[message(en = "CLAIMED", zh = "仅声称")]
    LabelClaimed,
    #[message(en = "HOLLOW", zh = "空洞")]
    LabelHollow,
    #[message(en = "Do without…", zh = "豁免…")]
    StoryWaive,
    #[message(en = "Do without the proof of {criterion}?", zh = "豁免 {criterion} 的证明？")]
    StoryWaiveTitle { criterion: String },
    #[message(
        en = "A waiver proves nothing, and the story is not done by it. It names you, and ends when the text of the criterion changes.",
        zh = "豁免不证明任何内容，故事也不会因此完成。它会记下你的名字，标准的文字改变后即失效。"
    )]
    StoryWaiveWhy,
    #[message(en = "Why the proof is not needed", zh = "为何不需要证明")]
    StoryBecause,
    #[message(en = "Do without", zh = "豁免")]
    StoryWaiveDo,
    #[message(en = "files", zh = "文件")]
    StoryFiles,
    #[message(en = "lines", zh = "行")]
    StoryLines,
    #[message(en = "{n}; explained over {limit}", zh = "{n}；超过 {limit} 须说明")]
    StoryGauge { n: String, limit: String },
    #[message(
        en = "Over {files} files or {lines} lines it is split.",
        zh = "超过 {files} 个文件或 {lines} 行须拆分。"
    )]
    StorySplit { files: String, lines: String },
    #[message(
        en = "The size of the change is not on record: no limit was reached.",
        zh = "未记录改动大小：没有达到任何上限。"
    )]
    StoryNoScope,
    #[message(en = "gates", zh = "门禁")]
    StoryGates,
    #[message(en = "no gate was run yet", zh = "尚未运行门禁")]
    StoryNoGates,
    #[message(en = "Updates", zh = "更新")]
    StoryUpdates,
    #[message(en = "called done, refused", zh = "宣称完成，被拒绝")]
    StoryUpdateRefusedDone,
    #[message(en = "refused", zh = "被拒绝")]
    StoryUpdateRefused,
    #[message(en = "taken", zh = "已接受")]
    StoryUpdateTaken,
    #[message(en = "Why updates were refused", zh = "更新被拒绝的原因")]
    StoriesWhy,
    #[message(en = "all plans", zh = "所有计划")]
    StoriesAll,
    #[message(en = "Over", zh = "已结束")]
    StoriesOver,
    #[message(en = "No plan has been started.", zh = "尚未启动任何计划。")]
    StoriesEmpty,
    #[message(
        en = "A plan is a text with stories and criteria. Once started, its criteria are frozen, and what an agent claims about them is run again.",
        zh = "计划是写有故事与标准的文本。启动后标准即固定，智能体的声明会重新运行。"
    )]
    StoriesEmptyDetail,
    #[message(en = "More plans", zh = "更多计划")]
    StoriesMore,
}
