//! What the answers to a ticket add up to: a verdict, how sure it is, and whether there is
//! something to learn from it.
//!
//! Only well-formed answers vote. Checks that the mission declares on the evidence decide after
//! the vote and leave its strength as it was.

mod overrides;

pub use provost_kernel::learn::{FailureReason, Warning};
use provost_kernel::learn::{FormatProblem, Label, Mission, Ticket};
use serde::{Deserialize, Serialize};

pub use self::overrides::{OverrideError, Overrides};

/// One answer to a ticket.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its place among the answers: decode settings in the order of the grid, then samples.
    pub index: u32,
    pub temperature: f64,
    /// The label and the reason, or why there are none.
    pub outcome: Result<(Label, String), Malformed>,
}

/// Why an answer does not vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    Format(FormatProblem),
    /// There is no answer.
    Transport,
}

impl Malformed {
    /// What is wrong with an answer that came, unless the model was merely undecided.
    pub fn problem(self) -> Option<FormatProblem> {
        match self {
            Self::Format(FormatProblem::ThirdState) | Self::Transport => None,
            Self::Format(problem) => Some(problem),
        }
    }
}

/// The verdict of a ticket and its signals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "signals that artifacts carry by their names")]
pub struct Selection {
    /// After the checks on the evidence.
    pub verdict: Label,
    pub reason: String,
    /// How many voted for the verdict of the vote.
    pub votes: u32,
    /// How many voted.
    pub pool: u32,
    /// The one divided by the other.
    pub vote_strength: f64,
    pub low_agreement: bool,
    /// Whether both labels were voted for.
    pub rollout_contradiction: bool,
    pub label_match: bool,
    pub conflict_flag: bool,
    /// How uncertain it looks. For people: it changes no other signal.
    pub needs_manual_review: bool,
    /// The check on the evidence that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub override_id: Option<String>,
    /// The answer that stands for the vote.
    pub selected_candidate: u32,
    pub warnings: Vec<Warning>,
    /// Whether reflection may look at the ticket.
    pub eligible: bool,
}

/// Adds up the answers to a ticket.
pub fn select(
    ticket: &Ticket,
    candidates: &[Candidate],
    mission: &Mission,
    overrides: &Overrides,
) -> Result<Selection, FailureReason> {
    let pool = pool(candidates, mission.min_format_ok)?;
    let vote = Vote::of(&pool).ok_or(FailureReason::NoValidCandidates)?;
    let hit = overrides.look(ticket);
    let (verdict, reason) = match hit.decisive {
        Some(decisive) => (decisive.verdict, decisive.reason.clone()),
        None => (vote.verdict, vote.reason.to_owned()),
    };
    let low_agreement = vote.is_low(mission.min_verdict_agreement);
    let label_match = verdict == ticket.label;
    let is_pending = candidates.iter().any(Candidate::is_third_state);
    let needs_manual_review = low_agreement || vote.is_split || hit.is_excused || is_pending;
    let warnings = [
        (vote.is_tied, Warning::TiedVote),
        (!label_match, Warning::LabelMismatch),
        (low_agreement, Warning::LowAgreement),
        (vote.is_split, Warning::RolloutContradiction),
        (hit.decisive.is_some(), Warning::FailFirstOverride),
        (hit.is_excused, Warning::FailFirstIrrelevantHit),
        (is_pending, Warning::PendingSignalHit),
    ];
    Ok(Selection {
        verdict,
        reason,
        votes: vote.votes,
        pool: vote.pool,
        vote_strength: f64::from(vote.votes) / f64::from(vote.pool),
        low_agreement,
        rollout_contradiction: vote.is_split,
        label_match,
        conflict_flag: !label_match,
        needs_manual_review,
        override_id: hit.decisive.map(|it| it.id.clone()),
        selected_candidate: vote.selected,
        warnings: warnings.into_iter().filter_map(|(is, it)| is.then_some(it)).collect(),
        eligible: !label_match || needs_manual_review,
    })
}

