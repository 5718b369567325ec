use std::{collections::BTreeMap, fs, path::Path};

use provost_adapter::{
    AgentRole, Call, CallResult, Reply,
    recording::{RecordedReply, RecordingAdapter},
};
use provost_exec::{Guardian, sandbox::Network};
use provost_kernel::{Exit, Lang};
use provost_rules_task::rubric::Rubric;

use super::*;

/// How a maintainer gets out of a changed prompt.
const REKEY: &str = "the prompt, the rubric or the document changed: give the recordings new keys \
                     as docs/calibration.md says (`provost calibrate --rekey`)";

/// Runs cases with a judge that starts no program.
fn run(case: &Case, adapter: &dyn Adapter, repeat: u32) -> Result<CaseResult, RunError> {
    let guardian = Guardian { program: "/nowhere".into(), args: Vec::new() };
    let place = Place {
        guardian: &guardian,
        env: BTreeMap::new(),
        writable: Vec::new(),
        hidden: Vec::new(),
        network: Network::On,
        check: &|_| Ok(()),
    };
    let repeat = NonZeroU32::new(repeat).unwrap();
    let judge = Judge { adapter, model: None, repeat, place: &place };
    run_case(case, &judge, &Yardstick::embedded().unwrap())
}

fn find<'a>(suite: &'a Suite, task_type: TaskType, id: &str) -> &'a Case {
    suite.of(task_type).find(|it| it.case.case_id == id).unwrap()
}

fn file(task_type: TaskType, name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../calibration");
    fs::read_to_string(root.join(task_type.as_str()).join(name)).unwrap()
}

/// LOOP-U1: every type ships a good, a mediocre and a gated case, each with a recorded answer to
/// the request of today, and each passes.
#[test]
fn every_shipped_case_passes_with_its_recorded_answer() {
    let suite = Suite::embedded().unwrap();
    let rubric = Rubric::embedded().unwrap();
    for &task_type in TaskType::ALL {
        let ids: Vec<_> = suite.of(task_type).map(|it| it.case.case_id.as_str()).collect();
        assert_eq!(ids, ["gated", "good", "mediocre"], "{task_type}");
        let adapter = RecordingAdapter::read("recording", &suite.recordings[&task_type]).unwrap();
        for case in suite.of(task_type) {
            let id = &case.case.case_id;
            let lines = case.document.lines().count();
            assert!((30..=80).contains(&lines), "{task_type}/{id} has {lines} lines");
            let result = run(case, &adapter, 1).unwrap();
            assert_ne!(result.result, Outcome::Missing, "{task_type}/{id}: {REKEY}");
            assert_eq!((result.result, &*result.findings), (Outcome::Passed, &[][..]), "{id}");
            assert_eq!(case.expected.gated, id == "gated", "{task_type}/{id}");
            // Everything that the answer depended on is kept with it.
            assert_eq!((&*result.judge, result.model.as_deref()), ("recording", Some("reference")));
            assert_eq!(
                result.prompt_digest.unwrap(),
                judge_request(case, &rubric, None).digest().unwrap()
            );
            assert_eq!(result.rubric_version, rubric.version);
            assert_eq!(result.rubric_hash, rubric.hash);
        }
    }
}

/// LOOP-U1: a judge that has drifted is found, each by its own kind of drift, although its
/// verdicts are valid.
#[test]
fn every_type_fails_with_its_drifted_answers() {
    let suite = Suite::embedded().unwrap();
    let check = |task_type: TaskType, id: &str, expected: &[&str]| {
        let text = file(task_type, "drifted.jsonl");
        let adapter = RecordingAdapter::read("drifted", &text).unwrap();
        let result = run(find(&suite, task_type, id), &adapter, 1).unwrap();
        assert_eq!(result.result, Outcome::Failed, "{task_type}/{id}: {REKEY}");
        let rules: Vec<_> = result.findings.iter().map(|it| &*it.rule).collect();
        assert!(rules.iter().all(|it| *it == "task.calibration"), "{rules:?}");
        let subjects: Vec<_> = result.findings.iter().map(|it| it.subject.as_str()).collect();
        assert_eq!(subjects, expected, "{task_type}/{id}");
    };
    // Praise for a document that may not pass.
    check(
        TaskType::RequirementsDoc,
        "gated",
        &[
            "scores.acceptance_testability",
            "scores.clarity",
            "scores.completeness",
            "scores.constraints_and_compliance",
            "scores.feasibility",
            "scores.risk_and_exception",
            "scores.structure_and_readability",
            "gated",
            "top_issues",
        ],
    );
    // Low scores that just miss the gate.
    check(
        TaskType::EngineeringImpl,
        "gated",
        &["scores.runnability", "scores.security", "scores.test_and_validation", "gated"],
    );
    // Too few issues, and too many.
    check(TaskType::EngineeringImpl, "mediocre", &["top_issues"]);
    check(TaskType::DouyinScript, "good", &["top_issues"]);
    // One dimension.
    check(TaskType::Storyboard, "mediocre", &["scores.pacing_and_rhythm"]);
    // A gate where none is.
    check(TaskType::PaidMiniDrama, "good", &["gated"]);
}

