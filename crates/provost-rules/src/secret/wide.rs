//! Secrets in UTF-16.
//!
//! A text that looks like UTF-16 as a whole is decoded. Besides, every token is ASCII, and an ASCII
//! character in UTF-16 is a byte beside a NUL: so the stretches of any text in which every other
//! byte is NUL are read without the NULs, wherever they stand.

use std::{collections::BTreeMap, ops::Range};

use memchr::memchr_iter;

use super::{Found, merge};

/// The fewest characters that are worth a look.
const MIN_CHARACTERS: usize = 8;

/// On which side of its NUL a character stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The character comes first.
    Little,
    /// The NUL comes first.
    Big,
}

/// What a text with NULs may be.
pub(super) struct Wide<'t> {
    text: &'t [u8],
    /// Where every other byte is NUL and the others are ASCII.
    stretches: Vec<Range<usize>>,
    /// The order of the text as a whole.
    order: Order,
    whole: Whole,
}

/// Whether the text as a whole is UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    Surely,
    Perhaps,
    No,
}

/// A reading of stretches: the characters, and where they came from.
struct Reading {
    characters: Vec<u8>,
    /// Each stretch: its place in `characters`, its place in the text, its order.
    starts: Vec<(usize, usize, Order)>,
}

impl<'t> Wide<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        let (mut stretches, mut from) = (Vec::new(), 0);
        let (mut even, mut odd) = (0_usize, 0_usize);
        for at in memchr_iter(0, text) {
            if at % 2 == 0 {
                even += 1;
            } else {
                odd += 1;
            }
            if at < from {
                continue;
            }
            let stretch = stretch(text, at);
            from = stretch.end;
            if stretch.len() >= 2 * MIN_CHARACTERS {
                stretches.push(stretch);
            }
        }
        let order = match text {
            [0xFE, 0xFF, ..] => Order::Big,
            [0xFF, 0xFE, ..] => Order::Little,
            _ if even > odd => Order::Big,
            _ => Order::Little,
        };
        let has_mark = matches!(text, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        let (many, few) = (even.max(odd), even.min(odd));
        let whole = if has_mark || (many + few).saturating_mul(3) > text.len() {
            Whole::Surely
        } else if many > few.saturating_mul(9) && many.saturating_mul(16) > text.len() {
            Whole::Perhaps
        } else {
            Whole::No
        };
        Self { text, stretches, order, whole }
    }

    /// Finds what `scan` finds in the characters.
    ///
    /// Where the order of a stretch is in doubt, the unlikely one counts only where the likely one
    /// finds nothing.
    pub(super) fn scan(&self, scan: impl Fn(&[u8]) -> Vec<Found>) -> Vec<Found> {
        let mut found = match self.whole {
            Whole::Surely | Whole::Perhaps => self.decoded(&scan),
            Whole::No => Vec::new(),
        };
        for order in [self.order, self.order.other()] {
            found = merge(found);
            let known: Vec<Range<usize>> = found.iter().map(|it| it.span.clone()).collect();
            let reading = self.read(order);
            let more = scan(&reading.characters).into_iter();
            let more = more.map(|it| Found { span: reading.span(&it.span), ..it });
            found.extend(more.filter(|it| !overlaps(&known, &it.span)));
        }
        found
    }

    /// Whether the newline byte at a place ends a line.
    pub(super) fn is_line_end(&self, at: usize) -> bool {
        let beside = match self.order {
            Order::Little => at.checked_add(1),
            Order::Big => at.checked_sub(1),
        };
        // In a character beyond ASCII the other byte is not NUL.
        match self.whole {
            Whole::Surely => beside.and_then(|it| self.text.get(it)).is_none_or(|it| *it == 0),
            Whole::Perhaps | Whole::No => true,
        }
    }

    /// Finds what `scan` finds in the text as a whole.
    fn decoded(&self, scan: impl Fn(&[u8]) -> Vec<Found>) -> Vec<Found> {
        let text: String = self.characters().map(|(it, _)| it).collect();
        let found = scan(text.as_bytes());
        let ends = found.iter().flat_map(|it| [it.span.start, it.span.end]);
        let mut places: BTreeMap<usize, usize> = ends.map(|it| (it, self.text.len())).collect();
        if places.is_empty() {
            return Vec::new();
        }
        let mut at = 0;
        for (character, place) in self.characters() {
            let after = at + character.len_utf8();
            places.range_mut(at..after).for_each(|(_, it)| *it = place);
            at = after;
        }
        let place = |it: usize| places.get(&it).copied().unwrap_or_default();
        let spans = found.into_iter();
        spans.map(|it| Found { span: place(it.span.start)..place(it.span.end), ..it }).collect()
    }

    /// The characters of the text as a whole, and where each one stands.
    fn characters(&self) -> impl Iterator<Item = (char, usize)> {
        let pairs = self.text.iter().step_by(2).zip(self.text.iter().skip(1).step_by(2));
        let units = pairs.map(|(&first, &second)| match self.order {
            Order::Little => u16::from_le_bytes([first, second]),
            Order::Big => u16::from_be_bytes([first, second]),
        });
        let characters = char::decode_utf16(units);
        characters.scan(0, |place, it| {
            let at = *place;
            // Half a pair is one unit, as the character that stands for it is.
            let character = it.unwrap_or(char::REPLACEMENT_CHARACTER);
            *place += 2 * character.len_utf16();
            Some((character, at))
        })
    }

    /// Reads the stretches: those of which the order is plain, and the others in the given order.
    /// Those that are plain are read with the likely order only.
    fn read(&self, order: Order) -> Reading {
        let mut reading = Reading { characters: Vec::new(), starts: Vec::new() };
        for stretch in &self.stretches {
            let bytes = self.text.get(stretch.clone()).unwrap_or_default();
            let (starts_with_nul, ends_with_nul) =
                (bytes.first() == Some(&0), bytes.last() == Some(&0));
            let order = match (starts_with_nul, ends_with_nul) {
                (true, true) | (false, false) => order,
                (false, true) | (true, false) if order != self.order => continue,
                (false, true) => Order::Little,
                (true, false) => Order::Big,
            };
            // A character has its NUL in the stretch, on the side that the order says.
            let (first, end) = match order {
                Order::Little => {
                    (usize::from(starts_with_nul), bytes.len() - usize::from(!ends_with_nul))
                }
                Order::Big => (if starts_with_nul { 1 } else { 2 }, bytes.len()),
            };
            reading.starts.push((reading.characters.len(), stretch.start + first, order));
            let units = bytes.get(first..end).unwrap_or_default();
            reading.characters.extend(units.iter().step_by(2));
            // Nothing goes from one stretch to the next.
            reading.characters.push(b'\n');
        }
        reading
    }
}

