//! What the guardian costs: short jobs under it, against bare spawn and wait.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use provost_exec::{Capture, Guardian, Job, Streams};

const PROGRAM: &str = "/bin/true";

/// Prints the time per program of `count` programs, bare and guarded, in turns of ten so that a
/// noisy moment of the machine meets both.
pub(crate) fn run(count: u32) {
    let folder = tempfile_folder();
    for resident in [0, 200] {
        let ballast = vec![1_u8; resident << 20];
        let (mut bare, mut guarded) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..count / 10 {
            let start = Instant::now();
            for _ in 0..10 {
                spawn_and_wait(&folder);
            }
            bare += start.elapsed();
            let start = Instant::now();
            for _ in 0..10 {
                supervise(&folder);
            }
            guarded += start.elapsed();
        }
        let ratio = guarded.as_secs_f64() / bare.as_secs_f64();
        let each = |total: Duration| total / count;
        println!(
            "{resident} MB resident: bare {:?}, guarded {:?}, ratio {ratio:.2}",
            each(bare),
            each(guarded)
        );
        drop(ballast);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

fn tempfile_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("provost-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

fn open(folder: &Path, name: &str) -> File {
    OpenOptions::new().create(true).read(true).append(true).open(folder.join(name)).unwrap()
}

fn spawn_and_wait(folder: &Path) {
    let mut child = Command::new(PROGRAM)
        .stdin(Stdio::null())
        .stdout(open(folder, "out"))
        .stderr(open(folder, "err"))
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
}

fn supervise(folder: &Path) {
    let capture =
        |raw: &str, clean: &str| Capture { raw: open(folder, raw), clean: open(folder, clean) };
    let guardian =
        Guardian { program: std::env::current_exe().unwrap(), args: vec!["guardian".to_owned()] };
    let streams = Streams { stdout: capture("out", "o"), stderr: capture("err", "e") };
    let job = Job::new([PROGRAM], folder, Duration::from_mins(1));
    let running = job.start(&guardian, streams, &|_| Ok(())).unwrap();
    assert_eq!(running.wait(&|bytes| bytes.into()).unwrap().rc, 0);
}
