//! What the decision table says to a person.

use provost_kernel::{
    Message, Text,
    task::{Facts, PauseCode, Role, Row},
};

use crate::budget::Part;

/// What happened, in one sentence.
#[derive(Debug, Message)]
#[message(code = "task.decision")]
enum Outcome {
    #[message(
        en = "the coordinator ended in the middle of an attempt",
        zh = "协调进程在一次尝试中途终止"
    )]
    Crash,
    #[message(en = "the judge is not authorised", zh = "评审没有权限")]
    JudgeAuth,
    #[message(en = "the coder is not authorised", zh = "编码智能体没有权限")]
    CoderAuth,
    #[message(en = "{step} timed out {count} times in a row", zh = "{step}连续 {count} 次超时")]
    TimeoutTwice { step: Step, count: u32 },
    #[message(en = "{step} ran into its time limit", zh = "{step}超时")]
    Timeout { step: Step },
    #[message(en = "the judge's reply is not a valid verdict", zh = "评审的答复不是有效的裁决")]
    VerdictInvalid,
    #[message(en = "the judge's verdict contradicts itself", zh = "评审的裁决自相矛盾")]
    VerdictInconsistent,
    #[message(
        en = "the scoring mode is not `rubric_analytic`, and no other can approve",
        zh = "评分模式不是 `rubric_analytic`，而其他模式不能通过"
    )]
    ModeInvalid,
    #[message(
        en = "the coder failed; nothing was tested or judged",
        zh = "编码智能体失败；未测试也未评审"
    )]
    CoderFailed,
    #[message(
        en = "the coder ended with exit code {rc}; nothing was tested or judged",
        zh = "编码智能体以退出码 {rc} 结束；未测试也未评审"
    )]
    CoderExit { rc: i32 },
    #[message(
        en = "the coder changed nothing and replied nothing",
        zh = "编码智能体没有任何改动，也没有任何答复"
    )]
    CoderNoOutput,
    #[message(en = "a file outside the allowed paths was changed", zh = "改动了允许范围之外的文件")]
    AllowedPaths,
    #[message(en = "a forbidden file was changed", zh = "改动了禁止改动的文件")]
    ForbiddenGlobs,
    #[message(en = "the change contains a secret", zh = "改动中含有密钥")]
    Secrets,
    #[message(
        en = "the task's repository or its base cannot be used",
        zh = "任务的仓库或基准无法使用"
    )]
    NotGitRepo,
    #[message(en = "another task has this id already", zh = "已有另一个任务使用此 id")]
    TaskIdConflict,
    #[message(en = "a person paused the task", zh = "任务已由人工暂停")]
    User,
    #[message(en = "a person paused or reset the task", zh = "任务已由人工暂停或重置")]
    PausedOrReset,
    #[message(en = "the judge cannot be started", zh = "无法启动评审")]
    JudgeInvalid,
    #[message(
        en = "an agent that the task names is not installed",
        zh = "任务指定的智能体没有安装"
    )]
    AdapterMissing,
    #[message(en = "the task's budget allows no more work", zh = "任务的预算已不足以继续")]
    Budget,
    #[message(
        en = "{most:the|all} {most} {most:attempt is|attempts are} used",
        zh = "{most} 次尝试已全部用完"
    )]
    AttemptsUsed { most: u32 },
    #[message(en = "a provider's quota is used up", zh = "服务商的配额已用完")]
    Quota,
    #[message(
        en = "the dependencies of the base cannot be installed",
        zh = "无法安装基准版本的依赖"
    )]
    PrepareFailed,
    #[message(
        en = "the test command cannot be run on the base",
        zh = "测试命令无法在基准版本上运行"
    )]
    TestNotRun,
    #[message(en = "a gate stopped the verdict", zh = "裁决未通过硬性门槛")]
    Gated,
    #[message(en = "your answer is needed", zh = "需要你的答复")]
    NeedUserInput,
    #[message(en = "the score is below a threshold of the task", zh = "得分低于任务设定的门槛")]
    BelowThreshold,
    #[message(en = "ready for your review", zh = "已就绪，等待你审阅")]
    Ready,
    #[message(
        en = "attempt {attempt} of {most} failed; trying again",
        zh = "第 {attempt} 次尝试失败（共 {most} 次），正在重试"
    )]
    FailNextAttempt { attempt: u32, most: u32 },
    #[message(
        en = "attempt {attempt} of {most} failed, and none is left",
        zh = "第 {attempt} 次尝试失败（共 {most} 次），次数已用完"
    )]
    FailExhausted { attempt: u32, most: u32 },
    #[message(
        en = "the verdict decides neither PASS nor FAIL nor NEED_USER_INPUT",
        zh = "裁决不是 PASS、FAIL 或 NEED_USER_INPUT"
    )]
    UnknownDecision,
}

