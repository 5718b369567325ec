//! A message as JSON, for programs.

use provost_desk::{notify::NoticeLine, remote::redact};
use provost_kernel::{
    Digest, Lang, TaskId, Text, Timestamp,
    notify::{Fingerprint, Notice, NoticeId, NoticeKind},
    task::{Creation, PauseCode, State, VerdictDecision},
};
use serde::Serialize;

use crate::{
    Delivery, Room,
    digest::digest,
    text::{notice_lines, show_line, title},
};

/// One message: a single notice, or a digest of several.
#[derive(Debug, Serialize)]
pub struct Payload<'a> {
    pub schema: &'static str,
    /// The same when a crash sends the same message again.
    pub id: String,
    pub project: &'a str,
    pub title: String,
    pub text: String,
    pub notices: Vec<NoticePayload<'a>>,
}

/// One notice.
#[derive(Debug, Serialize)]
pub struct NoticePayload<'a> {
    pub fingerprint: &'a Fingerprint,
    /// Another task with the id has another one; with the fingerprint it names the change.
    pub creation: Option<&'a Creation>,
    pub kind: NoticeKind,
    pub at: Timestamp,
    pub task_id: Option<&'a str>,
    pub state: Option<State>,
    pub pause_reason_code: Option<PauseCode>,
    pub last_decision: Option<VerdictDecision>,
    /// The number of the newest attempt, as orders name it.
    pub attempt: u16,
    /// Which one it is among those that count; 0 where none was begun.
    pub count: u16,
    pub max_attempts: u16,
    pub state_version: u64,
    pub message: String,
    pub reasons: Vec<String>,
    pub questions: Vec<String>,
    /// The task on the page.
    pub url: Option<String>,
}

impl<'a> Payload<'a> {
    pub const SCHEMA: &'static str = "provost.notification/1";

    pub fn of(delivery: &Delivery<'a>) -> Self {
        let Delivery { notices, lang, project, page } = *delivery;
        let (title, lines) = titled(delivery);
        let ids: Vec<NoticeId> = notices.iter().map(|it| it.id()).collect();
        let ids: Vec<&str> = ids.iter().map(NoticeId::as_str).collect();
        let id = Digest::of_bytes(ids.join(",").as_bytes()).to_string();
        let notice = |it: &&'a Notice| NoticePayload::of(it, lang, page);
        Self {
            schema: Self::SCHEMA,
            id: id.chars().take(16).collect(),
            project,
            title,
            text: lines.join("\n"),
            notices: notices.iter().map(notice).collect(),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Plain data always has a JSON form.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

impl<'a> NoticePayload<'a> {
    fn of(notice: &'a Notice, lang: Lang, page: Option<&str>) -> Self {
        // What somebody else wrote may hold a secret.
        let say = |it: &Text| redact(&lang.render(it));
        let url = |task: &str| Some(format!("{}/tasks/{task}", page?.trim_end_matches('/')));
        Self {
            fingerprint: &notice.fingerprint,
            creation: notice.creation.as_ref(),
            kind: notice.kind,
            at: notice.at,
            task_id: notice.task_id.as_ref().map(TaskId::as_str),
            state: notice.state,
            pause_reason_code: notice.pause_reason_code,
            last_decision: notice.last_decision,
            attempt: notice.attempt,
            count: notice.count.unwrap_or(notice.attempt),
            max_attempts: notice.max_attempts,
            state_version: notice.state_version,
            message: say(&notice.message),
            reasons: notice.reasons.iter().map(say).collect(),
            questions: notice.questions.iter().map(say).collect(),
            url: notice.task_id.as_ref().and_then(|it| url(it.as_str())),
        }
    }
}

/// The title and the lines of a message, with the command that says more.
pub fn titled(delivery: &Delivery<'_>) -> (String, Vec<String>) {
    let more = match delivery.notices {
        [notice] => show_line(notice, delivery.project, delivery.lang),
        _ => None,
    };
    let (title, mut lines) = told(delivery, Room::BYTES.without(more.as_slice()));
    lines.extend(more);
    (title, lines.into_iter().map(|it| it.text).collect())
}

/// The same for who has no terminal at hand. The lines keep within the room that there is.
pub fn told(delivery: &Delivery<'_>, room: Room) -> (String, Vec<NoticeLine>) {
    let Delivery { notices, lang, project, .. } = *delivery;
    match notices {
        [notice] => (title(notice, project, lang), notice_lines(notice, lang, room)),
        several => digest(several, project, lang, room),
    }
}
