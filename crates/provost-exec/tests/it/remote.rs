//! Commands for another machine, with a stand-in for `ssh` that treats its last argument as a real
//! one does: it hands it to the far side's login shell.

use std::{fs, os::unix::fs::PermissionsExt as _};

use provost_exec::{ExecError, remote::Remote};
use provost_kernel::{Finding, Severity};

use crate::world::World;

fn refuse_sudo(argv: &[String]) -> Result<(), Finding> {
    if !argv.iter().any(|it| it.contains("sudo")) {
        return Ok(());
    }
    Err(Finding {
        rule: "command.sudo".into(),
        severity: Severity::P0,
        subject: argv.join(" "),
        message: "sudo is refused".into(),
        hint: None,
    })
}

/// LOOP-A2: whatever is in a command, the far side's shell receives exactly that.
#[test]
fn the_far_side_receives_exactly_the_command() {
    let world = World::new();
    world.write("bin/ssh", "#!/bin/sh\nprintf '%s\\n' \"$@\" > ssh-arguments\nfor last; do :; done\nexec sh -c \"$last\"\n");
    // The shell of the far side: it writes down the text it was given.
    world.write(
        "bin/zsh",
        "#!/bin/sh\n[ \"$1\" = -lc ] && [ $# = 2 ] && printf %s \"$2\" > received\n",
    );
    for name in ["ssh", "zsh"] {
        let path = world.path.join("bin").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let remote = Remote::parse("builder", &["builder".to_owned()], "zsh -lc").unwrap();
    for command in [
        "true",
        "echo 'a' \"b\" `c` $(touch canary) ${HOME}",
        "a\nb\n\n# c\n",
        "中文 'и' \"ü\" \u{1f980}",
        "'",
        "'\\''",
        "\\",
        "!history ~ * ? [x] {a,b} | & ; < > ( ) #",
        "-x --",
        " leading and trailing ",
        "tab\there\r",
        "",
        "; touch canary #",
        "^caret",
    ] {
        let argv = remote.argv(command, &refuse_sudo).unwrap();
        let mut job = world.job(&argv.iter().map(String::as_str).collect::<Vec<_>>());
        job.env.insert("PATH".to_owned(), format!("{}:/usr/bin:/bin", world.at("bin")));
        let left = world.run(&job);
        assert_eq!(left.outcome.rc, 0, "{command:?} {}", left.stderr);
        assert_eq!(world.text("received"), command);
        assert!(
            world.text("ssh-arguments").starts_with("-T\n-o\nBatchMode=yes\n--\nbuilder\nzsh -lc ")
        );
        assert!(!world.path.join("canary").exists(), "{command:?}");
    }
}

/// LOOP-A3: the rules see the command that is inside.
#[test]
fn a_remote_command_obeys_the_command_rules() {
    let remote = Remote::parse("builder", &["builder".to_owned()], "zsh -lc").unwrap();
    let error = remote.argv("echo x && sudo reboot", &refuse_sudo).unwrap_err();
    assert!(matches!(error, ExecError::Refused(_)), "{error:?}");
    assert!(remote.argv("echo x\0", &refuse_sudo).is_err());
}
