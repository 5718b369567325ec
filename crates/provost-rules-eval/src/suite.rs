//! A suite: which fields a case has, which artifacts an engine makes, and what is checked.
//!
//! A suite is data. A third one needs a file like `suite/read-do.json` and its schemas; code is
//! needed only for a new kind of check.

mod form;

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;
use provost_form::{Expected, Invalid};
use provost_kernel::{Digest, Message, Severity, Text};
use provost_rules_task::verdict::Yardstick;
use serde::Deserialize;
use serde_json::Value;

use self::form::SuiteForm;
use super::{
    check::Kind,
    lexicon::{Lexicon, LexiconError},
    path::Place,
};

const READ_DO: &str = include_str!("suite/read-do.json");
const CALIBRATION: &str = include_str!("suite/calibration.json");
const SCHEMAS: [(&str, &str); 4] = [
    ("summary", include_str!("schema/summary.schema.json")),
    ("score", include_str!("schema/score.schema.json")),
    ("todos", include_str!("schema/todos.schema.json")),
    ("card", include_str!("schema/card.schema.json")),
];
/// The only version of the form of a suite.
const VERSION: u32 = 1;

/// The text of each schema, by the name of its artifact.
pub type SchemaTexts = BTreeMap<String, String>;

/// A suite, ready to judge with: patterns and schemas are compiled once.
#[derive(Debug)]
pub struct Suite {
    pub name: String,
    pub case: CaseForm,
    pub artifacts: Vec<String>,
    /// The artifacts that a model answers in words.
    pub texts: BTreeSet<String>,
    /// The file of the prompt for each artifact, beside the suite.
    pub prompts: BTreeMap<String, String>,
    /// Where the cases are, beside the suite.
    pub cases: Option<String>,
    pub checks: Vec<SuiteCheck>,
    pub preview: PreviewPlaces,
    pub lexicon: Lexicon,
    pub schemas_sha256: Digest,
    /// Of its file.
    pub digest: Digest,
    pub(super) validators: BTreeMap<String, Validator>,
    pub(super) yardstick: Option<Yardstick>,
}

/// The fields of a case.
#[derive(Clone, Debug)]
pub struct CaseForm {
    /// The field that names the case.
    pub id: String,
    pub fields: Vec<FieldForm>,
}

/// One field of a case.
#[derive(Clone, Debug)]
pub struct FieldForm {
    pub name: String,
    pub required: bool,
    pub kind: FieldKind,
    /// The only texts that are allowed.
    pub one_of: Vec<String>,
    /// What a lenient reader puts there.
    pub default: Option<String>,
    /// How many characters it should have.
    pub min: usize,
    pub max: Option<usize>,
    /// Whether it is text that people wrote: no raw HTML, nothing private.
    pub prose: bool,
    /// Whether the engine sees it.
    pub sent: bool,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    #[default]
    Text,
    Number,
    Flag,
    List,
    Object,
    /// Any value of JSON.
    Any,
}

/// One check of a suite.
#[derive(Clone, Debug)]
pub struct SuiteCheck {
    pub name: String,
    pub level: Severity,
    /// Only for those who ask for the strict rubric.
    pub optional: bool,
    pub kind: Kind,
}

/// Where the preview of a case is found.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PreviewPlaces {
    pub priority: Option<Place>,
    pub score: Option<Place>,
    pub reasons: Option<Place>,
    pub todo_titles: Option<Place>,
    pub headline: Option<Place>,
}

