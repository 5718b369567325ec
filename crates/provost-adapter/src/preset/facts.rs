//! What the output of an agent says about the call: its cost, its session, and why it failed.
//!
//! Output that does not look as expected says nothing.

use provost_kernel::{SessionId, model::Usage};
use serde_json::Value;

use crate::model::dollars;

/// What was found in the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) usage: Usage,
    pub(super) session: Option<SessionId>,
    /// Why the program failed. It counts only when it did.
    pub(super) sign: Option<Sign>,
}

/// A failure with a reason that a person can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    NotAuthorised,
    Quota,
}

impl Sign {
    fn of_status(status: Option<u64>) -> Option<Self> {
        match status {
            Some(401 | 403) => Some(Self::NotAuthorised),
            Some(402 | 429) => Some(Self::Quota),
            _ => None,
        }
    }
}

/// An agent that says nothing about itself.
pub(super) fn none(_: &[u8]) -> Facts {
    Facts::default()
}

/// Claude Code with `--output-format json`: one object at the end.
pub(super) fn claude(output: &[u8]) -> Facts {
    let Some(result) = objects(output).rfind(|it| it["type"] == "result") else {
        return Facts::default();
    };
    let used = &result["usage"];
    let count = |key: &str| used[key].as_u64();
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    // Without a login there is no request, so no status; the text is the program's own.
    let is_logged_out = result["is_error"] == true
        && result["result"].as_str().is_some_and(|it| it.starts_with("Not logged in"));
    Facts {
        usage: Usage {
            input_tokens: read.into_iter().map(count).fold(None, sum),
            output_tokens: count("output_tokens"),
            usd: result.get("total_cost_usd").cloned().and_then(dollars),
        },
        session: session(&result["session_id"]),
        sign: Sign::of_status(result["api_error_status"].as_u64())
            .or(is_logged_out.then_some(Sign::NotAuthorised)),
    }
}

/// Codex with `--json`: one event to a line. Its input tokens include those from a cache.
pub(super) fn codex(output: &[u8]) -> Facts {
    let mut facts = Facts::default();
    for event in objects(output) {
        match event["type"].as_str() {
            Some("thread.started") => facts.session = session(&event["thread_id"]),
            Some("turn.completed") => {
                let turn = Usage {
                    input_tokens: event["usage"]["input_tokens"].as_u64(),
                    output_tokens: event["usage"]["output_tokens"].as_u64(),
                    usd: None,
                };
                facts.usage = facts.usage.plus(turn);
            }
            Some("turn.failed") => {
                let message = event["error"]["message"].as_str().unwrap_or_default();
                facts.sign = status_in(message);
            }
            _ => {}
        }
    }
    facts
}

/// Gemini CLI with `--output-format json`: one object over several lines.
pub(super) fn gemini(output: &[u8]) -> Facts {
    let Ok(result) = serde_json::from_slice::<Value>(output) else { return Facts::default() };
    let mut usage = Usage::default();
    for model in result["stats"]["models"].as_object().into_iter().flat_map(|it| it.values()) {
        let count = |key: &str| model["tokens"][key].as_u64();
        usage = usage.plus(Usage {
            input_tokens: count("prompt"),
            output_tokens: sum(count("candidates"), count("thoughts")),
            usd: None,
        });
    }
    Facts { usage, session: session(&result["session_id"]), sign: None }
}

/// opencode with `--format json`: one event to a line.
pub(super) fn opencode(output: &[u8]) -> Facts {
    let mut facts = Facts::default();
    for event in objects(output) {
        facts.session = session(&event["sessionID"]).or(facts.session);
        match event["type"].as_str() {
            Some("step_finish") => {
                let part = &event["part"];
                let count = |it: &Value| it.as_u64();
                let (tokens, cache) = (&part["tokens"], &part["tokens"]["cache"]);
                let cached = sum(count(&cache["read"]), count(&cache["write"]));
                facts.usage = facts.usage.plus(Usage {
                    input_tokens: sum(count(&tokens["input"]), cached),
                    output_tokens: sum(count(&tokens["output"]), count(&tokens["reasoning"])),
                    usd: part.get("cost").cloned().and_then(dollars),
                });
            }
            Some("error") => {
                facts.sign = Sign::of_status(event["error"]["data"]["statusCode"].as_u64());
            }
            _ => {}
        }
    }
    facts
}

/// The status in a message such as `unexpected status 401 Unauthorized: …`.
fn status_in(message: &str) -> Option<Sign> {
    if message.contains("status 401 ") || message.contains("status: 401 ") {
        Some(Sign::NotAuthorised)
    } else if message.contains("status: 429 ") || message.contains("status 429 ") {
        Some(Sign::Quota)
    } else {
        None
    }
}

/// The lines of the output that are JSON objects.
pub(super) fn objects(output: &[u8]) -> impl DoubleEndedIterator<Item = Value> {
    output
        .split(|&byte| byte == b'\n')
        .filter(|line| line.first() == Some(&b'{'))
        .filter_map(|line| serde_json::from_slice(line).ok())
}

