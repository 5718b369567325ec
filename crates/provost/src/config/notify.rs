//! Who may say where notifications go.

use provost_kernel::Message;
use provost_rules::config::{Effective, Origin};

/// All of them: a repository could start a program, read a file, send to an address of its own, or keep
/// a person from being told.
const PERSONAL: [&str; 10] = [
    "notify.command",
    "notify.desktop",
    "notify.lang",
    "notify.ntfy",
    "notify.ntfy_token_file",
    "notify.rate_per_minute",
    "notify.telegram_mention",
    "notify.telegram_token_file",
    "notify.webhook",
    "notify.webhook_secret_file",
];

/// A key that stands in a file of the repository.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "config.personal",
    en = "`{key}` ({origin}) may not come from a repository: it would decide where your notifications go",
    zh = "`{key}`（{origin}）不能来自仓库：它会决定你的通知发往何处",
    hint(
        en = "move it to `~/.config/provost/provost.toml` or `.provost/local.toml`",
        zh = "请移到 `~/.config/provost/provost.toml` 或 `.provost/local.toml`"
    )
)]
pub(super) struct PersonalKey {
    key: &'static str,
    origin: Origin,
}

/// Refuses what a repository may not decide.
pub(super) fn check_notify(
    effective: &Effective,
    is_own: impl Fn(&Origin) -> bool,
) -> Result<(), PersonalKey> {
    for key in PERSONAL {
        let Some(origin) = effective.setting(key).map(|it| &it.origin) else { continue };
        let is_allowed = match origin {
            Origin::BuiltIn | Origin::Environment { .. } | Origin::Flag { .. } => true,
            Origin::File { .. } => is_own(origin),
            Origin::Revision { .. } => false,
        };
        if !is_allowed {
            return Err(PersonalKey { key, origin: origin.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use provost_kernel::Config;
    use provost_rules::config::{Keys, Setting};

    use super::*;

    fn effective(key: &str, origin: Origin) -> Effective {
        let mut effective = Effective::built_in();
        let setting = Setting { key: key.to_owned(), value: "x".into(), origin };
        effective.add(vec![setting]).unwrap();
        effective
    }

    #[test]
    fn a_repository_cannot_say_where_notifications_go() {
        let file = |path: &str| Origin::File { path: path.to_owned(), line: 3 };
        let revision =
            Origin::Revision { path: "provost.toml", revision: "main".to_owned(), line: 3 };
        let is_own = |origin: &Origin| *origin == file("own.toml");
        let variable = Origin::Environment { name: "PROVOST_NOTIFY_COMMAND".to_owned() };
        for key in PERSONAL {
            let check = |origin| check_notify(&effective(key, origin), is_own).is_ok();
            assert!(check(file("own.toml")) && check(variable.clone()), "{key}");
            assert!(!check(file("provost.toml")) && !check(revision.clone()), "{key}");
        }
    }

    #[test]
    fn every_key_of_notifications_is_personal() {
        let keys = Keys::of(&Config::schema());
        let open: Vec<_> =
            keys.iter().filter(|it| it.starts_with("notify.") && !PERSONAL.contains(it)).collect();
        assert!(open.is_empty(), "{open:?}");
    }
}
