//! Attempts at what a sandbox must refuse. Each prints one line: the attempt and how it went.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            fs::{PermissionsExt as _, chown, symlink},
            net::{SocketAddr, UnixStream},
        },
    },
    process::Command,
    time::{Duration, UNIX_EPOCH},
};

use rustix::process::{Pid, test_kill_process};

use crate::objects;

/// Makes each attempt, given as words separated by tabs.
pub(crate) fn run(attempts: &[&str]) {
    for attempt in attempts {
        let words: Vec<&str> = attempt.split('\t').collect();
        let result = match make(&words) {
            Ok(()) => "ok".to_owned(),
            Err(error) => error.raw_os_error().map_or_else(|| error.to_string(), name_of),
        };
        println!("{result}");
    }
}

fn make(words: &[&str]) -> io::Result<()> {
    match *words {
        ["create", path] => OpenOptions::new().write(true).create_new(true).open(path).map(drop),
        ["append", path] => OpenOptions::new().append(true).open(path)?.write_all(b"x"),
        ["overwrite", path] => OpenOptions::new().write(true).open(path)?.write_all(b"x"),
        ["empty", path] => OpenOptions::new().write(true).truncate(true).open(path).map(drop),
        ["rename", from, to] => fs::rename(from, to),
        ["unlink", path] => fs::remove_file(path),
        ["mkdir", path] => fs::create_dir(path),
        ["rmdir", path] => fs::remove_dir(path),
        ["symlink", target, path] => symlink(target, path),
        ["link", from, to] => fs::hard_link(from, to),
        ["chmod", path] => fs::set_permissions(path, fs::Permissions::from_mode(0o640)),
        ["touch", path] => OpenOptions::new().read(true).open(path)?.set_modified(UNIX_EPOCH),
        ["chown", path] => chown(path, None, Some(rustix::process::getegid().as_raw())),
        ["attribute", path] => {
            let name = c"user.provost";
            Ok(rustix::fs::setxattr(path, name, b"1", rustix::fs::XattrFlags::empty())?)
        }
        ["shared-memory", key] => objects::shared_memory(key.parse().unwrap()),
        ["semaphore", key] => objects::semaphore(key.parse().unwrap()),
        ["queue", key] => objects::queue(key.parse().unwrap()),
        ["posix-queue", name] => objects::posix_queue(name),
        ["key", name] => objects::key(name),
        ["keyring"] => objects::keyring(),
        ["read", path] => fs::File::open(path)?.read(&mut [0]).map(drop),
        ["list", path] => fs::read_dir(path)?.try_for_each(|it| it.map(drop)),
        ["run", program] => Command::new(program).arg("--version").output().map(drop),
        ["signal", pid] => {
            let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
            Ok(test_kill_process(pid)?)
        }
        ["signal-parent"] => Ok(test_kill_process(rustix::process::getppid().unwrap())?),
        ["connect", address] => {
            let address = address.parse().unwrap();
            TcpStream::connect_timeout(&address, Duration::from_secs(5)).map(drop)
        }
        ["loopback"] => {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            TcpStream::connect(listener.local_addr()?).map(drop)
        }
        ["datagram", address] => UdpSocket::bind("0.0.0.0:0")?.send_to(b"x", address).map(drop),
        ["abstract", name] => {
            UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
        }
        _ => panic!("no such attempt: {words:?}"),
    }
}

fn name_of(number: i32) -> String {
    let name = match number {
        1 => "EPERM",
        2 => "ENOENT",
        13 => "EACCES",
        17 => "EEXIST",
        18 => "EXDEV",
        30 => "EROFS",
        101 => "ENETUNREACH",
        111 => "ECONNREFUSED",
        _ => return number.to_string(),
    };
    name.to_owned()
}
