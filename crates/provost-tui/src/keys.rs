//! Which key does what: one table for the keyboard, the help and its test.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use provost_desk::task::Action;

use crate::{look::Look, words::KeyWord};

/// What a key asks for, outside of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Down,
    Up,
    PageDown,
    PageUp,
    First,
    Last,
    Open,
    Back,
    SwitchPane,
    /// One of the five groups, from 0.
    Group(usize),
    Order(Shortcut),
    Orders,
    Diff,
    Log,
    NextPart,
    PreviousPart,
    Filter,
    /// `g`: the next key says where.
    Goto,
    Help,
    Redraw,
    Quit,
}

/// An order with a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortcut {
    Approve,
    Reject,
    Answer,
    PauseOrResume,
    Land,
}

impl Shortcut {
    pub(crate) const ALL: [Self; 5] =
        [Self::Approve, Self::Reject, Self::Answer, Self::PauseOrResume, Self::Land];

    /// The orders that it gives: the first that is on offer.
    pub(crate) fn actions(self) -> &'static [Action] {
        match self {
            Self::Approve => &[Action::Approve],
            Self::Reject => &[Action::Reject],
            Self::Answer => &[Action::Answer],
            Self::PauseOrResume => &[Action::Pause, Action::Resume, Action::Run],
            Self::Land => &[Action::Land],
        }
    }

    /// Its key, and the word for one of its orders.
    pub(crate) fn key(self, action: Action) -> (&'static str, KeyWord) {
        match self {
            Self::Approve => ("a", KeyWord::Approve),
            Self::Reject => ("x", KeyWord::Reject),
            Self::Answer => ("r", KeyWord::Answer),
            Self::PauseOrResume if action == Action::Pause => ("p", KeyWord::Pause),
            Self::PauseOrResume => ("p", KeyWord::Resume),
            Self::Land => ("l", KeyWord::Land),
        }
    }
}

/// A line of the help.
pub(crate) struct Binding {
    /// The keys, as they are shown with and without Unicode.
    shown: (&'static str, &'static str),
    pub(crate) word: KeyWord,
    codes: &'static [(KeyCode, Command)],
}

impl Binding {
    pub(crate) fn shown(&self, look: Look) -> &'static str {
        look.pick(self.shown.0, self.shown.1)
    }
}

const fn char(letter: char) -> KeyCode {
    KeyCode::Char(letter)
}

pub(crate) const BINDINGS: [Binding; 20] = [
    Binding {
        shown: ("j k ↓ ↑", "j k"),
        word: KeyWord::Move,
        codes: &[
            (char('j'), Command::Down),
            (KeyCode::Down, Command::Down),
            (char('k'), Command::Up),
            (KeyCode::Up, Command::Up),
        ],
    },
    Binding {
        shown: ("PgUp PgDn", "PgUp PgDn"),
        word: KeyWord::Page,
        codes: &[(KeyCode::PageDown, Command::PageDown), (KeyCode::PageUp, Command::PageUp)],
    },
    Binding {
        shown: ("Home End", "Home End"),
        word: KeyWord::Ends,
        codes: &[(KeyCode::Home, Command::First), (KeyCode::End, Command::Last)],
    },
    Binding {
        shown: ("↵ →", "Enter"),
        word: KeyWord::Open,
        codes: &[(KeyCode::Enter, Command::Open), (KeyCode::Right, Command::Open)],
    },
    Binding {
        shown: ("u ← Esc", "u Esc"),
        word: KeyWord::Back,
        codes: &[
            (char('u'), Command::Back),
            (KeyCode::Left, Command::Back),
            (KeyCode::Esc, Command::Back),
            (KeyCode::Backspace, Command::Back),
        ],
    },
    Binding {
        shown: ("Tab", "Tab"),
        word: KeyWord::Pane,
        codes: &[(KeyCode::Tab, Command::SwitchPane), (KeyCode::BackTab, Command::SwitchPane)],
    },
    Binding {
        shown: ("1 … 5", "1 - 5"),
        word: KeyWord::Group,
        codes: &[
            (char('1'), Command::Group(0)),
            (char('2'), Command::Group(1)),
            (char('3'), Command::Group(2)),
            (char('4'), Command::Group(3)),
            (char('5'), Command::Group(4)),
        ],
    },
    Binding {
        shown: ("a", "a"),
        word: KeyWord::Approve,
        codes: &[(char('a'), Command::Order(Shortcut::Approve))],
    },
    Binding {
        shown: ("x", "x"),
        word: KeyWord::Reject,
        codes: &[(char('x'), Command::Order(Shortcut::Reject))],
    },
    Binding {
        shown: ("r", "r"),
        word: KeyWord::Answer,
        codes: &[(char('r'), Command::Order(Shortcut::Answer))],
    },
    Binding {
        shown: ("p", "p"),
        word: KeyWord::PauseOrResume,
        codes: &[(char('p'), Command::Order(Shortcut::PauseOrResume))],
    },
    Binding {
        shown: ("l", "l"),
        word: KeyWord::Land,
        codes: &[(char('l'), Command::Order(Shortcut::Land))],
    },
    Binding { shown: ("o", "o"), word: KeyWord::Orders, codes: &[(char('o'), Command::Orders)] },
    Binding { shown: ("d", "d"), word: KeyWord::Diff, codes: &[(char('d'), Command::Diff)] },
    Binding { shown: ("L", "L"), word: KeyWord::Log, codes: &[(char('L'), Command::Log)] },
    Binding {
        shown: ("[ ]", "[ ]"),
        word: KeyWord::Part,
        codes: &[(char(']'), Command::NextPart), (char('['), Command::PreviousPart)],
    },
    Binding { shown: ("/", "/"), word: KeyWord::Filter, codes: &[(char('/'), Command::Filter)] },
    Binding {
        shown: ("g i, g t", "g i, g t"),
        word: KeyWord::Goto,
        codes: &[(char('g'), Command::Goto)],
    },
    Binding { shown: ("?", "?"), word: KeyWord::Help, codes: &[(char('?'), Command::Help)] },
    Binding { shown: ("q", "q"), word: KeyWord::Quit, codes: &[(char('q'), Command::Quit)] },
];

