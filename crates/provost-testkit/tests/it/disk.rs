//! Disks that refuse: full, read-only, not permitted; and links that lead out.

use std::{
    fs::Permissions,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    process::Output,
};

use camino::Utf8Path;
use provost_kernel::AttemptNumber;
use provost_testkit::{Place, command};
use provost_vault::{
    Disk as _, Kind, Log, RealDisk, Stored, make_home_private, read_json, read_records,
    write_atomic,
};

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Runs a worker on a small disk of its own; `script` prepares it in a private name space.
fn on_a_small_disk(place: &Place, script: &str) -> String {
    let folder = place.path().join("disk");
    std::fs::create_dir(&folder).unwrap();
    let script = format!(
        "set -e\nmount -t tmpfs -o size=128k tmpfs \"$1\"\nhome=\"$1/.provost\"\n{script}\n\
         cat \"$home/out/t1/status.json\"; cat \"$home/out/t1/events.jsonl\"\n\
         ls -A \"$home/out/t1\" | grep tmp || echo nothing left behind"
    );
    let output = command("unshare")
        .args(["-Urm", "sh", "-c", &script, "sh", folder.as_str(), super::WORKER])
        .output()
        .unwrap();
    said(&output)
}

/// A full disk: a clear error that names the file, and the old contents intact.
#[test]
fn a_full_disk_is_named_and_nothing_is_lost() {
    let place = Place::new();
    let said = on_a_small_disk(&place, r#""$2" replace "$home"; "$2" fill "$home""#);
    let home = place.path().join("disk/.provost");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..2], ["replace: done", "append: done"]);
    let expected = [
        format!("replace: cannot write `{home}/out/t1/status.json`: StorageFull: the disk is full"),
        format!("append: cannot append to `{home}/out/t1/events.jsonl`: StorageFull: the disk is"),
    ];
    assert!(lines[2].starts_with(&expected[0]), "{said}");
    assert!(lines[3].starts_with(&expected[1]), "{said}");
    assert_eq!(lines[4..], ["2", "2", "nothing left behind"], "the old contents, whole");
}

#[test]
fn a_read_only_disk_is_named_and_nothing_is_lost() {
    let place = Place::new();
    let script = r#""$2" replace "$home"; mount -o remount,ro "$1"; "$2" replace "$home""#;
    let said = on_a_small_disk(&place, script);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[2].starts_with("replace: cannot create a file next to `"), "{said}");
    assert!(lines[2].contains("ReadOnlyFilesystem: the file system is read-only"), "{said}");
    assert!(lines[3].starts_with("append: cannot open `"), "{said}");
    assert_eq!(lines[4..], ["2", "2", "nothing left behind"], "the old contents, whole");
}

/// LOOP-A5, HOOK-2.1: the steps of a write, as the kernel sees them, in their order.
#[test]
fn a_write_really_syncs_before_and_after_it_renames() {
    let place = Place::new();
    let trace = place.path().join("trace");
    let calls = "trace=openat,write,fsync,fdatasync,close,renameat,mkdirat";
    let home = place.home();
    let worker = [super::WORKER, "replace", home.as_str()];
    let output = command("strace")
        .args(["-f", "-y", "-s", "200", "-e", calls, "-o", trace.as_str()])
        .args(worker)
        .output()
        .unwrap();
    assert_eq!(said(&output), "replace: done\nappend: done\n");
    let trace = std::fs::read_to_string(trace).unwrap();
    let mut lines = trace.lines();
    let folder = format!("{}/out/t1>", place.home());
    for step in [
        &["mkdirat(", "\"t1\", 0700"][..],
        &["fsync(", "/out>"],
        &["openat(", "\".status.json.tmp.", "O_CREAT|O_EXCL", "O_NOFOLLOW", "0600"],
        &["write(", ".status.json.tmp.", "\"2\\n\", 2) = 2"],
        &["fsync(", ".status.json.tmp.", " = 0"],
        &["close(", ".status.json.tmp."],
        &["renameat(", "\".status.json.tmp.", "\"status.json\") = 0"],
        &["fsync(", &folder, " = 0"],
        &["write(", "/events.jsonl>", "\"2\\n\", 2) = 2"],
        &["fdatasync(", "/events.jsonl>", " = 0"],
        &["fsync(", &folder, " = 0"],
    ] {
        let found = lines.by_ref().find(|line| step.iter().all(|part| line.contains(part)));
        assert!(found.is_some(), "{step:?} does not come next in:\n{trace}");
    }
}

/// Root is refused nothing, so this runs as somebody else when the tests run as root.
#[test]
fn a_missing_permission_is_named_and_nothing_is_lost() {
    let place = Place::new();
    let layout = place.layout();
    let status = layout.status(&"t1".parse().unwrap());
    write_atomic(&RealDisk, &status, b"1\n").unwrap();

    // Somebody else can reach the folder and the worker, and may change nothing.
    let open = |path: &Utf8Path| {
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    };
    let worker = place.path().join("worker");
    std::fs::copy(super::WORKER, &worker).unwrap();
    for path in [place.path(), &place.home(), &place.home().join("out"), &worker] {
        open(path);
    }
    let folder = place.home().join("out/t1");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();

    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut worker_command = if is_root {
        let mut it = command("setpriv");
        it.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&worker);
        it
    } else {
        command(&worker)
    };
    let said = said(&worker_command.args(["replace", place.home().as_str()]).output().unwrap());
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();

    let path = status.path();
    let expected = format!("replace: cannot create a file next to `{path}`: PermissionDenied: ");
    assert!(said.starts_with(&expected), "{said}");
    assert_eq!(read_json::<_, u64>(&RealDisk, &status).unwrap(), Stored::Present(1));
}

