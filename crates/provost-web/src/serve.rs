//! Connections: taken, limited, and ended together.

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Builder,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    App, Connection, Listening, ServeError,
    connections::{Connections, Place},
    watching,
};

/// The longest header of a request.
const HEADER: usize = 16 << 10;
/// For so long a client may take to send a request, and an open connection may be silent.
pub(crate) const TO_SEND: Duration = Duration::from_secs(10);
/// Connections at once: the streams, and some for everything else.
const CONNECTIONS: usize = 512;
/// As many requests are worked on at a time.
const THREADS: usize = 32;
/// For so long answers may go on when the server ends.
const PATIENCE: Duration = Duration::from_millis(1_200);

/// A means to end the server from outside, such as from a signal.
#[derive(Clone, Debug, Default)]
pub struct Stop(pub(crate) CancellationToken);

impl Stop {
    /// Ends the server: streams end, what is being answered is answered.
    pub fn now(&self) {
        self.0.cancel();
    }
}

/// Serves until it is stopped.
pub fn serve(app: App, listening: Listening, stop: &Stop) -> Result<(), ServeError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(ServeError::Runtime)?;
    let app = Arc::new(app.at(&listening, stop));
    watching::watch(&app);
    let served = runtime.block_on(accept(app, listening, stop));
    runtime.shutdown_background();
    served
}

async fn accept(app: Arc<App>, listening: Listening, stop: &Stop) -> Result<(), ServeError> {
    let Listening { listener, address, .. } = listening;
    let listener =
        TcpListener::from_std(listener).map_err(|source| ServeError::Bind { address, source })?;
    let mut connections = JoinSet::new();
    let mut places = Connections::new(CONNECTIONS);
    loop {
        tokio::select! {
            biased;
            () = stop.0.cancelled() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                // One connection too many is closed at once.
                Ok(accepted) => if let Some(place) = places.admit() {
                    let app = Arc::clone(&app);
                    connections.spawn(connection(app, accepted, place, stop.clone()));
                },
                // Such as too many open files: what is open ends by itself.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }
    drop(listener);
    let _ = timeout(PATIENCE, async { while connections.join_next().await.is_some() {} }).await;
    connections.abort_all();
    Ok(())
}

async fn connection(app: Arc<App>, from: (TcpStream, SocketAddr), place: Arc<Place>, stop: Stop) {
    let (socket, theirs) = from;
    let Ok(ours) = socket.local_addr() else { return };
    let ends = Connection { theirs, ours };
    // An answer is written at once; waiting for more of it would only delay it.
    let _ = socket.set_nodelay(true);
    let end = place.end.clone();
    let service = service_fn(move |request| {
        let (app, place) = (Arc::clone(&app), Arc::clone(&place));
        async move { Ok::<_, Infallible>(app.answer(request, ends, &place).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TO_SEND)
        .max_buf_size(HEADER)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = pin!(connection);
    tokio::select! {
        // A client that went away is not an error.
        _ = connection.as_mut() => {}
        // Another connection needs the place.
        () = end.cancelled() => {}
        () = stop.0.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
