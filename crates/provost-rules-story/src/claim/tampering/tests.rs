use proptest::prelude::*;
use provost_kernel::Lang;

use super::*;

fn codes(changes: &[ChangedText<'_>]) -> Vec<String> {
    let found = tampering(changes, &BaseTree::default());
    assert!(found.iter().all(|it| Lang::Zh.render(&it.message) != it.message.to_string()));
    found.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect()
}

/// One edited file, and what is said of it: `CODE rest-of-subject`.
#[track_caller]
fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
    let change = ChangedText { path, old_path: None, before: Some(before), after: Some(after) };
    let expected: Vec<_> = expected
        .iter()
        .map(|it| match it.split_once(' ') {
            Some((code, rest)) => format!("{code} {path}: {rest}"),
            None => format!("{it} {path}"),
        })
        .collect();
    assert_eq!(codes(&[change]), expected, "{path}\n{before}\n->\n{after}");
}

#[track_caller]
fn innocent(path: &str, before: &str, after: &str) {
    check(path, before, after, &[]);
}

/// A test file of three languages, with two tests.
const PY: &str = "import app\n\ndef test_adds():\n    total = app.add(1, 2)\n    assert total == 3\n    assert app.calls == 1\n\ndef test_fails():\n    with pytest.raises(ValueError):\n        app.add(None, 1)\n";
const JS: &str = "describe('add', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n    expect(calls).toBe(1);\n  });\n  it('fails', () => {\n    expect(() => add(null)).toThrow();\n  });\n});\n";
const RS: &str = "fn add() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n        assert!(called());\n    }\n\n    #[test]\n    fn fails() {\n        assert!(add_none().is_err());\n    }\n}\n";
const GO: &str = "package a\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"sum\")\n\t}\n}\n\nfunc TestFail(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error(\"zero\")\n\t}\n}\n";
const JAVA: &str = "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n    assertEquals(1, calls);\n  }\n\n  @Test\n  void fails() {\n    assertThrows(X.class, () -> add(null));\n  }\n}\n";

#[test]
fn a_test_that_is_gone_is_reported() {
    let deleted = |text: &str, from: &str, to: &str| {
        let (start, end) = (text.find(from).unwrap(), text.find(to).unwrap_or(text.len()));
        format!("{}{}", &text[..start], &text[end..])
    };
    check(
        "tests/test_a.py",
        PY,
        &deleted(PY, "def test_fails", "\u{0}"),
        &["TEST_DELETED test_fails"],
    );
    check(
        "a.test.ts",
        JS,
        &deleted(JS, "  it('fails'", "});\n\u{0}"),
        &["TEST_DELETED add > fails"],
    );
    check(
        "src/a.rs",
        RS,
        &deleted(RS, "    #[test]\n    fn fails", "\u{0}"),
        &["TEST_DELETED fails"],
    );
    check("a_test.go", GO, &deleted(GO, "func TestFail", "\u{0}"), &["TEST_DELETED TestFail"]);
    check(
        "src/test/AddTest.java",
        JAVA,
        &deleted(JAVA, "  @Test\n  void fails", "\u{0}"),
        &["TEST_DELETED AddTest > fails"],
    );
    // Commented out is gone.
    let commented = PY.replace(
        "def test_fails():\n    with pytest.raises(ValueError):\n        app.add(None, 1)",
        "# def test_fails():\n#     with pytest.raises(ValueError):\n#         app.add(None, 1)",
    );
    check("tests/test_a.py", PY, &commented, &["TEST_DELETED test_fails"]);
    // Renamed so that the runner does not find it.
    check(
        "tests/test_a.py",
        PY,
        &PY.replace("def test_fails", "def no_test_fails"),
        &["TEST_DELETED test_fails"],
    );
    // A loop in another test does not make this one a table.
    let looped = PY.replace(
        "def test_fails():\n    with pytest.raises(ValueError):\n        app.add(None, 1)",
        "@pytest.mark.parametrize('x', [1])\ndef test_name(x):\n    assert app.name == x",
    );
    check("tests/test_a.py", PY, &looped, &["TEST_DELETED test_fails"]);
    // Another test in its place does not make up for it.
    let replaced = PY.replace(
        "def test_fails():\n    with pytest.raises(ValueError):\n        app.add(None, 1)",
        "def test_name():\n    assert app.name == 'app'",
    );
    check("tests/test_a.py", PY, &replaced, &["TEST_DELETED test_fails"]);
}

