//! The commands in groups, for the first page of help.

use clap::Command;
use provost_kernel::Lang;

/// A group of commands that belong together.
struct Group {
    en: &'static str,
    zh: &'static str,
    /// In the order in which people need them; one that does not exist is left out.
    commands: &'static [&'static str],
}

const GROUPS: [Group; 7] = [
    Group {
        en: "Work",
        zh: "工作",
        commands: &[
            "do", "run", "retry", "rerun", "answer", "pause", "resume", "edit", "reset", "rm",
        ],
    },
    Group {
        en: "Look",
        zh: "查看",
        commands: &["ls", "show", "diff", "logs", "inbox", "explain", "tui", "serve", "bot"],
    },
    Group {
        en: "Decide",
        zh: "决定",
        commands: &["land", "approve", "reject", "accept", "rejudge", "override", "review"],
    },
    Group { en: "Gate", zh: "门禁", commands: &["verify", "check", "eval", "audit"] },
    Group {
        en: "Setup",
        zh: "设置",
        commands: &[
            "init",
            "doctor",
            "config",
            "guard",
            "hook",
            "notify",
            "demo",
            "completions",
            "man",
        ],
    },
    Group { en: "Plans", zh: "计划", commands: &["story", "learn", "mcp"] },
    Group {
        en: "Upkeep",
        zh: "维护",
        commands: &["gc", "reindex", "selfcheck", "regress", "calibrate"],
    },
];

/// The template of the first page: the groups stand for the list of commands.
pub(crate) fn template(command: &Command, lang: Lang) -> String {
    let groups = lines(command, lang).join("\n");
    let (usage, options) = lang.pick(("Usage: ", "Options:"), ("用法：", "选项："));
    format!(
        "{{about-with-newline}}\n{usage}{{usage}}\n\n{groups}\n\n{options}\n{{options}}{{after-help}}"
    )
}

fn lines(command: &Command, lang: Lang) -> Vec<String> {
    let exists = |name: &str| command.get_subcommands().any(|it| it.get_name() == name);
    let line = |group: &Group| {
        let names: Vec<_> = group.commands.iter().copied().filter(|it| exists(it)).collect();
        let title = lang.pick(format!("{:<8}", group.en), format!("{}    ", group.zh));
        format!("{title}  {}", names.join("  "))
    };
    GROUPS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_stands_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|it| it.commands).copied().collect();
        let unique: BTreeSet<_> = grouped.iter().collect();
        assert_eq!(unique.len(), grouped.len(), "{grouped:?}");
        let command = Cli::command();
        let missing: Vec<_> = command
            .get_subcommands()
            .map(Command::get_name)
            .filter(|it| !grouped.contains(it))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_command_that_does_not_exist_is_not_listed() {
        let command =
            Command::new("p").subcommand(Command::new("do")).subcommand(Command::new("ls"));
        let lines = lines(&command, Lang::En);
        assert_eq!(&lines[..3], ["Work      do", "Look      ls", "Decide    "]);
    }
}
