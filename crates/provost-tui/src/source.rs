//! The desk, as the terminal reads it: everything in the language of the reader and safe to draw.

use provost_desk::{
    Desk, DeskError, PortError,
    board::{Board as DeskBoard, Query},
    task::{Decision, Placement, Printed},
};
use provost_kernel::{Actor, Lang, Message, TaskId, Text, task::Order};

use crate::{
    app::{LogStep, Sent},
    clean::{clean, clean_lines},
    launch::{Coordinate, LandRequest},
    model::{Board, Detail, Paper, PaperKind, PaperLine},
    present,
    request::{self, Request},
    words::Word,
    worker::Source,
};

/// The most of a stream that is read for a log.
const LOG: u64 = 256 << 10;
/// The most tasks that are asked for at once.
const PAGE: usize = 100;

/// What the terminal reads and orders through.
pub struct DeskSource {
    pub desk: Desk,
    pub lang: Lang,
    pub actor: Actor,
    /// Why no order is taken, where an agent started this program (ruling 70).
    pub refusal: Option<Text>,
    /// Whether the audit chain is intact; none where it cannot be told.
    pub chain: Box<dyn Fn() -> Option<bool> + Send>,
    /// Starts what an order needs.
    pub coordinator: Box<dyn Coordinate>,
}

impl std::fmt::Debug for DeskSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeskSource").field("desk", &self.desk).finish_non_exhaustive()
    }
}

/// The source with the board that it keeps.
pub(crate) struct Reader {
    source: DeskSource,
    board: Option<DeskBoard>,
    /// The version of the board that was shown last.
    shown: Option<u64>,
}

impl Reader {
    pub(crate) fn new(source: DeskSource) -> Self {
        Self { source, board: None, shown: None }
    }

    /// What an error says, with its first hint.
    fn said(&self, error: &dyn Message) -> String {
        said(error, self.source.lang)
    }

    fn task(&self, id: &str) -> Result<TaskId, String> {
        id.parse().map_err(|error: provost_kernel::IdError| self.said(&error))
    }

    fn read_board(&mut self) -> Result<Option<Board>, DeskError> {
        let board = match &self.board {
            Some(board) => {
                board.sweep()?;
                board
            }
            None => self.board.insert(DeskBoard::fill(self.source.desk.clone())?),
        };
        let version = board.version();
        if self.shown == Some(version) {
            return Ok(None);
        }
        let lang = self.source.lang;
        let (mut items, mut cursor) = (Vec::new(), None);
        let trouble = loop {
            let query = Query { limit: Some(PAGE), cursor: cursor.take(), ..Query::default() };
            // A page of a size that boards have, from a place that this one named.
            let Ok(page) = board.page(&query) else { break Vec::new() };
            items.extend(page.tasks.iter().map(|it| present::item(it.row(), lang)));
            match page.next_cursor.as_deref().map(provost_desk::board::Cursor::decode) {
                Some(Ok(next)) => cursor = Some(next),
                Some(Err(_)) | None => break present::trouble(&page, lang),
            }
        };
        self.shown = Some(version);
        Ok(Some(Board { items, trouble }))
    }

    fn read_detail(&self, task: &TaskId) -> Result<Detail, DeskError> {
        let desk = &self.source.desk;
        let view = desk.view(task)?;
        let row = desk.row(task)?;
        let is_trusted = view.looked.altered.is_none();
        let offers = if is_trusted { desk.offers(view.status())? } else { Vec::new() };
        let commit = desk.head_commit(view.status())?;
        Ok(present::detail(&view, &row, &offers, commit.as_deref(), self.source.lang))
    }

