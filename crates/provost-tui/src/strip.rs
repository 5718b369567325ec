//! Six seals and the cord that joins them.

use provost_kernel::task::SealStanding;
use ratatui::text::Span;

use crate::look::{Look, Tone};

/// Six standings, in the order of the facts.
pub(crate) type Standings = [SealStanding; 6];

/// How many cells lie between two seals, so that the names of the facts fit above them.
const CORD: usize = 4;
/// From one seal to the next.
pub(crate) const PITCH: usize = CORD + 1;
/// The cells of a strip, with room for the last fact's name.
pub(crate) const WIDTH: usize = 5 * PITCH + 4;
/// The cells of a strip without a cord.
pub(crate) const SHORT: usize = 6;

/// The seals with their cord.
pub(crate) fn strip(standings: Standings, look: Look) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for (at, standing) in standings.iter().enumerate() {
        if at > 0 {
            let is_solid = is_proven(&standings[..=at]);
            let tone = if is_solid { Tone::Ok } else { Tone::Dim };
            spans.push(Span::styled(look.cord(is_solid).repeat(CORD), look.style(tone)));
        }
        spans.push(seal(*standing, look));
    }
    spans.push(Span::raw(" ".repeat(PITCH - 2)));
    spans
}

/// The seals alone, for a narrow screen.
pub(crate) fn short_strip(standings: Standings, look: Look) -> Vec<Span<'static>> {
    standings.iter().map(|it| seal(*it, look)).collect()
}

fn seal(standing: SealStanding, look: Look) -> Span<'static> {
    let (mark, tone) = look.seal(standing);
    Span::styled(mark, look.style(tone))
}

/// Whether everything up to here is proven; what the task does not ask for leaves no gap.
fn is_proven(standings: &[SealStanding]) -> bool {
    let holds = |it: &SealStanding| matches!(it, SealStanding::Verified | SealStanding::NotAsked);
    standings.iter().all(holds)
}

#[cfg(test)]
mod tests {
    use SealStanding::{Contradicted, NotAsked, NotVerified, Running, Stale, Verified, Waived};

    use super::*;
    use crate::look::Marks;

    #[test]
    fn the_cord_is_solid_up_to_the_first_gap() {
        for (standings, unicode, ascii) in [
            ([Verified; 6], "●━━━━●━━━━●━━━━●━━━━●━━━━●", "#====#====#====#====#====#"),
            (
                [Verified, Verified, Verified, NotAsked, Verified, NotVerified],
                "●━━━━●━━━━●━━━━–━━━━●┄┄┄┄○",
                "#====#====#====-====#    .",
            ),
            (
                [Verified, Contradicted, Verified, Running, Stale, Waived],
                "●┄┄┄┄✗┄┄┄┄●┄┄┄┄◔┄┄┄┄◌┄┄┄┄◇",
                "#    X    #    ~    ?    w",
            ),
        ] {
            for (marks, expected) in [(Marks::Unicode, unicode), (Marks::Ascii, ascii)] {
                let look = Look { marks, has_colours: false };
                let text: String = strip(standings, look).iter().map(|it| &*it.content).collect();
                assert_eq!(text.trim_end(), expected);
                assert_eq!(crate::width::cells(&text), WIDTH);
            }
        }
    }
}
