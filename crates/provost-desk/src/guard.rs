//! The guard as people read it: what it ruled, where it is installed, and what it would say.
//!
//! A ruling is an entry of the audit chain. It names the part of a call that it stands on and never
//! holds what the tool was given.

mod state;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Text, Timestamp,
    guard::{Harness, Proof, ProofCheck, RefusalCode, Scope, policy::Effect},
};
use provost_vault::audit::{ChainEntry, More};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use self::state::{
    GrantedPermit, GuardPolicy, GuardState, PackSwitch, RunningSnooze, TrustedFolder,
    WaitingRefusal, WaysOut,
};
use crate::{Desk, PageError, PortError};

/// How far back the counts look, in seconds.
const WEEK: i64 = 7 * 24 * 60 * 60;
/// So many rules are counted one by one.
const RULES: usize = 12;

/// What the binary knows of the guard: the configurations of clients and the person's policy.
pub trait GuardPort: Send + Sync {
    /// Every client that can be guarded, with what its last test is worth now.
    fn clients(&self) -> Result<Vec<GuardClient>, PortError>;

    /// The policy of each hook that is installed, or of the home if none is.
    fn policies(&self) -> Result<Vec<GuardPolicy>, PortError>;

    /// What would be ruled on a shell command in the project's folder. Nothing is run or written.
    fn explain(&self, command: &str) -> Result<GuardRuling, PortError>;
}

/// Which rulings are wanted.
#[derive(Clone, Debug, Default)]
pub struct RulingFilter {
    /// Words of `effect`, with commas between them.
    pub effect: Option<String>,
    pub rule: Option<String>,
}

/// A page of rulings, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rulings {
    pub rulings: Vec<Ruling>,
    pub next_cursor: Option<String>,
    /// Only on the first page.
    pub counts: Option<RulingCounts>,
}

/// One tool call, ruled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ruling {
    pub seq: u64,
    pub at: Timestamp,
    /// `refused`, `asked`, `unblockable` or `passed`.
    pub effect: String,
    /// The rule that decided; none where the payload itself was refused.
    pub rule: Option<String>,
    /// The part of the call that it stands on.
    pub about: Option<String>,
    /// The code under which a person can still permit the call.
    pub code: Option<RefusalCode>,
    /// By whose word it passed although the rule speaks against it.
    pub permitted_by: Option<RulingPermit>,
    pub client: Option<String>,
    pub tool: Option<String>,
    pub session: String,
    pub agent: Option<String>,
    /// What was wrong with the payload.
    pub error: Option<String>,
}

/// The word of a person by which a call passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RulingPermit {
    /// `once`, `session` or `snooze`.
    pub scope: String,
    /// The code that was permitted; none for a snooze.
    pub code: Option<RefusalCode>,
}

/// How many rulings there were in a week.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RulingCounts {
    pub since: Option<Timestamp>,
    /// Whether everything since then was counted; a long chain is not read to its end.
    pub is_whole: bool,
    pub calls: u64,
    pub refused: u64,
    pub asked: u64,
    pub passed: u64,
    pub sessions: usize,
    /// The rules that refused or asked, the busiest first.
    pub rules: Vec<RuleCount>,
}

/// How often one rule decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleCount {
    pub rule: String,
    pub effect: String,
    pub count: u64,
}

/// One client, and whether its guard is proven.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GuardClient {
    pub client: Harness,
    pub title: &'static str,
    pub is_installed: bool,
    pub scopes: Vec<Scope>,
    /// `verified`, `stale`, `contradicted` or `not_verified`, as for facts.
    pub standing: &'static str,
    pub tested_at: Option<Timestamp>,
    /// Whether the client itself was driven.
    pub is_live: bool,
    /// The checks of the last test that did not pass.
    pub failed: Vec<ProofCheck>,
    pub checks: usize,
    /// What the client does not enforce, whatever is configured.
    pub leaves_open: Vec<Text>,
    /// Why nothing more is known of it.
    pub problem: Option<Text>,
}

/// What was ruled on a command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GuardRuling {
    pub command: String,
    pub effect: Effect,
    pub rule: String,
    pub why: Text,
    pub about: String,
    pub hint: Option<Text>,
}

