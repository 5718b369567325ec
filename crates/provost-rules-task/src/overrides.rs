//! Overrides as a list of versions: nothing is lost, and a rollback is one more version (LOOP-U6).

use provost_kernel::{
    Message, RecordFile,
    task::{Order, OverrideVersion, Overrides, SpecChange, Status, TaskSpec},
};

use crate::edit::{self, EditError};

/// What limits an override.
#[derive(Clone, Copy, Debug)]
pub struct OverrideLimits<'a> {
    /// What holds without overrides.
    pub spec: &'a RecordFile<TaskSpec>,
    /// How many attempts are already consumed.
    pub consumed: u16,
    pub has_begun: bool,
}

impl<'a> OverrideLimits<'a> {
    /// What limits the overrides of a task, given its spec as it was made.
    pub fn of(spec: &'a RecordFile<TaskSpec>, status: &Status) -> Self {
        Self { spec, consumed: status.attempts_consumed, has_begun: status.current_attempt > 0 }
    }
}

/// The overrides of a new version, and the version that it repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextOverrides {
    /// The number of the new version.
    pub version: u32,
    pub overrides: Overrides,
    /// For a rollback: the version whose overrides these are; 0 is none at all.
    pub rolled_back_to: Option<u32>,
}

/// Why overrides stay as they are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.override")]
pub enum OverrideError {
    #[message(en = "the override changes nothing", zh = "没有要覆盖的内容")]
    Empty,
    #[message(
        en = "`max_attempts` is {max_attempts}, not between {min} and {max}",
        zh = "`max_attempts` 为 {max_attempts}，不在 {min} 到 {max} 之间",
        arg(min = TaskSpec::MAX_ATTEMPTS.start()),
        arg(max = TaskSpec::MAX_ATTEMPTS.end())
    )]
    OutOfRange { max_attempts: u16 },
    #[message(
        en = "`max_attempts` cannot be {max_attempts}: {consumed} {consumed:attempt is|attempts are} used",
        zh = "`max_attempts` 不能为 {max_attempts}：已用 {consumed} 次尝试"
    )]
    BelowConsumed { max_attempts: u16, consumed: u16 },
    #[message(en = "the overrides have no version {version}", zh = "没有第 {version} 版覆盖设置")]
    UnknownVersion { version: u32 },
    #[message(en = "nothing to roll back", zh = "没有可回退的内容")]
    NothingToRollBack,
    #[message(transparent)]
    Edit(EditError),
}

/// The overrides that hold now: those of the newest version.
pub fn current(history: &[OverrideVersion]) -> Overrides {
    history.last().map(|it| it.overrides.clone()).unwrap_or_default()
}

/// The overrides that an order makes; none for orders of another kind.
pub fn ordered(
    order: &Order,
    history: &[OverrideVersion],
    limits: OverrideLimits<'_>,
) -> Result<Option<NextOverrides>, OverrideError> {
    let next = if let Order::Override { overrides: change } = order {
        set(history, change.clone(), limits)?
    } else if let Order::Set { changes } = order {
        edit(history, changes, limits)?
    } else if let Order::Rollback { to_version } = order {
        roll_back(history, *to_version, limits)?
    } else {
        return Ok(None);
    };
    Ok(Some(next))
}

/// Adds a change to what holds now.
pub fn set(
    history: &[OverrideVersion],
    change: Overrides,
    limits: OverrideLimits<'_>,
) -> Result<NextOverrides, OverrideError> {
    let max_attempts = change.max_attempts.ok_or(OverrideError::Empty)?;
    // Other fields are changed by an edit, which looks at them.
    let overrides = Overrides { max_attempts: Some(max_attempts), ..current(history) };
    next(history, overrides, None, limits)
}

/// Changes fields of the spec.
pub fn edit(
    history: &[OverrideVersion],
    changes: &[SpecChange],
    limits: OverrideLimits<'_>,
) -> Result<NextOverrides, OverrideError> {
    let overrides = edit::resolve(limits.spec, &current(history), changes, limits.has_begun);
    next(history, overrides.map_err(OverrideError::Edit)?, None, limits)
}

/// Returns to an earlier version; without one, to the version before what holds now.
///
/// What holds after a rollback is the version that it went back to, so that rolling back twice
/// goes back twice.
pub fn roll_back(
    history: &[OverrideVersion],
    to_version: Option<u32>,
    limits: OverrideLimits<'_>,
) -> Result<NextOverrides, OverrideError> {
    let newest = history.last().ok_or(OverrideError::NothingToRollBack)?;
    let holding = newest.rolled_back_to.unwrap_or(newest.version);
    let target = match to_version {
        Some(version) => version,
        None => holding.checked_sub(1).ok_or(OverrideError::NothingToRollBack)?,
    };
    // A rollback to a rollback is one to where that went.
    let (overrides, root) = match (target, history.iter().find(|it| it.version == target)) {
        (0, _) => (Overrides::default(), 0),
        (_, Some(it)) => (it.overrides.clone(), it.rolled_back_to.unwrap_or(target)),
        (version, None) => return Err(OverrideError::UnknownVersion { version }),
    };
    if limits.has_begun {
        edit::check_begun(&current(history).fields, &overrides.fields)
            .map_err(OverrideError::Edit)?;
    }
    next(history, overrides, Some(root), limits)
}

