//! Whether what was proven of a story is still what lies in its worktree (PROOF-9).
//!
//! A proof holds for its tree. A story that is done stays on record as done; as long as another tree
//! lies in the worktree, it is shown as stale, with what changed.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Message,
    message::Phrase,
    story::{CriterionId, CriterionStatus, EvidenceLabel, StoryId, StoryRow, TreeId},
};
use serde::Serialize;

use crate::claim;

/// So many files are named.
const NAMED: usize = 10;

/// How a worktree differs from the tree on which something was proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    Same,
    /// At these paths.
    Changed(Vec<String>),
    /// It cannot be told: what was proven is gone, or the worktree cannot be read.
    Unknown,
}

/// Why a story that was done is not known to be done any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stale {
    /// The tree on which it was proven.
    pub proven_on: Option<TreeId>,
    /// The first files that changed since.
    pub changed: Vec<String>,
    pub changed_files: usize,
    pub text: Phrase,
    /// What to do about it.
    pub next: Vec<Phrase>,
}

#[derive(Message)]
#[message(code = "story.stale")]
enum Reason<'a> {
    #[message(
        en = "{count} {count:file has|files have} changed since it was proven: {files}",
        zh = "证明之后有 {count} 个文件改变：{files}",
        hint(
            en = "`provost story verify {story}` proves it again",
            zh = "运行 `provost story verify {story}` 重新证明",
        )
    )]
    Changed { story: &'a StoryId, count: usize, files: Vec<String> },
    #[message(
        en = "the base of its plan changed since it was proven",
        zh = "证明之后，计划的基准已改变",
        hint(
            en = "`provost story verify {story}` proves it again",
            zh = "运行 `provost story verify {story}` 重新证明",
        )
    )]
    Rebased { story: &'a StoryId },
    #[message(
        en = "what it was proven on cannot be compared with the worktree",
        zh = "无法将证明所用的内容与当前工作区比较",
        hint(
            en = "`provost story verify {story}` proves it again",
            zh = "运行 `provost story verify {story}` 重新证明",
        )
    )]
    Unknown { story: &'a StoryId },
}

/// The tree on which every criterion of a story was proven; none if they were not on one.
pub fn proven_tree(row: &StoryRow) -> Option<&TreeId> {
    let result = |id: &CriterionId| row.evidence.get(id)?.result.as_ref();
    let trees: Option<BTreeSet<&TreeId>> =
        row.acceptance_criteria.iter().map(|it| Some(&result(&it.id)?.tree)).collect();
    let mut trees = trees?.into_iter();
    trees.next().filter(|it| trees.next().is_none() && !it.is_forgotten())
}

/// What is to be said of a story that is done; nothing if it holds on what lies in the worktree.
pub fn stale(row: &StoryRow, difference: &Difference) -> Option<Stale> {
    let story = &row.story_id;
    let (reason, changed) = match difference {
        Difference::Same => return None,
        Difference::Changed(changed) => {
            let files = changed.iter().take(NAMED).cloned().collect();
            (Reason::Changed { story, count: changed.len(), files }, changed.as_slice())
        }
        Difference::Unknown if is_rebased(row) => (Reason::Rebased { story }, [].as_slice()),
        Difference::Unknown => (Reason::Unknown { story }, [].as_slice()),
    };
    Some(Stale {
        proven_on: proven_tree(row).cloned(),
        changed: changed.iter().take(NAMED).cloned().collect(),
        changed_files: changed.len(),
        text: Phrase::of(&reason),
        next: reason.hints().into_iter().map(Phrase).collect(),
    })
}

/// Whether its plan has had another base since some criterion was looked at.
fn is_rebased(row: &StoryRow) -> bool {
    let results = row.evidence.values().filter_map(|it| it.result.as_ref());
    results.into_iter().any(|it| it.tree.is_forgotten())
}

/// The statuses of a story's criteria as they are to be shown: what was found out on a tree that does
/// not lie in the worktree is stale. Whether a criterion passed stays as it was recorded.
pub fn shown(
    row: &StoryRow,
    is_here: impl Fn(&TreeId) -> bool,
) -> BTreeMap<CriterionId, CriterionStatus> {
    let elsewhere = TreeId(String::new());
    let is_stale = |id: &CriterionId| {
        let Some(kept) = row.evidence.get(id) else { return false };
        kept.result.as_ref().is_some_and(|it| !is_here(&it.tree))
            && claim::label(kept, &elsewhere) == EvidenceLabel::Stale
    };
    let mut shown = row.ac_status.clone();
    for (_, status) in shown.iter_mut().filter(|(id, _)| is_stale(id)) {
        status.label = EvidenceLabel::Stale;
        status.proof = None;
    }
    shown
}

