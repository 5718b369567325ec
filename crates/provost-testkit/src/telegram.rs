//! Bot API servers on loopback, and what Telegram refuses.

pub mod limits;
