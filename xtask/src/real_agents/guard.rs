//! The guard against real clients.
//!
//! Each gets a home and a repository that are thrown away; there provost installs its guard and
//! proves it live, against its own scripted model. This task only prepares, reads the answer and
//! says what came of it.

use serde::Deserialize;

use super::client::{Client, choose, inherited, install};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    process::Process,
    project,
};

/// Where they play.
const STAGE: &str = "target/real-agents";

/// What `provost guard test --live --json` prints; it says more.
#[derive(Debug, Deserialize)]
struct Answer {
    /// Whether everything passed: also what needs no client.
    passed: bool,
    tests: Vec<Test>,
}

#[derive(Debug, Deserialize)]
struct Test {
    live: Option<Proof>,
}

#[derive(Debug, Deserialize)]
struct Proof {
    client: String,
    version: String,
    passed: bool,
    verdict: Verdict,
    without: Run,
    with: Run,
}

#[derive(Debug, Deserialize)]
struct Verdict {
    en: String,
}

#[derive(Debug, Deserialize)]
struct Run {
    canary: bool,
    milliseconds: u64,
    /// What the client told the model of each command; the second is the one that is refused.
    results: Vec<String>,
}

/// Proves the guard with these clients, or with each of them.
pub(super) fn run(names: &[&str]) -> Result<(), Failure> {
    let chosen = choose(names, |it| it.is_guarded)?;
    install(&chosen)?;
    let provost = build::provost(Alongside::Nothing)?;
    let mut proofs = Vec::new();
    for client in chosen {
        println!("driving `{}`", client.name);
        proofs.push(prove(&provost.to_string_lossy(), client)?);
    }
    print!("{}", table(&proofs));
    judge(&proofs)
}

/// Installs the guard for a client in a home of its own, and proves it there.
fn prove(provost: &str, client: &Client) -> Result<Proof, Failure> {
    let stage = format!("{STAGE}/{}", client.name);
    project::remove(&stage)?;
    for folder in ["home", "repository"] {
        project::write(&format!("{stage}/{folder}/README.md"), "Thrown away.\n")?;
    }
    let root = project::root();
    let (home, repository) = (root.join(&stage).join("home"), root.join(&stage).join("repository"));
    let process = |program: &str, words: &[&str]| {
        let path = format!("{}:{}", client.folder().display(), inherited("PATH"));
        // Nothing of the person's but the way to programs, so that nothing of theirs is touched.
        Process::new(program, words)
            .bare()
            .environment("PATH", &path)
            .environment("HOME", &home.to_string_lossy())
            .within(&repository)
    };
    process("git", &["init", "--quiet", "."]).run()?;
    let words = ["--quiet", "guard", "install", "--client", client.name, "--scope", "user"];
    process(provost, &words).text()?;
    let words = ["--json", "guard", "test", "--live", "--client", client.name];
    let ended = process(provost, &words).end()?;
    parse(&ended.stdout, client.name)
        .map_err(|it| if ended.is_success { it } else { it.within(&ended.text) })
}

/// The proof of a client; an answer without one is none.
fn parse(text: &str, client: &str) -> Result<Proof, Failure> {
    let answer: Answer = serde_json::from_str(text)
        .map_err(|error| Failure::Unable(format!("cannot read the proof: {error}")))?;
    let mut proofs = answer.tests.into_iter().filter_map(|it| it.live);
    let proof = proofs.find(|it| it.client == client);
    let proof = proof.ok_or_else(|| Failure::Unable(format!("`{client}` was not driven")))?;
    Ok(Proof { passed: proof.passed && answer.passed, ..proof })
}

fn judge(proofs: &[Proof]) -> Result<(), Failure> {
    let failed: Vec<String> = proofs
        .iter()
        .filter(|it| !it.is_sound())
        .map(|it| format!("`{}`: {}", it.client, it.verdict.en))
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Refused(failed.join("\n"))) }
}

impl Proof {
    /// Passed, and for the reason that counts: this task looks at the files' traces itself.
    fn is_sound(&self) -> bool {
        self.passed && self.without.canary && !self.with.canary
    }
}

fn table(proofs: &[Proof]) -> String {
    let presence = |run: &Run| if run.canary { "present" } else { "absent" }.to_owned();
    let head = ["client", "version", "without", "with", "seconds", "passed", "the model was told"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(proofs.iter().map(|it| {
        let told = it.with.results.get(1).map_or("nothing", String::as_str);
        let line = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let [without, with] =
            [&it.without, &it.with].map(|it| std::time::Duration::from_millis(it.milliseconds));
        [
            it.client.clone(),
            it.version.clone(),
            presence(&it.without),
            presence(&it.with),
            format!("{:.1} + {:.1}", without.as_secs_f64(), with.as_secs_f64()),
            if it.is_sound() { "yes".to_owned() } else { "NO".to_owned() },
            line.chars().take(100).collect(),
        ]
    }));
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{
        "passed": true,
        "tests": [{ "client": "claude", "passed": true, "live": {
            "client": "claude", "version": "2.1.325 (Claude Code)", "passed": true,
            "verdict": { "en": "the guard stopped what it refuses", "zh": "守卫" },
            "without": { "canary": true, "milliseconds": 904, "results": ["", "HEAD is now at"] },
            "with": { "canary": false, "milliseconds": 1250, "results": ["", "no:\n  refused"] }
        }}]}"#;

    #[test]
    fn the_table_says_what_was_seen() {
        let proofs = [parse(ANSWER, "claude").unwrap()];
        let expected = "\
client  version                without  with    seconds    passed  the model was told
claude  2.1.325 (Claude Code)  present  absent  0.9 + 1.2  yes     no: refused
";
        assert_eq!(table(&proofs), expected);
        assert_eq!(judge(&proofs), Ok(()));
    }

    /// HOOK-1.5: a canary that does not behave is a failure, whatever the answer calls it.
    #[test]
    fn a_canary_that_does_not_behave_refuses() {
        let check = |from: &str, to: &str| {
            let proof = parse(&ANSWER.replace(from, to), "claude").unwrap();
            let text = "`claude`: the guard stopped what it refuses".to_owned();
            assert_eq!(judge(&[proof]), Err(Failure::Refused(text)), "{to}");
        };
        check("\"passed\": true,\n            \"verdict\"", "\"passed\": false, \"verdict\"");
        check("{\n        \"passed\": true", "{ \"passed\": false");
        check("\"canary\": true", "\"canary\": false");
        check("\"canary\": false", "\"canary\": true");
    }

    #[test]
    fn an_answer_without_a_proof_is_none() {
        let check = |text: &str, expected: &str| {
            let actual = parse(text, "claude").unwrap_err().to_string();
            assert!(actual.contains(expected), "{actual}");
        };
        check("", "cannot read the proof");
        check("{}", "cannot read the proof");
        check(r#"{"passed": true, "tests": [{"live": null}]}"#, "`claude` was not driven");
        let other = ANSWER.replace("\"client\": \"claude\"", "\"client\": \"codex\"");
        check(&other, "`claude` was not driven");
    }
}
