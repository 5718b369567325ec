//! Installing the guard in a client's own configuration, and taking it out again.
//!
//! From the text of a configuration to the new text: our entries are added behind everything else
//! and recognised by their command line, and what a person wrote keeps its bytes.
//! [`client_semantics`] says what a client does with an answer, [`known_gaps`] what it does not
//! enforce whatever is configured.

mod claude;
pub mod client_semantics;
mod codex;
mod command;
mod cursor;
mod document;
mod gemini;
pub mod known_gaps;
mod opencode;
pub mod proof;
#[cfg(test)]
mod tests;
pub mod trial;
pub mod trust;

use provost_kernel::{
    Message,
    guard::{Client, Harness, HookType},
};
use serde_json::{Map, Value, json};

pub use self::command::{CommandLine, Hook};
use self::document::{Document, Found, Grammar, Handler, Shape};
use super::event::{self, Meaning};

/// An entry of ours in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The client's name of the event.
    pub event: String,
    pub command: CommandLine,
}

/// Why a configuration cannot be edited. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.install")]
pub enum InstallError {
    /// A path that not every client would read the same way.
    #[message(
        en = "`{path}` is not an absolute path that every client can read",
        zh = "`{path}` 不是所有客户端都能读取的绝对路径",
        hint(
            en = "put provost and its home where the path has no control characters",
            zh = "请将 provost 及其主目录放在路径不含控制字符的位置"
        )
    )]
    Path { path: String },
    #[message(
        en = "invalid JSON: {why}",
        zh = "JSON 无效：{why}",
        hint(
            en = "repair the file or move it away, then run the command again; nothing was changed",
            zh = "请修复或移走该文件后重试；没有更改任何内容"
        )
    )]
    NotJson { why: String },
    /// A comment, where the client reads plain JSON.
    #[message(
        en = "line {line} has a comment, and the client reads JSON without comments",
        zh = "第 {line} 行有注释，而客户端读取的是不含注释的 JSON",
        hint(
            en = "remove the comments and run the command again; nothing was changed",
            zh = "请去掉注释后重试；没有更改任何内容"
        )
    )]
    Comment { line: usize },
    #[message(
        en = "invalid TOML: {why}",
        zh = "TOML 无效：{why}",
        hint(
            en = "repair the file or move it away, then run the command again; nothing was changed",
            zh = "请修复或移走该文件后重试；没有更改任何内容"
        )
    )]
    NotToml { why: String },
    /// The whole document is not a table.
    #[message(
        en = "not an object",
        zh = "内容不是对象",
        hint(
            en = "repair the file or move it away, then run the command again; nothing was changed",
            zh = "请修复或移走该文件后重试；没有更改任何内容"
        )
    )]
    NotObject,
    /// Another type of value than a table or a list.
    #[message(
        en = "`{at}` is not what the client expects there",
        zh = "`{at}` 不是客户端所要求的形式",
        hint(
            en = "repair the file or move it away, then run the command again; nothing was changed",
            zh = "请修复或移走该文件后重试；没有更改任何内容"
        )
    )]
    Shape { at: String },
    /// A key that occurs twice.
    #[message(
        en = "duplicate key `{at}`",
        zh = "键 `{at}` 重复",
        hint(
            en = "repair the file or move it away, then run the command again; nothing was changed",
            zh = "请修复或移走该文件后重试；没有更改任何内容"
        )
    )]
    Twice { at: String },
    /// A file of that name which provost did not write, or which was changed.
    #[message(
        en = "provost did not write it, or it was changed since",
        zh = "该文件不是 provost 写的，或已被更改",
        hint(
            en = "move the file away and run the command again; nothing was changed",
            zh = "请移走该文件后重试；没有更改任何内容"
        )
    )]
    Foreign,
    /// The written text does not read back as it should.
    #[message(
        en = "the entries cannot be written so that the client reads them",
        zh = "无法写成客户端可读取的条目"
    )]
    Lost,
}

/// The text of a configuration with the guard installed; the same text if it is installed already.
pub fn install(harness: Harness, text: Option<&str>, hook: &Hook) -> Result<String, InstallError> {
    hook.check()?;
    let Some(handlers) = handlers(harness, hook)? else { return plugin(text, hook) };
    let document = read(harness, text)?;
    if is_installed(&document, &handlers)?
        && let Some(text) = text
    {
        return Ok(text.to_owned());
    }
    document.strip()?;
    if harness == Harness::Cursor {
        document.ensure("version", &json!(1))?;
    }
    document.add(&handlers)?;
    let written = document.text();
    // Whatever an editor of texts did with it: a client must find exactly this.
    if is_installed(&read(harness, Some(&written))?, &handlers)? {
        Ok(written)
    } else {
        Err(InstallError::Lost)
    }
}

/// The text of a configuration without our entries; nothing if nothing else is left of it.
pub fn uninstall(harness: Harness, text: &str) -> Result<Option<String>, InstallError> {
    if harness == Harness::Opencode {
        return match opencode::command(text) {
            Some(_) => Ok(None),
            None => Err(InstallError::Foreign),
        };
    }
    let document = read(harness, Some(text))?;
    if document.found()?.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    document.strip()?;
    let besides: &[&str] = if harness == Harness::Cursor { &["version"] } else { &[] };
    Ok((!document.is_empty(besides)).then(|| document.text()))
}

