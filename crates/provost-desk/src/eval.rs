//! Reports of evals as people read them: which ones there are, and one of them in full.
//!
//! A report is a person's file under `docs/evals/reports` of the project; a run replaces the one it
//! is told to write. What is kept there under names of its own is the history.

mod matrix;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Severity, Text, Timestamp,
    eval::{Baseline, CaseResult, Epochs, Gate, REPORT_SCHEMA, Run, Totals},
};
use provost_rules::statistics::wilson;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::matrix::{Cell, CheckColumn, EvalMatrix, EvalReason, MatrixRow};
use crate::{Desk, PageError};

/// Where reports lie, from the project's folder.
const FOLDER: &str = "docs/evals/reports";
/// So many reports are read.
const REPORTS: usize = 200;
/// The largest report that is read.
const LARGEST: u64 = 64 << 20;

/// The reports of a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Evals {
    /// Where they were looked for.
    pub folder: String,
    /// The newest first.
    pub runs: Vec<EvalRun>,
    /// Files that are there and cannot be read as a report.
    pub unreadable: Vec<String>,
    /// Whether there are more than were read.
    pub is_cut: bool,
}

/// What one run came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvalRun {
    /// The name of its file, without the ending.
    pub run: String,
    pub suite: String,
    pub profile: String,
    pub generator: String,
    pub model: String,
    pub at: Option<Timestamp>,
    pub duration_ms: Option<u64>,
    pub cases: usize,
    pub passed: usize,
    pub failed: usize,
    pub not_measured: usize,
    /// The share of cases that passed, with its Wilson interval at 95 %.
    pub share: f64,
    pub low: f64,
    pub high: f64,
    /// Failed checks, by level.
    pub p0: usize,
    pub p1: usize,
    pub p2: usize,
    pub excused: usize,
    pub fail_on: Severity,
    pub gate: GateView,
    pub flaky: usize,
    pub epochs: u32,
}

/// What the gate decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateView {
    pub passed: bool,
    pub reason: Text,
    pub warnings: Vec<Text>,
}

/// One report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvalReport {
    #[serde(flatten)]
    pub run: EvalRun,
    pub matrix: EvalMatrix,
    pub baseline: Option<BaselineView>,
}

/// What changed since an earlier report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BaselineView {
    pub cases_better: usize,
    pub cases_worse: usize,
    pub p_value: f64,
    /// `case: check`.
    pub worse: Vec<String>,
    pub better: Vec<String>,
    pub differs: Vec<String>,
}

/// The file of a report.
#[derive(Deserialize)]
struct ReportFile {
    schema: String,
    run: Run,
    totals: Totals,
    gate: Gate,
    #[serde(default)]
    cases: Vec<CaseResult>,
    #[serde(default)]
    epochs: Option<Epochs>,
    #[serde(default)]
    baseline: Option<Baseline>,
}

impl Desk {
    /// The reports of the project around the home, the newest first.
    pub fn evals(&self) -> Evals {
        let folder = self.reports();
        let (names, is_cut) = names(&folder);
        let (mut runs, mut unreadable) = (Vec::new(), Vec::new());
        for name in names {
            match read(&folder.join(format!("{name}.json"))) {
                Some(file) => runs.push(EvalRun::of(&name, &file)),
                None => unreadable.push(format!("{FOLDER}/{name}.json")),
            }
        }
        runs.sort_by(|one: &EvalRun, other| other.at.cmp(&one.at).then(one.run.cmp(&other.run)));
        Evals { folder: FOLDER.to_owned(), runs, unreadable, is_cut }
    }

    /// One report in full.
    pub fn eval(&self, run: &str) -> Result<EvalReport, PageError> {
        let unknown = || PageError::Unknown { name: run.to_owned() };
        let folder = self.reports();
        // Only what is listed is opened: a name never leads elsewhere.
        let (names, _) = names(&folder);
        let name = names.into_iter().find(|it| it == run).ok_or_else(unknown)?;
        let file = read(&folder.join(format!("{name}.json"))).ok_or_else(unknown)?;
        Ok(EvalReport {
            run: EvalRun::of(&name, &file),
            matrix: EvalMatrix::of(&file.cases),
            baseline: file.baseline.map(BaselineView::of),
        })
    }

    fn reports(&self) -> Utf8PathBuf {
        let home = self.layout.home().path();
        home.parent().unwrap_or(&home).join(FOLDER)
    }
}

/// The names of reports, and whether there are more.
fn names(folder: &Utf8Path) -> (Vec<String>, bool) {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|it| it.file_name().strip_suffix(".json").map(str::to_owned))
        .filter(|it| !it.is_empty() && !it.starts_with('.'))
        .collect();
    names.sort();
    let is_cut = names.len() > REPORTS;
    // Names that carry a date sort by it: the newest are kept.
    (names.split_off(names.len().saturating_sub(REPORTS)), is_cut)
}

fn read(path: &Utf8Path) -> Option<ReportFile> {
    let is_plain = std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
    let bytes = is_plain.then(|| std::fs::read(path).ok()).flatten()?;
    let file: ReportFile = serde_json::from_slice(&bytes).ok()?;
    (file.schema == REPORT_SCHEMA).then_some(file)
}

