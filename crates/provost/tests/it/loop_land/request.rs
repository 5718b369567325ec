//! `provost land --pr`: a branch of its own, and a request for it.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::ready;
use crate::loop_world::{Loop, paths};

/// Puts a program of this name into the `PATH` of the world, which writes down what it is told.
fn opener(it: &Loop, name: &str) {
    let path = format!("bin/{name}");
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" >>\"$0.told\"\necho https://forge.example/1\n";
    it.world.write(&path, script);
    fs::set_permissions(it.world.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// LAND: `--pr` pushes a branch of its own and opens a request with what was checked; the branch that
/// the task set out from stays where it is.
#[test]
fn a_request_is_opened_for_a_result() {
    let it = ready();
    // Git alone: what else is installed on a machine opens no request here.
    let git = paths().iter().map(|it| it.join("git")).find(|it| it.is_file()).unwrap();
    it.world.folder("bin");
    std::os::unix::fs::symlink(git, it.world.path("bin/git")).unwrap();
    let path = it.world.path("bin");
    let land = |arguments: &[&str]| {
        let all = [&["land", "t1", "--yes", "--pr"], arguments].concat();
        it.provost(&all).variable("PATH", &path).run()
    };
    let main = it.git("rev-parse main");
    let ran = land(&[]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stderr().contains("the repository has no remote"), "{}", ran.text());
    assert_eq!(it.git("branch --list provost/t1"), "");
    let status = it.status("t1");
    assert!(status["landed"].is_null() && status["review"].is_null(), "{status:#}");

    it.git(&format!("clone -q --bare . {}", it.world.path("forge.git").display()));
    it.git(&format!("remote add origin {}", it.world.path("forge.git").display()));
    let ran = land(&[]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let answer = ran.json();
    let command = "gh pr create --base main --head provost/t1";
    assert_eq!(answer["request"]["command"], command, "{answer:#}");
    let pushed = it.git("ls-remote origin refs/heads/provost/t1");
    assert!(pushed.starts_with(it.git("rev-parse provost/t1").trim()), "{pushed}");

    opener(&it, "gh");
    let answer = land(&["--draft"]).json();
    assert_eq!(answer["request"]["said"], "https://forge.example/1", "{answer:#}");
    let told = fs::read_to_string(it.world.path("bin/gh.told")).unwrap();
    for word in [
        "pr\ncreate\n--base=main\n--head=provost/t1\n--title=write 42 into answer.txt\n--body=",
        "Provost-Proof: PROVEN",
        "- tests: verified: ",
        "\n--draft\n",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(it.git("rev-parse main"), main);
}
