//! Reading what git prints with `-z`: paths as bytes, records that end with NUL.

use std::collections::BTreeMap;

use super::{GitAction, GitError, ObjectId, changes::Kind};

/// One record of `--raw`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raw {
    pub(super) old: Option<Kind>,
    pub(super) new: Option<Kind>,
    new_id: ObjectId,
    /// None when the new side is not a file or a link.
    pub(super) new_blob: Option<ObjectId>,
    pub(super) path: Vec<u8>,
}

/// What a tree holds at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) id: ObjectId,
}

/// One record of `--numstat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// Lines added and removed; none for a binary file.
    pub(super) lines: Option<(u64, u64)>,
    pub(super) path: Vec<u8>,
}

/// Output that git never prints.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl From<Malformed> for GitError {
    fn from(Malformed: Malformed) -> Self {
        Self::Failed {
            action: GitAction::Parse,
            subject: "a change".to_owned(),
            failure: super::error::GitFailure { rc: 0, text: "an unknown format".to_owned() },
        }
    }
}

impl Raw {
    /// What the new side holds at the path.
    pub(super) fn new_entry(&self) -> Option<Entry> {
        self.new.map(|kind| Entry { kind, id: self.new_id.clone() })
    }
}

/// Splits a list of paths.
pub(super) fn paths(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&it| it == 0).filter(|it| !it.is_empty())
}

/// Reads the records of `--raw`, and those of `--numstat` that may follow them.
pub(super) fn changes(bytes: &[u8]) -> Result<(Vec<Raw>, Vec<Counted>), Malformed> {
    let (mut raws, mut counts) = (Vec::new(), Vec::new());
    let mut fields = paths(bytes);
    while let Some(field) = fields.next() {
        if let Some(record) = field.strip_prefix(b":") {
            raws.push(raw(record, fields.next().ok_or(Malformed)?)?);
        } else {
            counts.push(counted(field)?);
        }
    }
    Ok((raws, counts))
}

/// Reads the records of `ls-tree`.
pub(super) fn tree(bytes: &[u8]) -> Result<BTreeMap<Vec<u8>, Entry>, Malformed> {
    paths(bytes)
        .map(|record| {
            let at = record.iter().position(|&it| it == b'\t').ok_or(Malformed)?;
            let (head, path) = record.split_at(at);
            let head = std::str::from_utf8(head).map_err(|_| Malformed)?;
            let fields: Vec<&str> = head.split(' ').collect();
            let [mode, _, id] = *fields else { return Err(Malformed) };
            let kind = Kind::from_mode(mode)?.ok_or(Malformed)?;
            let id = id.parse().map_err(|_| Malformed)?;
            Ok((path.get(1..).ok_or(Malformed)?.to_vec(), Entry { kind, id }))
        })
        .collect()
}

fn raw(record: &[u8], path: &[u8]) -> Result<Raw, Malformed> {
    let record = std::str::from_utf8(record).map_err(|_| Malformed)?;
    let fields: Vec<&str> = record.split(' ').collect();
    let [old_mode, new_mode, _, new_id, status] = *fields else { return Err(Malformed) };
    // Renames are switched off, so that no other status carries a second path.
    if !matches!(status, "A" | "D" | "M" | "T" | "U") {
        return Err(Malformed);
    }
    let new = Kind::from_mode(new_mode)?;
    let new_id: ObjectId = new_id.parse().map_err(|_| Malformed)?;
    Ok(Raw {
        old: Kind::from_mode(old_mode)?,
        new_blob: match new {
            Some(Kind::File | Kind::Executable | Kind::Symlink) if !new_id.is_null() => {
                Some(new_id.clone())
            }
            Some(Kind::File | Kind::Executable | Kind::Symlink | Kind::Repository) | None => None,
        },
        new,
        new_id,
        path: path.to_vec(),
    })
}

fn counted(record: &[u8]) -> Result<Counted, Malformed> {
    let mut fields = record.splitn(3, |&it| it == b'\t');
    let mut next = || fields.next().ok_or(Malformed);
    let (added, removed, path) = (next()?, next()?, next()?);
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    let lines = match (added, removed) {
        (b"-", b"-") => None,
        _ => Some((number(added).ok_or(Malformed)?, number(removed).ok_or(Malformed)?)),
    };
    Ok(Counted { lines, path: path.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    const NONE: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn records_are_read_with_any_path() {
        let text = format!(
            ":000000 100755 {NONE} {ID} A\0a\tb\nc\0:100644 000000 {ID} {NONE} D\0:odd\0\
             3\t0\ta\tb\nc\0-\t-\tbin\0"
        );
        let (raws, counts) = changes(text.as_bytes()).unwrap();
        let added = Raw {
            old: None,
            new: Some(Kind::Executable),
            new_id: ID.parse().unwrap(),
            new_blob: Some(ID.parse().unwrap()),
            path: b"a\tb\nc".to_vec(),
        };
        let deleted = Raw {
            old: Some(Kind::File),
            new: None,
            new_id: NONE.parse().unwrap(),
            new_blob: None,
            path: b":odd".to_vec(),
        };
        assert_eq!(raws, [added, deleted]);
        assert_eq!(counts[0], Counted { lines: Some((3, 0)), path: b"a\tb\nc".to_vec() });
        assert_eq!(counts[1], Counted { lines: None, path: b"bin".to_vec() });
    }

    #[test]
    fn what_git_never_prints_is_refused() {
        for text in [
            ":100644 100644 x\0p\0",
            ":100644 100644 x y M\0p\0",
            &format!(":100644 100644 {ID} {ID} R100\0a\0b\0"),
            &format!(":100644 100644 {ID} {ID} M\0"),
            &format!(":123456 100644 {ID} {ID} M\0p\0"),
            "1\tp\0",
            "1\tx\tp\0",
        ] {
            assert_eq!(changes(text.as_bytes()).err(), Some(Malformed), "{text:?}");
        }
    }
}
