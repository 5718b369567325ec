//! What a client does not enforce, whatever provost writes into its configuration.

use provost_kernel::{Message, guard::Harness};

/// From this version on, Claude Code refuses when a hook fails.
const CLAUDE_FAILS_CLOSED: [u32; 3] = [2, 1, 295];

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
        zh = "以退出码 0 且无 JSON 作答的程序会放行工具：请将该程序放在只有您能写入的位置"
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

/// The known gaps of a client. Without a version, those of some versions are included.
pub fn known_gaps(harness: Harness, version: Option<&str>) -> Vec<KnownGap> {
    use KnownGap as Gap;
    let fails_closed = version.and_then(parse).is_some_and(|it| it >= CLAUDE_FAILS_CLOSED);
    match harness {
        Harness::Claude if fails_closed => vec![Gap::ClaudeSilence, Gap::ClaudeUnattended],
        Harness::Claude => vec![Gap::ClaudeFailsOpen, Gap::ClaudeSilence, Gap::ClaudeUnattended],
        Harness::Codex => {
            vec![Gap::CodexFailsOpen, Gap::CodexTrust, Gap::CodexProjects, Gap::CodexUnattended]
        }
        Harness::Gemini => vec![Gap::GeminiFailsOpen],
        Harness::Cursor => vec![Gap::CursorUnobserved],
        Harness::Opencode => vec![Gap::OpencodePlugin, Gap::OpencodeToolsOnly],
    }
}

fn parse(version: &str) -> Option<[u32; 3]> {
    let version = version.split_whitespace().next()?;
    let mut numbers = version.split('.').map(|it| it.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_a_known_gap() {
        for &harness in Harness::ALL {
            assert!(!known_gaps(harness, None).is_empty(), "{harness}");
        }
    }

    #[test]
    fn a_newer_claude_code_fails_closed() {
        let check = |version: Option<&str>, expected: bool| {
            let open = known_gaps(Harness::Claude, version);
            assert_eq!(open.contains(&KnownGap::ClaudeFailsOpen), expected, "{version:?}");
        };
        check(None, true);
        check(Some("2.1.197 (Claude Code)"), true);
        check(Some("2.1.294"), true);
        check(Some("2.1.295"), false);
        check(Some("2.1.325 (Claude Code)"), false);
        check(Some("2.2.0"), false);
        check(Some("10.0.0"), false);
        check(Some("unknown"), true);
    }
}
