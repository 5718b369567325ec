//! How far a story is, in the words that a status shows.

use std::collections::BTreeMap;

use provost_kernel::{
    Message, Text,
    story::{CriterionId, CriterionStatus, Story, StoryId},
};
use serde::Serialize;

/// How many criteria of a story pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    pub passing: usize,
    pub total: usize,
}

/// How many stories were submitted, and how many of them with complete evidence the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FirstSubmissions {
    pub complete: u64,
    /// Stories with at least one submission that claimed to be done.
    pub submitted: u64,
}

/// The share that the original set as its aim, in percent.
pub const AIM_PERCENT: u64 = 90;

/// Counts the criteria of a story; those without a status do not pass.
pub fn progress(story: &Story, statuses: &BTreeMap<CriterionId, CriterionStatus>) -> Progress {
    let passes = |id: &CriterionId| statuses.get(id).is_some_and(|it| it.passes);
    Progress {
        passing: story.criteria.iter().filter(|it| passes(&it.id)).count(),
        total: story.criteria.len(),
    }
}

/// The line of a story in a status: `US-001 2/3 AC`.
pub fn label(id: &StoryId, Progress { passing, total }: Progress) -> Text {
    Label { id, passing, total }.text()
}

#[derive(Message)]
#[message(
    code = "story.label",
    en = "{id} {passing}/{total} AC",
    zh = "{id} 完成 {passing}/{total} AC"
)]
struct Label<'a> {
    id: &'a StoryId,
    passing: usize,
    total: usize,
}

#[derive(Message)]
#[message(code = "story.first_submissions")]
enum Share {
    #[message(en = "no story has been submitted yet", zh = "尚无故事提交")]
    None,
    #[message(
        en = "{complete} of {submitted} {submitted:story|stories} had complete evidence at the first submission ({percent}%, the aim is {aim}%)",
        zh = "{submitted} 个故事中有 {complete} 个首次提交即证据完整（{percent}%，目标 {aim}%）",
        arg(aim = AIM_PERCENT)
    )]
    Counted { complete: u64, submitted: u64, percent: u64 },
}

impl FirstSubmissions {
    /// Counts first submissions: whether each had verified evidence for every criterion.
    pub fn count(first: impl IntoIterator<Item = bool>) -> Self {
        first.into_iter().fold(Self::default(), |sum, is_complete| Self {
            complete: sum.complete + u64::from(is_complete),
            submitted: sum.submitted + 1,
        })
    }

    /// The share in whole percent, cut and not rounded; none before the first submission.
    pub fn percent(self) -> Option<u64> {
        (self.complete * 100).checked_div(self.submitted)
    }

    /// Whether the aim is missed, exactly.
    pub fn is_below_aim(self) -> bool {
        self.complete * 100 < self.submitted * AIM_PERCENT
    }

    /// The share in words.
    pub fn text(self) -> Text {
        let Self { complete, submitted } = self;
        let counted = |percent| Share::Counted { complete, submitted, percent };
        self.percent().map_or(Share::None, counted).text()
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Lang, story::EvidenceLabel};

    use super::*;
    use crate::claim::read_story;

    /// STORY-2.3.
    #[test]
    fn a_story_shows_how_many_criteria_pass() {
        let story =
            read_story(br#"{"id": "US-001", "acceptanceCriteria": ["a", "b", "c"]}"#).unwrap();
        let status = |passes| CriterionStatus {
            passes,
            label: EvidenceLabel::Reproduced,
            proof: None,
            need: None,
            evidence: None,
            command: None,
            output: None,
            claimed_output: None,
            files: Vec::new(),
            tests: Vec::new(),
            blocked_reason: None,
        };
        let id = |text: &str| text.parse::<CriterionId>().unwrap();
        let statuses = [("1", true), ("2", false), ("3", true), ("4", true)];
        let statuses = statuses.map(|(number, passes)| (id(number), status(passes))).into();
        let found = progress(&story, &statuses);
        assert_eq!(label(&story.id, found).to_string(), "US-001 2/3 AC");
        assert_eq!(Lang::Zh.render(&label(&story.id, found)), "US-001 完成 2/3 AC");
        let none = progress(&story, &BTreeMap::new());
        assert_eq!(label(&story.id, none).to_string(), "US-001 0/3 AC");
    }

    /// STORY-6.3.
    #[test]
    fn the_share_of_complete_first_submissions_is_exact() {
        let check = |complete: usize, submitted: usize, percent, is_below| {
            let first = (0..submitted).map(|it| it < complete);
            let share = FirstSubmissions::count(first);
            assert_eq!((share.percent(), share.is_below_aim()), (percent, is_below), "{share:?}");
        };
        check(0, 0, None, false);
        check(0, 1, Some(0), true);
        check(9, 10, Some(90), false);
        check(8, 9, Some(88), true);
        check(899, 1000, Some(89), true);
        check(1, 1, Some(100), false);
        let share = FirstSubmissions { complete: 3, submitted: 4 };
        assert_eq!(
            share.text().to_string(),
            "3 of 4 stories had complete evidence at the first submission (75%, the aim is 90%)",
        );
        assert_eq!(
            Lang::Zh.render(&share.text()),
            "4 个故事中有 3 个首次提交即证据完整（75%，目标 90%）"
        );
        assert_eq!(Lang::Zh.render(&FirstSubmissions::default().text()), "尚无故事提交");
    }
}
