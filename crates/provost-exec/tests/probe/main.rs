//! The program of the tests: it hosts the guardian, and it plays programs that misbehave.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::zombie_processes,
    reason = "a program of the tests: it prints, fails loudly, and leaves behind what it starts"
)]

#[cfg(target_os = "linux")]
mod attempts;
mod bench;
#[cfg(target_os = "linux")]
mod objects;

use std::{
    fs::{self, OpenOptions},
    io::{Read as _, Write as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use provost_exec::{Capture, Guardian, Job, Streams};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["guardian"] => return provost_exec::guardian::main(),
        #[cfg(target_os = "linux")]
        ["attempt", rest @ ..] => attempts::run(rest),
        ["bench", count] => bench::run(count.parse().unwrap()),
        ["exit", code] => return ExitCode::from(code.parse::<u8>().unwrap()),
        ["say", out, err] => {
            print!("{out}");
            std::io::stderr().write_all(err.as_bytes()).unwrap();
        }
        ["environment"] => std::env::vars().for_each(|(name, value)| println!("{name}={value}")),
        ["descriptors"] => {
            for entry in fs::read_dir("/proc/self/fd").unwrap() {
                let path = entry.unwrap().path();
                println!(
                    "{} {}",
                    path.display(),
                    fs::read_link(&path).unwrap_or_default().display()
                );
            }
        }
        ["stdin"] => {
            let mut text = Vec::new();
            let n_bytes = std::io::stdin().read_to_end(&mut text).unwrap();
            println!("{n_bytes} bytes");
        }
        ["sleep", _mark] => sleep(),
        ["stubborn", folder] => stubborn(Path::new(folder)),
        ["middle", folder] => middle(Path::new(folder)),
        ["leaf", folder] => leaf(Path::new(folder)),
        ["leave-behind", folder] => leave_behind(Path::new(folder)),
        ["relays", folder] => relays(Path::new(folder)),
        ["relay", folder] => relay(Path::new(folder)),
        ["flood", stream, megabytes] => flood(stream, megabytes.parse().unwrap()),
        ["hog", megabytes] => hog(megabytes.parse().unwrap()),
        ["coordinator", folder] => coordinator(Path::new(folder)),
        other => panic!("the probe has no role {other:?}"),
    }
    ExitCode::SUCCESS
}

fn myself() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Notes that a role has come to its point, so that a test need not guess when.
fn note(folder: &Path, name: &str) {
    fs::write(folder.join(name), std::process::id().to_string()).unwrap();
}

fn ignore_term() {
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).unwrap();
    }
}

fn sleep() {
    loop {
        std::thread::sleep(Duration::from_mins(1));
    }
}

/// Ignores TERM, and has a grandchild that does so too, in a session of its own, with the output
/// kept open.
fn stubborn(folder: &Path) {
    ignore_term();
    let mut middle = myself();
    middle.args(["middle", folder.to_str().unwrap()]).process_group(0);
    middle.spawn().unwrap().wait().unwrap();
    note(folder, "ready");
    sleep();
}

/// The middle of a double fork: gone as soon as the leaf is there.
fn middle(folder: &Path) {
    myself().args(["leaf", folder.to_str().unwrap()]).spawn().unwrap();
    wait_for(&folder.join("leaf"));
}

fn leaf(folder: &Path) {
    ignore_term();
    rustix::process::setsid().unwrap();
    note(folder, "leaf");
    sleep();
}

/// Exits with success and leaves a daemon behind.
fn leave_behind(folder: &Path) {
    myself().args(["middle", folder.to_str().unwrap()]).spawn().unwrap().wait().unwrap();
    note(folder, "ready");
}

/// Has four chains of processes, each of which starts its successor and exits: whoever looks sees
/// a process that is about to be another one.
fn relays(folder: &Path) {
    ignore_term();
    for _ in 0..4 {
        relay(folder);
    }
    note(folder, "ready");
    sleep();
}

fn relay(folder: &Path) {
    ignore_term();
    myself().args(["relay", folder.to_str().unwrap()]).spawn().unwrap();
}

/// Uses so much memory for a while.
fn hog(megabytes: usize) {
    let block = vec![7_u8; megabytes << 20];
    std::thread::sleep(Duration::from_secs(3));
    assert!(block.iter().step_by(4096).all(|it| *it == 7));
}

fn flood(stream: &str, megabytes: usize) {
    let block = vec![b'x'; 1 << 20];
    for _ in 0..megabytes {
        match stream {
            "stdout" => std::io::stdout().write_all(&block).unwrap(),
            _ => std::io::stderr().write_all(&block).unwrap(),
        }
    }
}

/// A coordinator of its own, to be killed: it runs the stubborn program and waits for it.
fn coordinator(folder: &Path) {
    let open = |name: &str| {
        OpenOptions::new().create(true).read(true).append(true).open(folder.join(name)).unwrap()
    };
    let capture = |name: &str| Capture { raw: open(name), clean: open(&format!("{name}.clean")) };
    let program = std::env::current_exe().unwrap();
    let argv = [program.to_str().unwrap(), "stubborn", folder.to_str().unwrap()];
    let job = Job::new(argv, folder, Duration::from_mins(5));
    let guardian = Guardian { program: PathBuf::from(&program), args: vec!["guardian".to_owned()] };
    let streams = Streams { stdout: capture("out"), stderr: capture("err") };
    let running = job.start(&guardian, streams, &|_| Ok(())).unwrap();
    running.wait(&|bytes| bytes.into()).unwrap();
}

fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
}
