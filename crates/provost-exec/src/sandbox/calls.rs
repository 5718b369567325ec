//! System calls that a job is refused, by a filter on their numbers.
//!
//! Keys in the kernel's keyrings belong to the user and outlive the job, and so do shared memory,
//! semaphores and queues where the job has no namespace for them: one run could leave them for the
//! next. Programs that meet such a refusal meet it in every container, too.

use std::io;

/// The numbers of one way to call the kernel.
struct Table {
    /// How the kernel names it (`AUDIT_ARCH_…`).
    architecture: u32,
    /// The bits of a number that count: another way to call may share the table.
    mask: u32,
    /// `add_key`, `request_key`, `keyctl`.
    keys: &'static [u32],
    /// `shm*`, `sem*`, `msg*` apart from letting go, and opening and removing a POSIX queue.
    memory: &'static [u32],
}

/// Each machine also runs programs of its predecessor.
#[cfg(target_arch = "x86_64")]
const TABLES: [Table; 2] = [
    Table {
        architecture: 0xC000_003E,
        // Programs with short pointers set this bit.
        mask: !0x4000_0000,
        keys: &[248, 249, 250],
        memory: &[29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240, 241],
    },
    Table {
        architecture: 0x4000_0003,
        mask: !0,
        keys: &[286, 287, 288],
        memory: &[117, 277, 278, 393, 394, 395, 396, 397, 399, 400, 401, 402, 420],
    },
];
#[cfg(target_arch = "aarch64")]
const TABLES: [Table; 2] = [
    Table {
        architecture: 0xC000_00B7,
        mask: !0,
        keys: &[217, 218, 219],
        memory: &[180, 181, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 420],
    },
    Table {
        architecture: 0x4000_0028,
        mask: !0,
        keys: &[309, 310, 311],
        memory: &[274, 275, 298, 299, 300, 301, 302, 303, 304, 305, 307, 308, 312, 420],
    },
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const TABLES: [Table; 0] = [];

/// What else is refused besides keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Keys,
    /// For a job that has no namespace for shared memory.
    KeysAndMemory,
}

/// Refuses calls to the calling thread, and to whatever it starts.
pub(super) fn refuse(refused: Refused) -> io::Result<()> {
    if TABLES.is_empty() {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    let filter = filter(refused)?;
    // The flag keeps older kernels from slowing down a program only because it has a filter.
    match install(&filter, libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => install(&filter, 0),
        result => result,
    }
}

#[expect(unsafe_code, reason = "rustix does not have this call")]
fn install(filter: &[libc::sock_filter], flags: libc::c_ulong) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: filter.len().try_into().map_err(io::Error::other)?,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the program and its instructions live during the call, and the kernel only reads
    // them.
    let answer = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Looks at the way the kernel was called, then at the number.
fn filter(refused: Refused) -> io::Result<Vec<libc::sock_filter>> {
    const LOAD: u16 = 0x20;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    // Where both lie in what the filter is given.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const ALLOW: u32 = 0x7FFF_0000;
    const NOT_PERMITTED: u32 = 0x0005_0001;

    let step = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
    let unless_equal = |k, jf| libc::sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf, k };
    let mut program = vec![step(LOAD, ARCHITECTURE)];
    for table in &TABLES {
        let memory = match refused {
            Refused::Keys => &[],
            Refused::KeysAndMemory => table.memory,
        };
        let mut block = vec![step(LOAD, NUMBER), step(AND, table.mask)];
        for number in table.keys.iter().chain(memory) {
            block.extend([unless_equal(*number, 1), step(RETURN, NOT_PERMITTED)]);
        }
        block.push(step(RETURN, ALLOW));
        let len = u8::try_from(block.len()).map_err(io::Error::other)?;
        program.push(unless_equal(table.architecture, len));
        program.extend(block);
    }
    program.push(step(RETURN, ALLOW));
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the calls answer in a thread with a filter: a key that does not exist, a segment and a
    /// queue of a size that cannot be.
    #[expect(unsafe_code, reason = "rustix does not have these calls")]
    fn answers(refused: Refused) -> [Option<i32>; 3] {
        let inside = std::thread::spawn(move || {
            rustix::thread::set_no_new_privs(true).unwrap();
            refuse(refused).unwrap();
            let failed = |answer: i64| {
                assert_eq!(answer, -1);
                io::Error::last_os_error().raw_os_error()
            };
            // SAFETY: all but the name of the queue are numbers, and that ends with a zero byte.
            unsafe {
                [
                    failed(libc::syscall(libc::SYS_keyctl, -1, 0, 0)),
                    failed(libc::shmget(libc::IPC_PRIVATE, 0, 0o600).into()),
                    failed(libc::mq_open(c"/none".as_ptr(), 0).into()),
                ]
            }
        });
        inside.join().unwrap()
    }

    #[test]
    fn only_what_is_refused_is_refused() {
        let (no, invalid, absent) = (Some(libc::EPERM), Some(libc::EINVAL), Some(libc::ENOENT));
        assert_eq!(answers(Refused::Keys), [no, invalid, absent]);
        assert_eq!(answers(Refused::KeysAndMemory), [no, no, no]);
    }
}