/// LOOP-U1: what is not there is a warning and never a pass.
#[test]
fn a_case_without_a_recorded_answer_is_missing() {
    let suite = Suite::embedded().unwrap();
    let case = find(&suite, TaskType::Storyboard, "good");
    let check = |recording: &str, expected: &str| {
        let adapter = RecordingAdapter::read("r", recording).unwrap();
        let result = run(case, &adapter, 1).unwrap();
        assert_eq!(result.result, Outcome::Missing);
        assert!(result.findings.is_empty());
        let warning = result.warning().unwrap().to_string();
        assert!(warning.starts_with(expected), "{warning}");
    };
    let start = "the case `good` of `storyboard` was not checked: `r` has no recorded answer: ";
    check("", &format!("{start}nothing is recorded for this role"));
    check(&suite.recordings[&TaskType::DouyinScript], &format!("{start}the nearest recorded"));
    let adapter = RecordingAdapter::read("r", &suite.recordings[&TaskType::Storyboard]).unwrap();
    assert_eq!(run(case, &adapter, 1).unwrap().warning(), None);
}

/// LOOP-U1: the same question three times gets the same class of verdict.
#[test]
fn a_judge_that_changes_its_mind_fails() {
    let suite = Suite::embedded().unwrap();
    let rubric = Rubric::embedded().unwrap();
    let case = find(&suite, TaskType::PaidMiniDrama, "good");
    let right = suite.recordings[&TaskType::PaidMiniDrama].clone();
    let drifted = file(TaskType::PaidMiniDrama, "drifted.jsonl");
    let both = right.clone() + &right + &drifted;
    let check = |repeat: u32, expected: &[&str]| {
        let adapter = RecordingAdapter::read("r", &both).unwrap();
        let result = run(case, &adapter, repeat).unwrap();
        let subjects: Vec<_> = result.findings.iter().map(|it| it.subject.as_str()).collect();
        assert_eq!(subjects, expected, "{repeat}");
    };
    check(2, &[]);
    check(3, &["gated", "repeat"]);
    // The same mistake each time is one finding, and no change of mind.
    let adapter = RecordingAdapter::read("r", &drifted).unwrap();
    assert_eq!(run(case, &adapter, 3).unwrap().findings.len(), 1);
    // An answer that is not a verdict is a failure of the judge.
    let reply = Reply::new(AgentRole::Judge, "PASS".to_owned());
    let line = RecordedReply::new(&judge_request(case, &rubric, None), reply).unwrap();
    let text = serde_json::to_string(&line).unwrap();
    let result = run(case, &RecordingAdapter::read("r", &text).unwrap(), 1).unwrap();
    assert_eq!((result.result, &*result.findings[0].rule), (Outcome::Failed, "verdict.json"));
}

/// A judge that ends in the way it is told.
#[derive(Debug)]
struct Silent(CallError);

impl Adapter for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn call(&self, _: Call<'_>) -> Result<CallResult, AdapterError> {
        Ok(CallResult {
            rc: self.0.rc(),
            outcome: Err(self.0.clone()),
            usage: provost_kernel::model::Usage::default(),
            session: None,
            session_usage: provost_kernel::model::Usage::default(),
            raw_reply: None,
            log: provost_adapter::Log::default(),
            wall: std::time::Duration::ZERO,
            sandbox: None,
        })
    }
}

#[test]
fn a_judge_that_does_not_answer_is_an_error_and_not_a_verdict() {
    let suite = Suite::embedded().unwrap();
    let case = find(&suite, TaskType::Storyboard, "good");
    let check = |outcome: CallError, exit: Exit, expected: &str| {
        let error = run(case, &Silent(outcome), 1).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.exit()), (expected, exit));
    };
    check(CallError::TimedOut, Exit::Unable, "`silent` gave no verdict on `good`: timed out");
    check(
        CallError::Quota { retry_after: None },
        Exit::Quota,
        "`silent` gave no verdict on `good`: the quota is exhausted",
    );
}

/// The anchors in a type's page are those by which it is judged.
#[test]
fn every_page_holds_the_anchors_of_its_type_in_both_languages() {
    let rubric = Rubric::embedded().unwrap();
    for &task_type in TaskType::ALL {
        let page = file(task_type, "README.md");
        for dimension in &rubric.of(task_type).dimensions {
            assert!(page.contains(&format!("### `{}`", dimension.key)), "{}", dimension.key);
            let texts = dimension.anchors.values().chain(&dimension.description);
            for text in texts.flat_map(|it| [Lang::En.render(it), Lang::Zh.render(it)]) {
                assert!(page.contains(&text), "{task_type}: {text}");
            }
        }
    }
}
