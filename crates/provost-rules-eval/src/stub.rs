//! The built-in engine: deterministic, without a model, a clock or a network.
//!
//! It exists so that the runner works on a fresh machine and can be tested, not to be clever. Its
//! score comes from the text: how many keywords of the intent it has, how it is built, how long
//! it is; so that a text about something else is skipped.

mod options;

use std::{collections::BTreeMap, sync::LazyLock};

use provost_kernel::eval::{Artifacts, Meta, Profile, Request, Response};
use serde_json::{Value, json};

pub use self::options::{StubOptions, StubOptionsError, sabotage};
use super::{
    lexicon::Lexicon,
    specificity::keywords,
    text::{Tokens, count, is_cjk, norm, ratio, stem, tokens, words},
    words::Phrases,
};

/// The version that the engine names.
pub const ENGINE_VERSION: &str = "0.1.0";
/// The model that it names.
pub const MODEL_ID: &str = "heuristic:local-v2";

/// A text that is longer is more effort.
const LONG: usize = 2200;
const MAX_BULLET: usize = 150;
const MIN_BULLET: usize = 8;
const MAX_TOPIC: usize = 40;
static NEGATIONS: LazyLock<Phrases> = LazyLock::new(|| {
    let list = [" not ", " no ", "never", "dont", "isnt", "没有", "并非", "不是", "无法"];
    Phrases::new(list.map(str::to_owned).to_vec())
});

/// Answers one request.
pub fn answer(request: &Request, lexicon: &Lexicon) -> Response {
    let field = |name: &str| request.input.get(name).and_then(Value::as_str).unwrap_or_default();
    let source =
        Source::new(lexicon, field("intent_text"), field("extracted_text"), field("title"));
    Response {
        meta: Meta {
            run_id: Some(request.run_id.clone()),
            engine_version: Some(request.engine_version.clone()),
            model_id: Some(MODEL_ID.to_owned()),
            template_versions: templates(request.profile),
            ..Meta::default()
        },
        artifacts: source.artifacts(lexicon),
    }
}

/// The templates of a profile; a manager reads what an engineer reads.
fn templates(profile: Profile) -> BTreeMap<String, String> {
    let summary = match profile {
        Profile::Engineer | Profile::Manager => "summary.engineer.v1",
        Profile::Creator => "summary.creator.v1",
    };
    let all =
        [("summary", summary), ("score", "score.v1"), ("todos", "todos.v1"), ("card", "card.v1")];
    all.into_iter().map(|(step, version)| (step.to_owned(), version.to_owned())).collect()
}

/// What the engine knows about its input.
struct Source<'a> {
    is_chinese: bool,
    sentences: Vec<&'a str>,
    topic: String,
    length: usize,
    keywords: Vec<String>,
    /// The keywords that the text has, outside of what it denies.
    hits: Vec<String>,
    structure: Vec<String>,
}

impl<'a> Source<'a> {
    fn new(lexicon: &Lexicon, intent: &str, text: &'a str, title: &str) -> Self {
        let sentences = sentences(text);
        let said: Vec<_> =
            sentences.iter().map(|it| norm(it)).filter(|it| !is_negated(it)).collect();
        let said = said.join(" ");
        let intent_normal = norm(intent);
        let keywords: Vec<_> =
            keywords(lexicon, &intent_normal).iter().map(str::to_owned).collect();
        let is_hit = |word: &&String| {
            let start = word.get(..5).filter(|_| word.is_ascii()).unwrap_or(word);
            memchr::memmem::find(said.as_bytes(), start.as_bytes()).is_some()
        };
        let hits = keywords.iter().filter(is_hit).cloned().collect();
        let topic = if title.trim().is_empty() { intent } else { title };
        let n_chinese = text.chars().take(400).filter(|it| is_cjk(*it)).count();
        Self {
            is_chinese: n_chinese * 4 > text.chars().take(400).count(),
            topic: cut(topic, MAX_TOPIC),
            length: text.chars().count(),
            structure: structure(lexicon, &said),
            sentences,
            keywords,
            hits,
        }
    }

