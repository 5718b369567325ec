//! What the person sees and does: a pure state, changed by keys and by what the desk answers.
//!
//! Nothing here draws, reads or waits. A key gives at most one [`Effect`], which the worker carries
//! out and answers.

mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use provost_desk::task::Seen;
use provost_kernel::{Lang, Message as _, Text, Timestamp};

pub(crate) use self::draft::{Draft, Stage};
use crate::{
    clean::clean,
    input::Input,
    keys::{self, Command, Shortcut},
    look::{Look, Tone},
    model::{Board, Detail, Offer, Paper},
    words::Word,
};

/// Everything that is shown.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) lang: Lang,
    pub(crate) look: Look,
    /// The name of the project.
    pub(crate) project: String,
    pub(crate) now: Timestamp,
    pub(crate) board: Option<Board>,
    /// Why the board could not be read again, and since when it is old.
    pub(crate) stale: Option<(String, Timestamp)>,
    pub(crate) chain: Option<bool>,
    pub(crate) only: Only,
    pub(crate) filter: Input,
    /// The id of the selected task: a new board keeps it.
    pub(crate) selected: Option<String>,
    pub(crate) detail: Option<Detail>,
    pub(crate) pane: Pane,
    /// How far the detail is scrolled.
    pub(crate) scroll: usize,
    pub(crate) mode: Mode,
    pub(crate) notice: Option<Notice>,
    /// An order that was asked for while its task was still being read.
    wanted: Option<Shortcut>,
    /// How many rows a page has.
    pub(crate) page: usize,
    is_going: bool,
}

/// Which tasks are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    All,
    Inbox,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    List,
    Detail,
}

/// What lies on top, and takes the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Browse,
    /// One task on the whole screen.
    Task,
    Filter,
    /// The orders that the task takes.
    Orders {
        at: usize,
    },
    Order(Box<Draft>),
    Paper {
        paper: Paper,
        top: usize,
        of: PaperOf,
    },
    Help,
}

/// What a paper shows, so that it can be asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaperOf {
    Diff,
    Log(LogStep),
}

/// A step whose output can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogStep {
    Prepare,
    Agent,
    Test,
    Judge,
}

impl LogStep {
    const ALL: [Self; 4] = [Self::Prepare, Self::Agent, Self::Test, Self::Judge];

    fn beside(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|it| *it == self).unwrap_or_default();
        let step = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(at + step) % Self::ALL.len()]
    }
}

/// A line that stays until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// What a key asks of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Quit,
    Redraw,
    /// Read a task.
    Look(String),
    Diff(String),
    Log(String, LogStep),
    Send(Box<Sent>),
}

/// An order on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) task: String,
    pub(crate) offer: Offer,
    pub(crate) values: Vec<(String, String)>,
    pub(crate) seen: Seen,
}

impl App {
    pub(crate) fn new(lang: Lang, look: Look, project: &str, now: Timestamp) -> Self {
        Self {
            lang,
            look,
            project: clean(project),
            now,
            board: None,
            stale: None,
            chain: None,
            only: Only::All,
            filter: Input::default(),
            selected: None,
            detail: None,
            pane: Pane::List,
            scroll: 0,
            mode: Mode::Browse,
            notice: None,
            wanted: None,
            page: 10,
            is_going: false,
        }
    }

    /// A text of ours in the language of the reader.
    pub(crate) fn say(&self, text: &Text) -> String {
        self.lang.render(text)
    }

    pub(crate) fn word(&self, word: Word) -> String {
        self.say(&word.text())
    }