/// An answer that votes.
struct Voter<'a> {
    temperature: f64,
    index: u32,
    label: Label,
    reason: &'a str,
}

/// The well-formed answers, the coolest first, if there are enough of them.
fn pool(candidates: &[Candidate], least: u32) -> Result<Vec<Voter<'_>>, FailureReason> {
    if candidates.is_empty() {
        return Err(FailureReason::NoCandidates);
    }
    let mut pool: Vec<Voter<'_>> = candidates.iter().filter_map(Candidate::voter).collect();
    let is_enough = |count: usize| count >= usize::try_from(least).unwrap_or(usize::MAX).max(1);
    if !is_enough(pool.len()) {
        let lost = candidates.iter().filter(|it| it.outcome == Err(Malformed::Transport)).count();
        return Err(if is_enough(pool.len() + lost) {
            FailureReason::TransportError
        } else if pool.is_empty() {
            FailureReason::NoValidCandidates
        } else {
            FailureReason::FormatError
        });
    }
    pool.sort_by(|one, other| {
        one.temperature.total_cmp(&other.temperature).then(one.index.cmp(&other.index))
    });
    Ok(pool)
}

impl Candidate {
    fn voter(&self) -> Option<Voter<'_>> {
        let (label, reason) = self.outcome.as_ref().ok()?;
        let Self { index, temperature, .. } = *self;
        Some(Voter { temperature, index, label: *label, reason })
    }

    fn is_third_state(&self) -> bool {
        self.outcome == Err(Malformed::Format(FormatProblem::ThirdState))
    }
}

/// What the vote says, before any check on the evidence.
struct Vote<'a> {
    verdict: Label,
    reason: &'a str,
    selected: u32,
    votes: u32,
    pool: u32,
    is_tied: bool,
    is_split: bool,
}

