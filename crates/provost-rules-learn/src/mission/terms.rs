//! The words of a mission: those for its verdicts, and those that its overrides look for.

use std::collections::BTreeSet;

use provost_kernel::{
    Lang,
    learn::{Label, Override, VerdictTerms},
};
use regex::Regex;
use serde_json::Value;

use super::{
    problem::{Expected, Refusal},
    table::Table,
};
use crate::answer::folded;

/// Reads the words for each verdict, or takes those of the language.
pub(super) fn read(table: &mut Table, language: Lang) -> VerdictTerms {
    const EMPTY: Refusal =
        Refusal { en: "a verdict needs a word", zh: "结论至少要有一个词" };
    const BOTH: Refusal = Refusal {
        en: "a word for pass is a word for fail as well, blanks and case aside",
        zh: "有词同时表示通过与不通过(不计空格与大小写)",
    };
    let pass = words(table, "verdict_terms.pass", language.pick(&["pass"], &["通过", "pass"]));
    let fail =
        words(table, "verdict_terms.fail", language.pick(&["fail"], &["不通过", "未通过", "fail"]));
    for (key, list) in [("verdict_terms.pass", &pass), ("verdict_terms.fail", &fail)] {
        if list.is_empty() {
            table.refuse(key, EMPTY);
        }
    }
    let passing: BTreeSet<String> = pass.iter().map(|it| folded(it)).collect();
    if fail.iter().any(|it| passing.contains(&folded(it))) {
        table.refuse("verdict_terms.fail", BOTH);
    }
    VerdictTerms { pass, fail }
}

fn words(table: &mut Table, key: &str, built_in: &[&str]) -> Vec<String> {
    table.texts(key).unwrap_or_else(|| built_in.iter().map(|it| (*it).to_owned()).collect())
}

/// Reads the checks on the evidence. Each has a name of its own and patterns that compile.
pub(super) fn overrides(table: &mut Table) -> Vec<Override> {
    const PASS: Refusal = Refusal {
        en: "evidence that passes without a model is a risk: write `allow_pass_override = true` if it is meant",
        zh: "不经模型就判通过有风险:若确有此意,请写 `allow_pass_override = true`",
    };
    const SAME: Refusal =
        Refusal { en: "another override has this id", zh: "另一条覆盖规则已用此 id" };
    let allows_pass = table.flag("allow_pass_override").unwrap_or(false);
    let mut ids = BTreeSet::new();
    let overrides = table.tables("overrides", |it| {
        let id = it.required_text("id");
        if id.as_ref().is_some_and(|id| !ids.insert(id.clone())) {
            it.refuse("id", SAME);
        }
        let verdict = it.word("verdict").unwrap_or(Label::Fail);
        if verdict == Label::Pass && !allows_pass {
            it.refuse("verdict", PASS);
        }
        let (regex, unless_regex) = (pattern(it, "regex"), pattern(it, "unless_regex"));
        if regex.is_none() && !it.is_reported("regex") {
            it.missing("regex", Expected::Text);
        }
        let item = it.text("item");
        let reason = it.required_text("reason");
        Some(Override { id: id?, item, regex: regex?, unless_regex, verdict, reason: reason? })
    });
    overrides.unwrap_or_default()
}

/// A pattern that compiles.
fn pattern(table: &mut Table, key: &str) -> Option<String> {
    const PATTERN: Refusal = Refusal {
        en: "it is not a regular expression; write it in single quotes, there is no look-around",
        zh: "不是正则表达式;请用单引号书写,不支持环视",
    };
    let value = table.take(key)?;
    let Value::String(text) = value else {
        table.unexpected(key, &value, Expected::Text);
        return None;
    };
    if text.is_empty() || Regex::new(&text).is_err() {
        table.refuse(key, PATTERN);
        return None;
    }
    Some(text)
}
