//! Why the server could not serve. What a client gets wrong is no error.

use std::{error::Error, io, net::SocketAddr};

use provost_kernel::{Message, Text};

/// Why the server could not serve.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum ServeError {
    /// The text is not an address.
    NoAddress {
        text: String,
    },
    /// Others could reach the address, and nobody would ask them who they are.
    NotLoopback {
        address: SocketAddr,
    },
    Bind {
        address: SocketAddr,
        source: io::Error,
    },
    Runtime(#[source] io::Error),
    /// The server ended by itself.
    Ended(#[source] Box<dyn Error + Send + Sync>),
}

impl Message for ServeError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NoAddress { text } => lang.pick(
                format!("{text:?} is not an address with a port"),
                format!("{text:?} 不是带端口的地址"),
            ),
            Self::NotLoopback { address } => lang.pick(
                format!("`{address}` can be reached from other machines"),
                format!("其他机器可以访问 `{address}`"),
            ),
            Self::Bind { address, .. } => {
                lang.pick(format!("cannot listen on `{address}`"), format!("无法监听 `{address}`"))
            }
            Self::Runtime(_) => {
                lang.pick("cannot start the server's runtime", "无法启动服务器运行时").to_owned()
            }
            Self::Ended(_) => lang.pick("the server ended", "服务器意外结束").to_owned(),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
            Self::NoAddress { .. } => {
                lang.pick("write it as `127.0.0.1:8765`", "请写作 `127.0.0.1:8765`")
            }
            Self::NotLoopback { .. } => lang.pick(
                "listen on `127.0.0.1`; from another machine, come through a tunnel such as `ssh -L`",
                "请监听 `127.0.0.1`;从其他机器访问请使用 `ssh -L` 之类的隧道",
            ),
            Self::Bind { .. } => lang.pick(
                "port 0 takes one that is free",
                "端口 0 会自动选择空闲端口",
            ),
            Self::Runtime(_) | Self::Ended(_) => return Vec::new(),
        };
            vec![hint.to_owned()]
        })
    }
}
