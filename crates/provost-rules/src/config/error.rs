//! Why a configuration is refused.

use provost_form::nearest::nearest;
use provost_kernel::{Message, shorten};
use serde_json::Value;

use super::{Keys, Kind, MAX_NAME, Misfit, Origin, Policy, RESERVED_VARIABLES, Setting, join};

/// Why a configuration is refused.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "config")]
pub enum ConfigError {
    #[message(
        en = "unknown key `{key}` ({origin})",
        zh = "未知的配置键 `{key}`（{origin}）",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "the keys here are {known:names}",
            zh = "此处可用的键：{known:names}"
        )
    )]
    UnknownKey { key: String, origin: Origin, nearest: Option<String>, known: Vec<String> },
    /// A variable with the prefix of provost that sets no key.
    #[message(
        en = "unknown variable `{name}`",
        zh = "未知的环境变量 `{name}`",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "unset `{name}`; `provost config schema` lists every key",
            zh = "请取消设置 `{name}`；`provost config schema` 列出所有的键"
        )
    )]
    UnknownVariable { name: String, nearest: Option<String> },
    /// The key cannot hold this value.
    #[message(
        en = "`{key}` is {found} ({origin}), expected {expected}",
        zh = "`{key}` 的值为 {found}（{origin}），应为{expected}",
        arg(found = Found::from(&**found)),
        hint(
            en = "`provost config schema` describes every key",
            zh = "`provost config schema` 描述了所有的键"
        )
    )]
    WrongType { key: String, origin: Origin, expected: Kind, found: Box<Value> },
    /// An element of a list of tables is not what it should be; elements are counted from 1.
    #[message(
        en = "element {number} of `{key}` ({origin}): {misfit}",
        zh = "`{key}` 的第 {number} 个元素（{origin}）：{misfit}",
        hint(
            when = misfit.hints().is_empty(),
            en = "`provost config schema` describes every key",
            zh = "`provost config schema` 描述了所有的键"
        ),
        inherit = misfit
    )]
    BadElement { key: String, number: usize, origin: Origin, misfit: Box<Misfit> },
    /// A name that a person chose for a table of their own, and that cannot be one.
    #[message(
        en = "`{name}` ({origin}) cannot be a name in `{section}`",
        zh = "`{name}`（{origin}）不能作为 `{section}` 中的名称",
        arg(limit = MAX_NAME),
        hint(
            en = "a name has letters, digits, `.`, `_` and `-`, at most {limit}",
            zh = "名称由字母、数字、`.`、`_` 和 `-` 组成，最多 {limit} 个字符"
        )
    )]
    BadName { section: String, name: String, origin: Origin },
    /// A variable that seems to set what only a file can set.
    #[message(
        en = "variable `{name}` cannot set `{key}`",
        zh = "环境变量 `{name}` 不能设置 `{key}`",
        hint(
            en = "unset `{name}`, and write `{key}` into a configuration file",
            zh = "请取消设置 `{name}`，并将 `{key}` 写入配置文件"
        )
    )]
    OnlyFiles { name: String, key: String },
    /// A later layer would loosen what an earlier one guards.
    #[message(
        en = "`{key}` {policy}: it is {before} ({first}), then {after} ({then})",
        zh = "`{key}` {policy}：先为 {before}（{first}），后为 {after}（{then}）",
        arg(key = later.key),
        arg(before = Found::from(&earlier.value)),
        arg(after = Found::from(&later.value)),
        arg(first = earlier.origin),
        arg(then = later.origin),
        hint(
            en = "a later layer can only tighten this key: remove it ({then})",
            zh = "后面的层只能收紧此键：请删除它（{then}）"
        )
    )]
    Loosened { policy: Policy, earlier: Box<Setting>, later: Box<Setting> },
    /// Each key is valid alone, and all of them together are not.
    #[message(
        en = "the keys of the configuration contradict each other",
        zh = "各项配置相互矛盾",
        hint(
            en = "`provost config schema` describes every key",
            zh = "`provost config schema` 描述了所有的键"
        )
    )]
    Incoherent(#[source] serde_json::Error),
}

/// A value as an error shows it, cut to a length that people read.
#[derive(Debug, Message)]
#[message(code = "config.found")]
pub(super) enum Found {
    #[message(en = "a table", zh = "表")]
    Table,
    #[message(en = "a date or a number out of range", zh = "日期或超出范围的数")]
    NotJson,
    #[message(en = "`{0}`", zh = "`{0}`")]
    Value(String),
}

impl From<&Value> for Found {
    fn from(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::Table,
            Value::Null => Self::NotJson,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Self::Value(shorten(&value.to_string()))
            }
        }
    }
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

/// A foreign name as TOML would write it, shortened.
pub(super) fn shown(name: &str) -> String {
    let bare = name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
    shorten(&if bare && !name.is_empty() { name.to_owned() } else { format!("{name:?}") })
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Config, Lang};

    use super::*;

    #[track_caller]
    fn check(error: &ConfigError, lang: Lang, text: &str, hint: &str) {
        assert_eq!(
            (
                lang.render(&error.text()).as_str(),
                lang.render_all(&error.hints()).join("|").as_str()
            ),
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
            "未知的配置键 `identity.usr`（`p.toml:3`）",
            "是否想写 `identity.user`？",
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
            "`\"a b\"`（`main` 处的 `provost.toml:3`）不能作为 `adapter` 中的名称",
            "名称由字母、数字、`.`、`_` 和 `-` 组成，最多 64 个字符",
        );
        let variable = ConfigError::only_files("PROVOST_ADAPTER_X", "adapter");
        check(
            &variable,
            Lang::En,
            "variable `PROVOST_ADAPTER_X` cannot set `adapter`",
            "unset `PROVOST_ADAPTER_X`, and write `adapter` into a configuration file",
        );
        check(
            &variable,
            Lang::Zh,
            "环境变量 `PROVOST_ADAPTER_X` 不能设置 `adapter`",
            "请取消设置 `PROVOST_ADAPTER_X`，并将 `adapter` 写入配置文件",
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
