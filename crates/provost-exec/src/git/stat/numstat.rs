//! Reading what `diff-tree --raw --numstat -z` prints when renames are looked for.

use std::collections::BTreeMap;

use provost_kernel::story::{DeltaKind, FileDelta};

use super::super::{
    GitError, Kind, ObjectId,
    list::{self, Malformed},
};

/// What another repository replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Old {
    Absent,
    Submodule,
}

/// One record of `--raw`.
struct Raw<'b> {
    kind: DeltaKind,
    old_path: Option<&'b [u8]>,
    path: &'b [u8],
    /// What the file holds now; none if that is unchanged, and for links.
    content: Option<ObjectId>,
}

/// Additions and deletions by path; none for a binary file.
type Counts<'b> = BTreeMap<&'b [u8], Option<(u64, u64)>>;

/// Reads every change, with the content of its file. A name that is not text is refused: no rule could
/// speak of it.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<(FileDelta, Option<ObjectId>)>, GitError> {
    let (raws, counts) = records(bytes)?;
    let read = |raw: Raw<'_>| Ok((delta(&raw, &counts)?, raw.content));
    raws.into_iter().map(read).collect()
}

/// A path as text.
pub(super) fn text(path: &[u8]) -> Result<String, GitError> {
    let text = std::str::from_utf8(path);
    text.map(str::to_owned).map_err(|_| GitError::BadPath { path: path.escape_ascii().to_string() })
}

fn delta(raw: &Raw<'_>, counts: &Counts<'_>) -> Result<FileDelta, GitError> {
    let count = *counts.get(raw.path).ok_or(Malformed)?;
    let (additions, deletions) = count.unwrap_or_default();
    Ok(FileDelta {
        path: text(raw.path)?,
        old_path: raw.old_path.map(text).transpose()?,
        additions,
        deletions,
        bytes: 0,
        kind: raw.kind,
        is_binary: count.is_none(),
    })
}

fn records(bytes: &[u8]) -> Result<(Vec<Raw<'_>>, Counts<'_>), Malformed> {
    let (mut raws, mut counts) = (Vec::new(), Counts::new());
    let mut fields = list::paths(bytes);
    while let Some(field) = fields.next() {
        let mut next = || fields.next().ok_or(Malformed);
        if let Some(record) = field.strip_prefix(b":") {
            let (kind, is_rename, content) = kind(record)?;
            let first = next()?;
            let (old_path, path) = if is_rename { (Some(first), next()?) } else { (None, first) };
            raws.push(Raw { kind, old_path, path, content });
        } else {
            let mut parts = field.splitn(3, |&it| it == b'\t');
            let mut part = || parts.next().ok_or(Malformed);
            let (added, removed, path) = (part()?, part()?, part()?);
            // Without a path, the old one and the new one follow.
            let path = if path.is_empty() { next().and_then(|_| next())? } else { path };
            counts.insert(path, lines(added, removed)?);
        }
    }
    Ok((raws, counts))
}

fn lines(added: &[u8], removed: &[u8]) -> Result<Option<(u64, u64)>, Malformed> {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    match (added, removed) {
        (b"-", b"-") => Ok(None),
        _ => Ok(Some((number(added).ok_or(Malformed)?, number(removed).ok_or(Malformed)?))),
    }
}

/// What a record says happened, whether it has two paths, and what the file holds now.
fn kind(record: &[u8]) -> Result<(DeltaKind, bool, Option<ObjectId>), Malformed> {
    let record = std::str::from_utf8(record).map_err(|_| Malformed)?;
    let fields: Vec<&str> = record.split(' ').collect();
    let [old_mode, new_mode, old_id, new_id, status] = *fields else { return Err(Malformed) };
    let (old, new) = (Kind::from_mode(old_mode)?, Kind::from_mode(new_mode)?);
    let is_rename = status.starts_with('R');
    let either = |kind: Kind| old == Some(kind) || new == Some(kind);
    let kind = match status.get(..1) {
        Some("A" | "D" | "M" | "T" | "R") if either(Kind::Repository) => DeltaKind::Submodule,
        Some("R") => DeltaKind::Renamed,
        Some("A" | "D" | "M" | "T") if either(Kind::Symlink) => DeltaKind::Symlink,
        Some("A") => DeltaKind::Added,
        Some("D") => DeltaKind::Deleted,
        Some("M") if old_id == new_id => DeltaKind::Mode,
        Some("M" | "T") => DeltaKind::Modified,
        _ => return Err(Malformed),
    };
    let is_content = matches!(new, Some(Kind::File | Kind::Executable)) && old_id != new_id;
    let content = if is_content { Some(new_id.parse().map_err(|_| Malformed)?) } else { None };
    Ok((kind, is_rename, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    const TWO: &str = "f69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    fn described(text: &str) -> Vec<String> {
        let deltas = parse(text.as_bytes()).unwrap();
        deltas
            .iter()
            .map(|(it, content)| {
                let old = it.old_path.as_deref().unwrap_or("-");
                let (added, removed) = (it.additions, it.deletions);
                let held = if content.is_some() { " held" } else { "" };
                let binary = it.is_binary;
                format!("{} {old:?} {:?} +{added} -{removed} {binary}{held}", it.kind, it.path)
            })
            .collect()
    }

    /// STORY-3.1: numstat, with renames, binary files, links, modes and any name.
    #[test]
    fn every_record_becomes_a_change() {
        let text = format!(
            ":000000 100644 {ONE} {TWO} A\0a\tb\nc\0\
             :100644 100644 {ONE} {TWO} R086\0:old\0new\0\
             :100644 100755 {ONE} {ONE} M\0run\0\
             :100644 100644 {ONE} {TWO} M\0bin\0\
             :100644 120000 {ONE} {TWO} T\0link\0\
             :160000 160000 {ONE} {TWO} M\0sub\0\
             :100644 000000 {ONE} {TWO} D\0gone\0\
             3\t0\ta\tb\nc\0\
             1\t2\t\0:old\0new\0\
             0\t0\trun\0\
             -\t-\tbin\0\
             1\t9\tlink\0\
             1\t1\tsub\0\
             0\t7\tgone\0"
        );
        assert_eq!(
            described(&text),
            [
                r#"added "-" "a\tb\nc" +3 -0 false held"#,
                r#"renamed ":old" "new" +1 -2 false held"#,
                r#"mode "-" "run" +0 -0 false"#,
                r#"modified "-" "bin" +0 -0 true held"#,
                r#"symlink "-" "link" +1 -9 false"#,
                r#"submodule "-" "sub" +1 -1 false"#,
                r#"deleted "-" "gone" +0 -7 false"#,
            ]
        );
        assert_eq!(described(""), Vec::<String>::new());
    }

    #[test]
    fn what_git_never_prints_is_refused() {
        for text in [
            format!(":100644 100644 {ONE} {TWO} M\0p\0"),
            format!(":100644 100644 {ONE} {TWO} R100\0a\0"),
            format!(":100644 100644 {ONE} {TWO} X\0p\x001\t1\tp\0"),
            format!(":123456 100644 {ONE} {TWO} M\0p\x001\t1\tp\0"),
            format!(":100644 100644 {ONE} M\0p\x001\t1\tp\0"),
            "1\tp\0".to_owned(),
            "1\tx\tp\0".to_owned(),
            "1\t1\t\0a\0".to_owned(),
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
        let mut bytes = format!(":000000 100644 {ONE} {TWO} A\0").into_bytes();
        bytes.extend(b"\xff\x001\t0\t\xff\0");
        assert!(matches!(parse(&bytes), Err(GitError::BadPath { .. })));
    }
}
