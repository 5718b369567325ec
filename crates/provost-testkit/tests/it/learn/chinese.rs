//! A mission in Chinese learns as one in English does.

use std::sync::Arc;

use provost_kernel::learn::{Label, Split};
use provost_testkit::{
    Place,
    learn::{Kind, ParsedPrompt, Said, Scripted, decide, propose},
};
use serde_json::{Value, json};

use super::world;

const RULE: &str = "若巡检记录提到渗漏，则不通过。";

/// Judges by the rule if it is shown, and proposes it for every case that it explains.
fn inspector(heard: &ParsedPrompt) -> Said {
    Said::Text(match heard.kind {
        Kind::Judge => {
            let leaks = heard.cases[0].text.contains("渗漏");
            let is_known = heard.rules.iter().any(|it| it.contains("渗漏"));
            let verdict = if leaks && is_known { "不通过" } else { "通过" };
            format!("Verdict：{verdict}\nReason：记录写得很清楚")
        }
        Kind::Decide => decide(&[]),
        Kind::Propose => {
            let leaking = heard.cases.iter().filter(|it| it.text.contains("渗漏"));
            let evidence: Vec<_> = leaking.filter_map(|it| it.key.clone()).collect();
            let hypothesis = json!({
                "text": RULE,
                "falsifier": "有渗漏而标签为通过的案例",
                "evidence": evidence,
            });
            propose(&[hypothesis], &[])
        }
    })
}

/// LEARN-4.1, LEARN-2.2: prompts, answers, rules and figures in Chinese.
#[test]
fn a_mission_in_chinese_finds_its_rule() {
    let of = |n: usize| {
        let split = match n {
            0..60 => Split::Learn,
            60..120 => Split::Gate,
            _ => Split::Audit,
        };
        let (label, text) = if n.is_multiple_of(3) {
            (Label::Fail, "阀门处有渗漏，已拍照")
        } else {
            (Label::Pass, "外观完好，压力正常")
        };
        json!({
            "mission": "m", "group_id": format!("工单-{n:04}"), "label": label, "split": split,
            "items": {"巡检记录": format!("第 {n} 号：{text}。")},
        })
    };
    let place = Place::new();
    let tickets: Vec<Value> = (0..150).map(of).collect();
    let world = world(&place, &tickets, "language = \"zh\"\nrunner.epochs = 2\n");
    let model = Arc::new(Scripted::new(inspector));
    let report = world.run("r1", model.clone(), 4).unwrap();
    assert!(report.rules.iter().any(|it| it.text == RULE), "{report:?}");
    assert_eq!(report.before.tally.false_pass, 10);
    assert_eq!(report.after.tally.false_pass, 0);
    assert_eq!(report.after.tally.false_fail, 0);
    for question in model.asked() {
        let is_judged = ParsedPrompt::read(&question).kind == Kind::Judge;
        let text: String = question.messages.iter().map(|it| it.content.as_str()).collect();
        assert!(text.contains("骨架规则") && !(is_judged && text.contains("工单-")), "{text}");
    }
}
