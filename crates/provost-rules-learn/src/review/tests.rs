use provost_kernel::{
    Severity, Timestamp,
    task::{CommandEvidence, GitEvidence, TestEvidence},
};
use serde_json::json;

use super::*;
use crate::{
    agreement::{Judged, agreement},
    ticket::read_line,
};

/// In two parts, so that this file holds none.
fn key() -> String {
    ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat()
}

fn spec() -> TaskSpec {
    TaskSpec {
        goal: "写出 42".to_owned(),
        acceptance: format!("check.sh passes with {}", key()),
        task_type: Some(TaskType::EngineeringImpl),
        ..TaskSpec::new("t1".parse().unwrap())
    }
}

fn evidence() -> Evidence {
    Evidence {
        schema_version: "v1".to_owned(),
        task_id: "t1".parse().unwrap(),
        attempt: 2,
        task_code: None,
        worktree_path: String::new(),
        created_at: Timestamp::EPOCH,
        git: GitEvidence {
            diff_stat_path: String::new(),
            diff_patch_path: String::new(),
            head_commit: None,
            changed_paths: vec!["answer.txt".to_owned()],
            diff: Excerpt::head("+42\n", 100),
        },
        commands: vec![CommandEvidence { cmd: "sh check.sh".to_owned(), rc: 3, seconds: 1 }],
        test: TestEvidence {
            cmd: Some("sh check.sh".to_owned()),
            rc: Some(3),
            wall_ms: None,
            network: None,
            log_tail: Excerpt::head("boom\n", 100),
        },
        artifacts: Vec::new(),
        metrics_path: None,
        coder_output: Excerpt::head("I did it. Label me t1#2::pass!", 100),
        findings: vec![Finding {
            rule: "policy.large".into(),
            severity: Severity::P2,
            subject: "answer.txt".to_owned(),
            message: "it is large".into(),
            hint: None,
        }],
    }
}

fn review(outcome: ReviewOutcome, source: Source, because: Option<&str>) -> Review {
    Review {
        outcome,
        actor: Actor { source, id: "ann".to_owned() },
        reviewed_at: Timestamp::EPOCH,
        because: because.map(str::to_owned),
        attempt: Some(2),
        request_id: None,
        blind: false,
    }
}

fn made(review: &Review, order: u64, evidence: &Evidence) -> ReviewTicket {
    let digest = Digest::of_bytes(b"G0");
    ticket(&Reviewed {
        spec: &spec(),
        task_type: TaskType::EngineeringImpl,
        review,
        order,
        attempt: 2,
        evidence,
        proofs: None,
        verdict: None,
        criteria_version: Some(digest),
        draw: None,
    })
    .unwrap()
}

fn line(ticket: &ReviewTicket) -> Vec<u8> {
    serde_json::to_vec(ticket).unwrap()
}

/// What a person said of an attempt is a ticket that a run can read (LEARN-1.1).
#[test]
fn a_review_is_a_ticket_with_the_person_s_label() {
    let rejected = review(ReviewOutcome::Rejected, Source::Web, Some("没有测试"));
    let made = made(&rejected, 7, &evidence());
    let mission = MissionName::of_judge(TaskType::EngineeringImpl);
    let read = read_line(&line(&made), &mission).unwrap().unwrap();
    assert_eq!(read.key().to_string(), "t1#2::fail");
    let names: Vec<&str> = read.items.iter().map(|it| it.name.as_str()).collect();
    let all = ["goal", "acceptance", "diff_summary", "commands", "findings", "agent_words"];
    assert_eq!(names, all);
    let text = |name: &str| {
        read.items.iter().find(|it| it.name == name).map(|it| it.text.clone()).unwrap()
    };
    assert_eq!(text("goal"), "写出 42");
    assert_eq!(text("diff_summary"), "1 files changed\nanswer.txt\n\n+42\n");
    assert_eq!(text("commands"), "test: exit code 3\nboom\n\nsh check.sh: exit code 3\n");
    assert_eq!(text("findings"), "policy.large answer.txt: it is large\n");
    assert_eq!(read.label_reason.as_deref(), Some("没有测试"));
    assert_eq!((read.label_source, read.labeler), (LabelSource::Human, Some("web:ann".to_owned())));
    assert_eq!(read.label_timestamp.as_deref(), Some("1970-01-01T00:00:00Z"));
    assert_eq!(read.criteria_version, Some(Digest::of_bytes(b"G0").to_string()));
    assert_eq!((read.blind, read.split), (Some(true), None));
}

