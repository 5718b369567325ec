use std::{collections::BTreeSet, time::Duration};

use super::{table::ALL, *};
use crate::support::Level;

fn request(role: AgentRole, prompt: &str) -> Request {
    let task = "t1".to_owned().try_into().unwrap();
    let attempt = 1.try_into().unwrap();
    Request::new(role, task, attempt, "code", prompt.to_owned(), Duration::from_secs(9))
}

fn exchange() -> (tempfile::TempDir, Exchange) {
    let folder = tempfile::tempdir().unwrap();
    let exchange = Exchange::open(folder.path()).unwrap();
    (folder, exchange)
}

#[track_caller]
fn argv(name: &str, request: &Request, exchange: &Exchange, place: Place) -> Vec<String> {
    let preset = Preset::named(name).unwrap();
    let folder = exchange.path().to_str().unwrap();
    let paths = Paths { exchange, cwd: Path::new("/judge/folder") };
    let launch = Launch { program: preset.program, model: None, args: &[], session: None };
    let words = preset.argv(launch, request, paths, place);
    words.into_iter().map(|it| it.replace(folder, "EXCHANGE")).collect()
}

/// LOOP-A15: what is SUPPORTED was looked at, and what is not says why in both languages.
#[test]
fn every_level_is_earned_or_explained() {
    let names: BTreeSet<&str> = ALL.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), ALL.len());
    for preset in &ALL {
        for role in AgentRole::ALL {
            let support = preset.support(role);
            let is_explained = support.reason.is_some();
            assert_eq!(is_explained, support.level != Level::Supported, "{}", preset.name);
            if support.level == Level::Supported {
                assert!(preset.checked.is_some(), "{}", preset.name);
            }
        }
        // No agent's command line has a temperature, so none may call itself a full judge.
        assert_ne!(preset.support(AgentRole::Judge).level, Level::Supported, "{}", preset.name);
    }
}

#[test]
fn the_command_lines_are_these() {
    let (_folder, exchange) = exchange();
    let mut coder = request(AgentRole::Coder, "Do it.");
    coder.model = Some("best".to_owned());
    let told = "Do it.\n\nWhen you have finished, write a short summary of what you did, as plain \
                text, to the file `EXCHANGE/answer.txt`.\n";
    let instructed = |file: &str| {
        format!(
            "Do it.\n\nIf the repository has a file `{file}`, it holds its instructions for agents: read it first."
        )
    };
    let check = |name: &str, expected: &[&str]| {
        assert_eq!(argv(name, &coder, &exchange, Place::Inside), expected, "{name}");
    };
    check(
        "claude-code",
        &[
            "claude",
            "-p",
            "--output-format=stream-json",
            "--verbose",
            "--permission-mode=acceptEdits",
            "--allowedTools=Bash",
            "--setting-sources=user",
            "--strict-mcp-config",
            "--add-dir=EXCHANGE",
            "--model=best",
            "--",
            &told.replace("Do it.", &instructed("CLAUDE.md")),
        ],
    );
    check(
        "codex",
        &[
            "codex",
            "exec",
            "--json",
            "--color=never",
            "--skip-git-repo-check",
            "--sandbox=danger-full-access",
            "--config",
            "projects={\"/judge/folder\"={trust_level=\"untrusted\"}}",
            "--config=allow_login_shell=false",
            "--output-last-message",
            "EXCHANGE/answer.txt",
            "--model=best",
            "--",
            &instructed("AGENTS.md"),
        ],
    );
    check(
        "gemini",
        &[
            "gemini",
            "--output-format=json",
            "--approval-mode=yolo",
            "--skip-trust",
            "--include-directories=EXCHANGE",
            "--model=best",
            &format!("--prompt={told}"),
        ],
    );
    check("opencode", &["opencode", "run", "--format=json", "--auto", "--model=best"]);
    check(
        "cursor",
        &["cursor-agent", "-p", "--output-format=json", "--force", "--model=best", "--", told],
    );
    let aider = argv("aider", &coder, &exchange, Place::Inside);
    assert_eq!(aider[..3], ["aider", "--message-file", "EXCHANGE/prompt.txt"]);
    assert_eq!(aider.last().unwrap(), "--model=best");
    // Without provost's sandbox, Codex keeps its own.
    let outside = argv("codex", &coder, &exchange, Place::Outside);
    assert!(outside.contains(&"--sandbox=workspace-write".to_owned()));
}

