//! `provost config`, and the layers that a configuration is read from.
//!
//! In order: what is built in, the user's file, the project's file, the home's file, variables
//! that start with `PROVOST_`, flags. How they combine is decided by `provost_rules::config`.

mod file;
mod show;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Config, Exit, Lang};
use provost_rules::config::{Effective, Keys, Origin, Setting, settings, settings_of_environment};

use crate::{
    cli::Flags,
    environment::Environment,
    home::{self, HomeError},
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost config show --origin")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print every key with the value that holds here, as TOML
    Show(show::Args),
    /// Print the JSON Schema of `provost.toml`
    Schema(SchemaArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost config schema > provost.schema.json")]
struct SchemaArgs {}

/// The configuration of this run.
#[derive(Debug)]
pub(crate) struct Configuration {
    pub(crate) config: Config,
    pub(crate) effective: Effective,
    pub(crate) files: Vec<LayerFile>,
}

/// A file that is a layer, if it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LayerFile {
    pub(crate) path: Utf8PathBuf,
    pub(crate) is_present: bool,
}

/// Why there is no configuration, with the language that the layers before the fault chose.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) fault: AnyFault,
    pub(crate) lang: Option<Lang>,
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.command {
            Command::Show(it) => it,
            Command::Schema(it) => it,
        }
    }
}

impl Run for SchemaArgs {
    fn preparation(&self) -> Preparation {
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        session.output.document(&Config::schema());
        Ok(Exit::Success)
    }
}

/// Reads every layer for a command that was started in `folder`.
pub(crate) fn load(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
) -> Result<Configuration, Failure> {
    let mut effective = Effective::built_in();
    let mut files = Vec::new();
    let read = add_layers(environment, flags, folder, &mut effective, &mut files);
    let config = read.and_then(|()| Ok(effective.config()?));
    match config {
        Ok(config) => Ok(Configuration { config, effective, files }),
        Err(fault) => {
            let lang = effective.setting("lang").and_then(|it| it.value.as_str()?.parse().ok());
            Err(Failure { fault, lang })
        }
    }
}

fn add_layers(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
    effective: &mut Effective,
    files: &mut Vec<LayerFile>,
) -> Result<(), AnyFault> {
    let keys = Keys::of(&Config::schema());
    for path in paths(environment, flags, folder)? {
        let entries = file::read(&path)?;
        files.push(LayerFile { path, is_present: entries.is_some() });
        effective.add(settings(&keys, &entries.unwrap_or_default())?)?;
    }
    effective.add(settings_of_environment(&keys, environment.of_provost()?)?)?;
    effective.add(settings_of_flags(flags))?;
    Ok(())
}

/// The files that are layers, in order, whether they are there or not.
fn paths(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, AnyFault> {
    // The XDG specification asks to ignore a relative path.
    let absolute = |name| -> Result<Option<Utf8PathBuf>, AnyFault> {
        Ok(environment.text(name)?.map(Utf8PathBuf::from).filter(|it| it.is_absolute()))
    };
    let user = match absolute("XDG_CONFIG_HOME")? {
        Some(path) => Some(path),
        None => absolute("HOME")?.map(|it| it.join(".config")),
    };
    let local = match home::find(flags.home.as_deref(), environment, folder) {
        Ok(home) => Some(home.path),
        Err(HomeError::Nowhere { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let layers = [
        user.map(|it| it.join("provost").join("provost.toml")),
        home::git_root(folder).map(|it| it.join("provost.toml")),
        local.map(|it| it.join("local.toml")),
    ];
    Ok(layers.into_iter().flatten().collect())
}

fn settings_of_flags(flags: &Flags) -> Vec<Setting> {
    let lang = flags.lang.map(|lang| Setting {
        key: "lang".to_owned(),
        value: lang.to_string().into(),
        origin: Origin::Flag { name: "--lang".to_owned() },
    });
    lang.into_iter().collect()
}
