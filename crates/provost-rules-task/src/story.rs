//! What an agent hands in for the stories of a task, and what it amounts to for the decision.
//!
//! An agent works in a tree without a server: its claims lie in one file, an update for each story.
//! What provost found is a [`Proofs`]; from here on the agent has no say.

mod declared;
mod handed_in;

use std::{collections::BTreeMap, fmt::Write as _};

use provost_kernel::{
    Finding, Message, Severity, Text, shorten_to,
    story::{
        CriterionId, CriterionStatus, EvidenceLabel, EvidenceResult, GateKind, GateOutcome,
        GateResult, ScopeOutcome, Story,
    },
    task::{CriterionProof, Proofs, Standing, StoryProof},
};
use provost_rules_story::progress::{Progress, label};

pub use self::{
    declared::{declared, object},
    handed_in::{Claim, ClaimProblem, HandedIn, check, read},
};
use super::score::{CheckOutcome, MachineFacts};

/// The most that is kept of what an agent said of a criterion, in characters, and of what its command
/// printed, in bytes.
const SAID: usize = 500;
const OUTPUT: usize = 4096;

/// What the check of one claim came to.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Whether the claim was taken at all.
    pub is_taken: bool,
    /// Whether the story is done, as provost sees it.
    pub passes: bool,
    pub statuses: &'a BTreeMap<CriterionId, CriterionStatus>,
    pub evidence: &'a BTreeMap<CriterionId, EvidenceResult>,
    pub scope: Option<ScopeOutcome>,
}

/// What is proven of a story: of one without a claim, and of one whose claim was refused, nothing.
///
/// A refused claim leaves the statuses of an earlier attempt in place, and those are of another
/// tree.
pub fn proof(story: &Story, found: Option<Found<'_>>) -> StoryProof {
    let taken = found.filter(|it| it.is_taken);
    let criteria = story.criteria.iter().map(|it| {
        let status = taken.and_then(|found| found.statuses.get(&it.id));
        let result = taken.and_then(|found| found.evidence.get(&it.id));
        let strength = result.and_then(|it| it.proof.as_ref());
        CriterionProof {
            id: it.id,
            text: it.text.clone(),
            is_proven: status.is_some_and(|it| it.passes),
            label: status.map_or(EvidenceLabel::NotRun, |it| it.label),
            exit_code: result.and_then(|it| it.exit_code),
            command: status.and_then(|it| it.command.clone()),
            proof: status.and_then(|it| it.proof),
            needs: status.and_then(|it| it.need),
            findings: strength.map(|it| it.findings.clone()).unwrap_or_default(),
            on_base: strength.and_then(|it| it.verify_on_base),
            tree: result.map(|it| it.tree.0.clone()),
            claimed: status.and_then(said).map(|it| shorten_to(it, SAID)),
            output: result.and_then(|it| it.output.as_deref()).map(|it| tail(it).to_owned()),
        }
    });
    let criteria: Vec<CriterionProof> = criteria.collect();
    let is_whole = !criteria.is_empty() && criteria.iter().all(|it| it.is_proven);
    StoryProof {
        story_id: story.id.clone(),
        title: story.title.clone(),
        is_claimed: found.is_some(),
        is_done: is_whole && taken.is_some_and(|it| it.passes),
        criteria,
        gates: Vec::new(),
        scope: found.and_then(|it| it.scope),
        proposal: Vec::new(),
        findings: Vec::new(),
    }
}

/// What the agent said of a criterion: its words, else what it says that its command printed.
fn said(status: &CriterionStatus) -> Option<&str> {
    [&status.evidence, &status.claimed_output, &status.blocked_reason]
        .into_iter()
        .flatten()
        .map(|it| it.trim())
        .find(|it| !it.is_empty())
}

/// The end of what a command printed.
fn tail(output: &str) -> &str {
    &output[output.ceil_char_boundary(output.len().saturating_sub(OUTPUT))..]
}

/// Adds what the claims came to to the facts that lower a decision.
///
/// A task is ready only when every story is done, so each story that is not is one of the facts:
/// by its criteria, by its gates, by its scope, or by itself.
pub fn weigh(proofs: &Proofs, facts: &mut MachineFacts) {
    for story in &proofs.stories {
        let open = story.criteria.iter().filter(|it| !it.is_proven);
        let names = open.map(|it| format!("{} {}", story.story_id, it.id));
        let before = facts.unproven_criteria.len();
        facts.unproven_criteria.extend(names);
        if !story.is_done && facts.unproven_criteria.len() == before {
            facts.open_stories.push(story.story_id.to_string());
        }
        facts.typecheck = worst(facts.typecheck, gate(&story.gates, GateKind::Typecheck));
        facts.build = worst(facts.build, gate(&story.gates, GateKind::Build));
        facts.scope_refused |= story.scope.is_some_and(|it| it != ScopeOutcome::Accepted);
    }
}

fn gate(gates: &[GateResult], kind: GateKind) -> CheckOutcome {
    let of_kind = gates.iter().filter(|it| it.kind == kind);
    of_kind.fold(CheckOutcome::NotRun, |sum, it| {
        worst(
            sum,
            match it.outcome {
                GateOutcome::Passed => CheckOutcome::Passed,
                GateOutcome::Failed => CheckOutcome::Failed,
                GateOutcome::NotRun | GateOutcome::NotApplicable | GateOutcome::NotConfigured => {
                    CheckOutcome::NotRun
                }
            },
        )
    })
}

