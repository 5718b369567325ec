//! The state of one pass: what was prepared of the evidence, what was taken, what was removed.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    learn::{Hypothesis, Operation, Reject, RejectCode, RejectKind, RuleKey, TicketKey},
    shorten,
};
use serde_json::{Map, Value};

use super::{Ground, reader};
use crate::text;

/// Where the items of one pass are judged.
pub(super) struct Bench<'g, 'a> {
    pub(super) ground: &'g Ground<'a>,
    /// The evidence of the tickets that were cited so far, ready to be searched.
    passages: BTreeMap<TicketKey, Vec<text::Passages>>,
    /// What stood so far, to find it again.
    operations: BTreeSet<String>,
    hypotheses: BTreeSet<(String, BTreeSet<TicketKey>)>,
    /// Rules that an operation of this pass removes: a later one cannot touch them.
    removed: BTreeSet<RuleKey>,
}

/// Why an item is refused: a code, and the thing that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: RejectCode,
    detail: String,
}

impl Refusal {
    pub(super) fn new(code: RejectCode, detail: &str) -> Self {
        Self { code, detail: shorten(detail) }
    }

    pub(super) fn bare(code: RejectCode) -> Self {
        Self { code, detail: String::new() }
    }

    /// The same, with the field that it is about.
    pub(super) fn about(self, field: &str) -> Self {
        let colon = if self.detail.is_empty() { "" } else { ": " };
        Self { code: self.code, detail: format!("{field}{colon}{}", self.detail) }
    }

    pub(super) fn at(self, kind: RejectKind, index: usize) -> Reject {
        Reject { kind, index, code: self.code, detail: self.detail }
    }
}

impl<'g, 'a> Bench<'g, 'a> {
    pub(super) fn new(ground: &'g Ground<'a>) -> Self {
        Self {
            ground,
            passages: BTreeMap::new(),
            operations: BTreeSet::new(),
            hypotheses: BTreeSet::new(),
            removed: BTreeSet::new(),
        }
    }

