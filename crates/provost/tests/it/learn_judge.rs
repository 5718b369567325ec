//! The judge learns from people: reviews become tickets, what is in force is told to the judge, and
//! its agreement with people is measured.

use std::{fs, path::PathBuf, sync::Arc};

use provost_desk::Desk;
use provost_engine::learn::reviews;
use provost_kernel::{
    Actor, Source,
    learn::{Current, Guidance, Label, MissionName, Rule, RuleKey, Rulebook, Scaffold},
    task::TaskType,
};
use provost_rules_learn::{agreement::Caveat, judge, ticket::read_line};
use provost_vault::{
    Durable, Layout, RealDisk, SystemClock,
    audit::{Audit, Event},
    learn::{read_current, subject, summary, write_current},
    prepare_home,
};
use serde_json::{Value, json};

use crate::loop_world::{GOOD, Loop, WRONG, plain, scored, token};

const TYPE: TaskType = TaskType::EngineeringImpl;
const TICKETS: &str = "judge-engineering_impl/tickets.jsonl";
const CURRENT: &str = "judge-engineering_impl/current.json";

fn world() -> Loop {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    it
}

fn typed() -> Value {
    json!({ "task_type": "engineering_impl", "max_attempts": 1 })
}

fn learn(it: &Loop, path: &str) -> PathBuf {
    it.world.path("repo/.provost/learn").join(path)
}

/// Puts a file into the folder of missions, as no program of ours would.
fn put(it: &Loop, path: &str, contents: impl AsRef<[u8]>) {
    it.world.write(format!("repo/.provost/learn/{path}"), contents);
}

#[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
fn remove(it: &Loop, path: &str) {
    fs::remove_file(learn(it, path)).unwrap();
}

