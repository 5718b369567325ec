//! Layers of configuration: where they are read from, how they combine, what is refused.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use crate::world::World;

mod adapters;
mod page;

const SHOW: [&str; 3] = ["config", "show", "--origin"];

#[test]
fn without_any_file_the_built_in_values_hold() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["config", "show"]), @r#"
    exit: 0
    ----- stdout -----
    # adapter is not set
    guard.level = "standard"
    guard.packs.cloud = true
    guard.packs.containers = true
    guard.packs.database = true
    guard.packs.git = true
    guard.packs.kubernetes = true
    guard.packs.network = true
    guard.rules = []
    guard.unknown_fields = "drop"
    # identity.host is not set
    # identity.user is not set
    job.grace_seconds = 5
    job.output_limit_bytes = 16777216
    land.method = "squash"
    # lang is not set
    lock.stale_minutes = 30
    # notify.command is not set
    notify.desktop = false
    # notify.lang is not set
    # notify.ntfy is not set
    # notify.ntfy_token_file is not set
    notify.rate_per_minute = 5
    # notify.telegram_mention is not set
    # notify.telegram_token_file is not set
    # notify.webhook is not set
    # notify.webhook_secret_file is not set
    prepare = []
    proof.level = "standard"
    proof.product = []
    proof.require = "holds"
    proof.tests = []
    remote.aliases = []
    remote.shell = "zsh -lc"
    retention.environments_mb = 10000
    retention.evidence_days = 30
    retention.quarantine_copies = 3
    retention.replay_days = 7
    retention.temporary_hours = 1
    run.jobs = 1
    # sandbox.memory_mb is not set
    sandbox.processes = 4096
    sandbox.required = false
    story.gates = []
    story.scope.hard_files = 25
    story.scope.hard_lines = 3000
    story.scope.warn_files = 15
    story.scope.warn_lines = 1500
    # task.build is not set
    # task.coder is not set
    # task.coder_model is not set
    # task.judge is not set
    # task.judge_model is not set
    # task.limits.attempts is not set
    # task.limits.tokens is not set
    # task.limits.usd is not set
    # task.limits.wall is not set
    # task.lint is not set
    task.prepare_default = true
    task.quota_wait = 0
    # task.test is not set
    # task.types is not set
    ----- stderr -----
    "#);
    provost_snapshot!(world.provost().args(["--lang", "zh"]).args(SHOW), @r#"
    exit: 0
    ----- stdout -----
    # adapter 未设置
    guard.level = "standard"           # 内置
    guard.packs.cloud = true           # 内置
    guard.packs.containers = true      # 内置
    guard.packs.database = true        # 内置
    guard.packs.git = true             # 内置
    guard.packs.kubernetes = true      # 内置
    guard.packs.network = true         # 内置
    guard.rules = []                   # 内置
    guard.unknown_fields = "drop"      # 内置
    # identity.host 未设置
    # identity.user 未设置
    job.grace_seconds = 5              # 内置
    job.output_limit_bytes = 16777216  # 内置
    land.method = "squash"             # 内置
    lang = "zh"                        # 参数 `--lang`
    lock.stale_minutes = 30            # 内置
    # notify.command 未设置
    notify.desktop = false             # 内置
    # notify.lang 未设置
    # notify.ntfy 未设置
    # notify.ntfy_token_file 未设置
    notify.rate_per_minute = 5         # 内置
    # notify.telegram_mention 未设置
    # notify.telegram_token_file 未设置
    # notify.webhook 未设置
    # notify.webhook_secret_file 未设置
    prepare = []                       # 内置
    proof.level = "standard"           # 内置
    proof.product = []                 # 内置
    proof.require = "holds"            # 内置
    proof.tests = []                   # 内置
    remote.aliases = []                # 内置
    remote.shell = "zsh -lc"           # 内置
    retention.environments_mb = 10000  # 内置
    retention.evidence_days = 30       # 内置
    retention.quarantine_copies = 3    # 内置
    retention.replay_days = 7          # 内置
    retention.temporary_hours = 1      # 内置
    run.jobs = 1                       # 内置
    # sandbox.memory_mb 未设置
    sandbox.processes = 4096           # 内置
    sandbox.required = false           # 内置
    story.gates = []                   # 内置
    story.scope.hard_files = 25        # 内置
    story.scope.hard_lines = 3000      # 内置
    story.scope.warn_files = 15        # 内置
    story.scope.warn_lines = 1500      # 内置
    # task.build 未设置
    # task.coder 未设置
    # task.coder_model 未设置
    # task.judge 未设置
    # task.judge_model 未设置
    # task.limits.attempts 未设置
    # task.limits.tokens 未设置
    # task.limits.usd 未设置
    # task.limits.wall 未设置
    # task.lint 未设置
    task.prepare_default = true        # 内置
    task.quota_wait = 0                # 内置
    # task.test 未设置
    # task.types 未设置
    ----- stderr -----
    "#);
}

