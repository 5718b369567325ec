//! `provost config`, and the layers that a configuration is read from.
//!
//! In order: what is built in, the user's file, the project's file, the home's file, variables
//! that start with `PROVOST_`, flags. How they combine is decided by `provost_rules::config`.
//! For a run, the project's file is that of the base revision, which no agent can edit.

mod adapters;
mod compile;
mod file;
mod guard;
mod notify;
mod place;
mod show;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Config, Exit, Lang, Message, guard::policy::Policy, task::TaskSpec};
use provost_rules::config::{Effective, Keys, Origin, Setting, settings, settings_of_environment};
use provost_rules_guard::policy::validate;

pub(crate) use self::{
    adapters::adapters,
    compile::{carried, compile, compile_for_user, digest_for_user},
};
use self::{
    adapters::{check_authors, completed, rooted},
    guard::check_guard,
    notify::check_notify,
    place::Place,
};
use crate::{
    cli::Flags,
    environment::Environment,
    home::{self, HomeError},
    ignored::{self, Ignored},
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
    /// Print the effective configuration as TOML
    Show(show::Args),
    /// Print the JSON Schema of `provost.toml`, or of a task spec
    Schema(SchemaArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost config schema > provost.schema.json\n  provost config schema task > task.schema.json"
)]
struct SchemaArgs {
    /// The document that the schema is of
    #[arg(value_enum, default_value_t)]
    of: Document,
}

/// A document that people write.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Document {
    #[default]
    Config,
    Task,
}

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
    /// A path, and a revision if it is not that of the work tree.
    pub(crate) path: String,
    pub(crate) is_present: bool,
}

/// The project's file as a revision of its repository has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseFile {
    /// The revision as people name it.
    pub(crate) revision: String,
    /// Of [`PROJECT_FILE`]; none when the revision has no such file.
    pub(crate) content: Option<Vec<u8>>,
}

/// The name of the project's file, at the root of its repository.
pub(crate) const PROJECT_FILE: &str = "provost.toml";

/// The name of the home's file.
const LOCAL_FILE: &str = "local.toml";

/// How many bytes a file of configuration has at most: none that a person wrote has more.
pub(crate) const FILE_LIMIT: u64 = 1024 * 1024;

/// Where the project's layer comes from.
#[derive(Clone, Copy, Debug)]
enum Project<'a> {
    WorkTree,
    Base(&'a BaseFile),
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
        session.output.document(&match self.of {
            Document::Config => Config::schema(),
            Document::Task => TaskSpec::schema(),
        });
        Ok(Exit::Success)
    }
}

/// Reads every layer for a command that was started in `folder`.
pub(crate) fn load(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
) -> Result<Configuration, Failure> {
    load_with(environment, flags, folder, Project::WorkTree)
}

/// Reads every layer as [`load`] does, but the project's file is that of the base revision: the
/// one in the work tree is not looked at.
pub(crate) fn load_for_repository(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
    base: &BaseFile,
) -> Result<Configuration, Failure> {
    load_with(environment, flags, folder, Project::Base(base))
}

fn load_with(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
    project: Project<'_>,
) -> Result<Configuration, Failure> {
    let mut effective = Effective::built_in();
    let mut files = Vec::new();
    let read = add_layers(environment, flags, folder, project, &mut effective, &mut files);
    let is_own = |origin: &Origin| is_own(environment, flags, folder, origin);
    match read.and_then(|()| whole(&effective, is_own)) {
        Ok(config) => Ok(Configuration { config, effective, files }),
        Err(fault) => {
            let lang = effective.setting("lang").and_then(|it| it.value.as_str()?.parse().ok());
            Err(Failure { fault, lang })
        }
    }
}

/// What the layers amount to, with rules that can be understood and adapters that can be used.
fn whole(effective: &Effective, is_own: impl Fn(&Origin) -> bool) -> Result<Config, AnyFault> {
    let config = completed(effective.config()?);
    validate(&Policy::of_rules(config.guard.rules.clone()))?;
    let adapters = adapters(&config).map_err(|error| error.located(effective))?;
    check_authors(&adapters, effective, &is_own)?;
    check_guard(effective, &is_own)?;
    check_notify(effective, is_own)?;
    Ok(rooted(config, effective))
}

