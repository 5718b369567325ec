//! Whether provost may run as this user on this machine (LOOP-A1).

use std::fmt::Write as _;

use provost_kernel::{IdentityConfig, Lang, Message, Text};

/// Who runs provost and where; none where the system does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub user: Option<String>,
    pub host: Option<String>,
}

/// Which of the two names is held against the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    Nothing,
    User,
    Host,
    UserAndHost,
}

/// A user or a machine that is not the configured one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct IdentityError {
    pub mismatches: Vec<Mismatch>,
}

/// One name that is not the configured one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub name: Name,
    pub expected: String,
    /// None when the system does not say it.
    pub actual: Option<String>,
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    User,
    Host,
}

/// Holds the running identity against the configured one, and says what was held.
///
/// A name that is configured and cannot be found out is a mismatch. The names of machines are
/// the same in upper and lower case; those of users are not.
pub fn check(expected: &IdentityConfig, running: &Running) -> Result<Enforced, IdentityError> {
    let user = (Name::User, expected.user.as_ref(), running.user.as_ref());
    let host = (Name::Host, expected.host.as_ref(), running.host.as_ref());
    let mismatches: Vec<Mismatch> = [user, host]
        .into_iter()
        .filter_map(|(name, expected, actual)| {
            let expected = expected?;
            let differs = actual.is_none_or(|it| !name.is_same(expected, it));
            differs.then(|| Mismatch { name, expected: expected.clone(), actual: actual.cloned() })
        })
        .collect();
    if !mismatches.is_empty() {
        return Err(IdentityError { mismatches });
    }
    Ok(match (&expected.user, &expected.host) {
        (None, None) => Enforced::Nothing,
        (Some(_), None) => Enforced::User,
        (None, Some(_)) => Enforced::Host,
        (Some(_), Some(_)) => Enforced::UserAndHost,
    })
}

impl Name {
    fn is_same(self, a: &str, b: &str) -> bool {
        match self {
            Self::User => a == b,
            Self::Host => a.eq_ignore_ascii_case(b),
        }
    }

    fn describe(self, lang: Lang) -> &'static str {
        match self {
            Self::User => lang.pick("user", "用户"),
            Self::Host => lang.pick("host", "主机"),
        }
    }
}

impl Message for IdentityError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let mut text = lang.pick("provost may not run here", "provost 不能在此运行").to_owned();
            for Mismatch { name, expected, actual } in &self.mismatches {
                let name = name.describe(lang);
                let actual = actual.as_deref().map_or_else(
                    || lang.pick("unknown", "未知").to_owned(),
                    |it| format!("`{it}`"),
                );
                // Writing to a string cannot fail.
                let _ = match lang {
                    Lang::En => write!(text, "; expected {name} `{expected}`, actual {actual}"),
                    Lang::Zh => write!(text, ";{name}应为 `{expected}`,实为 {actual}"),
                };
            }
            text
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            vec![
                lang.pick(
                    "`provost config show --origin` says where `identity` is set",
                    "`provost config show --origin` 会显示 `identity` 是在哪里设置的",
                )
                .to_owned(),
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` and `running` are `user@host`; `-` is absent.
    #[track_caller]
    fn check(expected: &str, running: &str, answer: Result<Enforced, &str>) {
        let split = |text: &str| {
            let (user, host) = text.split_once('@').unwrap();
            let name = |it: &str| (it != "-").then(|| it.to_owned());
            (name(user), name(host))
        };
        let (user, host) = split(expected);
        let config = IdentityConfig { user, host };
        let (user, host) = split(running);
        let actual = super::check(&config, &Running { user, host });
        let actual = actual.map_err(|it| it.to_string());
        assert_eq!(actual, answer.map_err(str::to_owned), "{expected} {running}");
    }

    /// LOOP-A1.
    #[test]
    fn the_running_names_must_be_the_configured_ones() {
        check("-@-", "ann@mill", Ok(Enforced::Nothing));
        check("-@-", "-@-", Ok(Enforced::Nothing));
        check("ann@-", "ann@mill", Ok(Enforced::User));
        check("-@mill", "ann@mill", Ok(Enforced::Host));
        check("ann@Mill.local", "ann@mill.LOCAL", Ok(Enforced::UserAndHost));
        check(
            "ann@mill",
            "bob@mill",
            Err("provost may not run here; expected user `ann`, actual `bob`"),
        );
        check(
            "ann@mill",
            "bob@barn",
            Err(
                "provost may not run here; expected user `ann`, actual `bob`; expected host `mill`, actual `barn`",
            ),
        );
        check(
            "ann@-",
            "ANN@mill",
            Err("provost may not run here; expected user `ann`, actual `ANN`"),
        );
        check(
            "-@mill",
            "ann@mill.local",
            Err("provost may not run here; expected host `mill`, actual `mill.local`"),
        );
        check(
            "ann@mill",
            "-@mill",
            Err("provost may not run here; expected user `ann`, actual unknown"),
        );
    }

    #[test]
    fn it_speaks_chinese_too() {
        let error = IdentityError {
            mismatches: vec![Mismatch {
                name: Name::User,
                expected: "ann".to_owned(),
                actual: Some("bob".to_owned()),
            }],
        };
        assert_eq!(error.text().render(Lang::Zh), "provost 不能在此运行;用户应为 `ann`,实为 `bob`");
    }
}
