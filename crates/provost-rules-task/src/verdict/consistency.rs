//! Whether a verdict agrees with itself (LOOP-B8 to LOOP-B10).

use provost_form::{Path, Problem};

use super::{Defect, KeywordCaps};
use crate::reply::RubricReply;

/// From so many dimensions on, equal scores are not a judgement.
const FLAT_FROM: usize = 6;

/// The contradictions of a reply whose structure is right.
pub(super) fn check(reply: &RubricReply, caps: &KeywordCaps) -> Vec<Problem<Defect>> {
    let at = |path: Path, kind| Problem { path, line: None, kind };
    let scores = Path::default().key("scores");
    let flat = flat(reply).map(|it| at(scores.clone(), it));
    let mut defects: Vec<_> = flat.into_iter().collect();
    if reply.top_issues.is_empty() {
        defects.push(at(Path::default().key("top_issues"), Defect::NoIssues));
    }
    for issue in &reply.top_issues {
        let capped = caps.found_in(issue).into_iter().filter_map(|cap| {
            let score = reply.scores.get(cap.dimension).copied()?;
            let contradiction = Defect::Contradiction {
                issue: issue.clone(),
                keyword: cap.keyword.to_owned(),
                score,
                cap: cap.cap,
            };
            (score > cap.cap).then(|| at(scores.key(cap.dimension), contradiction))
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
