//! Projects of several languages, checked with their own tools (ruling 51): what is found by the
//! files of the base is run for real.

use std::path::Path;

use serde_json::{Value, json};

use crate::story_world::{Project, codes, labels};

const PLAN: &str = "### US-001: Double\n\n**Acceptance Criteria**\n- it doubles\n";

/// A project with these files, its plan started and one file declared.
fn project(files: &[(&str, &str)], declared: &str) -> Project {
    let project = Project::new();
    project.shell("git rm -qr .");
    for (path, text) in files {
        project.write(path, text);
    }
    project.world.write("plan.md", PLAN);
    project.shell("git add -A; git commit -qm project");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &[declared]);
    project
}

/// Sends a claim with this command, and looks at the answer and its gates.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a test is the person who has an environment")]
fn check(project: &Project, command: &str, exit: i32, gates: [&str; 2]) -> Value {
    let update =
        json!({"storyId": "US-001", "passes": true, "acStatus": {"AC-1": {"command": command}}});
    // The tools are those that build this test, wherever the person's home is.
    let tools = Path::new(env!("CARGO")).parent().unwrap().display().to_string();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let ran = project
        .world
        .provost()
        .variable("PATH", format!("{tools}:{}", path.display()))
        .args(["story", "update", "US-001", "--file", "-", "--json"])
        .input(update.to_string())
        .run();
    assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
    let answer = ran.json();
    let found = answer["gates"].as_array().unwrap().iter().map(|it| {
        let result = &it["result"];
        format!(
            "{} {}",
            result["command"].as_str().unwrap_or("-"),
            result["outcome"].as_str().unwrap()
        )
    });
    assert_eq!(found.collect::<Vec<_>>(), gates, "{answer:#}");
    answer
}

/// STORY-1.2: a Rust project.
#[test]
fn a_cargo_project_is_checked_with_cargo() {
    let manifest = "[package]\nname = \"double\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let test = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn doubles() {\n        assert_eq!(super::double(2), 4);\n    }\n}\n";
    let source = |body: &str| format!("pub fn double(n: u32) -> u32 {{\n    {body}\n}}\n\n{test}");
    let files = [
        ("Cargo.toml", manifest),
        (".gitignore", "target\nCargo.lock\n"),
        ("src/lib.rs", &source("n")),
    ];
    let project = project(&files, "src/lib.rs");
    let (typecheck, build) = ("cargo check --workspace --all-targets", "cargo build --workspace");
    project.write("src/lib.rs", &source("n + \"no\""));
    let gates = [format!("{typecheck} failed"), format!("{build} failed")];
    let answer = check(&project, "cargo test doubles", 1, gates.each_ref().map(String::as_str));
    assert_eq!(labels(&answer), ["AC-1 CONTRADICTED false"]);
    project.write("src/lib.rs", &source("n * 2"));
    let gates = [format!("{typecheck} passed"), format!("{build} passed")];
    let gates = gates.each_ref().map(String::as_str);
    let answer = check(&project, "cargo test doubles", 0, gates);
    assert_eq!(answer["evidence"]["AC-1"]["tests"]["collected"], 1, "{answer:#}");
    // A filter that matches nothing ends with 0 and proves nothing.
    let answer = check(&project, "cargo test no_such_test", 1, gates);
    assert_eq!(codes(&answer), "EVIDENCE_UNVERIFIED NO_TEST_PASSED");
}

/// STORY-1.2: a project of Node, by the scripts of its base.
#[test]
fn a_node_project_is_checked_by_its_scripts() {
    let package = r#"{"name": "double", "version": "1.0.0", "scripts": {
        "typecheck": "node --check double.js", "build": "node --check double.js", "test": "node test.js"}}"#;
    let test = "if (require('./double.js')(2) !== 4) process.exit(1);\n";
    let files =
        [("package.json", package), ("double.js", "module.exports = n => n;\n"), ("test.js", test)];
    let project = project(&files, "double.js");
    let passed = ["npm run typecheck passed", "npm run build passed"];
    let answer = check(&project, "npm test", 1, passed);
    assert_eq!(labels(&answer), ["AC-1 CONTRADICTED false"]);
    project.write("double.js", "module.exports = n => n * ;\n");
    check(&project, "npm test", 1, ["npm run typecheck failed", "npm run build failed"]);
    project.write("double.js", "module.exports = n => n * 2;\n");
    check(&project, "npm test", 0, passed);
}

/// STORY-1.2: a Python project.
#[test]
fn a_python_project_is_compiled_and_tested() {
    let test = "import unittest\nfrom double import double\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n";
    let files = [
        ("setup.cfg", "[metadata]\nname = double\n"),
        ("double.py", "def double(n):\n    return n\n"),
        ("test_double.py", test),
    ];
    let project = project(&files, "double.py");
    let compiled = ["python3 -m compileall -q . passed", "- not_applicable"];
    let command = "python3 -m unittest test_double";
    let answer = check(&project, command, 1, compiled);
    assert_eq!(labels(&answer), ["AC-1 CONTRADICTED false"]);
    project.write("double.py", "def double(n):\n    return n *\n");
    check(&project, command, 1, ["python3 -m compileall -q . failed", "- not_applicable"]);
    project.write("double.py", "def double(n):\n    return n * 2\n");
    let answer = check(&project, command, 0, compiled);
    assert_eq!(answer["evidence"]["AC-1"]["tests"]["collected"], 1, "{answer:#}");
}

/// STORY-1.2, PROOF-1: a gate must notice an error in what was changed, as it did on the base.
#[test]
fn a_gate_that_looks_away_is_hollow() {
    let gates = "[[story.gates]]\nid = \"types\"\nkind = \"typecheck\"\ncommand = \"sh types.sh\"\n\n[[story.gates]]\nid = \"syntax\"\nkind = \"build\"\ncommand = \"python3 -m compileall -q double.py\"\n";
    let test = "import unittest\nfrom double import double\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n";
    let files = [
        ("provost.toml", gates),
        ("types.sh", "python3 -m py_compile double.py\n"),
        ("double.py", "def double(n):\n    return n\n"),
        ("test_double.py", test),
    ];
    let project = project(&files, "double.py");
    project.declare("US-001", &["double.py", "types.sh"]);
    project.write("double.py", "def double(n):\n    return n * 2\n");
    let passed = ["sh types.sh passed", "python3 -m compileall -q double.py passed"];
    let command = "python3 -m unittest test_double";
    let answer = check(&project, command, 0, passed);
    assert_eq!(codes(&answer), "GATE_SYNTAX_ONLY", "{answer:#}");
    project.write("types.sh", "true\n");
    let answer = check(&project, command, 1, passed);
    assert!(codes(&answer).contains("GATE_HOLLOW"), "{answer:#}");
}
