//! Orders that were refused, on record: one by one, and counted where there are many.

use provost_desk::remote::{CountedRefusals, Kept, RemoteRefusal, Sender};
use provost_kernel::{Actor, Message, RequestId, Source, TaskId};

use super::Chats;
use crate::callback::Verb;

impl Chats {
    /// Records an order that the gate refused: in an entry of its own, or in that of its hour.
    pub(super) fn record_gate(
        &mut self,
        sender: Sender,
        task: Option<&TaskId>,
        verb: Verb,
        (request_id, refusal): (Option<&RequestId>, RemoteRefusal),
    ) {
        let now = self.desk.clock().millis();
        self.record_over();
        match self.refusals.take(refusal, sender.user, now) {
            Kept::Recorded => {
                self.record_refused(sender, task, verb, (request_id, refusal.code()));
            }
            Kept::Counted => {}
        }
    }

    /// Records what was counted in hours that are over.
    pub(crate) fn record_over(&mut self) {
        let now = self.desk.clock().millis();
        let over = self.refusals.over(now);
        self.record_counted(&over);
    }

    /// Records everything that was counted, at the end.
    pub(crate) fn record_all(&mut self) {
        let all = self.refusals.all();
        self.record_counted(&all);
    }

    fn record_counted(&self, counted: &[CountedRefusals]) {
        for it in counted {
            let _ = self.desk.record_counted(it);
        }
    }

    /// Records an order that failed before it could be placed.
    pub(super) fn record_failed(
        &self,
        sender: Sender,
        task: Option<&TaskId>,
        verb: Verb,
        error: &dyn Message,
    ) {
        let text = error.text();
        let code = (None, text.code().unwrap_or("refused"));
        self.record_refused(sender, task, verb, code);
    }

    /// Records an order that was refused. A record that cannot be written changes nothing: it stays refused.
    pub(super) fn record_refused(
        &self,
        sender: Sender,
        task: Option<&TaskId>,
        verb: Verb,
        (request_id, code): (Option<&RequestId>, &str),
    ) {
        let subject = task.map_or_else(|| "telegram".to_owned(), |it| format!("task:{it}"));
        let what = (verb.action(), code);
        let _ = self.desk.record_refused(actor(sender), subject, request_id.cloned(), what);
    }
}

/// Who orders, as the audit names them.
pub(super) fn actor(sender: Sender) -> Actor {
    Actor { source: Source::Telegram, id: sender.user.to_string() }
}
