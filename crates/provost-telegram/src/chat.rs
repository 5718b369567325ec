//! What the bot does with an update: reads of the desk, and orders through the gate.

mod orders;
mod pending;
mod prompts;
mod record;
mod strangers;

use provost_desk::{
    Desk, DeskError,
    board::{AddressError, Board, ListEnd, ShownTask, TaskAddress},
    remote::{Refusals, Sender, WriteGate, names_a_path},
    task::Coordinator,
};
use provost_kernel::{Lang, Message, TaskId};

use self::{pending::Pending, prompts::Prompts, strangers::Strangers};
use crate::{
    ApiError, BotIdentity, Content, IncomingMessage, Outgoing, PressedButton, Update,
    callback::{OrderButton, Press, TaskPage, Verb},
    command::{self, Command},
    delivery::Delivery,
    html,
    view::{self, Reader},
    words::Word,
};

/// How many tasks a page of the list has.
const PAGE: usize = 5;

/// Everything that an answer takes.
pub(crate) struct Chats {
    pub(crate) delivery: Delivery,
    pub(crate) desk: Desk,
    pub(crate) board: Board,
    pub(crate) coordinator: Box<dyn Coordinator>,
    pub(crate) gate: WriteGate,
    pub(crate) me: BotIdentity,
    /// What the project is called.
    pub(crate) project: String,
    pub(crate) pending: Pending,
    pub(crate) prompts: Prompts,
    pub(crate) strangers: Strangers,
    pub(crate) refusals: Refusals,
    /// The update that is handled.
    pub(crate) update: i64,
}

/// Who speaks, and in which language they are answered.
#[derive(Clone, Copy, Debug)]
struct Speaker {
    sender: Sender,
    lang: Lang,
}

impl Chats {
    pub(crate) fn new(
        delivery: Delivery,
        board: Board,
        coordinator: Box<dyn Coordinator>,
        gate: WriteGate,
        me: BotIdentity,
        project: String,
    ) -> Self {
        let desk = board.desk().clone();
        let strangers = Strangers::new(desk.clock().millis());
        let (pending, prompts) = (Pending::default(), Prompts::default());
        let refusals = Refusals::default();
        Self {
            delivery,
            desk,
            board,
            coordinator,
            gate,
            me,
            project,
            pending,
            prompts,
            strangers,
            refusals,
            update: 0,
        }
    }

    /// Handles an update. An error ends the bot; everything else is said in the chat.
    pub(crate) fn handle(&mut self, update: &Update) -> Result<(), ApiError> {
        self.update = update.id;
        match &update.content {
            Content::Message(message) => self.message(message),
            Content::Button(pressed) => self.press(pressed),
            Content::Other => Ok(()),
        }
    }

    fn message(&mut self, message: &IncomingMessage) -> Result<(), ApiError> {
        let sender = Sender { chat: message.chat, user: message.from.id };
        let speaker = Speaker { sender, lang: message.from.lang };
        let command = command::parse(&message.text, &self.me.username);
        let prompt = self.prompt(message).filter(|_| command.is_none());
        if command == Some(Command::ForOther) {
            return Ok(());
        }
        if let Err(refusal) = self.gate.admit_read(sender) {
            let verb = match (command, prompt) {
                (Some(Command::Order(verb, _)), _) => Some(verb),
                (_, prompt) => prompt.map(|it| it.verb),
            };
            if let Some(verb) = verb {
                self.record_gate(sender, None, verb, (None, refusal));
            }
            let is_addressed = message.is_private || command.is_some();
            if is_addressed && self.strangers.may_answer(message.chat, self.desk.clock().millis()) {
                self.send(message.chat, &sentence(&said(&refusal, speaker.lang)))?;
            }
            return Ok(());
        }
        if let Some(prompt) = prompt {
            return self.replied(speaker, message, prompt);
        }
        let reader = self.reader(speaker);
        let answer = match command {
            Some(Command::Start) => view::welcome(message.chat, reader),
            Some(Command::Help) => view::help(reader),
            Some(Command::List) => self.list(ListEnd::Start, reader),
            Some(Command::Inbox) => self.inbox(0, reader),
            Some(Command::Task("")) => view::sentence(&usage("task"), reader.lang),
            Some(Command::Task(given)) => match self.desk.meant(Some(given)) {
                Ok(task) => self.page(&task, TaskPage::Card, reader),
                Err(error) => sentence(&said(&error, reader.lang)),
            },
            Some(Command::Order(verb, rest)) => {
                return self.order_by_command(speaker, message, verb, rest);
            }
            Some(Command::Unknown) => view::sentence(&Word::UnknownCommand, reader.lang),
            None if message.is_private
                || message.reply_to.as_ref().is_some_and(|it| it.author == Some(self.me.id)) =>
            {
                view::help(reader)
            }
            Some(Command::ForOther) | None => return Ok(()),
        };
        self.send(message.chat, &answer)
    }

