//! What a client leaves open, in words, whatever provost writes into its configuration.

use provost_kernel::{Text, guard::Harness};

/// From this version on, Claude Code refuses when a hook fails.
const CLAUDE_FAILS_CLOSED: [u32; 3] = [2, 1, 295];

/// What a client leaves open. Without a version, what some versions leave open is named too.
pub fn leaves_open(harness: Harness, version: Option<&str>) -> Vec<Text> {
    match harness {
        Harness::Claude => claude(version),
        Harness::Codex => vec![
            Text::pair(
                "a hook that is killed, that cannot be started or that runs out of time does not \
                 stop the tool: Codex has no switch for that",
                "钩子被杀死、无法启动或超时都不会阻止工具运行:Codex 没有相应的开关",
            ),
            Text::pair(
                "a hook that is not trusted does not run, and nobody is told: another path to the \
                 configuration, or a change of an entry, needs a new `provost guard install`",
                "未受信任的钩子不会运行,也没有任何提示:配置路径或条目改变后须重新执行 `provost \
                 guard install`",
            ),
            Text::pair(
                "hooks of a project run only in a project that its person trusts in Codex",
                "项目级钩子仅在用户于 Codex 中信任的项目里运行",
            ),
            Text::pair(
                "in `codex exec` nobody is asked for a permission: only tool calls are judged there",
                "在 `codex exec` 中不会请求许可:只判断工具调用",
            ),
        ],
        Harness::Gemini => vec![Text::pair(
            "a hook that runs out of time or exits with code 1 does not stop the tool: Gemini CLI \
             has no switch for that",
            "钩子超时或以代码 1 退出都不会阻止工具运行:Gemini CLI 没有相应的开关",
        )],
        Harness::Cursor => vec![Text::pair(
            "PARTIAL: Cursor could not be observed; its forms are taken from public pages, and \
             nothing proves that it obeys them",
            "部分支持:未能实测 Cursor;其格式取自公开页面,无法证明它会遵守",
        )],
        Harness::Opencode => vec![
            Text::pair(
                "a plugin that opencode does not load asks nobody; look for it in the log of \
                 opencode",
                "opencode 未加载的插件不会询问;请在 opencode 的日志中确认",
            ),
            Text::pair(
                "only tool calls are judged: opencode tells the plugin nothing else that could be \
                 refused",
                "只判断工具调用:opencode 不会告知插件其他可拒绝的操作",
            ),
        ],
    }
}

fn claude(version: Option<&str>) -> Vec<Text> {
    let mut open = Vec::new();
    if version.and_then(parse).is_none_or(|it| it < CLAUDE_FAILS_CLOSED) {
        open.push(Text::pair(
            "before version 2.1.295, a hook that is killed, that cannot be started or that runs \
             out of time does not stop the tool: `onFailure` is ignored there",
            "2.1.295 之前的版本忽略 `onFailure`:钩子被杀死、无法启动或超时都不会阻止工具运行",
        ));
    }
    open.push(Text::pair(
        "a program that answers with exit code 0 and no JSON lets the tool run: keep the program \
         where only you can write",
        "以退出码 0 且无 JSON 作答的程序会放行工具:请将该程序放在只有您能写入的位置",
    ));
    open.push(Text::pair(
        "nobody is asked for a permission in `claude -p` and in the mode `auto`: only tool calls \
         are judged there",
        "在 `claude -p` 和 `auto` 模式下不会请求许可:只判断工具调用",
    ));
    open
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
    fn every_client_leaves_something_open_and_says_so() {
        for &harness in Harness::ALL {
            let open = leaves_open(harness, None);
            assert!(!open.is_empty(), "{harness}");
            assert!(
                open.iter().all(|it| it.to_string() != provost_kernel::Lang::Zh.render(it)),
                "{harness}"
            );
        }
    }

    #[test]
    fn a_newer_claude_code_fails_closed() {
        let check = |version: Option<&str>, expected: bool| {
            let open = leaves_open(Harness::Claude, version);
            let is_named = open.iter().any(|it| it.to_string().contains("onFailure"));
            assert_eq!(is_named, expected, "{version:?}");
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
