//! Jobs under the guardian: what they get, what they leave, and how they end.

use std::{borrow::Cow, fs, os::fd::AsRawFd as _, time::Duration};

use provost_exec::{Ended, ExecError, Guardian, Streams};
use provost_kernel::{Exit, Finding, Message, Severity};

use crate::world::{PROBE, World, guardian, until};

#[track_caller]
fn check(world: &World, argv: &[&str], rc: i32, ended: &Ended) {
    let outcome = world.run(&world.job(argv)).outcome;
    assert_eq!((outcome.rc, &outcome.ended), (rc, ended), "{argv:?}");
    assert_eq!(outcome.leftovers_ended, 0, "{argv:?}");
}

/// LOOP-A12: the code is the process's own.
#[test]
fn an_exit_code_says_how_the_program_ended() {
    let world = World::new();
    world.write("plain.txt", "not a program");
    world.write("folder/x", "");
    let not_run = |reason: String| Ended::NotRun { reason };
    check(&world, &[PROBE, "exit", "0"], 0, &Ended::Exited);
    check(&world, &[PROBE, "exit", "3"], 3, &Ended::Exited);
    check(&world, &["true"], 0, &Ended::Exited);
    check(&world, &["sh", "-c", "exit 255"], 255, &Ended::Exited);
    check(&world, &["sh", "-c", "kill -KILL $$"], 137, &Ended::Signalled { signal: 9 });
    // The guardian stays deaf to TERM, but the job must start with the usual answer to it.
    check(&world, &["sh", "-c", "kill -TERM $$"], 143, &Ended::Signalled { signal: 15 });
    check(&world, &["sh", "-c", "kill -PIPE $$"], 141, &Ended::Signalled { signal: 13 });
    check(&world, &["sh", "-c", "kill -TERM $PPID; kill -HUP $PPID; exit 4"], 4, &Ended::Exited);
    check(
        &world,
        &["no-such-program"],
        127,
        &not_run("`no-such-program` is not in PATH".to_owned()),
    );
    check(
        &world,
        &["./nothing"],
        127,
        &not_run(format!("`{}` does not exist", world.at("./nothing"))),
    );
    check(
        &world,
        &["./plain.txt"],
        126,
        &not_run(format!("`{}` is not executable", world.at("./plain.txt"))),
    );
    check(&world, &["./folder"], 126, &not_run(format!("`{}` is a folder", world.at("./folder"))));
}

/// LOOP-A3: a refused command is never started.
#[test]
fn a_refused_command_is_not_started() {
    let world = World::new();
    let job = world.job(&["sh", "-c", "echo started > started"]);
    let refuse = |argv: &[String]| {
        Err(Finding {
            rule: "command.sudo".into(),
            severity: Severity::P0,
            subject: argv.join(" "),
            message: "no".into(),
            hint: Some("do without".into()),
        })
    };
    let error = job.start(&guardian(), world.streams(), &refuse).unwrap_err();
    assert!(matches!(&error, ExecError::Refused(it) if it.rule == "command.sudo"), "{error:?}");
    assert_eq!(error.exit(), Exit::Refused);
    assert_eq!(error.hints(), ["do without"]);
    assert!(!world.path.join("started").exists());

    assert_eq!(world.run(&job).outcome.rc, 0);
    assert!(world.path.join("started").exists());
}

#[test]
fn a_job_sees_the_environment_it_was_given_and_no_other() {
    let world = World::new();
    let mut job = world.job(&[PROBE, "environment"]);
    job.env = [("A", "1"), ("名", "值\n二")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    // This process has many more: cargo's own at least.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert_eq!(world.run(&job).stdout, "A=1\n名=值\n二\n");
}

#[test]
fn a_job_inherits_nothing_but_its_three_streams() {
    let world = World::new();
    // Not closed on exec, as a careless parent of this process might leave it.
    let leaked = rustix::io::dup(world.open("leaked")).unwrap();
    let left = world.run(&world.job(&[PROBE, "descriptors"]));
    assert!(leaked.as_raw_fd() > 2);
    let names: Vec<&str> = left.stdout.lines().map(|it| it.split(' ').nth(1).unwrap()).collect();
    let expected = ["/dev/null", &world.at("stdout.raw"), &world.at("stderr.raw")];
    assert_eq!(names[..3], expected, "{}", left.stdout);
    // The last one is the folder that the probe lists.
    assert!(names[3..].iter().all(|it| it.starts_with("/proc/")), "{}", left.stdout);
}

/// A plan that does not fit into the socket at once arrives all the same.
#[test]
fn long_arguments_arrive_whole() {
    let world = World::new();
    let long = "长".repeat(40_000);
    let mut argv = vec!["sh", "-c", "printf %s $# \"$1\"", "sh"];
    argv.extend([long.as_str(); 8]);
    let left = world.run(&world.job(&argv));
    assert_eq!(left.stdout, format!("8{long}"), "{}", left.stderr);
}

#[test]
fn standard_input_is_closed() {
    let world = World::new();
    assert_eq!(world.run(&world.job(&[PROBE, "stdin"])).stdout, "0 bytes\n");
}

/// Also one that does not fit into the socket at once.
#[test]
fn a_text_that_a_job_is_given_is_its_standard_input() {
    let world = World::new();
    for text in ["", "一行\n第二行", "\0", &"长".repeat(1 << 20)] {
        let left = world.run(&world.job(&[PROBE, "stdin"]).given(text.to_owned()));
        assert_eq!(left.stdout, format!("{} bytes\n", text.len()));
    }
    let job = world.job(&["cat"]).given("读到的".to_owned());
    let (streams, printed) = Streams::in_memory().unwrap();
    job.start(&guardian(), streams, &|_| Ok(())).unwrap().wait(&|it| it.into()).unwrap();
    assert_eq!(printed.read(1 << 20).unwrap(), "读到的".as_bytes());
    assert_eq!(printed.read(3).unwrap(), "读".as_bytes());
}

#[test]
fn a_job_and_what_it_starts_can_gain_no_rights() {
    let world = World::new();
    let left = world.run(&world.job(&["grep", "NoNewPrivs", "/proc/self/status"]));
    assert_eq!(left.stdout, "NoNewPrivs:\t1\n");
}

/// LOOP-A12: both streams are files, and the clean one has gone through the redactor.
#[test]
fn output_is_kept_raw_and_cleaned() {
    let world = World::new();
    let job = world.job(&[PROBE, "say", "key=hunter2 输出", "hunter2\n"]);
    let redact = |bytes: &[u8]| -> Cow<'static, [u8]> {
        String::from_utf8_lossy(bytes).replace("hunter2", "[redacted]").into_bytes().into()
    };
    let outcome = world.start(&job).unwrap().wait(&|bytes| redact(bytes)).unwrap();
    assert_eq!((outcome.stdout_dropped, outcome.stderr_dropped), (0, 0));
    assert_eq!(world.text("stdout.raw"), "key=hunter2 输出");
    assert_eq!(world.text("stdout.log"), "key=[redacted] 输出");
    assert_eq!(world.text("stderr.log"), "[redacted]\n");
}

