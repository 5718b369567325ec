//! One case, judged: what every check said, what the author expected, and what people see first.

use std::borrow::Cow;

use provost_kernel::{
    Message, Severity, Text,
    eval::{
        Case, CaseResult, CaseStatus, CheckResult, CheckStatus, ErrorEffect, Excuse, Expect, Meta,
        Preview, Response, Shown, StepError,
    },
};
use provost_rules::secret;
use serde_json::{Map, Value};

use super::{
    check::{ENGINE_OUTPUT, Rubric, Subject, Verdicts, asked, check_answer},
    path::Place,
    response::run_id,
    suite::{PreviewPlaces, Suite},
};

/// The checks that a case itself asks for.
pub const EXPECT_PRIORITY: &str = "expect.priority";
pub const EXPECT_SCORE: &str = "expect.score";
pub const EXPECT_MUST_FAIL: &str = "expect.must_fail";
/// The checks that belong to no suite.
pub const RUNNER_CHECKS: [&str; 4] =
    [ENGINE_OUTPUT, EXPECT_PRIORITY, EXPECT_SCORE, EXPECT_MUST_FAIL];

/// How many characters of a meta field and of a preview are kept.
const SHOWN_META: usize = 64;
const SHOWN: usize = 240;
/// How many characters of a text are kept of a case that failed, and how many values of a list.
const SHOWN_TEXT: usize = 400;
const SHOWN_VALUES: usize = 24;
/// How many reasons and titles are kept.
const SHOWN_ITEMS: usize = 8;

/// Judges what came of one case (EVAL-4.1). What an engine could not make is never a pass: bad
/// output fails `engine.output`, and an engine that was not there leaves the case without a result.
pub fn judge(
    suite: &Suite,
    case: &Case,
    outcome: Result<&Response, StepError>,
    rubric: Rubric,
) -> CaseResult {
    judge_with(suite, case, outcome, &Verdicts::new(), rubric)
}

/// Judges what came of one case, with what programs and models said of it.
pub fn judge_with(
    suite: &Suite,
    case: &Case,
    outcome: Result<&Response, StepError>,
    said: &Verdicts,
    rubric: Rubric,
) -> CaseResult {
    match outcome {
        Ok(response) => {
            let subject =
                Subject { case, artifacts: &response.artifacts, meta: &response.meta, said };
            let mut checks = check_answer(suite, subject, rubric);
            if let Some(expect) = &case.expect {
                check_expectations(suite, expect, subject, &mut checks);
            }
            for check in &mut checks {
                check.message = check.message.take().map(clean);
                check.message_args = clean_args(std::mem::take(&mut check.message_args));
            }
            let look = Look::at(suite, subject, &response.meta);
            let status = status(&checks);
            CaseResult {
                id: case.id.clone(),
                status,
                run_id: run_id(&case.id),
                meta: meta(&response.meta, look),
                preview: preview(suite, subject, look),
                checks,
                error: None,
                warnings: Vec::new(),
                warnings_codes: Vec::new(),
                latency_ms: None,
                runs: None,
                shown: (status == CaseStatus::Fail).then(|| shown(suite, subject)),
            }
        }
        Err(error) => failed(suite, case, error, rubric),
    }
}

/// What became of a case with these checks: it passes when every check passed or is excused.
pub fn status(checks: &[CheckResult]) -> CaseStatus {
    if refused(checks).next().is_none() { CaseStatus::Pass } else { CaseStatus::Fail }
}

/// The checks that speak against a case: what failed or was skipped, unless it is excused or was
/// blocked by a check that is (ruling 81).
pub fn refused(checks: &[CheckResult]) -> impl Iterator<Item = &CheckResult> {
    checks.iter().filter(|it| {
        let is_excused =
            it.excuse.is_some() || blocker(checks, it).is_some_and(|by| by.excuse.is_some());
        it.status != CheckStatus::Pass && !is_excused
    })
}

