//! The sandbox, tried for real: each attempt is made by a program inside it.

use std::{
    fs,
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            fs::{MetadataExt as _, symlink},
            net::{SocketAddr, UnixListener},
        },
    },
};

use provost_exec::{
    ExecError, Job,
    sandbox::{self, FileCover, Gap, Network, NetworkCover, Requirement, Sandbox, SandboxReport},
};

use crate::world::{PROBE, World, contents, guardian};

/// `root` is writable, `outside` is the person's, `home` is hidden except for `home/exchange`.
fn world() -> (World, Sandbox) {
    let world = World::new();
    for (name, text) in [
        ("root/mine", "mine"),
        ("root/folder/inner", "inner"),
        ("outside/file", "the person's"),
        ("outside/empty/x", ""),
        ("home/secret", "secret"),
        ("home/deep/secret", "secret"),
        ("home/exchange/request", "request"),
        ("neighbour/file", "readable"),
    ] {
        world.write(name, text);
    }
    fs::create_dir(world.path.join("outside/hollow")).unwrap();
    let sandbox = Sandbox {
        writable: vec![world.path.join("root"), world.path.join("home/exchange")],
        hidden: vec![world.path.join("home")],
        network: Network::On,
        files: Requirement::Must,
        limits: provost_exec::Limits::default(),
    };
    (world, sandbox)
}

/// Makes the attempts in one job and returns how each went.
fn attempt(world: &World, sandbox: &Sandbox, attempts: &[String]) -> (Vec<String>, SandboxReport) {
    let mut argv = vec![PROBE, "attempt"];
    argv.extend(attempts.iter().map(String::as_str));
    let mut job = world.job(&argv);
    job.cwd = world.path.join("root");
    job.sandbox = Some(sandbox.clone());
    let left = world.run(&job);
    assert_eq!(left.outcome.rc, 0, "{}", left.stderr);
    let lines: Vec<String> = left.stdout.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), attempts.len(), "{} {}", left.stdout, left.stderr);
    (lines, left.outcome.sandbox.unwrap())
}

/// Each row is an attempt, with names in the world, and the answers that count as right.
#[track_caller]
fn check(world: &World, sandbox: &Sandbox, rows: &[(&[&str], &[&str])]) {
    let attempts: Vec<String> = rows
        .iter()
        .map(|(words, _)| {
            let paths = words.iter().skip(1).map(|name| match name.strip_prefix('=') {
                Some(exact) => exact.to_owned(),
                None => world.at(name),
            });
            std::iter::once(words[0].to_owned()).chain(paths).collect::<Vec<_>>().join("\t")
        })
        .collect();
    let (answers, _) = attempt(world, sandbox, &attempts);
    for ((words, right), answer) in rows.iter().zip(&answers) {
        assert!(right.contains(&answer.as_str()), "{words:?}: {answer}, expected one of {right:?}");
    }
}

/// By Landlock, or because the mount is read-only.
const REFUSED: &[&str] = &["EACCES", "EROFS"];
/// The kernel answers so when a file would change its place between two sets of rights.
const REFUSED_MOVE: &[&str] = &["EXDEV", "EACCES", "EROFS"];
const READ_ONLY: &[&str] = &["EROFS"];
const DONE: &[&str] = &["ok"];

#[test]
fn nothing_outside_the_roots_can_be_written() {
    let (world, sandbox) = world();
    symlink(world.path.join("outside/file"), world.path.join("root/leak")).unwrap();
    symlink(world.path.join("outside"), world.path.join("root/way-out")).unwrap();
    let before = contents(&world.path.join("outside"));
    check(
        &world,
        &sandbox,
        &[
            (&["create", "outside/new"], REFUSED),
            (&["append", "=/dev/ptmx"], REFUSED),
            (&["read", "=/dev/pts/ptmx"], REFUSED),
            (&["append", "outside/file"], REFUSED),
            (&["overwrite", "outside/file"], REFUSED),
            (&["empty", "outside/file"], REFUSED),
            (&["unlink", "outside/file"], REFUSED),
            (&["mkdir", "outside/folder"], REFUSED),
            (&["rmdir", "outside/hollow"], REFUSED),
            (&["symlink", "=/etc/passwd", "outside/link"], REFUSED),
            (&["rename", "root/mine", "outside/file"], REFUSED_MOVE),
            (&["rename", "outside/file", "root/taken"], REFUSED_MOVE),
            (&["rename", "outside/file", "outside/moved"], REFUSED_MOVE),
            (&["link", "outside/file", "root/linked-in"], REFUSED_MOVE),
            (&["link", "root/mine", "outside/linked-out"], REFUSED_MOVE),
            // Through links that were planted where the job may write.
            (&["append", "root/leak"], REFUSED),
            (&["empty", "root/leak"], REFUSED),
            (&["create", "root/way-out/new"], REFUSED),
            (&["unlink", "root/way-out/file"], REFUSED),
            (&["create", "root/../outside/new"], REFUSED),
            // Through the kernel's own links.
            (&["create", "=/proc/self/cwd/../outside/new"], REFUSED),
            (&["append", &format!("=/proc/self/root{}", world.at("outside/file"))], REFUSED),
            // What belongs to everybody belongs to nobody.
            (&["create", &format!("=/tmp/provost-{}", std::process::id())], REFUSED),
            (&["create", &format!("=/dev/shm/provost-{}", std::process::id())], REFUSED),
        ],
    );
    assert_eq!(contents(&world.path.join("outside")), before);
}