#[test]
fn every_value_says_where_it_was_written() {
    let world = World::new()
        .with("home/.config/provost/provost.toml", "lang = \"zh\"\n[lock]\nstale_minutes = 10\n")
        .with(
            "repo/provost.toml",
            "\n[remote]\naliases = [\n  \"a\",\n  \"b\",\n]\n[lock]\nstale_minutes = 20\n",
        )
        .with("repo/.provost/local.toml", "remote = { aliases = [\"b\"] }\n");
    let provost = world.provost().variable("PROVOST_JOB_GRACE_SECONDS", "9");
    provost_snapshot!(provost.args(SHOW).args(["--lang", "en"]), @r#"
    exit: 0
    ----- stdout -----
    # adapter is not set
    guard.level = "standard"                 # built in
    guard.packs.cloud = true                 # built in
    guard.packs.containers = true            # built in
    guard.packs.database = true              # built in
    guard.packs.git = true                   # built in
    guard.packs.kubernetes = true            # built in
    guard.packs.network = true               # built in
    guard.rules = []                         # built in
    guard.unknown_fields = "drop"            # built in
    # identity.host is not set
    # identity.user is not set
    job.grace_seconds = 9                    # variable `PROVOST_JOB_GRACE_SECONDS`
    job.output_limit_bytes = 16777216        # built in
    land.method = "squash"                   # built in
    lang = "en"                              # flag `--lang`
    lock.stale_minutes = 20                  # `[WORLD]/repo/provost.toml:8`
    # notify.command is not set
    notify.desktop = false                   # built in
    # notify.lang is not set
    # notify.ntfy is not set
    # notify.ntfy_token_file is not set
    notify.rate_per_minute = 5               # built in
    # notify.telegram_mention is not set
    # notify.telegram_token_file is not set
    # notify.webhook is not set
    # notify.webhook_secret_file is not set
    prepare = []                             # built in
    proof.level = "standard"                 # built in
    proof.product = []                       # built in
    proof.require = "holds"                  # built in
    proof.tests = []                         # built in
    remote.aliases = ["b"]                   # `[WORLD]/repo/.provost/local.toml:1`
    remote.shell = "zsh -lc"                 # built in
    retention.environments_mb = 10000        # built in
    retention.evidence_days = 30             # built in
    retention.quarantine_copies = 3          # built in
    retention.replay_days = 7                # built in
    retention.temporary_hours = 1            # built in
    run.jobs = 1                             # built in
    # sandbox.memory_mb is not set
    sandbox.processes = 4096                 # built in
    sandbox.required = false                 # built in
    story.gates = []                         # built in
    story.scope.hard_files = 25              # built in
    story.scope.hard_lines = 3000            # built in
    story.scope.warn_files = 15              # built in
    story.scope.warn_lines = 1500            # built in
    # task.build is not set
    # task.coder is not set
    # task.coder_model is not set
    # task.judge is not set
    # task.judge_model is not set
    # task.limits.attempts is not set
    # task.limits.tokens is not set
    # task.limits.usd is not set
    # task.limits.wall is not set
    # task.lint is not set
    task.prepare_default = true              # built in
    task.quota_wait = 0                      # built in
    # task.test is not set
    # task.types is not set
    ----- stderr -----
    "#);
    let ran = world.provost().args(SHOW).args(["--json"]).run();
    let expected = world.path("repo/provost.toml").display().to_string();
    assert_eq!(ran.json()["config"]["lock"]["stale_minutes"], 20);
    assert_eq!(ran.json()["origins"]["lock.stale_minutes"]["path"], expected);
    assert_eq!(ran.json()["origins"]["lock.stale_minutes"]["line"], 8);
}

#[test]
fn the_user_layer_follows_xdg_and_the_others_the_folder() {
    let world = World::new()
        .with("xdg/provost/provost.toml", "job.grace_seconds = 1\n")
        .with("home/.config/provost/provost.toml", "job.grace_seconds = 2\n")
        .with("plain/x", "");
    let grace = |provost: crate::world::Provost<'_>| {
        let ran = provost.args(["config", "show", "--json"]).run();
        ran.json()["config"]["job"]["grace_seconds"].clone()
    };
    let xdg = world.path("xdg");
    assert_eq!(grace(world.provost()), 2);
    assert_eq!(grace(world.provost().inside("plain")), 2);
    assert_eq!(grace(world.provost().variable("XDG_CONFIG_HOME", &xdg)), 1);
    assert_eq!(grace(world.provost().variable("XDG_CONFIG_HOME", "../xdg")), 2, "relative");
    world.write("repo/sub/x", "");
    world.write("repo/provost.toml", "job.grace_seconds = 3\n");
    assert_eq!(grace(world.provost().inside("repo/sub")), 3);
    world.write("elsewhere/local.toml", "job.grace_seconds = 4\n");
    assert_eq!(grace(world.provost().args(["--home", "../elsewhere"])), 4);
    assert_eq!(grace(world.provost().variable("PROVOST_HOME", "../elsewhere")), 4);
}

