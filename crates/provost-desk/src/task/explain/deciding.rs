//! Which facts choose which row of the decision table.

use provost_kernel::{
    Message, Text,
    task::{Facts, Row},
};
use schemars::JsonSchema;
use serde::Serialize;

/// One fact that the decision table was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fact {
    /// The key of the fact, as in the decision's record.
    pub name: &'static str,
    pub label: Text,
    pub value: String,
}

/// A key of the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "task.fact")]
enum Key {
    #[message(en = "step", zh = "步骤")]
    Role,
    #[message(en = "exit code", zh = "退出码")]
    Rc,
    #[message(en = "error", zh = "错误类别")]
    ErrorClass,
    #[message(en = "verdict, after facts", zh = "裁决（依事实）")]
    VerdictDecision,
    #[message(en = "stopped by a gate", zh = "被硬性门槛拦下")]
    VerdictGated,
    #[message(en = "thresholds met", zh = "达到门槛分")]
    ThresholdsPass,
    #[message(en = "attempts, with this one", zh = "尝试次数（含本次）")]
    CurrentAttempt,
    #[message(en = "attempts allowed", zh = "允许次数")]
    MaxAttempts,
    #[message(en = "timeouts in a row", zh = "连续超时次数")]
    TimeoutCount,
}

/// The facts that chose a row, in the order of the record; what did not matter is left out.
pub fn deciding(row: Row, facts: &Facts) -> Vec<Fact> {
    keys(row).iter().map(|it| it.fact(facts)).collect()
}

fn keys(row: Row) -> &'static [Key] {
    match row {
        Row::Crash | Row::CoderFailed | Row::VerdictInvalid | Row::JudgeAuth | Row::CoderAuth => {
            &[Key::Role, Key::Rc, Key::ErrorClass]
        }
        Row::TimeoutTwice
        | Row::CoderTimeout
        | Row::TestTimeout
        | Row::JudgeTimeout
        | Row::CoordinatorTimeout => &[Key::Role, Key::Rc, Key::ErrorClass, Key::TimeoutCount],
        Row::VerdictInconsistent
        | Row::ModeInvalid
        | Row::CoderNoOutput
        | Row::AllowedPaths
        | Row::ForbiddenGlobs
        | Row::Secrets
        | Row::NotGitRepo
        | Row::TaskIdConflict
        | Row::User
        | Row::JudgeInvalid
        | Row::AdapterMissing
        | Row::Budget
        | Row::Quota
        | Row::PrepareFailed
        | Row::TestNotRun => &[Key::ErrorClass],
        Row::Gated => &[Key::VerdictDecision, Key::VerdictGated],
        Row::NeedUserInput | Row::UnknownDecision => &[Key::VerdictDecision],
        Row::BelowThreshold => &[Key::VerdictDecision, Key::ThresholdsPass],
        Row::Ready => &[Key::VerdictDecision, Key::VerdictGated, Key::ThresholdsPass],
        Row::FailNextAttempt | Row::FailExhausted => {
            &[Key::VerdictDecision, Key::CurrentAttempt, Key::MaxAttempts]
        }
    }
}