    fn artifacts(&self, lexicon: &Lexicon) -> Artifacts {
        let bullets = self.bullets(lexicon);
        let score = self.score();
        let topic = &self.topic;
        let insight = self.pick(
            "What decides is whether the approach can be reproduced at your own scale, so verify that first"
                .to_owned(),
            "决定成败的是能否在自身规模下复现,应当首先验证这一假设".to_owned(),
        );
        let action = self.pick(
            format!("Draft a one-page checklist on {topic} within 30 minutes"),
            format!("用30分钟写一页检查表,主题为{topic}"),
        );
        let headline = self
            .pick(format!("{topic}: steps and checkpoints"), format!("{topic}:落地步骤与检查点"));
        let content =
            json!({"headline": headline, "points": bullets, "insight": insight, "action": action});
        let mut card = content.clone();
        card["render_spec"] = json!({"format": "HTML_V1", "width": 1080, "height": 1350, "theme": "LIGHT",
            "payload": {"brand": {"watermark": "Read→Do"}, "content": content,
                "layout": {"variant": "CARD_4x5_V1", "padding": 48}}});
        let mut artifacts = Artifacts::new();
        artifacts.insert("summary".to_owned(), json!({"bullets": bullets, "insight": insight}));
        artifacts.insert(
            "score".to_owned(),
            json!({"match_score": score, "priority": priority(score),
            "reasons": self.reasons(), "confidence": 0.78}),
        );
        artifacts.insert("todos".to_owned(), json!({"todos": self.todos()}));
        artifacts.insert("card".to_owned(), card);
        artifacts
    }

    /// How well the text fits, from 0 to 100.
    fn score(&self) -> f64 {
        let share = ratio(self.hits.len(), self.keywords.len());
        let built = count(self.structure.len()) / 3.0;
        let effort = if self.length <= LONG { 1.0 } else { 0.5 };
        let score = 0.60 * (share / 0.6).min(1.0) + 0.30 * built.min(1.0) + 0.10 * effort;
        (100.0 * score).round()
    }

    /// The first three sentences that do not repeat each other; then what is known of the text.
    fn bullets(&self, lexicon: &Lexicon) -> Vec<String> {
        let n = self.length;
        let spare = self.pick(
            [
                format!("The source runs to about {n} characters in total"),
                "Nothing else in it stands apart as a separate claim".to_owned(),
                "Further details would need another article on this".to_owned(),
            ],
            [
                format!("原文篇幅合计约为{n}个字符"),
                "除此以外并无其他独立论点可供摘录".to_owned(),
                "更多细节需要另外查找补充材料".to_owned(),
            ],
        );
        let candidates = self.passages().into_iter().map(|it| cut(&it, MAX_BULLET)).chain(spare);
        let mut bullets: Vec<String> = Vec::with_capacity(3);
        let mut known: Vec<(String, Tokens<'static>)> = Vec::with_capacity(3);
        for candidate in candidates.filter(|it| it.chars().count() >= MIN_BULLET) {
            let normal = norm(&candidate);
            let own = tokens(lexicon, &normal);
            if known.iter().all(|(other, set)| is_distinct(&own, set) && *other != normal) {
                let own = own.into_owned();
                known.push((normal, own));
                bullets.push(candidate);
            }
            if bullets.len() == 3 {
                break;
            }
        }
        bullets
    }

    /// What bullets can be taken from: sentences and their parts. A text of one sentence comes in
    /// parts first, because beside the whole of it no part would say anything else.
    fn passages(&self) -> Vec<String> {
        let split = |it: &&'a str| {
            it.split([',', ';', ':', '\u{ff0c}', '\u{ff1b}', '\u{ff1a}']).map(str::to_owned)
        };
        let parts: Vec<String> = self.sentences.iter().flat_map(split).collect();
        let whole: Vec<String> = self.sentences.iter().copied().map(str::to_owned).collect();
        match self.sentences.as_slice() {
            [one] if parts.len() > 1 => [parts, thirds(one), whole].concat(),
            [one] => [thirds(one), whole].concat(),
            _ => [whole, parts].concat(),
        }
    }

    fn reasons(&self) -> Vec<String> {
        let (hits, all) = (self.hits.len(), self.keywords.len());
        let list = |words: &[String]| {
            let shown: Vec<_> = words.iter().take(3).map(|it| cut(it, 24)).collect();
            shown.join(self.pick(", ", "、"))
        };
        let named = if hits > 0 { list(&self.hits) } else { list(&self.keywords) };
        let minutes = (self.length / self.pick(1000, 400)).max(1);
        let cues = list(&self.structure);
        let structure = if self.structure.is_empty() {
            self.pick(
                "It has neither steps nor a checklist to follow".to_owned(),
                "正文没有步骤、清单或案例可以照做".to_owned(),
            )
        } else {
            self.pick(
                format!("The content is built on: {cues} (structure)"),
                format!("内容结构清楚,步骤线索包括:{cues}"),
            )
        };
        vec![
            self.pick(
                format!("{hits} of {all} words of the intent are covered: {named}"),
                format!("意图中的{all}个关键词命中{hits}个:{named}"),
            ),
            structure,
            self.pick(
                format!("Reading it takes about {minutes} minutes of effort"),
                format!("通读全文大约需要{minutes}分钟,成本可控"),
            ),
        ]
    }

