//! What speaks against an approval: facts, before the decision table is asked.

use provost_kernel::{Text, task::VerdictDecision};

use super::{CheckOutcome, MachineFacts};
use crate::decision::lowered;

/// A decision, and what speaks against an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    pub decision: VerdictDecision,
    /// Empty when nothing does.
    pub because: Vec<Because>,
}

/// One thing that speaks against an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// A gating reason.
    Gated(String),
    TestFailed {
        rc: i32,
    },
    TypecheckFailed,
    BuildFailed,
    ScopeRefused,
    Unproven {
        criterion: String,
    },
    /// Every criterion is proven, and something else of the story is not as it must be.
    OpenStory {
        story: String,
    },
}

/// Lowers a decision by a gate and by the facts.
///
/// A gate makes it FAIL, whatever the judge said. Another fact makes a PASS FAIL and leaves a
/// question as it is: it approves nothing, and a person is to read it.
pub fn lower(
    decision: VerdictDecision,
    gating_reasons: &[String],
    facts: &MachineFacts,
) -> Lowered {
    let mut because: Vec<Because> =
        gating_reasons.iter().map(|it| Because::Gated(it.clone())).collect();
    because.extend(against(facts));
    let decision = match (gating_reasons.is_empty(), because.is_empty()) {
        (false, _) => VerdictDecision::Fail,
        (true, false) => lowered(decision),
        (true, true) => decision,
    };
    Lowered { decision, because }
}

fn against(facts: &MachineFacts) -> Vec<Because> {
    let test = facts.test_rc.filter(|&it| it != 0).map(|rc| Because::TestFailed { rc });
    let typecheck = (facts.typecheck == CheckOutcome::Failed).then_some(Because::TypecheckFailed);
    let build = (facts.build == CheckOutcome::Failed).then_some(Because::BuildFailed);
    let scope = facts.scope_refused.then_some(Because::ScopeRefused);
    let unproven =
        facts.unproven_criteria.iter().map(|it| Because::Unproven { criterion: it.clone() });
    let open = facts.open_stories.iter().map(|it| Because::OpenStory { story: it.clone() });
    [test, typecheck, build, scope].into_iter().flatten().chain(unproven).chain(open).collect()
}

impl Because {
    /// The reason as the next attempt and a person read it.
    pub fn describe(&self) -> Text {
        match self {
            Self::Gated(reason) => Text::pair(
                format!("a gate stopped the verdict: {reason}"),
                format!("未通过硬性门槛:{reason}"),
            ),
            Self::TestFailed { rc } => Text::pair(
                format!("the test failed with exit code {rc}"),
                format!("测试失败,退出码 {rc}"),
            ),
            Self::TypecheckFailed => Text::pair("the type check failed", "类型检查失败"),
            Self::BuildFailed => Text::pair("the build failed", "构建失败"),
            Self::ScopeRefused => Text::pair(
                "the change is larger than it may be, or not explained",
                "改动超出允许的范围,或未作说明",
            ),
            Self::Unproven { criterion } => Text::pair(
                format!("the acceptance criterion `{criterion}` is not proven"),
                format!("验收标准 `{criterion}` 未得到证明"),
            ),
            Self::OpenStory { story } => Text::pair(
                format!("the story `{story}` is not done"),
                format!("故事 `{story}` 未完成"),
            ),
        }
    }

    /// The reason in one language.
    pub fn text(&self) -> Text {
        Text::each(|lang| self.describe().render(lang))
    }
}

#[cfg(test)]
mod tests {
    use VerdictDecision::{Fail, NeedUserInput, Pass};

    use super::*;

    #[track_caller]
    fn check(gates: &[&str], facts: &MachineFacts, expected: [VerdictDecision; 3], why: &[&str]) {
        let gates: Vec<String> = gates.iter().map(|it| (*it).to_owned()).collect();
        let actual = [Pass, Fail, NeedUserInput].map(|it| lower(it, &gates, facts));
        assert_eq!(actual.clone().map(|it| it.decision), expected, "{facts:?}");
        for it in actual {
            assert_eq!(
                it.because
                    .iter()
                    .map(|it| it.text().render(provost_kernel::Lang::En))
                    .collect::<Vec<_>>(),
                why
            );
            assert!(
                it.because.iter().all(|it| !it.text().render(provost_kernel::Lang::Zh).is_ascii())
            );
        }
    }

    /// LOOP-B5: a gate makes it FAIL; a fact lowers an approval and raises nothing.
    #[test]
    fn facts_lower_and_never_raise() {
        let none = MachineFacts::default();
        let kept = [Pass, Fail, NeedUserInput];
        let lower = [Fail, Fail, NeedUserInput];
        check(&[], &none, kept, &[]);
        check(&[], &MachineFacts { test_rc: Some(0), ..none.clone() }, kept, &[]);
        check(&["x"], &none, [Fail; 3], &["a gate stopped the verdict: x"]);
        check(
            &[],
            &MachineFacts { test_rc: Some(7), ..none.clone() },
            lower,
            &["the test failed with exit code 7"],
        );
        check(
            &[],
            &MachineFacts { typecheck: CheckOutcome::Failed, ..none.clone() },
            lower,
            &["the type check failed"],
        );
        check(
            &[],
            &MachineFacts { build: CheckOutcome::Failed, ..none.clone() },
            lower,
            &["the build failed"],
        );
        let fine = CheckOutcome::Passed;
        check(&[], &MachineFacts { build: fine, typecheck: fine, ..none.clone() }, kept, &[]);
        check(
            &[],
            &MachineFacts { scope_refused: true, ..none.clone() },
            lower,
            &["the change is larger than it may be, or not explained"],
        );
        check(
            &[],
            &MachineFacts { open_stories: vec!["US-001".to_owned()], ..none.clone() },
            lower,
            &["the story `US-001` is not done"],
        );
        check(
            &["g"],
            &MachineFacts { unproven_criteria: vec!["AC-1".to_owned()], ..none },
            [Fail; 3],
            &["a gate stopped the verdict: g", "the acceptance criterion `AC-1` is not proven"],
        );
    }
}
