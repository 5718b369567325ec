//! Takes secrets out of a ticket (LOOP-A4).
//!
//! Every text of a ticket may be shown to a model, and so none of them holds a secret from the
//! moment it is read: what is judged, reflected on, recorded and exported comes from here.

use provost_kernel::learn::{Item, Ticket};
use provost_rules::secret::{redact, scan};

/// The same ticket, with `[REDACTED:kind]` in place of every secret.
pub(super) fn taken_out(ticket: Ticket) -> Ticket {
    let item = |it: Item| Item { name: clean(it.name), text: clean(it.text) };
    Ticket {
        items: ticket.items.into_iter().map(item).collect(),
        title: ticket.title.map(clean),
        context: ticket.context.map(clean),
        meta: ticket.meta.into_iter().map(|(name, it)| (clean(name), clean(it))).collect(),
        label_reason: ticket.label_reason.map(clean),
        ..ticket
    }
}

/// The kind of secret that a text holds. A key cannot be redacted: two of them could become one.
pub(super) fn kind_in(text: &str) -> Option<&'static str> {
    scan(text.as_bytes()).first().map(|it| it.kind)
}

fn clean(text: String) -> String {
    match redact(text.as_bytes()) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    }
}
