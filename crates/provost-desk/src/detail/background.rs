//! The error that a command in the background ended with: it has no terminal to print it on, only the
//! log of the task.

use provost_kernel::shorten;
use provost_rules::secret::scan;
use provost_vault::{Disk as _, task::read_tail};

use crate::{DISK, Desk, DeskError, task::Looked};

/// How much of the end of the log is read.
const MOST: u64 = 16 << 10;
/// What an error starts with, in each language.
const LABELS: [&str; 2] = ["error: ", "错误："];

impl Desk {
    /// The error of the last command in the background about a task, such as a landing, as long as
    /// nothing has happened to the task since.
    pub fn background_failure(&self, looked: &Looked) -> Result<Option<String>, DeskError> {
        let status = &looked.status.value;
        let at = self.layout().detached_log(&status.task_id);
        if looked.holder.is_some() {
            return Ok(None);
        }
        let Ok(stat) = DISK.stat(&at) else { return Ok(None) };
        let written = i64::try_from(stat.modified.0 / 1000).unwrap_or(i64::MAX);
        if written < status.updated_at.seconds() {
            return Ok(None);
        }
        Ok(last_error(&read_tail(&DISK, &at, MOST)?))
    }
}

/// The last error of a log, on one line, without its label and with its secrets covered.
fn last_error(log: &str) -> Option<String> {
    let of = |line: &str| {
        LABELS.iter().find_map(|label| line.strip_prefix(label)).map(|it| it.trim().to_owned())
    };
    let mut bytes = log.lines().rev().find_map(of)?.into_bytes();
    for hit in scan(&bytes) {
        if let Some(secret) = bytes.get_mut(hit.span) {
            secret.fill(b'*');
        }
    }
    Some(shorten(&String::from_utf8_lossy(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::last_error;

    #[test]
    fn the_last_error_of_a_log_is_found() {
        for (log, expected) in [
            ("", None),
            ("t1 is ready for review\n", None),
            ("no error: here\n", None),
            ("error: one\nhint: two\n", Some("one")),
            ("error: a: one\nerror: two\n  because three\n", Some("two")),
            ("错误：无法合并\n", Some("无法合并")),
        ] {
            assert_eq!(last_error(log).as_deref(), expected, "{log}");
        }
    }
}
