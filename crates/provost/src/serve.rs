//! `provost serve`: the page and its API.

mod adapters;
pub(crate) mod launch;
mod ports;

use std::sync::{Arc, atomic::AtomicUsize};

use provost_desk::notify::SenderRank;
use provost_kernel::{Exit, Source, Text};
use provost_vault::{RealDisk, prepare_home};
use provost_web::{Address, App, Listening, Setup, Stop, serve};
use serde::Serialize;

use self::{launch::Port, ports::ports};
use crate::{
    environment,
    notify::Companion,
    session::{AnyFault, Run, Session},
    story::person,
    task::detach::Guarded,
    view::{Page, View},
    wiring::{actor, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost serve\n  provost serve --read-only\n  provost serve --listen 127.0.0.1:0\n\nOpen the printed address: what follows `#token=` lets you in, and reaches no server and no log.\nIt listens on this machine alone, on port 17333 or, if that is taken, on a free one, until it is\ninterrupted; then it ends with 0. Where an agent runs, it is read-only."
)]
pub(crate) struct Args {
    /// Listen on this address; port 0 takes one that is free
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Let other machines reach it; the connection is not encrypted
    #[arg(long, requires = "listen")]
    allow_remote: bool,
    /// Show everything, and take no orders
    #[arg(long)]
    read_only: bool,
    /// Let tasks run although the guard has not been tested
    #[arg(long)]
    unguarded: bool,
}

/// Where the page is.
#[derive(Serialize)]
struct Answer {
    /// With the token, for a browser.
    url: String,
    read_only: bool,
    #[serde(skip)]
    is_elsewhere: bool,
    /// Why it takes no orders, where that was not asked for.
    #[serde(skip)]
    why: Option<Text>,
    /// Why nothing can be started from the page, and what to do about it.
    #[serde(skip)]
    unproven: Option<(Text, Vec<Text>)>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let listening = match &self.listen {
            None => Listening::usual()?,
            Some(text) => {
                let address: Address = text.parse()?;
                let address = if self.allow_remote { address } else { address.loopback()? };
                Listening::at(address)?
            }
        };
        // What an agent started gives no orders (ruling 70).
        let refused = person(session).err().map(|it| it.0.text());
        let desk = desk(session)?;
        prepare_home(&RealDisk, desk.layout())?;
        let variable = session.environment.text("ALLOW_PARTIAL_RUN")?;
        let setup = Setup {
            person: actor().id,
            project: environment::current_folder()?.file_name().unwrap_or_default().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lang: session.output.lang,
            is_read_only: self.read_only || refused.is_some(),
            allow_partial_run: variable == Some("true"),
        };
        let guarded = if self.unguarded { Guarded::Waived } else { Guarded::Tested };
        let unproven = guarded.check_any(session).err().filter(|_| !setup.is_read_only);
        let unproven = unproven.map(|it| (it.0.text(), it.0.hints()));
        let launch = Box::new(Port::new(session, guarded, Source::Web));
        let app = App::new(desk, launch, ports(session)?, setup.clone())?;
        let stop = Stop::default();
        let stopper = stop.clone();
        environment::on_signal(&Arc::new(AtomicUsize::new(0)), move |_| stopper.now())?;
        session.output.show(&Answer {
            url: format!("{}#token={}", listening.url(), app.token()),
            read_only: setup.is_read_only,
            is_elsewhere: listening.is_elsewhere,
            why: refused,
            unproven,
        });
        // It ends with the server.
        let _companion = Companion::start(session, SenderRank::Server)?;
        serve(app, listening, &stop)?;
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        page.line(&self.url);
    }

    fn notes(&self, page: &mut Page<'_>) {
        if self.is_elsewhere {
            page.message(
                "port 17333 is taken, so another one is used",
                "端口 17333 已被占用，因此改用其他端口",
            );
        }
        if let Some(why) = &self.why {
            let why = page.lang.render(why);
            page.message(format!("read-only: {why}"), format!("只读：{why}"));
        } else if self.read_only {
            page.message("read-only: no orders are taken", "只读：不接受指令");
        }
        if let Some((why, hints)) = &self.unproven {
            let (lang, why) = (page.lang, page.lang.render(why));
            page.warning(lang.pick(
                format!("the page cannot start tasks: {why}"),
                format!("网页无法启动任务：{why}"),
            ));
            for hint in hints {
                page.hint(lang.render(hint));
            }
        }
    }
}