/// Whether a file is the person's own: the user's file, or the one of a home of which git tracks
/// nothing. A repository can come with a home.
fn is_own(environment: &Environment, flags: &Flags, folder: &Utf8Path, origin: &Origin) -> bool {
    let Origin::File { path, .. } = origin else { return false };
    let path = Utf8Path::new(path);
    if home::git_root(folder).is_some_and(|it| it.join(PROJECT_FILE) == path) {
        return false;
    }
    match home::find(flags.home.as_deref(), environment, folder) {
        Ok(home) if home.path.join(LOCAL_FILE) == path => {
            let asked = ignored::look(environment, &home.path, path);
            matches!(asked, Ok(Ignored::NoRepository | Ignored::Yes | Ignored::No))
        }
        Ok(_) | Err(_) => true,
    }
}

/// The file in which the rules of a person stand. It lies in no project, so no repository brings it.
pub(crate) fn own_file(environment: &Environment) -> Result<Utf8PathBuf, AnyFault> {
    user_file(environment)?.ok_or_else(|| NoUserFolder.into())
}

/// A person without a folder for configuration.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "config.no_user_folder",
    en = "neither `XDG_CONFIG_HOME` nor `HOME` names a folder",
    zh = "`XDG_CONFIG_HOME` 和 `HOME` 都没有指明目录"
)]
struct NoUserFolder;

/// The person's file for all projects.
fn user_file(environment: &Environment) -> Result<Option<Utf8PathBuf>, AnyFault> {
    // The XDG specification asks to ignore a relative path.
    let absolute = |name| -> Result<Option<Utf8PathBuf>, AnyFault> {
        Ok(environment.text(name)?.map(Utf8PathBuf::from).filter(|it| it.is_absolute()))
    };
    let folder = match absolute("XDG_CONFIG_HOME")? {
        Some(path) => Some(path),
        None => absolute("HOME")?.map(|it| it.join(".config")),
    };
    Ok(folder.map(|it| it.join("provost").join(PROJECT_FILE)))
}

fn add_layers(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
    project: Project<'_>,
    effective: &mut Effective,
    files: &mut Vec<LayerFile>,
) -> Result<(), AnyFault> {
    let keys = Keys::of(&Config::schema());
    for place in places(environment, flags, folder, project)? {
        let entries = match (&place, project) {
            (Place::File { path }, _) => file::read(path)?,
            (Place::Revision { .. }, Project::Base(BaseFile { content: Some(bytes), .. })) => {
                Some(file::parse(&place, bytes)?)
            }
            (Place::Revision { .. }, Project::Base(_) | Project::WorkTree) => None,
        };
        files.push(LayerFile { path: place.to_string(), is_present: entries.is_some() });
        effective.add(settings(&keys, &entries.unwrap_or_default())?)?;
    }
    effective.add(settings_of_environment(&keys, environment.of_provost()?)?)?;
    effective.add(settings_of_flags(flags))?;
    Ok(())
}

