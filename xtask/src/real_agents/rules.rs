//! The guard with real clients, beyond what its own live test proves.
//!
//! A scripted model asks a client for commands, without the guard and with it. A refusal is proven
//! by a canary that is there without the guard and absent with it, a permit by one that is there
//! both times. The parts are each class of refusal, a refusal that a person permits once, and a
//! guard that was broken after it was installed.

mod broken;
mod classes;
mod clients;
mod once;
mod plays;
mod stage;

use std::{fmt::Write as _, path::Path};

use serde_json::{Value, json};

use self::clients::{Guarded, choose};
use super::client::install;
use crate::{
    build::{self, Alongside},
    failure::Failure,
    project,
};

const REPORT: &str = "target/real-agents/rules.json";

/// What came of one part with one client.
#[derive(Debug)]
struct Part {
    name: &'static str,
    /// For people, each on a line of its own.
    lines: Vec<String>,
    faults: Vec<String>,
    /// What was seen, for programs.
    seen: Value,
}

/// How a part is played with a client and this provost.
type Play = fn(&Guarded, &Path) -> Result<Part, Failure>;

const PARTS: [(&str, Play); 3] =
    [("classes", classes::play), ("once", once::play), ("broken", broken::play)];

/// What came of all parts with one client.
#[derive(Debug)]
struct Proof {
    client: &'static str,
    version: &'static str,
    parts: Vec<Part>,
}

/// What a person typed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    clients: Vec<&'a str>,
    provost: Option<&'a str>,
    only: Option<&'a str>,
}

/// Plays the parts with these clients, or with each of them.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let options = parse(options)?;
    let chosen = choose(&options.clients)?;
    install(&chosen.iter().map(|it| it.client).collect::<Vec<_>>())?;
    let provost = match options.provost {
        Some(path) => std::fs::canonicalize(path)
            .map_err(|error| Failure::Unable(format!("cannot find `{path}`: {error}")))?,
        None => build::provost(Alongside::Nothing)?,
    };
    let mut proofs = Vec::new();
    for guarded in chosen {
        println!("driving `{}` {}", guarded.name, guarded.client.version);
        let mut parts = Vec::new();
        for (name, play) in PARTS {
            if options.only.is_none_or(|it| it == name) {
                let part = play(guarded, &provost)?;
                print!("{}", part.report());
                parts.push(part);
            }
        }
        proofs.push(Proof { client: guarded.name, version: guarded.client.version, parts });
    }
    project::write(REPORT, &json(&proofs).to_string())?;
    println!("wrote `{REPORT}`");
    let failed = faults(&proofs);
    if failed.is_empty() { Ok(()) } else { Err(Failure::Refused(failed.join("\n"))) }
}

fn parse<'a>(options: &[&'a str]) -> Result<Options<'a>, Failure> {
    let unable = |text: String| Err(Failure::Unable(text));
    let mut parsed = Options::default();
    let mut words = options.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--provost" => match words.next() {
                Some(path) => parsed.provost = Some(path),
                None => return unable("`--provost` takes a path".to_owned()),
            },
            "--only" => {
                let known = PARTS.map(|it| it.0);
                parsed.only = words.next().filter(|it| known.contains(it));
                if parsed.only.is_none() {
                    return unable(format!("`--only` takes one of {}", known.join(", ")));
                }
            }
            option if option.starts_with('-') => {
                return unable(format!("`real-agents rules` does not understand `{option}`"));
            }
            name => parsed.clients.push(name),
        }
    }
    Ok(parsed)
}

impl Part {
    fn report(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let _ = writeln!(text, "  {}: {line}", self.name);
        }
        for fault in &self.faults {
            let _ = writeln!(text, "    FAULT: {fault}");
        }
        text
    }
}

fn faults(proofs: &[Proof]) -> Vec<String> {
    let of_proof = |proof: &Proof| {
        let of_part = |part: &Part| {
            let name = |it: &String| format!("`{}`: {}: {it}", proof.client, part.name);
            part.faults.iter().map(name).collect::<Vec<_>>()
        };
        proof.parts.iter().flat_map(of_part).collect::<Vec<_>>()
    };
    proofs.iter().flat_map(of_proof).collect()
}

fn json(proofs: &[Proof]) -> Value {
    let proof = |it: &Proof| {
        let mut value = json!({ "client": it.client, "version": it.version });
        for part in &it.parts {
            value[part.name] = json!({ "seen": part.seen, "faults": part.faults });
        }
        value
    };
    json!({
        "schema": "provost.real-agents.rules/2",
        "plays": classes::json(),
        "proofs": proofs.iter().map(proof).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_option_starts_nothing() {
        let expected =
            Options { clients: vec!["claude"], provost: Some("x"), only: Some("broken") };
        assert_eq!(parse(&["claude", "--provost", "x", "--only", "broken"]).unwrap(), expected);
        for options in [&["--provost"][..], &["--only"], &["--only", "all"], &["--fast"]] {
            assert!(parse(options).is_err(), "{options:?}");
        }
    }

    #[test]
    fn every_fault_is_named_and_reported() {
        let part = Part {
            name: "once",
            lines: vec!["used once".to_owned()],
            faults: vec!["it ran twice".to_owned()],
            seen: json!({ "n": 1 }),
        };
        assert_eq!(part.report(), "  once: used once\n    FAULT: it ran twice\n");
        let proofs = [Proof { client: "c", version: "1", parts: vec![part] }];
        assert_eq!(faults(&proofs), ["`c`: once: it ran twice"]);
        let json = json(&proofs);
        assert_eq!(json["proofs"][0]["once"]["faults"][0], "it ran twice");
        assert_eq!(json["proofs"][0]["once"]["seen"]["n"], 1);
    }
}
