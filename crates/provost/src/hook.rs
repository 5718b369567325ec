//! `provost hook`: one payload in, one answer out, in the words of the client that asks.
//!
//! A client waits for it before every tool call, so it comes before everything else: no parser of
//! arguments, no TOML, no thread pool. It never exits with 1, which every client takes for a
//! permission, and it prints nothing before its answer.

pub(crate) mod ground;
mod installed;
mod watch;

use std::{
    ffi::OsString,
    io::{self, Read as _, Write as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_engine::guard::hook::{Answered, CARRIED_POLICY, Hook, UserWide, answer};
use provost_kernel::{
    Exit, Lang, Message,
    guard::{Client, FailureSeverity, HookType, Scope},
};
use provost_rules_guard::{Response, dialect::Reply, fail, normalise::LIMITS};
use provost_vault::{RealDisk, SystemClock};

use self::{
    ground::{Ground, ground, repository},
    watch::{Failure, FallbackReplies, Limits, watch},
};
use crate::{
    config,
    environment::Environment,
    git,
    session::{AnyFault, Preparation, Run, Session, language},
};

/// How long the guard may think about a tool or a permission. Every client waits longer than that
/// for a hook.
const DEADLINE: Duration = Duration::from_secs(2);

/// How long it may take over what is not waited for: an event that cannot be stopped, and what is
/// kept after an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of a payload that is too long is read all the same, so that its writer is not cut off.
const DRAINED: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  echo '{\"session_id\":\"s1\",\"cwd\":\"/p\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}' | provost hook --client claude --type pre-tool-use\n\n`provost guard install` writes the command line into the client's configuration. The answer is in\nthe client's dialect, and the exit code is 0 or 2, never 1. Variables: `PROVOST_LOG=debug` names\nthe fields that were left out, on standard error."
)]
pub(crate) struct Args {
    /// The hook type [default: taken from the payload]
    #[arg(long = "type", value_name = "TYPE")]
    hook: Option<HookType>,
    /// The client [default: taken from the payload]
    #[arg(long, value_name = "CLIENT")]
    client: Option<Client>,
    /// All projects of the user: each call finds its repository
    #[arg(long, value_name = "SCOPE", value_parser = scope, conflicts_with = "home")]
    scope: Option<Scope>,
}

/// Reads a scope; a home stands for a project.
fn scope(text: &str) -> Result<Scope, String> {
    match text.parse() {
        Ok(Scope::User) => Ok(Scope::User),
        Ok(Scope::Project) | Err(_) => Err("only `user`".to_owned()),
    }
}

/// What the command line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    client: Option<Client>,
    hook: Option<HookType>,
    home: Option<Utf8PathBuf>,
    scope: Option<Scope>,
    lang: Option<Lang>,
}

/// Why the guard gave no answer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.no_answer")]
enum NoAnswer {
    #[message(en = "it timed out", zh = "超时")]
    Late,
    #[message(en = "it was asked to terminate", zh = "被要求结束")]
    Ended,
    #[message(
        en = "internal error",
        zh = "内部错误",
        hint(
            en = "keep the payload: it reproduces a defect of provost",
            zh = "请保留该输入：它可重现 provost 的缺陷"
        )
    )]
    Panicked,
    #[message(en = "it could not start", zh = "无法启动")]
    NotStarted,
    #[message(en = "cannot read standard input", zh = "无法读取标准输入")]
    Unread,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let Self { hook, client, scope } = *self;
        let (home, lang) = (session.flags.home.clone(), session.flags.lang);
        let asked = Asked { client, hook, home, scope, lang };
        let exit = serve(&asked, &Environment::read());
        Ok(if exit == 0 { Exit::Success } else { Exit::Unable })
    }
}

/// Reads a command line that is plainly a hook; what is not goes through the parser for people,
/// which knows more forms and says what is wrong.
pub(crate) fn plain(arguments: &[OsString]) -> Option<Asked> {
    let mut words = arguments.iter().skip(1).map(|it| it.to_str());
    if words.next()?? != "hook" {
        return None;
    }
    let mut asked = Asked::default();
    while let Some(word) = words.next() {
        let value = words.next()??;
        // Whatever is given twice is left to the parser for people, which refuses it.
        match word? {
            "--client" if asked.client.is_none() => asked.client = Some(value.parse().ok()?),
            "--type" if asked.hook.is_none() => asked.hook = Some(value.parse().ok()?),
            "--home" if asked.home.is_none() && !value.is_empty() => {
                asked.home = Some(value.into());
            }
            "--scope" if asked.scope.is_none() => asked.scope = Some(scope(value).ok()?),
            "--lang" if asked.lang.is_none() => asked.lang = Some(value.parse().ok()?),
            _ => return None,
        }
    }
    // A home and a scope contradict each other: the parser for people says so.
    (asked.home.is_none() || asked.scope.is_none()).then_some(asked)
}

/// Answers the hook that this process was started for.
pub(crate) fn main(asked: Asked) -> ExitCode {
    ExitCode::from(serve(&asked, &Environment::read()))
}

fn serve(asked: &Asked, environment: &Environment) -> u8 {
    let Asked { client, hook, .. } = *asked;
    let lang = language(asked.lang, None, environment);
    let is_debug = environment.text("PROVOST_LOG").ok().flatten() == Some("debug");
    let is_urgent = hook.is_none_or(|it| it.failure_severity() == FailureSeverity::Critical);
    let limits = Limits { answer: if is_urgent { DEADLINE } else { PATIENCE }, rest: PATIENCE };
    let failed = |why| encode(&fail(client, hook, None, &why), lang);
    let replies = FallbackReplies { late: failed(NoAnswer::Late), ended: failed(NoAnswer::Ended) };
    watch(
        limits,
        replies,
        |say| handle(asked, environment, say),
        |said: Said| print(&said.reply, if is_debug { &said.unknown } else { &[] }),
        |failure| print(&failed(NoAnswer::from(failure)), &[]),
    )
}

