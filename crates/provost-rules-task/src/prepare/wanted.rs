//! What the configuration asks for under `prepare`.

use std::collections::BTreeSet;

use provost_form::nearest::nearest;
use provost_kernel::{Message, PrepareConfig, shorten};
use provost_rules::ecosystem::{Install, installs};
use serde::Serialize;

/// One step of the preparation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wanted {
    pub by: PrepareBy,
    /// A file of the checkout that must be there.
    pub when: Option<String>,
}

/// How a step prepares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PrepareBy {
    Command(String),
    Ecosystem(NamedInstall),
}

/// A row of the table of installations, for a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedInstall {
    /// As it is written in the configuration.
    pub name: String,
    /// From the root; empty for the root itself.
    pub folder: String,
}

/// Why a step cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "config.prepare")]
pub enum PrepareError {
    #[message(
        en = "entry {number} of `[[prepare]]` has both `command` and `ecosystem`",
        zh = "`[[prepare]]` 的第 {number} 项同时有 `command` 和 `ecosystem`",
        hint(en = "leave out one of them", zh = "请去掉其中之一")
    )]
    Both { number: usize },
    #[message(
        en = "entry {number} of `[[prepare]]` has neither `command` nor `ecosystem`",
        zh = "`[[prepare]]` 的第 {number} 项既没有 `command` 也没有 `ecosystem`",
        hint(
            en = "write `command = \"make deps\"` or `ecosystem = \"uv\"`",
            zh = "请写 `command = \"make deps\"` 或 `ecosystem = \"uv\"`"
        )
    )]
    Neither { number: usize },
    #[message(
        en = "unknown ecosystem `{name}` in `[[prepare]]`",
        zh = "`[[prepare]]` 中的生态系统 `{name}` 未知",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "one of {known:names}; or write a `command`",
            zh = "可用的有 {known:names}；或改写 `command`"
        )
    )]
    Unknown { name: String, nearest: Option<String>, known: Vec<String> },
    #[message(
        en = "`folder` in `[[prepare]]` belongs to an `ecosystem`, not to a `command`",
        zh = "`[[prepare]]` 中的 `folder` 只用于 `ecosystem`，不用于 `command`",
        hint(
            en = "`cd {folder} && …` at the start of the command does the same",
            zh = "可在命令开头写 `cd {folder} && …`"
        )
    )]
    FolderOfCommand { folder: String },
    #[message(
        en = "`folder = \"{folder}\"` in `[[prepare]]` leaves the repository",
        zh = "`[[prepare]]` 中的 `folder = \"{folder}\"` 超出了仓库",
        hint(
            en = "write a path from the root of the repository",
            zh = "请写从仓库根目录开始的路径"
        )
    )]
    Outside { folder: String },
}

/// Reads what the configuration asks for.
pub fn wanted(config: &[PrepareConfig]) -> Result<Vec<Wanted>, PrepareError> {
    config.iter().zip(1..).map(|(it, number)| step(it, number)).collect()
}

fn step(config: &PrepareConfig, number: usize) -> Result<Wanted, PrepareError> {
    let PrepareConfig { command, ecosystem, folder, when } = config;
    let by = match (command, ecosystem) {
        (Some(_), Some(_)) => return Err(PrepareError::Both { number }),
        (None, None) => return Err(PrepareError::Neither { number }),
        (Some(command), None) => match folder {
            Some(it) => return Err(PrepareError::FolderOfCommand { folder: shorten(it) }),
            None => PrepareBy::Command(command.clone()),
        },
        (None, Some(name)) => PrepareBy::Ecosystem(install(name, folder.as_deref())?),
    };
    Ok(Wanted { by, when: when.clone() })
}

fn install(name: &str, folder: Option<&str>) -> Result<NamedInstall, PrepareError> {
    if rows(name).next().is_none() {
        let known: BTreeSet<&str> = installs().iter().map(short).collect();
        let nearest = nearest(name, known.iter().copied()).map(str::to_owned);
        let known = known.into_iter().map(str::to_owned).collect();
        return Err(PrepareError::Unknown { name: shorten(name), nearest, known });
    }
    let given = folder.unwrap_or_default();
    let parts: Vec<&str> = given.split('/').filter(|it| !matches!(*it, "" | ".")).collect();
    if given.starts_with('/') || parts.contains(&"..") {
        return Err(PrepareError::Outside { folder: shorten(given) });
    }
    Ok(NamedInstall { name: name.to_owned(), folder: parts.join("/") })
}

/// The rows that a name stands for: `yarn` is every version of it.
pub(super) fn rows(name: &str) -> impl Iterator<Item = &'static Install> {
    installs().iter().filter(move |it| it.name == name || short(it) == name)
}

/// The name of a row, without a version.
fn short(row: &Install) -> &str {
    row.name.split(' ').next().unwrap_or(&row.name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(config: Value, expected: Result<Wanted, &str>) {
        let read: PrepareConfig = serde_json::from_value(config.clone()).unwrap();
        let found = wanted(&[read]).map_err(|it| it.to_string());
        assert_eq!(found, expected.map(|it| vec![it]).map_err(str::to_owned), "{config}");
    }

    fn uv(folder: &str) -> Wanted {
        let (name, folder) = ("uv".to_owned(), folder.to_owned());
        Wanted { by: PrepareBy::Ecosystem(NamedInstall { name, folder }), when: None }
    }

    /// Exactly one of `command` and `ecosystem`, and a folder inside the repository.
    #[test]
    fn a_step_is_a_command_or_an_ecosystem() {
        let command = PrepareBy::Command("make".to_owned());
        let when = Some("Makefile".to_owned());
        check(json!({"command": "make", "when": "Makefile"}), Ok(Wanted { by: command, when }));
        check(json!({"ecosystem": "uv"}), Ok(uv("")));
        check(json!({"ecosystem": "uv", "folder": "./backend/api/"}), Ok(uv("backend/api")));
        for (config, said) in [
            (json!({}), "entry 1 of `[[prepare]]` has neither `command` nor `ecosystem`"),
            (
                json!({"command": "make", "ecosystem": "uv"}),
                "entry 1 of `[[prepare]]` has both `command` and `ecosystem`",
            ),
            (json!({"ecosystem": "uvv"}), "unknown ecosystem `uvv` in `[[prepare]]`"),
            (
                json!({"command": "make", "folder": "x"}),
                "`folder` in `[[prepare]]` belongs to an `ecosystem`, not to a `command`",
            ),
            (
                json!({"ecosystem": "uv", "folder": "a/../.."}),
                "`folder = \"a/../..\"` in `[[prepare]]` leaves the repository",
            ),
            (
                json!({"ecosystem": "uv", "folder": "/x"}),
                "`folder = \"/x\"` in `[[prepare]]` leaves the repository",
            ),
        ] {
            check(config, Err(said));
        }
        let PrepareError::Unknown { nearest, known, .. } = install("pnmp", None).unwrap_err()
        else {
            panic!("pnmp is known");
        };
        assert_eq!(nearest.as_deref(), Some("pnpm"));
        assert!(known.contains(&"yarn".to_owned()) && !known.contains(&"yarn 1".to_owned()));
    }
}
