//! The terminal itself: taken over, and given back as it was.
//!
//! It is given back at the end, after an error, and before a panic says what it has to say. A signal
//! ends the loop that draws, so it comes to the same end.

use std::{
    io::{self, Stdout},
    mem::ManuallyDrop,
    panic,
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
};

use crossterm::{
    cursor::Show,
    event::{DisableBracketedPaste, EnableBracketedPaste},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::{Terminal, backend::CrosstermBackend};

/// The hook for panics that was there before.
type Hook = dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync;

/// A terminal that is taken over until this is dropped.
pub(crate) struct Taken {
    /// Never dropped: its own end complains on standard error, which panics where the terminal is
    /// gone, and it is given back below.
    pub(crate) terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    /// Whether it still has to be given back.
    is_ours: Arc<AtomicBool>,
    before: Arc<Hook>,
}

impl Taken {
    pub(crate) fn take() -> io::Result<Self> {
        let is_taken = Arc::new(AtomicBool::new(true));
        let before: Arc<Hook> = Arc::from(panic::take_hook());
        let (taken, hook) = (Arc::clone(&is_taken), Arc::clone(&before));
        panic::set_hook(Box::new(move |info| {
            give_back(&taken);
            hook(info);
        }));
        let taken = || {
            enable_raw_mode()?;
            execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
            Terminal::new(CrosstermBackend::new(io::stdout()))
        };
        match taken() {
            Ok(terminal) => {
                Ok(Self { terminal: ManuallyDrop::new(terminal), is_ours: is_taken, before })
            }
            Err(error) => {
                give_back(&is_taken);
                panic::set_hook(Box::new(move |info| before(info)));
                Err(error)
            }
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back(&self.is_ours);
        if !std::thread::panicking() {
            let before = Arc::clone(&self.before);
            panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}

/// Gives the terminal back, once. A terminal that is gone needs nothing.
fn give_back(is_taken: &AtomicBool) {
    if is_taken.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}
