//! Supervised jobs with a durable `rc.txt`, against bare spawn and wait.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use provost_exec::{Capture, Guardian, Job, Streams};
use provost_kernel::AttemptNumber;
use provost_testkit::{Place, command};
use provost_vault::{Location, RealDisk, Step, StepFile, open_capture, write_atomic};
use serde_json::Value;

use super::{Comparison, Goal, Times, compare, repeat};

const PROGRAM: &str = "/bin/true";
const BALLAST: usize = 200 << 20;

pub(super) fn measure(provost: &Path) -> Vec<Value> {
    let guardian = Guardian { program: PathBuf::from(provost), args: vec!["guardian".to_owned()] };
    let place = Place::new();
    let supervised = || supervise(&place, &guardian);
    let bare = || spawn_and_wait(&place);

    let light = compare(100, 10, supervised, bare);
    // Every page is touched: a fork would have to copy what describes them.
    let ballast = vec![1_u8; BALLAST];
    let heavy = compare(100, 10, supervised, bare);
    drop(std::hint::black_box(ballast));

    vec![
        Comparison {
            name: "supervised_job",
            what: "`/bin/true` under a guardian, with a durable `rc.txt`",
            baseline: "bare spawn and wait",
            goal: Goal::TimeAtMost(4.0),
        }
        .result(&light),
        Comparison {
            name: "supervised_job_200mb",
            what: "the same from a parent with 200 MB resident",
            baseline: "bare spawn and wait from that parent",
            goal: Goal::TimeAtMost(4.0),
        }
        .result(&heavy),
        Comparison {
            name: "supervised_job_growth",
            what: "a supervised job from a parent with 200 MB resident",
            baseline: "a supervised job from a small one",
            goal: Goal::TimeAtMost(1.15),
        }
        .result(&growth(supervised)),
    ]
}

/// The same job from a parent that is heavy and light by turns.
fn growth(mut supervised: impl FnMut()) -> Times {
    const TURN: u32 = 25;
    const TURNS: u32 = 10;
    let mut times = Times { ours: Duration::ZERO, baseline: Duration::ZERO, count: TURN * TURNS };
    for _ in 0..TURNS {
        let ballast = vec![1_u8; BALLAST];
        times.ours += repeat(TURN, &mut supervised);
        drop(std::hint::black_box(ballast));
        times.baseline += repeat(TURN, &mut supervised);
    }
    times
}

fn supervise(place: &Place, guardian: &Guardian) {
    let layout = place.layout();
    let task = "ours".parse().expect("an id");
    let file = |file| layout.step_file(&task, AttemptNumber::FIRST, Step::Test, file);
    let open = |at: Location| open_capture(&at).expect("a file for the output");
    let streams = Streams {
        stdout: Capture {
            raw: open(file(StepFile::StdoutRaw)),
            clean: open(file(StepFile::Stdout)),
        },
        stderr: Capture {
            raw: open(file(StepFile::StderrRaw)),
            clean: open(file(StepFile::Stderr)),
        },
    };
    let job = Job::new([PROGRAM], place.path().as_std_path(), Duration::from_mins(1));
    let running = job.start(guardian, streams, &|_| Ok(())).expect("a job");
    let outcome = running.wait(&|bytes| bytes.into()).expect("an outcome");
    write_atomic(&RealDisk, &file(StepFile::Rc), format!("{}\n", outcome.rc).as_bytes())
        .expect("a durable exit code");
}

fn spawn_and_wait(place: &Place) {
    let status = command(PROGRAM)
        .current_dir(place.path())
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("a program").success());
}
