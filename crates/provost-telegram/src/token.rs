//! The token of a bot. Its holder can act as the bot, so it is never shown.

use std::{fmt, str::FromStr};

use provost_kernel::Message;
use secrecy::{ExposeSecret as _, SecretString};

/// The token that `@BotFather` gave out.
#[derive(Clone)]
pub struct Token(SecretString);

/// A text that is not a token. The text is not repeated: it may be a secret all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "telegram.token",
    en = "the value of `TELEGRAM_BOT_TOKEN` is not a bot token",
    zh = "`TELEGRAM_BOT_TOKEN` 的值不是机器人令牌",
    hint(
        en = "a token is a number, a colon and a key; `/token` in the chat with `@BotFather` shows it",
        zh = "令牌由数字、冒号和密钥组成；在与 `@BotFather` 的对话中发送 `/token` 可查看"
    )
)]
pub struct TokenError;

/// The longest text that is taken for a token.
const LONGEST: usize = 256;

impl Token {
    /// The path of the bot below the address of the server.
    pub(crate) fn path(&self) -> String {
        format!("bot{}", self.0.expose_secret())
    }

    /// The number of the bot, which every chat can see.
    pub(crate) fn bot(&self) -> String {
        let secret = self.0.expose_secret();
        secret.split_once(':').map_or("", |(number, _)| number).to_owned()
    }

    /// Removes the token from a text that came from outside.
    pub(crate) fn redact(&self, text: &str) -> String {
        let secret = self.0.expose_secret();
        let key = secret.split_once(':').map_or(secret, |(_, key)| key);
        text.replace(secret, "[token]").replace(key, "[token]")
    }
}

impl FromStr for Token {
    type Err = TokenError;

    /// Anything that `@BotFather` may give out, and nothing that could leave its place in a path.
    fn from_str(text: &str) -> Result<Self, TokenError> {
        let (number, key) = text.split_once(':').ok_or(TokenError)?;
        let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        let is_key = key.len() >= 8
            && key.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it));
        if is_number && is_key && text.len() <= LONGEST {
            Ok(Self(SecretString::from(text)))
        } else {
            Err(TokenError)
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_number_and_a_key() {
        for (text, is_token) in [
            ("110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", true),
            ("1:test-token_1", true),
            ("110201543", false),
            (":AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", false),
            ("x:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", false),
            ("1:short", false),
            ("1:AAHdqTcvCH1vG/../AAHdqTcvCH1vG", false),
            ("1:AAHdqTcvCH1vG\nAAHdqTcvCH1vG", false),
            (" 1:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", false),
            ("", false),
        ] {
            assert_eq!(text.parse::<Token>().is_ok(), is_token, "{text:?}");
        }
        let long = format!("1:{}", "a".repeat(300));
        assert_eq!(long.parse::<Token>().err(), Some(TokenError));
    }

    #[test]
    fn a_token_is_never_shown() {
        let token: Token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw".parse().unwrap();
        assert_eq!(format!("{token:?}"), "Token");
        let text = "GET /bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/x, AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
        assert_eq!(token.redact(text), "GET /bot[token]/x, [token]");
    }
}
