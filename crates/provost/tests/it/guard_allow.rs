//! A way out of a refusal, for people only (KEEP-1): code, permission, one use.

use std::{fs, io::Write as _, os::unix::fs::PermissionsExt as _, process::Stdio};

use camino::Utf8PathBuf;
use provost_kernel::Clock as _;
use provost_vault::{Layout, Location, SystemClock};
use serde_json::{Value, json};

use crate::{
    hook::{allowed, ask, call, guarded, hook, refused},
    world::{Ran, World},
};

const RESET: &str = "git reset --hard";

/// What a command said in a terminal, and its exit code.
struct Said {
    exit: i32,
    text: String,
}

/// Types a command in a pseudo-terminal of `script`, and answers its question.
fn typed(world: &World, arguments: &[&str], answer: &str, variables: &[(&str, &str)]) -> Said {
    let quoted: Vec<String> = arguments.iter().map(|it| format!("'{it}'")).collect();
    let line = format!(r#""$PROVOST" {}; echo "exit=$?""#, quoted.join(" "));
    let mut script = world.program("script");
    script.args(["-q", "-c", &line, "/dev/null"]);
    script.env("PROVOST", env!("CARGO_BIN_EXE_provost")).env("SHELL", "/bin/sh");
    script.envs(variables.iter().copied());
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = script.spawn().unwrap();
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(answer.as_bytes()).unwrap();
    keys.flush().unwrap();
    let output = child.wait_with_output().unwrap();
    drop(keys);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The terminal may echo unread input after it.
    let behind = text.rsplit_once("exit=").map(|(_, it)| it);
    let digits = behind.and_then(|it| it.split(|it: char| !it.is_ascii_digit()).next());
    let exit = digits.and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    Said { exit, text }
}

/// A person who says yes.
#[track_caller]
pub(super) fn ordered(world: &World, arguments: &[&str]) -> String {
    let said = typed(world, arguments, "y\n", &[]);
    assert_eq!(said.exit, 0, "{}", said.text);
    said.text
}

fn code_in(reason: &str) -> String {
    let (_, rest) = reason.split_once("provost guard allow ").unwrap_or_else(|| panic!("{reason}"));
    rest.chars().take(6).collect()
}

fn refused_code(world: &World, command: &str) -> String {
    code_in(&refused(&ask(world, command)))
}

/// Where the guard keeps what can be permitted, and what is: outside the project.
fn ways_out(world: &World) -> Layout {
    let path = |name: &str| Utf8PathBuf::try_from(world.path(name)).unwrap();
    Layout::new(&path("repo/.provost"), None, &path("home/.local/state"))
}

fn state(at: &Location) -> Value {
    serde_json::from_str(&fs::read_to_string(at.path()).unwrap()).unwrap()
}

fn put(world: &World, at: &Location, text: &str) {
    let path = at.path().into_std_path_buf();
    world.write(path.strip_prefix(world.path("")).unwrap(), text);
}

fn audited(world: &World) -> Vec<Value> {
    let text = fs::read_to_string(world.path("repo/.provost/out/_audit/audit.jsonl")).unwrap();
    text.lines().map(|it| serde_json::from_str::<Value>(it).unwrap()["body"].take()).collect()
}

/// KEEP-1: one permission, one call.
#[test]
fn a_person_permits_a_call_once() {
    let world = guarded();
    let reason = refused(&ask(&world, RESET));
    assert!(reason.contains("do not try to get the same effect by other means"), "{reason}");
    assert!(reason.contains("instead: `git stash` keeps them"), "{reason}");
    let code = code_in(&reason);
    assert_eq!(refused_code(&world, RESET), code, "the same call keeps its code");
    let listed = world.provost().args(["guard", "allow", "--json"]).run().json();
    assert_eq!(listed["refusals"][0]["code"], code);
    assert_eq!(listed["refusals"][0]["rule"], "git.reset-hard");

    let text = ordered(&world, &["guard", "allow", &code.to_lowercase(), "--because", "a test"]);
    assert!(text.contains("let the agent do this once: `git reset --hard`"), "{text}");
    // Another command, another session, another folder.
    refused(&ask(&world, "git reset --hard HEAD"));
    for (key, value) in [("session_id", "other"), ("cwd", "/srv")] {
        let mut payload = call(&world, RESET);
        payload[key] = value.into();
        refused(&hook(&world, "claude", "pre-tool-use").input(payload.to_string()).run());
    }
    allowed(&ask(&world, RESET));
    refused(&ask(&world, RESET));

    let entries = audited(&world);
    let order = entries.iter().find(|it| it["action"] == "guard.allow").unwrap();
    assert_eq!(
        (&order["actor"]["source"], &order["detail"]["because"]),
        (&json!("cli"), &json!("a test"))
    );
    let used = entries.iter().find(|it| !it["detail"]["permitted_by"].is_null()).unwrap();
    assert_eq!(used["detail"]["permitted_by"]["code"], code);
    assert_eq!(
        (&used["detail"]["effect"], &used["detail"]["rule"]),
        (&json!("passed"), &json!("git.reset-hard"))
    );
    assert_eq!(world.provost().args(["audit", "verify"]).run().exit(), Some(0));
}

/// KEEP-1: of many hooks at once, one gets it.
#[test]
fn of_calls_at_once_one_is_let_run() {
    let world = guarded();
    let code = refused_code(&world, RESET);
    ordered(&world, &["guard", "allow", &code, "--because", "a test"]);
    let exits: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..6).map(|_| scope.spawn(|| ask(&world, RESET).exit())).collect();
        started.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(exits.iter().filter(|it| **it == Some(0)).count(), 1, "{exits:?}");
    assert_eq!(exits.iter().filter(|it| **it == Some(2)).count(), 5, "{exits:?}");
}

