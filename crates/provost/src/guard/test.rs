//! `provost guard test`: the proof that a refusal really refuses.

use std::collections::BTreeMap;

use provost_engine::guard::{
    live::{self, LiveProof},
    test::{Tester, installed, prove, record},
};
use provost_kernel::{
    Exit, Message, Text, Timestamp,
    guard::{Harness, Proof, ProofCheck},
};
use serde::Serialize;

use super::{
    install::{open_of, say_open},
    setup::{Place, harness},
};
use crate::{
    environment, ignored, rehearsal,
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard test\n  provost guard test --client claude --live\n\nExactly what the client would start is started: a destructive command, bad JSON, an empty and an\noversized input must be refused in the client's own form, an ordinary command must pass. With\n`--live` the client itself is driven, against a scripted model on this machine. Exits with 1 when\na check fails. `provost run --detach` needs a test that passed and that nothing has changed since."
)]
pub(super) struct Args {
    /// Only this client [default: every client with the guard]
    #[arg(long, value_name = "CLIENT", value_parser = harness)]
    client: Option<Harness>,
    /// Drive the real client, with and without the guard
    #[arg(long)]
    live: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    passed: bool,
    tests: Vec<Test>,
}

/// What was found about one client.
#[derive(Debug, Serialize)]
struct Test {
    client: Harness,
    passed: bool,
    at: Timestamp,
    checks: Vec<ProofCheck>,
    live: Option<LiveProof>,
    leaves_open: Vec<Text>,
}

/// The guard is installed nowhere.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.nowhere",
    en = "the guard is not installed in any client",
    zh = "没有任何客户端安装了守卫",
    hint(
        en = "install it: `provost guard install --client claude`",
        zh = "请安装：`provost guard install --client claude`"
    )
)]
struct Nowhere;

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let place = Place::new(session)?;
        let clients = match self.client {
            Some(client) => vec![client],
            None => installed(place.setup())?,
        };
        if clients.is_empty() {
            return Err(Nowhere.into());
        }
        // Where the project has no home, calls are recorded in that of the person.
        let home = place.layout.as_ref().filter(|it| it.home().path().is_dir());
        let ignored = ignored::checks(session, home.unwrap_or(&place.user));
        let mut tests = Vec::new();
        let mut undriven = None;
        for client in clients {
            let proof = plain(session, &place, client, &ignored)?;
            // A client that cannot be driven does not keep the others from being tested.
            let live = match self.live.then(|| drive(session, client)).transpose() {
                Ok(live) => live,
                Err(fault) => {
                    undriven = undriven.or(Some(fault));
                    continue;
                }
            };
            let passed = proof.passed && live.as_ref().is_none_or(|it| it.passed);
            let is_live = live.as_ref().is_some_and(|it| it.passed);
            let proof = Proof { passed, live: is_live, ..proof };
            record(place.setup(), client, proof.clone())?;
            let version = live.as_ref().map(|it| it.version.as_str());
            let leaves_open = open_of(client, version);
            let Proof { at, checks, .. } = proof;
            tests.push(Test { client, passed, at, checks, live, leaves_open });
        }
        let passed = tests.iter().all(|it| it.passed);
        let answer = Answer { passed, tests };
        if let Some(fault) = undriven {
            // A script gets the error as its one document.
            session.output.begin(|page| answer.page(page));
            return Err(fault);
        }
        session.output.show(&answer);
        Ok(if passed { Exit::Success } else { Exit::Refused })
    }
}

/// Starts what the client would start.
fn plain(
    session: &Session,
    place: &Place,
    client: Harness,
    ignored: &[ProofCheck],
) -> Result<Proof, AnyFault> {
    let guardian = environment::guardian()?;
    let variables: BTreeMap<String, String> = session.environment.texts().collect();
    let folder = environment::current_folder()?;
    let tester = Tester {
        setup: place.setup(),
        guardian: &guardian,
        variables: &variables,
        folder: place.folders.project.as_deref().unwrap_or(&folder),
    };
    let mut proof = prove(tester, client)?;
    proof.checks.extend(ignored.iter().cloned());
    proof.passed = proof.checks.iter().all(|it| it.passed);
    Ok(proof)
}

/// Drives the client itself, in a place that is thrown away, with the same installer.
fn drive(session: &Session, client: Harness) -> Result<LiveProof, AnyFault> {
    let host = rehearsal::host(session)?;
    let variables: BTreeMap<String, String> = session.environment.texts().collect();
    Ok(live::prove(&host, &variables, client)?)
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let word = |passed: bool| {
            if passed { lang.pick("ok", "通过") } else { lang.pick("fail", "失败") }
        };
        for Test { client, passed, checks, live, leaves_open, .. } in &self.tests {
            page.row(client.title(), client.title(), word(*passed));
            for ProofCheck { name, passed, what } in checks {
                page.line(&format!("  {}  {name}  {}", word(*passed), lang.render(what)));
            }
            if let Some(LiveProof { version, verdict, passed, .. }) = live {
                let verdict = page.labelled(version, lang.render(verdict));
                page.line(&format!("  {}  live  {verdict}", word(*passed)));
            }
            say_open(page, *client, leaves_open);
        }
    }
}
