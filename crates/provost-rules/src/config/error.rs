//! Why a configuration is refused.

use provost_kernel::{Lang, Message, Text};
use serde_json::Value;

use super::{Keys, Kind, MAX_NAME, Misfit, Origin, Policy, RESERVED_VARIABLES, Setting, join};
use crate::nearest::nearest;

/// How many characters of a value an error shows.
const SHOWN: usize = 80;

/// Why a configuration is refused.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum ConfigError {
    /// Nobody reads this key.
    UnknownKey { key: String, origin: Origin, nearest: Option<String>, known: Vec<String> },
    /// Nobody reads this variable, although its name is one of ours.
    UnknownVariable { name: String, nearest: Option<String> },
    /// The key cannot hold this value.
    WrongType { key: String, origin: Origin, expected: Kind, found: Box<Value> },
    /// An element of a list of tables is not what it should be; elements are counted from 1.
    BadElement { key: String, number: usize, origin: Origin, misfit: Box<Misfit> },
    /// A name that a person chose for a table of their own, and that cannot be one.
    BadName { section: String, name: String, origin: Origin },
    /// A variable that seems to set what only a file can set.
    OnlyFiles { name: String, key: String },
    /// A later layer would loosen what an earlier one guards.
    Loosened { policy: Policy, earlier: Box<Setting>, later: Box<Setting> },
    /// Each key is right alone, and all of them together are not.
    Incoherent(#[source] serde_json::Error),
}

impl ConfigError {
    pub(super) fn unknown_key(keys: &Keys, section: &str, name: &str, origin: &Origin) -> Self {
        // In quotes, a dot is a part of the name: the key itself is what the person meant.
        let whole = Some(join(section, name)).filter(|it| keys.kind(it).is_some());
        let near = || nearest(name, keys.names(section)).map(|it| join(section, it));
        Self::UnknownKey {
            key: join(section, &shown(name)),
            origin: origin.clone(),
            nearest: whole.or_else(near),
            known: keys.names(section).map(|it| join(section, it)).collect(),
        }
    }

    pub(super) fn bad_name(section: &str, name: &str, origin: &Origin) -> Self {
        Self::BadName { section: section.to_owned(), name: shown(name), origin: origin.clone() }
    }

    pub(super) fn only_files(name: &str, key: &str) -> Self {
        Self::OnlyFiles { name: shorten(name), key: key.to_owned() }
    }

    pub(super) fn unknown_variable(keys: &Keys, name: &str) -> Self {
        let variables: Vec<_> = keys.variables().map(|(name, _)| name).collect();
        let known = variables.iter().map(String::as_str).chain(RESERVED_VARIABLES);
        // All of them share a long prefix, so that only the rest can tell how near a name is.
        let rest = |it: &'_ str| it.strip_prefix(super::keys::PREFIX).map(str::to_owned);
        let rests: Vec<_> = known.filter_map(rest).collect();
        let found = nearest(&rest(name).unwrap_or_default(), rests.iter().map(String::as_str));
        let nearest = found.map(|it| format!("{}{it}", super::keys::PREFIX));
        Self::UnknownVariable { name: shorten(name), nearest }
    }
}