/// What a person is asked.
#[derive(Debug, Message)]
#[message(code = "task.question")]
enum Question {
    #[message(
        en = "Go on with the next attempt? (`provost resume ID`)",
        zh = "是否继续下一次尝试？（`provost resume ID`）"
    )]
    Crash,
    #[message(
        en = "Can you log the judge in, or set its key, and resume?",
        zh = "能否为评审登录或设置密钥，然后继续？"
    )]
    JudgeAuth,
    #[message(
        en = "Can you log the coder in, or set its key, and resume?",
        zh = "能否为编码智能体登录或设置密钥，然后继续？"
    )]
    CoderAuth,
    #[message(
        en = "Does the coder need more time (`coder_timeout_seconds`), or a smaller goal?",
        zh = "编码智能体需要更多时间（`coder_timeout_seconds`），还是更小的目标？"
    )]
    CoderTimeout,
    #[message(
        en = "Does the test need more time (`test_timeout_seconds`), or does it hang?",
        zh = "测试需要更多时间（`test_timeout_seconds`），还是卡住了？"
    )]
    TestTimeout,
    #[message(
        en = "Does the judge need more time (`judge_timeout_seconds`), or another model?",
        zh = "评审需要更多时间（`judge_timeout_seconds`），还是换一个模型？"
    )]
    JudgeTimeout,
    #[message(
        en = "Which judge or model replies with a valid verdict?",
        zh = "哪个评审或模型能给出有效的裁决？"
    )]
    VerdictInvalid,
    #[message(
        en = "The judge's scores and issues contradict each other: resume, or use another judge?",
        zh = "评审的评分与问题相互矛盾：继续，还是更换评审？"
    )]
    VerdictInconsistent,
    #[message(
        en = "Should `scoring_mode` be `rubric_analytic`?",
        zh = "`scoring_mode` 是否应为 `rubric_analytic`？"
    )]
    ModeInvalid,
    #[message(
        en = "What made the coder fail? (`provost logs ID --agent`)",
        zh = "编码智能体为何失败？（`provost logs ID --agent`）"
    )]
    CoderFailed,
    #[message(
        en = "Is the goal clear, and can the coder write to the work tree?",
        zh = "目标是否清楚，编码智能体能否写入工作目录？"
    )]
    CoderNoOutput,
    #[message(
        en = "May these files change (`allowed_paths`), or should the attempt be run again?",
        zh = "这些文件可以改动吗（`allowed_paths`），还是重新尝试？"
    )]
    AllowedPaths,
    #[message(
        en = "Forbidden files were touched: what should the next attempt do instead?",
        zh = "触及了禁止的文件：下一次尝试应改为怎么做？"
    )]
    ForbiddenGlobs,
    #[message(
        en = "Is the secret real? Revoke it if it is, and run the attempt again.",
        zh = "密钥是真的吗？如果是，请将其作废并重新尝试。"
    )]
    Secrets,
    #[message(
        en = "Which git repository is meant (`repo_path`)?",
        zh = "应为哪个 git 仓库（`repo_path`）？"
    )]
    NotGitRepo,
    #[message(en = "Which other `task_id` should it have?", zh = "应改用哪个 `task_id`？")]
    TaskIdConflict,
    #[message(en = "Go on? (`provost resume ID`)", zh = "是否继续？（`provost resume ID`）")]
    User,
    #[message(
        en = "Which judge should be used, and is it installed?",
        zh = "应使用哪个评审，它安装了吗？"
    )]
    JudgeInvalid,
    #[message(
        en = "Can you install the agent, or start another task that names another one?",
        zh = "能否安装该智能体，或另建任务改用另一个？"
    )]
    AdapterMissing,
    #[message(
        en = "May the task cost more? (`provost edit ID --set budget.usd=N`)",
        zh = "任务可以花费更多吗？（`provost edit ID --set budget.usd=N`）"
    )]
    Budget,
    #[message(
        en = "May the task use more tokens? (`provost edit ID --set budget.tokens=N`)",
        zh = "任务可以使用更多词元吗？（`provost edit ID --set budget.tokens=N`）"
    )]
    BudgetTokens,
    #[message(
        en = "May the task take more time? (`provost edit ID --set budget.wall=SECONDS`)",
        zh = "任务可以花费更多时间吗？（`provost edit ID --set budget.wall=SECONDS`）"
    )]
    BudgetWall,
    #[message(
        en = "May it try once more? (`provost edit ID --set max_attempts=N`)",
        zh = "是否允许再次尝试？（`provost edit ID --set max_attempts=N`）"
    )]
    AttemptsUsed,
    #[message(
        en = "Resume when the provider's quota is there again?",
        zh = "待服务商配额恢复后继续？"
    )]
    Quota,
    #[message(
        en = "Can the dependencies be installed? (`provost logs ID --prepare` shows the output; `[[prepare]]` in `provost.toml` names other commands)",
        zh = "能否安装依赖？（`provost logs ID --prepare` 显示输出；可在 `provost.toml` 的 `[[prepare]]` 中指定其他命令）"
    )]
    PrepareFailed,
    #[message(
        en = "Is every program installed that the test command needs? Install it, or let `[[prepare]]` in `provost.toml` do it; then `provost resume ID`.",
        zh = "测试命令需要的程序都已安装吗？请安装，或在 `provost.toml` 的 `[[prepare]]` 中安装；然后运行 `provost resume ID`。"
    )]
    TestNotRun,
    #[message(
        en = "What should change before the next attempt? The gating reasons say what stopped it.",
        zh = "下一次尝试前应改变什么？门槛原因说明了它为何被拦下。"
    )]
    Gated,
    #[message(
        en = "Please answer. (`provost answer ID TEXT`)",
        zh = "请答复。（`provost answer ID TEXT`）"
    )]
    NeedUserInput,
    #[message(
        en = "Try again, or lower the threshold (`rubric_thresholds`)?",
        zh = "再试一次，还是降低门槛（`rubric_thresholds`）？"
    )]
    BelowThreshold,
}

