//! A topic of an ntfy server.

use provost_http::{Destination, NoCertificates};
use provost_kernel::notify::NoticeKind;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::{Channel, Delivery, DeliveryError, account, http::Receiver, payload::titled};

/// A topic. The message is published as JSON, because headers cannot hold every language.
pub struct Ntfy {
    receiver: Receiver,
    topic: String,
    token: Option<SecretString>,
}

impl Ntfy {
    /// The topic at `https://server/topic`; none where the address has no topic.
    pub fn new(
        address: &str,
        destination: Destination,
        token: Option<SecretString>,
    ) -> Result<Option<Self>, NoCertificates> {
        let Some((server, topic)) = split(address) else { return Ok(None) };
        let receiver = Receiver::new("ntfy", server, destination)?;
        Ok(Some(Self { receiver, topic: topic.to_owned(), token }))
    }
}

/// The address of the server, and the topic behind its last slash.
fn split(address: &str) -> Option<(&str, &str)> {
    let path = address.find("://")? + 3;
    let (server, topic) = address.trim_end_matches('/').rsplit_once('/')?;
    (server.len() >= path && !topic.is_empty() && !topic.contains(['?', '&']))
        .then_some((server, topic))
}

impl Channel for Ntfy {
    fn target(&self) -> &str {
        self.receiver.target()
    }

    fn account(&self) -> String {
        account(self.target(), &format!("{}/{}", self.receiver.address(), self.topic))
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let (title, lines) = titled(delivery);
        let is_urgent = delivery.notices.iter().any(|it| is_urgent(it.kind));
        let mut body = json!({
            "topic": self.topic,
            "title": title,
            "message": lines.join("\n"),
            "priority": if is_urgent { 4 } else { 3 },
        });
        if let (Some(page), [notice]) = (delivery.page, delivery.notices)
            && let Some(task) = &notice.task_id
        {
            body["click"] = format!("{}/tasks/{task}", page.trim_end_matches('/')).into();
        }
        let token = self.token.iter();
        let headers: Vec<_> =
            token.map(|it| ("Authorization", format!("Bearer {}", it.expose_secret()))).collect();
        self.receiver.post(body.to_string().as_bytes(), &headers)
    }
}

fn is_urgent(kind: NoticeKind) -> bool {
    match kind {
        NoticeKind::Failed | NoticeKind::Paused | NoticeKind::Guard => true,
        NoticeKind::Ready | NoticeKind::Budget | NoticeKind::Test => false,
    }
}

impl std::fmt::Debug for Ntfy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ntfy").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_what_stands_behind_the_last_slash() {
        assert_eq!(split("https://ntfy.sh/alerts"), Some(("https://ntfy.sh", "alerts")));
        assert_eq!(split("https://h/sub/alerts/"), Some(("https://h/sub", "alerts")));
        assert_eq!(split("https://ntfy.sh"), None);
        assert_eq!(split("https://ntfy.sh/"), None);
        assert_eq!(split("https://ntfy.sh/a?x=1"), None);
        assert_eq!(split("ntfy.sh/alerts"), None);
    }
}
