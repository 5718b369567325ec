//! Orders from a chat: admitted by the gate, confirmed where they cannot be undone, and given to the desk
//! under an id that a repetition has too.

use provost_desk::{
    DeskError,
    board::{AddressError, ShownTask},
    remote::{RemoteRefusal, Sender},
    task::{Decision, PlaceError, PlacedOrder, Placement, Seen},
};
use provost_kernel::{
    Digest, IdError, Lang, Message, RequestId, TaskId,
    task::{ChangeKind, Order, Overrides, SpecChange, State, Status},
};
use serde_json::Value;

use super::{Chats, Speaker, pending::Asked, record::actor, said, sentence, verb_usage};
use crate::{
    ApiError, IncomingMessage, Markup, Outgoing, PressedButton,
    callback::{OrderButton, Press, TaskPage, Verb},
    command, html,
    view::{self, Reader},
    words::Word,
};

/// The code of what is refused because no guard was tested.
const UNPROVEN: &str = "task.unproven";

/// An order that is meant.
struct Ask<'a> {
    task: &'a TaskId,
    verb: Verb,
    order: Order,
    seen: Option<Seen>,
    /// What the request id is made of: the message, and what was asked for by it.
    origin: String,
}

/// What became of an order.
struct Outcome {
    text: String,
    is_refused: bool,
    /// Whether the task waits for another order.
    needs_more: bool,
}

/// Why an order was not given.
enum Failure {
    Gate(RemoteRefusal),
    Place(PlaceError),
}

impl Chats {
    pub(super) fn order_by_command(
        &mut self,
        speaker: Speaker,
        message: &IncomingMessage,
        verb: Verb,
        rest: &str,
    ) -> Result<(), ApiError> {
        let (chat, lang) = (message.chat, speaker.lang);
        let (given, text) = command::split(rest);
        if let Err(refusal) = self.gate.check_write(speaker.sender) {
            let task = given.parse().ok();
            self.record_gate(speaker.sender, task.as_ref(), verb, (None, refusal));
            return self.send(chat, &sentence(&said(&refusal, lang)));
        }
        let Some(order) = order(verb, text).filter(|_| !given.is_empty()) else {
            return self.send(chat, &view::sentence(&verb_usage(verb, given), lang));
        };
        let task = match self.desk.meant(Some(given)) {
            Ok(task) => task,
            Err(error) => {
                self.record_failed(speaker.sender, None, verb, &error);
                return self.send(chat, &sentence(&said(&error, lang)));
            }
        };
        let origin = format!("message:{chat}:{}:{}", message.message, verb.word());
        self.ask_or_give(speaker, &task, verb, order, origin)
    }

    /// A reply to a prompt for an answer, a reason or a field.
    pub(super) fn replied(
        &mut self,
        speaker: Speaker,
        message: &IncomingMessage,
        prompt: OrderButton,
    ) -> Result<(), ApiError> {
        let (chat, lang, verb) = (message.chat, speaker.lang, prompt.verb);
        let task = match self.addressed(prompt.task) {
            Ok(task) => task,
            Err(error) => {
                let text = self.misled(speaker, verb, &error);
                return self.send(chat, &sentence(&text));
            }
        };
        if let Err(refusal) = self.gate.check_write(speaker.sender) {
            self.record_gate(speaker.sender, Some(&task), verb, (None, refusal));
            return self.send(chat, &sentence(&said(&refusal, lang)));
        }
        let Some(order) = order(verb, message.text.trim()) else {
            let usage = verb_usage(verb, task.as_str());
            return self.send(chat, &view::sentence(&usage, lang));
        };
        let origin = format!("message:{chat}:{}:{}", message.message, verb.word());
        if verb.confirms() {
            return self.ask_or_give(speaker, &task, verb, order, origin);
        }
        let ask = Ask { task: &task, verb, order, seen: Some(prompt.seen), origin };
        let outcome = self.give(speaker, ask);
        self.tell(speaker, &task, &outcome)
    }

    /// Says what became of an order. Where more is needed, the card with its buttons comes behind it.
    fn tell(&self, speaker: Speaker, task: &TaskId, outcome: &Outcome) -> Result<(), ApiError> {
        let chat = speaker.sender.chat;
        self.send(chat, &sentence(&outcome.text))?;
        if outcome.needs_more {
            let card = self.page(task, TaskPage::Card, self.reader(speaker));
            self.send(chat, &card)?;
        }
        Ok(())
    }

