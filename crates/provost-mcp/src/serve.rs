//! The two transports, each with a runtime of its own that nothing else needs.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use axum::{Router, middleware};
use provost_kernel::shorten;
use rmcp::{
    service::serve_directly_with_ct,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio_pipes,
        streamable_http_server::session::never::NeverSessionManager,
    },
};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::{
    ServeError, Server,
    gate::{self, Gate, Token},
    lines::LineTransport,
    message::LONGEST,
};

/// How long the calls under way have to end when the server does.
const PATIENCE: Duration = Duration::from_secs(10);
/// The path at which HTTP clients find the server.
const PATH: &str = "/mcp";
/// As many calls at once, and a thread that waits for standard input where it is not a pipe.
const THREADS: usize = 18;

/// A means to end the server from outside, such as from a signal.
#[derive(Clone, Debug, Default)]
pub struct Stop(CancellationToken);

/// An address of this machine alone: `127.0.0.1:8765`, `[::1]:8765`, `localhost:8765` or `8765`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopbackAddress(SocketAddr);

/// A server that has its address, and does not answer yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Stop {
    /// Ends the server: what is under way is ended, nothing new is begun.
    pub fn now(&self) {
        self.0.cancel();
    }
}

/// Serves one client over standard input and output, until it closes its end.
pub fn stdio(server: &Server, stop: &Stop) -> Result<(), ServeError> {
    let runtime = runtime()?;
    runtime
        .block_on(async {
            let (input, output) = stdio_pipes();
            let transport = LineTransport::new(input, output);
            // Without a lifecycle of its own: a message that comes too early is answered like any
            // other, where a server that waits for the handshake would end.
            let running = serve_directly_with_ct(server.clone(), transport, None, stop.0.clone());
            let ended = running.waiting().await;
            server.settle(PATIENCE).await;
            ended.map(drop).map_err(|error| ServeError::Ended(error.into()))
        })
        .inspect(|()| runtime.shutdown_background())
}

impl Listening {
    /// Takes the address.
    pub fn at(address: LoopbackAddress) -> Result<Self, ServeError> {
        let fail = |source| ServeError::Bind { address: address.0, source };
        let listener = TcpListener::bind(address.0).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        Ok(Self { listener, address })
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }
}

/// Serves every client that comes over HTTP with the token, until it is stopped.
pub fn http(
    server: &Server,
    listening: Listening,
    token: Token,
    stop: &Stop,
) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        // A page that a browser shows has an origin, and none is allowed; a name that was made to
        // lead here (DNS rebinding) is not a name of this machine.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(LONGEST)
            .with_allowed_hosts(["localhost", "127.0.0.1", "::1"])
            .enforce_origin_validation()
            .with_cancellation_token(stop.0.clone());
        let shared = server.clone();
        let service = StreamableHttpService::new(
            move || Ok(shared.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let gate = Gate { token, calls: server.named() };
        let router = Router::new()
            .route_service(PATH, service)
            .layer(middleware::from_fn_with_state(gate, gate::pass));
        let listener = tokio::net::TcpListener::from_std(listening.listener)
            .map_err(|source| ServeError::Bind { address: listening.address, source })?;
        let stopped = stop.0.clone();
        let serving = axum::serve(listener, router)
            .with_graceful_shutdown(async move { stopped.cancelled().await });
        let ended = async { serving.await.map_err(|error| ServeError::Ended(error.into())) };
        let served = tokio::select! {
            served = ended => served,
            // A client that keeps its connection open does not keep the server.
            () = async { stop.0.cancelled().await; server.settle(PATIENCE).await; } => Ok(()),
        };
        server.settle(PATIENCE).await;
        served
    });
    runtime.shutdown_background();
    served
}

fn runtime() -> Result<Runtime, ServeError> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(ServeError::Runtime)
}

impl FromStr for LoopbackAddress {
    type Err = ServeError;

    fn from_str(text: &str) -> Result<Self, ServeError> {
        let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let port = |text: &str| text.parse::<u16>().ok().map(|it| SocketAddr::new(local, it));
        let named = || port(text.strip_prefix("localhost:")?);
        let unnamed = || port(text.strip_prefix(':').unwrap_or(text));
        let address = text.parse::<SocketAddr>().ok().or_else(named).or_else(unnamed);
        match address {
            Some(address) if address.ip().is_loopback() => Ok(Self(address)),
            Some(address) => Err(ServeError::NotLoopback { address }),
            None => Err(ServeError::NoAddress { text: shorten(text) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let actual = text.parse::<LoopbackAddress>().map(|it| it.0.to_string());
        let actual = actual.map_err(|it| it.to_string());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(actual, expected, "{text:?}");
    }

    #[test]
    fn only_an_address_of_this_machine_is_taken() {
        check("127.0.0.1:8765", Ok("127.0.0.1:8765"));
        check("[::1]:8765", Ok("[::1]:8765"));
        check("localhost:8765", Ok("127.0.0.1:8765"));
        check("8765", Ok("127.0.0.1:8765"));
        check(":0", Ok("127.0.0.1:0"));
        let refused = "`0.0.0.0:80` can be reached from other machines";
        check("0.0.0.0:80", Err(refused));
        check("[::]:80", Err("`[::]:80` can be reached from other machines"));
        check("192.168.1.2:80", Err("`192.168.1.2:80` can be reached from other machines"));
        check(
            "example.com:80",
            Err("invalid address \"example.com:80\": expected an address with a port"),
        );
        check("", Err("invalid address \"\": expected an address with a port"));
        check("99999", Err("invalid address \"99999\": expected an address with a port"));
    }
}
