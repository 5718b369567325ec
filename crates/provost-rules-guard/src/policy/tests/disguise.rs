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

fn commands(effect: Effect) -> Vec<String> {
    cases().into_iter().filter(|it| it.effect == effect).map(|it| it.command).collect()
}

#[track_caller]
fn check(command: &str) -> Effect {
    rule(&Policy::default(), &shell(command)).effect
}

#[test]
fn a_denied_command_stays_denied_in_each_disguise() {
    let (denied, allowed) = (commands(Effect::Deny), commands(Effect::Allow));
    let mut wrong = Vec::new();
    for (at, command) in denied.iter().enumerate() {
        // Each command in some of them, each of them on some commands; the rest is left to chance.
        let all = DISGUISES.iter().chain(&NEIGHBOURS).enumerate();
        for (number, disguise) in all.filter(|(number, _)| (number + at) % 8 == 0) {
            let disguised = disguise(command);
            // `trap 'kill 0' EXIT` is how scripts end their own children.
            if check(&disguised) != Effect::Deny && !allowed.contains(&disguised) {
                wrong.push(format!("{at}/{number}: {disguised}"));
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
        let allowed = commands(Effect::Allow);
        let mut command = at.get(&commands(Effect::Deny)).clone();
        for layer in layers {
            let all = DISGUISES.iter().chain(&NEIGHBOURS);
            command = all.skip(layer).map(|it| it(&command)).next().unwrap();
            prop_assume!(!allowed.contains(&command));
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
