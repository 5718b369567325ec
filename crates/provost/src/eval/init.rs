//! `provost eval init DIR`: a suite of one's own to begin with.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::Exit;
use provost_vault::eval::publish;
use serde::Serialize;

use super::error::OptionError;
use crate::{
    environment,
    session::{AnyFault, Session},
    view::{Page, View},
};

/// The files of an example, by their place in its folder.
type Files = &'static [(&'static str, &'static str)];

macro_rules! files {
    ($example:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("example/", $example, "/", $name)))),+]
    };
}

const EXTRACTION: Files = files!("extraction":
    "suite.json", "invoice.schema.json", "prompts/invoice.txt", "cases.csv");
const RAG: Files = files!("rag":
    "suite.json", "prompts/answer.txt", "cases.jsonl", "checks/sources.py");

/// Begin a suite of your own: prompts, cases and checks to change
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost eval init evals/invoices\n  provost eval init evals/handbook --example rag"
)]
pub(crate) struct InitArgs {
    /// The folder to write; no file in it is replaced
    folder: Utf8PathBuf,
    /// `extraction`: JSON from a text. `rag`: an answer in words from passages
    #[arg(long, value_name = "EXAMPLE", default_value = "extraction", value_parser = ["extraction", "rag"])]
    example: String,
}

#[derive(Debug, Serialize)]
struct Begun {
    folder: Utf8PathBuf,
    files: Vec<&'static str>,
    next: Vec<String>,
}

pub(super) fn init(args: &InitArgs, session: &mut Session) -> Result<Exit, AnyFault> {
    let (files, more) = match args.example.as_str() {
        "rag" => (RAG, " --run-checks --judge http://127.0.0.1:8080/v1 --judge-model MODEL"),
        _ => (EXTRACTION, ""),
    };
    let folder = environment::current_folder()?.join(&args.folder);
    // All of them are looked for first, so that nothing is half written.
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        return Err(OptionError::Exists { path: args.folder.join(name) }.into());
    }
    for (name, text) in files {
        publish(&folder.join(name), |out| out.write_all(text.as_bytes()))
            .map_err(provost_engine::eval::EvalError::from)?;
    }
    session.output.show(&Begun {
        next: next(&args.folder.join("suite.json"), more),
        folder: args.folder.clone(),
        files: files.iter().map(|(name, _)| *name).collect(),
    });
    Ok(Exit::Success)
}

/// What to type next.
fn next(suite: &Utf8Path, more: &str) -> Vec<String> {
    let model = "--generator http://127.0.0.1:8080/v1 --model MODEL";
    vec![
        format!("provost eval --suite {suite} --list"),
        format!("provost eval --suite {suite} {model}{more}"),
    ]
}

impl View for Begun {
    fn page(&self, page: &mut Page<'_>) {
        for name in &self.files {
            page.line(self.folder.join(name).as_str());
        }
        page.write("next:", "接下来：");
        for line in &self.next {
            page.line(&format!("  {line}"));
        }
    }
}