    fn todos(&self) -> Value {
        let topic = &self.topic;
        let minutes = if self.length > LONG { "30m" } else { "20m" };
        let todo = |en: String, zh: String, kind: &str, eta: &str| json!({"title": self.pick(en, zh), "type": kind, "eta": eta});
        json!([
            todo(
                format!("Read the source on {topic} and mark three passages"),
                format!("精读原文并标出三处要点:{topic}"),
                "READ",
                minutes
            ),
            todo(
                "Review one existing process against the text".to_owned(),
                "对照原文检查一个现有流程".to_owned(),
                "REVIEW",
                "30m"
            ),
            todo(
                format!("Write a one-page checklist on {topic}"),
                format!("写一页检查表,主题为{topic}"),
                "WRITE",
                "45m"
            ),
            todo(
                "Share the checklist with one colleague".to_owned(),
                "把检查表发给一位同事征求意见".to_owned(),
                "SHARE",
                "20m"
            ),
        ])
    }

    fn pick<T>(&self, en: T, zh: T) -> T {
        if self.is_chinese { zh } else { en }
    }
}

/// The label of a score; at an end, the lower one's.
fn priority(score: f64) -> &'static str {
    match score {
        it if it >= 80.0 => "READ_NEXT",
        it if it >= 60.0 => "WORTH_IT",
        it if it >= 40.0 => "IF_TIME",
        _ => "SKIP",
    }
}

fn is_distinct(one: &Tokens<'_>, other: &Tokens<'_>) -> bool {
    one.jaccard(other) < 0.5 && one.containment(other) < 0.8
}

fn is_negated(sentence: &str) -> bool {
    NEGATIONS.is_in(sentence)
}

/// Distinct cues of how the text is built; more than three say nothing more.
fn structure(lexicon: &Lexicon, said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(said) {
        let stem = stem(word);
        if found.len() < 3
            && lexicon.structure_words.contains(&stem)
            && !found.iter().any(|it| *it == *stem)
        {
            found.push(stem.into_owned());
        }
    }
    found.extend(lexicon.structure_parts.all_in(said).map(str::to_owned));
    found.truncate(3);
    found
}

