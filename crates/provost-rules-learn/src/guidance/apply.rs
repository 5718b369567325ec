//! How rules change: one step for all changes of a reflection, or none.
//!
//! What comes here was found valid before. The guards stand here all the same, because this is
//! the one place where rules are written: the checklist stays, an unknown key is not made
//! up, no key is given twice, and a change has its own evidence alone.

use std::collections::BTreeSet;

use provost_kernel::{
    Message,
    learn::{Guidance, Operation, Rule, RuleKey, TicketKey},
};
use unicode_normalization::UnicodeNormalization as _;

/// One thing that a reflection changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Operation(Operation),
    /// A hypothesis that found its support.
    Promotion {
        text: String,
        evidence: Vec<TicketKey>,
    },
}

/// By whom and within which limits.
#[derive(Clone, Copy, Debug)]
pub struct Apply<'a> {
    pub reflection_id: &'a str,
    /// How many rules there may be, the checklist among them.
    pub max_rules: u32,
}

/// What the changes came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub guidance: Guidance,
    /// The rules that were written and are still there, in the order of their numbers.
    pub written: Vec<RuleKey>,
    pub removed: Vec<RuleKey>,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.apply", exit = Refused)]
pub enum ApplyError {
    /// The checklist was to be removed, or to be merged into another rule.
    #[message(en = "the checklist `G0` cannot be removed", zh = "检查清单 `G0` 不能被移除")]
    Checklist,
    #[message(en = "unknown rule `{0}`", zh = "未知规则 `{0}`")]
    UnknownKey(RuleKey),
    #[message(en = "a rule needs a text", zh = "规则必须有文本")]
    Blank,
    #[message(
        en = "there are {max_rules} rules already, the limit of the mission",
        zh = "已有 {max_rules} 条规则，达到任务目标的上限",
        hint(
            en = "merge rules, or raise `max_rules` in the mission",
            zh = "合并规则，或在任务目标中调大 `max_rules`"
        )
    )]
    Full { max_rules: u32 },
    #[message(en = "every rule key is used up", zh = "规则的键已全部用完")]
    NoKeyLeft,
    #[message(en = "the changes leave the guidance as it is", zh = "这些改动没有改变指引")]
    Unchanged,
}

/// Why a rule exists that was promoted.
pub const PROMOTION: &str = "hypothesis_promotion";
/// Keys have nine digits.
const LAST_KEY: u32 = 999_999_999;

/// Applies all changes as one step, or none of them (LEARN-3.5, LEARN-4.2).
///
/// A removal of a rule that is gone changes nothing. An update or a merge of one is an error, and
/// so is everything that would take the checklist away.
pub fn apply(
    guidance: &Guidance,
    changes: &[Change],
    context: &Apply<'_>,
) -> Result<Applied, ApplyError> {
    let mut draft = Draft { guidance: guidance.clone(), written: BTreeSet::new(), context };
    for change in changes {
        draft.change(change)?;
    }
    let Draft { guidance: mut after, written, .. } = draft;
    if after.rules == guidance.rules {
        return Err(ApplyError::Unchanged);
    }
    if after.checklist().is_empty() {
        return Err(ApplyError::Checklist);
    }
    // Guidance that began with more rules than are allowed can still be made smaller.
    let (n_before, n_after) = (guidance.rules.len(), after.rules.len());
    let max_rules = context.max_rules;
    if n_after > n_before && u32::try_from(n_after).is_ok_and(|it| it > max_rules) {
        return Err(ApplyError::Full { max_rules });
    }
    after.step = after.step.saturating_add(1);
    let is_gone = |key: &&RuleKey| !after.rules.contains_key(key);
    let removed = guidance.rules.keys().filter(is_gone).copied().collect();
    let written = written.into_iter().filter(|it| after.rules.contains_key(it)).collect();
    Ok(Applied { guidance: after, written, removed })
}

/// The guidance without these rules, in the same step; the checklist always stays.
pub fn remove(guidance: &Guidance, keys: &[RuleKey]) -> Guidance {
    let mut after = guidance.clone();
    after.rules.retain(|key, _| *key == RuleKey::CHECKLIST || !keys.contains(key));
    after
}

/// Guidance on its way from one step to the next.
struct Draft<'a> {
    guidance: Guidance,
    written: BTreeSet<RuleKey>,
    context: &'a Apply<'a>,
}

/// What one change writes.
struct Writing<'a> {
    text: &'a str,
    rationale: Option<&'a str>,
    evidence: &'a [TicketKey],
}

