//! The thread that talks to the desk, so that a key never waits for a disk.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender},
    time::{Duration, Instant},
};

use crate::{
    app::{Effect, LogStep, PaperOf, Sent},
    model::{Board, Detail, Paper},
};

/// How often the board is read.
const OFTEN: Duration = Duration::from_millis(500);
/// How often the audit chain is verified.
const SELDOM: Duration = Duration::from_mins(1);

/// What the terminal asks of the desk. Refusals are sentences in the reader's language.
pub(crate) trait Source {
    /// The board; none where nothing changed since it was read last.
    fn board(&mut self) -> Result<Option<Board>, String>;
    fn detail(&mut self, task: &str) -> Result<Detail, String>;
    fn diff(&mut self, task: &str) -> Result<Paper, String>;
    fn log(&mut self, task: &str, step: LogStep) -> Result<Paper, String>;
    /// Gives an order, and says what became of it.
    fn order(&mut self, sent: &Sent) -> Result<String, String>;
    /// Whether the audit chain is intact; none where it cannot be told.
    fn chain(&mut self) -> Option<bool>;
}

/// What the desk answered.
#[derive(Debug)]
pub(crate) enum Reply {
    Board(Board),
    /// It was looked for news, and there were none.
    Same,
    Stale(String),
    Chain(Option<bool>),
    Detail(Box<Detail>),
    Paper {
        task: String,
        paper: Paper,
        of: PaperOf,
    },
    Trouble(String),
    Answer {
        task: String,
        answer: Result<String, String>,
    },
}

/// Answers until the terminal goes away.
pub(crate) fn work(source: &mut impl Source, requests: &Receiver<Effect>, replies: &Sender<Reply>) {
    let mut next_board = Instant::now();
    let mut next_chain = Instant::now();
    loop {
        let wait = next_board.saturating_duration_since(Instant::now());
        let reply = match requests.recv_timeout(wait) {
            Ok(effect) => answer(source, effect),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let board = source.board();
                next_board = Instant::now() + OFTEN;
                Some(match board {
                    Ok(Some(board)) => Reply::Board(board),
                    Ok(None) => Reply::Same,
                    Err(why) => Reply::Stale(why),
                })
            }
        };
        // An order is seen at once.
        if matches!(&reply, Some(Reply::Answer { .. })) {
            next_board = Instant::now();
        }
        if reply.is_some_and(|it| replies.send(it).is_err()) {
            return;
        }
        if Instant::now() >= next_chain {
            next_chain = Instant::now() + SELDOM;
            if replies.send(Reply::Chain(source.chain())).is_err() {
                return;
            }
        }
    }
}

fn answer(source: &mut impl Source, effect: Effect) -> Option<Reply> {
    let read = match effect {
        Effect::Quit | Effect::Redraw => return None,
        Effect::Send(sent) => {
            let answer = source.order(&sent);
            return Some(Reply::Answer { task: sent.task, answer });
        }
        Effect::Look(task) => source.detail(&task).map(|it| Reply::Detail(Box::new(it))),
        Effect::Diff(task) => {
            let paper = source.diff(&task);
            paper.map(|paper| Reply::Paper { task, paper, of: PaperOf::Diff })
        }
        Effect::Log(task, step) => {
            let paper = source.log(&task, step);
            paper.map(|paper| Reply::Paper { task, paper, of: PaperOf::Log(step) })
        }
    };
    Some(read.unwrap_or_else(Reply::Trouble))
}
