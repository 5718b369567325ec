//! The ladder: how strong the evidence of a criterion is.
//!
//! What a command proves is found out by running it with and without the work, with and without the
//! delivered tests. Here it is decided what that means for a criterion: who wrote the command,
//! whether it runs anything, and which other criteria it serves.

mod need;
mod shared;
mod text_only;

use std::collections::BTreeMap;

use provost_kernel::{
    Message, Text,
    story::{Criterion, CriterionClaim, EvidenceProof, VerifyOnBase},
    task::{ProofCorner, ProofEffect, ProofLabel, TestProof},
};

pub use self::{
    need::{is_document, need},
    shared::shared,
    text_only::is_text_only,
};

/// A command of a criterion, and what it proves.
#[derive(Clone, Debug)]
pub struct CommandProof<'a> {
    pub command: &'a str,
    /// The plan names it: the agent could not choose it.
    pub is_of_plan: bool,
    /// It runs something of the base that decides: a test runner with tests, a script, a target.
    pub runs_base: bool,
    pub proof: &'a TestProof,
}

/// What a label says of the evidence.
#[derive(Debug, Message)]
#[message(code = "story.strength")]
enum Strength {
    #[message(en = "it was red before the change and is green now", zh = "改动之前失败，现在通过")]
    Proven,
    #[message(en = "the agent wrote or chose the check itself", zh = "检查由智能体自己编写或选定")]
    Shown,
    #[message(en = "it passes with and without the change", zh = "有没有此改动都通过")]
    Holds,
    #[message(en = "it looks at a text and runs nothing", zh = "它只查看文本，没有运行任何东西")]
    Present,
    #[message(en = "a file was named, and nothing was run", zh = "只指明了文件，没有运行任何东西")]
    Claimed,
    #[message(en = "it would pass whatever the product does", zh = "无论产品如何，它都会通过")]
    Hollow,
    #[message(en = "the tests of the base contradict it", zh = "基准版本的测试与之矛盾")]
    Contradicted,
    #[message(en = "it could not be run", zh = "它无法运行")]
    NotRun,
}

/// Why evidence has a label.
pub fn reason(label: ProofLabel) -> Text {
    let strength = match label {
        ProofLabel::Proven => Strength::Proven,
        ProofLabel::Shown => Strength::Shown,
        ProofLabel::Holds => Strength::Holds,
        ProofLabel::Present => Strength::Present,
        ProofLabel::Claimed => Strength::Claimed,
        ProofLabel::Hollow => Strength::Hollow,
        ProofLabel::Contradicted => Strength::Contradicted,
        ProofLabel::NotRun => Strength::NotRun,
    };
    strength.text()
}

/// The files that a criterion names as evidence, with their texts where they have one.
pub type FileTexts = BTreeMap<String, String>;

