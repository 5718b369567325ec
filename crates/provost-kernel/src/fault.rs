//! How an error speaks to a person, and what it means to a script.

use crate::{Finding, Lang};

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

/// An error that a person will read.
///
/// [`text`](Fault::text) names the thing and the rule in one line, lower-case, without a final
/// period and without its cause: the cause is the error's `source`. [`hints`](Fault::hints) name
/// what to do next, as a command to type where there is one.
pub trait Fault: std::error::Error + Send + Sync + 'static {
    /// What could not be done to which thing.
    fn text(&self, lang: Lang) -> String;

    /// Everything that is wrong, where it is more than one thing.
    fn findings(&self) -> &[Finding] {
        &[]
    }

    /// What the person can do about it.
    fn hints(&self, lang: Lang) -> Vec<String> {
        let _ = lang;
        Vec::new()
    }

    /// What the error means to a script.
    fn exit(&self) -> Exit {
        Exit::Unable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_the_published_ones() {
        assert_eq!(Exit::ALL.map(Exit::code), [0, 1, 2, 3, 5, 6, 75]);
    }
}