/// KEEP-1: the client's own question about a call that may run is not refused.
#[test]
fn the_question_of_the_client_itself_belongs_to_the_call() {
    let world = guarded();
    let code = refused_code(&world, RESET);
    ordered(&world, &["guard", "allow", &code, "--because", "a test"]);
    let question = || {
        let mut payload = call(&world, RESET);
        payload["hook_event_name"] = "PermissionRequest".into();
        hook(&world, "claude", "permission-request").input(payload.to_string()).run()
    };
    allowed(&ask(&world, RESET));
    allowed(&question());
    refused(&ask(&world, RESET));
    let ran = question();
    assert!(ran.stdout().contains("deny"), "{}", ran.text());
}

#[test]
fn a_permission_for_a_session_lasts_until_it_is_taken_back() {
    let world = guarded();
    let code = refused_code(&world, RESET);
    ordered(&world, &["guard", "allow", &code, "--session", "--because", "a test"]);
    for _ in 0..3 {
        allowed(&ask(&world, RESET));
    }
    ordered(&world, &["guard", "deny", &code, "--because", "enough"]);
    refused(&ask(&world, RESET));
    let again = typed(&world, &["guard", "deny", &code, "--because", "x"], "y\n", &[]);
    assert!(again.exit == 1 && again.text.contains("nothing is permitted under"), "{}", again.text);
}