/// A suite that cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "eval.suite")]
pub enum SuiteError {
    #[message(en = "invalid suite: {0}", zh = "评测套件无效：{0}", inherit = field0)]
    Form(Invalid),
    #[message(
        en = "unsupported suite version {0}: only {known} is known",
        zh = "评测套件版本为 {0}，仅支持 {known}",
        arg(known = VERSION)
    )]
    Version(u32),
    #[message(en = "duplicate check `{0}` in the suite", zh = "检查 `{0}` 在套件中出现两次")]
    DuplicateCheck(String),
    #[message(
        en = "check `{check}` reads `{artifact}`, which is not an artifact of the suite",
        zh = "检查 `{check}` 引用了 `{artifact}`，它不是套件的产物"
    )]
    UnknownArtifact { check: String, artifact: String },
    #[message(
        en = "`{artifact}` is not an artifact of the suite",
        zh = "`{artifact}` 不是套件的产物",
        hint(en = "the artifacts are {known:names}", zh = "产物有 {known:names}")
    )]
    NotAnArtifact { artifact: String, known: Vec<String> },
    #[message(en = "the suite has no checks", zh = "套件没有检查")]
    NoChecks,
    #[message(
        en = "the suite has no checks without `--strict-rubric`",
        zh = "不加 `--strict-rubric` 时，套件没有检查",
        hint(
            en = "leave `optional` out of at least one check",
            zh = "请至少在一项检查中去掉 `optional`"
        )
    )]
    OnlyOptional,
    #[message(en = "check `{check}` {why}", zh = "检查 `{check}` {why}")]
    Unsound { check: String, why: Text },
    #[message(
        en = "check `{check}` reads `{place}`, which is not a field of a case",
        zh = "检查 `{check}` 引用了 `{place}`，它不是用例的字段",
        hint(en = "the fields are {known}", zh = "字段有 {known}")
    )]
    UnknownField { check: String, place: String, known: Vec<String> },
    #[message(
        en = "the schema of `{artifact}` accepts everything",
        zh = "`{artifact}` 的 schema 接受任何内容",
        hint(
            en = "say what it must have, such as `\"required\"`, or remove the check",
            zh = "请写明必须具备的内容（例如 `\"required\"`），或删除该检查"
        )
    )]
    OpenSchema { artifact: String },
    #[message(
        en = "the suite names no prompt for `{0}`",
        zh = "套件没有为 `{0}` 指定提示词",
        hint(
            en = "add the file to `prompts`, such as {example}",
            zh = "请在 `prompts` 中加入文件，例如 {example}"
        ),
        arg(example = format!("`\"prompts\": {{\"{field0}\": \"prompts/{field0}.txt\"}}`"))
    )]
    NoPrompt(String),
    #[message(
        en = "prompt `{prompt}` has `{{{{{place}}}}}`, which the engine does not see",
        zh = "提示词 `{prompt}` 中有 `{{{{{place}}}}}`，而引擎看不到它",
        hint(
            en = "it sees {known:names}; a field with `\"sent\": false` stays here",
            zh = "可用的有 {known:names}；带 `\"sent\": false` 的字段不会发送"
        )
    )]
    UnknownPlace { prompt: String, place: String, known: Vec<String> },
    #[message(
        en = "missing schema for `{0}`",
        zh = "缺少 `{0}` 的 schema",
        hint(
            en = "put `{0}.schema.json` into the folder of `--schemas`",
            zh = "请将 `{0}.schema.json` 放入 `--schemas` 指定的文件夹"
        )
    )]
    MissingSchema(String),
    #[message(
        en = "cannot compile the schema of `{artifact}`",
        zh = "无法编译 `{artifact}` 的 schema"
    )]
    BadSchema { artifact: String, source: SchemaCause },
    #[message(transparent)]
    Lexicon(#[from] LexiconError),
    #[message(en = "{0}", zh = "{0}")]
    Yardstick(String),
}

/// What the compiler of schemas says.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SchemaCause(String);

impl CaseForm {
    /// The fields that the engine sees.
    pub fn sent(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(|it| it.sent).map(|it| it.name.as_str())
    }
}

impl FieldForm {
    /// A field that may be missing, and that the engine sees.
    pub fn new(name: &str, kind: FieldKind) -> Self {
        Self {
            name: name.to_owned(),
            required: false,
            kind,
            one_of: Vec::new(),
            default: None,
            min: 0,
            max: None,
            prose: false,
            sent: true,
        }
    }
}

impl FieldKind {
    /// What a reader is told; nothing where everything fits.
    pub(super) fn expected(self) -> Option<Expected> {
        match self {
            Self::Text => Some(Expected::Text),
            Self::Number => Some(Expected::AnyNumber),
            Self::Flag => Some(Expected::Flag),
            Self::List => Some(Expected::List),
            Self::Object => Some(Expected::Object),
            Self::Any => None,
        }
    }
}

impl Suite {
    /// Read→Do, with its own lexicon and schemas.
    pub fn read_do() -> Result<Self, SuiteError> {
        Self::read(READ_DO.as_bytes(), &Self::embedded_schemas(), Lexicon::embedded()?)
    }

