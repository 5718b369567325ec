//! Installing the guard in a client's own configuration, and taking it out again.
//!
//! From the text of a configuration to the new text: our entries are added behind everything else
//! and recognised by their command line, and what a person wrote keeps its bytes.
//! [`client_semantics`] says what a client does with an answer, [`known_gaps`] what it does not
//! enforce whatever is configured.

pub mod client_semantics;
mod command;
mod document;
mod handlers;
pub mod known_gaps;
mod plugin;
pub mod proof;
#[cfg(test)]
mod tests;
pub mod trial;
pub mod trust;

use provost_kernel::{
    Message,
    guard::{
        Harness,
        client::{InstallForm, SwitchedOff},
    },
};
use serde_json::{Map, Value, json};

pub use self::command::{CommandLine, Hook};
use self::{
    document::{Document, Found, Handler},
    handlers::handlers,
};

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
    let (grammar, shape, constants) = match harness.entry().install.form {
        InstallForm::Entries { grammar, shape, constants, .. } => (grammar, shape, constants),
        InstallForm::Plugin { template, .. } => {
            return plugin::install(template, harness.client(), text, hook);
        }
    };
    let handlers = handlers(harness.entry(), hook)?;
    let document = Document::read(text, grammar, shape)?;
    if is_installed(&document, &handlers)?
        && let Some(text) = text
    {
        return Ok(text.to_owned());
    }
    document.strip()?;
    for (key, number) in constants {
        document.ensure(key, &json!(number))?;
    }
    document.add(&handlers)?;
    let written = document.text();
    // Whatever an editor of texts did with it: a client must find exactly this.
    if is_installed(&Document::read(Some(&written), grammar, shape)?, &handlers)? {
        Ok(written)
    } else {
        Err(InstallError::Lost)
    }
}

/// The text of a configuration without our entries; nothing if nothing else is left of it.
pub fn uninstall(harness: Harness, text: &str) -> Result<Option<String>, InstallError> {
    match harness.entry().install.form {
        InstallForm::Plugin { template, .. } => match plugin::command(template, text) {
            Some(_) => Ok(None),
            None => Err(InstallError::Foreign),
        },
        InstallForm::Entries { grammar, shape, constants, .. } => {
            let document = Document::read(Some(text), grammar, shape)?;
            if document.found()?.is_empty() {
                return Ok(Some(text.to_owned()));
            }
            document.strip()?;
            let besides: Vec<&str> = constants.iter().map(|it| it.0).collect();
            Ok((!document.is_empty(&besides)).then(|| document.text()))
        }
    }
}

/// Our entries in the text of a configuration, in its order.
pub fn entries(harness: Harness, text: &str) -> Result<Vec<Entry>, InstallError> {
    match harness.entry().install.form {
        InstallForm::Plugin { template, event } => {
            let command = plugin::command(template, text);
            Ok(command
                .map(|command| Entry { event: event.to_owned(), command })
                .into_iter()
                .collect())
        }
        InstallForm::Entries { grammar, shape, .. } => {
            let found = Document::read(Some(text), grammar, shape)?.found()?;
            Ok(found.into_iter().map(|it| Entry { event: it.event, command: it.command }).collect())
        }
    }
}

/// Whether our entries are exactly those that an installation writes: none is missing, narrowed or
/// changed, and all start the same program for the same home.
pub fn is_exact(harness: Harness, text: &str) -> Result<bool, InstallError> {
    let entries = entries(harness, text)?;
    let Some(hook) = entries.first().and_then(|it| Hook::of(&it.command)) else {
        return Ok(false);
    };
    match harness.entry().install.form {
        InstallForm::Entries { grammar, shape, .. } => {
            let document = Document::read(Some(text), grammar, shape)?;
            is_installed(&document, &handlers(harness.entry(), &hook)?)
        }
        InstallForm::Plugin { template, .. } => {
            Ok(plugin::plugin(template, harness.client(), &hook)? == text)
        }
    }
}

/// The setting of a configuration that keeps every hook from running, if there is one.
pub fn switched_off(harness: Harness, text: &str) -> Result<Option<&'static str>, InstallError> {
    let install = &harness.entry().install;
    let InstallForm::Entries { grammar, shape, .. } = install.form else { return Ok(None) };
    let document = Document::read(Some(text), grammar, shape)?;
    let is_off = |key: &str, off: SwitchedOff| {
        let path: Vec<&str> = key.split('.').collect();
        let Some(value) = document.value(&path) else { return false };
        match off {
            SwitchedOff::Is(off) => value == json!(off),
            SwitchedOff::Lists(name) => {
                value.as_array().is_some_and(|it| it.iter().any(|it| it == name))
            }
        }
    };
    Ok(install.switches.iter().find(|it| is_off(it.key, it.off)).map(|it| it.key))
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
