//! Secrets of channels: from a variable, or from a file that only its owner can read.

use std::{os::unix::fs::MetadataExt as _, path::PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Message, NotifyConfig};
use secrecy::SecretString;

use crate::{
    regular,
    session::{AnyFault, Session},
};

/// No token or secret is longer.
const LIMIT: u64 = 4096;

/// Why a secret cannot be used. The secret itself is never said.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "notify.secret")]
pub(super) enum SecretError {
    #[message(
        en = "cannot read `{path}`, which `{key}` names",
        zh = "无法读取 `{key}` 指定的 `{path}`",
        hint(
            en = "write the secret there: `install -m 600 /dev/stdin {path}`",
            zh = "请写入密钥：`install -m 600 /dev/stdin {path}`"
        )
    )]
    Unreadable { key: &'static str, path: Utf8PathBuf },
    #[message(
        en = "`{path}` can be read by others: its mode is {mode}",
        zh = "其他用户可以读取 `{path}`：其权限为 {mode}",
        hint(en = "`chmod 600 {path}`", zh = "`chmod 600 {path}`")
    )]
    Open { path: Utf8PathBuf, mode: String },
    #[message(en = "`{path}` holds no secret", zh = "`{path}` 中没有密钥")]
    Empty { path: Utf8PathBuf },
    #[message(
        en = "`{path}`, which `{key}` names, is not a file",
        zh = "`{key}` 指定的 `{path}` 不是文件",
        hint(
            en = "name the file that holds the secret, such as `{path}/token`",
            zh = "请指定存放密钥的文件，例如 `{path}/token`"
        )
    )]
    NotAFile { key: &'static str, path: Utf8PathBuf },
    #[message(
        en = "`{path}`, which `{key}` names, does not hold a bot token",
        zh = "`{key}` 指定的 `{path}` 中不是机器人令牌",
        hint(
            en = "a token is a number, a colon and a key; `/token` in the chat with `@BotFather` shows it",
            zh = "令牌由数字、冒号和密钥组成；在与 `@BotFather` 的对话中发送 `/token` 可查看"
        )
    )]
    NotAToken { key: &'static str, path: Utf8PathBuf },
}

/// A secret, and the file that it was read from.
pub(super) struct Found {
    pub(super) value: SecretString,
    pub(super) file: Option<Utf8PathBuf>,
}

/// The secret in a variable, or in the file that a key of the configuration names.
pub(super) fn secret(
    session: &Session,
    variable: &str,
    key: &'static str,
    file: Option<&str>,
) -> Result<Option<Found>, AnyFault> {
    if let Some(text) =
        session.environment.text(variable)?.map(str::trim).filter(|it| !it.is_empty())
    {
        return Ok(Some(Found { value: SecretString::from(text), file: None }));
    }
    let Some(file) = file else { return Ok(None) };
    let home = session.environment.text("HOME")?.unwrap_or_default();
    let path = place(home, file);
    Ok(Some(Found { value: read(key, path.clone())?, file: Some(path) }))
}

/// Where a file lies that the configuration names.
fn place(home: &str, file: &str) -> Utf8PathBuf {
    match file.strip_prefix("~/") {
        Some(rest) => Utf8Path::new(home).join(rest),
        None => Utf8PathBuf::from(file),
    }
}

/// The files that hold the secrets of channels. Jobs may read none of them, links followed.
pub(crate) fn secret_files(home: &str, config: &NotifyConfig) -> Vec<PathBuf> {
    let named = [&config.ntfy_token_file, &config.telegram_token_file, &config.webhook_secret_file];
    let mut files = Vec::new();
    for file in named.into_iter().flatten() {
        let path = place(home, file);
        files.extend(path.canonicalize().ok());
        files.push(path.into_std_path_buf());
    }
    files.retain(|it| it.is_absolute());
    files
}

fn read(key: &'static str, path: Utf8PathBuf) -> Result<SecretString, SecretError> {
    let unreadable = || SecretError::Unreadable { key, path: path.clone() };
    let found = std::fs::metadata(&path).map_err(|_| unreadable())?;
    if !found.is_file() {
        return Err(SecretError::NotAFile { key, path });
    }
    if found.mode() & 0o077 != 0 {
        let mode = format!("{:04o}", found.mode() & 0o7777);
        return Err(SecretError::Open { path, mode });
    }
    let bytes = regular::read(path.as_std_path(), LIMIT).map_err(|_| unreadable())?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable())?;
    let text = text.trim();
    if text.is_empty() {
        return Err(SecretError::Empty { path });
    }
    Ok(SecretString::from(text))
}
