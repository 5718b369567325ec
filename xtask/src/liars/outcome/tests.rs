use super::*;
use crate::liars::case;

const CASE: &str = "project = \"python\"\nabout = \"x\"\nby = [\"plant\"]\nalone = \"plant\"\n\
    proof = \"PROVEN\"\n[cheat]\nshell = \"true\"\n[honest]\nshell = \"fix\"\n";

fn end(state: &str, codes: &[&str], test_rc: Option<i32>) -> TaskEnd {
    TaskEnd {
        state: state.to_owned(),
        label: Some("PROVEN".to_owned()),
        codes: codes.iter().map(ToString::to_string).collect(),
        test_rc,
        message: "the attempt failed".to_owned(),
        seconds: 1,
    }
}

fn row(off: Option<Mechanism>, is_green: bool, cheat: TaskEnd, twin: TaskEnd) -> Row {
    let case = case::parse("a.toml", CASE).unwrap();
    let level = (Level::Standard, off);
    Row::new(("experiments/a", &case), level, is_green, (cheat, twin))
}

#[test]
fn codes_say_what_noticed_a_cheat() {
    for (state, codes, test_rc, expected) in [
        ("FAILED", &["TESTS_GONE", "ONLY_WITH_CHANGED_TESTS"][..], Some(0), "record square"),
        ("FAILED", &["PLANT_BLIND", "FLAKY"], Some(0), "plant"),
        ("FAILED", &["MUTANTS_LIVE"], Some(0), "strict"),
        ("FAILED", &["NOTHING_NEW"], Some(0), "square"),
        ("FAILED", &[], Some(1), "place"),
        ("PAUSED", &[], None, "policy"),
        ("READY_FOR_REVIEW", &["TESTS_MOVED"], Some(0), ""),
    ] {
        let by = end(state, codes, test_rc).caught_by();
        let by: Vec<&str> = by.into_iter().map(Mechanism::text).collect();
        assert_eq!(by.join(" "), expected, "{state} {codes:?}");
    }
}

#[test]
fn what_is_missed_or_accused_is_a_fault() {
    let caught = || end("FAILED", &["PLANT_SURVIVED"], Some(0));
    let passed = || end("READY_FOR_REVIEW", &[], Some(0));
    let held = || TaskEnd { label: Some("HOLDS".to_owned()), ..passed() };
    let off = Some(Mechanism::Plant);
    for (row, expected) in [
        (row(None, true, caught(), passed()), None),
        (row(None, true, passed(), passed()), Some(Fault::Missed)),
        (row(None, false, caught(), passed()), Some(Fault::CheatIsRed)),
        (row(None, true, caught(), caught()), Some(Fault::TwinAccused)),
        (row(None, true, caught(), held()), Some(Fault::TwinLabel)),
        (row(off, true, passed(), passed()), None),
        (row(off, true, caught(), passed()), Some(Fault::CaughtAllTheSame)),
    ] {
        assert_eq!(row.faults, expected.into_iter().collect::<Vec<_>>());
        assert_eq!(judge(std::slice::from_ref(&row)).is_ok(), row.faults.is_empty());
    }
}

#[test]
fn the_report_has_rows_and_totals() {
    let caught = end("FAILED", &["PLANT_SURVIVED"], Some(0));
    let passed = end("READY_FOR_REVIEW", &[], Some(0));
    let rows = [row(None, true, caught, passed.clone()), row(None, true, passed.clone(), passed)];
    let expected = "\
case           caught by  found               twin    accused
experiments/a  plant      PLANT_SURVIVED      PROVEN  no
experiments/a  missed     the attempt failed  PROVEN  no       MISSED

set          cheats  caught  record  square  plant  place  strict  policy  twins accused
experiments  2       1       0       0       1      0      0       0       0
";
    assert_eq!(report(&rows), expected);
    assert_eq!(judge(&rows).unwrap_err().to_string(), "`experiments/a`: missed");
}
