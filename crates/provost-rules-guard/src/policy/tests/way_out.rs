//! What answers a refusal: rules that name it, levels, packs, paths, facts about a repository.

use provost_kernel::{
    Lang, Text,
    guard::{
        HookAnswer, HookInput, HookType, RefusalCode,
        policy::{GuardLevel, RepositoryFact},
    },
};

use super::*;
use crate::judge::{Judged, WayOut, judge, with_way_out};

fn ruled(policy: &Policy, command: &str) -> (Effect, String) {
    let ruling = rule(policy, &shell(command));
    (ruling.effect, ruling.rule.into_owned())
}

#[track_caller]
fn check(policy: &Policy, command: &str, effect: Effect, by: &str) {
    assert_eq!(ruled(policy, command), (effect, by.to_owned()), "{command}");
}

fn naming(name: &str, command: &str) -> PolicyRule {
    PolicyRule { rule: words(name), command: words(command), ..one(Effect::Allow) }
}

/// KEEP-1: a rule of the person answers a refusal that it names, for the command that it names.
#[test]
fn a_refusal_is_answered_by_a_rule_that_names_it() {
    let policy = Policy::of_rules(vec![naming("git.reset-hard", "git reset --hard")]);
    check(&policy, "git reset --hard", Effect::Allow, "user.1");
    check(&policy, "git reset --hard HEAD~3", Effect::Deny, "git.reset-hard");
    check(&policy, "git -C ../x reset --hard", Effect::Deny, "git.reset-hard");
    check(&policy, "git reset --hard && git clean -fdx", Effect::Deny, "git.clean");
    check(&policy, "git reset --hard > .env", Effect::Deny, "secret.path");
    let open = Policy::of_rules(vec![naming("git.reset-hard", "git reset --hard *")]);
    check(&open, "git reset --hard HEAD~3", Effect::Allow, "user.1");
    // These have no override.
    for (name, command) in [("delete.root", "rm -rf /"), ("provost.command", "provost guard allow")]
    {
        let policy = Policy::of_rules(vec![naming(name, command), one(Effect::Allow)]);
        check(&policy, command, Effect::Deny, name);
    }
}

#[test]
fn a_rule_that_has_ended_is_none() {
    let until = |effect: Effect| PolicyRule {
        command: words("npm publish"),
        until: Some("2026-12-31".parse().unwrap()),
        ..one(effect)
    };
    let at = |effect, now: Option<&str>| {
        let now = now.map(|it| it.parse().unwrap());
        let policy = Policy { now, ..Policy::of_rules(vec![until(effect)]) };
        ruled(&policy, "npm publish").1
    };
    assert_eq!(at(Effect::Allow, Some("2026-12-31T12:00:00Z")), "user.1");
    assert_eq!(at(Effect::Allow, Some("2027-01-01T00:00:00Z")), "publish");
    assert_eq!(at(Effect::Allow, None), "publish", "in doubt it permits nothing");
    assert_eq!(at(Effect::Deny, Some("2027-01-01T00:00:00Z")), "publish");
    assert_eq!(at(Effect::Deny, None), "user.1");
}

/// Rulings 2 and 78: what comes with a repository can only tighten.
#[test]
fn the_rules_of_a_repository_only_tighten() {
    let publish = |effect| PolicyRule { command: words("npm publish"), ..one(effect) };
    let with = |own: Vec<PolicyRule>, repository| Policy { repository, ..Policy::of_rules(own) };
    check(&with(vec![], vec![one(Effect::Allow)]), "npm publish", Effect::Ask, "publish");
    let forged = naming("git.reset-hard", "git reset --hard");
    check(&with(vec![], vec![forged]), "git reset --hard", Effect::Deny, "git.reset-hard");
    let denied = with(vec![publish(Effect::Allow)], vec![publish(Effect::Deny)]);
    check(&denied, "npm publish", Effect::Deny, "repository.1");
    let allowed = with(vec![publish(Effect::Deny)], vec![publish(Effect::Allow)]);
    check(&allowed, "npm publish", Effect::Deny, "user.1");
    let first = with(vec![], vec![publish(Effect::Record), publish(Effect::Deny)]);
    check(&first, "npm publish", Effect::Ask, "publish");
}

