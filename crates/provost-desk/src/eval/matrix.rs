//! Cases and checks of a report: what did not pass first, each with its reason.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Severity, Text,
    eval::{CaseResult, CaseStatus, CheckResult, CheckStatus, Excuse},
};
use schemars::JsonSchema;
use serde::Serialize;

/// So many cases are rows.
const ROWS: usize = 60;
/// So many checks are columns.
const COLUMNS: usize = 60;
/// So many reasons are named.
const REASONS: usize = 100;

/// Cases by checks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvalMatrix {
    /// By level, then by name.
    pub checks: Vec<CheckColumn>,
    pub rows: Vec<MatrixRow>,
    /// Cases that are in no row: all of them passed, unless more than that failed.
    pub more: usize,
    pub more_failed: usize,
    pub reasons: Vec<EvalReason>,
    pub reasons_total: usize,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct CheckColumn {
    pub level: Severity,
    pub name: String,
}

/// One case.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MatrixRow {
    pub case: String,
    pub status: CaseStatus,
    /// One for each check.
    pub cells: Vec<Cell>,
}

/// What a check said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    Pass,
    Fail,
    /// It failed, and a person accepted that for a time.
    Waived,
    /// It failed, as the case says it must.
    Expected,
    /// What it looks at is not there.
    Skipped,
    /// The case gave nothing to measure.
    NotMeasured,
    /// The check is not asked of the case.
    Absent,
}

/// Why something did not pass.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvalReason {
    pub case: String,
    /// The check; none for a case that was not measured.
    pub check: Option<String>,
    pub level: Option<Severity>,
    pub cell: Cell,
    /// The code of the error; none for a check.
    pub error: Option<String>,
    pub text: Option<Text>,
    /// Until when it is waived.
    pub until: Option<String>,
}

impl EvalMatrix {
    pub(super) fn of(cases: &[CaseResult]) -> Self {
        let column = |it: &CheckResult| CheckColumn { level: it.level, name: it.name.clone() };
        let checks: BTreeSet<CheckColumn> =
            cases.iter().flat_map(|it| &it.checks).map(column).collect();
        let checks: Vec<CheckColumn> = checks.into_iter().take(COLUMNS).collect();
        let mut ordered: Vec<&CaseResult> = cases.iter().collect();
        ordered.sort_by_key(|it| (rank(it), &it.id));
        let row = |case: &&CaseResult| {
            let by_name: BTreeMap<&str, &CheckResult> =
                case.checks.iter().map(|it| (it.name.as_str(), it)).collect();
            let cell = |it: &CheckColumn| match by_name.get(it.name.as_str()) {
                Some(check) => Cell::of(check),
                None if case.status == CaseStatus::Error => Cell::NotMeasured,
                None => Cell::Absent,
            };
            MatrixRow {
                case: case.id.clone(),
                status: case.status,
                cells: checks.iter().map(cell).collect(),
            }
        };
        let rows: Vec<MatrixRow> = ordered.iter().take(ROWS).map(row).collect();
        let rest = ordered.get(ROWS..).unwrap_or_default();
        let mut reasons: Vec<EvalReason> =
            ordered.iter().flat_map(|it| EvalReason::all(it)).collect();
        reasons.sort_by_key(|it| (it.cell == Cell::Waived, it.level));
        Self {
            rows,
            more: rest.len(),
            more_failed: rest.iter().filter(|it| it.status != CaseStatus::Pass).count(),
            reasons_total: reasons.len(),
            reasons: reasons.into_iter().take(REASONS).collect(),
            checks,
        }
    }
}

/// What did not pass comes first.
fn rank(case: &CaseResult) -> u8 {
    let is_waived = case.checks.iter().any(|it| it.status == CheckStatus::Fail);
    match case.status {
        CaseStatus::Fail => 0,
        CaseStatus::Error => 1,
        CaseStatus::Pass if is_waived => 2,
        CaseStatus::Pass => 3,
    }
}

impl Cell {
    fn of(check: &CheckResult) -> Self {
        match (check.status, &check.excuse) {
            (CheckStatus::Pass, _) => Self::Pass,
            (CheckStatus::Skipped, _) => Self::Skipped,
            (CheckStatus::Fail, None) => Self::Fail,
            (CheckStatus::Fail, Some(Excuse::Expected)) => Self::Expected,
            (CheckStatus::Fail, Some(Excuse::Waived { .. })) => Self::Waived,
        }
    }
}

impl EvalReason {
    fn all(case: &CaseResult) -> Vec<Self> {
        let error = case.error.as_ref().map(|it| {
            let text = Text::from_parts(&it.message, it.message_code.as_deref(), &it.message_args);
            Self {
                case: case.id.clone(),
                check: None,
                level: None,
                cell: Cell::NotMeasured,
                error: Some(it.error_code.to_string()),
                text: Some(text),
                until: None,
            }
        });
        let failed = case.checks.iter().filter(|it| it.status == CheckStatus::Fail);
        let checks = failed.map(|it| {
            let (text, until) = match &it.excuse {
                Some(Excuse::Waived { reason, until }) => {
                    (Some(Text::verbatim(reason.clone())), Some(until.clone()))
                }
                Some(Excuse::Expected) | None => (it.text(), None),
            };
            Self {
                case: case.id.clone(),
                check: Some(it.name.clone()),
                level: Some(it.level),
                cell: Cell::of(it),
                error: None,
                text,
                until,
            }
        });
        error.into_iter().chain(checks).collect()
    }
}
