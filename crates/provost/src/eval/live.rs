//! How far an eval is: the case that was measured last.

use provost_engine::eval::Watcher;
use provost_kernel::eval::CaseStatus;

use crate::{
    live::{LiveLine, Weight},
    output::plain,
};

impl Watcher for LiveLine {
    fn measured(&self, done: usize, total: usize, last: &str, status: CaseStatus) {
        let weight = if done < total { Weight::Passing } else { Weight::Last };
        self.show(weight, |seconds| {
            let id = plain(last);
            self.lang.pick(
                format!("{done} of {total} cases, {seconds} s  {id} {status}"),
                format!("{done}/{total} 个用例，{seconds} 秒  {id} {status}"),
            )
        });
    }
}
