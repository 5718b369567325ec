//! What only a person can decide before an approval counts.

use provost_kernel::{Message, Text};

/// A question that stands between an approval and a result.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.ask")]
pub enum Ask {
    /// The change adds or edits a file that a program outside the sandbox obeys.
    #[message(
        en = "the change adds or edits `{path}`, which {reader} obeys outside the sandbox: is it \
              wanted? (`provost accept ID AGENT_CONFIG_PLANTED --because TEXT`)",
        zh = "改动新增或修改了 `{path}`，{reader} 会在沙箱之外遵照执行：是否需要？（允许请用 `provost accept ID AGENT_CONFIG_PLANTED --because TEXT`）"
    )]
    Planted { path: String, reader: String },
    /// The change delivers a link that leads out of the repository.
    #[message(
        en = "the change adds or edits the link `{path}`, which leads out of the repository, to \
              `{target}`: is it wanted? (`provost accept ID LINK_LEADS_OUT --because TEXT`)",
        zh = "改动新增或修改了链接 `{path}`，它指向仓库之外的 `{target}`：是否需要？（允许请用 `provost accept ID LINK_LEADS_OUT --because TEXT`）"
    )]
    LeadsOut { path: String, target: String },
    /// The change names a commit of another repository.
    #[message(
        en = "the change adds or moves the submodule `{path}`, whose content was not looked at: is it \
              wanted? (`provost accept ID SUBMODULE_CHANGED --because TEXT`)",
        zh = "改动新增或更新了子模块 `{path}`，其内容未经检查：是否需要？（允许请用 `provost accept ID SUBMODULE_CHANGED --because TEXT`）"
    )]
    Submodule { path: String },
    /// The change is too large for the judge to have seen all that could bend a verdict.
    #[message(
        en = "the judge has not seen all of `{path}`, because the change is too large: is it right? \
              (`provost answer ID \"accept {path}\"` accepts it unseen)",
        zh = "改动过大，评审没有看到 `{path}` 的全部内容：是否正确？（接受未看到的部分请用 `provost answer ID \"accept {path}\"`）"
    )]
    Unseen { path: String },
    /// More files than are asked about one by one.
    #[message(
        en = "the judge has not seen all of {more} more {more:file|files}: can the task be split?",
        zh = "评审还有 {more} 个文件没有看全：能否拆分任务？"
    )]
    MoreUnseen { more: usize },
    /// The test is green, and could not be put to the proof.
    #[message(
        en = "the test passed, but was not put to the proof: {why}: try again? (`provost resume ID`, or `provost accept ID NOT_PREPARED --because TEXT`)",
        zh = "测试通过，但未能验证它是否有效：{why}：是否重试？（`provost resume ID`，或 `provost accept ID NOT_PREPARED --because TEXT`）"
    )]
    NotProven { why: Text },
}
