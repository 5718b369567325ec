//! `provost doctor`, and the identity guard that stands before every command that writes.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::world::{Ran, World};

/// What the system itself says, asked through other programs than provost.
fn answer(world: &World, program: &str, argument: &str) -> String {
    let output = world.program(program).arg(argument).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// The state and the words of one check.
fn check(ran: &Ran, name: &str) -> (String, String) {
    let document = ran.json();
    let checks = document["checks"].as_array().unwrap();
    let found = checks.iter().find(|it| it["name"] == name).unwrap();
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    (text("state"), text("what"))
}

/// LOOP-A1: the wrong user or the wrong machine stops a command that writes, before it writes.
#[test]
fn the_wrong_identity_stops_before_anything_is_written() {
    let world = World::new().with(
        "repo/provost.toml",
        "[identity]\nuser = \"nobody-we-know\"\nhost = \"no-machine-of-ours\"\n",
    );
    let before = world.listing();
    let ran = world.provost().args(["doctor", "--fix"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert_eq!(ran.stdout(), "");
    let (user, host) = (answer(&world, "id", "-un"), answer(&world, "uname", "-n"));
    let expected = format!(
        "error: provost may not run here; expected user `nobody-we-know`, actual `{user}`; \
         expected host `no-machine-of-ours`, actual `{host}`\n\
         hint: `provost config show --origin` says where `identity` is set\n"
    );
    assert_eq!(ran.stderr(), expected);
    assert_eq!(world.listing(), before, "nothing was written");

    let ran = world.provost().args(["doctor", "--fix", "--lang", "zh", "--json"]).run();
    assert_eq!(ran.exit(), Some(2));
    assert_eq!(ran.json()["error"]["exit"], 2);
    assert!(ran.stderr().starts_with("错误：provost 不能在此运行；用户应为"), "{}", ran.stderr());
    assert_eq!(world.listing(), before, "nothing was written");
}

/// LOOP-A1: the names come from the system; what a variable says about them is not believed.
#[test]
fn the_environment_cannot_pretend_to_be_somebody_else() {
    let world = World::new().with("repo/provost.toml", "identity.user = \"nobody-we-know\"\n");
    let mut provost = world.provost();
    for name in ["USER", "LOGNAME", "USERNAME", "SUDO_USER", "HOSTNAME"] {
        provost = provost.variable(name, "nobody-we-know");
    }
    assert_eq!(provost.args(["doctor", "--fix"]).run().exit(), Some(2));
}

/// LOOP-A1: what `doctor` says about the identity, in every case.
#[test]
fn doctor_says_whether_the_identity_is_enforced() {
    let world = World::new();
    let (user, host) = (answer(&world, "id", "-un"), answer(&world, "uname", "-n"));
    let state = |text: &str| {
        world.write("repo/provost.toml", text);
        check(&world.provost().args(["doctor", "--json"]).run(), "identity")
    };
    let (not_enforced, what) = state("");
    assert_eq!(not_enforced, "not_enforced");
    assert_eq!(what, "any user may run provost, on any machine");
    let (ok, what) = state(&format!("identity.user = {user:?}\nidentity.host = {host:?}\n"));
    assert_eq!((ok.as_str(), what.as_str()), ("ok", "user and host are the configured ones"));
    assert_eq!(state(&format!("identity.user = {user:?}\n")).0, "ok");
    assert_eq!(state(&format!("identity.host = {:?}\n", host.to_uppercase())).0, "ok");
    assert_eq!(state("identity.host = \"no-machine-of-ours\"\n").0, "fail");
}

#[test]
fn a_broken_configuration_is_a_finding_and_not_the_end() {
    let world = World::new().with("repo/provost.toml", "x = 1\n");
    let before = world.listing();
    let ran = world.provost().args(["doctor", "--json"]).run();
    assert_eq!(ran.exit(), Some(1));
    assert_eq!(ran.json()["passed"], false);
    let (state, what) = check(&ran, "configuration");
    assert_eq!(state, "fail");
    assert!(what.starts_with("unknown key `x`"), "{what}");
    assert_eq!(check(&ran, "identity").0, "warn", "what was not checked is not shown as good");
    assert_eq!(world.listing(), before, "looking writes nothing");
}

/// What nobody reads must not look as if it held: the file of a project counts in a repository.
#[test]
fn a_configuration_that_is_not_read_is_said() {
    let world = World::new();
    let look = |folder: &str| {
        let ran = world.provost().inside(folder).args(["doctor", "--json"]).run();
        check(&ran, "configuration")
    };
    world.folder("plain/.provost");
    assert_eq!(look("plain").0, "ok");
    world.write("plain/provost.toml", "lang = \"zh\"\n");
    let (state, what) = look("plain");
    assert_eq!(state, "warn");
    let path = world.path("plain/provost.toml");
    let expected = "is not read: it is not in a git repository";
    assert_eq!(what, format!("`{}` {expected}", path.display()));
    world.folder("repo/.provost");
    world.write("repo/provost.toml", "lang = \"en\"\n");
    assert_eq!(look("repo").0, "ok");
}

#[test]
fn the_home_is_looked_at() {
    let world = World::new();
    let doctor = || world.provost().args(["doctor", "--json"]);
    assert_eq!(check(&doctor().run(), "home").0, "warn", "not there yet");
    assert_eq!(check(&doctor().inside("home").run(), "home").0, "warn", "nowhere to be");

    world.folder("repo/.provost");
    assert_eq!(check(&doctor().run(), "home").0, "warn", "a folder that nobody prepared");
    world.write("repo/.provost/format", "{\"schema\": \"provost.home/1\"}");
    let mode = |mode: u32| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(world.path("repo/.provost"), permissions).unwrap();
        let ran = doctor().run();
        (check(&ran, "home").0, check(&ran, "permissions").0)
    };
    assert_eq!(mode(0o700), ("ok".to_owned(), "ok".to_owned()));
    assert_eq!(mode(0o755), ("ok".to_owned(), "fail".to_owned()));
    assert_eq!(mode(0o701), ("ok".to_owned(), "fail".to_owned()));

    world.write("file", "");
    let ran = doctor().args(["--home", "../file"]).run();
    assert_eq!((ran.exit(), check(&ran, "home").0), (Some(1), "fail".to_owned()));
}

#[test]
fn fix_creates_the_home_and_makes_it_private() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["doctor", "--fix"]), @"
    exit: 0
    ----- stdout -----
    ok            platform       [PLATFORM]
    ok            git            [VERSION]
    ok            configuration  built-in values only, no file
    not enforced  identity       any user may run provost, on any machine
                                 hint: set `identity.user` and `identity.host` in `provost.toml`
    ok            home           `[WORLD]/repo/.provost`, found from the current folder upward
    ok            permissions    `[WORLD]/repo/.provost` 0700
    ok            ignored        git ignores `[WORLD]/repo/.provost` and tracks nothing in it
    ok            locks          file locks work in `[WORLD]/repo/.provost`
    [SANDBOX]
    not enforced  guard          not installed in any client
                                 hint: `provost guard install --client claude`
    [AGENTS]
    ok            judge          the tests decide; no model is asked
    ----- stderr -----
    prepared `[WORLD]/repo/.provost`
    checks: 12, failed: 0, warnings: [N]
    ");
    let home = world.path("repo/.provost");
    assert_eq!(fs::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_to_string(home.join(".gitignore")).unwrap(), "*\n");
    let status = world.program("git").args(["status", "--porcelain"]).output().unwrap();
    assert_eq!(String::from_utf8(status.stdout).unwrap(), "", "git does not see the home");

    let before = world.listing();
    let ran = world.provost().args(["doctor", "--fix", "--lang", "zh"]).run();
    assert_eq!(world.listing(), before, "the second time there is nothing to do");
    assert!(!ran.stderr().contains("已准备好"), "{}", ran.stderr());

    fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(world.provost().args(["doctor"]).run().exit(), Some(1));
    let ran = world.provost().args(["doctor", "--fix"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("private to its owner"), "{}", ran.stderr());
    assert_eq!(fs::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
}

/// The home alone does not say who may read the tasks in it.
#[test]
fn the_folders_of_tasks_are_looked_at_and_made_private() {
    let world = World::new();
    assert_eq!(world.provost().args(["doctor", "--fix"]).run().exit(), Some(0));
    let folders = ["out", "out/_audit", "out/_index", "out/t1", "out/t2"]
        .map(|it| format!("repo/.provost/{it}"));
    let mode =
        |folder: &str| fs::metadata(world.path(folder)).unwrap().permissions().mode() & 0o7777;
    let set = |folder: &str, mode: u32| {
        fs::set_permissions(world.path(folder), fs::Permissions::from_mode(mode)).unwrap();
    };
    for folder in &folders {
        world.folder(folder);
        set(folder, 0o700);
    }
    let doctor = || world.provost().args(["doctor", "--json"]).run();
    let out = world.path("repo/.provost/out").display().to_string();
    let fine = ("ok".to_owned(), format!("private folders in `{out}`: 5, all 0700"));
    assert_eq!(check(&doctor(), "tasks"), fine);

    for folder in &folders {
        set(folder, 0o750);
        let ran = doctor();
        let path = world.path(folder).display().to_string();
        let expected = format!(
            "`{path}` has the mode 0750, expected 0700; folders that are not as they should be: 1"
        );
        assert_eq!((ran.exit(), check(&ran, "tasks")), (Some(1), ("fail".to_owned(), expected)));
        set(folder, 0o700);
    }
    for folder in &folders {
        set(folder, 0o777);
    }
    let ran = world.provost().args(["doctor", "--lang", "zh"]).run();
    assert!(ran.stdout().contains("不符合要求的文件夹共 5 个"), "{}", ran.stdout());
    let ran = world.provost().args(["doctor", "--fix"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("made folders private to their owner: 5"), "{}", ran.stderr());
    assert_eq!(folders.each_ref().map(|it| mode(it)), [0o700; 5]);

    // A link is named and not followed: what it leads to is not touched.
    world.folder("elsewhere");
    set("elsewhere", 0o755);
    let link = world.path("repo/.provost/out/t3");
    std::os::unix::fs::symlink(world.path("elsewhere"), &link).unwrap();
    let ran = world.provost().args(["doctor", "--fix", "--json"]).run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(check(&ran, "tasks").1.contains("t3` is not a folder"), "{}", ran.text());
    assert_eq!(mode("elsewhere"), 0o755);

    // A folder of tasks that a person chose is the person's; the tasks in it are not.
    world.folder("repo/tasks/t1");
    set("repo/tasks", 0o755);
    set("repo/tasks/t1", 0o755);
    let doctor = || world.provost().variable("RDLOOP_OUT_DIR", "tasks");
    let ran = doctor().args(["doctor", "--fix"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!((mode("repo/tasks"), mode("repo/tasks/t1")), (0o755, 0o700));
}

/// A repair that fails is told, is not called done, and is not a success. Nobody can make a folder
/// here, not even root.
#[cfg(target_os = "linux")]
#[test]
fn what_could_not_be_repaired_is_said() {
    let world = World::new();
    let ran = world.provost().args(["--home", "/proc/provost", "doctor", "--fix"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let expected = "error: cannot create the folder `/proc/provost`\n";
    assert!(ran.stderr().starts_with(expected), "{}", ran.stderr());
    assert!(!ran.stderr().contains("prepared"), "{}", ran.stderr());
    assert!(ran.stdout().contains("does not exist yet"), "{}", ran.stdout());
}

/// HOOK-2.6: nothing in the home is committed, and `doctor` asks git whether that holds.
#[test]
fn git_must_ignore_the_home_and_track_nothing_in_it() {
    let world = World::new();
    assert_eq!(world.provost().args(["doctor", "--fix"]).run().exit(), Some(0));
    let doctor = || {
        let ran = world.provost().args(["doctor", "--json"]).run();
        (ran.exit(), check(&ran, "ignored"))
    };
    let (exit, (state, what)) = doctor();
    assert_eq!((exit, state.as_str()), (Some(0), "ok"), "{what}");

    let add = ["add", "--force", ".provost/format"];
    assert!(world.program("git").args(add).status().unwrap().success());
    let (exit, (state, what)) = doctor();
    assert_eq!((exit, state.as_str()), (Some(1), "fail"));
    let home = world.path("repo/.provost");
    let expected = format!("git tracks files of `{}`, such as `.provost/format`", home.display());
    assert_eq!(what, expected);

    let remove = ["rm", "--quiet", "-r", "--cached", ".provost"];
    assert!(world.program("git").args(remove).status().unwrap().success());
    world.write("repo/.provost/.gitignore", "");
    let (exit, (state, what)) = doctor();
    assert_eq!((exit, state.as_str()), (Some(1), "fail"), "{what}");
    assert!(what.starts_with("git does not ignore"), "{what}");
    world.write("repo/.gitignore", ".provost/\n");
    assert_eq!(doctor().1.0, "ok", "the repository ignores it");
}

/// An agent can write the configuration of the repository: none of it runs.
#[test]
fn asking_git_runs_nothing_that_the_repository_configures() {
    let world = World::new();
    assert_eq!(world.provost().args(["doctor", "--fix"]).run().exit(), Some(0));
    let trap = format!("touch {}", world.path("trapped").display());
    for key in ["core.fsmonitor", "core.pager", "alias.ls-files", "diff.external"] {
        let set = world.program("git").args(["config", key, &trap]).status().unwrap();
        assert!(set.success());
    }
    assert_eq!(world.provost().args(["doctor"]).run().exit(), Some(0));
    assert!(!world.path("trapped").exists());
}

#[test]
fn a_machine_without_git_is_told_what_to_install() {
    let world = World::new();
    let empty = world.path("home").into_os_string();
    let ran = world.provost().args(["doctor", "--json"]).variable("PATH", empty).run();
    assert_eq!(ran.exit(), Some(1));
    let (state, what) = check(&ran, "git");
    assert_eq!((state.as_str(), what.as_str()), ("fail", "git was not found in `PATH`"));
}

#[test]
fn an_old_git_is_refused() {
    let world = World::new();
    world.write("bin/git", "#!/bin/sh\necho git version 2.30.9\n");
    let program = world.path("bin/git");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let bin = world.path("bin").into_os_string();
    let ran = world.provost().args(["doctor", "--json"]).variable("PATH", bin).run();
    assert_eq!(check(&ran, "git"), ("fail".to_owned(), "2.30.9 is too old".to_owned()));
}

/// Under `--lang zh` each check has a Chinese name; the document keeps the one that scripts know.
#[test]
fn checks_are_named_in_the_language_of_the_reader() {
    let world = World::new();
    world.provost().args(["doctor", "--fix"]).run();
    let ran = world.provost().args(["doctor", "--lang", "zh"]).run();
    for line in ran.stdout().lines().filter(|it| it.starts_with(['正', '警', '失', '未'])) {
        let name = line.split_whitespace().nth(1).unwrap();
        assert!(name == "git" || !name.is_ascii(), "{line}");
    }
    let zh = world.provost().args(["doctor", "--lang", "zh", "--json"]).run();
    assert_eq!(check(&zh, "platform").0, "ok");
}
