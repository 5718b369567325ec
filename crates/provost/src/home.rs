//! Where the provost home of this run is. Looking for it starts no process and writes nothing.

use std::{fs, io, os::unix::fs::MetadataExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Lang, Message};
use provost_vault::Layout;

use crate::environment::{Environment, EnvironmentError};

/// The name of the home in a project.
const NAME: &str = ".provost";

/// The home of this run. It need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) path: Utf8PathBuf,
    pub(crate) found: Found,
}

/// What led to the home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// `--home`.
    Flag,
    /// `PROVOST_HOME`.
    Variable,
    /// It lies in the current folder or in one above it.
    Above,
    /// It belongs to the git repository around the current folder.
    GitRoot,
}

/// Why there is no home.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "home")]
pub(crate) enum HomeError {
    /// Neither named, nor found, nor in a repository.
    #[message(
        en = "no provost home: `{folder}` and the folders above it have neither `.provost` nor a git repository",
        zh = "没有 provost 主目录：`{folder}` 及其上级文件夹中既没有 `.provost`，也没有 git 仓库",
        hint(
            en = "run the command inside a git repository, or name a home with `--home DIR`",
            zh = "请在 git 仓库中运行该命令，或用 `--home DIR` 指定主目录"
        )
    )]
    Nowhere { folder: Utf8PathBuf },
    #[message(
        en = "the provost home `{path}` is not a folder",
        zh = "provost 主目录 `{path}` 不是文件夹",
        hint(
            en = "move it away, or name another home with `--home DIR`",
            zh = "请将其移走，或用 `--home DIR` 指定其他主目录"
        )
    )]
    NotAFolder { path: Utf8PathBuf },
    /// A repository could bring the link, and choose what counts as the project.
    #[message(
        en = "the provost home `{path}` is a link",
        zh = "provost 主目录 `{path}` 是一个链接",
        hint(
            en = "remove the link, or name the home that it leads to with `--home DIR` or `PROVOST_HOME`",
            zh = "请删除该链接，或用 `--home DIR` 或 `PROVOST_HOME` 指定它所指向的主目录"
        )
    )]
    Link { path: Utf8PathBuf },
    /// It was named, and is not there.
    #[message(
        en = "cannot find provost home `{path}`",
        zh = "找不到 provost 主目录 `{path}`",
        hint(
            en = "`provost --home {path} doctor --fix` creates it",
            zh = "`provost --home {path} doctor --fix` 会创建它"
        )
    )]
    Missing { path: Utf8PathBuf },
    /// Its owner could change what provost relies on.
    #[message(
        en = "the provost home `{path}` belongs to another user",
        zh = "provost 主目录 `{path}` 属于其他用户",
        hint(
            en = "choose a home of your own with `--home DIR`",
            zh = "请用 `--home DIR` 指定自己的主目录"
        )
    )]
    Foreign { path: Utf8PathBuf },
    #[message(
        en = "cannot reach the provost home `{path}`",
        zh = "无法访问 provost 主目录 `{path}`",
        hint(
            en = "check the permissions of the folders above it",
            zh = "请检查其上级文件夹的权限"
        )
    )]
    Unreachable { path: Utf8PathBuf, source: io::Error },
    #[message(
        en = "no folder for work trees: neither `XDG_STATE_HOME` nor `HOME` is set",
        zh = "没有存放工作树的文件夹：`XDG_STATE_HOME` 和 `HOME` 均未设置",
        hint(en = "set one of them to an absolute path", zh = "请将其中之一设为绝对路径")
    )]
    NoState,
    /// A variable cannot be used.
    #[message(transparent)]
    Environment(EnvironmentError),
}

/// Finds the home: `--home`, `PROVOST_HOME`, the nearest `.provost` upward, `.provost` at the
/// root of the git repository.
pub(crate) fn find(
    flag: Option<&Utf8Path>,
    environment: &Environment,
    folder: &Utf8Path,
) -> Result<Home, HomeError> {
    if let Some(path) = flag {
        return usable(folder.join(path), Found::Flag);
    }
    if let Some(path) = environment.text("PROVOST_HOME").map_err(HomeError::Environment)? {
        return usable(folder.join(path), Found::Variable);
    }
    if let Some(path) = folder.ancestors().map(|it| it.join(NAME)).find(|it| exists(it)) {
        return if path.is_symlink() {
            Err(HomeError::Link { path })
        } else {
            usable(path, Found::Above)
        };
    }
    if let Some(root) = git_root(folder) {
        return usable(root.join(NAME), Found::GitRoot);
    }
    Err(HomeError::Nowhere { folder: folder.to_owned() })
}

