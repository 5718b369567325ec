//! What a rule is, and what can become of it: one total function.

use serde::{Deserialize, Serialize};

/// What a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It has a valid text and nothing else.
    Proposed,
    /// It bets and changes no verdict.
    Shadow,
    /// A shadow that a person is asked about.
    Offered,
    /// In force, proven by labels.
    Measured,
    /// In force because a person said so.
    Adopted,
    /// It bets no more, and its account is kept.
    Retired,
}

/// What happens to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Opened,
    Offered,
    /// A person said no to an offer.
    Declined,
    Adopted,
    Promoted,
    Retired,
    /// Out of force, and a shadow again.
    Returned,
    /// The proof of an adopted rule is gone; the person's decision is not.
    Unproven,
    /// Out of force by a person's rollback.
    RolledBack,
}

impl Standing {
    /// What a rule becomes; none where the turn is not possible.
    pub fn after(self, turn: Turn) -> Option<Self> {
        match (self, turn) {
            (Self::Proposed | Self::Retired, Turn::Opened)
            | (Self::Offered, Turn::Declined)
            | (Self::Measured | Self::Adopted, Turn::Returned) => Some(Self::Shadow),
            (Self::Shadow, Turn::Offered) => Some(Self::Offered),
            (Self::Proposed | Self::Shadow | Self::Offered | Self::Retired, Turn::Adopted)
            | (Self::Measured, Turn::Unproven) => Some(Self::Adopted),
            (Self::Shadow | Self::Offered | Self::Adopted, Turn::Promoted) => Some(Self::Measured),
            (Self::Shadow | Self::Offered, Turn::Retired)
            | (Self::Measured | Self::Adopted, Turn::RolledBack) => Some(Self::Retired),
            (
                Self::Proposed | Self::Retired,
                Turn::Offered
                | Turn::Declined
                | Turn::Promoted
                | Turn::Retired
                | Turn::Returned
                | Turn::Unproven
                | Turn::RolledBack,
            )
            | (
                Self::Shadow,
                Turn::Opened | Turn::Declined | Turn::Returned | Turn::Unproven | Turn::RolledBack,
            )
            | (
                Self::Offered,
                Turn::Opened | Turn::Offered | Turn::Returned | Turn::Unproven | Turn::RolledBack,
            )
            | (
                Self::Measured,
                Turn::Opened
                | Turn::Offered
                | Turn::Declined
                | Turn::Adopted
                | Turn::Promoted
                | Turn::Retired,
            )
            | (
                Self::Adopted,
                Turn::Opened
                | Turn::Offered
                | Turn::Declined
                | Turn::Adopted
                | Turn::Retired
                | Turn::Unproven,
            ) => None,
        }
    }

    /// Whether verdicts follow it.
    pub fn is_in_force(self) -> bool {
        matches!(self, Self::Measured | Self::Adopted)
    }

    /// Whether it bets without being in force.
    pub fn is_shadow(self) -> bool {
        matches!(self, Self::Shadow | Self::Offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNS: [Turn; 9] = [
        Turn::Opened,
        Turn::Offered,
        Turn::Declined,
        Turn::Adopted,
        Turn::Promoted,
        Turn::Retired,
        Turn::Returned,
        Turn::Unproven,
        Turn::RolledBack,
    ];

    /// Without a proof or a person, nothing is in force.
    #[test]
    fn a_rule_is_in_force_by_promotion_or_adoption_alone() {
        use Standing::{Adopted, Measured, Offered, Proposed, Retired, Shadow};
        for standing in [Proposed, Shadow, Offered, Retired] {
            for turn in TURNS {
                let is_in_force = standing.after(turn).is_some_and(Standing::is_in_force);
                let may = matches!(turn, Turn::Promoted | Turn::Adopted);
                assert!(!is_in_force || may, "{standing:?} {turn:?}");
            }
        }
        for (from, path, expected) in [
            (
                Proposed,
                &[Turn::Opened, Turn::Offered, Turn::Adopted, Turn::Promoted][..],
                Some(Measured),
            ),
            (Shadow, &[Turn::Offered, Turn::Declined], Some(Shadow)),
            (Shadow, &[Turn::Promoted, Turn::Returned], Some(Shadow)),
            (Measured, &[Turn::Unproven], Some(Adopted)),
            (Adopted, &[Turn::RolledBack, Turn::Opened], Some(Shadow)),
            (Retired, &[Turn::Promoted], None),
            // A person may take back what a person or the figures said.
            (Retired, &[Turn::Adopted], Some(Adopted)),
            (Measured, &[Turn::Retired], None),
        ] {
            let end = path.iter().try_fold(from, |standing, turn| standing.after(*turn));
            assert_eq!(end, expected, "{from:?} {path:?}");
        }
    }
}
