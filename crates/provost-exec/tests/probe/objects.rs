//! Objects of the kernel besides files that outlive the program that makes them. Each is made
//! anew, used once, and left behind: where one of this name is there already, that is an error.

#![expect(unsafe_code, reason = "rustix does not have these calls")]

use std::{ffi::CString, io};

const MADE_ANEW: i32 = libc::IPC_CREAT | libc::IPC_EXCL | 0o600;

fn checked(answer: i64) -> io::Result<i64> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// Writes to a segment and finds it once more by its key.
pub(crate) fn shared_memory(key: i32) -> io::Result<()> {
    // SAFETY: the segment is one page, and only its first byte is written.
    unsafe {
        let id = checked(libc::shmget(key, 4096, MADE_ANEW).into())?;
        let page = libc::shmat(id.try_into().unwrap(), std::ptr::null(), 0);
        checked(page as i64)?;
        page.cast::<u8>().write(7);
        assert_eq!(checked(libc::shmget(key, 4096, 0o600).into())?, id);
    }
    Ok(())
}

pub(crate) fn semaphore(key: i32) -> io::Result<()> {
    // SAFETY: the call takes numbers.
    checked(unsafe { libc::semget(key, 1, MADE_ANEW) }.into()).map(drop)
}

pub(crate) fn queue(key: i32) -> io::Result<()> {
    // SAFETY: the call takes numbers.
    checked(unsafe { libc::msgget(key, MADE_ANEW) }.into()).map(drop)
}

pub(crate) fn posix_queue(name: &str) -> io::Result<()> {
    let name = CString::new(name).unwrap();
    let attributes = std::ptr::null::<libc::mq_attr>();
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR;
    // SAFETY: the name ends with a zero byte, and attributes may be none.
    checked(unsafe { libc::mq_open(name.as_ptr(), flags, 0o600, attributes) }.into()).map(drop)
}

/// Leaves a key in the keyring of the user.
pub(crate) fn key(name: &str) -> io::Result<()> {
    const OF_USER: i32 = -4;
    let name = CString::new(name).unwrap();
    // SAFETY: both texts end with a zero byte, and the content is one byte.
    checked(unsafe {
        libc::syscall(libc::SYS_add_key, c"user".as_ptr(), name.as_ptr(), c"1".as_ptr(), 1, OF_USER)
    })
    .map(drop)
}

/// Asks for the number of the session's keyring.
pub(crate) fn keyring() -> io::Result<()> {
    const GET_ID: i32 = 0;
    const OF_SESSION: i32 = -3;
    // SAFETY: the call takes numbers.
    checked(unsafe { libc::syscall(libc::SYS_keyctl, GET_ID, OF_SESSION, 0) }).map(drop)
}
