//! Tasks for a test, as runs of some hours ago left them.

use std::{fs, sync::Arc};

use camino::Utf8Path;
use provost_desk::{Desk, task::OpenTask};
use provost_kernel::{
    Actor, AttemptNumber, Clock, Millis, RecordFile, Source, TaskId, Text,
    task::{
        AttemptDecided, Checked, DecisionRecord, ErrorClass, EventKind, Metrics, Note, Role,
        Standing, Status, TaskSpec, Usd, VerdictDecision, VerdictSummary,
    },
};
use provost_rules_task::{
    decision::decide,
    facts::{self, Judgement},
    status,
};
use provost_vault::{
    AttemptFile, Layout, RealDisk, SystemClock, audit::Event, prepare_home, write_json,
};
use serde_json::{Value, json};

use crate::world::World;

/// Compares exit code and output, without what differs from one run to the next.
macro_rules! task_snapshot {
    ($provost:expr, @$expected:literal) => {{
        let run = $provost.run();
        let mut filters = run.filters();
        filters.extend($crate::task::stage::FILTERS);
        insta::with_settings!({ filters => filters }, {
            insta::assert_snapshot!(run.text(), @$expected);
        });
    }};
}

pub(super) const FILTERS: [(&str, &str); 5] = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[TIME]"),
    (r"by [^, ]+, \[TIME\]", "by [USER], [TIME]"),
    (r"\([^,()]+,\[TIME\]\)", "([USER],[TIME])"),
    (r"\b\d+(?:s| 秒)( ago|前)", "[AGE]$1"),
    // Some tasks of some hours ago are of another day.
    (r"(?m)^(?:spent today \(UTC\): |今日花费（UTC）：).*\n", ""),
];

/// A world with a home.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) layout: Layout,
}

/// A clock that is some hours late, and half of one: no age changes while a test runs.
struct Earlier {
    hours: u64,
}

/// How an attempt ends.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    role: Role,
    rc: i32,
    class: ErrorClass,
    judgement: Option<Judgement>,
    pub(super) judge_decision: Option<VerdictDecision>,
    pub(super) against: Vec<Text>,
    pub(super) reasons: Vec<String>,
    pub(super) checks: Vec<Checked>,
    pub(super) verdict: Option<VerdictSummary>,
}

impl Clock for Earlier {
    fn millis(&self) -> Millis {
        Millis(SystemClock.millis().0 - (self.hours * 60 + 30) * 60_000)
    }
}

impl Stage {
    pub(super) fn new() -> Self {
        let world = World::new();
        let (home, state) = (world.path("repo/.provost"), world.path("home/.local/state"));
        let utf8 = |path| Utf8Path::from_path(path).unwrap();
        let layout = Layout::new(utf8(&home), None, utf8(&state));
        prepare_home(&RealDisk, &layout).unwrap();
        Self { world, layout }
    }

    /// A desk some hours ago.
    pub(super) fn desk(&self, hours: u64) -> Desk {
        Desk::new(self.layout.clone(), Arc::new(Earlier { hours }))
    }

    /// A task whose attempts ended like this; without any, one whose first attempt runs.
    pub(super) fn task(&self, id: &str, hours: u64, endings: &[Ending]) {
        self.task_with(id, hours, endings, |_| {});
    }

    pub(super) fn task_with(
        &self,
        id: &str,
        hours: u64,
        endings: &[Ending],
        change: impl FnOnce(&mut TaskSpec),
    ) {
        let (desk, id) = (self.desk(hours), task(id));
        let mut spec = TaskSpec::new(id.clone());
        change(&mut spec);
        let status = Status::new(id.clone(), desk.clock().now(), spec.max_attempts);
        let mut open = desk
            .create(&id, RecordFile::new(spec), status, &entry("task.create", &id))
            .unwrap()
            .unwrap();
        for (attempt, ending) in (1..).zip(endings) {
            start(&mut open, attempt);
            end(&mut open, ending);
        }
        if endings.is_empty() {
            start(&mut open, 1);
        }
    }

    pub(super) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// The lines of a log of the home.
    pub(super) fn lines(&self, path: &str) -> Vec<Value> {
        self.text(path).lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        self.world.write(self.path(path), text);
    }

    pub(super) fn path(&self, path: &str) -> std::path::PathBuf {
        self.world.path("repo/.provost/out").join(path)
    }

    /// How many events of a kind a task has.
    pub(super) fn count(&self, id: &str, kind: EventKind) -> usize {
        let events = self.lines(&format!("{id}/events.jsonl"));
        events.iter().filter(|it| it["type"] == kind.as_str()).count()
    }

    /// Asserts that the audit chain is whole, and gives what people did.
    #[track_caller]
    pub(super) fn audited(&self) -> Vec<Value> {
        let ran = self.world.provost().args(["audit", "verify"]).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        let links = self.lines("_audit/audit.jsonl").into_iter().map(|it| it["body"].clone());
        links.filter(|it| it["actor"]["source"] == "cli").collect()
    }
}

impl Ending {
    /// A step that ended the attempt.
    pub(super) fn step(role: Role, rc: i32, class: ErrorClass) -> Self {
        Self {
            role,
            rc,
            class,
            judgement: None,
            judge_decision: None,
            against: Vec::new(),
            reasons: Vec::new(),
            checks: Vec::new(),
            verdict: None,
        }
    }