/// The refused checks that a reader has to see. A skipped one goes without saying if the check that
/// blocked it is listed at its level or above, or if the engine gave no answer at all.
pub fn listed(case: &CaseResult) -> impl Iterator<Item = &CheckResult> {
    let CaseResult { checks, status, .. } = case;
    refused(checks).filter(|it| {
        it.status == CheckStatus::Fail
            || (*status != CaseStatus::Error
                && blocker(checks, it).is_none_or(|by| by.level > it.level))
    })
}

/// The check that left this one without something to look at.
fn blocker<'a>(checks: &'a [CheckResult], check: &CheckResult) -> Option<&'a CheckResult> {
    let by = check.blocked_by.as_deref()?;
    checks.iter().find(|it| it.name == by)
}

fn failed(suite: &Suite, case: &Case, error: StepError, rubric: Rubric) -> CaseResult {
    let error = StepError {
        message: clean(error.message),
        message_args: clean_args(error.message_args),
        ..error
    };
    let skipped =
        asked(suite, rubric).map(|it| CheckResult::skipped(it.level, &it.name, ENGINE_OUTPUT));
    let mut checks: Vec<_> = skipped.collect();
    let status = match error.error_code.effect() {
        ErrorEffect::NotMeasured => CaseStatus::Error,
        ErrorEffect::Judged => {
            let output = BadOutput { code: error.error_code.as_str(), message: error.text() };
            let mut check = CheckResult::fail(Severity::P0, ENGINE_OUTPUT, &output.text());
            let expects =
                case.expect.as_ref().map(|it| it.must_fail.as_slice()).unwrap_or_default();
            if expects.iter().any(|it| it == ENGINE_OUTPUT) {
                check.excuse = Some(Excuse::Expected);
            }
            checks.insert(0, check);
            status(&checks)
        }
    };
    CaseResult {
        id: case.id.clone(),
        status,
        run_id: run_id(&case.id),
        meta: Meta::default(),
        checks,
        preview: Preview::default(),
        error: Some(error),
        warnings: Vec::new(),
        warnings_codes: Vec::new(),
        latency_ms: None,
        runs: None,
        shown: None,
    }
}

/// Compares an answer with what the author of the case expects.
fn check_expectations(
    suite: &Suite,
    expect: &Expect,
    subject: Subject<'_>,
    checks: &mut Vec<CheckResult>,
) {
    let level = Severity::P1;
    if !expect.priority_in.is_empty() {
        let found = suite.preview.priority.as_ref().and_then(|it| it.text(subject));
        let is_right = found.is_some_and(|it| expect.priority_in.iter().any(|right| right == it));
        checks.push(if is_right {
            CheckResult::pass(level, EXPECT_PRIORITY)
        } else {
            let found = found.unwrap_or("-").to_owned();
            let fault = Unexpected::Priority { found, expected: expect.priority_in.clone() };
            CheckResult::fail(level, EXPECT_PRIORITY, &fault.text())
        });
    }
    if expect.score_min.is_some() || expect.score_max.is_some() {
        let found = suite.preview.score.as_ref().and_then(|it| it.value(subject)?.as_f64());
        let (low, high) =
            (expect.score_min.unwrap_or(f64::MIN), expect.score_max.unwrap_or(f64::MAX));
        checks.push(if found.is_some_and(|it| (low..=high).contains(&it)) {
            CheckResult::pass(level, EXPECT_SCORE)
        } else {
            let found = found.map_or_else(|| "-".to_owned(), |it| it.to_string());
            let (min, max) = (expect.score_min, expect.score_max);
            CheckResult::fail(level, EXPECT_SCORE, &Unexpected::Score { found, min, max }.text())
        });
    }
    if expect.must_fail.is_empty() {
        return;
    }
    let mut missed = Vec::new();
    for name in &expect.must_fail {
        let failed =
            checks.iter_mut().find(|it| it.name == *name && it.status == CheckStatus::Fail);
        match failed {
            Some(check) => check.excuse = Some(Excuse::Expected),
            None => missed.push(name.clone()),
        }
    }
    checks.push(if missed.is_empty() {
        CheckResult::pass(Severity::P0, EXPECT_MUST_FAIL)
    } else {
        let fault = Unexpected::DidNotFail { checks: missed };
        CheckResult::fail(Severity::P0, EXPECT_MUST_FAIL, &fault.text())
    });
}

