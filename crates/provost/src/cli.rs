//! The command line: what can be typed, and what is said when it cannot be understood.
//!
//! A new command is one module with an `Args` that implements [`Run`], one variant of
//! [`Command`] and its line in [`Command::as_run`].

use std::ffi::OsString;

use camino::Utf8PathBuf;
use clap::{
    Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};
use provost_kernel::{Exit, Lang, Message};

use crate::{
    audit, bot, calibrate, check, completions, config, demo, doctor, eval, gc, guard,
    help::{self, Commands, UsageError},
    hook, init, learn, man, mcp, notify,
    output::{Output, escaped, shorten},
    regress, reindex, report, selfcheck, serve,
    session::Run,
    story, task, tui,
};

/// The trust runtime for coding agents: nothing is done until it is proven.
#[derive(Debug, Parser)]
#[command(
    name = "provost",
    version,
    after_help = "Examples:\n  provost do \"total() ignores the discount\"\n  provost doctor\n\n`provost help all` says what each command does, `provost help COMMAND` explains one.\n\nExit codes: 0 success, 1 refused, 2 error, 3 you are needed, 5 conflict, 6 integrity, 75 quota"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) flags: Flags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Flags {
    /// The provost home: the `.provost` folder itself
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        value_parser = NonEmptyStringValueParser::new().map(Utf8PathBuf::from),
        help_heading = "Global options"
    )]
    pub(crate) home: Option<Utf8PathBuf>,
    /// The language of messages
    #[arg(
        long,
        global = true,
        value_name = "LANG",
        value_parser = PossibleValuesParser::new(["en", "zh"]).try_map(|it| it.parse::<Lang>()),
        help_heading = "Global options"
    )]
    pub(crate) lang: Option<Lang>,
    /// Print one JSON document on standard output
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Leave out progress and notes
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Accept a finding of a task or a story, with a reason
    Accept(task::accept::Args),
    /// Send a message to the agent, or answer its question
    Answer(task::answer::Args),
    /// Approve the result of a task
    Approve(task::approve::Args),
    /// Verify the audit log
    Audit(audit::Args),
    /// Answer a Telegram chat about your tasks
    Bot(bot::Args),
    /// Check a judge's scores against known documents
    Calibrate(calibrate::Args),
    /// Evaluate one rule without changing anything
    Check(check::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Show the configuration, or the schema of a file
    Config(config::Args),
    /// Watch provost work, without API key or network
    Demo(demo::Args),
    /// Show the change, risky files first
    Diff(task::diff::Args),
    /// Change something, and prove it
    Do(task::goal::Args),
    /// Check that provost can run here
    Doctor(doctor::Args),
    /// Change a task, or instruct its next attempt
    Edit(task::edit::Args),
    /// Check a model's answers; a gate against drift
    Eval(Box<eval::Args>),
    /// Explain which row of the decision table applied
    Explain(task::explain::Args),
    /// Delete expired data
    Gc(gc::Args),
    /// Control what agents may do with their tools
    Guard(guard::Args),
    /// Answer a hook call from an agent's client
    Hook(hook::Args),
    /// Set up a repository: tests, agents, `provost.toml`
    Init(init::Args),
    /// List everything that waits for you
    Inbox(task::inbox::Args),
    /// Put a proven result onto a branch, or take it back
    Land(task::land::Args),
    /// Learn rules from labelled cases and from your reviews
    Learn(learn::Args),
    /// Show the events of a task, or what a step printed
    Logs(task::logs::Args),
    /// List tasks, most recently changed first
    Ls(task::ls::Args),
    /// Write the manual pages
    Man(man::Args),
    /// Serve the story tools to agents over MCP
    Mcp(mcp::Args),
    /// Tell people when a task needs them
    Notify(notify::Args),
    /// Override a limit of a task, or roll it back
    Override(task::overrides::Args),
    /// Stop a task at its next checkpoint, or at once
    Pause(task::pause::Args),
    /// Run the regression checks
    Regress(regress::Args),
    /// Rebuild the story index from the claims log
    Reindex(reindex::Args),
    /// Reject the result of a task, with a reason
    Reject(task::reject::Args),
    /// Test and judge the newest result again, without the agent
    Rejudge(task::run::RejudgeArgs),
    /// Repeat an attempt with the same prompt
    Rerun(task::run::RerunArgs),
    /// Reset the attempt counter of a task
    Reset(task::reset::Args),
    /// Resume a task that is paused, ready or failed
    Resume(task::run::ResumeArgs),
    /// Review a result without sight of the verdict
    Review(task::review::Args),
    /// Remove a task with its attempts and results
    Rm(task::rm::Args),
    /// Run a task until it is ready, failed or needs you
    Run(task::run::RunArgs),
    /// Check the integrity of tasks, or of provost itself
    Selfcheck(selfcheck::Args),
    /// Serve the page and its API on this machine
    Serve(serve::Args),
    /// Show the state of a task and what is verified
    Show(task::show::Args),
    /// Work on a plan; provost re-runs all evidence
    Story(story::Args),
    /// Show tasks and inbox in the terminal, live
    Tui(tui::Args),
    /// Verify a branch without an agent, for CI
    Verify(task::verify::Args),
}