fn next(
    history: &[OverrideVersion],
    overrides: Overrides,
    rolled_back_to: Option<u32>,
    limits: OverrideLimits<'_>,
) -> Result<NextOverrides, OverrideError> {
    let max_attempts = overrides.max_attempts.unwrap_or(limits.spec.value.max_attempts);
    if !TaskSpec::MAX_ATTEMPTS.contains(&max_attempts) {
        return Err(OverrideError::OutOfRange { max_attempts });
    }
    if max_attempts < limits.consumed {
        return Err(OverrideError::BelowConsumed { max_attempts, consumed: limits.consumed });
    }
    let version = history.last().map_or(0, |it| it.version) + 1;
    Ok(NextOverrides { version, overrides, rolled_back_to })
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Actor, Source, Timestamp};

    use super::*;

    fn spec() -> RecordFile<TaskSpec> {
        RecordFile::new(TaskSpec::new("t1".parse().unwrap()))
    }

    fn at_most(max_attempts: Option<u16>) -> Overrides {
        Overrides { max_attempts, ..Overrides::default() }
    }

    fn remember(history: &mut Vec<OverrideVersion>, next: NextOverrides) {
        history.push(OverrideVersion {
            version: next.version,
            task_id: "t1".parse().unwrap(),
            overrides: next.overrides,
            request_id: None,
            updated_at: Timestamp::EPOCH,
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            rolled_back_to: next.rolled_back_to,
        });
    }

    /// Carries out a list of orders: `5` sets, `<` rolls back, `<2` rolls back to version 2.
    #[track_caller]
    fn check(orders: &str, expected: Result<(Option<u16>, u32), OverrideError>) {
        let spec = spec();
        let limits = OverrideLimits { spec: &spec, consumed: 2, has_begun: true };
        let mut history = Vec::new();
        let mut result = Ok(());
        for order in orders.split_whitespace() {
            let next = match order.strip_prefix('<') {
                Some(version) => roll_back(&history, version.parse().ok(), limits),
                None => set(&history, at_most(order.parse().ok()), limits),
            };
            match next {
                Ok(next) => remember(&mut history, next),
                Err(error) => result = Err(error),
            }
        }
        let newest = history.last().map_or(0, |it| it.version);
        let actual = result.map(|()| (current(&history).max_attempts, newest));
        assert_eq!(actual, expected, "{orders}");
    }

    #[test]
    fn each_change_is_a_version() {
        check("", Ok((None, 0)));
        check("5", Ok((Some(5), 1)));
        check("5 7", Ok((Some(7), 2)));
        check("5 50", Ok((Some(50), 2)));
        check("51", Err(OverrideError::OutOfRange { max_attempts: 51 }));
        check("0", Err(OverrideError::OutOfRange { max_attempts: 0 }));
        check("2", Ok((Some(2), 1)));
        check("1", Err(OverrideError::BelowConsumed { max_attempts: 1, consumed: 2 }));
        check("x", Err(OverrideError::Empty));
    }

    /// LOOP-U6: set, set, roll back, and again.
    #[test]
    fn a_rollback_is_a_version_too() {
        check("5 7 <", Ok((Some(5), 3)));
        check("5 7 < <", Ok((None, 4)));
        check("5 7 < < <", Err(OverrideError::NothingToRollBack));
        check("5 7 9 <1", Ok((Some(5), 4)));
        check("5 7 9 <1 <3", Ok((Some(9), 5)));
        check("5 7 <0", Ok((None, 3)));
        check("5 7 < 9 <", Ok((Some(5), 5)));
        check("5 7 < 9 < <", Ok((None, 6)));
        check("5 <9", Err(OverrideError::UnknownVersion { version: 9 }));
        check("<", Err(OverrideError::NothingToRollBack));
        check("<0", Err(OverrideError::NothingToRollBack));
    }

    #[test]
    fn a_rollback_does_not_go_below_what_is_consumed() {
        let spec = spec();
        let limits = OverrideLimits { spec: &spec, consumed: 2, has_begun: true };
        let mut history = Vec::new();
        for max_attempts in [Some(2), Some(9)] {
            let next = set(&history, at_most(max_attempts), limits).unwrap();
            remember(&mut history, next);
        }
        let used = OverrideLimits { consumed: 3, ..limits };
        assert_eq!(
            roll_back(&history, None, used),
            Err(OverrideError::BelowConsumed { max_attempts: 2, consumed: 3 }),
        );
        assert_eq!(roll_back(&history, Some(0), used).unwrap().overrides, Overrides::default());
        let used = OverrideLimits { consumed: 4, ..limits };
        assert_eq!(
            roll_back(&history, Some(0), used),
            Err(OverrideError::BelowConsumed { max_attempts: 3, consumed: 4 }),
        );
    }

    /// Ruling 74: edits and overrides share their versions, and a rollback is held to the same rules.
    #[test]
    fn an_edit_is_a_version_like_any_other() {
        let spec = spec();
        let limits = OverrideLimits { spec: &spec, consumed: 0, has_begun: false };
        let mut history = Vec::new();
        for change in ["task_type=engineering_impl", "max_attempts=7", "coder=codex"] {
            let change = edit::parse(change).unwrap();
            let next = edit(&history, &[change], limits).unwrap();
            remember(&mut history, next);
        }
        let now = current(&history);
        assert_eq!((now.max_attempts, now.fields.len()), (Some(7), 2));
        let next = roll_back(&history, Some(1), limits).unwrap();
        assert_eq!((next.overrides.max_attempts, next.overrides.fields.len()), (None, 1));
        let begun = OverrideLimits { has_begun: true, ..limits };
        assert_eq!(
            roll_back(&history, Some(0), begun),
            Err(OverrideError::Edit(EditError::Begun { key: "task_type", task: None })),
        );
    }

    #[test]
    fn an_error_says_which_limit() {
        let error = OverrideError::OutOfRange { max_attempts: 51 };
        assert_eq!(error.to_string(), "`max_attempts` is 51, not between 1 and 50");
        let error = OverrideError::BelowConsumed { max_attempts: 1, consumed: 2 };
        assert_eq!(error.to_string(), "`max_attempts` cannot be 1: 2 attempts are used");
    }
}
