//! What changed between a plan as it was frozen and the document as it is now.
//!
//! An agent can edit the document of its plan. The work is judged by the frozen plan; this reports
//! where the document differs from it.

use provost_kernel::{
    Finding, Message, Severity, shorten,
    story::{BranchName, Criterion, CriterionId, Plan, Story},
};

use super::PlanFault;

/// One difference between a frozen plan and its document.
#[derive(Clone, Debug, Message)]
#[message(code = "story.plan_drift")]
enum Change {
    #[message(
        en = "the branch was `{before}` and is `{after}`",
        zh = "分支原为 `{before}`，现为 `{after}`"
    )]
    Branch { before: BranchName, after: BranchName },
    #[message(en = "the story is no longer in the plan", zh = "计划中已没有这个故事")]
    StoryRemoved,
    #[message(en = "the story is new in the plan", zh = "这是计划中新增的故事")]
    StoryAdded,
    #[message(en = "the document is not a plan any more: {0}", zh = "文档已不再是计划：{0}")]
    Unreadable(PlanFault),
    #[message(en = "the plan file does not exist any more", zh = "计划文件已不存在")]
    Removed,
    #[message(
        en = "the title or the description of the story changed",
        zh = "故事的标题或描述已改变"
    )]
    Wording,
    #[message(
        en = "the priority was {before} and is {after}",
        zh = "优先级原为 {before}，现为 {after}"
    )]
    Priority { before: u32, after: u32 },
    #[message(en = "the criterion is new: {0}", zh = "新增的验收标准：{0}")]
    CriterionAdded(String),
    #[message(en = "the criterion is now {0}", zh = "该验收标准现为 {0}")]
    CriterionMoved(CriterionId),
    #[message(
        en = "the command that proves the criterion changed",
        zh = "证明该验收标准的命令已改变"
    )]
    Verify { was_absent: bool },
    #[message(en = "the list of tests that may change is different", zh = "允许修改的测试已改变")]
    Leave,
    #[message(en = "how strong its proof has to be changed", zh = "对其证明强度的要求已改变")]
    Need,
    #[message(
        en = "the criterion was `{before}` and is `{after}`",
        zh = "验收标准原为 `{before}`，现为 `{after}`"
    )]
    CriterionChanged { before: String, after: String },
    #[message(
        en = "the criterion is no longer in the plan: {0}",
        zh = "计划中已没有这条验收标准：{0}"
    )]
    CriterionRemoved(String),
}

impl Change {
    fn finding(&self, subject: &str) -> Finding {
        let (rule, severity) = self.rule();
        Finding::new(rule, severity, subject, self)
    }

    /// What would make a story easier to pass is P0; what adds work or renumbers it is P1; the rest
    /// is P2.
    fn rule(&self) -> (&'static str, Severity) {
        match self {
            Self::Branch { .. } => ("story.drift.branch", Severity::P1),
            Self::StoryRemoved => ("story.drift.story_removed", Severity::P0),
            Self::StoryAdded => ("story.drift.story_added", Severity::P1),
            Self::Unreadable(_) => ("story.drift.plan_unreadable", Severity::P0),
            Self::Removed => ("story.drift.plan_removed", Severity::P0),
            Self::Wording => ("story.drift.wording", Severity::P2),
            Self::Priority { .. } => ("story.drift.priority", Severity::P2),
            Self::CriterionAdded(_) => ("story.drift.criterion_added", Severity::P1),
            Self::CriterionMoved(_) => ("story.drift.criterion_moved", Severity::P1),
            // A command where there was none asks for more; any other change asks for less or for
            // something else.
            Self::Verify { was_absent: true } => ("story.drift.verify_changed", Severity::P1),
            Self::Verify { was_absent: false } => ("story.drift.verify_changed", Severity::P0),
            Self::Leave => ("story.drift.leave_changed", Severity::P0),
            Self::Need => ("story.drift.proof_changed", Severity::P0),
            Self::CriterionChanged { .. } => ("story.drift.criterion_changed", Severity::P0),
            Self::CriterionRemoved(_) => ("story.drift.criterion_removed", Severity::P0),
        }
    }
}

/// Names every difference that matters between a frozen plan and a newer reading of it.
pub fn drift(old: &Plan, new: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    if old.branch != new.branch {
        let (before, after) = (old.branch.clone(), new.branch.clone());
        findings.push(Change::Branch { before, after }.finding("branch"));
    }
    for story in &old.stories {
        match new.story(&story.id) {
            Some(newer) => findings.extend(story_drift(story, newer)),
            None => findings.push(Change::StoryRemoved.finding(story.id.as_str())),
        }
    }
    let added = new.stories.iter().filter(|it| old.story(&it.id).is_none());
    findings.extend(added.map(|it| Change::StoryAdded.finding(it.id.as_str())));
    findings
}

/// The same for the document on disk: a missing or unreadable document is a difference too.
pub fn drifted(old: &Plan, name: &str, bytes: Option<&[u8]>) -> Vec<Finding> {
    match bytes.map(|it| super::read(name, it)) {
        Some(Ok(new)) => drift(old, &new),
        Some(Err(error)) => vec![Change::Unreadable(error).finding(name)],
        None => vec![Change::Removed.finding(name)],
    }
}

