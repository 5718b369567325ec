//! Gathers facts for a verdict: the gates, and the evidence of every criterion that needs proof.

use std::collections::{BTreeMap, BTreeSet};

use provost_desk::story::Stories;
use provost_kernel::{
    Finding, Message as _,
    story::{
        BaseRun, Criterion, CriterionClaim, CriterionId, EvidenceLabel, EvidenceProof,
        EvidenceResult, Execution, GateKind, GateOutcome, GateResult, GateRun, KeptEvidence, Story,
        StoryUpdate,
    },
    task::{ProofLevel, TestProof},
};
use provost_rules_proof::{
    class::{Class, Classes},
    paths::PathPatterns,
    plant::GateKind as GateError,
};
use provost_rules_story::{
    claim,
    evidence::{self, CommandRun, EvidenceFacts},
    gates::{self, Gate, GatePlan, TestCommand},
    proof::{self, CommandProof},
};

use super::{
    StoryError, home,
    proof_runner::{CommandAuthor, CompletedCommand, Obstacle, ProofRunner, ProvenCommand},
    worktree_snapshot::WorktreeSnapshot,
};
use crate::{Engine, proof::Noticed};

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
    /// How commands came out on the base, where that was not known.
    pub(super) bases: Vec<BaseRun>,
    pub(super) tampering: Vec<Finding>,
    /// The change touches the product.
    pub(super) changes_product: bool,
}

/// What all criteria share.
struct Context<'a> {
    stories: &'a Stories<'a>,
    again: Again,
    files: BTreeSet<String>,
    changed: BTreeSet<String>,
    tests: Option<TestCommand>,
    /// A command that proves several criteria runs once.
    ran: BTreeMap<Order, CompletedCommand>,
    /// Tests that the work may change.
    leave: Vec<String>,
    /// What a command proves.
    proven: BTreeMap<Order, ProvenCommand>,
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
    let settings = engine.settings;
    let configured = &settings.gates;
    let classes = Classes::default().configured(&settings.proof_tests, &settings.proof_product);
    let is_product = |it: &&str| classes.of(it) == Class::Product && !proof::is_document(it);
    let product: Vec<String> =
        counted.iter().copied().filter(is_product).map(str::to_owned).collect();
    let planned = worktree.with_gate_base(|base| gates::plan(configured, base, &counted));
    let tests = worktree.with_gate_base(|base| gates::tests(configured, base, &counted));
    let wanted = wanted(worktree, subject);
    runner.share_builds(&planned, &commands(&wanted, tests.as_ref()));
    let mut hollow = Vec::new();
    let gates = if let Some(known) = subject.gates {
        known.to_vec()
    } else if update.passes {
        let runs = check(&mut runner, stories, worktree, &planned, subject.again)?;
        for (gate, run) in planned.iter().zip(&runs) {
            hollow.extend(hollow_gate(engine, &runner, gate, run, &product)?);
        }
        runs
    } else {
        Vec::new()
    };
    let mut context = Context {
        stories,
        again: subject.again,
        files: worktree.delivered.plain().map(str::to_owned).collect(),
        changed: worktree.deltas.iter().map(|it| it.path.clone()).collect(),
        tests,
        ran: BTreeMap::new(),
        leave: story.tests_may_change.clone(),
        proven: BTreeMap::new(),
    };
    let mut results = BTreeMap::new();
    for (criterion, claim) in wanted {
        let result = context.look_at(&mut runner, worktree, (criterion, &claim))?;
        results.insert(criterion.id, result);
    }
    let leave = PathPatterns::new(story.tests_may_change.iter().map(String::as_str));
    let mut tampering = worktree.tampering(&leave)?;
    tampering
        .extend(runner.left_out().iter().map(|it| claim::not_prepared(&it.lock_file, it.text())));
    tampering.extend(home::findings(engine, execution));
    if !worktree.still_holds()? {
        tampering.push(claim::moved());
    }
    tampering.extend(hollow);
    let changes_product = !product.is_empty();
    let bases = context.proven.into_values().filter_map(|it| it.base).collect();
    Ok(Gathered { evidence: results, gates, bases, tampering, changes_product })
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
        let is_known = claim::is_known(known, &worktree.tree);
        let is_open = again == Again::Everything || (update.passes && !is_known);
        if is_claimed && (is_new || is_open) {
            wanted.push((criterion, known.claim.clone()));
        }
    }
    wanted
}

