//! Requests that start a process: which came before, and what was answered.
//!
//! An order of a task's queue is remembered by the queue. What only starts something is remembered here:
//! a request id stands for one body, for good (LOOP-U5).

use provost_kernel::{Clock, Digest, RequestId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Action, Disk, Durable, FileError, Layout, Log, read_records};

const SCHEMA: &str = "provost.request/1";

/// One line: a request that came, or what was answered to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestLine {
    pub schema: String,
    pub ts: Timestamp,
    pub request_id: RequestId,
    /// What the id stands for.
    pub body: Digest,
    /// What was answered; none until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Value>,
}

/// The requests of a home.
#[derive(Debug)]
pub struct Requests<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
}

/// Why no line was added.
enum Stopped<E> {
    Known,
    Failed(E),
}

impl<E: From<FileError>> From<FileError> for Stopped<E> {
    fn from(error: FileError) -> Self {
        Self::Failed(error.into())
    }
}

impl<'a, D: Disk> Requests<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout) -> Self {
        Self { disk, layout }
    }

    /// Remembers a request that is new, durably, with no other process between look and write; says
    /// whether it was new.
    ///
    /// `admit` sees what is known of its id, and says whether it is new. What it writes itself is there
    /// before the request is remembered.
    pub fn claim<E: From<FileError>>(
        &self,
        request_id: &RequestId,
        body: Digest,
        clock: &dyn Clock,
        admit: impl FnOnce(&[RequestLine]) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let at = self.layout.requests();
        let added = Log::open(self.disk, &at)?.append_after(Durable::Now, |_| {
            let known = self.of(request_id)?;
            if !admit(&known).map_err(Stopped::Failed)? {
                return Err(Stopped::Known);
            }
            Ok(self.line(request_id, body, None, clock)?)
        });
        match added {
            Ok(()) => Ok(true),
            Err(Stopped::Known) => Ok(false),
            Err(Stopped::Failed(error)) => Err(error),
        }
    }

    /// Remembers what was answered, durably.
    pub fn settle(
        &self,
        request_id: &RequestId,
        body: Digest,
        receipt: Value,
        clock: &dyn Clock,
    ) -> Result<(), FileError> {
        let line = self.line(request_id, body, Some(receipt), clock)?;
        Log::open(self.disk, &self.layout.requests())?.append(&line, Durable::Now)
    }

    /// What is known of a request, in order.
    pub fn of(&self, request_id: &RequestId) -> Result<Vec<RequestLine>, FileError> {
        let lines = read_records::<D, RequestLine>(self.disk, &self.layout.requests())?.records;
        Ok(lines.into_iter().filter(|it| it.request_id == *request_id).collect())
    }

    fn line(
        &self,
        request_id: &RequestId,
        body: Digest,
        receipt: Option<Value>,
        clock: &dyn Clock,
    ) -> Result<Vec<u8>, FileError> {
        let (schema, request_id) = (SCHEMA.to_owned(), request_id.clone());
        let line = RequestLine { schema, ts: clock.now(), request_id, body, receipt };
        let at = self.layout.requests();
        serde_json::to_vec(&line).map_err(|error| FileError::on(Action::Append, &at)(error.into()))
    }
}
