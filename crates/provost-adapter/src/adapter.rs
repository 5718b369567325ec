//! What every adapter owes, and what it is given.

use std::{collections::BTreeMap, fmt::Debug, path::Path, time::Duration};

use provost_exec::{Check, Guardian, Redact, Streams, sandbox::Sandbox};

use crate::{
    call_result::CallResult,
    cancel::Cancel,
    error::AdapterError,
    exchange::{Exchange, ExchangeFile},
    preset::{activity::Activity, session::Resumed},
    request::Request,
};

/// Something that turns a request into a reply: an agent, a judge, or a model.
///
/// An implementation must be cancel-safe: when [`Cancel`] asks for the end, or the calling thread
/// unwinds, the work stops and leaves no process behind. It must not repeat an attempt; the engine
/// decides that. It must not read the clock; the deadline is in the request. It must take the
/// answer from one place that only the agent itself can fill: its reply file, or, without the
/// protocol, the report that its program prints.
pub trait Adapter: Debug + Send + Sync {
    /// A short, stable name for logs and for `provost.toml`.
    fn name(&self) -> &str;

    /// What the caller must put into the exchange folder before the call.
    fn files(&self, request: &Request, exchange: &Exchange) -> Vec<ExchangeFile> {
        let _ = (request, exchange);
        Vec::new()
    }

    /// Carries out one request, and returns when nothing of it is left.
    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError>;
}

/// Told what an agent does while it works, from another thread.
pub type Seen<'a> = dyn Fn(&Activity) + Sync + 'a;

/// One request, and where it is carried out.
pub struct Call<'a> {
    pub request: &'a Request,
    pub exchange: &'a Exchange,
    pub workplace: Workplace<'a>,
    pub cancel: &'a Cancel,
    /// Who watches.
    pub seen: &'a Seen<'a>,
    /// The session that the agent goes on in, where it can.
    pub resumed: Option<Resumed<'a>>,
}

impl Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("request", &self.request)
            .field("workplace", &self.workplace)
            .finish_non_exhaustive()
    }
}

/// Where and how a program runs. An adapter without a program leaves it alone.
pub struct Workplace<'a> {
    /// Where a program starts, an absolute path: a coder's work tree, a judge's evidence.
    pub tree: &'a Path,
    pub guardian: &'a Guardian,
    /// Where the program's output goes.
    pub streams: Streams,
    /// The environment, without what the adapter itself adds.
    pub env: BTreeMap<String, String>,
    pub sandbox: Option<Sandbox>,
    pub grace: Duration,
    pub output_cap: u64,
    /// The command rules (LOOP-A3).
    pub check: &'a Check<'a>,
    pub redact: &'a Redact<'a>,
}

impl Debug for Workplace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment may hold keys.
        f.debug_struct("Workplace")
            .field("tree", &self.tree)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}
