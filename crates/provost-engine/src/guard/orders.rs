//! What people order of the guard: permissions, trusted paths, a pause of its questions (KEEP-1).
//!
//! Each order is in the audit chain before it takes effect. Whether a person gives it is checked by
//! the front end, which alone knows the terminal and the processes above it.

use provost_kernel::{
    Actor, Clock, Message, Millis,
    guard::{PendingRefusal, Permit, PermitScope, Permits, RefusalCode, Snooze, TrustedPath},
};
use provost_rules_guard::permit::{self, LONGEST_SNOOZE, MINUTES, Overview, SESSION_HOURS};
use provost_vault::{
    Disk, Durable, FileError, Layout,
    audit::{Audit, AuditError, Event},
    guard::{GuardFiles, PermitsError},
};
use serde_json::{Value, json};

/// Who orders something, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order<'a> {
    pub by: &'a Actor,
    pub because: &'a str,
}

/// Why an order was not carried out. Nothing of it took effect.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.order")]
pub enum OrderError {
    #[message(
        en = "the guard knows no refusal `{code}`: codes hold for {minutes} minutes and for one home",
        zh = "守卫没有代码为 `{code}` 的拒绝：代码在 {minutes} 分钟内、仅对一个主目录有效",
        arg(minutes = MINUTES),
        hint(
            en = "list those that can be permitted: `provost guard allow`; or let the agent try again",
            zh = "列出可以允许的拒绝：`provost guard allow`；或让智能体重试"
        ),
        exit = Refused
    )]
    Unknown { code: RefusalCode },
    #[message(
        en = "`{code}` is permitted already",
        zh = "`{code}` 已获允许",
        hint(
            en = "let the agent try again; take it back with `provost guard deny {code}`",
            zh = "请让智能体重试；收回许可：`provost guard deny {code}`"
        ),
        exit = Refused
    )]
    Granted { code: RefusalCode },
    #[message(
        en = "nothing is permitted under `{code}`",
        zh = "没有以 `{code}` 允许的内容",
        hint(
            en = "list what is permitted: `provost guard allow`",
            zh = "列出已允许的内容：`provost guard allow`"
        ),
        exit = Refused
    )]
    NotGranted { code: RefusalCode },
    #[message(
        en = "nothing is permitted",
        zh = "没有任何许可",
        exit = Refused
    )]
    NothingGranted,
    #[message(
        en = "a snooze lasts from 1 to {longest} minutes: got {minutes}",
        zh = "静默时间为 1 到 {longest} 分钟：给出的是 {minutes}",
        arg(longest = LONGEST_SNOOZE)
    )]
    SnoozeLength { minutes: u64 },
    #[message(en = "nothing is snoozed", zh = "当前没有静默", exit = Refused)]
    NotSnoozed,
    #[message(
        en = "`{path}` is not trusted",
        zh = "`{path}` 不在信任列表中",
        hint(
            en = "list what is: `provost guard trust`",
            zh = "列出信任的路径：`provost guard trust`"
        ),
        exit = Refused
    )]
    NotTrusted { path: String },
    #[error(transparent)]
    #[message(transparent)]
    Permits(#[from] PermitsError),
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    #[message(transparent)]
    Audit(#[from] AuditError),
}

/// The orders of people in one home.
#[derive(Clone, Copy)]
pub struct Orders<'a, D: Disk> {
    pub disk: &'a D,
    pub layout: &'a Layout,
    pub clock: &'a dyn Clock,
}