/// Our entries in the text of a configuration, in its order.
pub fn entries(harness: Harness, text: &str) -> Result<Vec<Entry>, InstallError> {
    if harness == Harness::Opencode {
        let event = || opencode_event().to_owned();
        let entry = opencode::command(text).map(|command| Entry { event: event(), command });
        return Ok(entry.into_iter().collect());
    }
    let found = read(harness, Some(text))?.found()?;
    Ok(found.into_iter().map(|it| Entry { event: it.event, command: it.command }).collect())
}

/// Whether our entries are exactly those that an installation writes: none is missing, narrowed or
/// changed, and all start the same program for the same home.
pub fn is_exact(harness: Harness, text: &str) -> Result<bool, InstallError> {
    let entries = entries(harness, text)?;
    let Some(hook) = entries.first().and_then(|it| Hook::of(&it.command)) else {
        return Ok(false);
    };
    match handlers(harness, &hook)? {
        Some(handlers) => is_installed(&read(harness, Some(text))?, &handlers),
        None => Ok(opencode::plugin(&hook)? == text),
    }
}

/// The setting of a configuration that keeps every hook from running, if there is one.
pub fn switched_off(harness: Harness, text: &str) -> Result<Option<&'static str>, InstallError> {
    if harness == Harness::Opencode {
        return Ok(None);
    }
    let document = read(harness, Some(text))?;
    Ok(match harness {
        Harness::Claude if document.value(&["disableAllHooks"]) == Some(json!(true)) => {
            Some("disableAllHooks")
        }
        Harness::Gemini if document.value(&["hooksConfig", "enabled"]) == Some(json!(false)) => {
            Some("hooksConfig.enabled")
        }
        Harness::Gemini => {
            let names = document.value(&["hooksConfig", "disabled"]);
            let names = names.as_ref().and_then(Value::as_array);
            let is_named = names.is_some_and(|it| it.iter().any(|it| it == gemini::NAME));
            is_named.then_some("hooksConfig.disabled")
        }
        Harness::Claude | Harness::Codex | Harness::Cursor | Harness::Opencode => None,
    })
}

/// What an installation writes; nothing where it is a file of its own.
fn handlers(harness: Harness, hook: &Hook) -> Result<Option<Vec<Handler>>, InstallError> {
    let handlers = match harness {
        Harness::Claude => claude::handlers(hook)?,
        Harness::Codex => codex::handlers(hook)?,
        Harness::Gemini => gemini::handlers(hook)?,
        Harness::Cursor => cursor::handlers(hook)?,
        Harness::Opencode => return Ok(None),
    };
    Ok(Some(handlers))
}

/// The event at which the plugin for opencode asks.
fn opencode_event() -> &'static str {
    "tool.execute.before"
}

fn plugin(text: Option<&str>, hook: &Hook) -> Result<String, InstallError> {
    match text {
        Some(text) if !text.trim().is_empty() && opencode::command(text).is_none() => {
            Err(InstallError::Foreign)
        }
        Some(_) | None => opencode::plugin(hook),
    }
}

fn read(harness: Harness, text: Option<&str>) -> Result<Document, InstallError> {
    let (grammar, shape) = match harness {
        Harness::Gemini => (Grammar::Comments, Shape::Groups),
        Harness::Cursor => (Grammar::Strict, Shape::Flat),
        Harness::Claude | Harness::Codex | Harness::Opencode => (Grammar::Strict, Shape::Groups),
    };
    Document::read(text, grammar, shape)
}

/// Whether exactly these handlers of ours stand there.
fn is_installed(document: &Document, handlers: &[Handler]) -> Result<bool, InstallError> {
    let found = document.found()?;
    let is_there = |it: &Handler| {
        let expected: Map<String, Value> =
            it.fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let expected = Value::Object(expected);
        let is_it = |found: &Found| {
            found.event == it.event
                && found.handler == expected
                && found.narrowing == it.narrowing()
        };
        found.iter().any(is_it)
    };
    Ok(found.len() == handlers.len() && handlers.iter().all(is_there))
}

/// Makes the handlers of a client's events, each with the type that the event means and with the
/// fields of the client.
fn typed(
    client: Client,
    events: &[&'static str],
    fields: impl Fn(&'static str, HookType) -> Result<Vec<(&'static str, Value)>, InstallError>,
) -> Result<Vec<Handler>, InstallError> {
    let mut handlers = Vec::new();
    for event in events {
        for (hook, matcher) in types(event::meaning(client, event)) {
            handlers.push(Handler { event, matcher, fields: fields(event, hook)? });
        }
    }
    Ok(handlers)
}

/// The types that an event is installed for, each with what the client holds its trigger against.
/// The type of a stop is the general one: the modes that are active then say more.
fn types(meaning: Option<Meaning>) -> Vec<(HookType, Option<&'static str>)> {
    match meaning {
        Some(Meaning::Hook(hook)) => vec![(hook, None)],
        Some(Meaning::Stop) => vec![(HookType::StopContinuation, None)],
        Some(Meaning::Setup) => vec![
            (HookType::SetupInit, Some("init")),
            (HookType::SetupMaintenance, Some("maintenance")),
        ],
        Some(Meaning::NoType) | None => Vec::new(),
    }
}
