//! What git says: is it there, is it new enough, does it leave the home alone.

use camino::Utf8Path;
use provost_kernel::{Fault as _, Lang};
use provost_vault::Layout;

use super::{Check, State, checks::unusable};
use crate::{
    environment::Environment,
    git::{self, GitError, OLDEST, Reply},
    home,
};

/// Looks for git and its version.
pub(super) fn version(environment: &Environment, lang: Lang) -> Check {
    const NAME: &str = "git";
    let said = match git::ask(environment, Utf8Path::new("/"), &["--version"]) {
        Ok(answer) => String::from_utf8_lossy(&answer.stdout).into_owned(),
        Err(error) => return unusable(NAME, &error, lang),
    };
    let version = said.trim().trim_start_matches("git version ");
    let what = match parse(version) {
        Some(it) if it >= OLDEST => {
            return Check::new(NAME, State::Ok, version.to_owned());
        }
        Some(_) => lang.pick(format!("{version} is too old"), format!("{version} 版本过低")),
        None => lang.pick(
            format!("git has a version that provost cannot read: `{version}`"),
            format!("无法识别 git 的版本:`{version}`"),
        ),
    };
    let hint = GitError::Missing.hints(lang).concat();
    Check::new(NAME, State::Fail, what).with_hint(hint)
}

/// Looks whether git ignores the home and tracks nothing in it (HOOK-2.6).
pub(super) fn ignored(environment: &Environment, layout: &Layout, lang: Lang) -> Check {
    const NAME: &str = "ignored";
    let home = layout.home().path();
    let folder = home.parent().unwrap_or(&home);
    if home::git_root(folder).is_none() {
        let what = lang.pick(
            format!("`{home}` is not in a git repository"),
            format!("`{home}` 不在 git 仓库中"),
        );
        return Check::new(NAME, State::Ok, what);
    }
    let list = ["--literal-pathspecs", "ls-files", "-z", "--", home.as_str()];
    let tracked = match git::ask(environment, folder, &list) {
        Ok(answer) => answer.stdout,
        Err(error) => return unusable(NAME, &error, lang),
    };
    if let Some(file) = tracked.split(|it| *it == 0).find(|it| !it.is_empty()) {
        let file = String::from_utf8_lossy(file);
        let what = lang.pick(
            format!("git tracks files of the home, such as `{file}`"),
            format!("git 跟踪了主目录中的文件,例如 `{file}`"),
        );
        return Check::new(NAME, State::Fail, what)
            .with_hint(format!("`git rm -r --cached -- {home}`"));
    }
    // The home ignores what is in it, not itself: so the question is about a file.
    let file = layout.format().path();
    match git::ask(environment, folder, &["check-ignore", "--quiet", "--", file.as_str()]) {
        Ok(answer) if answer.reply == Reply::Yes => {
            let what = lang.pick(
                "git ignores the home and tracks nothing in it",
                "git 忽略主目录,未跟踪其中任何文件",
            );
            Check::new(NAME, State::Ok, what.to_owned())
        }
        Ok(_) => {
            let what =
                lang.pick(format!("git does not ignore `{home}`"), format!("git 未忽略 `{home}`"));
            let rules = layout.gitignore().path();
            let hint = lang.pick(
                format!("write a line `*` into `{rules}`"),
                format!("请在 `{rules}` 中写入一行 `*`"),
            );
            Check::new(NAME, State::Fail, what).with_hint(hint)
        }
        Err(error) => unusable(NAME, &error, lang),
    }
}

fn parse(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split(|it: char| !it.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_two_numbers() {
        let check = |text: &str, expected: Option<(u32, u32)>| {
            assert_eq!(parse(text), expected, "{text:?}");
        };
        check("2.47.3", Some((2, 47)));
        check("2.31.0.rc1", Some((2, 31)));
        check("2.39.5 (Apple Git-154)", Some((2, 39)));
        check("3.0", Some((3, 0)));
        check("2", None);
        check("", None);
        check("two.one", None);
        assert!(parse("2.9.1") < Some(OLDEST), "as numbers, not as text");
    }
}
