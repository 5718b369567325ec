//! Verification by a program that goes on: what was verified and is still the same is not parsed again.
//!
//! Every byte of the chain and of the list of heads is still compared with what was verified, whenever
//! one of the two has changed: an edit in place that hides behind an append is found. What remains in
//! memory is worth as much as the files were when they were read.

use std::collections::BTreeMap;

use provost_kernel::{Clock as _, Digest, TaskId};
use serde::Deserialize;
use serde_json::Value;

use super::{
    AuditError, Head, KeptHead, Problem, Provenance, PutAside, Report, SCHEMA, Statuses,
    StoredHead, Trouble, claims::Entered, read_link, restart, status_digest, witness,
};
use crate::{
    Disk, FileError, Kind, Layout, Stamp, SystemClock,
    follow::{Care, Followed, Piece},
    read_json,
    task_names::names_of_tasks,
};

/// What was verified.
#[derive(Debug, Default)]
pub struct Verifier {
    chain: Followed,
    links: Links,
    list: Followed,
    heads: Heads,
    states: BTreeMap<TaskId, (Stamp, Vouching)>,
    claims: Option<Claims>,
}

/// What the lines of the chain add up to.
#[derive(Debug, Default)]
pub(super) struct Links {
    entries: u64,
    /// What the first entry goes on behind, if it is one that a restart wrote.
    origin: Option<Head>,
    head: Option<Head>,
    pub(super) problems: Vec<Problem>,
    found: BTreeMap<u64, Digest>,
    entered: Entered,
    statuses: Statuses,
}

/// What the list of stored heads adds up to.
#[derive(Debug, Default)]
struct Heads {
    lines: u64,
    kept: Vec<KeptHead>,
    /// The line that each stands in.
    by_seq: BTreeMap<u64, (u64, Digest)>,
    problems: Vec<Problem>,
    put_aside: Vec<PutAside>,
}

/// What a state says of the chain, whatever else it says.
#[derive(Clone, Copy, Debug)]
struct Vouching {
    /// The head of an empty chain vouches for nothing.
    head: Option<Head>,
    digest: Option<Digest>,
}

/// How the claims log compared, with what this was found from.
#[derive(Debug)]
struct Claims {
    stamp: Stamp,
    n_entered: u64,
    n_after: u64,
    problems: Vec<Problem>,
}

/// The part of a state that names the chain.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    audit_head: Option<Head>,
}

impl Verifier {
    /// Whether the chain, its heads, the states of tasks and the claims log fit together now.
    pub fn report<D: Disk>(&mut self, disk: &D, layout: &Layout) -> Result<Report, FileError> {
        // Before the chain: an entry is there before the state that names it.
        let vouching = self.states_of_tasks(disk, layout)?;
        self.read_heads(disk, layout)?;
        self.read_chain(disk, layout)?;
        let Self { links, heads, .. } = &*self;
        let mut problems = [&heads.problems[..], &links.problems[..]].concat();
        for (seq, (number, hash)) in &heads.by_seq {
            let trouble = links.trouble(Head { seq: *seq, hash: *hash });
            problems.extend(trouble.map(|it| Problem::new(*number, it)));
        }
        for (task, Vouching { head, digest }) in vouching {
            // A state that was replaced while the chain was read is behind it, and that is all.
            if let Some(digest) = digest
                && links.statuses.judge(&task, digest) == Provenance::Altered
                && state_of_task(disk, layout, &task)?.digest == Some(digest)
            {
                let (line, trouble) = (links.statuses.entry(&task), Trouble::StatusAltered);
                problems.push(Problem { line, trouble, task: Some(task.clone()) });
            }
            if let Some(head) = head
                && let Some(trouble) = links.trouble(head)
            {
                problems.push(Problem { line: head.seq, trouble, task: Some(task) });
            }
        }
        // Where something is wrong already, this head says nothing new.
        if problems.is_empty() {
            problems.extend(self.trouble_outside(disk, layout)?);
        }
        // Behind the chain: a line is there before the entry that names it.
        let claims_without_entry = self.read_claims(disk, layout, &mut problems)?;
        let Self { links, heads, .. } = &*self;
        let last_vouched = heads.by_seq.keys().next_back().copied().unwrap_or(0);
        Ok(Report {
            entries: links.entries,
            head: links.head,
            restarted_behind: links.origin,
            stored_heads: heads.by_seq.len() as u64,
            entries_after_last_head: links.head.map_or(0, |it| it.seq.saturating_sub(last_vouched)),
            put_aside: heads.put_aside.clone(),
            claims_without_entry,
            problems,
        })
    }

