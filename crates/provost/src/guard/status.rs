//! `provost guard status`: where the guard is installed, and whether it would work now.

use provost_engine::guard::{
    mode::list,
    policy::look,
    test::{changed, proofs, targets, worth_now},
};
use provost_kernel::{
    Digest, Exit, Message as _, RecordFile, Text, Timestamp,
    guard::{CompiledPolicy, Harness, Mode, Scope},
};
use provost_rules_guard::{compiled, install::proof::Worth};
use provost_vault::{
    Layout, Location, RealDisk, Stored, SystemClock,
    audit::{Problem, check_absent, verify},
    read_record,
};
use serde::Serialize;

use super::{log::recorded_in, setup::Place};
use crate::{
    environment,
    hook::ground::of_user,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost guard status --json\n\nStarts nothing and writes nothing. Exits with 0 if the guard is installed in a client, its entries are\nunchanged, its policy can be read and its audit chain is intact; with 1 otherwise."
)]
pub(super) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    ok: bool,
    clients: Vec<Installed>,
    /// Where a call that starts here is recorded.
    home: String,
    policy: PolicyState,
    chain: ChainState,
    modes: Vec<Mode>,
}

/// One installation.
#[derive(Debug, Serialize)]
struct Installed {
    client: Harness,
    scope: Scope,
    /// The home that its command line names; none where each call finds its own.
    home: Option<String>,
    /// What was changed since it was installed.
    changed: Vec<Text>,
    test: &'static str,
    tested_at: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
struct PolicyState {
    path: String,
    /// `current`, `stale`, `absent` or `unreadable`.
    state: &'static str,
    digest: Option<Digest>,
    rules: usize,
}

#[derive(Debug, Serialize)]
struct ChainState {
    intact: bool,
    entries: u64,
    problems: Vec<Text>,
}

/// How many problems of a chain are named.
const NAMED: usize = 5;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let place = Place::new(session)?;
        let clients = clients(&place)?;
        let layout = recorded_in(session, false)?;
        let policy = policy(&at_of(session, &clients, &layout)?);
        let chain = chain(session, &clients, &layout)?;
        let modes = list(&RealDisk, &layout, &SystemClock)?;
        let modes = modes.iter().filter(|(_, it)| it.active).map(|(it, _)| *it).collect();
        let is_installed = !clients.is_empty() && clients.iter().all(|it| it.changed.is_empty());
        let ok = is_installed && chain.intact && policy.state != "unreadable";
        let home = layout.home().path().into_string();
        session.output.show(&Answer { ok, clients, home, policy, chain, modes });
        Ok(if ok { Exit::Success } else { Exit::Refused })
    }
}

/// The chain that the next call would be added to: the one of a home that was removed refuses it.
fn chain(
    session: &Session,
    clients: &[Installed],
    layout: &Layout,
) -> Result<ChainState, AnyFault> {
    let report = verify(&RealDisk, layout)?;
    let problems: Vec<Text> = report.problems.iter().take(NAMED).map(Problem::text).collect();
    let state = ChainState { intact: report.is_intact(), entries: report.entries, problems };
    if clients.iter().any(|it| it.home.is_some()) {
        return Ok(state);
    }
    let ground = of_user(&session.environment, &environment::current_folder()?)?;
    let absent = ground.user.and_then(|it| it.absent);
    match absent.map_or(Ok(()), |it| check_absent(&RealDisk, &it)) {
        Ok(()) => Ok(state),
        Err(error) => Ok(ChainState { intact: false, problems: vec![error.text()], ..state }),
    }
}

fn clients(place: &Place) -> Result<Vec<Installed>, AnyFault> {
    let proofs = proofs(place.setup())?;
    let mut clients = Vec::new();
    for (client, scope, home) in targets(place.setup())? {
        let failed = changed(place.setup(), client)?;
        let test = match worth_now(place.setup(), client)? {
            Worth::Current => "passed",
            Worth::Outdated => "outdated",
            Worth::Failed => "failed",
            Worth::Absent => "absent",
        };
        let of_scope = format!("{scope}.");
        let changed = failed.into_iter().filter(|it| it.name.starts_with(&of_scope));
        clients.push(Installed {
            client,
            scope,
            home: home.map(camino::Utf8PathBuf::into_string),
            changed: changed.map(|it| it.what).collect(),
            test,
            tested_at: proofs.tests.get(&client).map(|it| it.at),
        });
    }
    Ok(clients)
}