#[test]
fn the_roots_can_be_used_freely() {
    let (world, sandbox) = world();
    check(
        &world,
        &sandbox,
        &[
            (&["create", "root/new"], DONE),
            (&["append", "root/mine"], DONE),
            (&["empty", "root/mine"], DONE),
            (&["mkdir", "root/made"], DONE),
            (&["rename", "root/folder/inner", "root/made/moved"], DONE),
            (&["link", "root/made/moved", "root/linked"], DONE),
            (&["symlink", "=mine", "root/soft"], DONE),
            (&["append", "root/soft"], DONE),
            (&["unlink", "root/new"], DONE),
            (&["list", "root"], DONE),
            (&["read", "home/exchange/request"], DONE),
            (&["create", "home/exchange/reply"], DONE),
            (&["list", "home/exchange"], DONE),
            (&["overwrite", "=/dev/null"], DONE),
            (&["read", "=/dev/urandom"], DONE),
            (&["read", "outside/file"], DONE),
            (&["list", "neighbour"], DONE),
            (&["list", "=/usr/bin"], DONE),
            (&["run", "=git"], DONE),
        ],
    );
}

/// Neither reading nor listing nor writing, by any of its names.
#[test]
fn the_hidden_home_stays_hidden() {
    let (world, sandbox) = world();
    symlink(world.path.join("home/secret"), world.path.join("root/window")).unwrap();
    symlink(world.path.join("home"), world.path.join("root/door")).unwrap();
    symlink(world.path.join("home"), world.path.join("back-door")).unwrap();
    let before = contents(&world.path.join("home"));
    let outside = format!("/proc/{}", std::process::id());
    check(
        &world,
        &sandbox,
        &[
            (&["read", "home/secret"], REFUSED),
            (&["read", "home/deep/secret"], REFUSED),
            (&["list", "home"], REFUSED),
            (&["list", "home/deep"], REFUSED),
            (&["create", "home/new"], REFUSED),
            (&["append", "home/secret"], REFUSED),
            (&["unlink", "home/secret"], REFUSED),
            (&["rename", "home/exchange/request", "home/request"], REFUSED_MOVE),
            (&["rename", "home/secret", "home/exchange/secret"], REFUSED_MOVE),
            (&["link", "home/secret", "root/link"], REFUSED_MOVE),
            (&["read", "root/window"], REFUSED),
            (&["append", "root/window"], REFUSED),
            (&["list", "root/door"], REFUSED),
            (&["read", "back-door/secret"], REFUSED),
            (&["read", "root/../home/secret"], REFUSED),
            (&["read", "home/exchange/../secret"], REFUSED),
            (&["read", &format!("=/proc/self/root{}", world.at("home/secret"))], REFUSED),
            (&["list", &format!("=/proc/self/root{}", world.at("home"))], REFUSED),
            (&["read", "=/proc/self/cwd/../home/secret"], REFUSED),
            // Through the processes that can see it.
            (&["read", &format!("={outside}/root{}", world.at("home/secret"))], REFUSED),
            (&["read", &format!("={outside}/cwd/home/secret")], REFUSED),
            (&["read", &format!("={outside}/environ")], REFUSED),
            // The folder that holds it cannot be listed either: Landlock grants whole subtrees.
            (&["list", "."], REFUSED),
        ],
    );
    assert_eq!(contents(&world.path.join("home")), before);
}

/// Devices other than the harmless ones cannot be opened: a disk holds what is hidden.
#[test]
fn devices_cannot_be_opened() {
    let (world, sandbox) = world();
    let devices = ["kmsg", "fuse", "kvm", "loop0", "vda", "sda", "nvme0n1"];
    let present = devices.map(|it| format!("/dev/{it}"));
    let present: Vec<&String> = present.iter().filter(|it| fs::exists(it).unwrap()).collect();
    assert!(!present.is_empty());
    let attempts: Vec<String> = present.iter().map(|it| format!("read\t{it}")).collect();
    let (answers, _) = attempt(&world, &sandbox, &attempts);
    assert!(answers.iter().all(|it| it == "EACCES"), "{present:?} {answers:?}");
    let rows: &[(&[&str], &[&str])] = &[(&["list", "=/dev"], DONE)];
    check(&world, &sandbox, rows);
}