    /// What the head outside the project says of the chain. It is read after the chain, so that the
    /// chain is read once more where another process went on meanwhile.
    fn trouble_outside<D: Disk>(
        &mut self,
        disk: &D,
        layout: &Layout,
    ) -> Result<Option<Problem>, FileError> {
        let head = match witness::witnessed(disk, layout) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(None),
            Err(AuditError::File(error)) => return Err(error),
            Err(_) => return Ok(Some(Problem::new(0, Trouble::WitnessUnreadable))),
        };
        if self.links.head.is_none_or(|it| it.seq < head.seq) {
            self.read_chain(disk, layout)?;
        }
        let is_there = self.links.found.get(&head.seq) == Some(&head.hash);
        Ok((!is_there).then(|| Problem::new(head.seq, Trouble::Missed)))
    }

    /// The heads that were stored apart, the oldest first. A line that cannot be read is left out; a
    /// report names it.
    pub fn heads<D: Disk>(&mut self, disk: &D, layout: &Layout) -> Result<&[KeptHead], FileError> {
        self.read_heads(disk, layout)?;
        Ok(&self.heads.kept)
    }

    fn read_heads<D: Disk>(&mut self, disk: &D, layout: &Layout) -> Result<(), FileError> {
        let Self { list, heads, .. } = self;
        list.read(disk, &layout.audit_heads(), Care::Whole, |piece| match piece {
            Piece::Anew => *heads = Heads::default(),
            Piece::Lines(lines) => each(lines, |line| heads.learn(line)),
        })
    }

    fn read_chain<D: Disk>(&mut self, disk: &D, layout: &Layout) -> Result<(), FileError> {
        let Self { chain, links, claims, .. } = self;
        chain.read(disk, &layout.audit(), Care::Whole, |piece| match piece {
            Piece::Anew => (*links, *claims) = (Links::default(), None),
            Piece::Lines(lines) => each(lines, |line| links.learn(line)),
        })
    }

    /// What the states of tasks say of the chain. A state that cannot be read vouches for nothing; a
    /// process that looks at its task is told.
    fn states_of_tasks<D: Disk>(
        &mut self,
        disk: &D,
        layout: &Layout,
    ) -> Result<Vec<(TaskId, Vouching)>, FileError> {
        let now = SystemClock.millis();
        let mut before = std::mem::take(&mut self.states);
        let mut found = Vec::new();
        for task in names_of_tasks(disk, layout)? {
            let stamp = disk.stat(&layout.status(&task)).ok().map(|it| it.stamp);
            let kept = before.remove(&task).filter(|(of, _)| Some(*of) == stamp);
            let vouching = match kept {
                Some((_, vouching)) => vouching,
                None if is_folder(disk, layout, &task) => state_of_task(disk, layout, &task)?,
                None => continue,
            };
            if let Some(stamp) = stamp.filter(|it| it.is_settled(now)) {
                self.states.insert(task.clone(), (stamp, vouching));
            }
            found.push((task, vouching));
        }
        Ok(found)
    }

    /// Holds the claims log against the chain. The answer is how many lines at its end were not entered.
    fn read_claims<D: Disk>(
        &mut self,
        disk: &D,
        layout: &Layout,
        problems: &mut Vec<Problem>,
    ) -> Result<u64, FileError> {
        let (now, n_entered) = (SystemClock.millis(), self.links.entered.count());
        let stamp = disk.stat(&layout.claims()).ok().map(|it| it.stamp);
        let is_same = |it: &&Claims| Some(it.stamp) == stamp && it.n_entered == n_entered;
        if let Some(kept) = self.claims.as_ref().filter(is_same) {
            problems.extend_from_slice(&kept.problems);
            return Ok(kept.n_after);
        }
        let mut found = Vec::new();
        let n_after = self.links.entered.compare(disk, layout, &mut found)?;
        problems.extend_from_slice(&found);
        let settled = stamp.filter(|it| it.is_settled(now));
        self.claims = settled.map(|stamp| Claims { stamp, n_entered, n_after, problems: found });
        Ok(n_after)
    }
}

impl Links {
    pub(super) fn learn(&mut self, line: &[u8]) {
        self.entries += 1;
        let number = self.entries;
        let Some(link) = read_link(line) else {
            self.problems.push(Problem::new(number, Trouble::Altered));
            return;
        };
        if number == 1 {
            self.origin = Some(restart::origin(&link.body)).filter(|it| it.seq > 0);
        }
        let before = self.head.or(self.origin).unwrap_or(Head::NONE);
        let (seq, prev) = (before.seq + 1, before.hash);
        if link.body.schema != SCHEMA {
            self.problems.push(Problem::new(number, Trouble::NewerSchema));
        } else if (link.body.seq, link.body.prev) != (seq, prev) {
            self.problems.push(Problem::new(number, Trouble::OutOfOrder));
        }
        self.entered.learn(&link.body);
        self.statuses.learn(&link.body);
        // Going on from this entry tells one break from many.
        self.head = Some(Head { seq: link.body.seq, hash: link.hash });
        self.found.insert(link.body.seq, link.hash);
    }

    /// What is wrong with a head that somebody stored. One of the chain before this one is not looked
    /// for.
    fn trouble(&self, head: Head) -> Option<Trouble> {
        if self.origin.is_some_and(|it| head.seq <= it.seq) {
            return None;
        }
        match self.found.get(&head.seq) {
            Some(there) if *there == head.hash => None,
            Some(_) => Some(Trouble::Replaced),
            None => Some(Trouble::CutShort),
        }
    }
}