    /// Read→Do with another lexicon, other schemas, or both.
    pub fn read_do_with(schemas: &SchemaTexts, lexicon: Lexicon) -> Result<Self, SuiteError> {
        Self::read(READ_DO.as_bytes(), schemas, lexicon)
    }

    /// The calibration of a judge.
    pub fn calibration() -> Result<Self, SuiteError> {
        Self::read(CALIBRATION.as_bytes(), &SchemaTexts::new(), Lexicon::embedded()?)
    }

    /// The four schemas of Read→Do.
    pub fn embedded_schemas() -> SchemaTexts {
        SCHEMAS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    /// Reads a suite and compiles what it checks with.
    pub fn read(bytes: &[u8], schemas: &SchemaTexts, lexicon: Lexicon) -> Result<Self, SuiteError> {
        let form = SuiteForm::read(bytes).map_err(SuiteError::Form)?;
        if form.schema != VERSION {
            return Err(SuiteError::Version(form.schema));
        }
        if form.checks.iter().all(|it| it.optional) {
            return Err(if form.checks.is_empty() {
                SuiteError::NoChecks
            } else {
                SuiteError::OnlyOptional
            });
        }
        let is_open = |it: &&String| !form.artifacts.contains(it);
        if let Some(artifact) = form.texts.iter().chain(form.prompts.keys()).find(is_open) {
            let artifact = artifact.clone();
            return Err(SuiteError::NotAnArtifact { artifact, known: form.artifacts });
        }
        let mut names = BTreeSet::new();
        let (mut validators, mut used) = (BTreeMap::new(), BTreeMap::new());
        for check in &form.checks {
            if !names.insert(&check.name) {
                return Err(SuiteError::DuplicateCheck(check.name.clone()));
            }
            let is_made = |it: &str| form.artifacts.iter().any(|made| made == it);
            let read = check.kind.places().into_iter().filter_map(Place::artifact);
            let mut read = check.kind.artifact().into_iter().chain(read);
            if let Some(artifact) = read.find(|it| !is_made(it)) {
                let (check, artifact) = (check.name.clone(), artifact.to_owned());
                return Err(SuiteError::UnknownArtifact { check, artifact });
            }
            sound(&form.case, check)?;
            if let Kind::Schema { artifact } = &check.kind {
                let missing = || SuiteError::MissingSchema(artifact.clone());
                let text = schemas.get(artifact).ok_or_else(missing)?;
                validators.insert(artifact.clone(), compile(artifact, text)?);
                used.insert(artifact.clone(), Digest::of_bytes(text.as_bytes()));
            }
        }
        let needs_yardstick =
            form.checks.iter().any(|it| matches!(it.kind, Kind::Calibrated { .. }));
        let texts: Vec<_> =
            used.iter().map(|(name, digest)| format!("{name} {digest}\n")).collect();
        Ok(Self {
            digest: Digest::of_bytes(bytes),
            schemas_sha256: Digest::of_bytes(texts.concat().as_bytes()),
            yardstick: needs_yardstick
                .then(Yardstick::embedded)
                .transpose()
                .map_err(|error| SuiteError::Yardstick(error.to_string()))?,
            name: form.name,
            case: form.case,
            artifacts: form.artifacts,
            texts: form.texts,
            prompts: form.prompts,
            cases: form.cases,
            checks: form.checks,
            preview: form.preview,
            lexicon,
            validators,
        })
    }

    /// The labels that a score may have.
    pub fn priority_values(&self) -> Vec<String> {
        let bands = self.checks.iter().find_map(|it| it.kind.bands());
        bands.map(|it| it.keys().cloned().collect()).unwrap_or_default()
    }

    /// The check that holds an artifact against its schema: what blocks the others.
    pub(super) fn schema_check(&self, artifact: &str) -> Option<&str> {
        let is_it =
            |it: &&SuiteCheck| matches!(&it.kind, Kind::Schema { artifact: a } if a == artifact);
        self.checks.iter().find(is_it).map(|it| it.name.as_str())
    }
}

/// Checks that a check can judge, and reads fields that cases have.
fn sound(case: &CaseForm, check: &SuiteCheck) -> Result<(), SuiteError> {
    let name = || check.name.clone();
    if let Some(unsound) = check.kind.unsound() {
        return Err(SuiteError::Unsound { check: name(), why: unsound.text() });
    }
    let is_field = |it: &str| case.fields.iter().any(|known| known.name == it);
    let mut places = check.kind.places().into_iter();
    let unknown = places.find(|it| it.field().is_some_and(|it| !is_field(it)));
    match unknown {
        Some(it) => {
            let known = case.fields.iter().map(|it| it.name.clone()).collect();
            Err(SuiteError::UnknownField { check: name(), place: it.as_str().to_owned(), known })
        }
        None => Ok(()),
    }
}

/// What a schema says that asks for nothing.
const REMARKS: [&str; 5] = ["$schema", "$id", "$comment", "title", "description"];

fn compile(artifact: &str, text: &str) -> Result<Validator, SuiteError> {
    let bad = |error: String| SuiteError::BadSchema {
        artifact: artifact.to_owned(),
        source: SchemaCause(error),
    };
    let schema: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let accepts_all = match &schema {
        Value::Bool(it) => *it,
        Value::Object(keys) => keys.keys().all(|it| REMARKS.contains(&it.as_str())),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    };
    if accepts_all {
        return Err(SuiteError::OpenSchema { artifact: artifact.to_owned() });
    }
    // Nothing is fetched: a reference to another document is an error.
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012).offline();
    let options = options.with_pattern_options(jsonschema::PatternOptions::regex());
    options.build(&schema).map_err(|error| bad(error.to_string()))
}