/// The step that a sentence is about.
#[derive(Debug, Message)]
#[message(code = "task.decision.step")]
enum Step {
    #[message(en = "the coder", zh = "编码智能体")]
    Coder,
    #[message(en = "the test", zh = "测试")]
    Test,
    #[message(en = "the judge", zh = "评审")]
    Judge,
    #[message(en = "a step", zh = "某个步骤")]
    Coordinator,
}

/// What happened, in one sentence.
pub(super) fn message(row: Row, facts: &Facts) -> Text {
    let (attempt, most) = (facts.current_attempt, facts.effective_max_attempts);
    let step = Step::from(facts.role);
    let outcome = match row {
        Row::Crash => Outcome::Crash,
        Row::JudgeAuth => Outcome::JudgeAuth,
        Row::CoderAuth => Outcome::CoderAuth,
        Row::TimeoutTwice => Outcome::TimeoutTwice { step, count: facts.consecutive_timeout_count },
        Row::CoderTimeout | Row::TestTimeout | Row::JudgeTimeout | Row::CoordinatorTimeout => {
            Outcome::Timeout { step }
        }
        Row::VerdictInvalid => Outcome::VerdictInvalid,
        Row::VerdictInconsistent => Outcome::VerdictInconsistent,
        Row::ModeInvalid => Outcome::ModeInvalid,
        Row::CoderFailed if facts.rc == 0 => Outcome::CoderFailed,
        Row::CoderFailed => Outcome::CoderExit { rc: facts.rc },
        Row::CoderNoOutput => Outcome::CoderNoOutput,
        Row::AllowedPaths => Outcome::AllowedPaths,
        Row::ForbiddenGlobs => Outcome::ForbiddenGlobs,
        Row::Secrets => Outcome::Secrets,
        Row::NotGitRepo => Outcome::NotGitRepo,
        Row::TaskIdConflict => Outcome::TaskIdConflict,
        Row::User => Outcome::User,
        Row::JudgeInvalid => Outcome::JudgeInvalid,
        Row::AdapterMissing => Outcome::AdapterMissing,
        Row::Budget if are_attempts_used(facts) => Outcome::AttemptsUsed { most },
        Row::Budget => Outcome::Budget,
        Row::Quota => Outcome::Quota,
        Row::PrepareFailed => Outcome::PrepareFailed,
        Row::TestNotRun => Outcome::TestNotRun,
        Row::Gated => Outcome::Gated,
        Row::NeedUserInput => Outcome::NeedUserInput,
        Row::BelowThreshold => Outcome::BelowThreshold,
        Row::Ready => Outcome::Ready,
        Row::FailNextAttempt => Outcome::FailNextAttempt { attempt, most },
        Row::FailExhausted => Outcome::FailExhausted { attempt, most },
        Row::UnknownDecision => Outcome::UnknownDecision,
    };
    outcome.text()
}