impl Draft<'_> {
    fn change(&mut self, change: &Change) -> Result<(), ApplyError> {
        match change {
            Change::Promotion { text, evidence } => {
                self.add(&Writing { text, rationale: Some(PROMOTION), evidence })
            }
            Change::Operation(operation) => self.operate(operation),
        }
    }

    fn operate(&mut self, operation: &Operation) -> Result<(), ApplyError> {
        match operation {
            Operation::Add { text, rationale, evidence } => {
                self.add(&Writing { text, rationale: rationale.as_deref(), evidence })
            }
            Operation::Update { key, text, rationale, evidence } => {
                let writing = Writing { text, rationale: rationale.as_deref(), evidence };
                self.overwrite(*key, &[], &writing)
            }
            Operation::Delete { key, .. } => self.delete(*key),
            Operation::Merge { key, merged_from, text, rationale, evidence } => {
                let writing = Writing { text, rationale: rationale.as_deref(), evidence };
                self.overwrite(*key, merged_from, &writing)
            }
        }
    }

    /// A new rule, or more evidence for the rule that says the same already.
    fn add(&mut self, writing: &Writing<'_>) -> Result<(), ApplyError> {
        let form = comparable(writing.text);
        if form.is_empty() {
            return Err(ApplyError::Blank);
        }
        let mut rules = self.guidance.rules.iter_mut();
        if let Some((key, rule)) = rules.find(|(_, rule)| comparable(&rule.text) == form) {
            let sources = united([writing.evidence, &rule.sources]);
            if sources != rule.sources {
                rule.sources = sources;
                rule.reflection_id = Some(self.context.reflection_id.to_owned());
                self.written.insert(*key);
            }
            return Ok(());
        }
        let number = self.guidance.next_key;
        if number > LAST_KEY {
            return Err(ApplyError::NoKeyLeft);
        }
        let key = RuleKey::new(number);
        self.guidance.next_key = number.saturating_add(1);
        // No free hit: what a rule is worth is what tickets say afterwards.
        let rule = Rule {
            sources: united([writing.evidence, &[]]),
            rationale: writing.rationale.map(str::to_owned),
            reflection_id: Some(self.context.reflection_id.to_owned()),
            ..Rule::seed(writing.text.trim().to_owned())
        };
        self.guidance.rules.insert(key, rule);
        self.written.insert(key);
        Ok(())
    }

    /// Writes exactly this rule, whatever others say, and folds the merged ones into it.
    fn overwrite(
        &mut self,
        key: RuleKey,
        merged_from: &[RuleKey],
        writing: &Writing<'_>,
    ) -> Result<(), ApplyError> {
        let others: BTreeSet<RuleKey> =
            merged_from.iter().filter(|it| **it != key).copied().collect();
        if others.contains(&RuleKey::CHECKLIST) {
            return Err(ApplyError::Checklist);
        }
        if comparable(writing.text).is_empty() {
            return Err(ApplyError::Blank);
        }
        if !self.guidance.rules.contains_key(&key) {
            return Err(ApplyError::UnknownKey(key));
        }
        let folded: Vec<Rule> =
            others.iter().filter_map(|it| self.guidance.rules.remove(it)).collect();
        let Some(rule) = self.guidance.rules.get_mut(&key) else {
            return Err(ApplyError::UnknownKey(key));
        };
        writing.text.trim().clone_into(&mut rule.text);
        rule.sources = united([writing.evidence, &rule.sources]);
        for other in folded {
            rule.sources = united([&rule.sources, &other.sources]);
            rule.hits = rule.hits.saturating_add(other.hits);
            rule.misses = rule.misses.saturating_add(other.misses);
        }
        if let Some(rationale) = writing.rationale {
            rule.rationale = Some(rationale.to_owned());
        }
        rule.reflection_id = Some(self.context.reflection_id.to_owned());
        self.written.insert(key);
        Ok(())
    }

    fn delete(&mut self, key: RuleKey) -> Result<(), ApplyError> {
        if key == RuleKey::CHECKLIST {
            return Err(ApplyError::Checklist);
        }
        self.guidance.rules.remove(&key);
        Ok(())
    }
}

/// What makes two texts one rule: width, case, white space and the last full stop aside.
fn comparable(text: &str) -> String {
    let folded: String = text.nfkc().collect::<String>().to_lowercase();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").trim_end_matches(['。', '.']).trim_end().to_owned()
}

/// Both lists, each key once, in their order.
fn united(lists: [&[TicketKey]; 2]) -> Vec<TicketKey> {
    let mut seen = BTreeSet::new();
    lists.into_iter().flatten().filter(|it| seen.insert(*it)).cloned().collect()
}

#[cfg(test)]
mod tests;
