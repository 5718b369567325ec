//! The audit chain as people read it: entries by page, and whether all of it is what was written.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{Digest, RequestId, TaskId, Text, Timestamp};
use provost_vault::{
    FileError,
    audit::{ChainEntry, ChainLine, Head, KeptHead, More, Reached, Standing, mismatch, read_back},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{DISK, Desk, PageError};

/// How far one page looks back: a filter that fits nothing must not read a chain of years.
const LOOKED_AT: usize = 20_000;
/// So many problems are named.
const NAMED: usize = 50;
/// The longest text that is shown of what an entry says.
const LONGEST: usize = 400;

/// Which entries are wanted. Several words stand side by side with commas; one of them must fit.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// `web:ann`, or the door alone: `web`.
    pub actor: Option<String>,
    /// `task.pause`, or all below `task`.
    pub action: Option<String>,
    /// `task:t1`, or all of a kind: `task`.
    pub subject: Option<String>,
    /// A text in any of them, or in the request id.
    pub text: Option<String>,
}

/// A page of entries, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditPage {
    pub entries: Vec<AuditEntry>,
    /// Where the next page begins; none at the beginning of the chain.
    pub next_cursor: Option<String>,
}

/// One entry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Its number; none for a line that cannot be read.
    pub seq: Option<u64>,
    pub at: Option<Timestamp>,
    /// `web:ann`.
    pub actor: String,
    pub action: String,
    pub subject: String,
    pub request_id: Option<RequestId>,
    /// What it says besides, as names and values.
    pub said: BTreeMap<String, String>,
    pub hash: Option<Digest>,
    pub prev: Option<Digest>,
    /// `whole`, `altered` or `unreadable`.
    pub standing: &'static str,
    /// Why a head was stored with it; none where none was.
    pub head: Option<String>,
}

/// Whether the chain is what was written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditState {
    /// `intact` or `broken`.
    pub state: &'static str,
    pub entries: u64,
    pub head: Option<HeadView>,
    pub stored_heads: u64,
    /// The newest head that was stored apart and fits.
    pub last_head: Option<StoredHeadView>,
    /// Entries that no stored head vouches for.
    pub entries_after_last_head: u64,
    /// The first entry that does not hold; none where the chain itself is whole.
    pub broken_at: Option<u64>,
    pub broken: Option<BrokenView>,
    /// The last stored head before it.
    pub last_good_head: Option<StoredHeadView>,
    pub put_aside: Vec<PutAsideView>,
    pub claims_without_entry: u64,
    pub problems: Vec<ProblemView>,
    pub problems_total: usize,
}

/// The end of the chain.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct HeadView {
    pub seq: u64,
    pub hash: Digest,
}

/// A head that was stored apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StoredHeadView {
    pub seq: u64,
    pub hash: Digest,
    pub at: Timestamp,
    pub because: String,
}

/// What an entry is, and what the next one says that it was.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct BrokenView {
    pub found: Option<Digest>,
    pub expected: Option<Digest>,
}

/// An end that could not be read and was put aside.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PutAsideView {
    pub bytes: u64,
    pub kept_as: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProblemView {
    pub line: u64,
    pub task: Option<TaskId>,
    pub text: Text,
}

