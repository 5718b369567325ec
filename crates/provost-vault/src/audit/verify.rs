//! Whether the chain is what was written, and as long as it was.

use std::collections::BTreeMap;

use provost_kernel::{Digest, Lang};
use serde::Serialize;

use super::{Head, SCHEMA, StoredHead, read_link};
use crate::{Disk, FileError, Layout, lines};

/// What verification found.
#[derive(Debug, Serialize)]
pub struct Report {
    pub entries: u64,
    pub head: Option<Head>,
    pub stored_heads: u64,
    /// Entries that no stored head vouches for: altering only these would not be noticed by
    /// length, though still by the chain.
    pub entries_after_last_head: u64,
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line, from 1: of the chain, or of the list of heads.
    pub line: u64,
    pub trouble: Trouble,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The line is not an entry as it was written.
    Altered,
    /// The entry does not follow the one before it: something was removed, added or moved.
    OutOfOrder,
    /// A newer provost wrote it: this one cannot judge it.
    NewerSchema,
    /// The chain ends before a head that was stored.
    CutShort,
    /// A head that was stored is not the entry with that number.
    Replaced,
    /// A line of the list of heads cannot be read.
    HeadUnreadable,
}

impl Report {
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Problem {
    pub fn text(&self, lang: Lang) -> String {
        let line = self.line;
        match self.trouble {
            Trouble::Altered => lang.pick(
                format!("line {line}: the entry was altered"),
                format!("第 {line} 行:条目被改动"),
            ),
            Trouble::OutOfOrder => lang.pick(
                format!("line {line}: the entry does not follow the one before it"),
                format!("第 {line} 行:条目与上一条不衔接"),
            ),
            Trouble::NewerSchema => lang.pick(
                format!("line {line}: a newer provost wrote this entry; use it to verify"),
                format!("第 {line} 行:由更新版本的 provost 写入;请用该版本验证"),
            ),
            Trouble::CutShort => lang.pick(
                format!("head {line}: the chain ends before this stored head"),
                format!("第 {line} 个已存链头:链在此之前就结束了"),
            ),
            Trouble::Replaced => lang.pick(
                format!("head {line}: the entry with this number is not the stored one"),
                format!("第 {line} 个已存链头:该序号的条目已被替换"),
            ),
            Trouble::HeadUnreadable => lang.pick(
                format!("head {line}: the stored head cannot be read"),
                format!("第 {line} 个已存链头:无法读取"),
            ),
        }
    }
}

/// Verifies the chain against itself and against every stored head.
///
/// A half last line is no problem: nobody was told that it is there.
pub fn verify<D: Disk>(disk: &D, layout: &Layout) -> Result<Report, FileError> {
    let mut problems = Vec::new();
    let heads = stored_heads(disk, layout, &mut problems)?;
    let mut found: BTreeMap<u64, Digest> = BTreeMap::new();

    let mut head: Option<Head> = None;
    let mut entries = 0;
    for (line, number) in lines(disk, &layout.audit())?.zip(1..) {
        entries += 1;
        let Some(link) = read_link(&line?) else {
            problems.push(Problem { line: number, trouble: Trouble::Altered });
            continue;
        };
        let (seq, prev) = head.map_or((1, Digest::ZERO), |it| (it.seq + 1, it.hash));
        if link.body.schema != SCHEMA {
            problems.push(Problem { line: number, trouble: Trouble::NewerSchema });
        } else if (link.body.seq, link.body.prev) != (seq, prev) {
            problems.push(Problem { line: number, trouble: Trouble::OutOfOrder });
        }
        // Going on from this entry tells one break from many.
        head = Some(Head { seq: link.body.seq, hash: link.hash });
        if heads.contains_key(&link.body.seq) {
            found.insert(link.body.seq, link.hash);
        }
    }
    for (seq, (number, hash)) in &heads {
        let trouble = match found.get(seq) {
            Some(there) if there == hash => continue,
            Some(_) => Trouble::Replaced,
            None => Trouble::CutShort,
        };
        problems.push(Problem { line: *number, trouble });
    }
    let last_vouched = heads.keys().next_back().copied().unwrap_or(0);
    Ok(Report {
        entries,
        head,
        stored_heads: heads.len() as u64,
        entries_after_last_head: head.map_or(0, |it| it.seq.saturating_sub(last_vouched)),
        problems,
    })
}

/// The stored heads by sequence, with the line that each stands in.
fn stored_heads<D: Disk>(
    disk: &D,
    layout: &Layout,
    problems: &mut Vec<Problem>,
) -> Result<BTreeMap<u64, (u64, Digest)>, FileError> {
    let mut heads = BTreeMap::new();
    for (line, number) in lines(disk, &layout.audit_heads())?.zip(1..) {
        match serde_json::from_slice::<StoredHead>(&line?) {
            Ok(StoredHead { head, .. }) => match heads.insert(head.seq, (number, head.hash)) {
                Some((_, other)) if other != head.hash => {
                    problems.push(Problem { line: number, trouble: Trouble::Replaced });
                }
                Some(_) | None => {}
            },
            Err(_) => problems.push(Problem { line: number, trouble: Trouble::HeadUnreadable }),
        }
    }
    Ok(heads)
}
