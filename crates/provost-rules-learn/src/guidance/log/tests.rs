use provost_kernel::{Exit, Lang};

use super::*;

/// Guidance with these texts, from `G0` on; blank is a rule that is gone.
fn guidance(step: u64, texts: &[&str]) -> Guidance {
    let keys = (0..).map(RuleKey::new);
    let rules = keys.zip(texts).filter(|(_, text)| !text.is_empty());
    let rules = rules.map(|(key, text)| (key, Rule::seed((*text).to_owned()))).collect();
    Guidance { step, next_key: u32::try_from(texts.len()).unwrap(), rules }
}

/// A history of every cause, and what it leads to line by line.
fn history() -> (Vec<Logged>, Vec<Guidance>) {
    use Cause::{Cleanup, Feedback, Reflection, Rollback, Seed};
    let mut counted = guidance(1, &["look", "a"]);
    counted.rules.get_mut(&RuleKey::new(1)).unwrap().misses = 4;
    let cleaned = guidance(1, &["look", ""]);
    let edited = guidance(2, &["看两遍", "", "b"]);
    let states = vec![
        guidance(0, &["look"]),
        guidance(1, &["look", "a"]),
        counted.clone(),
        cleaned,
        edited.clone(),
        restored(&edited, &counted),
    ];
    let causes = [Seed, Reflection, Feedback, Cleanup, Reflection, Rollback];
    let lines = (0..).zip(causes).zip(&states).map(|((seq, cause), after)| {
        let before = usize::try_from(seq).unwrap().checked_sub(1).map(|it| &states[it]);
        let id = (cause == Reflection).then_some("r1");
        Logged::between(seq, cause, id, before, after).unwrap()
    });
    (lines.collect(), states)
}

#[test]
fn every_step_is_rebuilt_from_the_log_alone() {
    let (lines, states) = history();
    for (n, state) in (1..).zip(&states) {
        assert_eq!(&replay(&lines[..n]).unwrap(), state, "line {n}");
    }
    // A step is what it was when the next one began.
    for (step, at) in [(0, 0), (1, 3), (2, 4), (3, 5)] {
        assert_eq!(rebuild(&lines, step).unwrap(), states[at], "step {step}");
    }
    let error = rebuild(&lines, 9).unwrap_err();
    assert_eq!(error.to_string(), "the guidance log has no step 9");
    let hint = error.hints()[0].to_string();
    assert_eq!(hint, "its last step is 3: see `provost learn rules MISSION`");
    assert_eq!(replay(&[]).unwrap_err().to_string(), "the guidance log is empty");
}

/// A line holds what changed and no more, and is the same after it was written and read.
#[test]
fn a_line_is_the_exact_difference() {
    let (lines, _) = history();
    let changed = |line: &Logged| {
        let set: Vec<_> = line.set.keys().map(ToString::to_string).collect();
        let removed: Vec<_> = line.removed.iter().map(ToString::to_string).collect();
        format!("+{} -{}", set.join(","), removed.join(","))
    };
    let changes: Vec<_> = lines.iter().map(changed).collect();
    assert_eq!(changes, ["+G0 -", "+G1 -", "+G1 -", "+ -G1", "+G0,G2 -", "+G0,G1 -G2"]);
    for line in &lines {
        let text = serde_json::to_string(line).unwrap();
        assert_eq!(&serde_json::from_str::<Logged>(&text).unwrap(), line);
    }
}

/// Rolling back is a step of its own, and a key that was given stays given.
#[test]
fn no_key_comes_back_with_an_earlier_state() {
    let (now, earlier) = (guidance(5, &["look", "", "b"]), guidance(1, &["look", "a"]));
    let after = restored(&now, &earlier);
    assert_eq!((after.step, after.next_key), (6, 3));
    assert_eq!(after.rules, earlier.rules);
}

#[track_caller]
fn check(edit: impl Fn(&mut Vec<Logged>), broken: u64) {
    let (mut lines, _) = history();
    edit(&mut lines);
    for error in [replay(&lines).unwrap_err(), rebuild(&lines, 0).unwrap_err()] {
        assert!(matches!(error, LogError::Broken { seq } if seq == broken), "{error}");
        assert_eq!(error.exit(), Exit::Integrity);
        assert_ne!(error.text().to_string(), Lang::Zh.render(&error.text()));
    }
}

#[test]
fn a_log_that_was_changed_is_noticed() {
    let text = |line: &mut Logged| {
        for rule in line.set.values_mut() {
            rule.text.push('!');
        }
    };
    check(|it| text(&mut it[0]), 0);
    check(|it| text(&mut it[4]), 4);
    check(|it| it[2].set.get_mut(&RuleKey::new(1)).unwrap().misses = 1, 2);
    check(|it| it[1].step_after = 9, 1);
    check(|it| it[1].next_key = 1, 1);
    check(|it| it[3].removed.clear(), 3);
    check(|it| it[3].removed.push(RuleKey::new(7)), 3);
    check(|it| drop(it.remove(2)), 2);
    check(|it| drop(it.remove(0)), 0);
    check(|it| it.swap(1, 2), 1);
    check(|it| it.insert(1, it[1].clone()), 2);
    check(|it| it[2].v = 2, 2);
    check(|it| it[0].cause = Cause::Reflection, 0);
    check(|it| it[3].cause = Cause::Seed, 3);
    // A line whose own digest was made to fit no longer fits the one after it.
    check(
        |it| {
            text(&mut it[0]);
            let state = Guidance { step: 0, next_key: 1, rules: it[0].set.clone() };
            it[0].after = state_digest(&state).unwrap();
        },
        1,
    );
}