    /// The tickets that an item cites: at least one, and none that is not learnable. Nothing is
    /// put in place of what is missing (LEARN-4.2).
    pub(super) fn evidence(&self, item: &Map<String, Value>) -> Result<Vec<TicketKey>, Refusal> {
        let texts = reader::texts(item.get("evidence"))?;
        if texts.is_empty() {
            return Err(Refusal::bare(RejectCode::EvidenceEmpty));
        }
        let mut keys: Vec<TicketKey> = Vec::new();
        for it in texts {
            let key = reader::ticket(it, self.ground.learnable, self.ground.handles)
                .ok_or_else(|| Refusal::new(RejectCode::EvidenceOutside, it))?;
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        Ok(keys)
    }

    /// Whether a rule exists, as far as the rules are known; one that was removed does not.
    pub(super) fn check_exists(&self, key: RuleKey) -> Result<(), Refusal> {
        let is_known = self.ground.guidance.is_none_or(|it| it.rules.contains_key(&key));
        if is_known && !self.removed.contains(&key) {
            return Ok(());
        }
        Err(Refusal::new(RejectCode::UnknownKey, &key.to_string()))
    }

    /// Holds the text of a rule against everything that no rule may say.
    pub(super) fn check_rule(&mut self, rule: &str, cited: &[TicketKey]) -> Result<(), Refusal> {
        check_length(rule, self.ground.limits.rule, RejectCode::TextTooLong)?;
        check_wording(rule)?;
        self.check_leak(rule)?;
        if text::is_object_chain(rule) {
            return Err(Refusal::new(RejectCode::CopiesEvidence, "/"));
        }
        if let Some(key) = cited.iter().find(|it| self.is_copy(rule, it)) {
            return Err(Refusal::new(RejectCode::CopiesEvidence, &key.to_string()));
        }
        if let Some(name) = text::identity_name(rule, self.ground.identity_names) {
            return Err(Refusal::new(RejectCode::BrandDimension, name));
        }
        if let Some(word) = text::forbidden_word(rule, self.ground.forbidden_dimensions) {
            return Err(Refusal::new(RejectCode::BrandDimension, &word));
        }
        if let Some(order) = text::instruction(rule) {
            return Err(Refusal::new(RejectCode::ConflictsScaffold, order));
        }
        self.check_names_no_scaffold(rule)
    }

    /// Refuses what speaks of the scaffold: a rule judges cases, and not other rules.
    pub(super) fn check_names_no_scaffold(&self, text: &str) -> Result<(), Refusal> {
        match text::names_scaffold(text, self.ground.scaffold) {
            Some(word) => Err(Refusal::new(RejectCode::ConflictsScaffold, &word)),
            None => Ok(()),
        }
    }

    /// Refuses a rule that leaves it open which answer follows.
    pub(super) fn check_decides(&self, rule: &str) -> Result<(), Refusal> {
        if text::offers_both(rule, self.ground.terms) {
            return Err(Refusal::bare(RejectCode::NotBinary));
        }
        Ok(())
    }

    /// Refuses what names a case.
    pub(super) fn check_leak(&self, rule: &str) -> Result<(), Refusal> {
        match text::leak(rule, self.ground.names_ticket) {
            Some(what) => Err(Refusal::new(RejectCode::LeaksTicket, what)),
            None => Ok(()),
        }
    }

    /// Refuses a rule that concludes the opposite of a scaffold rule.
    pub(super) fn check_conflict(&self, rule: &str) -> Result<(), Refusal> {
        match text::conflicts(rule, self.ground.scaffold, self.ground.terms) {
            Some(key) => Err(Refusal::new(RejectCode::ConflictsScaffold, &key.to_string())),
            None => Ok(()),
        }
    }

    /// Refuses a rule that is a scaffold rule over again: its words may not appear under a key
    /// that can be changed (LEARN-1.3).
    pub(super) fn check_not_scaffold(&self, rule: &str) -> Result<(), Refusal> {
        match text::repeats_scaffold(rule, self.ground.scaffold, self.ground.terms) {
            Some(key) => Err(Refusal::new(RejectCode::ScaffoldTarget, &key.to_string())),
            None => Ok(()),
        }
    }

    /// The rule that a text is another wording of: the most alike, the first of equals.
    pub(super) fn similar_rule(&self, rule: &str) -> Option<RuleKey> {
        let rules = &self.ground.guidance?.rules;
        let mut best: Option<(f64, RuleKey)> = None;
        for (&key, it) in rules.iter().filter(|(key, _)| !self.removed.contains(key)) {
            if text::is_similar(rule, &it.text) {
                let likeness = text::likeness(rule, &it.text);
                if best.is_none_or(|(most, _)| likeness > most) {
                    best = Some((likeness, key));
                }
            }
        }
        best.map(|(_, key)| key)
    }

    /// Takes an operation in, unless it stands already or there are enough.
    pub(super) fn keep_operation(
        &mut self,
        operation: &Operation,
        n_kept: usize,
    ) -> Result<(), Refusal> {
        let print = print(operation);
        if self.operations.contains(&print) {
            return Err(Refusal::bare(RejectCode::Duplicate));
        }
        let most = self.ground.limits.max_operations.map_or(usize::MAX, |it| it as usize);
        if n_kept >= most {
            return Err(Refusal::new(RejectCode::OverCap, &most.to_string()));
        }
        self.operations.insert(print);
        match operation {
            Operation::Delete { key, .. } => drop(self.removed.insert(*key)),
            Operation::Merge { merged_from, .. } => self.removed.extend(merged_from),
            Operation::Add { .. } | Operation::Update { .. } => {}
        }
        Ok(())
    }

    /// Takes a hypothesis in, unless it stands already with the same evidence.
    pub(super) fn keep_hypothesis(&mut self, hypothesis: &Hypothesis) -> Result<(), Refusal> {
        let evidence = hypothesis.evidence.iter().cloned().collect();
        if self.hypotheses.insert((hypothesis.signature.clone(), evidence)) {
            return Ok(());
        }
        Err(Refusal::bare(RejectCode::Duplicate))
    }

    fn is_copy(&mut self, rule: &str, key: &TicketKey) -> bool {
        let items = self.ground.evidence;
        let passages = self
            .passages
            .entry(key.clone())
            .or_insert_with(|| items(key).map(text::Passages::of_items).unwrap_or_default());
        let rule = text::Passages::new(rule);
        passages.iter().any(|it| it.is_copied_by(&rule))
    }
}

/// Refuses wording that leaves a third answer or none.
pub(super) fn check_wording(text: &str) -> Result<(), Refusal> {
    if let Some(phrase) = text::third_state(text) {
        return Err(Refusal::new(RejectCode::ThirdState, phrase));
    }
    if let Some(phrase) = text::ambiguous_negation(text) {
        return Err(Refusal::new(RejectCode::AmbiguousNegation, phrase));
    }
    Ok(())
}

/// Refuses a text that is too long. It is not cut: a rule without its end may say the opposite.
pub(super) fn check_length(text: &str, most: u32, code: RejectCode) -> Result<(), Refusal> {
    let length = text.chars().count();
    if length > most as usize {
        return Err(Refusal::new(code, &format!("{length} > {most}")));
    }
    Ok(())
}

/// What makes two operations one: the word, the keys, the text and the set of tickets.
fn print(operation: &Operation) -> String {
    let evidence: BTreeSet<String> = operation.evidence().iter().map(ToString::to_string).collect();
    let keys = match operation {
        Operation::Add { .. } => String::new(),
        Operation::Update { key, .. } | Operation::Delete { key, .. } => key.to_string(),
        Operation::Merge { key, merged_from, .. } => format!("{key} {merged_from:?}"),
    };
    let text = operation.text().map(text::normal);
    format!("{:?}", (operation.word(), keys, text, evidence))
}