impl Heads {
    fn learn(&mut self, line: &[u8]) {
        self.lines += 1;
        let number = self.lines;
        let Ok(stored) = serde_json::from_slice::<StoredHead>(line) else {
            self.problems.push(Problem::new(number, Trouble::HeadUnreadable));
            return;
        };
        let StoredHead { ts, head, because, put_aside, broken, .. } = stored;
        if broken.is_some() {
            self.problems.push(Problem::new(number, Trouble::Marked));
        }
        self.put_aside.extend(put_aside.clone());
        self.kept.push(KeptHead { at: ts, head, because, put_aside });
        // The head of an empty chain vouches for nothing.
        if head.seq == 0 {
            return;
        }
        let other = self.by_seq.insert(head.seq, (number, head.hash));
        if other.is_some_and(|(_, it)| it != head.hash) {
            self.problems.push(Problem::new(number, Trouble::Replaced));
        }
    }
}

pub(super) fn each(lines: &[u8], mut learn: impl FnMut(&[u8])) {
    for line in lines.split_inclusive(|it| *it == b'\n') {
        learn(line.strip_suffix(b"\n").unwrap_or(line));
    }
}

fn is_folder<D: Disk>(disk: &D, layout: &Layout, task: &TaskId) -> bool {
    disk.stat(&layout.task(task)).is_ok_and(|it| it.kind == Kind::Folder)
}

fn state_of_task<D: Disk>(disk: &D, layout: &Layout, task: &TaskId) -> Result<Vouching, FileError> {
    let state = read_json::<D, Value>(disk, &layout.status(task))?.present();
    let named = state.as_ref().and_then(|it| Named::deserialize(it).ok());
    let head = named.and_then(|it| it.audit_head).filter(|it| it.seq > 0);
    Ok(Vouching { head, digest: state.and_then(status_digest) })
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Actor, Clock, Millis, Source};
    use serde_json::json;

    use super::*;
    use crate::{
        Durable,
        audit::{Audit, Event, verify},
        disk::read_all,
        sim::SimDisk,
        write_atomic, write_json,
    };

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn enter(disk: &SimDisk, n: u64) -> Head {
        let layout = layout();
        let mut audit = Audit::open(disk, &layout).unwrap();
        let event = Event {
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            action: "task.pause".to_owned(),
            subject: format!("task:t{n}"),
            request_id: None,
            detail: json!({"padding": "x".repeat(3000)}),
        };
        let head = audit.append(&event, &Noon, Durable::Now).unwrap();
        audit.store_head(head, "test", &Noon).unwrap();
        head
    }

    fn state(disk: &SimDisk, head: Head) {
        let status = json!({"schema": "provost.status/1", "audit_head": head});
        write_json(disk, &layout().status(&"t1".parse().unwrap()), &status).unwrap();
    }

    fn edit(disk: &SimDisk, from: &str, to: &str) {
        let file = disk.open_lock(&layout().audit()).unwrap();
        let text = String::from_utf8(read_all(disk, &file).unwrap()).unwrap();
        disk.write_at(&file, to.as_bytes(), text.find(from).unwrap() as u64).unwrap();
    }

    /// Whatever happens, one that goes on says the same as one that begins.
    #[test]
    fn a_verifier_that_goes_on_says_what_a_new_one_says() {
        let (disk, layout, mut verifier) = (SimDisk::default(), layout(), Verifier::default());
        let mut check = |name: &str, is_intact: bool| {
            let new = verify(&disk, &layout).unwrap();
            let on = verifier.report(&disk, &layout).unwrap();
            assert_eq!(json!(on), json!(new), "{name}");
            assert_eq!(on.is_intact(), is_intact, "{name}: {on:?}");
            assert_eq!(verifier.heads(&disk, &layout).unwrap().len() as u64, on.stored_heads);
        };
        check("nothing", true);
        let head = enter(&disk, 1);
        check("an entry", true);
        state(&disk, head);
        check("a state", true);
        state(&disk, Head { seq: 9, ..head });
        check("a state of another chain", false);
        state(&disk, head);
        for n in 2..=9 {
            enter(&disk, n);
        }
        check("more entries", true);
        edit(&disk, "task:t2", "task:t0");
        enter(&disk, 10);
        check("an edit far before an append", false);
        edit(&disk, "task:t0", "task:t2");
        check("taken back", true);
        let whole = read_all(&disk, &disk.open(&layout.audit()).unwrap()).unwrap();
        write_atomic(&disk, &layout.audit(), &whole[..whole.len() / 2]).unwrap();
        check("cut", false);
        write_atomic(&disk, &layout.audit(), &whole).unwrap();
        check("put back", true);
        let heads = read_all(&disk, &disk.open(&layout.audit_heads()).unwrap()).unwrap();
        write_atomic(&disk, &layout.audit_heads(), &[b"{\n", &heads[..]].concat()).unwrap();
        check("a head that cannot be read", false);
        disk.remove(&layout.audit_heads()).unwrap();
        check("without the list", true);
        disk.remove(&layout.audit()).unwrap();
        check("without the chain", false);
    }
}
