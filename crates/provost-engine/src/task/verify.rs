//! Verifies a branch without an agent and without a task: what an attempt goes through after its
//! coder, with the configuration of the base. The repository is read, and nothing else.

mod change;
mod checks;
mod report;
mod target;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use provost_exec::git::{ObjectId, tree::TreeFiles};
use provost_kernel::{
    Message as _, Text,
    message::Phrase,
    shorten,
    task::{
        BaseTest, Check, Excerpt, ProofFinding, ProofLabel, Standing, Strictness, TaskSpec,
        TestOutcome, TestProof,
    },
};
use provost_rules_task::{
    checks::CheckNote,
    score::{Ask, MachineFacts},
    verification::{BranchFacts, VerifyError, VerifyNote, gaps, judge, proof_finding, proof_note},
};

use self::change::Change;
pub use self::{
    report::{VerifyCheck, VerifyFinding, VerifyReport},
    target::{VerifyTarget, resolve},
};
use super::{
    bench::Bench,
    trial::{TrialStep, TrialUpdate, millis},
};
use crate::{
    Engine, EngineError,
    preparation::{Layer, NotReady, Preparation},
    proof::{ProofRequest, Prover},
};

/// How long one run of the test may take: branches are verified where somebody else sets limits.
const TEST: Duration = Duration::from_mins(30);
/// How many lines and bytes of a red test are shown.
const PRINTED: (usize, usize) = (40, 4000);

/// What is to be verified, and how.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    pub repository: &'a Path,
    pub target: &'a VerifyTarget,
    pub command: &'a str,
    /// What is checked besides.
    pub checks: &'a [Check],
    /// Files and folders that may change; all, where none is named.
    pub paths: &'a [String],
    /// Files and folders of tests that may change.
    pub tests_may_change: &'a [String],
    pub strictness: Strictness,
}

