//! What the decision table says to a person, in both languages.

use provost_kernel::Text;
use provost_kernel::task::{Facts, Role, Row};

/// What happened, in one sentence.
pub(super) fn message(row: Row, facts: &Facts) -> Text {
    let Facts { current_attempt: attempt, effective_max_attempts: most, rc, .. } = facts;
    let both = |en: &str, zh: &str| Text::pair(en, zh);
    match row {
        Row::Crash => {
            both("the coordinator ended in the middle of an attempt", "协调进程在一次尝试中途终止")
        }
        Row::JudgeAuth => both("the judge is not authorised", "评审程序没有权限"),
        Row::CoderAuth => both("the coder is not authorised", "编码程序没有权限"),
        Row::TimeoutTwice => {
            let (en, zh) = step(facts.role);
            let count = facts.consecutive_timeout_count;
            Text::pair(
                format!("{en} timed out {count} times in a row"),
                format!("{zh}连续 {count} 次超时"),
            )
        }
        Row::CoderTimeout | Row::TestTimeout | Row::JudgeTimeout | Row::CoordinatorTimeout => {
            let (en, zh) = step(facts.role);
            Text::pair(format!("{en} ran into its time limit"), format!("{zh}超时"))
        }
        Row::VerdictInvalid => both(
            "the judge's reply breaks the contract of a verdict",
            "评审程序的答复不符合裁决的约定",
        ),
        Row::VerdictInconsistent => {
            both("the judge's verdict contradicts itself", "评审程序的裁决自相矛盾")
        }
        Row::ModeInvalid => both(
            "the scoring mode is not `rubric_analytic`, and no other can approve",
            "评分模式不是 `rubric_analytic`,而其他模式不能通过",
        ),
        Row::CoderFailed if facts.rc == 0 => {
            both("the coder failed; nothing was tested or judged", "编码程序失败;未测试也未评审")
        }
        Row::CoderFailed => Text::pair(
            format!("the coder ended with exit code {rc}; nothing was tested or judged"),
            format!("编码程序以退出码 {rc} 结束;未测试也未评审"),
        ),
        Row::CoderNoOutput => both(
            "the coder changed nothing and replied nothing",
            "编码程序没有任何改动,也没有任何答复",
        ),
        Row::AllowedPaths => {
            both("a file outside the allowed paths was changed", "改动了允许范围之外的文件")
        }
        Row::ForbiddenGlobs => both("a forbidden file was changed", "改动了禁止改动的文件"),
        Row::Secrets => both("the change carries a secret", "改动中含有密钥"),
        Row::NotGitRepo => {
            both("the task's repository or its base cannot be used", "任务的仓库或基准无法使用")
        }
        Row::TaskIdConflict => both("another task has this id already", "已有另一个任务使用此 id"),
        Row::User => both("a person paused the task", "任务已由人工暂停"),
        Row::JudgeInvalid => both("the judge cannot be started", "无法启动评审程序"),
        Row::AdapterMissing => {
            both("an agent that the task names is not there", "任务指定的程序不存在")
        }
        Row::Budget => both(
            "the next attempt would exceed what the task may cost",
            "下一次尝试会超出任务的预算",
        ),
        Row::Quota => both("a provider's quota is spent", "服务商的配额已用完"),
        Row::Gated => both("a gate stopped the verdict", "裁决未通过硬性门槛"),
        Row::NeedUserInput => both("the judge asks a person", "评审程序需要人工答复"),
        Row::BelowThreshold => {
            both("the score is under a threshold of the task", "得分低于任务设定的门槛")
        }
        Row::Ready => both("the attempt passed: ready for review", "尝试通过:等待复核"),
        Row::FailNextAttempt => Text::pair(
            format!("attempt {attempt} of {most} failed; the next one gets the reasons"),
            format!("第 {attempt} 次尝试(共 {most} 次)未通过;原因交给下一次尝试"),
        ),
        Row::FailExhausted => Text::pair(
            format!("attempt {attempt} of {most} failed and none is left"),
            format!("第 {attempt} 次尝试(共 {most} 次)未通过,次数已用完"),
        ),
        Row::UnknownDecision => both(
            "the verdict decides neither PASS nor FAIL nor NEED_USER_INPUT",
            "裁决不是 PASS、FAIL 或 NEED_USER_INPUT",
        ),
    }
}

/// What a person is asked: the judge's own questions where it asked any, and what to do next.
///
/// None when nobody has to act.
pub(super) fn questions(row: Row, facts: &Facts) -> Vec<Text> {
    let asked = || facts.questions_for_user.iter().map(|it| Text::verbatim(it.clone())).collect();
    match (row, question(row)) {
        (_, None) => Vec::new(),
        (Row::NeedUserInput, Some(_)) if !facts.questions_for_user.is_empty() => asked(),
        (Row::Gated | Row::BelowThreshold, Some((en, zh))) => {
            let mut questions = vec![Text::pair(en, zh)];
            questions.extend::<Vec<_>>(asked());
            questions
        }
        (_, Some((en, zh))) => vec![Text::pair(en, zh)],
    }
}

