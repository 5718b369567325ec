//! A desk with tasks, a Bot API server, and a bot between them.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use provost_desk::{
    PortError,
    remote::{WriteGate, WriteMode},
    task::Coordinator,
};
use provost_kernel::{RequestId, TaskId, task::Order};
use provost_telegram::{Api, BotError, BotSetup, Note, Stop, Timeouts, run};
use provost_testkit::{
    stage::Stage,
    telegram::{ApiRequest, ScriptedApi, Sender},
};
use serde_json::Value;

/// How long a test waits. It is a cap, never a measure.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// The chat and the person that are on the allow-list.
pub(crate) const CHAT: i64 = -100;
pub(crate) const USER: i64 = 7;

/// A bot and everything around it.
pub(crate) struct World {
    pub(crate) stage: Stage,
    pub(crate) api: ScriptedApi,
    pub(crate) starts: Arc<AtomicUsize>,
    pub(crate) notes: Arc<Mutex<Vec<Note>>>,
}

/// A bot that runs.
pub(crate) struct Running {
    stop: Stop,
    thread: Option<JoinHandle<Result<(), BotError>>>,
}

/// Counts the processes that would have been started.
struct Counting(Arc<AtomicUsize>);

impl Coordinator for Counting {
    fn prepare(&self, _: &TaskId, order: Order) -> Result<Order, PortError> {
        Ok(order)
    }

    fn carry_out(&self, _: &TaskId, _: &Order, _: &RequestId) -> Result<(), PortError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            stage: Stage::new(),
            api: ScriptedApi::start(),
            starts: Arc::default(),
            notes: Arc::default(),
        }
    }

    /// A bot that takes orders from the chat and the person on the list.
    pub(crate) fn open(&self) -> Running {
        self.start(WriteMode::Enabled, 10)
    }

    pub(crate) fn start(&self, mode: WriteMode, per_minute: u32) -> Running {
        self.start_at(&self.api.url(), self.api.token(), mode, per_minute)
    }

    pub(crate) fn start_at(
        &self,
        url: &str,
        token: &str,
        mode: WriteMode,
        per_minute: u32,
    ) -> Running {
        let desk = self.stage.desk.clone();
        let list = format!("{CHAT},{USER}").parse().unwrap();
        let gate = WriteGate::new(list, mode, per_minute);
        let (url, token) = (url.to_owned(), token.to_owned());
        let (starts, notes) = (Arc::clone(&self.starts), Arc::clone(&self.notes));
        let stop = Stop::default();
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let timeouts = Timeouts { connect: PATIENCE, call: Duration::from_secs(20) };
            let api = Api::new(url.parse().unwrap(), token.parse().unwrap(), timeouts)?;
            let setup = BotSetup {
                api,
                desk,
                coordinator: Box::new(Counting(starts)),
                gate,
                poll: Duration::from_secs(30),
                project: "shop".to_owned(),
                notes: Box::new(move |note: &Note| notes.lock().unwrap().push(note.clone())),
            };
            run(setup, &stopped)
        });
        Running { stop, thread: Some(thread) }
    }

    /// Says something, and waits for the next message of the bot.
    pub(crate) fn ask(&self, sender: &Sender, text: &str) -> Value {
        let before = self.api.calls("sendMessage").len();
        let id = self.api.add_message(sender, text);
        let calls = self.api.wait_for_calls("sendMessage", before + 1, PATIENCE);
        self.api.wait_until_confirmed(id, PATIENCE);
        calls[before].body.clone()
    }

    /// Says something that is not answered by a message.
    pub(crate) fn tell(&self, sender: &Sender, text: &str) {
        let id = self.api.add_message(sender, text);
        self.api.wait_until_confirmed(id, PATIENCE);
    }

    /// Presses a button, and waits until it is answered; gives what was said above the chat.
    pub(crate) fn press(&self, sender: &Sender, message: i64, data: &str) -> String {
        let before = self.api.calls("answerCallbackQuery").len();
        let id = self.api.add_press(sender, message, data);
        let calls = self.api.wait_for_calls("answerCallbackQuery", before + 1, PATIENCE);
        self.api.wait_until_confirmed(id, PATIENCE);
        calls[before].body["text"].as_str().unwrap_or_default().to_owned()
    }

    /// The newest replacement of a message.
    pub(crate) fn edited(&self) -> Value {
        self.api.calls("editMessageText").last().unwrap().body.clone()
    }

    /// The lines of `gui_actions.jsonl`.
    pub(crate) fn actions(&self) -> Vec<Value> {
        let path = self.stage.desk.layout().gui_actions();
        let text = fs::read_to_string(path.path()).unwrap_or_default();
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    pub(crate) fn orders(&self, task: &TaskId) -> Vec<Order> {
        let orders = self.stage.desk.files(task).orders().unwrap();
        orders.into_iter().map(|it| it.order).collect()
    }
}

impl Running {
    /// Asks it to end, and waits.
    pub(crate) fn stop(mut self) -> Result<(), BotError> {
        self.stop.now();
        self.thread.take().unwrap().join().unwrap()
    }

    /// Waits until it ends by itself.
    pub(crate) fn ended(mut self) -> Result<(), BotError> {
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.now();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The person on the list.
pub(crate) fn person() -> Sender {
    Sender::new(CHAT, USER)
}

/// The text of a message.
pub(crate) fn text(body: &Value) -> &str {
    body["text"].as_str().unwrap_or_default()
}

/// The data of the button with this label.
#[track_caller]
pub(crate) fn button(body: &Value, label: &str) -> String {
    let rows = body["reply_markup"]["inline_keyboard"].as_array();
    let found = rows
        .into_iter()
        .flatten()
        .flat_map(|row| row.as_array().into_iter().flatten())
        .find(|it| it["text"] == label);
    let found = found.unwrap_or_else(|| panic!("no button `{label}` in {body:#}"));
    found["callback_data"].as_str().unwrap().to_owned()
}

/// The methods that were called, in order.
pub(crate) fn methods(requests: &[ApiRequest]) -> Vec<&str> {
    requests.iter().map(|it| it.method.as_str()).collect()
}