/// What is told while a branch is verified.
#[derive(Clone, Copy, Debug)]
pub enum VerifyUpdate<'a> {
    /// A command of the preparation, or the test.
    Starts(&'a str),
    Prepared(&'a TrialStep),
    Checked(&'a VerifyCheck),
}

/// A branch that is being verified.
struct Verifier<'a, 'w> {
    bench: &'a Bench<'a>,
    request: &'a VerifyRequest<'a>,
    result: ObjectId,
    report: VerifyReport,
    watch: &'w mut dyn FnMut(VerifyUpdate<'_>),
}

/// Verifies a branch. What speaks against it is in the report; an error says that nothing is known.
pub fn verify(
    engine: Engine<'_>,
    request: &VerifyRequest<'_>,
    watch: &mut dyn FnMut(VerifyUpdate<'_>),
) -> Result<VerifyReport, EngineError> {
    let target = request.target;
    let bench = Bench::open(&engine, request.repository, &target.base)?;
    let unknown = || VerifyError::NoSuchRevision { name: target.commit.clone(), nearest: None };
    let result: ObjectId = target.commit.parse().map_err(|_| unknown())?;
    let report = VerifyReport::new(target, request.strictness);
    let verifier = Verifier { bench: &bench, request, result, report, watch };
    let verified = verifier.run();
    // What a signal broke off is not a fault of its own.
    if engine.interrupt.signal().is_some() {
        return Err(VerifyError::Stopped.into());
    }
    verified
}

impl Verifier<'_, '_> {
    fn run(mut self) -> Result<VerifyReport, EngineError> {
        let change = self.change()?;
        if change.is_refused {
            // No part of a change is run before its paths and contents pass.
            for name in ["base", "tests", "proof"] {
                self.checked(name, Standing::NotVerified, &VerifyNote::NotRun, None);
            }
            self.checks_not_run(&VerifyNote::NotRun.text());
            let facts = BranchFacts { is_refused_by_policy: true, ..BranchFacts::default() };
            return self.end(&facts, &change);
        }
        let layer = self.prepare()?;
        let (engine, request) = (self.bench.engine, self.request);
        let folder = self.bench.proofs()?;
        let (source, command) = ((&self.bench.clone, layer.as_ref()), request.command);
        let mut prover = Prover::new(engine, source, folder, command, TEST)?;
        let base = self.base(&mut prover)?;

        (self.watch)(VerifyUpdate::Starts(command));
        let start = Instant::now();
        let (rc, said) = prover.plain(&self.result)?;
        let printed = Excerpt::last_lines(prover.said(), PRINTED.0, PRINTED.1).text;
        let not_ready = prover.not_ready().map(NotReady::text);
        let rc = if not_ready.is_some() && rc == 0 { 1 } else { rc };
        let mut machine =
            MachineFacts { test_rc: Some(rc), asks: change.asks(), ..MachineFacts::default() };
        if rc != 0 {
            let failed = match not_ready {
                Some(why) => {
                    let note = VerifyNote::NotPrepared { why };
                    self.checked("tests", Standing::Failed, &note, Some(start));
                    self.report.red(&note, "");
                    None
                }
                None => Some(prover.recorded(&self.result)?),
            };
            if let Some(recorded) = failed {
                self.report.output = printed;
                self.red(&recorded, rc, &said, start);
            }
            self.checked("proof", Standing::NotVerified, &VerifyNote::NotRun, None);
            self.checks_not_run(&CheckNote::AfterRedTest.text());
            return self.end(&BranchFacts { machine, ..BranchFacts::default() }, &change);
        }
        let note = VerifyNote::Green { command: shorten(command) };
        self.checked("tests", Standing::Verified, &note, Some(start));

        let start = Instant::now();
        (self.watch)(VerifyUpdate::Starts(command));
        let proving =
            ProofRequest { level: engine.settings.proof_level, leave: request.tests_may_change };
        let proof = prover.prove(&proving, &self.result, &base)?;
        machine.test_findings = proof.against(engine.settings.proof_require);
        let unproven = proof.findings.first().filter(|_| proof.label == ProofLabel::NotRun);
        machine.asks.extend(unproven.map(|it| Ask::NotProven { why: it.text() }));
        self.proven(&proof, &machine.test_findings, start);
        let has_gaps = self.run_checks(layer.as_ref(), &mut machine)?;
        let facts =
            BranchFacts { machine, has_gaps, proof: Some(&proof), ..BranchFacts::default() };
        self.end(&facts, &change)
    }

    /// Installs what the base needs.
    fn prepare(&mut self) -> Result<Option<Layer>, EngineError> {
        let bench = self.bench;
        let base = &bench.clone.base;
        let preparation = Preparation::of(bench.engine, &bench.git, &bench.clone, base)?;
        let mut steps = Vec::new();
        let watch = &mut *self.watch;
        let layer = bench.layer(&preparation, &mut steps, &mut |update| match update {
            TrialUpdate::Starts(command) => watch(VerifyUpdate::Starts(command)),
            TrialUpdate::Prepared(step) => watch(VerifyUpdate::Prepared(step)),
        })?;
        self.report.preparation = steps;
        layer.map_err(|why| self.base_not_prepared(why.text()).into())
    }

    fn base_not_prepared(&self, why: Text) -> VerifyError {
        VerifyError::BaseNotPrepared { base: self.request.target.base_ref.clone(), why }
    }

    /// Runs the test on the base; where it cannot run there, nothing can be said of the branch.
    fn base(&mut self, prover: &mut Prover<'_>) -> Result<BaseTest, EngineError> {
        (self.watch)(VerifyUpdate::Starts(self.request.command));
        let start = Instant::now();
        let base = prover.base()?;
        if let Some(why) = prover.not_ready() {
            return Err(self.base_not_prepared(why.text()).into());
        }
        if let Some(why) = prover.unrunnable(&base) {
            return Err(VerifyError::BaseNotRun { why: why.text() }.into());
        }
        let note = match counts(&base) {
            Some((0, passed)) if base.is_green() => VerifyNote::Passed { passed },
            Some((failed, passed)) if failed > 0 => VerifyNote::Failed { failed, passed },
            Some(_) | None => VerifyNote::Exit { rc: base.rc },
        };
        self.checked("base", Standing::Verified, &note, Some(start));
        Ok(base)
    }

    /// Says which tests fail.
    fn red(&mut self, recorded: &BaseTest, rc: i32, said: &str, start: Instant) {
        let command = shorten(self.request.command);
        let note = match counts(recorded) {
            Some((failed, passed)) if failed > 0 => {
                VerifyNote::RedTests { command, failed, passed }
            }
            Some(_) | None => VerifyNote::RedExit { command, rc },
        };
        self.checked("tests", Standing::Failed, &note, Some(start));
        self.report.failed_tests = recorded.failures().cloned().collect();
        self.report.red(&note, said);
    }

    /// Says what a green test proves.
    fn proven(&mut self, proof: &TestProof, against: &[ProofFinding], start: Instant) {
        let (standing, note) = proof_note(proof, against);
        self.checked("proof", standing, &note, Some(start));
        self.report.gaps = gaps(proof).iter().map(|it| Phrase(it.text())).collect();
        let findings = proof.findings.iter();
        self.report.found(findings.map(|it| (proof_finding(it), it.subjects.first().cloned())));
        self.report.proof = Some(proof.clone());
    }

    /// Judges what is known, and finds the files that findings are about.
    fn end(
        mut self,
        facts: &BranchFacts<'_>,
        change: &Change,
    ) -> Result<VerifyReport, EngineError> {
        let verdict = judge(facts, self.request.strictness);
        (self.report.outcome, self.report.label) = (verdict.outcome, verdict.label);
        let files = TreeFiles::of(&self.bench.git, &self.bench.clone, &self.result)?;
        let is_file = |path: &str| files.entry(path).is_some() || change.touches(path);
        self.report.locate(&is_file, change.first_path());
        Ok(self.report)
    }

    fn checked(
        &mut self,
        name: &'static str,
        standing: Standing,
        note: &VerifyNote,
        start: Option<Instant>,
    ) {
        let wall_ms = start.map(|it| millis(it.elapsed()));
        self.told(VerifyCheck { name, standing, detail: Phrase::of(note), wall_ms });
    }

    fn told(&mut self, check: VerifyCheck) {
        (self.watch)(VerifyUpdate::Checked(&check));
        self.report.checks.push(check);
    }
}

/// How many tests failed and passed; none where single tests are not known.
fn counts(tested: &BaseTest) -> Option<(usize, usize)> {
    tested.tests.as_ref()?;
    Some((tested.count(TestOutcome::Failed), tested.count(TestOutcome::Passed)))
}

/// The rules that a branch is held against are those of a task with these paths.
fn spec_of(request: &VerifyRequest<'_>) -> Option<TaskSpec> {
    let spec = TaskSpec::new("verify".parse().ok()?);
    Some(TaskSpec { allowed_paths: request.paths.to_vec(), ..spec })
}
