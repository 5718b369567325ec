//! Each offer, with its command, its fields and what is known of its payload.

use provost_kernel::{
    Digest, Message,
    task::{ChangeKind, Status, TaskSpec},
};
use serde_json::{Map, Value, json};

use super::{
    Action, Circumstances, FieldKind, OfferField, OrderForm, Proposal,
    words::{FieldLabel, Label, Why},
};
use crate::{budget::Part, decision::budget_parts, edit, orders::MAX_TEXT};

/// The longest a step may take.
const SECONDS: u64 = 604_800;

/// What only shows something, or is about more than this task.
pub(super) fn look(command: String, why: &Why) -> Proposal {
    Proposal { command, why: why.text(), order: None, is_told: true }
}

fn order(command: String, why: &Why, action: Action, label: &Label) -> Proposal {
    let (label, fields, payload) = (label.text(), Vec::new(), Map::new());
    let order = Some(Box::new(OrderForm { action, label, fields, payload }));
    Proposal { command, why: why.text(), order, is_told: true }
}

impl Proposal {
    /// The same with what is known of its payload.
    fn with(mut self, payload: Value) -> Self {
        if let (Some(order), Value::Object(payload)) = (&mut self.order, payload) {
            order.payload = payload;
        }
        self
    }

    fn field(mut self, field: OfferField) -> Self {
        if let Some(order) = &mut self.order {
            order.fields.push(field);
        }
        self
    }

    /// The same, but not said without being asked for.
    pub(super) fn untold(mut self) -> Self {
        self.is_told = false;
        self
    }
}

fn field(name: &'static str, kind: FieldKind, label: &FieldLabel) -> OfferField {
    OfferField {
        name,
        kind,
        required: true,
        label: label.text(),
        max_chars: None,
        min: None,
        max: None,
        choices: None,
        value: None,
    }
}

fn text(name: &'static str, label: &FieldLabel) -> OfferField {
    OfferField { max_chars: Some(MAX_TEXT), ..field(name, FieldKind::Text, label) }
}

fn number(name: &'static str, label: &FieldLabel, min: u64, max: u64) -> OfferField {
    let (min, max) = (Some(min), Some(max));
    OfferField { min, max, ..field(name, FieldKind::Number, label) }
}

pub(super) fn run(status: &Status) -> Proposal {
    order(format!("provost run {}", status.task_id), &Why::Begin, Action::Run, &Label::Run)
}

pub(super) fn pause(status: &Status) -> Proposal {
    let command = format!("provost pause {}", status.task_id);
    order(command, &Why::Pause, Action::Pause, &Label::Pause)
}

pub(super) fn pause_now(status: &Status) -> Proposal {
    let command = format!("provost pause {} --now", status.task_id);
    order(command, &Why::PauseNow, Action::PauseNow, &Label::PauseNow)
}

pub(super) fn resume(status: &Status, why: &Why) -> Proposal {
    let command = format!("provost resume {}", status.task_id);
    order(command, why, Action::Resume, &Label::Resume)
}

pub(super) fn reset(status: &Status) -> Proposal {
    order(format!("provost reset {}", status.task_id), &Why::Reset, Action::Reset, &Label::Reset)
}

pub(super) fn rerun(status: &Status) -> Proposal {
    let newest = status.current_attempt;
    let command = format!("provost rerun {} {newest}", status.task_id);
    let attempt = number("attempt", &FieldLabel::Attempt, 1, newest.into());
    order(command, &Why::Rerun, Action::Rerun, &Label::Rerun)
        .with(json!({ "attempt": newest }))
        .field(OfferField { value: Some(newest.into()), ..attempt })
}

pub(super) fn rejudge(status: &Status) -> Proposal {
    let command = format!("provost rejudge {}", status.task_id);
    order(command, &Why::Rejudge, Action::Rejudge, &Label::Rejudge)
}

pub(super) fn approve(status: &Status) -> Proposal {
    let command = format!("provost approve {}", status.task_id);
    order(command, &Why::Approve, Action::Approve, &Label::Approve)
}

pub(super) fn reject(status: &Status) -> Proposal {
    let command = format!("provost reject {} --because TEXT", status.task_id);
    order(command, &Why::Reject, Action::Reject, &Label::Reject)
        .field(text("because", &FieldLabel::Because))
}