fn session(value: &Value) -> Option<SessionId> {
    value.as_str().and_then(|it| it.to_owned().try_into().ok())
}

fn sum(one: Option<u64>, two: Option<u64>) -> Option<u64> {
    Usage { input_tokens: one, output_tokens: two, usd: None }.tokens()
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::Usd;

    use super::*;

    #[track_caller]
    fn check(
        facts: Facts,
        tokens: (Option<u64>, Option<u64>),
        usd: Option<u64>,
        session: Option<&str>,
        sign: Option<Sign>,
    ) {
        let usage =
            Usage { input_tokens: tokens.0, output_tokens: tokens.1, usd: usd.map(Usd::micros) };
        let session = session.map(|it| it.to_owned().try_into().unwrap());
        assert_eq!(facts, Facts { usage, session, sign });
    }

    /// What the programs really printed, shortened to what is read.
    #[test]
    fn the_cost_is_read_from_what_each_program_prints() {
        let printed = br#"{"type":"result","is_error":false,"session_id":"98af691d-65ff","total_cost_usd":0.0006072,"usage":{"input_tokens":200,"cache_creation_input_tokens":26,"cache_read_input_tokens":22,"output_tokens":14},"api_error_status":null,"result":"All done."}"#;
        check(claude(printed), (Some(248), Some(14)), Some(608), Some("98af691d-65ff"), None);

        let printed = br#"{"type":"thread.started","thread_id":"01a1ddc7-1ccf"}
Reading additional input from stdin...
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"All done."}}
{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":22,"output_tokens":14,"reasoning_output_tokens":4}}
"#;
        check(codex(printed), (Some(200), Some(14)), None, Some("01a1ddc7-1ccf"), None);

        let printed = br#"{
  "session_id": "4a4fb6e1-b1ba",
  "response": "All done.",
  "stats": {"models": {
    "gemini-2.5-flash": {"tokens": {"input": 200, "prompt": 200, "candidates": 14, "thoughts": 3}},
    "gemini-2.5-pro": {"tokens": {"prompt": 1, "candidates": 2}}
  }}
}"#;
        check(gemini(printed), (Some(201), Some(19)), None, Some("4a4fb6e1-b1ba"), None);

        let printed = br#"{"type":"step_start","sessionID":"ses_e22389","part":{"type":"step-start"}}
{"type":"step_finish","sessionID":"ses_e22389","part":{"tokens":{"total":107,"input":100,"output":7,"reasoning":1,"cache":{"write":2,"read":3}},"cost":0.5}}
{"type":"step_finish","sessionID":"ses_e22389","part":{"tokens":{"input":100,"output":7,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}}
"#;
        check(opencode(printed), (Some(205), Some(15)), Some(500_000), Some("ses_e22389"), None);
    }

    #[test]
    fn a_failure_is_read_for_its_reason() {
        use Sign::{NotAuthorised, Quota};
        let sign = |facts: Facts| facts.sign;
        let printed = |status: u64| format!(r#"{{"type":"result","api_error_status":{status}}}"#);
        assert_eq!(sign(claude(printed(401).as_bytes())), Some(NotAuthorised));
        assert_eq!(sign(claude(printed(429).as_bytes())), Some(Quota));
        assert_eq!(sign(claude(printed(500).as_bytes())), None);
        let logged_out = r#"{"type":"result","is_error":true,"api_error_status":null,"result":"Not logged in · Please run /login"}"#;
        assert_eq!(sign(claude(logged_out.as_bytes())), Some(NotAuthorised));

        let printed = |message: &str| {
            format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#)
        };
        let refused = printed("unexpected status 401 Unauthorized: no, url: http://x/responses");
        assert_eq!(sign(codex(refused.as_bytes())), Some(NotAuthorised));
        let spent = printed("exceeded retry limit, last status: 429 Too Many Requests");
        assert_eq!(sign(codex(spent.as_bytes())), Some(Quota));
        assert_eq!(sign(codex(printed("disk full").as_bytes())), None);

        let printed = br#"{"type":"error","error":{"name":"APIError","data":{"statusCode":401}}}"#;
        assert_eq!(sign(opencode(printed)), Some(NotAuthorised));
    }

    #[test]
    fn output_of_another_shape_says_nothing() {
        for output in [
            "",
            "hello",
            "{",
            "[]",
            "null",
            "{}",
            r#"{"type":"result","usage":"much","session_id":"../x","total_cost_usd":-1}"#,
            r#"{"type":"step_finish","part":{"tokens":{"input":-1}}}"#,
            r#"{"stats":{"models":[1]}}"#,
            "\u{0}\u{ffff}",
        ] {
            for read in [claude, codex, gemini, opencode, none] {
                assert_eq!(read(output.as_bytes()), Facts::default(), "{output}");
            }
        }
        assert_eq!(claude(b"\xff\xfe\n{\xff}"), Facts::default());
    }
}
