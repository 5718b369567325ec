//! The checks of a branch besides its test.

use provost_kernel::{
    Finding, Message as _, Severity, Text,
    message::Phrase,
    task::{Check, CheckKind, CheckRun, CheckState, CheckVerdict, Standing},
};
use provost_rules_task::{
    checks::{CheckNote, broken, judge, judge_run, note},
    score::MachineFacts,
    verification::check_rule,
};

use super::{TEST, Verifier, VerifyCheck, VerifyUpdate};
use crate::{EngineError, preparation::Layer, proof::Prover};

impl Verifier<'_, '_> {
    /// Runs what is configured besides the test. The base is asked only where the branch is not
    /// green: then it says whose doing that is. Whether a check is left open.
    pub(super) fn run_checks(
        &mut self,
        layer: Option<&Layer>,
        machine: &mut MachineFacts,
    ) -> Result<bool, EngineError> {
        let mut runs = Vec::new();
        let mut has_gaps = false;
        for kind in CheckKind::ALL {
            let configured = self.request.checks.iter().find(|it| it.kind == *kind);
            let Some(check) = configured else {
                self.check(*kind, Standing::NotVerified, &CheckNote::NotConfigured.text(), None);
                continue;
            };
            let (run, text) = self.run_check(layer, check)?;
            let (standing, _) = note(run.verdict.unwrap_or(CheckVerdict::NotRun), &run);
            self.check(*kind, standing, &text, Some(run.wall_ms));
            match standing {
                Standing::Verified => {}
                Standing::Failed => self.report.found([(finding(&run, text), None)]),
                Standing::NotVerified => {
                    has_gaps = true;
                    self.report.gaps.push(Phrase(text));
                }
            }
            runs.push(run);
        }
        machine.broken_checks = broken(&runs);
        Ok(has_gaps)
    }

    /// Says that nothing of this was run, and why.
    pub(super) fn checks_not_run(&mut self, why: &Text) {
        for kind in CheckKind::ALL {
            let is_configured = self.request.checks.iter().any(|it| it.kind == *kind);
            let none = CheckNote::NotConfigured.text();
            let why = if is_configured { why } else { &none };
            self.check(*kind, Standing::NotVerified, why, None);
        }
    }

    fn run_check(
        &mut self,
        layer: Option<&Layer>,
        check: &Check,
    ) -> Result<(CheckRun, Text), EngineError> {
        let (bench, result) = (self.bench, self.result.clone());
        (self.watch)(VerifyUpdate::Starts(&check.command));
        let source = (&bench.clone, layer);
        let folder = bench.proofs()?;
        let mut prover = Prover::new(bench.engine, source, folder, &check.command, TEST)?;
        let mut run = prover.check(check, &result)?;
        let before = match run.state {
            CheckState::Green => None,
            CheckState::Red | CheckState::CannotRun | CheckState::NotReady => {
                Some(prover.check(check, &bench.clone.base)?)
            }
        };
        let verdict = judge_run(before.as_ref().map(|it| it.state), &run);
        run.verdict = Some(verdict);
        // Where the base says nothing, it says why.
        let told = before.as_ref().filter(|it| judge(Some(it.state), None) == verdict);
        let text = note(verdict, told.unwrap_or(&run)).1.text();
        Ok((run, text))
    }

    fn check(&mut self, kind: CheckKind, standing: Standing, text: &Text, wall_ms: Option<u64>) {
        let detail = Phrase(text.clone());
        self.told(VerifyCheck { name: kind.as_str(), standing, detail, wall_ms });
    }
}

/// A check that the branch broke; what it said last is named.
fn finding(run: &CheckRun, message: Text) -> Finding {
    Finding {
        rule: check_rule(run.kind).into(),
        severity: Severity::P0,
        subject: run.last_line().to_owned(),
        message,
        hint: None,
    }
}
