//! What a learning run keeps of its model calls.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Text, message::text_or_string, words::words};

words! {
    /// The purpose of a call.
    pub enum CallKind {
        Rollout = "rollout",
        Decision = "decision",
        Ops = "ops",
        Gate = "gate",
        Audit = "audit",
    }
}

/// What a model answered, byte for byte, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub text: String,
    #[serde(default)]
    pub spent: Spent,
}

/// What one or more calls cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    #[serde(default)]
    pub prompt_tokens: u64,
    #[serde(default)]
    pub completion_tokens: u64,
    /// Millionths of a dollar, so that sums are exact.
    #[serde(default)]
    pub micro_usd: u64,
}

/// Why there is no answer. It is remembered like one, so that a resumed run goes the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum CallProblem {
    /// The model could not be reached, or broke off, after every retry.
    Transport {
        #[serde(with = "text_or_string")]
        detail: Text,
    },
    /// The provider's quota is spent: like `Transport`, and it is known what to wait for.
    Quota {
        #[serde(with = "text_or_string")]
        detail: Text,
        /// A span or a time after which it may be asked again, if the provider said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
    },
    /// The recording has no answer to this question.
    NotRecorded {
        #[serde(with = "text_or_string")]
        detail: Text,
    },
}

impl Spent {
    pub fn tokens(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }
}

impl fmt::Display for CallProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport { detail }
            | Self::Quota { detail, .. }
            | Self::NotRecorded { detail } => detail.fmt(f),
        }
    }
}