/// How strong the evidence of a criterion is.
pub fn proof(
    criterion: &Criterion,
    claim: &CriterionClaim,
    commands: &[CommandProof<'_>],
    files: &FileTexts,
) -> EvidenceProof {
    let labels = commands.iter().map(|it| label(it, claim));
    let label = match labels.reduce(stronger) {
        Some(label) => label,
        None if is_quoted(criterion, files) => ProofLabel::Present,
        None => ProofLabel::Claimed,
    };
    let findings = commands.iter().flat_map(|it| it.proof.findings.iter());
    let findings = findings.filter(|it| it.code.effect() > ProofEffect::Notice).cloned().collect();
    EvidenceProof {
        label,
        findings,
        new_tests: commands.iter().filter_map(|it| new_tests(it.proof)).max(),
        verify_on_base: commands.iter().filter(|it| it.is_of_plan).find_map(verify_on_base),
    }
}

/// What one command is worth.
fn label(it: &CommandProof<'_>, claim: &CriterionClaim) -> ProofLabel {
    let is_text = is_text_only(it.command);
    match it.proof.label {
        ProofLabel::Proven | ProofLabel::Shown if is_text => ProofLabel::Present,
        // A test that was green before says nothing about the work, whatever else is new.
        ProofLabel::Proven | ProofLabel::Shown if names_old_tests(it.proof, claim) => {
            ProofLabel::Holds
        }
        // The agent chose what is looked at, and how.
        ProofLabel::Proven if !it.is_of_plan && !it.runs_base => ProofLabel::Shown,
        label @ (ProofLabel::Proven
        | ProofLabel::Shown
        | ProofLabel::Holds
        | ProofLabel::Present
        | ProofLabel::Claimed
        | ProofLabel::Hollow
        | ProofLabel::Contradicted
        | ProofLabel::NotRun) => label,
    }
}

/// The label of two commands: what accuses goes first, then what proves more.
fn stronger(a: ProofLabel, b: ProofLabel) -> ProofLabel {
    let rank = |label: ProofLabel| match label {
        ProofLabel::Contradicted => 0,
        ProofLabel::Hollow => 1,
        ProofLabel::NotRun => 2,
        ProofLabel::Proven => 3,
        ProofLabel::Shown => 4,
        ProofLabel::Holds => 5,
        ProofLabel::Present => 6,
        ProofLabel::Claimed => 7,
    };
    if rank(a) <= rank(b) { a } else { b }
}

/// Whether a criterion names tests, and all of them were green before the work.
fn names_old_tests(proof: &TestProof, claim: &CriterionClaim) -> bool {
    let Some(new) = &proof.new_tests else { return false };
    let is_new = |test: &String| new.iter().any(|it| it.contains(test.as_str()));
    !claim.tests.is_empty() && !claim.tests.iter().any(is_new)
}

fn new_tests(proof: &TestProof) -> Option<u32> {
    proof.new_tests.as_ref().map(|it| u32::try_from(it.len()).unwrap_or(u32::MAX))
}

fn verify_on_base(it: &CommandProof<'_>) -> Option<VerifyOnBase> {
    let base = it.proof.runs.iter().find(|run| run.corner == ProofCorner::Base)?;
    Some(ended_on_base(base.rc))
}

/// How a command ended on the base.
pub fn ended_on_base(rc: i32) -> VerifyOnBase {
    match rc {
        0 => VerifyOnBase::Green,
        126 | 127 => VerifyOnBase::Missing,
        _ => VerifyOnBase::Red,
    }
}

/// Whether a file holds what the criterion quotes, or is the document that the criterion names.
fn is_quoted(criterion: &Criterion, files: &FileTexts) -> bool {
    let quotes = need::quotes(&criterion.text);
    let holds_all = |text: &String| quotes.iter().all(|it| text.contains(it.as_str()));
    let is_named = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        !name.is_empty() && criterion.text.contains(name)
    };
    files.iter().any(|(path, text)| {
        let is_document = need::is_document(path) && is_named(path);
        if quotes.is_empty() { is_document } else { holds_all(text) }
    })
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::{ProofCode, ProofFinding, ProofLevel, ProofRun};
    use serde_json::{Value, json};

    use super::*;

    fn test_proof(label: ProofLabel, new: Option<&[&str]>) -> TestProof {
        TestProof {
            level: ProofLevel::Standard,
            command: String::new(),
            label,
            runs: vec![ProofRun {
                corner: ProofCorner::Base,
                rc: 1,
                wall_ms: 0,
                passed: None,
                failed: None,
                skipped: None,
            }],
            findings: Vec::new(),
            changed_tests: Vec::new(),
            digest: None,
            new_tests: new.map(|it| it.iter().map(|it| (*it).to_owned()).collect()),
        }
    }

    fn criterion(text: &str) -> Criterion {
        let digest = provost_kernel::Digest::of_bytes(text.as_bytes());
        let text = text.to_owned();
        Criterion { id: "AC-1".parse().unwrap(), text, digest, verify: None, need: None }
    }

    fn of(claim: &Value, commands: &[CommandProof<'_>]) -> ProofLabel {
        let claim: CriterionClaim = serde_json::from_value(claim.clone()).unwrap();
        proof(&criterion("it works"), &claim, commands, &FileTexts::new()).label
    }

    /// PROOF-5: who could write the check decides between proven and shown.
    #[test]
    fn a_command_that_the_agent_chose_is_shown_unless_it_runs_tests_of_the_base() {
        use ProofLabel::{Holds, Hollow, Present, Proven, Shown};
        let found = test_proof(Proven, None);
        let check = |command, is_of_plan, runs_base, expected| {
            let it = CommandProof { command, is_of_plan, runs_base, proof: &found };
            assert_eq!(of(&json!({"command": command}), &[it]), expected, "{command}");
        };
        check("make check", true, true, Proven);
        check("make check", false, true, Proven);
        check("sh greet.sh | grep -qx hello", false, false, Shown);
        check("sh greet.sh | grep -qx hello", true, false, Proven);
        check("grep -q hello greet.sh", false, false, Present);
        check("grep -q hello greet.sh", true, false, Present);
        let holds = test_proof(Holds, None);
        let hollow = test_proof(Hollow, None);
        let with = |proof| CommandProof {
            command: "make check",
            is_of_plan: false,
            runs_base: true,
            proof,
        };
        assert_eq!(of(&json!({}), &[with(&holds), with(&found)]), Proven);
        assert_eq!(of(&json!({}), &[with(&hollow), with(&found)]), Hollow);
    }

    #[test]
    fn a_named_test_carries_the_proof_only_if_it_is_new() {
        let found = test_proof(ProofLabel::Proven, Some(&["tests/test_a.py::A::test_new"]));
        let it = || CommandProof {
            command: "npm test",
            is_of_plan: false,
            runs_base: true,
            proof: &found,
        };
        assert_eq!(of(&json!({"tests": ["test_new"]}), &[it()]), ProofLabel::Proven);
        assert_eq!(of(&json!({"tests": ["test_old"]}), &[it()]), ProofLabel::Holds);
    }

    /// STORY-6.1: a file that was touched proves nothing by itself.
    #[test]
    fn a_file_shows_what_the_criterion_quotes() {
        let files = |path: &str, text: &str| FileTexts::from([(path.to_owned(), text.to_owned())]);
        let check = |text: &str, files: &FileTexts, expected| {
            let claim = CriterionClaim::default();
            let found = proof(&criterion(text), &claim, &[], files);
            assert_eq!(found.label, expected, "{text}");
        };
        let readme = files("README.md", "Run `make install`.\n");
        check("the README says `make install`", &readme, ProofLabel::Present);
        check("the README says `make uninstall`", &readme, ProofLabel::Claimed);
        check("README.md exists", &readme, ProofLabel::Present);
        check("说明文件写明“Run”", &readme, ProofLabel::Present);
        check("it says hello", &readme, ProofLabel::Claimed);
        check("greet.sh says hello", &files("greet.sh", "echo hello"), ProofLabel::Claimed);
    }

    #[test]
    fn what_accuses_is_kept_and_what_only_informs_is_not() {
        let mut found = test_proof(ProofLabel::Contradicted, None);
        found.findings = vec![
            ProofFinding::whole(ProofCode::CountsUnknown),
            ProofFinding::whole(ProofCode::GreenedByTests),
        ];
        let it = CommandProof {
            command: "make check",
            is_of_plan: true,
            runs_base: true,
            proof: &found,
        };
        let found = proof(&criterion("a"), &CriterionClaim::default(), &[it], &FileTexts::new());
        assert_eq!(found.findings, [ProofFinding::whole(ProofCode::GreenedByTests)]);
        assert_eq!(found.verify_on_base, Some(VerifyOnBase::Red));
    }
}
