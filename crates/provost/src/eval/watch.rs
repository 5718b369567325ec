//! `provost eval --watch`: runs again when a file changes, and only what the change concerns.
//!
//! Files are looked at by time and size, so that it works on every file system; the more files there
//! are, the less often. The last run decides the exit code.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use provost_adapter::Cancel;
use provost_engine::eval::{self, Known, Listing};
use provost_kernel::{Exit, Lang, eval::CaseStatus};
use provost_rules_eval::report::Layout;

use super::{Args, Setup, annotate, exit, publish, show, warn};
use crate::{
    live::LiveLine,
    report,
    session::{AnyFault, Session},
};

/// How often files are looked at; a change must also be at rest for so long.
const LOOK: Duration = Duration::from_millis(300);
/// Looking takes no more than this part of the time.
const SHARE: u32 = 20;

/// When each file was written, and how large it is.
type Stamps = BTreeMap<Utf8PathBuf, (std::time::SystemTime, u64)>;

/// Runs until somebody asks for the end.
pub(super) fn watch(
    args: &Args,
    session: &mut Session,
    mut setup: Setup,
    cancel: &Cancel,
) -> Result<Exit, AnyFault> {
    let report = setup.root.join(&args.out);
    let mut known = Known::new(&report);
    let mut statuses = BTreeMap::new();
    let mut last = Exit::Success;
    loop {
        // Looked at before they are read: what changes in between is seen.
        let (parts, cases) = (stamps(&setup.parts), folder_stamps(&setup));
        match setup.list().and_then(|listing| {
            once(args, session, &setup, &listing, &mut known, &mut statuses, cancel)
        }) {
            Ok(exit) => last = exit,
            Err(_) if cancel.is_cancelled() => return Ok(last),
            Err(fault) => {
                report::complain(&mut session.output, fault.0.as_ref());
                last = Exit::Unable;
            }
        }
        let mut page = session.output.page();
        page.message("waiting for a change; Ctrl-C ends it", "等待更改；按 Ctrl-C 结束");
        let mut pause = LOOK;
        loop {
            if !cancel.sleep(pause) {
                return Ok(last);
            }
            let started = Instant::now();
            let is_changed = stamps(&setup.parts) != parts || folder_stamps(&setup) != cases;
            pause = LOOK.max(started.elapsed() * SHARE);
            if is_changed && is_at_rest(&setup, cancel) {
                break;
            }
        }
        if stamps(&setup.parts) != parts {
            // What every result depends on changed.
            known = Known::new(&report);
            match Setup::new(args, session) {
                Ok(new) => setup = new,
                Err(fault) => report::complain(&mut session.output, fault.0.as_ref()),
            }
        }
    }
}

/// One run of a watch.
fn once(
    args: &Args,
    session: &mut Session,
    setup: &Setup,
    listing: &Listing,
    known: &mut Known,
    statuses: &mut BTreeMap<String, CaseStatus>,
    cancel: &Cancel,
) -> Result<Exit, AnyFault> {
    let plan = setup.plan(args, session)?;
    warn(session, listing);
    let live = LiveLine::new(session.output.lang, session.flags.quiet);
    let ran = eval::run(&plan, listing, Some(known), cancel, &live);
    live.clear();
    let ran = ran?;
    publish(args, session, setup, &plan, listing, &ran)?;
    let lang = session.output.lang;
    let now: BTreeMap<String, CaseStatus> = ran
        .results
        .statuses()
        .filter_map(|(at, it)| Some((listing.cases.get(at)?.id.clone(), it)))
        .collect();
    session.output.message(&difference(statuses, &now, ran.measured, lang));
    *statuses = now;
    // One document on each line.
    show(session, &ran, &setup.shown(&plan.report), Layout::Line)?;
    annotate(session, setup, listing, &ran)?;
    Ok(exit(&ran.report))
}

/// What changed since the run before, in one line.
fn difference(
    before: &BTreeMap<String, CaseStatus>,
    now: &BTreeMap<String, CaseStatus>,
    measured: usize,
    lang: Lang,
) -> String {
    let changed = |good: bool| {
        let is_it = |id: &str, now: CaseStatus| {
            before.get(id).is_some_and(|was| {
                (*was == CaseStatus::Pass) != good && (now == CaseStatus::Pass) == good
            })
        };
        now.iter().filter(|(id, status)| is_it(id, **status)).count()
    };
    let (fixed, broken) = (changed(true), changed(false));
    lang.pick(
        format!("measured {measured}: +{fixed} fixed, -{broken} broken"),
        format!("测量 {measured} 个：修复 +{fixed}，破坏 -{broken}"),
    )
}

fn stamps(paths: &[Utf8PathBuf]) -> Stamps {
    let stamp = |path: &Utf8PathBuf| {
        let it = path.metadata().ok()?;
        Some((path.clone(), (it.modified().ok()?, it.len())))
    };
    paths.iter().filter_map(stamp).collect()
}

/// The files that are cases now, good or bad.
fn folder_stamps(setup: &Setup) -> Stamps {
    stamps(&setup.case_files())
}

/// Whether nothing changed for a moment: an editor may write a file in several steps.
fn is_at_rest(setup: &Setup, cancel: &Cancel) -> bool {
    let before = folder_stamps(setup);
    cancel.sleep(LOOK) && folder_stamps(setup) == before
}
