//! At most so many a minute (LOOP-A16): a token bucket for messages, and a window for orders.
//!
//! The bucket starts full and refills continuously. Levels are integers, so the same times always give the same
//! answers: one token is 60,000 units, and every millisecond adds as many units as the bucket allows
//! tokens a minute.

use provost_kernel::Millis;

/// The units of one token: the milliseconds of a minute.
const TOKEN: u64 = 60_000;

/// In milliseconds.
const MINUTE: u64 = 60_000;

/// At most so many in any minute, wherever it begins: the times of those that were taken in the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window(Vec<Millis>);

impl Window {
    /// A window as it was left.
    pub fn of(taken: Vec<Millis>) -> Self {
        Self(taken)
    }

    /// The times of those that were taken, for a record.
    pub fn taken(self) -> Vec<Millis> {
        self.0
    }

    /// Takes a place among so many, or says how many milliseconds pass until there is one.
    pub fn take(&mut self, most: u32, now: Millis) -> Result<(), u64> {
        // A clock that was set back does not close the window for longer than a minute.
        self.0.iter_mut().for_each(|it| *it = (*it).min(now));
        self.0.retain(|it| now.0 - it.0 < MINUTE);
        self.0.sort_unstable();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let Some(over) = self.0.len().checked_sub(most) else {
            self.0.push(now);
            return Ok(());
        };
        let leaves = self.0.get(over).map_or(now.0, |it| it.0);
        Err(leaves + MINUTE - now.0)
    }
}

/// How many of something may still happen now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    per_minute: u32,
    units: u64,
    at: Millis,
}

impl Bucket {
    /// A full bucket.
    pub fn full(per_minute: u32, now: Millis) -> Self {
        Self { per_minute, units: u64::from(per_minute) * TOKEN, at: now }
    }

    /// A bucket as it was left, such as [`units`](Self::units) said.
    pub fn left(per_minute: u32, units: u64, at: Millis) -> Self {
        Self { per_minute, units: units.min(u64::from(per_minute) * TOKEN), at }
    }

    /// How many tokens there are.
    pub fn tokens(&mut self, now: Millis) -> u64 {
        self.refill(now);
        self.units / TOKEN
    }

    /// Takes a token, if there is one.
    pub fn take(&mut self, now: Millis) -> bool {
        self.refill(now);
        let rest = self.units.checked_sub(TOKEN);
        self.units = rest.unwrap_or(self.units);
        rest.is_some()
    }

    /// How many milliseconds pass until there is a token; none where there never is one.
    pub fn wait(&mut self, now: Millis) -> Option<u64> {
        self.refill(now);
        let missing = TOKEN.saturating_sub(self.units);
        if missing == 0 {
            return Some(0);
        }
        (self.per_minute > 0).then(|| missing.div_ceil(u64::from(self.per_minute)))
    }

    /// What is in it, for a record.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// A clock that goes back adds nothing, and what comes after it counts from there.
    fn refill(&mut self, now: Millis) {
        let passed = now.0.saturating_sub(self.at.0);
        let (rate, full) = (u64::from(self.per_minute), u64::from(self.per_minute) * TOKEN);
        self.units = self.units.saturating_add(passed.saturating_mul(rate)).min(full);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row is a time in milliseconds and whether one more may come.
    #[track_caller]
    fn check(per_minute: u32, rows: &[(u64, bool)]) {
        let mut bucket = Bucket::full(per_minute, Millis(0));
        for &(at, expected) in rows {
            assert_eq!(bucket.take(Millis(at)), expected, "at {at} of {per_minute} a minute");
        }
    }

    /// LOOP-A16: to the message.
    #[test]
    fn five_a_minute_start_full_and_refill_continuously() {
        check(5, &[(0, true), (0, true), (0, true), (0, true), (0, true), (0, false)]);
        check(
            5,
            &[
                (0, true),
                (1, true),
                (2, true),
                (3, true),
                (4, true),
                (11_999, false),
                (12_000, true),
                (23_999, false),
                (24_000, true),
                // A minute of silence fills it, and no more than that.
                (600_000, true),
                (600_000, true),
                (600_000, true),
                (600_000, true),
                (600_000, true),
                (600_000, false),
            ],
        );
        check(1, &[(0, true), (59_999, false), (60_000, true)]);
        check(0, &[(0, false), (600_000, false)]);
        check(10, &[[(7, true); 10].as_slice(), &[(7, false), (6_007, true)]].concat());
    }

    /// LOOP-A16: whatever minute is looked at, no more than so many were taken in it.
    #[test]
    fn a_window_holds_in_every_minute() {
        for (most, step) in [(10, 3_100), (10, 1), (1, 59_999), (3, 20_001), (10, 6_000), (0, 500)]
        {
            let (mut window, mut taken) = (Window::default(), Vec::new());
            for at in (0..400_000).step_by(step) {
                if window.take(most, Millis(at)).is_ok() {
                    taken.push(at);
                }
            }
            for first in &taken {
                let within = taken.iter().filter(|it| (*first..first + MINUTE).contains(*it));
                let within = u32::try_from(within.count()).unwrap();
                assert!(within <= most, "{within} of {most} from {first}");
            }
            assert_eq!(taken.is_empty(), most == 0);
        }
    }

    #[test]
    fn a_window_says_how_long_to_wait_and_goes_on_as_it_was_left() {
        let mut window = Window::default();
        for at in [0, 1_000, 2_000] {
            assert_eq!(window.take(3, Millis(at)), Ok(()));
        }
        let mut window = Window::of(window.taken());
        assert_eq!(window.take(3, Millis(2_000)), Err(58_000));
        assert_eq!(window.take(3, Millis(59_999)), Err(1));
        // A lower limit than before waits for more of them.
        assert_eq!(window.clone().take(1, Millis(59_999)), Err(2_001));
        assert_eq!(window.take(3, Millis(60_000)), Ok(()));
        assert_eq!(window.take(3, Millis(60_000)), Err(1_000));
        // The clock was set back by an hour.
        let mut window = Window::of(vec![Millis(3_600_000)]);
        assert_eq!(window.take(1, Millis(0)), Err(60_000));
        assert_eq!(window.take(1, Millis(60_000)), Ok(()));
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing() {
        check(1, &[(60_000, true), (0, false), (59_999, false), (60_000, true)]);
    }

    #[test]
    fn it_says_how_long_to_wait_and_goes_on_as_it_was_left() {
        let mut bucket = Bucket::full(5, Millis(0));
        assert_eq!(bucket.wait(Millis(0)), Some(0));
        for _ in 0..5 {
            assert!(bucket.take(Millis(0)));
        }
        assert_eq!(
            (bucket.wait(Millis(0)), bucket.wait(Millis(4_000))),
            (Some(12_000), Some(8_000))
        );
        let mut later = Bucket::left(5, bucket.units(), Millis(4_000));
        assert_eq!((later.tokens(Millis(11_999)), later.tokens(Millis(12_000))), (0, 1));
        assert_eq!(Bucket::left(5, u64::MAX, Millis(0)).tokens(Millis(0)), 5);
        assert_eq!(Bucket::full(0, Millis(0)).wait(Millis(9)), None);
    }
}