/// KEEP-1: only a person, at a terminal, who says yes.
#[test]
fn nobody_but_a_person_permits() {
    let world = guarded();
    let code = refused_code(&world, RESET);
    let order = ["guard", "allow", &code, "--because", "x"];
    let piped = world.provost().args(order).input("y\n").run();
    assert_eq!(piped.exit(), Some(1), "{}", piped.text());
    assert!(piped.stderr().contains("only a person at a terminal"), "{}", piped.text());
    let no = typed(&world, &order, "n\n", &[]);
    assert!(no.exit == 1 && no.text.contains("nothing was changed"), "{}", no.text);
    let agent = typed(&world, &order, "y\n", &[("CLAUDECODE", "1")]);
    assert!(agent.exit == 1 && agent.text.contains("only a person may do this"), "{}", agent.text);
    // Below a client, without its variables, with a terminal.
    let provost = env!("CARGO_BIN_EXE_provost");
    let line = format!("'{provost}' guard allow {code} --because x; echo \"exit=$?\"");
    let claude = world.path("bin/claude");
    world.folder("bin");
    world.write("bin/claude", fs::read("/bin/sh").unwrap());
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
    let mut client = world.program(&claude);
    client.args(["-c", "script -q -c \"$LINE\" /dev/null; true"]);
    client.env("LINE", &line).env("SHELL", "/bin/sh");
    client.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = client.spawn().unwrap();
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(b"y\n").unwrap();
    let text = String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned();
    drop(keys);
    assert!(text.contains("started by `claude`") && text.contains("exit=1"), "{text}");
    refused(&ask(&world, RESET));
    // The guard itself refuses the command line of an agent.
    for order in ["allow K7MX3P --because x", "deny --all", "trust /srv/x", "snooze 9", "allow"] {
        let reason = refused(&ask(&world, &format!("provost guard {order}")));
        assert!(reason.contains("`provost.command`"), "{reason}");
        assert!(reason.contains("this rule has no override"), "{reason}");
    }
}

/// KEEP-1: a code that is unknown, used, of another home or too old permits nothing.
#[test]
fn a_code_that_does_not_hold_is_refused() {
    let world = guarded();
    let check = |arguments: &[&str], exit, text: &str| {
        let said = typed(&world, arguments, "y\n", &[]);
        assert_eq!(said.exit, exit, "{}", said.text);
        assert!(said.text.contains(text), "{}", said.text);
    };
    check(&["guard", "allow", "K7MX3P", "--because", "x"], 1, "knows no refusal");
    check(&["guard", "allow", "K0", "--because", "x"], 2, "6 letters and digits");
    check(&["guard", "allow", "K7MX3P"], 2, "--because");
    let code = refused_code(&world, RESET);
    let other = guarded();
    let said = typed(&other, &["guard", "allow", &code, "--because", "x"], "y\n", &[]);
    assert_eq!(said.exit, 1, "{}", said.text);

    ordered(&world, &["guard", "allow", &code, "--because", "x"]);
    check(&["guard", "allow", &code, "--because", "x"], 1, "is permitted already");
    allowed(&ask(&world, RESET));
    check(&["guard", "allow", &code, "--because", "x"], 1, "knows no refusal");

    let code = refused_code(&world, "git clean -fdx");
    let past = SystemClock.millis().0 - 16 * 60_000;
    let mut stored = state(&ways_out(&world).refusals());
    for it in stored["refusals"].as_array_mut().unwrap() {
        it["at"] = past.into();
        it["expires"] = (past + 15 * 60_000).into();
    }
    put(&world, &ways_out(&world).refusals(), &stored.to_string());
    check(&["guard", "allow", &code, "--because", "x"], 1, "knows no refusal");
}

/// KEEP-1: an old permission lets nothing run.
#[test]
fn a_permission_that_has_had_its_time_is_none() {
    let world = guarded();
    let code = refused_code(&world, RESET);
    ordered(&world, &["guard", "allow", &code, "--because", "x"]);
    let mut stored = state(&ways_out(&world).permits());
    stored["permits"][0]["expires"] = stored["permits"][0]["at"].clone();
    put(&world, &ways_out(&world).permits(), &stored.to_string());
    refused(&ask(&world, RESET));
}