/// The files that are layers, in order, whether they are there or not.
fn places(
    environment: &Environment,
    flags: &Flags,
    folder: &Utf8Path,
    project: Project<'_>,
) -> Result<Vec<Place>, AnyFault> {
    let local = match home::find(flags.home.as_deref(), environment, folder) {
        Ok(home) => Some(home.path),
        Err(HomeError::Nowhere { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let file = |path| Place::File { path };
    let layers = [
        user_file(environment)?.map(file),
        match project {
            Project::WorkTree => home::git_root(folder).map(|it| file(it.join(PROJECT_FILE))),
            Project::Base(it) => {
                Some(Place::Revision { path: PROJECT_FILE, revision: it.revision.clone() })
            }
        },
        local.map(|it| file(it.join(LOCAL_FILE))),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a repository in `repo`, a user's file and a home's file.
    fn world() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        for (path, text) in [
            ("user/provost/provost.toml", "lang = \"zh\"\njob.grace_seconds = 1\n"),
            ("repo/.git/HEAD", ""),
            ("repo/.provost/local.toml", "lock.stale_minutes = 3\n"),
            ("repo/provost.toml", "job.grace_seconds = 2\n[adapter.evil]\nkind = \"x\"\n"),
        ] {
            let path = root.join(path);
            #[expect(clippy::disallowed_methods, reason = "a test makes the files that it reads")]
            std::fs::create_dir_all(path.parent().unwrap())
                .and_then(|()| std::fs::write(&path, text))
                .unwrap();
        }
        (folder, root)
    }

    fn load_base(content: Option<&[u8]>) -> Result<Configuration, Failure> {
        let (_folder, root) = world();
        let user = root.join("user");
        let environment = Environment::of(&[("XDG_CONFIG_HOME", user.as_str())]);
        let base = BaseFile { revision: "main".to_owned(), content: content.map(<[u8]>::to_vec) };
        load_for_repository(&environment, &flags(), &root.join("repo"), &base)
    }

    fn flags() -> Flags {
        Flags { home: None, json: false, quiet: false, lang: None }
    }

    /// Ruling on layers: the tree that an agent can edit has no say in a run.
    #[test]
    fn the_project_layer_of_a_run_is_the_one_of_the_base_revision() {
        let loaded = load_base(Some(b"\njob.grace_seconds = 9\n")).unwrap();
        assert_eq!(loaded.config.job.grace_seconds, 9, "the base");
        assert_eq!(loaded.config.lock.stale_minutes.get(), 3, "the home");
        assert_eq!(loaded.config.lang, Some(Lang::Zh), "the user");
        assert_eq!(loaded.config.adapter.len(), 0, "not the work tree");
        let origin = &loaded.effective.setting("job.grace_seconds").unwrap().origin;
        assert_eq!(origin.text().to_string(), "`provost.toml:2` at `main`");
        let files: Vec<_> = loaded.files.iter().map(|it| it.path.as_str()).collect();
        assert!(files.contains(&"provost.toml at main"), "{files:?}");
        assert_eq!(files.len(), 3);
    }

    #[test]
    fn a_base_without_a_file_has_no_project_layer() {
        let loaded = load_base(None).unwrap();
        assert_eq!(loaded.config.job.grace_seconds, 1);
        let present: Vec<_> = loaded.files.iter().map(|it| it.is_present).collect();
        assert_eq!(present, [true, false, true]);
    }

    #[test]
    fn a_file_of_the_base_that_cannot_be_read_names_the_revision() {
        let large = vec![b'#'; 1024 * 1024 + 1];
        for (content, en, zh) in [
            (
                b"lang =\n".as_slice(),
                "`provost.toml:1` at `main` is not TOML",
                "`main` 处的 `provost.toml:1` 不是有效的 TOML",
            ),
            (
                b"\n\xff",
                "`provost.toml:2` at `main` is not UTF-8",
                "`main` 处的 `provost.toml:2` 不是 UTF-8",
            ),
            (
                &large,
                "the configuration `provost.toml` at `main` has more than 1048576 bytes",
                "配置文件 `main` 处的 `provost.toml` 超过 1048576 字节",
            ),
            (
                b"xyzzy = 1\n",
                "unknown key `xyzzy` (`provost.toml:1` at `main`)",
                "未知的配置键 `xyzzy`（`main` 处的 `provost.toml:1`）",
            ),
            (
                b"[adapter.a]\n",
                "adapter `a` (`provost.toml:1` at `main`): it has no `kind`",
                "适配器 `a`（`main` 处的 `provost.toml:1`）：缺少 `kind`",
            ),
        ] {
            let failure = load_base(Some(content)).unwrap_err();
            assert_eq!(Lang::En.render(&failure.fault.0.text()), en);
            assert_eq!(Lang::Zh.render(&failure.fault.0.text()), zh);
            assert_eq!(failure.lang, Some(Lang::Zh), "the layers before the fault");
        }
    }
}
