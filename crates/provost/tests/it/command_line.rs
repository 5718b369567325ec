//! What every command does alike: usage errors, languages, JSON, closed pipes.

use std::{ffi::OsStr, fs::File, os::unix::ffi::OsStrExt as _};

use crate::world::World;

#[test]
fn a_command_that_does_not_exist_is_a_usage_error_with_the_nearest_name() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["docter"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unrecognized subcommand 'docter'

      tip: some similar subcommands exist: 'do', 'doctor'

    Usage: provost [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    provost_snapshot!(world.provost().args(["--json", "docter"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "error": {
        "message": "unrecognized subcommand 'docter'",
        "causes": [],
        "hints": [
          "some similar subcommands exist: 'do', 'doctor'"
        ],
        "exit": 2
      }
    }
    ----- stderr -----
    error: unrecognized subcommand 'docter'

      tip: some similar subcommands exist: 'do', 'doctor'

    Usage: provost [OPTIONS] <COMMAND>

    For more information, try '--help'.
    "#);
    provost_snapshot!(world.provost().args(["doctor", "--lang", "de"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'de' for '--lang <LANG>'
      [possible values: en, zh]

    For more information, try '--help'.
    ");
    provost_snapshot!(world.provost().args(["--home", "", "doctor"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: a value is required for '--home <DIR>' but none was supplied

    For more information, try '--help'.
    ");
}

/// Nothing is run by a guess; a typo is still the parser's.
#[test]
fn a_word_of_another_program_leads_to_the_command() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["status"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown command `status`
    hint: use `provost ls`, `provost show ID`; `provost help all` lists every command
    ");
    provost_snapshot!(world.provost().args(["--lang", "zh", "merge", "t1"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：未知的命令 `merge`
    提示：可用：`provost land t1`；`provost help all` 列出所有命令
    ");
    let ran = world.provost().args(["--json", "undo"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert!(ran.json()["error"]["hints"][0].as_str().unwrap().contains("provost land ID --undo"));
    let ran = world.provost().args(["guard", "list"]).run();
    assert!(!ran.stderr().contains("provost ls"), "{}", ran.stderr());
}

#[test]
fn the_first_page_of_help_has_groups() {
    let world = World::new();
    let first = |words: &[&str]| {
        let ran = world.provost().args(words).run();
        assert_eq!((ran.exit(), ran.stderr().as_str()), (Some(0), ""), "{words:?}");
        ran.stdout()
    };
    let english = first(&["--help"]);
    for line in [
        "\nLook      ls  show  diff  logs  inbox  explain  tui  serve  bot",
        "\nPlans     story  learn  mcp\n",
    ] {
        assert!(english.contains(line), "{english}");
    }
    assert!(!english.contains("List tasks"), "{english}");
    assert_eq!(first(&["help"]), english);
    let chinese = first(&["--lang", "zh", "--help"]);
    assert!(chinese.contains("\n查看      ls  show  diff"), "{chinese}");
    assert!(chinese.contains("用法：provost [选项] <命令>\n"), "{chinese}");
    assert!(first(&["help", "all"]).contains("List tasks, most recently changed first"));
    assert!(first(&["--lang", "zh", "help", "all"]).contains("列出任务"));
    for text in [english, chinese] {
        assert!(text.lines().all(|it| it.len() <= 130), "{text}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["--version"]), @r"
    exit: 0
    ----- stdout -----
    provost 0.1.0
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(["doctor", "--help"]), @r"
    exit: 0
    ----- stdout -----
    Check that provost can run here

    Usage: provost doctor [OPTIONS]

    Options:
          --fix   Create a private home that git ignores
      -h, --help  Print help

    Global options:
          --home <DIR>   The provost home: the `.provost` folder itself
          --lang <LANG>  The language of messages [possible values: en, zh]
          --json         Print one JSON document on standard output
      -q, --quiet        Leave out progress and notes

    Example:
      provost doctor --fix
    ----- stderr -----
    ");
    assert_eq!(world.provost().run().exit(), Some(2), "no command at all");
}

#[test]
fn an_argument_that_is_not_utf8_is_named() {
    let world = World::new();
    let before = world.listing();
    let bad = OsStr::from_bytes(b"a\xff\x1b[2J");
    provost_snapshot!(world.provost().args([OsStr::new("--home"), bad, OsStr::new("doctor")]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: argument 2 is not UTF-8: `a\xff\u{1b}[2J`
    hint: write it in UTF-8; a file with such a name can be reached through its folder
    ");
    provost_snapshot!(world.provost().args(["--lang", "zh"].map(OsStr::new)).args([bad]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：第 3 个参数不是 UTF-8：`a\xff\u{1b}[2J`
    提示：请改用 UTF-8；名称不是 UTF-8 的文件可通过其所在文件夹访问
    ");
    assert_eq!(world.listing(), before);
}

/// The longest argument that Linux passes on is 128 KiB.
#[test]
fn a_giant_argument_is_cut_in_the_error() {
    let world = World::new();
    let before = world.listing();
    let giant = "x".repeat(130_000);
    for arguments in [
        vec![giant.as_str()],
        vec!["--json", "check", "secrets", &giant],
        vec!["--home", &giant, "config", "show"],
        vec!["config", "show", "--lang", &giant],
    ] {
        let ran = world.provost().args(&arguments).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.stderr());
        assert!(ran.stderr().contains("xxx"), "{}", ran.stderr());
        assert!(ran.stderr().len() < 4_000, "{}", ran.stderr().len());
    }
    assert_eq!(world.listing(), before);
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let world = World::new();
    for (arguments, expected) in [
        (["config", "schema"].as_slice(), 0),
        (&["completions", "bash"], 0),
        (&["--json", "--home", "/dev/null", "config", "show"], 2),
        (&["check", "secrets", "none"], 2),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = world.provost().args(arguments).stdout(writer).run();
        assert_eq!(ran.exit(), Some(expected), "{arguments:?} {}", ran.stderr());
        assert!(!ran.stderr().contains("panicked"), "{}", ran.stderr());
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let world = World::new();
    let full = File::options();
    #[expect(clippy::disallowed_methods, reason = "the device that is always full")]
    let full = full.clone().write(true).open("/dev/full").unwrap();
    provost_snapshot!(world.provost().args(["config", "schema"]).stdout(full), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot write to standard output
    cause: No space left on device (os error 28)
    ");
}

#[test]
fn every_command_has_a_manual_page() {
    let world = World::new();
    world.folder("man");
    let folder = world.path("man");
    let at = folder.to_str().unwrap();
    for (lang, about) in [("en", "what is verified"), ("zh", "验证")] {
        let ran = world.provost().args(["--lang", lang, "man", at]).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        let page = std::fs::read_to_string(folder.join("provost-show.1")).unwrap();
        assert!(page.contains(about), "{page}");
        assert!(folder.join("provost-guard-install.1").exists());
    }
    let ran = world.provost().args(["man", "nowhere"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert!(
        ran.stderr().contains("hint: create the folder first: `mkdir -p nowhere`"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn each_shell_gets_a_script_that_knows_the_commands() {
    // A configuration that nobody could read shows that completions do not read it.
    let world = World::new().with("repo/provost.toml", "this is not TOML");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = world.provost().args(["completions", shell]).run();
        assert_eq!(ran.exit(), Some(0), "{shell}");
        assert!(ran.stdout().contains("doctor") && ran.stdout().contains("secrets"), "{shell}");
        assert_eq!(ran.stderr(), "", "{shell}");
    }
    provost_snapshot!(world.provost().args(["completions", "tcsh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}
