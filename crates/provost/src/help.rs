//! Help and usage errors in Chinese.
//!
//! The parser is built from the English definitions. Where a reader of Chinese asks for help or makes
//! a mistake, the same command is built again with the texts of `help/zh.toml`, and parses again.

mod groups;
mod near;
mod usage;

use std::{collections::BTreeMap, ffi::OsString};

use clap::{Arg, Command};
use serde::Deserialize;

pub(crate) use self::{
    groups::template,
    near::near,
    usage::{UsageError, usage_lines},
};
use provost_kernel::Lang;

const TEXTS: &str = include_str!("help/zh.toml");
const TEMPLATE: &str = "{about-with-newline}\n用法：{usage}\n\n{all-args}{after-help}";

/// The texts of one command; `""` is the program itself, with the options of every command.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    about: String,
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    args: BTreeMap<String, String>,
}

/// The groups of options, as the definitions name them.
const HEADINGS: [(&str, &str); 7] = [
    ("Cases", "用例"),
    ("Checks", "检查项"),
    ("Engine", "引擎"),
    ("Gate", "门禁"),
    ("Global options", "全局选项"),
    ("Outputs", "输出"),
    ("Run", "运行"),
];

/// How the first page of help lists the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commands {
    InGroups,
    /// Each with what it does: `provost help all`.
    All,
}

/// The help that these arguments ask for, in Chinese.
pub(crate) fn text(
    command: Command,
    arguments: Vec<OsString>,
    commands: Commands,
) -> Option<String> {
    let mut command = translate(command);
    if commands == Commands::InGroups {
        let template = template(&command, Lang::Zh);
        command = command.help_template(template);
    }
    let help = command.try_get_matches_from(arguments).err()?.render().to_string();
    // The parser ends a heading with a colon of its own, which is half-width.
    let heading = |line: &str| match line.strip_suffix(':') {
        Some(heading) if !heading.is_ascii() => format!("{heading}：\n"),
        Some(_) | None => format!("{line}\n"),
    };
    Some(help.lines().map(heading).collect())
}

pub(crate) fn translate(mut command: Command) -> Command {
    // A table that cannot be read is found by a test; a reader then gets the English text.
    let texts: BTreeMap<String, Texts> = toml::from_str(TEXTS).unwrap_or_default();
    command.build();
    one(command, "", &texts)
}

fn one(mut command: Command, path: &str, texts: &BTreeMap<String, Texts>) -> Command {
    let usage = command.render_usage().to_string();
    let usage = usage::in_chinese(&usage);
    command = command.help_template(TEMPLATE).override_usage(usage).subcommand_help_heading("命令");
    if command.get_name() == "help" {
        command = command.about("显示帮助，或某个命令的帮助");
    }
    if let Some(text) = texts.get(path) {
        command = command.about(text.about.clone()).long_about(None);
        if let Some(after) = &text.after {
            command = command.after_help(after.clone()).after_long_help(None);
        }
    }
    let shared = texts.get("");
    let own = texts.get(path);
    command = command.mut_args(|arg| {
        let id = arg.get_id().as_str().to_owned();
        let text = [own, shared].into_iter().flatten().find_map(|it| it.args.get(&id));
        argument(arg, text.cloned())
    });
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in names {
        let below = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command = command.mut_subcommand(name, |it| one(it, &below, texts));
    }
    command
}

