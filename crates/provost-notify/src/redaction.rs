//! The secrets of the channels themselves, by their value: an agent that came to know one and writes it
//! into a reason or a question does not have it sent around.

use std::borrow::Cow;

use provost_kernel::{Lang, Text, notify::Notice};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// What stands in the place of a secret.
const REDACTED: &str = "[REDACTED]";
/// A shorter value would be found in the middle of words.
const SHORTEST: usize = 8;

/// The values that are removed from what is told.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<SecretString>);

impl Secrets {
    pub fn new(values: impl IntoIterator<Item = SecretString>) -> Self {
        let long = values.into_iter().filter(|it| it.expose_secret().len() >= SHORTEST);
        Self(long.collect())
    }

    /// A notice without them.
    pub(crate) fn removed_from<'a>(&self, notice: &'a Notice) -> Cow<'a, Notice> {
        let texts =
            || [&notice.message].into_iter().chain(&notice.reasons).chain(&notice.questions);
        if !texts().any(|it| self.is_in(it)) {
            return Cow::Borrowed(notice);
        }
        let all = |texts: &[Text]| texts.iter().map(|it| self.cleaned(it)).collect();
        Cow::Owned(Notice {
            message: self.cleaned(&notice.message),
            reasons: all(&notice.reasons),
            questions: all(&notice.questions),
            ..notice.clone()
        })
    }

    fn is_in(&self, text: &Text) -> bool {
        let said = [Lang::En, Lang::Zh].map(|it| it.render(text));
        let mut values = self.0.iter().map(SecretString::expose_secret);
        values.any(|value| said.iter().any(|it| it.contains(value)))
    }

    fn cleaned(&self, text: &Text) -> Text {
        if !self.is_in(text) {
            return text.clone();
        }
        let (said, code, args) = text.to_parts();
        let args = args.into_iter().map(|(name, value)| (name, self.clean_value(value))).collect();
        Text::from_parts(&self.clean(&said), code.as_deref(), &args)
    }

    fn clean_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.clean(&text)),
            Value::Array(items) => items.into_iter().map(|it| self.clean_value(it)).collect(),
            Value::Object(map) => {
                map.into_iter().map(|(name, it)| (name, self.clean_value(it))).collect()
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    fn clean(&self, text: &str) -> String {
        let values = self.0.iter().map(SecretString::expose_secret);
        values.fold(text.to_owned(), |text, value| text.replace(value, REDACTED))
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Message, Timestamp, notify::NoticeKind};

    use super::*;

    #[derive(Debug, Message)]
    #[message(code = "notify.tests.said", en = "it said {what}", zh = "它说了 {what}")]
    struct Said {
        what: String,
    }

    #[test]
    fn a_secret_of_a_channel_is_removed_by_its_value() {
        let secrets = Secrets::new(["correct horse", "a"].map(SecretString::from));
        let what = "correct horse battery".to_owned();
        let plain = Notice::of_project(
            NoticeKind::Paused,
            Timestamp::EPOCH,
            ("", "", 1),
            Said { what }.text(),
        );
        let notice = Notice {
            reasons: vec![Text::verbatim("a correct horse"), Text::verbatim("a horse")],
            questions: vec![Text::verbatim("correct horse?")],
            ..plain
        };
        let cleaned = secrets.removed_from(&notice);
        let render = |lang: Lang| lang.render(&cleaned.message);
        assert_eq!(render(Lang::En), "it said [REDACTED] battery");
        assert_eq!(render(Lang::Zh), "它说了 [REDACTED] battery");
        assert_eq!(Lang::En.render_all(&cleaned.reasons), ["a [REDACTED]", "a horse"]);
        assert_eq!(Lang::En.render_all(&cleaned.questions), ["[REDACTED]?"]);
        assert_eq!(cleaned.id(), notice.id());
        assert!(!format!("{secrets:?}").contains("horse"));
    }
}