impl<'a> Vote<'a> {
    /// The majority of a pool; of a tie, fail. None of an empty pool.
    fn of(pool: &[Voter<'a>]) -> Option<Self> {
        let count = |label| {
            let votes = pool.iter().filter(|it| it.label == label).count();
            u32::try_from(votes).unwrap_or(u32::MAX)
        };
        let (pass, fail) = (count(Label::Pass), count(Label::Fail));
        let verdict = if pass > fail { Label::Pass } else { Label::Fail };
        let first = pool.iter().find(|it| it.label == verdict)?;
        Some(Self {
            verdict,
            reason: first.reason,
            selected: first.index,
            votes: pass.max(fail),
            pool: pass.saturating_add(fail),
            is_tied: pass == fail,
            is_split: pass > 0 && fail > 0,
        })
    }

    /// Whether fewer than so many thousandths agree; whole numbers, so that a limit is exact.
    fn is_low(&self, thousandths: u16) -> bool {
        u64::from(self.votes) * 1000 < u64::from(thousandths) * u64::from(self.pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mission::tests::mission, ticket::tests::ticket};

    const PASS: Option<Label> = Some(Label::Pass);
    const FAIL: Option<Label> = Some(Label::Fail);

    fn labelled(label: &str) -> Ticket {
        ticket(&format!(
            r#"{{"mission":"m","group_id":"g","label":"{label}","items":{{"commands":"cargo test: exit 101","goal":"x"}}}}"#
        ))
    }

    fn candidates(outcomes: &[Result<(Label, String), Malformed>]) -> Vec<Candidate> {
        let candidate = |(index, outcome): (u32, &Result<(Label, String), Malformed>)| Candidate {
            index,
            temperature: [0.7, 0.1, 0.4][index as usize % 3],
            outcome: outcome.clone(),
        };
        (0..).zip(outcomes).map(candidate).collect()
    }

    /// Answers that name their place, so that a test sees which one was chosen.
    fn votes(labels: &[Option<Label>]) -> Vec<Candidate> {
        let outcome = |(index, label): (usize, &Option<Label>)| match label {
            Some(label) => Ok((*label, format!("reason {index}"))),
            None => Err(Malformed::Format(FormatProblem::LineCount)),
        };
        candidates(&labels.iter().enumerate().map(outcome).collect::<Vec<_>>())
    }

    fn selected(label: &str, candidates: &[Candidate], toml: &str) -> Selection {
        let mission = mission(toml);
        let overrides = Overrides::new(&mission.overrides).unwrap();
        select(&labelled(label), candidates, &mission, &overrides).unwrap()
    }

    /// LEARN-3.1, LEARN-3.2: vote strength over well-formed answers, low agreement, match and conflict.
    #[test]
    fn signals_follow_the_votes() {
        use Warning::*;
        #[track_caller]
        fn check(
            label: &str,
            labels: &[Option<Label>],
            expected: (Label, u32, u32, bool, bool),
            warnings: &[Warning],
        ) {
            let it = selected(label, &votes(labels), "");
            let actual =
                (it.verdict, it.votes, it.pool, it.low_agreement, it.rollout_contradiction);
            assert_eq!(actual, expected, "{label} {labels:?}");
            assert_eq!(it.warnings, warnings, "{label} {labels:?}");
            assert_eq!(it.label_match, it.verdict.as_str() == label);
            assert_eq!(it.conflict_flag, !it.label_match);
            assert_eq!(it.needs_manual_review, it.low_agreement || it.rollout_contradiction);
            assert_eq!(it.eligible, it.conflict_flag || it.needs_manual_review);
            assert!((it.vote_strength - f64::from(it.votes) / f64::from(it.pool)).abs() < 1e-9);
        }
        let (pass, fail) = (Label::Pass, Label::Fail);
        check("pass", &[PASS, PASS, PASS], (pass, 3, 3, false, false), &[]);
        check("fail", &[FAIL, FAIL, FAIL], (fail, 3, 3, false, false), &[]);
        check("fail", &[PASS, PASS, PASS], (pass, 3, 3, false, false), &[LabelMismatch]);
        let split = [LowAgreement, RolloutContradiction];
        // Two of three is less than 0.67.
        check("pass", &[PASS, FAIL, PASS], (pass, 2, 3, true, true), &split);
        check("fail", &[FAIL, FAIL, PASS], (fail, 2, 3, true, true), &split);
        check("pass", &[None, PASS, PASS], (pass, 2, 2, false, false), &[]);
        let tied = [TiedVote, LowAgreement, RolloutContradiction];
        check("fail", &[None, PASS, FAIL], (fail, 1, 2, true, true), &tied);
        let tied = [TiedVote, LabelMismatch, LowAgreement, RolloutContradiction];
        check("pass", &[None, PASS, FAIL], (fail, 1, 2, true, true), &tied);
    }

    #[test]
    fn a_limit_is_exact() {
        let low = |agreement: &str, labels: &[Option<Label>]| {
            let toml = format!("[manual_review]\nmin_verdict_agreement = {agreement}\n");
            selected("pass", &votes(labels), &toml).low_agreement
        };
        assert!(low("0.667", &[PASS, PASS, FAIL]));
        assert!(!low("0.666", &[PASS, PASS, FAIL]));
        assert!(!low("0.5", &[PASS, FAIL]));
        assert!(low("1.0", &[PASS, PASS, FAIL]) && !low("1", &[PASS, PASS, PASS]));
        assert!(!low("0", &[PASS, FAIL, FAIL]));
    }

    /// The seed's scenario: correct, and yet the answers disagree.
    #[test]
    fn a_right_verdict_with_disagreement_is_looked_at() {
        let it = selected("pass", &votes(&[PASS, PASS, FAIL]), "");
        assert!(it.label_match && it.rollout_contradiction && it.eligible);
        let stable = selected("pass", &votes(&[PASS, PASS, PASS]), "");
        assert!(!stable.eligible);
    }

    #[test]
    fn the_coolest_answer_with_the_verdict_stands_for_the_vote() {
        // The temperatures are 0.7, 0.1, 0.4, 0.7, 0.1.
        for (labels, expected) in [
            (&[PASS, PASS, PASS][..], 1),
            (&[PASS, FAIL, PASS], 2),
            (&[PASS, PASS, FAIL, FAIL, PASS], 1),
            (&[FAIL, PASS, PASS, FAIL, FAIL], 4),
            (&[FAIL, PASS, FAIL, FAIL], 2),
        ] {
            let it = selected("pass", &votes(labels), "");
            assert_eq!(it.selected_candidate, expected, "{labels:?}");
            assert_eq!(it.reason, format!("reason {expected}"));
        }
    }

    #[test]
    fn too_few_answers_are_no_verdict_and_the_blame_is_named() {
        use FailureReason::*;
        #[track_caller]
        fn check(outcomes: &[Result<(Label, String), Malformed>], expected: FailureReason) {
            let mission = mission("");
            assert_eq!(mission.min_format_ok, 2);
            let overrides = Overrides::new(&[]).unwrap();
            let actual =
                select(&labelled("pass"), &candidates(outcomes), &mission, &overrides).map(drop);
            assert_eq!(actual, Err(expected), "{outcomes:?}");
        }
        let good = || Ok((Label::Pass, "x".to_owned()));
        let bad = || Err(Malformed::Format(FormatProblem::Empty));
        let lost = || Err(Malformed::Transport);
        check(&[], NoCandidates);
        check(&[bad(), bad(), bad()], NoValidCandidates);
        check(&[good(), bad(), bad()], FormatError);
        check(&[lost(), lost(), lost()], TransportError);
        check(&[good(), lost(), bad()], TransportError);
        check(&[bad(), bad(), lost()], NoValidCandidates);
        check(&[good()], FormatError);
    }

    #[test]
    fn a_model_that_wants_a_third_answer_is_a_sign() {
        let outcomes = [
            Ok((Label::Pass, "x".to_owned())),
            Ok((Label::Pass, "y".to_owned())),
            Err(Malformed::Format(FormatProblem::ThirdState)),
        ];
        let it = selected("pass", &candidates(&outcomes), "");
        assert_eq!(it.warnings, [Warning::PendingSignalHit]);
        assert!(it.label_match && it.needs_manual_review && it.eligible && !it.conflict_flag);
    }

    /// LEARN-3.2: the match is computed after the checks, the strength before them.
    #[test]
    fn a_check_on_the_evidence_decides_after_the_vote() {
        let rule = |extra: &str| {
            format!(
                "[[overrides]]\nid = \"exit\"\nregex = 'exit [1-9]'\nreason = \"a command failed\"\n{extra}"
            )
        };
        let all = votes(&[PASS, PASS, PASS]);
        let it = selected("fail", &all, &rule(""));
        assert_eq!((it.verdict, it.reason.as_str()), (Label::Fail, "a command failed"));
        assert_eq!(it.override_id.as_deref(), Some("exit"));
        assert_eq!((it.votes, it.pool, it.selected_candidate), (3, 3, 1));
        assert!(it.label_match && !it.low_agreement && !it.eligible);
        assert_eq!(it.warnings, [Warning::FailFirstOverride]);

        let it = selected("pass", &all, &rule("item = \"goal\"\n"));
        assert_eq!((it.verdict, it.override_id), (Label::Pass, None));

        let it = selected("pass", &all, &rule("unless_regex = 'cargo'\n"));
        assert_eq!((it.verdict, it.override_id), (Label::Pass, None));
        assert_eq!(it.warnings, [Warning::FailFirstIrrelevantHit]);
        assert!(it.needs_manual_review && it.eligible && it.label_match);
    }
}