#[test]
fn a_test_file_that_is_gone_or_moved_away_is_reported() {
    let gone =
        ChangedText { path: "tests/test_a.py", old_path: None, before: Some(PY), after: None };
    let both =
        ["TEST_DELETED tests/test_a.py: test_adds", "TEST_DELETED tests/test_a.py: test_fails"];
    assert_eq!(codes(&[gone]), both);
    // To a name in which no runner looks.
    let hidden = ChangedText {
        path: "tests/old_a.py",
        old_path: Some("tests/test_a.py"),
        before: Some(PY),
        after: Some(PY),
    };
    let both =
        ["TEST_DELETED tests/old_a.py: test_adds", "TEST_DELETED tests/old_a.py: test_fails"];
    assert_eq!(codes(&[hidden]), both);
    // To another name in which one does: nothing happened.
    let moved = ChangedText { path: "tests/test_b.py", ..hidden };
    assert_eq!(codes(&[moved]), Vec::<String>::new());
    let split = [
        gone,
        ChangedText { path: "tests/test_b.py", old_path: None, before: None, after: Some(PY) },
    ];
    assert_eq!(codes(&split), Vec::<String>::new());
    // A namesake in another file does not make up for it, and a test that moved is still compared.
    let namesake =
        ChangedText { path: "tests/test_c.py", old_path: None, before: Some(PY), after: Some(PY) };
    assert_eq!(codes(&[gone, namesake]).len(), 2);
    let weaker = PY.replace("    assert app.calls == 1\n", "");
    let moved = [
        gone,
        ChangedText { path: "tests/test_b.py", old_path: None, before: None, after: Some(&weaker) },
    ];
    assert_eq!(codes(&moved), ["ASSERTION_WEAKENED tests/test_a.py: test_adds"]);
    // A file without tests may be deleted.
    let code =
        ChangedText { path: "src/a.py", old_path: None, before: Some("x = 1\n"), after: None };
    assert_eq!(codes(&[code]), Vec::<String>::new());
}

#[test]
fn a_test_that_no_longer_runs_is_reported() {
    for mark in [
        "@pytest.mark.skip\n",
        "@pytest.mark.skip(reason=\"flaky\")\n",
        "@pytest.mark.skipif(True, reason=\"x\")\n",
        "@pytest.mark.xfail\n",
        "@unittest.skip(\"later\")\n",
        "@pytest.mark.skip(\n    reason=\"flaky\",\n)\n",
    ] {
        let after = PY.replace("def test_adds", &format!("{mark}def test_adds"));
        check("tests/test_a.py", PY, &after, &["TEST_SKIPPED test_adds"]);
    }
    for (from, to) in [
        ("    total = ", "    pytest.skip('later')\n    total = "),
        ("    total = ", "    return\n    total = "),
        ("    total = ", "    if False:\n        pass\n    total = "),
    ] {
        check("tests/test_a.py", PY, &PY.replace(from, to), &["TEST_SKIPPED test_adds"]);
    }
    check(
        "tests/test_a.py",
        PY,
        &format!("pytestmark = pytest.mark.skip\n{PY}"),
        &["TEST_SKIPPED"],
    );
    for (from, to) in [
        ("it('adds'", "it.skip('adds'"),
        ("it('adds'", "xit('adds'"),
        ("it('adds'", "it.todo('adds'"),
        ("it('adds'", "it.fails('adds'"),
    ] {
        check("src/a.test.ts", JS, &JS.replace(from, to), &["TEST_SKIPPED add > adds"]);
    }
    check("src/a.test.ts", JS, &JS.replace("describe(", "describe.skip("), &["TEST_SKIPPED"]);
    check("src/a.test.ts", JS, &JS.replace("describe(", "xdescribe("), &["TEST_SKIPPED"]);
    for mark in [
        "#[\u{69}gnore]",
        "#[\u{69}gnore = \"slow\"]",
        "#[cfg_attr(unix, ignore)]",
        "#[should\u{5f}panic]",
    ] {
        let after = RS
            .replace("    #[test]\n    fn adds", &format!("    #[test]\n    {mark}\n    fn adds"));
        check("src/a.rs", RS, &after, &["TEST_SKIPPED adds"]);
    }
    check(
        "a_test.go",
        GO,
        &GO.replace("\tif Add(1", "\tt.Skip(\"later\")\n\tif Add(1"),
        &["TEST_SKIPPED TestAdd"],
    );
    check(
        "src/test/AddTest.java",
        JAVA,
        &JAVA.replacen("@Test", "@Disabled\n  @Test", 1),
        &["TEST_SKIPPED AddTest > adds"],
    );
    // A new test that never runs is none.
    let new = format!("{PY}\n@pytest.mark.skip\ndef test_new():\n    assert app.name == 'x'\n");
    check("tests/test_a.py", PY, &new, &["TEST_SKIPPED test_new"]);
}

