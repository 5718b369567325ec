//! The data of evals that ships with provost: our own cases, and what good and bad engines make
//! of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use provost_kernel::eval::{Artifacts, Case, CaseStatus, Profile, Response, SourceType};
use provost_rules_eval::{
    case::{Strictness, read},
    check::Rubric,
    judge::judge,
    response::request,
    stub,
    suite::Suite,
};
use serde::Deserialize;

/// A file of the fixtures.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("fixtures").join(name)).unwrap()
}

/// The folder of the whole project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What is in a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

/// Our own cases, read as strictly as can be: what is only a warning elsewhere is an error here.
pub(crate) fn own_cases(suite: &Suite) -> BTreeMap<String, Case> {
    let files = files(&root().join("docs/evals/cases"));
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        let found = read(path.to_str().unwrap(), &bytes, &suite.case, Strictness::Strict);
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        let case = found.case.unwrap();
        (case.id.clone(), case)
    };
    let cases: BTreeMap<_, _> = files.iter().map(read).collect();
    assert_eq!(cases.len(), files.len());
    cases
}

/// The checks that do not pass, sorted; a skipped one did not.
fn failures(suite: &Suite, case: &Case, artifacts: &Artifacts, rubric: Rubric) -> Vec<String> {
    let response = Response { artifacts: artifacts.clone(), ..Response::default() };
    let result = judge(suite, case, Ok(&response), rubric);
    let failed = result.checks.into_iter().filter(|it| !it.pass);
    let mut names: Vec<_> = failed.map(|it| it.name).collect();
    assert_eq!(result.status == CaseStatus::Pass, names.is_empty(), "{}", case.id);
    names.sort();
    names
}

fn artifacts(bytes: &[u8]) -> Artifacts {
    serde_json::from_slice(bytes).unwrap()
}

/// EVAL-2.1, EVAL-2.2: our own cases are read without a remark, cover every source type in both
/// languages, and stand in files of their own names.
#[test]
fn our_own_cases_are_good_examples() {
    let suite = Suite::read_do().unwrap();
    let cases = own_cases(&suite);
    assert!(cases.len() >= 30, "{}", cases.len());
    let mut kinds = BTreeSet::new();
    for (id, case) in &cases {
        let path = root().join(format!("docs/evals/cases/{id}.json"));
        assert!(path.is_file(), "{id} stands in another file");
        let lang = id.split('-').next().unwrap();
        let source: SourceType = case.text("source_type").unwrap().parse().unwrap();
        kinds.insert(format!("{lang} {source}"));
    }
    let expected = ["en", "zh"]
        .into_iter()
        .flat_map(|lang| SourceType::WORDS.iter().map(move |source| format!("{lang} {source}")));
    assert_eq!(kinds, expected.collect());
    // A case without `expect` lets an engine pass that says the same of every text.
    assert!(cases.values().filter(|it| it.expect.is_some()).count() >= 30);
}

/// EVAL-4.1: the built-in engine passes every case, for every profile, with what the case expects.
#[test]
fn the_built_in_engine_passes_our_own_cases() {
    let suite = Suite::read_do().unwrap();
    let mut priorities = BTreeSet::new();
    for case in own_cases(&suite).values() {
        for profile in [Profile::Engineer, Profile::Creator, Profile::Manager] {
            let request = request(case, &suite.case, profile, stub::ENGINE_VERSION);
            let response = stub::answer(&request, &suite.lexicon);
            let failed = failures(&suite, case, &response.artifacts, Rubric::Standard);
            assert_eq!(failed, Vec::<String>::new(), "{}: {:?}", case.id, response.artifacts);
            priorities.insert(response.artifacts["score"]["priority"].to_string());
        }
    }
    assert!(priorities.contains("\"SKIP\"") && priorities.contains("\"READ_NEXT\""));
}

