//! What the output of an agent says about the call: its cost, its session, and why it failed.
//!
//! Output that does not look as expected says nothing.

use provost_kernel::{SessionId, model::Usage};
use serde_json::Value;

use super::{account::Account, activity};
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
    /// The program stopped at the limit that it was given.
    Budget,
}

/// How the report of a program is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Report {
    /// One event to a line, read while the program runs.
    Events(fn(&mut Account, &Value)),
    /// One document at the end.
    Document(fn(&Value) -> Facts),
    /// It says nothing of itself.
    Silent,
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

impl Report {
    /// What a whole output says.
    pub(super) fn facts(self, output: &[u8]) -> Facts {
        match self {
            Self::Events(take) => {
                let mut account = Account::default();
                objects(output).for_each(|event| take(&mut account, &event));
                account.facts
            }
            Self::Document(read) => {
                serde_json::from_slice(output).map_or_else(|_| Facts::default(), |it| read(&it))
            }
            Self::Silent => Facts::default(),
        }
    }
}

/// Claude Code with `--output-format=stream-json`, or with `json`: then the last event alone.
///
/// A message comes in one event for each of its blocks, each with the cost of the whole message as
/// far as it is known at its start. Only the last event counts everything, and names dollars; in a
/// session that goes on, it counts the calls before as well.
pub(super) fn claude(account: &mut Account, event: &Value) {
    account.activities.extend(activity::claude(event));
    account.facts.session = session(&event["session_id"]).or(account.facts.session.take());
    match event["type"].as_str() {
        Some("system") => account.has_begun = true,
        Some("assistant") => {
            account.has_begun = true;
            let message = &event["message"];
            let asks_for_a_tool = items(&message["content"]).any(|it| it["type"] == "tool_use");
            if let Some(id) = message["id"].as_str() {
                account.message(id, claude_usage(&message["usage"]));
            }
            account.goes_on = asks_for_a_tool;
        }
        Some("result") => claude_result(account, event),
        _ => {}
    }
}

fn claude_result(account: &mut Account, result: &Value) {
    // A run that was stopped has its last request in the figures of its models only.
    let models = claude_models(&result["modelUsage"]);
    let whole = Usage { usd: result.get("total_cost_usd").cloned().and_then(dollars), ..models };
    // Newer versions say what was added, which leaves nothing to be believed of the session.
    let added = claude_models(&result["model_usage_since_last_result"]);
    if account.whole.is_unknown() && !added.is_unknown() {
        account.before = whole.since(added);
    }
    let counted = account.facts.usage;
    account.session(whole);
    let own =
        if models.is_unknown() { claude_usage(&result["usage"]) } else { account.facts.usage };
    account.facts.usage = Usage {
        input_tokens: own.input_tokens.or(counted.input_tokens),
        output_tokens: own.output_tokens.or(counted.output_tokens),
        usd: account.facts.usage.usd.or(counted.usd),
    };
    // Without a login there is no request, so no status; the text is the program's own.
    let is_logged_out = result["is_error"] == true
        && result["result"].as_str().is_some_and(|it| it.starts_with("Not logged in"));
    account.facts.sign = Sign::of_status(result["api_error_status"].as_u64())
        .or(is_logged_out.then_some(Sign::NotAuthorised))
        .or((result["subtype"] == "error_max_budget_usd").then_some(Sign::Budget));
    account.goes_on = false;
}

/// What all models of a session cost together.
fn claude_models(models: &Value) -> Usage {
    let of_model = |model: &Value| {
        let count = |key: &str| model[key].as_u64();
        let read = ["inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens"];
        Usage {
            input_tokens: read.into_iter().map(count).fold(None, sum),
            output_tokens: count("outputTokens"),
            usd: model.get("costUSD").cloned().and_then(dollars),
        }
    };
    let models = models.as_object().into_iter().flat_map(|it| it.values());
    models.map(of_model).fold(Usage::default(), Usage::plus)
}

fn claude_usage(used: &Value) -> Usage {
    let count = |key: &str| used[key].as_u64();
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    Usage {
        input_tokens: read.into_iter().map(count).fold(None, sum),
        output_tokens: count("output_tokens"),
        usd: None,
    }
}

/// Codex with `--json`. Its input tokens include those from a cache. At the end of a turn it says what
/// the session has cost, with the calls before, and nothing until then.
pub(super) fn codex(account: &mut Account, event: &Value) {
    account.activities.extend(activity::codex(event));
    match event["type"].as_str() {
        Some("thread.started") => {
            account.has_begun = true;
            account.facts.session = session(&event["thread_id"]);
        }
        Some("turn.completed") => {
            let whole = Usage {
                input_tokens: event["usage"]["input_tokens"].as_u64(),
                output_tokens: event["usage"]["output_tokens"].as_u64(),
                usd: None,
            };
            account.session(whole);
        }
        Some("turn.failed") => {
            let message = event["error"]["message"].as_str().unwrap_or_default();
            account.facts.sign = status_in(message);
        }
        _ => {}
    }
}