#[test]
fn a_test_that_keeps_the_others_from_running_is_reported() {
    for (from, to) in [
        ("it('adds'", "it.only('adds'"),
        ("it('adds'", "fit('adds'"),
        ("describe('add'", "describe.only('add'"),
        ("describe('add'", "fdescribe('add'"),
    ] {
        check("src/a.test.ts", JS, &JS.replace(from, to), &["TEST_FOCUSED"]);
    }
}

#[test]
fn a_test_that_says_less_is_reported() {
    check(
        "tests/test_a.py",
        PY,
        &PY.replace("    assert app.calls == 1\n", ""),
        &["ASSERTION_WEAKENED test_adds"],
    );
    check(
        "tests/test_a.py",
        PY,
        &PY.replace("    assert app", "    # assert app"),
        &["ASSERTION_WEAKENED test_adds"],
    );
    check(
        "tests/test_a.py",
        PY,
        &PY.replace("assert total == 3", "assert total is not None"),
        &["ASSERTION_WEAKENED test_adds"],
    );
    check(
        "src/a.test.ts",
        JS,
        &JS.replace("    expect(calls).toBe(1);\n", ""),
        &["ASSERTION_WEAKENED add > adds"],
    );
    check(
        "src/a.test.ts",
        JS,
        &JS.replace(".toBe(3)", ".toBeDefined()"),
        &["ASSERTION_WEAKENED add > adds"],
    );
    check(
        "src/a.rs",
        RS,
        &RS.replace("        assert!(called());\n", ""),
        &["ASSERTION_WEAKENED adds"],
    );
    check(
        "a_test.go",
        GO,
        &GO.replace("\t\tt.Error(\"zero\")\n", ""),
        &["ASSERTION_WEAKENED TestFail"],
    );
    check(
        "src/test/AddTest.java",
        JAVA,
        &JAVA.replace("    assertEquals(1, calls);\n", ""),
        &["ASSERTION_WEAKENED AddTest > adds"],
    );
    // An assertion in another test does not make up for it.
    let after = PY.replace("    assert app.calls == 1\n", "");
    let after = format!("{after}\ndef test_new():\n    assert app.name == 'app'\n");
    check("tests/test_a.py", PY, &after, &["ASSERTION_WEAKENED test_adds"]);
}

#[test]
fn an_assertion_that_always_holds_is_reported() {
    for line in [
        "assert True",
        "assert 1",
        "assert True, 'fine'",
        "assert 1 == 1",
        "assert total == 3 or True",
        "self.assertTrue(True)",
        "assert 'a' == 'a'",
    ] {
        check(
            "tests/test_a.py",
            PY,
            &PY.replace("assert total == 3", line),
            &["ASSERTION_VACUOUS"],
        );
    }
    for line in
        ["expect(true).toBe(true)", "expect(1).toBe(1)", "assert.ok(true)", "assert.equal(1, 1)"]
    {
        let after = JS.replace("expect(add(1, 2)).toBe(3)", line);
        check("src/a.test.ts", JS, &after, &["ASSERTION_VACUOUS"]);
    }
    for line in ["assert!(true)", "assert_eq!(1, 1)", "assert!(called() || true)"] {
        let after = RS.replace("assert_eq!(add(1, 2), 3)", line);
        check("src/a.rs", RS, &after, &["ASSERTION_VACUOUS"]);
    }
    let new = "def test_works():\n    assert True\n";
    let new =
        ChangedText { path: "tests/test_n.py", old_path: None, before: None, after: Some(new) };
    assert_eq!(codes(&[new]), ["ASSERTION_VACUOUS tests/test_n.py"]);
}