/// EVAL-5.1, EVAL-5.2, EVAL-5.3: what a good engine makes passes everything, the strict rubric
/// and what the case expects included.
#[test]
fn good_artifacts_pass_all_checks() {
    let suite = Suite::read_do().unwrap();
    let cases = own_cases(&suite);
    let good = files(&root().join("fixtures/evals/artifacts/good"));
    assert!(good.len() >= 16);
    for path in good {
        let case = &cases[path.file_stem().unwrap().to_str().unwrap()];
        let artifacts = artifacts(&std::fs::read(&path).unwrap());
        let failed = failures(&suite, case, &artifacts, Rubric::Strict);
        assert_eq!(failed, Vec::<String>::new(), "{}", path.display());
    }
}

/// Ruling 81: one answer for every article fails in every article but its own, whether a good
/// engine or the built-in one made it, and an answer that would fit any article fails in all.
#[test]
fn one_answer_for_every_article_fails() {
    let suite = Suite::read_do().unwrap();
    let cases = own_cases(&suite);
    let mut answers: Vec<(String, Artifacts)> = Vec::new();
    for path in files(&root().join("fixtures/evals/artifacts/good")) {
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        answers.push((id, artifacts(&std::fs::read(&path).unwrap())));
    }
    for case in cases.values() {
        let request = request(case, &suite.case, Profile::Engineer, stub::ENGINE_VERSION);
        answers.push((case.id.clone(), stub::answer(&request, &suite.lexicon).artifacts));
    }
    for id in ["en-web-cold-start", "zh-web-rollback"] {
        let bytes = fixture(&format!("evals/artifacts/bad/summary.grounded/{id}.json"));
        answers.push((String::new(), artifacts(&bytes)));
    }
    assert_eq!((answers.len(), cases.len()), (16 + 37 + 2, 37));
    for (of, answer) in &answers {
        let is_grounded = |case: &&Case| {
            let failed = failures(&suite, case, answer, Rubric::Standard);
            !failed.iter().any(|it| it == "summary.grounded")
        };
        let passed: Vec<_> = cases.values().filter(is_grounded).map(|it| it.id.as_str()).collect();
        let expected: Vec<&str> =
            Some(of.as_str()).filter(|it| !it.is_empty()).into_iter().collect();
        assert_eq!(passed, expected, "{answer:?}");
    }
}

#[derive(Deserialize)]
struct Expected {
    bad: Vec<BadArtifacts>,
}

#[derive(Deserialize)]
struct BadArtifacts {
    check: String,
    case: String,
    fails: BTreeSet<String>,
}

/// EVAL-5.1, EVAL-5.2, EVAL-5.3: each bad answer fails for its own reason and for no other.
#[test]
fn bad_artifacts_fail_exactly_their_checks() {
    let suite = Suite::read_do().unwrap();
    let cases = own_cases(&suite);
    let expected: Expected =
        serde_json::from_slice(&fixture("evals/artifacts/expected.json")).unwrap();
    let mut listed = BTreeSet::new();
    let mut wrong = Vec::new();
    for it in &expected.bad {
        let path =
            root().join(format!("fixtures/evals/artifacts/bad/{}/{}.json", it.check, it.case));
        let artifacts = artifacts(&std::fs::read(&path).unwrap());
        let failed = failures(&suite, &cases[&it.case], &artifacts, Rubric::Standard);
        assert!(it.fails.contains(&it.check), "{}", path.display());
        if failed.iter().collect::<BTreeSet<_>>() != it.fails.iter().collect() {
            wrong.push(format!("{}/{}: {failed:?}, expected {:?}", it.check, it.case, it.fails));
        }
        listed.insert(path);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let checks = suite.checks.iter().filter(|it| !it.optional).map(|it| it.name.as_str());
    for check in checks {
        let folder = root().join("fixtures/evals/artifacts/bad").join(check);
        for lang in ["en-", "zh-"] {
            let is_there = |it: &&BadArtifacts| it.check == check && it.case.starts_with(lang);
            assert!(expected.bad.iter().any(|it| is_there(&it)), "{check} {lang}");
        }
        for path in files(&folder) {
            assert!(listed.contains(&path), "{} is not in expected.json", path.display());
        }
    }
}