/// Every command that is run for these claims, with its folder.
fn commands<'a>(
    wanted: &'a [(&Criterion, CriterionClaim)],
    tests: Option<&'a TestCommand>,
) -> Vec<(&'a str, &'a str)> {
    let claimed = wanted.iter().filter_map(|(_, it)| {
        Some((it.command.as_deref()?, it.cwd.as_deref().unwrap_or_default()))
    });
    let of_plan = wanted.iter().filter_map(|(it, _)| Some((it.verify.as_deref()?, "")));
    let tests = tests.map(|it| (it.command.as_str(), it.folder.as_str()));
    claimed.chain(of_plan).chain(tests).collect()
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
                    let ran = runner.run_gate(command, &gate.folder)?;
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

/// What is to be said of a gate that passed and does not look at the change.
fn hollow_gate(
    engine: &Engine<'_>,
    runner: &ProofRunner<'_>,
    gate: &Gate,
    run: &GateRun,
    product: &[String],
) -> Result<Option<Finding>, StoryError> {
    let (GatePlan::Run(command), GateOutcome::Passed) = (&gate.plan, run.result.outcome) else {
        return Ok(None);
    };
    let (kinds, is_asked): (&[GateError], fn(&str) -> bool) = match gate.kind {
        GateKind::Typecheck => (&[GateError::Type, GateError::Syntax], gates::has_types),
        GateKind::Build => (&[GateError::Syntax], |_| true),
        GateKind::Test | GateKind::Lint | GateKind::Custom => return Ok(None),
    };
    let changed: Vec<String> = product.iter().filter(|it| is_asked(it)).cloned().collect();
    if engine.settings.proof_level < ProofLevel::Standard || changed.is_empty() {
        return Ok(None);
    }
    let (now, before) = runner.prove_gate(command, &gate.folder, kinds, &changed)?;
    let name = if gate.name.is_empty() { gate.kind.as_str() } else { &gate.name };
    Ok(match (now, before) {
        (Noticed::NotAsked | Noticed::All, _) => None,
        (Noticed::Syntax, _) => Some(gates::syntax_only(name)),
        (Noticed::Nothing, Noticed::All | Noticed::Syntax) => Some(gates::hollow(name)),
        (Noticed::Nothing, Noticed::NotAsked | Noticed::Nothing) => Some(gates::blind(name)),
    })
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

impl Context<'_> {
    fn look_at(
        &mut self,
        runner: &mut ProofRunner<'_>,
        worktree: &WorktreeSnapshot,
        (criterion, claim): (&Criterion, &CriterionClaim),
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
        let facts = EvidenceFacts {
            claim,
            tree: &worktree.tree,
            runs: &runs,
            files: &self.files,
            changed: &self.changed,
            kept_at: kept_at.as_deref(),
        };
        let mut result = evidence::result(facts);
        if result.label == EvidenceLabel::Reproduced {
            result.proof = Some(self.prove(runner, worktree, (criterion, claim), &commands)?);
        }
        Ok(result)
    }

    /// How strong the evidence of a criterion is that was reproduced.
    fn prove(
        &mut self,
        runner: &ProofRunner<'_>,
        worktree: &WorktreeSnapshot,
        (criterion, claim): (&Criterion, &CriterionClaim),
        commands: &[Order],
    ) -> Result<EvidenceProof, StoryError> {
        for order in commands {
            if !self.proven.contains_key(order) {
                let found = self.prove_command(runner, order)?;
                self.proven.insert(order.clone(), found);
            }
        }
        let found = commands.iter().filter_map(|it| Some((it, self.proven.get(it)?)));
        let found: Vec<CommandProof<'_>> = found
            .map(|((command, ..), it)| CommandProof {
                command,
                is_of_plan: criterion.verify.as_ref() == Some(command),
                runs_base: it.runs_base,
                proof: &it.proof,
            })
            .collect();
        let files = worktree.texts(claim.files.iter().map(|it| evidence::file_of(it)))?;
        Ok(proof::proof(criterion, claim, &found, &files))
    }

    fn prove_command(
        &mut self,
        runner: &ProofRunner<'_>,
        order: &Order,
    ) -> Result<ProvenCommand, StoryError> {
        let (command, folder, author) = order;
        // Without a change, the base is what was run.
        if self.changed.is_empty() {
            let proof = TestProof::unchanged(command);
            return Ok(ProvenCommand { proof, runs_base: true, base: None });
        }
        let key = runner.base_key(command, folder, *author);
        let known = match (self.again, key) {
            (Again::Needed, Some(key)) => self.stories.store().base_run(&key)?,
            (Again::Needed | Again::Everything, _) => None,
        };
        runner.prove(command, folder, *author, &self.leave, known)
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
        let ran = runner.run_alone(command, folder, author)?;
        // What is refused as an agent's word may still be run as a person's.
        if matches!(ran.run, CommandRun::Ended { .. }) {
            self.ran.insert(key, ran.clone());
        }
        Ok(ran)
    }
}
