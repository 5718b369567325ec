//! The Bot API servers that the bot is tested with.

mod scripted;
mod test_api;
