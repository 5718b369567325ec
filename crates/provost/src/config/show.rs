//! `provost config show`: the configuration that holds here.

use std::collections::BTreeMap;

use provost_kernel::{Config, Exit, Lang, Message};
use provost_rules::config::{Keys, Kind, Origin, Setting};
use serde::Serialize;

use super::Configuration;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
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

/// The configuration as a script reads it.
#[derive(Serialize)]
struct Document<'a> {
    config: &'a Config,
    #[serde(skip_serializing_if = "Option::is_none")]
    origins: Option<BTreeMap<&'a str, &'a Origin>>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let configuration = session.configuration()?;
        let keys = Keys::of(&Config::schema());
        match session.output.format() {
            Format::Json => session.output.document(&self.document(&keys, &configuration)),
            Format::Text => {
                for line in self.lines(&keys, &configuration, session.output.lang) {
                    session.output.line(&line);
                }
            }
        }
        Ok(Exit::Success)
    }
}

impl Args {
    fn document<'a>(&self, keys: &'a Keys, configuration: &'a Configuration) -> Document<'a> {
        let origins = || {
            let rows = rows(keys, configuration).into_iter();
            rows.filter_map(|(key, setting)| Some((key, &setting?.origin))).collect()
        };
        Document { config: &configuration.config, origins: self.origin.then(origins) }
    }

    /// The lines are TOML themselves: with dotted keys, each stands alone and can be copied.
    fn lines(&self, keys: &Keys, configuration: &Configuration, lang: Lang) -> Vec<String> {
        let settings = rows(keys, configuration);
        let line = |(key, setting): &(&str, Option<&Setting>)| match setting {
            Some(it) => format!("{key} = {}", toml(&it.value)),
            None => lang.pick(format!("# {key} is not set"), format!("# {key} 未设置")),
        };
        let lines: Vec<_> = settings.iter().map(line).collect();
        if !self.origin {
            return lines;
        }
        let widths = lines.iter().map(|it| it.chars().count());
        let width = widths.filter(|it| *it <= COLUMN).max().unwrap_or_default();
        let with_origin = |(line, (_, setting)): (String, &(&str, Option<&Setting>))| match setting
        {
            Some(it) => format!("{line:width$}  # {}", lang.render(&it.origin.text())),
            None => line,
        };
        lines.into_iter().zip(&settings).map(with_origin).collect()
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
