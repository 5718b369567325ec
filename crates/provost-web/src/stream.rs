//! The event stream: what changed since the client last heard, topic by topic.
//!
//! Nothing is sent twice and nothing is left out: each frame carries the place up to which every topic
//! was told, and a client that comes back says the last one that it got.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue, Response, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
};
use futures_util::stream;
use provost_desk::task::LogRole;
use provost_kernel::AttemptNumber;
use serde_json::{Value, json};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    task::spawn_blocking,
    time::{sleep, timeout},
};

use crate::{
    App,
    answer::NO_STORE,
    cursor::{Cursor, Topic, stream_name},
    gate,
    refusal::{Own, Refusal},
    wire,
};

/// A comment keeps a silent connection open.
const SILENCE: Duration = Duration::from_secs(15);
/// Beats that follow each other are answered together.
const TOGETHER: Duration = Duration::from_millis(20);
/// Logs are read in parts of this size.
const PART: u64 = 64 << 10;
/// So many events of a task at a time.
const EVENTS: usize = 500;

struct Listener {
    app: Arc<App>,
    topics: Vec<Topic>,
    cursor: Cursor,
    beat: watch::Receiver<u64>,
    /// The key that opened it: with that, the stream ends.
    key: String,
    is_first: bool,
    _room: OwnedSemaphorePermit,
}

/// Opens a stream.
pub(crate) fn open(
    app: Arc<App>,
    topics: &str,
    headers: &HeaderMap,
) -> Result<Response<Body>, Refusal> {
    let topics = Topic::parse_all(topics).ok_or_else(|| Refusal::parameter("topics"))?;
    let given = headers.get("last-event-id").map(|it| it.to_str().unwrap_or_default());
    let cursor = match given.filter(|it| !it.is_empty()) {
        None => Cursor::default(),
        Some(text) => Cursor::parse(text).ok_or_else(|| Refusal::parameter("Last-Event-ID"))?,
    };
    let room = Arc::clone(&app.streams).try_acquire_owned();
    let room = room.map_err(|_| Own::Busy.with(StatusCode::SERVICE_UNAVAILABLE))?;
    let beat = app.pulse.listen();
    let key = gate::key(headers).unwrap_or_default().to_owned();
    let listener = Listener { app, topics, cursor, beat, key, is_first: true, _room: room };
    let frames = stream::unfold(listener, |mut listener| async move {
        let frames = listener.next().await?;
        Some((Ok::<String, std::convert::Infallible>(frames), listener))
    });
    let mut response = Response::new(Body::from_stream(frames));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    Ok(response)
}

impl Listener {
    /// The next frames; none when the server or the session ends.
    async fn next(&mut self) -> Option<String> {
        let stop = self.app.stop.0.clone();
        loop {
            let now = self.app.desk.clock().millis();
            if stop.is_cancelled() || !self.app.sessions.holds(&self.key, now) {
                return None;
            }
            self.beat.mark_unchanged();
            let mut frames = self.news().await;
            if self.is_first {
                self.is_first = false;
                // From here on the client can come back to where it was.
                frames.push_str(&self.frame("ping", &json!({})));
            }
            if !frames.is_empty() {
                return Some(frames);
            }
            tokio::select! {
                () = stop.cancelled() => return None,
                heard = timeout(SILENCE, self.beat.changed()) => match heard {
                    Err(_) => return Some(": still here\n\n".to_owned()),
                    Ok(Err(_)) => return None,
                    Ok(Ok(())) => sleep(TOGETHER).await,
                },
            }
        }
    }

    /// What is new in any topic.
    async fn news(&mut self) -> String {
        let mut frames = self.board();
        for topic in self.topics.clone() {
            if topic == Topic::Board {
                continue;
            }
            let (app, name) = (Arc::clone(&self.app), topic.name());
            let from = self.cursor.at.get(&name).copied();
            let read = spawn_blocking(move || read(&app, &topic, from)).await;
            // What cannot be read now is told when it can be.
            let Ok(Some((kind, told))) = read else { continue };
            for (data, next) in told {
                self.cursor.at.insert(name.clone(), next);
                if let Some(data) = data {
                    frames.push_str(&self.frame(kind, &data));
                }
            }
        }
        frames
    }

    fn board(&mut self) -> String {
        if !self.topics.contains(&Topic::Board) {
            return String::new();
        }
        let pulse = Arc::clone(&self.app.pulse);
        let since = match &self.cursor.board {
            None => Some((Vec::new(), pulse.count())),
            Some((boot, count)) if *boot == pulse.boot => pulse.since(*count),
            // Numbers of another run.
            Some(_) => None,
        };
        let Some((changes, count)) = since else {
            self.cursor.board = Some((pulse.boot.clone(), pulse.count()));
            return self.frame("reset", &json!({}));
        };
        let mut told = count - changes.len() as u64;
        let mut frames = String::new();
        for change in changes {
            told += 1;
            self.cursor.board = Some((pulse.boot.clone(), told));
            let data = json!({"task_id": change.task_id, "state_version": change.state_version});
            frames.push_str(&self.frame("board", &data));
        }
        self.cursor.board = Some((pulse.boot.clone(), count));
        frames
    }

    fn frame(&self, event: &str, data: &Value) -> String {
        format!("id: {}\nevent: {event}\ndata: {data}\n\n", self.cursor.to_text())
    }
}

/// What a topic has behind a place, each with the place behind it. Without a place it begins now.
type Told = (&'static str, Vec<(Option<Value>, u64)>);

fn read(app: &App, topic: &Topic, from: Option<u64>) -> Option<Told> {
    match topic {
        Topic::Board => None,
        Topic::Task(task) => {
            let Some(after) = from else {
                let last = app.desk.files(task).events().ok()?.records.pop();
                return Some(("task", vec![(None, last.map_or(0, |it| it.value.seq))]));
            };
            let events = app.desk.events(task, after, EVENTS).ok()?.events;
            let told = events.into_iter().filter_map(|it| {
                let seq = it.value.seq;
                let mut data = serde_json::to_value(it).ok()?;
                wire::rewrite(&mut data);
                Some((Some(data), seq))
            });
            Some(("task", told.collect()))
        }
        Topic::Log { task, attempt, role, stream } => {
            let attempt = AttemptNumber::try_from(*attempt).ok()?;
            let (role, stream) = (LogRole::named(role)?, stream_name(stream));
            let part =
                app.desk.log(task, attempt, (role, stream), from.unwrap_or(u64::MAX >> 1), PART);
            let part = part.ok()?;
            let is_new = from.is_some() && part.next > part.from;
            let data = is_new.then(|| {
                json!({
                    "task_id": task, "attempt": attempt.get(), "role": role, "stream": part.stream,
                    "from": part.from, "next": part.next, "ended": part.ended, "text": part.text,
                })
            });
            Some(("log", vec![(data, part.next)]))
        }
    }
}