impl Key {
    fn fact(self, facts: &Facts) -> Fact {
        let (name, value) = match self {
            Self::Role => ("role", facts.role.to_string()),
            Self::Rc => ("rc", facts.rc.to_string()),
            Self::ErrorClass => {
                let class = facts.error_class.as_str();
                ("error_class", if class.is_empty() { "-" } else { class }.to_owned())
            }
            Self::VerdictDecision => {
                let decision = facts.verdict_decision.map_or("-", |it| it.as_str());
                ("verdict_decision", decision.to_owned())
            }
            Self::VerdictGated => ("verdict_gated", facts.verdict_gated.to_string()),
            Self::ThresholdsPass => ("thresholds_pass", facts.thresholds_pass.to_string()),
            Self::CurrentAttempt => ("current_attempt", facts.current_attempt.to_string()),
            Self::MaxAttempts => {
                ("effective_max_attempts", facts.effective_max_attempts.to_string())
            }
            Self::TimeoutCount => {
                ("consecutive_timeout_count", facts.consecutive_timeout_count.to_string())
            }
        };
        Fact { name, label: self.text(), value }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::{ErrorClass, Role, TimeoutKey, VerdictDecision};
    use provost_rules_task::decision::decide;

    use super::*;

    fn facts() -> Facts {
        Facts {
            role: Role::Judge,
            rc: 0,
            error_class: ErrorClass::None,
            verdict_decision: Some(VerdictDecision::Pass),
            verdict_gated: false,
            thresholds_pass: true,
            current_attempt: 1,
            effective_max_attempts: 3,
            consecutive_timeout_count: 0,
            consecutive_timeout_key: None,
            questions_for_user: Vec::new(),
        }
    }

    /// Facts with one key changed, in every way that could matter.
    fn changed(facts: &Facts, key: Key) -> Vec<Facts> {
        let with = |change: &dyn Fn(&mut Facts)| {
            let mut facts = facts.clone();
            change(&mut facts);
            facts
        };
        match key {
            Key::Role => Role::ALL.iter().map(|&it| with(&|f| f.role = it)).collect(),
            Key::Rc => [0, 1, 124, 195].iter().map(|&it| with(&|f| f.rc = it)).collect(),
            Key::ErrorClass => {
                ErrorClass::ALL.iter().map(|&it| with(&|f| f.error_class = it)).collect()
            }
            Key::VerdictDecision => {
                let all = VerdictDecision::ALL.iter().map(|&it| Some(it)).chain([None]);
                all.map(|it| with(&|f| f.verdict_decision = it)).collect()
            }
            Key::VerdictGated => vec![with(&|f| f.verdict_gated = !f.verdict_gated)],
            Key::ThresholdsPass => vec![with(&|f| f.thresholds_pass = !f.thresholds_pass)],
            Key::CurrentAttempt => {
                [1, 9].iter().map(|&it| with(&|f| f.current_attempt = it)).collect()
            }
            Key::MaxAttempts => {
                [1, 9].iter().map(|&it| with(&|f| f.effective_max_attempts = it)).collect()
            }
            Key::TimeoutCount => {
                [0, 9].iter().map(|&it| with(&|f| f.consecutive_timeout_count = it)).collect()
            }
        }
    }

    const KEYS: [Key; 9] = [
        Key::Role,
        Key::Rc,
        Key::ErrorClass,
        Key::VerdictDecision,
        Key::VerdictGated,
        Key::ThresholdsPass,
        Key::CurrentAttempt,
        Key::MaxAttempts,
        Key::TimeoutCount,
    ];

    /// Every row is reached from some facts by changing at most two of them, and what is said to
    /// choose it does: with another value there is another row.
    #[test]
    fn what_is_said_to_choose_a_row_does() {
        let mut reached = Vec::new();
        let judge = Some(TimeoutKey::Judge);
        let bases = [facts(), Facts { consecutive_timeout_key: judge, ..facts() }];
        let near = bases.iter().flat_map(|base| KEYS.map(|one| changed(base, one))).flatten();
        let all: Vec<Facts> =
            near.flat_map(|it| KEYS.map(|two| changed(&it, two))).flatten().collect();
        for row in Row::ALL {
            let of_row: Vec<_> = all.iter().filter(|it| decide(it).row == *row).collect();
            reached.extend(of_row.first().map(|_| *row));
            assert!(!keys(*row).is_empty(), "{row}");
            for &key in keys(*row) {
                let matters = of_row
                    .iter()
                    .any(|it| changed(it, key).iter().any(|other| decide(other).row != *row));
                assert!(matters, "{row} is not chosen by {key:?}");
            }
        }
        assert_eq!(reached, Row::ALL, "two changes reach every row");
    }

    #[test]
    fn a_fact_has_its_key_and_its_value() {
        let shown = deciding(Row::Ready, &facts());
        let shown: Vec<_> = shown.iter().map(|it| (it.name, it.value.as_str())).collect();
        assert_eq!(
            shown,
            [("verdict_decision", "PASS"), ("verdict_gated", "false"), ("thresholds_pass", "true")],
        );
        let shown = deciding(Row::UnknownDecision, &Facts { verdict_decision: None, ..facts() });
        assert_eq!(shown[0].value, "-");
    }
}
