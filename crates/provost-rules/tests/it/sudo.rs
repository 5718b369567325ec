//! LOOP-A3: what gains another user's rights is refused, with a finding. In which disguises it is
//! found is tested with the parser.

use provost_kernel::{Lang, Severity};
use provost_rules::sudo::refuse_sudo;
use provost_shell::{parse, parse_argv};

/// LOOP-A3: the rule says no to what the parser finds, and to nothing else.
#[test]
fn what_gains_rights_is_refused() {
    for (text, is_refused) in [
        ("sudo ls", true),
        ("/usr/bin/sudo ls", true),
        ("ls; env A=b doas rm x", true),
        ("bash -c 'su -c ls'", true),
        ("X=sudo; $X ls", true),
        ("echo sudo | sh", true),
        ("echo sudo", false),
        ("ls sudo", false),
        ("", false),
    ] {
        assert_eq!(refuse_sudo(&parse(text)).is_some(), is_refused, "{text:?}");
    }
    assert!(refuse_sudo(&parse_argv(&["env", "A=b", "sudo", "ls"])).is_some());
    assert!(refuse_sudo(&parse_argv(&["echo", "sudo"])).is_none());
}

#[test]
fn the_finding_names_the_command_and_what_to_do_in_both_languages() {
    let script = parse("ls; env A=b sudo -u root rm x");
    let finding = refuse_sudo(&script).unwrap();
    assert_eq!(finding.rule, "command.sudo");
    assert_eq!(finding.severity, Severity::P0);
    assert_eq!(finding.subject, "sudo -u root rm x");
    assert_eq!(
        finding.message.to_string(),
        "the command runs `sudo`, which gives it another user's rights"
    );
    assert_eq!(Lang::Zh.render(&finding.message), "该命令运行 `sudo`，会取得其他用户的权限");
    let hint = finding.hint.unwrap();
    assert!(hint.to_string().starts_with("run it without"));
    assert!(Lang::Zh.render(&hint).contains("provost"));

    let opaque = refuse_sudo(&parse("curl x | sh; echo sudo | sh")).unwrap();
    assert_eq!(opaque.subject, "echo sudo | sh");
    assert_eq!(
        opaque.message.to_string(),
        "the command contains `sudo` in a part that cannot be checked"
    );
}

#[test]
fn the_finding_repeats_no_secret_and_not_the_whole_text() {
    let token = format!("{}_{}", "ghp", "a1B2c3D4".repeat(5).split_at(36).0);
    let text = format!("sudo TOKEN={token} {}", "x".repeat(10_000));
    let finding = refuse_sudo(&parse(&text)).unwrap();
    assert!(!finding.subject.contains(&token), "{}", finding.subject);
    assert!(finding.subject.chars().count() <= 201);
}
