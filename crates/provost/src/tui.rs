//! `provost tui`: the list and the inbox in a terminal, live.

use std::{
    io::{self, IsTerminal as _},
    sync::{Arc, atomic::AtomicUsize},
};

use provost_desk::PortError;
use provost_kernel::{Exit, Message, Source, TaskId};
use provost_tui::{Coordinate, DeskSource, Ended, LandRequest, Look, Marks, Settings, run};
use provost_vault::{RealDisk, SystemClock, audit::verify, prepare_home};
use provost_web::{Landing, Launch};

use crate::{
    environment::{self, Environment},
    serve::launch::Port,
    session::{AnyFault, Run, Session},
    story::person,
    task::detach::Guarded,
    wiring::{actor, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost tui\n  provost tui --ascii\n\nKeys: j k or the arrows move, Enter opens, u goes back, a approves, x rejects, r answers, p pauses\nor goes on, l lands, o lists all orders, d shows the change, L the log, / filters, ? lists the keys,\nq quits. An order is asked for once more, with its attempt and its commit. Where an agent runs, no\norders are taken."
)]
pub(crate) struct Args {
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// Why the dashboard is not shown.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "tui.no_terminal",
    en = "`provost tui` needs a terminal",
    zh = "`provost tui` 需要终端",
    hint(
        en = "`provost ls` lists the tasks, `provost inbox` what waits for you",
        zh = "`provost ls` 列出任务，`provost inbox` 列出等你处理的事项"
    )
)]
struct NoTerminal;

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(NoTerminal.into());
        }
        let desk = desk(session)?;
        prepare_home(&RealDisk, desk.layout())?;
        let layout = desk.layout().clone();
        let source = DeskSource {
            desk,
            lang: session.output.lang,
            actor: actor(),
            // What an agent started gives no orders (ruling 70).
            refusal: person(session).err().map(|it| it.0.text()),
            chain: Box::new(move || verify(&RealDisk, &layout).ok().map(|it| it.is_intact())),
            coordinator: Box::new(Port::new(session, Guarded::Tested, Source::Cli)),
        };
        let marks = if self.ascii { Marks::Ascii } else { marks(&session.environment) };
        let settings = Settings {
            lang: session.output.lang,
            look: Look { marks, has_colours: session.output.screen().has_colours },
            project: environment::current_folder()?.file_name().unwrap_or_default().to_owned(),
            clock: Arc::new(SystemClock),
            signal: Arc::new(AtomicUsize::new(0)),
        };
        environment::on_signal(&settings.signal, |_| {})?;
        match run(&settings, source)? {
            Ended::Left => Ok(Exit::Success),
            Ended::Signal(number) => {
                // The terminal is restored; the parent process sees the signal.
                environment::end_by(number);
                Ok(Exit::Unable)
            }
        }
    }
}

/// Starts what the page of `provost serve` would start.
impl Coordinate for Port {
    fn run(&self, task: &TaskId) -> Result<(), PortError> {
        Launch::run(self, task)
    }

    fn land(&self, task: &TaskId, request: &LandRequest) -> Result<(), PortError> {
        let landing = match request {
            LandRequest::Onto { branch } => Landing::Onto { branch: branch.clone(), method: None },
            LandRequest::Undo => Landing::Undo,
        };
        Launch::land(self, task, &landing)
    }
}

/// Which characters the terminal shows, as the locale says.
fn marks(environment: &Environment) -> Marks {
    let variable = |name: &str| environment.text(name).ok().flatten();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    let is_unicode = locale.contains("utf-8") || locale.contains("utf8");
    if is_unicode && variable("TERM") != Some("dumb") { Marks::Unicode } else { Marks::Ascii }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_chooses_the_characters() {
        for (variables, expected) in [
            (&[("LANG", "en_GB.UTF-8")][..], Marks::Unicode),
            (&[("LANG", "zh_CN.utf8")], Marks::Unicode),
            (&[("LANG", "C.UTF-8"), ("LC_ALL", "C")], Marks::Ascii),
            (&[("LANG", "C"), ("LC_CTYPE", "C.UTF-8")], Marks::Unicode),
            (&[("LANG", "C.UTF-8"), ("TERM", "dumb")], Marks::Ascii),
            (&[], Marks::Ascii),
        ] {
            assert_eq!(marks(&Environment::of(variables)), expected, "{variables:?}");
        }
    }
}
