//! The outbox of notifications: what people are told, and which target took it.
//!
//! A notice is durable before it is sent, and what was sent is durable before the next one is: a crash
//! between the two repeats one message and loses none. Each target has its own account, so one that
//! cannot be reached holds up no other.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use provost_kernel::{
    Clock, Millis, TaskId,
    notify::{Notice, NoticeId, OutboxEntry, OutboxLine},
    task::Creation,
};
use serde::{Deserialize, Serialize};

pub use crate::layout::SenderRank;
use crate::{
    Action, Disk, Durable, FileError, Layout, Location, Log, Stamp, Stored,
    lock::{Lock, LockError, STALE_AFTER, holder},
    read_or_quarantine, read_records, write_atomic, write_json,
};

/// From so many lines on the outbox is rewritten without what every target took.
const COMPACTED_FROM: usize = 4_000;
/// So many of what was sent are remembered then.
const REMEMBERED: usize = 1_000;

/// How far the events of each task were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxCursor {
    #[serde(default)]
    pub schema: String,
    /// The number of the last entry of the audit chain that was read.
    #[serde(default)]
    pub audit: u64,
    #[serde(default)]
    pub tasks: BTreeMap<TaskId, TaskCursor>,
}

/// How far the events of one task were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCursor {
    pub seq: u64,
    /// How the log looked then: while it stays the same, there is nothing to read. None where the next
    /// write could leave the same.
    #[serde(default)]
    pub stamp: Option<LogStamp>,
    /// The task that was read: another one with its id has other events with the same numbers.
    #[serde(default)]
    pub creation: Option<Creation>,
    /// Whether the task ran then: its coordinator may be gone.
    #[serde(default)]
    pub runs: bool,
}

/// How a log looked, for a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogStamp(String);

impl LogStamp {
    /// None for a stamp that the next write could leave as well.
    pub fn of(stamp: Stamp, now: Millis) -> Option<Self> {
        let Stamp { len, identity: (device, number), modified, changed } = stamp;
        let text = format!("{len} {device} {number} {modified} {changed}");
        stamp.is_settled(now).then_some(Self(text))
    }
}

/// What the outbox holds.
#[derive(Clone, Debug, Default)]
pub struct OutboxState {
    /// In the order in which they were noted, with their targets.
    noted: Vec<(Notice, Vec<String>)>,
    known: BTreeSet<NoticeId>,
    sent: BTreeMap<String, BTreeSet<NoticeId>>,
    /// When a target took something last, and what its rate limit had left.
    levels: BTreeMap<String, (Millis, u64)>,
    lines: usize,
}

/// The outbox of a home.
pub struct Outbox<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    clock: &'a dyn Clock,
}

/// The right to write to an outbox and to send from it, for as long as it lives.
pub struct OutboxSender<'a, D: Disk> {
    outbox: Outbox<'a, D>,
    _lock: Lock<'a, D>,
}

impl<D: Disk> fmt::Debug for OutboxSender<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutboxSender").field(&self.outbox).finish()
    }
}

impl<D: Disk> fmt::Debug for Outbox<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// Says that a process of a rank runs, for as long as it lives.
#[derive(Debug)]
pub struct SenderPresence<'a, D: Disk>(Lock<'a, D>);

impl OutboxCursor {
    pub const SCHEMA: &'static str = "provost.outbox-cursor/1";
}

impl OutboxState {
    pub fn knows(&self, notice: &NoticeId) -> bool {
        self.known.contains(notice)
    }

    /// What an account has not taken yet, the oldest first: what was noted for it, and what was noted for
    /// another address of its target and taken at none, which is one that was mended.
    pub fn pending(&self, account: &str) -> Vec<&Notice> {
        let took = |account: &str, id: &NoticeId| {
            self.sent.get(account).is_some_and(|taken| taken.contains(id))
        };
        let is_same = |other: &str| target_of(other) == target_of(account);
        let is_pending = |(notice, accounts): &&(Notice, Vec<String>)| {
            let id = notice.id();
            if accounts.iter().any(|it| it == account) {
                return !took(account, &id);
            }
            accounts.iter().any(|it| is_same(it))
                && !self.sent.keys().any(|it| is_same(it) && took(it, &id))
        };
        self.noted.iter().filter(is_pending).map(|it| &it.0).collect()
    }

    /// The targets that took something since a time. One of another process's configuration is not
    /// forgotten because this one does not know it.
    pub fn accounts(&self, since: Millis) -> impl Iterator<Item = &str> {
        self.levels.iter().filter(move |(_, (at, _))| *at >= since).map(|(it, _)| it.as_str())
    }

    /// When a target took something last, and what its rate limit had left.
    pub fn level(&self, target: &str) -> Option<(Millis, u64)> {
        self.levels.get(target).copied()
    }

