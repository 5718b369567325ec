//! The place of a job: a home and caches of its own, outside its checkout.
//!
//! A job never works in the person's home. What it leaves in its own is not for the next job:
//! a setting of a runner there would decide what that one runs.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

/// Who commits where a test makes repositories of its own.
const GIT_IDENTITY: &str = "[user]\n\tname = provost\n\temail = provost@localhost\n";

/// Settings of package managers, from the home: where packages come from, and what opens the door
/// there. They are lent to what fetches, and taken back before anything else runs.
const LENT: [&str; 18] = [
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".bunfig.toml",
    ".netrc",
    ".pip/pip.conf",
    ".config/pip/pip.conf",
    ".config/uv/uv.toml",
    ".config/pypoetry/config.toml",
    ".config/pypoetry/auth.toml",
    ".config/go/env",
    ".config/composer/auth.json",
    ".composer/auth.json",
    ".config/NuGet/NuGet.Config",
    ".nuget/NuGet/NuGet.Config",
    ".bundle/config",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
];
/// The same of cargo, which has a folder of its own.
const LENT_OF_CARGO: [&str; 2] = ["credentials", "credentials.toml"];
/// What cargo needs of its settings whenever it runs.
const SETTINGS_OF_CARGO: [&str; 2] = ["config", "config.toml"];

/// A home and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    root: PathBuf,
}

/// Where a person's settings lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonalFolders {
    pub home: PathBuf,
    pub cargo_home: PathBuf,
}

/// Files that were lent to a place.
#[derive(Debug)]
#[must_use = "what was lent is taken back"]
pub struct Lent(Vec<PathBuf>);

impl Place {
    /// A place that was made earlier.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Makes a place in a folder, with the settings that every program may see.
    pub fn make(root: &Path, person: &PersonalFolders) -> io::Result<Self> {
        let place = Self { root: root.to_owned() };
        create(&place.home())?;
        create(&place.caches().join("cargo"))?;
        write(&place.home().join(".gitconfig"), GIT_IDENTITY)?;
        for name in SETTINGS_OF_CARGO {
            if let Ok(text) = fs::read_to_string(person.cargo_home.join(name)) {
                write(&place.caches().join("cargo").join(name), &without_tokens(&text))?;
            }
        }
        Ok(place)
    }

    /// Copies a place into another folder: everything of its home, and all caches or
    /// those of these names.
    pub fn copy(&self, root: &Path, caches: Option<&BTreeSet<String>>) -> io::Result<Self> {
        let copy = Self { root: root.to_owned() };
        copy_tree(&self.home(), &copy.home())?;
        create(&copy.caches())?;
        for entry in fs::read_dir(self.caches())? {
            let name = entry?.file_name();
            if caches.is_none_or(|it| it.contains(&*name.to_string_lossy())) {
                copy_tree(&self.caches().join(&name), &copy.caches().join(&name))?;
            }
        }
        Ok(copy)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub fn caches(&self) -> PathBuf {
        self.root.join("caches")
    }

    /// Lends the person's settings of package managers.
    pub fn lend(&self, person: &PersonalFolders) -> io::Result<Lent> {
        let own = LENT.iter().map(|it| (person.home.join(it), self.home().join(it)));
        let cargo = self.caches().join("cargo");
        let of_cargo = LENT_OF_CARGO.iter().map(|it| (person.cargo_home.join(it), cargo.join(it)));
        let mut lent = Lent(Vec::new());
        for (from, to) in own.chain(of_cargo) {
            if from.is_file() && to.symlink_metadata().is_err() {
                create(to.parent().unwrap_or(&self.root))?;
                lent.0.push(to.clone());
                copy_file(&from, &to)?;
            }
        }
        Ok(lent)
    }
}

impl Lent {
    /// Takes everything back.
    pub fn take_back(self) -> io::Result<()> {
        self.0.iter().try_for_each(|it| match remove(it) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        })
    }
}

