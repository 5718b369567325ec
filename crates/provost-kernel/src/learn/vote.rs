//! What becomes of the answers to a ticket: the words that artifacts carry.

use crate::words::words;

words! {
    /// Why an answer is not in the form that was asked for.
    pub enum FormatProblem {
        Empty = "empty",
        /// Not exactly two lines.
        LineCount = "line_count",
        VerdictLine = "verdict_line",
        /// A verdict that is none of the words of the mission.
        VerdictTerm = "verdict_term",
        ReasonLine = "reason_line",
        ReasonEmpty = "reason_empty",
        ReasonTooLong = "reason_too_long",
        /// Not the one JSON object that the judge's contract asks for.
        Contract = "contract",
        /// Neither pass nor fail, in the verdict or in its reason.
        ThirdState = "third_state",
    }
}

words! {
    /// Why a ticket has no verdict in an epoch.
    pub enum FailureReason {
        NoCandidates = "no_candidates",
        /// Too few answers were well-formed.
        FormatError = "format_error",
        /// None was.
        NoValidCandidates = "no_valid_candidates",
        SelectionError = "selection_error",
        /// Enough would have been well-formed, had they arrived.
        TransportError = "transport_error",
        OverlengthPrompt = "overlength_prompt",
        BudgetExhausted = "budget_exhausted",
    }
}

words! {
    /// What is remarkable about a verdict.
    pub enum Warning {
        TiedVote = "tied_vote",
        LabelMismatch = "label_mismatch",
        LowAgreement = "low_agreement",
        RolloutContradiction = "rollout_contradiction",
        /// A check on the evidence decided.
        FailFirstOverride = "fail_first_override",
        /// A check on the evidence found something, and something that excuses it.
        FailFirstIrrelevantHit = "fail_first_irrelevant_hit",
        /// A model wanted to answer neither pass nor fail.
        PendingSignalHit = "pending_signal_hit",
    }
}
