//! Where the work on a story sets out from, and which of its declarations holds.

use provost_kernel::{
    Finding, Message, Severity, Text,
    story::{AttemptRecord, Declaration, DeclarationRecord, ExecutionStatus, StoryId, TreeId},
};

use super::{
    execution::{Step, step},
    scope::code,
};

/// The tree that a story sets out from: what the newest story that was done before this one was
/// begun left behind. None is the base of the whole execution.
///
/// `own` are the numbers of everything that happened to the story, `others` the updates of the
/// other stories of the execution.
pub fn base<'a>(
    own: impl IntoIterator<Item = u64>,
    others: impl IntoIterator<Item = &'a AttemptRecord>,
) -> Option<&'a TreeId> {
    let begun = own.into_iter().min().unwrap_or(u64::MAX);
    let done = others.into_iter().filter(|it| it.passes && it.seq < begun);
    done.max_by_key(|it| it.seq)?.tree.as_ref()
}

/// The declaration that a change is compared with.
///
/// The first one counts, even if it came late. A later one takes its place only if the work had
/// not begun: a declaration of finished work declares nothing.
pub fn declaration(records: &[DeclarationRecord]) -> Option<Declaration> {
    let mut records = records.iter();
    let first = records.next()?;
    let standing = records.fold(first, |standing, it| if it.is_late { standing } else { it });
    Some(Declaration { files: standing.files.clone(), is_late: standing.is_late })
}

#[derive(Message)]
#[message(code = "story.work")]
enum Remark<'a> {
    #[message(
        en = "no files were declared",
        zh = "没有声明文件",
        hint(
            en = "send `expectedFiles`, or declare them first",
            zh = "请先声明，或发送 `expectedFiles`",
        )
    )]
    Undeclared,
    #[message(
        en = "{story} was done and no longer holds on this tree: {label}",
        zh = "{story} 曾经完成，但在当前内容上已不成立：{label}",
        hint(
            en = "repair what {story} needs, then send an update of it",
            zh = "请修复 {story} 所需的内容，并提交其更新",
        )
    )]
    Broken { story: &'a StoryId, label: &'a Text },
}

/// The finding where nothing was ever declared.
pub fn undeclared() -> Finding {
    Finding::new(DECLARATION_MISSING, Severity::P2, "", &Remark::Undeclared)
}

/// The finding about a story that was done and no longer is, on a tree on which another one is.
pub fn broken(story: &StoryId, label: &Text) -> Finding {
    let message = Remark::Broken { story, label };
    Finding::new(OTHER_STORY_BROKEN, Severity::P1, story.to_string(), &message)
}

/// The code of a story that another one broke.
pub const OTHER_STORY_BROKEN: &str = "OTHER_STORY_BROKEN";
/// The code of an update without any declaration.
pub const DECLARATION_MISSING: &str = "DECLARATION_MISSING";
/// The code of a declaration that came with the work; the scope guard says it, too.
pub const DECLARATION_LATE: &str = code::DECLARATION_LATE;

/// The status of an execution after a look at one of its stories, where it changes.
pub fn status(from: ExecutionStatus, is_complete: bool) -> Option<(ExecutionStatus, Step)> {
    let to = if is_complete { ExecutionStatus::Completed } else { ExecutionStatus::Running };
    match step(from, to) {
        Ok(Step::Stay) | Err(_) => None,
        Ok(step @ (Step::Ordinary | Step::WithReason)) => Some((to, step)),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Timestamp, story::ClaimResult};

    use super::*;

    fn attempt(seq: u64, passes: bool, tree: &str) -> AttemptRecord {
        AttemptRecord {
            seq,
            claimed: serde_json::Value::Null,
            tree: Some(TreeId(tree.to_owned())),
            result: ClaimResult::Accept,
            passes,
            original_passes: true,
            is_complete: passes,
            codes: Vec::new(),
            created_at: Timestamp::EPOCH,
        }
    }

    fn declared(seq: u64, file: &str, is_late: bool) -> DeclarationRecord {
        let files = vec![file.to_owned()];
        let created_at = Timestamp::EPOCH;
        DeclarationRecord { seq, files, tree: None, is_late, reason: None, created_at }
    }

    #[test]
    fn a_story_sets_out_from_what_was_done_before_it() {
        let others = [attempt(2, true, "a"), attempt(4, true, "b"), attempt(5, false, "c")];
        let base_of = |own: &[u64]| base(own.to_vec(), &others).map(|it| it.0.as_str());
        assert_eq!(base_of(&[]), Some("b"));
        assert_eq!(base_of(&[6, 9]), Some("b"));
        assert_eq!(base_of(&[3, 9]), Some("a"));
        assert_eq!(base_of(&[1]), None);
        assert_eq!(base([1], &[]), None);
    }

    /// Ruling 46: the first one counts, late or not; work that is done is not declared again.
    #[test]
    fn the_first_declaration_holds_until_one_comes_before_the_work() {
        let standing = |records: &[DeclarationRecord]| {
            declaration(records).map(|it| (it.files[0].clone(), it.is_late))
        };
        let a = || Some(("a".to_owned(), false));
        assert_eq!(standing(&[]), None);
        assert_eq!(standing(&[declared(1, "a", true)]), Some(("a".to_owned(), true)));
        assert_eq!(standing(&[declared(1, "a", false), declared(2, "b", true)]), a());
        let both = [declared(1, "b", false), declared(2, "a", false), declared(3, "c", true)];
        assert_eq!(standing(&both), a());
    }

    #[test]
    fn an_execution_follows_its_stories() {
        use ExecutionStatus::{Completed, Merged, Running, Starting};
        assert_eq!(status(Starting, false), Some((Running, Step::Ordinary)));
        assert_eq!(status(Starting, true), Some((Completed, Step::WithReason)));
        assert_eq!(status(Running, true), Some((Completed, Step::Ordinary)));
        assert_eq!(status(Running, false), None);
        assert_eq!(status(Completed, false), Some((Running, Step::WithReason)));
        assert_eq!(status(Merged, false), None);
    }
}