/// Refuses a home that was named and is not there, or that belongs to another user.
pub(crate) fn check(home: &Home) -> Result<(), HomeError> {
    let path = || home.path.clone();
    match fs::metadata(&home.path) {
        Ok(metadata) if metadata.uid() == rustix::process::geteuid().as_raw() => Ok(()),
        Ok(_) => Err(HomeError::Foreign { path: path() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match home.found {
            Found::Flag | Found::Variable => Err(HomeError::Missing { path: path() }),
            Found::Above | Found::GitRoot => Ok(()),
        },
        Err(source) => Err(HomeError::Unreachable { path: path(), source }),
    }
}

/// Where everything of a home lies, for a command that was started in `folder`.
pub(crate) fn layout(
    home: &Home,
    environment: &Environment,
    folder: &Utf8Path,
) -> Result<Layout, HomeError> {
    let out = environment.text("RDLOOP_OUT_DIR").map_err(HomeError::Environment)?;
    let out = out.map(|it| folder.join(it));
    Ok(Layout::new(&home.path, out.as_deref(), &state(environment)?))
}

/// The person's state folder.
pub(crate) fn state(environment: &Environment) -> Result<Utf8PathBuf, HomeError> {
    let text = |name| environment.text(name).map_err(HomeError::Environment);
    let absolute =
        |name| text(name).map(|it| it.map(Utf8PathBuf::from).filter(|it| it.is_absolute()));
    match absolute("XDG_STATE_HOME")? {
        Some(path) => Ok(path),
        None => Ok(absolute("HOME")?.ok_or(HomeError::NoState)?.join(".local/state")),
    }
}

/// The root of the git repository around a folder: where `.git` lies, a folder or, in a linked
/// work tree, a file.
pub(crate) fn git_root(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    folder.ancestors().find(|it| exists(&it.join(".git"))).map(Utf8Path::to_owned)
}

/// What all work trees of a repository share, without links; none where it cannot be found.
pub(crate) fn git_common(root: &Utf8Path) -> Option<Utf8PathBuf> {
    let own = root.join(".git");
    if own.is_dir() {
        return own.canonicalize_utf8().ok();
    }
    let named = |path: &Utf8Path| fs::read_to_string(path).ok();
    let own = root.join(named(&own)?.trim().strip_prefix("gitdir:")?.trim());
    let common = match named(&own.join("commondir")) {
        Some(common) => own.join(common.trim()),
        None => own,
    };
    common.canonicalize_utf8().ok()
}

fn usable(path: Utf8PathBuf, found: Found) -> Result<Home, HomeError> {
    match fs::metadata(&path) {
        // One home has one spelling: its work trees lie in a folder that is named after it.
        Ok(metadata) if metadata.is_dir() => match path.canonicalize_utf8() {
            Ok(path) => Ok(Home { path, found }),
            Err(source) => Err(HomeError::Unreachable { path, source }),
        },
        Ok(_) => Err(HomeError::NotAFolder { path }),
        // A link that leads nowhere is something else in the place of a folder.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if exists(&path) {
                Err(HomeError::NotAFolder { path })
            } else {
                Ok(Home { path, found })
            }
        }
        Err(source) => Err(HomeError::Unreachable { path, source }),
    }
}