impl Desk {
    /// A page of the audit chain.
    pub fn audit_page(
        &self,
        filter: &AuditFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<AuditPage, PageError> {
        let mut entries: Vec<AuditEntry> = Vec::new();
        let next_cursor = self.read_chain(cursor, |line| {
            if filter.fits(&line) {
                entries.push(AuditEntry::of(line));
            }
            if entries.len() >= limit { More::No } else { More::Yes }
        })?;
        let shown: BTreeSet<u64> = entries.iter().filter_map(|it| it.seq).collect();
        let mut verifier = self.verifier();
        let heads = verifier.heads(&DISK, &self.layout)?.iter();
        let heads = heads.filter(|it| shown.contains(&it.head.seq));
        let heads: BTreeMap<u64, &str> = heads.map(|it| (it.head.seq, &*it.because)).collect();
        for entry in &mut entries {
            entry.head = entry.seq.and_then(|it| heads.get(&it)).map(|it| (*it).to_owned());
        }
        Ok(AuditPage { entries, next_cursor })
    }

    /// Whether the chain, its heads, the claims log and the states of tasks fit together.
    pub fn audit_state(&self) -> Result<AuditState, FileError> {
        let mut verifier = self.verifier();
        let report = verifier.report(&DISK, &self.layout)?;
        let heads = verifier.heads(&DISK, &self.layout)?;
        let of_chain = report.problems.iter().filter(|it| it.is_of_chain()).map(|it| it.line);
        let broken_at = of_chain.min();
        let broken = broken_at.map(|it| mismatch(&DISK, &self.layout, it)).transpose()?;
        let good = |most: u64| heads.iter().rev().find(|it| it.head.seq > 0 && it.head.seq <= most);
        let last = report.head.map_or(0, |it| it.seq);
        Ok(AuditState {
            state: if report.is_intact() { "intact" } else { "broken" },
            entries: report.entries,
            head: report.head.map(|Head { seq, hash }| HeadView { seq, hash }),
            stored_heads: report.stored_heads,
            last_head: good(last).map(StoredHeadView::of),
            entries_after_last_head: report.entries_after_last_head,
            broken_at,
            broken: broken.map(|it| BrokenView { found: it.found, expected: it.expected }),
            last_good_head: broken_at
                .and_then(|it| good(it.saturating_sub(1)).map(StoredHeadView::of)),
            put_aside: report
                .put_aside
                .into_iter()
                .map(|it| PutAsideView { bytes: it.bytes, kept_as: it.kept_as })
                .collect(),
            claims_without_entry: report.claims_without_entry,
            problems_total: report.problems.len(),
            problems: report
                .problems
                .iter()
                .take(NAMED)
                .map(|it| ProblemView { line: it.line, task: it.task.clone(), text: it.text() })
                .collect(),
        })
    }

    /// Reads the chain backwards from a cursor, as far as one page looks, and says where the next one
    /// begins.
    pub(crate) fn read_chain(
        &self,
        cursor: Option<&str>,
        mut take: impl FnMut(ChainLine) -> More,
    ) -> Result<Option<String>, PageError> {
        let before = match cursor {
            None => None,
            Some(text) => Some(text.parse::<u64>().map_err(|_| PageError::Cursor)?),
        };
        let mut looked_at = 0;
        let reached = read_back(&DISK, &self.layout, before, |line| {
            looked_at += 1;
            match take(line) {
                More::Yes if looked_at < LOOKED_AT => More::Yes,
                More::Yes | More::No => More::No,
            }
        })?;
        match reached {
            Reached::Place(place) => Ok(Some(place.to_string())),
            Reached::Beginning => Ok(None),
            Reached::NoSuchPlace => Err(PageError::Cursor),
        }
    }

    /// What a request id stands for in the chain, if it was ever used.
    pub fn request(&self, request_id: &RequestId) -> Result<Option<ChainEntry>, FileError> {
        let mut found = None;
        read_back(&DISK, &self.layout, None, |line| {
            found = line.entry.filter(|it| it.request_id.as_ref() == Some(request_id));
            if found.is_some() { More::No } else { More::Yes }
        })?;
        Ok(found)
    }
}

impl AuditFilter {
    fn fits(&self, line: &ChainLine) -> bool {
        let Some(entry) = &line.entry else {
            // What cannot be read is never hidden.
            return true;
        };
        let any = |wanted: &Option<String>, fits: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(|it| it.split(',').map(str::trim).any(fits))
        };
        let actor = entry.actor.to_string();
        let below = |text: &str, word: &str, end: char| {
            text == word || text.strip_prefix(word).is_some_and(|it| it.starts_with(end))
        };
        any(&self.actor, &|it| below(&actor, it, ':'))
            && any(&self.action, &|it| below(&entry.action, it, '.'))
            && any(&self.subject, &|it| below(&entry.subject, it, ':'))
            && self.text.as_deref().is_none_or(|it| {
                let wanted = it.to_lowercase();
                let id = entry.request_id.as_ref().map(ToString::to_string).unwrap_or_default();
                let seq = entry.seq.to_string();
                let parts = [&actor, &entry.action, &entry.subject, &id, &seq];
                parts.into_iter().any(|it| it.to_lowercase().contains(&wanted))
            })
    }
}

impl AuditEntry {
    fn of(line: ChainLine) -> Self {
        let standing = match line.standing {
            Standing::Whole => "whole",
            Standing::Altered => "altered",
            Standing::Unreadable => "unreadable",
        };
        let Some(entry) = line.entry else {
            return Self {
                seq: None,
                at: None,
                actor: String::new(),
                action: String::new(),
                subject: String::new(),
                request_id: None,
                said: BTreeMap::new(),
                hash: None,
                prev: None,
                standing,
                head: None,
            };
        };
        Self {
            seq: Some(entry.seq),
            at: Some(entry.at),
            actor: entry.actor.to_string(),
            said: said(&entry.detail),
            action: entry.action,
            subject: entry.subject,
            request_id: entry.request_id,
            hash: Some(entry.hash),
            prev: Some(entry.prev),
            standing,
            head: None,
        }
    }
}

impl StoredHeadView {
    fn of(kept: &KeptHead) -> Self {
        let Head { seq, hash } = kept.head;
        Self { seq, hash, at: kept.at, because: kept.because.clone() }
    }
}

/// What an entry says, flat: what is empty is left out, and what is long is cut.
fn said(detail: &Value) -> BTreeMap<String, String> {
    let mut said = BTreeMap::new();
    flatten("", detail, &mut said);
    said
}