/// Half of the table: what honest people do to tests.
#[test]
fn an_honest_edit_of_tests_is_not_reported() {
    let py = |from: &str, to: &str| innocent("tests/test_a.py", PY, &PY.replace(from, to));
    py("assert total == 3", "assert total == 4");
    py("total", "result");
    py("def test_adds", "def test_adds_two_numbers");
    py("import app", "import app\nimport sys");
    py("    assert total == 3\n", "    assert total == 3\n    assert total > 0\n");
    py("def test_adds():\n", "def test_adds():\n    \"\"\"Adds. Was: assert True, skip.\"\"\"\n");
    py(
        "    assert total == 3\n",
        "    # a note: assert True is not enough\n    assert total == 3\n",
    );
    py(
        "    assert total == 3\n    assert app.calls == 1\n",
        "    assert app.calls == 1\n    assert total == 3\n",
    );
    py(
        "    assert total == 3\n    assert app.calls == 1\n",
        "    assert (\n        total == 3\n    )\n    assert app.calls == 1\n",
    );
    py("def test_adds", "@pytest.mark.slow\ndef test_adds");
    py("def test_adds():", "def test_adds(client):");
    py("def test_adds", "@pytest.fixture\ndef client():\n    return 1\n\ndef test_adds");
    let added = format!("{PY}\ndef test_new():\n    assert app.name == 'app'\n");
    innocent("tests/test_a.py", PY, &added);
    // A new test with a condition of its own.
    let conditional = format!(
        "{PY}\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_new():\n    assert app.name == 'app'\n"
    );
    innocent("tests/test_a.py", PY, &conditional);
    // A test split in two.
    let split = PY.replace(
        "    assert app.calls == 1\n",
        "\ndef test_counts():\n    app.add(1, 2)\n    assert app.calls == 1\n",
    );
    innocent("tests/test_a.py", PY, &split);
    // Assertions in a helper.
    let helper = PY.replace(
        "    assert total == 3\n    assert app.calls == 1\n",
        "    check_total(total)\n\ndef check_total(total):\n    assert total == 3\n    assert app.calls == 1\n",
    );
    innocent("tests/test_a.py", PY, &helper);
    // A table in the place of copies.
    let copies = "def test_a():\n    assert f(1) == 1\n\ndef test_b():\n    assert f(2) == 4\n";
    let table = "@pytest.mark.parametrize('x, y', [(1, 1), (2, 4), (3, 9)])\ndef test_square(x, y):\n    assert f(x) == y\n";
    innocent("tests/test_a.py", copies, table);
    let lines = "def test_a():\n    assert f(1) == 1\n    assert f(2) == 4\n";
    let subtests = "def test_a():\n    for x, y in [(1, 1), (2, 4)]:\n        with self.subTest(x):\n            assert f(x) == y\n";
    innocent("tests/test_a.py", lines, subtests);
    // A skip that is taken away, and one that stays.
    let skipped = PY.replace("def test_adds", "@pytest.mark.skip\ndef test_adds");
    innocent("tests/test_a.py", &skipped, PY);
    innocent("tests/test_a.py", &skipped, &skipped.replace("== 3", "== 4"));

    let js = |from: &str, to: &str| innocent("src/a.test.ts", JS, &JS.replace(from, to));
    js("toBe(3)", "toEqual(3)");
    js("it('adds'", "it('adds two numbers'");
    js("it('adds'", "test('adds'");
    js("const x", "const y");
    js("describe('add'", "beforeEach(() => { reset(); });\ndescribe('add'");
    js(
        "    expect(calls).toBe(1);\n",
        "    expect(calls).toBe(1);\n    expect(calls).not.toBe(2);\n",
    );
    js("  it('fails'", "  // it.skip('later')\n  it('fails'");
    js("describe('add'", "const skip = 'xit(';\ndescribe('add'");

    let rs = |from: &str, to: &str| innocent("src/a.rs", RS, &RS.replace(from, to));
    rs("fn add() {}", "fn add() { assert!(true_enough()); }");
    rs("assert_eq!(add(1, 2), 3)", "assert_eq!(add(1, 2), 3, \"sum\")");
    rs("fn adds()", "fn adds_numbers()");
    rs("    #[test]\n    fn adds", "    /// Adds.\n    #[test]\n    fn adds");
    rs("fn add() {}", "fn sum() {}");
    rs(
        "    #[test]\n    fn fails",
        "    fn helper() -> bool { true }\n\n    #[test]\n    fn fails",
    );

    innocent("a_test.go", GO, &GO.replace("\"sum\"", "\"wrong sum\""));
    innocent("src/test/AddTest.java", JAVA, &JAVA.replace("void adds", "void addsNumbers"));
    // Code outside tests is not looked at.
    innocent("src/a.py", "assert x == 1\n", "assert True\n");
    innocent("src/a.ts", "expect(x)\n", "\n");
    innocent("README.md", "it('a')\n", "it.only('a')\n");
    innocent("src/a.py", "def test_like():\n    assert x\n", "x = 1\n");
}

