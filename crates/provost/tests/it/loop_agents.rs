//! Agents that people use themselves, as coders: their state is private, their own folders cannot be
//! written, and the settings of the repository have no effect on them.
//!
//! The clients are stand-ins that do what the real ones were seen to do: they obey the settings of a
//! repository unless their command line says otherwise, and those of their folder at the next start.

use std::{fs, path::Path};

use serde_json::json;

use crate::loop_world::Loop;

/// A client: its name, the person's files that it reads, and the file with its login.
struct Client {
    name: &'static str,
    /// Where it finds its login during a call.
    login: &'static str,
    files: &'static [&'static str],
    /// Takes over the client where the settings of the repository have an effect.
    obeys: &'static str,
}

const CLIENTS: [Client; 4] = [
    Client {
        name: "claude-code",
        login: "$CLAUDE_CONFIG_DIR/.credentials.json",
        files: &[".claude/.credentials.json", ".claude/settings.json"],
        obeys: "case \"$*\" in *--setting-sources=user*--strict-mcp-config*) ;; *) obey .claude/settings.json; obey .mcp.json;; esac",
    },
    Client {
        name: "codex",
        login: "$CODEX_HOME/auth.json",
        files: &[".codex/auth.json", ".codex/config.toml"],
        obeys: "case \"$*\" in *trust_level=\\\"untrusted\\\"*) ;; *) obey .codex/config.toml;; esac",
    },
    Client {
        name: "gemini",
        login: "$GEMINI_CLI_HOME/.gemini/oauth_creds.json",
        files: &[".gemini/oauth_creds.json", ".gemini/settings.json"],
        obeys: "case \"$*\" in *--skip-trust*) ;; *) obey .gemini/settings.json;; esac",
    },
    Client {
        name: "opencode",
        login: "$XDG_DATA_HOME/opencode/auth.json",
        files: &[".local/share/opencode/auth.json", ".config/opencode/opencode.json"],
        obeys: "obey .opencode/plugins/p.js; obey opencode.json",
    },
];

/// What a repository holds that takes over a client which obeys it.
const PLANTED: [&str; 6] = [
    ".claude/settings.json",
    ".mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".opencode/plugins/p.js",
    "opencode.json",
];

const LOGIN: &str = r#"{"oauth": {"token": "first", "until": 1}}"#;

/// A world with a person who uses every client, and a repository that would take each over.
fn world() -> Loop {
    let config: Vec<String> = CLIENTS
        .iter()
        .map(|it| {
            let name = it.name;
            format!(
                "[adapter.{name}-coder]\nkind = \"preset\"\npreset = \"{name}\"\nprogram = \"@WORLD/bin/{name}\"\n"
            )
        })
        .collect();
    let it = Loop::with_own(&config.concat());
    for client in &CLIENTS {
        for file in client.files {
            it.world.write(format!("home/{file}"), LOGIN);
        }
    }
    for path in PLANTED {
        it.world.write(format!("repo/{path}"), "run me\n");
    }
    it.commit();
    it
}

/// Makes a client whose programs do this besides, and runs a task with it.
fn run(it: &Loop, client: &Client, id: &str, script: &str) {
    let obey = "obey() { [ -e \"$1\" ] && echo \"$1\" >>taken-over.txt; }";
    let Client { name, login, obeys, .. } = client;
    it.program(
        name,
        &format!(
            "{obey}\n{obeys}\ncat \"{login}\" >login.txt\nlogin=\"{login}\"\n{script}\necho 42 >answer.txt"
        ),
    );
    it.check(id, json!({ "coder": format!("{name}-coder") }), 0, "READY_FOR_REVIEW");
}

fn kept(it: &Loop, client: &Client) -> Vec<String> {
    let text = |file: &&str| fs::read_to_string(it.world.path(format!("home/{file}"))).unwrap();
    client.files.iter().map(text).collect()
}

