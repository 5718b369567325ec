//! The file in which an agent hands in its claims: one update, or a list of one for each story.

use std::collections::BTreeSet;

use provost_form::{Limits, Problem, json, nearest::nearest};
use provost_kernel::{
    Finding, Message, Severity, Text,
    story::{Explanation, StoryId, StoryUpdate},
};
use provost_rules_story::update;
use serde_json::Value;

/// More than the claims of the longest plan.
const LIMITS: Limits = Limits { bytes: 4 * 1024 * 1024, depth: 9 };

/// What was handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandedIn {
    /// At most one for each story, in the order of the stories.
    pub claims: Vec<Claim>,
    pub findings: Vec<Finding>,
}

/// The claim for one story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub update: StoryUpdate,
    /// As it was sent.
    pub sent: Value,
}

/// Why something that was handed in does not count as a claim.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.claim")]
pub enum ClaimProblem {
    #[message(
        en = "no claim for {story} was submitted, none of its criteria is proven",
        zh = "没有提交 {story} 的声明，其验收标准均未得到证明",
        hint(
            en = "write the claim into the file that `{variable}` names",
            zh = "请把声明写入 `{variable}` 指定的文件"
        )
    )]
    Missing { story: StoryId, variable: &'static str },
    #[message(
        en = "cannot read the submitted claims: {why}",
        zh = "无法读取提交的声明：{why}",
        hint(
            en = "submit one JSON object, or a list with one for each story",
            zh = "请提交一个 JSON 对象，或每个故事一个对象的列表"
        )
    )]
    Unreadable { why: Text },
    #[message(en = "it is not a JSON object", zh = "不是 JSON 对象")]
    NotAnObject,
    #[message(en = "it is not a plain file with one name", zh = "不是只有一个名称的普通文件")]
    NotAFile,
    #[message(
        en = "{story} was claimed more than once, no claim for it counts",
        zh = "{story} 提交了多份声明，均不计入"
    )]
    Twice { story: StoryId },
    #[message(
        en = "the task has no story {story}",
        zh = "此任务没有故事 {story}",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        )
    )]
    UnknownStory { story: StoryId, nearest: Option<String> },
}

/// Whether a file is one JSON value that says everything once.
pub fn check(bytes: &[u8]) -> Result<(), Problem> {
    json::parse(bytes, LIMITS).map(drop)
}

/// Reads what was handed in for these stories.
///
/// What cannot be read is not a claim, and neither is what is claimed twice: which of the two was
/// meant is unknown. All stories of an attempt are one change, so what one claim says of files
/// holds for all of them.
pub fn read(bytes: &[u8], stories: &[&StoryId]) -> HandedIn {
    let mut handed_in = HandedIn::default();
    let items = match json::parse(bytes, LIMITS) {
        Ok(Value::Array(items)) => items,
        Ok(item) => vec![item],
        Err(error) => {
            handed_in.findings.push(ClaimProblem::Unreadable { why: error.text() }.finding());
            return handed_in;
        }
    };
    let mut claims: Vec<Claim> = Vec::new();
    for (index, sent) in items.into_iter().enumerate() {
        let named =
            |it: Finding| Finding { subject: format!("claim[{index}]{}", it.subject), ..it };
        match claim(sent, stories) {
            Ok(claim) => claims.push(claim),
            Err(found) => handed_in.findings.extend(found.into_iter().map(named)),
        }
    }
    for story in stories {
        let mut own = claims.iter().filter(|it| it.update.story_id == **story);
        match (own.next(), own.next()) {
            (Some(claim), None) => handed_in.claims.push(claim.clone()),
            (Some(_), Some(_)) => {
                let twice = ClaimProblem::Twice { story: (*story).clone() };
                handed_in.findings.push(twice.finding());
            }
            (None, _) => {}
        }
    }
    share(&mut handed_in.claims);
    handed_in
}

fn claim(sent: Value, stories: &[&StoryId]) -> Result<Claim, Vec<Finding>> {
    let Value::Object(object) = &sent else {
        let why = ClaimProblem::NotAnObject.text();
        return Err(vec![ClaimProblem::Unreadable { why }.finding()]);
    };
    let mut update = update::read(object).map_err(|it| it.findings())?;
    let known = stories.iter().find(|it| it.number() == update.story_id.number());
    let Some(known) = known else {
        let story = update.story_id;
        let nearest = nearest(story.as_str(), stories.iter().map(|it| it.as_str()));
        let nearest = nearest.map(str::to_owned);
        return Err(vec![ClaimProblem::UnknownStory { story, nearest }.finding()]);
    };
    // A task has one plan; under which branch the agent knows it does not matter.
    update.branch = None;
    update.story_id = (*known).clone();
    Ok(Claim { update, sent })
}