pub(super) fn answer(status: &Status) -> Proposal {
    let command = format!("provost answer {} TEXT", status.task_id);
    order(command, &Why::Answer, Action::Answer, &Label::Answer)
        .field(text("text", &FieldLabel::Answer))
}

/// The same order where nothing was asked.
pub(super) fn tell(status: &Status) -> Proposal {
    let command = format!("provost answer {} TEXT", status.task_id);
    order(command, &Why::Tell, Action::Answer, &Label::Tell).field(text("text", &FieldLabel::Tell))
}

pub(super) fn edit(status: &Status) -> Proposal {
    let command = format!("provost edit {} --instruction TEXT", status.task_id);
    order(command, &Why::Edit, Action::Edit, &Label::Edit)
        .field(text("instruction", &FieldLabel::Instruction))
}

pub(super) fn rollback(status: &Status, n_overrides: u32) -> Proposal {
    let command = format!("provost override {} --rollback", status.task_id);
    let to = number("to_version", &FieldLabel::Version, 0, n_overrides.into());
    order(command, &Why::Rollback, Action::Rollback, &Label::Rollback)
        .with(json!({ "to_version": null }))
        .field(OfferField { required: false, ..to })
}

pub(super) fn override_attempts(status: &Status) -> Proposal {
    let (id, now) = (&status.task_id, status.effective_max_attempts);
    let least = status.attempts_consumed.max(*TaskSpec::MAX_ATTEMPTS.start());
    let most = *TaskSpec::MAX_ATTEMPTS.end();
    let name = "overrides.max_attempts";
    let limit = number(name, &FieldLabel::MaxAttempts, least.into(), most.into());
    order(
        format!("provost override {id} max_attempts=N"),
        &Why::Override,
        Action::Override,
        &Label::Override,
    )
    .with(json!({ "overrides": {} }))
    .field(OfferField { value: Some(now.into()), ..limit })
}

/// The way to a branch: the one that the task was started on, else one to be named.
pub(super) fn land(status: &Status, why: &Why, is_branchless: bool) -> Proposal {
    let id = &status.task_id;
    let branch = field("branch", FieldKind::Branch, &FieldLabel::Branch);
    if is_branchless {
        let command = format!("provost land {id} --branch NAME");
        return order(command, &Why::LandOnBranch, Action::Land, &Label::Land).field(branch);
    }
    order(format!("provost land {id}"), why, Action::Land, &Label::Land)
        .field(OfferField { required: false, ..branch })
}

/// A landing that was broken off is finished as it was begun.
pub(super) fn finish_landing(status: &Status) -> Proposal {
    let command = format!("provost land {}", status.task_id);
    order(command, &Why::FinishLanding, Action::Land, &Label::Land)
}

pub(super) fn undo_land(status: &Status) -> Proposal {
    let command = format!("provost land {} --undo", status.task_id);
    order(command, &Why::UndoLand, Action::UndoLand, &Label::UndoLand)
}

/// The way to accept a finding.
pub(super) fn accept(status: &Status, finding: &str, digest: Option<Digest>) -> Proposal {
    let command = format!("provost accept {} {finding} --because TEXT", status.task_id);
    let mut payload = json!({ "finding": finding, "attempt": status.current_attempt });
    if let Some(digest) = digest {
        payload["digest"] = digest.to_string().into();
    }
    let label = Label::Accept { finding: finding.to_owned() };
    order(command, &Why::Accept, Action::Accept, &label)
        .with(payload)
        .field(text("because", &FieldLabel::Because))
}

/// One more attempt, where all are used up; where no more can be allowed, all of them anew.
pub(super) fn more_attempts(status: &Status) -> Option<Proposal> {
    if status.attempts_consumed < status.effective_max_attempts {
        return None;
    }
    let one_more = status.attempts_consumed.saturating_add(1);
    if !TaskSpec::MAX_ATTEMPTS.contains(&one_more) {
        return Some(reset(status));
    }
    let change = format!("max_attempts={one_more}");
    let set = set(status, &change, &Why::MoreAttempts, &Label::MoreAttempts);
    Some(set.with(changes("max_attempts", ChangeKind::Set, Some(one_more.into()))))
}

