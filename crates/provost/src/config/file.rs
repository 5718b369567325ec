//! One configuration file, read into entries that know their lines.

use std::{fs, io};

use camino::Utf8Path;
use provost_kernel::Message;
use provost_rules::config::{Entry, Node, Origin};
use serde_json::Value;
use toml::{
    Spanned,
    de::{DeInteger, DeString, DeTable, DeValue},
};

use super::{FILE_LIMIT as LIMIT, Place};
use crate::regular::{self, Unread};

/// A configuration file that cannot be read.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "config.file")]
pub(super) enum FileError {
    #[message(
        en = "{at} is not TOML",
        zh = "{at} 不是有效的 TOML",
        hint(
            en = "write each key as `key = value`, under its `[section]`",
            zh = "请在相应的 `[section]` 下按 `key = value` 书写"
        )
    )]
    Syntax { at: Origin, source: Syntax },
    #[message(
        en = "{at} is not UTF-8",
        zh = "{at} 不是 UTF-8",
        hint(en = "save the file as UTF-8", zh = "请将文件另存为 UTF-8")
    )]
    NotUtf8 { at: Origin },
    #[message(
        en = "the configuration {place} {reason}",
        zh = "配置文件 {place} {reason}",
        hint(
            en = "replace {place} with a TOML file, or remove it",
            zh = "请将 {place} 换成 TOML 文件，或将其删除"
        )
    )]
    NotAFile { place: Place, reason: NotAFile },
    #[message(
        en = "cannot read the configuration {place}",
        zh = "无法读取配置文件 {place}",
        hint(
            en = "check who owns the file and its permissions",
            zh = "请检查该文件的所有者和权限"
        )
    )]
    Unreadable { place: Place, source: io::Error },
}

/// Why a path is not a configuration file.
#[derive(Debug, Message)]
#[message(code = "config.file.not")]
pub(super) enum NotAFile {
    #[message(en = "is a folder", zh = "是文件夹")]
    Folder,
    #[message(en = "is not a regular file", zh = "不是普通文件")]
    Special,
    #[message(en = "is a broken symbolic link", zh = "是失效的链接")]
    Dangling,
    #[message(en = "has more than {limit} bytes", zh = "超过 {limit} 字节", arg(limit = LIMIT))]
    TooLarge,
}

/// The parser's own message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Syntax(String);

/// Reads a file; none when there is no such file.
pub(super) fn read(path: &Utf8Path) -> Result<Option<Vec<Entry>>, FileError> {
    let place = Place::File { path: path.to_owned() };
    bytes(path)?.map(|it| parse(&place, &it)).transpose()
}

/// The bytes of a file; none when there is no such file.
pub(super) fn bytes(path: &Utf8Path) -> Result<Option<Vec<u8>>, FileError> {
    let place = || Place::File { path: path.to_owned() };
    let not = |reason| FileError::NotAFile { place: place(), reason };
    match regular::read(path.as_std_path(), LIMIT) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Unread::System(error)) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(Unread::System(error)) if error.kind() == io::ErrorKind::NotFound => {
            // A link was meant to be a file; going on without it would drop what it guards.
            if fs::symlink_metadata(path).is_ok() { Err(not(NotAFile::Dangling)) } else { Ok(None) }
        }
        Err(Unread::System(source)) => Err(FileError::Unreadable { place: place(), source }),
        Err(Unread::Folder) => Err(not(NotAFile::Folder)),
        Err(Unread::Special) => Err(not(NotAFile::Special)),
        Err(Unread::TooLarge) => Err(not(NotAFile::TooLarge)),
    }
}

/// Reads what a file holds.
pub(super) fn parse(place: &Place, bytes: &[u8]) -> Result<Vec<Entry>, FileError> {
    if u64::try_from(bytes.len()).is_ok_and(|it| it > LIMIT) {
        let (place, reason) = (place.clone(), NotAFile::TooLarge);
        return Err(FileError::NotAFile { place, reason });
    }
    let at = |byte| place.origin(line_at(bytes, byte));
    let text = str::from_utf8(bytes)
        .map_err(|error| FileError::NotUtf8 { at: at(error.valid_up_to()) })?;
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(text.len(), |it| it.start);
        FileError::Syntax { at: at(start), source: Syntax(error.message().to_owned()) }
    })?;
    Ok(entries(place, text, table.get_ref()))
}

/// The entries of a table in the order of the file, so that the first fault is the topmost one.
fn entries(place: &Place, text: &str, table: &DeTable<'_>) -> Vec<Entry> {
    let mut fields: Vec<_> = table.iter().collect();
    fields.sort_by_key(|(name, _)| name.span().start);
    let entry = |(name, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        let line = line_at(text.as_bytes(), name.span().start);
        Entry {
            name: name.get_ref().to_string(),
            origin: place.origin(line),
            node: match value.get_ref().as_table() {
                Some(table) => Node::Section(entries(place, text, table)),
                None => Node::Value(json(value.get_ref())),
            },
        }
    };
    fields.into_iter().map(entry).collect()
}

/// The value as JSON; `null` where JSON has no such value.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(value) => Value::from(*value),
        DeValue::Datetime(_) => Value::Null,
        DeValue::Array(elements) => elements.iter().map(|it| json(it.get_ref())).collect(),
        DeValue::Table(fields) => fields
            .iter()
            .map(|(name, it)| (name.get_ref().to_string(), json(it.get_ref())))
            .collect(),
    }
}

fn integer(number: &DeInteger<'_>) -> Value {
    let (digits, radix) = (number.as_str(), number.radix());
    let unsigned = u64::from_str_radix(digits, radix).map(Value::from);
    unsigned.or_else(|_| i64::from_str_radix(digits, radix).map(Value::from)).unwrap_or_default()
}

/// The line of a byte, counted from 1.
fn line_at(bytes: &[u8], at: usize) -> usize {
    1 + bytes.iter().take(at).filter(|it| **it == b'\n').count()
}