impl Message for ConfigError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::UnknownKey { key, origin, .. } => {
                let at = origin.describe(lang);
                lang.pick(
                    format!("unknown key `{key}` ({at})"),
                    format!("未知的配置键 `{key}`({at})"),
                )
            }
            Self::UnknownVariable { name, .. } => {
                lang.pick(format!("unknown variable `{name}`"), format!("未知的环境变量 `{name}`"))
            }
            Self::WrongType { key, origin, expected, found } => {
                let (at, expected) = (origin.describe(lang), expected.describe(lang));
                let found = describe(found, lang);
                lang.pick(
                    format!("`{key}` is {found} ({at}), expected {expected}"),
                    format!("`{key}` 的值为 {found}({at}),应为{expected}"),
                )
            }
            Self::BadElement { key, number, origin, misfit } => {
                let (at, what) = (origin.describe(lang), misfit.text().render(lang));
                lang.pick(
                    format!("element {number} of `{key}` ({at}): {what}"),
                    format!("`{key}` 的第 {number} 个元素({at}):{what}"),
                )
            }
            Self::BadName { section, name, origin } => {
                let at = origin.describe(lang);
                lang.pick(
                    format!("`{name}` ({at}) cannot be a name in `{section}`"),
                    format!("`{name}`({at})不能作为 `{section}` 中的名称"),
                )
            }
            Self::OnlyFiles { name, key } => lang.pick(
                format!("variable `{name}` cannot set `{key}`"),
                format!("环境变量 `{name}` 不能设置 `{key}`"),
            ),
            Self::Loosened { policy, earlier, later } => {
                let (key, rule) = (&later.key, policy.describe(lang));
                let before = describe(&earlier.value, lang);
                let after = describe(&later.value, lang);
                let (first, then) = (earlier.origin.describe(lang), later.origin.describe(lang));
                lang.pick(
                    format!("`{key}` {rule}: it is {before} ({first}), then {after} ({then})"),
                    format!("`{key}` {rule}:先为 {before}({first}),后为 {after}({then})"),
                )
            }
            Self::Incoherent(_) => lang
                .pick("the configuration does not hold together", "各项配置合在一起不成立")
                .to_owned(),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::UnknownKey { nearest: Some(name), .. }
                | Self::UnknownVariable { nearest: Some(name), .. } => {
                    lang.pick(format!("did you mean `{name}`?"), format!("是否想写 `{name}`?"))
                }
                Self::UnknownKey { nearest: None, known, .. } => {
                    let known: Vec<_> = known.iter().map(|it| format!("`{it}`")).collect();
                    let known = known.join(", ");
                    lang.pick(format!("the keys here are {known}"), format!("此处可用的键:{known}"))
                }
                Self::UnknownVariable { nearest: None, name } => lang.pick(
                    format!("unset `{name}`; `provost config schema` lists every key"),
                    format!("请取消设置 `{name}`;`provost config schema` 列出所有的键"),
                ),
                Self::Loosened { later, .. } => {
                    let at = later.origin.describe(lang);
                    lang.pick(
                        format!("a later layer can only tighten this key: remove it ({at})"),
                        format!("后面的层只能收紧此键:请删除它({at})"),
                    )
                }
                Self::BadElement { misfit, .. } => {
                    misfit.hint(lang).unwrap_or_else(|| look_at_the_schema(lang))
                }
                Self::BadName { .. } => lang.pick(
                    format!("a name has letters, digits, `.`, `_` and `-`, at most {MAX_NAME}"),
                    format!("名称由字母、数字、`.`、`_` 和 `-` 组成,最多 {MAX_NAME} 个字符"),
                ),
                Self::OnlyFiles { name, key } => lang.pick(
                    format!("unset `{name}`, and write `{key}` into a file of configuration"),
                    format!("请取消设置 `{name}`,并将 `{key}` 写入配置文件"),
                ),
                Self::WrongType { .. } | Self::Incoherent(_) => look_at_the_schema(lang),
            };
            vec![hint]
        })
    }
}

impl Origin {
    /// The place, in a few words.
    pub fn describe(&self, lang: Lang) -> String {
        match self {
            Self::BuiltIn => lang.pick("built in", "内置").to_owned(),
            Self::File { path, line } => format!("`{path}:{line}`"),
            Self::Revision { path, revision, line } => lang.pick(
                format!("`{path}:{line}` at `{revision}`"),
                format!("`{revision}` 处的 `{path}:{line}`"),
            ),
            Self::Environment { name } => {
                lang.pick(format!("variable `{name}`"), format!("环境变量 `{name}`"))
            }
            Self::Flag { name } => lang.pick(format!("flag `{name}`"), format!("参数 `{name}`")),
        }
    }
}

fn look_at_the_schema(lang: Lang) -> String {
    lang.pick(
        "`provost config schema` describes every key",
        "`provost config schema` 描述了所有的键",
    )
    .to_owned()
}

