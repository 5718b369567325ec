//! What a task can prove, while its spec is written.

use provost_kernel::{
    Message, Text,
    task::{Seal, SealFact, SealStanding, TaskSpec},
};

use crate::spec::judge;

/// What the configuration of the repository adds to a spec.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults<'a> {
    pub test: Option<&'a str>,
    pub judge: Option<&'a str>,
}

/// What is said of a fact before anything ran.
#[derive(Debug, Message)]
#[message(code = "task.preview")]
enum Promise {
    #[message(
        en = "only {paths:names} and nothing forbidden",
        zh = "仅限 {paths:names}，且不含禁止的文件"
    )]
    Only { paths: Vec<String> },
    #[message(en = "every file but the forbidden ones", zh = "除禁止的文件外均可")]
    NotForbidden,
    #[message(en = "every change is scanned", zh = "每处改动都会检查")]
    Scanned,
    #[message(
        en = "`{command}`, run by provost on a clean checkout",
        zh = "`{command}`，由 provost 在干净的检出上运行"
    )]
    Test { command: String },
    #[message(
        en = "no test: what the agent says of its work stays its word",
        zh = "没有测试：智能体的说法将只是说法"
    )]
    NoTest,
    #[message(
        en = "every criterion of `{plan}` with its command",
        zh = "`{plan}` 的每条标准及其命令"
    )]
    Plan { plan: String },
    #[message(en = "the task has no plan", zh = "任务没有计划")]
    NoPlan,
    #[message(en = "`{judge}` scores the result", zh = "由 `{judge}` 为结果评分")]
    Judge { judge: String },
    #[message(en = "the tests decide", zh = "由测试决定")]
    TestsDecide,
    #[message(en = "you decide", zh = "由你决定")]
    Person,
}

/// The six facts of a result that the task would have: verified is what provost will check, and never
/// more than that.
pub fn promised(spec: &TaskSpec, defaults: Defaults<'_>) -> Vec<Seal> {
    let seal = |fact: SealFact| {
        let (standing, detail) = promise(fact, spec, defaults);
        Seal { fact, standing, detail: Some(detail) }
    };
    SealFact::ALL.iter().map(|it| seal(*it)).collect()
}

fn promise(fact: SealFact, spec: &TaskSpec, defaults: Defaults<'_>) -> (SealStanding, Text) {
    use SealStanding::{NotAsked, NotVerified, Verified};
    match fact {
        SealFact::Paths if spec.allowed_paths.is_empty() => {
            (Verified, Promise::NotForbidden.text())
        }
        SealFact::Paths => (Verified, Promise::Only { paths: spec.allowed_paths.clone() }.text()),
        SealFact::Secrets => (Verified, Promise::Scanned.text()),
        SealFact::Tests => match spec.test_cmd.as_deref().or(defaults.test) {
            Some(command) => (Verified, Promise::Test { command: command.to_owned() }.text()),
            None => (NotVerified, Promise::NoTest.text()),
        },
        SealFact::Claims => match &spec.plan {
            Some(plan) => (Verified, Promise::Plan { plan: plan.clone() }.text()),
            None => (NotAsked, Promise::NoPlan.text()),
        },
        SealFact::Judge => match judge(spec, defaults.judge) {
            Some(judge) => (Verified, Promise::Judge { judge: judge.to_owned() }.text()),
            None => (NotAsked, Promise::TestsDecide.text()),
        },
        SealFact::Review => (NotVerified, Promise::Person.text()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(fields: Value, defaults: Defaults<'_>, expected: &[(&str, &str)]) {
        let mut spec = json!({"task_id": "t1", "repo_path": "/r", "goal": "g"});
        spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let (spec, _) = crate::spec::read(spec.to_string().as_bytes()).unwrap();
        let seals = promised(&spec.value, defaults);
        let shown: Vec<_> =
            seals.iter().map(|it| (it.fact.as_str(), it.standing.as_str())).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn nothing_is_promised_that_is_not_checked() {
        let plain = [
            ("paths", "verified"),
            ("secrets", "verified"),
            ("tests", "not_verified"),
            ("claims", "not_asked"),
            ("judge", "not_asked"),
            ("review", "not_verified"),
        ];
        check(json!({}), Defaults::default(), &plain);
        let mut tested = plain;
        tested[2].1 = "verified";
        check(json!({"test_cmd": "make test"}), Defaults::default(), &tested);
        let configured = Defaults { test: Some("make test"), judge: Some("tests") };
        check(json!({}), configured, &tested);
        let mut judged = tested;
        judged[4].1 = "verified";
        let configured = Defaults { test: Some("make test"), judge: Some("j") };
        check(json!({"allowed_paths": ["src"]}), configured, &judged);
        check(json!({"judge": "tests"}), configured, &tested);
    }
}