/// Also when the person is root, nothing is left that leads around the rules on files.
#[test]
fn the_powers_of_root_are_given_up() {
    let (world, mut sandbox) = world();
    // chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service.
    let kept: u64 = 0b101_1111_1011;
    for network in [Network::On, Network::Off(Requirement::Must)] {
        sandbox.network = network;
        let mut job = world.job(&["grep", "^Cap[IPE]", "/proc/self/status"]);
        job.sandbox = Some(sandbox.clone());
        let left = world.run(&job);
        assert_eq!(left.stdout.lines().count(), 3, "{}", left.stderr);
        for line in left.stdout.lines() {
            let set = u64::from_str_radix(line.split('\t').nth(1).unwrap(), 16).unwrap();
            assert_eq!(set & !kept, 0, "{line}");
        }
    }
}

/// What the documentation of the module says cannot be enforced really cannot. If one of these
/// fails one day, the kernel has learnt it, and the text must change.
#[test]
fn the_known_limits_are_as_documented() {
    let (world, sandbox) = world();
    fs::hard_link(world.path.join("home/secret"), world.path.join("root/second-name")).unwrap();
    let rows: &[(&[&str], &[&str])] = &[
        (&["read", "root/second-name"], DONE),
        // Each writable folder is a mount of its own.
        (&["rename", "root/mine", "home/exchange/mine"], &["EXDEV"]),
    ];
    check(&world, &sandbox, rows);
    let (_, report) = attempt(&world, &sandbox, &["loopback".to_owned()]);
    assert_eq!(report.files, FileCover::Full);
    assert_eq!(report.network, NetworkCover::NotAsked);
}

/// Permissions, times, owners and attributes of what is not the job's stay as they are.
#[test]
fn metadata_outside_the_roots_cannot_be_changed() {
    let (world, mut sandbox) = world();
    let looks = || {
        ["outside", "outside/file", "home/secret"].map(|it| {
            let found = fs::metadata(world.path.join(it)).unwrap();
            (found.mode(), found.mtime_nsec(), found.mtime(), found.ctime_nsec(), found.ctime())
        })
    };
    symlink(world.path.join("outside/file"), world.path.join("root/leak")).unwrap();
    let before = looks();
    for network in [Network::On, Network::Off(Requirement::Must)] {
        sandbox.network = network;
        for attempt in ["chmod", "touch", "chown", "attribute"] {
            let by_root = format!("=/proc/self/root{}", world.at("outside/file"));
            check(
                &world,
                &sandbox,
                &[
                    (&[attempt, "outside/file"], READ_ONLY),
                    (&[attempt, "outside"], READ_ONLY),
                    (&[attempt, "root/leak"], READ_ONLY),
                    (&[attempt, "root/../outside/file"], READ_ONLY),
                    (&[attempt, &by_root], READ_ONLY),
                    (&[attempt, "home/secret"], REFUSED),
                    (&[attempt, "."], REFUSED),
                    (&[attempt, "=/dev/null"], READ_ONLY),
                    (&[attempt, "root/mine"], DONE),
                    (&[attempt, "root/folder"], DONE),
                    (&[attempt, "home/exchange/request"], DONE),
                ],
            );
        }
        let (_, report) = attempt(&world, &sandbox, &["loopback".to_owned()]);
        assert!(!report.gaps.contains(&Gap::Metadata));
    }
    assert_eq!(looks(), before);
}

/// What would outlive a job besides its files works inside, and the next job does not find it.
#[test]
fn a_job_leaves_nothing_behind_in_the_kernel() {
    let (world, mut sandbox) = world();
    let mark = std::process::id();
    let attempts = [
        format!("shared-memory\t{mark}"),
        format!("semaphore\t{mark}"),
        format!("queue\t{mark}"),
        format!("posix-queue\t/provost-{mark}"),
        format!("key\tprovost-{mark}"),
        "keyring".to_owned(),
    ];
    for network in [Network::On, Network::Off(Requirement::Must)] {
        sandbox.network = network;
        for _ in 0..2 {
            let (answers, report) = attempt(&world, &sandbox, &attempts);
            // A POSIX queue is a file to Landlock.
            assert_eq!(answers, ["ok", "ok", "ok", "EACCES", "EPERM", "EPERM"]);
            let open = [Gap::SharedMemory, Gap::Keys, Gap::Metadata];
            assert!(!report.gaps.iter().any(|it| open.contains(it)), "{report:?}");
        }
    }
}

