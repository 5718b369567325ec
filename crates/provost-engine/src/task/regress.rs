//! The regression suite: what must never come back, played through the real engine (LOOP-B21).
//!
//! A case is a scene and what must be true after it. Each one has a twin: the same scene without
//! what triggers its rule. There the case must be red, or it could not have failed; so the suite
//! can be held against itself.

mod cases;
mod expected;
mod scene;

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use provost_kernel::{Message, Text, message::Phrase};
use serde::Serialize;

use self::{
    expected::Expected,
    scene::{Scene, Seen},
};
use super::rehearsal::Host;

/// Something that once went wrong, or would be bad if it did.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    /// What must hold.
    rule: fn() -> Text,
    body: Body,
}

#[derive(Clone, Copy, Debug)]
enum Body {
    /// A scene in a repository of its own.
    Scene {
        scene: fn(Trigger) -> Scene,
        expected: &'static [Expected],
        /// What is true of the twin instead.
        otherwise: &'static [Expected],
    },
    /// A table that needs no repository.
    Table(fn(&Host, Trigger) -> Result<Text, Text>),
}

/// Whether a scene has what its rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The case itself.
    Present,
    /// Its twin.
    Absent,
}

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseResult {
    pub name: &'static str,
    pub rule: Phrase,
    pub passed: bool,
    pub expected: Phrase,
    pub found: Phrase,
}

/// Every case, in the order in which they are told.
pub fn cases() -> Vec<Case> {
    cases::GROUPS.concat()
}

/// Plays cases, several at a time, each in a folder of its own; the results keep their order.
pub fn play(
    host: &Host,
    cases: &[Case],
    trigger: Trigger,
    threads: NonZeroUsize,
) -> Vec<CaseResult> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.get() {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(case) = cases.get(index) else { break };
                    let result = case.play(host, trigger);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

impl Case {
    /// Plays the case, or its twin.
    pub fn play(&self, host: &Host, trigger: Trigger) -> CaseResult {
        let (passed, expected, found) = match self.body {
            Body::Scene { scene, expected, otherwise } => match scene(trigger).play(host) {
                Ok(seen) => compare(&seen, trigger, expected, otherwise),
                Err(error) => (false, "".into(), error.text()),
            },
            Body::Table(compare) => match (compare(host, trigger), trigger) {
                (Ok(found), Trigger::Present) => (true, Rows::Equal.text(), found),
                (Err(found), Trigger::Present) => (false, Rows::Equal.text(), found),
                (Ok(found), Trigger::Absent) => (false, Rows::Different.text(), found),
                (Err(found), Trigger::Absent) => (true, Rows::Different.text(), found),
            },
        };
        let [rule, expected, found] = [(self.rule)(), expected, found].map(Phrase);
        CaseResult { name: self.name, rule, passed, expected, found }
    }
}

/// What a table must be.
#[derive(Debug, Message)]
#[message(code = "task.regress_rows")]
enum Rows {
    #[message(en = "all rows equal", zh = "所有行一致")]
    Equal,
    /// The twin of a table.
    #[message(en = "a row that differs", zh = "有一行不同")]
    Different,
    #[message(en = "{0} {0:row|rows}", zh = "{0} 行")]
    Count(usize),
    #[message(en = "{0} {0:case|cases}", zh = "{0} 个用例")]
    Cases(usize),
    #[message(
        en = "failed [{failed}], missing [{missing}]",
        zh = "未通过 [{failed}]，缺失 [{missing}]"
    )]
    Calibration { failed: Vec<String>, missing: Vec<String> },
}

/// Holds what was seen against what must be true.
fn compare(
    seen: &Seen,
    trigger: Trigger,
    expected: &[Expected],
    otherwise: &[Expected],
) -> (bool, Text, Text) {
    let is_sound = [Expected::Sound];
    let holds = |list: &[Expected]| {
        let is_about_soundness = list.contains(&Expected::Unsound);
        let implied = is_sound.iter().filter(|_| !is_about_soundness);
        list.iter().chain(implied).all(|it| it.holds(seen))
    };
    let (passed, list) = match trigger {
        Trigger::Present => (holds(expected), expected),
        // The case must be red, and for the reason that it is about.
        Trigger::Absent => (!holds(expected) && holds(otherwise), otherwise),
    };
    let text = list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let found = if passed {
        seen.summary()
    } else {
        let wrong = list.iter().chain(&is_sound).filter(|it| !it.holds(seen));
        let wrong: Vec<String> = wrong.map(|it| it.found(seen)).collect();
        format!("{}: {}", seen.summary(), wrong.join(", "))
    };
    (passed, text.into(), found.into())
}

impl Trigger {
    /// One thing for the case, another for its twin.
    fn or<T>(self, case: T, twin: T) -> T {
        match self {
            Self::Present => case,
            Self::Absent => twin,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own() {
        let cases = cases();
        let names: BTreeSet<&str> = cases.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), cases.len());
        for case in &cases {
            let is_name = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
            assert!(case.name.chars().all(is_name), "{}", case.name);
        }
    }

    #[test]
    fn every_scene_expects_something_and_its_twin_something_else() {
        for case in cases() {
            if let Body::Scene { expected, otherwise, .. } = case.body {
                assert!(!expected.is_empty() && !otherwise.is_empty(), "{}", case.name);
                assert_ne!(expected, otherwise, "{}", case.name);
            }
        }
    }
}