/// An answer that differs from what the author of the case expects.
#[derive(Debug, Message)]
#[message(code = "eval.expect")]
enum Unexpected {
    #[message(
        en = "the priority is {found}, expected {expected}",
        zh = "优先级为 {found}，应为 {expected}"
    )]
    Priority { found: String, expected: Vec<String> },
    #[message(
        en = "the score is {found}, expected {min}..{max}",
        zh = "得分为 {found}，应为 {min}..{max}"
    )]
    Score { found: String, min: Option<f64>, max: Option<f64> },
    #[message(
        en = "expected to fail, and did not: {checks:names}",
        zh = "应当失败却没有失败：{checks:names}"
    )]
    DidNotFail { checks: Vec<String> },
}

/// An answer of an engine that cannot be judged.
#[derive(Debug, Message)]
#[message(code = "eval.engine_output", en = "{code}: {message}", zh = "{code}：{message}")]
struct BadOutput {
    code: &'static str,
    message: Text,
}

/// How texts must be looked at before they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Nothing in any of them looks like a secret.
    Clean,
    /// Each by itself.
    Closely,
}

impl Look {
    /// Looks at everything that will be shown of an answer at once: a search has its own costs, and
    /// most answers have nothing to hide.
    fn at(suite: &Suite, subject: Subject<'_>, meta: &Meta) -> Self {
        let PreviewPlaces { priority, score: _, reasons, todo_titles, headline } = &suite.preview;
        let places = [priority, reasons, todo_titles, headline].into_iter().flatten();
        let shown = places.flat_map(|it| it.texts(subject).unwrap_or_default());
        let Meta { run_id, engine_version, model_id, template_versions, .. } = meta;
        let named = [run_id, engine_version, model_id].into_iter().flatten().map(String::as_str);
        let versions = template_versions.iter().flat_map(|(step, it)| [step.as_str(), it.as_str()]);
        Self::at_all(shown.chain(named).chain(versions))
    }

    fn at_all<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut all = String::new();
        for text in texts {
            all.push_str(text);
            // No token goes over the end of a line.
            all.push('\n');
        }
        // A key in several lines does, and text in two-byte characters has no lines to look for.
        let has_parts = memchr::memchr(0, all.as_bytes()).is_some()
            || memchr::memmem::find(all.as_bytes(), b"-----").is_some();
        if has_parts || secret::has_shape(all.as_bytes()) { Self::Closely } else { Self::Clean }
    }
}

fn preview(suite: &Suite, subject: Subject<'_>, look: Look) -> Preview {
    let places = &suite.preview;
    let text = |place: &Option<Place>| Some(short(place.as_ref()?.text(subject)?, SHOWN, look));
    let texts = |place: &Option<Place>| {
        let texts = place.as_ref().and_then(|it| it.texts(subject)).unwrap_or_default();
        texts.into_iter().take(SHOWN_ITEMS).map(|it| short(it, SHOWN, look)).collect()
    };
    Preview {
        priority: text(&places.priority),
        score: places.score.as_ref().and_then(|it| it.value(subject)).and_then(Value::as_f64),
        reasons: texts(&places.reasons),
        todo_titles: texts(&places.todo_titles),
        headline: text(&places.headline),
    }
}

/// What people look at when a case failed.
fn shown(suite: &Suite, subject: Subject<'_>) -> Shown {
    let Subject { case, artifacts, .. } = subject;
    let fields = |is_sent: bool| -> Map<String, Value> {
        let of =
            suite.case.fields.iter().filter(|it| it.sent == is_sent && it.name != suite.case.id);
        of.filter_map(|it| Some((it.name.clone(), start(case.fields.get(&it.name)?)))).collect()
    };
    let made = artifacts.iter().take(SHOWN_VALUES);
    Shown {
        input: fields(true),
        expected: fields(false),
        answer: made.map(|(name, it)| (clean(name.clone()), start(it))).collect(),
    }
}

