//! Reads a suite from JSON.

use std::collections::{BTreeMap, BTreeSet};

use provost_form::{
    Expected, Form, Invalid, Limits, ProblemKind, Problems, Table, choice, decoded, flag, list,
    text, whole,
};
use provost_kernel::Severity;
use serde::Deserialize as _;
use serde_json::Value;

use super::{CaseForm, FieldForm, FieldKind, PreviewPlaces, SuiteCheck};
use crate::check::Kind;

const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 16 };

/// A suite as it is written.
pub(super) struct SuiteForm {
    pub(super) schema: u32,
    pub(super) name: String,
    pub(super) case: CaseForm,
    pub(super) artifacts: Vec<String>,
    pub(super) texts: BTreeSet<String>,
    pub(super) prompts: BTreeMap<String, String>,
    pub(super) cases: Option<String>,
    pub(super) preview: PreviewPlaces,
    pub(super) checks: Vec<SuiteCheck>,
}

impl SuiteForm {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Invalid> {
        let form = Form::json(bytes, LIMITS)?;
        let problems = Problems::default();
        let suite = form.table(&problems).and_then(|mut it| Self::of(&mut it));
        problems.into_result(suite)
    }

    fn of(table: &mut Table<'_>) -> Option<Self> {
        let schema = table.required("schema", whole(0..=u32::MAX));
        let name = table.required("name", text());
        table.required("about", text());
        let case = table.required_table("case").and_then(case_form);
        let artifacts = table.required("artifacts", list(text()));
        let texts = table.optional("texts", list(text())).unwrap_or_default();
        let prompts = table.optional("prompts", decoded(Expected::Map)).unwrap_or_default();
        let cases = table.optional("cases", text());
        let preview = table.optional("preview", decoded(Expected::Object)).unwrap_or_default();
        let checks = table.required_tables("checks", check);
        table.finish();
        Some(Self {
            schema: schema?,
            name: name?,
            case: case?,
            artifacts: artifacts?,
            texts: texts.into_iter().collect(),
            prompts,
            cases,
            preview,
            checks: checks?,
        })
    }
}

fn case_form(mut table: Table<'_>) -> Option<CaseForm> {
    let id = table.required("id", text());
    let fields = table.required_tables("fields", field);
    table.finish();
    Some(CaseForm { id: id?, fields: fields? })
}

fn field(table: &mut Table<'_>) -> Option<FieldForm> {
    const KINDS: &[(&str, FieldKind)] = &[
        ("text", FieldKind::Text),
        ("number", FieldKind::Number),
        ("flag", FieldKind::Flag),
        ("list", FieldKind::List),
        ("object", FieldKind::Object),
        ("any", FieldKind::Any),
    ];
    let count = |it: u32| usize::try_from(it).unwrap_or(usize::MAX);
    let name = table.required("name", text());
    let form = FieldForm {
        required: table.optional("required", flag()).unwrap_or(false),
        kind: table.optional("type", choice(KINDS)).unwrap_or_default(),
        one_of: table.optional("one_of", list(text())).unwrap_or_default(),
        default: table.optional("default", text()),
        min: table.optional("min", whole(0..=u32::MAX)).map_or(0, count),
        max: table.optional("max", whole(0..=u32::MAX)).map(count),
        prose: table.optional("prose", flag()).unwrap_or(false),
        sent: table.optional("sent", flag()).unwrap_or(true),
        name: name?,
    };
    Some(form)
}

/// What is not the name of a check, its level or whether it is optional belongs to its kind.
fn check(table: &mut Table<'_>) -> Option<SuiteCheck> {
    const LEVELS: &[(&str, Severity)] =
        &[("P0", Severity::P0), ("P1", Severity::P1), ("P2", Severity::P2)];
    let name = table.required("name", text());
    let level = table.required("level", choice(LEVELS));
    let optional = table.optional("optional", flag()).unwrap_or(false);
    let rest: Value =
        table.unknown().into_iter().map(|it| (it.key, it.field.value.clone())).collect();
    let kind = Kind::deserialize(rest);
    if let Err(error) = &kind {
        table.report("kind", ProblemKind::undecodable(error));
    }
    table.skip_rest();
    Some(SuiteCheck { name: name?, level: level?, optional, kind: kind.ok()? })
}