    /// The detail of the selected task, if it is there.
    pub(crate) fn shown_detail(&self) -> Option<&Detail> {
        let selected = self.selected.as_ref()?;
        self.detail.as_ref().filter(|it| it.id == *selected)
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let command = keys::command(key);
        if command == Some(Command::Redraw) {
            return Some(Effect::Redraw);
        }
        // Always leaves, also from the middle of a text.
        if key.code == KeyCode::Char('c') && command == Some(Command::Quit) {
            return Some(Effect::Quit);
        }
        self.notice = None;
        self.wanted = None;
        match &mut self.mode {
            Mode::Browse | Mode::Task => self.browse(key, command),
            Mode::Filter => self.filter_key(key),
            Mode::Orders { .. } => self.orders_key(command),
            Mode::Order(_) => self.draft_key(key),
            Mode::Paper { .. } => self.paper_key(command),
            Mode::Help => {
                self.mode = Mode::Browse;
                None
            }
        }
    }

    /// Takes a text that was pasted; outside of a field it means nothing.
    pub(crate) fn paste(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Filter => self.filter.paste(text, true),
            Mode::Order(draft) => draft.paste(text),
            Mode::Browse | Mode::Task | Mode::Orders { .. } | Mode::Paper { .. } | Mode::Help => {}
        }
    }

    /// Whether a `y` would order something: what was typed before the question was shown is not an
    /// answer to it.
    pub(crate) fn asks(&self) -> bool {
        matches!(&self.mode, Mode::Order(draft) if draft.stage == Stage::Confirming)
    }

    fn browse(&mut self, key: KeyEvent, command: Option<Command>) -> Option<Effect> {
        if std::mem::take(&mut self.is_going) {
            return self.go(key);
        }
        let is_task = self.mode == Mode::Task;
        match command? {
            Command::Down => self.moved(1),
            Command::Up => self.moved(-1),
            Command::PageDown => self.moved(isize::try_from(self.page).unwrap_or(1)),
            Command::PageUp => self.moved(-isize::try_from(self.page).unwrap_or(1)),
            Command::First => self.moved(isize::MIN),
            Command::Last => self.moved(isize::MAX),
            Command::Open => {
                self.selected.as_ref()?;
                self.mode = Mode::Task;
                self.scroll = 0;
                None
            }
            Command::Back if is_task => {
                self.mode = Mode::Browse;
                self.scroll = 0;
                None
            }
            Command::Back => {
                if self.pane == Pane::Detail {
                    self.pane = Pane::List;
                } else {
                    self.filter = Input::default();
                    self.only = Only::All;
                }
                self.keep_selection()
            }
            Command::SwitchPane => {
                self.pane = match self.pane {
                    Pane::List => Pane::Detail,
                    Pane::Detail => Pane::List,
                };
                None
            }
            Command::Group(number) => self.select_group(number),
            Command::Order(shortcut) => self.start(shortcut),
            Command::Orders => {
                self.selected.as_ref()?;
                self.mode = Mode::Orders { at: 0 };
                None
            }
            Command::Diff => self.selected.clone().map(Effect::Diff),
            Command::Log => self.selected.clone().map(|it| Effect::Log(it, self.likely_step())),
            Command::NextPart | Command::PreviousPart | Command::Redraw => None,
            Command::Filter => {
                self.mode = Mode::Filter;
                None
            }
            Command::Goto => {
                self.is_going = true;
                None
            }
            Command::Help => {
                self.mode = Mode::Help;
                None
            }
            Command::Quit => Some(Effect::Quit),
        }
    }

    /// The second key of `g`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
    fn go(&mut self, key: KeyEvent) -> Option<Effect> {
        let only = match key.code {
            KeyCode::Char('i') => Only::Inbox,
            KeyCode::Char('t') => Only::All,
            KeyCode::Char('s' | 'e' | 'l' | 'g' | 'a') => {
                self.tell(Tone::Plain, Word::OnThePage);
                return None;
            }
            _ => return None,
        };
        self.mode = Mode::Browse;
        self.only = only;
        self.keep_selection()
    }

    /// Moves in the list, or scrolls the detail.
    fn moved(&mut self, by: isize) -> Option<Effect> {
        if self.mode == Mode::Task || self.pane == Pane::Detail {
            let last = self.shown_detail().map_or(0, |it| it.lines.len() + it.offers.len());
            self.scroll = self.scroll.saturating_add_signed(by).min(last);
            return None;
        }
        self.select_by(by)
    }

    /// Starts an order of the selected task.
    pub(super) fn start(&mut self, shortcut: Shortcut) -> Option<Effect> {
        let task = self.selected.clone()?;
        let Some(detail) = self.shown_detail() else {
            self.tell(Tone::Plain, Word::ReadingTask);
            self.wanted = Some(shortcut);
            return Some(Effect::Look(task));
        };
        let mut actions = shortcut.actions().iter();
        let offer = actions.find_map(|name| detail.offers.iter().find(|it| it.action == *name));
        match offer.cloned() {
            Some(offer) => self.open_draft(offer),
            None => self.tell(Tone::Wait, Word::NotNow { task }),
        }
        None
    }

    fn open_draft(&mut self, offer: Offer) {
        let Some(detail) = self.shown_detail() else { return };
        let back = Box::new(if self.mode == Mode::Task { Mode::Task } else { Mode::Browse });
        self.mode = Mode::Order(Box::new(Draft::new(detail, offer, back)));
    }

    fn orders_key(&mut self, command: Option<Command>) -> Option<Effect> {
        let offers = self.shown_detail().map_or(0, |it| it.offers.len());
        let Mode::Orders { at } = &mut self.mode else { return None };
        match command? {
            Command::Down => *at = (*at + 1).min(offers.saturating_sub(1)),
            Command::Up => *at = at.saturating_sub(1),
            Command::Back | Command::Quit => self.mode = Mode::Browse,
            Command::Open => {
                let at = *at;
                let offer = self.shown_detail().and_then(|it| it.offers.get(at)).cloned();
                self.mode = Mode::Browse;
                if let Some(offer) = offer {
                    self.open_draft(offer);
                }
            }
            Command::PageDown
            | Command::PageUp
            | Command::First
            | Command::Last
            | Command::SwitchPane
            | Command::Group(_)
            | Command::Order(_)
            | Command::Orders
            | Command::Diff
            | Command::Log
            | Command::NextPart
            | Command::PreviousPart
            | Command::Filter
            | Command::Goto
            | Command::Help
            | Command::Redraw => {}
        }
        None
    }

    fn paper_key(&mut self, command: Option<Command>) -> Option<Effect> {
        let page = self.page;
        let Mode::Paper { paper, top, of } = &mut self.mode else { return None };
        let last = paper.lines.len().saturating_sub(1);
        match command? {
            Command::Down => *top = (*top + 1).min(last),
            Command::Up => *top = top.saturating_sub(1),
            Command::PageDown => *top = (*top + page).min(last),
            Command::PageUp => *top = top.saturating_sub(page),
            Command::First => *top = 0,
            Command::Last => *top = last.saturating_sub(page.saturating_sub(1)),
            Command::Back | Command::Quit => self.mode = Mode::Browse,
            Command::NextPart | Command::PreviousPart => {
                let forward = command == Some(Command::NextPart);
                match of {
                    PaperOf::Diff => {
                        let next = if forward {
                            paper.parts.iter().find(|it| **it > *top)
                        } else {
                            paper.parts.iter().rfind(|it| **it < *top)
                        };
                        *top = next.copied().unwrap_or(*top);
                    }
                    PaperOf::Log(step) => {
                        let step = step.beside(forward);
                        return self.selected.clone().map(|it| Effect::Log(it, step));
                    }
                }
            }
            Command::Open
            | Command::SwitchPane
            | Command::Group(_)
            | Command::Order(_)
            | Command::Orders
            | Command::Diff
            | Command::Log
            | Command::Filter
            | Command::Goto
            | Command::Help
            | Command::Redraw => {}
        }
        None
    }

    pub(crate) fn tell(&mut self, tone: Tone, word: Word) {
        self.notice = Some(Notice { tone, text: self.word(word) });
    }
}
