//! Orders that only a person may give.

use std::{net::SocketAddr, os::unix::process::parent_id};

use provost_exec::{Peer, peer};
use provost_kernel::{Message, guard::Harness};

use crate::{
    environment::GUARDIAN,
    session::{AnyFault, Session},
};

/// Environment variables that provost sets for agents.
const OWN: [&str; 4] = ["PROVOST_CLAIM", "PROVOST_GUARD", "PROVOST_REPLY", "PROVOST_REQUEST"];
/// Agents without hooks that provost could guard.
const OTHERS: [&str; 8] =
    ["aider", "amp", "auggie", "claude-code", "crush", "droid", "goose", "qwen"];
/// Programs whose first argument that is no option is the program that they run.
const INTERPRETERS: [&str; 6] = ["node", "nodejs", "bun", "deno", "python", "python3"];
const PROVOST: &str = "provost";
/// Its options that take a value, before the command.
const WITH_VALUE: [&str; 2] = ["--lang", "--home"];
/// A process that hung up before it could be looked at.
const UNSEEN: &str = "?";
/// How many processes are looked at above this one.
const DEPTH: usize = 64;

/// An order for people came from an agent.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.person", exit = Refused)]
enum AgentError {
    #[message(
        en = "only a person may do this; `{variable}` is set, so an agent runs here",
        zh = "只有人可以这样做，而 `{variable}` 表明这里是智能体在工作",
        hint(en = "ask the person", zh = "请交由人处理"),
        exit = Refused
    )]
    Variable { variable: &'static str },
    #[message(
        en = "only a person may do this, and it was started by `{program}` (process {pid})",
        zh = "只有人可以这样做，而此命令由 `{program}`（进程 {pid}）启动",
        hint(en = "ask the person", zh = "请交由人处理"),
        exit = Refused
    )]
    Process { program: String, pid: u32 },
}

/// Refuses where an agent runs: by its variables, or above this process.
pub(crate) fn person(session: &Session) -> Result<(), AnyFault> {
    let of_clients = Harness::entries().flat_map(|it| it.agent.variables).copied();
    if let Some(variable) = OWN.into_iter().chain(of_clients).find(|it| is_set(session, it)) {
        return Err(AgentError::Variable { variable }.into());
    }
    match agent_from(parent_id()) {
        Some((pid, program)) => Err(AgentError::Process { program, pid }.into()),
        None => Ok(()),
    }
}

/// Whether this runs in a job of a task: by its variables, or by a guardian above it.
pub(crate) fn is_job(session: &Session) -> bool {
    let mut above = std::iter::successors(Some(parent_id()), |pid| Some(stat(*pid)?.1)).take(DEPTH);
    OWN.into_iter().any(|it| is_set(session, it)) || above.any(|it| is_guardian(&words(it)))
}

fn is_set(session: &Session, name: &str) -> bool {
    !matches!(session.environment.text(name), Ok(None))
}

/// The agent at the other end of a connection, or a word for one that cannot be told from an agent. On
/// another machine, and without `/proc`, none is found.
pub(crate) fn agent_at(theirs: SocketAddr, ours: SocketAddr) -> Option<String> {
    match peer(theirs, ours) {
        Ok(Peer::Held(pids) | Peer::Hidden(pids)) => {
            pids.into_iter().find_map(agent_from).map(|(_, program)| program)
        }
        Ok(Peer::Unknown) => None,
        Ok(Peer::Gone) | Err(_) => Some(UNSEEN.to_owned()),
    }
}

/// The nearest process that runs an agent, from one upwards. Without `/proc` none is found.
fn agent_from(mut pid: u32) -> Option<(u32, String)> {
    for _ in 0..DEPTH {
        let (name, parent) = stat(pid)?;
        let words = words(pid);
        // The demo plays the person as well, in a repository of its own. What a process calls itself
        // is its own word, so it must also run this very program.
        if is_demo(&words) && runs_this_program(pid) {
            return None;
        }
        let is_in_demo = || is_demo(&self::words(parent)) && runs_this_program(parent);
        if let Some(program) = agent(&name, &words, is_in_demo) {
            return Some((pid, program));
        }
        pid = parent;
    }
    None
}

