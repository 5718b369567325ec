//! One file of configuration, read into entries that know their lines.

use std::{error::Error, fmt, fs, io};

use camino::Utf8Path;
use provost_kernel::{Message, Text};
use provost_rules::config::{Entry, Node};
use serde_json::Value;
use toml::{
    Spanned,
    de::{DeInteger, DeString, DeTable, DeValue},
};

use super::{FILE_LIMIT as LIMIT, Place};
use crate::regular::{self, Unread};

/// A file of configuration that cannot be read.
#[derive(Debug)]
pub(super) struct FileError {
    place: Place,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Unread(Unread),
    /// A link that leads nowhere.
    Dangling,
    NotUtf8 {
        line: usize,
    },
    Syntax {
        line: usize,
        cause: Syntax,
    },
}

/// What the parser says, in its own words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Syntax(String);

/// Reads a file; none when there is no such file.
pub(super) fn read(path: &Utf8Path) -> Result<Option<Vec<Entry>>, FileError> {
    let place = Place::File { path: path.to_owned() };
    bytes(path)?.map(|it| parse(&place, &it)).transpose()
}

/// The bytes of a file; none when there is no such file.
pub(super) fn bytes(path: &Utf8Path) -> Result<Option<Vec<u8>>, FileError> {
    content(path).map_err(|why| FileError { place: Place::File { path: path.to_owned() }, why })
}

/// Reads what a file holds.
pub(super) fn parse(place: &Place, bytes: &[u8]) -> Result<Vec<Entry>, FileError> {
    let fail = |why| FileError { place: place.clone(), why };
    if u64::try_from(bytes.len()).is_ok_and(|it| it > LIMIT) {
        return Err(fail(Why::Unread(Unread::TooLarge)));
    }
    let text = str::from_utf8(bytes)
        .map_err(|error| fail(Why::NotUtf8 { line: line_at(bytes, error.valid_up_to()) }))?;
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(text.len(), |it| it.start);
        let cause = Syntax(error.message().to_owned());
        fail(Why::Syntax { line: line_at(bytes, at), cause })
    })?;
    Ok(entries(place, text, table.get_ref()))
}

fn content(path: &Utf8Path) -> Result<Option<Vec<u8>>, Why> {
    match regular::read(path.as_std_path(), LIMIT) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Unread::System(error)) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(Unread::System(error)) if error.kind() == io::ErrorKind::NotFound => {
            // Whoever made a link meant a file; to go on without it would drop what it guards.
            if fs::symlink_metadata(path).is_ok() { Err(Why::Dangling) } else { Ok(None) }
        }
        Err(unread) => Err(Why::Unread(unread)),
    }
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

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.why {
            Why::Unread(Unread::System(error)) => Some(error),
            Why::Syntax { cause, .. } => Some(cause),
            Why::Unread(Unread::Folder | Unread::Special | Unread::TooLarge)
            | Why::Dangling
            | Why::NotUtf8 { .. } => None,
        }
    }
}

impl Message for FileError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let (place, at) =
                (self.place.describe(lang), |line| self.place.origin(line).describe(lang));
            match &self.why {
                Why::Syntax { line, .. } => {
                    let at = at(*line);
                    lang.pick(format!("{at} is not TOML"), format!("{at} 不是有效的 TOML"))
                }
                Why::NotUtf8 { line } => {
                    let at = at(*line);
                    lang.pick(format!("{at} is not UTF-8"), format!("{at} 不是 UTF-8"))
                }
                Why::Unread(Unread::Folder) => lang.pick(
                    format!("the configuration {place} is a folder"),
                    format!("配置文件 {place} 是文件夹"),
                ),
                Why::Unread(Unread::Special) => lang.pick(
                    format!("the configuration {place} is not a regular file"),
                    format!("配置文件 {place} 不是普通文件"),
                ),
                Why::Dangling => lang.pick(
                    format!("the configuration {place} is a link that leads nowhere"),
                    format!("配置文件 {place} 是失效的链接"),
                ),
                Why::Unread(Unread::TooLarge) => lang.pick(
                    format!("the configuration {place} has more than {LIMIT} bytes"),
                    format!("配置文件 {place} 超过 {LIMIT} 字节"),
                ),
                Why::Unread(Unread::System(_)) => lang.pick(
                    format!("cannot read the configuration {place}"),
                    format!("无法读取配置文件 {place}"),
                ),
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let place = self.place.describe(lang);
            let hint = match &self.why {
                Why::Syntax { .. } => lang.pick(
                    "write each key as `key = value`, under its `[section]`".to_owned(),
                    "请在相应的 `[section]` 下按 `key = value` 书写".to_owned(),
                ),
                Why::NotUtf8 { .. } => lang
                    .pick("save the file as UTF-8".to_owned(), "请将文件另存为 UTF-8".to_owned()),
                Why::Dangling
                | Why::Unread(Unread::Folder | Unread::Special | Unread::TooLarge) => lang.pick(
                    format!("replace {place} with a TOML file, or remove it"),
                    format!("请将 {place} 换成 TOML 文件,或将其删除"),
                ),
                Why::Unread(Unread::System(_)) => lang.pick(
                    "check who owns the file and its permissions".to_owned(),
                    "请检查该文件的所有者和权限".to_owned(),
                ),
            };
            vec![hint]
        })
    }
}
