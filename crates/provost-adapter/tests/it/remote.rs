//! A program of another user, through an SSH alias.

use std::{fs, os::unix::fs::PermissionsExt as _};

use provost_adapter::{AdapterError, Keys, command::CommandAdapter};
use provost_exec::{ExecError, remote::Remote};
use provost_kernel::{Finding, Severity};

use crate::{
    command::CODER,
    world::{World, coder},
};

/// A world whose `ssh` notes its arguments and runs the command here, as a login shell would.
fn world() -> World {
    let mut world = World::new();
    let noted = world.at("ssh-arguments");
    world.write(
        "bin/ssh",
        &format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {noted}\neval \"last=\\${{$#}}\"\ncd /\nexec sh -c \"$last\"\n"),
    );
    world.write("bin/zsh", "#!/bin/sh\n[ \"$1\" = -lc ] && exec sh -c \"$2\"\n");
    for name in ["ssh", "zsh"] {
        let path = world.path.join("bin").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", world.at("bin"));
    world.env.insert("PATH".to_owned(), path);
    world
}

fn remote() -> Remote {
    Remote::parse("builder", &["builder".to_owned()], "zsh -lc").unwrap()
}

/// LOOP-A2.
#[test]
fn a_remote_program_speaks_the_same_protocol() {
    let world = world();
    let script = format!(
        r#"pwd > where; printf '%s\n' "$@" > arguments; env > environment; \
        printf '{CODER},"text":"from there"}}' > "$PROVOST_REPLY""#
    );
    let argv = ["sh", "-c", &script, "name", "two words", "it's $(touch canary)", "-x", "中文"];
    let keys = Keys::of(["MY_KEY"], &[("MY_KEY".to_owned(), "hush".to_owned())].into());
    let adapter =
        CommandAdapter::new("far", argv.map(str::to_owned).to_vec()).with_keys(keys).at(remote());
    let called = world.call(&adapter, &coder()).unwrap();
    let Ok(reply) = &called.outcome else {
        panic!("{:?} {}", called.outcome, world.text("logs/stderr.log"))
    };
    assert_eq!(reply.text, "from there");
    assert_eq!(world.text("tree/where").trim(), world.at("tree"));
    assert_eq!(world.text("tree/arguments"), "two words\nit's $(touch canary)\n-x\n中文\n");
    assert!(!world.has("tree/canary"));
    let arguments = world.text("ssh-arguments");
    assert!(arguments.starts_with("-T\n-o\nBatchMode=yes\n--\nbuilder\nzsh -lc "), "{arguments}");
    // A key on a command line could be read by everybody.
    assert!(!arguments.contains("hush") && !world.text("tree/environment").contains("hush"));
    assert!(called.log.to_string().contains("\nremote=builder\n"), "{}", called.log);
}

/// LOOP-A3: the rules see the command that runs on the far side.
#[test]
fn the_rules_see_the_remote_command() {
    let world = world();
    let refuse = |argv: &[String]| {
        if !argv.iter().any(|it| it.contains("sudo")) {
            return Ok(());
        }
        Err(Finding {
            rule: "command.sudo".into(),
            severity: Severity::P0,
            subject: "sudo".to_owned(),
            message: "no".into(),
            hint: None,
        })
    };
    let argv = ["sudo", "reboot"].map(str::to_owned).to_vec();
    let adapter = CommandAdapter::new("far", argv).at(remote());
    let error = world.call_checked(&adapter, &coder(), &refuse).unwrap_err();
    assert!(
        matches!(&error, AdapterError::Exec { source: ExecError::Refused(_), .. }),
        "{error:?}"
    );
    assert!(!world.has("ssh-arguments"));
}
