//! `provost mcp`: the tools of stories, for agents that speak MCP.
//!
//! Over standard input and output nothing is printed but the protocol. The runtime that the server
//! needs is started here and nowhere else.

use std::sync::{Arc, atomic::AtomicUsize};

use camino::{Utf8Path, Utf8PathBuf};
use provost_desk::story::StoryCache;
use provost_engine::{
    Desk, Engine, Interrupt,
    story::{Freshness, StoryError},
    task::Progress,
};
use provost_exec::git::GitError;
use provost_kernel::{Actor, Exit, Lang, Message};
use provost_mcp::{
    Host, HostError, Listening, LoopbackAddress, Offer, Place, PlanFile, Reply, Server, Stop,
    Token, http, stdio,
};
use provost_vault::{RealDisk, mcp_token};
use serde::Serialize;

use crate::{
    cli::Flags,
    doctor,
    environment::{self, Environment},
    home,
    input::Source,
    output::Output,
    session::{AnyFault, Run, Session},
    story,
    view::{Page, View},
    wiring::{self, Wiring},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost mcp\n  claude mcp add provost -- provost mcp\n  provost mcp --http 127.0.0.1:8765\n\nOver standard input and output the server ends when the client closes its end. Over HTTP it listens\non this machine alone, at the path `/mcp`, until it is interrupted; port 0 takes one that is free.\nClients send `Authorization: Bearer TOKEN`: the token is in `.provost/keys/mcp-token`, or in the\nvariable `PROVOST_MCP_TOKEN`.\nBoth end with 0. An address that others could reach is refused with 2."
)]
pub(crate) struct Args {
    /// Listen on this address instead of standard input
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,
    /// Offer the operator tools too: stop, retry, claim, doctor
    #[arg(long)]
    operator: bool,
}

/// A plan that does not lie in the repository it is for.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "mcp.outside_plan",
    en = "plan `{path}` is not in `{project}`",
    zh = "计划 `{path}` 不在 `{project}` 中",
    hint(
        en = "a person can start it with `provost story start`",
        zh = "可由人使用 `provost story start` 启动",
    ),
    exit = Refused
)]
struct OutsidePlan {
    path: Utf8PathBuf,
    project: Utf8PathBuf,
}

/// A repository that is not the one in which the server was started.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "mcp.other_repository",
    en = "`{project}` is not the repository in which this server was started",
    zh = "`{project}` 不是启动此服务的仓库",
    hint(
        en = "start a server there, or let a person use `provost story start`",
        zh = "请在那里启动服务，或由人使用 `provost story start`",
    ),
    exit = Refused
)]
struct OtherRepository {
    project: Utf8PathBuf,
}

/// A token that is not fit to be one.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "mcp.token",
    en = "`PROVOST_MCP_TOKEN` is not a token: expected at least {least} visible ASCII characters",
    zh = "`PROVOST_MCP_TOKEN` 不是令牌：至少需要 {least} 个可见 ASCII 字符",
    hint(
        en = "unset it: provost then makes a token of its own",
        zh = "请取消该变量：provost 会自行生成令牌",
    )
)]
struct UnfitToken {
    least: usize,
}

/// Where the server listens.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    url: String,
    /// The file with the token; none where a variable holds it.
    token_file: Option<Utf8PathBuf>,
    #[serde(skip)]
    is_operator: bool,
}

/// What the tools are given: a session of its own for each call, so that each sees the
/// configuration as it is.
struct SessionHost {
    environment: Environment,
    flags: Flags,
    lang: Lang,
    /// What was read of the stories so far.
    stories: StoryCache,
    freshness: Freshness,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let address: Option<LoopbackAddress> = self.http.as_deref().map(str::parse).transpose()?;
        // A home that cannot be used is said to the person who starts the server.
        story::desk(session)?;
        let host = SessionHost {
            environment: session.environment.clone(),
            flags: session.flags.clone(),
            lang: session.output.lang,
            stories: StoryCache::default(),
            freshness: story::freshness(session)?,
        };
        let offer = if self.operator { Offer::Operator } else { Offer::Agent };
        let server = Server::new(Arc::new(host), offer);
        let stop = Stop::default();
        let stopper = stop.clone();
        environment::on_signal(&Arc::new(AtomicUsize::new(0)), move |_| stopper.now())?;
        match address {
            None => stdio(&server, &stop)?,
            Some(address) => {
                let (token, token_file) = token(session)?;
                let listening = Listening::at(address)?;
                let (url, is_operator) = (listening.url(), self.operator);
                session.output.show(&Address { url, token_file, is_operator });
                http(&server, listening, token, &stop)?;
            }
        }
        Ok(Exit::Success)
    }
}

