//! `provost verify`: branches of a small real project, good and bad, as a CI job verifies them.

mod automation;
mod checks;

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use crate::world::{Provost, World};

const CART: &str = "def total(items, discount=0):\n    return sum(items)\n";
const FIXED: &str = "def total(items, discount=0):\n    return sum(items) - discount\n";
const TEST: &str = "import unittest\nfrom cart import total\n\n\nclass Total(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n";
const RED: &str =
    "\n    def test_discount(self):\n        self.assertEqual(total([9], discount=2), 7)\n";
const CONFIG: &str = "[task]\ntest = \"python3 -m unittest\"\n";

/// A project whose `main` has a test that fails, and a branch `work` that is checked out.
struct Project {
    world: World,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { world: World::new() };
        project.git("symbolic-ref HEAD refs/heads/main");
        project.git("config --global user.name Mara");
        project.git("config --global user.email mara@example.org");
        for (path, text) in files {
            project.world.write(format!("repo/{path}"), text);
        }
        project.commit("base");
        project.git("checkout --quiet -b work");
        project
    }

    /// A cart whose discount is not built yet, and is tested.
    fn red() -> Self {
        Self::new(&[
            ("cart.py", CART),
            ("test_cart.py", &format!("{TEST}{RED}")),
            ("provost.toml", CONFIG),
        ])
    }

    /// A cart whose tests are green.
    fn green() -> Self {
        Self::new(&[("cart.py", CART), ("test_cart.py", TEST), ("provost.toml", CONFIG)])
    }

    /// Commits these files on the branch that is checked out.
    fn with(self, files: &[(&str, &str)]) -> Self {
        for (path, text) in files {
            self.world.write(format!("repo/{path}"), text);
        }
        self.commit("work");
        self
    }

    #[track_caller]
    fn git(&self, arguments: &str) -> String {
        let output = self.world.program("git").args(arguments.split(' ')).output().unwrap();
        assert!(output.status.success(), "git {arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self, message: &str) {
        self.git("add --all --force");
        self.git(&format!("commit --quiet -m {message}"));
    }

    fn provost(&self, arguments: &[&str]) -> Provost<'_> {
        self.world.provost().args(["verify"]).args(arguments)
    }

    /// Everything in the repository that is not a file: refs, index, worktrees, where HEAD is.
    fn trace(&self) -> Vec<String> {
        let asked = [
            "for-each-ref",
            "ls-files --stage",
            "status --porcelain --untracked-files=all --ignored",
            "worktree list --porcelain",
            "rev-parse HEAD",
            "config --list --local",
        ];
        asked.iter().map(|it| self.git(it)).collect()
    }

    /// Verifies, asserts the exit code and that the repository is as it was; the answer.
    #[track_caller]
    fn check(&self, arguments: &[&str], exit: i32, label: &str) -> Value {
        let before = self.trace();
        let ran = self.provost(arguments).args(["--json"]).run();
        assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
        assert_eq!(self.trace(), before);
        self.assert_no_leftovers();
        let answer = ran.json();
        assert_eq!(answer["label"], label, "{answer:#}");
        answer
    }

    /// Fails with exit code 2, and says this.
    #[track_caller]
    fn unable(&self, arguments: &[&str], words: &[&str]) {
        let before = self.trace();
        let ran = self.provost(arguments).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        for word in words {
            assert!(ran.stderr().contains(word), "{word}: {}", ran.text());
        }
        assert_eq!(self.trace(), before);
        self.assert_no_leftovers();
    }

    /// Nothing is left where checkouts are made but what was installed, nor a home in the repository.
    fn assert_no_leftovers(&self) {
        assert!(!self.world.path("repo/.provost").exists());
        let state = self.world.path("home/.local/state/provost").display().to_string();
        let is_left = |it: &String| it.starts_with(&state) && it.contains("_stories");
        assert!(!self.world.listing().iter().any(is_left));
    }
}

/// The cases of a report, in their order.
const CASES: [&str; 9] =
    ["paths", "secrets", "agent config", "base", "tests", "proof", "lint", "types", "build"];

fn rules(answer: &Value) -> Vec<&str> {
    let findings = answer["findings"].as_array().unwrap().iter();
    findings.map(|it| it["rule"].as_str().unwrap()).collect()
}

