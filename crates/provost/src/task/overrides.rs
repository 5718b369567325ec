//! `provost override`: change what a task was allowed, or return to what it was before.

use provost_form::nearest::nearest;
use provost_kernel::{
    Exit, Message,
    task::{Order, Overrides, TaskSpec},
};

use super::order::Addressed;
use crate::session::{AnyFault, Run, Session};

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

/// A change that cannot be parsed.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.change")]
enum ChangeError {
    #[message(
        en = "invalid change `{text}`: write it as `KEY=VALUE`",
        zh = "无效的更改 `{text}`：请写作 `KEY=VALUE`",
        hint(en = "the known keys are: {known:names}", zh = "可用的键：{known:names}"),
        arg(known = KEYS)
    )]
    NoValue { text: String },
    #[message(
        en = "`{key}` cannot be overridden",
        zh = "`{key}` 不可覆盖",
        hint(
            when = nearest(key, KEYS).is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(en = "the known keys are: {known:names}", zh = "可用的键：{known:names}"),
        arg(nearest = nearest(key, KEYS)),
        arg(known = KEYS)
    )]
    UnknownKey { key: String },
    #[message(
        en = "`{key}` is a whole number from {min} to {max}, not `{value}`",
        zh = "`{key}` 应为 {min} 到 {max} 的整数，而非 `{value}`",
        arg(min = TaskSpec::MAX_ATTEMPTS.start()),
        arg(max = TaskSpec::MAX_ATTEMPTS.end())
    )]
    NotANumber { key: &'static str, value: String },
    #[message(
        en = "`{text}` is not the number of a version",
        zh = "`{text}` 不是版本号",
        hint(
            en = "versions count from 1; 0 is what the spec says",
            zh = "版本从 1 起计；0 表示任务说明中的值"
        )
    )]
    NotAVersion { text: String },
}

const MAX_ATTEMPTS: &str = "max_attempts";
/// The version before what holds now.
const PREVIOUS: &str = "previous";
/// What can be overridden.
const KEYS: [&str; 1] = [MAX_ATTEMPTS];

impl Run for Args {
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
    Ok(Overrides::of_attempts(max_attempts))
}

fn number(text: &str) -> Result<u32, ChangeError> {
    text.parse().map_err(|_| ChangeError::NotAVersion { text: text.to_owned() })
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
        check("max_attempts", Err("invalid change `max_attempts`: write it as `KEY=VALUE`"));
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
