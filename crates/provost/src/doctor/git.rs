//! What git says: is it there, is it new enough, does it leave the home alone.

use camino::Utf8Path;
use provost_kernel::{Lang, Message};
use provost_vault::Layout;

use super::{Check, State, checks::unusable};
use crate::{
    environment::Environment,
    git::{self, GitError, OLDEST},
    ignored::{self, Ignored},
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
            format!("无法识别 git 的版本：`{version}`"),
        ),
    };
    let hint = lang.render_all(&GitError::Missing.hints()).concat();
    Check::new(NAME, State::Fail, what).with_hint(hint)
}

/// Looks whether git ignores the home and tracks nothing in it (HOOK-2.6).
pub(super) fn ignored(environment: &Environment, layout: &Layout, lang: Lang) -> Check {
    let (home, rules) = (layout.home().path(), layout.gitignore().path());
    let hint = lang
        .pick(format!("write a line `*` into `{rules}`"), format!("请在 `{rules}` 中写入一行 `*`"));
    look(environment, "ignored", &home, &layout.format().path(), hint, lang)
}

/// Looks at the folder of the original in the same way, if there is one.
pub(super) fn former_ignored(environment: &Environment, lang: Lang) -> Option<Check> {
    let folder = ignored::former()?;
    let hint = lang.pick(
        "write a line `.omc/` into the `.gitignore` of the repository",
        "请在仓库的 `.gitignore` 中写入一行 `.omc/`",
    );
    let file = folder.join("state.json");
    Some(look(environment, "ignored_omc", &folder, &file, hint.to_owned(), lang))
}

fn look(
    environment: &Environment,
    name: &'static str,
    folder: &Utf8Path,
    file: &Utf8Path,
    hint: String,
    lang: Lang,
) -> Check {
    let found = match ignored::look(environment, folder, file) {
        Ok(found) => found,
        Err(error) => return unusable(name, &error, lang),
    };
    let what = lang.render(&found.describe(folder));
    match found {
        Ignored::NoRepository | Ignored::Yes => Check::new(name, State::Ok, what),
        Ignored::Tracked { .. } => Check::new(name, State::Fail, what)
            .with_hint(format!("`git rm -r --cached -- {folder}`")),
        Ignored::No => Check::new(name, State::Fail, what).with_hint(hint),
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