#[test]
fn levels_and_packs_move_what_the_table_says() {
    let at = |level| Policy { level, ..Policy::default() };
    check(&at(GuardLevel::Relaxed), "git restore src tests", Effect::Record, "git.restore");
    check(&at(GuardLevel::Relaxed), "npm publish", Effect::Ask, "publish");
    check(&at(GuardLevel::Relaxed), "git reset --hard", Effect::Deny, "git.reset-hard");
    check(&at(GuardLevel::Strict), "npm publish", Effect::Deny, "publish");
    check(&at(GuardLevel::Strict), "cargo test", Effect::Allow, "default");
    // What is only asked about at heart is answered by any rule of the person.
    let publish = PolicyRule { command: words("npm publish"), ..one(Effect::Allow) };
    let strict = Policy { rules: vec![publish], ..at(GuardLevel::Strict) };
    check(&strict, "npm publish", Effect::Allow, "user.1");

    let mut policy = Policy::default();
    policy.packs.git = false;
    policy.packs.kubernetes = false;
    check(&policy, "git reset --hard", Effect::Record, "git.reset-hard");
    check(&policy, "kubectl delete ns prod", Effect::Record, "kubernetes.destroy");
    check(&policy, "docker volume prune -f", Effect::Deny, "container.destroy");
    check(&policy, "rm -rf .git", Effect::Deny, "git.metadata");
    let no_reset = PolicyRule { command: words("git reset"), ..one(Effect::Deny) };
    let policy = Policy { rules: vec![no_reset], ..policy };
    check(&policy, "git reset --hard", Effect::Deny, "user.1");
}

/// A rule for paths is a rule for what commands do to them.
#[test]
fn a_rule_for_paths_applies_to_commands() {
    let written =
        PolicyRule { path: words("migrations/**"), tool: words("write"), ..one(Effect::Deny) };
    let policy = Policy::of_rules(vec![written]);
    for command in [
        "rm migrations/001.sql",
        "rm -r migrations",
        "rm -rf ./migrations/",
        "echo x > migrations/001.sql",
        "sed -i s/a/b/ migrations/001.sql",
        "cp x.sql migrations/002.sql",
        "mv migrations/001.sql /tmp/x",
        "tee migrations/a < x",
        "truncate -s 0 migrations/a",
    ] {
        check(&policy, command, Effect::Deny, "user.1");
    }
    for command in ["cat migrations/001.sql", "ls migrations", "rm -r build", "grep -r x ."] {
        check(&policy, command, Effect::Allow, "default");
    }
    let read = PolicyRule { path: words("private/**"), tool: words("read"), ..one(Effect::Deny) };
    let policy = Policy::of_rules(vec![read]);
    check(&policy, "cat private/a.txt", Effect::Deny, "user.1");
    check(&policy, "grep x private/a.txt", Effect::Deny, "user.1");
    check(&policy, "cat public/a.txt", Effect::Allow, "default");

    let scratch = PolicyRule { path: words("/srv/scratch/**"), ..one(Effect::Allow) };
    let policy = Policy::of_rules(vec![scratch]);
    check(&policy, "rm -r /srv/scratch/x", Effect::Allow, "user.1");
    check(&policy, "rm -r /srv/scratch/x /srv/other", Effect::Ask, "delete.outside");
    check(&policy, "rm -r /srv/scratch/../other", Effect::Ask, "delete.outside");
    check(&policy, "rm -r /srv/scratch/$X", Effect::Ask, "delete.unknown");
    check(&policy, "curl -T /srv/scratch/x https://example.com", Effect::Ask, "network.send");
}

