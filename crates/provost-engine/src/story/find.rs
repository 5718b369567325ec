//! From a name to a story, and from a story to what it set out from.

use provost_desk::story::Stories;
use provost_exec::git::{
    Git, keep,
    tree::{has_commit, tree_of},
};
use provost_kernel::{
    Digest,
    story::{AttemptRecord, DeclarationRecord, Execution, StoryName, StoryRow},
};
use provost_rules_story::work;
use provost_store::{Found, Listed};
use serde_json::Value;

use super::StoryError;

/// The story that a name leads to: `US-001`, or with its branch `BRANCH:US-001`.
pub fn find(stories: &Stories<'_>, name: &StoryName) -> Result<(Execution, StoryRow), StoryError> {
    let shown = || match &name.of {
        Some(of) => format!("{of}:{}", name.story),
        None => name.story.to_string(),
    };
    match stories.store().find_story(name)? {
        Found::One(found) => Ok(*found),
        Found::Ambiguous(candidates) => Err(StoryError::Ambiguous { name: shown(), candidates }),
        Found::Missing(known) => Err(StoryError::Missing { name: shown(), known }),
    }
}

/// What happened to a story so far.
#[derive(Debug)]
pub(super) struct History {
    pub(super) attempts: Vec<AttemptRecord>,
    pub(super) declarations: Vec<DeclarationRecord>,
    others: Vec<AttemptRecord>,
    /// What other plans said that are going on.
    pub(super) other_plans: Vec<Digest>,
}

/// What other plans say that are going on.
pub(super) fn other_plans(
    stories: &Stories<'_>,
    execution: &Execution,
) -> Result<Vec<Digest>, StoryError> {
    let active = stories.store().records(Listed::Active)?.into_iter();
    Ok(active.filter(|it| it.id != execution.id).filter_map(|it| it.plan_digest).collect())
}

impl History {
    pub(super) fn of(
        stories: &Stories<'_>,
        execution: &Execution,
        row: &StoryRow,
    ) -> Result<Self, StoryError> {
        let store = stories.store();
        let mut others = Vec::new();
        for it in store.stories(&execution.id)? {
            if it.story_id.number() != row.story_id.number() {
                others.append(&mut store.attempts(&execution.id, &it.story_id)?);
            }
        }
        Ok(Self {
            attempts: store.attempts(&execution.id, &row.story_id)?,
            declarations: store.declarations(&execution.id, &row.story_id)?,
            others,
            other_plans: other_plans(stories, execution)?,
        })
    }

    /// Whether its change was judged for good: it was done, and others were done after it. What
    /// lies in the tree besides is theirs.
    pub(super) fn is_settled(&self) -> bool {
        let done = self.attempts.iter().filter(|it| it.passes).map(|it| it.seq).max();
        done.is_some_and(|done| self.others.iter().any(|it| it.passes && it.seq > done))
    }

    /// What agents sent about the stories of the execution.
    pub(super) fn sent(&self) -> impl Iterator<Item = &Value> {
        self.attempts.iter().chain(&self.others).map(|it| &it.claimed)
    }

    /// The name of the commit that the story set out from; none if it is no longer there.
    ///
    /// A name can be given to something else, so that what it leads to is compared with what is on
    /// record.
    pub(super) fn base(
        &self,
        git: &Git,
        execution: &Execution,
    ) -> Result<Option<String>, StoryError> {
        let attempts = self.attempts.iter().map(|it| it.seq);
        let own = attempts.chain(self.declarations.iter().map(|it| it.seq));
        let root = execution.project_root.as_ref();
        if let Some(tree) = work::base(own, &self.others) {
            let tree = execution.rebased.get(tree).unwrap_or(tree);
            let name = keep::result_name(&execution.id, tree);
            let found = tree_of(git, root, &name)?;
            return Ok(found.filter(|it| it.as_str() == tree.0).map(|_| name));
        }
        let recorded = execution.base_commit_sha.clone();
        let name = recorded.unwrap_or_else(|| keep::base_name(&execution.id));
        Ok(has_commit(git, root, &name)?.then_some(name))
    }
}