#[test]
fn an_edit_of_how_checks_are_run_is_reported() {
    let check = |path: &str, before: &str, after: &str, part: &str| {
        super::tests::check(path, before, after, &[&format!("RUNNER_CONFIG_EDITED {part}")]);
    };
    let package =
        r#"{"scripts": {"test": "jest", "build": "tsc", "start": "node ."}, "jest": {"bail": 1}}"#;
    let json = |from: &str, to: &str, part: &str| {
        check("package.json", package, &package.replace(from, to), part);
    };
    json("\"jest\",", "\"jest --passWithNoTests\",", "scripts.test");
    json("\"test\": \"jest\", ", "", "scripts.test");
    json("\"tsc\"", "\"true\"", "scripts.build");
    json("\"start\"", "\"pretest\": \"rm -r tests\", \"start\"", "scripts.pretest");
    json("{\"bail\": 1}", "{\"testPathIgnorePatterns\": [\"a\"]}", "jest");
    check("app/package.json", package, "not json", "scripts.build");
    check(
        "jest.config.js",
        "module.exports = {}\n",
        "module.exports = {bail: 1}\n",
        "jest.config.js",
    );
    check("vitest.config.ts", "export default {}\n", "", "vitest.config.ts");
    check(
        "pytest.ini",
        "[pytest]\naddopts = -q\n",
        "[pytest]\naddopts = -q -k nothing\n",
        "[pytest]",
    );
    check(
        "setup.cfg",
        "[metadata]\nname = a\n",
        "[metadata]\nname = a\n[tool:pytest]\naddopts = --ignore=tests\n",
        "[tool:pytest]",
    );
    check("tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = true\n", "[testenv]");
    let project = "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n";
    check("pyproject.toml", project, &project.replace("\"tests\"", "\"none\""), "tool.pytest");
    let manifest = "[package]\nname = \"a\"\n\n[[test]]\nname = \"it\"\npath = \"tests/it.rs\"\n";
    check("Cargo.toml", manifest, &format!("{manifest}harness = false\n"), "test.it.harness");
    check(
        "Cargo.toml",
        manifest,
        &manifest.replace("\"a\"", "\"a\"\nautotests = false"),
        "package.autotests",
    );
    check("Cargo.toml", manifest, "[package]\nname = \"a\"\n", "test.it.path");
    check(".cargo/config.toml", "[build]\n", "[alias]\ntest = \"version\"\n", "config.toml");
    let make = "all: test\n\ntest: build\n\tpytest\n\nclean:\n\trm -rf out\n";
    check("Makefile", make, &make.replace("\tpytest", "\t-pytest"), "test");
    check("Makefile", make, &make.replace("\tpytest", "\tpytest || true"), "test");
    let hook = "import pytest\n\ndef pytest_collection_modifyitems(items):\n    items.clear()\n";
    check("tests/conftest.py", "import pytest\n", hook, "conftest.py");
    check("tests/conftest.py", hook, &hook.replace("clear()", "pop()"), "conftest.py");
    check("pom.xml", "<a></a>", "<a><skipTests>true</skipTests></a>", "skipTests");

    let new = |path, text| {
        codes(&[ChangedText { path, old_path: None, before: None, after: Some(text) }])
    };
    assert_eq!(new("conftest.py", hook), ["RUNNER_CONFIG_EDITED conftest.py: conftest.py"]);
    let patch = "import sys\nsys.exit = lambda *a: None\n";
    let expected = ["RUNNER_CONFIG_EDITED sitecustomize.py: sitecustomize.py"];
    assert_eq!(new("sitecustomize.py", patch), expected);
}

