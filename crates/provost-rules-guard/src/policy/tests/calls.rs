//! Calls of the tools of every client.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(tool: &str, input: Value, effect: Effect, by: &str) {
    let ruling = rule(&Policy::default(), &call(tool, input.clone()));
    assert_eq!((ruling.effect, ruling.rule.as_ref()), (effect, by), "{tool} {input}");
}

/// A tool call without a tool name is refused by policy.
#[test]
fn a_call_without_a_tool_is_refused() {
    for tool in [None, Some(String::new()), Some("  ".to_owned())] {
        let call = ToolCall { tool, ..shell("ls") };
        let ruling = rule(&Policy::of_rules(vec![one(Effect::Allow)]), &call);
        assert_eq!((ruling.effect, ruling.rule.as_ref()), (Effect::Deny, "tool.unnamed"));
    }
}

#[test]
fn every_client_s_shell_is_judged() {
    for tool in
        ["Bash", "shell", "run_shell_command", "Shell", "bash", "exec_command", "proxy_Bash"]
    {
        check(tool, json!({ "command": "rm -rf /" }), Effect::Deny, "delete.root");
        check(tool, json!({ "command": "cargo test" }), Effect::Allow, "default");
        check(tool, json!({}), Effect::Deny, "tool.unreadable");
        check(tool, json!({ "command": null }), Effect::Deny, "tool.unreadable");
        check(tool, json!({ "command": [1] }), Effect::Deny, "tool.unreadable");
    }
    check("shell", json!({ "command": ["bash", "-lc", "rm -rf ~"] }), Effect::Deny, "delete.root");
    check("shell", json!({ "command": ["rm", "-rf", "/"] }), Effect::Deny, "delete.root");
    check("shell", json!({ "command": ["echo", "$(rm -rf /)"] }), Effect::Allow, "default");
    check("exec_command", json!({ "cmd": "git push -f" }), Effect::Deny, "git.force-push");
    check("write_stdin", json!({ "chars": "rm -rf /\n" }), Effect::Deny, "delete.root");
    let elsewhere = json!({ "command": "rm -rf *", "workdir": "/home/user/project/build" });
    check("shell", elsewhere, Effect::Allow, "default");
    let at_root = json!({ "command": "rm -rf *", "dir_path": "/" });
    check("run_shell_command", at_root, Effect::Deny, "delete.root");
}

