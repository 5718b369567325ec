//! The policy as a whole, over the commands of the fixture and calls of every client.

mod calls;
mod code;
mod disguise;
mod itself;
mod rates;
mod rows;
mod way_out;

use provost_kernel::{
    Lang, Message,
    guard::policy::{Effect, Policy, PolicyRule, ToolCall},
};
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    command: String,
    effect: Effect,
    rule: String,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../../fixtures/guard/commands.json");
    serde_json::from_str(text).unwrap()
}

/// A command in the zones of the fixture.
fn shell(command: &str) -> ToolCall {
    call("Bash", json!({ "command": command }))
}

fn call(tool: &str, input: serde_json::Value) -> ToolCall {
    ToolCall {
        tool: Some(tool.to_owned()),
        input,
        directory: "/home/user/project".to_owned(),
        root: None,
        granted: Vec::new(),
        home: Some("/home/user/project/.provost".to_owned()),
        user_home: Some("/home/user".to_owned()),
        program: None,
        facts: Vec::new(),
        links: Vec::new(),
    }
}

#[test]
fn every_command_of_the_fixture_is_ruled_as_written() {
    let wrong: Vec<String> = cases()
        .into_iter()
        .filter_map(|case| {
            let ruling = rule(&Policy::default(), &shell(&case.command));
            let is_right = ruling.effect == case.effect && ruling.rule == case.rule;
            let Case { command, effect, rule } = case;
            (!is_right).then(|| {
                let (ruled, by) = (ruling.effect, ruling.rule);
                format!("{command:?}: {effect:?} {rule}, ruled {ruled:?} {by}")
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// A guard that cries wolf is turned off, so the ordinary commands are as many as the issue asks.
#[test]
fn the_fixture_is_wide_enough() {
    let cases = cases();
    let count = |effect| cases.iter().filter(|it| it.effect == effect).count();
    assert!(count(Effect::Allow) >= 70 && count(Effect::Deny) >= 150, "{}", cases.len());
    let chinese = cases.iter().filter(|it| !it.command.is_ascii()).count();
    assert!(chinese >= 10, "{chinese}");
    let mut commands: Vec<_> = cases.iter().map(|it| &it.command).collect();
    commands.sort_unstable();
    commands.dedup();
    assert_eq!(commands.len(), cases.len());
}

#[test]
fn every_rule_about_commands_is_tried() {
    let cases = cases();
    let elsewhere =
        ["tool.unnamed", "tool.unknown", "tool.unreadable", "shell.limits", "secret.content"];
    for built_in in BuiltIn::ALL {
        let is_tried = cases.iter().any(|it| it.rule == built_in.id());
        assert!(is_tried || elsewhere.contains(&built_in.id()), "{}", built_in.id());
    }
}

#[test]
fn a_command_that_nobody_can_read_is_refused() {
    let long = format!("echo {}", "x".repeat(provost_shell::MAX_LEN));
    let ruling = rule(&Policy::default(), &shell(&long));
    assert_eq!((ruling.effect, ruling.rule.as_ref()), (Effect::Deny, "shell.limits"));
    assert!(ruling.subject.len() < 1000);
    let deep = "eval ".repeat(200) + "ls";
    assert_eq!(rule(&Policy::default(), &shell(&deep)).effect, Effect::Deny);
}

#[test]
fn a_secret_in_a_command_is_refused_and_not_repeated() {
    let token = ["ghp_", "a8K2mQ9xZr4TbV7nW3cJ6hL1sD5fG0pYeU2i"].concat();
    let command = format!("curl -H 'Authorization: Bearer {token}' https://api.example");
    let ruling = rule(&Policy::default(), &shell(&command));
    assert_eq!((ruling.effect, ruling.rule.as_ref()), (Effect::Deny, "secret.content"));
    assert!(!format!("{ruling:?}").contains(&token));
    let argv = call("shell", json!({ "command": ["curl", "-H", token] }));
    assert_eq!(rule(&Policy::default(), &argv).rule, "secret.content");
}

fn one(effect: Effect) -> PolicyRule {
    PolicyRule::new(effect)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[track_caller]
fn check_own(rules: &[PolicyRule], call: &ToolCall, effect: Effect, by: &str) {
    let ruling = rule(&Policy::of_rules(rules.to_vec()), call);
    assert_eq!((ruling.effect, ruling.rule.as_ref()), (effect, by), "{call:?}");
}

#[test]
fn a_person_answers_what_is_asked_and_never_what_is_denied() {
    let publish = PolicyRule { command: words("cargo publish"), ..one(Effect::Allow) };
    let all = one(Effect::Allow);
    check_own(&[], &shell("cargo publish"), Effect::Ask, "publish");
    check_own(std::slice::from_ref(&publish), &shell("cargo publish"), Effect::Allow, "user.1");
    check_own(std::slice::from_ref(&publish), &shell("npm publish"), Effect::Ask, "publish");
    // What stands beside it is not answered with it.
    let both = shell("cargo publish; rm -rf ../x");
    check_own(std::slice::from_ref(&publish), &both, Effect::Ask, "delete.outside");
    check_own(std::slice::from_ref(&all), &shell("rm -rf /"), Effect::Deny, "delete.root");
    check_own(std::slice::from_ref(&all), &shell("cat .env"), Effect::Deny, "secret.path");
    check_own(std::slice::from_ref(&all), &shell("$X"), Effect::Allow, "user.1");
}

#[test]
fn the_first_rule_of_a_person_that_fits_decides() {
    let no_push = PolicyRule {
        id: Some("no-push".to_owned()),
        command: words("git push"),
        why: Some("only CI pushes".to_owned()),
        ..one(Effect::Deny)
    };
    let push = PolicyRule { command: words("git push"), ..one(Effect::Allow) };
    check_own(&[no_push.clone(), push.clone()], &shell("git push"), Effect::Deny, "no-push");
    check_own(&[push, no_push.clone()], &shell("git push"), Effect::Allow, "user.1");
    // A refusal looks past options, prefixes and what stands around it.
    for command in
        ["git -C x push", "env git push", "ls && git push -u origin x", "bash -c 'git push'"]
    {
        check_own(std::slice::from_ref(&no_push), &shell(command), Effect::Deny, "no-push");
    }
    check_own(std::slice::from_ref(&no_push), &shell("git pull"), Effect::Allow, "default");
    let ruling = rule(&Policy::of_rules(vec![no_push]), &shell("git push"));
    assert_eq!(ruling.why.to_string(), "only CI pushes");
}

#[test]
fn a_permission_wants_every_word_in_its_place() {
    let publish = PolicyRule { command: words("npm publish --tag next"), ..one(Effect::Allow) };
    let rules = std::slice::from_ref(&publish);
    check_own(rules, &shell("npm publish --tag next"), Effect::Allow, "user.1");
    check_own(rules, &shell("npm publish --tag latest next"), Effect::Ask, "publish");
    check_own(rules, &shell("npm publish --tag $TAG"), Effect::Ask, "publish");
}

#[test]
fn rules_name_tools_paths_and_hosts() {
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "x" }));
    let migrations = PolicyRule { path: words("migrations/**"), ..one(Effect::Deny) };
    let rules = std::slice::from_ref(&migrations);
    check_own(rules, &write("migrations/001.sql"), Effect::Deny, "user.1");
    check_own(rules, &write("/home/user/project/./Migrations/x"), Effect::Deny, "user.1");
    check_own(rules, &write("src/migrations.rs"), Effect::Allow, "default");
    check_own(rules, &shell("rm migrations/001.sql"), Effect::Deny, "user.1");
    check_own(rules, &shell("echo x > migrations/001.sql"), Effect::Deny, "user.1");

    let notes = PolicyRule { path: words("~/notes/*"), tool: words("write"), ..one(Effect::Allow) };
    let rules = std::slice::from_ref(&notes);
    check_own(rules, &write("~/notes/a.md"), Effect::Allow, "user.1");
    check_own(rules, &write("~/notes/deep/a.md"), Effect::Ask, "path.outside");
    check_own(rules, &write("~/notes/../x"), Effect::Ask, "path.outside");

    let host = PolicyRule { host: words("*.evil.example evil.example"), ..one(Effect::Deny) };
    let rules = std::slice::from_ref(&host);
    let fetch = |url: &str| call("WebFetch", json!({ "url": url, "prompt": "x" }));
    check_own(rules, &fetch("https://a.evil.example/x"), Effect::Deny, "user.1");
    check_own(rules, &fetch("https://notevil.example/x"), Effect::Allow, "default");
    check_own(rules, &shell("curl -s https://EVIL.example"), Effect::Deny, "user.1");

    let mcp = PolicyRule { tool: words("mcp__db__*"), ..one(Effect::Ask) };
    let rules = std::slice::from_ref(&mcp);
    check_own(rules, &call("mcp__db__query", json!({})), Effect::Ask, "user.1");
    check_own(rules, &call("mcp__web__get", json!({})), Effect::Record, "tool.unknown");
}

#[test]
fn a_glob_that_nobody_understands_refuses_and_is_named() {
    let broken = PolicyRule { path: words("a["), ..one(Effect::Deny) };
    let policy = Policy::of_rules(vec![one(Effect::Allow), broken.clone()]);
    let error = validate(&policy).unwrap_err();
    assert_eq!(error.to_string(), "cannot parse the path `a[` in rule 2 of the guard");
    assert_eq!(Lang::Zh.render(&error.text()), "无法解析守卫第 2 条规则中的路径 `a[`");
    let write = call("Write", json!({ "file_path": "x", "content": "" }));
    check_own(&[broken], &write, Effect::Deny, "user.1");
    let allow = PolicyRule { path: words("a["), ..one(Effect::Allow) };
    let outside = call("Write", json!({ "file_path": "/srv/x", "content": "" }));
    check_own(&[allow], &outside, Effect::Ask, "path.outside");
}
