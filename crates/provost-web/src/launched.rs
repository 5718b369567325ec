//! Requests that started a process and placed no order of their own: each starts one, once.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use provost_kernel::RequestId;

/// So many are remembered; then it begins anew. What was started before that says so itself: a task
/// runs once at a time, and a result lands once.
const MOST: usize = 4096;

#[derive(Default)]
pub(crate) struct Launched(Mutex<BTreeMap<RequestId, String>>);

/// What is known of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    New,
    Same,
    Other,
}

impl Launched {
    /// Remembers a request, and says whether it came before.
    pub(crate) fn take(&self, request_id: &RequestId, body: &str) -> Known {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(request_id) {
            Some(known) if known == body => return Known::Same,
            Some(_) => return Known::Other,
            None => {}
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(request_id.clone(), body.to_owned());
        Known::New
    }

    /// Forgets a request that started nothing: it may come again.
    pub(crate) fn forget(&self, request_id: &RequestId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(request_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOOP-U5.
    #[test]
    fn a_request_starts_one_process() {
        let launched = Launched::default();
        let id: RequestId = "r-1".parse().unwrap();
        assert_eq!(launched.take(&id, "land t1"), Known::New);
        assert_eq!(launched.take(&id, "land t1"), Known::Same);
        assert_eq!(launched.take(&id, "land t2"), Known::Other);
        launched.forget(&id);
        assert_eq!(launched.take(&id, "land t2"), Known::New);
    }
}