fn flatten(name: &str, value: &Value, said: &mut BTreeMap<String, String>) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Null => {}
        Value::Object(map) => map.iter().for_each(|(key, it)| flatten(&below(key), it, said)),
        Value::Array(items) if items.is_empty() => {}
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => drop(said.insert(name.to_owned(), cut(text))),
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => {
            said.insert(name.to_owned(), cut(&value.to_string()));
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use camino::Utf8Path;
    use provost_kernel::{Actor, Clock, Millis, Source};
    use provost_vault::{
        Durable, Layout, RealDisk,
        audit::{Audit, Event},
        prepare_home,
    };
    use serde_json::json;

    use super::*;

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    struct World {
        folder: tempfile::TempDir,
        desk: Desk,
    }

    fn world() -> World {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        let layout = Layout::new(&path.join("home"), None, &path.join("state"));
        prepare_home(&RealDisk, &layout).unwrap();
        let desk = Desk::new(layout, Arc::new(Noon));
        let mut chain = Audit::open(&RealDisk, desk.layout()).unwrap();
        let people = [Source::Cli, Source::Web, Source::Agent];
        for n in 0..9_usize {
            let event = Event {
                actor: Actor { source: people[n % 3], id: "ann".to_owned() },
                action: ["task.answer", "task.pause", "guard.pre-tool-use"][n % 3].to_owned(),
                subject: format!("task:t{n}"),
                request_id: Some(format!("r{n}").parse().unwrap()),
                detail: json!({"text": "<b>", "n": n, "none": null, "old": {"a": 1}}),
            };
            let head = chain.append(&event, &Noon, Durable::Now).unwrap();
            if n == 4 {
                chain.store_head(head, "task.pause", &Noon).unwrap();
            }
        }
        World { folder, desk }
    }

    fn numbers(page: &AuditPage) -> Vec<u64> {
        page.entries.iter().filter_map(|it| it.seq).collect()
    }

    #[test]
    fn entries_come_by_page_and_by_filter() {
        let World { folder: _folder, desk } = world();
        let all = AuditFilter::default();
        let first = desk.audit_page(&all, None, 4).unwrap();
        assert_eq!(numbers(&first), [9, 8, 7, 6]);
        let second = desk.audit_page(&all, first.next_cursor.as_deref(), 4).unwrap();
        assert_eq!(numbers(&second), [5, 4, 3, 2]);
        assert_eq!(second.entries[0].head.as_deref(), Some("task.pause"));
        let third = desk.audit_page(&all, second.next_cursor.as_deref(), 4).unwrap();
        assert_eq!((numbers(&third), third.next_cursor.is_none()), (vec![1], true));
        let said: Vec<_> = third.entries[0].said.iter().map(|(a, b)| format!("{a}={b}")).collect();
        assert_eq!(said, ["n=0", "old.a=1", "text=<b>"]);
        let with = |filter: AuditFilter| numbers(&desk.audit_page(&filter, None, 50).unwrap());
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(with(AuditFilter { actor: of("web"), ..all.clone() }), [8, 5, 2]);
        assert_eq!(with(AuditFilter { actor: of("cli:ann,agent"), ..all.clone() }).len(), 6);
        assert_eq!(with(AuditFilter { action: of("guard"), ..all.clone() }), [9, 6, 3]);
        assert_eq!(with(AuditFilter { subject: of("task:t3"), ..all.clone() }), [4]);
        assert_eq!(with(AuditFilter { text: of("R7"), ..all.clone() }), [8]);
        assert_eq!(with(AuditFilter { actor: of("we"), ..all.clone() }), [0; 0]);
        assert!(matches!(desk.audit_page(&all, Some("x"), 4), Err(PageError::Cursor)));
        assert!(matches!(desk.audit_page(&all, Some("7"), 4), Err(PageError::Cursor)));
        let known = desk.request(&"r3".parse().unwrap()).unwrap().unwrap();
        assert_eq!(known.seq, 4);
        assert!(desk.request(&"r99".parse().unwrap()).unwrap().is_none());
    }

    /// Where the chain is broken, and what still vouches for the rest.
    #[test]
    fn a_broken_chain_says_where() {
        let World { folder, desk } = world();
        let state = desk.audit_state().unwrap();
        assert_eq!((state.state, state.entries, state.stored_heads), ("intact", 9, 1));
        assert_eq!(state.last_head.unwrap().seq, 5);
        let path = desk.layout().audit().path();
        let text = std::fs::read_to_string(&path).unwrap();
        write(&path, &text.replace("task:t6", "task:t0"));
        let state = desk.audit_state().unwrap();
        assert_eq!((state.state, state.broken_at), ("broken", Some(7)));
        assert_eq!(state.last_good_head.unwrap().seq, 5);
        let broken = state.broken.unwrap();
        assert!(broken.found.is_some() && broken.found != broken.expected);
        let page = desk.audit_page(&AuditFilter::default(), None, 50).unwrap();
        assert_eq!(page.entries[2].standing, "altered");
        drop(folder);
    }

    #[expect(clippy::disallowed_methods, reason = "a hand that edits the chain")]
    fn write(path: &Utf8Path, text: &str) {
        std::fs::write(path, text).unwrap();
    }
}
