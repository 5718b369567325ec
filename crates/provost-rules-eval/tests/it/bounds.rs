//! The ends of every range of Read→Do, in both languages: the last value that passes and the
//! first that does not.

use provost_kernel::eval::{Artifacts, Case, CheckResult};
use provost_rules_eval::{
    check::{Rubric, check_case},
    suite::Suite,
};
use serde_json::{Value, json};

use crate::data::{fixture, own_cases};

/// A good answer in the language, with every optional field filled in, and its case.
struct Sample {
    suite: Suite,
    case: Case,
    artifacts: Value,
    /// A letter of the language.
    letter: &'static str,
}

impl Sample {
    /// English, Chinese, and English with a letter outside the basic plane.
    fn all() -> [Self; 3] {
        [
            Self::new("en-web-cold-start", "x"),
            Self::new("zh-web-rollback", "写"),
            Self::new("en-web-cold-start", "𝒳"),
        ]
    }

    fn new(id: &str, letter: &'static str) -> Self {
        let suite = Suite::read_do().unwrap();
        let case = own_cases(&suite).remove(id).unwrap();
        let good = fixture(&format!("evals/artifacts/good/{id}.json"));
        let mut all: Value = serde_json::from_slice(&good).unwrap();
        let quote = json!([{"quote": "ten letters", "source_hint": "the end"}]);
        all["summary"]["evidence"] = quote.clone();
        all["card"]["evidence"] = quote.clone();
        all["score"]["evidence"] = quote;
        all["score"]["evidence"][0]["supports"] = json!("reason#1");
        all["score"]["confidence"] = json!(0.5);
        all["score"]["signals"] =
            json!({"intent_match": 1, "content_signal": 1, "novelty": 1, "effort_fit": 1});
        all["card"]["hashtags"] = json!(["#tag"]);
        all["card"]["caption"] = json!("");
        all["todos"]["todos"][0]["type"] = json!("WRITE");
        all["todos"]["todos"][0]["why"] = json!("");
        all["todos"]["todos"][0]["tags"] = json!(["tag"]);
        let sample = Self { suite, case, artifacts: all, letter };
        for artifact in ["summary", "score", "todos", "card"] {
            assert!(sample.passes(&format!("schema.{artifact}")), "{id} {artifact}");
        }
        sample
    }

    fn results(&self) -> Vec<CheckResult> {
        let artifacts: &Artifacts = self.artifacts.as_object().unwrap();
        check_case(&self.suite, &self.case, artifacts, Rubric::Standard)
    }

    fn passes(&self, check: &str) -> bool {
        self.results().iter().find(|it| it.name == check).unwrap().pass
    }

    /// Puts a value at a place, asks the check, and puts back what was there.
    #[track_caller]
    fn check(&mut self, check: &str, place: &str, value: Value, expected: bool) {
        let slot = self.artifacts.pointer_mut(place).unwrap();
        let before = std::mem::replace(slot, value.clone());
        let letter = self.letter;
        assert_eq!(self.passes(check), expected, "{check} {letter} {place} = {value}");
        *self.artifacts.pointer_mut(place).unwrap() = before;
    }
}

/// The check that holds the artifact of a place against its schema.
fn schema_of(place: &str) -> String {
    format!("schema.{}", place.split('/').nth(1).unwrap())
}

/// EVAL-3.2, EVAL-5.1: texts are measured in code points, whatever their script.
#[test]
fn texts_have_their_lengths() {
    let content = "/card/render_spec/payload/content";
    let texts = [
        ("/summary/bullets/0", 8, 180),
        ("/summary/insight", 12, 240),
        ("/summary/evidence/0/quote", 10, 220),
        ("/summary/evidence/0/source_hint", 0, 80),
        ("/score/reasons/0", 12, 220),
        ("/score/evidence/0/quote", 10, 220),
        ("/score/evidence/0/source_hint", 0, 80),
        ("/todos/todos/0/why", 0, 200),
        ("/todos/todos/0/tags/0", 1, 24),
        ("/card/headline", 10, 90),
        ("/card/points/0", 8, 160),
        ("/card/insight", 12, 220),
        ("/card/action", 10, 200),
        ("/card/caption", 0, 600),
        ("/card/evidence/0/quote", 10, 220),
        ("/card/evidence/0/source_hint", 0, 80),
        ("/card/render_spec/payload/brand/watermark", 1, 40),
        (&*format!("{content}/headline"), 10, 90),
        (&*format!("{content}/points/0"), 8, 160),
        (&*format!("{content}/insight"), 12, 220),
        (&*format!("{content}/action"), 10, 200),
    ];
    for mut sample in Sample::all() {
        for (place, least, most) in texts {
            let schema = schema_of(place);
            let text = |length: usize| json!(sample.letter.repeat(length));
            let (shortest, longest, long) = (text(least), text(most), text(most + 1));
            let short = least.checked_sub(1).map(text);
            sample.check(&schema, place, shortest, true);
            sample.check(&schema, place, longest, true);
            sample.check(&schema, place, long, false);
            if let Some(short) = short {
                sample.check(&schema, place, short, false);
            }
        }
    }
}

