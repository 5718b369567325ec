//! Why the server cannot serve. What a client does wrong is an answer, not an error.

use std::{io, net::SocketAddr};

use provost_kernel::Message;

/// Why the server could not serve.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "web.serve")]
pub enum ServeError {
    #[message(
        en = "invalid address {text:?}: expected an address with a port",
        zh = "地址 {text:?} 无效：需要带端口的地址",
        hint(en = "write it as `127.0.0.1:17333`", zh = "请写作 `127.0.0.1:17333`")
    )]
    NoAddress { text: String },
    /// Other machines could reach the address, and that was not asked for.
    #[message(
        en = "`{address}` can be reached from other machines, without encryption",
        zh = "其他机器可以访问 `{address}`，且没有加密",
        arg(address = address.to_string()),
        hint(
            en = "from another machine, use a tunnel such as `ssh -L 17333:127.0.0.1:17333`",
            zh = "从其他机器访问请使用 `ssh -L 17333:127.0.0.1:17333` 之类的隧道"
        ),
        hint(
            en = "add `--allow-remote` to listen there all the same; the token is still needed",
            zh = "加上 `--allow-remote` 仍可在那里监听；依然需要令牌"
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
}
