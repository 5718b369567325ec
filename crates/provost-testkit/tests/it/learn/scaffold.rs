//! The scaffold stays what it is, and labels stay where they are.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use provost_kernel::learn::Label;
use provost_testkit::{
    Place,
    learn::{
        ATTACKED, Kind, Lot, ParsedPrompt, Said, Scripted, World, attack, decide, judge, planted,
    },
};

/// Thresholds stand in the way of nothing.
const OPEN: &str = "\
reflection.hypothesis_min_support_cycles = 1
reflection.hypothesis_min_unique_ticket_keys = 1
reflection.max_promotions_per_epoch = 100
reflection.max_operations = 1000
runner.epochs = 2
reflection.batch_size = 8
";

fn hostile() -> Scripted {
    let turn = AtomicUsize::new(0);
    Scripted::new(move |heard: &ParsedPrompt| {
        let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
        Said::Text(match heard.kind {
            Kind::Judge => judge(heard),
            Kind::Decide => decide(&[]),
            Kind::Propose => attack(&keys, turn.fetch_add(1, Ordering::SeqCst)),
        })
    })
}

/// LEARN-1.2, LEARN-1.3, LEARN-1.4: whatever a model proposes, the scaffold's file and what every
/// judging model is told of it are the same bytes from beginning to end.
#[test]
fn no_proposal_touches_the_scaffold() {
    let (key, text) = ATTACKED;
    for mode in ["mixed", "hypotheses_only"] {
        let place = Place::new();
        let settings = format!("{OPEN}reflection.hypotheses_mode = \"{mode}\"\n");
        let tickets = planted(Lot { seed: 3, learn: 40, gate: 0, audit: 10 });
        let world = World::write(place.layout(), &tickets, &settings);
        let model = Arc::new(hostile());
        let report = world.run("r1", model.clone(), 4).unwrap();
        let pinned = world.files("r1")["scaffold.json"].clone();
        let expected = provost_rules_learn::guidance::scaffold_file(&world.seed.scaffold);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&pinned).unwrap(), expected);
        let lines: Vec<String> = world
            .seed
            .scaffold
            .rules()
            .iter()
            .map(|(key, text)| format!("[{key}]. {text}"))
            .collect();
        let heard = model.heard();
        for one in &heard {
            assert_eq!(one.scaffold, lines, "{mode}");
            assert!(one.rules.iter().any(|it| it.starts_with("[G0]. ")), "{mode}: {one:?}");
            assert!(one.rules.iter().all(|it| it.starts_with("[G")), "{mode}: {one:?}");
        }
        for file in ["guidance.json", "guidance_log.jsonl"] {
            let bytes = world.files("r1")[file].clone();
            let written = String::from_utf8(bytes).unwrap();
            assert!(!written.contains(&format!("\"{key}\"")), "{mode} {file}: {written}");
        }
        for rule in &report.rules {
            assert_ne!(rule.text, text, "{mode}");
            assert!(!rule.text.contains(key), "{mode}: {rule:?}");
        }
        let mut rejects: Vec<String> = world
            .lines("r1", "reflection.jsonl")
            .iter()
            .flat_map(|it| it["reflection"]["rejects"].as_array().unwrap().clone())
            .map(|it| it["code"].as_str().unwrap().to_owned())
            .collect();
        let n_rejects = rejects.len();
        rejects.sort();
        rejects.dedup();
        for code in ["scaffold_target", "g0_delete", "merge_from_protected", "bad_op"] {
            assert!(rejects.iter().any(|it| it == code), "{mode}: no {code} in {rejects:?}");
        }
        // Running it again changes nothing either.
        world.run("r1", Arc::new(hostile()), 1).unwrap();
        assert_eq!(world.files("r1")["scaffold.json"], pinned, "{mode}");
        println!("{mode}: {} questions, {} rejected proposals", heard.len(), n_rejects);
    }
}

/// LEARN-4.1: nobody who judges learns the label, the key of a ticket or the person's reason, in
/// any pool, in any epoch, and also not through a rule.
#[test]
fn no_judging_model_is_told_a_label_or_a_key() {
    let place = Place::new();
    let mut tickets = planted(Lot { seed: 4, learn: 40, gate: 40, audit: 20 });
    for ticket in &mut tickets {
        ticket["label_reason"] = format!("because-of-{}", ticket["label"]).into();
        ticket["labeler"] = "somebody-by-name".into();
        ticket["meta"] = serde_json::json!({"secret": "the-secret-meta"});
    }
    let world = World::write(place.layout(), &tickets, "runner.epochs = 2\n");
    // It tries to pass labels on through rules.
    let leaky = |heard: &ParsedPrompt| {
        let keys: Vec<_> = heard.cases.iter().filter_map(|it| it.key.clone()).collect();
        let name = keys.first().map(ToString::to_string).unwrap_or_default();
        let texts = [
            format!("If the case is {name}, then fail."),
            format!("If the id is {}, then fail.", name.split("::").next().unwrap_or_default()),
            "If the key ends with ::fail, then fail.".to_owned(),
            "If the person said because-of-fail, then fail.".to_owned(),
        ];
        let hypotheses: Vec<_> = texts
            .iter()
            .map(|it| serde_json::json!({"text": it, "falsifier": "A case.", "evidence": keys}))
            .collect();
        let operations: Vec<_> = texts
            .iter()
            .map(|it| serde_json::json!({"op": "add", "text": it, "evidence": keys}))
            .collect();
        Said::Text(match heard.kind {
            Kind::Judge => judge(heard),
            Kind::Decide => decide(&[]),
            Kind::Propose => provost_testkit::learn::propose(&hypotheses, &operations),
        })
    };
    let model = Arc::new(Scripted::new(leaky));
    world.run("r1", model.clone(), 4).unwrap();
    let mut n_judged = 0;
    for question in model.asked() {
        if ParsedPrompt::read(&question).kind != Kind::Judge {
            continue;
        }
        n_judged += 1;
        let text: String = question.messages.iter().map(|it| it.content.as_str()).collect();
        for forbidden in
            ["::pass", "::fail", "t-0000", "because-of", "somebody-by-name", "the-secret-meta"]
        {
            // A rule may repeat the person's words: those are shown to reflection.
            let rules_hold_it = forbidden == "because-of";
            assert!(rules_hold_it || !text.contains(forbidden), "{forbidden}: {text}");
        }
        assert!(!text.contains("gt_label") && !text.contains("label_reason"), "{text}");
    }
    // Two epochs, both sides of the gate, the audit pool, and three answers each.
    assert!(n_judged >= (2 * 40 + 20) * 3, "{n_judged}");
    assert_eq!(Label::WORDS.len(), 2);
}
