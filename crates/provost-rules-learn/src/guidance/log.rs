//! The log of guidance: every change, exactly, so that each step can be rebuilt from it alone.
//!
//! A line holds what changed and the digest of the whole state before and after. A line that was
//! altered, left out or put in does not lead from one digest to the next.

use std::collections::BTreeMap;

use provost_kernel::{
    Digest, DigestError, Message,
    learn::{Guidance, Rule, RuleKey},
};
use serde::{Deserialize, Serialize};

/// Why guidance changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The run began.
    Seed,
    Reflection,
    /// Hits and misses were counted.
    Feedback,
    /// Rules that stopped working were removed.
    Cleanup,
    /// The ledger of the mission puts rules in force, or takes them back.
    Ledger,
    /// A person went back to an earlier step.
    Rollback,
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logged {
    pub v: u32,
    /// From 0 on, without a gap.
    pub seq: u64,
    pub step_before: u64,
    pub step_after: u64,
    pub cause: Cause,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_id: Option<String>,
    /// The state before; zeros where there was none.
    pub before: Digest,
    pub after: Digest,
    pub next_key: u32,
    /// The rules that are new or other than before.
    pub set: BTreeMap<RuleKey, Rule>,
    pub removed: Vec<RuleKey>,
}

/// Why a step cannot be rebuilt.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.guidance_log")]
pub enum LogError {
    /// A line that does not follow from the one before it, or does not match its digest.
    #[message(
        en = "line {seq} of the guidance log does not follow from the one before it",
        zh = "指引日志的第 {seq} 行与之前的内容不衔接",
        hint(
            en = "it was changed by hand: run `provost learn run MISSION.toml` in another folder",
            zh = "日志被人改动过：换一个目录运行 `provost learn run MISSION.toml`"
        ),
        exit = Integrity
    )]
    Broken { seq: u64 },
    #[message(
        en = "the guidance log has no step {step}",
        zh = "指引日志中没有第 {step} 步",
        hint(
            en = "its last step is {last}: see `provost learn rules MISSION`",
            zh = "最后一步是 {last}：见 `provost learn rules MISSION`"
        )
    )]
    NoStep { step: u64, last: u64 },
    #[message(en = "the guidance log is empty", zh = "指引日志为空", exit = Integrity)]
    Empty,
    #[message(en = "cannot compute the digest of the guidance", zh = "无法计算指引的摘要")]
    Digest(#[source] DigestError),
}

const VERSION: u32 = 1;

/// The whole state of guidance: what it says, and what is known of each rule.
#[derive(Serialize)]
struct State<'a> {
    step: u64,
    next_key: u32,
    rules: &'a BTreeMap<RuleKey, Rule>,
}

impl Logged {
    /// What leads from one state to another; the first line leads from nothing.
    pub fn between(
        seq: u64,
        cause: Cause,
        reflection_id: Option<&str>,
        before: Option<&Guidance>,
        after: &Guidance,
    ) -> Result<Self, LogError> {
        let none = BTreeMap::new();
        let rules = before.map_or(&none, |it| &it.rules);
        let is_new = |(key, rule): &(&RuleKey, &Rule)| rules.get(key) != Some(*rule);
        let set = after.rules.iter().filter(is_new).map(|(key, rule)| (*key, rule.clone()));
        let removed = rules.keys().filter(|key| !after.rules.contains_key(key)).copied();
        Ok(Self {
            v: VERSION,
            seq,
            step_before: before.map_or(0, |it| it.step),
            step_after: after.step,
            cause,
            reflection_id: reflection_id.map(str::to_owned),
            before: before.map_or(Ok(Digest::ZERO), state_digest)?,
            after: state_digest(after)?,
            next_key: after.next_key,
            set: set.collect(),
            removed: removed.collect(),
        })
    }
}

/// The digest of everything that is known of the rules, their counts and sources among it.
pub fn state_digest(guidance: &Guidance) -> Result<Digest, LogError> {
    let Guidance { step, next_key, rules } = guidance;
    let state = State { step: *step, next_key: *next_key, rules };
    Digest::of_json(&state).map_err(LogError::Digest)
}

/// The last state that the log leads to.
pub fn replay(lines: &[Logged]) -> Result<Guidance, LogError> {
    let mut state = None;
    for (seq, line) in (0..).zip(lines) {
        state = Some(follow(state, seq, line)?);
    }
    state.ok_or(LogError::Empty)
}

/// The last state of a step. Every line is verified, also those after it.
pub fn rebuild(lines: &[Logged], step: u64) -> Result<Guidance, LogError> {
    let (mut state, mut found) = (None, None);
    for (seq, line) in (0..).zip(lines) {
        let next = follow(state, seq, line)?;
        if next.step == step {
            found = Some(next.clone());
        }
        state = Some(next);
    }
    let last = state.ok_or(LogError::Empty)?.step;
    found.ok_or(LogError::NoStep { step, last })
}

/// The rules of an earlier state as the newest one: a step of its own, and no key comes back.
pub fn restored(current: &Guidance, earlier: &Guidance) -> Guidance {
    Guidance {
        step: current.step.saturating_add(1),
        next_key: current.next_key.max(earlier.next_key),
        rules: earlier.rules.clone(),
    }
}

fn follow(state: Option<Guidance>, seq: u64, line: &Logged) -> Result<Guidance, LogError> {
    let broken = || LogError::Broken { seq };
    let (before, step) = match &state {
        Some(state) => (state_digest(state)?, state.step),
        None => (Digest::ZERO, 0),
    };
    let is_next = line.v == VERSION
        && line.seq == seq
        && (line.cause == Cause::Seed) == (seq == 0)
        && line.before == before
        && line.step_before == step;
    if !is_next {
        return Err(broken());
    }
    let mut rules = state.map(|it| it.rules).unwrap_or_default();
    for key in &line.removed {
        rules.remove(key).ok_or_else(broken)?;
    }
    rules.extend(line.set.clone());
    let next = Guidance { step: line.step_after, next_key: line.next_key, rules };
    if state_digest(&next)? == line.after { Ok(next) } else { Err(broken()) }
}

#[cfg(test)]
mod tests;