    /// An attempt that was judged, and not lowered.
    pub(super) fn judged(decision: VerdictDecision) -> Self {
        let judgement = Judgement {
            decision,
            gated: false,
            thresholds_pass: true,
            questions_for_user: Vec::new(),
        };
        let verdict = VerdictSummary {
            decision,
            final_score_0_100: None,
            gated: false,
            gating_reasons: Vec::new(),
            top_issues: Vec::new(),
        };
        Self {
            judgement: Some(judgement),
            judge_decision: Some(decision),
            verdict: Some(verdict),
            ..Self::step(Role::Judge, 0, ErrorClass::None)
        }
    }

    pub(super) fn ready() -> Self {
        let checks = vec![
            check("tests", Standing::Verified, "exit code 0", "退出码 0"),
            check("paths", Standing::Verified, "2 files", "2 个文件"),
            check("rubric", Standing::Verified, "version 1", "版本 1"),
        ];
        Self { checks, ..Self::judged(VerdictDecision::Pass) }
    }

    /// A judge that asks something.
    pub(super) fn asks(question: &str) -> Self {
        let mut ending = Self::judged(VerdictDecision::NeedUserInput);
        ending.judgement.as_mut().unwrap().questions_for_user = vec![question.to_owned()];
        ending
    }

    /// An approval that a hard gate and a failed test stopped.
    pub(super) fn gated() -> Self {
        let mut ending = Self::judged(VerdictDecision::Fail);
        ending.judgement.as_mut().unwrap().gated = true;
        ending.judge_decision = Some(VerdictDecision::Pass);
        ending.against = vec![text("the tests failed", "测试未通过")];
        ending.reasons = vec!["off by one\u{1b}[2J in `parse`".to_owned()];
        ending.checks = vec![
            check("tests", Standing::Failed, "exit code 1", "退出码 1"),
            check("rubric", Standing::NotVerified, "none: the task has no type", "无:任务没有类型"),
        ];
        ending.verdict = Some(VerdictSummary {
            decision: VerdictDecision::Fail,
            final_score_0_100: serde_json::from_str("38.5").ok(),
            gated: true,
            gating_reasons: vec!["dim:correctness:1<2".to_owned()],
            top_issues: vec!["logic error\nstate: READY_FOR_REVIEW".to_owned()],
        });
        ending
    }
}

fn check(name: &str, standing: Standing, en: &str, zh: &str) -> Checked {
    Checked { name: name.to_owned(), standing, detail: text(en, zh) }
}

/// A text that an earlier version stored.
fn text(en: &str, zh: &str) -> Text {
    serde_json::from_value(serde_json::json!({"en": en, "zh": zh})).unwrap()
}

pub(super) fn task(id: &str) -> TaskId {
    id.parse().unwrap()
}

fn entry(action: &str, id: &TaskId) -> Event {
    Event {
        actor: Actor { source: Source::Provost, id: "provost".to_owned() },
        action: action.to_owned(),
        subject: format!("task:{id}"),
        request_id: None,
        detail: Value::Null,
    }
}

fn start(open: &mut OpenTask<'_>, attempt: u16) {
    let before = &open.status.value;
    let (now, most) = (open.desk().clock().now(), before.effective_max_attempts);
    let number = AttemptNumber::try_from(attempt).unwrap();
    let status = status::started(before, number, most, now);
    let note = Note::new(EventKind::AttemptStarted, format!("attempt {attempt}"));
    open.commit(status, vec![note]).unwrap();
    let note = Note::new(EventKind::CoderStarted, "coder=script");
    open.files().append_note(note, attempt).unwrap();
}

fn end(open: &mut OpenTask<'_>, ending: &Ending) {
    let before = open.status.value.clone();
    let (now, attempt) = (open.desk().clock().now(), before.current_attempt);
    let facts = match &ending.judgement {
        Some(judgement) => facts::of_verdict(&before, judgement.clone()),
        None => facts::of_step(&before, ending.role, ending.rc, ending.class),
    };
    let decision = decide(&facts);
    let mut after = status::after(&before, &decision, &facts, now);
    if let Some(verdict) = &ending.verdict {
        after.verdict_summary = Some(verdict.clone());
    }
    let detail = AttemptDecided::of(&decision, facts.current_attempt, 3);
    let notes = vec![Note::new(EventKind::AttemptDecided, "").with(&detail)];

    let (layout, id) = (open.desk().layout(), open.task());
    let number = AttemptNumber::try_from(attempt).unwrap();
    let at = |file| layout.attempt_file(id, number, file);
    let is_judged = ending.judgement.is_some();
    let metrics = Metrics {
        elapsed_seconds: 12,
        coder_rc: Some(if is_judged { 0 } else { ending.rc }),
        test_rc: is_judged.then_some(0),
        judge_rc: is_judged.then_some(0),
        tokens: is_judged.then_some(1500),
        usd: is_judged.then_some(Usd::micros(120_000)),
        ..Metrics::new(id.clone(), attempt)
    };
    let record = DecisionRecord {
        task_id: id.clone(),
        attempt,
        decided_at: now,
        facts,
        decision,
        judge_decision: ending.judge_decision,
        against: ending.against.clone(),
        reasons: ending.reasons.clone(),
        next_instructions: String::new(),
        findings: Vec::new(),
        checks: ending.checks.clone(),
    };
    write_json(&RealDisk, &at(AttemptFile::Decision), &RecordFile::new(record)).unwrap();
    write_json(&RealDisk, &at(AttemptFile::Metrics), &RecordFile::new(metrics)).unwrap();
    if let Some(score) = ending.verdict.as_ref().and_then(|it| it.final_score_0_100) {
        let verdict = json!({ "final_score_0_100": score });
        write_json(&RealDisk, &layout.verdict(id, number), &verdict).unwrap();
    }
    open.commit_audited(&entry("task.decide", id), after, notes).unwrap();
}
