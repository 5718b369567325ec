//! Gathers facts for a verdict: the gates, and the evidence of every criterion that needs proof.

use std::collections::{BTreeMap, BTreeSet};

use provost_desk::story::Stories;
use provost_kernel::{
    Finding, Message as _,
    story::{
        BaseTests, Criterion, CriterionClaim, CriterionId, EvidenceLabel, EvidenceResult,
        Execution, GateOutcome, GateResult, GateRun, KeptEvidence, Story, StoryUpdate, TestFacts,
        TreeId,
    },
};
use provost_rules_story::{
    claim, collected,
    evidence::{self, CommandRun, EvidenceFacts},
    gates::{self, Gate, GatePlan, TestCommand},
};

use super::{
    StoryError, home,
    proof_runner::{CommandAuthor, CompletedCommand, Obstacle, ProofRunner},
    worktree_snapshot::WorktreeSnapshot,
};
use crate::Engine;

/// What is to be proven.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) execution: &'a Execution,
    pub(super) story: &'a Story,
    pub(super) update: &'a StoryUpdate,
    pub(super) kept: &'a BTreeMap<CriterionId, KeptEvidence>,
    pub(super) again: Again,
    /// The gates, where they were run on this very tree a moment ago.
    pub(super) gates: Option<&'a [GateRun]>,
}

/// Whether what is known of this very tree is looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// What an update claims anew, and what is not known.
    Needed,
    Everything,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) evidence: BTreeMap<CriterionId, EvidenceResult>,
    pub(super) gates: Vec<GateRun>,
    pub(super) tampering: Vec<Finding>,
}

/// What all criteria share.
struct Context {
    files: BTreeSet<String>,
    changed: BTreeSet<String>,
    tests: Option<TestCommand>,
    /// The tree of the base.
    base: TreeId,
    /// A command that proves several criteria runs once.
    ran: BTreeMap<Order, CompletedCommand>,
    /// What a command comes to on the base.
    before: BTreeMap<Order, CommandRun>,
}

/// A command, the folder in which it runs, and whose word it is.
type Order = (String, String, CommandAuthor);

/// Looks at everything that a verdict on this update needs.
pub(super) fn gather(
    engine: &Engine<'_>,
    stories: &Stories<'_>,
    worktree: &WorktreeSnapshot,
    subject: Subject<'_>,
) -> Result<Gathered, StoryError> {
    let Subject { execution, story, update, .. } = subject;
    let mut runner = ProofRunner::open(engine, worktree, &execution.id, &story.id)?;
    let counted = worktree.counted();
    let configured = &engine.settings.gates;
    let gates = if let Some(known) = subject.gates {
        known.to_vec()
    } else if update.passes {
        let planned = worktree.with_gate_base(|base| gates::plan(configured, base, &counted));
        check(&mut runner, stories, worktree, &planned, subject.again)?
    } else {
        Vec::new()
    };
    let mut context = Context {
        files: worktree.delivered.plain().map(str::to_owned).collect(),
        changed: worktree.deltas.iter().map(|it| it.path.clone()).collect(),
        tests: worktree.with_gate_base(|base| gates::tests(configured, base, &counted)),
        base: worktree.base_tree()?,
        ran: BTreeMap::new(),
        before: BTreeMap::new(),
    };
    let mut results = BTreeMap::new();
    for (criterion, claim) in wanted(worktree, subject) {
        let known = subject.kept.get(&criterion.id);
        let result = context.look_at(&mut runner, worktree, (criterion, &claim, known))?;
        results.insert(criterion.id, result);
    }
    let mut tampering = worktree.tampering()?;
    tampering
        .extend(runner.left_out().iter().map(|it| claim::not_prepared(&it.lock_file, it.text())));
    tampering.extend(home::findings(engine, execution));
    if !worktree.still_holds()? {
        tampering.push(claim::moved());
    }
    Ok(Gathered { evidence: results, gates, tampering })
}