/// The other half: what honest people do to such files.
#[test]
fn an_honest_edit_beside_the_runner_is_not_reported() {
    let package = r#"{"scripts": {"test": "jest", "start": "node ."}, "dependencies": {}}"#;
    let json = |from: &str, to: &str| innocent("package.json", package, &package.replace(from, to));
    json("\"dependencies\": {}", "\"dependencies\": {\"zod\": \"3\"}");
    json("\"node .\"", "\"node server.js\"");
    json("\"start\"", "\"dev\": \"vite\", \"start\"");
    json("\"start\"", "\"test:e2e\": \"playwright test\", \"start\"");
    json("{\"scripts\"", "{\n  \"name\": \"a\",\n  \"scripts\"");
    let manifest = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n\n[dependencies]\n";
    let toml = |from: &str, to: &str| innocent("Cargo.toml", manifest, &manifest.replace(from, to));
    toml("1.0.0", "1.1.0");
    toml("[dependencies]\n", "[dependencies]\nserde = \"1\"\n");
    toml("[dependencies]\n", "[[test]]\nname = \"it\"\npath = \"tests/it.rs\"\n\n[dependencies]\n");
    let project = "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n";
    let toml =
        |from: &str, to: &str| innocent("pyproject.toml", project, &project.replace(from, to));
    toml("name = \"a\"", "name = \"a\"\ndependencies = [\"attrs\"]");
    toml("[tool.pytest", "# How tests run.\n[tool.pytest");
    toml("[project]", "[tool.ruff]\nline-length = 100\n\n[project]");
    innocent("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = b\n");
    innocent(
        "setup.cfg",
        "[metadata]\nname = a\n",
        "[metadata]\nname = a\n[tool:pytest]\ntestpaths = tests\n",
    );
    innocent("tox.ini", "[testenv]\ncommands = pytest\n", "# note\n[testenv]\ncommands = pytest\n");
    let make = "all: test\n\ntest: build\n\tpytest\n\nclean:\n\trm -rf out\n";
    let edit = |from: &str, to: &str| innocent("Makefile", make, &make.replace(from, to));
    edit("rm -rf out", "rm -rf out dist");
    edit("clean:", "deploy:\n\t./deploy\n\nclean:");
    edit("all: test", "# Everything.\nall: test");
    let fixtures = "import pytest\n\n@pytest.fixture\ndef user():\n    return 1\n";
    innocent("tests/conftest.py", fixtures, &fixtures.replace("return 1", "return 2"));
    innocent("tests/conftest.py", "", fixtures);
    innocent("pom.xml", "<a></a>", "<a><b></b></a>");
    innocent("src/config.ts", "a\n", "b\n");
    for path in ["package.json", "Makefile", "jest.config.js", "pytest.ini", "conftest.py"] {
        let text = if path == "conftest.py" { fixtures } else { "[pytest]\ntest:\n\tjest\n" };
        let new = ChangedText { path, old_path: None, before: None, after: Some(text) };
        assert_eq!(codes(&[new]), Vec::<String>::new(), "{path}");
    }
}

/// Checks that are scripts say less in fewer ways, and all of them are seen.
#[test]
fn a_script_that_checks_less_is_reported() {
    let script =
        "set -e\ntest \"$(sh a.sh)\" = x || exit 1\nsh a.sh | grep -q x\n[ -s a.sh ]\necho ok\n";
    let weakened = ["ASSERTION_WEAKENED script"];
    check("tests/check.sh", script, "echo ok\n", &weakened);
    check("tests/check.sh", script, &script.replace("sh a.sh | grep -q x\n", ""), &weakened);
    let early = script.replace("set -e", "exit 0");
    check("tests/check.sh", script, &early, &["TEST_SKIPPED script"]);
    let masked = script.replace("grep -q x", "grep -q x || true");
    check("tests/check.sh", script, &masked, &["ASSERTION_VACUOUS"]);
    innocent("tests/check.sh", script, &format!("{script}test -f b.sh\n"));
    innocent("tests/check.sh", script, &script.replace("echo ok", "echo fine"));
    innocent("greet.sh", script, "echo ok\n");
}

