//! What a client hears of a call while it runs, and which of its commands failed.

use std::sync::{Arc, Mutex, PoisonError};

use provost_engine::{
    Interrupt,
    task::{Progress, ProofCommand, ProofTree, Update},
};
use provost_kernel::{Lang, shorten_to};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How much of a command line a client is shown.
const SHOWN: usize = 120;

/// Watches one call, and can end it.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) interrupt: Arc<Interrupt>,
    lang: Lang,
    /// Where the steps go; none for a client that did not ask.
    steps: Option<UnboundedSender<String>>,
    failed: Mutex<Vec<FailedCommand>>,
}

/// A command that did not exit with 0 on what was delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedCommand {
    pub(crate) number: u16,
    pub(crate) line: String,
    /// None where it did not run to its end.
    pub(crate) rc: Option<i32>,
}

impl Watch {
    /// Nobody asked to hear of it.
    pub(crate) fn silent(interrupt: Arc<Interrupt>, lang: Lang) -> Self {
        Self { interrupt, lang, steps: None, failed: Mutex::default() }
    }

    /// The steps of the call can be read from the other end.
    pub(crate) fn told(interrupt: Arc<Interrupt>, lang: Lang) -> (Self, UnboundedReceiver<String>) {
        let (sender, steps) = unbounded_channel();
        (Self { steps: Some(sender), ..Self::silent(interrupt, lang) }, steps)
    }

    /// The commands that failed, in their order.
    pub(crate) fn failed(&self) -> Vec<FailedCommand> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn begin(&self, command: &ProofCommand<'_>) {
        let Some(steps) = &self.steps else { return };
        let (line, lang) = (shorten_to(command.line, SHOWN), self.lang);
        let text = match command.on {
            ProofTree::Delivered => {
                lang.pick(format!("running `{line}`"), format!("正在运行 `{line}`"))
            }
            ProofTree::Base => lang
                .pick(format!("running `{line}` on the base"), format!("正在基线上运行 `{line}`")),
        };
        // A client that no longer listens has given the call up.
        let _ = steps.send(text);
    }

    fn end(&self, command: &ProofCommand<'_>, rc: Option<i32>) {
        match (command.on, rc) {
            // What fails on the base is what a proof should show.
            (ProofTree::Base, _) | (_, Some(0)) => {}
            (ProofTree::Delivered, rc) => {
                let (number, line) = (command.number, command.line.to_owned());
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.push(FailedCommand { number, line, rc });
            }
        }
    }
}

impl Progress for Watch {
    fn update(&self, update: &Update<'_>) {
        match update {
            Update::CommandStarted { command } => self.begin(command),
            Update::CommandEnded { command, rc } => self.end(command, *rc),
            Update::Created { .. }
            | Update::AttemptStarted { .. }
            | Update::StepStarted { .. }
            | Update::StepFinished { .. }
            | Update::Checkpoint(_)
            | Update::Checked(_)
            | Update::Agent(_)
            | Update::Printed(_)
            | Update::Waiting { .. }
            | Update::Decided { .. }
            | Update::Continued { .. }
            | Update::SessionDropped(_)
            | Update::Merged { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(number: u16, on: ProofTree) -> ProofCommand<'static> {
        ProofCommand { number, line: "make check", on }
    }

    #[test]
    fn a_failure_on_the_base_is_not_one_of_the_delivered_tree() {
        let (watch, mut steps) = Watch::told(Arc::default(), Lang::En);
        for (number, on, rc) in [
            (1, ProofTree::Delivered, Some(0)),
            (2, ProofTree::Delivered, Some(2)),
            (3, ProofTree::Base, Some(2)),
            (4, ProofTree::Delivered, None),
        ] {
            let command = &command(number, on);
            watch.update(&Update::CommandStarted { command });
            watch.update(&Update::CommandEnded { command, rc });
        }
        let failed: Vec<_> = watch.failed().into_iter().map(|it| (it.number, it.rc)).collect();
        assert_eq!(failed, [(2, Some(2)), (4, None)]);
        assert_eq!(steps.try_recv().unwrap(), "running `make check`");
        let texts: Vec<String> = std::iter::from_fn(|| steps.try_recv().ok()).collect();
        assert_eq!(texts[1], "running `make check` on the base");
        assert_eq!(texts.len(), 3);
    }
}