#[test]
fn a_file_that_is_not_appended_to_is_refused() {
    let world = World::new();
    let mut streams = world.streams();
    streams.stderr.raw = fs::File::create(world.path.join("plain")).unwrap();
    let job = world.job(&["true"]);
    let error = job.start(&guardian(), streams, &|_| Ok(())).unwrap_err();
    assert_eq!(error.to_string(), "cannot capture stderr: the raw file is not open for appending");
}

#[test]
fn a_flood_is_cut_and_the_job_goes_on() {
    const CAP: u64 = 100_000;
    let world = World::new();
    for stream in ["stdout", "stderr"] {
        let mut job = world.job(&[PROBE, "flood", stream, "64"]);
        job.output_cap = CAP;
        let outcome = world.run(&job).outcome;
        assert_eq!((outcome.rc, outcome.ended), (0, Ended::Exited));
        for suffix in ["raw", "log"] {
            let size = fs::metadata(world.path.join(format!("{stream}.{suffix}"))).unwrap().len();
            assert_eq!(size, CAP, "{stream}.{suffix}");
        }
        let (flooded, quiet) = match stream {
            "stdout" => (outcome.stdout_dropped, outcome.stderr_dropped),
            _ => (outcome.stderr_dropped, outcome.stdout_dropped),
        };
        assert!(flooded > 0 && flooded <= (64 << 20) - CAP, "{flooded}");
        assert_eq!(quiet, 0);
    }
}

#[test]
fn a_job_can_be_cancelled_from_another_thread() {
    let world = World::new();
    let running = world.start(&world.role("sleep")).unwrap();
    let pid = running.pid().unwrap();
    let canceller = running.canceller();
    let thread = std::thread::spawn(move || canceller.cancel());
    let outcome = running.wait(&|bytes| bytes.into()).unwrap();
    thread.join().unwrap();
    assert_eq!((outcome.rc, outcome.ended), (143, Ended::Cancelled));
    assert!(is_unknown(pid));
}

/// A cancel that comes too late is nobody's error.
#[test]
fn cancelling_a_job_that_has_ended_does_nothing() {
    let world = World::new();
    let running = world.start(&world.job(&["true"])).unwrap();
    let canceller = running.canceller();
    assert_eq!(running.wait(&|bytes| bytes.into()).unwrap().rc, 0);
    canceller.cancel();
}

#[test]
fn a_job_that_nobody_waits_for_is_ended() {
    let world = World::new();
    let running = world.start(&world.role("stubborn")).unwrap();
    world.noted("ready");
    assert_eq!(world.living().len(), 2);
    let canceller = running.canceller();
    drop(running);
    assert_eq!(world.living(), [0; 0]);
    drop(canceller);
}

#[test]
fn a_program_that_is_no_guardian_is_reported() {
    let world = World::new();
    let start = |program: &str| {
        let guardian = Guardian { program: program.into(), args: Vec::new() };
        world.job(&["true"]).start(&guardian, world.streams(), &|_| Ok(())).unwrap_err()
    };
    assert!(matches!(start("/no/such/guardian"), ExecError::Guardian { .. }));
    let error = start("/bin/true");
    assert!(
        matches!(error, ExecError::GuardianLost { .. } | ExecError::Guardian { .. }),
        "{error:?}"
    );
}

#[test]
fn a_missing_working_folder_is_named() {
    let world = World::new();
    let mut job = world.job(&["true"]);
    job.cwd = world.path.join("nowhere");
    let outcome = world.run(&job).outcome;
    assert_eq!(outcome.rc, 126);
    assert!(
        matches!(&outcome.ended, Ended::NotRun { reason } if reason.contains(&world.at("nowhere"))),
        "{:?}",
        outcome.ended
    );
}

#[test]
fn the_deadline_ends_a_job_that_sleeps() {
    let world = World::new();
    let mut job = world.role("sleep");
    job.deadline = Duration::from_millis(50);
    let left = world.run(&job);
    assert_eq!((left.outcome.rc, left.outcome.ended), (124, Ended::DeadlineReached));
    assert!(left.outcome.wall >= Duration::from_millis(50));
    assert_eq!(world.living(), [0; 0]);
}

fn is_unknown(pid: i32) -> bool {
    let path = format!("/proc/{pid}");
    until(|| !fs::exists(&path).unwrap());
    true
}
