//! `provost eval matrix REPORT…`: what several runs of one suite came to, prompts by models.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use provost_engine::eval::{EvalError, read_report};
use provost_kernel::{Exit, Lang, eval::Report, model::Usage};
use provost_vault::eval::publish;
use serde::Serialize;

use super::{error::OptionError, render};
use crate::{
    environment,
    session::{AnyFault, Session},
    view::{Page, View},
};

/// Compare reports of one suite: prompts by models
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost eval matrix reports/*.json\n  provost eval matrix reports/*.json --html matrix.html"
)]
pub(crate) struct MatrixArgs {
    /// The reports, each of one prompt and one model
    #[arg(required = true)]
    reports: Vec<Utf8PathBuf>,
    /// Also write an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<Utf8PathBuf>,
}

/// Prompts by models.
#[derive(Debug, Serialize)]
pub(in crate::eval) struct Matrix {
    pub(in crate::eval) suite: String,
    pub(in crate::eval) models: BTreeSet<String>,
    cells: BTreeMap<String, BTreeMap<String, Vec<Cell>>>,
}

/// One run.
#[derive(Debug, Serialize)]
struct Cell {
    report: Utf8PathBuf,
    passed: usize,
    cases: usize,
    not_measured: usize,
    gate: bool,
    usage: Usage,
}

pub(super) fn matrix(args: &MatrixArgs, session: &mut Session) -> Result<Exit, AnyFault> {
    let folder = environment::current_folder()?;
    let mut matrix: Option<Matrix> = None;
    for path in &args.reports {
        let (_, report) = read_report(&folder.join(path))?;
        let suite = report.run.suite.clone();
        let into = matrix.get_or_insert_with(|| Matrix {
            suite: suite.clone(),
            models: BTreeSet::new(),
            cells: BTreeMap::new(),
        });
        if into.suite != suite {
            let (path, expected) = (path.clone(), into.suite.clone());
            return Err(OptionError::OtherSuite { path, suite, expected }.into());
        }
        into.add(path.clone(), &report);
    }
    let Some(matrix) = matrix else { return Ok(Exit::Success) };
    if let Some(path) = &args.html {
        let page = render::matrix(&matrix, session.output.lang);
        publish(&folder.join(path), |out| out.write_all(page.as_bytes()))
            .map_err(EvalError::from)?;
    }
    session.output.show(&matrix);
    Ok(Exit::Success)
}

impl Matrix {
    fn add(&mut self, path: Utf8PathBuf, report: &Report) {
        let (run, totals) = (&report.run, &report.totals);
        let named = |it: &str, other: &str| if it.is_empty() { other } else { it }.to_owned();
        let model = named(&run.model_id, &run.generator);
        let versions: Vec<&str> = run.template_versions.values().map(String::as_str).collect();
        let prompt = named(&versions.join(" "), &run.engine_version);
        self.models.insert(model.clone());
        self.cells.entry(prompt).or_default().entry(model).or_default().push(Cell {
            report: path,
            passed: totals.cases_passed,
            cases: run.cases,
            not_measured: totals.cases_error,
            gate: report.gate.pass,
            usage: run.usage,
        });
    }

    /// Each prompt with what it came to under each model.
    pub(in crate::eval) fn rows(&self, lang: Lang) -> impl Iterator<Item = (&String, Vec<String>)> {
        self.cells.iter().map(move |(prompt, cells)| {
            let cell = |model: &String| {
                let runs = cells.get(model).map(Vec::as_slice).unwrap_or_default();
                let shown: Vec<_> = runs.iter().map(|it| it.shown(lang)).collect();
                if shown.is_empty() { "-".to_owned() } else { shown.join("; ") }
            };
            (prompt, self.models.iter().map(cell).collect())
        })
    }
}

impl Cell {
    fn shown(&self, lang: Lang) -> String {
        let mut out = format!("{}/{}", self.passed, self.cases);
        if self.not_measured > 0 {
            let n = self.not_measured;
            out += &lang.pick(format!(", {n} not measured"), format!("，{n} 未测量"));
        }
        if let Some(tokens) = self.usage.tokens() {
            out += &lang.pick(format!(", {tokens} tokens"), format!("，{tokens} 词元"));
        }
        if let Some(usd) = self.usage.usd {
            out += ", ";
            out += &usd.to_string();
        }
        out
    }
}

impl View for Matrix {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        page.line(&self.suite);
        let models: Vec<&String> = self.models.iter().collect();
        for (prompt, cells) in self.rows(lang) {
            page.line(prompt);
            for (model, cell) in models.iter().zip(cells) {
                page.line(&format!("  {model}  {cell}"));
            }
        }
    }
}
