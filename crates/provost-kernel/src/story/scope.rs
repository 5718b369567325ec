//! How far a change goes: the files it touches, what an agent says about them, and the answer.
//!
//! A [`FileDelta`] is measured, never claimed. An [`Explanation`] and a [`Declaration`] are the
//! agent's word; they are held against the deltas and change none of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Finding, words::words};

/// Why one file, or one folder whose name ends with `/`, is part of the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    pub file: String,
    pub reason: String,
    /// How many lines the agent says it changed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

/// The files that an agent says it will touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// As `declaration::parse` leaves them: paths, folders that end with `/`, and globs.
    pub files: Vec<String>,
    /// Whether the work had begun when it was made.
    #[serde(default)]
    pub is_late: bool,
}

words! {
    /// What happened to a file.
    pub enum DeltaKind {
        Added = "added",
        Modified = "modified",
        Deleted = "deleted",
        Renamed = "renamed",
        /// Its content is the same; who may execute it is not.
        Mode = "mode",
        /// It is a link, or was one.
        Symlink = "symlink",
        /// It is another repository, or was one.
        Submodule = "submodule",
    }
}

/// One file that differs from the base: it counts once, whatever happened to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileDelta {
    pub path: String,
    /// Where a renamed file was in the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Lines; a binary file has none.
    pub additions: u64,
    pub deletions: u64,
    /// How many bytes were added: all of a binary file; of a text its added lines, each as long as a
    /// line of the file is on average.
    #[serde(default)]
    pub bytes: u64,
    pub kind: DeltaKind,
    pub is_binary: bool,
}

impl FileDelta {
    /// How many of its lines changed.
    pub fn lines(&self) -> u64 {
        self.additions.saturating_add(self.deletions)
    }
}

words! {
    /// What becomes of a change.
    pub enum ScopeResult {
        Accept = "accept",
        /// Something needs an explanation that says something.
        Explain = "explain",
        /// It is too large, whatever is explained.
        Split = "split",
    }
}

/// How much a change may hold. A value equal to a limit is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeLimits {
    pub warn_lines: u64,
    pub warn_files: u64,
    pub hard_lines: u64,
    pub hard_files: u64,
}

impl Default for ScopeLimits {
    fn default() -> Self {
        Self::SEED
    }
}

impl ScopeLimits {
    /// The limits of the original, which nothing loosens (STORY-3.3, STORY-3.4).
    pub const SEED: Self =
        Self { warn_lines: 1500, warn_files: 15, hard_lines: 3000, hard_files: 25 };

    /// The stricter of both, limit by limit.
    #[must_use]
    pub fn tightened(self, other: Self) -> Self {
        Self {
            warn_lines: self.warn_lines.min(other.warn_lines),
            warn_files: self.warn_files.min(other.warn_files),
            hard_lines: self.hard_lines.min(other.hard_lines),
            hard_files: self.hard_files.min(other.hard_files),
        }
    }
}

/// How far a change is from its declaration: a part of a whole, written as a number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    pub differing: u64,
    pub of: u64,
}

impl Deviation {
    pub const NONE: Self = Self { differing: 0, of: 1 };

    /// The larger of both, compared without rounding.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other.scaled(self.of) > self.scaled(other.of) { other } else { self }
    }

    /// Whether more than half differs. Exactly half does not.
    pub fn is_over_half(self) -> bool {
        u128::from(self.differing) * 2 > u128::from(self.of)
    }

    fn scaled(self, by: u64) -> u128 {
        u128::from(self.differing) * u128::from(by)
    }

    /// The number that a report shows.
    #[expect(clippy::cast_precision_loss, reason = "counts of files; nothing is decided by it")]
    pub fn as_number(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.differing as f64 / self.of as f64 }
    }
}

impl Serialize for Deviation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_number())
    }
}

/// What is left out of the count because it is generated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExcludedFiles {
    pub files: Vec<String>,
    pub lines: u64,
}

/// One change that could be made of a part of a larger one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScopePart {
    /// The folders it is about; `.` is the root.
    pub about: Vec<String>,
    pub files: Vec<String>,
    pub lines: u64,
}

/// The answer about a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeReport {
    pub result: ScopeResult,
    /// How many files count.
    pub files: u64,
    /// How many lines count: additions and deletions.
    pub lines: u64,
    /// The files that need an explanation and have none that stands.
    pub unexplained: Vec<String>,
    /// The files outside the declaration, explained or not.
    pub undeclared: Vec<String>,
    /// Nothing, where nothing was declared.
    pub deviation: Deviation,
    /// Whether the plan of the work should be looked at again.
    pub reassess: bool,
    pub is_declared: bool,
    pub limits: ScopeLimits,
    pub findings: Vec<Finding>,
    /// How to split it; empty unless it must be split.
    pub proposal: Vec<ScopePart>,
    /// What counts, in the order of the paths.
    pub changed: Vec<FileDelta>,
    pub excluded: ExcludedFiles,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_those_of_the_seed_and_only_get_stricter() {
        let seed = ScopeLimits::SEED;
        assert_eq!((seed.warn_lines, seed.warn_files), (1500, 15));
        assert_eq!((seed.hard_lines, seed.hard_files), (3000, 25));
        let wide = ScopeLimits { warn_lines: 9, warn_files: 99, hard_lines: 9999, hard_files: 2 };
        let expected = ScopeLimits { warn_lines: 9, hard_files: 2, ..seed };
        assert_eq!(seed.tightened(wide), expected);
    }

    /// STORY-4.5: the comparison is one of whole numbers; half is not over half.
    #[test]
    fn half_is_not_over_half() {
        for (differing, of, expected) in [
            (0, 0, false),
            (0, 1, false),
            (1, 2, false),
            (2, 3, true),
            (50, 100, false),
            (51, 101, true),
            (u64::MAX, u64::MAX, true),
        ] {
            assert_eq!(Deviation { differing, of }.is_over_half(), expected, "{differing}/{of}");
        }
    }

    #[test]
    fn the_larger_part_wins_without_rounding() {
        let third = Deviation { differing: 1, of: 3 };
        let more = Deviation { differing: 334, of: 1000 };
        assert_eq!(third.max(more), more);
        assert_eq!(more.max(third), more);
        assert_eq!(Deviation::NONE.max(third), third);
        assert_eq!(serde_json::to_string(&Deviation { differing: 1, of: 4 }).unwrap(), "0.25");
    }
}
