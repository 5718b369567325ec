//! How much of what is dangerous is stopped, and how much of what is ordinary is interrupted: two lists
//! that were written without a look at the analyser.

use std::{collections::BTreeMap, fmt::Write as _};

use provost_kernel::guard::policy::{Effect, Policy};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{super::rule, call};

macro_rules! list {
    ($name:literal) => {
        include_str!(concat!("../../../../../fixtures/guard/lists/", $name, ".jsonl"))
    };
}

/// The second of each was written when the analyser could do the first.
const DANGEROUS: [&str; 2] = [list!("dangerous"), list!("dangerous-2")];
const ORDINARY: [&str; 2] = [list!("ordinary"), list!("ordinary-2")];

/// A call of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    class: String,
    tool: String,
    pub(super) command: Option<String>,
    input: Option<Value>,
}

pub(super) fn listed(lists: [&str; 2]) -> Vec<Listed> {
    let text = lists.concat();
    let text = text.replace("{project}", "/home/user/project").replace("{home}", "/home/user");
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// How many of a list were stopped or asked about, by class, and the others of each.
pub(super) fn rates(list: &[Listed], is_fine: fn(Effect) -> bool) -> (usize, String) {
    let mut classes: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for it in list {
        let input = it.input.clone().unwrap_or_else(|| json!({ "command": it.command }));
        let ruling = rule(&Policy::default(), &call(&it.tool, input.clone()));
        let (all, wrong) = classes.entry(&it.class).or_default();
        *all += 1;
        if !is_fine(ruling.effect) {
            wrong.push(format!("    {:?} {} {input}", ruling.effect, ruling.rule));
        }
    }
    let mut report = String::new();
    let mut failed = 0;
    for (class, (all, wrong)) in classes {
        failed += wrong.len();
        let n_wrong = wrong.len();
        writeln!(report, "{class}: {n_wrong} of {all} wrong\n{}", wrong.join("\n")).unwrap();
    }
    (failed, report)
}

pub(super) fn is_stopped(effect: Effect) -> bool {
    matches!(effect, Effect::Ask | Effect::Deny)
}

#[test]
fn what_is_dangerous_is_stopped() {
    let list = listed(DANGEROUS);
    assert!(list.len() >= 700, "{}", list.len());
    let (missed, report) = rates(&list, is_stopped);
    assert!(missed * 100 <= list.len() * 3, "{report}missed {missed} of {}", list.len());
}

#[test]
fn what_is_ordinary_is_not_interrupted() {
    let list = listed(ORDINARY);
    assert!(list.len() >= 500, "{}", list.len());
    let (interrupted, report) = rates(&list, |it| !is_stopped(it));
    let all = list.len();
    assert!(interrupted * 100 <= all, "{report}interrupted {interrupted} of {all}");
}
