//! `provost config show`: the configuration that holds here.

use std::collections::BTreeMap;

use provost_kernel::{Config, Exit, Message};
use provost_rules::config::{Keys, Kind, Origin, Setting};
use serde::Serialize;

use super::Configuration;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

/// A longer line does not move the origins of all the others.
const COLUMN: usize = 60;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost config show --origin")]
pub(super) struct Args {
    /// Show where each value comes from
    #[arg(long)]
    origin: bool,
}

/// The configuration: a script reads it whole, a person each key that can be set.
#[derive(Serialize)]
struct Answer<'a> {
    config: &'a Config,
    #[serde(skip_serializing_if = "Option::is_none")]
    origins: Option<BTreeMap<&'a str, &'a Origin>>,
    #[serde(skip)]
    rows: Vec<(&'a str, Option<&'a Setting>)>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let configuration = session.configuration()?;
        let keys = Keys::of(&Config::schema());
        let rows = rows(&keys, &configuration);
        let origins = || rows.iter().filter_map(|(key, it)| Some((*key, &(*it)?.origin))).collect();
        let origins = self.origin.then(origins);
        session.output.show(&Answer { config: &configuration.config, origins, rows });
        Ok(Exit::Success)
    }
}

impl View for Answer<'_> {
    /// The lines are TOML themselves: with dotted keys, each stands alone and can be copied.
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let line = |(key, setting): &(&str, Option<&Setting>)| match setting {
            Some(it) => format!("{key} = {}", toml(&it.value)),
            None => lang.pick(format!("# {key} is not set"), format!("# {key} 未设置")),
        };
        let lines: Vec<_> = self.rows.iter().map(line).collect();
        let widths = lines.iter().map(|it| it.chars().count());
        let width = widths.filter(|it| *it <= COLUMN).max().unwrap_or_default();
        for (line, (key, _)) in lines.iter().zip(&self.rows) {
            match self.origins.as_ref().and_then(|it| it.get(key)) {
                Some(it) => page.exact(&format!("{line:width$}  # {}", lang.render(&it.text()))),
                None => page.exact(line),
            }
        }
    }
}

/// Every key with what holds for it. In place of a table whose names are the person's own, each
/// of its names is a key.
fn rows<'a>(
    keys: &'a Keys,
    configuration: &'a Configuration,
) -> Vec<(&'a str, Option<&'a Setting>)> {
    let effective = &configuration.effective;
    let mut rows = Vec::new();
    for key in keys.iter() {
        if keys.kind(key) == Some(&Kind::Open) {
            rows.extend(effective.members(key).map(|it| (it.key.as_str(), Some(it))));
        }
        if keys.kind(key) != Some(&Kind::Open) || effective.members(key).next().is_none() {
            rows.push((key, effective.setting(key)));
        }
    }
    rows
}

fn toml(value: &serde_json::Value) -> String {
    // Every value came from TOML, a text, a number or a switch; JSON writes those in the same way.
    toml::Value::try_from(value).map_or_else(|_| value.to_string(), |it| it.to_string())
}