/// The criteria that are looked at, each with the claim as it stands after the update.
fn wanted<'a>(
    worktree: &WorktreeSnapshot,
    subject: Subject<'a>,
) -> Vec<(&'a Criterion, CriterionClaim)> {
    let Subject { story, update, kept, again, .. } = subject;
    let merged = claim::merge(kept, update, &BTreeMap::new());
    let mut wanted = Vec::new();
    for criterion in &story.criteria {
        let Some(known) = merged.get(&criterion.id) else { continue };
        let is_claimed = known.claim.is_claimed() && known.claim.is_checkable();
        let is_new = update.criteria.contains_key(&criterion.id);
        let is_known = claim::label(known, &worktree.tree) == EvidenceLabel::Reproduced;
        let is_open = again == Again::Everything || (update.passes && !is_known);
        if is_claimed && (is_new || is_open) {
            wanted.push((criterion, known.claim.clone()));
        }
    }
    wanted
}

/// Runs the gates; one that passed with this command on this tree need not run again.
fn check(
    runner: &mut ProofRunner<'_>,
    stories: &Stories<'_>,
    worktree: &WorktreeSnapshot,
    planned: &[Gate],
    again: Again,
) -> Result<Vec<GateRun>, StoryError> {
    let mut runs = Vec::new();
    for gate in planned {
        let result = |command: Option<&str>, outcome, exit_code| GateResult {
            kind: gate.kind,
            name: gate.name.clone(),
            command: command.map(str::to_owned),
            outcome,
            exit_code,
            tree: worktree.tree.clone(),
            required: true,
        };
        let run = match (&gate.plan, gates::outcome(&gate.plan)) {
            (GatePlan::Run(command), _) => {
                if let Some(known) = passed(stories, worktree, gate, command, again)? {
                    known
                } else {
                    runner.renew()?;
                    let ran = runner.run(command, &gate.folder, CommandAuthor::Person)?;
                    let (outcome, exit_code) = gates::ran(&ran.run);
                    GateRun {
                        result: result(Some(command), outcome, exit_code),
                        duration_ms: ran.wall.as_millis().try_into().unwrap_or(u64::MAX),
                        log_path: ran.kept_at,
                    }
                }
            }
            (GatePlan::NotApplicable | GatePlan::NotConfigured, outcome) => GateRun {
                result: result(None, outcome.unwrap_or(GateOutcome::NotConfigured), None),
                duration_ms: 0,
                log_path: None,
            },
        };
        runs.push(run);
    }
    Ok(runs)
}

/// The newest run of a gate with this command on this tree, if it passed and need not run again.
fn passed(
    stories: &Stories<'_>,
    worktree: &WorktreeSnapshot,
    gate: &Gate,
    command: &str,
    again: Again,
) -> Result<Option<GateRun>, StoryError> {
    if again == Again::Everything {
        return Ok(None);
    }
    let name = if gate.name.is_empty() { gate.kind.as_str() } else { &gate.name };
    let known = stories.store().gate_run(&worktree.tree, name, command)?;
    Ok(known.filter(|it| {
        let GateResult { kind, name, outcome, exit_code, .. } = &it.result;
        (*kind, name) == (gate.kind, &gate.name)
            && (*outcome, *exit_code) == (GateOutcome::Passed, Some(0))
    }))
}

