//! Attempts that build on each other: the next one starts on the files that the last one left
//! (ruling 73).

use provost_adapter::Reply;
use provost_exec::git::{
    Git, ObjectId, PrivateClone,
    merge::{self, Conflict, Merged, Sides},
    read, restore,
    tree::TreeFiles,
};
use provost_kernel::{
    AttemptNumber,
    task::{ContextMode, ErrorClass, EventKind, Role},
};
use provost_rules_task::{inputs, policy, resumption::has_marks};
use provost_vault::{
    AttemptFile, RealDisk, Step as StepFolder, StepFile, task::read_tail, write_record,
};

use super::{Attempt, Stop, coder::Said};
use crate::{Engine, EngineError, context::redact_text, task::again::Again};

/// More than the name of a commit.
const NAME: u64 = 256;
/// The largest file that is searched for marks of a conflict.
const MARKED: u64 = 32 << 20;

impl Attempt<'_, '_, '_> {
    /// Puts the files of the attempt before into the tree. One that is repeated starts where it
    /// started.
    pub(super) fn bring_forward(
        &mut self,
        clone: &PrivateClone,
        again: Option<Again>,
    ) -> Result<(), Stop> {
        // With a plan, files are declared before any of them is changed.
        let starts_fresh = self.spec.attempt_context_mode == ContextMode::FreshEach;
        let is_rejudged = again == Some(Again::Rejudge);
        if (starts_fresh || self.spec.plan.is_some()) && !is_rejudged {
            return Ok(());
        }
        let before = Again::prompt_of(again).unwrap_or(self.number);
        let Some((earlier, name)) = self.last_delivery(before)? else {
            return Ok(());
        };
        let git = self.engine.git();
        // What a person removed from the repository is not there to go on with.
        let Ok(commit) = read::commit(&git, std::path::Path::new(&self.spec.repo_path), &name)
        else {
            return Ok(());
        };
        let Some(carried) = self.onto_base(&git, clone, &commit)? else { return Ok(()) };
        restore::bring_forward(&git, clone, &carried)?;
        self.started_on = Some(earlier);
        self.note(EventKind::WorkContinued, format!("attempt {earlier}: {commit}"))?;
        Ok(())
    }

    /// What an earlier attempt delivered, merged with the base where that is another one by now; none
    /// where this git cannot merge.
    fn onto_base(
        &mut self,
        git: &Git,
        clone: &PrivateClone,
        commit: &ObjectId,
    ) -> Result<Option<ObjectId>, EngineError> {
        let repository = std::path::Path::new(&self.spec.repo_path);
        let origin = read::commit(git, repository, &format!("{commit}^1"))?;
        if origin == clone.base {
            self.conflicts = self.unresolved(git, clone, commit)?;
            return Ok(Some(commit.clone()));
        }
        let identity = Engine::identity();
        let sides = Sides { origin: &origin, ours: &clone.base, theirs: commit };
        let tree = match merge::merge(git, clone, sides, &identity)? {
            Merged::Clean(tree) => tree,
            Merged::Conflict(Conflict { tree, files }) => {
                self.conflicts = files;
                tree
            }
            Merged::Unable => return Ok(None),
        };
        let count = self.conflicts.len();
        self.note(EventKind::WorkMerged, format!("onto {}, conflicts: {count}", clone.base))?;
        Ok(Some(merge::commit(git, clone, &tree, &identity)?))
    }

    /// The changed files in which marks of a merge are left, by this attempt or an earlier one.
    pub(super) fn unresolved(
        &self,
        git: &Git,
        clone: &PrivateClone,
        commit: &ObjectId,
    ) -> Result<Vec<String>, EngineError> {
        let events = self.open.files().events()?.records;
        if !events.iter().any(|it| it.value.kind == EventKind::WorkMerged) {
            return Ok(Vec::new());
        }
        let (base, now) =
            (TreeFiles::of(git, clone, &clone.base)?, TreeFiles::of(git, clone, commit)?);
        let changed = now.paths().filter(|it| !base.agrees_with(&now, it));
        let texts = now.texts(git, clone, changed, MARKED)?;
        let marked = texts.into_iter().filter(|(_, text)| has_marks(text));
        Ok(marked.map(|(path, _)| path).collect())
    }

    /// What the coder said and claimed of the result that is judged again, with the words for it.
    pub(super) fn delivered_before(&mut self) -> Result<Said, Stop> {
        let Some(earlier) = self.started_on else {
            return Err(self.end_at(Role::Coder, 0, ErrorClass::CoderNoOutput, ""));
        };
        self.note(EventKind::CoderSkipped, format!("attempt {earlier}"))?;
        self.carry_session(earlier)?;
        // The judge hears what its question was answered with; the next coder hears it still.
        let inputs = self.open.files().user_input()?;
        let pending = inputs::pending(&self.open.status.value, &inputs);
        self.said = inputs::told(&self.open.status.value, &inputs, &pending);
        let layout = self.engine.desk.layout();
        let file = |file| layout.step_file(self.open.task(), earlier, StepFolder::Coder, file);
        // Both were bounded when they were kept.
        let claim = read_tail(&RealDisk, &file(StepFile::Claim), u64::MAX)?;
        let reply = read_tail(&RealDisk, &file(StepFile::Reply), u64::MAX)?;
        // What is judged once more after this finds them here.
        if !reply.is_empty() {
            let at = self.file(StepFolder::Coder, StepFile::Reply);
            write_record(&RealDisk, &at, reply.as_bytes())?;
        }
        self.claim = Ok(Some(claim.into_bytes()).filter(|it| !it.is_empty()));
        let said = serde_json::from_str::<Reply>(&reply);
        Ok(Said { text: said.map(|it| redact_text(&it.text)).unwrap_or_default() })
    }

    /// What the newest attempt before one delivered, unless the rules refused it.
    fn last_delivery(
        &self,
        before: AttemptNumber,
    ) -> Result<Option<(AttemptNumber, String)>, EngineError> {
        let Some(first) = self.first_since_reset()? else { return Ok(None) };
        let files = self.open.files();
        let attempts = files.attempts()?.into_iter().rev();
        for earlier in attempts.filter(|it| *it < before && *it >= first) {
            let decided = files.decision(earlier)?.present();
            if decided.is_some_and(|it| policy::refuses(it.value.decision.row)) {
                return Ok(None);
            }
            let layout = self.engine.desk.layout();
            let at = layout.attempt_file(self.open.task(), earlier, AttemptFile::HeadCommit);
            let name = read_tail(&RealDisk, &at, NAME)?;
            if !name.trim().is_empty() {
                return Ok(Some((earlier, name.trim().to_owned())));
            }
        }
        Ok(None)
    }
}
