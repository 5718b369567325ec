//! LOOP-A3: `sudo` in any form is refused, and a text that only speaks of it is not.

use provost_kernel::{Lang, Severity};
use provost_rules::sudo::refuse_sudo;
use provost_shell::{parse, parse_argv};

use crate::properties::quote;

/// Command lines that would gain another user's rights.
pub(crate) const REFUSED: &[&str] = &[
    // Plain, and under other names.
    "sudo ls",
    "sudo",
    "sudo -u root -E rm -rf /",
    "sudo -i",
    "sudoedit /etc/hosts",
    "doas ls",
    "pkexec ls",
    "run0 ls",
    "su -c ls",
    "su - root",
    "runuser -u root -- ls",
    "SUDO ls",
    "sudo.exe ls",
    "gsudo ls",
    // Paths.
    "/usr/bin/sudo ls",
    "./sudo ls",
    "../../bin/sudo ls",
    "~/bin/sudo ls",
    "$HOME/bin/sudo ls",
    "\"$DIR\"/sudo ls",
    // Quotes, escapes, continuations.
    "\\sudo ls",
    "'sudo' ls",
    "\"sudo\" ls",
    "'su''do' ls",
    "s\\udo ls",
    "su\"\"do ls",
    "su''do ls",
    "$'\\x73udo' ls",
    "$'\\163\\165do' ls",
    "$'\\u0073udo' ls",
    "$'sudo\\0hidden' ls",
    "$\"sudo\" ls",
    "su\\\ndo ls",
    "\\\nsudo ls",
    "=sudo ls",
    // Half known names.
    "s?do ls",
    "/usr/bin/s*o ls",
    "/usr/bin/s[u]do ls",
    "/usr/bin/@(sudo) ls",
    "{sudo,ls}",
    "{,sudo} ls",
    "su{do,} ls",
    "su$(true)do ls",
    "su`true`do ls",
    "su${x}do ls",
    "su$@do ls",
    "su$*do ls",
    "$(which sudo) ls",
    "`which sudo` ls",
    "$(echo sudo) ls",
    "sudo${IFS}ls",
    "sudo$IFS-l",
    // Variables, arrays, arguments.
    "X=sudo; $X ls",
    "X=sudo\n\"$X\" ls",
    "X='sudo ls'; $X",
    "X=su; X+=do; $X ls",
    "A=su; B=do; $A$B ls",
    "A=su; B=${A}do; $B ls",
    "X=; $X sudo ls",
    "$X sudo ls",
    "${x:-sudo} ls",
    "${x:=sudo} ls",
    "${x-sudo} ls",
    "${x:+sudo} ls",
    ": ${x:=sudo}; $x ls",
    "export X=sudo; $X ls",
    "declare X=sudo; $X ls",
    "A=(sudo ls); \"${A[@]}\"",
    "A=(ls sudo); ${A[1]} x",
    "A+=(sudo ls); ${A[*]}",
    "declare -a A=(sudo ls); \"${A[@]}\"",
    "set -- sudo ls; \"$@\"",
    "set -- x sudo ls; shift; \"$@\"",
    "for x in ls sudo; do $x; done",
    "X=ls; for i in 1 2; do $X; X=sudo; done",
    "X=ls; for i in 1 2; do $X; eval X=sudo; done",
    "if true; then X=ls; else X=sudo; fi; $X",
    "if false; then X=ls; fi; $X sudo ls",
    "$X sudo ls; X=ls",
    "if x; then A=b; fi; if y; then B=sudo; fi; $A $B ls",
    "X=$(which sudo); $X ls",
    "X=$(which sudo); Y=$X; \"$Y\" ls",
    "for x in $(echo sudo); do $x ls; done",
    "C=\"$(echo sudo ls)\"; bash -c \"$C\"",
    "read X <<< sudo; $X ls",
    "printf -v X %s sudo; $X ls",
    "n=X; read \"$n\" <<< sudo; $X ls",
    "n=X; declare \"$n=sudo\"; $X ls",
    "echo sudo; $_ ls",
    "export \"X=sudo\"; $X ls",
    "hash -p /usr/bin/sudo x; x ls",
    "f() { set -- sudo ls; \"$@\"; }; f",
    // Lists, pipes, compound commands.
    "ls; sudo ls",
    "ls && sudo ls",
    "ls || sudo ls",
    "ls & sudo ls",
    "ls | sudo tee x",
    "ls |& sudo tee x",
    "ls\nsudo ls",
    "! sudo ls",
    "time sudo ls",
    "time -p sudo ls",
    "(sudo ls)",
    "( (sudo ls) )",
    "((sudo ls))",
    "((true) && sudo ls)",
    "{ sudo ls; }",
    "if sudo true; then ls; fi",
    "if true; then sudo ls; fi",
    "if false; then :; elif sudo ls; then :; fi",
    "if false; then :; else sudo ls; fi",
    "while sudo true; do :; done",
    "until false; do sudo ls; done",
    "for x in a b; do sudo $x; done",
    "for ((i=0;i<3;i++)); do sudo ls; done",
    "for x in $(sudo ls); do :; done",
    "select x in a; do sudo ls; done",
    "case x in x) sudo ls;; esac",
    "case x in (a|b) :;; *) sudo ls;& esac",
    "case $(sudo ls) in x) :;; esac",
    "[[ -f x ]] && sudo ls",
    "[[ $(sudo ls) ]]",
    "coproc sudo ls",
    "f() { sudo ls; }; f",
    "function f { sudo ls; }; f",
    "function f() (sudo ls)",
    "ls() { sudo ls; }; ls",
    "f() { \"$@\"; }; f sudo ls",
    "f() { $1 ls; }; f sudo",
    "f() { shift; \"$@\"; }; f x sudo ls",
    "f() { local c=$1; $c ls; }; f sudo",
    "f() { env \"$@\"; }; f sudo ls",
    "f() { eval \"$1\"; }; f 'sudo ls'",
    "f() { bash -c \"$*\"; }; f sudo ls",
    "a() { b \"$@\"; }; b() { \"$@\"; }; a sudo ls",
    "alias x=sudo; x ls",
    "alias x='env sudo'\nx ls",
    "alias x=y y=sudo; x ls",
    // Substitutions, here-documents, redirections.
    "echo $(sudo ls)",
    "echo \"$(sudo ls)\"",
    "echo `sudo ls`",
    "echo \"`sudo ls`\"",
    "echo `echo \\`sudo ls\\``",
    "echo $(echo $(echo $(sudo ls)))",
    "echo ${x:-$(sudo ls)}",
    "echo \"${x:-$(sudo ls)}\"",
    "echo ${x:-`sudo ls`}",
    "echo $((1 + $(sudo ls)))",
    "echo $(( $(sudo ls) ))",
    "echo $((sudo ls) | cat)",
    "echo ${a[$(sudo ls)]}",
    "echo ${ sudo ls; }",
    "a[$(sudo ls)]=1",
    "x=$(sudo ls)",
    "x=$(sudo ls) ls",
    "cat <(sudo ls)",
    "ls > >(sudo tee x)",
    "ls > $(sudo ls)",
    "cat <<EOF\n$(sudo ls)\nEOF",
    "cat <<EOF\n`sudo ls`\nEOF",
    "cat <<-EOF\n\t${x:-$(sudo ls)}\n\tEOF",
    "cat <<EOF\ntext\nEOF\nsudo ls",
    "cat <<'EOF'\ntext\nEOF\nsudo ls",
    "cat <<A <<B\na\nA\nb\nB\nsudo ls",
    "cat <<EOF; sudo ls\ntext\nEOF",
    "cat <<EOF && (\ntext\nEOF\nsudo ls)",
    "cat <<< \"$(sudo ls)\"",
    "cat <<\\EOF\nx\nEOF\nsudo ls",
    "cat <<E\"O\"F\nx\nEOF\nsudo ls",
    "> x sudo ls",
    "2>/dev/null sudo ls",
    "A=b sudo ls",
    "A=b C=$(true) sudo ls",
    "git commit -m \"$(cat <<'EOF'\nmessage\nEOF\n)\" && sudo ls",
    "x=$(cat <<E\ntext\nE)\nsudo ls",
    // Prefixes.
    "env sudo ls",
    "env -i A=b sudo ls",
    "env -u HOME -- sudo ls",
    "env -S 'sudo ls'",
    "env --split-string='sudo ls'",
    "env -iS 'A=b sudo ls'",
    "/usr/bin/env sudo ls",
    "command sudo ls",
    "command -p sudo ls",
    "builtin command sudo ls",
    "exec sudo ls",
    "exec -a ls sudo ls",
    "nohup sudo ls",
    "nice sudo ls",
    "nice -n 5 sudo ls",
    "nice -5 sudo ls",
    "ionice -c 2 -n 7 sudo ls",
    "/usr/bin/time -f %e sudo ls",
    "timeout 5 sudo ls",
    "timeout -k 5 -s KILL 10 sudo ls",
    "timeout --foreground 5 sudo ls",
    "timeout $T sudo ls",
    "timeout $OPTIONS 5 sudo ls",
    "stdbuf -oL sudo ls",
    "setsid -w sudo ls",
    "chrt -f 10 sudo ls",
    "taskset -c 0 sudo ls",
    "xargs sudo",
    "echo x | xargs -n 1 -I{} sudo rm {}",
    "echo sudo ls | xargs -I{} sh -c '{}; sudo true'",
    "parallel sudo ::: a b",
    "parallel 'sudo ls {}' ::: a",
    "parallel ::: 'sudo ls'",
    "find . -exec sudo rm {} \\;",
    "find . -name x -execdir sudo rm {} + -print",
    "find . -ok sudo rm {} \\;",
    "find . -exec true \\; -exec sh -c 'sudo rm \"$1\"' _ {} \\;",
    "fd x --exec sudo rm",
    "env --split-s='sudo ls'",
    "nice -n\"$x\" 5 sudo ls",
    "bash $x <<'EOF'\nsudo ls\nEOF",
    "[[ x || sudo ls ]]",
    "[[ x\nsudo ls ]]",
    "((sudo !ls))",
    "((sudo; ls))",
    "bash $x-c 'sudo ls'",
    "alias x=$y'env; sudo'\nx ls",
    "watch -n 1 sudo ls",
    "watch 'sudo ls'",
    "script -q -c 'sudo ls' /dev/null",
    "script -q /dev/null sudo ls",
    "busybox sudo ls",
    "busybox sh -c 'sudo ls'",
    "flock /tmp/l sudo ls",
    "flock /tmp/l -c 'sudo ls'",
    "env nice timeout 5 nohup command sudo ls",
    "docker run --rm -v /:/x image sudo ls",
    "docker exec c sh -c 'sudo ls'",
    "kubectl exec pod -- sudo ls",
    "strace -f -o out sudo ls",
    "tmux new-session -d 'sudo ls'",
    "npx -y sudo ls",
    // Shells and code in strings.
    "bash -c 'sudo ls'",
    "bash -lc 'sudo ls'",
    "bash -l -c 'sudo ls'",
    "bash -eo pipefail -c 'sudo ls'",
    "bash -c -- 'sudo ls'",
    "sh -c \"sudo ls\"",
    "zsh -lc 'sudo ls'",
    "fish -c 'sudo ls'",
    "dash -c 'true; sudo ls'",
    "bash -c 'bash -c \"bash -c \\\"sudo ls\\\"\"'",
    "bash -c \"cd $dir && sudo ls\"",
    "bash -c \"$x sudo ls\"",
    "bash -c '$0 ls' sudo",
    "bash -c '\"$@\"' _ sudo ls",
    "bash -c '\"$1\" ls' _ sudo",
    "C='sudo ls'; bash -c \"$C\"",
    "eval sudo ls",
    "eval 'sudo ls'",
    "eval \"sudo\" \"ls\"",
    "eval \"$(echo sudo ls)\"",
    "eval 'X=sudo'; $X ls",
    "trap 'sudo ls' EXIT",
    "bash <<EOF\nsudo ls\nEOF",
    "bash <<'EOF'\nsudo ls\nEOF",
    "bash -s <<'EOF'\nsudo ls\nEOF",
    "bash <<< 'sudo ls'",
    "env bash <<< 'sudo ls'",
    "(bash) <<EOF\nsudo ls\nEOF",
    "{ sh; } <<< 'sudo ls'",
    "bash /dev/stdin <<< 'sudo ls'",
    "source /dev/stdin <<< 'sudo ls'",
    "bash <(echo sudo ls)",
    ". <(echo sudo ls)",
    "echo 'sudo ls' | sh",
    "echo sudo ls | bash -s",
    "printf 'sudo ls' | env sh",
    "cat <<'EOF' | sh\nsudo ls\nEOF",
    "echo 'sudo ls' | (cd /; sh)",
    "cat > x.sh <<'EOF'\nsudo ls\nEOF\nsh x.sh",
    "echo 'sudo ls' > x.sh; chmod +x x.sh; ./x.sh",
    "echo 'sudo ls' | tee x.sh; bash ./x.sh",
    "ln -s /usr/bin/sudo x; ./x ls",
    "cp /usr/bin/sudo ./x && ./x ls",
    "python -c 'import os; os.system(\"sudo ls\")'",
    "python3.12 -Bc 'import os; os.system(\"sudo ls\")'",
    "python - <<'EOF'\nimport os\nos.system('sudo ls')\nEOF",
    "perl -e 'system(\"sudo ls\")'",
    "perl -ne 'exec \"sudo ls\"'",
    "node -e 'require(\"child_process\").execSync(\"sudo ls\")'",
    "ruby -e '`sudo ls`'",
    "awk 'BEGIN{system(\"sudo ls\")}'",
    "sed '1e sudo ls' x",
    "GIT_SSH_COMMAND='sudo ssh' git fetch",
    "git -c alias.x='!sudo ls' x",
    "git -c core.pager='sudo less' log",
    "git rebase --exec 'sudo ls' main",
    "git bisect run sudo make",
    "git submodule foreach 'sudo ls'",
    "tar --to-command='sudo tee x' -xf a.tar",
    "rsync -e 'sudo ssh' a b",
    // Remote.
    "ssh host sudo ls",
    "ssh -p 22 -i key user@host 'cd /srv && sudo ls'",
    "ssh host \"bash -c 'sudo ls'\"",
    "ssh -o ProxyCommand='sudo nc %h %p' host",
    "ssh host <<'EOF'\nsudo ls\nEOF",
    "ssh -T host 'bash -s' <<'EOF'\nsudo ls\nEOF",
    "ssh host -p 22 sudo ls",
    // What cannot be understood is refused if it names the program.
    "echo 'unclosed; sudo ls",
    "if true; sudo ls",
    "echo \"${x:-'}\"; sudo ls; echo '}\"'",
    "sudo\0 ls",
    "zsh -c 'print *(e:\"sudo ls\":)'",
];

