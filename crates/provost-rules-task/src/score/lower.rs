//! What speaks against an approval: facts, before the decision table is asked.

use provost_kernel::{
    Message,
    task::{ProofFinding, VerdictDecision},
};

use super::{Ask, CheckOutcome, Delivery, MachineFacts};
use crate::decision::lowered;

/// A decision, and what speaks against an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    pub decision: VerdictDecision,
    /// Empty when nothing does.
    pub because: Vec<Because>,
    /// What a person is asked besides; empty unless the decision asks.
    pub asks: Vec<Ask>,
}

/// One thing that speaks against an approval, as the next attempt and a person read it.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.lowered")]
pub enum Because {
    /// A gating reason.
    #[message(en = "the verdict is gated: {0}", zh = "未通过硬性门槛：{0}")]
    Gated(String),
    #[message(en = "nothing was changed", zh = "没有任何改动")]
    NothingChanged,
    #[message(en = "the test failed with exit code {rc}", zh = "测试失败，退出码 {rc}")]
    TestFailed { rc: i32 },
    /// The test is green, and that proves nothing, or less than it should.
    #[message(en = "{finding}", zh = "{finding}", arg(finding = field0.text()))]
    TestNotProven(ProofFinding),
    #[message(en = "the type check failed", zh = "类型检查失败")]
    TypecheckFailed,
    #[message(en = "the build failed", zh = "构建失败")]
    BuildFailed,
    /// A check that is configured besides the test.
    #[message(
        en = "the check `{name}` failed: `{command}` exited with {rc}, and is green on the base",
        zh = "检查 `{name}` 未通过：`{command}` 退出码 {rc}，而在基准版本上通过"
    )]
    CheckBroken { name: &'static str, command: String, rc: i32 },
    #[message(
        en = "the change is too large or not explained",
        zh = "改动超出允许的范围，或未作说明"
    )]
    ScopeRefused,
    #[message(en = "the section `{section}` is missing", zh = "缺少章节 `{section}`")]
    SectionMissing { section: String },
    #[message(
        en = "marks of a merge conflict are left in `{file}`",
        zh = "`{file}` 中仍有合并冲突标记"
    )]
    Unresolved { file: String },
    #[message(
        en = "the acceptance criterion `{criterion}` is not proven",
        zh = "验收标准 `{criterion}` 未得到证明"
    )]
    Unproven { criterion: String },
    /// Every criterion is proven, but a gate, the scope or the tests are not.
    #[message(en = "the story `{story}` is not done", zh = "故事 `{story}` 未完成")]
    OpenStory { story: String },
}

/// Lowers a decision by a gate and by the facts.
///
/// A gate makes it FAIL, whatever the judge said. Another fact makes a PASS FAIL and leaves a
/// question as it is: it approves nothing, and a person is to read it. What only a person can decide
/// makes a PASS a question.
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
        (true, true) => match decision {
            VerdictDecision::Pass if !facts.asks.is_empty() => VerdictDecision::NeedUserInput,
            VerdictDecision::Pass | VerdictDecision::Fail | VerdictDecision::NeedUserInput => {
                decision
            }
        },
    };
    let asks = match decision {
        VerdictDecision::NeedUserInput => facts.asks.clone(),
        VerdictDecision::Pass | VerdictDecision::Fail => Vec::new(),
    };
    Lowered { decision, because, asks }
}