    /// Gives an order, and says what became of it.
    fn give(&self, sent: &Sent) -> Result<Word, String> {
        let DeskSource { desk, actor, coordinator, refusal, lang, .. } = &self.source;
        if let Some(refusal) = refusal {
            return Err(clean(&lang.render(refusal)));
        }
        let fail = |error: &dyn Message| self.said(error);
        let refused = |error: PortError| self.said(&*error.0);
        let task = self.task(&sent.task)?;
        let request = request::read(sent).map_err(|error| fail(&error))?;
        let status = desk.look(&task).map_err(|error| fail(&error))?.status.value;
        let (label, id) = (sent.offer.label.clone(), sent.task.clone());
        match request {
            Request::Run => {
                coordinator.prepare(&task, Order::Resume).map_err(refused)?;
                coordinator.run(&task).map_err(refused)?;
            }
            Request::Land(landing) => {
                let decision = match &landing {
                    LandRequest::Onto { .. } => Decision::Favourable,
                    LandRequest::Undo => Decision::Adverse,
                };
                desk.check_seen(sent.seen, &status, decision).map_err(|error| fail(&error))?;
                coordinator.land(&task, &landing).map_err(refused)?;
            }
            Request::Order(order) => {
                let request_id = request::id(desk.clock()).map_err(|error| fail(&error))?;
                let (actor, seen) = (actor.clone(), Some(sent.seen));
                let placement = Placement { task: &task, order, request_id, actor, seen };
                let placed = desk.place(&**coordinator, placement).map_err(|error| fail(&error))?;
                if !placed.started {
                    return Ok(if placed.receipt.applied {
                        Word::Done { label, task: id }
                    } else {
                        Word::Recorded { label, task: id }
                    });
                }
            }
        }
        Ok(Word::Started { label, task: id })
    }

    fn read_diff(&self, task: &TaskId) -> Result<Paper, DeskError> {
        let diff = self.source.desk.diff(task, None)?;
        let (mut lines, mut parts) = (Vec::new(), Vec::new());
        for file in &diff.files {
            parts.push(lines.len());
            let title = format!("{}  +{} -{}", clean(&file.path), file.added, file.removed);
            lines.push(PaperLine { kind: PaperKind::Heading, text: title });
            for text in clean_lines(&file.text) {
                let kind = match text.chars().next() {
                    Some('+') => PaperKind::Added,
                    Some('-') => PaperKind::Removed,
                    Some('@') => PaperKind::Dim,
                    Some(_) | None => PaperKind::Plain,
                };
                lines.push(PaperLine { kind, text });
            }
        }
        let word = Word::Change { task: task.to_string(), attempt: diff.attempt.get() };
        Ok(Paper { title: self.source.lang.render(&word.text()), lines, parts })
    }

    fn read_log(&self, task: &TaskId, step: LogStep) -> Result<Paper, DeskError> {
        let step = match step {
            LogStep::Prepare => Printed::Prepare,
            LogStep::Agent => Printed::Agent,
            LogStep::Test => Printed::Test,
            LogStep::Judge => Printed::Judge,
        };
        let output = self.source.desk.step_output(task, step, None, LOG)?;
        let (mut lines, mut parts) = (Vec::new(), Vec::new());
        for stream in output.streams.iter().filter(|it| !it.text.is_empty()) {
            parts.push(lines.len());
            lines.push(PaperLine { kind: PaperKind::Heading, text: clean(&stream.path) });
            let plain = |text| PaperLine { kind: PaperKind::Plain, text };
            lines.extend(clean_lines(&stream.text).into_iter().map(plain));
        }
        let (task, step) = (task.to_string(), step.word().to_owned());
        let word = Word::Printed { task, attempt: output.attempt.get(), step };
        Ok(Paper { title: self.source.lang.render(&word.text()), lines, parts })
    }
}

impl Source for Reader {
    fn board(&mut self) -> Result<Option<Board>, String> {
        self.read_board().map_err(|error| self.said(&error))
    }

    fn detail(&mut self, task: &str) -> Result<Detail, String> {
        let task = self.task(task)?;
        self.read_detail(&task).map_err(|error| self.said(&error))
    }

    fn diff(&mut self, task: &str) -> Result<Paper, String> {
        let task = self.task(task)?;
        self.read_diff(&task).map_err(|error| self.said(&error))
    }

    fn log(&mut self, task: &str, step: LogStep) -> Result<Paper, String> {
        let task = self.task(task)?;
        self.read_log(&task, step).map_err(|error| self.said(&error))
    }

    fn order(&mut self, sent: &Sent) -> Result<String, String> {
        self.give(sent).map(|word| self.source.lang.render(&word.text()))
    }

    fn chain(&mut self) -> Option<bool> {
        (self.source.chain)()
    }
}

fn said(error: &dyn Message, lang: Lang) -> String {
    let text = lang.render(&error.text());
    let hints = error.hints().into_iter().take(1).map(|it| lang.render(&it));
    let parts: Vec<String> = std::iter::once(text).chain(hints).map(|it| clean(&it)).collect();
    parts.join(lang.pick("; ", "；"))
}
