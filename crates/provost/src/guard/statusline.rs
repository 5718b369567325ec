//! `provost guard statusline`: one line for the status line of Claude Code, which sends what it knows of
//! the session on stdin.
//!
//! It is started often, so it reads no TOML and verifies nothing: it says what the newest entries of the
//! audit chain say.

use std::io::{self, Read as _};

use camino::Utf8PathBuf;
use provost_kernel::{
    Exit, Lang, RecordFile,
    guard::{Harness, Proofs},
};
use provost_vault::{
    Layout, RealDisk, Stored,
    audit::{More, Reached, read_back},
    read_record,
};
use serde::Deserialize;

use crate::{
    environment,
    hook::ground::of_user,
    session::{AnyFault, Preparation, Run, Session, language},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example, for `settings.json` of Claude Code:\n  \"statusLine\": {\"type\": \"command\", \"command\": \"provost guard statusline\"}\n\nReads the JSON of Claude Code on stdin. Always exits with 0."
)]
pub(super) struct Args {}

/// What Claude Code says of a session.
#[derive(Debug, Default, Deserialize)]
struct Told {
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    cwd: Option<Utf8PathBuf>,
    #[serde(default)]
    workspace: Workspace,
}

#[derive(Debug, Default, Deserialize)]
struct Workspace {
    #[serde(default)]
    project_dir: Option<Utf8PathBuf>,
}

/// What the chain says of a session.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rulings {
    calls: usize,
    refused: usize,
    asked: usize,
}

/// How much of what a client says is read, and how many entries are looked at.
const MOST_INPUT: u64 = 1 << 20;
const MOST_ENTRIES: usize = 4_000;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let mut bytes = Vec::new();
        let _ = io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes);
        let told: Told = serde_json::from_slice(&bytes).unwrap_or_default();
        let lang = language(session.flags.lang, None, &session.environment);
        let folder = match told.workspace.project_dir.or(told.cwd) {
            Some(folder) if folder.is_absolute() => folder,
            Some(_) | None => environment::current_folder()?,
        };
        let ground = of_user(&session.environment, &folder)?;
        let user = session.user_layout()?;
        let home = ground.home.unwrap_or_else(|| user.clone());
        let is_tested = [&home, &user].into_iter().any(is_tested);
        let line = match rulings(&home, &told.session_id) {
            Ok(rulings) => line(&rulings, is_tested, lang),
            Err(_) => lang.pick("provost: records unreadable", "provost：记录无法读取").to_owned(),
        };
        session.output.line(&line);
        Ok(Exit::Success)
    }
}

/// Whether a test of Claude Code passed and is recorded in a home.
fn is_tested(home: &Layout) -> bool {
    let Ok(Stored::Present(RecordFile { value, .. })) =
        read_record::<_, Proofs>(&RealDisk, &home.guard_test())
    else {
        return false;
    };
    value.tests.get(&Harness::Claude).is_some_and(|it| it.passed)
}

/// Counts what was ruled in a session, from the newest entry backwards to its start.
fn rulings(home: &Layout, session: &str) -> Result<Rulings, AnyFault> {
    let (mut rulings, mut n_seen) = (Rulings::default(), 0);
    let _: Reached = read_back(&RealDisk, home, None, |line| {
        n_seen += 1;
        let Some(entry) = line.entry else { return More::Yes };
        if entry.actor.id == session && entry.action.starts_with("guard.") {
            rulings.calls += 1;
            match entry.detail.get("effect").and_then(serde_json::Value::as_str) {
                Some("refused" | "unblockable") => rulings.refused += 1,
                Some("asked") => rulings.asked += 1,
                Some(_) | None => {}
            }
            if entry.action == "guard.session-start" {
                return More::No;
            }
        }
        if n_seen < MOST_ENTRIES { More::Yes } else { More::No }
    })?;
    Ok(rulings)
}

/// The line: whether the guard answers in this session, whether it was tested, what it refused.
fn line(rulings: &Rulings, is_tested: bool, lang: Lang) -> String {
    let Rulings { calls, refused, asked } = *rulings;
    let tested = if is_tested {
        lang.pick("tested", "已测试")
    } else {
        lang.pick("not tested", "未测试")
    };
    if calls == 0 {
        return lang.pick(
            "provost: silent in this session".to_owned(),
            "provost：本会话中未作答".to_owned(),
        );
    }
    lang.pick(
        format!("provost: on, {tested}, refused {refused}, asked {asked}"),
        format!("provost：已启用，{tested}，拒绝 {refused}，询问 {asked}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_whether_the_guard_answers() {
        let rulings = Rulings { calls: 9, refused: 2, asked: 1 };
        assert_eq!(line(&rulings, true, Lang::En), "provost: on, tested, refused 2, asked 1");
        assert_eq!(line(&rulings, false, Lang::Zh), "provost：已启用，未测试，拒绝 2，询问 1");
        let silent = line(&Rulings::default(), true, Lang::En);
        assert_eq!(silent, "provost: silent in this session");
    }
}
