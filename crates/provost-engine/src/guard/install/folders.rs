//! Where the configuration of a client lies.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::guard::{
    Harness, Scope,
    client::{ClientEntry, UserFile},
};

use super::SetupError;

/// The folders in which clients look for their configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// The person's home.
    pub user_home: Utf8PathBuf,
    /// The root of the repository, if there is one.
    pub project: Option<Utf8PathBuf>,
    /// What moves a client's own folder, such as `CODEX_HOME`: only absolute paths count.
    pub moved: Vec<(&'static str, Utf8PathBuf)>,
}

/// The files of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Where its hooks stand.
    pub hooks: Utf8PathBuf,
    /// Where it writes down which hooks it trusts, if it does.
    pub trust: Option<Utf8PathBuf>,
}

/// The variables that move a client's own folder.
pub fn variables() -> BTreeSet<&'static str> {
    let files = |it: &'static ClientEntry| [Some(it.install.user), it.install.trust];
    let files = Harness::entries().flat_map(files).flatten();
    files.flat_map(|it| it.moved).map(|it| it.0).collect()
}

impl Folders {
    /// The files of a client.
    pub fn configuration(
        &self,
        harness: Harness,
        scope: Scope,
    ) -> Result<Configuration, SetupError> {
        let install = &harness.entry().install;
        let hooks = match scope {
            Scope::User => self.of_user(install.user),
            Scope::Project => {
                self.project.as_deref().ok_or(SetupError::NoProject)?.join(install.project)
            }
        };
        // Trust is the person's, whosever the hook is.
        Ok(Configuration { hooks, trust: install.trust.map(|it| self.of_user(it)) })
    }

    fn of_user(&self, file: UserFile) -> Utf8PathBuf {
        let moved = file.moved.iter().find_map(|(name, path)| Some(self.moved(name)?.join(path)));
        moved.unwrap_or_else(|| self.user_home.join(file.home))
    }

    fn moved(&self, name: &str) -> Option<Utf8PathBuf> {
        let found = self.moved.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        found.filter(|it| it.is_absolute())
    }
}

/// The path of a file as Codex spells it: through real folders, with its own name.
pub(in crate::guard) fn spelled(path: &Utf8Path) -> Utf8PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_owned();
    };
    let known = folder.ancestors().find_map(|it| Some((it, it.canonicalize_utf8().ok()?)));
    let Some((known, real)) = known else { return path.to_owned() };
    let rest = folder.strip_prefix(known).unwrap_or(Utf8Path::new(""));
    let folder = if rest.as_str().is_empty() { real } else { real.join(rest) };
    folder.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(moved: &[(&'static str, &str)]) -> Folders {
        let moved = moved.iter().map(|(name, path)| (*name, Utf8PathBuf::from(path)));
        Folders { user_home: "/u".into(), project: Some("/r".into()), moved: moved.collect() }
    }

    #[track_caller]
    fn check(folders: &Folders, harness: Harness, user: &str, project: &str) {
        let hooks = |scope| folders.configuration(harness, scope).unwrap().hooks;
        assert_eq!(hooks(Scope::User), user);
        assert_eq!(hooks(Scope::Project), project);
    }

    #[test]
    fn every_client_has_its_own_places() {
        let it = folders(&[]);
        check(&it, Harness::Claude, "/u/.claude/settings.json", "/r/.claude/settings.local.json");
        check(&it, Harness::Codex, "/u/.codex/hooks.json", "/r/.codex/hooks.json");
        check(&it, Harness::Gemini, "/u/.gemini/settings.json", "/r/.gemini/settings.json");
        check(&it, Harness::Cursor, "/u/.cursor/hooks.json", "/r/.cursor/hooks.json");
        let plugin = "plugins/provost.js";
        check(
            &it,
            Harness::Opencode,
            &format!("/u/.config/opencode/{plugin}"),
            &format!("/r/.opencode/{plugin}"),
        );
        let trust = |scope| it.configuration(Harness::Codex, scope).unwrap().trust.unwrap();
        assert_eq!(trust(Scope::User), "/u/.codex/config.toml");
        assert_eq!(trust(Scope::Project), "/u/.codex/config.toml");
    }

    #[test]
    fn a_variable_moves_them_if_it_is_absolute() {
        let it = folders(&[
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "x"),
            ("GEMINI_CLI_HOME", "/g"),
            ("XDG_CONFIG_HOME", "/x"),
        ]);
        check(&it, Harness::Claude, "/c/settings.json", "/r/.claude/settings.local.json");
        check(&it, Harness::Codex, "/u/.codex/hooks.json", "/r/.codex/hooks.json");
        check(&it, Harness::Gemini, "/g/.gemini/settings.json", "/r/.gemini/settings.json");
        let user = it.configuration(Harness::Opencode, Scope::User).unwrap().hooks;
        assert_eq!(user, "/x/opencode/plugins/provost.js");
    }

    #[test]
    fn a_project_needs_a_repository() {
        let nowhere = Folders { project: None, ..folders(&[]) };
        let error = nowhere.configuration(Harness::Claude, Scope::Project).unwrap_err();
        assert!(matches!(error, SetupError::NoProject), "{error}");
    }

    #[test]
    fn codex_spells_folders_by_their_real_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        std::os::unix::fs::symlink(&root, root.join("link")).unwrap();
        assert_eq!(spelled(&root.join("link/hooks.json")), root.join("hooks.json"));
        assert_eq!(spelled(&root.join("link/a/b/hooks.json")), root.join("a/b/hooks.json"));
        assert_eq!(spelled(Utf8Path::new("/hooks.json")), "/hooks.json");
    }
}