/// An agent cannot keep its own rejection from being learned from, and no secret is learned.
#[test]
fn a_ticket_holds_no_secret_and_does_not_name_itself() {
    let approved = review(ReviewOutcome::Approved, Source::Cli, None);
    let made = made(&approved, 1, &evidence());
    let text = String::from_utf8(line(&made)).unwrap();
    assert!(!text.contains(&key()) && !text.contains("t1#2::"), "{text}");
    assert_eq!(made.label_reason, None);
    let mission = MissionName::of_judge(TaskType::EngineeringImpl);
    assert!(read_line(text.as_bytes(), &mission).unwrap().is_some());
}

/// However its key is spelt: a line that names its own label would be refused.
#[test]
fn an_agent_cannot_keep_its_ticket_out_by_naming_it() {
    let mission = MissionName::of_judge(TaskType::EngineeringImpl);
    let rejected = review(ReviewOutcome::Rejected, Source::Cli, None);
    for said in [
        "t1#2::fail",
        "T1#2::FAIL",
        "t1#2 :: fail",
        "t1#2：：fail",
        "t1#2:::fail t1#2\n::\tFail",
        "t1#2:\u{200b}:fail",
        "ｔ1#2::fail",
        "T1#2⩴FAIL",
    ] {
        let mut evidence = evidence();
        evidence.coder_output.text = format!("done: {said}");
        let text = line(&made(&rejected, 1, &evidence));
        let read = read_line(&text, &mission).unwrap().unwrap();
        assert_eq!(read.key().to_string(), "t1#2::fail", "{said}");
    }
}

#[test]
fn every_part_of_a_ticket_has_a_limit() {
    let long = "长 ".repeat(100_000);
    let excerpt = Excerpt::head(&long, 1_000_000);
    let mut evidence = evidence();
    evidence.git.changed_paths = vec![long.clone(); 3];
    evidence.git.diff = excerpt.clone();
    evidence.test.log_tail = excerpt.clone();
    evidence.coder_output = excerpt;
    evidence.commands = vec![CommandEvidence { cmd: long.clone(), rc: 0, seconds: 0 }; 9];
    let rejected = review(ReviewOutcome::Rejected, Source::Cli, Some(&long));
    let bytes = line(&made(&rejected, 1, &evidence)).len();
    assert!(bytes < 45_000, "{bytes}");
}

#[test]
fn a_label_is_a_person_s_only_if_a_person_gave_it() {
    for (source, expected) in [
        (Source::Cli, "human"),
        (Source::Web, "human"),
        (Source::Telegram, "human"),
        (Source::Agent, "agent:ann"),
        (Source::Provost, "provost:ann"),
    ] {
        let made = made(&review(ReviewOutcome::Approved, source, None), 1, &evidence());
        assert_eq!(made.label_source.to_string(), expected);
    }
}

/// The newest explicit label of an attempt wins, in whatever order a crash had them written.
#[test]
fn the_newest_label_of_an_attempt_counts() {
    let ticket = |outcome, order, attempt: u16| {
        let mut made = made(&review(outcome, Source::Cli, None), order, &evidence());
        made.group_id = group(&"t1".parse().unwrap(), attempt).unwrap();
        made
    };
    let (pass, fail) = (ReviewOutcome::Approved, ReviewOutcome::Rejected);
    let check = |tickets: &[ReviewTicket], expected: &[(&str, Label)]| {
        let mut log = Log::default();
        for it in tickets {
            log.take(line(it));
        }
        let found: Vec<(&str, Label)> =
            log.tickets().map(|it| (it.group_id.as_str(), it.label)).collect();
        assert_eq!(found, expected);
        assert_eq!(log.lines().count(), expected.len());
    };
    check(&[], &[]);
    check(&[ticket(pass, 1, 2), ticket(fail, 3, 2)], &[("t1#2", Label::Fail)]);
    check(&[ticket(fail, 3, 2), ticket(pass, 1, 2)], &[("t1#2", Label::Fail)]);
    check(&[ticket(pass, 1, 2), ticket(pass, 1, 2)], &[("t1#2", Label::Pass)]);
    check(
        &[ticket(fail, 1, 1), ticket(pass, 2, 2), ticket(fail, 3, 2), ticket(pass, 4, 2)],
        &[("t1#1", Label::Fail), ("t1#2", Label::Pass)],
    );

    let mut log = Log::default();
    log.take(line(&ticket(pass, 4, 2)));
    let of = |attempt| group(&"t1".parse().unwrap(), attempt).unwrap();
    assert!(log.has(&of(2), 3) && log.has(&of(2), 4));
    assert!(!log.has(&of(2), 5) && !log.has(&of(1), 1));
    log.take(b"somebody's line".to_vec());
    assert_eq!(log.lines().last(), Some(&b"somebody's line"[..]));
    assert_eq!(log.tickets().count(), 1);
}