/// A name that somebody else wrote, as TOML would write it, cut to a length that people read.
pub(super) fn shown(name: &str) -> String {
    let bare = name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
    shorten(&if bare && !name.is_empty() { name.to_owned() } else { format!("{name:?}") })
}

/// A value, cut to a length that people read.
pub(super) fn describe(value: &Value, lang: Lang) -> String {
    match value {
        Value::Object(_) => lang.pick("a table", "表").to_owned(),
        Value::Null => {
            lang.pick("a date or a number out of range", "日期或超出范围的数").to_owned()
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            format!("`{}`", shorten(&value.to_string()))
        }
    }
}

/// Cuts a text that somebody else wrote to a length that people read.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Config;

    use super::*;

    #[track_caller]
    fn check(error: &ConfigError, lang: Lang, text: &str, hint: &str) {
        assert_eq!(
            (error.text().render(lang).as_str(), error.hints_in(lang).join("|").as_str()),
            (text, hint)
        );
    }

    #[test]
    fn an_unknown_name_comes_with_the_nearest_or_with_all() {
        let keys = Keys::of(&Config::schema());
        let origin = Origin::File { path: "p.toml".to_owned(), line: 3 };
        let near = ConfigError::unknown_key(&keys, "identity", "usr", &origin);
        check(
            &near,
            Lang::En,
            "unknown key `identity.usr` (`p.toml:3`)",
            "did you mean `identity.user`?",
        );
        check(
            &near,
            Lang::Zh,
            "未知的配置键 `identity.usr`(`p.toml:3`)",
            "是否想写 `identity.user`?",
        );
        let far = ConfigError::unknown_key(&keys, "identity", "xyzzy", &origin);
        check(
            &far,
            Lang::En,
            "unknown key `identity.xyzzy` (`p.toml:3`)",
            "the keys here are `identity.host`, `identity.user`",
        );
        for (name, expected) in [
            ("PROVOST_LNAG", Some("PROVOST_LANG")),
            ("PROVOST_HOEM", Some("PROVOST_HOME")),
            ("PROVOST_IDENTITY", Some("PROVOST_IDENTITY_USER")),
            ("PROVOST_TASK_JUGDE", Some("PROVOST_TASK_JUDGE")),
            ("PROVOST_XYZZY", None),
            ("PROVOST_", None),
        ] {
            let ConfigError::UnknownVariable { nearest, .. } =
                ConfigError::unknown_variable(&keys, name)
            else {
                panic!("another error")
            };
            assert_eq!(nearest.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn what_a_person_named_is_explained_in_both_languages() {
        let origin =
            Origin::Revision { path: "provost.toml", revision: "main".to_owned(), line: 3 };
        let name = ConfigError::bad_name("adapter", "a b", &origin);
        check(
            &name,
            Lang::En,
            "`\"a b\"` (`provost.toml:3` at `main`) cannot be a name in `adapter`",
            "a name has letters, digits, `.`, `_` and `-`, at most 64",
        );
        check(
            &name,
            Lang::Zh,
            "`\"a b\"`(`main` 处的 `provost.toml:3`)不能作为 `adapter` 中的名称",
            "名称由字母、数字、`.`、`_` 和 `-` 组成,最多 64 个字符",
        );
        let variable = ConfigError::only_files("PROVOST_ADAPTER_X", "adapter");
        check(
            &variable,
            Lang::En,
            "variable `PROVOST_ADAPTER_X` cannot set `adapter`",
            "unset `PROVOST_ADAPTER_X`, and write `adapter` into a file of configuration",
        );
        check(
            &variable,
            Lang::Zh,
            "环境变量 `PROVOST_ADAPTER_X` 不能设置 `adapter`",
            "请取消设置 `PROVOST_ADAPTER_X`,并将 `adapter` 写入配置文件",
        );
    }

    #[test]
    fn a_value_of_a_megabyte_is_cut() {
        let error = ConfigError::WrongType {
            key: "lang".to_owned(),
            origin: Origin::Flag { name: "--lang".to_owned() },
            expected: Kind::Text,
            found: Value::String("键".repeat(1_000_000)).into(),
        };
        assert!(error.to_string().chars().count() < 250);
    }
}