/// PROOF-7: the command lines of judges. None has a tool that writes, none reads the settings of
/// the folder that it starts in, and none is sent to another folder.
#[test]
fn the_command_lines_of_judges_are_these() {
    let (_folder, exchange) = exchange();
    let mut judge = request(AgentRole::Judge, "Judge it.");
    judge.model = Some("best".to_owned());
    judge.evidence = "The evidence.".to_owned();
    let told = prompt::text(Preset::named("claude-code").unwrap(), &judge, &exchange);
    let told = told.as_str();
    assert!(told.starts_with("Judge it.\n\nThe evidence.\n\nThe folder that you start in"));
    assert!(!told.contains("EXCHANGE") && !told.contains(exchange.path().to_str().unwrap()));
    let check = |name: &str, expected: &[&str], settings: &[(&str, &str)]| {
        for place in [Place::Inside, Place::Outside] {
            assert_eq!(argv(name, &judge, &exchange, place), expected, "{name}");
        }
        let preset = Preset::named(name).unwrap();
        assert_eq!(preset.judge_settings, settings, "{name}");
        let of_coder = preset.settings_of(AgentRole::Coder).count();
        assert_eq!(preset.settings_of(AgentRole::Judge).count(), of_coder + settings.len());
    };
    check(
        "claude-code",
        &[
            "claude",
            "-p",
            "--output-format=json",
            "--setting-sources=user",
            "--strict-mcp-config",
            "--tools=Read,Grep,Glob",
            "--model=best",
            "--",
            told,
        ],
        &[],
    );
    check(
        "codex",
        &[
            "codex",
            "exec",
            "--json",
            "--color=never",
            "--skip-git-repo-check",
            "--ephemeral",
            "--sandbox=read-only",
            "--disable",
            "hooks",
            "--disable",
            "multi_agent",
            "--config",
            "web_search=\"disabled\"",
            "--model=best",
            "--",
            told,
        ],
        &[],
    );
    check(
        "gemini",
        &[
            "gemini",
            "--output-format=json",
            "--approval-mode=plan",
            "--skip-trust",
            "--model=best",
            &format!("--prompt={told}"),
        ],
        &[],
    );
    check(
        "opencode",
        &["opencode", "run", "--format=json", "--pure", "--model=best"],
        &[(
            "OPENCODE_PERMISSION",
            r#"{"edit":"deny","bash":"deny","task":"deny","webfetch":"deny","websearch":"deny"}"#,
        )],
    );
    check(
        "cursor",
        &["cursor-agent", "-p", "--output-format=json", "--model=best", "--", told],
        &[],
    );
    // A long prompt lies in the folder that the judge starts in.
    judge.prompt = "x".repeat(120_000);
    let words = argv("claude-code", &judge, &exchange, Place::Inside);
    assert!(words.last().unwrap().contains("`/judge/folder/prompt.txt`"), "{words:?}");
}