/// Settings without the lines that hold a secret.
fn without_tokens(text: &str) -> String {
    let is_secret = |it: &&str| {
        let key = it.split('=').next().unwrap_or_default().to_ascii_lowercase();
        key.contains("token") || key.contains("password") || key.contains("secret")
    };
    text.lines().filter(|it| !is_secret(it)).flat_map(|it| [it, "\n"]).collect()
}

/// Copies a file, a link, or a folder with everything in it. What is neither is left out.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = from.symlink_metadata()?;
    if metadata.is_symlink() {
        link(&fs::read_link(from)?, to)
    } else if metadata.is_dir() {
        create(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_tree(&from.join(&name), &to.join(&name))?;
        }
        Ok(())
    } else if metadata.is_file() {
        copy_file(from, to)
    } else {
        Ok(())
    }
}

/// Copies a tree with the times of its files and the modes of its folders: programs that build look at
/// them.
pub fn copy_exactly(from: &Path, to: &Path) -> io::Result<()> {
    copy_tree(from, to)?;
    mark_like(from, to)
}

fn mark_like(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = from.symlink_metadata()?;
    if metadata.is_dir() {
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            mark_like(&from.join(&name), &to.join(&name))?;
        }
        fs::set_permissions(to, metadata.permissions())?;
    } else if !metadata.is_file() && !metadata.is_symlink() {
        return Ok(());
    }
    let time = |tv_sec, tv_nsec| Timespec { tv_sec, tv_nsec };
    let times = Timestamps {
        last_access: time(metadata.atime(), metadata.atime_nsec()),
        last_modification: time(metadata.mtime(), metadata.mtime_nsec()),
    };
    Ok(utimensat(CWD, to, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Writes the new path of a tree into the files of a virtual environment that name the old one:
/// its programs, and the list of folders with modules.
pub fn relocate(environment: &Path, from: &Path, to: &Path) -> io::Result<()> {
    let mut files = list(&environment.join("bin"));
    for version in list(&environment.join("lib")) {
        let packages = list(&version.join("site-packages"));
        let names_folders = |it: &PathBuf| it.extension().is_some_and(|it| it == "pth");
        let finds_modules = |it: &PathBuf| {
            it.file_name().is_some_and(|it| it.to_string_lossy().starts_with("__editable__"))
        };
        files.extend(packages.into_iter().filter(|it| names_folders(it) || finds_modules(it)));
    }
    files.push(environment.join("pyvenv.cfg"));
    let (from, to) = (from.to_string_lossy(), to.to_string_lossy());
    for file in files {
        let is_file = file.symlink_metadata().is_ok_and(|it| it.is_file());
        let Some(text) = is_file.then(|| fs::read_to_string(&file).ok()).flatten() else {
            continue;
        };
        if text.contains(&*from) {
            write(&file, &text.replace(&*from, &to))?;
        }
    }
    Ok(())
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|it| it.path()).collect()
}

#[expect(clippy::disallowed_methods, reason = "a folder of a job, outside every home")]
fn create(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[expect(clippy::disallowed_methods, reason = "a file of a job, outside every home")]
fn write(file: &Path, text: &str) -> io::Result<()> {
    fs::write(file, text)
}

#[expect(clippy::disallowed_methods, reason = "a file of a job, outside every home")]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(|_| ())
}

#[expect(clippy::disallowed_methods, reason = "a file of a job, outside every home")]
fn remove(file: &Path) -> io::Result<()> {
    fs::remove_file(file)
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes a person's home")]
mod tests {
    use super::*;

    fn person(folder: &Path) -> PersonalFolders {
        let home = folder.join("real");
        fs::create_dir_all(home.join(".cargo")).unwrap();
        fs::write(home.join(".npmrc"), "//x/:_authToken=abc\n").unwrap();
        fs::write(home.join(".ssh"), "key").unwrap();
        fs::write(home.join(".cargo/credentials.toml"), "token = 'abc'\n").unwrap();
        let config = "[registries.x]\nindex = 'https://x'\ntoken = 'abc'\n";
        fs::write(home.join(".cargo/config.toml"), config).unwrap();
        PersonalFolders { cargo_home: home.join(".cargo"), home }
    }

    #[test]
    fn settings_are_lent_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let person = person(folder.path());
        let root = folder.path().join("place");
        fs::create_dir(&root).unwrap();
        let place = Place::make(&root, &person).unwrap();
        let kept = fs::read_to_string(place.caches().join("cargo/config.toml")).unwrap();
        assert_eq!(kept, "[registries.x]\nindex = 'https://x'\n");
        let lent = place.lend(&person).unwrap();
        assert!(place.home().join(".npmrc").exists());
        assert!(place.caches().join("cargo/credentials.toml").exists());
        assert!(!place.home().join(".ssh").exists());
        lent.take_back().unwrap();
        assert!(!place.home().join(".npmrc").exists());
        assert!(!place.caches().join("cargo/credentials.toml").exists());
        assert!(place.home().join(".gitconfig").exists());
    }

    #[test]
    fn a_copy_has_the_home_and_the_caches_that_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            let root = folder.path().join(name);
            fs::create_dir(&root).unwrap();
            root
        };
        let place = Place::make(&at("a"), &PersonalFolders::default()).unwrap();
        fs::create_dir(place.caches().join("npm")).unwrap();
        fs::write(place.caches().join("npm/x"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("x", place.caches().join("npm/link")).unwrap();
        let all = place.copy(&at("b"), None).unwrap();
        assert_eq!(fs::read_to_string(all.caches().join("npm/link")).unwrap(), "x");
        let some = place.copy(&at("c"), Some(&BTreeSet::from(["cargo".to_owned()]))).unwrap();
        assert!(some.caches().join("cargo").exists() && !some.caches().join("npm").exists());
        assert!(some.home().join(".gitconfig").exists());
    }

    #[test]
    fn a_copy_has_the_times_and_modes() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("sub")).unwrap();
        fs::write(from.join("sub/file"), "x").unwrap();
        std::os::unix::fs::symlink("nowhere", from.join("link")).unwrap();
        let old = Timespec { tv_sec: 1_000_000, tv_nsec: 7 };
        let old = Timestamps { last_access: old, last_modification: old };
        for name in ["sub/file", "link", "sub"] {
            utimensat(CWD, from.join(name), &old, AtFlags::SYMLINK_NOFOLLOW).unwrap();
        }
        fs::set_permissions(from.join("sub"), fs::Permissions::from_mode(0o555)).unwrap();
        copy_exactly(&from, &to).unwrap();
        for name in ["sub/file", "link", "sub"] {
            let copied = to.join(name).symlink_metadata().unwrap();
            assert_eq!((copied.mtime(), copied.mtime_nsec()), (1_000_000, 7), "{name}");
            assert_eq!(copied.mode(), from.join(name).symlink_metadata().unwrap().mode());
        }
        fs::set_permissions(from.join("sub"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(to.join("sub"), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_virtual_environment_finds_itself_after_a_move() {
        let folder = tempfile::tempdir().unwrap();
        let environment = folder.path().join(".venv");
        let packages = environment.join("lib/python3.11/site-packages");
        fs::create_dir_all(&packages).unwrap();
        fs::create_dir_all(environment.join("bin")).unwrap();
        fs::write(environment.join("bin/pytest"), "#!/old/.venv/bin/python\n").unwrap();
        fs::write(packages.join("__editable__.shop.pth"), "/old/src\n").unwrap();
        fs::write(packages.join("other.py"), "/old\n").unwrap();
        relocate(&environment, Path::new("/old"), Path::new("/new")).unwrap();
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!(read(&environment.join("bin/pytest")), "#!/new/.venv/bin/python\n");
        assert_eq!(read(&packages.join("__editable__.shop.pth")), "/new/src\n");
        assert_eq!(read(&packages.join("other.py")), "/old\n");
    }
}
