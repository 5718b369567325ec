//! What a button says when it is pressed: at most 64 bytes, so that a task is named by the first digits of
//! digests. It names its project, too, because one bot may send for several. An order also names the
//! creation of its task, and the attempt and the version that its giver saw.

use std::{fmt, str::FromStr};

use provost_desk::{
    board::{ListEnd, ProjectRef, ShownTask, TaskAddress},
    task::Seen,
};

/// The most bytes that Telegram keeps in a button.
pub(crate) const LONGEST: usize = 64;

/// What was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    /// Another part of the list.
    List(ListEnd),
    /// What waits, behind so many.
    Inbox {
        project: ProjectRef,
        skipped: u16,
    },
    Show {
        page: TaskPage,
        task: ShownTask,
    },
    /// An order; one that cannot be undone asks first.
    Order(OrderButton),
    /// The order is meant.
    Confirm(OrderButton),
}

/// An order about what the card showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OrderButton {
    pub(crate) verb: Verb,
    pub(crate) task: TaskAddress,
    pub(crate) seen: Seen,
}

/// What is shown of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskPage {
    Card,
    Attempts,
    Criteria,
    Events,
    Questions,
}

/// What can be ordered from a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Answer,
    Pause,
    Resume,
    Approve,
    Reject,
    Override,
}

/// Data that no button of this bot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expired;

impl TaskPage {
    pub(crate) const ALL: [Self; 5] =
        [Self::Card, Self::Attempts, Self::Criteria, Self::Events, Self::Questions];

    fn word(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Attempts => "attempts",
            Self::Criteria => "criteria",
            Self::Events => "events",
            Self::Questions => "questions",
        }
    }
}

impl Verb {
    pub(crate) const ALL: [Self; 6] =
        [Self::Answer, Self::Pause, Self::Resume, Self::Approve, Self::Reject, Self::Override];

    /// Its command, without the slash.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Override => "override",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// As the audit names it.
    pub(crate) fn action(self) -> &'static str {
        match self {
            Self::Answer => "task.answer",
            Self::Pause => "task.pause",
            Self::Resume => "task.resume",
            Self::Approve => "task.approve",
            Self::Reject => "task.reject",
            Self::Override => "task.override",
        }
    }

    /// Whether a person is asked once more.
    pub(crate) fn confirms(self) -> bool {
        match self {
            Self::Approve | Self::Reject | Self::Override => true,
            Self::Answer | Self::Pause | Self::Resume => false,
        }
    }
}

impl fmt::Display for Press {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The prefix of the forerunner.
            Self::List(ListEnd::Start) => f.write_str("rdloop_next:"),
            Self::List(ListEnd::After(place)) => write!(f, "rdloop_next:{place}"),
            Self::List(ListEnd::Before(place)) => write!(f, "rdloop_prev:{place}"),
            Self::Inbox { project, skipped: 0 } => write!(f, "inbox:{project}"),
            Self::Inbox { project, skipped } => write!(f, "inbox:{project}.{skipped}"),
            Self::Show { page, task } => write!(f, "show:{}:{task}", page.word()),
            Self::Order(order) => write!(f, "order:{order}"),
            Self::Confirm(order) => write!(f, "yes:{order}"),
        }
    }
}

impl fmt::Display for OrderButton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, task, seen } = self;
        write!(f, "{}:{task}:{}.{}", verb.word(), seen.attempt, seen.state_version)
    }
}

impl FromStr for Press {
    type Err = Expired;

    fn from_str(data: &str) -> Result<Self, Expired> {
        if data.len() > LONGEST {
            return Err(Expired);
        }
        let (kind, rest) = data.split_once(':').ok_or(Expired)?;
        let press = match kind {
            "rdloop_next" if rest.is_empty() => Self::List(ListEnd::Start),
            "rdloop_next" => Self::List(ListEnd::After(rest.parse().map_err(|_| Expired)?)),
            "rdloop_prev" => Self::List(ListEnd::Before(rest.parse().map_err(|_| Expired)?)),
            "inbox" => {
                let (project, skipped) = rest.split_once('.').unwrap_or((rest, "0"));
                let project = project.parse().map_err(|_| Expired)?;
                Self::Inbox { project, skipped: skipped.parse().map_err(|_| Expired)? }
            }
            "show" => {
                let (word, task) = rest.split_once(':').ok_or(Expired)?;
                let page = TaskPage::ALL.into_iter().find(|it| it.word() == word);
                let task = task.parse().map_err(|_| Expired)?;
                Self::Show { page: page.ok_or(Expired)?, task }
            }
            "order" => Self::Order(rest.parse()?),
            "yes" => Self::Confirm(rest.parse()?),
            _ => return Err(Expired),
        };
        // One form for each, such as no signs and no leading zeros in numbers.
        if press.to_string() == data { Ok(press) } else { Err(Expired) }
    }
}

