//! Faults on order, so that every way through the gate can be tested without a model.

use std::str::FromStr;

use provost_kernel::{Digest, eval::Artifacts, shorten};
use serde_json::json;

/// What the built-in engine is told to do wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StubOptions {
    /// The check to fail, and the case; `*` is every case.
    pub fail: Vec<(String, String)>,
    /// How long each answer takes.
    pub latency_ms: u64,
    /// How many answers of a thousand fail `score.priority_band`, and the seed of the choice.
    pub flaky: Option<(u32, u64)>,
}

/// A text that is no such order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an option of the stub: write `fail=CHECK@CASE`, `latency=MS` or `flaky=P,SEED`"
)]
pub struct StubOptionsError(String);

impl StubOptions {
    /// Does to an answer what was ordered. The same case and epoch fare the same each time.
    pub fn apply(&self, case: &str, epoch: u32, artifacts: &mut Artifacts) {
        for (check, wanted) in &self.fail {
            if wanted == "*" || wanted == case {
                sabotage(artifacts, check);
            }
        }
        if let Some((permille, seed)) = self.flaky {
            let digest = Digest::of_bytes(format!("{seed} {case} {epoch}").as_bytes()).to_string();
            let number = u32::from_str_radix(digest.get(..6).unwrap_or_default(), 16).unwrap_or(0);
            if number % 1000 < permille {
                sabotage(artifacts, "score.priority_band");
            }
        }
    }
}

impl FromStr for StubOptions {
    type Err = StubOptionsError;

    /// Reads `fail=CHECK@CASE;latency=MS;flaky=0.1,7`.
    fn from_str(text: &str) -> Result<Self, StubOptionsError> {
        let mut options = Self::default();
        for part in text.split(';').filter(|it| !it.is_empty()) {
            let error = || StubOptionsError(shorten(part));
            let (key, value) = part.split_once('=').ok_or_else(error)?;
            match key {
                "fail" => {
                    let (check, case) = value.split_once('@').ok_or_else(error)?;
                    if !sabotage(&mut Artifacts::new(), check) {
                        return Err(error());
                    }
                    options.fail.push((check.to_owned(), case.to_owned()));
                }
                "latency" => options.latency_ms = value.parse().map_err(|_| error())?,
                "flaky" => {
                    let (share, seed) = value.split_once(',').ok_or_else(error)?;
                    options.flaky = Some((
                        permille(share).ok_or_else(error)?,
                        seed.parse().map_err(|_| error())?,
                    ));
                }
                _ => return Err(error()),
            }
        }
        Ok(options)
    }
}

/// A share such as `0.125`, in thousandths.
fn permille(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = part.chars().chain("000".chars()).take(3).collect();
    let number = whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(digits.parse().ok()?)?;
    (number <= 1000).then_some(number)
}

/// Damages artifacts so that the check fails; says whether the check is known.
pub fn sabotage(artifacts: &mut Artifacts, check: &str) -> bool {
    let (artifact, field, value) = match check {
        "schema.summary" => ("summary", "more", json!(1)),
        "schema.score" => ("score", "more", json!(1)),
        "schema.todos" => ("todos", "more", json!(1)),
        "schema.card" => ("card", "more", json!(1)),
        "score.reasons_min" => {
            ("score", "reasons", json!(["Has a checklist of steps", "Takes 20 minutes to read"]))
        }
        "score.priority_band" => ("score", "match_score", json!("unknown")),
        "todos.shape" => (
            "todos",
            "todos",
            json!([
            {"title": "Write the plan", "eta": "10m"}, {"title": "List the risks", "eta": "10m"}]),
        ),
        "card.shape" => ("card", "points", json!(["One point that stands alone"])),
        "score.reasons_specific" => (
            "score",
            "reasons",
            json!([
                "Very useful and insightful",
                "Worth reading, well written",
                "内容很好,非常值得一读再读"
            ]),
        ),
        "todos.verb_led" => (
            "todos",
            "todos",
            json!([
            {"title": "Learn more about this", "eta": "10m"}, {"title": "Understand the ideas", "eta": "10m"},
            {"title": "了解一下相关的背景", "eta": "10m"}]),
        ),
        "card.action_specific" => ("card", "action", json!("Apply it to your own work and life")),
        "summary.bullets_distinct" => {
            let bullets = artifacts.get("summary").and_then(|it| it.get("bullets"));
            let bullet = |at: usize| bullets.and_then(|it| it.get(at)).cloned();
            // Twice the first, which stays as grounded as it was.
            let [first, second] = [0, 1].map(|at| bullet(at).unwrap_or_default());
            ("summary", "bullets", json!([first, first, second]))
        }
        "summary.grounded" => (
            "summary",
            "bullets",
            json!([
                "The ideas in here are worth a closer look",
                "Several approaches are compared with care",
                "Everyone can apply a part of it at once"
            ]),
        ),
        "summary.insight_adds" => ("summary", "insight", json!("It is what it is, and so on")),
        "card.headline_specific" => ("card", "headline", json!("Some thoughts on productivity")),
        _ => return false,
    };
    // A score that contradicts its label, whatever the label is.
    let value = match (check, artifacts.get("score").and_then(|it| it.get("priority"))) {
        ("score.priority_band", Some(label)) => {
            if label == "SKIP" {
                json!(99)
            } else {
                json!(3)
            }
        }
        _ => value,
    };
    if let Some(object) = artifacts.get_mut(artifact).and_then(|it| it.as_object_mut()) {
        object.insert(field.to_owned(), value);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_or_refused() {
        let read = |text: &str| text.parse::<StubOptions>();
        assert_eq!(read("").unwrap(), StubOptions::default());
        let options =
            read("fail=schema.card@a;latency=5;flaky=0.125,7;fail=todos.shape@*").unwrap();
        assert_eq!((options.fail.len(), options.latency_ms, options.flaky), (2, 5, Some((125, 7))));
        for bad in
            ["fail=x@a", "fail=schema.card", "latency=x", "flaky=2,1", "flaky=0.1", "other=1", "x"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_flaky_engine_is_flaky_in_the_same_places() {
        let options: StubOptions = "flaky=0.3,1".parse().unwrap();
        let run = |epoch| {
            let mut artifacts = Artifacts::new();
            artifacts.insert("score".to_owned(), json!({"priority": "SKIP", "match_score": 1}));
            options.apply("a", epoch, &mut artifacts);
            artifacts["score"]["match_score"] == json!(99)
        };
        let hits = (0..1000).filter(|it| run(*it)).count();
        assert!((200..400).contains(&hits), "{hits}");
        assert_eq!(run(7), run(7));
    }
}