/// Rulings 95 and 96: nothing that a job writes is read by a client outside the sandbox, and nothing
/// of the repository takes a client over.
#[test]
fn a_job_leaves_nothing_for_the_next_start_of_a_client() {
    let it = world();
    for client in &CLIENTS {
        let before = kept(&it, client);
        // Whatever lies in the person's folders, and in the one that the client was given.
        let everywhere = "for it in .claude .codex .gemini .cursor .config/opencode .local/share/opencode; do
                echo canary >\"$HOME/$it/settings.json\"; echo canary >\"$HOME/$it/hooks.json\"
            done 2>/dev/null
            for it in \"${login%/*}\" \"${login%/*}/..\"; do echo canary >\"$it/settings.json\"; done
            env >environment.txt";
        run(&it, client, client.name, everywhere);
        let name = client.name;
        let commit = it.text(&format!("{name}/attempt_001/head_commit.txt"));
        let shown = |path: &str| it.git(&format!("show {}:{path}", commit.trim()));
        assert_eq!(shown("login.txt").trim(), LOGIN, "{name}: it has the person's login");
        let files = it.git(&format!("ls-tree -r --name-only {}", commit.trim()));
        assert!(!files.contains("taken-over.txt"), "{name}: {}", shown("taken-over.txt"));
        for path in PLANTED {
            assert!(files.contains(path), "{name}: `{path}` is as it was: {files}");
        }
        assert_eq!(kept(&it, client), before, "{name}: the person's files are as they were");
        for folder in [".claude", ".codex", ".gemini", ".cursor", ".config/opencode"] {
            let canary = it.world.path(format!("home/{folder}/hooks.json"));
            assert!(!canary.exists(), "{name}: {}", canary.display());
        }
        assert!(it.work(name).is_empty(), "{name}: {:?}", it.work(name));
    }
}

/// Ruling 96: a login that the program renewed goes back to the person; anything else that lies in
/// its place does not.
#[test]
fn only_a_renewed_login_goes_back() {
    let it = world();
    let client = &CLIENTS[0];
    let before = kept(&it, client);
    for (id, login) in [
        ("hook", r#"{"oauth": {"token": "x", "until": 2}, "apiKeyHelper": "run me"}"#),
        ("junk", "run me"),
    ] {
        run(&it, client, id, &format!("echo '{login}' >\"$login\""));
        assert_eq!(kept(&it, client), before, "{id}");
    }
    run(&it, client, "link", "rm \"$login\"; ln -s /etc/hostname \"$login\"");
    assert_eq!(kept(&it, client), before, "a link");
    run(&it, client, "renewed", "sed -i 's/first/second/; s/1/2/' \"$login\"");
    let after = fs::read_to_string(it.world.path("home/.claude/.credentials.json")).unwrap();
    let after: serde_json::Value = serde_json::from_str(&after).unwrap();
    assert_eq!(after, json!({"oauth": {"token": "second", "until": 2}}));
    assert_eq!(kept(&it, client)[1], before[1], "the settings stay");
    assert!(Path::new(&it.world.path("home/.claude/settings.json")).is_file());
}

/// Settings that name a file which is copied name its copy: Codex trusts hooks by their path.
#[test]
fn trust_in_the_person_s_own_hooks_is_kept() {
    let it = world();
    let hooks = it.world.path("home/.codex/hooks.json");
    it.world.write("home/.codex/hooks.json", "{}");
    let trust = format!("[hooks.state.\"{}:stop:0:0\"]\n", hooks.display());
    it.world.write("home/.codex/config.toml", trust);
    let script = "grep -q \"\\\"$CODEX_HOME/hooks.json:stop\" \"$CODEX_HOME/config.toml\" && [ -e \"$CODEX_HOME/hooks.json\" ] && echo yes >trusted.txt";
    run(&it, &CLIENTS[1], "t1", script);
    let commit = it.text("t1/attempt_001/head_commit.txt");
    assert_eq!(it.git(&format!("show {}:trusted.txt", commit.trim())).trim(), "yes");
}
