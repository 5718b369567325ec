//! What a pause code means, for people.

use provost_kernel::Text;
use provost_kernel::task::PauseCode;

/// What a pause code means, in one sentence.
pub fn meaning(code: PauseCode) -> Text {
    let (en, zh) = match code {
        PauseCode::AdapterMissing => {
            ("an agent that the task names is not there", "任务指定的程序不存在")
        }
        PauseCode::Crash => {
            ("the coordinator ended in the middle of an attempt", "协调进程在一次尝试中途终止")
        }
        PauseCode::NotGitRepo => {
            ("the task's repository is not a git repository", "任务的仓库不是 git 仓库")
        }
        PauseCode::TaskIdConflict => ("another task has this id", "已有另一个任务使用此 id"),
        PauseCode::CoderFailed => ("the coder ended with an error", "编码程序出错结束"),
        PauseCode::CoderNoOutput => {
            ("the coder changed nothing and replied nothing", "编码程序没有任何改动,也没有任何答复")
        }
        PauseCode::CoderAuth => ("the coder is not authorised", "编码程序没有权限"),
        PauseCode::JudgeAuth => ("the judge is not authorised", "评审程序没有权限"),
        PauseCode::Quota => ("a provider's quota is spent", "服务商的配额已用完"),
        PauseCode::JudgeInvalid => ("the judge cannot be started", "无法启动评审程序"),
        PauseCode::JudgeTimeout => ("the judge ran into its time limit", "评审程序超时"),
        PauseCode::VerdictInvalid => {
            ("the judge's reply breaks the contract of a verdict", "评审程序的答复不符合裁决的约定")
        }
        PauseCode::VerdictInconsistent => {
            ("the judge's verdict contradicts itself", "评审程序的裁决自相矛盾")
        }
        PauseCode::ModeInvalid => {
            ("a scoring mode is used that cannot approve", "所用的评分模式不能通过")
        }
        PauseCode::CoderTimeout => ("the coder ran into its time limit", "编码程序超时"),
        PauseCode::TestTimeout => ("the test ran into its time limit", "测试超时"),
        PauseCode::AllowedPaths => {
            ("a file outside the allowed paths was changed", "改动了允许范围之外的文件")
        }
        PauseCode::ForbiddenGlobs => ("a forbidden file was changed", "改动了禁止改动的文件"),
        PauseCode::Secrets => ("the change carries a secret", "改动中含有密钥"),
        PauseCode::Budget => {
            ("the next attempt would exceed what the task may cost", "下一次尝试会超出任务的预算")
        }
        PauseCode::User => ("a person paused or reset the task", "任务已由人工暂停或重置"),
        PauseCode::WaitingUserInput => ("the judge asks a person", "评审程序需要人工答复"),
        PauseCode::ScoreGated => ("a gate stopped the verdict", "裁决未通过硬性门槛"),
        PauseCode::ScoreBelowThreshold => {
            ("the score is under a threshold of the task", "得分低于任务设定的门槛")
        }
    };
    Text::pair(en, zh)
}
