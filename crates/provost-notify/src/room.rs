//! How much a message takes.

use provost_desk::notify::NoticeLine;

/// How much the lines of a message may weigh, and what a line of it weighs.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub most: usize,
    pub weight: fn(&NoticeLine) -> usize,
}

impl Room {
    /// The 4,096 bytes of ntfy, with a margin: a server without attachments refuses what is longer, for
    /// good. Other channels take more.
    pub(crate) const BYTES: Self = Self { most: 4000, weight: bytes };

    pub(crate) fn weigh(self, lines: &[NoticeLine]) -> usize {
        lines.iter().map(self.weight).sum()
    }

    /// The same with less room, because these lines are part of the message, too.
    #[must_use]
    pub(crate) fn without(self, lines: &[NoticeLine]) -> Self {
        Self { most: self.most.saturating_sub(self.weigh(lines)), ..self }
    }
}

fn bytes(line: &NoticeLine) -> usize {
    line.text.len() + 1
}
