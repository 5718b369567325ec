//! The transcript of the demo: for each act its commands, results and what they prove.

use provost_kernel::Lang;
use serde::Serialize;

use crate::view::Page;

/// One act of the demo.
#[derive(Debug, Serialize)]
pub(super) struct Act {
    pub(super) name: &'static str,
    title: String,
    passed: bool,
    lines: Vec<Line>,
    #[serde(skip)]
    lang: Lang,
}

/// One line of an act.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
enum Line {
    /// A command that was run.
    Command(String),
    /// What the agent claimed.
    Claim(String),
    /// What provost found.
    Found(String),
    /// The state of the task afterwards.
    State(String),
    Proven(String),
    NotProven(String),
    /// A condition that does not hold.
    Wrong(String),
}

impl Act {
    pub(super) fn new(name: &'static str, lang: Lang, title: (&str, &str)) -> Self {
        let title = lang.pick(title.0, title.1).to_owned();
        Self { name, title, passed: true, lines: Vec::new(), lang }
    }

    pub(super) fn passed(&self) -> bool {
        self.passed
    }

    pub(super) fn command(&mut self, arguments: &[&str]) {
        self.lines.push(Line::Command(format!("provost {}", arguments.join(" "))));
    }

    pub(super) fn claim(&mut self, text: String) {
        self.lines.push(Line::Claim(text));
    }

    pub(super) fn found(&mut self, en: impl Into<String>, zh: impl Into<String>) {
        self.lines.push(Line::Found(self.lang.pick(en.into(), zh.into())));
    }

    pub(super) fn state(&mut self, text: String) {
        self.lines.push(Line::State(text));
    }

    pub(super) fn proven(&mut self, en: &str, zh: &str) {
        self.lines.push(Line::Proven(self.lang.pick(en, zh).to_owned()));
    }

    pub(super) fn not_proven(&mut self, en: &str, zh: &str) {
        self.lines.push(Line::NotProven(self.lang.pick(en, zh).to_owned()));
    }

    /// A condition without which the act fails.
    pub(super) fn must(&mut self, what: &str, holds: bool) {
        if !holds {
            self.passed = false;
            self.lines.push(Line::Wrong(what.to_owned()));
        }
    }

    /// Prints the act.
    pub(super) fn tell(&self, number: usize, page: &mut Page<'_>) {
        let lang = self.lang;
        page.line("");
        page.line(&format!("{number}. {}", self.title));
        for line in &self.lines {
            let (label, text) = match line {
                Line::Command(text) => ("$ ", text),
                Line::Claim(text) => (lang.pick("claim:      ", "声明："), text),
                Line::Found(text) => (lang.pick("provost:    ", "provost："), text),
                Line::State(text) => ("=> ", text),
                Line::Proven(text) => (lang.pick("proven:     ", "已证明："), text),
                Line::NotProven(text) => (lang.pick("not proven: ", "未证明："), text),
                Line::Wrong(text) => (lang.pick("WRONG:      ", "有误："), text),
            };
            page.line(&format!("   {label}{text}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An act is over with its first wrong step, and says which one it was.
    #[test]
    fn one_wrong_step_fails_the_act() {
        let mut act = Act::new("x", Lang::En, ("a title", "标题"));
        act.must("one", true);
        assert!(act.passed() && act.lines.is_empty());
        act.must("two", false);
        act.must("three", true);
        assert!(!act.passed());
        let written = serde_json::to_value(&act).unwrap();
        assert_eq!(written["lines"], serde_json::json!([{ "kind": "wrong", "text": "two" }]));
    }
}
