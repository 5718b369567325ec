//! What is wrong with the file of a mission.

use provost_form::{Invalid, Problem, ProblemKind};
use provost_kernel::Message;

/// Why a file is not a mission: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "learn.mission.invalid",
    en = "invalid mission: {0}",
    zh = "无效的任务目标：{0}",
    hint(
        en = "correct the file, then `provost learn run MISSION.toml`; `docs/learn.md` has every key",
        zh = "请改正文件，然后运行 `provost learn run MISSION.toml`；所有的键见 `docs/learn.md`"
    ),
    inherit = field0
)]
pub struct MissionError(pub Invalid<MissionProblem>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.mission")]
pub enum MissionProblem {
    #[error(transparent)]
    #[message(transparent)]
    Form(ProblemKind),
    #[message(
        en = "expected letters, digits, `_`, `-` and `.`, starting with a letter or a digit, found `{found}`",
        zh = "应为字母、数字、`_`、`-` 和 `.`，以字母或数字开头，实为 `{found}`"
    )]
    NotAName { found: String },
    #[message(
        en = "expected an address that starts with `http://` or `https://`, found `{found}`",
        zh = "应为以 `http://` 或 `https://` 开头的地址，实为 `{found}`"
    )]
    NotAnAddress { found: String },
    #[message(
        en = "expected the name of an environment variable, found `{found}`",
        zh = "应为环境变量的名称，实为 `{found}`"
    )]
    NotAVariable { found: String },
    #[message(
        en = "expected a key such as `GROUP::pass`, found `{found}`",
        zh = "应为 `GROUP::pass` 这样的键，实为 `{found}`"
    )]
    NotATicketKey { found: String },
    #[message(
        en = "not a regular expression; write it in single quotes, without look-around",
        zh = "不是正则表达式；请用单引号书写，不支持环视"
    )]
    NotAPattern,
    #[message(
        en = "tickets come from `tickets` or from `reviews`, not from both",
        zh = "工单来自 `tickets` 或 `reviews`，不能两者都写"
    )]
    TicketsAndReviews,
    #[message(en = "needs at least one table", zh = "至少需要一个表")]
    NoDecode,
    #[message(
        en = "with `sampler.grid`, a ticket would have more than 256 answers",
        zh = "与 `sampler.grid` 相乘，每个工单的回答超过 256 个"
    )]
    TooManyAnswers,
    #[message(
        en = "no ticket would be learned from: give it a share",
        zh = "没有可学习的工单：请给它一个份额"
    )]
    NothingToLearn,
    #[message(en = "must be more than 0 and less than 1", zh = "须大于 0 且小于 1")]
    CertainAlpha,
    #[message(en = "needs at least one endpoint", zh = "至少需要一个端点")]
    NoEndpoint,
    #[message(
        en = "the endpoints name different models, and a verdict must not depend on which is free",
        zh = "各端点的模型不同，而结论不能取决于哪个空闲"
    )]
    DifferentModels,
    #[message(en = "needs a program to start", zh = "没有可启动的程序")]
    NoProgram,
    #[message(en = "needs at least one word", zh = "至少要有一个词")]
    NoVerdictWord,
    #[message(
        en = "a word stands for both pass and fail, blanks and case aside",
        zh = "有词同时表示通过与不通过（不计空格与大小写）"
    )]
    AmbiguousVerdictWord,
    #[message(
        en = "a pass without a model is a risk: write `allow_pass_override = true` if it is intended",
        zh = "不经模型就判通过有风险：若确有此意，请写 `allow_pass_override = true`"
    )]
    PassOverride,
    #[message(en = "another override has this id", zh = "另一条覆盖规则已用此 id")]
    OverrideTwice,
    /// Settings of the original that have one value here.
    #[message(
        en = "the verdict is always that of the majority: write `top_label`, or remove the key",
        zh = "结论总以多数票为准：请写 `top_label`，或删去此键"
    )]
    FixedVote,
    #[message(
        en = "ties go to the answer with the lowest temperature: write `temperature`, or remove the key",
        zh = "同票的回答中取温度最低者：请写 `temperature`，或删去此键"
    )]
    FixedTieBreak,
    #[message(
        en = "a verdict is pass or fail: write `false`, or remove the key",
        zh = "结论只有通过与不通过：请写 `false`，或删去此键"
    )]
    FixedBinary,
    #[message(
        en = "every ticket with a signal is reflected on: write `selected_mismatch_or_all_wrong`, or remove the key",
        zh = "凡有信号的工单都会进入反思：请写 `selected_mismatch_or_all_wrong`，或删去此键"
    )]
    FixedEligibility,
    #[message(
        en = "tickets that every answer missed are learned from: write `learn`, or remove the key",
        zh = "全部答错的工单也用于学习：请写 `learn`，或删去此键"
    )]
    FixedAllWrong,
    #[message(
        en = "an answer is one JSON object and nothing else: write `true`, or remove the key",
        zh = "回答只能是一个 JSON 对象：请写 `true`，或删去此键"
    )]
    FixedStrictJson,
    /// Settings of the original that have another place here.
    #[message(
        en = "the export is in the folder of the run: use `provost learn export MISSION`",
        zh = "导出文件在运行的文件夹中：请用 `provost learn export MISSION`"
    )]
    ExportPath,
    #[message(
        en = "list the keys themselves in `exclude_ticket_keys`",
        zh = "请在 `exclude_ticket_keys` 中直接列出这些键"
    )]
    ExcludedPath,
    #[message(
        en = "models are reached through `endpoints`, weights are not loaded",
        zh = "模型通过 `endpoints` 访问，不加载权重"
    )]
    Weights,
}

impl From<ProblemKind> for MissionProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
}

impl From<Problem> for MissionError {
    fn from(problem: Problem) -> Self {
        Self(problem.map(MissionProblem::from).into())
    }
}
