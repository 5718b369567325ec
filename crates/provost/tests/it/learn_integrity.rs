//! What a crash left undone is done again, and what was changed by hand is found out.

use std::fs;

use crate::learn_world::{GUIDANCE, Learning, TICKETS};

fn path(file: &str) -> String {
    format!("repo/.provost/learn/demo/{file}")
}

fn read(it: &Learning, file: &str) -> String {
    fs::read_to_string(it.world.path(path(file))).unwrap()
}

fn write(it: &Learning, file: &str, text: &str) {
    it.world.write(path(file), text);
}

#[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
fn remove(it: &Learning, file: &str) {
    fs::remove_file(it.world.path(path(file))).unwrap();
}

/// The history is written first: a machine that stopped then has not put anything in force yet.
#[test]
fn what_a_crash_left_undone_is_put_in_force_by_the_same_command() {
    let it = Learning::new();
    let run = ["run", "MISSION.toml", "--run", "r1"];
    it.check(&run, 0, "in force: step 1 of run `r1`");
    let first = read(&it, "current.json");
    remove(&it, "current.json");
    provost_snapshot!(it.world.provost().args(["learn", "rules", "demo"]), @r"
    exit: 6
    ----- stdout -----
    ----- stderr -----
    error: guidance was put in force for `demo`, and `[WORLD]/repo/.provost/learn/demo/current.json` is missing
    hint: `provost learn run MISSION.toml` puts the last run in force again, if that is what was lost
    hint: see `provost learn status demo`; `provost learn rollback demo --step N` puts a step in force again
    ");
    it.check(&["status", "demo"], 6, "is missing");
    assert_eq!(it.json(&run)["put_in_force"], true);
    assert_eq!(read(&it, "current.json"), first);
    assert_eq!(it.json(&run)["put_in_force"], false);
    assert_eq!(it.json(&["rules", "demo"])["step"], 1);

    // The same with something older in force.
    it.put("tickets.jsonl", &TICKETS.replace("goal 1", "goal one"));
    let run = ["run", "MISSION.toml", "--run", "r2"];
    it.check(&run, 0, "in force: step 1 of run `r2`");
    let second = read(&it, "current.json");
    write(&it, "current.json", &first);
    assert_eq!(it.json(&run)["put_in_force"], true);
    assert_eq!(read(&it, "current.json"), second);
    assert_eq!(it.audited(), ["learn.adopt", "learn.adopt"]);
    assert_eq!(it.lines("history.jsonl").len(), 2);

    // What a person put in force since is never replaced by a run, and never said to be there.
    it.check(&["rollback", "demo", "--step", "0"], 0, "as step 2");
    remove(&it, "current.json");
    it.check(&run, 6, "`provost learn rollback demo --step N`");
    it.check(&["rollback", "demo", "--step", "0"], 0, "active for");
    assert_eq!(it.json(&run)["put_in_force"], false);
}

/// Rules that nobody put in force are found, whatever digest their file has.
#[test]
fn a_forged_file_of_rules_in_force_is_found_and_taken_back() {
    let it = Learning::new();
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "in force: step 1 of run `r1`");
    // The rules of another home: well-formed, with a digest of their own.
    let other = Learning::new();
    other.put("initial_guidance.json", &GUIDANCE.replace("Check that", "Do not check that"));
    other.check(&["run", "MISSION.toml", "--run", "r9"], 0, "in force");
    write(&it, "current.json", &read(&other, "current.json"));
    for args in [&["rules", "demo"][..], &["status", "demo"], &["export", "demo"]] {
        it.check(args, 6, "the audit chain does not name it");
    }
    // Without --run, it is the run that was in force and not the one that the forgery names.
    it.check(&["rollback", "demo", "--step", "1"], 0, "step 1 of run `r1`");
    it.check(&["rules", "demo"], 0, "in force for `demo`: step 2, from run `r1`");
    assert_eq!(it.audited(), ["learn.adopt", "learn.rollback"]);
}

