//! Words of the view Evals.

use provost_kernel::Message;

#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
enum Word {
    #[message(en = "The gate passed.", zh = "门禁通过。")]
    EvalsPassed,
    #[message(en = "The gate failed.", zh = "门禁未通过。")]
    EvalsFailed,
    #[message(
        en = "{count} {n:case|cases} could not be measured.",
        zh = "{count}{n:|}个用例无法测量。"
    )]
    EvalsNotMeasured { count: String, n: i64 },
    #[message(
        en = "Suite {suite}, {cases} {cases:case|cases}, engine",
        zh = "套件 {suite}，{cases} 个用例，引擎"
    )]
    EvalsSub { suite: String, cases: i64 },
    #[message(
        en = "Against the baseline: {worse} got worse, {better} better (p = {p}).",
        zh = "与基线相比：{worse} 个变差，{better} 个变好（p = {p}）。"
    )]
    EvalsBaseline { worse: i64, better: i64, p: String },
    #[message(en = "passed, {low} to {high} %", zh = "通过，区间 {low}% 至 {high}%")]
    EvalsShare { low: String, high: String },
    #[message(en = "failed checks at P0, P1, P2", zh = "未通过的检查（P0、P1、P2）")]
    EvalsLevels,
    #[message(en = "not measured", zh = "未测量")]
    EvalsUnmeasured,
    #[message(en = "flaky over {n} {n:epoch|epochs}", zh = "{n} 轮中不稳定")]
    EvalsFlaky { n: i64 },
    #[message(en = "excused", zh = "已豁免")]
    EvalsExcused,
    #[message(en = "Trend", zh = "趋势")]
    EvalsTrend,
    #[message(
        en = "share of cases that passed, with its 95 % interval; a filled point failed at P0. Below, failures by level",
        zh = "通过用例的比例及其 95% 区间；实心点表示 P0 未通过。下方为各级别的失败数"
    )]
    EvalsTrendNote,
    #[message(
        en = "Share of cases that passed in {n} {n:run|runs}: {first} % at first, {last} % in the newest",
        zh = "{n} 次运行中通过用例的比例：最早 {first}%，最新 {last}%"
    )]
    EvalsTrendSays { n: i64, first: String, last: String },
    #[message(
        en = "One report so far. Keep more under names of their own: the folder is the history.",
        zh = "目前只有一份报告。请用不同的名字保留更多报告：该文件夹就是历史。"
    )]
    EvalsOne,
    #[message(en = "The same as a table", zh = "以表格显示")]
    AsTable,
    #[message(en = "run", zh = "运行")]
    EvalsRun,
    #[message(en = "when", zh = "时间")]
    EvalsWhen,
    #[message(en = "passed", zh = "通过")]
    EvalsColPassed,
    #[message(en = "interval", zh = "区间")]
    EvalsColInterval,
    #[message(en = "gate", zh = "门禁")]
    EvalsColGate,
    #[message(en = "passed", zh = "通过")]
    EvalsGatePassed,
    #[message(en = "failed", zh = "未通过")]
    EvalsGateFailed,
    #[message(en = "Cases and checks", zh = "用例与检查")]
    EvalsMatrix,
    #[message(
        en = "what did not pass first; {n} more {n:case|cases} in the report",
        zh = "未通过的在前；报告中另有 {n} 个用例"
    )]
    EvalsMatrixNote { n: i64 },
    #[message(en = "what did not pass first", zh = "未通过的在前")]
    EvalsMatrixAll,
    #[message(en = "case", zh = "用例")]
    EvalsCase,
    #[message(en = "passed", zh = "通过")]
    CellPass,
    #[message(en = "failed", zh = "未通过")]
    CellFail,
    #[message(en = "waived", zh = "已豁免")]
    CellWaived,
    #[message(en = "fails, as expected", zh = "按预期未通过")]
    CellExpected,
    #[message(en = "skipped", zh = "已跳过")]
    CellSkipped,
    #[message(en = "not measured", zh = "未测量")]
    CellNotMeasured,
    #[message(en = "not asked", zh = "未要求")]
    CellAbsent,
    #[message(en = "until {date}", zh = "至 {date}")]
    EvalsUntil { date: String },
    #[message(en = "Everything passed.", zh = "全部通过。")]
    EvalsAllPassed,
    #[message(en = "and {n} more", zh = "另有 {n} 项")]
    AndMore { n: i64 },
    #[message(en = "Nothing has been measured here.", zh = "这里尚无评测。")]
    EvalsEmpty,
    #[message(
        en = "An eval asks an engine the same cases each time and gates what comes back. Its report goes to `{folder}`.",
        zh = "评测每次向引擎提出相同的用例，并对结果设门禁。报告写入 `{folder}`。"
    )]
    EvalsEmptyDetail { folder: String },
    #[message(
        en = "{n} {n:file is|files are} not a report of this version:",
        zh = "有 {n} 个文件不是此版本的报告："
    )]
    EvalsUnreadable { n: i64 },
}
