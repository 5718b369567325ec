//! The claims log, held against the chain: what was said about a story is entered with the digest
//! of its line, so that a log that was exchanged no longer fits.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{Digest, story::EventBody};
use serde::Deserialize;

use super::{
    Body,
    verify::{Problem, Trouble},
};
use crate::{Disk, FileError, Layout, story::StoryFiles};

/// What the chain has of the claims log: the digests of its lines, by their numbers. A log that was
/// cut and went on has left two of one number.
#[derive(Debug, Default)]
pub(super) struct Entered {
    lines: BTreeMap<u64, BTreeSet<Digest>>,
    count: u64,
}

/// What an entry says of a line.
#[derive(Deserialize)]
struct Line {
    seq: u64,
    digest: Digest,
}

impl Entered {
    pub(super) fn learn(&mut self, body: &Body) {
        if !body.action.starts_with("story.") {
            return;
        }
        // Orders such as `story.reindex` are about no line.
        if let Ok(Line { seq, digest }) = Line::deserialize(&body.detail) {
            self.lines.entry(seq).or_default().insert(digest);
            self.count += 1;
        }
    }

    /// How many entries were about a line.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Holds the log against it. The answer is how many lines at its end were not entered.
    pub(super) fn compare<D: Disk>(
        &self,
        disk: &D,
        layout: &Layout,
        problems: &mut Vec<Problem>,
    ) -> Result<u64, FileError> {
        let last_entered = self.lines.keys().next_back().copied().unwrap_or(0);
        let (mut n_after, mut last) = (0, 0);
        let mut missing: BTreeSet<u64> = self.lines.keys().copied().collect();
        for event in StoryFiles::new(disk, layout).events()? {
            let Ok(event) = event else {
                problems.push(Problem::new(last + 1, Trouble::ClaimUnreadable));
                return Ok(n_after);
            };
            last = event.seq;
            let entered = self.lines.get(&event.seq).filter(|_| missing.remove(&event.seq));
            let is_known = match entered {
                Some(entered) => {
                    let digest = Digest::of_json(&event).ok();
                    if entered.iter().any(|it| Some(*it) != digest) {
                        problems.push(Problem::new(event.seq, Trouble::ClaimAltered));
                    }
                    true
                }
                None => !is_entered(&event.body),
            };
            if !is_known && event.seq < last_entered {
                problems.push(Problem::new(event.seq, Trouble::ClaimUnknown));
            } else if !is_known {
                n_after += 1;
            }
        }
        problems.extend(missing.into_iter().map(|it| Problem::new(it, Trouble::ClaimMissing)));
        Ok(n_after)
    }
}

/// Whether there is an entry for what happened: for everything that a verdict is built on.
fn is_entered(body: &EventBody) -> bool {
    match body {
        EventBody::Started(_)
        | EventBody::Declared(_)
        | EventBody::Updated(_)
        | EventBody::Verified(_)
        | EventBody::Waived(_)
        | EventBody::Rebased(_) => true,
        EventBody::Changed(_) | EventBody::Replanned(_) | EventBody::Imported(_) => false,
    }
}
