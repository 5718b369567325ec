//! `provost land --pr`: push the branch of a result, and open a pull or merge request for it.

use camino::Utf8Path;
use provost_desk::Desk;
use provost_engine::task::LandReport;
use provost_kernel::{AttemptNumber, Message, TaskId};
use serde::Serialize;

use crate::{
    git, own,
    session::{AnyFault, Session},
};

/// What became of a request.
#[derive(Debug, Serialize)]
pub(super) struct Requested {
    /// What the program printed last: the address of the request.
    pub(super) said: Option<String>,
    /// What opens it, where no program is installed that does.
    pub(super) command: Option<String>,
}

/// Why a request was not opened.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.land_request", exit = Refused)]
enum RequestError {
    #[message(
        en = "`{branch}` has the result, but git did not push it to `{remote}`: {said}",
        zh = "`{branch}` 已有结果，但 git 未能将其推送到 `{remote}`：{said}",
        hint(
            en = "`git push --set-upstream {remote} {branch}`, then `provost land {task} --pr` again",
            zh = "先运行 `git push --set-upstream {remote} {branch}`，再运行 `provost land {task} --pr`"
        )
    )]
    NotPushed { task: TaskId, branch: String, remote: String, said: String },
    #[message(
        en = "`{branch}` is pushed, but `{program}` did not open a request: {said}",
        zh = "`{branch}` 已推送，但 `{program}` 未能创建请求：{said}",
        hint(
            en = "`{program} auth status` says whether you are logged in",
            zh = "运行 `{program} auth status` 查看是否已登录"
        )
    )]
    NotOpened { branch: String, program: &'static str, said: String },
    #[message(
        en = "cannot open a request for `{task}`: the repository has no remote to push to; nothing was changed",
        zh = "无法为 `{task}` 创建请求：仓库没有可推送的远程；没有任何更改",
        hint(
            en = "`git remote add origin ADDRESS`, then `provost land {task} --pr` again",
            zh = "先运行 `git remote add origin 地址`，再运行 `provost land {task} --pr`"
        )
    )]
    NoRemote { task: TaskId },
}

/// A program that opens requests, and how it is told what.
struct Opener {
    program: &'static str,
    /// What the addresses have in them for which it comes first.
    host: &'static str,
    command: &'static [&'static str],
    base: &'static str,
    head: &'static str,
    body: &'static str,
}

const OPENERS: [Opener; 2] = [
    Opener {
        program: "gh",
        host: "github",
        command: &["pr", "create"],
        base: "--base",
        head: "--head",
        body: "--body",
    },
    Opener {
        program: "glab",
        host: "gitlab",
        command: &["mr", "create", "--yes"],
        base: "--target-branch",
        head: "--source-branch",
        body: "--description",
    },
];

/// Whether a request is ready to be reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Ready,
    Draft,
}

/// Where a request goes.
#[derive(Debug)]
pub(super) struct Target {
    remote: String,
    /// The branch that the result is to be merged into.
    onto: String,
}

impl Target {
    /// Looks where a request would go, before anything is changed.
    pub(super) fn find(
        session: &Session,
        repository: &Utf8Path,
        task: &TaskId,
        onto: String,
    ) -> Result<Self, AnyFault> {
        let remotes = ask(session, repository, &["remote"])?;
        let key = format!("branch.{onto}.remote");
        let remote = ask(session, repository, &["config", "--get", &key])?;
        let is_known = |it: &&str| remotes.lines().any(|known| known == *it);
        let remote = [remote.as_str(), "origin"].into_iter().find(is_known);
        let remote = remote.or_else(|| remotes.lines().next()).map(str::to_owned);
        let remote = remote.ok_or_else(|| RequestError::NoRemote { task: task.clone() })?;
        Ok(Self { remote, onto })
    }
}

/// What the person's git answers.
fn ask(session: &Session, repository: &Utf8Path, question: &[&str]) -> Result<String, AnyFault> {
    let answer = git::ask(&session.environment, repository, question)?;
    Ok(String::from_utf8_lossy(&answer.stdout).trim().to_owned())
}

/// Pushes the branch of a result, and opens a request to merge it into another one.
pub(super) fn open(
    session: &Session,
    desk: &Desk,
    repository: &Utf8Path,
    report: &LandReport,
    (target, stage): (&Target, Stage),
) -> Result<Requested, AnyFault> {
    let (task, branch) = (report.task_id.clone(), report.branch.clone());
    let Target { remote, onto } = target;
    let ask = |question: &[&str]| ask(session, repository, question);
    let refs = format!("refs/heads/{branch}:refs/heads/{branch}");
    let push = ["git", "push", "--quiet", "--set-upstream", "--", remote, &refs];
    if let Err(said) = own::run(session, repository, &push)? {
        let remote = remote.clone();
        return Err(RequestError::NotPushed { task, branch, remote, said }.into());
    }
    let address = ask(&["remote", "get-url", "--", remote])?;
    let [title, body] = description(session, desk, report, &ask)?;
    let first = |it: &&Opener| address.contains(it.host);
    let mut openers: Vec<&Opener> = OPENERS.iter().filter(first).collect();
    openers.extend(OPENERS.iter().filter(|it| !first(it)));
    let Some(opener) = openers.iter().find(|it| own::is_installed(session, it.program)) else {
        let Opener { program, command, base, head, .. } = openers[0];
        let command = format!("{program} {} {base} {onto} {head} {branch}", command.join(" "));
        return Ok(Requested { said: None, command: Some(command) });
    };
    let Opener { program, command, base, head, body: to_body, .. } = opener;
    // One word each: what begins with a dash is not taken for an option.
    let mut options = vec![
        format!("{base}={onto}"),
        format!("{head}={branch}"),
        format!("--title={title}"),
        format!("{to_body}={body}"),
    ];
    options.extend((stage == Stage::Draft).then(|| "--draft".to_owned()));
    let words = command.iter().copied().chain(options.iter().map(String::as_str));
    let argv: Vec<&str> = std::iter::once(*program).chain(words).collect();
    match own::run(session, repository, &argv)? {
        Ok(said) => Ok(Requested { said: Some(said), command: None }),
        Err(said) => Err(RequestError::NotOpened { branch, program, said }.into()),
    }
}

/// The title and the text of a request: what the commit says, and what was checked.
fn description(
    session: &Session,
    desk: &Desk,
    report: &LandReport,
    ask: &dyn Fn(&[&str]) -> Result<String, AnyFault>,
) -> Result<[String; 2], AnyFault> {
    let commit = report.commit.as_str();
    let title = ask(&["log", "-1", "--format=%s", "--end-of-options", commit])?;
    let mut body = ask(&["log", "-1", "--format=%b", "--end-of-options", commit])?;
    let lang = session.output.lang;
    let newest = desk.look(&report.task_id)?.status.value.current_attempt;
    let files = desk.files(&report.task_id);
    let decided = match AttemptNumber::try_from(newest) {
        Ok(attempt) => files.decision(attempt)?.present(),
        Err(_) => None,
    };
    let checks = decided.iter().flat_map(|it| &it.value.checks);
    let checks = checks.map(|it| {
        let (name, standing) = (&it.name, it.standing);
        format!("\n- {name}: {standing}: {}", lang.render(&it.detail))
    });
    body.extend(checks);
    Ok([title, body])
}
