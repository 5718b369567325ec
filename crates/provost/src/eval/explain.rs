//! `provost eval --explain CHECK`: what a check looks at, and what to do when it fails.

use provost_kernel::{Exit, Severity};
use provost_rules_eval::{
    check::ENGINE_OUTPUT,
    judge::{EXPECT_MUST_FAIL, EXPECT_PRIORITY, EXPECT_SCORE, RUNNER_CHECKS},
    suite::Suite,
};
use serde::Serialize;

use super::error::OptionError;
use crate::{
    session::{AnyFault, Session},
    view::{Page, View},
};

/// What a check looks at, in English and in Chinese.
const MEANINGS: &[(&str, &str, &str)] = &[
    ("schema.summary", "the summary keeps to its JSON Schema", "summary 符合其 JSON Schema"),
    ("schema.score", "the score keeps to its JSON Schema", "score 符合其 JSON Schema"),
    ("schema.todos", "the todos keep to their JSON Schema", "todos 符合其 JSON Schema"),
    ("schema.card", "the card keeps to its JSON Schema", "card 符合其 JSON Schema"),
    ("score.reasons_min", "there are at least three reasons", "至少有三条理由"),
    (
        "score.priority_band",
        "the priority fits the score within half a point: READ_NEXT from 80, WORTH_IT from 60, IF_TIME from 40, SKIP below",
        "优先级与得分相符（容差 0.5）：READ_NEXT 80 起，WORTH_IT 60 起，IF_TIME 40 起，其下为 SKIP",
    ),
    (
        "todos.shape",
        "there are three to seven todos, each with an eta and a title of at least 8 characters",
        "待办 3 至 7 条，每条有 eta，标题至少 8 个字符",
    ),
    (
        "card.shape",
        "the card has exactly three points, and its headline, insight and action are not blank",
        "卡片恰有三个要点，headline、insight、action 非空",
    ),
    (
        "score.reasons_specific",
        "at least two reasons name something concrete: words of the intent, structure of the text, or a figure of cost; praise alone does not count",
        "至少两条理由有具体线索：意图中的词、内容结构、成本数字；空泛的称赞不算",
    ),
    (
        "todos.verb_led",
        "at least two titles start with a verb, in English or in Chinese; vague openings do not count",
        "至少两条标题以动词开头（中英文）；空泛的开头不算",
    ),
    (
        "card.action_specific",
        "the action has a verb and an object or a limit",
        "行动包含动词以及对象或约束",
    ),
    ("summary.bullets_distinct", "no bullet repeats another", "要点之间不重复"),
    (
        "summary.insight_adds",
        "the insight says something that the bullets do not",
        "洞察不只是要点的复述",
    ),
    ("card.headline_specific", "the headline names its subject", "标题不空泛，点明主题"),
    (
        "todos.output_oriented",
        "at least two todos make something: they write, share, build or decide",
        "至少两条待办有产出：写、分享、构建或决策",
    ),
    (
        "card.content_mirrors",
        "what the card renders is what its own fields say",
        "卡片渲染内容与其字段一致",
    ),
    (
        "summary.grounded",
        "at least two bullets share two words and 30 % of what they name with the text, and all together 40 %; words that stand in any text do not count, and of a translation one name or figure is enough",
        "至少两个要点与原文共有两个词且占其用词的 30 %，合计占 40 %；任何文章都有的词不算，译文有一个名称或数字即可",
    ),
    ("score.evidence_quoted", "each quote stands in the text", "每条引文都出自原文"),
    (
        ENGINE_OUTPUT,
        "the engine's output can be read and belongs to the request; it appears only when it failed",
        "引擎输出可读且属于该请求；仅在失败时出现",
    ),
    (EXPECT_PRIORITY, "the priority is one that the case expects", "优先级符合用例的期望"),
    (EXPECT_SCORE, "the score is within what the case expects", "得分在用例期望的范围内"),
    (
        EXPECT_MUST_FAIL,
        "every check that the case says must fail has failed",
        "用例声明必须失败的检查都已失败",
    ),
];

#[derive(Debug, Serialize)]
struct Explanation {
    check: String,
    level: Severity,
    optional: bool,
    meaning: String,
}

/// Prints what a check is.
pub(super) fn explain(session: &mut Session, suite: &Suite, name: &str) -> Result<Exit, AnyFault> {
    let lang = session.output.lang;
    let meaning = MEANINGS.iter().find(|it| it.0 == name).map(|it| lang.pick(it.1, it.2));
    let of_suite = suite.checks.iter().find(|it| it.name == name);
    let of_runner = matches!(name, ENGINE_OUTPUT | EXPECT_MUST_FAIL).then_some(Severity::P0);
    let of_case = matches!(name, EXPECT_PRIORITY | EXPECT_SCORE).then_some(Severity::P1);
    let level = of_suite.map(|it| it.level).or(of_runner).or(of_case);
    let Some(level) = level else {
        let mut known: Vec<_> = suite.checks.iter().map(|it| it.name.clone()).collect();
        known.extend(RUNNER_CHECKS.map(str::to_owned));
        return Err(OptionError::UnknownCheck { name: name.to_owned(), known }.into());
    };
    let explanation = Explanation {
        check: name.to_owned(),
        level,
        optional: of_suite.is_some_and(|it| it.optional),
        meaning: meaning.unwrap_or_default().to_owned(),
    };
    session.output.show(&explanation);
    Ok(Exit::Success)
}

impl View for Explanation {
    fn page(&self, page: &mut Page<'_>) {
        let Self { check, level, optional, meaning } = self;
        if *optional {
            page.write(
                format!("{check} ({level:?}, only with `--strict-rubric`)"),
                format!("{check}（{level:?}，仅在 `--strict-rubric` 时检查）"),
            );
        } else {
            page.write(format!("{check} ({level:?})"), format!("{check}（{level:?}）"));
        }
        if !meaning.is_empty() {
            page.line(&format!("  {meaning}"));
        }
    }
}
