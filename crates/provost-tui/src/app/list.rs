//! The list: what is shown of the board, and which task is selected.

use crossterm::event::{KeyCode, KeyEvent};
use provost_kernel::task::{RunStep, TaskGroup};

use super::{App, Effect, LogStep, Mode, Notice, Only, PaperOf};
use crate::{
    input::Input,
    look::Tone,
    model::{Board, Detail, Item, Paper},
};

impl App {
    /// The tasks that are listed, in the order of their groups.
    pub(crate) fn listed(&self) -> Vec<&Item> {
        let Some(board) = &self.board else { return Vec::new() };
        let filter = self.filter.text().to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&filter);
        let is_listed = |it: &&Item| {
            (self.only == Only::All || it.group == TaskGroup::Waits)
                && (filter.is_empty() || has(&it.id) || has(&it.goal))
        };
        let mut items: Vec<&Item> = board.items.iter().filter(is_listed).collect();
        items.sort_by_key(|it| it.group);
        items
    }

    /// How many tasks of the whole board are in a group.
    pub(crate) fn count(&self, group: TaskGroup) -> usize {
        let items = self.board.iter().flat_map(|it| &it.items);
        items.filter(|it| it.group == group).count()
    }

    /// How many of those that run wait for their turn.
    pub(crate) fn queued(&self) -> usize {
        let items = self.board.iter().flat_map(|it| &it.items);
        items.filter(|it| it.group == TaskGroup::Runs && it.is_queued).count()
    }

    pub(crate) fn selected_item(&self) -> Option<&Item> {
        let selected = self.selected.as_ref()?;
        self.board.as_ref()?.items.iter().find(|it| it.id == *selected)
    }

    /// Takes over a new board. The selected task stays selected, wherever it stands now.
    pub(crate) fn take_board(&mut self, board: Board) -> Option<Effect> {
        let old = self.selected_item().map(|it| it.state_version);
        let place = self.place();
        self.board = Some(board);
        self.stale = None;
        if self.selected_item().is_none() {
            // What stood behind it moved up.
            let next = self.listed().get(place).or(self.listed().last()).map(|it| it.id.clone());
            self.selected = next;
        }
        let new = self.selected_item().map(|it| it.state_version);
        if old == new && self.shown_detail().is_some() { None } else { self.look() }
    }

    /// Takes over what was read of a task.
    pub(crate) fn take_detail(&mut self, detail: Detail) {
        if self.detail.as_ref().is_none_or(|it| it.id != detail.id) {
            self.scroll = 0;
        }
        self.detail = Some(detail);
        if self.shown_detail().is_some()
            && matches!(self.mode, Mode::Browse | Mode::Task)
            && let Some(shortcut) = self.wanted.take()
        {
            self.notice = None;
            self.start(shortcut);
        }
    }

    /// Shows a paper, where the person still waits for it.
    pub(crate) fn take_paper(&mut self, task: &str, paper: Paper, of: PaperOf) {
        if self.selected.as_deref() != Some(task) {
            return;
        }
        let end = paper.lines.len().saturating_sub(self.page);
        let top = match of {
            PaperOf::Diff => 0,
            PaperOf::Log(_) => end,
        };
        match self.mode {
            Mode::Browse | Mode::Task | Mode::Paper { .. } => {
                self.mode = Mode::Paper { paper, top, of };
            }
            Mode::Filter | Mode::Orders { .. } | Mode::Order(_) | Mode::Help => {}
        }
    }

    /// Says that something could not be read or done.
    pub(crate) fn take_trouble(&mut self, text: String) {
        self.notice = Some(Notice { tone: Tone::Bad, text });
    }

    /// The step whose output is most likely wanted.
    pub(super) fn likely_step(&self) -> LogStep {
        match self.selected_item().and_then(|it| it.running).map(|it| it.step) {
            Some(RunStep::Prepare) => LogStep::Prepare,
            Some(RunStep::Coder) => LogStep::Agent,
            Some(RunStep::Judge) => LogStep::Judge,
            Some(
                RunStep::Base
                | RunStep::Policy
                | RunStep::Test
                | RunStep::Proof
                | RunStep::Claims
                | RunStep::Landing,
            )
            | None => LogStep::Test,
        }
    }

    /// Moves the selection.
    pub(super) fn select_by(&mut self, by: isize) -> Option<Effect> {
        let last = self.listed().len().checked_sub(1)?;
        let place = self.place().saturating_add_signed(by).min(last);
        self.select(place)
    }

    /// Selects the first task of a group.
    pub(super) fn select_group(&mut self, number: usize) -> Option<Effect> {
        let group = TaskGroup::ALL.get(number)?;
        let place = self.listed().iter().position(|it| it.group == *group)?;
        self.mode = Mode::Browse;
        self.select(place)
    }

    /// Selects the first task where the selected one is no longer listed.
    pub(super) fn keep_selection(&mut self) -> Option<Effect> {
        let is_listed = self.listed().iter().any(|it| Some(&it.id) == self.selected.as_ref());
        if is_listed { None } else { self.select(0) }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
    pub(super) fn filter_key(&mut self, key: KeyEvent) -> Option<Effect> {
        match key.code {
            KeyCode::Enter => self.mode = Mode::Browse,
            KeyCode::Esc => {
                self.filter = Input::default();
                self.mode = Mode::Browse;
            }
            KeyCode::Down => return self.select_by(1),
            KeyCode::Up => return self.select_by(-1),
            _ => {
                self.filter.key(key);
            }
        }
        self.keep_selection()
    }

    fn select(&mut self, place: usize) -> Option<Effect> {
        let id = self.listed().get(place).map(|it| it.id.clone());
        if id == self.selected {
            return None;
        }
        self.selected = id;
        self.scroll = 0;
        self.look()
    }

    fn place(&self) -> usize {
        let listed = self.listed();
        let place = listed.iter().position(|it| Some(&it.id) == self.selected.as_ref());
        place.unwrap_or_default()
    }

    fn look(&self) -> Option<Effect> {
        self.selected.clone().map(Effect::Look)
    }
}
