//! How things look: marks, lines and colours.
//!
//! The shape says it, the colour repeats it; without colours nothing is lost.

use provost_kernel::task::SealStanding;
use ratatui::style::{Color, Modifier, Style};

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub marks: Marks,
    pub has_colours: bool,
}

/// Which characters the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    Unicode,
    Ascii,
}

/// What a part of a line means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    /// What provost itself says.
    Ruling,
    Ok,
    Bad,
    Wait,
    Run,
    Dim,
    Bold,
    /// The row that is selected.
    Selected,
}

impl Look {
    pub(crate) fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        let colour = |it: Color| if self.has_colours { plain.fg(it) } else { plain };
        match tone {
            Tone::Plain => plain,
            Tone::Ruling | Tone::Bold => plain.add_modifier(Modifier::BOLD),
            Tone::Ok => colour(Color::Green),
            Tone::Bad => colour(Color::Red),
            Tone::Wait => colour(Color::Yellow),
            Tone::Run => colour(Color::Cyan),
            Tone::Dim => plain.add_modifier(Modifier::DIM),
            Tone::Selected => plain.add_modifier(Modifier::REVERSED),
        }
    }

    /// The mark of a standing, and what it means.
    pub(crate) fn seal(self, standing: SealStanding) -> (&'static str, Tone) {
        let (unicode, ascii, tone) = match standing {
            SealStanding::Verified => ("●", "#", Tone::Ok),
            SealStanding::Contradicted => ("✗", "X", Tone::Bad),
            SealStanding::NotVerified => ("○", ".", Tone::Dim),
            SealStanding::Running => ("◔", "~", Tone::Run),
            SealStanding::NotAsked => ("–", "-", Tone::Dim),
            SealStanding::Stale => ("◌", "?", Tone::Wait),
            SealStanding::Waived => ("◇", "w", Tone::Wait),
        };
        (self.pick(unicode, ascii), tone)
    }

    /// One cell of the cord: solid as far as everything is proven.
    pub(crate) fn cord(self, is_solid: bool) -> &'static str {
        if is_solid { self.pick("━", "=") } else { self.pick("┄", " ") }
    }

    pub(crate) fn ellipsis(self) -> &'static str {
        self.pick("…", "...")
    }

    pub(crate) fn rule(self) -> &'static str {
        self.pick("─", "-")
    }

    /// Stands at the side of the selected row.
    pub(crate) fn cursor(self) -> &'static str {
        self.pick("▌", ">")
    }

    pub(crate) fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self.marks {
            Marks::Unicode => unicode,
            Marks::Ascii => ascii,
        }
    }
}
