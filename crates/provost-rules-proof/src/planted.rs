//! The planted run: which tests must fail, and what it means if they do not.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::task::{ProofCode, ProofFinding, ProofLevel};

use crate::{
    plant::{self, Plant, TestId, TestSite},
    record::{TestName, TestOutcome, TestRecord},
    square::{Corner, Square},
};

/// A test that got a plant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlantedTest {
    pub name: TestName,
    pub path: String,
    pub id: TestId,
    pub plant: Plant,
    /// It is green because of the work.
    pub is_carrier: bool,
}

/// The tests of a delivery, by file.
pub type Sites = BTreeMap<String, Vec<TestSite>>;

/// What is planted: every test that carries proof, and one other for each file; at the strict level
/// all of them. A test that is not found in the sources is left out.
pub fn plan(square: &Square, sites: &Sites, level: ProofLevel) -> Vec<PlantedTest> {
    let Some(record) = &square.result.record else { return Vec::new() };
    let mut covered: BTreeSet<String> = BTreeSet::new();
    let mut plants: BTreeMap<(String, TestId), PlantedTest> = BTreeMap::new();
    for name in record.ended(TestOutcome::Passed) {
        let Some((path, site)) = locate(name, sites) else { continue };
        let is_carrier = carries_proof(square, name);
        let is_first = !is_carrier && covered.insert(path.to_owned());
        if !is_carrier && !is_first && level < ProofLevel::Strict {
            continue;
        }
        let plant = match (site.is_inverted, is_carrier && site.has_literal) {
            (true, _) => Plant::Return,
            (false, true) => Plant::Expectation,
            (false, false) => Plant::Failure,
        };
        let planted = PlantedTest {
            name: name.clone(),
            path: path.to_owned(),
            id: site.id.clone(),
            plant,
            is_carrier,
        };
        plants.entry((path.to_owned(), site.id.clone())).or_insert(planted);
    }
    let plants: Vec<PlantedTest> = plants.into_values().collect();
    let falsified: Vec<PlantedTest> =
        plants.iter().filter(|it| it.plant == Plant::Expectation).cloned().collect();
    // A test fails with its subtests, and would keep them from running.
    let is_around = |it: &PlantedTest, inner: &PlantedTest| {
        it.path == inner.path && it.id != inner.id && inner.id.0.starts_with(&it.id.0)
    };
    let is_needed = |it: &PlantedTest| {
        it.plant != Plant::Failure || !falsified.iter().any(|inner| is_around(it, inner))
    };
    plants.into_iter().filter(is_needed).collect()
}

/// Whether a test is green because of the work: it was red, or was not there.
pub(crate) fn carries_proof(square: &Square, name: &TestName) -> bool {
    let before = square.base.record.as_ref().and_then(|it| it.outcome(name));
    before != Some(TestOutcome::Passed)
}

/// Where a test stands: in the file that its runner names, or in a file of its package.
fn locate<'a>(name: &TestName, sites: &'a Sites) -> Option<(&'a str, &'a TestSite)> {
    let names: Vec<&str> = name.path.iter().map(String::as_str).collect();
    if let Some((path, found)) = sites.get_key_value(&name.place) {
        return plant::site(found, &names).map(|it| (path.as_str(), it));
    }
    let found = sites.iter().filter_map(|(path, sites)| {
        let in_go = path.rsplit_once('.').is_some_and(|it| it.1 == "go");
        let folder = path.rsplit_once('/').map_or("", |it| it.0);
        // The package of the root has the name of its folder.
        let is_root = folder.is_empty() && !name.place.contains('/');
        if in_go && folder != name.place && !is_root {
            return None;
        }
        // A subtest of Go that stands in no file of its own is a part of its test.
        let whole = plant::site(sites, &names);
        let found = whole.or_else(|| plant::site(sites, names.get(..1).filter(|_| in_go)?));
        found.map(|it| (path.as_str(), it))
    });
    // A binary of Rust is called like its file, and a library like its package.
    let unit = name.place.rsplit('/').next().unwrap_or_default();
    let is_unit = |path: &str| path.ends_with(&format!("tests/{unit}.rs"));
    found.max_by_key(|(path, _)| is_unit(path))
}

