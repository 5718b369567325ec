//! Every stop point of the claims log and of the plans.

use provost_kernel::{
    Timestamp,
    story::{EventBody, ExecutionChange},
};

use super::{check_safe, explore, failed, layout};
use crate::story::{NewEvent, StoryFiles};

fn event(n: u64) -> NewEvent {
    let change = ExecutionChange { reason: Some(format!("n{n}")), ..ExecutionChange::default() };
    NewEvent {
        at: Timestamp::EPOCH,
        execution_id: "e1".parse().unwrap(),
        story_id: None,
        body: EventBody::Changed(change),
    }
}

/// Ruling: the claims log is synced before anything else happens. What was acknowledged is there,
/// in order and without a gap, and the log goes on.
#[test]
fn a_claim_that_was_acknowledged_is_there_at_every_stop_point() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let files = StoryFiles::new(disk, &layout);
            for n in 1..=3 {
                let event = files.append(event(n)).map_err(failed)?;
                assert_eq!(event.seq, n);
                ledger.acknowledge(n);
            }
            Ok(())
        },
        |image, acknowledged| {
            let files = StoryFiles::new(image, &layout);
            let read = || -> Result<Vec<(u64, EventBody)>, String> {
                let events = files.events().map_err(|it| it.to_string())?;
                events
                    .map(|it| it.map(|it| (it.seq, it.body)).map_err(|it| it.to_string()))
                    .collect()
            };
            let found = read()?;
            let n_found = found.len() as u64;
            if n_found < acknowledged {
                return Err(format!("acknowledged {acknowledged}, found {n_found}"));
            }
            let expected: Vec<_> = (1..=n_found).map(|n| (n, event(n).body)).collect();
            if found != expected {
                return Err(format!("not what was written: {found:?}"));
            }
            let last = files.last().map_err(|it| it.to_string())?.map_or(0, |it| it.seq);
            if last != n_found {
                return Err(format!("the last is {last} of {n_found}"));
            }
            files.append(event(n_found + 1)).map_err(|it| it.to_string())?;
            let after = read()?;
            if after.len() as u64 == n_found + 1 { Ok(()) } else { Err(format!("{after:?}")) }
        },
    );
    check_safe("claims log", &explored);
}

#[test]
fn a_plan_that_was_kept_is_whole_at_every_stop_point() {
    let layout = layout();
    let explored = explore(
        |_| {},
        |disk, ledger| {
            StoryFiles::new(disk, &layout).keep_plan(b"# plan\n").map_err(failed)?;
            ledger.acknowledge(1);
            Ok(())
        },
        |image, acknowledged| {
            let files = StoryFiles::new(image, &layout);
            let digest = provost_kernel::Digest::of_bytes(b"# plan\n");
            match files.plan(digest) {
                Ok(bytes) if bytes == b"# plan\n" => {}
                Err(_) if acknowledged == 0 => {}
                other => return Err(format!("{other:?}")),
            }
            // What a crash left behind does no harm.
            files.keep_plan(b"# plan\n").map(drop).map_err(|it| it.to_string())
        },
    );
    check_safe("plan", &explored);
}