fn exists(path: &Utf8Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

impl Found {
    pub(crate) fn describe(self, lang: Lang) -> &'static str {
        match self {
            Self::Flag => lang.pick("named by `--home`", "由 `--home` 指定"),
            Self::Variable => lang.pick("named by `PROVOST_HOME`", "由 `PROVOST_HOME` 指定"),
            Self::Above => {
                lang.pick("found from the current folder upward", "从当前文件夹向上找到")
            }
            Self::GitRoot => lang.pick("at the root of the git repository", "位于 git 仓库根目录"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree with `repo/.git`, `repo/sub/deep`, `inner/.provost`, `inner/a` and a file `file`.
    fn tree() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        for folder in ["repo/.git", "repo/sub/deep", "inner/.provost", "inner/a", "plain"] {
            make_folder(&root.join(folder));
        }
        (dir, root)
    }

    #[expect(clippy::disallowed_methods, reason = "a test builds the tree that it looks at")]
    fn make_folder(path: &Utf8Path) {
        fs::create_dir_all(path).unwrap();
    }

    #[test]
    fn the_first_of_four_places_is_the_home() {
        let (_dir, root) = tree();
        let check = |flag: Option<&str>, variable: Option<&str>, folder: &str, expected: &str| {
            let variables: Vec<_> = variable.map(|it| ("PROVOST_HOME", it)).into_iter().collect();
            let environment = Environment::of(&variables);
            let actual = find(flag.map(Utf8Path::new), &environment, &root.join(folder));
            let actual = match actual {
                Ok(home) => format!("{:?} {}", home.found, home.path),
                Err(error) => error.to_string(),
            };
            assert_eq!(actual.replace(root.as_str(), "/r"), expected);
        };
        check(Some("x/y"), Some("/z"), "repo/sub", "Flag /r/repo/sub/x/y");
        check(Some("/abs"), None, "inner", "Flag /abs");
        check(None, Some("z"), "inner/a", "Variable /r/inner/a/z");
        check(None, Some(""), "inner/a", "Above /r/inner/.provost");
        check(None, None, "inner/a", "Above /r/inner/.provost");
        check(None, None, "repo/sub/deep", "GitRoot /r/repo/.provost");
        check(
            None,
            None,
            "plain",
            "no provost home: `/r/plain` and the folders above it have neither `.provost` nor a git repository",
        );
        check(Some("/dev/null"), None, "plain", "the provost home `/dev/null` is not a folder");
    }

    #[test]
    fn the_layout_takes_its_folders_from_the_environment() {
        let home = Home { path: "/r/.provost".into(), found: Found::Above };
        let check = |variables: &[(&str, &str)], out: &str, is_usable: bool| {
            let layout = layout(&home, &Environment::of(variables), Utf8Path::new("/r/sub"));
            assert_eq!(layout.is_ok(), is_usable, "{variables:?}");
            if let Ok(layout) = layout {
                assert_eq!(layout.out().path(), out, "{variables:?}");
                let task = "t1".parse().unwrap();
                assert!(layout.work(&task).path().starts_with("/s/"), "{variables:?}");
            }
        };
        check(&[("XDG_STATE_HOME", "/s")], "/r/.provost/out", true);
        check(&[("HOME", "/s")], "/r/.provost/out", true);
        check(&[("HOME", "/s"), ("XDG_STATE_HOME", "relative")], "/r/.provost/out", true);
        check(&[("HOME", "/s"), ("RDLOOP_OUT_DIR", "/out")], "/out", true);
        check(&[("HOME", "/s"), ("RDLOOP_OUT_DIR", "out")], "/r/sub/out", true);
        check(&[], "", false);
    }

    #[test]
    fn one_home_has_one_spelling() {
        let (_dir, root) = tree();
        std::os::unix::fs::symlink(root.join("inner/.provost"), root.join("plain/named")).unwrap();
        let environment = Environment::of(&[]);
        let find = |flag: Option<&str>, folder: &str| {
            find(flag.map(Utf8Path::new), &environment, &root.join(folder)).unwrap().path
        };
        let expected = root.join("inner/.provost");
        assert_eq!(find(None, "inner"), expected);
        assert_eq!(find(Some("../inner/a/../.provost"), "plain"), expected);
        assert_eq!(find(Some("named"), "plain"), expected);
    }

    /// What a repository brings chooses neither the home nor what counts as the project.
    #[test]
    fn a_link_is_a_home_only_by_name() {
        for target in ["/no/such/folder", "../inner/.provost", ".."] {
            let (_dir, root) = tree();
            std::os::unix::fs::symlink(target, root.join("plain/.provost")).unwrap();
            let find =
                |flag| find(flag, &Environment::of(&[]), &root.join("plain")).map(|it| it.path);
            let found = find(None);
            assert!(matches!(found, Err(HomeError::Link { .. })), "{target} {found:?}");
            let named = find(Some(Utf8Path::new(".provost")));
            assert_eq!(named.is_ok(), target != "/no/such/folder", "{target} {named:?}");
        }
    }
}
