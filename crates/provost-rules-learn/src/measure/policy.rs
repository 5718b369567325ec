//! The constants of the policy.

/// What decides when a rule is offered, takes effect, is retired or is taken back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// The chance that a worthless rule ever takes effect in a season.
    pub alpha: f64,
    /// The same for a rule that is offered to a person.
    pub offer_alpha: f64,
    /// How many passes that should be fails weigh as much as one fail that should be a pass.
    pub false_pass_cost: f64,
    /// How many shadows bet at a time.
    pub shadows: usize,
    /// How many more wins than losses an offer or a promotion needs.
    pub lead: u32,
    /// The harm at which a measured rule is taken back.
    pub measured_harm: f64,
    /// The harm at which an adopted rule is taken back, and above which none is adopted.
    pub adopted_harm: f64,
    /// The e-value below which a shadow is retired.
    pub futile: f64,
    /// How many labels in a row without a win retire a shadow.
    pub patience: u32,
    /// The number of losses from which more losses than wins retire a shadow.
    pub losses: u32,
    /// The e-value that a removal or a merge needs.
    pub removal: f64,
    /// How many removals and merges may be tested in a season.
    pub removals: usize,
    /// How many adopted rules there may be.
    pub adopted: usize,
    /// How many votes each side gets where they differ.
    pub votes: u8,
    /// How many older labels a rule is screened on.
    pub screen: usize,
    /// How many wins the screen asks for.
    pub screen_wins: u32,
    /// How many new errors start a reflection.
    pub errors: usize,
    /// How many errors a reflection is shown.
    pub shown: usize,
}

impl Policy {
    /// The policy as documented; its figures were found by simulation.
    pub const STANDARD: Self = Self {
        alpha: 0.02,
        offer_alpha: 0.2,
        false_pass_cost: 2.0,
        shadows: 6,
        lead: 2,
        measured_harm: 6.0,
        adopted_harm: 4.0,
        futile: 0.1,
        patience: 60,
        losses: 3,
        removal: 20.0,
        removals: 2,
        adopted: 3,
        votes: 3,
        screen: 40,
        screen_wins: 2,
        errors: 2,
        shown: 16,
    };
}
