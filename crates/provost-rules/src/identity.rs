//! Whether provost may run as this user on this machine (LOOP-A1).

use provost_kernel::{IdentityConfig, Message};

/// Who runs provost and where; none where the system does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub user: Option<String>,
    pub host: Option<String>,
}

/// Which of the two names the configuration enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    Nothing,
    User,
    Host,
    UserAndHost,
}

/// The running user or machine is not the configured one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "identity",
    en = "provost may not run here; {mismatches:clauses}",
    zh = "provost 不能在此运行；{mismatches:clauses}",
    hint(
        en = "`provost config show --origin` says where `identity` is set",
        zh = "`provost config show --origin` 会显示 `identity` 是在哪里设置的"
    )
)]
pub struct IdentityError {
    pub mismatches: Vec<Mismatch>,
}

/// One name that is not the configured one.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "identity.mismatch")]
pub enum Mismatch {
    #[message(
        en = "expected {name} `{expected}`, actual `{actual}`",
        zh = "{name}应为 `{expected}`，实为 `{actual}`"
    )]
    Different { name: Name, expected: String, actual: String },
    /// The system does not name it.
    #[message(
        en = "expected {name} `{expected}`, actual unknown",
        zh = "{name}应为 `{expected}`，实为未知"
    )]
    Unknown { name: Name, expected: String },
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "identity.name")]
pub enum Name {
    #[message(en = "user", zh = "用户")]
    User,
    #[message(en = "host", zh = "主机")]
    Host,
}

/// Compares the running identity with the configured one, and says which names are enforced.
///
/// A configured name that the system does not know is a mismatch. Host names are compared without
/// regard to case, user names with it.
pub fn check(expected: &IdentityConfig, running: &Running) -> Result<Enforced, IdentityError> {
    let user = (Name::User, expected.user.as_ref(), running.user.as_ref());
    let host = (Name::Host, expected.host.as_ref(), running.host.as_ref());
    let mismatches: Vec<Mismatch> = [user, host]
        .into_iter()
        .filter_map(|(name, expected, actual)| {
            let expected = expected?.clone();
            match actual {
                None => Some(Mismatch::Unknown { name, expected }),
                Some(actual) if name.is_same(&expected, actual) => None,
                Some(actual) => {
                    Some(Mismatch::Different { name, expected, actual: actual.clone() })
                }
            }
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
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

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
            mismatches: vec![Mismatch::Different {
                name: Name::User,
                expected: "ann".to_owned(),
                actual: "bob".to_owned(),
            }],
        };
        assert_eq!(
            Lang::Zh.render(&error.text()),
            "provost 不能在此运行；用户应为 `ann`，实为 `bob`"
        );
    }
}
