//! `provost check secrets`: what is found, what is left out, and what could not be checked.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _, path::Path};

use serde_json::json;

use crate::world::World;

const SECRETS: [&str; 2] = ["check", "secrets"];

/// A text with a secret in its second line, put together here so that this file has none.
fn leak() -> String {
    ["[default]\naws_access_key_id = AK", "IA", "7XQ2MPL4KD5WZR3B", "\nregion = x\n"].concat()
}

#[test]
fn a_clean_folder_passes() {
    let world = World::new().with("repo/src/main.rs", "fn main() {}\n");
    provost_snapshot!(world.provost().args(SECRETS), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    files checked: 1, secrets found: 0
    ");
    provost_snapshot!(world.provost().args(SECRETS).args(["--json", "--quiet"]), @r#"
    exit: 0
    ----- stdout -----
    {
      "checked": 1,
      "findings": [],
      "unchecked": []
    }
    ----- stderr -----
    "#);
    provost_snapshot!(world.provost().args(SECRETS).args(["src", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    已检查 1 个文件，发现 0 处机密
    ");
}

#[test]
fn a_secret_is_named_by_its_place_and_kind_and_never_shown() {
    let world = World::new().with("repo/b/.hidden", &leak()).with("repo/a.txt", &leak());
    provost_snapshot!(world.provost().args(SECRETS), @r"
    exit: 1
    ----- stdout -----
    a.txt:2 aws-access-key-id
    b/.hidden:2 aws-access-key-id
    ----- stderr -----
    files checked: 2, secrets found: 2
    hint: revoke a secret that left this machine; removing it from the file is not enough
    ");
    provost_snapshot!(world.provost().args(SECRETS).args(["--json", "b"]), @r#"
    exit: 1
    ----- stdout -----
    {
      "checked": 1,
      "findings": [
        {
          "path": "b/.hidden",
          "line": 2,
          "kind": "aws-access-key-id"
        }
      ],
      "unchecked": []
    }
    ----- stderr -----
    files checked: 1, secrets found: 1
    hint: revoke a secret that left this machine; removing it from the file is not enough
    "#);
    provost_snapshot!(world.provost().args(SECRETS).args(["--lang", "zh", "--quiet", "a.txt"]), @r"
    exit: 1
    ----- stdout -----
    a.txt:2 aws-access-key-id
    ----- stderr -----
    ");
    for format in [["--json"].as_slice(), &[]] {
        let ran = world.provost().args(SECRETS).args(format).run();
        assert!(!ran.text().contains("7XQ2MPL4"), "{}", ran.text());
    }
}

#[test]
fn standard_input_is_a_path_too() {
    let world = World::new();
    provost_snapshot!(world.provost().args(SECRETS).args(["-"]).input(leak()), @r"
    exit: 1
    ----- stdout -----
    -:2 aws-access-key-id
    ----- stderr -----
    files checked: 1, secrets found: 1
    hint: revoke a secret that left this machine; removing it from the file is not enough
    ");
    assert_eq!(world.provost().args(SECRETS).args(["-"]).input("x").run().exit(), Some(0));
}

#[test]
fn git_the_home_and_ignored_files_are_left_out_unless_they_are_named() {
    let world = World::new()
        .with("repo/.git/secret", &leak())
        .with("repo/.provost/secret", &leak())
        .with("repo/built/secret", &leak())
        .with("repo/.gitignore", "built/\n");
    assert_eq!(world.provost().args(SECRETS).run().exit(), Some(0));
    assert_eq!(world.provost().args(SECRETS).args(["../repo"]).run().exit(), Some(0));
    for path in ["built", "built/secret", ".provost", ".git/secret"] {
        let ran = world.provost().args(SECRETS).args([path]).run();
        assert_eq!(ran.exit(), Some(1), "{path}: {}", ran.text());
    }
    // Only the home of this run is left out, not every folder of that name.
    let ran = world.provost().args(SECRETS).args(["--home", "../other"]).run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
}

/// What lies outside the project, or is not its `.gitignore`, may not hide a file.
#[test]
fn nothing_else_can_hide_a_file() {
    let world = World::new()
        .with("repo/secret", &leak())
        .with("repo/.ignore", "*\n")
        .with("repo/.git/info/exclude", "*\n")
        .with("home/.config/git/ignore", "*\n");
    assert_eq!(world.provost().args(SECRETS).run().exit(), Some(1));
}

#[test]
fn links_are_not_followed_unless_they_are_named() {
    let world = World::new().with("secret", &leak()).with("outside/secret", &leak());
    for (target, link) in
        [("../secret", "repo/file"), ("../outside", "repo/folder"), (".", "repo/loop")]
    {
        std::os::unix::fs::symlink(target, world.path(link)).unwrap();
    }
    assert_eq!(world.provost().args(SECRETS).run().exit(), Some(0));
    assert_eq!(world.provost().args(SECRETS).args(["file"]).run().exit(), Some(1));
    assert_eq!(world.provost().args(SECRETS).args(["folder"]).run().exit(), Some(1));
}

/// What cannot be checked is named, the rest is checked, and the answer is never "clean".
#[test]
fn what_could_not_be_checked_is_said() {
    let world = World::new().with("repo/a", &leak());
    provost_snapshot!(world.provost().args(SECRETS).args(["none", "a", ""]), @r"
    exit: 2
    ----- stdout -----
    a:2 aws-access-key-id
    ----- stderr -----
    error: cannot read `none`
    cause: No such file or directory (os error 2)
    error: an empty path names no file
    hint: name a file or a folder
    files checked: 1, secrets found: 1, paths not checked: 2
    hint: revoke a secret that left this machine; removing it from the file is not enough
    ");
    provost_snapshot!(world.provost().args(SECRETS).args(["none", "--json", "--lang", "zh"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "checked": 0,
      "findings": [],
      "unchecked": [
        {
          "path": "none",
          "reason": "无法读取 `none`: No such file or directory (os error 2)"
        }
      ]
    }
    ----- stderr -----
    错误：无法读取 `none`
    原因：No such file or directory (os error 2)
    已检查 0 个文件，发现 0 处机密，1 个路径未检查
    "#);
    #[cfg(target_os = "linux")]
    provost_snapshot!(world.provost().args(SECRETS).args(["/proc/self/mem"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `/proc/self/mem`
    cause: Input/output error (os error 5)
    files checked: 0, secrets found: 0, paths not checked: 1
    ");
    provost_snapshot!(world.provost().args(SECRETS).args(["/dev/zero"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `/dev/zero` is not a regular file and was not checked
    hint: send what it carries to `provost check secrets -`
    files checked: 0, secrets found: 0, paths not checked: 1
    ");
}

#[test]
fn a_giant_file_is_not_counted_as_clean() {
    let world = World::new().with("repo/giant", "");
    #[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
    let giant = std::fs::OpenOptions::new().write(true).open(world.path("repo/giant")).unwrap();
    giant.set_len(64 * 1024 * 1024 + 1).unwrap();
    provost_snapshot!(world.provost().args(SECRETS), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `giant` has more than 64 MiB and was not checked
    hint: split it, or send a part of it to `provost check secrets -`
    files checked: 0, secrets found: 0, paths not checked: 1
    ");
}

/// A pipe has no writer here: a command that opened one would wait for ever.
#[test]
fn pipes_are_never_read() {
    let world = World::new().with("repo/a", "").with("repo/deep/a", &leak());
    let pipe = |path: &str| {
        assert!(world.program("mkfifo").arg(world.path(path)).status().unwrap().success());
    };
    pipe("repo/pipe");
    provost_snapshot!(world.provost().args(SECRETS).args(["a", "pipe"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `pipe` is not a regular file and was not checked
    hint: send what it carries to `provost check secrets -`
    files checked: 1, secrets found: 0, paths not checked: 1
    ");
    let ran = world.provost().args(SECRETS).run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stderr().starts_with("`pipe` is not a regular file: skipped\n"), "{}", ran.text());
    pipe("repo/deep/.gitignore");
    provost_snapshot!(world.provost().args(SECRETS).args(["--quiet"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `deep/.gitignore` is not a regular file, so its folder was not checked
    hint: remove it
    ");
    provost_snapshot!(world.provost().args(SECRETS).args(["deep"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/deep/.gitignore` is not a regular file, so its folder was not checked
    hint: remove it
    files checked: 0, secrets found: 0, paths not checked: 1
    ");
}

#[test]
fn a_name_cannot_forge_a_line() {
    let world = World::new();
    world.write("repo/a\nb.txt:1 nothing", leak());
    world.write(Path::new("repo").join(OsStr::from_bytes(b"c\xff\x1b[2J")), leak());
    provost_snapshot!(world.provost().args(SECRETS), @r"
    exit: 1
    ----- stdout -----
    a\nb.txt:1 nothing:2 aws-access-key-id
    c\xff\u{1b}[2J:2 aws-access-key-id
    ----- stderr -----
    files checked: 2, secrets found: 2
    hint: revoke a secret that left this machine; removing it from the file is not enough
    ");
    let ran = world.provost().args(SECRETS).args(["--json"]).run();
    assert_eq!(ran.json()["findings"][0]["path"], json!("a\nb.txt:1 nothing"));
    assert_eq!(ran.json()["findings"][1]["path"], json!("c\\xff\u{1b}[2J"));
}

#[test]
fn a_rule_of_gitignore_that_makes_no_sense_hides_nothing() {
    let world = World::new().with("repo/.gitignore", "[\n").with("repo/sub/secret", &leak());
    assert_eq!(world.provost().args(SECRETS).run().exit(), Some(1));
    assert_eq!(world.provost().args(SECRETS).args(["sub"]).run().exit(), Some(1));
}

#[test]
fn a_reader_that_goes_away_does_not_change_the_verdict() {
    let world = World::new().with("repo/a", &leak());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(world.provost().args(SECRETS).stdout(writer).run().exit(), Some(1));
}

#[test]
fn nothing_is_written() {
    let world = World::new().with("repo/a", &leak()).with("repo/.provost/format", "");
    let before = world.listing();
    for path in [".", "none", "../repo", "a"] {
        world.provost().args(SECRETS).args([path]).run();
    }
    assert_eq!(world.listing(), before);
}

/// A file that was committed before a rule ignored it, or in spite of one, is still committed.
#[test]
fn a_tracked_file_is_checked_even_when_it_is_ignored() {
    let world = World::new()
        .with("repo/.gitignore", "*.env\nbuilt/\n")
        .with("repo/sub/local.env", &leak())
        .with("repo/built/untracked", &leak())
        .with("repo/clean.rs", "fn main() {}\n");
    assert_eq!(world.provost().args(SECRETS).run().exit(), Some(0), "ignored and untracked");
    let add = ["add", "--force", "sub/local.env", "clean.rs"];
    assert!(world.program("git").args(add).status().unwrap().success());
    provost_snapshot!(world.provost().args(SECRETS), @r"
    exit: 1
    ----- stdout -----
    sub/local.env:2 aws-access-key-id
    ----- stderr -----
    files checked: 3, secrets found: 1
    hint: revoke a secret that left this machine; removing it from the file is not enough
    ");
    provost_snapshot!(world.provost().args(SECRETS).args(["."]).inside("repo/sub"), @r"
    exit: 1
    ----- stdout -----
    local.env:2 aws-access-key-id
    ----- stderr -----
    files checked: 1, secrets found: 1
    hint: revoke a secret that left this machine; removing it from the file is not enough
    ");
}

/// Without git nobody knows which of the ignored files are committed.
#[test]
fn without_git_a_repository_is_not_called_clean() {
    let world = World::new().with("repo/a", "");
    let empty = world.path("home").into_os_string();
    provost_snapshot!(world.provost().args(SECRETS).variable("PATH", &empty), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot find out which files git tracks in `.`
    cause: git was not found in `PATH`
    hint: see that `git ls-files` works there, or name the files one by one
    files checked: 1, secrets found: 0, paths not checked: 1
    ");
    let ran = world.provost().args(SECRETS).args(["a"]).variable("PATH", &empty).run();
    assert_eq!(ran.exit(), Some(0), "a file that is named needs no git: {}", ran.text());
    let ran = world.provost().args(SECRETS).inside("home").variable("PATH", &empty).run();
    assert_eq!(ran.exit(), Some(0), "outside of a repository there is nothing to ask");
}
