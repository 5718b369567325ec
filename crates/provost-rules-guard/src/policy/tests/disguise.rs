//! What is denied stays denied in every disguise, and nothing makes the policy panic.

use proptest::prelude::*;

use super::*;

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The end of a here-document that is not the end of another one.
fn mark(text: &str) -> String {
    format!("END_{}", text.len())
}

/// Ways to run a command that do not look like it.
const DISGUISES: [fn(&str) -> String; 24] = [
    |it| format!("bash -c {}", quote(it)),
    |it| format!("/bin/sh -ec {}", quote(it)),
    |it| format!("env LANG=C bash -lc {}", quote(it)),
    |it| format!("nohup timeout -k 5 60 sh -c {} >/dev/null 2>&1 &", quote(it)),
    |it| format!("time nice -n 5 bash -c {}", quote(it)),
    |it| format!("eval {}", quote(it)),
    // A name of its own: `X='cat ${X}.env'` would read another file than `cat ${X}.env`.
    |it| format!("DISGUISED={}; eval \"$DISGUISED\"", quote(it)),
    |it| format!("(\n{it}\n)"),
    |it| format!("{{\n{it}\n}}"),
    |it| format!("echo \"$(\n{it}\n)\""),
    |it| format!("if true; then\n{it}\nfi"),
    |it| format!("for i in 1 2; do\n{it}\ndone"),
    |it| format!("while sleep 1; do\n{it}\ndone"),
    |it| format!("run() {{\n{it}\n}}; run"),
    |it| format!("bash <<'{0}'\n{it}\n{0}", mark(it)),
    |it| format!("bash <<< {}", quote(it)),
    |it| format!("printf '%s' {} | sh", quote(it)),
    |it| format!("find . -maxdepth 0 -exec sh -c {} \\;", quote(it)),
    |it| format!("echo x | xargs -I@@ bash -c {}", quote(it)),
    |it| format!("ssh build {}", quote(it)),
    |it| format!("trap {} EXIT", quote(it)),
    |it| format!("git commit -m \"$(cat <<'E1'\nfix\nE1\n)\"\n{it}"),
    |it| format!("echo {} | base64 -d | sh", quote(it)),
    |it| format!("cat > run.sh <<'{0}'\n{it}\n{0}\nbash run.sh", mark(it)),
];

/// Whether the disguise turns the command into another one. `kill 0` in a trap is how a script ends
/// its own children, and the fixture allows it.
fn is_another(command: &str, disguise: fn(&str) -> String) -> bool {
    command == "kill 0" && disguise(command).starts_with("trap")
}

/// Harmless company.
const NEIGHBOURS: [fn(&str) -> String; 8] = [
    |it| format!("ls; {it}"),
    |it| format!("cargo build && {it}"),
    |it| format!("false || {it}"),
    |it| format!("echo 你好 | {it}"),
    |it| format!("sleep 1 & {it}"),
    |it| format!("git status\n{it}"),
    |it| format!("{it}\nls -la"),
    |it| format!("cat <<E0\ntext\nE0\n{it}"),
];

fn denied() -> Vec<String> {
    cases().into_iter().filter(|it| it.effect == Effect::Deny).map(|it| it.command).collect()
}

#[track_caller]
fn check(command: &str) -> Effect {
    rule(&Policy::default(), &shell(command)).effect
}

#[test]
fn a_denied_command_stays_denied_in_each_disguise() {
    let denied = denied();
    let mut wrong = Vec::new();
    for (at, command) in denied.iter().enumerate() {
        // Each command in some of them, each of them on some commands; the rest is left to chance.
        let all = DISGUISES.iter().chain(&NEIGHBOURS).enumerate();
        for (number, disguise) in all.filter(|(number, _)| (number + at) % 8 == 0) {
            if is_another(command, *disguise) {
                continue;
            }
            if check(&disguise(command)) != Effect::Deny {
                wrong.push(format!("{at}/{number}: {}", disguise(command)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_denied_command_stays_denied_under_several_disguises(
        at in any::<prop::sample::Index>(),
        layers in prop::collection::vec(0..DISGUISES.len() + NEIGHBOURS.len(), 2..4),
    ) {
        let denied = denied();
        let first = at.get(&denied);
        let mut command = first.clone();
        for layer in layers {
            let disguise = *DISGUISES.iter().chain(&NEIGHBOURS).nth(layer).unwrap();
            prop_assume!(!is_another(first, disguise));
            command = disguise(&command);
        }
        prop_assert_eq!(check(&command), Effect::Deny, "{}", command);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}", tool in "\\PC{0,12}") {
        let _ = rule(&Policy::default(), &shell(&text));
        let _ = rule(&Policy::default(), &call(&tool, json!({ "path": text, "command": text })));
    }

    #[test]
    fn no_mixture_of_shell_makes_it_panic(
        parts in prop::collection::vec(prop::sample::select(vec![
            "rm", "-rf", "/", "~", "$X", "$(", ")", "`", "'", "\"", ";", "&&", "|", "<<E", "\n",
            "E", ">", "<", "{", "}", "*", "git", "push", "-f", "find", "-exec", "xargs", "\\",
            "eval", "bash", "-c", "cd", "..", "printf", "\\x7", "é", "-", "--", "=", "python3",
            "curl", "base64", "-d", "psql", "/*", "--delete", "fd", ":::", "parallel",
        ]), 0..20),
    ) {
        let text = parts.join(" ");
        let first = rule(&Policy::default(), &shell(&text));
        prop_assert_eq!(first, rule(&Policy::default(), &shell(&text)));
    }
}