fn standings(answer: &Value) -> BTreeMap<&str, &str> {
    let checks = answer["checks"].as_array().unwrap().iter();
    checks.map(|it| (it["name"].as_str().unwrap(), it["standing"].as_str().unwrap())).collect()
}

/// Compares what a command printed, without times and commits.
macro_rules! verify_snapshot {
    ($provost:expr, @$expected:literal) => {{
        let ran: crate::world::Ran = $provost.run();
        let mut filters = ran.filters();
        filters.extend([(r" +\d+\.\ds", "  [TIME]"), (r"@[0-9a-f]{7}", "@[COMMIT]")]);
        filters.push((r"( *│ .*\n)+", "    │ [OUTPUT]\n"));
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(ran.text(), @$expected);
        });
    }};
}
pub(crate) use verify_snapshot;

/// VERIFY: a test of the base that was red is green: PROVEN, in both languages.
#[test]
fn a_branch_that_turns_a_red_test_green_is_proven() {
    let project = Project::red().with(&[("cart.py", FIXED)]);
    let answer = project.check(&[], 0, "PROVEN");
    assert_eq!(answer["outcome"], "passed");
    assert_eq!((&answer["ref"], &answer["base_ref"]), (&json!("work"), &json!("main")));
    assert_eq!(answer["base"], project.git("rev-parse main").trim());
    assert_eq!((&answer["files"], &answer["command"]), (&json!(1), &json!("python3 -m unittest")));
    let mut others = standings(&answer);
    others.retain(|name, _| !["lint", "types", "build"].contains(name));
    assert!(others.values().all(|it| *it == "verified"), "{answer:#}");
    project.check(&["--strict"], 0, "PROVEN");
    verify_snapshot!(project.provost(&["work", "--base", "main"]), @"
    exit: 0
    ----- stdout -----
    work@[COMMIT] against main@[COMMIT]
      paths      1 file changed, none forbidden                      ✓
      secrets    none, earlier commits included                      ✓
      config     no file that programs obey                          ✓
      base       1 failed, 1 passed  [TIME]
      tests      `python3 -m unittest` is green                      ✓  [TIME]
      proof      PROVEN: 1 test passes only with the change          ✓  [TIME]
      lint       not configured
      types      not configured
      build      not configured
    ✓ PROVEN · 1 file, +1 -1
    ----- stderr -----
    ");
    verify_snapshot!(project.provost(&["--lang", "zh"]), @"
    exit: 0
    ----- stdout -----
    work@[COMMIT]，基准 main@[COMMIT]
      路径       改动 1 个文件，无禁止文件                           ✓
      密钥       无，包括较早的提交                                  ✓
      配置       没有会被程序遵照执行的文件                          ✓
      基准       1 个失败，1 个通过  [TIME]
      测试       `python3 -m unittest` 通过                          ✓  [TIME]
      证明       PROVEN：1 个测试有了这项改动才通过                  ✓  [TIME]
      代码检查   未配置
      类型       未配置
      构建       未配置
    ✓ PROVEN · 1 个文件，+1 -1
    ----- stderr -----
    ");
}

/// VERIFY: new tests of the branch show the change; what nothing shows holds, and not with --strict.
#[test]
fn a_branch_says_how_strong_its_evidence_is() {
    let project = Project::green();
    let tests = format!("{TEST}{RED}");
    let project = project.with(&[("cart.py", FIXED), ("test_cart.py", &tests)]);
    project.check(&["--strict"], 0, "SHOWN");

    let project = Project::green().with(&[("README.md", "# A cart\n")]);
    let answer = project.check(&[], 0, "HOLDS");
    assert_eq!(answer["gaps"].as_array().unwrap().len(), 1, "{answer:#}");
    let answer = project.check(&["--strict"], 1, "HOLDS");
    assert_eq!(answer["outcome"], "refused");
    verify_snapshot!(project.provost(&["--strict"]), @"
    exit: 1
    ----- stdout -----
    work@[COMMIT] against main@[COMMIT]
      paths      1 file changed, none forbidden                      ✓
      secrets    none, earlier commits included                      ✓
      config     no file that programs obey                          ✓
      base       1 passed  [TIME]
      tests      `python3 -m unittest` is green                      ✓  [TIME]
      proof      HOLDS: the tests are green without the change, too  !  [TIME]
      lint       not configured
      types      not configured
      build      not configured
      P2 NOTHING_NEW: the tests are green without the change, too
    ✗ refused: HOLDS (--strict) · 1 file, +1 -0 · exit 1
    ----- stderr -----
    ");
}

/// VERIFY: a test that was rewritten to be green is refused, and the reports name it.
#[test]
fn a_weakened_test_is_refused_and_reported() {
    let project = Project::green().with(&[
        ("cart.py", "def total(items, discount=0):\n    return sum(items) + 1\n"),
        ("test_cart.py", &TEST.replace("3)", "4)")),
    ]);
    let (junit, sarif) = (project.world.path("out/v.xml"), project.world.path("out/v.sarif"));
    let reports = ["--junit", junit.to_str().unwrap(), "--sarif", sarif.to_str().unwrap()];
    let answer = project.check(&reports, 1, "CONTRADICTED");
    assert_eq!(rules(&answer)[0], "EXPECTATION_CHANGED");
    assert_eq!(answer["findings"][0]["file"], "test_cart.py");

    let xml = fs::read_to_string(junit).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let suites: Vec<_> = document.descendants().filter(|it| it.has_tag_name("testsuite")).collect();
    assert_eq!(suites.len(), 1);
    assert_eq!(suites[0].attribute("name"), Some("provost verify"));
    let cases: Vec<_> = suites[0].children().filter(|it| it.has_tag_name("testcase")).collect();
    let names: Vec<_> = cases.iter().map(|it| it.attribute("name").unwrap()).collect();
    assert_eq!(names, CASES);
    assert_eq!(suites[0].attribute("tests"), Some("9"));
    assert_eq!(suites[0].attribute("failures"), Some("1"));
    let failure = cases[5].first_element_child().unwrap();
    assert!(failure.has_tag_name("failure"));
    assert!(failure.text().unwrap().contains("EXPECTATION_CHANGED"), "{xml}");

    let sarif: Value = serde_json::from_slice(&fs::read(sarif).unwrap()).unwrap();
    let run = &sarif["runs"][0];
    assert_eq!(
        (&sarif["version"], &run["invocations"][0]["exitCode"]),
        (&json!("2.1.0"), &json!(1))
    );
    assert_eq!(run["results"][0]["ruleId"], "EXPECTATION_CHANGED");
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "test_cart.py");
}

/// VERIFY: failing tests are named, in the answer and in `JUnit`.
#[test]
fn a_red_test_is_refused_with_the_tests_that_fail() {
    let project =
        Project::green().with(&[("cart.py", "def total(items, discount=0):\n    return 0\n")]);
    let junit = project.world.path("out/v.xml");
    let answer = project.check(&["--junit", junit.to_str().unwrap()], 1, "CONTRADICTED");
    assert_eq!(answer["failed_tests"][0]["path"], json!(["Total", "test_sum"]), "{answer:#}");
    let xml = fs::read_to_string(junit).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let failing = document.descendants().find(|it| it.attribute("name") == Some("Total::test_sum"));
    assert_eq!(failing.unwrap().attribute("classname"), Some("test_cart.py"), "{xml}");
    let printed = answer["output"].as_str().unwrap();
    assert!(printed.contains("AssertionError: "), "{answer:#}");
    assert!(xml.contains("AssertionError: "), "{xml}");
    verify_snapshot!(project.provost(&[]), @"
    exit: 1
    ----- stdout -----
    work@[COMMIT] against main@[COMMIT]
      paths      1 file changed, none forbidden                      ✓
      secrets    none, earlier commits included                      ✓
      config     no file that programs obey                          ✓
      base       1 passed  [TIME]
      tests      `python3 -m unittest`: 1 failed, 0 passed           ✗  [TIME]
      proof      not run                                             !
      lint       not configured
      types      not configured
      build      not configured
      P0 task.verify.test: `python3 -m unittest`: 1 failed, 0 passed (FAILED (failures=1))
        │ [OUTPUT]
        ✗ test_cart.py::Total::test_sum
    ✗ refused: CONTRADICTED · 1 file, +1 -1 · exit 1
    ----- stderr -----
    ");
}

/// VERIFY: tests whose expectations change with a branch need leave, by name.
#[test]
fn a_changed_expectation_needs_leave() {
    let test = TEST.replace("total([1, 2]), 3", "total([1, 2]), 4");
    let more = "def total(items, discount=0):\n    return sum(items) + 1\n";
    let project = Project::green().with(&[("cart.py", more), ("test_cart.py", &test)]);
    let answer = project.check(&[], 1, "CONTRADICTED");
    assert_eq!(answer["outcome"], "refused");
    let answer = project.check(&["--tests-may-change", "other.py"], 1, "CONTRADICTED");
    assert_eq!(answer["outcome"], "refused");
    let answer = project.check(&["--tests-may-change", "test_cart.py"], 0, "SHOWN");
    assert_eq!(answer["outcome"], "passed");
}

/// VERIFY: a secret is refused before anything is run, even one that a later commit took back.
#[test]
fn a_secret_is_refused_and_nothing_is_run() {
    let key = format!("key = \"AKIA{}\"\n", "IOSFODNN7EXAMPLQ");
    let project = Project::green()
        .with(&[("settings.py", &format!("# settings\n{key}"))])
        .with(&[("settings.py", "# settings\n")]);
    let sarif = project.world.path("out/v.sarif");
    let answer = project.check(&["--sarif", sarif.to_str().unwrap()], 1, "NOT_RUN");
    assert_eq!(rules(&answer), ["task.policy.secrets"]);
    let standings = standings(&answer);
    assert_eq!((standings["secrets"], standings["tests"]), ("failed", "not_verified"));
    let sarif: Value = serde_json::from_slice(&fs::read(sarif).unwrap()).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "settings.py");
    assert_eq!(place["region"]["startLine"], 2);
    assert!(!sarif.to_string().contains("AKIA"), "the secret itself is never printed");
}

/// VERIFY: a message of a commit comes along with the history, and so does the secret in it.
#[test]
fn a_secret_in_a_message_is_refused() {
    let project = Project::red().with(&[("cart.py", FIXED)]);
    project.git(&format!("commit --quiet --allow-empty -m key-AKIA{}", "IOSFODNN7EXAMPLQ"));
    let commit = project.git("rev-parse --short=7 HEAD");
    project.git("commit --quiet --allow-empty -m more");
    let answer = project.check(&[], 1, "NOT_RUN");
    assert_eq!(rules(&answer), ["task.policy.secrets"]);
    assert_eq!(answer["findings"][0]["subject"], format!("commit {}", commit.trim()));
    assert_eq!(standings(&answer)["secrets"], "failed");
    assert!(!answer.to_string().contains("AKIA"), "{answer}");
}

/// VERIFY: `--in` says what may change, and protected files never may.
#[test]
fn paths_outside_the_allowed_ones_are_refused() {
    let project = Project::red().with(&[("cart.py", FIXED), ("docs/a.md", "a\n")]);
    project.check(&["--in", "cart.py", "--in", "docs"], 0, "PROVEN");
    let answer = project.check(&["--in", "cart.py"], 1, "NOT_RUN");
    assert_eq!(rules(&answer), ["task.policy.allowed_paths"]);
    let project = Project::green().with(&[(".env", "A=1\n")]);
    assert_eq!(rules(&project.check(&[], 1, "NOT_RUN")), ["task.policy.forbidden_globs"]);
}

/// VERIFY: the configuration of the base counts. A branch that changes it changes no test, and a
/// person has to look at it.
#[test]
fn a_branch_cannot_configure_its_own_gate() {
    let easy = CONFIG.replace("python3 -m unittest", "true");
    let broken = "def total(items, discount=0):\n    return 0\n";
    let project = Project::green().with(&[("cart.py", broken), ("provost.toml", &easy)]);
    let answer = project.check(&[], 1, "CONTRADICTED");
    assert_eq!(answer["command"], "python3 -m unittest");

    let project = Project::red().with(&[("cart.py", FIXED), ("provost.toml", &easy)]);
    let answer = project.check(&[], 3, "PROVEN");
    assert_eq!(answer["outcome"], "needs_person");
    assert_eq!(rules(&answer), ["AGENT_CONFIG_PLANTED"]);
    verify_snapshot!(project.provost(&[]), @"
    exit: 3
    ----- stdout -----
    work@[COMMIT] against main@[COMMIT]
      paths      2 files changed, none forbidden                     ✓
      secrets    none, earlier commits included                      ✓
      config     you decide: `provost.toml`                          !
      base       1 failed, 1 passed  [TIME]
      tests      `python3 -m unittest` is green                      ✓  [TIME]
      proof      PROVEN: 1 test passes only with the change          ✓  [TIME]
      lint       not configured
      types      not configured
      build      not configured
      P1 AGENT_CONFIG_PLANTED: is obeyed by provost outside the sandbox (provost.toml)
        read it; `--in . --in PATH` permits it by name
    ! you have to decide · tests PROVEN · 2 files, +2 -2 · exit 3
    ----- stderr -----
    ");
    // Named by a person, it is permitted.
    project.check(&["--in", ".", "--in", "provost.toml"], 0, "PROVEN");
    // What cannot even be read is not read.
    let project = Project::red().with(&[("cart.py", FIXED), ("provost.toml", "[task\n")]);
    project.check(&[], 3, "PROVEN");

    // A home that is committed would have the last word.
    let project = Project::red().with(&[(".provost/local.toml", &easy)]);
    let ran = project.provost(&[]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(
        ran.stderr().contains("in the home of provost: what is in it could be a branch's"),
        "{}",
        ran.text()
    );
}

/// VERIFY: a branch that starts where the gate was another one cannot choose that gate, nor by a tag.
#[test]
fn a_branch_cannot_choose_its_gate_by_where_it_starts() {
    let project = Project::red().with(&[("cart.py", FIXED)]);
    project.git("checkout --quiet main");
    project.world.write(
        "repo/provost.toml",
        "[task]\ntest = \"sh check.sh\"\n\n[proof]\nlevel = \"strict\"\n",
    );
    project.commit("stricter");
    project.git("checkout --quiet work");
    project.unable(&["work", "--base", "main"], &["has changed on `main` since `work` left it"]);

    let project = Project::red().with(&[("cart.py", FIXED)]);
    project.git("tag main work");
    project.check(&["work", "--base", "main"], 0, "PROVEN");
}

/// VERIFY: a link of the branch does not lead a report out of the repository.
#[test]
fn a_report_is_not_written_through_a_link() {
    let project = Project::red().with(&[("cart.py", FIXED)]);
    project.world.program("ln").args(["-s", "../victim.xml", "verify.xml"]).status().unwrap();
    project.unable(&["--junit", "verify.xml"], &["leads over a link"]);
    assert!(!project.world.path("victim.xml").exists());
}

/// VERIFY: what cannot be verified says why, and what to type.
#[test]
fn what_cannot_be_verified_is_said_with_the_next_command() {
    let project = Project::green();
    project.unable(&[], &["nothing to verify: `work` adds nothing to `main`", "--base BRANCH"]);
    project
        .unable(&["wrok"], &["no branch, tag or commit is called `wrok`", "did you mean `work`?"]);
    project.unable(&["--base", "mian"], &["is called `mian`", "did you mean `main`?"]);
    project.unable(&["zzzzzzzzz"], &["`git branch --all` lists the branches"]);
    let project = project.with(&[("a.txt", "a\n")]);
    project.unable(
        &["--test", "no-such-runner --all"],
        &["the test cannot run here: `no-such-runner --all` exited with 127"],
    );
    let source = project.world.path("repo").display().to_string();
    project.git(&format!("clone --quiet --depth 1 --no-single-branch file://{source} ../shallow"));
    let ran = project.provost(&["--base", "origin/main"]).inside("shallow").run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("`git fetch --unshallow`"), "{}", ran.text());
    project.git("checkout --quiet --orphan other");
    project.commit("other");
    project.unable(&[], &["`other` and `main` have no commit in common"]);
    project.git("branch --quiet -D main");
    project.git("branch --quiet -D work");
    project.unable(&[], &["neither `origin/HEAD` nor `main` nor `master`", "--base BRANCH"]);

    let bare = Project::new(&[("cart.py", CART), ("test_cart.py", TEST)]);
    let bare = bare.with(&[("cart.py", FIXED)]);
    bare.unable(
        &[],
        &["`provost.toml` of `main` names none", "provost verify --test \"python3 -m unittest\""],
    );
    bare.check(&["--test", "python3 -m unittest"], 0, "HOLDS");
    bare.unable(&["--test", " "], &["`provost.toml` of `main` names none"]);
    let ran = bare.provost(&["--lang", "zh"]).run();
    assert!(
        ran.stderr().contains("没有测试命令：`main` 的 `provost.toml` 没有指定"),
        "{}",
        ran.text()
    );

    let ran = bare.provost(&[]).inside("home").run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("is not inside a git repository"), "{}", ran.text());
}

/// VERIFY, PROOF-4: a link that leads out of the repository and a submodule are for a person, who
/// permits each by name; a link inside is fine.
#[test]
fn links_and_submodules_are_decided_by_a_person() {
    let project = Project::red();
    let link = |target: &str, at: &str| {
        std::os::unix::fs::symlink(target, project.world.path(format!("repo/{at}"))).unwrap();
    };
    link("cart.py", "inside.py");
    let project = project.with(&[("cart.py", FIXED)]);
    project.check(&[], 0, "PROVEN");

    let link = |target: &str, at: &str| {
        std::os::unix::fs::symlink(target, project.world.path(format!("repo/{at}"))).unwrap();
    };
    link("../secret", "data");
    project.commit("link");
    let commit = project.git("rev-parse HEAD").trim().to_owned();
    project.git(&format!("update-index --add --cacheinfo 160000,{commit},lib"));
    project.git("commit --quiet -m lib");
    project.world.folder("repo/lib");
    let junit = project.world.path("out/v.xml");
    let answer = project.check(&["--junit", junit.to_str().unwrap()], 3, "PROVEN");
    assert_eq!(rules(&answer), ["LINK_LEADS_OUT", "SUBMODULE_CHANGED"]);
    assert_eq!(standings(&answer)["paths"], "not_verified");
    let xml = fs::read_to_string(junit).unwrap();
    assert!(xml.contains("LINK_LEADS_OUT: is a link that leads out"), "{xml}");
    verify_snapshot!(project.provost(&[]), @"
    exit: 3
    ----- stdout -----
    work@[COMMIT] against main@[COMMIT]
      paths      you decide: `data`, `lib`                           !
      secrets    none, earlier commits included                      ✓
      config     no file that programs obey                          ✓
      base       1 failed, 1 passed  [TIME]
      tests      `python3 -m unittest` is green                      ✓  [TIME]
      proof      PROVEN: 1 test passes only with the change          ✓  [TIME]
      lint       not configured
      types      not configured
      build      not configured
      P1 LINK_LEADS_OUT: is a link that leads out of the repository, to `../secret` (data)
        read it; `--in . --in PATH` permits it by name
      P1 SUBMODULE_CHANGED: names a commit of another repository, which was not looked at (lib)
        read it; `--in . --in PATH` permits it by name
    ! you have to decide · tests PROVEN · 4 files, +4 -1 · exit 3
    ----- stderr -----
    ");
    project.check(&["--in", ".", "--in", "data", "--in", "./lib"], 0, "PROVEN");
}

/// VERIFY: the base is where the branch left the one that it goes to; merges of that one bring no
/// findings, and what `origin` calls its branch comes first.
#[test]
fn the_base_is_found_where_the_branches_parted() {
    let project = Project::red().with(&[("cart.py", FIXED)]);
    project.git("checkout --quiet main");
    let project = project.with(&[("AGENTS.md", "one\n")]);
    project.git("checkout --quiet work");
    let answer = project.check(&[], 0, "PROVEN");
    assert_eq!((&answer["behind"], &answer["files"]), (&json!(1), &json!(1)));
    for text in ["two\n", "three\n"] {
        project.git("merge --quiet --no-edit main");
        project.git("checkout --quiet main");
        project.world.write("repo/AGENTS.md", text);
        project.commit("more");
        project.git("checkout --quiet work");
    }
    project.git("merge --quiet --no-edit main");
    let answer = project.check(&["--in", "cart.py"], 0, "PROVEN");
    assert_eq!((&answer["behind"], &answer["files"]), (&json!(0), &json!(1)));

    project.git("update-ref refs/remotes/origin/trunk main");
    project.git("symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/trunk");
    assert_eq!(project.check(&["HEAD"], 0, "PROVEN")["base_ref"], "origin/trunk");
    // A commit and a detached HEAD are as good as a branch; changes in the worktree are not there.
    let commit = project.git("rev-parse work").trim().to_owned();
    project.check(&[&commit], 0, "PROVEN");
    project.git("checkout --quiet --detach");
    project.world.write("repo/cart.py", CART);
    let ran = project.provost(&[]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("1 uncommitted file is not part of this"), "{}", ran.text());
}
