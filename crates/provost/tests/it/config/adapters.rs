//! Adapters, what prepares a checkout and the sandbox: what is shown, and what is refused.

use super::SHOW;
use crate::world::World;

#[test]
fn each_adapter_is_shown_with_the_place_that_wrote_it_last() {
    let world = World::new()
        .with(
            "home/.config/provost/provost.toml",
            "[adapter.mine]\nkind = \"command\"\nargv = [\"agent\", \"--fast\"]\n\n\
            [adapter.\"model-5.1\"]\nkind = \"chat\"\nbase = \"http://127.0.0.1:1/v1\"\n",
        )
        .with(
            "repo/provost.toml",
            "[task]\ncoder = \"mine\"\njudge = \"model-5.1\"\nquota_wait = \"30m\"\n\n\
            [[prepare]]\ncommand = \"npm ci\"\nwhen = \"package-lock.json\"\n\
            [[prepare]]\ncommand = \"make\"\n",
        )
        .with(
            "repo/.provost/local.toml",
            "adapter.mine = { kind = \"script\", behaviour = \"pass\" }\n",
        );
    let provost = world.provost().variable("PROVOST_SANDBOX_REQUIRED", "true");
    provost_snapshot!(provost.args(SHOW), @r#"
    exit: 0
    ----- stdout -----
    adapter."model-5.1" = { base = "http://127.0.0.1:1/v1", kind = "chat" }  # `[WORLD]/home/.config/provost/provost.toml:5`
    adapter.mine = { behaviour = "pass", kind = "script" }  # `[WORLD]/repo/.provost/local.toml:1`
    guard.level = "standard"                                # built in
    guard.packs.cloud = true                                # built in
    guard.packs.containers = true                           # built in
    guard.packs.database = true                             # built in
    guard.packs.git = true                                  # built in
    guard.packs.kubernetes = true                           # built in
    guard.packs.network = true                              # built in
    guard.rules = []                                        # built in
    guard.unknown_fields = "drop"                           # built in
    # identity.host is not set
    # identity.user is not set
    job.grace_seconds = 5                                   # built in
    job.output_limit_bytes = 16777216                       # built in
    land.method = "squash"                                  # built in
    # lang is not set
    lock.stale_minutes = 30                                 # built in
    # notify.command is not set
    notify.desktop = false                                  # built in
    # notify.lang is not set
    # notify.ntfy is not set
    # notify.ntfy_token_file is not set
    notify.rate_per_minute = 5                              # built in
    # notify.telegram_mention is not set
    # notify.telegram_token_file is not set
    # notify.webhook is not set
    # notify.webhook_secret_file is not set
    prepare = [{ command = "npm ci", when = "package-lock.json" }, { command = "make" }]  # `[WORLD]/repo/provost.toml:6`
    proof.level = "standard"                                # built in
    proof.product = []                                      # built in
    proof.require = "holds"                                 # built in
    proof.tests = []                                        # built in
    remote.aliases = []                                     # built in
    remote.shell = "zsh -lc"                                # built in
    retention.environments_mb = 10000                       # built in
    retention.evidence_days = 30                            # built in
    retention.quarantine_copies = 3                         # built in
    retention.replay_days = 7                               # built in
    retention.temporary_hours = 1                           # built in
    run.jobs = 1                                            # built in
    # sandbox.memory_mb is not set
    sandbox.processes = 4096                                # built in
    sandbox.required = true                                 # variable `PROVOST_SANDBOX_REQUIRED`
    story.gates = []                                        # built in
    story.scope.hard_files = 25                             # built in
    story.scope.hard_lines = 3000                           # built in
    story.scope.warn_files = 15                             # built in
    story.scope.warn_lines = 1500                           # built in
    # task.build is not set
    task.coder = "mine"                                     # `[WORLD]/repo/provost.toml:2`
    # task.coder_model is not set
    task.judge = "model-5.1"                                # `[WORLD]/repo/provost.toml:3`
    # task.judge_model is not set
    # task.limits.attempts is not set
    # task.limits.tokens is not set
    # task.limits.usd is not set
    # task.limits.wall is not set
    # task.lint is not set
    task.prepare_default = true                             # built in
    task.quota_wait = "30m"                                 # `[WORLD]/repo/provost.toml:4`
    # task.test is not set
    # task.types is not set
    ----- stderr -----
    "#);
    let ran = world.provost().args(SHOW).args(["--json"]).run();
    let local = world.path("repo/.provost/local.toml").display().to_string();
    assert_eq!(ran.json()["config"]["adapter"]["mine"]["behaviour"], "pass");
    assert_eq!(ran.json()["config"]["task"]["quota_wait"], 1800);
    assert_eq!(ran.json()["origins"]["adapter.mine"]["path"], local);
    assert_eq!(ran.json()["origins"]["adapter.\"model-5.1\""]["line"], 5);
}

#[test]
fn what_is_shown_of_an_adapter_can_be_copied_into_a_file() {
    let text = "[adapter.\"a.b\"]\nkind = \"command\"\nargv = [\"x\", \"it's \\\"quoted\\\"\"]\n\
        variables = [\"KEY\"]\n[[prepare]]\ncommand = \"echo 'a' \\\"b\\\"\"\n";
    let file = "home/.config/provost/provost.toml";
    let world = World::new().with(file, text);
    let show = || world.provost().args(["config", "show"]).run().stdout();
    let first = show();
    world.write(file, &first);
    assert_eq!(show(), first);
    assert!(first.contains("it's"), "{first}");
}

#[test]
fn an_adapter_that_cannot_be_used_is_named() {
    let world = World::new();
    let check = |text: &str| {
        world.write("repo/provost.toml", format!("lang = \"en\"\n\n[adapter.mine]\n{text}\n"));
        world.provost().args(SHOW)
    };
    provost_snapshot!(check("kind = \"comand\"\nargv = [\"x\"]"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `mine` (`[WORLD]/repo/provost.toml:3`): unknown `kind` `"comand"`
    hint: did you mean `command`?
    "#);
    provost_snapshot!(check("kind = \"comand\"").args(["--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：适配器 `mine`（`[WORLD]/repo/provost.toml:3`）：未知的 `kind` `"comand"`
    提示：是否想写 `command`？
    "#);
    provost_snapshot!(check("argv = [\"x\"]"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `mine` (`[WORLD]/repo/provost.toml:3`): it has no `kind`
    hint: `kind` is one of `chat`, `command`, `preset`, `recording`, `script`
    ");
    provost_snapshot!(check("kind = \"command\""), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `mine` (`[WORLD]/repo/provost.toml:3`): `argv` is missing or empty
    hint: the keys here are `argv`, `kind`, `remote`, `variables`
    ");
    provost_snapshot!(check("kind = \"command\"").args(["--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：适配器 `mine`（`[WORLD]/repo/provost.toml:3`）：缺少 `argv` 或其为空
    提示：此处可用的键：`argv`、`kind`、`remote`、`variables`
    ");
    provost_snapshot!(check("kind = \"command\"\nargv = [\"x\"]\nvariable = [\"K\"]"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `mine` (`[WORLD]/repo/provost.toml:3`): unknown key `variable`
    hint: did you mean `variables`?
    ");
    provost_snapshot!(
        check("kind = \"command\"\nargv = [\"x\"]\nvariable = [\"K\"]").args(["--lang", "zh"]),
        @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：适配器 `mine`（`[WORLD]/repo/provost.toml:3`）：未知的键 `variable`
    提示：是否想写 `variables`？
    "
    );
    provost_snapshot!(check("kind = \"chat\"\nbase = 3"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `mine` (`[WORLD]/repo/provost.toml:3`): `base` is `3`, expected a text that is not empty and has no control character
    hint: correct `[adapter.mine]`: docs/adapters.md describes every kind
    ");
    provost_snapshot!(check("kind = \"chat\"\nbase = 3").args(["--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：适配器 `mine`（`[WORLD]/repo/provost.toml:3`）：`base` 的值为 `3`，应为非空且不含控制字符的文本
    提示：请更正 `[adapter.mine]`：`docs/adapters.md` 描述了所有的种类
    ");
    provost_snapshot!(check("kind = \"script\"\nbehaviour = \"dance\""), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `mine` (`[WORLD]/repo/provost.toml:3`): `behaviour` is `"dance"`, expected one of `pass`, `fail_then_fix`, `fail`, `mock`, `time_out`, `no_output`, `bad_reply`, `crash`, `not_authorised`, `quota`, `structure_gate`, `need_input`, `bad_json`, `duplicate_keys`, `trailing_text`, `flat_scores`, `gated`, `wrong_mode`, `wrong_sums`, `claims_done_without_change`, `edits_tests`, `weak_test`, `forges_log`, `writes_late`, `touches_forbidden`, `prints_fake_verdict`
    hint: correct `[adapter.mine]`: docs/adapters.md describes every kind
    "#);
    provost_snapshot!(check("kind = \"command\"\nargv = [\"x\", \"\"]"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `adapter.mine.argv` is `["x",""]` (`[WORLD]/repo/provost.toml:3`), expected a list of texts that are not empty and have no control character
    hint: `provost config schema` describes every key
    "#);
    provost_snapshot!(check("kind = \"command\"\nargv = [\"x\"]\nsince = 2026-11-15"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `adapter.mine.since` is a date or a number out of range (`[WORLD]/repo/provost.toml:3`), expected a text that is not empty and has no control character
    hint: `provost config schema` describes every key
    ");
    let ran = world.provost().args(["check", "secrets", "provost.toml"]).run();
    assert_eq!(ran.exit(), Some(2), "no command runs with it: {}", ran.stderr());
}

/// What is added to a preset, by a file of the person's: what would undo something is refused.
#[test]
fn an_addition_to_a_preset_that_is_refused_is_named() {
    let world = World::new();
    let check = |text: &str| {
        let file = "home/.config/provost/provost.toml";
        world.write(file, format!("lang = \"en\"\n\n[adapter.claude-code]\n{text}\n"));
        world.provost().args(SHOW)
    };
    let zh = ["--lang", "zh"];
    provost_snapshot!(check("variables = [\"CODEX_HOME\"]"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `claude-code` (`[WORLD]/home/.config/provost/provost.toml:3`): `CODEX_HOME` cannot be passed: it names a folder in which programs keep their state, and the state of an agent is private
    hint: remove `CODEX_HOME` from `variables`; your login and settings are copied from the folder that it names
    ");
    provost_snapshot!(check("variables = [\"LD_PRELOAD\"]").args(zh), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：适配器 `claude-code`（`[WORLD]/home/.config/provost/provost.toml:3`）：不能传递 `LD_PRELOAD`：它会使程序加载或运行其他内容
    提示：请从 `variables` 中删除 `LD_PRELOAD`
    ");
    provost_snapshot!(check("args = [\"--permission-mode=bypassPermissions\"]"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `claude-code` (`[WORLD]/home/.config/provost/provost.toml:3`): `--permission-mode` in `args` cannot be given to Claude Code: only flags that leave sandbox, permissions, settings, session, output and budget to provost can
    hint: Claude Code can be given `--effort=…`, `--fallback-model=…`, `--autocompact=…`, `--max-turns=…`, `--disallowedTools=…`, `--disallowed-tools=…`, `--disable-slash-commands`, `--exclude-dynamic-system-prompt-sections`, `--betas=…`, `--append-system-prompt=…`
    ");
    provost_snapshot!(check("args = [\"--model\", \"x\"]").args(zh), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：适配器 `claude-code`（`[WORLD]/home/.config/provost/provost.toml:3`）：`args` 中的 `--model` 不能用于 Claude Code：沙箱、权限、设置、会话、输出和预算由 provost 决定
    提示：请改为在 `args` 旁写 `model = "…"`
    "#);
    let taken = "model = \"m\"\nargs = [\"--effort=max\"]\nvariables = [\"MY_GATEWAY_KEY\"]";
    assert_eq!(check(taken).run().exit(), Some(0));
    world.write("home/.config/provost/provost.toml", "");
    world.write("repo/provost.toml", format!("[adapter.claude-code]\n{taken}\n"));
    provost_snapshot!(world.provost().args(SHOW), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: adapter `claude-code` (`[WORLD]/repo/provost.toml:1`): `MY_GATEWAY_KEY` cannot be passed by a file of the repository: it would hand a variable of yours to whatever the repository describes
    hint: move the table to `.provost/local.toml`, or to `~/.config/provost/provost.toml` for all your repositories
    "#);
}

#[test]
fn the_table_of_adapters_takes_plain_names_and_tables_only() {
    let world = World::new();
    let check = |text: &str| {
        world.write("repo/provost.toml", text);
        world.provost().args(SHOW)
    };
    provost_snapshot!(check("[adapter.\"script:pass\"]\nkind = \"x\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `"script:pass"` (`[WORLD]/repo/provost.toml:1`) cannot be a name in `adapter`
    hint: a name has letters, digits, `.`, `_` and `-`, at most 64
    "#);
    provost_snapshot!(check("[adapter.\"script:pass\"]\n").args(["--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`"script:pass"`（`[WORLD]/repo/provost.toml:1`）不能作为 `adapter` 中的名称
    提示：名称由字母、数字、`.`、`_` 和 `-` 组成，最多 64 个字符
    "#);
    provost_snapshot!(check("adapter.mine = \"claude\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `adapter.mine` is `"claude"` (`[WORLD]/repo/provost.toml:1`), expected a table
    hint: `provost config schema` describes every key
    "#);
    provost_snapshot!(check("adapter = []\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `adapter` is `[]` (`[WORLD]/repo/provost.toml:1`), expected a table
    hint: `provost config schema` describes every key
    ");
    provost_snapshot!(check("[adapters.mine]\nkind = \"command\"\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown key `adapters` (`[WORLD]/repo/provost.toml:1`)
    hint: did you mean `adapter`?
    ");
    provost_snapshot!(check("").variable("PROVOST_ADAPTER_MINE_KIND", "command"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: variable `PROVOST_ADAPTER_MINE_KIND` cannot set `adapter`
    hint: unset `PROVOST_ADAPTER_MINE_KIND`, and write `adapter` into a configuration file
    ");
    provost_snapshot!(
        check("").variable("PROVOST_PREPARE", "make").args(["--lang", "zh"]),
        @r"
        exit: 2
        ----- stdout -----
        ----- stderr -----
        错误：环境变量 `PROVOST_PREPARE` 不能设置 `prepare`
        提示：请取消设置 `PROVOST_PREPARE`，并将 `prepare` 写入配置文件
        "
    );
    let deep = format!("adapter.x{} = 1\n", ".a".repeat(100_000));
    assert_eq!(check(&deep).run().exit(), Some(2));
}

#[test]
fn an_element_of_prepare_is_held_to_its_keys() {
    let world = World::new();
    let check = |text: &str| {
        world.write("repo/provost.toml", text);
        world.provost().args(SHOW)
    };
    provost_snapshot!(check("[[prepare]]\ncommand = \"a\"\n[[prepare]]\ncomand = \"b\"\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: element 2 of `prepare` (`[WORLD]/repo/provost.toml:1`): unknown key `comand`
    hint: did you mean `command`?
    ");
    provost_snapshot!(check("[[prepare]]\nwhen = \"a\"\n").args(["--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`prepare` 的第 1 个元素（`[WORLD]/repo/provost.toml:1`）：在 `command`、`ecosystem` 中给出了 0 个，应恰好一个
    提示：`provost config schema` 描述了所有的键
    ");
    provost_snapshot!(check("[prepare]\ncommand = \"a\"\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `prepare` is a table (`[WORLD]/repo/provost.toml:1`), expected a list of tables of `command`, `ecosystem`, `folder`, `when`
    hint: `provost config schema` describes every key
    ");
    provost_snapshot!(check("prepare = [\"make\"]\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: element 1 of `prepare` (`[WORLD]/repo/provost.toml:1`): it is `"make"`, expected a table
    hint: `provost config schema` describes every key
    "#);
    provost_snapshot!(check("[[prepare]]\ncommand = \"\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: element 1 of `prepare` (`[WORLD]/repo/provost.toml:1`): `command` is `""`, expected a text that is not empty and has no control character
    hint: `provost config schema` describes every key
    "#);
}

#[test]
fn a_later_layer_cannot_switch_the_sandbox_off() {
    let world = World::new().with("home/.config/provost/provost.toml", "sandbox.required = true\n");
    let check = |text: &str| {
        world.write("repo/provost.toml", text);
        world.provost().args(SHOW)
    };
    provost_snapshot!(check("[sandbox]\nrequired = false\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `sandbox.required` may not be switched off: it is `true` (`[WORLD]/home/.config/provost/provost.toml:1`), then `false` (`[WORLD]/repo/provost.toml:2`)
    hint: a later layer can only tighten this key: remove it (`[WORLD]/repo/provost.toml:2`)
    ");
    provost_snapshot!(
        check("").variable("PROVOST_SANDBOX_REQUIRED", "false").args(["--lang", "zh"]),
        @r"
        exit: 2
        ----- stdout -----
        ----- stderr -----
        错误：`sandbox.required` 不能关闭：先为 `true`（`[WORLD]/home/.config/provost/provost.toml:1`），后为 `false`（环境变量 `PROVOST_SANDBOX_REQUIRED`）
        提示：后面的层只能收紧此键：请删除它（环境变量 `PROVOST_SANDBOX_REQUIRED`）
        "
    );
    assert_eq!(check("sandbox.required = true\n").run().exit(), Some(0));
    world.write("home/.config/provost/provost.toml", "sandbox.required = false\n");
    assert_eq!(check("sandbox.required = true\n").run().exit(), Some(0));
}
