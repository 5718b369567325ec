//! Writes from afar that were refused before any rule saw them: they are recorded all the same.

use provost_kernel::{Actor, RequestId, Source, Timestamp};
use provost_rules_task::refusals::{CountedRefusals, Who};
use provost_vault::{
    Durable,
    audit::{Audit, AuditError, Event},
};
use serde_json::json;

use crate::{DISK, Desk};

/// As the audit names it.
const REFUSED: &str = "order.refused";

impl Desk {
    /// Records that an order was refused, and by which code; nothing else is written.
    pub fn record_refused(
        &self,
        actor: Actor,
        subject: String,
        request_id: Option<RequestId>,
        (what, code): (&str, &str),
    ) -> Result<(), AuditError> {
        let detail = json!({ "order": what, "refused": code });
        let action = REFUSED.to_owned();
        self.enter(&Event { actor, action, subject, request_id, detail })
    }

    /// Records in one entry what was refused within an hour and has no entry of its own. None of it took
    /// effect, so the entry may come after.
    pub fn record_counted(&self, counted: &CountedRefusals) -> Result<(), AuditError> {
        let CountedRefusals { code, count, since, who } = *counted;
        let id = match who {
            Who::One(user) => user.to_string(),
            Who::Several => "several".to_owned(),
        };
        self.enter(&Event {
            actor: Actor { source: Source::Telegram, id },
            action: REFUSED.to_owned(),
            subject: "telegram".to_owned(),
            request_id: None,
            detail: json!({ "refused": code, "count": count, "since": Timestamp::from(since) }),
        })
    }

    fn enter(&self, entry: &Event) -> Result<(), AuditError> {
        let mut chain = Audit::open(&DISK, &self.layout)?;
        chain.append(entry, &*self.clock, Durable::Now)?;
        Ok(())
    }
}