/// The token of this server, and the file that holds it.
fn token(session: &mut Session) -> Result<(Token, Option<Utf8PathBuf>), AnyFault> {
    let unfit = || UnfitToken { least: Token::SHORTEST };
    if let Some(text) = session.environment.text("PROVOST_MCP_TOKEN")? {
        return Ok((Token::new(text).ok_or_else(unfit)?, None));
    }
    let kept = mcp_token(&RealDisk, &session.layout()?)?;
    Ok((Token::new(&kept.text).ok_or_else(unfit)?, Some(kept.at.path())))
}

impl View for Address {
    fn page(&self, page: &mut Page<'_>) {
        let url = &self.url;
        page.message(format!("listening on {url}"), format!("正在监听 {url}"));
        let place = match &self.token_file {
            Some(path) => format!("`{path}`"),
            None => "`PROVOST_MCP_TOKEN`".to_owned(),
        };
        page.message(
            format!("clients send `Authorization: Bearer TOKEN`; the token is in {place}"),
            format!("客户端须发送 `Authorization: Bearer TOKEN`；令牌位于 {place}"),
        );
    }

    fn notes(&self, page: &mut Page<'_>) {
        if self.is_operator {
            page.message(
                "every program with the token can now use the operator tools",
                "现在持有令牌的任何程序都可以使用操作员工具",
            );
        }
    }
}

impl SessionHost {
    fn session(&self) -> Session {
        let mut output = Output::new(self.lang);
        output.configure(&self.flags);
        Session::new(self.environment.clone(), self.flags.clone(), output)
    }

    fn read_plan(path: &str, folder: Option<&str>) -> Result<PlanFile, AnyFault> {
        let folder = match folder {
            Some(folder) => Utf8PathBuf::from(folder),
            None => environment::current_folder()?,
        };
        let no_repository = || GitError::NotARepository { path: folder.clone().into() };
        let folder = folder.canonicalize_utf8().map_err(|_| no_repository())?;
        let project = home::git_root(&folder).ok_or_else(no_repository)?;
        // The server serves the repository that it was started in, and may read more than the
        // agent's own sandbox shows to it.
        let here = environment::current_folder()?.canonicalize_utf8().ok();
        let here = here.and_then(|it| home::git_root(&it));
        let common = |root: &Utf8Path| home::git_common(root);
        if here.as_deref().and_then(common).is_none_or(|it| common(&project) != Some(it)) {
            return Err(OtherRepository { project }.into());
        }
        let named = folder.join(path);
        // What is not there is reported by its reader.
        let path = named.canonicalize_utf8().unwrap_or(named);
        if !path.starts_with(&project) {
            return Err(OutsidePlan { path, project }.into());
        }
        let bytes = Source::File(path.clone()).read()?;
        let name = path.file_name().unwrap_or("plan").to_owned();
        Ok(PlanFile { name, bytes, project })
    }
}

impl Host for SessionHost {
    fn lang(&self) -> Lang {
        self.lang
    }

    fn desk(&self) -> Result<Desk, HostError> {
        let desk = story::desk(&mut self.session()).map_err(other)?;
        Ok(desk.with_stories(self.stories.clone()))
    }

    fn actor(&self) -> Actor {
        // The record says through which door it came.
        Actor { source: provost_kernel::Source::Agent, ..wiring::actor() }
    }

    fn freshness(&self) -> &Freshness {
        &self.freshness
    }

    fn plan(&self, path: &str, folder: Option<&str>) -> Result<PlanFile, HostError> {
        Self::read_plan(path, folder).map_err(other)
    }

    fn engine(
        &self,
        place: &Place,
        interrupt: &Arc<Interrupt>,
        progress: &dyn Progress,
        work: &mut dyn FnMut(&Engine<'_>) -> Result<Reply, StoryError>,
    ) -> Result<Reply, HostError> {
        let project: &Utf8Path = &place.project;
        let wiring = Wiring::new(&mut self.session(), project.as_std_path(), &place.base);
        let mut wiring = wiring.map_err(other)?.with_interrupt(Arc::clone(interrupt));
        wiring.actor = self.actor();
        wiring.desk = wiring.desk.with_stories(self.stories.clone());
        Ok(work(&wiring.engine(progress))?)
    }

    fn doctor(&self) -> Result<Reply, HostError> {
        Ok(Reply::of(&doctor::look(&mut self.session())))
    }
}

fn other(fault: AnyFault) -> HostError {
    HostError::Other(fault.0)
}