fn story_drift(old: &Story, new: &Story) -> Vec<Finding> {
    let mut findings = Vec::new();
    if old.title != new.title || old.description != new.description {
        findings.push(Change::Wording.finding(old.id.as_str()));
    }
    if old.priority != new.priority {
        let change = Change::Priority { before: old.priority, after: new.priority };
        findings.push(change.finding(old.id.as_str()));
    }
    if old.tests_may_change != new.tests_may_change {
        findings.push(Change::Leave.finding(old.id.as_str()));
    }
    findings.extend(old.criteria.iter().flat_map(|it| criterion_drift(it, old, new)));
    for criterion in &new.criteria {
        let is_known = old.criteria.iter().any(|it| it.digest == criterion.digest);
        if !is_known && !is_replacement(criterion, old, new) {
            let change = Change::CriterionAdded(shorten(&criterion.text));
            findings.push(change.finding(&subject(old, criterion)));
        }
    }
    findings
}

fn criterion_drift(old: &Criterion, story: &Story, new: &Story) -> Vec<Finding> {
    let subject = subject(story, old);
    let at_place = new.criterion(old.id);
    let same = at_place.filter(|it| it.digest == old.digest);
    let moved = || new.criteria.iter().find(|it| it.digest == old.digest);
    let mut findings = Vec::new();
    if let Some(newer) = same.or_else(moved) {
        if newer.id != old.id {
            findings.push(Change::CriterionMoved(newer.id).finding(&subject));
        }
        if newer.verify != old.verify {
            let change = Change::Verify { was_absent: old.verify.is_none() };
            findings.push(change.finding(&subject));
        }
        if newer.need != old.need {
            findings.push(Change::Need.finding(&subject));
        }
    } else if let Some(newer) = at_place.filter(|it| is_replacement(it, story, new)) {
        let (before, after) = (shorten(&old.text), shorten(&newer.text));
        findings.push(Change::CriterionChanged { before, after }.finding(&subject));
    } else {
        findings.push(Change::CriterionRemoved(shorten(&old.text)).finding(&subject));
    }
    findings
}

/// Whether a criterion stands where another one stood that is gone, and is none of the old ones.
fn is_replacement(newer: &Criterion, old: &Story, new: &Story) -> bool {
    let is_new = old.criteria.iter().all(|it| it.digest != newer.digest);
    let gone = old
        .criterion(newer.id)
        .is_some_and(|before| new.criteria.iter().all(|it| it.digest != before.digest));
    is_new && gone
}

fn subject(story: &Story, criterion: &Criterion) -> String {
    format!("{} {}", story.id, criterion.id)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::plan::read;

    /// Stories are separated by `|`, criteria by `,`; `!x` after a criterion is its command.
    fn plan(text: &str) -> Plan {
        let mut page = String::new();
        for (number, story) in (1..).zip(text.split('|')).filter(|(_, it)| !it.is_empty()) {
            writeln!(page, "## US-{number}: t\n**AC**:").unwrap();
            for criterion in story.split(',') {
                let (text, verify) = criterion.split_once('!').unwrap_or((criterion, ""));
                let verify =
                    if verify.is_empty() { String::new() } else { format!("(verify: `{verify}`)") };
                writeln!(page, "- {text} {verify}").unwrap();
            }
        }
        read("p.md", page.as_bytes()).unwrap()
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str]) {
        let findings = drift(&plan(old), &plan(new));
        let actual: Vec<_> = findings
            .iter()
            .map(|it| {
                let rule = it.rule.strip_prefix("story.drift.").unwrap();
                format!("{:?} {} {rule}", it.severity, it.subject)
            })
            .collect();
        assert_eq!(actual, expected, "{old} -> {new}");
    }

    #[test]
    fn a_plan_that_says_the_same_has_no_drift() {
        check("a,b|c", "a,b|c", &[]);
        check("a,b!x", "a,  b!x", &[]);
    }

    #[test]
    fn what_makes_a_story_easier_is_named_as_such() {
        check("a,b", "a,c", &["P0 US-1 AC-2 criterion_changed"]);
        check("a,b", "a", &["P0 US-1 AC-2 criterion_removed"]);
        check("a,b,c", "a,c", &["P0 US-1 AC-2 criterion_removed", "P1 US-1 AC-3 criterion_moved"]);
        check("a|b", "a", &["P0 US-2 story_removed"]);
        check("a!x", "a!true", &["P0 US-1 AC-1 verify_changed"]);
        check("a!x", "a", &["P0 US-1 AC-1 verify_changed"]);
    }

    #[test]
    fn what_adds_or_renumbers_is_named_too() {
        check("a", "a,b", &["P1 US-1 AC-2 criterion_added"]);
        check("a", "a|b", &["P1 US-2 story_added"]);
        check("a", "a!x", &["P1 US-1 AC-1 verify_changed"]);
        check("a,b", "b,a", &["P1 US-1 AC-1 criterion_moved", "P1 US-1 AC-2 criterion_moved"]);
        check("a", "b,a", &["P1 US-1 AC-1 criterion_moved", "P1 US-1 AC-1 criterion_added"]);
    }

    #[test]
    fn the_rest_of_the_plan_is_compared_as_well() {
        let old = plan("a");
        let mut new = old.clone();
        new.branch = "ralph/other".parse().unwrap();
        new.stories[0].title = "u".to_owned();
        new.stories[0].priority = 9;
        new.stories[0].tests_may_change = vec!["tests".to_owned()];
        let rules: Vec<_> = drift(&old, &new).into_iter().map(|it| it.rule).collect();
        let expected = ["branch", "wording", "priority", "leave_changed"];
        assert_eq!(rules, expected.map(|it| format!("story.drift.{it}")));
    }
}
