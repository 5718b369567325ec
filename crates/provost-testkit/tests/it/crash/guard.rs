//! `kill -9` while hooks write their state.

use std::{
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    process::Stdio,
};

use provost_kernel::{
    Clock as _, Record,
    guard::{LastToolError, Mode, ModeState, Operation, Tracking},
};
use provost_rules_guard::tracking::apply;
use provost_testkit::{Ended, Place, command, kills};
use provost_vault::{
    Location, PATIENCE, RealDisk, Retention, Stored, SystemClock,
    guard::{Appended, GuardFiles},
    read_record, sweep, write_atomic,
};

use super::moment;

/// What stands in a file that a kill may have met: whole, or not there at all.
#[track_caller]
fn whole<T: Record + std::fmt::Debug>(at: &Location) -> Option<T> {
    match read_record::<_, T>(&RealDisk, at).unwrap() {
        Stored::Present(kept) => Some(kept.value),
        Stored::Absent => None,
        Stored::Corrupt(corruption) => panic!("{}: {corruption:?}", at.path()),
    }
}

/// HOOK-2.2, HOOK-2.5: never torn, nothing lost that was acknowledged, nothing counted twice.
#[test]
fn a_kill_while_the_guard_writes_leaves_whole_files_and_exact_counts() {
    let place = Place::new();
    let layout = place.layout();
    let mut acknowledged = 0_u64;
    for kill in 0..kills() {
        let child = command(crate::WORKER)
            .args(["guard", place.home().as_str(), &(acknowledged + 1).to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut child = Ended(child);
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        // The first line says that the loop is under way.
        let first = lines.next().unwrap().unwrap();
        std::thread::sleep(moment(kill));
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        for line in std::iter::once(first).chain(lines.map_while(Result::ok)) {
            // A number that was cut off by the kill is smaller than what was acknowledged.
            acknowledged = acknowledged.max(line.parse().unwrap_or(acknowledged));
        }

        let tracking: Tracking = whole(&layout.tracking()).unwrap();
        let spawned = tracking.total_spawned;
        assert!(
            (acknowledged..=acknowledged + 1).contains(&spawned),
            "kill {kill}: {acknowledged} acknowledged, {spawned} counted",
        );
        let completed = tracking.total_completed;
        assert!((acknowledged..=spawned).contains(&completed), "kill {kill}: {completed} ended");
        whole::<ModeState>(&layout.mode_state(Mode::Ralph)).unwrap();
        let error: LastToolError = whole(&layout.last_tool_error()).unwrap();
        assert_eq!(error.tool_name, "Bash", "kill {kill}: a corrupt file was met");
    }
    let left = sweep(&RealDisk, &layout, provost_kernel::Millis(u64::MAX), &Retention::default());
    for it in &left.expired {
        it.remove(&RealDisk).unwrap();
    }
    println!(
        "{} kills, {acknowledged} rounds, {} temporary files swept",
        kills(),
        left.expired.len()
    );
}

/// HOOK-2.5: what no crash of ours leaves, a broken file, is met with an empty state, evidence and
/// a record, wherever it breaks off.
#[test]
fn a_torn_state_starts_empty_and_the_error_is_recorded() {
    let place = Place::new();
    let layout = place.layout();
    let files = GuardFiles::new(&RealDisk, &layout, &SystemClock);
    let now = SystemClock.millis();
    let end = Operation::EndSession { session_id: "s1".to_owned() };
    let track = || files.track(&end, PATIENCE, |state, it| apply(state, it, now)).unwrap();
    files
        .change_tracking(PATIENCE, |state, _| state, |it| Tracking { total_spawned: 7, ..it })
        .unwrap();
    let at = layout.tracking();
    let bytes = std::fs::read(at.path()).unwrap();
    for len in 0..bytes.len() - 2 {
        write_atomic(&RealDisk, &at, &bytes[..len]).unwrap();
        track();
        assert_eq!(whole::<Tracking>(&at).unwrap().total_spawned, 0, "cut at {len}");
        let error: LastToolError = whole(&layout.last_tool_error()).unwrap();
        assert_eq!(error.tool_name, LastToolError::STATE_READ, "cut at {len}");
        assert_eq!(error.tool_input_preview.as_deref(), Some(at.path().as_str()));
        std::fs::remove_file(layout.last_tool_error().path()).unwrap();
    }
    write_atomic(&RealDisk, &at, &bytes).unwrap();
    track();
    assert_eq!(whole::<Tracking>(&at).unwrap().total_spawned, 7, "a whole one is read");
    assert!(whole::<LastToolError>(&layout.last_tool_error()).is_none());
}

/// HOOK-2.6: a replay is its owner's alone, also one that was not.
#[test]
fn a_replay_is_private_whatever_it_was_before() {
    let place = Place::new();
    let layout = place.layout();
    let files = GuardFiles::new(&RealDisk, &layout, &SystemClock);
    let session = "s1".parse().unwrap();
    let path = layout.replay(&session).path();
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(files.append_replay(&session, b"{\"ts\":1}").unwrap(), Appended::Written);
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(files.append_replay(&session, b"{\"ts\":2}").unwrap(), Appended::Written);
    assert_eq!(mode(), 0o600);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"ts\":1}\n{\"ts\":2}\n");

    let elsewhere = place.path().join("elsewhere");
    std::fs::write(&elsewhere, "").unwrap();
    let link = layout.replay(&"s2".parse().unwrap());
    std::os::unix::fs::symlink(&elsewhere, link.path()).unwrap();
    assert!(files.append_replay(&"s2".parse().unwrap(), b"{}").is_err(), "a link is not followed");
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "");
}
