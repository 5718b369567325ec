//! A server on loopback whose handler decides what happens on the wire, faults included, and the
//! few lines of a client that the rigs need for themselves.

mod client;
mod message;

use std::{
    collections::BTreeMap,
    io::{BufReader, Read as _, Write as _},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

pub use self::{
    client::{Response, get, post},
    message::{Reply, Request},
};

/// Locks also after a panic elsewhere: the panic of a test is reported by itself.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time between two bytes that drip.
const DRIP: Duration = Duration::from_millis(5);

type Handler = dyn Fn(Request) -> Reply + Send + Sync;

/// A server with one thread per connection; its port closes and its connections end when it is
/// dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    handler: Box<Handler>,
    connections: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    is_over: bool,
    next: u64,
    open: BTreeMap<u64, TcpStream>,
}

impl Server {
    /// Listens on a free port of loopback.
    pub fn start(handler: impl Fn(Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), handler)
    }

    /// Listens on this address, such as that of a server that was dropped.
    #[expect(clippy::expect_used, reason = "a test without its server cannot go on")]
    pub fn start_at(
        address: SocketAddr,
        handler: impl Fn(Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).expect("a port on loopback");
        let address = listener.local_addr().expect("an address");
        let connections = Mutex::default();
        let shared = Arc::new(Shared { handler: Box::new(handler), connections });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || of_thread.listen(&listener));
        Self { address, shared, thread: Some(thread) }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address without a path and without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        {
            let mut connections = lock(&self.shared.connections);
            connections.is_over = true;
            for stream in connections.open.values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        // A connection wakes the thread that accepts them.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    fn listen(&self, listener: &TcpListener) {
        std::thread::scope(|scope| {
            for stream in listener.incoming().flatten() {
                let Some(number) = self.open(&stream) else { return };
                scope.spawn(move || {
                    self.serve(&stream);
                    lock(&self.connections).open.remove(&number);
                });
            }
        });
    }

    /// Notes a connection, so that it can be ended; nothing when the server is ending itself.
    fn open(&self, stream: &TcpStream) -> Option<u64> {
        let _ = stream.set_nodelay(true);
        let copy = stream.try_clone().ok()?;
        let mut connections = lock(&self.connections);
        if connections.is_over {
            return None;
        }
        connections.next += 1;
        let number = connections.next;
        connections.open.insert(number, copy);
        Some(number)
    }

    /// Serves one connection until it ends.
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = Request::read(&mut reader) {
            if !send(stream, (self.handler)(request)) {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Sends a reply; says whether the connection stays open.
fn send(mut stream: &TcpStream, reply: Reply) -> bool {
    match reply {
        Reply::Whole { .. } => stream.write_all(&reply.bytes()).is_ok(),
        Reply::Cut => false,
        Reply::CutInBody { .. } => {
            let _ = stream.write_all(&reply.bytes());
            false
        }
        Reply::Hang | Reply::HangInBody { .. } => {
            let _ = stream.write_all(&reply.bytes());
            // Returns when the client leaves or the server is dropped.
            while stream.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {}
            false
        }
        Reply::Drip { .. } => reply.bytes().iter().all(|it| stream.write_all(&[*it]).is_ok()),
        Reply::DripForever => {
            let _ = stream.write_all(&reply.bytes());
            let _ = stream.set_read_timeout(Some(DRIP));
            // A read that runs into its time is a client that still listens.
            while stream.read(&mut [0; 1024]).is_err() && stream.write_all(b" ").is_ok() {}
            false
        }
    }
}

/// What came in, in order, for assertions that wait instead of sleeping.
#[derive(Debug)]
pub(crate) struct Record<T> {
    entries: Mutex<Vec<T>>,
    grew: Condvar,
}

impl<T> Default for Record<T> {
    fn default() -> Self {
        Self { entries: Mutex::default(), grew: Condvar::new() }
    }
}

impl<T: Clone + std::fmt::Debug> Record<T> {
    pub(crate) fn push(&self, entry: T) {
        lock(&self.entries).push(entry);
        self.grew.notify_all();
    }

    pub(crate) fn all(&self) -> Vec<T> {
        lock(&self.entries).clone()
    }

    /// Waits until the entries are as wanted, and returns them.
    ///
    /// # Panics
    /// When they are not after this time; the message lists them.
    #[track_caller]
    pub(crate) fn wait_for(&self, is_enough: impl Fn(&[T]) -> bool, timeout: Duration) -> Vec<T> {
        let end = Instant::now() + timeout;
        let mut entries = lock(&self.entries);
        while !is_enough(&entries) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "not what was waited for after {timeout:?}, but {} entries: {entries:#?}",
                entries.len(),
            );
            let waited = self.grew.wait_timeout(entries, left);
            entries = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        entries.clone()
    }
}
