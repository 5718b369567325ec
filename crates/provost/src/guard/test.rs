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
    environment, ignored,
    output::Format,
    rehearsal,
    session::{AnyFault, Preparation, Run, Session},
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
struct Answer<'a> {
    passed: bool,
    tests: Vec<Test<'a>>,
}

/// What was found about one client.
#[derive(Debug, Serialize)]
struct Test<'a> {
    client: Harness,
    passed: bool,
    at: Timestamp,
    checks: &'a [ProofCheck],
    live: Option<&'a LiveProof>,
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
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let place = Place::new(session)?;
        let clients = match self.client {
            Some(client) => vec![client],
            None => installed(place.setup())?,
        };
        if clients.is_empty() {
            return Err(Nowhere.into());
        }
        let ignored = ignored::checks(session, &place.layout);
        let mut found = Vec::new();
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
            found.push((client, proof, live));
        }
        let passed = found.iter().all(|it| it.1.passed);
        match session.output.format() {
            // The error is the one document then.
            Format::Json if undriven.is_some() => {}
            Format::Json => {
                let tests = found.iter().map(|(client, proof, live)| Test {
                    client: *client,
                    passed: proof.passed,
                    at: proof.at,
                    checks: &proof.checks,
                    live: live.as_ref(),
                    leaves_open: open_of(*client, version(live.as_ref())),
                });
                let tests = tests.collect();
                session.output.document(&Answer { passed, tests });
            }
            Format::Text => {
                for (client, proof, live) in &found {
                    print(session, *client, proof, live.as_ref());
                }
            }
        }
        match undriven {
            Some(fault) => Err(fault),
            None => Ok(if passed { Exit::Success } else { Exit::Refused }),
        }
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

fn version(live: Option<&LiveProof>) -> Option<&str> {
    live.map(|it| it.version.as_str())
}

fn print(session: &mut Session, client: Harness, proof: &Proof, live: Option<&LiveProof>) {
    let lang = session.output.lang;
    let word =
        |passed: bool| if passed { lang.pick("ok", "通过") } else { lang.pick("fail", "失败") };
    session.output.line(&format!("{}: {}", client.title(), word(proof.passed)));
    for ProofCheck { name, passed, what } in &proof.checks {
        session.output.line(&format!("  {}  {name}  {}", word(*passed), lang.render(what)));
    }
    if let Some(live) = live {
        let LiveProof { version, verdict, passed, .. } = live;
        session.output.line(&format!(
            "  {}  live  {version}: {}",
            word(*passed),
            lang.render(verdict)
        ));
    }
    say_open(session, client, &open_of(client, version(live)));
}