/// The compiled policy that a call which starts here is held against.
fn at_of(session: &Session, clients: &[Installed], layout: &Layout) -> Result<Location, AnyFault> {
    if clients.iter().any(|it| it.home.is_some()) || clients.is_empty() {
        return Ok(layout.guard_policy());
    }
    let ground = of_user(&session.environment, &environment::current_folder()?)?;
    let project = ground.user.and_then(|it| it.project);
    Ok(session.user_layout()?.guard_policy_of(project.as_deref()))
}

fn policy(at: &Location) -> PolicyState {
    let path = at.path().into_string();
    let state = |state, digest, rules| PolicyState { path: path.clone(), state, digest, rules };
    match read_record::<_, CompiledPolicy>(&RealDisk, at) {
        Ok(Stored::Absent) => state("absent", None, 0),
        Ok(Stored::Present(RecordFile { value, .. })) => {
            let is_current = compiled::is_current(&value, look);
            let digest = Digest::of_json(&value.rules).ok();
            state(if is_current { "current" } else { "stale" }, digest, value.rules.len())
        }
        Ok(Stored::Corrupt(_)) | Err(_) => state("unreadable", None, 0),
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        if self.clients.is_empty() {
            page.write("not installed in any client", "未安装在任何客户端中");
        }
        for Installed { client, scope, home, changed, test, tested_at } in &self.clients {
            let title = client.title();
            let test = match *test {
                "passed" => lang.pick("tested", "已测试"),
                "outdated" => lang.pick("changed since its test", "测试后有变化"),
                "failed" => lang.pick("test failed", "测试未通过"),
                _ => lang.pick("not tested", "尚未测试"),
            };
            let at = tested_at.map(|it| format!(" {it}")).unwrap_or_default();
            let home = match home {
                Some(home) => format!(" `{home}`"),
                None => String::new(),
            };
            page.write(
                format!("{title}: scope {scope}{home}, {test}{at}"),
                format!("{title}：范围 {scope}{home}，{test}{at}"),
            );
            for it in changed {
                page.line(&format!("  {}", lang.render(it)));
            }
        }
        let PolicyState { path, state, rules, .. } = &self.policy;
        let state = match *state {
            "current" => lang.pick("current", "最新"),
            "stale" => lang.pick("recompiled by the next hook", "由下一个钩子重新编译"),
            "absent" => lang.pick("compiled by the first hook", "由首个钩子编译"),
            _ => lang.pick("UNREADABLE, so every call is refused", "无法读取，因此拒绝所有调用"),
        };
        page.write(
            format!("policy: `{path}`, {state}, custom rules {rules}"),
            format!("策略：`{path}`，{state}，自定义规则 {rules} 条"),
        );
        let ChainState { intact, entries, problems } = &self.chain;
        let word = if *intact {
            lang.pick("intact", "完好")
        } else {
            lang.pick("BROKEN, so every call is refused", "已损坏，因此拒绝所有调用")
        };
        let home = &self.home;
        page.write(
            format!("audit chain of `{home}`: {word}, entries {entries}"),
            format!("`{home}` 的审计链：{word}，条目 {entries}"),
        );
        for it in problems {
            page.line(&format!("  {}", lang.render(it)));
        }
        let modes: Vec<String> = self.modes.iter().map(ToString::to_string).collect();
        if !modes.is_empty() {
            let modes = modes.join(", ");
            page.write(format!("modes: {modes}"), format!("模式：{modes}"));
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        if self.clients.is_empty() {
            page.message(
                "hint: `provost guard install --client claude`",
                "提示：`provost guard install --client claude`",
            );
        } else if !self.chain.intact {
            page.message("hint: `provost audit verify`", "提示：`provost audit verify`");
        } else if let Some(it) = self.clients.iter().find(|it| !it.changed.is_empty()) {
            let client = it.client;
            page.message(
                format!("hint: `provost guard install --client {client}`"),
                format!("提示：`provost guard install --client {client}`"),
            );
        }
    }
}