impl Order {
    fn other(self) -> Self {
        match self {
            Self::Little => Self::Big,
            Self::Big => Self::Little,
        }
    }
}

impl Reading {
    /// Where characters stand in the text, with their NULs.
    fn span(&self, characters: &Range<usize>) -> Range<usize> {
        let first = self.place(characters.start);
        let last = self.place(characters.end.saturating_sub(1));
        first.start..last.end.max(first.end)
    }

    fn place(&self, character: usize) -> Range<usize> {
        let after = self.starts.partition_point(|(start, ..)| *start <= character);
        let Some((start, place, order)) = after.checked_sub(1).and_then(|it| self.starts.get(it))
        else {
            return 0..0;
        };
        let at = place + 2 * (character - start);
        match order {
            Order::Little => at..at + 2,
            Order::Big => at - 1..at + 1,
        }
    }
}

/// The longest stretch around the NUL at a place in which every other byte is NUL and the others
/// are ASCII.
fn stretch(text: &[u8], nul: usize) -> Range<usize> {
    let is_ascii = |at: Option<usize>| {
        at.and_then(|it| text.get(it)).is_some_and(|it| matches!(it, 0x01..=0x7F))
    };
    let start = if is_ascii(nul.checked_sub(1)) { nul - 1 } else { nul };
    let mut end = nul + 1;
    while is_ascii(Some(end)) {
        end += 1;
        if text.get(end) != Some(&0) {
            break;
        }
        end += 1;
    }
    start..end
}

/// Whether a span has something in common with one of these, which stand in order and apart.
fn overlaps(known: &[Range<usize>], span: &Range<usize>) -> bool {
    let before = known.partition_point(|it| it.start < span.end);
    before.checked_sub(1).and_then(|it| known.get(it)).is_some_and(|it| span.start < it.end)
}

/// Writes ASCII in the way in which these bytes are written.
pub(super) fn like(bytes: &[u8], ascii: &[u8]) -> Vec<u8> {
    match bytes {
        [0, other, ..] if *other != 0 => ascii.iter().flat_map(|it| [0, *it]).collect(),
        [other, 0, ..] if *other != 0 => ascii.iter().flat_map(|it| [*it, 0]).collect(),
        _ => ascii.to_vec(),
    }
}
