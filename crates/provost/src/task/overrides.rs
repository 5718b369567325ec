//! `provost override`: change what a task was allowed, or return to what it was before.

use provost_kernel::{
    Exit, Lang, Message, Text,
    task::{Order, Overrides, TaskSpec},
};
use provost_rules::nearest::nearest;

use super::order::Addressed;
use crate::session::{AnyFault, Preparation, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost override t1 max_attempts=5\n  provost override t1 --rollback\n  provost override t1 --rollback 2\n\nEvery change and every rollback is a new version. Version 0 is the task spec."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
    #[command(flatten)]
    change: Change,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Change {
    /// What to change; the key is `max_attempts`
    #[arg(value_name = "KEY=VALUE")]
    setting: Option<String>,
    /// Roll back to this version [default: the previous one]
    #[arg(long, value_name = "VERSION", num_args = 0..=1, default_missing_value = PREVIOUS)]
    rollback: Option<String>,
}

/// A change that cannot be understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
enum ChangeError {
    /// There is no `=` in it.
    NoValue {
        text: String,
    },
    UnknownKey {
        key: String,
    },
    NotANumber {
        key: &'static str,
        value: String,
    },
    NotAVersion {
        text: String,
    },
}

const MAX_ATTEMPTS: &str = "max_attempts";
/// The version before what holds now.
const PREVIOUS: &str = "previous";
/// What can be overridden.
const KEYS: [&str; 1] = [MAX_ATTEMPTS];

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let order = match (&self.change.setting, &self.change.rollback) {
            (Some(setting), _) => Order::Override { overrides: setting_of(setting)? },
            (None, Some(version)) if version != PREVIOUS => {
                Order::Rollback { to_version: Some(number(version)?) }
            }
            // The parser wants one of the two.
            (None, Some(_) | None) => Order::Rollback { to_version: None },
        };
        self.to.give(session, order)
    }
}

fn setting_of(text: &str) -> Result<Overrides, ChangeError> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(ChangeError::NoValue { text: text.to_owned() });
    };
    if key != MAX_ATTEMPTS {
        return Err(ChangeError::UnknownKey { key: key.to_owned() });
    }
    let not_a_number = || ChangeError::NotANumber { key: MAX_ATTEMPTS, value: value.to_owned() };
    let max_attempts = value.parse().map_err(|_| not_a_number())?;
    Ok(Overrides { max_attempts: Some(max_attempts) })
}

fn number(text: &str) -> Result<u32, ChangeError> {
    text.parse().map_err(|_| ChangeError::NotAVersion { text: text.to_owned() })
}

impl Message for ChangeError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NoValue { text } => lang.pick(
                format!("`{text}` is no change: write it as `KEY=VALUE`"),
                format!("`{text}` 不是更改:请写作 `KEY=VALUE`"),
            ),
            Self::UnknownKey { key } => {
                lang.pick(format!("`{key}` cannot be overridden"), format!("`{key}` 不可覆盖"))
            }
            Self::NotANumber { key, value } => {
                let (min, max) = (TaskSpec::MAX_ATTEMPTS.start(), TaskSpec::MAX_ATTEMPTS.end());
                lang.pick(
                    format!("`{key}` is a whole number from {min} to {max}, not `{value}`"),
                    format!("`{key}` 应为 {min} 到 {max} 的整数,而非 `{value}`"),
                )
            }
            Self::NotAVersion { text } => lang.pick(
                format!("`{text}` is not the number of a version"),
                format!("`{text}` 不是版本号"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::NoValue { .. } => vec![known_keys(lang)],
            Self::UnknownKey { key } => {
                let slip = nearest(key, KEYS).map(|it| {
                    lang.pick(format!("did you mean `{it}`?"), format!("是否想写 `{it}`?"))
                });
                slip.into_iter().chain([known_keys(lang)]).collect()
            }
            Self::NotANumber { .. } => Vec::new(),
            Self::NotAVersion { .. } => vec![
                lang.pick(
                    "versions count from 1; 0 is what the spec says",
                    "版本从 1 起计;0 表示任务说明中的值",
                )
                .to_owned(),
            ],
        })
    }
}

fn known_keys(lang: Lang) -> String {
    let keys = KEYS.map(|it| format!("`{it}`")).join(", ");
    lang.pick(format!("the known keys are: {keys}"), format!("可用的键:{keys}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<u16, &str>) {
        let actual = setting_of(text).map(|it| it.max_attempts);
        let actual = actual.map_err(|it| it.to_string());
        assert_eq!(actual, expected.map(Some).map_err(str::to_owned), "{text}");
    }

    #[test]
    fn a_change_is_a_known_key_with_a_number() {
        check("max_attempts=5", Ok(5));
        // Which numbers are allowed is a rule's to say.
        check("max_attempts=0", Ok(0));
        check("max_attempts", Err("`max_attempts` is no change: write it as `KEY=VALUE`"));
        check("max_attempt=5", Err("`max_attempt` cannot be overridden"));
        check("=5", Err("`` cannot be overridden"));
        let number = "`max_attempts` is a whole number from 1 to 50, not";
        check("max_attempts=", Err(&format!("{number} ``")));
        check("max_attempts=five", Err(&format!("{number} `five`")));
        check("max_attempts=-1", Err(&format!("{number} `-1`")));
        check("max_attempts=65536", Err(&format!("{number} `65536`")));
        check("max_attempts=5=5", Err(&format!("{number} `5=5`")));
    }
}