impl Command {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match self {
            Self::Accept(it) => it,
            Self::Answer(it) => it,
            Self::Approve(it) => it,
            Self::Audit(it) => it.as_run(),
            Self::Bot(it) => it,
            Self::Calibrate(it) => it,
            Self::Check(it) => it.as_run(),
            Self::Completions(it) => it,
            Self::Config(it) => it.as_run(),
            Self::Demo(it) => it,
            Self::Diff(it) => it,
            Self::Do(it) => it,
            Self::Doctor(it) => it,
            Self::Edit(it) => it,
            Self::Eval(it) => it.as_ref(),
            Self::Explain(it) => it,
            Self::Gc(it) => it,
            Self::Guard(it) => it.as_run(),
            Self::Hook(it) => it,
            Self::Init(it) => it,
            Self::Inbox(it) => it,
            Self::Land(it) => it,
            Self::Learn(it) => it.as_run(),
            Self::Logs(it) => it,
            Self::Ls(it) => it,
            Self::Man(it) => it,
            Self::Mcp(it) => it,
            Self::Notify(it) => it.as_run(),
            Self::Override(it) => it,
            Self::Pause(it) => it,
            Self::Regress(it) => it,
            Self::Reindex(it) => it,
            Self::Reject(it) => it,
            Self::Rejudge(it) => it,
            Self::Rerun(it) => it,
            Self::Reset(it) => it,
            Self::Resume(it) => it,
            Self::Review(it) => it,
            Self::Rm(it) => it,
            Self::Run(it) => it,
            Self::Selfcheck(it) => it,
            Self::Serve(it) => it,
            Self::Show(it) => it,
            Self::Story(it) => it.as_run(),
            Self::Tui(it) => it,
            Self::Verify(it) => it,
        }
    }
}

/// Why the arguments are not command.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// An argument that is not UTF-8: neither an id nor a path of ours can be written that way.
    NotUtf8 { error: NotUtf8, asked: Asked },
    /// What the parser says; this includes `--help` and `--version`.
    Usage { error: clap::Error, arguments: Vec<OsString>, asked: Asked },
}

/// How the answer was asked for, as far as it can be told from arguments that are not command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    lang: Option<Lang>,
    json: bool,
    commands: Commands,
}

/// An argument that is not UTF-8.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "cli.not_utf8",
    en = "argument {position} is not UTF-8: `{shown}`",
    zh = "第 {position} 个参数不是 UTF-8：`{shown}`",
    hint(
        en = "write it in UTF-8; a file with such a name can be reached through its folder",
        zh = "请改用 UTF-8；名称不是 UTF-8 的文件可通过其所在文件夹访问"
    )
)]
pub(crate) struct NotUtf8 {
    position: usize,
    shown: String,
}

impl Cli {
    /// Reads the arguments, the program's own name first.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, Refusal> {
        let asked = Asked::of(&arguments);
        // The parser would say that "one or more" arguments are not UTF-8, and not which.
        let bad = arguments.iter().enumerate().skip(1).find(|(_, it)| it.to_str().is_none());
        if let Some((position, argument)) = bad {
            let shown = shorten(&escaped(argument));
            return Err(Refusal::NotUtf8 { error: NotUtf8 { position, shown }, asked });
        }
        let (command, arguments) = match asked.commands {
            Commands::InGroups => {
                let command = Self::command();
                let template = help::template(&command, Lang::En);
                (command.help_template(template), arguments)
            }
            Commands::All => {
                let program = arguments.into_iter().next().unwrap_or_default();
                (Self::command(), vec![program, "--help".into()])
            }
        };
        let matches = command.try_get_matches_from(&arguments);
        let read = matches.and_then(|it| Self::from_arg_matches(&it));
        read.map_err(|error| Refusal::Usage { error, arguments, asked })
    }
}

/// The flags of a call that names no command, if it asks for nothing else.
pub(crate) fn bare(arguments: &[OsString]) -> Option<Flags> {
    if !words(arguments).is_empty() {
        return None;
    }
    // `--help` and `--version` belong to the whole command line.
    let command = clap::Command::new("provost").disable_help_flag(true).disable_version_flag(true);
    let matches = Flags::augment_args(command).try_get_matches_from(arguments).ok()?;
    Flags::from_arg_matches(&matches).ok().filter(|it| !it.json)
}

/// The arguments that are neither flags of every command nor their values.
fn words(arguments: &[OsString]) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = arguments.iter().skip(1).filter_map(|it| it.to_str());
    while let Some(word) = rest.next() {
        match word {
            "--lang" | "--home" => drop(rest.next()),
            _ if word.starts_with('-') => {}
            _ => words.push(word),
        }
    }
    words
}