    /// Asks once more for what cannot be undone, and gives everything else.
    fn ask_or_give(
        &mut self,
        speaker: Speaker,
        task: &TaskId,
        verb: Verb,
        order: Order,
        origin: String,
    ) -> Result<(), ApiError> {
        let (chat, lang) = (speaker.sender.chat, speaker.lang);
        if !self.confirms(verb, task) {
            let outcome = self.give(speaker, Ask { task, verb, order, seen: None, origin });
            return self.tell(speaker, task, &outcome);
        }
        // What the task would refuse is not asked about.
        let looked = self.desk.check_order(task, &order).and_then(|()| self.desk.look(task));
        let found = looked.and_then(|it| Ok((it.status.value, self.desk.address(task)?)));
        let (status, address) = match found {
            Ok(found) => found,
            Err(error) => {
                self.record_failed(speaker.sender, Some(task), verb, &error);
                return self.send(chat, &sentence(&said(&error, lang)));
            }
        };
        let seen = Seen { attempt: status.current_attempt, state_version: status.state_version };
        let button = OrderButton { verb, task: address, seen };
        let asked = confirmation(task, button, &order, self.reader(speaker));
        if let Some(id) = self.delivery.send(chat, &asked)? {
            self.pending.keep((chat, id), Asked { button, order, is_open: true });
        }
        Ok(())
    }

    /// Whether a person is asked once more: where something is lost that cannot be got back.
    fn confirms(&self, verb: Verb, task: &TaskId) -> bool {
        let is_result = || {
            let status = self.desk.look(task).map(|it| it.status.value);
            status.is_ok_and(|it| it.state == State::ReadyForReview)
        };
        verb.confirms() || (verb == Verb::Resume && is_result())
    }

    /// Refuses an order that is about nothing here, and says why.
    pub(super) fn misled(&mut self, speaker: Speaker, verb: Verb, error: &AddressError) -> String {
        let task = match error {
            AddressError::MadeAgain { task } => Some(task),
            AddressError::OtherProject | AddressError::Gone => None,
        };
        if let Err(refusal) = self.gate.check_write(speaker.sender) {
            self.record_gate(speaker.sender, task, verb, (None, refusal));
            return said(&refusal, speaker.lang);
        }
        self.record_failed(speaker.sender, task, verb, error);
        self.astray(error, speaker.lang)
    }

    /// The button of an order on a card.
    pub(super) fn order_by_button(
        &mut self,
        speaker: Speaker,
        pressed: &PressedButton,
        task: &TaskId,
        button: OrderButton,
    ) -> Result<Option<String>, ApiError> {
        let (lang, verb) = (speaker.lang, button.verb);
        if let Err(refusal) = self.gate.check_write(speaker.sender) {
            self.record_gate(speaker.sender, Some(task), verb, (None, refusal));
            return Ok(Some(said(&refusal, lang)));
        }
        let name = task.to_string();
        let (ask, placeholder) = match verb {
            Verb::Answer => (Word::AskAnswer { task: name }, Word::YourAnswer),
            Verb::Reject => (Word::AskReason { task: name }, Word::TheReason),
            Verb::Override => (Word::AskOverride { task: name }, Word::FieldValue),
            Verb::Approve => {
                return self.ask_by_button(speaker, pressed, task, button, Order::Approve);
            }
            Verb::Pause => {
                return self.give_by_button(speaker, pressed, task, button, Order::Pause);
            }
            Verb::Resume if self.confirms(verb, task) => {
                return self.ask_by_button(speaker, pressed, task, button, Order::Resume);
            }
            Verb::Resume => {
                return self.give_by_button(speaker, pressed, task, button, Order::Resume);
            }
        };
        let lines = [html::escape(&ask.say(lang)), html::code(&button.to_string())];
        let markup = Markup::Reply { placeholder: placeholder.say(lang) };
        let prompt = Outgoing { markup, ..view::message(&lines, Vec::new()) };
        self.delivery.send(pressed.chat, &prompt)?;
        let from = (speaker.sender.chat, speaker.sender.user);
        self.prompts.keep(from, button, self.desk.clock().millis());
        Ok(None)
    }

