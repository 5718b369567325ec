//! Whether a command begins with a build, and what is left of it then.

use provost_shell::{Join, Place, parse};

/// What a shell does itself: what comes after it finds another folder, other variables or options.
const OF_THE_SHELL: [&str; 29] = [
    ".", ":", "alias", "bg", "cd", "declare", "eval", "exec", "exit", "export", "fg", "jobs",
    "local", "popd", "pushd", "read", "readonly", "return", "set", "shift", "shopt", "source",
    "trap", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

/// What is left of a command after the build that it begins with: `sh check.sh` of
/// `make build && sh check.sh`.
///
/// In a checkout in which the build has succeeded, the rest does what the whole command does in a new
/// one: nothing but files goes from the one to the other.
pub fn rest<'a>(command: &'a str, build: &str) -> Option<&'a str> {
    let build = build.trim();
    let after = command.trim().strip_prefix(build)?;
    let rest = after.trim_start_matches([' ', '\t']).strip_prefix("&&")?.trim();
    (!rest.is_empty() && is_plain(build)).then_some(rest)
}

/// Whether a build is one program after the other, each of which must succeed, and leaves nothing in
/// the shell that runs it.
fn is_plain(build: &str) -> bool {
    // A comment or an open line would take in what comes after it.
    if build.is_empty() || build.contains(['\n', '#']) || build.ends_with('\\') {
        return false;
    }
    let script = parse(build);
    let is_program = |at: usize| {
        let Some(it) = script.invocations.get(at) else { return false };
        let name = it.words.first().and_then(|it| it.text());
        let follows = match it.join {
            Join::Sequence => at == 0 || it.launched_by.is_some(),
            Join::And => true,
            Join::Or | Join::Pipe | Join::Background => false,
        };
        follows
            && it.place == Place::Script
            && name.is_some_and(|it| it != "!" && !OF_THE_SHELL.contains(&it))
    };
    script.opaque.is_empty()
        && script.pipes.is_empty()
        && !script.invocations.is_empty()
        && (0..script.invocations.len()).all(is_program)
        && !build.starts_with('!')
        && !build.ends_with(['&', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_begin_with_the_build() {
        let check = |command: &str, build: &str, expected: Option<&str>| {
            assert_eq!(rest(command, build), expected, "{command:?} {build:?}");
        };
        check("make build && sh check.sh", "make build", Some("sh check.sh"));
        check(" make build\t&&\n sh a.sh || sh b.sh ", "make build", Some("sh a.sh || sh b.sh"));
        check("npm run build&&node t.js; ls", "npm run build", Some("node t.js; ls"));
        check("CI=1 make -j2 out/app && ./check 1", "CI=1 make -j2 out/app", Some("./check 1"));
        check("env X=1 make && ./check", "env X=1 make", Some("./check"));
        check("a && b && c", "a && b", Some("c"));
        check("make >log && ./check", "make >log", Some("./check"));
        // Without a rest, the build is all there is.
        check("make build", "make build", None);
        check("make build &&", "make build", None);
        // Another command.
        check("make builder && x", "make build", None);
        check("make build-all && x", "make build", None);
        check("make build x && y", "make build", None);
        check("sh x.sh && make build && y", "make build", None);
        check("make build; x", "make build", None);
        check("make build || x", "make build", None);
        check("make build | tee log && x", "make build", None);
        check("make build & x", "make build", None);
        check("make build\n&& x", "make build", None);
        check("make check", "make build", None);
        // Something stays in the shell, or the rest belongs to it.
        check("cd web && npm run build && x", "cd web && npm run build", None);
        check("X=1 && make && y", "X=1 && make", None);
        check("export X=1 && make && y", "export X=1 && make", None);
        check("make # && x", "make #", None);
        check("make \\ && x", "make \\", None);
        check("! make && x", "! make", None);
        check("a; b && x", "a; b", None);
        check("a || b && x", "a || b", None);
        check("a | b && x", "a | b", None);
        check("a & b && x", "a & b", None);
        check("(a) && x", "(a)", None);
        check("{ a; } && x", "{ a; }", None);
        check("if a; then b; fi && x", "if a; then b; fi", None);
        check("f() { a; } && x", "f() { a; }", None);
        check("$BUILD && x", "$BUILD", None);
        check("'make && x", "'make", None);
        check("&& x", "", None);
    }
}