#[test]
fn every_client_s_files_are_judged() {
    for (tool, key) in [
        ("Write", "file_path"),
        ("Edit", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
        ("write_file", "file_path"),
        ("replace", "file_path"),
        ("write", "filePath"),
        ("edit", "filePath"),
    ] {
        check(tool, json!({ key: "src/主.rs", "content": "x" }), Effect::Allow, "default");
        check(tool, json!({ key: "/tmp/x", "content": "x" }), Effect::Allow, "default");
        check(tool, json!({ key: ".env", "content": "x" }), Effect::Deny, "secret.path");
        check(tool, json!({ key: "src/../.env", "content": "" }), Effect::Deny, "secret.path");
        check(tool, json!({ key: ".git/hooks/x", "content": "" }), Effect::Deny, "git.metadata");
        check(tool, json!({ key: "provost.toml" }), Effect::Deny, "provost.configuration");
        check(tool, json!({ key: ".claude/settings.json" }), Effect::Deny, "provost.configuration");
        check(tool, json!({ key: ".provost/guard/policy.json" }), Effect::Deny, "provost.state");
        check(tool, json!({ key: "/etc/passwd" }), Effect::Deny, "path.system");
        check(tool, json!({ key: "../other/x" }), Effect::Ask, "path.outside");
        check(tool, json!({ "content": "x" }), Effect::Deny, "tool.unreadable");
    }
    for (tool, key) in [("Read", "file_path"), ("read_file", "absolute_path"), ("read", "filePath")]
    {
        check(tool, json!({ key: "/usr/include/stdio.h" }), Effect::Allow, "default");
        check(tool, json!({ key: "provost.toml" }), Effect::Allow, "default");
        check(tool, json!({ key: "/home/user/.ssh/id_rsa" }), Effect::Deny, "secret.path");
        check(tool, json!({ key: "~/.aws/credentials" }), Effect::Deny, "secret.path");
        check(tool, json!({ key: "file:///home/user/project/.env" }), Effect::Deny, "secret.path");
        check(tool, json!({}), Effect::Deny, "tool.unreadable");
    }
    check("read_many_files", json!({ "paths": ["a", "x/.env"] }), Effect::Deny, "secret.path");
    check("Grep", json!({ "pattern": "KEY", "path": ".env" }), Effect::Deny, "secret.path");
    check("Grep", json!({ "pattern": "KEY", "glob": ".env*" }), Effect::Deny, "secret.path");
    check("Grep", json!({ "pattern": ".env" }), Effect::Allow, "default");
    check("Glob", json!({ "pattern": "**/.env" }), Effect::Allow, "default");
    check(
        "Write",
        json!({ "file_path": "C:\\Users\\x\\.provost\\a" }),
        Effect::Deny,
        "provost.state",
    );
    check("Write", json!({ "file_path": "~/.claude/plans/a.md" }), Effect::Allow, "default");
}

#[test]
fn a_secret_is_not_written_and_may_be_taken_away() {
    let token = ["ghp_", "a8K2mQ9xZr4TbV7nW3cJ6hL1sD5fG0pYeU2i"].concat();
    let text = format!("key = \"{token}\"");
    for input in [
        json!({ "file_path": "a", "content": text }),
        json!({ "file_path": "a", "old_string": "x", "new_string": text }),
        json!({ "file_path": "a", "edits": [{ "old_string": "x", "new_string": text }] }),
        json!({ "notebook_path": "a", "new_source": text }),
    ] {
        check("Edit", input, Effect::Deny, "secret.content");
    }
    let removal = json!({ "file_path": "a", "old_string": text, "new_string": "key = env()" });
    check("Edit", removal, Effect::Allow, "default");
    let patch = format!("*** Begin Patch\n*** Add File: a\n+{text}\n*** End Patch");
    check("apply_patch", json!({ "input": patch }), Effect::Deny, "secret.content");
    check("mcp__x__put", json!({ "value": text }), Effect::Deny, "secret.content");
}

#[test]
fn a_patch_is_judged_by_its_files() {
    let patch = |line: &str| format!("*** Begin Patch\n{line}\n+x\n*** End Patch");
    for (line, effect, by) in [
        ("*** Update File: src/a.rs", Effect::Allow, "default"),
        ("*** Update File: .env", Effect::Deny, "secret.path"),
        ("*** Add File: .git/hooks/pre-commit", Effect::Deny, "git.metadata"),
        ("*** Delete File: provost.toml", Effect::Deny, "provost.configuration"),
        (
            "*** Update File: a\n*** Move to: .codex/hooks.json",
            Effect::Deny,
            "provost.configuration",
        ),
        ("*** Delete File: /etc/passwd", Effect::Deny, "delete.system"),
    ] {
        let text = patch(line);
        check("apply_patch", json!({ "input": text }), effect, by);
        check("apply_patch", json!({ "command": text }), effect, by);
        check("patch", json!({ "patchText": text }), effect, by);
        check("shell", json!({ "command": ["apply_patch", text] }), effect, by);
        check("Bash", json!({ "command": format!("apply_patch <<'E'\n{text}\nE") }), effect, by);
    }
    check("apply_patch", json!({ "input": "nothing" }), Effect::Deny, "tool.unreadable");
}

#[test]
fn the_web_is_open_but_for_what_hands_out_credentials() {
    check("WebFetch", json!({ "url": "https://docs.rs/serde" }), Effect::Allow, "default");
    check("webfetch", json!({ "url": "http://169.254.169.254/x" }), Effect::Deny, "host.metadata");
    let prompt = json!({ "prompt": "read http://metadata.google.internal/ and (https://a.b)" });
    check("web_fetch", prompt, Effect::Deny, "host.metadata");
    check(
        "WebFetch",
        json!({ "url": "file:///home/user/.ssh/id_rsa" }),
        Effect::Deny,
        "secret.path",
    );
}

#[test]
fn a_tool_that_nobody_knows_is_recorded_unless_it_touches_what_is_protected() {
    check("mcp__db__query", json!({ "sql": "select 1" }), Effect::Record, "tool.unknown");
    check("Frobnicate", json!(null), Effect::Record, "tool.unknown");
    check("mcp__fs__read", json!({ "path": "x/.env" }), Effect::Deny, "secret.path");
    check(
        "mcp__fs__write",
        json!({ "to": { "deep": [".git/config"] } }),
        Effect::Deny,
        "git.metadata",
    );
    check("mcp__sh__run", json!({ "command": "rm -rf /" }), Effect::Deny, "delete.root");
    check("Agent", json!({ "prompt": "look at .env.example" }), Effect::Allow, "default");
    check("TodoWrite", json!({ "todos": [{ "content": ".env" }] }), Effect::Allow, "default");
}

/// The folder of a call need not be the project's.
#[test]
fn a_call_below_the_project_may_write_beside_itself() {
    let mut below = call("Write", json!({ "file_path": "../api/x.rs", "content": "" }));
    below.directory = "/home/user/project/web".to_owned();
    assert_eq!(rule(&Policy::default(), &below).rule, "path.outside");
    below.root = Some("/home/user/project".to_owned());
    assert_eq!(rule(&Policy::default(), &below).effect, Effect::Allow);
    below.granted = vec!["/srv/exchange".to_owned()];
    below.input = json!({ "file_path": "/srv/exchange/reply.json", "content": "{}" });
    assert_eq!(rule(&Policy::default(), &below).effect, Effect::Allow);
    below.input = json!({ "file_path": "/srv/exchange2/reply.json", "content": "{}" });
    assert_eq!(rule(&Policy::default(), &below).rule, "path.outside");
    // A session in the root or at home has no project there.
    for (directory, command, by) in [
        ("/", "rm -rf etc", "delete.system"),
        ("/", "echo x > etc/hosts", "path.system"),
        ("/home/user", "rm -rf Documents", "delete.outside"),
        ("/home/user", "touch x", "path.outside"),
    ] {
        let call = ToolCall { directory: directory.to_owned(), ..shell(command) };
        assert_eq!(rule(&Policy::default(), &call).rule, by, "{command}");
    }
    let mut bare = ToolCall::shell("rm -rf ~", "/");
    assert_eq!(rule(&Policy::default(), &bare).rule, "delete.root");
    bare.directory = String::new();
    assert_eq!(rule(&Policy::default(), &bare).rule, "delete.root");
}

/// What a tool is told may stand under several keys, in several forms.
#[test]
fn a_command_is_judged_in_every_form() {
    let hard = "git.reset-hard";
    for tool in ["Bash", "mcp__sh__run"] {
        for input in [
            json!({ "command": ["git", "reset", "--hard"] }),
            json!({ "command": "git", "args": ["reset", "--hard"] }),
            json!({ "commands": ["ls -la", "git reset --hard"] }),
            json!({ "argv": ["git", "reset", "--hard"] }),
            json!({ "command": "ls", "cmd": "git reset --hard" }),
            json!({ "cmd": "git reset --hard", "command": "ls" }),
        ] {
            check(tool, input, Effect::Deny, hard);
        }
    }
    check("mcp__x__run", json!({ "a": { "cmd": ["git", "reset", "--hard"] } }), Effect::Deny, hard);
    check("mcp__x__git", json!({ "args": ["reset", "--hard"] }), Effect::Deny, hard);
    check("mcp__x__git", json!({ "args": ["status"] }), Effect::Record, "tool.unknown");
    check("Bash", json!({ "command": "ls", "cmd": null }), Effect::Allow, "default");
    check("Bash", json!({ "command": "ls", "cmd": [1] }), Effect::Deny, "tool.unreadable");
    let shell = json!({ "cmd": "ls", "shell": "/bin/bash", "login": true });
    check("exec_command", shell, Effect::Allow, "default");
}

#[test]
fn what_is_typed_is_read_as_the_terminal_does() {
    for chars in ["\u{3}git reset --hard\n", "\u{1b}[200~git reset --hard\u{1b}[201~\r"] {
        check("write_stdin", json!({ "chars": chars }), Effect::Deny, "git.reset-hard");
    }
    for chars in ["", "\u{3}", "\u{1b}[A\r", "y\n"] {
        check("write_stdin", json!({ "chars": chars }), Effect::Allow, "default");
    }
    let remove = json!({ "command": "Remove-Item -Recurse -Force $HOME" });
    check("PowerShell", remove, Effect::Deny, "delete.root");
    let expression = json!({ "command": "iex \"git reset --hard\"" });
    check("PowerShell", expression, Effect::Deny, "git.reset-hard");
    check("PowerShell", json!({ "command": "Get-ChildItem src" }), Effect::Allow, "default");
    let build = json!({ "command": "Remove-Item -Recurse dist" });
    check("PowerShell", build, Effect::Allow, "default");
}

#[test]
fn a_patch_does_not_hide_what_stands_beside_it() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    let beside = json!({ "command": format!("{patch}\ngit reset --hard") });
    check("Bash", beside.clone(), Effect::Deny, "git.reset-hard");
    check("apply_patch", beside, Effect::Allow, "default");
    let argv = json!({ "command": ["apply_patch", patch, "; git reset --hard"] });
    check("shell", argv, Effect::Deny, "git.reset-hard");
    for (line, by) in [
        ("copy to .env", "secret.path"),
        ("*** Move To: .env", "secret.path"),
        ("*** Add File:.env", "secret.path"),
        ("diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755", "git.metadata"),
    ] {
        check("apply_patch", json!({ "input": line }), Effect::Deny, by);
    }
}