    /// Asks once more in the place of the card.
    fn ask_by_button(
        &mut self,
        speaker: Speaker,
        pressed: &PressedButton,
        task: &TaskId,
        button: OrderButton,
        order: Order,
    ) -> Result<Option<String>, ApiError> {
        let decision = Decision::of(&order);
        let seen = |it: &Status| self.desk.check_seen(button.seen, it, decision);
        let looked = self.desk.look(task).and_then(|it| seen(&it.status.value));
        if let Err(error) = looked {
            self.record_failed(speaker.sender, Some(task), button.verb, &error);
            let text = said(&error, speaker.lang);
            let card = self.page(task, TaskPage::Card, self.reader(speaker)).below(&text);
            self.delivery.edit(pressed.chat, pressed.message, &card)?;
            return Ok(Some(text));
        }
        let asked = confirmation(task, button, &order, self.reader(speaker));
        self.delivery.edit(pressed.chat, pressed.message, &asked)?;
        self.pending.keep((pressed.chat, pressed.message), Asked { button, order, is_open: true });
        Ok(None)
    }

    /// The button that says that an order is meant.
    pub(super) fn confirmed(
        &mut self,
        speaker: Speaker,
        pressed: &PressedButton,
        task: &TaskId,
        button: OrderButton,
    ) -> Result<Option<String>, ApiError> {
        let kept = self.pending.find((pressed.chat, pressed.message), button);
        if let Some(asked) = kept {
            if self.gate.check_write(speaker.sender).is_ok() {
                self.pending.close((pressed.chat, pressed.message));
            }
            return self.give_by_button(speaker, pressed, task, button, asked.order);
        }
        if let Err(refusal) = self.gate.check_write(speaker.sender) {
            self.record_gate(speaker.sender, Some(task), button.verb, (None, refusal));
            return Ok(Some(said(&refusal, speaker.lang)));
        }
        // One that took effect before the bot was restarted is not refused for that.
        let given = request_id(&origin(pressed, button));
        if given.is_ok_and(|it| self.desk.is_placed(task, &it).unwrap_or(false)) {
            let what = view::verb(button.verb).say(speaker.lang);
            let said = Word::Repeated { what, task: task.to_string() }.say(speaker.lang);
            let project = self.project.clone();
            return Ok(Some(Word::InProject { said, project }.say(speaker.lang)));
        }
        self.record_refused(speaker.sender, Some(task), button.verb, (None, "expired"));
        Ok(Some(Word::Expired.say(speaker.lang)))
    }

    fn give_by_button(
        &mut self,
        speaker: Speaker,
        pressed: &PressedButton,
        task: &TaskId,
        button: OrderButton,
        order: Order,
    ) -> Result<Option<String>, ApiError> {
        let origin = origin(pressed, button);
        let (verb, seen) = (button.verb, Some(button.seen));
        let outcome = self.give(speaker, Ask { task, verb, order, seen, origin });
        let mut card = self.page(task, TaskPage::Card, self.reader(speaker));
        if outcome.is_refused {
            // What is said above the chat is gone after seconds.
            card = card.below(&outcome.text);
        }
        self.delivery.edit(pressed.chat, pressed.message, &card)?;
        Ok(Some(outcome.text))
    }