fn against(facts: &MachineFacts) -> Vec<Because> {
    let unchanged = (facts.delivery == Delivery::Nothing).then_some(Because::NothingChanged);
    let test = facts.test_rc.filter(|&it| it != 0).map(|rc| Because::TestFailed { rc });
    let unproven_test = facts.test_findings.iter().cloned().map(Because::TestNotProven);
    let typecheck = (facts.typecheck == CheckOutcome::Failed).then_some(Because::TypecheckFailed);
    let build = (facts.build == CheckOutcome::Failed).then_some(Because::BuildFailed);
    let checks = facts.broken_checks.iter().map(|it| Because::CheckBroken {
        name: it.kind.as_str(),
        command: it.command.clone(),
        rc: it.rc,
    });
    let scope = facts.scope_refused.then_some(Because::ScopeRefused);
    let sections =
        facts.absent_sections.iter().map(|it| Because::SectionMissing { section: it.clone() });
    let unresolved = facts.unresolved.iter().map(|it| Because::Unresolved { file: it.clone() });
    let unproven =
        facts.unproven_criteria.iter().map(|it| Because::Unproven { criterion: it.clone() });
    let open = facts.open_stories.iter().map(|it| Because::OpenStory { story: it.clone() });
    [unchanged, test, typecheck, build, scope]
        .into_iter()
        .flatten()
        .chain(checks)
        .chain(unproven_test)
        .chain(sections)
        .chain(unresolved)
        .chain(unproven)
        .chain(open)
        .collect()
}

#[cfg(test)]
mod tests {
    use VerdictDecision::{Fail, NeedUserInput, Pass};
    use provost_kernel::task::CheckKind;

    use super::*;
    use crate::checks::BrokenCheck;

    #[track_caller]
    fn check(gates: &[&str], facts: &MachineFacts, expected: [VerdictDecision; 3], why: &[&str]) {
        let gates: Vec<String> = gates.iter().map(|it| (*it).to_owned()).collect();
        let actual = [Pass, Fail, NeedUserInput].map(|it| lower(it, &gates, facts));
        assert_eq!(actual.clone().map(|it| it.decision), expected, "{facts:?}");
        for it in actual {
            assert_eq!(it.because.iter().map(Message::text).collect::<Vec<_>>(), why);
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
        check(&["x"], &none, [Fail; 3], &["the verdict is gated: x"]);
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
        let broken = BrokenCheck { kind: CheckKind::Types, command: "mypy .".to_owned(), rc: 1 };
        check(
            &[],
            &MachineFacts { broken_checks: vec![broken], ..none.clone() },
            lower,
            &["the check `types` failed: `mypy .` exited with 1, and is green on the base"],
        );
        let fine = CheckOutcome::Passed;
        check(&[], &MachineFacts { build: fine, typecheck: fine, ..none.clone() }, kept, &[]);
        check(
            &[],
            &MachineFacts { scope_refused: true, ..none.clone() },
            lower,
            &["the change is too large or not explained"],
        );
        check(
            &[],
            &MachineFacts { open_stories: vec!["US-001".to_owned()], ..none.clone() },
            lower,
            &["the story `US-001` is not done"],
        );
        check(
            &[],
            &MachineFacts { absent_sections: vec!["a.md#Risks".to_owned()], ..none.clone() },
            lower,
            &["the section `a.md#Risks` is missing"],
        );
        check(
            &[],
            &MachineFacts { unresolved: vec!["a.py".to_owned()], ..none.clone() },
            lower,
            &["marks of a merge conflict are left in `a.py`"],
        );
        check(
            &["g"],
            &MachineFacts { unproven_criteria: vec!["AC-1".to_owned()], ..none },
            [Fail; 3],
            &["the verdict is gated: g", "the acceptance criterion `AC-1` is not proven"],
        );
    }

    /// PROOF-8: what only a person can decide makes an approval a question, and nothing else.
    #[test]
    fn an_approval_waits_for_what_a_person_must_decide() {
        let ask = Ask::Unseen { path: "tests/a.py".to_owned() };
        let facts = MachineFacts { asks: vec![ask.clone()], ..MachineFacts::default() };
        check(&[], &facts, [NeedUserInput, Fail, NeedUserInput], &[]);
        check(&["x"], &facts, [Fail; 3], &["the verdict is gated: x"]);
        assert_eq!(lower(Pass, &[], &facts).asks, [ask]);
        assert_eq!(lower(Fail, &[], &facts).asks, []);
        let red = MachineFacts { test_rc: Some(1), ..facts };
        assert_eq!(lower(Pass, &[], &red).decision, Fail);
    }
}
