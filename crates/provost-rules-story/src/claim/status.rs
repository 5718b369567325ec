//! The state of a criterion, as it is stored and shown: bounded, and without secrets.

use provost_kernel::story::{CriterionStatus, EvidenceLabel, KeptEvidence, ProofNeed};
use provost_rules::secret::redact;

/// How many characters of a text are kept in a status.
const KEPT: usize = 1000;

/// The state of a criterion of which this is known.
pub(super) fn status(
    known: &KeptEvidence,
    label: EvidenceLabel,
    need: Option<ProofNeed>,
    passes: bool,
) -> CriterionStatus {
    let KeptEvidence { claim, result } = known;
    let result = result.as_ref();
    let proof = result.and_then(|it| it.proof.as_ref()).map(|it| it.label);
    let kept = |text: &Option<String>| text.as_deref().and_then(kept);
    let listed = |list: &[String]| list.iter().filter_map(|it| self::kept(it)).collect();
    CriterionStatus {
        passes,
        label,
        proof: proof.filter(|_| label == EvidenceLabel::Reproduced),
        need,
        evidence: kept(&claim.evidence),
        command: kept(&claim.command),
        output: result.and_then(|it| kept(&it.output)),
        claimed_output: kept(&claim.output),
        files: listed(&claim.files),
        tests: listed(&claim.tests),
        // What passes is not blocked, whatever was said before.
        blocked_reason: kept(&claim.blocked_reason).filter(|_| !passes),
    }
}

/// What is kept of a text; nothing, if it says nothing.
///
/// Secrets are taken out before it is cut, so that no half of one is left.
fn kept(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let redacted = redact(text.as_bytes());
    let text = String::from_utf8_lossy(&redacted);
    Some(match text.char_indices().nth(KEPT) {
        None => text.into_owned(),
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            format!("{}… (+{left_out})", &text[..end])
        }
    })
}

#[cfg(test)]
mod tests {
    use provost_kernel::story::CriterionClaim;

    use super::*;

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(kept(" \n"), None);
        assert_eq!(kept("ok").as_deref(), Some("ok"));
        assert_eq!(kept(&"中".repeat(1000)), Some("中".repeat(1000)));
        let cut = kept(&"中".repeat(1234)).unwrap();
        assert_eq!(cut, format!("{}… (+234)", "中".repeat(1000)));
    }

    #[test]
    fn a_secret_is_not_kept_even_where_the_cut_is() {
        let key = format!("AKIA{}", "IOSFODNN7ABCDEFG");
        let text = format!("{} {key} {}", "x".repeat(990), "y".repeat(100));
        let cut = kept(&text).unwrap();
        assert!(!cut.contains("AKIA"), "{cut}");
        assert!(cut.contains("[REDACTED"), "{cut}");
    }

    #[test]
    fn what_passes_is_not_blocked() {
        let claim =
            CriterionClaim { blocked_reason: Some("no network".to_owned()), ..Default::default() };
        let known = KeptEvidence { claim, result: None };
        let blocked = |passes| status(&known, EvidenceLabel::NotRun, None, passes).blocked_reason;
        assert_eq!(blocked(false).as_deref(), Some("no network"));
        assert_eq!(blocked(true), None);
    }
}
