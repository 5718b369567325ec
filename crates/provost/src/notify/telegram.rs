//! A chat of the Telegram bot as a channel.

use std::{sync::Arc, time::Duration};

use provost_notify::{Channel, Delivery, DeliveryError, told};
use provost_telegram::{Api, ApiError, Told, notification, short_notification};

/// One chat.
pub(super) struct Chat {
    api: Arc<Api>,
    id: i64,
    target: String,
    /// Who is mentioned, if it is a group.
    mention: Option<String>,
}

impl Chat {
    pub(super) fn new(api: Arc<Api>, id: i64, mention: Option<&str>) -> Self {
        // The ids of groups are negative.
        let mention = mention.filter(|_| id < 0).map(str::to_owned);
        Self { api, id, target: format!("telegram:{id}"), mention }
    }
}

impl Channel for Chat {
    fn target(&self) -> &str {
        &self.target
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let (title, lines) = told(delivery);
        let told = Told {
            notices: delivery.notices,
            mention: self.mention.as_deref(),
            title: &title,
            lines: &lines,
            project: delivery.project,
            lang: delivery.lang,
        };
        let sent = self.api.send_message(self.id, &notification(&told));
        // One that is refused for what it says must not hold up the ones behind it.
        let sent = match sent {
            Err(ApiError::Refused { .. }) => {
                self.api.send_message(self.id, &short_notification(&told))
            }
            sent => sent,
        };
        sent.map(drop).map_err(|error| {
            let retry_after = match &error {
                ApiError::RetryAfter { seconds } => Some(Duration::from_secs(*seconds)),
                ApiError::Conflict
                | ApiError::Unauthorized
                | ApiError::Refused { .. }
                | ApiError::Unreachable { .. }
                | ApiError::NoCertificates
                | ApiError::Stopped => None,
            };
            DeliveryError { retry_after, ..DeliveryError::from(error) }
        })
    }
}