/// The tests that carry proof and did not run, because the runner ended at a failure before them:
/// what is planted in them alone is run again.
pub fn unreached(planted: &[PlantedTest], corner: &Corner) -> Vec<PlantedTest> {
    let Some(record) = &corner.record else { return Vec::new() };
    let is_unreached = |it: &&PlantedTest| it.is_carrier && outcome(record, &it.name).is_none();
    let left: Vec<PlantedTest> = planted.iter().filter(is_unreached).cloned().collect();
    // Where nothing else was planted, another run would say the same.
    if left.len() < planted.len() { left } else { Vec::new() }
}

/// How a planted test ended. The cases of a table may be called after the values that were planted:
/// then one that passes counts for all.
fn outcome(record: &TestRecord, name: &TestName) -> Option<TestOutcome> {
    let case = |it: &TestName| -> Option<(String, usize)> {
        let last = it.path.last().filter(|it| it.ends_with(']'))?;
        Some((last.split_once('[')?.0.to_owned(), it.path.len()))
    };
    let groups = |it: &TestName| it.path.split_last().map(|it| it.1.to_vec());
    let known = case(name);
    let is_other = |it: &&TestName| {
        known.is_some() && it.place == name.place && case(it) == known && groups(it) == groups(name)
    };
    record.outcome(name).or_else(|| {
        let others = record.tests.iter().filter(|(it, _)| is_other(it)).map(|it| *it.1);
        others.min_by_key(|it| *it != TestOutcome::Passed)
    })
}

/// What a planted run shows, and which tests are to be looked at again with another plant.
pub fn findings(planted: &[PlantedTest], corner: &Corner) -> (Vec<ProofFinding>, Vec<PlantedTest>) {
    if planted.is_empty() {
        return (vec![ProofFinding::whole(ProofCode::PlantInconclusive)], Vec::new());
    }
    let survived = |it: &&PlantedTest| match &corner.record {
        Some(record) => outcome(record, &it.name) == Some(TestOutcome::Passed),
        None => false,
    };
    let (blind, survived): (Vec<&PlantedTest>, Vec<&PlantedTest>) =
        planted.iter().filter(survived).partition(|it| it.plant == Plant::Expectation);
    let names =
        |it: &[&PlantedTest]| -> Vec<String> { it.iter().map(|it| it.name.to_string()).collect() };
    let mut findings = Vec::new();
    let is_whole = corner.rc == 0 && blind.len() < planted.len();
    if !survived.is_empty() || is_whole {
        findings.push(ProofFinding::new(ProofCode::PlantSurvived, names(&survived)));
    }
    let again = blind.into_iter().map(|it| PlantedTest { plant: Plant::SecondLook, ..it.clone() });
    (findings, again.collect())
}

/// What the second look shows: a test whose line fails now was blind to the false expectation, and a
/// command that succeeds all the same cannot fail.
pub fn second_findings(again: &[PlantedTest], corner: &Corner) -> Vec<ProofFinding> {
    let failed = |it: &&PlantedTest| {
        let outcome = corner.record.as_ref().and_then(|record| outcome(record, &it.name));
        outcome == Some(TestOutcome::Failed)
    };
    if corner.rc == 0 {
        let names = again.iter().map(|it| it.name.to_string());
        return vec![ProofFinding::new(ProofCode::PlantSurvived, names)];
    }
    let blind: Vec<String> = again.iter().filter(failed).map(|it| it.name.to_string()).collect();
    if blind.is_empty() {
        return Vec::new();
    }
    vec![ProofFinding::new(ProofCode::PlantBlind, blind)]
}

/// A run in which the scripts of a command were made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedScripts {
    pub rc: i32,
    /// Whether one of them came to where it fails.
    pub is_marked: bool,
}

/// What became of a failure at the end of the scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateFailure {
    Noticed,
    /// The command is green all the same.
    Masked,
    /// The command is green, and no script came to its end, although none says that it ends before.
    Unfinished,
    /// A script may have ended before, as it says.
    Unknown,
}

impl LateFailure {
    /// What a run with a failure at the end of scripts shows.
    pub fn of(ran: FailedScripts, leaves_early: bool) -> Self {
        match (ran.is_marked, ran.rc) {
            (true, 0) => Self::Masked,
            (true, _) => Self::Noticed,
            (false, 0) if !leaves_early => Self::Unfinished,
            (false, _) => Self::Unknown,
        }
    }

