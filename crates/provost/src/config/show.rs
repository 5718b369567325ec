//! `provost config show`: the configuration that holds here.

use std::collections::BTreeMap;

use provost_kernel::{Config, Exit, Lang};
use provost_rules::config::{Keys, Origin, Setting};
use serde::Serialize;

use super::Configuration;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost config show --origin")]
pub(super) struct Args {
    /// Say for each key where its value was written
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
        let origin = |key| Some((key, &configuration.effective.setting(key)?.origin));
        Document {
            config: &configuration.config,
            origins: self.origin.then(|| keys.iter().filter_map(origin).collect()),
        }
    }

    /// The lines are TOML themselves: with dotted keys, each stands alone and can be copied.
    fn lines(&self, keys: &Keys, configuration: &Configuration, lang: Lang) -> Vec<String> {
        let settings: Vec<_> =
            keys.iter().map(|key| (key, configuration.effective.setting(key))).collect();
        let line = |(key, setting): &(&str, Option<&Setting>)| match setting {
            Some(it) => format!("{key} = {}", toml(&it.value)),
            None => lang.pick(format!("# {key} is not set"), format!("# {key} 未设置")),
        };
        let lines: Vec<_> = settings.iter().map(line).collect();
        if !self.origin {
            return lines;
        }
        let width = lines.iter().map(|it| it.chars().count()).max().unwrap_or_default();
        let with_origin = |(line, (_, setting)): (String, &(&str, Option<&Setting>))| match setting
        {
            Some(it) => format!("{line:width$}  # {}", it.origin.describe(lang)),
            None => line,
        };
        lines.into_iter().zip(&settings).map(with_origin).collect()
    }
}

fn toml(value: &serde_json::Value) -> String {
    // Every value came from TOML, a text or a number; JSON writes those in the same way.
    toml::Value::try_from(value).map_or_else(|_| value.to_string(), |it| it.to_string())
}