    fn take(&mut self, line: OutboxLine) {
        self.lines += 1;
        match line.entry {
            OutboxEntry::Noted { notice, targets } => {
                // A crash between the outbox and its cursor notes the same change again.
                if self.known.insert(notice.id()) {
                    self.noted.push((*notice, targets));
                }
            }
            OutboxEntry::Sent { target, notices, units } => {
                self.levels.insert(target.clone(), (line.at, units));
                self.sent.entry(target).or_default().extend(notices);
            }
        }
    }

    /// The lines that say the same without what every target took; what was noted last is kept, so that
    /// it is recognised when it comes again.
    fn compacted(&self, now: Millis) -> Vec<OutboxLine> {
        let is_open = |notice: &Notice, targets: &[String]| {
            let took =
                |it: &String| self.sent.get(it).is_some_and(|sent| sent.contains(&notice.id()));
            !targets.iter().all(took)
        };
        let recent = self.noted.len().saturating_sub(REMEMBERED);
        let kept = self.noted.iter().enumerate();
        let kept: Vec<&(Notice, Vec<String>)> = kept
            .filter(|(at, (notice, targets))| *at >= recent || is_open(notice, targets))
            .map(|it| it.1)
            .collect();
        let names: BTreeSet<NoticeId> = kept.iter().map(|it| it.0.id()).collect();
        let noted = kept.iter().map(|(notice, targets)| {
            let entry =
                OutboxEntry::Noted { notice: Box::new(notice.clone()), targets: targets.clone() };
            OutboxLine::new(entry, now)
        });
        let sent = self.sent.iter().map(|(target, taken)| {
            let (at, units) = self.level(target).unwrap_or((now, 0));
            let notices = taken.iter().filter(|it| names.contains(it)).cloned().collect();
            let entry = OutboxEntry::Sent { target: target.clone(), notices, units };
            OutboxLine::new(entry, at)
        });
        noted.chain(sent).collect()
    }
}

/// The target of an account, whatever its address.
fn target_of(account: &str) -> &str {
    account.split_once('@').map_or(account, |(target, _)| target)
}

