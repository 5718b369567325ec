//! What an error means to a script: the exit codes.

use crate::Message;

/// The exit codes of `provost`: the one table that every command follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success: the gate passed, the task is ready for review.
    Success,
    /// Judged and refused: the gate failed, the claim was rejected.
    Refused,
    /// provost could not do its work: usage, configuration, schema, I/O.
    Unable,
    /// A person is needed.
    Paused,
    /// A lock is held, a lease is lost, a request id came back with another body.
    Conflict,
    /// The audit chain is broken, or state is corrupt or forged.
    Integrity,
    /// A provider's quota is spent.
    Quota,
}

impl Exit {
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::Refused,
        Self::Unable,
        Self::Paused,
        Self::Conflict,
        Self::Integrity,
        Self::Quota,
    ];

    /// The worst of several: what no one can wait for or answer comes last.
    pub fn worst(all: impl IntoIterator<Item = Self>) -> Self {
        let rank = |it: &Self| match it {
            Self::Success => 0,
            Self::Quota => 1,
            Self::Paused => 2,
            Self::Refused => 3,
            Self::Conflict => 4,
            Self::Unable => 5,
            Self::Integrity => 6,
        };
        all.into_iter().max_by_key(rank).unwrap_or(Self::Success)
    }

    /// The meaning of a number that a process exited with.
    pub fn of_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| i32::from(it.code()) == code)
    }

    /// The number that the process exits with.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Refused => 1,
            Self::Unable => 2,
            Self::Paused => 3,
            Self::Conflict => 5,
            Self::Integrity => 6,
            Self::Quota => 75,
        }
    }
}

/// An error that a person will read: a [`Message`] whose cause is its `source`.
pub trait Fault: Message + std::error::Error + Send + Sync + 'static {}

impl<T: Message + std::error::Error + Send + Sync + 'static> Fault for T {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_the_published_ones() {
        assert_eq!(Exit::ALL.map(Exit::code), [0, 1, 2, 3, 5, 6, 75]);
    }
}