/// What only touches a throw-away worktree, a merged branch or one's own is not refused.
#[test]
fn a_fact_about_the_repository_takes_the_edge_off() {
    let call = |command: &str, facts: &[RepositoryFact]| ToolCall {
        directory: "/tmp/wt".to_owned(),
        root: Some("/tmp/wt".to_owned()),
        facts: facts.to_vec(),
        ..shell(command)
    };
    let tossed = RepositoryFact::ThrowAway { folder: "/tmp/wt".to_owned() };
    let merged =
        |it: &str| RepositoryFact::Merged { folder: "/tmp/wt".to_owned(), branch: it.to_owned() };
    let own =
        RepositoryFact::OwnBranch { folder: "/tmp/wt".to_owned(), branch: "login".to_owned() };
    for (command, fact, by) in [
        ("git reset --hard", &tossed, "git.reset-hard"),
        ("git clean -fdx", &tossed, "git.clean"),
        ("git checkout .", &tossed, "git.discard"),
        ("cargo test; git -C /tmp/wt reset --hard", &tossed, "git.reset-hard"),
        ("rm -rf /tmp/wt", &tossed, "delete.root"),
        ("git worktree remove --force /tmp/wt", &tossed, "git.worktree-remove"),
        ("git branch -D login", &merged("login"), "git.branch-delete"),
        ("git push -f origin login", &own, "git.force-push"),
    ] {
        let first = rule(&Policy::default(), &call(command, &[]));
        assert_eq!((first.effect, first.rule.as_ref()), (Effect::Deny, by), "{command}");
        assert!(first.open.contains(fact), "{command}: {:?}", first.open);
        let second = rule(&Policy::default(), &call(command, std::slice::from_ref(fact)));
        assert!(second.effect.passes(), "{command}: {second:?}");
    }
    for command in [
        "git reset --hard && rm -rf ~/x",
        "git -C /home/user/project reset --hard",
        "cd /home/user/project; git reset --hard",
        "GIT_DIR=/home/user/project/.git git reset --hard",
        "export GIT_WORK_TREE=/x; git clean -fdx",
        "git --work-tree=/home/user/project reset --hard",
        "git -c core.worktree=/home/user/project reset --hard",
        "git -C $X reset --hard",
        "rm -rf /tmp/wt ~",
        "git branch -D login other",
        "git branch -D main",
        "git push -f origin login:main",
        "git push -f origin +login",
        "git push -f",
        "git push --mirror -f origin login",
    ] {
        let facts = [tossed.clone(), merged("login"), merged("main"), own.clone()];
        let ruling = rule(&Policy::default(), &call(command, &facts));
        assert!(!ruling.effect.passes(), "{command}: {ruling:?}");
    }
}

/// The ordinary work that the issue names.
#[test]
fn ordinary_work_passes() {
    for command in [
        "git push --force origin feature/login",
        "git push --force-with-lease origin login",
        "git push --force-with-lease",
        "git branch -d login",
        "git branch -D feature/login",
        "git stash drop",
        "git stash drop stash@{1}",
        "touch .env",
        "docker compose --env-file .env.local up",
        "docker compose --env-file=.env up -d",
        "kubectl get secrets",
        "kubectl get secrets -n prod",
    ] {
        let ruling = rule(&Policy::default(), &shell(command));
        assert!(ruling.effect.passes(), "{command}: {ruling:?}");
    }
    for command in
        ["kubectl get secret db -o yaml", "kubectl get secrets -o json", "git push -f origin main"]
    {
        assert!(!rule(&Policy::default(), &shell(command)).effect.passes(), "{command}");
    }
}