/// Gives every claim what all of them say of files.
fn share(claims: &mut [Claim]) {
    let mut files: Option<Vec<String>> = None;
    let mut explanations: Vec<Explanation> = Vec::new();
    for it in claims.iter() {
        if let Some(more) = &it.update.expected_files {
            files.get_or_insert_default().extend(more.iter().cloned());
        }
        for more in &it.update.explanations {
            if !explanations.iter().any(|it| it.file == more.file) {
                explanations.push(more.clone());
            }
        }
    }
    if let Some(files) = &mut files {
        let mut seen = BTreeSet::new();
        files.retain(|it| seen.insert(it.clone()));
    }
    for it in claims {
        it.update.expected_files.clone_from(&files);
        it.update.explanations.clone_from(&explanations);
    }
}

impl ClaimProblem {
    pub fn finding(&self) -> Finding {
        let (rule, subject) = match self {
            Self::Missing { story, .. } => ("task.claim.missing", story.as_str()),
            Self::Unreadable { .. } | Self::NotAnObject | Self::NotAFile => {
                ("task.claim.unreadable", "")
            }
            Self::Twice { story } => ("task.claim.twice", story.as_str()),
            Self::UnknownStory { .. } => ("task.claim.unknown_story", "/storyId"),
        };
        Finding::new(rule, Severity::P1, subject, self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{read as read_claims, *};

    /// Says what was read: each claim as its story, its files and the files it explains, then the
    /// rules of the findings.
    #[track_caller]
    fn check(sent: &str, claims: &[&str], rules: &[&str]) {
        let stories: Vec<StoryId> =
            ["US-001", "US-002"].iter().map(|it| it.parse().unwrap()).collect();
        let stories: Vec<&StoryId> = stories.iter().collect();
        let read = read_claims(sent.as_bytes(), &stories);
        let shown = read.claims.iter().map(|Claim { update, .. }| {
            let files = update.expected_files.as_ref().map_or("-".to_owned(), |it| it.join("+"));
            let why: Vec<_> = update.explanations.iter().map(|it| it.file.as_str()).collect();
            format!("{} {files} {}", update.story_id, why.join("+")).trim_end().to_owned()
        });
        assert_eq!(shown.collect::<Vec<_>>(), claims, "{sent}");
        let found: Vec<_> =
            read.findings.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect();
        assert_eq!(found, rules, "{sent}");
        assert!(read.findings.iter().all(|it| it.severity <= Severity::P1), "{sent}");
    }

    /// STORY-1.1: one update or a list of them, and nothing else.
    #[test]
    fn one_update_or_a_list_of_them_is_read() {
        let one = json!({"storyId": "us-1", "passes": true, "branch": "other"});
        let two = json!({"storyId": "US-002", "passes": false});
        check(&one.to_string(), &["US-001 -"], &[]);
        check(&json!([two, one]).to_string(), &["US-001 -", "US-002 -"], &[]);
        check("[]", &[], &[]);
        check("", &[], &["task.claim.unreadable "]);
        check("[1]", &[], &["task.claim.unreadable claim[0]"]);
        check("\"done\"", &[], &["task.claim.unreadable claim[0]"]);
        let repeated = r#"{"storyId": "US-001", "passes": false, "passes": true}"#;
        check(repeated, &[], &["task.claim.unreadable "]);
        assert!(super::check(repeated.as_bytes()).is_err());
    }

    #[test]
    fn what_is_wrong_with_one_claim_does_not_touch_another() {
        let fine = json!({"storyId": "US-002", "passes": true});
        let strange = json!({"storyId": "US-003", "passes": true});
        check(
            &json!([strange, fine]).to_string(),
            &["US-002 -"],
            &["task.claim.unknown_story claim[0]/storyId"],
        );
        let again = json!({"storyId": "US-2", "passes": false});
        check(&json!([fine, again]).to_string(), &[], &["task.claim.twice US-002"]);
        let odd = json!({"storyId": "US-001", "passes": true, "skipHardGates": true});
        let stories: [StoryId; 1] = ["US-001".parse().unwrap()];
        let read = read_claims(odd.to_string().as_bytes(), &[&stories[0]]);
        assert_eq!((read.claims.len(), read.findings.is_empty()), (0, false));
    }

    /// The stories of one attempt are one change.
    #[test]
    fn what_is_said_of_files_holds_for_all_claims() {
        let one = json!({"storyId": "US-001", "passes": true, "expectedFiles": ["a", "b"],
            "scopeExplanation": {"x": {"reason": "it is needed there", "lines": 1}}});
        let two = json!({"storyId": "US-002", "passes": true, "expectedFiles": ["b", "c"],
            "scopeExplanation": {"y": {"reason": "it is needed there", "lines": 1}}});
        check(&json!([one, two]).to_string(), &["US-001 a+b+c x+y", "US-002 a+b+c x+y"], &[]);
    }
}