fn argument(arg: Arg, text: Option<String>) -> Arg {
    let group = |name: &str| HEADINGS.iter().find(|it| it.0 == name).map_or("选项", |it| it.1);
    let heading = match arg.get_help_heading() {
        Some(name) => group(name),
        None if arg.is_positional() => "参数",
        None => "选项",
    };
    let Some(mut text) = text else { return arg.help_heading(heading) };
    let values: Vec<String> =
        if arg.get_action().takes_values() && !arg.is_hide_possible_values_set() {
            arg.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect()
        } else {
            Vec::new()
        };
    if !values.is_empty() {
        text = format!("{text} [可选：{}]", values.join("、"));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().filter_map(|it| it.to_str()).collect();
    if arg.get_action().takes_values() && !defaults.is_empty() {
        text = format!("{text} [默认：{}]", defaults.join("、"));
    }
    arg.help(text)
        .long_help(None)
        .help_heading(heading)
        .hide_default_value(true)
        .hide_possible_values(true)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// Every command and argument that help shows, as `command / argument`, with its English text.
    fn shown(command: &Command, path: &str, list: &mut BTreeMap<String, String>) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        list.insert(format!("[{path}] about"), about);
        if let Some(after) = command.get_after_help() {
            list.insert(format!("[{path}] after"), after.to_string());
        }
        for arg in command.get_arguments().filter(|it| !it.is_hide_set()) {
            let is_shared =
                arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
            if path.is_empty() || !is_shared {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                list.insert(format!("[{path}] args.{}", arg.get_id()), help);
            }
        }
        for it in
            command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help")
        {
            let below = if path.is_empty() {
                it.get_name().to_owned()
            } else {
                format!("{path} {}", it.get_name())
            };
            shown(it, &below, list);
        }
    }

    fn translated() -> BTreeMap<String, String> {
        let texts: BTreeMap<String, Texts> = toml::from_str(TEXTS).unwrap();
        let mut list = BTreeMap::new();
        for (path, texts) in texts {
            list.insert(format!("[{path}] about"), texts.about);
            list.extend(texts.after.map(|it| (format!("[{path}] after"), it)));
            list.extend(texts.args.into_iter().map(|(id, it)| (format!("[{path}] args.{id}"), it)));
        }
        list
    }

    /// USE-12: everything that help shows has a Chinese text, and nothing else has one.
    #[test]
    fn help_is_complete_in_chinese() {
        let mut english = BTreeMap::new();
        let mut command = Cli::command();
        command.build();
        shown(&command, "", &mut english);
        let chinese = translated();
        let is_translated = |key: &str| {
            let shared = key.split_once("] ").map(|(_, it)| format!("[] {it}"));
            chinese.contains_key(key)
                || shared.is_some_and(|it| it.starts_with("[] args.") && chinese.contains_key(&it))
        };
        let missing: Vec<_> = english.iter().filter(|(key, _)| !is_translated(key)).collect();
        assert!(missing.is_empty(), "without a Chinese text: {missing:#?}");
        // An argument of the program serves every command that has one of the same name.
        let is_shown = |key: &str| match key.strip_prefix("[] ") {
            Some(name) => english.keys().any(|it| it.ends_with(&format!("] {name}"))),
            None => english.contains_key(key),
        };
        let stale: Vec<_> = chinese.keys().filter(|it| !is_shown(it)).collect();
        assert!(stale.is_empty(), "no such command or argument: {stale:#?}");
        let ascii: Vec<_> = chinese.iter().filter(|(_, text)| text.is_ascii()).collect();
        assert!(ascii.is_empty(), "not Chinese: {ascii:#?}");
    }

    /// Chinese has its own punctuation; what is typed as it stands keeps its own.
    #[test]
    fn chinese_help_has_chinese_punctuation() {
        for (key, text) in translated().into_iter().filter(|(key, _)| !key.ends_with("after")) {
            for (at, part) in text.split('`').enumerate() {
                let (is_code, wrong) = (at % 2 == 1, ['(', ')', ':', ';', ',', '?']);
                assert!(is_code || !part.contains(wrong), "{key}: {text}");
                assert!(!is_code || !part.contains(['：', '（', '，']), "{key}: {text}");
            }
        }
        let help = text(
            Cli::command(),
            vec!["provost".into(), "eval".into(), "--help".into()],
            Commands::All,
        );
        let help = help.unwrap();
        for (_, heading) in HEADINGS {
            assert!(help.contains(&format!("\n{heading}：\n")), "{heading}");
        }
        let help = text(Cli::command(), vec!["provost".into(), "--help".into()], Commands::All);
        let help = help.unwrap();
        assert!(!help.contains("Print this message"), "{help}");
    }

    #[test]
    fn the_translated_command_is_well_formed() {
        translate(Cli::command()).debug_assert();
    }
}
