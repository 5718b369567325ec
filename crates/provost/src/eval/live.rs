//! How far an eval is: the case that was measured last.

use provost_engine::eval::Watcher;
use provost_kernel::{Lang, eval::CaseStatus};

use crate::{
    live::{LiveLine, Weight},
    output::plain,
};

/// Shows each case on standard error, if that is a terminal.
#[derive(Debug)]
pub(super) struct Live(LiveLine);

impl Live {
    pub(super) fn new(lang: Lang, is_quiet: bool) -> Self {
        Self(LiveLine::new(lang, is_quiet))
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.0.clear();
    }
}

impl Watcher for Live {
    fn measured(&self, done: usize, total: usize, last: &str, status: CaseStatus) {
        let weight = if done < total { Weight::Passing } else { Weight::Last };
        self.0.show(weight, |seconds| {
            let id = plain(last);
            self.0.lang.pick(
                format!("{done} of {total} cases, {seconds} s  {id} {status}"),
                format!("{done}/{total} 个用例，{seconds} 秒  {id} {status}"),
            )
        });
    }
}