/// A job cannot touch the guardian or the coordinator; where the kernel cannot see to that, the
/// report says so.
#[test]
fn signals_stay_inside() {
    let (world, sandbox) = world();
    let me = format!("signal\t{}", std::process::id());
    let attempts = ["signal-parent".to_owned(), me];
    let (answers, report) = attempt(&world, &sandbox, &attempts);
    let expected = if report.signals_scoped { "EPERM" } else { "ok" };
    assert_eq!(answers, [expected, expected]);
    assert_eq!(report.gaps.contains(&Gap::Signals), !report.signals_scoped);
}

#[test]
fn without_a_network_only_the_own_loopback_is_left() {
    let (world, mut sandbox) = world();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = format!("provost-test-{}", std::process::id());
    let _unix = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let attempts = [
        format!("connect\t{}", listener.local_addr().unwrap()),
        "loopback".to_owned(),
        "datagram\t192.0.2.1:9".to_owned(),
    ];

    let (answers, report) = attempt(&world, &sandbox, &attempts);
    assert_eq!(answers[..2], ["ok", "ok"]);
    assert_eq!(report.network, NetworkCover::NotAsked);

    sandbox.network = Network::Off(Requirement::Must);
    let (answers, report) = attempt(&world, &sandbox, &attempts);
    assert_eq!(answers, ["ECONNREFUSED", "ok", "ENETUNREACH"]);
    assert_eq!(report.network, NetworkCover::Namespace);
    assert!(!report.gaps.contains(&Gap::AbstractSockets));
    let (answers, _) = attempt(&world, &sandbox, &[format!("abstract\t{name}")]);
    assert!(matches!(answers[0].as_str(), "ECONNREFUSED" | "EPERM"), "{answers:?}");
    // The rules on files hold as well.
    let rows: &[(&[&str], &[&str])] =
        &[(&["read", "home/secret"], REFUSED), (&["create", "root/new"], DONE)];
    check(&world, &sandbox, rows);
}

/// Tools that a job needs: a shell with its devices, git, a program of the person.
#[test]
fn ordinary_tools_work_inside() {
    let (world, mut sandbox) = world();
    sandbox.network = Network::Off(Requirement::Accept);
    let script = "set -e; echo quiet > /dev/null; echo loud > /dev/stderr; \
        git init -q repo; cd repo; echo x > file; git add file; \
        git -c user.name=n -c user.email=e commit -q -m m; git log --format=%s; \
        mktemp > /dev/null; wc -l < /etc/passwd > /dev/null; id -u";
    let mut job = world.job(&["sh", "-c", script]);
    job.cwd = world.path.join("root");
    job.env.insert("TMPDIR".to_owned(), world.at("root"));
    job.env.insert("HOME".to_owned(), world.at("root"));
    job.sandbox = Some(sandbox);
    let left = world.run(&job);
    assert_eq!(left.outcome.rc, 0, "{}", left.stderr);
    // The job is the same user inside.
    let me = rustix::process::getuid().as_raw();
    assert_eq!((left.stdout, left.stderr), (format!("m\n{me}\n"), "loud\n".to_owned()));
}

/// Who can plant a link on the way to a root must not choose what becomes writable.
#[test]
fn a_root_behind_a_link_is_refused() {
    let (world, mut sandbox) = world();
    symlink(world.path.join("outside"), world.path.join("root/planted")).unwrap();
    for (name, why) in [
        ("root/planted", "is reached through a symbolic link"),
        ("root/planted/hollow", "is reached through a symbolic link"),
        ("root/absent", "does not exist"),
        ("root/mine", "is not a folder"),
    ] {
        sandbox.writable = vec![world.path.join(name)];
        let error = start(&world, &sandbox);
        let expected = format!("the writable folder `{}` {why}", world.at(name));
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
}

#[test]
fn what_is_hidden_cannot_be_made_writable_by_another_name() {
    let (world, mut sandbox) = world();
    symlink(world.path.join("root"), world.path.join("alias")).unwrap();
    sandbox.hidden = vec![world.path.join("alias/folder")];
    let error = start(&world, &sandbox);
    assert!(error.to_string().contains("lies inside the writable"), "{error}");
}

#[track_caller]
fn start(world: &World, sandbox: &Sandbox) -> ExecError {
    let mut job: Job = world.job(&[PROBE, "exit", "0"]);
    job.sandbox = Some(sandbox.clone());
    world.start(&job).unwrap_err()
}

#[test]
fn the_probe_says_what_this_kernel_enforces() {
    let report = sandbox::probe(&guardian()).unwrap();
    assert_eq!(report.files, FileCover::Full);
    assert!(report.landlock_abi >= 3);
    assert_eq!(report.network, NetworkCover::Namespace);
}