/// KEEP-1: what lies in the project permits nothing, whoever brought it there: a clone, a patch, or a
/// stash that brings back what was used up.
#[test]
fn a_repository_permits_nothing() {
    let world = guarded();
    let by = json!({ "source": "cli", "id": "ann" });
    let now = SystemClock.millis().0;
    let later = now + 60 * 60_000;
    let brought = json!({
        "schema": "provost.permits/1",
        "permits": [],
        "trusted": [{ "path": "/srv", "because": "x", "by": by, "at": now }],
        "snooze": { "because": "x", "by": by, "at": now, "expires": later },
    });
    world.write("repo/.provost/guard/permits.json", brought.to_string());
    for command in ["npm publish", "rm -r /srv/data"] {
        let answer = ask(&world, command).json();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask", "{answer}");
    }
    // The same file where a person's orders lie is what would let both pass.
    put(&world, &ways_out(&world).permits(), &brought.to_string());
    allowed(&ask(&world, "npm publish"));
    allowed(&ask(&world, "rm -r /srv/data"));
}

/// Fails closed, and names the file. What no rule speaks against does not read it.
#[test]
fn a_corrupt_file_of_permissions_refuses_what_is_refused() {
    let world = guarded();
    put(&world, &ways_out(&world).permits(), "{\"permits\": [");
    let reason = refused(&ask(&world, RESET));
    assert!(reason.contains("permits.json") && reason.contains("moves the file away"), "{reason}");
    refused(&ask(&world, "npm publish"));
    allowed(&ask(&world, "cargo test"));
    assert_eq!(world.provost().args(["guard", "allow"]).run().exit(), Some(6));
}

/// KEEP-1: a rule with a reason and an end, in the person's own file, for the project it was given in.
#[test]
fn a_rule_permits_for_good_and_keeps_the_file() {
    let world = guarded();
    let own = "home/.config/provost/provost.toml";
    let before = "# mine\nlang = \"en\" # here\n";
    world.write(own, before);
    let code = refused_code(&world, RESET);
    let order =
        ["guard", "allow", &code, "--rule", "--until", "2999-12-31", "--because", "nightly"];
    ordered(&world, &order);
    let text = fs::read_to_string(world.path(own)).unwrap();
    assert!(text.starts_with(before), "{text}");
    let project = world.path("repo").canonicalize().unwrap();
    for part in [
        "rule = [\"git.reset-hard\"]",
        "why = \"nightly\"",
        &format!("project = \"{}\"", project.display()),
    ] {
        assert!(text.contains(part), "{part} {text}");
    }
    for _ in 0..2 {
        allowed(&ask(&world, RESET));
    }
    refused(&ask(&world, "git reset --hard HEAD~1"));
    // The rule of another project permits nothing here, and neither does one of the repository.
    world.write(own, text.replace(&project.display().to_string(), "/srv/other"));
    refused(&ask(&world, RESET));
    world.write("repo/provost.toml", text.replace(before, ""));
    world.write(own, before);
    refused(&ask(&world, RESET));
    world.write("repo/provost.toml", "");
    let code = refused_code(&world, "git clean -fdx");
    ordered(&world, &["guard", "allow", &code, "--rule", "--user", "--because", "x"]);
    assert!(!fs::read_to_string(world.path(own)).unwrap().contains("project = "));
    ordered(&world, &["guard", "deny", "--command", "make deploy", "--because", "by hand"]);
    assert!(refused(&ask(&world, "make deploy")).contains("by hand"));
}