/// The start of a value: of each text in it, and of each list.
fn start(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(short(text, SHOWN_TEXT, Look::Closely)),
        Value::Array(items) => items.iter().take(SHOWN_VALUES).map(start).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().take(SHOWN_VALUES);
            Value::Object(fields.map(|(key, it)| (clean(key.clone()), start(it))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Meta holds no full text and no secret, whatever an engine puts there.
fn meta(meta: &Meta, look: Look) -> Meta {
    let short = |it: &str| short(it, SHOWN_META, look);
    let cut = |it: &Option<String>| it.as_deref().map(short);
    let versions = meta.template_versions.iter().take(SHOWN_ITEMS);
    Meta {
        run_id: cut(&meta.run_id),
        engine_version: cut(&meta.engine_version),
        model_id: cut(&meta.model_id),
        template_versions: versions.map(|(step, version)| (short(step), short(version))).collect(),
        repairs: meta.repairs,
        usage: meta.usage,
        judge_usage: meta.judge_usage,
        latency_ms: None,
    }
}

/// The start of a text, without secrets.
fn short(text: &str, characters: usize, look: Look) -> String {
    // Redacted before it is cut: half a secret is not recognised.
    let clean = match look {
        Look::Clean => Cow::Borrowed(text),
        Look::Closely => redacted(text),
    };
    match clean.char_indices().nth(characters) {
        Some((end, _)) => clean.get(..end).unwrap_or_default().to_owned(),
        None => clean.into_owned(),
    }
}

fn clean(message: String) -> String {
    match redacted(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(clean) => clean,
    }
}

/// The arguments of a message without secrets.
fn clean_args(args: Map<String, Value>) -> Map<String, Value> {
    args.into_iter().map(|(name, value)| (name, clean_value(value))).collect()
}

fn clean_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => items.into_iter().map(clean_value).collect(),
        Value::Object(fields) => Value::Object(clean_args(fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A text without what looks like a secret: a report is shown to many.
fn redacted(text: &str) -> Cow<'_, str> {
    match secret::redact_shapes(text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(clean) => Cow::Owned(String::from_utf8_lossy(&clean).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::eval::{Artifacts, ErrorCode};
    use serde_json::json;

    use super::{
        super::{
            check::tests::{case, good},
            suite::shared,
        },
        *,
    };

    fn judged(change: impl FnOnce(&mut Artifacts, &mut Case)) -> CaseResult {
        let (mut artifacts, mut case) = (good("en"), case("en"));
        change(&mut artifacts, &mut case);
        let response = Response { meta: Meta::default(), artifacts };
        judge(shared(), &case, Ok(&response), Rubric::Standard)
    }

    fn failures(result: &CaseResult) -> Vec<&str> {
        result.checks.iter().filter(|it| it.is_counted()).map(|it| it.name.as_str()).collect()
    }

    /// EVAL-6.1: a case has its checks and a preview.
    #[test]
    fn a_good_case_passes_with_fifteen_checks_and_a_preview() {
        let result = judged(|_, _| {});
        assert_eq!(result.status, CaseStatus::Pass, "{:?}", failures(&result));
        assert_eq!(result.checks.len(), 15);
        assert_eq!(result.run_id, "eval_case_en");
        assert!(result.preview.headline.is_some() && result.preview.score.is_some());
        assert_eq!((result.preview.reasons.len(), result.preview.todo_titles.len()), (3, 3));
    }

    #[test]
    fn what_the_author_expects_is_held_against_the_answer() {
        let with = |expect: Value| {
            judged(|_, case| case.expect = Some(serde_json::from_value(expect).unwrap()))
        };
        assert_eq!(
            with(json!({"priority_in": ["READ_NEXT"], "score_min": 80})).status,
            CaseStatus::Pass
        );
        assert_eq!(
            failures(&with(json!({"priority_in": ["SKIP"], "score_max": 39.9}))),
            [EXPECT_PRIORITY, EXPECT_SCORE]
        );
        assert_eq!(failures(&with(json!({"must_fail": ["schema.card"]}))), [EXPECT_MUST_FAIL]);
    }

    #[test]
    fn a_failure_that_must_be_is_excused_and_stays_failed() {
        let result = judged(|artifacts, case| {
            artifacts["score"]["priority"] = json!("SKIP");
            let must_fail = vec!["score.priority_band".to_owned()];
            case.expect = Some(Expect { must_fail, ..Expect::default() });
        });
        assert_eq!(result.status, CaseStatus::Pass);
        let band = result.checks.iter().find(|it| it.name == "score.priority_band").unwrap();
        assert!(!band.pass && !band.is_counted());
    }

    #[test]
    fn an_engine_that_made_nothing_never_passes() {
        let error = |code| StepError::new(code, &"m".into());
        let judge = |code| judge(shared(), &case("en"), Err(error(code)), Rubric::Standard);
        let bad = judge(ErrorCode::Parse);
        assert_eq!((bad.status, failures(&bad)), (CaseStatus::Fail, vec![ENGINE_OUTPUT]));
        assert_eq!(bad.checks.len(), 16);
        let gone = judge(ErrorCode::Timeout);
        assert_eq!((gone.status, failures(&gone)), (CaseStatus::Error, vec![]));
        assert!(gone.checks.iter().chain(&bad.checks).all(|it| !it.pass));
    }

    #[test]
    fn secrets_never_reach_a_report() {
        for token in [
            "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
            // Visibly an example; but who looks at a report cannot know.
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            let result = judged(|artifacts, _| {
                artifacts["card"]["headline"] = json!(format!("{token} tips"));
                artifacts["score"]["reasons"] = json!([format!("use {token} here"), token, token]);
                artifacts["todos"]["todos"][0]["title"] = json!(format!("the {token} title"));
            });
            let text = serde_json::to_string(&result).unwrap();
            assert!(!text.contains(token) && text.contains("REDACTED"), "{text}");
        }
    }

    proptest::proptest! {
        /// Looking at all texts at once finds whatever is in one of them.
        #[test]
        fn no_secret_hides_among_other_texts(
            texts in proptest::collection::vec(
                "(-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|[A-Za-z0-9+]{60}|example\
                 |ghp_[a-zA-Z0-9]{30,40}|password ?= ?'[a-z0-9A-Z]{12}'|https://u:[a-z0-9]{8}@h|[ a-z:='\u{0}]{0,6}){0,3}",
                0..6,
            ),
        ) {
            let has_secret = texts.iter().any(|it| secret::has_shape(it.as_bytes()));
            let look = Look::at_all(texts.iter().map(String::as_str));
            proptest::prop_assert!(!has_secret || look == Look::Closely, "{texts:?}");
        }
    }

    /// Of a case that failed, people see what it was given, what is right and what was
    /// made; of a good one nothing, and of no text more than its start.
    #[test]
    fn a_failure_is_shown_with_its_input_and_its_answer() {
        let mut case = case("en");
        let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
        case.fields.insert("notes".to_owned(), "for people".into());
        let long = format!("{key} {}", "word ".repeat(200));
        case.fields.insert("extracted_text".to_owned(), long.into());
        let mut artifacts = good("en");
        assert!(judged_as(&case, artifacts.clone()).shown.is_some());
        artifacts["score"]["priority"] = "SKIP".into();
        let shown = judged_as(&case, artifacts).shown.unwrap();
        let text = shown.input["extracted_text"].as_str().unwrap();
        assert!(!text.contains(&key) && text.chars().count() == 400, "{text}");
        assert_eq!(shown.expected["notes"], "for people");
        assert_eq!(shown.answer["score"]["priority"], "SKIP");
        assert_eq!(judged_as(&self::case("en"), good("en")).shown, None);
    }

    fn judged_as(case: &Case, artifacts: provost_kernel::eval::Artifacts) -> CaseResult {
        let response = Response { artifacts, ..Response::default() };
        judge(shared(), case, Ok(&response), Rubric::Standard)
    }
}
