//! Writes from afar that were refused before any rule saw them: they are recorded all the same.

use provost_kernel::{Actor, RequestId};
use provost_vault::{
    Durable,
    audit::{Audit, AuditError, Event},
};
use serde_json::json;

use crate::{DISK, Desk};

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
        let action = "order.refused".to_owned();
        let entry = Event { actor, action, subject, request_id, detail };
        let mut chain = Audit::open(&DISK, &self.layout)?;
        chain.append(&entry, &*self.clock, Durable::Now)?;
        Ok(())
    }
}