impl<D: Disk> std::fmt::Debug for Orders<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Orders").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl<'a, D: Disk> Orders<'a, D> {
    /// What could be permitted now, and what is.
    pub fn overview(&self) -> Result<Overview, OrderError> {
        let known = self.files().refusals()?;
        Ok(permit::overview(&known, self.files().permits()?, self.clock.millis()))
    }

    /// The refusal of a code, which must still wait.
    pub fn refusal(&self, code: &RefusalCode) -> Result<PendingRefusal, OrderError> {
        let overview = self.overview()?;
        if overview.permits.permits.iter().any(|it| it.code == *code) {
            return Err(OrderError::Granted { code: code.clone() });
        }
        let found = overview.refusals.into_iter().find(|it| it.code == *code);
        found.ok_or_else(|| OrderError::Unknown { code: code.clone() })
    }

    /// Permits the call of a refusal. The refusal is gone before the permission is there, so that
    /// a code permits once.
    pub fn allow(
        &self,
        code: &RefusalCode,
        scope: PermitScope,
        order: &Order<'_>,
    ) -> Result<Permit, OrderError> {
        let refusal = self.refusal(code)?;
        self.settle(code)?;
        let at = self.clock.millis();
        let minutes = match scope {
            PermitScope::Once => MINUTES,
            PermitScope::Session => SESSION_HOURS * 60,
        };
        let PendingRefusal { code, call, rule, subject, .. } = refusal;
        let permit = Permit {
            code,
            call,
            scope,
            rule,
            subject,
            because: order.because.to_owned(),
            by: order.by.clone(),
            at,
            expires: Millis(at.0 + minutes * 60_000),
            is_spent: false,
        };
        self.files().change_permits(|permits| {
            let detail = json!({
                "scope": scope,
                "rule": permit.rule,
                "about": permit.subject,
                "call": permit.call,
            });
            self.audit("guard.allow", format!("refusal:{}", permit.code), order, detail)?;
            Ok::<_, OrderError>((permit::grant(permits, permit.clone()), ()))
        })?;
        Ok(permit)
    }

    /// Notes that a refusal was answered by a rule in a file, which says the rest.
    pub fn allow_by_rule(
        &self,
        code: &RefusalCode,
        file: &str,
        rule: &Value,
        order: &Order<'_>,
    ) -> Result<(), OrderError> {
        self.refusal(code)?;
        let detail = json!({ "scope": "rule", "file": file, "rule": rule });
        self.audit("guard.allow", format!("refusal:{code}"), order, detail)
    }

    /// Forgets a refusal that was answered.
    pub fn settle(&self, code: &RefusalCode) -> Result<(), OrderError> {
        let answered = self.files().change_refusals(|mut known| {
            let before = known.refusals.len();
            known.refusals.retain(|it| it.code != *code);
            let is_known = known.refusals.len() < before;
            (known, is_known)
        })?;
        if answered { Ok(()) } else { Err(OrderError::Unknown { code: code.clone() }) }
    }

    /// Notes a rule that a person adds to a file.
    pub fn deny_by_rule(
        &self,
        file: &str,
        rule: &Value,
        order: &Order<'_>,
    ) -> Result<(), OrderError> {
        let detail = json!({ "file": file, "rule": rule });
        self.audit("guard.deny", "rule".to_owned(), order, detail)
    }

    /// Takes back the permission of a code, or all of them.
    pub fn revoke(
        &self,
        code: Option<&RefusalCode>,
        order: &Order<'_>,
    ) -> Result<Vec<Permit>, OrderError> {
        self.files().change_permits(|permits| {
            let (left, gone) = permit::revoke(permits, code);
            if gone.is_empty() {
                return Err(match code {
                    Some(code) => OrderError::NotGranted { code: code.clone() },
                    None => OrderError::NothingGranted,
                });
            }
            for permit in &gone {
                let detail = json!({ "rule": permit.rule, "about": permit.subject });
                self.audit("guard.deny", format!("refusal:{}", permit.code), order, detail)?;
            }
            Ok((left, gone))
        })
    }

    /// Lets agents write to a path outside their project.
    pub fn trust(&self, path: &str, order: &Order<'_>) -> Result<(), OrderError> {
        let trusted = TrustedPath {
            path: path.to_owned(),
            because: order.because.to_owned(),
            by: order.by.clone(),
            at: self.clock.millis(),
        };
        self.files().change_permits(|permits| {
            self.audit("guard.trust", format!("path:{path}"), order, json!({ "on": true }))?;
            Ok::<_, OrderError>((permit::trust(permits, trusted), ()))
        })
    }

    /// Lets agents write to a path no more.
    pub fn distrust(&self, path: &str, order: &Order<'_>) -> Result<(), OrderError> {
        self.files().change_permits(|mut permits| {
            let before = permits.trusted.len();
            permits.trusted.retain(|it| it.path != path);
            if permits.trusted.len() == before {
                return Err(OrderError::NotTrusted { path: path.to_owned() });
            }
            self.audit("guard.trust", format!("path:{path}"), order, json!({ "on": false }))?;
            Ok((permits, ()))
        })
    }

    /// Lets what is asked about pass for a while. What is refused stays refused.
    pub fn snooze(&self, minutes: u64, order: &Order<'_>) -> Result<Snooze, OrderError> {
        if !(1..=LONGEST_SNOOZE).contains(&minutes) {
            return Err(OrderError::SnoozeLength { minutes });
        }
        let at = self.clock.millis();
        let snooze = Snooze {
            because: order.because.to_owned(),
            by: order.by.clone(),
            at,
            expires: Millis(at.0 + minutes * 60_000),
        };
        self.files().change_permits(|permits| {
            let detail = json!({ "minutes": minutes });
            self.audit("guard.snooze", "guard".to_owned(), order, detail)?;
            let permits = Permits { snooze: Some(snooze.clone()), ..permits };
            Ok::<_, OrderError>((permits, ()))
        })?;
        Ok(snooze)
    }

    /// Asks again.
    pub fn end_snooze(&self, order: &Order<'_>) -> Result<(), OrderError> {
        let now = self.clock.millis();
        self.files().change_permits(|permits| {
            if !permit::is_snoozed(&permits, now) {
                return Err(OrderError::NotSnoozed);
            }
            self.audit("guard.snooze", "guard".to_owned(), order, json!({ "minutes": 0 }))?;
            Ok((Permits { snooze: None, ..permits }, ()))
        })
    }

    fn files(&self) -> GuardFiles<'a, D> {
        GuardFiles::new(self.disk, self.layout, self.clock)
    }

    fn audit(
        &self,
        action: &str,
        subject: String,
        order: &Order<'_>,
        detail: Value,
    ) -> Result<(), OrderError> {
        let mut detail = detail;
        detail["because"] = order.because.into();
        let (action, actor) = (action.to_owned(), order.by.clone());
        let event = Event { actor, action, subject, request_id: None, detail };
        let mut chain = Audit::open(self.disk, self.layout)?;
        let head = chain.append(&event, self.clock, Durable::Now)?;
        Ok(chain.store_head(head, &event.action, self.clock)?)
    }
}