impl<'a, D: Disk> Outbox<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout, clock: &'a dyn Clock) -> Self {
        Self { disk, layout, clock }
    }

    /// Takes the right to send; none while another process has it.
    pub fn acquire(&self) -> Result<Option<OutboxSender<'a, D>>, FileError> {
        let lock = self.lock(&self.layout.sender_lock())?;
        Ok(lock.map(|held| OutboxSender { outbox: Self { ..*self }, _lock: held }))
    }

    fn lock(&self, at: &Location) -> Result<Option<Lock<'a, D>>, FileError> {
        match Lock::acquire(self.disk, at, self.clock, STALE_AFTER) {
            Ok(lock) => Ok(Some(lock)),
            Err(LockError::Held { .. }) => Ok(None),
            Err(LockError::File(error)) => Err(error),
        }
    }

    /// Says that a process of this rank runs, until what is returned is dropped; none where another one
    /// of the rank does, and for a coordinator.
    pub fn announce(&self, rank: SenderRank) -> Result<Option<SenderPresence<'a, D>>, FileError> {
        let Some(at) = self.layout.sender_presence(rank) else { return Ok(None) };
        Ok(self.lock(&at)?.map(SenderPresence))
    }

    /// Whether a process of a better rank runs, which sends in the place of this one.
    pub fn is_outranked(&self, rank: SenderRank) -> Result<bool, FileError> {
        for better in [SenderRank::Bot, SenderRank::Server] {
            if better >= rank {
                break;
            }
            let Some(at) = self.layout.sender_presence(better) else { continue };
            let found = holder(self.disk, &at)?;
            if found.is_some_and(|it| !it.released && it.process.is_running()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn read(&self) -> Result<OutboxState, FileError> {
        let mut state = OutboxState::default();
        for line in read_records::<D, OutboxLine>(self.disk, &self.layout.outbox())?.records {
            state.take(line);
        }
        Ok(state)
    }

    fn line(&self, entry: OutboxEntry) -> Result<Vec<u8>, FileError> {
        self.encode(&OutboxLine::new(entry, self.clock.millis()))
    }

    fn encode(&self, line: &OutboxLine) -> Result<Vec<u8>, FileError> {
        let at = self.layout.outbox();
        serde_json::to_vec(line).map_err(|error| FileError::on(Action::Append, &at)(error.into()))
    }
}

impl<D: Disk> OutboxSender<'_, D> {
    /// How far events were read; none where nothing was read yet. Of a file that cannot be read nothing
    /// is known: everything is read again, and what was noted is recognised.
    pub fn cursor(&self) -> Result<Option<OutboxCursor>, FileError> {
        let Outbox { disk, layout, clock } = self.outbox;
        match read_or_quarantine(disk, layout, clock, &layout.outbox_cursor())? {
            Stored::Present(cursor) => Ok(Some(cursor)),
            Stored::Corrupt(_) => Ok(Some(OutboxCursor::default())),
            Stored::Absent => Ok(None),
        }
    }

    pub fn store_cursor(&self, cursor: &OutboxCursor) -> Result<(), FileError> {
        let Outbox { disk, layout, .. } = self.outbox;
        write_json(disk, &layout.outbox_cursor(), cursor).map(drop)
    }

    pub fn read(&self) -> Result<OutboxState, FileError> {
        self.outbox.read()
    }

    /// Notes what people are told, durably.
    pub fn note(&self, notices: &[Notice], targets: &[String]) -> Result<(), FileError> {
        let Some((last, before)) = notices.split_last() else { return Ok(()) };
        let Outbox { disk, layout, .. } = self.outbox;
        let mut log = Log::open(disk, &layout.outbox())?;
        let line = |notice: &Notice| {
            let (notice, targets) = (Box::new(notice.clone()), targets.to_vec());
            self.outbox.line(OutboxEntry::Noted { notice, targets })
        };
        for notice in before {
            log.append(&line(notice)?, Durable::Later)?;
        }
        // One sync makes them all durable.
        log.append(&line(last)?, Durable::Now)
    }

    /// Records that a target took these, durably.
    pub fn sent(&self, target: &str, notices: Vec<NoticeId>, units: u64) -> Result<(), FileError> {
        let target = target.to_owned();
        let line = self.outbox.line(OutboxEntry::Sent { target, notices, units })?;
        let Outbox { disk, layout, .. } = self.outbox;
        Log::open(disk, &layout.outbox())?.append(&line, Durable::Now)
    }

    /// Rewrites an outbox that has grown long; nothing may be sent meanwhile.
    pub fn compact(&mut self) -> Result<bool, FileError> {
        let state = self.read()?;
        let is_long = state.lines >= COMPACTED_FROM;
        if is_long {
            self.rewrite(&state)?;
        }
        Ok(is_long)
    }

    pub(crate) fn rewrite(&mut self, state: &OutboxState) -> Result<(), FileError> {
        let Outbox { disk, layout, clock } = self.outbox;
        let mut bytes = Vec::new();
        for line in state.compacted(clock.millis()) {
            bytes.extend(self.outbox.encode(&line)?);
            bytes.push(b'\n');
        }
        write_atomic(disk, &layout.outbox(), &bytes).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Text, Timestamp, notify::NoticeKind};

    use super::*;
    use crate::sim::SimDisk;

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn notice(version: u64) -> Notice {
        let (kind, why) = (NoticeKind::Paused, Text::verbatim("why"));
        Notice::of_project(kind, Timestamp::EPOCH, ("TEST", "", version), why)
    }

    fn versions(state: &OutboxState, target: &str) -> Vec<u64> {
        state.pending(target).iter().map(|it| it.state_version).collect()
    }

    #[test]
    fn each_target_has_its_own_account() {
        let (disk, layout) = (SimDisk::default(), layout());
        let outbox = Outbox::new(&disk, &layout, &Noon).acquire().unwrap().unwrap();
        let targets = ["a".to_owned(), "b".to_owned()];
        outbox.note(&[notice(1), notice(2)], &targets).unwrap();
        // Noted again after a crash before the cursor was stored.
        outbox.note(&[notice(2), notice(3)], &targets).unwrap();
        outbox.sent("a", vec![notice(1).id(), notice(2).id()], 7).unwrap();
        let state = outbox.read().unwrap();
        assert_eq!(versions(&state, "a"), [3]);
        assert_eq!(versions(&state, "b"), [1, 2, 3]);
        // One that was configured later is not told of what came before.
        assert_eq!(versions(&state, "c"), [0; 0]);
        assert_eq!(state.level("a"), Some((Millis(43_200_000), 7)));
        assert_eq!(state.level("b"), None);
        let accounts = |since| state.accounts(Millis(since)).collect::<Vec<_>>();
        assert_eq!((accounts(0), accounts(43_200_001)), (vec!["a"], vec![]));
    }

    /// The same change of another task that came to have the id is another one, for every target.
    #[test]
    fn a_task_that_was_made_again_is_another_one() {
        let (disk, layout) = (SimDisk::default(), layout());
        let mut outbox = Outbox::new(&disk, &layout, &Noon).acquire().unwrap().unwrap();
        let of = |creation: &str| Notice { creation: Some(creation.parse().unwrap()), ..notice(1) };
        let (first, second) = (of("0000000000000001"), of("0000000000000002"));
        assert_eq!(first.fingerprint, second.fingerprint);
        let targets = ["a".to_owned()];
        outbox.note(std::slice::from_ref(&first), &targets).unwrap();
        outbox.sent("a", vec![first.id()], 0).unwrap();
        outbox.note(&[first, second.clone()], &targets).unwrap();
        let state = outbox.read().unwrap();
        assert_eq!(state.pending("a"), [&second]);
        outbox.rewrite(&state).unwrap();
        assert_eq!(outbox.read().unwrap().pending("a"), [&second]);
    }

    /// What went to one address was not told at another; one that was mended gets what nobody took.
    #[test]
    fn an_account_belongs_to_an_address() {
        let (disk, layout) = (SimDisk::default(), layout());
        let outbox = Outbox::new(&disk, &layout, &Noon).acquire().unwrap().unwrap();
        let [own, other, third] = ["hook@1", "hook@2", "ntfy@1"].map(str::to_owned);
        outbox.note(&[notice(1), notice(2)], &[own.clone(), other.clone()]).unwrap();
        outbox.note(&[notice(3)], std::slice::from_ref(&other)).unwrap();
        outbox.sent(&other, vec![notice(1).id()], 0).unwrap();
        let state = outbox.read().unwrap();
        assert_eq!(versions(&state, &own), [1, 2, 3]);
        assert_eq!(versions(&state, &other), [2, 3]);
        assert_eq!(versions(&state, &third), [0; 0]);
        outbox.sent(&other, vec![notice(3).id()], 0).unwrap();
        assert_eq!(versions(&outbox.read().unwrap(), &own), [1, 2]);
        // Of an address that came later, nothing that was taken before is news.
        assert_eq!(versions(&outbox.read().unwrap(), "hook@3"), [2]);
    }

    #[test]
    fn one_process_sends_at_a_time() {
        let (disk, layout) = (SimDisk::default(), layout());
        let outbox = Outbox::new(&disk, &layout, &Noon);
        let held = outbox.acquire().unwrap();
        assert!(held.is_some() && outbox.acquire().unwrap().is_none());
        drop(held);
        assert!(outbox.acquire().unwrap().is_some());
    }

    /// Ruling 93: the bot, else the server, else the coordinator.
    #[test]
    fn a_better_rank_sends() {
        let (disk, layout) = (SimDisk::default(), layout());
        let outbox = Outbox::new(&disk, &layout, &Noon);
        let ranks = [SenderRank::Bot, SenderRank::Server, SenderRank::Coordinator];
        let outranked = || ranks.map(|it| outbox.is_outranked(it).unwrap());
        assert_eq!(outranked(), [false, false, false]);
        let server = outbox.announce(SenderRank::Server).unwrap();
        assert_eq!(outranked(), [false, false, true]);
        let bot = outbox.announce(SenderRank::Bot).unwrap();
        assert!(bot.is_some() && outbox.announce(SenderRank::Bot).unwrap().is_none());
        assert_eq!(outranked(), [false, true, true]);
        drop(bot);
        drop(server);
        assert_eq!(outranked(), [false, false, false]);
    }

    #[test]
    fn a_rewritten_outbox_says_the_same() {
        let (disk, layout) = (SimDisk::default(), layout());
        let mut outbox = Outbox::new(&disk, &layout, &Noon).acquire().unwrap().unwrap();
        let targets = ["a".to_owned(), "b".to_owned()];
        let most = u64::try_from(REMEMBERED).unwrap() + 10;
        let all: Vec<Notice> = (1..=most).map(notice).collect();
        outbox.note(&all, &targets).unwrap();
        let taken = |from: u64| (from..=most).map(|it| notice(it).id()).collect();
        outbox.sent("a", taken(1), 7).unwrap();
        outbox.sent("b", taken(3), 9).unwrap();
        let before = outbox.read().unwrap();
        outbox.rewrite(&before).unwrap();
        let after = outbox.read().unwrap();
        assert_eq!(versions(&after, "b"), [1, 2]);
        assert_eq!(versions(&after, "a"), [0; 0]);
        assert_eq!((after.level("a"), after.level("b")), (before.level("a"), before.level("b")));
        assert!(after.knows(&notice(most).id()) && after.knows(&notice(2).id()));
        assert!(!after.knows(&notice(3).id()), "taken by all, and long ago");
        assert!(after.lines < before.lines);
    }

    #[test]
    fn a_cursor_that_cannot_be_read_is_not_a_first_start() {
        let (disk, layout) = (SimDisk::default(), layout());
        let outbox = Outbox::new(&disk, &layout, &Noon).acquire().unwrap().unwrap();
        assert_eq!(outbox.cursor().unwrap(), None);
        write_atomic(&disk, &layout.outbox_cursor(), b"{").unwrap();
        assert_eq!(outbox.cursor().unwrap(), Some(OutboxCursor::default()));
    }
}
