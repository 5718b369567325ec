//! What the guardian costs: short jobs under it, against bare spawn and wait.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use provost_exec::{
    Capture, Guardian, Job, Streams,
    sandbox::{Network, Requirement, Sandbox},
};

const PROGRAM: &str = "/bin/true";

/// Prints the time per program of `count` programs, bare, guarded and sandboxed, in turns of ten
/// so that a noisy moment of the machine meets all.
pub(crate) fn run(count: u32) {
    let folder = tempfile_folder();
    let sandbox = |network| Sandbox {
        writable: vec![folder.clone()],
        hidden: Vec::new(),
        network,
        files: Requirement::Must,
        limits: provost_exec::Limits::default(),
    };
    let online = sandbox(Network::On);
    let offline = sandbox(Network::Off(Requirement::Must));
    let ways: [(&str, &dyn Fn()); 4] = [
        ("bare", &|| spawn_and_wait(&folder)),
        ("guarded", &|| supervise(&folder, None)),
        ("sandboxed", &|| supervise(&folder, Some(&online))),
        ("offline", &|| supervise(&folder, Some(&offline))),
    ];
    for resident in [0, 200] {
        let ballast = vec![1_u8; resident << 20];
        let mut totals = [Duration::ZERO; 4];
        for _ in 0..count / 10 {
            for (total, (_, way)) in totals.iter_mut().zip(&ways) {
                let start = Instant::now();
                (0..10).for_each(|_| way());
                *total += start.elapsed();
            }
        }
        println!("{resident} MB resident:");
        for (total, (name, _)) in totals.iter().zip(&ways) {
            let ratio = total.as_secs_f64() / totals[0].as_secs_f64();
            println!("  {name:<10} {:>12?} {ratio:.2}", *total / count);
        }
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

fn supervise(folder: &Path, sandbox: Option<&Sandbox>) {
    let capture =
        |raw: &str, clean: &str| Capture { raw: open(folder, raw), clean: open(folder, clean) };
    let guardian =
        Guardian { program: std::env::current_exe().unwrap(), args: vec!["guardian".to_owned()] };
    let streams = Streams { stdout: capture("out", "o"), stderr: capture("err", "e") };
    let mut job = Job::new([PROGRAM], folder, Duration::from_mins(1));
    job.sandbox = sandbox.cloned();
    let running = job.start(&guardian, streams, &|_| Ok(())).unwrap();
    assert_eq!(running.wait(&|bytes| bytes.into()).unwrap().rc, 0);
}