impl Asked {
    fn of(arguments: &[OsString]) -> Self {
        let texts: Vec<_> =
            arguments.iter().take_while(|it| *it != "--").filter_map(|it| it.to_str()).collect();
        let apart = texts.windows(2).filter(|it| it[0] == "--lang").map(|it| it[1]);
        let joined = texts.iter().filter_map(|it| it.strip_prefix("--lang="));
        Self {
            lang: apart.chain(joined).find_map(|it| it.parse().ok()),
            json: texts.contains(&"--json"),
            commands: match words(arguments).as_slice() {
                ["help", "all"] => Commands::All,
                _ => Commands::InGroups,
            },
        }
    }
}

impl Refusal {
    /// Prints the refusal and says what the process exits with.
    pub(crate) fn print(self, output: &mut Output) -> Exit {
        match self {
            Self::NotUtf8 { error, asked } => {
                output.ask(asked.lang, asked.json);
                report::print(output, &error)
            }
            Self::Usage { error, arguments, asked }
                if error.kind() == ErrorKind::InvalidSubcommand
                    && let Some(near) = near_miss(&arguments) =>
            {
                output.ask(asked.lang, asked.json);
                report::print(output, &near)
            }
            Self::Usage { error, arguments, asked }
                if asked.lang.unwrap_or(output.lang) == Lang::Zh =>
            {
                in_chinese(output, &error, arguments, asked)
            }
            Self::Usage { error, .. } if !error.use_stderr() => {
                // `--help` and `--version`: the parser knows whether the terminal has colours.
                // A reader that went away has read enough.
                let _ = error.print();
                Exit::Success
            }
            Self::Usage { error, asked, .. } => {
                let rendered = error.render().to_string();
                for line in rendered.trim_end().lines() {
                    output.complain(line);
                }
                if asked.json {
                    let message = summary(error.kind(), &rendered);
                    let tips = rendered.lines().filter_map(|it| it.trim().strip_prefix("tip: "));
                    let hints = tips.map(shorten).collect();
                    output.ask(asked.lang, asked.json);
                    report::document(output, message, Vec::new(), hints, Exit::Unable);
                }
                Exit::Unable
            }
        }
    }
}

/// What was probably meant, where the first word is what another program calls a command.
fn near_miss(arguments: &[OsString]) -> Option<UsageError> {
    let words = words(arguments);
    let command = Cli::command();
    let word = words.first().filter(|it| command.find_subcommand(it).is_none())?;
    let task = match words.as_slice() {
        [_, id] => id.parse().ok(),
        _ => None,
    };
    help::near(&command, word, task.as_ref())
}

/// Prints help or a usage error for a reader of Chinese.
fn in_chinese(
    output: &mut Output,
    error: &clap::Error,
    arguments: Vec<OsString>,
    asked: Asked,
) -> Exit {
    let hints = help::usage_lines(&Cli::command(), error, &words(&arguments));
    let shows_help =
        !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    output.ask(Some(Lang::Zh), asked.json);
    if shows_help && let Some(help) = help::text(Cli::command(), arguments, asked.commands) {
        if !error.use_stderr() {
            output.raw(help.as_bytes());
            return Exit::Success;
        }
        help.trim_end().lines().for_each(|it| output.complain(it));
        if !asked.json {
            return Exit::Unable;
        }
    }
    let exit = report::print(output, &UsageError::from(error));
    if !asked.json {
        for it in &hints {
            output.complain(it);
        }
    }
    exit
}

/// The first line of a usage error, without its label.
fn summary(kind: ErrorKind, rendered: &str) -> String {
    if kind == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is required".to_owned();
    }
    let first = rendered.lines().next().unwrap_or_default();
    shorten(first.strip_prefix("error: ").unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn a_call_without_a_command_has_only_flags() {
        let bare = |words: &[&str]| {
            let arguments: Vec<OsString> =
                std::iter::once(&"provost").chain(words).map(Into::into).collect();
            bare(&arguments)
        };
        assert!(bare(&[]).is_some());
        assert_eq!(bare(&["--lang", "zh"]).unwrap().lang, Some(Lang::Zh));
        assert_eq!(bare(&["--home", "x"]).unwrap().home, Some("x".into()));
        for words in [&["ls"][..], &["--help"], &["-V"], &["--json"], &["--lang", "xx"], &["--"]] {
            let is_bare = bare(words).is_some();
            assert_eq!(is_bare, words == ["--"], "{words:?}");
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// Walks every command: one without an example leaves the person guessing.
    #[test]
    fn every_command_has_an_example() {
        fn check(command: &clap::Command, path: &str) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{path}");
            assert!(command.get_about().is_some(), "{path}");
            for it in command.get_subcommands() {
                check(it, &format!("{path} {}", it.get_name()));
            }
        }
        check(&Cli::command(), "provost");
    }
}