    /// The order that a person replies to a prompt of, or that a message of the bot offers by a button for
    /// an answer. In a private chat, what is said next after a prompt is a reply to it.
    fn prompt(&mut self, message: &IncomingMessage) -> Option<OrderButton> {
        let now = self.desk.clock().millis();
        let Some(replied) = &message.reply_to else {
            let asked = self.prompts.take((message.chat, message.from.id), now);
            return asked.filter(|_| message.is_private && !message.text.starts_with('/'));
        };
        if replied.author != Some(self.me.id) {
            return None;
        }
        // A prompt has no buttons. The last line of any other message can be an agent's.
        if replied.buttons.is_empty() {
            return replied.text.lines().last().and_then(|it| it.trim().parse().ok());
        }
        // A digest may ask for several tasks: its reply would be a guess.
        let mut asked = replied.buttons.iter().filter_map(|it| answered_by(it));
        asked.next().filter(|_| asked.next().is_none())
    }

    /// Handles a button. It is always answered, so that the client stops waiting.
    fn press(&mut self, pressed: &PressedButton) -> Result<(), ApiError> {
        let sender = Sender { chat: pressed.chat, user: pressed.from.id };
        let speaker = Speaker { sender, lang: pressed.from.lang };
        let press = pressed.data.parse::<Press>();
        let notice = match (press, self.gate.admit_read(sender)) {
            (press, Err(refusal)) => {
                if let Ok(Press::Order(order) | Press::Confirm(order)) = press {
                    self.record_gate(sender, None, order.verb, (None, refusal));
                }
                Some(said(&refusal, speaker.lang))
            }
            (Err(_), Ok(())) => Some(Word::Expired.say(speaker.lang)),
            (Ok(press), Ok(())) => self.pressed(speaker, pressed, press)?,
        };
        self.delivery.answer(&pressed.id, notice.as_deref())
    }

    /// What a button does; gives what is said above the chat.
    fn pressed(
        &mut self,
        speaker: Speaker,
        pressed: &PressedButton,
        press: Press,
    ) -> Result<Option<String>, ApiError> {
        let reader = self.reader(speaker);
        // Who may not confirm an order does not take its question away either.
        if let Err(refusal) = self.gate.check_write(speaker.sender)
            && self.pending.is_open((pressed.chat, pressed.message))
            && !matches!(press, Press::Order(_) | Press::Confirm(_))
        {
            return Ok(Some(said(&refusal, speaker.lang)));
        }
        let misled = |it: &AddressError| Some(self.astray(it, speaker.lang));
        let answer = match press {
            Press::List(from) => self.list(from, reader),
            Press::Inbox { project, .. } if project != self.desk.project_ref() => {
                return Ok(misled(&AddressError::OtherProject));
            }
            Press::Inbox { skipped, .. } => self.inbox(usize::from(skipped), reader),
            Press::Show { page, task } => match self.shown(task) {
                Ok(task) => self.page(&task, page, reader),
                Err(error) => return Ok(misled(&error)),
            },
            Press::Order(order) => match self.addressed(order.task) {
                Ok(task) => return self.order_by_button(speaker, pressed, &task, order),
                Err(error) => return Ok(Some(self.misled(speaker, order.verb, &error))),
            },
            Press::Confirm(order) => match self.addressed(order.task) {
                Ok(task) => return self.confirmed(speaker, pressed, &task, order),
                Err(error) => return Ok(Some(self.misled(speaker, order.verb, &error))),
            },
        };
        self.pending.close((pressed.chat, pressed.message));
        self.delivery.edit(pressed.chat, pressed.message, &answer)?;
        Ok(None)
    }

    /// The task that something was shown of, also one that was made since the last look.
    fn shown(&self, shown: ShownTask) -> Result<TaskId, AddressError> {
        self.swept(|board| board.shown(shown))
    }

    /// The same for the task that an order is about.
    fn addressed(&self, address: TaskAddress) -> Result<TaskId, AddressError> {
        self.swept(|board| board.addressed(address))
    }

