//! What an agent answered: the reply of protocol `provost.adapter/1`, and how its file is read.
//!
//! The file comes from a program that is not trusted. It is opened without following a link and
//! without waiting for anybody, it must be a plain file with one name and of a bounded size, and
//! it must say exactly what the protocol says.

use std::{
    fs::File,
    io::{self, Read as _},
    os::fd::AsFd,
};

use provost_kernel::{Message, SessionId, model::Usage};
use rustix::{
    fs::{FileType, Mode, OFlags},
    io::Errno,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{AgentRole, Protocol};

/// The most that a reply file may hold.
pub const REPLY_CAP: u64 = 4 << 20;

/// One answer of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Reply {
    pub schema: Protocol,
    /// The role of the request that it answers.
    pub role: AgentRole,
    /// A coder: what it has to say. A judge: its verdict, the JSON object as text.
    #[serde(default)]
    pub text: String,
    /// What the answer cost, as far as the adapter knows.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// The name of the agent's own session, to look at it with the agent's own tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// With exit code 75: after how many seconds the quota may be back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u64>,
}

/// Why a reply file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "call.reply")]
pub enum ReplyProblem {
    #[message(en = "missing reply file", zh = "缺少回复文件")]
    Absent,
    /// A link, a folder, a pipe, a device.
    #[message(en = "the reply is not a plain file", zh = "回复不是普通文件")]
    NotAFile,
    /// The file has a second name, so it may belong to another program.
    #[message(en = "the reply file has a second hard link", zh = "回复文件另有一个硬链接")]
    SecondName,
    #[message(
        en = "the reply is larger than {limit} bytes",
        zh = "回复超过 {limit} 字节",
        arg(limit = REPLY_CAP)
    )]
    TooLarge,
    #[message(en = "cannot read the reply: {0}", zh = "无法读取回复：{0}")]
    Unreadable(String),
    #[message(en = "the reply is not UTF-8", zh = "回复不是 UTF-8 文本")]
    NotText,
    /// Not the JSON object of the protocol.
    #[message(en = "the reply does not follow the protocol: {0}", zh = "回复不符合协议：{0}")]
    Malformed(String),
    #[message(en = "the reply is that of a {0}", zh = "回复的角色是{0}")]
    OtherRole(AgentRole),
}

impl Reply {
    /// A reply that says this.
    pub fn new(role: AgentRole, text: String) -> Self {
        Self {
            schema: Protocol::V1,
            role,
            text,
            usage: Usage::default(),
            session: None,
            model: None,
            retry_after_seconds: None,
        }
    }

    /// Reads a reply to a request of this role: one JSON object, no key twice, none unknown.
    pub fn parse(bytes: &[u8], role: AgentRole) -> Result<Self, ReplyProblem> {
        let text = str::from_utf8(bytes).map_err(|_| ReplyProblem::NotText)?;
        let reply: Self = serde_json::from_str(text)
            .map_err(|error| ReplyProblem::Malformed(error.to_string()))?;
        if reply.role == role { Ok(reply) } else { Err(ReplyProblem::OtherRole(reply.role)) }
    }
}

/// Reads a file that a program left in a folder.
pub(crate) fn read_file(folder: impl AsFd, name: &str) -> Result<Vec<u8>, ReplyProblem> {
    // `NONBLOCK`: a pipe must not make us wait for its writer. It means nothing for a file.
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let handle =
        rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(|error| match error {
            Errno::NOENT => ReplyProblem::Absent,
            Errno::LOOP | Errno::NXIO => ReplyProblem::NotAFile,
            other => ReplyProblem::Unreadable(io::Error::from(other).to_string()),
        })?;
    let unreadable = |error: io::Error| ReplyProblem::Unreadable(error.to_string());
    let stat = rustix::fs::fstat(&handle).map_err(|error| unreadable(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(ReplyProblem::NotAFile);
    }
    if stat.st_nlink > 1 {
        return Err(ReplyProblem::SecondName);
    }
    let mut bytes = Vec::new();
    File::from(handle).take(REPLY_CAP + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > REPLY_CAP {
        return Err(ReplyProblem::TooLarge);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let actual = Reply::parse(text.as_bytes(), AgentRole::Judge);
        let actual = actual.map(|it| it.text).map_err(|it| it.text().to_string());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn a_reply_is_one_object_that_says_what_the_protocol_says() {
        let not = |cause: &str| format!("the reply does not follow the protocol: {cause}");
        check(r#"{"schema":"provost.adapter/1","role":"judge","text":"t"}"#, Ok("t"));
        check(
            r#"{"schema":"provost.adapter/1","role":"judge","text":"t",
                "usage":{"input_tokens":1,"output_tokens":2,"usd":0.5},
                "session":"s_1","model":"m","retry_after_seconds":3}"#,
            Ok("t"),
        );
        check(
            r#"{"schema":"provost.adapter/1","role":"coder","text":"t"}"#,
            Err("the reply is that of a coder"),
        );
        check(
            r#"{"schema":"provost.adapter/1","role":"judge","text":"a","text":"b"}"#,
            Err(&not("duplicate field `text` at line 1 column 62")),
        );
        check(
            r#"{"schema":"provost.adapter/1","role":"judge","text":"t"} and more"#,
            Err(&not("trailing characters at line 1 column 58")),
        );
        check("", Err(&not("EOF while parsing a value at line 1 column 0")));
        check(
            r#"{"schema":"provost.adapter/1","role":"judge","text":"t"#,
            Err(&not("EOF while parsing a string at line 1 column 54")),
        );
        for bad in [
            r#"{"schema":"provost.adapter/2","role":"judge","text":"t"}"#,
            r#"{"role":"judge","text":"t"}"#,
            r#"{"schema":"provost.adapter/1","text":"t"}"#,
            r#"{"schema":"provost.adapter/1","role":"judge","verdict":"t"}"#,
            r#"{"schema":"provost.adapter/1","role":"judge","text":1}"#,
            r#"{"schema":"provost.adapter/1","role":"judge","session":"../x"}"#,
            r#"{"schema":"provost.adapter/1","role":"judge","usage":{"usd":-1}}"#,
            r#"["provost.adapter/1"]"#,
        ] {
            let actual = Reply::parse(bad.as_bytes(), AgentRole::Judge);
            assert!(matches!(actual, Err(ReplyProblem::Malformed(_))), "{bad}");
        }
        assert_eq!(Reply::parse(b"\xff", AgentRole::Judge), Err(ReplyProblem::NotText));
    }
}