fn question(row: Row) -> Option<(&'static str, &'static str)> {
    let question = match row {
        Row::Crash => (
            "Go on with the next attempt? (`provost resume ID`)",
            "是否继续下一次尝试?(`provost resume ID`)",
        ),
        Row::JudgeAuth => (
            "Can you log the judge in, or set its key, and resume?",
            "能否为评审程序登录或设置密钥,然后继续?",
        ),
        Row::CoderAuth => (
            "Can you log the coder in, or set its key, and resume?",
            "能否为编码程序登录或设置密钥,然后继续?",
        ),
        Row::CoderTimeout | Row::CoordinatorTimeout => (
            "Does the coder need more time (`coder_timeout_seconds`), or a smaller goal?",
            "编码程序需要更多时间(`coder_timeout_seconds`),还是更小的目标?",
        ),
        Row::TestTimeout => (
            "Does the test need more time (`test_timeout_seconds`), or does it hang?",
            "测试需要更多时间(`test_timeout_seconds`),还是卡住了?",
        ),
        Row::JudgeTimeout => (
            "Does the judge need more time (`judge_timeout_seconds`), or another model?",
            "评审程序需要更多时间(`judge_timeout_seconds`),还是换一个模型?",
        ),
        Row::VerdictInvalid | Row::UnknownDecision => (
            "Which judge or model replies in the contract of a verdict?",
            "哪个评审程序或模型能按裁决的约定答复?",
        ),
        Row::VerdictInconsistent => (
            "The judge's scores and issues contradict each other: resume, or use another judge?",
            "评审程序的评分与问题相互矛盾:继续,还是更换评审程序?",
        ),
        Row::ModeInvalid => (
            "Should `scoring_mode` be `rubric_analytic`?",
            "`scoring_mode` 是否应为 `rubric_analytic`?",
        ),
        Row::CoderFailed => (
            "What made the coder fail? Its log is in the attempt's folder.",
            "编码程序为何失败?日志在该次尝试的文件夹中。",
        ),
        Row::CoderNoOutput => (
            "Is the goal clear, and can the coder write to the work tree?",
            "目标是否清楚,编码程序能否写入工作目录?",
        ),
        Row::AllowedPaths => (
            "May these files change (`allowed_paths`), or should the attempt be run again?",
            "这些文件可以改动吗(`allowed_paths`),还是重新尝试?",
        ),
        Row::ForbiddenGlobs => (
            "Forbidden files were touched: run again, or change `forbidden_globs`?",
            "触及了禁止的文件:重新尝试,还是修改 `forbidden_globs`?",
        ),
        Row::Secrets => (
            "Is the secret real? Revoke it if it is, and run the attempt again.",
            "密钥是真的吗?如果是,请将其作废并重新尝试。",
        ),
        Row::NotGitRepo => {
            ("Which git repository is meant (`repo_path`)?", "应为哪个 git 仓库(`repo_path`)?")
        }
        Row::TaskIdConflict => ("Which other `task_id` should it have?", "应改用哪个 `task_id`?"),
        Row::User => ("Go on? (`provost resume ID`)", "是否继续?(`provost resume ID`)"),
        Row::JudgeInvalid => {
            ("Which judge should be used, and is it installed?", "应使用哪个评审程序,它安装了吗?")
        }
        Row::AdapterMissing => (
            "Can you install the agent, or start another task that names another one?",
            "能否安装该程序,或另建任务改用另一个?",
        ),
        Row::Budget => (
            "May the task cost more? (`budget`, or `provost override ID max_attempts=N`)",
            "任务可以花费更多吗?(`budget`,或 `provost override ID max_attempts=N`)",
        ),
        Row::Quota => {
            ("Resume when the provider's quota is there again?", "待服务商配额恢复后继续?")
        }
        Row::Gated => (
            "What should change before the next attempt? The gating reasons say what stopped it.",
            "下一次尝试前应改变什么?门槛原因说明了它为何被拦下。",
        ),
        Row::NeedUserInput => (
            "The judge needs an answer. (`provost answer ID TEXT`)",
            "评审程序需要答复。(`provost answer ID TEXT`)",
        ),
        Row::BelowThreshold => (
            "Try again, or lower the threshold (`rubric_thresholds`)?",
            "再试一次,还是降低门槛(`rubric_thresholds`)?",
        ),
        Row::TimeoutTwice | Row::Ready | Row::FailNextAttempt | Row::FailExhausted => return None,
    };
    Some(question)
}

fn step(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Coder => ("the coder", "编码程序"),
        Role::Test => ("the test", "测试"),
        Role::Judge => ("the judge", "评审程序"),
        Role::Coordinator => ("a step", "某个步骤"),
    }
}