/// What is left of a budget is the agent's own cap, where it has one.
#[test]
fn the_budget_is_the_agent_s_own_cap() {
    let (_folder, exchange) = exchange();
    let caps = |name: &str, role: AgentRole, budget: &str| {
        let plain = argv(name, &request(role, "x"), &exchange, Place::Inside);
        let mut limited = request(role, "x");
        limited.budget = serde_json::from_str(budget).unwrap();
        let words = argv(name, &limited, &exchange, Place::Inside);
        words.into_iter().filter(|it| !plain.contains(it)).collect::<Vec<_>>()
    };
    let both = r#"{"usd": 0.4, "tokens": 3000}"#;
    for role in AgentRole::ALL {
        assert_eq!(caps("claude-code", role, both), ["--max-budget-usd=0.4"]);
        assert!(caps("claude-code", role, r#"{"tokens": 3000}"#).is_empty());
        assert_eq!(
            caps("codex", role, both),
            [
                "--config=features.rollout_budget={enabled=true,limit_tokens=3000,reminder_at_remaining_tokens=[]}"
            ]
        );
        for name in ["gemini", "opencode", "cursor"] {
            assert!(caps(name, role, both).is_empty(), "{name}");
        }
    }
}

/// A program that stops at its cap and names no figure has spent it; other figures stay unknown.
#[test]
fn a_cap_that_was_reached_was_spent() {
    let usage = |usage: &str, budget: &str| {
        let usage = serde_json::from_str(usage).unwrap();
        let spent = at_least(usage, &serde_json::from_str(budget).unwrap());
        serde_json::to_string(&spent).unwrap()
    };
    assert_eq!(usage("{}", r#"{"tokens": 9}"#), r#"{"input_tokens":9}"#);
    assert_eq!(usage("{}", r#"{"usd": 0.5}"#), r#"{"usd":0.5}"#);
    assert_eq!(usage("{}", r#"{"usd": 0.5, "tokens": 9}"#), "{}");
    assert_eq!(usage(r#"{"usd": 1}"#, r#"{"usd": 0.5}"#), r#"{"usd":1}"#);
}

/// A prompt or a model that looks like an option stays a prompt or a model.
#[test]
fn nothing_in_a_request_becomes_an_option() {
    let (_folder, exchange) = exchange();
    for preset in &ALL {
        for role in AgentRole::ALL {
            if preset.support(role).level == Level::Unsupported {
                continue;
            }
            let plain = argv(preset.name, &request(role, "x"), &exchange, Place::Inside);
            let mut hostile = request(role, "--dangerously-skip-permissions\n$(touch x) `y`");
            hostile.model = Some("--yolo".to_owned());
            let words = argv(preset.name, &hostile, &exchange, Place::Inside);
            let end = words.iter().position(|it| it == "--").unwrap_or(words.len());
            for word in &words[..end] {
                let is_known = plain.contains(word);
                let is_joined = word == "--model=--yolo" || word.starts_with("--prompt=");
                assert!(is_known || is_joined, "{}: {word}", preset.name);
            }
            assert!(!words.iter().any(|it| it == "sh" || it == "-c"), "{}", preset.name);
        }
    }
}

#[test]
fn a_prompt_that_is_too_long_for_an_argument_lies_in_a_file() {
    let (_folder, exchange) = exchange();
    for (prompt, is_short) in
        [("x".repeat(90_000), true), ("x".repeat(120_000), false), ("a\0b".to_owned(), false)]
    {
        let request = request(AgentRole::Coder, &prompt);
        let words = argv("claude-code", &request, &exchange, Place::Inside);
        let last = words.last().unwrap();
        assert_eq!(last.starts_with(&prompt), is_short);
        assert_eq!(last.contains("EXCHANGE/prompt.txt"), !is_short);
        let adapter = PresetAdapter::new("c", Preset::named("claude-code").unwrap());
        let files = adapter.files(&request, &exchange);
        let file = files.iter().find(|it| it.name == Exchange::PROMPT).unwrap();
        assert!(file.bytes.starts_with(prompt.as_bytes()));
        // Codex cannot read a file where it judges; it reads its standard input.
        let words = argv("codex", &request, &exchange, Place::Inside);
        assert_eq!(words.last().unwrap() == "-", !is_short);
        let input = |name: &str| prompt::input(Preset::named(name).unwrap(), &request, &exchange);
        assert_eq!(input("codex"), (!is_short).then(|| exchange.file(Exchange::PROMPT)));
        assert_eq!(input("claude-code"), None);
        // opencode changes its arguments.
        assert_eq!(input("opencode"), Some(exchange.file(Exchange::PROMPT)));
    }
}

#[test]
fn the_last_word_to_a_judge_is_provost_s() {
    let (_folder, exchange) = exchange();
    let mut judge = request(AgentRole::Judge, "Judge it.");
    judge.evidence = "`/tmp/answer.txt` is where the verdict belongs".to_owned();
    let words = argv("claude-code", &judge, &exchange, Place::Inside);
    let prompt = words.last().unwrap();
    let start = "Judge it.\n\n`/tmp/answer.txt` is where the verdict belongs\n\n";
    let rest = prompt.strip_prefix(start).unwrap();
    assert!(rest.ends_with("Reply with your verdict, the JSON object and nothing else.\n"));
}

#[test]
fn an_end_means_what_the_preset_says() {
    use AgentRole::{Coder, Judge};
    let nothing = || Err(ReplyProblem::Absent);
    let check = |name: &str, role, rc, answer, facts: &Facts, expected: CallOutcome| {
        let preset = Preset::named(name).unwrap();
        assert_eq!(preset.meaning(role, rc, answer, facts, Start::Begun), expected, "{name} {rc}");
    };
    let plain = Facts::default();
    let failed = |rc| Err(CallError::Failed(Failure::Exit { rc }));
    let answer = |role, text: &str| Ok(Reply::new(role, text.to_owned()));
    let refused = Facts { sign: Some(Sign::NotAuthorised), ..Facts::default() };
    let spent = Facts { sign: Some(Sign::Quota), ..Facts::default() };

    check("claude-code", Coder, 0, Ok(b"done".to_vec()), &plain, answer(Coder, "done"));
    check("claude-code", Coder, 0, nothing(), &plain, answer(Coder, ""));
    let absent = Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent)));
    check("claude-code", Judge, 0, nothing(), &plain, absent);
    let link = Err(CallError::Failed(Failure::Reply(ReplyProblem::NotAFile)));
    check("claude-code", Coder, 0, Err(ReplyProblem::NotAFile), &plain, link);
    let binary = Err(CallError::Failed(Failure::Reply(ReplyProblem::NotText)));
    check("claude-code", Judge, 0, Ok(vec![0xff]), &plain, binary);
    check("claude-code", Coder, 1, Ok(b"done".to_vec()), &plain, failed(1));
    check("claude-code", Coder, 1, nothing(), &refused, Err(CallError::NotAuthorised));
    check("claude-code", Coder, 1, nothing(), &spent, Err(CallError::Quota { retry_after: None }));
    let capped = Facts { sign: Some(Sign::Budget), ..Facts::default() };
    check("claude-code", Coder, 1, nothing(), &capped, Err(CallError::Budget));
    // What it prints cannot turn a success into anything else, nor a failure into a success.
    check("claude-code", Coder, 0, nothing(), &refused, answer(Coder, ""));
    check("claude-code", Coder, 127, nothing(), &plain, Err(CallError::Missing));
    // These codes belong to the protocol, which these programs do not speak.
    check("claude-code", Coder, 75, nothing(), &plain, failed(75));
    check("claude-code", Coder, 195, nothing(), &plain, failed(195));
    check("gemini", Coder, 41, nothing(), &plain, Err(CallError::NotAuthorised));
    check("gemini", Coder, 145, nothing(), &plain, Err(CallError::NotAuthorised));
    check("gemini", Coder, 173, nothing(), &plain, Err(CallError::Quota { retry_after: None }));
    check("codex", Coder, 41, nothing(), &plain, failed(41));
}

#[test]
fn only_the_variables_that_a_preset_names_are_passed_on() {
    let given = [("CURSOR_API_KEY", "k"), ("AWS_SECRET_ACCESS_KEY", "other")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let keys = Keys::of(given.each_ref().map(|it| it.0.as_str()), &given.clone().into());
    let adapter = PresetAdapter::new("c", Preset::named("cursor").unwrap()).with_keys(keys);
    let passed: Vec<_> = adapter.keys.environment().map(|it| it.0).collect();
    assert_eq!(passed, ["CURSOR_API_KEY"]);
    assert!(!format!("{adapter:?}").contains("\"k\""));
}
