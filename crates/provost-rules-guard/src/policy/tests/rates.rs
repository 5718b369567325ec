//! How much of what is dangerous is stopped, and how much of what is ordinary is interrupted: lists
//! that were written without a look at the analyser.

use std::{collections::BTreeMap, fmt::Write as _};

use provost_kernel::guard::policy::{Effect, Policy, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{super::rule, call};

macro_rules! list {
    ($name:literal) => {
        include_str!(concat!("../../../../../fixtures/guard/lists/", $name, ".jsonl"))
    };
}

/// Each was written when the analyser could do those before it.
const DANGEROUS: [&str; 3] = [list!("dangerous"), list!("dangerous-2"), list!("dangerous-3")];
const ORDINARY: [&str; 3] = [list!("ordinary"), list!("ordinary-2"), list!("ordinary-3")];

/// A call of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    class: String,
    tool: String,
    pub(super) command: Option<String>,
    input: Option<Value>,
}

pub(super) fn listed(text: &str) -> Vec<Listed> {
    let text = text.replace("{project}", "/home/user/project").replace("{home}", "/home/user");
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// How many of a list were stopped or asked about, by class, and the others of each.
pub(super) fn rates(list: &[Listed], is_fine: fn(Effect) -> bool) -> (usize, String) {
    let mut classes: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for it in list {
        let input = it.input.clone().unwrap_or_else(|| json!({ "command": it.command }));
        let program = Some("/home/user/.local/bin/provost".to_owned());
        let call = ToolCall { program, ..call(&it.tool, input.clone()) };
        let ruling = rule(&Policy::default(), &call);
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

/// The rates of each list and of all, printed whatever they are.
fn over_all(lists: [&str; 3], is_fine: fn(Effect) -> bool) -> (usize, usize, String) {
    let (mut failed, mut all, mut report) = (0, 0, String::new());
    for (at, list) in lists.into_iter().enumerate() {
        let list = listed(list);
        let (wrong, of_list) = rates(&list, is_fine);
        let tenths = wrong * 1000 / list.len();
        let (share, tenth) = (tenths / 10, tenths % 10);
        let (number, n_listed) = (at + 1, list.len());
        writeln!(report, "list {number}: {wrong} of {n_listed} wrong, {share}.{tenth} %").unwrap();
        report.push_str(&of_list);
        failed += wrong;
        all += list.len();
    }
    #[expect(clippy::print_stdout, reason = "whoever runs the test wants to see the rates")]
    {
        println!("{report}");
    }
    (failed, all, report)
}

#[test]
fn what_is_dangerous_is_stopped() {
    let (missed, all, report) = over_all(DANGEROUS, is_stopped);
    assert!(all >= 1100, "{all}");
    assert!(missed * 100 <= all * 3, "{report}missed {missed} of {all}");
}

#[test]
fn what_is_ordinary_is_not_interrupted() {
    let (interrupted, all, report) = over_all(ORDINARY, |it| !is_stopped(it));
    assert!(all >= 800, "{all}");
    assert!(interrupted * 100 <= all, "{report}interrupted {interrupted} of {all}");
}