    fn swept(
        &self,
        find: impl Fn(&Board) -> Result<TaskId, AddressError>,
    ) -> Result<TaskId, AddressError> {
        match find(&self.board) {
            Err(AddressError::Gone) if self.board.sweep().is_ok() => find(&self.board),
            found => found,
        }
    }

    /// What is said of a button that leads to nothing here.
    fn astray(&self, error: &AddressError, lang: Lang) -> String {
        match error {
            AddressError::OtherProject => {
                Word::OtherProject { project: self.project.clone() }.say(lang)
            }
            AddressError::Gone => Word::Expired.say(lang),
            AddressError::MadeAgain { .. } => said(error, lang),
        }
    }

    fn reader(&self, speaker: Speaker) -> Reader {
        let may_order = self.gate.check_write(speaker.sender).is_ok();
        Reader { lang: speaker.lang, may_order, project: self.desk.project_ref() }
    }

    fn list(&self, from: ListEnd, reader: Reader) -> Outgoing {
        if let Err(error) = self.board.sweep() {
            return sentence(&said(&error, reader.lang));
        }
        // A place that is gone is as good as the start.
        let part = self.board.part(from, PAGE).or_else(|| self.board.part(ListEnd::Start, PAGE));
        match part {
            Some(part) => view::list(&part, reader),
            None => view::sentence(&Word::Expired, reader.lang),
        }
    }

    fn inbox(&self, skipped: usize, reader: Reader) -> Outgoing {
        match self.board.sweep() {
            Ok(_) => view::inbox(&self.board.inbox(), skipped, reader),
            Err(error) => sentence(&said(&error, reader.lang)),
        }
    }

    fn page(&self, task: &TaskId, page: TaskPage, reader: Reader) -> Outgoing {
        self.read_page(task, page, reader)
            .unwrap_or_else(|error| sentence(&said(&error, reader.lang)))
    }

    fn read_page(
        &self,
        task: &TaskId,
        page: TaskPage,
        reader: Reader,
    ) -> Result<Outgoing, DeskError> {
        if page == TaskPage::Events {
            let newest = self.desk.events(task, 0, usize::MAX)?;
            return Ok(view::events(task, &newest, reader));
        }
        let (detail, address) = (self.desk.detail(task)?, self.desk.address(task)?);
        Ok(match page {
            TaskPage::Card | TaskPage::Events => {
                let answers = self.desk.response(&detail.status)?.answers;
                view::card(&detail, (&answers, address), reader)
            }
            TaskPage::Attempts => view::attempts(&detail, reader),
            TaskPage::Criteria => view::criteria(&detail, reader),
            TaskPage::Questions => {
                let answers = self.desk.response(&detail.status)?.answers;
                view::questions(&detail, (&answers, address), reader)
            }
        })
    }

    fn send(&self, chat: i64, message: &Outgoing) -> Result<(), ApiError> {
        self.delivery.send(chat, message).map(drop)
    }
}

/// The order of a button, if it asks for an answer.
fn answered_by(data: &str) -> Option<OrderButton> {
    match data.parse() {
        Ok(Press::Order(button)) if button.verb == Verb::Answer => Some(button),
        Ok(_) | Err(_) => None,
    }
}

/// How a command is used.
fn usage(name: &str) -> Word {
    Word::Usage { usage: usage_line(name) }
}

fn usage_line(name: &str) -> String {
    let all = view::commands();
    let found = all.iter().find(|(command, ..)| *command == name);
    let usage = found.map(|(command, arguments, _)| format!("/{command} {arguments}"));
    usage.unwrap_or_default()
}

fn verb_usage(verb: Verb, task: &str) -> Word {
    let usage = usage_line(verb.word());
    if verb == Verb::Override {
        let task = if task.is_empty() { "ID" } else { task };
        return Word::UsageOfOverride { usage, command: format!("/override {task}") };
    }
    Word::Usage { usage }
}

/// A text as a message.
fn sentence(text: &str) -> Outgoing {
    view::message(&[html::escape(text)], Vec::new())
}

/// What a refusal says, with its first hint. No place of this machine is named.
fn said(message: &dyn Message, lang: Lang) -> String {
    let text = message.text();
    if names_a_path(&text) {
        return Word::Unable.say(lang);
    }
    let hints = message.hints();
    let hint = hints.iter().find(|it| !names_a_path(it)).map(|it| lang.render(it));
    let parts: Vec<String> = std::iter::once(lang.render(&text)).chain(hint).collect();
    view::in_chat(&parts.join(lang.pick("; ", "；")), None)
}