    /// The finding, where a failure at the beginning of the scripts is noticed.
    pub fn finding(self, scripts: Vec<String>) -> Option<ProofFinding> {
        match self {
            Self::Masked => Some(ProofFinding::new(ProofCode::PlantSurvived, scripts)),
            Self::Unfinished => Some(ProofFinding::whole(ProofCode::RunIncomplete)),
            Self::Noticed | Self::Unknown => None,
        }
    }
}

/// What a run shows in which the scripts of a command fail and leave a mark. A command that was red
/// on the base can fail, so a script whose failure it does not notice is not what decides.
pub fn script_finding(
    scripts: &[String],
    ran: FailedScripts,
    can_fail: bool,
) -> Option<ProofFinding> {
    match (ran.rc, ran.is_marked) {
        (0, true) if !can_fail => {
            Some(ProofFinding::new(ProofCode::PlantSurvived, scripts.iter().cloned()))
        }
        (0, true) | (_, false) => Some(ProofFinding::whole(ProofCode::PlantInconclusive)),
        (_, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "import unittest\n\n\nclass Cart(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(f(), 1)\n\n    def test_other(self):\n        self.assertTrue(g())\n\n    def test_new(self):\n        self.assertEqual(h(), 2)\n";

    fn name(test: &str) -> TestName {
        let path = vec!["Cart".to_owned(), test.to_owned()];
        TestName { place: "tests/test_a.py".to_owned(), path }
    }

    fn record(tests: &[(&str, TestOutcome)]) -> TestRecord {
        let tests = tests.iter().map(|(test, it)| (name(test), *it)).collect();
        TestRecord { tests, unfinished: 0 }
    }

    fn square() -> Square {
        use TestOutcome::Passed;
        let all = [("test_new", Passed), ("test_old", Passed), ("test_other", Passed)];
        Square {
            base: Corner { rc: 0, record: Some(record(&all[1..])) },
            result: Corner { rc: 0, record: Some(record(&all)) },
            ..Square::default()
        }
    }

    fn planted(level: ProofLevel) -> Vec<(String, Plant)> {
        let sites = plant::sites("tests/test_a.py", SOURCE).unwrap();
        let sites = Sites::from([("tests/test_a.py".to_owned(), sites)]);
        let plan = plan(&square(), &sites, level);
        plan.into_iter().map(|it| (it.name.path[1].clone(), it.plant)).collect()
    }

    #[test]
    fn what_carries_proof_is_planted_and_one_other_for_each_file() {
        let both =
            [("test_new".to_owned(), Plant::Expectation), ("test_old".to_owned(), Plant::Failure)];
        assert_eq!(planted(ProofLevel::Standard), both);
        assert_eq!(
            planted(ProofLevel::Strict),
            [
                ("test_new".to_owned(), Plant::Expectation),
                ("test_old".to_owned(), Plant::Failure),
                ("test_other".to_owned(), Plant::Failure),
            ]
        );
    }

    #[test]
    fn a_case_may_be_called_after_what_was_planted() {
        use TestOutcome::{Failed, Passed};
        let check = |tests: &[(&str, TestOutcome)], expected: Option<TestOutcome>| {
            assert_eq!(outcome(&record(tests), &name("test_a[x-180]")), expected, "{tests:?}");
        };
        check(&[("test_a[x-180]", Failed), ("test_a[x-170]", Passed)], Some(Failed));
        check(&[("test_a[x-170]", Failed), ("test_a[y-80]", Passed)], Some(Passed));
        check(&[("test_a[x-170]", Failed), ("test_b[x-170]", Passed)], Some(Failed));
        check(&[("test_a", Passed)], None);
        assert_eq!(outcome(&record(&[("test_b[1]", Passed)]), &name("test_b")), None);
    }

    /// PROOF-1: the same for scripts, of which only the exit code is known.
    #[test]
    fn a_script_whose_failure_is_not_noticed_is_hollow() {
        use ProofCode::{PlantInconclusive, PlantSurvived};
        for (rc, is_marked, can_fail, expected) in [
            (97, true, false, None),
            (2, true, true, None),
            (0, true, false, Some(PlantSurvived)),
            (0, true, true, Some(PlantInconclusive)),
            (0, false, false, Some(PlantInconclusive)),
            (1, false, false, Some(PlantInconclusive)),
        ] {
            let found =
                script_finding(&["check.sh".to_owned()], FailedScripts { rc, is_marked }, can_fail);
            assert_eq!(found.map(|it| it.code), expected, "{rc} {is_marked} {can_fail}");
        }
    }

    /// PROOF-1: a command whose scripts fail, or never come to their end, is not green.
    #[test]
    fn a_late_failure_is_noticed_or_masked() {
        for (rc, is_marked, leaves_early, expected) in [
            (1, true, false, None),
            (0, true, false, Some(ProofCode::PlantSurvived)),
            (0, true, true, Some(ProofCode::PlantSurvived)),
            (0, false, false, Some(ProofCode::RunIncomplete)),
            (0, false, true, None),
            (1, false, false, None),
        ] {
            let late = LateFailure::of(FailedScripts { rc, is_marked }, leaves_early);
            let found = late.finding(vec!["check.sh".to_owned()]);
            assert_eq!(found.map(|it| it.code), expected, "{rc} {is_marked} {leaves_early}");
        }
    }

    /// PROOF-1: a failure before it says nothing about a test that carries proof.
    #[test]
    fn a_carrier_that_did_not_run_is_planted_again() {
        use TestOutcome::Failed;
        let planted = |test: &str, is_carrier| PlantedTest {
            name: name(test),
            path: "tests/test_a.py".to_owned(),
            id: TestId(vec![test.to_owned()]),
            plant: Plant::Failure,
            is_carrier,
        };
        let both = [planted("test_new", true), planted("test_old", false)];
        let ran = |tests: &[&str]| {
            let tests: Vec<_> = tests.iter().map(|it| (*it, Failed)).collect();
            Corner { rc: 1, record: Some(record(&tests)) }
        };
        assert_eq!(unreached(&both, &ran(&["test_old"])), both[..1]);
        assert_eq!(unreached(&both, &ran(&["test_new"])), [], "the other carries nothing");
        assert_eq!(unreached(&both[..1], &ran(&[])), [], "nothing else was planted");
        assert_eq!(unreached(&both, &Corner { rc: 1, record: None }), []);
    }

    /// PROOF-1: only a test that can fail counts.
    #[test]
    fn a_planted_test_that_passes_is_hollow() {
        use TestOutcome::{Failed, Passed};
        let planted = |test: &str, plant| PlantedTest {
            name: name(test),
            path: "tests/test_a.py".to_owned(),
            id: TestId(vec![test.to_owned()]),
            plant,
            is_carrier: true,
        };
        let check = |plant, rc, outcome, expected: &[ProofCode], again: usize| {
            let corner = Corner { rc, record: Some(record(&[("test_new", outcome)])) };
            let (found, second) = findings(&[planted("test_new", plant)], &corner);
            let codes: Vec<_> = found.iter().map(|it| it.code).collect();
            assert_eq!((codes.as_slice(), second.len()), (expected, again), "{plant:?}");
        };
        check(Plant::Failure, 1, Failed, &[], 0);
        check(Plant::Failure, 1, Passed, &[ProofCode::PlantSurvived], 0);
        check(Plant::Failure, 0, Failed, &[ProofCode::PlantSurvived], 0);
        check(Plant::Expectation, 1, Failed, &[], 0);
        check(Plant::Expectation, 0, Passed, &[], 1);
        let second = [planted("test_new", Plant::SecondLook)];
        let corner = |outcome| Corner { rc: 1, record: Some(record(&[("test_new", outcome)])) };
        assert_eq!(second_findings(&second, &corner(Failed))[0].code, ProofCode::PlantBlind);
        assert!(second_findings(&second, &corner(Passed)).is_empty(), "never reached");
        let green = Corner { rc: 0, ..corner(Passed) };
        assert_eq!(second_findings(&second, &green)[0].code, ProofCode::PlantSurvived);
        assert_eq!(findings(&[], &corner(Failed)).0[0].code, ProofCode::PlantInconclusive);
    }
}
