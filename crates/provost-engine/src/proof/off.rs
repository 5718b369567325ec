//! A mechanism that is left out, to see what it alone notices (`cargo xtask liars --off`).
//!
//! The feature is off in every manifest: the binary that is shipped has nothing of this.

use provost_kernel::task::{ProofCode, ProofFinding};

use super::Prover;

/// Names the mechanism: `record`, `square` or `plant`.
const VARIABLE: &str = "PROVOST_PROOF_OFF";

impl Prover<'_> {
    pub(super) fn is_off(&self, mechanism: &str) -> bool {
        self.engine.variables.get(VARIABLE).is_some_and(|it| it == mechanism)
    }

    /// What is found with the mechanism left out.
    pub(super) fn without_off(&self, findings: Vec<ProofFinding>) -> Vec<ProofFinding> {
        findings.into_iter().filter(|it| !self.is_off(mechanism(it.code))).collect()
    }
}

fn mechanism(code: ProofCode) -> &'static str {
    match code {
        ProofCode::NoTestPassed
        | ProofCode::RunIncomplete
        | ProofCode::ExitMasked
        | ProofCode::RunnerGone
        | ProofCode::TestsRewritten
        | ProofCode::DiffersUnwatched
        | ProofCode::TestsSkipped
        | ProofCode::TestsGone
        | ProofCode::TestsFewer => "record",
        ProofCode::Regression
        | ProofCode::OnlyWithChangedTests
        | ProofCode::GreenedByTests
        | ProofCode::ExpectationChanged
        | ProofCode::BaseTestsDoNotRun
        | ProofCode::NothingNew
        | ProofCode::CommentsOnly
        | ProofCode::DataOnly
        | ProofCode::FilesRewritten => "square",
        ProofCode::PlantSurvived | ProofCode::PlantBlind | ProofCode::TestsRead => "plant",
        ProofCode::ChangeUnnoticed
        | ProofCode::MutantsLive
        | ProofCode::CountsUnknown
        | ProofCode::PlantInconclusive
        | ProofCode::TestsMoved
        | ProofCode::TestAware
        | ProofCode::AssertionsChanged
        | ProofCode::NoMutants
        | ProofCode::Flaky
        | ProofCode::NotPrepared => "",
    }
}