fn worst(one: CheckOutcome, two: CheckOutcome) -> CheckOutcome {
    use CheckOutcome::{Failed, NotRun, Passed};
    match (one, two) {
        (Failed, _) | (_, Failed) => Failed,
        (Passed, _) | (_, Passed) => Passed,
        (NotRun, NotRun) => NotRun,
    }
}

/// What people read of the claims of an attempt.
#[derive(Debug, Message)]
#[message(code = "task.claims")]
enum Claims {
    #[message(en = "{0}", zh = "{0}")]
    Stories(Vec<Text>),
    #[message(en = "no claim was submitted: {0}", zh = "没有提交声明：{0}")]
    NotClaimed(Vec<Text>),
    /// All criteria are proven, but a gate, the scope or the tests are not.
    #[message(en = "{0} (not done)", zh = "{0}（未完成）")]
    NotDone(Text),
    #[message(en = "a way to split the change: {0}", zh = "可如此拆分改动：{0}")]
    Split(Vec<String>),
    #[message(en = "{rule}: {text}", zh = "{rule}：{text}")]
    Problem { rule: String, text: Text },
    #[message(en = "{rule}: {text} ({hint})", zh = "{rule}：{text}（{hint}）")]
    ProblemWithHint { rule: String, text: Text, hint: Text },
}

/// Whether the claims are proven, and which stories are how far.
pub fn checked(proofs: &Proofs) -> (Standing, Text) {
    let labels = proofs.stories.iter().map(|it| {
        let (passing, total) = it.count();
        let text = label(&it.story_id, Progress { passing, total });
        let is_open = passing == total && !it.is_done;
        if is_open { Claims::NotDone(text).text() } else { text }
    });
    let labels = labels.collect();
    if !proofs.stories.is_empty() && proofs.stories.iter().all(|it| it.is_done) {
        return (Standing::Verified, Claims::Stories(labels).text());
    }
    if proofs.stories.iter().any(|it| it.is_claimed) {
        return (Standing::Failed, Claims::Stories(labels).text());
    }
    (Standing::NotVerified, Claims::NotClaimed(labels).text())
}

/// Everything that was noticed, each with the story that it is about.
pub fn findings(proofs: &Proofs) -> Vec<Finding> {
    let of_story = |story: &StoryProof| {
        let id = story.story_id.clone();
        let named = story.findings.clone().into_iter().map(move |it| {
            let subject = format!("{id} {}", it.subject).trim_end().to_owned();
            Finding { subject, ..it }
        });
        named.collect::<Vec<_>>()
    };
    let own = proofs.findings.iter().cloned();
    own.chain(proofs.stories.iter().flat_map(of_story)).collect()
}

/// What the next attempt should know of the claims of this one, and what to do about it.
pub fn feedback(proofs: &Proofs) -> Vec<Text> {
    let grave = findings(proofs).into_iter().filter(|it| it.severity <= Severity::P1);
    let line = |it: Finding| {
        let rule = format!("{} {}", it.rule, it.subject).trim_end().to_owned();
        match it.hint {
            Some(hint) => Claims::ProblemWithHint { rule, text: it.message, hint }.text(),
            None => Claims::Problem { rule, text: it.message }.text(),
        }
    };
    let split = proofs.stories.iter().flat_map(|it| &it.proposal);
    let split = split.map(|files| Claims::Split(files.clone()).text());
    // Several stories share one tree: what is wrong with it is said once.
    let mut lines: Vec<Text> = Vec::new();
    for it in grave.map(line).chain(split) {
        if !lines.contains(&it) {
            lines.push(it);
        }
    }
    lines
}

/// What a judge is told as facts: labels and exit codes, and nothing that an agent wrote.
pub fn lines(proofs: &Proofs) -> String {
    let mut text = String::from(
        "claims: provost ran the agent's evidence itself, on a clean checkout. A criterion that is \
         not proven cannot be approved.\n",
    );
    for story in &proofs.stories {
        let id = &story.story_id;
        let (passing, total) = story.count();
        let done = if story.is_done { "done" } else { "not done" };
        let claimed = if story.is_claimed { "" } else { ", nothing was claimed" };
        let _ = writeln!(text, "{id}: {passing} of {total} criteria proven, {done}{claimed}");
        for it in &story.criteria {
            let proven = if it.is_proven { "proven" } else { "not proven" };
            let exit = it.exit_code.map(|it| format!(", exit code {it}")).unwrap_or_default();
            let _ = writeln!(text, "{id} {}: {proven} ({}{exit})", it.id, it.label);
        }
        for it in &story.gates {
            let exit = it.exit_code.map(|it| format!(", exit code {it}")).unwrap_or_default();
            let _ = writeln!(text, "{id} {}: {}{exit}", it.kind, it.outcome);
        }
        if let Some(scope) = story.scope {
            let _ = writeln!(text, "{id} scope: {scope}");
        }
    }
    text
}

/// What the criteria say and by what they were claimed to be proven, for a fence.
pub fn claims(proofs: &Proofs) -> String {
    let mut text = String::new();
    for story in &proofs.stories {
        for it in &story.criteria {
            let _ = writeln!(text, "{} {}: {}", story.story_id, it.id, it.text);
            if let Some(command) = &it.command {
                let _ = writeln!(text, "  command: {command}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
