//! The outbox at every stop point: nothing that was noted is lost, and at most one message is repeated.

use std::io;

use provost_kernel::{
    Text, Timestamp,
    notify::{Notice, NoticeKind},
};

use super::{AfterNoon, Ledger, Noon, check_safe, explore, layout};
use crate::{FileError, notify::Outbox, sim::SimDisk};

const TARGET: &str = "webhook";

fn notice(version: u64) -> Notice {
    let source = ("CRASH", "", version);
    Notice::of_project(NoticeKind::Failed, Timestamp::EPOCH, source, Text::verbatim("why"))
}

/// Notes three and sends them one by one. The ledger counts what is durable: 1 for the notes, one more
/// for each message.
fn act(disk: &SimDisk, ledger: &Ledger<'_>) -> Result<(), FileError> {
    let layout = layout();
    let outbox = Outbox::new(disk, &layout, &Noon);
    let Some(mut sender) = outbox.acquire()? else { return Ok(()) };
    let all: Vec<Notice> = (1..=3).map(notice).collect();
    sender.note(&all, &[TARGET.to_owned()])?;
    ledger.acknowledge(1);
    for (sent, notice) in (2..).zip(&all) {
        sender.sent(TARGET, vec![notice.id()], 0)?;
        ledger.acknowledge(sent);
    }
    let state = sender.read()?;
    sender.rewrite(&state)
}

fn check(disk: &SimDisk, acknowledged: u64) -> Result<(), String> {
    let layout = layout();
    let state = Outbox::new(disk, &layout, &AfterNoon).read().map_err(|it| it.to_string())?;
    let known = (1..=3).filter(|it| state.knows(&notice(*it).id())).count();
    if acknowledged >= 1 && known != 3 {
        return Err(format!("{known} of 3 notices are left"));
    }
    let pending: Vec<u64> = state.pending(TARGET).iter().map(|it| it.state_version).collect();
    let sent = acknowledged.saturating_sub(1);
    // What is on record as sent is sent no more, and what is not is sent again.
    match pending.first() {
        Some(&first) if acknowledged >= 1 && first <= sent => {
            Err(format!("{sent} were sent, and {first} is sent again"))
        }
        Some(_) | None => Ok(()),
    }
}

#[test]
fn a_crash_repeats_at_most_one_message_and_loses_none() {
    let explored = explore(
        |_| {},
        |disk, ledger| act(disk, ledger).map_err(|it| io::Error::other(it.to_string())),
        check,
    );
    check_safe("outbox", &explored);
}