/// What a pause code means, in one sentence.
pub fn meaning(code: PauseCode) -> Text {
    let outcome = match code {
        PauseCode::AdapterMissing => Outcome::AdapterMissing,
        PauseCode::Crash => Outcome::Crash,
        PauseCode::NotGitRepo => Outcome::NotGitRepo,
        PauseCode::TaskIdConflict => Outcome::TaskIdConflict,
        PauseCode::CoderFailed => Outcome::CoderFailed,
        PauseCode::CoderNoOutput => Outcome::CoderNoOutput,
        PauseCode::CoderAuth => Outcome::CoderAuth,
        PauseCode::JudgeAuth => Outcome::JudgeAuth,
        PauseCode::Quota => Outcome::Quota,
        PauseCode::PrepareFailed => Outcome::PrepareFailed,
        PauseCode::TestNotRun => Outcome::TestNotRun,
        PauseCode::JudgeInvalid => Outcome::JudgeInvalid,
        PauseCode::JudgeTimeout => Outcome::Timeout { step: Step::Judge },
        PauseCode::VerdictInvalid => Outcome::VerdictInvalid,
        PauseCode::VerdictInconsistent => Outcome::VerdictInconsistent,
        PauseCode::ModeInvalid => Outcome::ModeInvalid,
        PauseCode::CoderTimeout => Outcome::Timeout { step: Step::Coder },
        PauseCode::TestTimeout => Outcome::Timeout { step: Step::Test },
        PauseCode::AllowedPaths => Outcome::AllowedPaths,
        PauseCode::ForbiddenGlobs => Outcome::ForbiddenGlobs,
        PauseCode::Secrets => Outcome::Secrets,
        PauseCode::Budget => Outcome::Budget,
        PauseCode::User => Outcome::PausedOrReset,
        PauseCode::WaitingUserInput => Outcome::NeedUserInput,
        PauseCode::ScoreGated => Outcome::Gated,
        PauseCode::ScoreBelowThreshold => Outcome::BelowThreshold,
    };
    outcome.text()
}