/// Where the value of the only change stands in a payload.
const VALUE: &str = "changes.0.value";

fn set(status: &Status, change: &str, why: &Why, label: &Label) -> Proposal {
    let command = format!("provost edit {} --set {change}", status.task_id);
    order(command, why, Action::Set, label)
}

fn changes(key: &str, how: ChangeKind, value: Option<Value>) -> Value {
    let mut change = json!({ "key": key, "how": how });
    if let Some(value) = value {
        change["value"] = value;
    }
    json!({ "changes": [change] })
}

pub(super) fn allow_path(status: &Status) -> Proposal {
    set(status, "allowed_paths+=PATH", &Why::AllowPath, &Label::AllowPath)
        .with(changes("allowed_paths", ChangeKind::Add, None))
        .field(field(VALUE, FieldKind::Path, &FieldLabel::Path))
}

pub(super) fn permit_path(status: &Status, known: &Circumstances<'_>) -> Proposal {
    let choices = known.forbidden.map(<[String]>::to_vec);
    let glob = field(VALUE, FieldKind::Word, &FieldLabel::Glob);
    set(status, "forbidden_globs-=GLOB", &Why::PermitPath, &Label::PermitPath)
        .with(changes("forbidden_globs", ChangeKind::Remove, None))
        .field(OfferField { choices, ..glob })
}

pub(super) fn other_agent(status: &Status) -> Proposal {
    set(status, "coder=NAME", &Why::OtherAgent, &Label::OtherAgent)
        .with(changes("coder", ChangeKind::Set, None))
        .field(field(VALUE, FieldKind::Word, &FieldLabel::Agent))
}

pub(super) fn more_time(status: &Status, key: &'static str) -> Proposal {
    set(status, &format!("{key}=N"), &Why::MoreTime, &Label::MoreTime)
        .with(changes(key, ChangeKind::Set, None))
        .field(number(VALUE, &FieldLabel::Seconds, 1, SECONDS))
}

pub(super) fn correct_test(status: &Status) -> Proposal {
    set(status, "test_cmd=CMD", &Why::CorrectTest, &Label::CorrectTest)
        .with(changes("test_cmd", ChangeKind::Set, None))
        .field(text(VALUE, &FieldLabel::Command))
}

pub(super) fn scoring_mode(status: &Status) -> Proposal {
    let value = Some("rubric_analytic".into());
    set(status, "scoring_mode=rubric_analytic", &Why::ScoringMode, &Label::ScoringMode)
        .with(changes("scoring_mode", ChangeKind::Set, value))
}

/// More of what ran out: money where the task does not say.
pub(super) fn raise_budget(status: &Status) -> Vec<Proposal> {
    let mut parts = budget_parts(&status.questions());
    if parts.is_empty() {
        parts.push(Part::Usd);
    }
    parts.into_iter().filter_map(|it| raise(status, it)).collect()
}

fn raise(status: &Status, part: Part) -> Option<Proposal> {
    let dollars = || field(VALUE, FieldKind::Number, &FieldLabel::Dollars);
    let (key, value, asked) = match part {
        Part::Attempts => return None,
        Part::Usd => ("budget.usd", "N", OfferField { min: Some(0), ..dollars() }),
        Part::Tokens => {
            ("budget.tokens", "N", field(VALUE, FieldKind::Number, &FieldLabel::Tokens))
        }
        Part::Wall => ("budget.wall", "SECONDS", text(VALUE, &FieldLabel::Seconds)),
    };
    let proposal = set(status, &format!("{key}={value}"), &Why::RaiseBudget, &Label::RaiseBudget);
    Some(proposal.with(changes(key, ChangeKind::Set, None)).field(asked))
}

/// Any field of the spec that can still be changed.
pub(super) fn set_any(status: &Status) -> Proposal {
    let keys = edit::changeable(status.current_attempt > 0);
    let choices = Some(keys.into_iter().map(str::to_owned).collect());
    let key = field("changes.0.key", FieldKind::Word, &FieldLabel::Key);
    set(status, "KEY=VALUE", &Why::Set, &Label::Set)
        .with(json!({ "changes": [{ "how": ChangeKind::Set }] }))
        .field(OfferField { choices, ..key })
        .field(text(VALUE, &FieldLabel::Value))
}