/// Sentences end at 。！？ and lines, and at `.`, `!`, `?` before a space.
fn sentences(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let before_space = letters.peek().is_none_or(|(_, it)| it.is_whitespace());
        let ends = match letter {
            '。' | '\u{ff01}' | '\u{ff1f}' | '\n' => true,
            '.' | '!' | '?' => before_space,
            _ => false,
        };
        if ends {
            parts.push(text.get(from..at).unwrap_or_default());
            from = at + letter.len_utf8();
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// A text in three pieces: by its words or, where there are few, by its characters.
fn thirds(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (units, space) = if words.len() >= 6 {
        (words.into_iter().map(str::to_owned).collect(), " ")
    } else {
        (text.chars().map(String::from).collect::<Vec<_>>(), "")
    };
    let length = units.len().div_ceil(3).max(1);
    units.chunks(length).map(|it| it.join(space)).collect()
}

/// The start of a text, on one line.
fn cut(text: &str, characters: usize) -> String {
    let mut start = String::new();
    for word in text.split_whitespace() {
        if !start.is_empty() {
            start.push(' ');
        }
        start.push_str(word);
        if start.len() > characters * 4 {
            break;
        }
    }
    match start.char_indices().nth(characters) {
        Some((end, _)) => start.get(..end).unwrap_or_default().trim_end().to_owned(),
        None => start,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use provost_kernel::eval::{Case, CaseStatus};

    use super::*;
    use crate::{check::Rubric, judge::judge, response, suite::shared};

    fn case(intent: &str, text: &str, title: &str) -> Case {
        let fields = json!({"id": "a", "source_type": "web", "intent_text": intent,
            "extracted_text": text, "title": title});
        Case { id: "a".to_owned(), fields: fields.as_object().cloned().unwrap(), expect: None }
    }

    fn run(case: &Case) -> (Response, Vec<String>) {
        let request = response::request(case, &shared().case, Profile::Manager, ENGINE_VERSION);
        let response = answer(&request, &shared().lexicon);
        let result = judge(shared(), case, Ok(&response), Rubric::Standard);
        let failed = result.checks.iter().filter(|it| !it.pass);
        let failed: Vec<_> = failed.map(|it| format!("{}: {:?}", it.name, it.message)).collect();
        assert_eq!(result.status == CaseStatus::Pass, failed.is_empty());
        (response, failed)
    }

    const EN: &str = "This checklist covers database migrations in production. First, dual writes keep both \
        stores equal. A script compares row counts each night. The example shows a rollback in ten steps. \
        Teams report fewer incidents after rehearsing the cut-over.";
    const ZH: &str = "本文给出数据库迁移的完整清单。第一步是对新旧两个库双写。随后用脚本每晚比对行数。\
        案例展示了如何在十分钟内回滚。演练过切流的团队事故更少。";

    /// EVAL-4.1: the built-in engine passes its own rubric, in both languages.
    #[test]
    fn realistic_cases_pass() {
        for (intent, text, title, priority) in [
            ("I want a checklist for database migrations", EN, "Migrating Postgres", "READ_NEXT"),
            ("我想要一份数据库迁移清单", ZH, "零停机迁移", "READ_NEXT"),
            ("我想要一份数据库迁移清单", ZH, "", "READ_NEXT"),
            ("Learn to bake sourdough bread", EN, "", "IF_TIME"),
            (
                "Learn to bake sourdough bread",
                "I walked along the sea. The wind was cold and grey. Gulls cried over the pier all day long.",
                "A walk",
                "SKIP",
            ),
            (
                "Learn to bake sourdough bread",
                "A long walk along the grey sea with gulls over the pier and no bread anywhere in sight at all",
                "A walk",
                "SKIP",
            ),
            (
                "想学会烤面包",
                "沿着灰色的海边走了很久很久直到栈桥尽头只看见海鸥盘旋始终没有遇到任何一家面包店还开着门",
                "",
                "SKIP",
            ),
            (
                "想学会烤面包",
                "海边的风很冷。海鸥在栈桥上空叫了一整天。我走了很久很久才回到旅馆。",
                "",
                "SKIP",
            ),
        ] {
            let (response, failed) = run(&case(intent, text, title));
            assert_eq!(failed, Vec::<String>::new(), "{intent} {title}");
            assert_eq!(
                response.artifacts["score"]["priority"], priority,
                "{intent} {title}: {}",
                response.artifacts["score"]
            );
        }
    }

    #[test]
    fn the_profile_chooses_the_template() {
        assert_eq!(templates(Profile::Manager)["summary"], "summary.engineer.v1");
        assert_eq!(templates(Profile::Creator)["summary"], "summary.creator.v1");
    }

    #[test]
    fn every_sabotage_fails_its_check() {
        for lang in [EN, ZH] {
            let case = case("I want a database checklist 数据库清单", lang, "Postgres 迁移");
            for check in shared().checks.iter().filter(|it| !it.optional) {
                let (mut response, failed) = run(&case);
                assert_eq!(failed, Vec::<String>::new());
                assert!(sabotage(&mut response.artifacts, &check.name), "{}", check.name);
                let result = judge(shared(), &case, Ok(&response), Rubric::Standard);
                let failed: Vec<_> = result
                    .checks
                    .iter()
                    .filter(|it| it.is_counted())
                    .map(|it| it.name.as_str())
                    .collect();
                assert!(failed.contains(&check.name.as_str()), "{}: {failed:?}", check.name);
                assert!(
                    failed.iter().all(|it| *it == check.name || it.starts_with("schema.")),
                    "{}: {failed:?}",
                    check.name
                );
            }
        }
        assert!(!sabotage(&mut Artifacts::new(), "no.such"));
    }

    proptest! {
        /// Whatever is asked, the form is right, and the same question has the same answer.
        #[test]
        fn any_input_has_artifacts_of_the_right_form(intent in ".{0,80}", text in ".{0,300}", title in ".{0,60}") {
            let case = case(&intent, &text, &title);
            let (one, failed) = run(&case);
            let grave: Vec<_> = failed.iter().filter(|it| it.starts_with("schema") || it.contains("shape")).collect();
            prop_assert!(grave.is_empty(), "{:?}", grave);
            prop_assert_eq!(run(&case).0, one);
        }
    }
}