/// A report is shown only with the files that it rests on.
#[test]
fn a_finished_run_that_was_changed_by_hand_is_not_shown() {
    let it = Learning::new();
    let run = ["run", "MISSION.toml", "--run", "r1"];
    it.check(&run, 0, "in force");
    let check = |file: &str, from: &str, to: &str, said: &str| {
        let file = format!("r1/{file}");
        let good = read(&it, &file);
        assert!(good.contains(from), "{file}: {good}");
        write(&it, &file, &good.replacen(from, to, 1));
        it.check(&run, 6, said);
        write(&it, &file, &good);
        it.check(&run, 0, "was already finished");
    };
    check("scaffold.json", "A claim counts", "No claim counts", "scaffold.json");
    check(
        "guidance_log.jsonl",
        "a build and no test",
        "a test and no build",
        "line 1 of the guidance log",
    );
    check(
        "calls.jsonl",
        "the log shows that it works",
        "the log shows that it fails",
        "calls.jsonl",
    );
    let calls = read(&it, "r1/calls.jsonl");
    let last = calls.lines().next_back().unwrap();
    check("calls.jsonl", last, "", "calls.jsonl");
    check("calls.jsonl", last, &format!("{last}\n{last}"), "calls.jsonl");

    let scaffold = read(&it, "r1/scaffold.json");
    remove(&it, "r1/scaffold.json");
    it.check(&run, 6, "r1/scaffold.json");
    provost_snapshot!(it.world.provost().args(["learn", "rules", "demo"]), @r"
    exit: 6
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/.provost/learn/demo/r1/scaffold.json` is missing, and every run has it
    hint: restore the file, or begin another run with `provost learn run MISSION.toml --run NAME`
    ");
    it.check(&["rules", "demo", "--run", "r1"], 6, "r1/scaffold.json` is missing");
    write(&it, "r1/scaffold.json", &scaffold);
    it.check(&["rules", "demo"], 0, "in force");
}

/// People who read Chinese read it all in Chinese; the words of codes stay.
#[test]
fn what_is_no_ticket_is_said_in_chinese_too() {
    let it = Learning::new();
    let bad = r#"{"mission":"demo","group_id":"x","label":"maybe","items":["x"]}"#;
    it.put("tickets.jsonl", &format!("{TICKETS}{bad}\n{{\"mission\":\n"));
    let zh = |args: &[&str]| it.world.provost().args(["--lang", "zh", "learn"]).args(args.to_vec());
    provost_snapshot!(zh(&["run", "MISSION.toml", "--strict"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`--strict` 下有 2 行不是工单：`tickets.jsonl` 第 22 行：bad_label（`label`：应为 `pass` 或 `fail`，实为 `maybe`）
    提示：改正这些行，或去掉 `--strict`：它们会列在 `ingest_rejects.jsonl` 中
    ");
    let ran = zh(&["run", "MISSION.toml"]).run();
    assert!(
        ran.text().contains("第 22 行：bad_label（`label`：应为 `pass` 或 `fail`，实为 `maybe`"),
        "{}",
        ran.text()
    );
    assert!(ran.text().contains("第 23 行：bad_json（第 11 列不是有效的 JSON）"), "{}", ran.text());
    it.put("tickets.jsonl", &TICKETS.replace("\"demo\"", "\"other\""));
    provost_snapshot!(zh(&["run", "MISSION.toml"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`[WORLD]/repo/tickets.jsonl` 第 1 行：工单属于任务目标 `other`，而不是 `demo`
    提示：每个任务目标的工单请放在各自的文件里，并在 `tickets` 中写明
    ");
}

/// Guidance that cannot be begun with is named with its file and what to do.
#[test]
fn guidance_that_is_none_is_named_with_its_file() {
    let it = Learning::new();
    it.put("initial_guidance.json", "{\n");
    provost_snapshot!(it.world.provost().args(["learn", "run", "MISSION.toml"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/initial_guidance.json`: invalid guidance: line 2: not valid JSON at column 0
    ");
    it.put(
        "initial_guidance.json",
        r#"{"demo": {"step": 0, "updated_at": "2026-01-31T00:00:00Z", "experiences": {"S1": "", "G0": "x"}}}"#,
    );
    provost_snapshot!(it.world.provost().args(["learn", "run", "MISSION.toml"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/initial_guidance.json`: scaffold rule S1 is empty
    hint: write what `S1` demands, or delete the key
    ");
}