/// Command lines that only speak of it.
const INNOCENT: &[&str] = &[
    "",
    "# sudo ls",
    "ls # sudo ls",
    "ls #sudo",
    "echo sudo",
    "echo \"use sudo\"",
    "echo 'run: sudo ls; sudo rm'",
    "echo '$(sudo ls)' '`sudo ls`'",
    "echo \"\\$(sudo ls) \\`sudo ls\\`\"",
    "echo a#sudo",
    "printf '%s' sudo",
    "printf '%s\\n' \"sudo ls\" > notes.md",
    "grep sudo file",
    "grep -rn \"sudo \" . | head",
    "rg -n 'sudo' src && echo found",
    "git commit -m 'remove sudo'",
    "git commit -m \"$(cat <<'EOF'\nremove sudo\n\nsudo is gone\nEOF\n)\"",
    "git log --grep sudo",
    "git grep sudo -- docs",
    "git add sudo.rs && git commit -m 'sudo: refuse'",
    "cat <<'EOF'\nsudo rm\nEOF",
    "cat <<EOF\nsudo rm\nEOF",
    "cat > README.md <<'EOF'\nRun `sudo make install`.\n$(sudo)\nEOF",
    "cat <<-'EOF'\n\tsudo rm\n\tEOF\nls",
    "cat <<EOF\nsudo \\$(sudo ls)\nEOF",
    "man sudo",
    "ls sudo/",
    "ls /etc/sudoers.d",
    "cd sudo && ls",
    "which sudo",
    "type sudo",
    "command -v sudo",
    "command -V sudo >/dev/null 2>&1",
    "if ! command -v sudo >/dev/null; then echo 'no sudo'; fi",
    "[ -x /usr/bin/sudo ]",
    "[[ -x /usr/bin/sudo && $x == sudo ]]",
    "test -n \"$SUDO_USER\"",
    "apt-get install -y sudo",
    "pip install sudo",
    "npm install sudo-prompt",
    "visudo -c",
    "sudoku --solve",
    "pseudo sudo",
    "find . -name sudo",
    "find . -name '*.md' -exec grep -l sudo {} \\;",
    "find . -type f | xargs grep sudo",
    "xargs -n 1 -- echo sudo",
    "xargs --null grep sudo",
    "env | grep sudo",
    "env SUDO=1 make",
    "SUDO= make install",
    "X=sudo; echo $X",
    "X=sudo; echo \"$X\" | tee log",
    "A=(sudo ls); echo \"${A[@]}\"",
    "case $x in sudo) echo yes;; *) echo no;; esac",
    "for x in sudo doas; do command -v $x; done",
    "for f in sudo*; do echo \"$f\"; done",
    "timeout 5 grep sudo log",
    "nice -n 5 grep sudo log",
    "ssh sudo",
    "ssh host 'echo sudo'",
    "ssh host grep sudo /var/log/auth.log",
    "bash -c 'echo sudo'",
    "bash -c 'grep \"$1\" f' _ sudo",
    "sh script.sh sudo",
    "python script.py sudo",
    "python -m pytest -k sudo",
    "make sudo",
    "cargo test sudo",
    "cargo test -p provost-rules -- sudo::",
    "kill $(pgrep sudo)",
    "sed -i 's/sudo //' install.sh",
    "awk '/sudo/ { print $1 }' /var/log/auth.log",
    "jq '.sudo | length' x.json",
    "cat /etc/sudoers | wc -l",
    "curl -s https://example.com/sudo -o sudo.html",
    "log() { echo \"$@\"; }; log use sudo",
    "retry() { until \"$@\"; do sleep 1; done; }; retry grep sudo f",
    "alias x=ls; x sudo",
    "docker build -t sudo .",
    "docker run --rm image ls /usr/bin/sudo/x",
    "echo su; echo doas; ls su",
    "eval \"$(ssh-agent -s)\"",
    "trap 'rm -f sudo.tmp' EXIT",
    "((x = 1)); ((i++)); echo $((i + 1))",
    "echo {sudo,doas}",
    "echo s?do /usr/bin/s*",
    "$CC -o x x.c 2>/dev/null; ls sudo",
];