/// Read→Do, compiled once for all tests.
#[cfg(test)]
pub(super) fn shared() -> &'static Suite {
    static SHARED: std::sync::LazyLock<Suite> =
        std::sync::LazyLock::new(|| Suite::read_do().unwrap());
    &SHARED
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// EVAL-5.1, EVAL-5.2, EVAL-5.3: the fifteen checks, in the order of the report.
    #[test]
    fn the_first_suite_has_fifteen_checks() {
        let checks = shared().checks.iter().filter(|it| !it.optional);
        let names: Vec<_> = checks.map(|it| format!("{:?} {}", it.level, it.name)).collect();
        assert_eq!(
            names,
            [
                "P0 schema.summary",
                "P0 schema.score",
                "P0 schema.todos",
                "P0 schema.card",
                "P0 score.reasons_min",
                "P0 score.priority_band",
                "P0 todos.shape",
                "P0 card.shape",
                "P1 score.reasons_specific",
                "P1 todos.verb_led",
                "P1 card.action_specific",
                "P1 summary.grounded",
                "P2 summary.bullets_distinct",
                "P2 summary.insight_adds",
                "P2 card.headline_specific",
            ]
        );
        assert_eq!(Suite::calibration().unwrap().checks.len(), 1);
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Value), expected: &str) {
        let mut form: Value = serde_json::from_str(READ_DO).unwrap();
        change(&mut form);
        let bytes = serde_json::to_vec(&form).unwrap();
        let lexicon = Lexicon::embedded().unwrap();
        let error = Suite::read(&bytes, &Suite::embedded_schemas(), lexicon).unwrap_err();
        // Serde goes on to list every kind of check.
        let text = error.to_string();
        assert_eq!(text.split(", expected one of").next(), Some(expected));
    }

    /// EVAL-1.3: what a suite lacks is an error of the runner.
    #[test]
    fn a_bad_suite_is_refused() {
        check(|it| it["schema"] = json!(2), "unsupported suite version 2: only 1 is known");
        check(|it| it["more"] = json!(1), "invalid suite: line 1: `more`: unknown key");
        check(
            |it| it["checks"][0]["more"] = json!(1),
            "invalid suite: line 1: `checks[0].kind`: cannot be decoded: unknown field `more`, expected `artifact`",
        );
        check(
            |it| it["checks"][0]["kind"] = json!("magic"),
            "invalid suite: line 1: `checks[0].kind`: cannot be decoded: unknown variant `magic`",
        );
        check(
            |it| it["case"]["fields"][1]["typ"] = json!("text"),
            "invalid suite: line 1: `case.fields[1].typ`: unknown key, did you mean `type`?",
        );
        check(
            |it| it["checks"][0]["artifact"] = json!("x"),
            "check `schema.summary` reads `x`, which is not an artifact of the suite",
        );
        check(
            |it| it["checks"][1]["name"] = json!("schema.summary"),
            "duplicate check `schema.summary` in the suite",
        );
        check(
            |it| {
                it["artifacts"] = json!(["summary", "score", "todos", "card", "x"]);
                it["checks"][0]["artifact"] = json!("x");
            },
            "missing schema for `x`",
        );
    }

    /// Ruling 81: a check that passes whatever the answer is would be a gate that is always open.
    #[test]
    fn a_check_that_cannot_fail_is_refused() {
        let kind = |it: Value| {
            move |form: &mut Value| {
                let mut check = it.clone();
                check["name"] = json!("x");
                check["level"] = json!("P1");
                form["checks"].as_array_mut().unwrap().push(check);
            }
        };
        check(|it| it["checks"] = json!([]), "the suite has no checks");
        check(
            |it| {
                for check in it["checks"].as_array_mut().unwrap() {
                    check["optional"] = json!(true);
                }
            },
            "the suite has no checks without `--strict-rubric`",
        );
        check(
            kind(json!({"kind": "equal", "pairs": []})),
            "check `x` can never fail: `pairs` is empty",
        );
        check(
            kind(json!({"kind": "equal", "pairs": [["/card/a", "/card/a"]]})),
            "check `x` can never fail: `/card/a` is compared with itself",
        );
        check(
            kind(json!({"kind": "shape"})),
            "check `x` can never fail: `lists` and `texts` are empty",
        );
        for (field, form) in [
            ("least", json!({"kind": "verb_led", "at": "/todos/todos/*/title", "least": 0})),
            (
                "least",
                json!({"kind": "grounded", "at": "/card/action", "text": "/case/title", "least": 0}),
            ),
            (
                "least",
                json!({"kind": "produces", "at": "/todos/todos/*", "types": ["WRITE"], "least": 0}),
            ),
            (
                "least",
                json!({"kind": "specific", "at": "/score/reasons/*", "intent": "/case/intent_text", "least": 0, "similarity": 0.8}),
            ),
            (
                "weight",
                json!({"kind": "headline", "at": "/card/headline", "weight": 0.0, "weight_with_token": 0.0}),
            ),
        ] {
            check(kind(form), &format!("check `x` can never fail: `{field}` is 0"));
        }
        check(
            kind(json!({"kind": "equal", "pairs": [["/case/title", "/case/domain"]]})),
            "check `x` can never fail: it reads no artifact",
        );
        check(
            kind(json!({"kind": "range", "at": "/card/n", "min": 2, "max": 1})),
            "check `x` can never pass: `min` is greater than `max`",
        );
        check(
            kind(
                json!({"kind": "equal", "pairs": [["/card/a", "/card/b"], ["/score/x", "/cards/y"]]}),
            ),
            "check `x` reads `cards`, which is not an artifact of the suite",
        );
        check(
            kind(json!({"kind": "equal", "pairs": [["/card/headline", "/case/titel"]]})),
            "check `x` reads `/case/titel`, which is not a field of a case",
        );
        check(
            kind(json!({"kind": "range", "at": "/score/reasons/*", "min": 0, "max": 1})),
            "check `x` reads one value, and `/score/reasons/*` names several",
        );
        let mut schemas = Suite::embedded_schemas();
        for text in ["{}", "true", r#"{"title": "anything"}"#] {
            schemas.insert("card".to_owned(), text.to_owned());
            let error = Suite::read_do_with(&schemas, Lexicon::embedded().unwrap()).unwrap_err();
            assert_eq!(error.to_string(), "the schema of `card` accepts everything", "{text}");
        }
    }

    #[test]
    fn a_schema_that_cannot_be_compiled_is_refused_and_nothing_is_fetched() {
        for bad in ["{", r#"{"type": 5}"#, r#"{"$ref": "https://example.com/other.json"}"#] {
            let mut schemas = Suite::embedded_schemas();
            schemas.insert("card".to_owned(), bad.to_owned());
            let error = Suite::read_do_with(&schemas, Lexicon::embedded().unwrap()).unwrap_err();
            assert_eq!(error.to_string(), "cannot compile the schema of `card`", "{bad}");
        }
    }
}
