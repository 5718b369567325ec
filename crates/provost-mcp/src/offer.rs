//! How tools are presented to clients: titles and descriptions.

use provost_engine::story::tool::Tool;
use provost_kernel::Lang;

/// The title on the button of a client.
pub(crate) fn title(tool: Tool, lang: Lang) -> &'static str {
    match tool {
        Tool::Start => lang.pick("Start a plan", "启动计划"),
        Tool::Status => lang.pick("Show progress", "查看进度"),
        Tool::Get => lang.pick("Show a plan or a story", "查看计划或故事"),
        Tool::Declare => lang.pick("Declare files", "声明文件"),
        Tool::Update => lang.pick("Report on a story", "汇报故事"),
        Tool::Verify => lang.pick("Verify again", "重新验证"),
        Tool::Stop => lang.pick("Stop a plan", "停止计划"),
        Tool::Retry => lang.pick("Retry a plan", "重试计划"),
        Tool::ClaimReady => lang.pick("Claim a ready plan", "领取就绪的计划"),
        Tool::SetAgentId => lang.pick("Register an agent", "登记智能体"),
        Tool::ResetStagnation => lang.pick("Reset stagnation", "清除停滞计数"),
        Tool::Doctor => lang.pick("Check the environment", "检查环境"),
    }
}

/// The description by which a model chooses a tool.
pub(crate) fn about(tool: Tool, lang: Lang) -> &'static str {
    match tool {
        Tool::Start => lang.pick(
            "Starts a plan of stories: its acceptance criteria are frozen, and the last commit is the base that work is measured from. Answers with the prompt of the first story.",
            "启动故事计划：冻结验收标准，以最近的提交为度量起点。返回首个故事的提示词。",
        ),
        Tool::Status => lang.pick(
            "Shows the progress of every plan and story: what is proven, not what was claimed.",
            "显示各计划与故事的进度：只计已证明的，不计口头声明。",
        ),
        Tool::Get => lang.pick(
            "Shows a plan with its stories, or one story with every criterion, its evidence, its declarations and all updates.",
            "显示计划及其故事，或单个故事的每条 AC、证据、声明与全部更新。",
        ),
        Tool::Declare => lang.pick(
            "Declares which files a story will touch. Call it before you touch them: a late declaration does not replace an earlier one.",
            "声明故事将改动的文件。请在改动之前调用：迟到的声明不会替代先前的声明。",
        ),
        Tool::Update => lang.pick(
            "Reports on a story, with evidence for each criterion. Claims are never trusted: typecheck, build and every command run again on a clean checkout of the work tree, without the network. A refusal says what to send next.",
            "汇报故事，并为每条 AC 提供证据。不采信口头声明：类型检查、构建及每条命令都会在工作树的干净检出上离线重跑。被拒绝时会说明应改发什么。",
        ),
        Tool::Verify => lang.pick(
            "Runs all evidence of a story again on the current worktree. Claims nothing.",
            "在当前工作树上重跑故事的全部证据。不提出任何声明。",
        ),
        Tool::Stop => lang.pick(
            "Stops a plan. Nothing is deleted: `deleteRecord` puts it into history.",
            "停止计划。不删除任何内容：`deleteRecord` 将其归入历史。",
        ),
        Tool::Retry => lang.pick(
            "Makes a plan ready again that failed, was stopped or was interrupted. The worktree stays as it is.",
            "让失败、已停止或被中断的计划重新就绪。工作树保持原样。",
        ),
        Tool::ClaimReady => lang.pick(
            "Claims a plan that is ready: only one caller gets it. Answers with the prompt of the next story.",
            "领取就绪的计划：只有一个调用者能得到。返回下一个故事的提示词。",
        ),
        Tool::SetAgentId => lang.pick(
            "Records which agent works on a plan, and that it runs.",
            "登记由哪个智能体执行计划，并标记为运行中。",
        ),
        Tool::ResetStagnation => lang.pick(
            "Resets the counters of stagnation and of errors; a failed plan runs again unless `resumeExecution` is false.",
            "将停滞与错误计数清零；失败的计划默认恢复运行。",
        ),
        Tool::Doctor => lang.pick(
            "Checks that provost can run here, and says how to fix it. Changes nothing.",
            "检查 provost 能否在此工作，并说明如何修复。不作任何更改。",
        ),
    }
}
