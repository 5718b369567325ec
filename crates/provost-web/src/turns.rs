//! One at a time: requests with the same id are looked at one after the other, others beside them.

use std::{
    collections::BTreeSet,
    sync::{Condvar, Mutex, PoisonError},
};

use provost_kernel::RequestId;

#[derive(Default)]
pub(crate) struct Turns {
    taken: Mutex<BTreeSet<RequestId>>,
    left: Condvar,
}

/// The turn of a request; the next one with its id comes when this is gone.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    request_id: RequestId,
}

impl Turns {
    /// Waits until no other request with this id is under way.
    pub(crate) fn take(&self, request_id: &RequestId) -> Turn<'_> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while !taken.insert(request_id.clone()) {
            taken = self.left.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        Turn { turns: self, request_id: request_id.clone() }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut taken = self.turns.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(&self.request_id);
        self.turns.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// LOOP-U5.
    #[test]
    fn an_id_is_under_way_once() {
        let (turns, inside) = (Turns::default(), AtomicUsize::new(0));
        let id: RequestId = "r-1".parse().unwrap();
        let _other = turns.take(&"r-2".parse().unwrap());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _turn = turns.take(&id);
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