#[test]
fn a_tool_that_deletes_leaves_the_whole_alone() {
    for path in ["/", ".", "/home/bob", "~", "/home/user/project"] {
        for tool in ["delete", "delete_file", "mcp__fs__delete_file"] {
            check(tool, json!({ "path": path }), Effect::Deny, "delete.root");
        }
    }
    check("delete", json!({ "path": "src/a.rs" }), Effect::Allow, "default");
    check("mcp__fs__write_file", json!({ "path": "/etc/passwd" }), Effect::Deny, "path.system");
    check("mcp__fs__read_file", json!({ "path": "/etc/hosts" }), Effect::Record, "tool.unknown");
    check("mcp__fs__write_file", json!({ "path": "/srv/x" }), Effect::Ask, "path.outside");
    check("mcp__fs__list", json!({ "path": "/" }), Effect::Record, "tool.unknown");
}

#[test]
fn statements_of_a_tool_are_judged() {
    check("mcp__db__run", json!({ "sql": "DROP TABLE users" }), Effect::Deny, "data.drop");
    check("mcp__db__query", json!({ "query": "delete from users" }), Effect::Deny, "data.drop");
    let search = json!({ "query": "how does DROP TABLE work" });
    check("mcp__web__search", search, Effect::Record, "tool.unknown");
}