    /// Gives an order, and says what became of it.
    fn give(&mut self, speaker: Speaker, ask: Ask<'_>) -> Outcome {
        let (lang, task, verb) = (speaker.lang, ask.task.clone(), ask.verb);
        let refused = |text| Outcome { text, is_refused: true, needs_more: false };
        // Several projects may be told of in one chat.
        let project = self.project.clone();
        let taken = |word: &Word| Outcome {
            text: Word::InProject { said: word.say(lang), project: project.clone() }.say(lang),
            is_refused: false,
            needs_more: matches!(word, Word::Held { .. } | Word::StaysPaused { .. }),
        };
        let request_id = match request_id(&ask.origin) {
            Ok(id) => id,
            Err(error) => return refused(said(&error, lang)),
        };
        let what = view::verb(verb).say(lang);
        match self.place(speaker.sender, ask, &request_id) {
            Ok(PlacedOrder { held: Some(held), .. }) => {
                let why = unplaced(&task, &held, lang);
                taken(&Word::Held { task: task.to_string(), why })
            }
            Ok(placed) => {
                let task = task.to_string();
                let is_paused = placed.receipt.state == State::Paused;
                let word = if placed.receipt.deduplicated {
                    Word::Repeated { what, task }
                } else if placed.started {
                    Word::Started { what, task }
                } else if verb == Verb::Answer && is_paused {
                    Word::StaysPaused { task }
                } else if placed.receipt.applied {
                    Word::Done { what, task }
                } else {
                    Word::Recorded { what, task }
                };
                taken(&word)
            }
            Err(Failure::Gate(refusal)) => {
                let why = (Some(&request_id), refusal);
                self.record_gate(speaker.sender, Some(&task), verb, why);
                refused(said(&refusal, lang))
            }
            Err(Failure::Place(error)) => {
                let text = error.text();
                let code = (Some(&request_id), text.code().unwrap_or("refused"));
                self.record_refused(speaker.sender, Some(&task), verb, code);
                refused(unplaced(&task, &error, lang))
            }
        }
    }

    fn place(
        &mut self,
        sender: Sender,
        ask: Ask<'_>,
        request_id: &RequestId,
    ) -> Result<PlacedOrder, Failure> {
        let Ask { task, order, seen, .. } = ask;
        let is_known = self.desk.is_placed(task, request_id).map_err(Failure::desk)?;
        if is_known {
            self.gate.check_write(sender).map_err(Failure::Gate)?;
        } else {
            let delivery = format!("{}:{}", self.me.id, self.update);
            let admitted = self.desk.admit_order(&self.gate, sender, &delivery);
            admitted.map_err(|it| Failure::desk(it.into()))?.map_err(Failure::Gate)?;
            if let Some(seen) = seen {
                let status = self.desk.look(task).map_err(Failure::desk)?.status.value;
                let decision = Decision::of(&order);
                self.desk.check_seen(seen, &status, decision).map_err(Failure::desk)?;
            }
        }
        let is_answer = matches!(order, Order::Answer { .. });
        let (request_id, actor) = (request_id.clone(), actor(sender));
        let placement = Placement { task, order, request_id, actor, seen };
        let placed = if is_answer {
            self.desk.tell(&*self.coordinator, placement)
        } else {
            self.desk.place(&*self.coordinator, placement)
        };
        // A board that cannot be brought up to date is swept before it is shown again.
        let _ = self.board.refresh(task);
        placed.map_err(Failure::Place)
    }
}

impl Failure {
    fn desk(error: DeskError) -> Self {
        Self::Place(PlaceError::from(error))
    }
}

/// Why an order was not placed; where nothing may run unattended, with what goes on all the same.
fn unplaced(task: &TaskId, error: &PlaceError, lang: Lang) -> String {
    let text = said(error, lang);
    if !error.text().code().is_some_and(|it| it.starts_with(UNPROVEN)) {
        return text;
    }
    let ways = Word::GoesOnElsewhere { resume: format!("provost resume {task}") }.say(lang);
    format!("{text}{}{ways}", lang.pick(". ", "。"))
}

/// What a pressed button is known by.
fn origin(pressed: &PressedButton, button: OrderButton) -> String {
    format!("button:{}:{}:{button}", pressed.chat, pressed.message)
}

/// The same whenever the same message or button comes again.
fn request_id(origin: &str) -> Result<RequestId, IdError> {
    let digest = Digest::of_bytes(origin.as_bytes()).to_string();
    format!("tg-{}", digest.chars().take(32).collect::<String>()).parse()
}

/// The order of a command; none where it lacks what it needs.
fn order(verb: Verb, text: &str) -> Option<Order> {
    let is_filled = !text.is_empty();
    match verb {
        Verb::Pause => Some(Order::Pause),
        Verb::Resume => Some(Order::Resume),
        Verb::Approve => Some(Order::Approve),
        Verb::Answer => is_filled.then(|| Order::Answer { text: text.to_owned() }),
        Verb::Reject => is_filled.then(|| Order::Reject { because: text.to_owned() }),
        Verb::Override => change(text),
    }
}