impl Context {
    fn look_at(
        &mut self,
        runner: &mut ProofRunner<'_>,
        worktree: &WorktreeSnapshot,
        (criterion, claim, known): (&Criterion, &CriterionClaim, Option<&KeptEvidence>),
    ) -> Result<EvidenceResult, StoryError> {
        let mut runs = Vec::new();
        let mut commands = Vec::new();
        let command = claim.command.as_deref().filter(|it| !it.trim().is_empty());
        let is_of_plan = command.is_some() && command == criterion.verify.as_deref();
        if let Some(command) = command {
            let author = if is_of_plan { CommandAuthor::Person } else { CommandAuthor::Agent };
            let folder = claim.cwd.as_deref().unwrap_or_default();
            runs.push(self.run(runner, command, folder, author)?);
            commands.push((command.to_owned(), folder.to_owned(), author));
        }
        if let Some(verify) = criterion.verify.as_deref().filter(|_| !is_of_plan) {
            runs.push(self.run(runner, verify, "", CommandAuthor::Person)?);
            commands.push((verify.to_owned(), String::new(), CommandAuthor::Person));
        }
        if !claim.tests.is_empty() && command.is_none() {
            runs.push(match self.tests.clone() {
                Some(TestCommand { folder, command }) => {
                    commands.push((command.clone(), folder.clone(), CommandAuthor::Person));
                    self.run(runner, &command, &folder, CommandAuthor::Person)?
                }
                None => CompletedCommand {
                    run: CommandRun::NotRun { why: Obstacle::NoTestCommand.text() },
                    wall: std::time::Duration::ZERO,
                    kept_at: None,
                },
            });
        }
        let kept_at = runs.iter().find_map(|it| it.kept_at.clone());
        let runs: Vec<CommandRun> = runs.into_iter().map(|it| it.run).collect();
        let is_same =
            |it: &&KeptEvidence| it.claim.command == claim.command && it.claim.cwd == claim.cwd;
        let before = known.filter(is_same).and_then(|it| it.result.as_ref()?.base.clone());
        let before = before.filter(|it| it.tree == self.base);
        let base = match before {
            Some(before) => Some(before),
            None => self.on_base(runner, &commands, &runs)?,
        };
        let facts = EvidenceFacts {
            claim,
            tree: &worktree.tree,
            runs: &runs,
            files: &self.files,
            changed: &self.changed,
            base: base.as_ref(),
            kept_at: kept_at.as_deref(),
        };
        Ok(evidence::result(facts))
    }

    /// What the commands come to on the base: those that found tests, and the agent's own, which
    /// should show something that was not there before.
    fn on_base(
        &mut self,
        runner: &mut ProofRunner<'_>,
        commands: &[Order],
        runs: &[CommandRun],
    ) -> Result<Option<BaseTests>, StoryError> {
        let (mut tests, mut passes) = (TestFacts::default(), None);
        let is_good = |run: &CommandRun| matches!(run, CommandRun::Ended { exit_code: 0, .. });
        for (order, run) in commands.iter().zip(runs) {
            let (command, folder, author) = order;
            let is_counted = collected::of_run(run).collected.is_some_and(|it| it > 0);
            let is_asked =
                *author == CommandAuthor::Agent && is_good(run) && !self.changed.is_empty();
            if !is_counted && !is_asked {
                continue;
            }
            let before = match self.before.get(order) {
                Some(before) => before.clone(),
                None => runner.run_on_base(command, folder, *author)?.run,
            };
            if is_counted {
                tests = collected::sum(tests, collected::of_run(&before));
            }
            if is_asked {
                passes = Some(is_good(&before));
            }
            self.before.insert(order.clone(), before);
        }
        let is_known = tests.collected.is_some() || passes.is_some();
        Ok(is_known.then(|| BaseTests { tree: self.base.clone(), tests, passes }))
    }

    fn run(
        &mut self,
        runner: &mut ProofRunner<'_>,
        command: &str,
        folder: &str,
        author: CommandAuthor,
    ) -> Result<CompletedCommand, StoryError> {
        let key = (command.to_owned(), folder.to_owned(), author);
        if let Some(known) = self.ran.get(&key) {
            return Ok(known.clone());
        }
        runner.renew()?;
        let ran = runner.run(command, folder, author)?;
        // What is refused as an agent's word may still be run as a person's.
        if matches!(ran.run, CommandRun::Ended { .. }) {
            self.ran.insert(key, ran.clone());
        }
        Ok(ran)
    }
}
