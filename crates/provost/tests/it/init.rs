//! `provost init`: small real projects, with programs of the test in place of agents.

mod agents;
mod checks;

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use serde_json::Value;

use crate::world::{Provost, Ran, World};

/// The programs that are not found in a project of these tests, whatever this machine has.
const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "opencode", "aider", "cursor-agent"];

const CART: &str = "def total(items):\n    return sum(items)\n";
const CART_TEST: &str = "import unittest\nfrom cart import total\n\n\nclass Total(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n";
const RED_TEST: &str = "import unittest\nfrom cart import total\n\n\nclass Total(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n\n    def test_empty(self):\n        self.assertEqual(total([]), 1)\n";

/// A project with some files, and a `PATH` of its own.
struct Project {
    world: World,
    /// Where programs are: that of this machine, without its agents.
    path: OsString,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = World::new();
        world.folder("bin");
        let path = path_without_agents(&world);
        let project = Self { world, path };
        project.git(&["config", "--global", "user.name", "Mara"]);
        project.git(&["config", "--global", "user.email", "mara@example.org"]);
        project.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        for (path, text) in files {
            project.world.write(format!("repo/{path}"), text);
        }
        if !files.is_empty() {
            project.commit();
        }
        project
    }

    fn cart() -> Self {
        Self::new(&[("cart.py", CART), ("test_cart.py", CART_TEST)])
    }

    /// With a client that says this about its login.
    fn with_claude(self, rc: i32) -> Self {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo '2.1.325 (Claude Code)' && exit 0\n\
             [ \"$1 $2\" = 'auth status' ] && exit {rc}\nexit 9\n"
        );
        self.world.write("bin/claude", script);
        let permissions = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.world.path("bin/claude"), permissions).unwrap();
        self
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = self.world.program("git").args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "--quiet", "-m", "work"]);
    }

    fn init(&self, arguments: &[&str]) -> Provost<'_> {
        let init = self.world.provost().variable("PATH", self.path.clone());
        init.args(["init"]).args(arguments)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.world.path("repo").join(path)).unwrap()
    }

    /// Everything in the repository, to show that a command left it alone.
    fn repository(&self) -> Vec<String> {
        let root = self.world.path("repo").display().to_string();
        self.world.listing().into_iter().filter(|it| it.starts_with(&root)).collect()
    }
}

/// A folder for programs of the test, then those of this machine. One with an agent in it is
/// replaced by links to everything else that it has.
#[expect(clippy::disallowed_methods, reason = "a test is the person who starts programs")]
fn path_without_agents(world: &World) -> OsString {
    let mut folders = vec![world.path("bin")];
    let path = std::env::var_os("PATH").unwrap();
    for (at, folder) in std::env::split_paths(&path).enumerate() {
        if !AGENTS.iter().any(|it| folder.join(it).exists()) {
            folders.push(folder);
            continue;
        }
        let links = format!("links-{at}");
        world.folder(&links);
        for entry in fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name();
            if !AGENTS.iter().any(|it| name == *it) {
                symlink(folder.join(&name), world.path(&links).join(&name)).unwrap();
            }
        }
        folders.push(world.path(&links));
    }
    std::env::join_paths(folders).unwrap()
}

/// Compares what a command printed, without times and commits.
macro_rules! init_snapshot {
    ($provost:expr, @$expected:literal) => {{
        let ran = $provost.run();
        let mut filters = ran.filters();
        filters.extend([
            (r" +\d+\.\ds", "  [TIME]"),
            (r"@[0-9a-f]{7} ", "@[COMMIT] "),
            (r"(?m)^  (sandbox|沙箱) .*$", "  [SANDBOX]"),
        ]);
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(ran.text(), @$expected);
        });
    }};
}
pub(crate) use init_snapshot;

