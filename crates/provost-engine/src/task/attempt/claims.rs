//! The claims of a coder: taken from where it left them, and checked before anybody judges.

use camino::Utf8Path;
use provost_adapter::{ReplyProblem, command::CLAIM_VARIABLE};
use provost_exec::git::{GitError, PrivateClone, clone, read};
use provost_kernel::{
    Message, RecordFile, Text,
    story::{GateKind, StoryId},
    task::{EventKind, Proofs, StoryProof},
};
use provost_rules_story::{
    plan,
    prompt::{AttemptPrompt, GateCommand, StoryPrompt, ask_for_files, attempt},
    scope,
};
use provost_rules_task::story::{self, ClaimProblem, Found, HandedIn};
use provost_vault::{
    AttemptFile, RealDisk, Step as StepFolder, StepFile, WorkPlace, write_json, write_record,
};

use super::{Attempt, Stop, policy::Change};
use crate::{
    Engine, EngineError,
    context::redact_json,
    story::{
        Answer,
        attempt::{Declaring, Delivered, Frozen, prove},
    },
    task::progress::{Step, Update},
};

impl Attempt<'_, '_, '_> {
    /// What the coder is told about the stories of the task; none without a plan.
    pub(super) fn stories_prompt(&self, feedback: &[String]) -> Option<String> {
        self.told(feedback, attempt)
    }

    /// What the coder is asked before it may change anything; none without a plan.
    pub(super) fn declaration_prompt(&self) -> Option<String> {
        self.told(&[], ask_for_files)
    }

    fn told(
        &self,
        feedback: &[String],
        write: impl FnOnce(&AttemptPrompt<'_>) -> String,
    ) -> Option<String> {
        let plan = self.plan.as_ref()?;
        let settings = self.engine.settings;
        let command = |kind| {
            let named = settings.gates.iter().filter(move |it| it.kind == kind);
            named.map(move |it| GateCommand { kind, command: Some(it.command.clone()) })
        };
        let gates: Vec<GateCommand> =
            [GateKind::Typecheck, GateKind::Build].into_iter().flat_map(command).collect();
        let stories: Vec<_> = plan.rows.iter().map(|it| (it.story(), &it.ac_status)).collect();
        let told: Vec<StoryPrompt<'_>> = stories
            .iter()
            .map(|(story, statuses)| StoryPrompt {
                plan: &plan.plan,
                story,
                statuses,
                gates: &gates,
                limits: settings.limits,
                language: settings.language,
            })
            .collect();
        let declared = self.declared.as_deref();
        let prompt = AttemptPrompt { stories: &told, variable: CLAIM_VARIABLE, feedback, declared };
        Some(write(&prompt))
    }

    /// Checks what the coder claims of the stories; a task without a plan has none.
    pub(super) fn check_claims(
        &mut self,
        clone: &PrivateClone,
        change: &Change,
    ) -> Result<(), Stop> {
        let Some(plan) = self.plan.take() else { return Ok(()) };
        self.engine.progress.update(&Update::StepStarted { step: Step::Claims });
        let started = self.engine.desk.clock().millis();
        let handed_in = self.handed_in(&plan)?;
        let proofs = self.prove(&plan, handed_in, clone, change)?;
        self.plan = Some(plan);
        let wall = self.engine.desk.clock().millis().0.saturating_sub(started.0);
        let wall = std::time::Duration::from_millis(wall);
        self.wall = self.wall.saturating_add(wall);
        self.took("claims", wall);

        let layout = self.engine.desk.layout();
        let at = layout.attempt_file(self.open.task(), self.number, AttemptFile::Proofs);
        write_json(&RealDisk, &at, &RecordFile::new(proofs.clone())).map_err(EngineError::from)?;
        let (standing, detail) = story::checked(&proofs);
        let step = Step::Claims;
        self.engine.progress.update(&Update::StepFinished { step, outcome: &detail, wall });
        self.checked("criteria", standing, detail.clone());
        self.note_checks(EventKind::ClaimsChecked, detail.to_string())?;
        self.findings.extend(story::findings(&proofs));
        self.proofs = Some(proofs);
        self.stop_if_interrupted()
    }

    /// What the coder handed in, without secrets; a copy of it is kept.
    fn handed_in(&self, plan: &Frozen) -> Result<HandedIn, Stop> {
        let nothing = |why: Text| HandedIn {
            findings: vec![ClaimProblem::Unreadable { why }.finding()],
            claims: vec![],
        };
        let bytes = match &self.claim {
            Ok(None) => return Ok(HandedIn::default()),
            Ok(Some(bytes)) => bytes,
            Err(ReplyProblem::NotAFile | ReplyProblem::SecondName) => {
                return Ok(nothing(ClaimProblem::NotAFile.text()));
            }
            Err(problem) => return Ok(nothing(problem.text())),
        };
        // What repeats a key shows it only as it was sent; what is kept has no secret in it.
        if let Err(error) = story::check(bytes) {
            return Ok(nothing(error.text()));
        }
        let clean = redact_json(bytes);
        write_record(&RealDisk, &self.file(StepFolder::Coder, StepFile::Claim), &clean)?;
        let stories: Vec<&StoryId> = plan.rows.iter().map(|it| &it.story_id).collect();
        Ok(story::read(&clean, &stories))
    }

    fn prove(
        &self,
        plan: &Frozen,
        handed_in: HandedIn,
        clone: &PrivateClone,
        change: &Change,
    ) -> Result<Proofs, Stop> {
        let answers = if handed_in.claims.is_empty() {
            Vec::new()
        } else {
            let tree = self.claimed_tree(clone, change)?;
            let tree = Utf8Path::from_path(&tree)
                .ok_or_else(|| GitError::NotARepository { path: tree.clone() })?;
            let delivered = Delivered { tree, base: &clone.base };
            let said = match self.declared {
                Some(_) => Declaring::Before,
                None => Declaring::WithClaim,
            };
            prove(&self.engine, &plan.execution.id, delivered, &handed_in.claims, said)
                .map_err(EngineError::from)?
        };
        let stories = plan.rows.iter().map(|row| {
            let own = |it: &&Answer| it.story_id.as_deref() == Some(row.story_id.as_str());
            let answer = answers.iter().find(own);
            let mut proof = story::proof(&row.story(), answer.map(found));
            if let Some(answer) = answer {
                add(&mut proof, answer);
            } else {
                let (story, variable) = (row.story_id.clone(), CLAIM_VARIABLE);
                proof.findings.push(ClaimProblem::Missing { story, variable }.finding());
            }
            proof
        });
        let stories = stories.collect();
        let mut findings = handed_in.findings;
        findings.extend(self.drift(plan, change)?);
        Ok(Proofs {
            task_id: self.open.task().clone(),
            attempt: self.number.get(),
            checked_at: self.engine.desk.clock().now(),
            plan: plan.execution.prd_path.clone(),
            plan_digest: plan.execution.plan_digest,
            commit: change.commit.to_string(),
            stories,
            findings,
        })
    }

    /// A checkout of exactly what was delivered, in which nothing is run.
    fn claimed_tree(
        &self,
        clone: &PrivateClone,
        change: &Change,
    ) -> Result<std::path::PathBuf, Stop> {
        let layout = self.engine.desk.layout();
        let place = layout.work_place(self.open.task(), self.number, WorkPlace::ClaimTree).path();
        let (git, identity) = (self.engine.git(), Engine::identity());
        Ok(clone::exact(&git, clone, &change.commit, place.as_std_path(), &identity)?.tree)
    }

    /// Where the plan as it was delivered no longer agrees with the one that was frozen.
    fn drift(
        &self,
        plan: &Frozen,
        change: &Change,
    ) -> Result<Vec<provost_kernel::Finding>, EngineError> {
        let name = &plan.execution.prd_path;
        if !change.files.iter().any(|it| it.path == *name) {
            return Ok(Vec::new());
        }
        let repository = std::path::Path::new(&self.spec.repo_path);
        let most = plan::LIMITS.bytes as u64;
        let commit = change.commit.as_str();
        let bytes = match read::file(&self.engine.git(), repository, commit, name, most) {
            Ok(bytes) => bytes,
            // A link, a folder, a giant: no plan any more.
            Err(GitError::File { .. } | GitError::TooLarge { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(plan::drifted(&plan.plan, name, bytes.as_deref()))
    }
}

fn found(answer: &Answer) -> Found<'_> {
    Found {
        is_taken: answer.success,
        passes: answer.passes,
        statuses: &answer.ac_status,
        evidence: &answer.evidence,
        scope: answer.scope.as_ref().map(scope::outcome),
    }
}

/// Adds what else was found.
fn add(proof: &mut StoryProof, answer: &Answer) {
    proof.gates = answer.gates.iter().map(|it| it.result.clone()).collect();
    proof.findings.clone_from(&answer.findings);
    let parts = answer.scope.iter().flat_map(|it| &it.proposal);
    proof.proposal = parts.map(|it| it.files.clone()).collect();
}
