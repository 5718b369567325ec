//! A job with everything around it: rules before it starts, files of the vault behind it.

use std::time::Duration;

use provost_exec::{Capture, ExecError, Guardian, Job, Outcome, Streams};
use provost_kernel::{AttemptNumber, TaskId};
use provost_rules::{secret, sudo::refuse_sudo};
use provost_shell::parse_argv;
use provost_testkit::Place;
use provost_vault::{Location, RealDisk, Step, StepFile, open_capture, write_atomic};

/// Runs a command as the test step of a first attempt.
fn run(place: &Place, argv: &[&str]) -> Result<Outcome, ExecError> {
    let at = |file| step_file(place, file);
    let capture = |raw, clean| Capture {
        raw: open_capture(&at(raw)).unwrap(),
        clean: open_capture(&at(clean)).unwrap(),
    };
    let streams = Streams {
        stdout: capture(StepFile::StdoutRaw, StepFile::Stdout),
        stderr: capture(StepFile::StderrRaw, StepFile::Stderr),
    };
    let guardian = Guardian { program: super::WORKER.into(), args: vec!["guardian".to_owned()] };
    let path = place.path().as_std_path();
    let mut job = Job::new(argv.iter().copied(), path, Duration::from_mins(1));
    job.env.insert("PATH".to_owned(), format!("{}:/usr/bin:/bin", place.path()));
    let check = |argv: &[String]| refuse_sudo(&parse_argv(argv)).map_or(Ok(()), Err);
    let outcome = job.start(&guardian, streams, &check)?.wait(&secret::redact)?;
    write_atomic(&RealDisk, &at(StepFile::Rc), format!("{}\n", outcome.rc).as_bytes()).unwrap();
    Ok(outcome)
}

fn step_file(place: &Place, file: StepFile) -> Location {
    let task: TaskId = "t1".parse().unwrap();
    place.layout().step_file(&task, AttemptNumber::FIRST, Step::Test, file)
}

fn text(place: &Place, file: StepFile) -> String {
    std::fs::read_to_string(step_file(place, file).path()).unwrap()
}

/// LOOP-A12: the exit code comes from the process itself, and each stream has its file.
#[test]
fn a_job_leaves_its_exit_code_and_its_streams() {
    let place = Place::new();
    let outcome = run(&place, &["sh", "-c", "echo out; echo err >&2; exit 7"]).unwrap();
    assert_eq!(outcome.rc, 7);
    assert_eq!(text(&place, StepFile::Rc), "7\n");
    assert_eq!(text(&place, StepFile::Stdout), "out\n");
    assert_eq!(text(&place, StepFile::Stderr), "err\n");
}

/// LOOP-A4: what a job prints is shown without the secrets in it.
#[test]
fn a_secret_that_a_job_prints_is_not_in_its_log() {
    let place = Place::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    run(&place, &["echo", &format!("token: {token}, done")]).unwrap();
    let shown = text(&place, StepFile::Stdout);
    assert!(!shown.contains(&token) && shown.contains("REDACTED"), "{shown}");
    assert!(shown.starts_with("token: ") && shown.ends_with(", done\n"), "{shown}");
}

/// LOOP-A3: `sudo` in any form is refused before anything starts.
#[test]
fn sudo_never_starts() {
    let place = Place::new();
    // A `sudo` of our own that would leave a trace.
    let trace = place.path().join("trace");
    let script = format!("#!/bin/sh\ntouch {trace}\n");
    for name in ["sudo", "sudoedit"] {
        let path = place.path().join(name);
        std::fs::write(&path, &script).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
    }
    let absolute = place.path().join("sudo");
    for argv in [
        &["sudo", "true"][..],
        &["sudo", "-n", "-u", "somebody", "true"],
        &[absolute.as_str(), "true"],
        &["env", "-i", "sudo", "true"],
        &["nice", "-n", "5", "timeout", "9", "sudo", "true"],
        &["sh", "-c", "true && s''udo true"],
        &["sh", "-c", "X=sudo; $X true"],
        &["bash", "-c", "eval 'su'\"do true\""],
        &["sh", "-c", "echo true | xargs sudo"],
        &["sh", "-c", "echo $(sudo true)"],
        &["ssh", "local-ao001", "zsh -lc 'sudo -u other true'"],
        &["sudoedit", "file"],
    ] {
        let refused = run(&place, argv);
        assert!(matches!(refused, Err(ExecError::Refused(_))), "{argv:?}: {refused:?}");
        assert!(!trace.exists(), "{argv:?}");
    }
    // The trace would have been left: the same program under another name runs.
    std::fs::copy(&absolute, place.path().join("harmless")).unwrap();
    assert_eq!(run(&place, &["harmless"]).unwrap().rc, 0);
    assert!(trace.exists());
}