/// EVAL-3.2, EVAL-5.1: a title has 8 to 140 code points, for the schema and for `todos.shape`.
#[test]
fn titles_have_their_lengths() {
    let [mut english, mut chinese, _] = Sample::all();
    let place = "/todos/todos/0/title";
    for (length, in_schema, in_shape) in
        [(7, false, false), (8, true, true), (140, true, true), (141, false, true)]
    {
        let en = json!(format!("Draft {}", "x".repeat(length - 6)));
        let zh = json!("写".repeat(length));
        for (sample, title) in [(&mut english, en), (&mut chinese, zh)] {
            sample.check("schema.todos", place, title.clone(), in_schema);
            sample.check("todos.shape", place, title, in_shape);
        }
    }
    // White space at the ends says nothing, in neither width.
    english.check("todos.shape", place, json!("Draft x  "), false);
    chinese.check("todos.shape", place, json!("写一页迁移方案\u{3000}"), false);
    // A hashtag is ASCII in both languages.
    for sample in [&mut english, &mut chinese] {
        for (length, passes) in [(1, false), (2, true), (24, true), (25, false)] {
            sample.check("schema.card", "/card/hashtags/0", json!("t".repeat(length)), passes);
        }
    }
}

/// EVAL-3.2, EVAL-5.1: lists have their lengths, for the schema and for the check that names them.
#[test]
fn lists_have_their_lengths() {
    for mut sample in Sample::all() {
        for (place, least, most, also) in [
            ("/summary/bullets", 3, 3, None),
            ("/summary/evidence", 0, 5, None),
            ("/score/reasons", 3, 6, None),
            ("/score/evidence", 0, 5, None),
            ("/todos/todos", 3, 7, Some("todos.shape")),
            ("/todos/todos/0/tags", 0, 5, None),
            ("/card/points", 3, 3, Some("card.shape")),
            ("/card/hashtags", 0, 6, None),
            ("/card/evidence", 0, 4, None),
        ] {
            let item = sample.artifacts.pointer(&format!("{place}/0")).unwrap().clone();
            let list = |length: usize| json!(vec![item.clone(); length]);
            let schema = schema_of(place);
            for check in [schema.as_str()].into_iter().chain(also) {
                sample.check(check, place, list(least), true);
                sample.check(check, place, list(most), true);
                sample.check(check, place, list(most + 1), false);
                if let Some(fewer) = usize::checked_sub(least, 1) {
                    sample.check(check, place, list(fewer), false);
                }
            }
        }
        // Three reasons are enough; too many of them are only the schema's affair.
        for (length, passes) in [(0, false), (2, false), (3, true), (7, true)] {
            let reasons = json!(vec!["a reason of some length"; length]);
            sample.check("score.reasons_min", "/score/reasons", reasons, passes);
        }
    }
}

/// EVAL-3.2: numbers lie in their ranges, both ends allowed, and a whole one may be written 1080.0.
#[test]
fn numbers_have_their_ranges() {
    let [mut sample, ..] = Sample::all();
    for (place, least, most, step) in [
        ("/score/match_score", 0.0, 100.0, 0.01),
        ("/score/confidence", 0.0, 1.0, 0.01),
        ("/score/signals/intent_match", 0.0, 100.0, 0.01),
        ("/score/signals/content_signal", 0.0, 100.0, 0.01),
        ("/score/signals/novelty", 0.0, 100.0, 0.01),
        ("/score/signals/effort_fit", 0.0, 100.0, 0.01),
        ("/card/render_spec/width", 600.0, 1600.0, 1.0),
        ("/card/render_spec/height", 600.0, 2000.0, 1.0),
        ("/card/render_spec/payload/layout/padding", 16.0, 80.0, 1.0),
    ] {
        let schema = schema_of(place);
        sample.check(&schema, place, json!(least), true);
        sample.check(&schema, place, json!(most), true);
        sample.check(&schema, place, json!(least - step), false);
        sample.check(&schema, place, json!(most + step), false);
        sample.check(&schema, place, json!(least.to_string()), false);
    }
    sample.check("schema.card", "/card/render_spec/width", json!(1080.5), false);
}

/// EVAL-5.1: the bands to the half point, in both languages: the lower end is in, the upper out.
#[test]
fn bands_end_at_the_half_point() {
    for mut sample in Sample::all() {
        for (priority, score, passes) in [
            ("READ_NEXT", 79.5, true),
            ("READ_NEXT", 79.49, false),
            ("WORTH_IT", 80.49, true),
            ("WORTH_IT", 80.5, false),
            ("WORTH_IT", 59.5, true),
            ("WORTH_IT", 59.4, false),
            ("IF_TIME", 60.4, true),
            ("IF_TIME", 60.5, false),
            ("IF_TIME", 39.5, true),
            ("SKIP", 40.49, true),
            ("SKIP", 40.5, false),
            ("SKIP", 0.0, true),
            ("READ_NEXT", 100.0, true),
            ("SKIP", 79.999, false),
        ] {
            sample.artifacts["score"]["priority"] = json!(priority);
            sample.check("score.priority_band", "/score/match_score", json!(score), passes);
        }
    }
}