/// An answer on its way out.
struct Said {
    reply: Reply,
    unknown: Vec<String>,
}

/// Renders a response and encodes it in the client's dialect.
fn encode(response: &Response, lang: Lang) -> Reply {
    response.encode(|lines| {
        let lines: Vec<String> = lines.iter().map(|it| lang.render(it)).collect();
        lines.join("\n")
    })
}

/// Answers the payload, then does what can wait.
fn handle(asked: &Asked, environment: &Environment, say: &dyn Fn(Said)) {
    let lang = language(asked.lang, None, environment);
    let Ok(payload) = payload() else {
        let response = fail(asked.client, asked.hook, None, &NoAnswer::Unread);
        return say(Said { reply: encode(&response, lang), unknown: Vec::new() });
    };
    let (home, user) = match ground(asked, environment) {
        Ok(Ground { home, user }) => (Ok(home), user),
        Err(fault) => (Err(Arc::from(fault.0)), None),
    };
    let compile_for = |project: Option<&Utf8Path>| {
        let user_home = user.as_ref().map(|it| it.layout.home().path()).unwrap_or_default();
        config::compile_for_user(environment, &user_home, project).map_err(|it| it.0)
    };
    let around = |folder: &Utf8Path| repository(environment, folder);
    let user_wide = user.as_ref().map(|it| UserWide {
        layout: &it.layout,
        project: it.project.as_deref(),
        absent: it.absent.as_ref(),
        repository: &around,
        compile: &compile_for,
    });
    let program = std::env::current_exe().ok();
    let text = |name| environment.text(name).ok().flatten();
    let said_lang = text("PROVOST_LANG").and_then(|it| it.parse().ok());
    let exchange = text("PROVOST_REPLY").and_then(|it| Utf8Path::new(it).parent());
    let hook = Hook {
        disk: &RealDisk,
        clock: &SystemClock,
        client: asked.client,
        hook: asked.hook,
        home: &home,
        carried: text(CARRIED_POLICY),
        compile: &|| {
            let path = home.as_ref().ok().and_then(Option::as_ref).map(|it| it.home().path());
            config::compile(environment, &path.unwrap_or_default()).map_err(|it| it.0)
        },
        user: user_wide.as_ref(),
        program: program.as_deref().and_then(std::path::Path::to_str),
        installed: &|| {
            let current = crate::environment::current_folder().ok();
            installed::changed(asked.client, environment, current.as_deref())
        },
        user_home: text("HOME"),
        granted: exchange.map(Utf8Path::as_str),
        ask_git: &|folder, question| {
            git::ask(environment, folder, question).is_ok_and(|it| it.reply == git::Reply::Yes)
        },
    };
    let Answered { response, language, unknown, after } = answer(&hook, &payload);
    let lang = asked.lang.or(said_lang).or(language).unwrap_or(lang);
    say(Said { reply: encode(&response, lang), unknown });
    if let Some(after) = after {
        hook.finish(&after);
    }
}

/// Reads standard input, of a payload that is too long one byte more than may be.
fn payload() -> io::Result<Vec<u8>> {
    let limit = u64::try_from(LIMITS.bytes).unwrap_or(u64::MAX);
    let mut bytes = Vec::with_capacity(16 << 10);
    let mut input = io::stdin().lock();
    let n_read = (&mut input).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(n_read).is_ok_and(|it| it > limit) {
        let _ = io::copy(&mut input.take(DRAINED), &mut io::sink());
    }
    Ok(bytes)
}

/// Prints an answer; the exit code says it again, in case it is not read.
fn print(reply: &Reply, unknown: &[String]) -> u8 {
    let _ = io::stdout().write_all(reply.stdout.as_bytes()).and_then(|()| io::stdout().flush());
    let notes =
        unknown.iter().fold(reply.stderr.clone(), |text, it| text + "provost: field " + it + "\n");
    let _ = io::stderr().write_all(notes.as_bytes());
    reply.exit
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Panicked => Self::Panicked,
            Failure::NotStarted => Self::NotStarted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<Asked>) {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        assert_eq!(plain(&arguments), expected, "{line}");
    }

    #[test]
    fn only_a_line_that_is_plainly_a_hook_is_read_at_once() {
        check("provost hook", Some(Asked::default()));
        check(
            "provost hook --client claude --type pre-tool-use --home /p/.provost --lang zh",
            Some(Asked {
                client: Some(Client::Claude),
                hook: Some(HookType::PreToolUse),
                home: Some("/p/.provost".into()),
                scope: None,
                lang: Some(Lang::Zh),
            }),
        );
        check(
            "provost hook --scope user",
            Some(Asked { scope: Some(Scope::User), ..Asked::default() }),
        );
        for line in [
            "provost",
            "provost run x",
            "provost hook --help",
            "provost hook --client",
            "provost hook --client opencode",
            "provost hook --type PreToolUse",
            "provost hook --home ",
            "provost hook --client=claude",
            "provost hook --client claude --client plain",
            "provost hook --quiet --client claude",
            "provost --home /x hook",
            "provost hook --scope project",
            "provost hook --scope user --home /x",
        ] {
            check(line, None);
        }
    }
}