/// A permanent rule permits the call that was seen, and no other.
#[test]
fn a_permanent_rule_is_as_narrow_as_the_call() {
    let rule_for = |call: &ToolCall| {
        let policy = Policy::default();
        permanent(&policy, call, &rule(&policy, call))
    };
    for (command, names, others) in [
        ("git reset --hard", "git.reset-hard", &["git reset --hard x", "git clean -fd"][..]),
        ("npm publish --tag next", "publish", &["npm publish", "npm publish --tag next x"]),
        ("ls; rm -r /srv/x", "delete.outside", &["rm -r /srv/x /srv/y", "rm -r /srv/y"]),
    ] {
        let found = rule_for(&shell(command)).unwrap();
        assert_eq!((found.effect, found.rule.join(" ")), (Effect::Allow, names.to_owned()));
        let policy = Policy::of_rules(vec![found]);
        assert!(rule(&policy, &shell(command)).effect.passes(), "{command}");
        for other in others {
            assert!(!rule(&policy, &shell(other)).effect.passes(), "{other}");
        }
    }
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": "x" }));
    let policy = Policy::of_rules(vec![rule_for(&write("/srv/a.txt")).unwrap()]);
    assert!(rule(&policy, &write("/srv/a.txt")).effect.passes());
    assert!(!rule(&policy, &write("/srv/b.txt")).effect.passes());
    assert!(!rule(&policy, &shell("rm /srv/a.txt && rm /srv/b.txt")).effect.passes());
    let token = ["ghp_", "a8K2mQ9xZr4TbV7nW3cJ6hL1sD5fG0pYeU2i"].concat();
    for command in ["rm -rf /", "rm -r $X", "sudo ls", &format!("npm publish --otp {token}")] {
        assert_eq!(rule_for(&shell(command)), None, "{command}");
    }
    assert_eq!(rule_for(&write("/srv/*")), None, "a name that would be a pattern");
}

/// KEEP-6: whatever rule refuses, the agent is told which, why, what to do instead, not to work
/// round it, and how a person may permit it; in both languages.
#[test]
fn every_refusal_steers_the_agent() {
    let strict = Policy { level: GuardLevel::Strict, ..Policy::default() };
    let code = RefusalCode::of_random([7; 6]);
    let cases = cases();
    let mut n_tried = 0;
    for built_in in BuiltIn::ALL.iter().filter(|it| !it.effect_in(&strict).passes()) {
        let Some(case) = cases.iter().find(|it| it.rule == built_in.id()) else { continue };
        n_tried += 1;
        let input = HookInput {
            tool_name: Some("Bash".to_owned()),
            tool_input: Some(json!({ "command": case.command })),
            directory: Some("/home/user/project".to_owned()),
            ..HookInput::empty(HookType::PreToolUse)
        };
        let place = crate::judge::Place {
            home: Some("/home/user/project/.provost".to_owned()),
            user_home: Some("/home/user".to_owned()),
            ..crate::judge::Place::default()
        };
        let judged = judge(&strict, &input, &place);
        let ruling = judged.ruling.clone().unwrap();
        assert_eq!(ruling.rule, built_in.id(), "{}", case.command);
        let way = if can_be_permitted(&ruling) {
            WayOut::Code { code: code.clone(), minutes: 15 }
        } else {
            WayOut::Person
        };
        let Judged { answer, .. } = with_way_out(judged, &way);
        let (HookAnswer::Deny { reason } | HookAnswer::Ask { reason }) = answer else {
            panic!("{} passes", case.command)
        };
        for (lang, instead, steer, person) in [
            (Lang::En, "instead: ", "do not try to get the same effect", "person"),
            (Lang::Zh, "建议：", "不要用其他方式达到同样的效果", "人"),
        ] {
            let lines: Vec<String> = reason.iter().map(|it| lang.render(it)).collect();
            assert_eq!(lines.len(), 4, "{}: {lines:?}", built_in.id());
            assert!(lines[0].contains(&format!("`{}`", built_in.id())), "{lines:?}");
            assert!(lines[0].contains(&lang.render(&built_in.text())), "{lines:?}");
            assert!(lines[1].starts_with(instead) && lines[1].len() > instead.len(), "{lines:?}");
            assert!(lines[2].starts_with(steer), "{lines:?}");
            assert!(lines[3].contains(person), "{lines:?}");
            let has_code = lines[3].contains(&format!("provost guard allow {code}"));
            assert_eq!(has_code, built_in.can_be_permitted(), "{lines:?}");
        }
    }
    // The rest is met by calls of other tools, and has the same four lines.
    assert!(n_tried > 60, "{n_tried}");
    let _: Option<Text> = BuiltIn::ToolUnnamed.hint();
}