/// What a person is asked: the judge's own questions where it asked any, and what to do next.
///
/// Empty when no action is needed.
pub(super) fn questions(row: Row, facts: &Facts) -> Vec<Text> {
    let asked = facts.questions_for_user.iter().map(|it| Text::verbatim(it.clone()));
    match (row, question(row, facts)) {
        (_, None) => Vec::new(),
        (Row::NeedUserInput, Some(_)) if !facts.questions_for_user.is_empty() => asked.collect(),
        (Row::Gated | Row::BelowThreshold, Some(it)) => {
            std::iter::once(it.text()).chain(asked).collect()
        }
        (_, Some(it)) => vec![it.text()],
    }
}

/// What a person is asked where these parts of the budget stopped the task; none where attempts did, or
/// something else than the budget.
pub fn budget_questions(row: Row, facts: &Facts, parts: &[Part]) -> Option<Vec<Text>> {
    if row != Row::Budget || are_attempts_used(facts) {
        return None;
    }
    let questions = parts.iter().filter_map(|it| match it {
        Part::Attempts => None,
        Part::Usd => Some(Question::Budget),
        Part::Tokens => Some(Question::BudgetTokens),
        Part::Wall => Some(Question::BudgetWall),
    });
    let questions: Vec<Text> = questions.map(|it| it.text()).collect();
    (!questions.is_empty()).then_some(questions)
}

/// The parts of the budget that the questions of a status are about.
pub fn budget_parts(questions: &[Text]) -> Vec<Part> {
    let part = |it: &Text| match it.code()? {
        "task.question.budget" => Some(Part::Usd),
        "task.question.budget_tokens" => Some(Part::Tokens),
        "task.question.budget_wall" => Some(Part::Wall),
        _ => None,
    };
    questions.iter().filter_map(part).collect()
}

/// Whether the budget was exceeded in attempts, and not in money, tokens or time.
fn are_attempts_used(facts: &Facts) -> bool {
    facts.current_attempt > facts.effective_max_attempts
}

fn question(row: Row, facts: &Facts) -> Option<Question> {
    Some(match row {
        Row::Crash => Question::Crash,
        Row::JudgeAuth => Question::JudgeAuth,
        Row::CoderAuth => Question::CoderAuth,
        Row::CoderTimeout | Row::CoordinatorTimeout => Question::CoderTimeout,
        Row::TestTimeout => Question::TestTimeout,
        Row::JudgeTimeout => Question::JudgeTimeout,
        Row::VerdictInvalid | Row::UnknownDecision => Question::VerdictInvalid,
        Row::VerdictInconsistent => Question::VerdictInconsistent,
        Row::ModeInvalid => Question::ModeInvalid,
        Row::CoderFailed => Question::CoderFailed,
        Row::CoderNoOutput => Question::CoderNoOutput,
        Row::AllowedPaths => Question::AllowedPaths,
        Row::ForbiddenGlobs => Question::ForbiddenGlobs,
        Row::Secrets => Question::Secrets,
        Row::NotGitRepo => Question::NotGitRepo,
        Row::TaskIdConflict => Question::TaskIdConflict,
        Row::User => Question::User,
        Row::JudgeInvalid => Question::JudgeInvalid,
        Row::AdapterMissing => Question::AdapterMissing,
        Row::Budget if are_attempts_used(facts) => Question::AttemptsUsed,
        Row::Budget => Question::Budget,
        Row::Quota => Question::Quota,
        Row::PrepareFailed => Question::PrepareFailed,
        Row::TestNotRun => Question::TestNotRun,
        Row::Gated => Question::Gated,
        Row::NeedUserInput => Question::NeedUserInput,
        Row::BelowThreshold => Question::BelowThreshold,
        Row::TimeoutTwice | Row::Ready | Row::FailNextAttempt | Row::FailExhausted => return None,
    })
}

impl From<Role> for Step {
    fn from(role: Role) -> Self {
        match role {
            Role::Coder => Self::Coder,
            Role::Test => Self::Test,
            Role::Judge => Self::Judge,
            Role::Coordinator => Self::Coordinator,
        }
    }
}
