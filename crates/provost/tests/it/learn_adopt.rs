//! What a person decides about rules that are not proven, and the ledger that says so.

use std::fs;

use serde_json::Value;

use crate::learn_world::{Learning, TICKETS};

/// The first cases of the mission: too few to prove anything.
fn few() -> Learning {
    let it = Learning::new();
    let lines: Vec<&str> = TICKETS.lines().take(10).collect();
    it.put("tickets.jsonl", &format!("{}\n", lines.join("\n")));
    it
}

/// Types an answer at a terminal.
fn at_terminal(it: &Learning, answer: &str, args: &str) -> String {
    let provost = env!("CARGO_BIN_EXE_provost");
    let line = format!("echo {answer} | script -qec '{provost} learn {args}' /dev/null");
    let output = it.world.program("sh").args(["-c", &line]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn rules(it: &Learning) -> Vec<String> {
    let list = it.json(&["rules", "demo"]);
    let rules = list["rules"].as_array().unwrap().iter();
    rules.map(|it| it["key"].as_str().unwrap().to_owned()).collect()
}

/// A person says that the judge is another one: nothing counts as proven until it is proven again.
#[test]
fn a_person_begins_a_season() {
    let it = Learning::new();
    let season = ["season", "demo", "--because", "another-model"];
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "in force, measured");
    let ran = it
        .world
        .provost()
        .args([&["learn"][..], &season].concat())
        .variable("CLAUDECODE", "1")
        .run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    it.check(&season, 1, "a person has to confirm it at a terminal");
    it.check(&["season", "demo", "--because", ""], 2, "--because");
    it.check(&["verify"], 0, "in force, measured");

    let begun = at_terminal(&it, "y", "season demo --because another-model");
    assert!(begun.contains("in force, adopted without measurement"), "{begun}");
    it.check(&["verify"], 0, "in force, adopted without measurement");
    // The next run goes on in it, and has no label that is new.
    it.check(&["run", "MISSION.toml", "--run", "r2"], 0, "adopted without measurement");
    let began = |it: &&Value| it["entry"]["event"]["kind"] == "season_began";
    assert_eq!(it.lines("accounts.jsonl").iter().filter(began).count(), 2);
}

/// A rule that few labels speak for is a shadow; a person at a terminal may put it in force, and that
/// is said wherever it is shown.
#[test]
fn a_person_adopts_a_shadow_and_takes_it_back() {
    let it = few();
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, ": shadow; proven by");
    assert_eq!(rules(&it), ["S1", "S2", "G0"], "no measurement, no force");
    it.check(&["verify"], 0, "the ledger of `demo` is intact");
    it.check(&["adopt", "h7"], 2, "has no account `h7`");

    // Neither an agent nor anybody without a terminal.
    let ran = it.world.provost().args(["learn", "adopt", "h1"]).variable("CLAUDECODE", "1").run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    it.check(&["adopt", "h1"], 1, "nobody is at a terminal");
    let declined = at_terminal(&it, "n", "adopt demo h1");
    assert!(declined.contains("labelled fail: pass -> fail"), "{declined}");
    assert!(declined.contains("was not adopted"), "{declined}");
    assert_eq!(rules(&it), ["S1", "S2", "G0"]);

    let adopted = at_terminal(&it, "y", "adopt h1");
    assert!(
        adopted.contains("+ G1  If the log shows a build and no test, then fail."),
        "{adopted}"
    );
    assert!(adopted.contains("adopted without measurement:"), "{adopted}");
    assert_eq!(rules(&it), ["S1", "S2", "G0", "G1"]);
    it.check(&["rules", "demo"], 0, "in force, adopted without measurement");
    it.check(&["verify", "demo"], 0, "in force, adopted without measurement");
    assert_eq!(it.audited(), ["learn.adopt", "learn.adopt"]);
    it.check(&["adopt", "h1"], 1, "the rule is in another state");

    it.check(&["rollback", "demo", "--step", "0"], 0, "active for `demo`");
    assert_eq!(rules(&it), ["S1", "S2", "G0"]);
    it.check(&["verify", "demo"], 0, "retired");

    // A later run goes on with the account: nothing that a person took back is in force.
    it.put("tickets.jsonl", TICKETS);
    it.check(&["run", "MISSION.toml", "--run", "r2"], 0, "21 labels");
    it.check(&["verify", "demo"], 0, "the ledger of `demo` is intact");
    assert_eq!(it.world.provost().args(["audit", "verify"]).run().exit(), Some(0));
}

/// A ledger that was edited by hand is found, by everybody who reads it.
#[test]
fn an_edited_ledger_is_found() {
    let it = Learning::new();
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "in force, measured");
    it.check(&["verify"], 0, "in force, measured");
    let path = "repo/.provost/learn/demo/accounts.jsonl";
    let good = fs::read_to_string(it.world.path(path)).unwrap();
    let kinds: Vec<Value> = it.lines("accounts.jsonl");
    assert!(kinds.iter().any(|it| it["entry"]["event"]["kind"] == "promoted"), "{good}");
    for (from, to) in [("\"with\":[\"fail\"", "\"with\":[\"pass\""), ("\"season_began\"", "\"x\"")]
    {
        assert!(good.contains(from), "{from}");
        it.world.write(path, good.replacen(from, to, 1));
        it.check(&["verify"], 6, "is not the one in the audit chain");
        it.check(&["run", "MISSION.toml", "--run", "r2"], 6, "is not the one in the audit chain");
    }
    // What is missing at the end is in the chain, whether a crash took it or a hand.
    let lines = good.lines().count();
    for left in [5, lines - 1] {
        let cut: Vec<&str> = good.lines().take(left).collect();
        it.world.write(path, format!("{}\n", cut.join("\n")));
        it.check(&["verify"], 0, &format!("{lines} lines"));
    }
    it.world.write(path, good);
    it.check(&["verify"], 0, "is intact");
}

/// With `gate.mode = "shadow"` a proof is an offer.
#[test]
fn in_shadow_mode_nothing_is_in_force_without_a_person() {
    let it = Learning::new();
    it.put("MISSION.toml", &format!("gate.mode = \"shadow\"\n{}", crate::learn_world::MISSION));
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, ": offered");
    assert_eq!(rules(&it), ["S1", "S2", "G0"]);
}
