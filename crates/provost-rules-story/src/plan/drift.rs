//! What changed between a plan as it was frozen and the document as it is now.
//!
//! Whoever works on a plan can edit its document. What the work is held against was read before;
//! this says where the document no longer agrees.

use provost_kernel::{
    Finding, Lang, Message, Severity,
    story::{Criterion, Plan, Story},
};
use provost_rules::json::shorten;

/// Names every difference that matters between a frozen plan and a newer reading of it.
///
/// What would make a story easier to pass is P0; what adds work or renumbers it is P1; the rest
/// is P2.
pub fn drift(old: &Plan, new: &Plan, lang: Lang) -> Vec<Finding> {
    let mut found = Drift { lang, findings: Vec::new() };
    if old.branch != new.branch {
        let (before, after) = (&old.branch, &new.branch);
        found.add(
            "story.drift.branch",
            Severity::P1,
            "branch",
            format!("the branch was `{before}` and is `{after}`"),
            format!("分支原为 `{before}`,现为 `{after}`"),
        );
    }
    for story in &old.stories {
        match new.story(&story.id) {
            Some(newer) => found.story(story, newer),
            None => found.add(
                "story.drift.story_removed",
                Severity::P0,
                story.id.as_str(),
                "the story is no longer in the plan".to_owned(),
                "计划中已没有这个故事".to_owned(),
            ),
        }
    }
    for story in new.stories.iter().filter(|it| old.story(&it.id).is_none()) {
        found.add(
            "story.drift.story_added",
            Severity::P1,
            story.id.as_str(),
            "the story is new in the plan".to_owned(),
            "这是计划中新增的故事".to_owned(),
        );
    }
    found.findings
}

/// The same for a document as it lies there now: nothing, or what is no plan, is a difference too.
pub fn drifted(old: &Plan, name: &str, bytes: Option<&[u8]>, lang: Lang) -> Vec<Finding> {
    let (rule, en, zh) = match bytes.map(|it| super::read(name, it, lang)) {
        Some(Ok(new)) => return drift(old, &new, lang),
        Some(Err(error)) => (
            "story.drift.plan_unreadable",
            format!("the document is no plan any more: {}", error.text().render(lang)),
            format!("文档已不再是计划:{}", error.text().render(lang)),
        ),
        None => (
            "story.drift.plan_removed",
            "the plan is no longer there".to_owned(),
            "计划文件已不存在".to_owned(),
        ),
    };
    let (subject, message) = (name.to_owned(), lang.pick(en, zh));
    vec![Finding {
        rule: rule.into(),
        severity: Severity::P0,
        subject,
        message: message.into(),
        hint: None,
    }]
}

struct Drift {
    lang: Lang,
    findings: Vec<Finding>,
}

impl Drift {
    fn add(
        &mut self,
        rule: &'static str,
        severity: Severity,
        subject: &str,
        en: String,
        zh: String,
    ) {
        let (subject, message) = (subject.to_owned(), self.lang.pick(en, zh));
        self.findings.push(Finding {
            rule: rule.into(),
            severity,
            subject,
            message: message.into(),
            hint: None,
        });
    }

    fn story(&mut self, old: &Story, new: &Story) {
        if old.title != new.title || old.description != new.description {
            self.add(
                "story.drift.wording",
                Severity::P2,
                old.id.as_str(),
                "the title or the description of the story changed".to_owned(),
                "故事的标题或描述已改变".to_owned(),
            );
        }
        if old.priority != new.priority {
            let (before, after) = (old.priority, new.priority);
            self.add(
                "story.drift.priority",
                Severity::P2,
                old.id.as_str(),
                format!("the priority was {before} and is {after}"),
                format!("优先级原为 {before},现为 {after}"),
            );
        }
        for criterion in &old.criteria {
            self.criterion(criterion, old, new);
        }
        for criterion in &new.criteria {
            let is_known = old.criteria.iter().any(|it| it.digest == criterion.digest);
            if !is_known && !is_replacement(criterion, old, new) {
                let text = shorten(&criterion.text);
                self.add(
                    "story.drift.criterion_added",
                    Severity::P1,
                    &subject(old, criterion),
                    format!("the criterion is new: {text}"),
                    format!("新增的验收标准:{text}"),
                );
            }
        }
    }

    fn criterion(&mut self, old: &Criterion, story: &Story, new: &Story) {
        let subject = subject(story, old);
        let at_place = new.criterion(old.id);
        let same = at_place.filter(|it| it.digest == old.digest);
        let moved = || new.criteria.iter().find(|it| it.digest == old.digest);
        if let Some(newer) = same.or_else(moved) {
            if newer.id != old.id {
                let id = newer.id;
                self.add(
                    "story.drift.criterion_moved",
                    Severity::P1,
                    &subject,
                    format!("the criterion is now {id}"),
                    format!("该验收标准现为 {id}"),
                );
            }
            if newer.verify != old.verify {
                // A command where there was none asks for more; any other change asks for less
                // or for something else.
                let severity = if old.verify.is_none() { Severity::P1 } else { Severity::P0 };
                self.add(
                    "story.drift.verify_changed",
                    severity,
                    &subject,
                    "the command that proves the criterion changed".to_owned(),
                    "证明该验收标准的命令已改变".to_owned(),
                );
            }
            return;
        }
        if let Some(newer) = at_place.filter(|it| is_replacement(it, story, new)) {
            let (before, after) = (shorten(&old.text), shorten(&newer.text));
            self.add(
                "story.drift.criterion_changed",
                Severity::P0,
                &subject,
                format!("the criterion was `{before}` and is `{after}`"),
                format!("验收标准原为 `{before}`,现为 `{after}`"),
            );
            return;
        }
        let text = shorten(&old.text);
        self.add(
            "story.drift.criterion_removed",
            Severity::P0,
            &subject,
            format!("the criterion is no longer in the plan: {text}"),
            format!("计划中已没有这条验收标准:{text}"),
        );
    }
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
        read("p.md", page.as_bytes(), Lang::En).unwrap()
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str]) {
        let findings = drift(&plan(old), &plan(new), Lang::En);
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
        let rules: Vec<_> = drift(&old, &new, Lang::Zh).into_iter().map(|it| it.rule).collect();
        assert_eq!(rules, ["story.drift.branch", "story.drift.wording", "story.drift.priority"]);
    }
}
