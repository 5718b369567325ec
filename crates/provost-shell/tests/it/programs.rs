//! What a command line really runs: the programs, their arguments, their files and their pipes.

use provost_shell::{
    Invocation, Join, MAX_LEN, Place, Reason, RedirectKind, Script, parse, parse_argv,
};

/// The programs with their arguments, prefixes taken off, in order.
fn programs(script: &Script) -> String {
    script.programs().map(Invocation::shown).collect::<Vec<_>>().join(" ; ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let script = parse(text);
    assert_eq!(programs(&script), expected, "{text:?}\n{:#?}", script.opaque);
}

#[test]
fn quotes_are_taken_off_and_expansions_are_marked() {
    check("ls -l", "ls -l");
    check("'l's \"-\"l", "ls -l");
    check("rm -rf \"my dir\" a\\ b", "rm -rf my dir a b");
    check("echo $'a\\tb' $'\\u4e2d' $'\\x41\\102'", "echo a\tb 中 AB");
    check("rm *.log ~/x $HOME/y $(pwd)/z", "pwd ; rm *.log ~/x $HOME/y $(…)/z");
    check("rm -rf /{bin,etc} {a,b}{1,2}", "rm -rf /bin /etc a1 a2 b1 b2");
    check("find . -name '{}' {} x{1..3}", "find . -name {} {} x…");
    check("echo a=b c:~ ~x", "echo a=b c:~ ~x");
    check("echo \"a\\\nb\" c\\\nd", "echo ab cd");
    check("echo ${#x} $((1 + 2)) ${x} $1", "echo $((…)) $((…)) $x $1");
}

#[test]
fn assignments_stand_before_the_program() {
    check("A=b make", "A=b make");
    check("A=b B='c d' make X=y", "A=b B=c d make X=y");
    check("A=b", "");
    check("./A=b", "./A=b");
    check("'A'=b make", "A=b make");
    let script = parse("PATH=/evil:$PATH git status");
    let [git] = script.invocations.as_slice() else { panic!("{script:?}") };
    assert_eq!(git.program(), Some("git"));
    assert_eq!(git.assignments[0].name, "PATH");
    assert_eq!(git.assignments[0].value.to_string(), "/evil:$PATH");
}

#[test]
fn variables_set_in_the_text_are_put_in() {
    check("D=/srv/x; rm -rf \"$D\"", "rm -rf /srv/x");
    check("D=/srv/x\nrm -rf $D/y", "rm -rf /srv/x/y");
    check("A='-r -f'; rm $A x", "rm -r -f x");
    check("A='-r -f'; rm \"$A\" x", "rm -r -f x");
    assert_eq!(parse("A='-r -f'; rm \"$A\"").invocations[1].arguments().len(), 1);
    check("C=(git push --force); \"${C[@]}\"", "git push --force");
    check("rm -rf $D; D=/tmp", "rm -rf $D");
    check("if x; then D=/tmp; fi; rm -rf $D", "x ; rm -rf $D");
    check("for f in a.txt; do rm $f; done", "rm a.txt");
    check("for f in *.txt; do rm $f; done", "rm *.txt");
    check("read D; rm -rf $D", "read D ; rm -rf $D");
}

#[test]
fn every_command_of_a_list_is_seen() {
    check("a; b && c || d & e\nf", "a ; b ; c ; d ; e ; f");
    check("if a; then b; elif c; then d; else e; fi", "a ; b ; c ; d ; e");
    check("while a; do b; done; until c; do d; done", "a ; b ; c ; d");
    check("for x in 1 2; do a; done; for ((;;)); do b; done", "a ; b");
    check("case $(a) in (b|c) d;; *) e;; esac", "a ; d ; e");
    check("f() { a; }; function g { b; }; (c); { d; }", "a ; b ; c ; d");
    check("a $(b `c`) <(d) \"$(e)\"", "c ; b $(…) ; d ; e ; a $(…) <(…) $(…)");
    check("[[ -n $x && $(a) ]] && b", "[[ -n $x ; a ; b");
    check("time -p a | b; ! c", "a ; b ; c");
    check("a # b\n# c\nd", "a ; d");
}

#[test]
fn text_after_a_here_document_is_code_again() {
    check(
        "git commit -F - <<EOF\nmessage\nEOF\nrm -rf /important",
        "git commit -F - ; rm -rf /important",
    );
    check("cat <<'A' <<\"B\"\nrm a\nA\nrm b\nB\nls", "cat ; ls");
    check("cat <<-E\n\trm x\n\tE\nls", "cat ; ls");
    check("cat <<E\n$(rm x) `ls`\nE", "cat ; rm x ; ls");
    check("cat <<E\nrm\nE x\nE\nls", "cat ; ls");
    let script = parse("cat > x <<E\nline $y\nE");
    let redirects = &script.invocations[0].redirects;
    assert_eq!(redirects[0].kind, RedirectKind::Write);
    assert_eq!(redirects[1].kind, RedirectKind::HereDocument);
    assert_eq!(redirects[1].target.to_string(), "line $y\n");
}

#[test]
fn prefixes_are_seen_through() {
    check("env rm x", "rm x");
    check("env -i -u A B=c rm x", "rm x");
    check("env -S 'rm -r' x", "rm -r x");
    check("env", "env");
    check("command rm x; builtin cd y; exec make", "rm x ; cd y ; make");
    check("command -v git", "command -v git");
    check("nohup nice -n 5 ionice -c 2 setsid rm x", "rm x");
    check("timeout -k 5 --signal KILL 10 rm x", "rm x");
    check("stdbuf -oL time -f %e chrt -f 1 taskset -c 0 rm x", "rm x");
    check("xargs -0 -n 1 rm -f", "rm -f …");
    check("xargs -I @ mv @ @.bak", "mv … ….bak");
    check(
        "find . -exec rm {} + -o -ok mv {} x \\;",
        "find . -exec rm {} + -o -ok mv {} x ; ; rm … ; mv … x",
    );
    check("parallel -j 4 gzip ::: a b", "gzip …");
    check("busybox rm x", "rm x");
    check("sudo -u root -- rm x", "rm x");
    check("watch -n 1 'ls | wc'", "ls ; wc");
    check("script -c 'rm x' /dev/null", "rm x");
    check("flock -n l rm x", "rm x");
    check("docker exec -it c bash -c 'rm x'", "docker exec -it c bash -c rm x ; rm x");
    check("kubectl exec p -- rm x", "kubectl exec p -- rm x ; rm x");
    check("$RUN rm -rf x", "$RUN rm -rf x ; rm -rf x");
}

#[test]
fn code_in_strings_is_read() {
    check("bash -c 'rm x; ls'", "rm x ; ls");
    check("bash -euxo pipefail -c 'rm x'", "rm x");
    check("zsh -lc \"cd $d && rm x\"", "cd … ; rm x");
    check("sh -c 'rm \"$1\" \"$@\"' _ a b", "rm a a b");
    check("eval rm '-r' x", "rm -r x");
    check("ssh -p 22 host 'rm x' '&& ls'", "rm x ; ls");
    check("trap 'rm x' EXIT", "trap rm x EXIT ; rm x");
    check("bash <<E\nrm x\nE", "bash ; rm x");
    check("alias g='git push'; g --force", "alias g=git push ; git push --force ; g --force");
    check("f() { rm \"$@\"; }; f x", "rm $@ ; f x ; rm x");
    check("f() { \"$@\"; }; f rm x", "$@ ; f rm x ; rm x");
    check("git -c alias.x='!rm y' x", "git -c alias.x=!rm y x ; rm y");
    check("git rebase -x 'rm y' main", "git rebase -x rm y main ; rm y");
    check("GIT_SSH_COMMAND='nc x' git fetch", "GIT_SSH_COMMAND=nc x git fetch ; nc x");
}

#[test]
fn an_argument_vector_is_not_split_again() {
    let check = |argv: &[&str], expected: &str| {
        let script = parse_argv(argv);
        assert_eq!(programs(&script), expected, "{argv:?}");
        assert_eq!(script.opaque, [], "{argv:?}");
    };
    check(&["ls", "a b; rm x", "$(rm y)", "*"], "ls a b; rm x $(rm y) *");
    check(&["env", "A=b", "sh", "-c", "rm x; ls"], "rm x ; ls");
    check(&["ssh", "host", "cd x &&", "rm y"], "cd x ; rm y");
    check(&["bash", "-c", "rm \"$1\"", "_", "a b"], "rm a b");
    let script = parse_argv(&["bash", "-c", "rm \"$1\"", "_", "a b"]);
    assert_eq!(script.invocations[1].arguments()[0].text(), Some("a b"));
}

#[test]
fn interpreters_keep_their_code() {
    let check = |text: &str, language: &str, code: &str| {
        let script = parse(text);
        let inline = script.invocations.iter().find_map(|it| it.inline.as_ref()).unwrap();
        assert_eq!((inline.language.as_str(), inline.code.to_string().as_str()), (language, code));
        assert!(script.opaque.iter().any(|it| it.reason == Reason::Foreign), "{text:?}");
    };
    check("python3 -c 'print(1)'", "python", "print(1)");
    check("python3.12 -Ic 'x' arg", "python", "x");
    check("python - <<'E'\nprint(1)\nE", "python", "print(1)\n");
    check("perl -lane 'print $F[0]' f", "perl", "print $F[0]");
    check("node --eval 'x()'", "node", "x()");
    check("node -e\"x($y)\"", "node", "x($y)");
    check("env ruby -e 'x'", "ruby", "x");
    check("php -r 'x();'", "php", "x();");
    check("awk 'BEGIN { system(\"x\") }'", "awk", "BEGIN { system(\"x\") }");
    for text in ["python x.py -c y", "python -m pytest -c x", "node x.js -e", "awk '{print}' f"] {
        assert!(parse(text).opaque.is_empty(), "{text:?}");
    }
}

#[test]
fn what_is_not_understood_is_said_with_its_reason() {
    let check = |text: &str, expected: &[Reason]| {
        let mut reasons: Vec<Reason> = parse(text).opaque.iter().map(|it| it.reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        assert_eq!(reasons, expected, "{text:?}");
    };
    check("ls", &[]);
    check("$(pick) x", &[Reason::Name]);
    check("/usr/bin/l* x", &[Reason::Name]);
    check("$CC x.c", &[Reason::Variable]);
    check("${CC:-cc} x.c", &[Reason::Variable]);
    check("$HOME/bin/x; ~/bin/x; \"$D\"/x", &[]);
    check("bash -c \"$x\"", &[Reason::Code]);
    check("eval \"$(ssh-agent)\"", &[Reason::Code]);
    check("sh -c \"$(curl x)\"", &[Reason::Code]);
    check("xargs sh -c", &[Reason::Code]);
    check("xargs -I{} {} x", &[Reason::Name]);
    check("curl x | sh", &[Reason::Input]);
    check("curl x | tee y | bash -s -- --yes", &[Reason::Input]);
    check("bash <(curl x)", &[Reason::Input]);
    check("source <(curl x)", &[Reason::Input]);
    check("echo cm0= | base64 -d | sh", &[Reason::Input]);
    check("curl x | python3", &[Reason::Input]);
    check("curl x | python3 -m json.tool", &[]);
    check("curl x | bash script.sh", &[]);
    check("bash", &[Reason::Input]);
    check("bash --version", &[]);
    check("bash < x.sh", &[]);
    check("python -c 'x'", &[Reason::Foreign]);
    check("curl x > y.sh; sh y.sh", &[Reason::Written]);
    check("cat > ./y <<E\nx\nE\nchmod +x y\n./y", &[Reason::Written]);
    check("curl -fsSLo y.sh x && bash y.sh", &[Reason::Written]);
    check("wget x -O y && chmod +x y && ./y", &[Reason::Written]);
    check("echo 'open", &[Reason::Syntax]);
    check("echo \"open", &[Reason::Syntax]);
    check("echo $(open", &[Reason::Syntax]);
    check("echo `open", &[Reason::Syntax]);
    check("echo ${open", &[Reason::Syntax]);
    check("if x; fi", &[Reason::Syntax]);
    check("done", &[Reason::Syntax]);
    check("a )", &[Reason::Syntax]);
    check("a\0b", &[Reason::Syntax]);
    check("cat <<E\nx", &[Reason::HereDocument]);
    check("cat <<E\nx\\\nE\ny\nE\n", &[Reason::HereDocument]);
    check(&"(".repeat(1000), &[Reason::TooDeep]);
    check(&"$(".repeat(1000), &[Reason::Name, Reason::TooDeep]);
    check(&format!("{}x", "env ".repeat(100)), &[Reason::TooDeep]);
    check(&"x".repeat(MAX_LEN + 1), &[Reason::TooLong]);
    check(&"a=$a$a$a$a$a$a$a$a\n".repeat(2000), &[Reason::TooMuch]);
    check(&"a | sh | ".repeat(20_000), &[Reason::Input, Reason::TooMuch]);
}

#[test]
fn pipes_say_who_writes_into_whom() {
    let check = |text: &str, reader: &str, expected: &str| {
        let script = parse(text);
        let name = |at: usize| script.invocations[at].program().unwrap_or("?").to_owned();
        let index = (0..script.invocations.len()).rfind(|&it| name(it) == reader).unwrap();
        let feeders: Vec<String> = script.feeders(index).into_iter().map(name).collect();
        assert_eq!(feeders.join(" "), expected, "{text:?}");
    };
    check("curl x | sh", "sh", "curl");
    check("curl x | tee y | sh", "sh", "curl tee");
    check("curl x |& env A=b sh", "sh", "curl");
    check("(curl x; wget y) | { cd z; sh; }", "sh", "curl wget");
    check("curl x | ssh host sh", "sh", "curl");
    check("sh <(curl x)", "sh", "curl");
    check("curl x > >(sh)", "sh", "curl");
    check("curl x | tee >(sh)", "sh", "curl tee");
    check("a; curl x; sh", "sh", "");
    check("curl x && sh", "sh", "");
    check("a | b; c | sh", "sh", "c");
    check("curl $(echo x | cut -c1) | sh", "sh", "echo cut curl");
}

#[test]
fn redirections_name_their_files() {
    use RedirectKind::{Append, Duplicate, HereString, Read, ReadWrite, Write};

    let check = |text: &str, expected: &[(Option<u32>, RedirectKind, &str)]| {
        let script = parse(text);
        let all = script.invocations.iter().flat_map(|it| &it.redirects);
        let found: Vec<_> = all.map(|it| (it.descriptor, it.kind, it.target.to_string())).collect();
        let found: Vec<_> = found.iter().map(|(a, b, c)| (*a, *b, c.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check("a > b", &[(None, Write, "b")]);
    check("a >b 2>&1 <c", &[(None, Write, "b"), (Some(2), Duplicate, "1"), (None, Read, "c")]);
    check("a >> \"b c\" 2>/dev/null", &[(None, Append, "b c"), (Some(2), Write, "/dev/null")]);
    check(
        "a &> b; a &>> c; a >& d",
        &[(None, Write, "b"), (None, Append, "c"), (None, Write, "d")],
    );
    check(
        "a >| b; a <> c; a >&-",
        &[(None, Write, "b"), (None, ReadWrite, "c"), (None, Duplicate, "-")],
    );
    check("a <<< x", &[(None, HereString, "x")]);
    check("> b", &[(None, Write, "b")]);
    check("{ a; } > b", &[(None, Write, "b")]);
    check("while a; do b; done < c > d", &[(None, Read, "c"), (None, Write, "d")]);
    check("exec 3> b; a {fd}> c", &[(Some(3), Write, "b"), (Some(10), Write, "c")]);
    check("a 2 > b; echo 1>c", &[(None, Write, "b"), (Some(1), Write, "c")]);
    check("a > ~/.ssh/x; a > $D/y", &[(None, Write, "~/.ssh/x"), (None, Write, "$D/y")]);
}

#[test]
fn each_command_knows_where_it_stands() {
    let check = |text: &str, expected: &[(Place, Join)]| {
        let script = parse(text);
        let found: Vec<_> = script.invocations.iter().map(|it| (it.place, it.join)).collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check("a; b", &[(Place::Script, Join::Sequence), (Place::Script, Join::Sequence)]);
    check(
        "a && b || c",
        &[(Place::Script, Join::Sequence), (Place::Script, Join::And), (Place::Script, Join::Or)],
    );
    check(
        "a | b & c",
        &[
            (Place::Script, Join::Sequence),
            (Place::Script, Join::Pipe),
            (Place::Script, Join::Background),
        ],
    );
    check("(a); { b; }", &[(Place::Subshell, Join::Sequence), (Place::Group, Join::Sequence)]);
    check("if a; then b; fi", &[(Place::Branch, Join::Sequence), (Place::Branch, Join::Sequence)]);
    check("for x in y; do a; done", &[(Place::Loop, Join::Sequence)]);
    check("f() { a; }", &[(Place::Group, Join::Sequence)]);
    check(
        "a $(b) <(c)",
        &[
            (Place::Substitution, Join::Sequence),
            (Place::Process, Join::Sequence),
            (Place::Script, Join::Sequence),
        ],
    );
}

#[test]
fn a_launched_program_knows_who_started_it() {
    let script = parse("env nice rm x; ls");
    let found: Vec<_> = script
        .invocations
        .iter()
        .map(|it| (it.program().unwrap(), it.launched_by, it.is_prefix))
        .collect();
    assert_eq!(
        found,
        [("env", None, true), ("nice", Some(0), true), ("rm", Some(1), false), ("ls", None, false)]
    );
    assert!(parse("timeout $T rm x").invocations[0].is_uncertain);
    assert!(!parse("timeout 5 rm x").invocations[0].is_uncertain);
}

/// What developers type all day is understood to the last word: a guard that fails closed on
/// opaque parts must not stop on these.
#[test]
fn ordinary_commands_have_no_opaque_part() {
    for text in [
        "ls -la | grep foo | sort -u | head -n 5",
        "cd crates/x && cargo test --all-features -- --nocapture 2>&1 | tail -50",
        "git status --short && git diff --stat HEAD~1..HEAD",
        "git log --oneline --format='%h %s' -n 20 -- src/",
        "git commit -am \"fix: don't panic on $(date +%F)\"",
        "git commit -m \"$(cat <<'EOF'\nfeat: x\n\nWhy: it's \"needed\" (really).\nEOF\n)\"",
        "git rebase --onto main feature~3 feature",
        "git -C ../other log -1 --pretty=%H",
        "for f in $(git ls-files '*.rs'); do wc -l \"$f\"; done",
        "for i in {1..5}; do echo $i; sleep 1; done",
        "for ((i = 0; i < 10; i++)); do echo \"$i\"; done",
        "while read -r line; do echo \"$line\"; done < file.txt",
        "while IFS=, read -r a b; do printf '%s %s\\n' \"$a\" \"$b\"; done <<< \"$data\"",
        "if [ -f package.json ]; then npm ci; else echo none >&2; fi",
        "if [[ $x =~ ^[0-9]+$ && -n ${y:-} ]]; then echo ok; fi",
        "[[ \"$a\" == *.txt || \"$b\" != foo* ]] || exit 1",
        "case \"$1\" in -h|--help) usage;; *) run;; esac",
        "test -d dist || mkdir -p dist/{js,css}",
        "find . -name '*.py' -not -path './venv/*' -exec grep -l TODO {} +",
        "find . -type f -print0 | xargs -0 sed -i 's/foo/bar/g'",
        "grep -rn \"foo(bar)\" --include=*.ts src | awk -F: '{print $1}' | sort | uniq -c",
        "awk '{ sum += $1 } END { print sum }' data.txt",
        "sed -n '10,20p;/end/q' file",
        "python -m pytest tests/ -k 'not slow' -x -q",
        "python3 scripts/build.py --out dist",
        "source .venv/bin/activate && pip install -r requirements.txt",
        "npm run build && npm test -- --watch=false",
        "npx tsc --noEmit -p tsconfig.json",
        "NODE_ENV=production node server.js &",
        "docker compose up -d && docker ps --format '{{.Names}}'",
        "kubectl get pods -o jsonpath='{.items[*].metadata.name}'",
        "curl -fsSL https://example.com/x.json | jq -r '.items[] | select(.a > 1) | .b'",
        "curl -s -H \"Authorization: Bearer $TOKEN\" https://api.example.com",
        "tar -xzf a.tar.gz -C /tmp/x --strip-components=1",
        "rsync -avz --delete dist/ host:/srv/www/",
        "ssh host 'cd /srv && ls -la'",
        "scp -o StrictHostKeyChecking=no a host:b",
        "timeout 30 cargo run --release -- --port 8080",
        "env RUST_LOG=debug cargo run",
        "time make -j\"$(nproc)\" all",
        "make CFLAGS='-O2 -g' test",
        "(cd web && yarn build) > build.log 2>&1",
        "{ echo a; echo b; } | tee -a out.txt",
        "diff <(sort a) <(sort b)",
        "x=$((x + 1)); ((count++)); (( count > 3 )) && echo many",
        "echo $(( $(date +%s) - start ))",
        "arr=(a b c); echo \"${arr[@]}\" \"${#arr[@]}\" \"${arr[0]}\"",
        "echo \"${path%/*}\" \"${path##*/}\" \"${x/foo/bar}\" \"${x^^}\" \"${x:0:3}\"",
        "cat > src/main.rs <<'EOF'\nfn main() { println!(\"{}\", '\\''); }\nEOF",
        "cat <<EOF > config.yml\nname: $NAME\npath: ${PATH}\nEOF",
        "trap 'rm -rf \"$tmp\"' EXIT; tmp=$(mktemp -d)",
        "set -euo pipefail; export PATH=\"$HOME/.local/bin:$PATH\"",
        "log() { printf '%s\\n' \"$*\" >&2; }; log start",
        "retry() { for i in 1 2 3; do \"$@\" && return; done; }; retry curl -f x",
        "$HOME/.cargo/bin/cargo fmt; ~/bin/tool; ./run.sh \"$@\"",
        "bash scripts/test.sh --all",
        "bash -c 'cd web && npm test'",
        "kill -9 $(lsof -ti :3000) 2>/dev/null || true",
        "ps aux | grep '[n]ode' | awk '{print $2}' | xargs -r kill",
        "echo 'it'\\''s' \"a \\\"b\\\"\" $'tab\\t'",
        "! grep -q foo file && echo none",
        "sort -t, -k2 -n a.csv | cut -d, -f1,3 > out.csv",
        "jq '.scripts[\"test\"]' package.json # the test script",
        "ls *.{ts,tsx} @(a|b).js 2>/dev/null",
        "watch -n 5 'kubectl get pods | grep api'",
        "command -v rg >/dev/null 2>&1 || cargo install ripgrep",
        "vim +10 src/main.rs",
        "psql \"$DATABASE_URL\" -c 'select 1'",
    ] {
        assert_eq!(parse(text).opaque, [], "{text:?}");
    }
}
