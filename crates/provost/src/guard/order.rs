//! What every order to the guard has in common: a person at a terminal, a reason, and a yes.

use std::time::Duration;

use camino::Utf8PathBuf;
use provost_engine::guard::orders::{Order, Orders};
use provost_kernel::{Clock as _, Exit, Lang, Message, Millis, guard::policy::PolicyRule};
use provost_rules_guard::own_rule;
use provost_vault::{ForeignFile, Layout, RealDisk, SystemClock, prepare_home};

use super::log::recorded_in;
use crate::{
    ask::{self, Asked},
    config, environment,
    hook::ground::of_user,
    session::{AnyFault, Session},
    story::person,
    wiring::actor,
};

/// How many characters a reason has at most.
const LONGEST_REASON: usize = 500;

/// Why an order was not taken.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.person", exit = Refused)]
pub(super) enum PersonError {
    #[message(
        en = "only a person at a terminal can give this order",
        zh = "只有终端前的人可以下达此命令",
        hint(
            en = "run it in a terminal of your own, without a pipe",
            zh = "请在你自己的终端中运行，不要经过管道"
        ),
        exit = Refused
    )]
    NoTerminal,
    #[message(en = "nothing was changed", zh = "没有更改任何内容", exit = Refused)]
    No,
    #[message(
        en = "a reason is needed: `--because TEXT`, in at most {limit} characters",
        zh = "需要理由：`--because TEXT`，最多 {limit} 个字符",
        arg(limit = LONGEST_REASON)
    )]
    Reason,
}

/// A rule that could not be written to a file.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.rule_file",
    en = "cannot add the rule to `{path}`",
    zh = "无法把规则加入 `{path}`",
    inherit = source
)]
struct RuleFileError {
    path: Utf8PathBuf,
    source: own_rule::AppendError,
}

/// The home in which calls from here are recorded, made ready for an order.
pub(super) fn home(session: &Session) -> Result<Layout, AnyFault> {
    let layout = recorded_in(session, false)?;
    prepare_home(&RealDisk, &layout)?;
    Ok(layout)
}

/// Does something as a person: refused below an agent, without a terminal, without a reason, and
/// without a yes.
pub(super) fn as_person<T>(
    session: &Session,
    layout: &Layout,
    because: Option<&str>,
    question: &str,
    act: impl FnOnce(Orders<'_, RealDisk>, &Order<'_>) -> Result<T, AnyFault>,
) -> Result<T, AnyFault> {
    person(session)?;
    let because = because.map(str::trim).unwrap_or_default();
    if because.is_empty() || because.chars().count() > LONGEST_REASON {
        return Err(PersonError::Reason.into());
    }
    match ask::confirm(question) {
        Asked::Yes => {}
        Asked::No => return Err(PersonError::No.into()),
        Asked::Nobody => return Err(PersonError::NoTerminal.into()),
    }
    let by = actor();
    act(orders(layout), &Order { by: &by, because })
}

pub(super) fn orders(layout: &Layout) -> Orders<'_, RealDisk> {
    Orders { disk: &RealDisk, layout, clock: &SystemClock }
}

/// For which projects a rule is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleScope {
    /// The one that the order is given in; outside of any, all.
    Project,
    All,
}

/// Adds a rule to the person's own file. `audit` notes the order before the file is written.
pub(super) fn add_rule(
    session: &Session,
    rule: PolicyRule,
    scope: RuleScope,
    audit: impl FnOnce(&str, &PolicyRule) -> Result<(), AnyFault>,
) -> Result<Utf8PathBuf, AnyFault> {
    let project = match scope {
        RuleScope::Project => project(session)?,
        RuleScope::All => None,
    };
    let rule = &PolicyRule { project: project.map(Utf8PathBuf::into_string), ..rule };
    let path = config::own_file(&session.environment)?;
    let file = ForeignFile::read(&path)?;
    let text = own_rule::append(file.text()?, rule)
        .map_err(|source| RuleFileError { path: path.clone(), source })?;
    audit(path.as_str(), rule)?;
    file.replace(text.as_bytes())?;
    Ok(path)
}

/// The project that an order is given in.
fn project(session: &Session) -> Result<Option<Utf8PathBuf>, AnyFault> {
    if let Some(home) = &session.flags.home {
        return Ok(home.canonicalize_utf8().ok().and_then(|it| Some(it.parent()?.to_owned())));
    }
    let ground = of_user(&session.environment, &environment::current_folder()?)?;
    Ok(ground.user.and_then(|it| it.project).and_then(|it| it.canonicalize_utf8().ok()))
}

/// How long something still holds, in whole minutes.
pub(super) fn minutes_left(expires: Millis) -> u64 {
    let left: Duration = expires.since(SystemClock.millis());
    left.as_secs().div_ceil(60)
}

/// `3 min`, in the language of the person.
pub(super) fn shown_minutes(lang: Lang, minutes: u64) -> String {
    if minutes < 2 * 60 {
        return lang.pick(format!("{minutes} min"), format!("{minutes} 分钟"));
    }
    let hours = minutes.div_ceil(60);
    lang.pick(format!("{hours} h"), format!("{hours} 小时"))
}

/// What every order ends with.
pub(super) const DONE: Exit = Exit::Success;