/// The name of a process and its parent; none at the top.
fn stat(pid: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, rest) = text.rsplit_once(") ")?;
    let name = head.split_once(" (")?.1.to_owned();
    let parent: u32 = rest.split(' ').nth(1)?.parse().ok()?;
    (pid > 1).then_some((name, parent))
}

/// The command line of a process.
fn words(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&bytes);
    line.split('\0').map(str::to_owned).collect()
}

/// Whether a process runs the program that this one runs.
fn runs_this_program(pid: u32) -> bool {
    let program = |pid: &str| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    let own = program("self");
    own.is_some() && program(&pid.to_string()) == own
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a process is `provost demo`; only options may stand before the word.
fn is_demo(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut is_value = false;
    let command = arguments.iter().find(|it| {
        let is_command = !is_value && !it.starts_with('-');
        is_value = WITH_VALUE.contains(&it.as_str());
        is_command
    });
    last(program) == PROVOST && command.is_some_and(|it| it == "demo")
}

/// Whether a process holds the job of a task.
fn is_guardian(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str);
    words.next().map(last) == Some(PROVOST) && words.next() == Some(GUARDIAN)
}

/// The agent that a process is: a client by its name, or a job of provost by its guardian, unless
/// the demo started it.
fn agent(name: &str, words: &[String], is_in_demo: impl Fn() -> bool) -> Option<String> {
    let first = words.first().map(|it| last(it)).unwrap_or_default();
    if is_guardian(words) {
        return (!is_in_demo()).then(|| format!("{PROVOST} {GUARDIAN}"));
    }
    let script = || words.iter().skip(1).find(|it| !it.starts_with('-'));
    let run = if INTERPRETERS.contains(&first) { script().map_or("", String::as_str) } else { "" };
    let is_one = |agent: &str, packages: &[&str]| {
        let is_named = [name, first, last(run)].contains(&agent);
        is_named || packages.iter().any(|it| run.contains(&format!("/{it}/")))
    };
    let known = Harness::entries().map(|it| (it.agent.name, it.agent.packages));
    let found = known.chain(OTHERS.map(|it| (it, &[][..]))).find(|it| is_one(it.0, it.1));
    found.map(|it| it.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_by_its_process() {
        let own = |it: &[&str]| it.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (name, words, expected) in [
            ("claude", &["claude"][..], Some("claude")),
            ("node", &["node", "/usr/bin/gemini"], Some("gemini")),
            ("node", &["node", "/l/node_modules/@openai/codex/bin/x.js"], Some("codex")),
            ("node", &["node", "--no-warnings", "/usr/bin/gemini", "-p"], Some("gemini")),
            ("python3", &["python3", "/usr/bin/aider"], Some("aider")),
            ("goose", &["goose", "session"], Some("goose")),
            ("cursor-agent", &["/opt/cursor-agent"], Some("cursor-agent")),
            ("provost", &["/usr/bin/provost", "guardian"], Some("provost guardian")),
            ("provost", &["/usr/bin/provost", "run", "t1"], None),
            ("bash", &["-bash"], None),
            ("vim", &["vim", "claude"], None),
            ("node", &["node", "server.js"], None),
            ("sshd", &[], None),
        ] {
            let found = agent(name, &own(words), || false);
            assert_eq!(found.as_deref(), expected, "{name} {words:?}");
        }
        let guardian = own(&["/usr/bin/provost", "guardian"]);
        assert_eq!(agent("provost", &guardian, || true), None);
        assert!(is_demo(&own(&["/usr/bin/provost", "--lang", "zh", "demo"])));
        assert!(!is_demo(&own(&["x", "demo"])) && !is_demo(&own(&["provost", "run"])));
        // A task may have that name.
        assert!(!is_demo(&own(&["provost", "run", "demo"])));
        assert!(!is_demo(&own(&["provost", "--json", "resume", "demo"])));
    }
}
