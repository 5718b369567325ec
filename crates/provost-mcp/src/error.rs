//! Errors of the server. An invalid call of a client is an answer, not an error.

use std::{error::Error, io, net::SocketAddr};

use provost_kernel::Message;

/// Why the server could not serve.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "mcp.serve")]
pub enum ServeError {
    #[message(
        en = "invalid address {text:?}: expected an address with a port",
        zh = "地址 {text:?} 无效：需要带端口的地址",
        hint(en = "write it as `127.0.0.1:8765`", zh = "请写作 `127.0.0.1:8765`")
    )]
    NoAddress { text: String },
    /// Other machines could reach the address, and the server does not authenticate them.
    #[message(
        en = "`{address}` can be reached from other machines",
        zh = "其他机器可以访问 `{address}`",
        arg(address = address.to_string()),
        hint(
            en = "listen on `127.0.0.1`; from another machine, use a tunnel such as `ssh -L`",
            zh = "请监听 `127.0.0.1`；从其他机器访问请使用 `ssh -L` 之类的隧道",
        )
    )]
    NotLoopback { address: SocketAddr },
    #[message(
        en = "cannot listen on `{address}`",
        zh = "无法监听 `{address}`",
        arg(address = address.to_string()),
        hint(en = "use port 0 for a free one", zh = "端口 0 会自动选择空闲端口")
    )]
    Bind { address: SocketAddr, source: io::Error },
    #[message(en = "cannot start the server's runtime", zh = "无法启动服务器运行时")]
    Runtime(#[source] io::Error),
    #[message(en = "the server ended unexpectedly", zh = "服务器意外结束")]
    Ended(#[source] Box<dyn Error + Send + Sync>),
}
