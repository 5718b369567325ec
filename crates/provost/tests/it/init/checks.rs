//! Types, lint and build of a project.

use super::{Project, init_snapshot, problems};

/// What a project is configured for is tried, and only what is green is written.
#[test]
fn only_green_checks_are_written() {
    let make = "test:\n\t@sh check.sh\ntypecheck:\n\t@echo no errors\nlint:\n\t@echo cart: unused; exit 1\n";
    let project = Project::new(&[("Makefile", make), ("check.sh", "test 1 = 1\n")]).with_claude(0);
    init_snapshot!(project.init(&["--yes"]), @r#"
    exit: 0
    ----- stdout -----
    repo · main@[COMMIT] · clean
      found      make · Makefile
      test       make test                              exit code 0  ✓  [TIME]
      lint       make lint                                           ✗  [TIME]
        │ cart: unused
        │ make: *** [Makefile:6: lint] Error 1
      types      make typecheck                                      ✓  [TIME]
      agent      Claude Code 2.1.325, logged in                      ✓
      [SANDBOX]
    `provost.toml`:
        # Written by `provost init`; `provost init --remove` takes it out.
        [task]
      + coder = "claude-code"
      + judge = "tests"
      + test = "make test"
      + types = "make typecheck"
    ! the check `lint` is red before any change: `make lint` exited with 2
      hint: mend it, then run `provost init` again: only a green check is written, and held against a task
    wrote and committed `provost.toml`
    next: provost do "what should change"
    also: provost guard install --client claude
    also: claude mcp add provost -- provost mcp
    ----- stderr -----
    "#);
    let text = project.text("provost.toml");
    assert!(text.contains("types = \"make typecheck\"") && !text.contains("lint"), "{text}");
    let check = project.init(&["--check", "--lang", "zh"]).run();
    assert_eq!(check.exit(), Some(0), "{}", check.text());
    assert!(check.text().contains("! 尚未改动，检查 `lint` 就未通过：`make lint` 退出码 2"));

    let script = "{\"scripts\": {\"test\": \"node --test\", \"typecheck\": \"node types.js\", \
                  \"lint\": \"node lint.js\", \"build\": \"no-such-bundler\"}}\n";
    let project = Project::new(&[
        ("package.json", script),
        ("cart.test.js", "require('node:test').test('sum', () => {});\n"),
        ("types.js", "console.log('no errors');\n"),
        ("lint.js", "process.exitCode = 1;\n"),
    ])
    .with_claude(0);
    let answer = project.init(&["--yes", "--json"]).run();
    assert_eq!(answer.exit(), Some(0), "{}", answer.text());
    let states: Vec<_> = answer.json()["trial"]["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["kind", "state"].map(|key| it[key].as_str().unwrap().to_owned()).join(" "))
        .collect();
    assert_eq!(states, ["lint red", "types green", "build cannot_run"]);
    let said = problems(&answer);
    assert!(
        said[1].starts_with("the check `build` is not used: `npm run build` cannot"),
        "{said:?}"
    );
    let text = project.text("provost.toml");
    assert!(text.contains("types = \"npm run typecheck\""), "{text}");
    assert!(!text.contains("lint") && !text.contains("build"), "{text}");

    // A project that was set up before can do without them, and is told.
    let own = "[task]\ncoder = \"claude-code\"\njudge = \"tests\"\ntest = \"npm test\"\n";
    project.world.write("repo/provost.toml", own);
    project.commit();
    let ran = project.init(&["--check"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.text().contains("`provost.toml` lacks `task.types`"), "{}", ran.text());
    assert_eq!(project.init(&["--dry-run"]).run().exit(), Some(0));
    assert_eq!(project.init(&[]).run().exit(), Some(0), "nothing has to be written");
    assert_eq!(project.text("provost.toml"), own);
}