/// LOOP-A6: a link planted in the home is never followed, by a read or by a write.
#[test]
fn a_planted_link_leads_nowhere() {
    let place = Place::new();
    let layout = place.layout();
    let outside = place.path().join("outside");
    std::fs::create_dir_all(outside.join("attempt_001/judge")).unwrap();
    std::fs::write(outside.join("status.json"), "1").unwrap();
    std::fs::create_dir_all(place.home().join("out")).unwrap();
    std::os::unix::fs::symlink(&outside, place.home().join("out/t1")).unwrap();

    let task = "t1".parse().unwrap();
    let status = layout.status(&task);
    let verdict = layout.verdict(&task, AttemptNumber::FIRST);
    for at in [&status, &verdict] {
        let error = write_atomic(&RealDisk, at, b"2").unwrap_err();
        assert!(error.to_string().contains("t1"), "{error}");
        read_json::<_, u64>(&RealDisk, at).unwrap_err();
        Log::open(&RealDisk, at).unwrap_err();
    }
    assert_eq!(std::fs::read_to_string(outside.join("status.json")).unwrap(), "1");
    assert_eq!(std::fs::read_dir(outside.join("attempt_001/judge")).unwrap().count(), 0);

    // A link in place of the file itself is replaced by a write and refused by a read.
    let other = layout.status(&"t2".parse().unwrap());
    std::fs::create_dir_all(place.home().join("out/t2")).unwrap();
    std::os::unix::fs::symlink(outside.join("status.json"), other.path()).unwrap();
    let error = read_json::<_, u64>(&RealDisk, &other).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot open `{}`", other.path()));
    write_atomic(&RealDisk, &other, b"3").unwrap();
    assert_eq!(std::fs::read_to_string(outside.join("status.json")).unwrap(), "1");
    assert_eq!(read_json::<_, u64>(&RealDisk, &other).unwrap(), Stored::Present(3));
}

/// HOOK-2.1: files are 0600 and folders 0700, whatever the umask.
#[test]
fn a_umask_changes_nothing() {
    for umask in ["000", "022", "0277", "0777"] {
        let place = Place::new();
        let script = format!("umask {umask}; \"$0\" replace \"$1\"");
        let home = place.home();
        let worker = ["-c", &script, super::WORKER, home.as_str()];
        let output = command("sh").args(worker).output().unwrap();
        assert_eq!(said(&output), "replace: done\nappend: done\n", "umask {umask}");
        let mode = |at: &str| {
            let metadata = std::fs::metadata(place.home().join(at)).unwrap();
            metadata.permissions().mode() & 0o777
        };
        let modes = ["", "out", "out/t1", "out/t1/status.json"].map(mode);
        assert_eq!(modes, [0o700, 0o700, 0o700, 0o600], "umask {umask}");
    }
}

/// A home that is a link is not changed through it.
#[test]
fn a_home_that_is_a_link_is_not_made_private() {
    let place = Place::new();
    let outside = place.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::set_permissions(&outside, Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(&outside, place.home()).unwrap();
    let error = make_home_private(&place.layout()).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot restrict the permissions of `{}`", place.home()));
    let mode = std::fs::metadata(&outside).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o755);
}

/// LOOP-A5, HOOK-2.1: the critical files are 0600, and their folders 0700.
#[test]
fn files_are_private() {
    let place = Place::new();
    let layout = place.layout();
    let task = "t1".parse().unwrap();
    for at in [
        layout.status(&task),
        layout.final_summary(&task),
        layout.task_spec(&task),
        layout.verdict(&task, AttemptNumber::FIRST),
        layout.runtime_overrides(&task),
        layout.index_entry(&task),
    ] {
        write_atomic(&RealDisk, &at, b"1\n").unwrap();
        let stat = RealDisk.stat(&at).unwrap();
        assert_eq!((stat.kind, stat.mode & 0o777), (Kind::File, 0o600), "{at:?}");
    }
    for folder in [layout.home(), layout.out(), layout.task(&task)] {
        let stat = RealDisk.stat(&folder).unwrap();
        assert_eq!((stat.kind, stat.mode & 0o777), (Kind::Folder, 0o700), "{folder:?}");
    }
    let names = RealDisk.list(&layout.task(&task)).unwrap();
    assert!(names.iter().all(|it| !it.contains(".tmp.")), "nothing is left behind: {names:?}");
}

/// A pipe in place of a file must not make provost wait for ever.
#[test]
fn a_pipe_in_place_of_a_file_is_refused() {
    let place = Place::new();
    let at = place.layout().status(&"t1".parse().unwrap());
    std::fs::create_dir_all(at.path().parent().unwrap()).unwrap();
    assert!(command("mkfifo").arg(at.path()).status().unwrap().success());
    read_json::<_, u64>(&RealDisk, &at).unwrap_err();
    read_records::<_, u64>(&RealDisk, &at).unwrap_err();
    write_atomic(&RealDisk, &at, b"1").unwrap();
    assert_eq!(read_json::<_, u64>(&RealDisk, &at).unwrap(), Stored::Present(1));
}