fn problems(ran: &Ran) -> Vec<String> {
    let document = ran.json();
    let problems = document["problems"].as_array().unwrap().iter();
    problems.map(|it| it["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn without_a_terminal_it_shows_everything_and_writes_nothing() {
    let project = Project::cart().with_claude(0);
    let before = project.repository();
    init_snapshot!(project.init(&[]), @r#"
    exit: 3
    ----- stdout -----
    repo · main@[COMMIT] · clean
      found      Python · test_cart.py
      test       python3 -m unittest                       1 passed  ✓  [TIME]
      agent      Claude Code 2.1.325, logged in                      ✓
      [SANDBOX]
    `provost.toml`:
        # Written by `provost init`; `provost init --remove` takes it out.
        [task]
      + coder = "claude-code"
      + judge = "tests"
      + test = "python3 -m unittest"
    ✗ nothing was written: this is not a terminal, so you cannot be asked
      hint: `provost init --yes` writes and commits `provost.toml`
    ----- stderr -----
    "#);
    init_snapshot!(project.init(&["--dry-run", "--lang", "zh"]), @r#"
    exit: 0
    ----- stdout -----
    repo · main@[COMMIT] · 无未提交的改动
      项目       Python · test_cart.py
      测试       python3 -m unittest                       1 个通过  ✓  [TIME]
      智能体     Claude Code 2.1.325，已登录                         ✓
      [SANDBOX]
    `provost.toml`：
        # Written by `provost init`; `provost init --remove` takes it out.
        [task]
      + coder = "claude-code"
      + judge = "tests"
      + test = "python3 -m unittest"
    下一步：provost do "要改什么"
    还可以：provost guard install --client claude
    还可以：claude mcp add provost -- provost mcp
    ----- stderr -----
    "#);
    assert_eq!(project.init(&["--check"]).run().exit(), Some(1));
    assert_eq!(project.init(&["--json"]).run().exit(), Some(3), "a script is not asked");
    assert_eq!(project.repository(), before);
}

#[test]
fn yes_writes_and_commits_and_then_the_project_is_ready() {
    let project = Project::cart().with_claude(0);
    project.world.write("repo/notes.txt", "mine\n");
    project.git(&["add", "notes.txt"]);
    init_snapshot!(project.init(&["--yes"]), @r#"
    exit: 0
    ----- stdout -----
    repo · main@[COMMIT] · 1 uncommitted file
      found      Python · test_cart.py
      test       python3 -m unittest                       1 passed  ✓  [TIME]
      agent      Claude Code 2.1.325, logged in                      ✓
      [SANDBOX]
    `provost.toml`:
        # Written by `provost init`; `provost init --remove` takes it out.
        [task]
      + coder = "claude-code"
      + judge = "tests"
      + test = "python3 -m unittest"
    wrote and committed `provost.toml`
    next: provost do "what should change"
    also: provost guard install --client claude
    also: claude mcp add provost -- provost mcp
    ----- stderr -----
    "#);
    insta::assert_snapshot!(project.text("provost.toml"), @r#"
    # Written by `provost init`; `provost init --remove` takes it out.
    [task]
    coder = "claude-code"
    judge = "tests"
    test = "python3 -m unittest"
    "#);
    // The commit has the file and nothing else; what was staged stays so.
    assert_eq!(
        project.git(&["show", "--format=%an %s", "--name-only"]).trim(),
        "Mara Set up provost\n\nprovost.toml"
    );
    assert_eq!(project.git(&["status", "--porcelain"]), "A  notes.txt\n");

    let ran = project.init(&["--check", "--json"]).run();
    assert_eq!(ran.exit(), Some(0));
    let document = ran.json();
    assert_eq!(document["trial"]["test"]["counts"]["passed"], 1);
    assert_eq!(document["agents"][0]["login"], "logged_in");
    assert_eq!(document["added"], serde_json::json!({}));
    let before = project.text("provost.toml");
    assert_eq!(project.init(&["--yes"]).run().exit(), Some(0));
    assert_eq!(project.text("provost.toml"), before, "a second time changes nothing");
}

#[test]
fn a_file_that_is_there_keeps_its_own_and_gets_it_back() {
    let project = Project::cart().with_claude(0);
    let own = "# ours\nlang = \"en\" # for everybody\n\n[task]\n# a cheaper one\ncoder = \"claude-code\"\n";
    project.world.write("repo/provost.toml", own);
    project.commit();
    assert_eq!(project.init(&["--yes"]).run().exit(), Some(0));
    insta::assert_snapshot!(project.text("provost.toml"), @r#"
    # ours
    lang = "en" # for everybody

    [task]
    # a cheaper one
    coder = "claude-code"
    judge = "tests"
    test = "python3 -m unittest"
    "#);

    // Without a terminal nothing is taken out either.
    assert_eq!(project.init(&["--remove"]).run().exit(), Some(3));
    assert_eq!(project.init(&["--remove", "--dry-run"]).run().exit(), Some(0));
    init_snapshot!(project.init(&["--remove", "--yes"]), @r#"
    exit: 0
    ----- stdout -----
    - task.judge = "tests"
    - task.test = "python3 -m unittest"
    ----- stderr -----
    changed `provost.toml`; commit that to make it count
    "#);
    assert_eq!(project.text("provost.toml"), own);
    init_snapshot!(project.init(&["--remove", "--yes", "--lang", "zh"]), @"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    `provost.toml` 中没有 `provost init` 写入的内容
    ");
}

#[test]
fn what_a_person_changed_is_not_taken_out() {
    let project = Project::cart().with_claude(0);
    assert_eq!(project.init(&["--yes"]).run().exit(), Some(0));
    let changed = project.text("provost.toml").replace("python3 -m unittest", "make check");
    project.world.write("repo/provost.toml", changed);
    init_snapshot!(project.init(&["--remove", "--yes"]), @r#"
    exit: 0
    ----- stdout -----
    - task.coder = "claude-code"
    - task.judge = "tests"
      task.test was changed since, and stays
    ----- stderr -----
    changed `provost.toml`; commit that to make it count
    "#);
    assert_eq!(project.text("provost.toml"), "[task]\ntest = \"make check\"\n");

    let project = Project::cart().with_claude(0);
    assert_eq!(project.init(&["--yes"]).run().exit(), Some(0));
    assert_eq!(project.init(&["--remove", "--yes"]).run().exit(), Some(0));
    assert!(!project.world.path("repo/provost.toml").exists(), "nothing else was in it");
}

/// A person at a terminal is asked before each effect.
#[test]
fn a_person_is_asked_before_each_effect() {
    const AT_A_TERMINAL: &str = "\
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:-1])
os.write(fd, sys.argv[-1].encode())
said = b''
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
sys.stdout.write(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";
    let ask = |project: &Project, answers: &str| {
        let mut command = project.world.program("python3");
        let provost = env!("CARGO_BIN_EXE_provost");
        command.args(["-c", AT_A_TERMINAL, provost, "init", answers]).env("PATH", &project.path);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap().replace('\r', "");
        (output.status.code(), said)
    };
    let project = Project::cart().with_claude(0);
    let (exit, said) = ask(&project, "n\n");
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.contains("? Write `provost.toml`? [y/N]"), "{said}");
    assert!(!project.world.path("repo/provost.toml").exists());

    let (exit, said) = ask(&project, "y\nn\n");
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.contains("? Commit `provost.toml`? [y/N]"), "{said}");
    assert_eq!(project.git(&["status", "--porcelain"]), "?? provost.toml\n");

    let (exit, said) = ask(&project, "y\n");
    assert_eq!(exit, Some(0), "{said}");
    assert!(!said.contains("? Write"), "{said}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn projects_of_other_kinds_are_tried_too() {
    let tried = |files: &[(&str, &str)]| {
        let ran = Project::new(files).with_claude(0).init(&["--dry-run", "--json"]).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        let document = ran.json();
        (document["test"].as_str().unwrap().to_owned(), document["trial"]["test"].clone())
    };
    let (command, test) =
        tried(&[("Makefile", "test:\n\t@sh check.sh\n"), ("check.sh", "test 1 = 1\n")]);
    assert_eq!(
        (command.as_str(), &test["counts"], &test["rc"]),
        ("make test", &Value::Null, &Value::from(0))
    );

    let node = "const test = require('node:test');\nconst assert = require('assert');\n\
                test('加法', () => assert.equal(1 + 1, 2));\n";
    let (command, test) = tried(&[("package.json", "{\"name\": \"商店\"}"), ("sum.test.js", node)]);
    assert_eq!((command.as_str(), &test["counts"]["passed"]), ("node --test", &Value::from(1)));

    let (command, test) =
        tried(&[("服务/setup.py", ""), ("服务/cart.py", CART), ("服务/test_cart.py", CART_TEST)]);
    assert_eq!(command, "cd 服务 && python3 -m unittest");
    assert_eq!(test["counts"]["passed"], 1);
}

#[test]
fn a_folder_that_cannot_be_set_up_is_said_with_what_to_type() {
    let project = Project::new(&[]);
    init_snapshot!(project.init(&[]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo` has no commit yet
    hint: a task starts from a commit: `git commit --allow-empty -m "first commit"`, then `provost init`
    "#);
    init_snapshot!(project.init(&["--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`[WORLD]/repo` 还没有提交
    提示：任务从一次提交开始：`git commit --allow-empty -m "first commit"`，然后 `provost init`
    "#);
    project.world.write("repo/cart.py", CART);
    init_snapshot!(project.init(&[]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo` has no commit yet
    hint: a task starts from a commit: `git add -A && git commit -m "first commit"`, then `provost init`
    "#);
    init_snapshot!(project.init(&[]).inside("bin"), @"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/bin` is not in a git repository
    hint: change to your project, or make it a repository: `git init`, then `git add -A` and `git commit`
    ");
    init_snapshot!(project.init(&["--lang", "zh"]).inside("bin"), @"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`[WORLD]/bin` 不在 git 仓库中
    提示：请进入你的项目目录，或将其设为仓库：`git init`，然后 `git add -A` 和 `git commit`
    ");
}

#[test]
fn what_is_missing_is_said_with_what_to_type() {
    let project = Project::new(&[("README.md", "# nothing yet\n")]);
    init_snapshot!(project.init(&["--check"]), @r#"
    exit: 1
    ----- stdout -----
    repo · main@[COMMIT] · clean
      found      no known kind of project                            !
      test       none found                                          ✗
      agent      none found                                          ✗
      [SANDBOX]
    ✗ no test was found: nothing could be proven
      hint: write a test, or name the command in `provost.toml`: `[task]`, `test = "…"`; for one task: `provost do --test "…" "…"`
    ✗ no agent is installed: none of `claude`, `codex`, `gemini`, `opencode`, `aider`, `cursor-agent` is in PATH
      hint: install one of them, or describe a program of your own in `provost.toml` and name it in `[task] coder` (docs/adapters.md), then run `provost init` again
    ----- stderr -----
    "#);
    init_snapshot!(project.init(&["--check", "--lang", "zh"]), @r#"
    exit: 1
    ----- stdout -----
    repo · main@[COMMIT] · 无未提交的改动
      项目       没有已知类型的项目                                  !
      测试       没有找到                                            ✗
      智能体     没有找到                                            ✗
      [SANDBOX]
    ✗ 没有找到测试：无法验证任何结果
      提示：请编写测试，或在 `provost.toml` 的 `[task]` 中写 `test = "…"`；只用于一个任务时：`provost do --test "…" "…"`
    ✗ 没有安装智能体：PATH 中没有 `claude`、`codex`、`gemini`、`opencode`、`aider`、`cursor-agent`
      提示：请安装其中之一，或在 `provost.toml` 中描述自己的程序并写入 `[task] coder`（`docs/adapters.md`），然后再次运行 `provost init`
    ----- stderr -----
    "#);

    let red = Project::new(&[("cart.py", CART), ("test_cart.py", RED_TEST)]).with_claude(1);
    init_snapshot!(red.init(&["--check"]), @r#"
    exit: 1
    ----- stdout -----
    repo · main@[COMMIT] · clean
      found      Python · test_cart.py
      test       python3 -m unittest             1 failed, 1 passed  ✗  [TIME]
      agent      Claude Code 2.1.325, not logged in                  ✗
      [SANDBOX]
    `provost.toml`:
        # Written by `provost init`; `provost init --remove` takes it out.
        [task]
      + coder = "claude-code"
      + judge = "tests"
      + test = "python3 -m unittest"
    ✗ the test is red before any change: 1 failed, 1 passed
      hint: mend these first, or let an agent do it: `test_cart.py::Total::test_empty`
    ✗ Claude Code is not logged in
      hint: log in with `claude`
    ✗ `provost.toml` lacks `task.coder`, `task.judge`, `task.test`
      hint: `provost init` adds them
    ----- stderr -----
    "#);
    init_snapshot!(red.init(&["--check", "--lang", "zh"]), @r#"
    exit: 1
    ----- stdout -----
    repo · main@[COMMIT] · 无未提交的改动
      项目       Python · test_cart.py
      测试       python3 -m unittest             1 个失败，1 个通过  ✗  [TIME]
      智能体     Claude Code 2.1.325，未登录                         ✗
      [SANDBOX]
    `provost.toml`：
        # Written by `provost init`; `provost init --remove` takes it out.
        [task]
      + coder = "claude-code"
      + judge = "tests"
      + test = "python3 -m unittest"
    ✗ 尚未改动，测试就已失败：1 个失败，1 个通过
      提示：请先修复，或交给智能体修复：`test_cart.py::Total::test_empty`
    ✗ Claude Code 尚未登录
      提示：请用 `claude` 登录
    ✗ `provost.toml` 缺少 `task.coder`、`task.judge`、`task.test`
      提示：`provost init` 会补上
    ----- stderr -----
    "#);
}

#[test]
fn a_test_that_proves_nothing_or_cannot_run_is_not_green() {
    let configured = |test: &str| {
        let project = Project::cart().with_claude(0);
        project.world.write("repo/provost.toml", format!("[task]\ntest = {test:?}\n"));
        project.commit();
        let ran = project.init(&["--check", "--json"]).run();
        assert_eq!(ran.exit(), Some(1), "{}", ran.text());
        problems(&ran)
    };
    let zero = configured("python3 -m unittest discover -p none_*.py || true");
    assert_eq!(
        zero[0],
        "`python3 -m unittest discover -p none_*.py || true` ran 0 tests: nothing would be proven"
    );
    let missing = configured("no-such-runner --all");
    assert!(
        missing[0].starts_with("the test cannot run here: `no-such-runner --all` exited with 127"),
        "{missing:?}"
    );
    let red = configured("sh -c 'echo broken; exit 3'");
    assert_eq!(
        red[0],
        "the test is red before any change: `sh -c 'echo broken; exit 3'` exited with 3: broken"
    );
}

/// What the person configured counts from the commit: a file that is not committed is said.
#[test]
fn a_configuration_that_is_not_committed_does_not_count() {
    let project = Project::cart().with_claude(0);
    assert_eq!(project.init(&["--yes"]).run().exit(), Some(0));
    project.git(&["reset", "--quiet", "--soft", "HEAD^"]);
    let ran = project.init(&["--check", "--json"]).run();
    assert_eq!(ran.exit(), Some(1));
    assert_eq!(
        problems(&ran),
        ["`provost.toml` is not committed: for a task, the committed one counts"]
    );
    // Git does not say a word about a file that it ignores.
    project.git(&["reset", "--quiet"]);
    project.world.write("repo/.git/info/exclude", "provost.toml\n");
    let ran = project.init(&["--check", "--json"]).run();
    assert_eq!(
        problems(&ran),
        ["`provost.toml` is not committed: for a task, the committed one counts"]
    );
    project.world.write("repo/.git/info/exclude", "");
    // A hook of the person's that refuses is heard.
    let hook = project.world.path("repo/.git/hooks/pre-commit");
    project.world.write("repo/.git/hooks/pre-commit", "#!/bin/sh\necho 'not today' >&2\nexit 1\n");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = project.init(&["--yes", "--json"]).run();
    assert_eq!(problems(&ran), ["git did not commit `provost.toml`: not today"]);
}