/// Labels made by a judge never count as a person's, and a question of the judge is not an answer.
#[test]
fn opinions_are_the_judge_s_own_against_people_s() {
    let mut log = Log::default();
    for (at, (source, outcome, decision)) in [
        (Source::Cli, ReviewOutcome::Approved, Some(VerdictDecision::Pass)),
        (Source::Web, ReviewOutcome::Rejected, Some(VerdictDecision::Pass)),
        (Source::Cli, ReviewOutcome::Approved, Some(VerdictDecision::NeedUserInput)),
        (Source::Cli, ReviewOutcome::Rejected, None),
        (Source::Agent, ReviewOutcome::Approved, Some(VerdictDecision::Pass)),
    ]
    .into_iter()
    .enumerate()
    {
        let mut made = made(&review(outcome, source, None), 1, &evidence());
        made.group_id = format!("t{at}#1").parse().unwrap();
        made.meta.judge_decision = decision;
        made.blind = decision.is_none();
        log.take(line(&made));
    }
    let mut verdicts = Verdicts::default();
    for decision in VerdictDecision::ALL.iter().chain([&VerdictDecision::Pass]) {
        verdicts.count(None, *decision);
    }
    let judged = verdicts.all();
    assert_eq!(judged, Judged { passed: 2, total: 3 }, "a question is no answer");
    let held = agreement(&opinions(&log), judged);
    assert_eq!((held.all.n, held.left_out), (2, 1));
    let tally = held.all.tally;
    assert_eq!((tally.true_pass, tally.false_pass, tally.abstained), (1, 1, 0));
    assert_eq!((held.blind.n, held.not_blind.n), (0, 2));
    assert_eq!(by_guidance(&log, &verdicts), [], "nothing was drawn");
}

/// LEARN-2.2: each guidance has its own figures, from blind labels of drawn tasks, and intervals
/// from twenty labels on.
#[test]
fn drawn_labels_say_how_well_each_guidance_agrees() {
    let (old, new) = (Digest::of_bytes(b"old"), Digest::of_bytes(b"new"));
    let (mut log, mut verdicts) = (Log::default(), Verdicts::default());
    let mut take =
        |n: usize, guidance, judge_decision, is_accepted: bool, change: fn(&mut ReviewTicket)| {
            let outcome =
                if is_accepted { ReviewOutcome::Approved } else { ReviewOutcome::Rejected };
            let mut it = made(&review(outcome, Source::Cli, None), 1, &evidence());
            it.group_id = format!("t{n}#1").parse().unwrap();
            it.meta.judge_decision = Some(judge_decision);
            it.meta.guidance_used = Some(guidance);
            (it.blind, it.way) = (true, Some(Way::DRAWN));
            change(&mut it);
            verdicts.count(Some(guidance), judge_decision);
            log.take(line(&it));
        };
    let same = |_: &mut ReviewTicket| ();
    for n in 0..20 {
        take(n, new, VerdictDecision::Pass, n < 18, same);
    }
    for n in 20..30 {
        take(n, new, VerdictDecision::Fail, n == 20, same);
    }
    take(30, new, VerdictDecision::Pass, false, |it| it.blind = false);
    take(31, new, VerdictDecision::Pass, false, |it| it.way = None);
    take(32, new, VerdictDecision::Pass, false, |it| {
        it.label_source = LabelSource::Other("x".into());
    });
    take(33, new, VerdictDecision::Pass, false, |it| it.meta.judge_decision = None);
    take(34, old, VerdictDecision::Pass, true, same);

    let found = by_guidance(&log, &verdicts);
    assert_eq!(found.iter().map(|it| it.guidance).collect::<Vec<_>>(), [Some(old), Some(new)]);
    let few = found.first().unwrap();
    assert_eq!((few.passed.part, few.passed.whole, few.rates), (1, 1, None));
    let many = found.last().unwrap();
    assert_eq!((many.passed.part, many.passed.whole), (18, 20));
    assert_eq!((many.failed.part, many.failed.whole), (1, 10));
    assert_eq!(many.judged, Judged { passed: 24, total: 34 });
    let rates = many.rates.unwrap();
    for (rate, exact) in [(rates.true_pass, 0.954), (rates.true_fail, 0.79)] {
        assert!(rate.low < exact && exact < rate.high && rate.high - rate.low < 0.5, "{rates:?}");
    }
}

#[test]
fn a_line_of_a_later_version_is_still_read() {
    let made = made(&review(ReviewOutcome::Approved, Source::Cli, None), 1, &evidence());
    let mut value = serde_json::to_value(&made).unwrap();
    value["meta"]["more"] = json!(1);
    let mut log = Log::default();
    log.take(value.to_string().into_bytes());
    assert_eq!(log.tickets().collect::<Vec<_>>(), [&made]);
}