/// The lines of the log of tickets.
fn tickets(it: &Loop) -> Vec<Value> {
    let text = fs::read_to_string(learn(it, TICKETS)).unwrap_or_default();
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn layout(it: &Loop) -> Layout {
    let path = |it: PathBuf| camino::Utf8PathBuf::from_path_buf(it).unwrap();
    let state = it.world.path("home/.local/state");
    Layout::new(&path(it.world.path("repo/.provost")), None, &path(state))
}

fn desk(it: &Loop) -> Desk {
    Desk::new(layout(it), Arc::new(SystemClock))
}

/// Puts guidance in force as a person does: it is in the audit chain first.
fn adopt(it: &Loop, current: Current) {
    let (layout, mission) = (layout(it), MissionName::of_judge(TYPE));
    prepare_home(&RealDisk, &layout).unwrap();
    let old = read_current(&RealDisk, &layout, &mission).ok().flatten();
    let event = Event {
        actor: Actor { source: Source::Cli, id: "person".to_owned() },
        action: "learn.adopt".to_owned(),
        subject: subject(&mission),
        request_id: None,
        detail: json!({"old": old.as_ref().map(summary), "new": summary(&current)}),
    };
    let mut chain = Audit::open(&RealDisk, &layout).unwrap();
    let head = chain.append(&event, &SystemClock, Durable::Now).unwrap();
    chain.store_head(head, "learn.adopt", &SystemClock).unwrap();
    write_current(&RealDisk, &layout, &mission, current).unwrap();
}

/// The keys of the tickets that a run would read.
fn gathered(it: &Loop) -> Vec<String> {
    let path = reviews::gather(&desk(it), TYPE).unwrap();
    let mission = MissionName::of_judge(TYPE);
    let text = fs::read_to_string(path).unwrap();
    let ticket = |line: &str| read_line(line.as_bytes(), &mission).unwrap().unwrap();
    text.lines().map(|it| ticket(it).key().to_string()).collect()
}

/// What a person says of a finished task is a ticket, and what they say later supersedes it.
#[test]
fn a_review_is_a_ticket_and_the_newest_label_of_an_attempt_counts() {
    let it = world();
    it.coder(&format!("echo 42 >answer.txt; reply 'done with {}'", token()));
    it.check("t1", typed(), 0, "READY_FOR_REVIEW");
    assert_eq!(tickets(&it), [] as [Value; 0]);
    it.order(&["approve", "t1"]);
    let first = tickets(&it).remove(0);
    assert_eq!(
        [&first["mission"], &first["group_id"], &first["label"], &first["label_source"]],
        ["judge-engineering_impl", "t1#1", "pass", "human"],
    );
    assert_eq!(
        (&first["blind"], &first["meta"]["judge_decision"]),
        (&json!(false), &json!("PASS"))
    );
    let names: Vec<&str> =
        first["items"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["goal", "acceptance", "diff_summary", "commands", "agent_words"]);
    let text = first["items"].to_string();
    for part in ["write 42 into answer.txt", "check.sh passes", "+42", "test: exit code 0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, seed) = judge::seed();
    assert_eq!(first["criteria_version"], judge::criteria_version(&seed).to_string());

    // The person thinks again, and the next attempt is another case.
    it.order(&["reject", "t1", "--because", "no test of the new branch"]);
    it.order(&["override", "t1", "max_attempts=2"]);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    it.order(&["approve", "t1"]);
    let labels: Vec<Value> = tickets(&it).iter().map(|it| it["label"].clone()).collect();
    assert_eq!(labels, ["pass", "fail", "pass"], "the log only grows");
    let log = fs::read_to_string(learn(&it, TICKETS)).unwrap();
    assert!(log.contains("no test of the new branch") && log.contains("done with "));
    assert!(!log.contains(&token()), "{log}");
    assert_eq!(gathered(&it), ["t1#1::fail", "t1#2::pass"]);

    // A task without a type has no judge that could learn from it.
    it.judge(&plain("PASS"));
    it.check("plain", json!({}), 0, "READY_FOR_REVIEW");
    it.order(&["approve", "plain"]);
    assert_eq!(gathered(&it).len(), 2);
    let missions = fs::read_dir(learn(&it, "")).unwrap().count();
    assert_eq!(missions, 1);
}

/// A crash between a review and its ticket, or a lost log, costs no label.
#[test]
fn a_label_that_is_missing_from_the_log_is_made_up_for() {
    let it = world();
    it.check("t1", typed(), 0, "READY_FOR_REVIEW");
    it.order(&["approve", "t1"]);
    it.coder(WRONG);
    it.check("t2", typed(), 1, "FAILED");
    it.order(&["reject", "t2", "--because", "41"]);
    let before = tickets(&it);
    remove(&it, TICKETS);
    assert_eq!(gathered(&it), ["t1#1::pass", "t2#1::fail"]);
    assert_eq!(tickets(&it), before, "the same tickets, from the state");
    // Half a line is what a crash leaves; it is made again, and nothing is there twice.
    let log = fs::read(learn(&it, TICKETS)).unwrap();
    put(&it, TICKETS, &log[..log.len() - 9]);
    for _ in 0..2 {
        assert_eq!(gathered(&it), ["t1#1::pass", "t2#1::fail"]);
        assert_eq!(tickets(&it).len(), 2);
    }
    // A log that cannot be written keeps nobody from deciding.
    remove(&it, TICKETS);
    it.world.folder(learn(&it, TICKETS));
    it.order(&["reject", "t1", "--because", "on second thoughts"]);
    assert_eq!(it.status("t1")["review"]["outcome"], "rejected");
    fs::remove_dir(learn(&it, TICKETS)).unwrap();
    assert_eq!(gathered(&it), ["t1#1::fail", "t2#1::fail"]);
}

/// LEARN-1.4: the judge is told what is in force, and its verdict says what that was.
#[test]
fn promoted_rules_reach_the_judge_and_their_digest_the_verdict() {
    let it = world();
    let (scaffold, mut guidance) = judge::seed();
    let check = |id: &str, guidance: &Guidance| {
        it.check(id, typed(), 0, "READY_FOR_REVIEW");
        let request = it.json(&format!("{id}/attempt_001/judge/request.json"));
        let prompt = request["prompt"].as_str().unwrap().to_owned();
        let places: Vec<usize> = scaffold
            .rules()
            .iter()
            .map(|(key, text)| format!("\n{key}: {text}\n"))
            .chain(guidance.rules.iter().map(|(key, rule)| format!("\n{key}: {}\n", rule.text)))
            .map(|line| prompt.find(&line).unwrap_or_else(|| panic!("{line}: {prompt}")))
            .collect();
        assert!(places.is_sorted(), "{prompt}");
        assert!(!request["evidence"].as_str().unwrap().contains("Standing rules"));
        let book = Rulebook { scaffold: scaffold.clone(), guidance: guidance.clone() };
        let verdict = it.json(&format!("{id}/attempt_001/judge/verdict.json"));
        assert_eq!(verdict["guidance_used"], book.digest().to_string());
        prompt
    };
    let first = check("t1", &guidance);
    guidance.rules.insert(RuleKey::new(3), Rule::seed("如果没有运行测试,则不通过".to_owned()));
    (guidance.step, guidance.next_key) = (2, 4);
    let current = Current::new("run-1".parse().unwrap(), &scaffold, guidance.clone()).unwrap();
    adopt(&it, current);
    let second = check("t2", &guidance);
    assert!(!first.contains("G3: ") && second.contains("G3: "));
    // The ticket says which rules the judge had.
    it.order(&["approve", "t2"]);
    let verdict = it.json("t2/attempt_001/judge/verdict.json");
    assert_eq!(tickets(&it)[0]["meta"]["guidance_used"], verdict["guidance_used"]);
    // A task without a type has no guidance, and says of none.
    it.judge(&plain("PASS"));
    it.check("plain", json!({}), 0, "READY_FOR_REVIEW");
    assert!(it.json("plain/attempt_001/judge/verdict.json").get("guidance_used").is_none());
    assert!(!it.text("plain/attempt_001/judge/prompt.txt").contains("Standing rules"));
}

/// Guidance that cannot be read is not "none": nothing is judged, and nothing was paid for.
#[test]
fn damaged_guidance_ends_the_attempt_before_it_costs_anything() {
    let it = world();
    let (scaffold, guidance) = judge::seed();
    let other = Scaffold::new([("S1".parse().unwrap(), "x".into())].into()).unwrap();
    let current = |scaffold: &Scaffold| {
        Current::new("run-1".parse().unwrap(), scaffold, guidance.clone()).unwrap()
    };
    adopt(&it, current(&other));
    let at = learn(&it, CURRENT);
    let foreign = fs::read_to_string(&at).unwrap();
    adopt(&it, current(&scaffold));
    let good = fs::read_to_string(&at).unwrap();
    for (number, bad) in ["", "{}", &good[..100], &good.replacen("goal", "gaol", 1), &foreign]
        .into_iter()
        .enumerate()
    {
        put(&it, CURRENT, bad);
        let id = format!("t{number}");
        let answer = it.check(&id, typed(), 3, "PAUSED_JUDGE_INVALID");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("provost learn status judge-engineering_impl"), "{message}");
        assert_eq!(it.status(&id)["attempts_consumed"], 0);
        assert_eq!(it.count(&id, "CODER_STARTED"), 0, "{bad}");
    }
    // What is damaged concerns this judge and no other.
    it.judge(&plain("PASS"));
    it.check("plain", json!({}), 0, "READY_FOR_REVIEW");
    it.judge(&scored("PASS", GOOD));
    put(&it, CURRENT, good);
    it.resume("t0", 0, "READY_FOR_REVIEW");
}

/// The judge is held against people, on what it said itself.
#[test]
fn agreement_counts_people_s_labels_and_says_what_it_cannot_know() {
    let it = world();
    it.check("t1", typed(), 0, "READY_FOR_REVIEW");
    it.order(&["approve", "t1"]);
    it.check("t2", typed(), 0, "READY_FOR_REVIEW");
    it.order(&["reject", "t2", "--because", "not what was asked"]);
    let one_sided = reviews::judge_agreement(&desk(&it), TYPE).unwrap().agreement;
    assert!(one_sided.caveats.contains(&Caveat::OnlyPassesReviewed));
    it.judge(&scored("FAIL", GOOD));
    it.check("t3", typed(), 1, "FAILED");
    it.order(&["reject", "t3", "--because", "as the judge says"]);
    it.check("t4", typed(), 1, "FAILED");
    // A task that cannot be read is named and hides no other.
    it.world.write("repo/.provost/out/t5/task.json", "{\"schema\": \"provost.task/9\"}");
    let found = reviews::judge_agreement(&desk(&it), TYPE).unwrap();
    let tally = found.agreement.all.tally;
    assert_eq!((tally.true_pass, tally.false_pass, tally.true_fail), (1, 1, 1));
    assert_eq!((found.agreement.left_out, found.agreement.blind.n), (0, 0));
    let unreadable: Vec<&str> =
        found.unreadable.iter().map(provost_kernel::TaskId::as_str).collect();
    assert_eq!(unreadable, ["t5"]);
    let labels = desk(&it).labels(TYPE).unwrap();
    assert_eq!(
        (labels.verdicts.all().passed, labels.verdicts.all().total),
        (2, 4),
        "t4 was judged, too"
    );
    let labelled: Vec<Label> = labels.log.tickets().map(|it| it.label).collect();
    assert_eq!(labelled, [Label::Pass, Label::Fail, Label::Fail]);
}