/// What a key asks for.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
pub(crate) fn command(key: KeyEvent) -> Option<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Command::Quit),
            KeyCode::Char('l') => Some(Command::Redraw),
            KeyCode::Char('d' | 'f') => Some(Command::PageDown),
            KeyCode::Char('u' | 'b') => Some(Command::PageUp),
            _ => None,
        };
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    let codes = BINDINGS.iter().flat_map(|it| it.codes);
    codes.into_iter().find(|(code, _)| *code == key.code).map(|(_, command)| *command)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::look::Marks;

    fn press(code: KeyCode) -> Option<Command> {
        command(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn keys_are_those_of_the_page_and_the_terminal() {
        for (code, expected) in [
            (KeyCode::Char('j'), Command::Down),
            (KeyCode::Char('k'), Command::Up),
            (KeyCode::Enter, Command::Open),
            (KeyCode::Char('u'), Command::Back),
            (KeyCode::Esc, Command::Back),
            (KeyCode::Tab, Command::SwitchPane),
            (KeyCode::Char('1'), Command::Group(0)),
            (KeyCode::Char('5'), Command::Group(4)),
            (KeyCode::Char('a'), Command::Order(Shortcut::Approve)),
            (KeyCode::Char('x'), Command::Order(Shortcut::Reject)),
            (KeyCode::Char('r'), Command::Order(Shortcut::Answer)),
            (KeyCode::Char('p'), Command::Order(Shortcut::PauseOrResume)),
            (KeyCode::Char('l'), Command::Order(Shortcut::Land)),
            (KeyCode::Char('d'), Command::Diff),
            (KeyCode::Char('L'), Command::Log),
            (KeyCode::Char('/'), Command::Filter),
            (KeyCode::Char('g'), Command::Goto),
            (KeyCode::Char('?'), Command::Help),
            (KeyCode::Char('q'), Command::Quit),
        ] {
            assert_eq!(press(code), Some(expected), "{code:?}");
        }
        assert_eq!(press(KeyCode::Char('z')), None);
        let control = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert_eq!(command(control('c')), Some(Command::Quit));
        // A control key is never the letter of an order.
        assert_eq!(command(control('a')), None);
    }

    #[test]
    fn no_key_has_two_meanings_and_each_is_shown() {
        let mut seen = BTreeSet::new();
        for (code, _) in BINDINGS.iter().flat_map(|it| it.codes) {
            assert!(seen.insert(format!("{code:?}")), "{code:?}");
        }
        let ascii = Look { marks: Marks::Ascii, has_colours: false };
        assert!(BINDINGS.iter().all(|it| it.shown(ascii).is_ascii()));
    }
}