#[test]
fn what_a_check_needs_is_a_part_of_it() {
    let makefile = "build:\n\tcc a.c\ncheck: run\nrun: cases\n\tsh run.sh\ncases:\n\tls cases\nclean:\n\trm a\n";
    let run = makefile.replace("sh run.sh", "echo ok");
    check("Makefile", makefile, &run, &["RUNNER_CONFIG_EDITED run"]);
    let cases = makefile.replace("ls cases", "ls none");
    check("Makefile", makefile, &cases, &["RUNNER_CONFIG_EDITED cases"]);
    innocent("Makefile", makefile, &makefile.replace("rm a", "rm -f a"));
    for told in ["SHELL := /bin/true", "MAKEFLAGS += -i", ".IGNORE:", "export SHELL = true"] {
        let edited = format!("{told}\n{makefile}");
        check("Makefile", makefile, &edited, &[&format!("RUNNER_CONFIG_EDITED {told}")]);
    }
    innocent("Makefile", makefile, &format!("SHELL := /bin/bash\nNAME = a\n{makefile}"));
    let package =
        r#"{"scripts": {"test": "npm run unit:all", "unit:all": "jest", "start": "node ."}}"#;
    let jest = package.replace("\"jest\"", "\"true\"");
    check("package.json", package, &jest, &["RUNNER_CONFIG_EDITED scripts.unit:all"]);
    let deep = r#"{"scripts": {"test": "yarn all", "all": "jest"}}"#;
    let edited = deep.replace("jest", "true");
    check("package.json", deep, &edited, &["RUNNER_CONFIG_EDITED scripts.all"]);
    innocent("package.json", package, &package.replace("node .", "node a.js"));
}

#[test]
fn the_configuration_of_provost_is_not_the_agents() {
    let config = "[[story.gates]]\nid = \"a\"\nkind = \"lint\"\ncommand = \"make lint\"\n";
    let edited = ["RUNNER_CONFIG_EDITED provost.toml"];
    check("provost.toml", config, "", &edited);
    check("provost.toml", config, &config.replace("make lint", "true"), &edited);
    check("provost.toml", config, "not = [toml", &edited);
    innocent("provost.toml", config, &format!("# Why.\n{config}"));
    let new = ChangedText {
        path: "provost.toml",
        old_path: None,
        before: None,
        after: Some("lang = \"zh\"\n"),
    };
    assert_eq!(codes(&[new]), ["RUNNER_CONFIG_EDITED provost.toml: provost.toml"]);
}

#[test]
fn a_thousand_deleted_tests_are_a_hundred_findings() {
    let many: Vec<String> =
        (0..1000).map(|it| format!("def test_{it}():\n    assert f({it})\n")).collect();
    let many = many.concat();
    let gone = ChangedText { path: "test_a.py", old_path: None, before: Some(&many), after: None };
    assert_eq!(codes(&[gone]).len(), MAX_FINDINGS);
}

#[test]
fn a_command_s_flaws_are_findings_about_its_criterion() {
    let found = command("AC-1", "npm test || true");
    let found: Vec<_> = found.iter().map(|it| (it.rule.as_ref(), it.subject.as_str())).collect();
    assert_eq!(found, [("COMMAND_MASKED", "AC-1")]);
    assert_eq!(command("AC-1", "npm test"), []);
    let names: std::collections::BTreeSet<_> = Code::ALL.iter().map(|it| it.as_str()).collect();
    assert_eq!(names.len(), Code::ALL.len());
}

proptest! {
    /// Whatever the texts are, they are compared without a panic, and equal texts say nothing.
    #[test]
    fn no_texts_make_it_panic(
        before in "[a-z@#\\[\\](){}:='\"/*\\n. _\u{4e2d}]{0,120}",
        after in "[a-z@#\\[\\](){}:='\"/*\\n. _\u{4e2d}]{0,120}",
        index in 0_usize..12,
    ) {
        let paths = [
            "test_a.py", "a.test.ts", "a.rs", "a_test.go", "ATest.java", "a_spec.rb",
            "package.json", "Cargo.toml", "pyproject.toml", "tox.ini", "Makefile", "conftest.py",
        ];
        let (path, old_path) = (paths[index], None);
        let edit = ChangedText { path, old_path, before: Some(&before), after: Some(&after) };
        let _ = tampering(&[edit], &BaseTree::default());
        let same = ChangedText { after: Some(&before), ..edit };
        prop_assert_eq!(tampering(&[same], &BaseTree::default()), []);
        let _ = command("AC-1", &before);
    }
}
