//! Every client that provost knows, one entry each.
//!
//! To add one: a file beside the others, a word in [`Harness`] and [`Client`] with a line in each
//! `entry`, and its gaps. The tests of the schema check every entry.

mod claude;
mod codex;
mod cursor;
mod gemini;
mod opencode;

use super::{
    ClientEntry, Field, FieldAt,
    FieldValue::{self, Line, Text},
    VersionedGap,
};
use crate::{Message, words::words};

words! {
    /// A program in whose configuration the guard can be installed.
    pub enum Harness {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Cursor = "cursor",
        Opencode = "opencode",
    }
}

words! {
    /// The name under which a client asks. A plugin of ours asks as `plain`.
    pub enum Client {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Cursor = "cursor",
        Plain = "plain",
    }
}

impl Harness {
    /// What is known of it.
    pub fn entry(self) -> &'static ClientEntry {
        match self {
            Self::Claude => &claude::ENTRY,
            Self::Codex => &codex::ENTRY,
            Self::Gemini => &gemini::ENTRY,
            Self::Cursor => &cursor::ENTRY,
            Self::Opencode => &opencode::ENTRY,
        }
    }
}

impl Client {
    /// What is known of it.
    pub fn entry(self) -> &'static ClientEntry {
        match self {
            Self::Claude => &claude::ENTRY,
            Self::Codex => &codex::ENTRY,
            Self::Gemini => &gemini::ENTRY,
            Self::Cursor => &cursor::ENTRY,
            Self::Plain => &opencode::ENTRY,
        }
    }
}

/// A known gap of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "guard.gap")]
pub enum KnownGap {
    #[message(
        en = "before version 2.1.295, a hook that is killed, cannot be started or times out does \
              not stop the tool: `onFailure` is ignored there",
        zh = "2.1.295 之前的版本忽略 `onFailure`：钩子被杀死、无法启动或超时都不会阻止工具运行"
    )]
    ClaudeFailsOpen,
    #[message(
        en = "a program that answers with exit code 0 and no JSON lets the tool run: keep the \
              program where only you can write",
        zh = "以退出码 0 且无 JSON 作答的程序会放行工具：请将该程序放在只有你能写入的位置"
    )]
    ClaudeSilence,
    #[message(
        en = "`claude -p` and the mode `auto` never request a permission: only tool calls are \
              judged there",
        zh = "在 `claude -p` 和 `auto` 模式下不会请求许可：只判断工具调用"
    )]
    ClaudeUnattended,
    #[message(
        en = "a hook that is killed, cannot be started or times out does not stop the tool: Codex \
              has no setting for that",
        zh = "钩子被杀死、无法启动或超时都不会阻止工具运行：Codex 没有相应的设置"
    )]
    CodexFailsOpen,
    #[message(
        en = "a hook that is not trusted does not run, without a message: after another path to \
              the configuration or a changed entry, run `provost guard install` again",
        zh = "未受信任的钩子不会运行，也没有任何提示：配置路径或条目改变后须重新执行 `provost \
              guard install`"
    )]
    CodexTrust,
    #[message(
        en = "hooks of a project run only in projects that the person trusts in Codex",
        zh = "项目级钩子仅在用户于 Codex 中信任的项目里运行"
    )]
    CodexProjects,
    #[message(
        en = "`codex exec` never requests a permission: only tool calls are judged there",
        zh = "在 `codex exec` 中不会请求许可：只判断工具调用"
    )]
    CodexUnattended,
    #[message(
        en = "a hook that times out or exits with code 1 does not stop the tool: Gemini CLI has \
              no setting for that",
        zh = "钩子超时或以代码 1 退出都不会阻止工具运行：Gemini CLI 没有相应的设置"
    )]
    GeminiFailsOpen,
    #[message(
        en = "PARTIAL: Cursor could not be observed; its formats are taken from public pages, and \
              nothing proves that it obeys them",
        zh = "部分支持：未能实测 Cursor；其格式取自公开页面，无法证明它会遵守"
    )]
    CursorUnobserved,
    #[message(
        en = "a plugin that opencode does not load is never called: look for it in opencode's log",
        zh = "opencode 未加载的插件不会被调用：请在 opencode 的日志中确认"
    )]
    OpencodePlugin,
    #[message(
        en = "only tool calls are judged: opencode reports nothing else that could be refused",
        zh = "只判断工具调用：opencode 不会告知插件其他可拒绝的操作"
    )]
    OpencodeToolsOnly,
}

/// What a client that is driven is told to do. The model has its own plan.
const PROMPT: &str = "Do what the script says.";

const COMMAND_TYPE: Field = field("type", Text("command"), FieldAt::All);
const LINE: Field = field("command", Line, FieldAt::All);

const fn field(key: &'static str, value: FieldValue, at: FieldAt) -> Field {
    Field { key, value, at }
}

const fn gap(gap: KnownGap) -> VersionedGap {
    VersionedGap { gap, closed_in: None }
}