/// Gemini CLI with `--output-format json`: one object over several lines.
pub(super) fn gemini(result: &Value) -> Facts {
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

/// opencode with `--format json`. Every step says what it cost, and why it ended.
pub(super) fn opencode(account: &mut Account, event: &Value) {
    account.activities.extend(activity::opencode(event));
    account.facts.session = session(&event["sessionID"]).or(account.facts.session.take());
    match event["type"].as_str() {
        Some("step_finish") => {
            let part = &event["part"];
            let count = |it: &Value| it.as_u64();
            let (tokens, cache) = (&part["tokens"], &part["tokens"]["cache"]);
            let cached = sum(count(&cache["read"]), count(&cache["write"]));
            let step = Usage {
                input_tokens: sum(count(&tokens["input"]), cached),
                output_tokens: sum(count(&tokens["output"]), count(&tokens["reasoning"])),
                // It says 0 for a model whose price it does not know.
                usd: part.get("cost").cloned().and_then(dollars).filter(|it| it.in_micros() > 0),
            };
            account.request(step);
            account.goes_on = part["reason"] != "stop";
        }
        Some("error") => {
            account.facts.sign = Sign::of_status(event["error"]["data"]["statusCode"].as_u64());
        }
        _ => {}
    }
}

/// The status in a message such as `unexpected status 401 Unauthorized: …`. Without the key that its
/// settings name, Codex asks for nothing, and says which variable it misses.
fn status_in(message: &str) -> Option<Sign> {
    let has_no_key = message.starts_with("Missing environment variable: ");
    if has_no_key || message.contains("status 401 ") || message.contains("status: 401 ") {
        Some(Sign::NotAuthorised)
    } else if message.contains("status: 429 ") || message.contains("status 429 ") {
        Some(Sign::Quota)
    } else if message.contains("token budget exhausted") {
        Some(Sign::Budget)
    } else {
        None
    }
}

/// The lines of the output that are JSON objects.
pub(super) fn objects(output: &[u8]) -> impl DoubleEndedIterator<Item = Value> {
    output.split(|&byte| byte == b'\n').filter_map(object)
}

/// A line that is a JSON object.
pub(super) fn object(line: &[u8]) -> Option<Value> {
    if line.first() == Some(&b'{') { serde_json::from_slice(line).ok() } else { None }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
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
        check(
            Report::Events(claude).facts(printed),
            (Some(248), Some(14)),
            Some(608),
            Some("98af691d-65ff"),
            None,
        );

        let printed = br#"{"type":"thread.started","thread_id":"01a1ddc7-1ccf"}
Reading additional input from stdin...
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"All done."}}
{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":22,"output_tokens":14,"reasoning_output_tokens":4}}
"#;
        check(
            Report::Events(codex).facts(printed),
            (Some(200), Some(14)),
            None,
            Some("01a1ddc7-1ccf"),
            None,
        );

        let printed = br#"{
  "session_id": "4a4fb6e1-b1ba",
  "response": "All done.",
  "stats": {"models": {
    "gemini-2.5-flash": {"tokens": {"input": 200, "prompt": 200, "candidates": 14, "thoughts": 3}},
    "gemini-2.5-pro": {"tokens": {"prompt": 1, "candidates": 2}}
  }}
}"#;
        check(
            Report::Document(gemini).facts(printed),
            (Some(201), Some(19)),
            None,
            Some("4a4fb6e1-b1ba"),
            None,
        );

        let printed = br#"{"type":"step_start","sessionID":"ses_e22389","part":{"type":"step-start"}}
{"type":"step_finish","sessionID":"ses_e22389","part":{"tokens":{"total":107,"input":100,"output":7,"reasoning":1,"cache":{"write":2,"read":3}},"cost":0.5}}
{"type":"step_finish","sessionID":"ses_e22389","part":{"tokens":{"input":100,"output":7,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}}
"#;
        check(
            Report::Events(opencode).facts(printed),
            (Some(205), Some(15)),
            Some(500_000),
            Some("ses_e22389"),
            None,
        );
    }

    #[test]
    fn a_failure_is_read_for_its_reason() {
        use Sign::{NotAuthorised, Quota};
        let sign = |read: Report, printed: &[u8]| read.facts(printed).sign;
        let [claude, codex, opencode] = [claude, codex, opencode].map(Report::Events);
        let printed = |status: u64| format!(r#"{{"type":"result","api_error_status":{status}}}"#);
        assert_eq!(sign(claude, printed(401).as_bytes()), Some(NotAuthorised));
        assert_eq!(sign(claude, printed(429).as_bytes()), Some(Quota));
        assert_eq!(sign(claude, printed(500).as_bytes()), None);
        let logged_out = r#"{"type":"result","is_error":true,"api_error_status":null,"result":"Not logged in · Please run /login"}"#;
        assert_eq!(sign(claude, logged_out.as_bytes()), Some(NotAuthorised));

        let printed = |message: &str| {
            format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#)
        };
        let refused = printed("unexpected status 401 Unauthorized: no, url: http://x/responses");
        assert_eq!(sign(codex, refused.as_bytes()), Some(NotAuthorised));
        let spent = printed("exceeded retry limit, last status: 429 Too Many Requests");
        assert_eq!(sign(codex, spent.as_bytes()), Some(Quota));
        assert_eq!(sign(codex, printed("disk full").as_bytes()), None);
        let keyless = printed("Missing environment variable: `COMPANY_KEY`.");
        assert_eq!(sign(codex, keyless.as_bytes()), Some(NotAuthorised));

        let printed = br#"{"type":"error","error":{"name":"APIError","data":{"statusCode":401}}}"#;
        assert_eq!(sign(opencode, printed), Some(NotAuthorised));
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
            let reports = [claude, codex, opencode].map(Report::Events);
            for report in reports.into_iter().chain([Report::Document(gemini), Report::Silent]) {
                assert_eq!(report.facts(output.as_bytes()), Facts::default(), "{output}");
            }
        }
        assert_eq!(Report::Events(claude).facts(b"\xff\xfe\n{\xff}"), Facts::default());
    }
}
