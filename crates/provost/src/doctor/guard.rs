//! The guard: in which clients is it installed, and does a test still vouch for it.

use provost_engine::guard::test::{changed, installed, proofs, worth_now};
use provost_kernel::{Lang, guard::Harness};
use provost_rules_guard::install::proof::Worth;

use super::{Check, State, checks::unusable};
use crate::{
    guard::setup::Place,
    session::{AnyFault, Session},
};

const NAME: &str = "guard";

/// Looks where the guard is installed, and what its last test is worth.
pub(super) fn check(session: &Session, lang: Lang) -> Check {
    match look(session, lang) {
        Ok(check) => check,
        // Without a home nothing can have been installed for it; the check of the home says so.
        Err(fault) => Check { state: State::Warn, ..unusable(NAME, fault.0.as_ref(), lang) },
    }
}

fn look(session: &Session, lang: Lang) -> Result<Check, AnyFault> {
    let place = Place::new(session)?;
    let clients = installed(place.setup())?;
    if clients.is_empty() {
        let what = lang.pick("not installed in any client", "未安装在任何客户端中");
        return Ok(Check::new(NAME, State::NotEnforced, what.to_owned())
            .with_hint("`provost guard install --client claude`"));
    }
    let proofs = proofs(place.setup())?;
    let mut parts = Vec::new();
    let (mut doubted, mut broken) = (None, None);
    for client in clients {
        for it in changed(place.setup(), client)? {
            parts.push(format!("{}: {}", client.title(), lang.render(&it.what)));
            broken = Some(client);
        }
        let worth = worth_now(place.setup(), client)?;
        let at = proofs.tests.get(&client).map(|it| it.at.to_string()).unwrap_or_default();
        parts.push(describe(client, worth, &at, lang));
        if worth != Worth::Current {
            doubted = doubted.or(Some(client));
        }
    }
    let what = parts.join(lang.pick("; ", "；"));
    if let Some(client) = broken {
        return Ok(Check::new(NAME, State::Fail, parts.join(lang.pick("; ", "；")))
            .with_hint(format!("`provost guard install --client {client}`")));
    }
    Ok(match doubted {
        None => Check::new(NAME, State::Ok, what),
        Some(client) => Check::new(NAME, State::Warn, what)
            .with_hint(format!("`provost guard test --client {client}`")),
    })
}

fn describe(client: Harness, worth: Worth, at: &str, lang: Lang) -> String {
    let title = client.title();
    match worth {
        Worth::Current => lang.pick(
            format!("installed in {title}, tested {at}"),
            format!("已安装在 {title} 中，测试于 {at}"),
        ),
        Worth::Outdated => lang.pick(
            format!("installed in {title}, changed since the test of {at}"),
            format!("已安装在 {title} 中，自 {at} 的测试后有变化"),
        ),
        Worth::Failed => lang.pick(
            format!("installed in {title}, the test of {at} failed"),
            format!("已安装在 {title} 中，{at} 的测试未通过"),
        ),
        Worth::Absent => lang.pick(
            format!("installed in {title}, not tested"),
            format!("已安装在 {title} 中，尚未测试"),
        ),
    }
}