impl EvalRun {
    fn of(name: &str, file: &ReportFile) -> Self {
        let ReportFile { run, totals, gate, epochs, .. } = file;
        let count = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        let (low, high) = wilson(count(totals.cases_passed), count(run.cases));
        Self {
            run: name.to_owned(),
            suite: run.suite.clone(),
            profile: run.profile.to_string(),
            generator: run.generator.clone(),
            model: run.model_id.clone(),
            at: run.timestamp,
            duration_ms: run.duration_ms,
            cases: run.cases,
            passed: totals.cases_passed,
            failed: totals.cases_failed,
            not_measured: totals.cases_error,
            share: share(totals.cases_passed, run.cases),
            low,
            high,
            p0: totals.p0_fail,
            p1: totals.p1_fail,
            p2: totals.p2_fail,
            excused: totals.excused,
            fail_on: run.fail_on,
            gate: GateView {
                passed: gate.pass,
                reason: gate.reason(),
                warnings: gate.warnings().collect(),
            },
            flaky: epochs.as_ref().map_or(0, |it| it.flaky.len()),
            epochs: run.epochs,
        }
    }
}

/// A share to four places.
#[expect(clippy::cast_precision_loss, reason = "counts of cases; nothing is decided by it")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0 }
}

impl BaselineView {
    fn of(it: Baseline) -> Self {
        let named = |changes: &[provost_kernel::eval::Change]| {
            changes.iter().take(50).map(|it| format!("{}: {}", it.case, it.check)).collect()
        };
        Self {
            cases_better: it.cases_better,
            cases_worse: it.cases_worse,
            p_value: it.p_value,
            worse: named(&it.worse),
            better: named(&it.better),
            differs: it.differs,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use provost_kernel::{Clock, Millis};
    use provost_vault::Layout;
    use serde_json::{Value, json};

    use super::*;

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(0)
        }
    }

    fn report(at: &str, passed: usize, pass: bool) -> Value {
        let zero = "0".repeat(64);
        let check = |name: &str, level: &str, status: &str| {
            json!({"level": level, "name": name, "pass": status == "pass", "status": status,
                "message": (status == "fail").then_some("<b>no verb</b>")})
        };
        let mut waived = check("card.shape", "P1", "fail");
        waived["excuse"] = json!({"kind": "waived", "reason": "replaced", "until": "2027-01-31"});
        json!({
            "schema": REPORT_SCHEMA,
            "run": {"suite": "readdo", "profile": "engineer", "engine_version": "1",
                "generator": "stub", "fail_on": "P1", "cases": 3, "runner_version": "1",
                "lexicon_sha256": zero, "schemas_sha256": zero, "cases_sha256": zero, "epochs": 1,
                "timestamp": at},
            "totals": {"p0_fail": 0, "p1_fail": 1, "p2_fail": 0, "checks": 6, "cases_passed": passed,
                "cases_failed": 1, "cases_error": 1, "cases_failing_p0": 0, "cases_failing_p1": 1,
                "cases_failing_p2": 0},
            "gate": {"pass": pass, "exit_code": 1, "reason": "one at P1", "warnings": []},
            "cases": [
                {"id": "a", "status": "pass", "run_id": "r", "checks":
                    [check("todos.verb_led", "P1", "pass"), check("schema.card", "P0", "pass")]},
                {"id": "b", "status": "fail", "run_id": "r", "checks":
                    [check("todos.verb_led", "P1", "fail"), waived]},
                {"id": "c", "status": "error", "run_id": "r", "checks": [],
                    "error": {"error_code": "AI_TIMEOUT", "message": "no answer"}},
            ],
        })
    }

    /// EVAL-6.1: history, gate, matrix, reasons; a broken file hides nothing else.
    #[test]
    fn reports_are_listed_and_one_is_shown() {
        use Cell::{Absent, Fail, NotMeasured, Pass, Waived};

        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        let desk =
            Desk::new(Layout::new(&path.join(".provost"), None, &path.join("s")), Arc::new(Noon));
        let none = desk.evals();
        assert!(none.runs.is_empty() && none.unreadable.is_empty());
        put(&path.join(FOLDER), "latest", &report("2026-11-15T06:30:00Z", 1, false).to_string());
        put(&path.join(FOLDER), "older", &report("2026-11-14T06:30:00Z", 2, true).to_string());
        put(&path.join(FOLDER), "broken", "{");
        let evals = desk.evals();
        let runs: Vec<_> = evals.runs.iter().map(|it| (it.run.as_str(), it.gate.passed)).collect();
        assert_eq!(runs, [("latest", false), ("older", true)]);
        assert_eq!(evals.unreadable, ["docs/evals/reports/broken.json"]);
        let one = desk.eval("latest").unwrap();
        let columns: Vec<_> = one.matrix.checks.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(columns, ["schema.card", "card.shape", "todos.verb_led"]);
        let rows: Vec<_> = one.matrix.rows.iter().map(|it| it.case.as_str()).collect();
        assert_eq!(rows, ["b", "c", "a"]);
        assert_eq!(one.matrix.rows[0].cells, [Absent, Waived, Fail]);
        assert_eq!(one.matrix.rows[1].cells, [NotMeasured; 3]);
        assert_eq!(one.matrix.rows[2].cells, [Pass, Absent, Pass]);
        assert_eq!(one.matrix.reasons.len(), 3);
        for name in ["../latest", "broken", "nothing", ".", ""] {
            assert!(desk.eval(name).is_err(), "{name}");
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a person's file")]
    fn put(folder: &Utf8Path, name: &str, text: &str) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }
}