impl Desk {
    /// A page of rulings. The first also counts those of a week.
    pub fn rulings(
        &self,
        filter: &RulingFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Rulings, PageError> {
        let page = self.rulings_page(filter, cursor, limit)?;
        let counts = cursor.is_none().then(|| self.ruling_counts()).transpose()?;
        Ok(Rulings { counts, ..page })
    }

    /// The same without the counts.
    pub fn rulings_page(
        &self,
        filter: &RulingFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Rulings, PageError> {
        let mut rulings = Vec::new();
        let next_cursor = self.read_chain(cursor, |line| {
            let ruling = line.entry.as_ref().and_then(Ruling::of);
            rulings.extend(ruling.filter(|it| filter.fits(it)));
            if rulings.len() >= limit { More::No } else { More::Yes }
        })?;
        let waiting = self.waiting_codes();
        for ruling in &mut rulings {
            ruling.code.take_if(|it| !waiting.contains(it));
        }
        Ok(Rulings { rulings, next_cursor, counts: None })
    }

    fn ruling_counts(&self) -> Result<RulingCounts, PageError> {
        let since = self.clock.now().seconds() - WEEK;
        let mut counts = RulingCounts::default();
        let mut sessions = BTreeSet::new();
        let mut rules: BTreeMap<(String, String), u64> = BTreeMap::new();
        let mut is_over = false;
        let rest = self.read_chain(None, |line| {
            let Some(entry) = &line.entry else { return More::Yes };
            if entry.at.seconds() < since {
                is_over = true;
                return More::No;
            }
            if let Some(ruling) = Ruling::of(entry) {
                counts.since = Some(ruling.at);
                counts.calls += 1;
                sessions.insert(ruling.session.clone());
                match ruling.effect.as_str() {
                    "refused" | "unblockable" => counts.refused += 1,
                    "asked" => counts.asked += 1,
                    _ => counts.passed += 1,
                }
                if ruling.effect != "passed" {
                    let rule = ruling.rule.or(ruling.error).unwrap_or_default();
                    *rules.entry((rule, ruling.effect)).or_default() += 1;
                }
            }
            More::Yes
        })?;
        counts.is_whole = is_over || rest.is_none();
        counts.sessions = sessions.len();
        let mut rules: Vec<RuleCount> = rules
            .into_iter()
            .map(|((rule, effect), count)| RuleCount { rule, effect, count })
            .collect();
        rules.sort_by(|one, other| other.count.cmp(&one.count).then(one.rule.cmp(&other.rule)));
        rules.truncate(RULES);
        counts.rules = rules;
        Ok(counts)
    }
}

impl RulingFilter {
    fn fits(&self, ruling: &Ruling) -> bool {
        let effect = self.effect.as_deref();
        effect.is_none_or(|it| it.split(',').any(|it| it == ruling.effect))
            && self.rule.as_deref().is_none_or(|it| ruling.rule.as_deref() == Some(it))
    }
}

impl Ruling {
    /// The ruling that an entry is, if it is one: a tool call, or a payload that was not taken.
    fn of(entry: &ChainEntry) -> Option<Self> {
        let text = |name: &str| entry.detail.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_call = entry.action.starts_with("guard.") && text("rule").is_some();
        let is_refused = entry.action == "guard.refused";
        if !is_call && !is_refused {
            return None;
        }
        Some(Self {
            seq: entry.seq,
            at: entry.at,
            effect: if is_refused { "refused".to_owned() } else { text("effect")? },
            rule: text("rule"),
            about: text("about").filter(|it| !it.is_empty()),
            code: text("code").and_then(|it| it.parse().ok()),
            permitted_by: entry.detail.get("permitted_by").and_then(RulingPermit::of),
            client: text("client"),
            tool: entry.subject.strip_prefix("tool:").map(str::to_owned),
            session: entry.actor.id.clone(),
            agent: text("agent_id"),
            error: text("error"),
        })
    }
}

impl RulingPermit {
    fn of(detail: &Value) -> Option<Self> {
        let text = |name: &str| detail.get(name).and_then(Value::as_str);
        let scope = detail.as_str().or_else(|| text("scope"))?.to_owned();
        Some(Self { scope, code: text("code").and_then(|it| it.parse().ok()) })
    }
}

impl GuardClient {
    /// A client without a word about a test.
    pub fn new(client: Harness, title: &'static str, scopes: Vec<Scope>) -> Self {
        Self {
            client,
            title,
            is_installed: false,
            scopes,
            standing: "not_verified",
            tested_at: None,
            is_live: false,
            failed: Vec::new(),
            checks: 0,
            leaves_open: Vec::new(),
            problem: None,
        }
    }

    /// The same with its last test, which stands like this now.
    #[must_use]
    pub fn tested(self, proof: &Proof, standing: &'static str) -> Self {
        let failed = proof.checks.iter().filter(|it| !it.passed).cloned().collect();
        let (tested_at, is_live, checks) = (Some(proof.at), proof.live, proof.checks.len());
        Self { standing, tested_at, is_live, failed, checks, ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use camino::Utf8Path;
    use provost_kernel::{Actor, Clock, Millis, Source};
    use provost_vault::{
        Durable, Layout, RealDisk,
        audit::{Audit, Event},
        prepare_home,
    };
    use serde_json::json;

    use super::*;

    struct Day(u64);

    impl Clock for Day {
        fn millis(&self) -> Millis {
            Millis(self.0 * 86_400_000)
        }
    }

    /// What was refused, by which rule, and on which part of the call.
    #[test]
    fn rulings_come_from_the_chain_and_are_counted_for_a_week() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        let layout = Layout::new(&path.join("home"), None, &path.join("state"));
        prepare_home(&RealDisk, &layout).unwrap();
        let mut chain = Audit::open(&RealDisk, &layout).unwrap();
        let mut add = |day: u64, action: &str, detail: Value| {
            let event = Event {
                actor: Actor { source: Source::Agent, id: format!("s{day}") },
                action: action.to_owned(),
                subject: "tool:Bash".to_owned(),
                request_id: None,
                detail,
            };
            chain.append(&event, &Day(day), Durable::Now).unwrap();
        };
        let call = |effect: &str, rule: &str| json!({"client": "claude", "effect": effect, "rule": rule, "about": "git checkout ."});
        add(1, "guard.pre-tool-use", call("refused", "git.discard"));
        add(20, "guard.pre-tool-use", call("passed", "default"));
        add(20, "task.pause", json!({}));
        add(
            20,
            "guard.session-start",
            json!({"client": "claude", "effect": "passed", "rule": null}),
        );
        add(21, "guard.refused", json!({"client": "codex", "error": "invalid_json"}));
        add(22, "guard.pre-tool-use", call("asked", "publish"));
        add(22, "guard.pre-tool-use", call("refused", "git.discard"));
        let desk = Desk::new(layout, Arc::new(Day(23)));
        let page = desk.rulings(&RulingFilter::default(), None, 50).unwrap();
        let seen: Vec<_> = page.rulings.iter().map(|it| it.effect.as_str()).collect();
        assert_eq!(seen, ["refused", "asked", "refused", "passed", "refused"]);
        assert_eq!(page.rulings[0].about.as_deref(), Some("git checkout ."));
        assert_eq!(page.rulings[2].error.as_deref(), Some("invalid_json"));
        let counts = page.counts.unwrap();
        assert_eq!((counts.calls, counts.refused, counts.asked, counts.passed), (4, 2, 1, 1));
        assert!(counts.is_whole);
        assert_eq!((counts.sessions, counts.rules.len()), (3, 3));
        let filter = RulingFilter {
            effect: Some("refused,asked".to_owned()),
            rule: Some("publish".to_owned()),
        };
        let page = desk.rulings(&filter, None, 50).unwrap();
        assert_eq!(page.rulings.len(), 1);
        let first = desk.rulings(&RulingFilter::default(), None, 2).unwrap();
        let rest = desk.rulings(&RulingFilter::default(), first.next_cursor.as_deref(), 9).unwrap();
        assert_eq!((first.rulings.len(), rest.rulings.len(), rest.counts.is_none()), (2, 3, true));
    }

    /// KEEP-1: the log says by whose word a call passed that a rule speaks against.
    #[test]
    fn a_ruling_names_the_permission_by_which_a_call_passed() {
        #[track_caller]
        fn check(permitted_by: Value, expected: Option<(&str, Option<&str>)>) {
            let actual = RulingPermit::of(&permitted_by);
            let actual = actual
                .as_ref()
                .map(|it| (it.scope.as_str(), it.code.as_ref().map(RefusalCode::as_str)));
            assert_eq!(actual, expected);
        }
        check(json!({"code": "K7MX3P", "scope": "once"}), Some(("once", Some("K7MX3P"))));
        check(json!("snooze"), Some(("snooze", None)));
        check(json!({"code": "<img>", "scope": "session"}), Some(("session", None)));
        check(Value::Null, None);
    }
}