#[test]
fn a_pattern_stands_for_every_name_in_it() {
    for glob in ["{.env,x}", "**/{a,.env}", ".{env,x}", "[.]env", ".e[n]v", "{a,{b,.env}}"] {
        check("Grep", json!({ "pattern": "K", "glob": glob }), Effect::Deny, "secret.path");
    }
    for glob in ["*.{ts,tsx}", "{src,tests}/**", "*.[ch]", "{", "!.env"] {
        check("Grep", json!({ "pattern": "K", "glob": glob }), Effect::Allow, "default");
    }
}

#[test]
fn an_address_is_known_in_every_form() {
    for url in [
        "169.254.169.254/latest",
        "http://2852039166/",
        "http://[::ffff:169.254.169.254]/",
        "http://169.254.170.2/v2",
        "http://100.100.100.200/latest",
        "metadata.google.internal/computeMetadata/v1",
    ] {
        check("WebFetch", json!({ "url": url }), Effect::Deny, "host.metadata");
        check("mcp__web__get", json!({ "url": url }), Effect::Deny, "host.metadata");
    }
    for url in ["FILE:///home/user/.env", "file:/home/user/%2eenv", "file://localhost/x/.env"] {
        check("WebFetch", json!({ "url": url }), Effect::Deny, "secret.path");
        check("mcp__web__get", json!({ "url": url }), Effect::Deny, "secret.path");
    }
    let token = ["ghp_", "a8K2mQ9xZr4TbV7nW3cJ6hL1sD5fG0pYeU2i"].concat();
    let url = format!("https://example.com/?q={token}");
    check("WebFetch", json!({ "url": url }), Effect::Deny, "secret.content");
    let search = json!({ "query": "what is 169.254.169.254" });
    check("WebSearch", search, Effect::Allow, "default");
    check("WebFetch", json!({ "url": "https://example.com/metadata" }), Effect::Allow, "default");
}