impl FromStr for OrderButton {
    type Err = Expired;

    fn from_str(text: &str) -> Result<Self, Expired> {
        let mut parts = text.split(':');
        let mut part = || parts.next().ok_or(Expired);
        let (verb, task, seen) = (part()?, part()?, part()?);
        let (attempt, version) = seen.split_once('.').ok_or(Expired)?;
        if parts.next().is_some() {
            return Err(Expired);
        }
        Ok(Self {
            verb: Verb::named(verb).ok_or(Expired)?,
            task: task.parse().map_err(|_| Expired)?,
            seen: Seen {
                attempt: attempt.parse().map_err(|_| Expired)?,
                state_version: version.parse().map_err(|_| Expired)?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use provost_desk::board::TaskRef;
    use provost_kernel::TaskId;

    use super::*;

    fn every() -> Vec<Press> {
        let long: TaskId = "a".repeat(64).parse().unwrap();
        let project: ProjectRef = "ffffff".parse().unwrap();
        let (task, shown) = (TaskAddress::of(project, &long, None), ShownTask::of(project, &long));
        let place = format!("3.fffffffff.{}", TaskRef::of(&long)).parse().unwrap();
        let mut all = vec![
            Press::List(ListEnd::Start),
            Press::List(ListEnd::After(place)),
            Press::List(ListEnd::Before(place)),
            Press::Inbox { project, skipped: 0 },
            Press::Inbox { project, skipped: u16::MAX },
        ];
        all.extend(TaskPage::ALL.map(|page| Press::Show { page, task: shown }));
        let seen = Seen { attempt: u16::MAX, state_version: u64::MAX };
        for verb in Verb::ALL {
            all.push(Press::Order(OrderButton { verb, task, seen }));
            all.push(Press::Confirm(OrderButton { verb, task, seen }));
        }
        all
    }

    #[test]
    fn every_button_fits_and_comes_back_as_it_was() {
        for press in every() {
            let data = press.to_string();
            assert!(data.len() <= LONGEST, "{data}: {}", data.len());
            assert_eq!(data.parse(), Ok(press), "{data}");
        }
        let start = Press::List(ListEnd::Start).to_string();
        assert_eq!(start, "rdloop_next:");
    }

    #[test]
    fn forged_data_is_expired_and_nothing_else() {
        for data in [
            "",
            ":",
            "x",
            "rdloop_next",
            "rdloop_next:0",
            "rdloop_next:../../etc/passwd",
            "rdloop_prev:",
            "show:card:",
            "show:card:t1",
            "show:secrets:0123456789abcdef012345",
            "show:card:0123456789abcdef012345:x",
            // The id alone, as before the project and the creation were named.
            "show:card:ea3db06ec9ae9ba1",
            "order:approve:ea3db06ec9ae9ba1:1.2",
            "yes:approve:ea3db06ec9ae9ba1:1.2",
            "order:approve:0123456789abcdef012345",
            "order:approve:0123456789abcdef012345:1",
            "order:approve:0123456789abcdef012345:1.",
            "order:approve:0123456789abcdef012345:+1.2",
            "order:approve:0123456789abcdef012345:01.2",
            "order:approve:0123456789abcdef012345:99999.2",
            "order:approve:0123456789abcdef012345:1.2:x",
            "order:land:0123456789abcdef012345:1.2",
            "order:APPROVE:0123456789abcdef012345:1.2",
            "yes:",
            "inbox:",
            "inbox:\u{0}",
            "inbox:12345",
            "inbox:12345G",
            "inbox:123456.",
            "inbox:123456.0",
            "inbox:123456.01",
            "inbox:123456.99999",
            "😀:😀",
        ] {
            assert_eq!(data.parse::<Press>(), Err(Expired), "{data}");
        }
        assert_eq!("rdloop_next:".repeat(9).parse::<Press>(), Err(Expired));
        // Every part of every button, and every button with one byte changed.
        for data in every().iter().map(ToString::to_string) {
            for end in 0..data.len() {
                let _ = data[..end].parse::<Press>();
                let mut bytes = data.clone().into_bytes();
                bytes[end] = b'~';
                assert_eq!(String::from_utf8(bytes).unwrap().parse::<Press>(), Err(Expired));
            }
        }
    }
}