/// Checks that the rule says the same of every text, and names each of which it does not.
#[track_caller]
fn check<S: AsRef<str>>(texts: impl IntoIterator<Item = S>, is_refused: bool) {
    let mut wrong = Vec::new();
    for text in texts {
        let finding = refuse_sudo(&parse(text.as_ref()), Lang::En);
        if finding.is_some() != is_refused {
            wrong.push(format!("{:?} {finding:?}", text.as_ref()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// LOOP-A3.
#[test]
fn sudo_is_refused_in_every_disguise() {
    assert!(REFUSED.len() >= 120, "{} lines", REFUSED.len());
    check(REFUSED, true);
}

/// LOOP-A3: a rule that cries wolf is turned off.
#[test]
fn a_text_that_only_speaks_of_sudo_passes() {
    assert!(INNOCENT.len() >= 40, "{} lines", INNOCENT.len());
    check(INNOCENT, false);
}

/// LOOP-A3: every disguise stays one inside the strings that other programs run.
#[test]
fn a_disguise_works_no_better_one_level_deeper() {
    let wrapped = REFUSED.iter().flat_map(|text| {
        let quoted = quote(text);
        [
            format!("bash -c {quoted}"),
            format!("env A=b sh -c {quoted}"),
            format!("eval {quoted}"),
            format!("ssh host {quoted}"),
            format!("true && {{ bash -lc {quoted}; }}"),
        ]
    });
    check(wrapped, true);
}

/// LOOP-A3: the same for texts that only speak of it.
#[test]
fn an_innocent_text_stays_one_inside_a_shell() {
    let wrapped = INNOCENT.iter().flat_map(|text| {
        let quoted = quote(text);
        [format!("bash -c {quoted}"), format!("timeout 5 sh -ec {quoted} && ls")]
    });
    check(wrapped, false);
}

/// LOOP-A3: adapters are argument vectors, which no shell reads first.
#[test]
fn an_argument_vector_is_looked_through() {
    let check = |argv: &[&str], is_refused: bool| {
        let finding = refuse_sudo(&parse_argv(argv), Lang::En);
        assert_eq!(finding.is_some(), is_refused, "{argv:?} {finding:?}");
    };
    check(&["sudo", "ls"], true);
    check(&["/usr/bin/sudo", "ls"], true);
    check(&["env", "A=b", "sudo", "ls"], true);
    check(&["env", "-S", "sudo ls"], true);
    check(&["bash", "-lc", "cd x && sudo ls"], true);
    check(&["ssh", "host", "sudo", "ls"], true);
    check(&["ssh", "host", "zsh -lc 'sudo ls'"], true);
    check(&["timeout", "5", "sh", "-c", "sudo ls"], true);
    check(&["sudo"], true);
    check(&["ls", "; sudo ls"], false);
    check(&["ls", "$(sudo ls)"], false);
    check(&["echo", "sudo"], false);
    check(&["sudo ls"], false);
    check(&["git", "commit", "-m", "sudo"], false);
    check(&[], false);
    check(&[""], false);
}

#[test]
fn the_finding_names_the_command_and_what_to_do_in_both_languages() {
    let script = parse("ls; env A=b sudo -u root rm x");
    let english = refuse_sudo(&script, Lang::En).unwrap();
    assert_eq!(english.rule, "command.sudo");
    assert_eq!(english.severity, Severity::P0);
    assert_eq!(english.subject, "sudo -u root rm x");
    assert_eq!(
        english.message,
        "the command runs `sudo`, which gives it another user's rights".into()
    );
    assert!(english.hint.unwrap().to_string().starts_with("run it without"));

    let chinese = refuse_sudo(&script, Lang::Zh).unwrap();
    assert_eq!(chinese.subject, english.subject);
    assert_eq!(chinese.message, "该命令运行 `sudo`,会取得其他用户的权限".into());
    assert!(chinese.hint.unwrap().render(Lang::Zh).contains("provost"));

    let opaque = refuse_sudo(&parse("curl x | sh; echo sudo | sh"), Lang::En).unwrap();
    assert_eq!(opaque.subject, "echo sudo | sh");
    assert_eq!(
        opaque.message,
        "the command contains `sudo` in a part that cannot be checked".into()
    );
}

#[test]
fn the_finding_repeats_no_secret_and_not_the_whole_text() {
    let token = format!("{}_{}", "ghp", "a1B2c3D4".repeat(5).split_at(36).0);
    let text = format!("sudo TOKEN={token} {}", "x".repeat(10_000));
    let finding = refuse_sudo(&parse(&text), Lang::En).unwrap();
    assert!(!finding.subject.contains(&token), "{}", finding.subject);
    assert!(finding.subject.chars().count() <= 201);
}
