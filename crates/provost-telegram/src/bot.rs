//! The loop of the bot: long polls, updates one after another, and what to do when the network fails.
//!
//! An update is confirmed after it was handled. A crash in between repeats at most one, and a repeated
//! order has no second effect, because its request id is the same.

use std::{collections::VecDeque, sync::Arc, thread, time::Duration};

use provost_desk::{Desk, DeskError, board::Board, remote::WriteGate, task::Coordinator};
use provost_kernel::{Lang, Message};

use crate::{
    Api, ApiError, BotIdentity, Note, Notes, Stop, Update,
    chat::Chats,
    delivery::{Backoff, Delivery},
    view,
};

/// How many updates are remembered, so that one that is delivered twice is handled once.
const REMEMBERED: usize = 1000;
/// How long calls that are under way may go on after the end was asked for.
const GRACE: Duration = Duration::from_secs(1);

/// What a bot needs.
pub struct BotSetup {
    pub api: Api,
    pub desk: Desk,
    pub coordinator: Box<dyn Coordinator>,
    pub gate: WriteGate,
    /// How long one poll waits for updates.
    pub poll: Duration,
    pub notes: Notes,
    /// What the project is called.
    pub project: String,
}

/// Why the bot ended.
#[derive(Debug, thiserror::Error, Message)]
#[error(transparent)]
#[message(code = "telegram.bot")]
pub enum BotError {
    #[message(transparent)]
    Api(#[from] ApiError),
    #[message(transparent)]
    Desk(#[from] DeskError),
}

/// Runs a bot until it is stopped; that is within 2 s, also during a long poll.
pub fn run(setup: BotSetup, stop: &Stop) -> Result<(), BotError> {
    let BotSetup { api, desk, coordinator, gate, poll, notes, project } = setup;
    let api = Arc::new(api);
    let (stopped, stoppable) = (stop.clone(), Arc::clone(&api));
    thread::spawn(move || {
        while stopped.sleep(Duration::from_hours(1)) {}
        stoppable.stop_polling();
        thread::sleep(GRACE);
        stoppable.stop();
    });
    let delivery = Delivery { api: Arc::clone(&api), stop: stop.clone(), notes };
    let ended = match connect(&delivery) {
        Ok(me) => {
            announce(&delivery.api);
            (delivery.notes)(&Note::Started { username: me.username.clone() });
            let board = Board::fill(desk)?;
            let mut chats = Chats::new(delivery, board, coordinator, gate, me, project);
            let ended = poll_updates(&mut chats, poll);
            chats.record_all();
            ended
        }
        Err(error) => Err(error),
    };
    match ended {
        Err(ApiError::Stopped) if stop.is_asked() => Ok(()),
        ended => {
            stop.now();
            Ok(ended?)
        }
    }
}

/// Finds out who the bot is, however long that takes.
fn connect(delivery: &Delivery) -> Result<BotIdentity, ApiError> {
    let mut network = Network::default();
    loop {
        match delivery.api.get_me() {
            Ok(me) => return Ok(me),
            Err(error) => network.wait(delivery, error)?,
        }
    }
}

/// Names the commands in both languages. A client that does not suggest them still sends them, so that a
/// failure changes nothing.
fn announce(api: &Api) {
    for (lang, language) in [(Lang::En, None), (Lang::Zh, Some("zh"))] {
        let commands = view::commands().map(|(command, _, word)| (command, word.say(lang)));
        let _ = api.set_commands(&commands, language);
    }
}

fn poll_updates(chats: &mut Chats, poll: Duration) -> Result<(), ApiError> {
    let (mut network, mut order) = (Network::default(), UpdateOrder::default());
    let mut confirmed = None;
    loop {
        let polled = chats.delivery.api.get_updates(order.offset, poll);
        chats.record_over();
        let updates = match polled {
            Ok(updates) => {
                network.is_back(&chats.delivery);
                confirmed = order.offset;
                updates
            }
            Err(error) => {
                network.wait(&chats.delivery, error).inspect_err(|error| {
                    // A call for updates would end the other reader in its turn; the poll itself has
                    // confirmed what was handled.
                    if *error != ApiError::Conflict {
                        order.confirm(&chats.delivery.api, confirmed);
                    }
                })?;
                continue;
            }
        };
        for update in order.unhandled(updates) {
            let handled = chats.handle(&update);
            if handled.is_err() {
                order.confirm(&chats.delivery.api, confirmed);
            }
            handled?;
            order.handled(update.id);
        }
    }
}

/// Which updates were handled.
#[derive(Debug, Default)]
struct UpdateOrder {
    offset: Option<i64>,
    recent: VecDeque<i64>,
}

impl UpdateOrder {
    /// The updates that were not handled, in their order.
    fn unhandled(&self, mut updates: Vec<Update>) -> Vec<Update> {
        updates.sort_by_key(|it| it.id);
        updates.dedup_by_key(|it| it.id);
        updates.retain(|it| !self.recent.contains(&it.id));
        updates
    }

    fn handled(&mut self, id: i64) {
        self.offset = Some(id + 1);
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(id);
    }

    /// Confirms at the end what no further poll confirms. Where that fails, it comes again.
    fn confirm(&self, api: &Api, confirmed: Option<i64>) {
        if let Some(offset) = self.offset.filter(|_| self.offset != confirmed) {
            let _ = api.acknowledge(offset);
        }
    }
}

/// Whether the server can be reached.
#[derive(Debug, Default)]
struct Network {
    backoff: Backoff,
    is_lost: bool,
}

impl Network {
    /// Waits until a failed call may be tried again; gives the error back where that is never.
    fn wait(&mut self, delivery: &Delivery, error: ApiError) -> Result<(), ApiError> {
        let delay = match &error {
            ApiError::RetryAfter { seconds } => {
                (delivery.notes)(&Note::Waiting { seconds: *seconds });
                Duration::from_secs(*seconds)
            }
            // Something in between may answer in the place of Telegram, such as a portal of a hotel.
            ApiError::Unreachable { .. } | ApiError::Refused { .. } => {
                if !self.is_lost {
                    (delivery.notes)(&Note::Lost { error });
                    self.is_lost = true;
                }
                self.backoff.next()
            }
            ApiError::Conflict
            | ApiError::Unauthorized
            | ApiError::NoCertificates
            | ApiError::Stopped => return Err(error),
        };
        if delivery.stop.sleep(delay) { Ok(()) } else { Err(ApiError::Stopped) }
    }

    fn is_back(&mut self, delivery: &Delivery) {
        if self.is_lost {
            (delivery.notes)(&Note::Back);
        }
        *self = Self::default();
    }
}

impl std::fmt::Debug for BotSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BotSetup").field("api", &self.api).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Content;

    #[test]
    fn an_update_is_handled_once_and_in_its_order() {
        let update = |id| Update { id, content: Content::Other };
        let ids = |order: &UpdateOrder, given: &[i64]| -> Vec<i64> {
            order
                .unhandled(given.iter().copied().map(update).collect())
                .iter()
                .map(|it| it.id)
                .collect()
        };
        let mut order = UpdateOrder::default();
        assert_eq!(ids(&order, &[3, 1, 2, 2, 1]), [1, 2, 3]);
        for id in 1..=3 {
            order.handled(id);
        }
        assert_eq!(order.offset, Some(4));
        assert_eq!(ids(&order, &[2, 4, 3]), [4]);
        // Numbers may begin anew after a week without updates.
        order.handled(4_000_000_000);
        assert_eq!(ids(&order, &[7]), [7]);
    }

    #[test]
    fn delays_grow_to_a_limit() {
        let mut backoff = Backoff::default();
        let delays: Vec<u128> = (0..9).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    }
}
