//! The loop: what was typed, what the desk answered, and a screen where something changed.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use crossterm::event::{self, Event};
use provost_kernel::{Clock, Lang, Message};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

use crate::{
    app::{App, Effect},
    look::Look,
    screen,
    terminal::Taken,
    worker::{self, Reply, Source},
};

/// How long the loop waits for a key before it looks for answers and signals.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// The signal that says that the terminal is gone.
const HANGUP: usize = 1;

/// How the terminal is shown, and until when.
#[derive(Clone)]
pub struct Settings {
    pub lang: Lang,
    pub look: Look,
    /// The name of the project.
    pub project: String,
    pub clock: Arc<dyn Clock>,
    /// The number of a signal that asks this process to end.
    pub signal: Arc<AtomicUsize>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The person left.
    Left,
    /// By a signal.
    Signal(usize),
}

/// The terminal cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "tui.terminal")]
pub enum TerminalError {
    #[message(
        en = "cannot use the terminal",
        zh = "无法使用此终端",
        hint(en = "`provost ls` lists the same tasks", zh = "`provost ls` 列出相同的任务")
    )]
    Unusable(#[source] io::Error),
    /// The thread that reads is gone.
    #[message(en = "reading the tasks has failed", zh = "读取任务失败")]
    Gone,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("lang", &self.lang).finish_non_exhaustive()
    }
}

/// Shows the board until the person leaves, or a signal comes.
pub(crate) fn run<S: Source>(
    settings: &Settings,
    open: impl FnOnce() -> S + Send,
) -> Result<Ended, TerminalError> {
    let (requests, asked) = channel();
    let (answers, replies) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || worker::work(&mut open(), &asked, &answers));
        // The worker ends when the requests do.
        let requests = requests;
        let mut taken = Taken::take().map_err(TerminalError::Unusable)?;
        show(settings, &mut taken, &requests, &replies)
    })
}

fn show(
    settings: &Settings,
    taken: &mut Taken,
    requests: &Sender<Effect>,
    replies: &Receiver<Reply>,
) -> Result<Ended, TerminalError> {
    let Settings { lang, look, project, clock, signal } = settings;
    let mut app = App::new(*lang, *look, project, clock.now());
    let (mut is_changed, mut drawn_at) = (true, clock.now());
    loop {
        let mut effects = Vec::new();
        loop {
            match replies.try_recv() {
                Ok(reply) => {
                    is_changed |= !matches!(reply, Reply::Same) || app.stale.is_some();
                    effects.extend(take(&mut app, reply));
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => break,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    return Err(TerminalError::Gone);
                }
            }
        }
        app.now = clock.now();
        // Ages and times go on by themselves.
        if is_changed || app.now != drawn_at {
            (is_changed, drawn_at) = (false, app.now);
            draw(&mut app, taken).map_err(TerminalError::Unusable)?;
        }
        match signal.load(Ordering::SeqCst) {
            0 => {}
            number => return Ok(Ended::Signal(number)),
        }
        if is_gone().map_err(TerminalError::Unusable)? {
            return Ok(Ended::Signal(HANGUP));
        }
        if event::poll(Duration::ZERO).map_err(TerminalError::Unusable)? {
            is_changed = true;
            let asked = app.asks();
            match event::read().map_err(TerminalError::Unusable)? {
                Event::Key(key) => effects.extend(app.key(key)),
                Event::Paste(text) => app.paste(&text),
                Event::Resize(..) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) => {}
            }
            if app.asks() && !asked {
                // What was typed before the question was seen does not answer it.
                draw(&mut app, taken).map_err(TerminalError::Unusable)?;
                while event::poll(Duration::ZERO).map_err(TerminalError::Unusable)? {
                    event::read().map_err(TerminalError::Unusable)?;
                }
            }
        }
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(Ended::Left),
                Effect::Redraw => {
                    is_changed = true;
                    taken.terminal.clear().map_err(TerminalError::Unusable)?;
                }
                Effect::Look(_) | Effect::Diff(_) | Effect::Log(..) | Effect::Send(_) => {
                    requests.send(effect).map_err(|_| TerminalError::Gone)?;
                }
            }
        }
    }
}

fn draw(app: &mut App, taken: &mut Taken) -> io::Result<()> {
    taken.terminal.draw(|frame| {
        let area = frame.area();
        app.page = usize::from(area.height / 2).max(1);
        if let Some(cursor) = screen::draw(app, area, frame.buffer_mut()) {
            frame.set_cursor_position(cursor);
        }
    })?;
    Ok(())
}

/// Takes over an answer of the desk.
fn take(app: &mut App, reply: Reply) -> Option<Effect> {
    match reply {
        Reply::Board(board) => return app.take_board(board),
        Reply::Same => app.stale = None,
        Reply::Stale(why) => {
            let since = app.stale.take().map_or(app.now, |it| it.1);
            app.stale = Some((why, since));
        }
        Reply::Chain(chain) => app.chain = chain,
        Reply::Detail(detail) => app.take_detail(*detail),
        Reply::Paper { task, paper, of } => app.take_paper(&task, paper, of),
        Reply::Trouble(text) => app.take_trouble(text),
        Reply::Answer { task, answer } => {
            app.take_answer(&task, answer);
            return Some(Effect::Look(task));
        }
    }
    None
}

/// Waits for a key, or until answers and signals are to be looked for; says whether the terminal is
/// gone. One that is gone is always ready to be read and nothing ever comes, so it is not asked for
/// keys.
fn is_gone() -> io::Result<bool> {
    let stdin = io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut watched, Some(&TICK)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    Ok(watched[0].revents().intersects(gone))
}