/// A trusted path is open to commands and tools, and what is protected in it is not.
#[test]
fn a_person_trusts_a_path_and_snoozes_questions() {
    let world = guarded();
    let asked = |ran: &Ran| ran.stdout().contains("\"ask\"");
    let outside = "rm -r /srv/provost-test/x";
    assert!(asked(&ask(&world, outside)));
    ordered(&world, &["guard", "trust", "/srv/provost-test", "--because", "fixtures"]);
    allowed(&ask(&world, outside));
    assert!(asked(&ask(&world, "rm -r /srv/other/x")));
    refused(&ask(&world, "cp x /srv/provost-test/.env"));
    let listed = world.provost().args(["guard", "trust"]).run().stdout();
    assert!(listed.contains("/srv/provost-test") && listed.contains("fixtures"), "{listed}");
    ordered(&world, &["guard", "trust", "/srv/provost-test", "--remove", "--because", "moved"]);
    assert!(asked(&ask(&world, outside)));
    let said = typed(&world, &["guard", "trust", "/etc", "--because", "x"], "y\n", &[]);
    assert!(said.exit != 0 && said.text.contains("belongs to the system"), "{}", said.text);

    assert!(asked(&ask(&world, "npm publish")));
    ordered(&world, &["guard", "snooze", "5", "--because", "I watch"]);
    allowed(&ask(&world, "npm publish"));
    refused(&ask(&world, RESET));
    assert!(world.provost().args(["guard", "allow"]).run().stdout().contains("snoozed for 5 min"));
    ordered(&world, &["guard", "snooze", "--off", "--because", "done"]);
    assert!(asked(&ask(&world, "npm publish")));
    let said = typed(&world, &["guard", "snooze", "999", "--because", "x"], "y\n", &[]);
    assert_eq!(said.exit, 2, "{}", said.text);
}

/// Ruling 78: a repository can raise the level, and neither lower it nor switch off a pack.
#[test]
fn a_repository_tightens_and_never_loosens() {
    let world = guarded();
    world.write("repo/provost.toml", "guard.level = \"strict\"\n");
    assert!(refused(&ask(&world, "npm publish")).contains("`publish`"));
    for loose in ["guard.level = \"relaxed\"\n", "guard.packs.git = false\n"] {
        world.write("repo/provost.toml", loose);
        // It has no effect and locks nobody out.
        allowed(&ask(&world, "ls"));
        refused(&ask(&world, RESET));
        let shown = world.provost().args(["config", "show"]).run();
        assert!(shown.stderr().contains("loosens the guard"), "{}", shown.text());
    }
    world.write("repo/provost.toml", "");
    world.write("home/.config/provost/provost.toml", "guard.packs = { git = false }\n");
    allowed(&ask(&world, RESET));
}

/// What only touches a temporary worktree, a merged branch or one's own passes.
#[test]
fn facts_of_the_repository_decide() {
    let world = guarded();
    let git = |arguments: &[&str]| {
        let mut git = world.program("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
        let ran = git.output().unwrap();
        assert!(ran.status.success(), "{arguments:?} {}", String::from_utf8_lossy(&ran.stderr));
    };
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["branch", "merged"]);
    git(&["checkout", "-q", "-b", "login"]);
    git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    git(&["branch", "unmerged"]);
    git(&["checkout", "-q", "merged"]);
    git(&["worktree", "add", "-q", "../tree", "unmerged"]);
    allowed(&ask(&world, "git branch -D merged"));
    refused(&ask(&world, "git branch -D login"));
    refused(&ask(&world, "git branch -D merged login"));
    allowed(&ask(&world, "git push --force origin login"));
    refused(&ask(&world, "git push --force origin somebody"));
    refused(&ask(&world, "git push --force origin main"));

    let in_tree = |command: &str| {
        let mut payload = call(&world, command);
        payload["cwd"] = world.path("tree").display().to_string().into();
        hook(&world, "claude", "pre-tool-use").input(payload.to_string()).run()
    };
    for command in ["git reset --hard", "git clean -fdx", "git checkout ."] {
        allowed(&in_tree(command));
        refused(&ask(&world, command));
    }
    refused(&in_tree(&format!("git -C {} reset --hard", world.path("repo").display())));
    // A file that calls itself a worktree is none.
    world.write(
        "fake/.git",
        format!("gitdir: {}/.git/worktrees/tree\n", world.path("repo").display()),
    );
    let mut payload = call(&world, RESET);
    payload["cwd"] = world.path("fake").display().to_string().into();
    refused(&hook(&world, "claude", "pre-tool-use").input(payload.to_string()).run());
}
