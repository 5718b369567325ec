//! What people add to an agent that they use themselves: a model, flags, variables.

use std::fs;

use serde_json::json;

use crate::loop_world::{Loop, ended};

/// A client that does the work and leaves its command line and the names of its variables. It is
/// asked for its login, too.
const CLIENT: &str = r#"case "$1" in auth|login) exit 0;; --version) echo 1.0.0; exit 0;; esac
for it in "$@"; do case "$it" in --*) printf '%s\n' "$it";; esac; done >flags.txt
env | sed -n 's/^\([A-Z_]*\)=.*/\1/p' | LC_ALL=C sort >names.txt
echo 42 >answer.txt"#;

/// Everything that a person behind a gateway may have set.
const VARIABLES: [&str; 8] = [
    "ANTHROPIC_CUSTOM_HEADERS",
    "AWS_PROFILE",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SHELL_PREFIX",
    "HTTPS_PROXY",
    "MY_GATEWAY_KEY",
    "NODE_EXTRA_CA_CERTS",
    "OTHER_KEY",
];

/// Runs a task with a client and more variables; gives its flags and the names that it was given
/// of those that were set.
#[track_caller]
fn run(it: &Loop, id: &str, changes: serde_json::Value, more: &[&str]) -> (String, Vec<String>) {
    let path = it.program("claude", CLIENT);
    let _ = it.program("codex", CLIENT);
    let spec = it.spec(id, changes);
    let provost = it.provost(&["run", spec.to_str().unwrap()]).variable("PATH", &path);
    let all: Vec<&str> = VARIABLES.iter().chain(more).copied().collect();
    // A folder that is not there: the login is not copied from it.
    let provost = all.iter().fold(provost, |it, name| it.variable(name, "/does/not/exist"));
    ended(&provost.run(), 0, "READY_FOR_REVIEW");
    let commit = it.text(&format!("{id}/attempt_001/head_commit.txt"));
    let shown = |path: &str| it.git(&format!("show {}:{path}", commit.trim()));
    let names = shown("names.txt");
    let given = names.lines().filter(|it| all.contains(it)).map(str::to_owned).collect();
    (shown("flags.txt"), given)
}

/// Issue 16, build 10: a company gateway, a cloud and a model of one's own.
#[test]
fn a_preset_takes_a_model_flags_and_variables() {
    let it = Loop::with_config(
        "[adapter.claude-code]\nmodel = \"team\"\nargs = [\"--effort=high\"]\n\
         [adapter.codex]\nmodel = \"team\"\n",
    );
    let local = "[adapter.codex]\nmodel = \"mine\"\nvariables = [\"MY_GATEWAY_KEY\"]\n\
         args = [\"--config=model_provider=gateway\"]\n";
    it.world.write("repo/.provost/local.toml", local);

    let (flags, names) = run(&it, "plain", json!({ "coder": "claude" }), &[]);
    assert!(flags.contains("--model=team\n--effort=high\n"), "{flags}");
    let private = "CLAUDE_CONFIG_DIR";
    let expected = ["ANTHROPIC_CUSTOM_HEADERS", private, "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"];
    assert_eq!(names, expected);

    let spec = json!({ "coder": "claude-code", "coder_model": "own" });
    let (flags, names) = run(&it, "bedrock", spec, &["CLAUDE_CODE_USE_BEDROCK"]);
    assert!(flags.contains("--model=own\n--effort=high\n"), "{flags}");
    assert!(!flags.contains("team"), "{flags}");
    for name in ["AWS_PROFILE", "CLAUDE_CODE_USE_BEDROCK"] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }

    // The person's table replaces the team's.
    let (flags, names) = run(&it, "codex", json!({ "coder": "codex" }), &[]);
    assert!(flags.contains("--model=mine\n--config=model_provider=gateway\n--\n"), "{flags}");
    assert_eq!(names, ["HTTPS_PROXY", "MY_GATEWAY_KEY", "NODE_EXTRA_CA_CERTS"]);
}

/// A repository describes how an agent works, and gets nothing of the person's environment by it.
#[test]
fn a_repository_passes_no_variable_and_chooses_no_address() {
    let table = |line: &str| format!("[adapter.codex]\n{line}\n");
    let mine = |line: &str| format!("[adapter.mine]\n{line}\n");
    let variable = "variables = [\"MY_GATEWAY_KEY\"]";
    let address = "args = [\"--config=model_providers.x.base_url=http://127.0.0.1:1\"]";
    let it = Loop::new();
    let config = fs::read_to_string(it.world.path("repo/provost.toml")).unwrap();
    let path = it.program("codex", CLIENT);
    let refused = |id: &str, named: &str| {
        let spec = it.spec(id, json!({ "coder": "codex" }));
        let ran = it
            .provost(&["run", spec.to_str().unwrap()])
            .variable("PATH", &path)
            .variable("MY_GATEWAY_KEY", "k")
            .run();
        assert_eq!(ran.exit(), Some(2), "{id}: {}", ran.text());
        assert!(ran.stderr().contains(named), "{id}: {}", ran.stderr());
        assert!(ran.stderr().contains(".provost/local.toml"), "{id}: {}", ran.stderr());
        assert!(!it.exists(id), "{id}");
    };
    let passed = "`MY_GATEWAY_KEY` cannot be passed by a file of the repository";
    let command = "kind = \"command\"\nargv = [\"sh\"]\nvariables = [\"MY_GATEWAY_KEY\"]";
    let key = "kind = \"chat\"\nbase = \"https://a.example/v1\"\nkey_variable = \"MY_GATEWAY_KEY\"";
    let remote = "kind = \"command\"\nargv = [\"sh\"]\nremote = \"builder\"";
    for (id, added, named) in [
        ("variable", table(variable), passed),
        (
            "address",
            table(address),
            "`--config=model_providers.x.base_url` cannot be set by a file",
        ),
        ("program", table("program = \"./codex\""), "the program would get your login to Codex"),
        ("command", mine(command), passed),
        ("key", mine(key), passed),
        ("remote", mine(remote), "`remote` cannot be set by a file of the repository"),
    ] {
        it.world.write("repo/provost.toml", format!("{config}{added}"));
        it.commit();
        refused(id, named);
    }
    it.world.write("repo/provost.toml", &config);
    it.commit();

    // A home that came with the repository does not belong to the person.
    it.world.write("repo/.provost/local.toml", table(variable));
    it.git("add --force .provost/local.toml");
    it.commit();
    refused("home", "`MY_GATEWAY_KEY` cannot be passed by a file of the repository");
    it.git("rm --quiet --cached .provost/local.toml");
    it.commit();
    let spec = it.spec("own", json!({ "coder": "codex" }));
    let ran = it.provost(&["run", spec.to_str().unwrap()]).variable("PATH", &path).run();
    ended(&ran, 0, "READY_FOR_REVIEW");
}