/// A field and its value, with a blank or `=` between them: JSON, or a text.
fn change(text: &str) -> Option<Order> {
    let (key, value) = text.split_once(|it: char| it.is_whitespace() || it == '=')?;
    let value = value.trim_start();
    let value = value.strip_prefix('=').unwrap_or(value).trim();
    if value.is_empty() {
        return None;
    }
    if key == "max_attempts" {
        let max_attempts = Some(value.parse().ok()?);
        let overrides = Overrides { max_attempts, ..Overrides::default() };
        return Some(Order::Override { overrides });
    }
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    let change = SpecChange { key: key.to_owned(), how: ChangeKind::Set, value };
    Some(Order::Set { changes: vec![change] })
}

/// Asks whether an order is meant.
fn confirmation(task: &TaskId, button: OrderButton, order: &Order, reader: Reader) -> Outgoing {
    let lang = reader.lang;
    let what = view::verb(button.verb).say(lang);
    let name = task.to_string();
    let question = match button.verb {
        Verb::Resume => Word::ConfirmResume { task: name },
        Verb::Answer | Verb::Pause | Verb::Approve | Verb::Reject | Verb::Override => {
            Word::Confirm { what, task: name, attempt: button.seen.attempt }
        }
    };
    let mut lines = vec![html::bold(&html::escape(&question.say(lang)))];
    lines.extend(payload(order).map(|it| html::isolate(&html::excerpt(&it, 1000))));
    let shown = ShownTask::of(reader.project, task);
    let card = Press::Show { page: TaskPage::Card, task: shown };
    let row = vec![
        view::button(&view::verb(button.verb), lang, Press::Confirm(button)),
        view::button(&Word::Cancel, lang, card),
    ];
    view::message(&lines, vec![row])
}

/// What is said with an order.
fn payload(order: &Order) -> Option<String> {
    match order {
        Order::Reject { because } => Some(because.clone()),
        Order::Override { overrides } => {
            overrides.max_attempts.map(|it| format!("max_attempts = {it}"))
        }
        Order::Set { changes } => {
            let lines = changes.iter().map(|it| format!("{} = {}", it.key, it.value));
            Some(lines.collect::<Vec<_>>().join(", "))
        }
        Order::Answer { .. }
        | Order::Pause
        | Order::PauseNow
        | Order::Resume
        | Order::Reset
        | Order::Rerun { .. }
        | Order::Rejudge
        | Order::Edit { .. }
        | Order::Rollback { .. }
        | Order::Approve
        | Order::Accept { .. }
        | Order::Land { .. }
        | Order::UndoLand { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_needs_what_it_says() {
        let set = |key: &str, value: Value| {
            let change = SpecChange { key: key.to_owned(), how: ChangeKind::Set, value };
            Some(Order::Set { changes: vec![change] })
        };
        let attempts = Overrides { max_attempts: Some(5), ..Overrides::default() };
        for (verb, text, expected) in [
            (Verb::Pause, "", Some(Order::Pause)),
            (Verb::Approve, "", Some(Order::Approve)),
            (Verb::Answer, "yes", Some(Order::Answer { text: "yes".to_owned() })),
            (Verb::Answer, "", None),
            (Verb::Reject, "", None),
            (Verb::Override, "max_attempts 5", Some(Order::Override { overrides: attempts })),
            (Verb::Override, "max_attempts five", None),
            (Verb::Override, "budget.usd 2.5", set("budget.usd", json!(2.5))),
            (Verb::Override, "goal mend  it", set("goal", json!("mend  it"))),
            (Verb::Override, "goal", None),
            (Verb::Override, "goal =", None),
            (Verb::Override, "budget.usd=2.5", set("budget.usd", json!(2.5))),
            (Verb::Override, "budget.usd = 2.5", set("budget.usd", json!(2.5))),
        ] {
            assert_eq!(order(verb, text), expected, "{verb:?} {text}");
        }
    }

    /// LOOP-U5.
    #[test]
    fn the_same_origin_has_the_same_request_id() {
        let id = request_id("button:-5:17:approve:ea3db06ec9ae9ba1:1.2").unwrap();
        assert_eq!(id, request_id("button:-5:17:approve:ea3db06ec9ae9ba1:1.2").unwrap());
        assert_ne!(id, request_id("button:-5:18:approve:ea3db06ec9ae9ba1:1.2").unwrap());
        assert!(id.as_str().starts_with("tg-"));
    }
}