#[test]
fn a_key_that_does_not_exist_is_named_with_its_line_and_the_nearest_name() {
    let world =
        World::new().with("repo/provost.toml", "lang = \"en\"\n\n[idenity]\nuser = \"ann\"\n");
    let before = world.listing();
    provost_snapshot!(world.provost().args(SHOW), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown key `idenity` (`[WORLD]/repo/provost.toml:3`)
    hint: did you mean `identity`?
    ");
    provost_snapshot!(world.provost().args(["config", "show", "--json", "--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "error": {
        "causes": [],
        "exit": 2,
        "hints": [
          "是否想写 `identity`？"
        ],
        "message": "未知的配置键 `idenity`（`[WORLD]/repo/provost.toml:3`）"
      }
    }
    ----- stderr -----
    错误：未知的配置键 `idenity`（`[WORLD]/repo/provost.toml:3`）
    提示：是否想写 `identity`？
    "#);
    provost_snapshot!(world.provost().args(["check", "secrets"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown key `idenity` (`[WORLD]/repo/provost.toml:3`)
    hint: did you mean `identity`?
    ");
    world.write("repo/provost.toml", "[retention]\nxyzzy = 1\n");
    provost_snapshot!(world.provost().args(SHOW), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown key `retention.xyzzy` (`[WORLD]/repo/provost.toml:2`)
    hint: the keys here are `retention.environments_mb`, `retention.evidence_days`, `retention.quarantine_copies`, `retention.replay_days`, `retention.temporary_hours`
    ");
    world.write("repo/provost.toml", "\"identity.user\" = \"ann\"\n");
    provost_snapshot!(world.provost().args(SHOW), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown key `"identity.user"` (`[WORLD]/repo/provost.toml:1`)
    hint: did you mean `identity.user`?
    "#);
    assert_eq!(world.listing().len(), before.len());
}

#[test]
fn a_value_of_another_type_is_named_with_what_was_expected() {
    let world = World::new();
    let check = |text: &str| {
        world.write("repo/provost.toml", text);
        world.provost().args(SHOW)
    };
    provost_snapshot!(check("# a comment\nlang = \"fr\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `lang` is `"fr"` (`[WORLD]/repo/provost.toml:2`), expected one of `en`, `zh`
    hint: `provost config schema` describes every key
    "#);
    provost_snapshot!(check("[lock]\nstale_minutes = 0\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `lock.stale_minutes` is `0` (`[WORLD]/repo/provost.toml:2`), expected a whole number from 1 to 4294967295
    hint: `provost config schema` describes every key
    ");
    provost_snapshot!(check("[lock]\nstale_minutes = 2026-11-15\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `lock.stale_minutes` is a date or a number out of range (`[WORLD]/repo/provost.toml:2`), expected a whole number from 1 to 4294967295
    hint: `provost config schema` describes every key
    ");
    provost_snapshot!(check("remote.aliases = \"a\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `remote.aliases` is `"a"` (`[WORLD]/repo/provost.toml:1`), expected a list of texts that are not empty and have no control character
    hint: `provost config schema` describes every key
    "#);
    provost_snapshot!(check("identity = \"ann\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `identity` is `"ann"` (`[WORLD]/repo/provost.toml:1`), expected a table
    hint: `provost config schema` describes every key
    "#);
    provost_snapshot!(check("[lang]\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `lang` is a table (`[WORLD]/repo/provost.toml:1`), expected one of `en`, `zh`
    hint: `provost config schema` describes every key
    ");
    provost_snapshot!(check("remote.shell = \"zsh\\u0000\"\n").args(["--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`remote.shell` 的值为 `"zsh\u0000"`（`[WORLD]/repo/provost.toml:1`），应为非空且不含控制字符的文本
    提示：`provost config schema` 描述了所有的键
    "#);
    provost_snapshot!(check("retention.replay_days = 99999999999999999999\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `retention.replay_days` is a date or a number out of range (`[WORLD]/repo/provost.toml:1`), expected a whole number from 1 to 7
    hint: `provost config schema` describes every key
    ");
}

#[test]
fn a_file_that_is_not_toml_is_named_with_its_line() {
    let world = World::new();
    let check = |text: &[u8]| {
        world.write("repo/provost.toml", text);
        world.provost().args(SHOW)
    };
    provost_snapshot!(check(b"lang = \"en\"\nidentity.user ann\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/provost.toml:2` is not TOML
    cause: key with no value, expected `=`
    hint: write each key as `key = value`, under its `[section]`
    ");
    provost_snapshot!(check(b"lang = \"en\"\nlang = \"zh\"\n").args(["--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`[WORLD]/repo/provost.toml:2` 不是有效的 TOML
    原因：duplicate key
    提示：请在相应的 `[section]` 下按 `key = value` 书写
    ");
    provost_snapshot!(check(b"lang = \"en\"\n# \xff\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/provost.toml:2` is not UTF-8
    hint: save the file as UTF-8
    ");
    let deep = format!("x = {}", "[".repeat(100_000));
    provost_snapshot!(check(deep.as_bytes()), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/provost.toml:1` is not TOML
    cause: cannot recurse further; max recursion depth met
    hint: write each key as `key = value`, under its `[section]`
    ");
    provost_snapshot!(check(&vec![b'#'; 1024 * 1024 + 1]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the configuration `[WORLD]/repo/provost.toml` has more than 1048576 bytes
    hint: replace `[WORLD]/repo/provost.toml` with a TOML file, or remove it
    ");
    let ran = check(&vec![b'#'; 1024 * 1024]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.stderr());
}

#[test]
fn a_configuration_that_is_no_file_is_named() {
    let world = World::new();
    world.folder("repo/provost.toml/x");
    let before = world.listing();
    provost_snapshot!(world.provost().args(SHOW), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the configuration `[WORLD]/repo/provost.toml` is a folder
    hint: replace `[WORLD]/repo/provost.toml` with a TOML file, or remove it
    ");
    provost_snapshot!(world.provost().args(["doctor", "--fix", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：配置文件 `[WORLD]/repo/provost.toml` 是文件夹
    提示：请将 `[WORLD]/repo/provost.toml` 换成 TOML 文件，或将其删除
    ");
    assert_eq!(world.listing(), before);

    let world = World::new();
    let path = world.path("repo/provost.toml");
    assert!(world.program("mkfifo").arg(path).status().unwrap().success());
    provost_snapshot!(world.provost().args(SHOW), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the configuration `[WORLD]/repo/provost.toml` is not a regular file
    hint: replace `[WORLD]/repo/provost.toml` with a TOML file, or remove it
    ");

    let world = World::new();
    std::os::unix::fs::symlink("nowhere", world.path("repo/provost.toml")).unwrap();
    provost_snapshot!(world.provost().args(SHOW), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the configuration `[WORLD]/repo/provost.toml` is a broken symbolic link
    hint: replace `[WORLD]/repo/provost.toml` with a TOML file, or remove it
    ");
}

/// Nobody can read the start of this file, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_configuration_that_cannot_be_read_is_named_with_the_cause() {
    let world = World::new();
    std::os::unix::fs::symlink("/proc/self/mem", world.path("repo/provost.toml")).unwrap();
    provost_snapshot!(world.provost().args(SHOW), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read the configuration `[WORLD]/repo/provost.toml`
    cause: Input/output error (os error 5)
    hint: check who owns the file and its permissions
    ");
}

#[test]
fn a_later_layer_cannot_loosen_what_guards() {
    let world = World::new().with(
        "home/.config/provost/provost.toml",
        "identity.user = \"ann\"\nremote.aliases = [\"a\"]\n",
    );
    let check = |text: &str| {
        world.write("repo/provost.toml", text);
        world.provost().args(SHOW)
    };
    provost_snapshot!(check("identity.user = \"bob\"\n"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `identity.user` may not change: it is `"ann"` (`[WORLD]/home/.config/provost/provost.toml:1`), then `"bob"` (`[WORLD]/repo/provost.toml:1`)
    hint: a later layer can only tighten this key: remove it (`[WORLD]/repo/provost.toml:1`)
    "#);
    provost_snapshot!(check("remote.aliases = [\"a\", \"b\"]\n").args(["--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`remote.aliases` 只能减少元素：先为 `["a"]`（`[WORLD]/home/.config/provost/provost.toml:2`），后为 `["a","b"]`（`[WORLD]/repo/provost.toml:1`）
    提示：后面的层只能收紧此键：请删除它（`[WORLD]/repo/provost.toml:1`）
    "#);
    provost_snapshot!(check("retention.replay_days = 8\n"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `retention.replay_days` may only shrink: it is `7` (built in), then `8` (`[WORLD]/repo/provost.toml:1`)
    hint: a later layer can only tighten this key: remove it (`[WORLD]/repo/provost.toml:1`)
    ");
    provost_snapshot!(check("").variable("PROVOST_IDENTITY_USER", "bob"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `identity.user` may not change: it is `"ann"` (`[WORLD]/home/.config/provost/provost.toml:1`), then `"bob"` (variable `PROVOST_IDENTITY_USER`)
    hint: a later layer can only tighten this key: remove it (variable `PROVOST_IDENTITY_USER`)
    "#);
    let ran =
        check("identity.user = \"ann\"\nremote.aliases = []\nretention.replay_days = 1\n").run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.stderr());
}

#[test]
fn a_variable_of_ours_that_nobody_reads_is_an_error() {
    let world = World::new();
    provost_snapshot!(world.provost().args(SHOW).variable("PROVOST_LNAG", "zh"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown variable `PROVOST_LNAG`
    hint: did you mean `PROVOST_LANG`?
    ");
    provost_snapshot!(world.provost().args(SHOW).variable("PROVOST_LOCK_STALE_MINUTES", "soon"), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `lock.stale_minutes` is `"soon"` (variable `PROVOST_LOCK_STALE_MINUTES`), expected a whole number from 1 to 4294967295
    hint: `provost config schema` describes every key
    "#);
    let bad = OsStr::from_bytes(b"\xff");
    provost_snapshot!(world.provost().args(SHOW).variable("PROVOST_IDENTITY_USER", bad), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: variable `PROVOST_IDENTITY_USER` is not UTF-8
    hint: unset `PROVOST_IDENTITY_USER` or write it in UTF-8
    ");
    for name in ["PROVOST_REQUEST", "PROVOST_REPLY"] {
        assert_eq!(world.provost().args(SHOW).variable(name, "x").run().exit(), Some(0), "{name}");
    }
}

#[test]
fn the_language_is_the_one_that_was_asked_for_last() {
    let world = World::new().with("repo/provost.toml", "lang = \"zh\"\n");
    let is_chinese = |provost: crate::world::Provost<'_>| {
        let ran = provost.args(["check", "secrets", "none"]).run();
        assert_eq!(ran.exit(), Some(2));
        ran.stderr().starts_with("错误：")
    };
    assert!(is_chinese(world.provost()), "the file");
    assert!(!is_chinese(world.provost().variable("PROVOST_LANG", "en")), "a variable over a file");
    assert!(!is_chinese(world.provost().args(["--lang", "en"])), "a flag over a file");
    assert!(is_chinese(world.provost().variable("LANG", "en_US.UTF-8")), "a file over the locale");
    let world = World::new();
    assert!(!is_chinese(world.provost()), "English by default");
    assert!(is_chinese(world.provost().variable("LANG", "zh_CN.UTF-8")), "the locale");
    assert!(!is_chinese(world.provost().variable("LANG", "zh_CN").variable("LC_ALL", "C")));
    // The user's file is valid and chooses the language in which the next one is refused.
    world.write("home/.config/provost/provost.toml", "lang = \"zh\"\n");
    world.write("repo/provost.toml", "x = 1\n");
    assert!(is_chinese(world.provost()), "the layers before the fault");
}

#[test]
fn the_schema_is_printed_without_reading_a_file() {
    let world = World::new().with("repo/provost.toml", "this is not TOML");
    let ran = world.provost().args(["config", "schema"]).run();
    assert_eq!(ran.exit(), Some(0));
    let schema = ran.json();
    assert_eq!(schema["title"], "provost.toml");
    assert_eq!(schema["properties"]["retention"]["properties"]["replay_days"]["maximum"], 7);
    assert_eq!(schema["additionalProperties"], false);
}
