//! Whether a verdict agrees with itself (LOOP-B8 to LOOP-B10).

use super::{Defect, KeywordCaps};
use crate::reply::RubricReply;

/// From so many dimensions on, equal scores mean that nobody looked.
const FLAT_FROM: usize = 6;

/// The contradictions of a reply whose structure is right.
pub(super) fn check(reply: &RubricReply, caps: &KeywordCaps) -> Vec<Defect> {
    let mut defects: Vec<Defect> = flat(reply).into_iter().collect();
    if reply.top_issues.is_empty() {
        defects.push(Defect::NoIssues);
    }
    for issue in &reply.top_issues {
        let capped = caps.found_in(issue).into_iter().filter_map(|cap| {
            let score = reply.scores.get(cap.dimension).copied()?;
            (score > cap.cap).then(|| Defect::Contradiction {
                issue: issue.clone(),
                keyword: cap.keyword.to_owned(),
                dimension: cap.dimension.to_owned(),
                score,
                cap: cap.cap,
            })
        });
        defects.extend(capped);
    }
    defects
}

/// All scores equal, perfect ones included.
///
/// The rule asks for two distinct values or a standard deviation of at least 0.15; the second
/// needs the first, so that equality is all there is to look for.
fn flat(reply: &RubricReply) -> Option<Defect> {
    let dimensions = reply.scores.len();
    let mut scores = reply.scores.values();
    let first = *scores.next()?;
    let is_flat = dimensions >= FLAT_FROM && scores.all(|&it| it == first);
    is_flat.then_some(Defect::Flat { dimensions, score: first })
}