/// The trees on which the criteria of a story were looked at.
pub fn trees(row: &StoryRow) -> impl Iterator<Item = &TreeId> {
    let results = row.evidence.values().filter_map(|it| it.result.as_ref());
    results.map(|it| &it.tree).filter(|it| !it.is_forgotten())
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;
    use crate::claim::read_story;

    /// A story with a result on each of these trees, criterion by criterion.
    fn row(trees: &[Option<&str>]) -> StoryRow {
        let names: Vec<String> = (0..trees.len()).map(|it| format!("criterion {it}")).collect();
        let file = serde_json::json!({"id": "US-001", "acceptanceCriteria": names});
        let story = read_story(file.to_string().as_bytes()).unwrap();
        let result = |tree: &str| {
            serde_json::from_value(serde_json::json!({
                "claim": {"command": "make check"},
                "result": {"label": "REPRODUCED", "tree": tree, "exitCode": 0},
            }))
            .unwrap()
        };
        let status = serde_json::json!({"passes": true, "label": "REPRODUCED", "proof": "PROVEN"});
        let status: CriterionStatus = serde_json::from_value(status).unwrap();
        let ids = || story.criteria.iter().map(|it| it.id);
        StoryRow {
            execution_id: "e1".parse().unwrap(),
            story_id: story.id.clone(),
            title: String::new(),
            description: String::new(),
            priority: 1,
            passes: true,
            notes: String::new(),
            ac_status: ids().map(|it| (it, status.clone())).collect(),
            evidence: ids().zip(trees).filter_map(|(id, it)| Some((id, result((*it)?)))).collect(),
            expected_files: None,
            tests_may_change: Vec::new(),
            acceptance_criteria: story.criteria,
        }
    }

    #[test]
    fn a_story_is_proven_on_one_tree_or_on_none() {
        let check = |trees: &[Option<&str>], expected: Option<&str>| {
            let row = row(trees);
            assert_eq!(proven_tree(&row).map(|it| it.0.as_str()), expected, "{trees:?}");
        };
        check(&[Some("a"), Some("a")], Some("a"));
        check(&[Some("a"), Some("b")], None);
        check(&[Some("a"), None], None);
        check(&[None], None);
        check(&[Some("-")], None);
        assert_eq!(super::trees(&row(&[Some("-"), Some("a")])).count(), 1);
    }

    #[test]
    fn what_changed_is_named_and_counted() {
        let row = row(&[Some("a")]);
        assert_eq!(stale(&row, &Difference::Same), None);
        let many: Vec<String> = (0..12).map(|it| format!("f{it}")).collect();
        for (changed, en, zh) in [
            (
                vec!["a.sh".to_owned()],
                "1 file has changed since it was proven: a.sh",
                "证明之后有 1 个文件改变：a.sh",
            ),
            (
                many,
                "12 files have changed since it was proven: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9",
                "证明之后有 12 个文件改变：f0、f1、f2、f3、f4、f5、f6、f7、f8、f9",
            ),
        ] {
            let count = changed.len();
            let found = stale(&row, &Difference::Changed(changed)).unwrap();
            assert_eq!((found.changed_files, found.changed.len()), (count, count.min(NAMED)));
            assert_eq!(found.text.0.to_string(), en);
            assert_eq!(Lang::Zh.render(&found.text.0), zh);
        }
        let found = stale(&row, &Difference::Unknown).unwrap();
        assert_eq!(found.proven_on, Some(TreeId("a".to_owned())));
        assert!(found.next[0].0.to_string().contains("provost story verify US-001"));
        let found = stale(&self::row(&[Some("-")]), &Difference::Unknown).unwrap();
        let said = "the base of its plan changed since it was proven";
        assert_eq!((found.text.0.to_string().as_str(), found.proven_on), (said, None));
    }

    #[test]
    fn a_criterion_is_stale_on_another_tree_and_on_no_other_ground() {
        let check = |here: &str, expected: [&str; 3]| {
            let row = row(&[Some("a"), Some("b"), None]);
            let shown = shown(&row, |it| it.0 == here);
            let words: Vec<_> = shown.values().map(CriterionStatus::word).collect();
            assert_eq!(words, expected, "{here}");
        };
        check("a", ["PROVEN", "STALE", "PROVEN"]);
        check("b", ["STALE", "PROVEN", "PROVEN"]);
        check("c", ["STALE", "STALE", "PROVEN"]);
    }
}
