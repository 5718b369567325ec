//! The claims log and its index, kept in step.
//!
//! What happens to a story is appended to the log and synced, and only then put into the index.
//! The process that opens the index applies what is missing, once; so a process that was killed
//! between the two has lost nothing. The index is made again when it is corrupt.
//!
//! Nothing is believed because the index says it: it lies in a file that a program of the same
//! person can write. Questions are answered from what the events of the log add up to, and an index
//! that says anything else is an error.

use provost_kernel::{
    Clock, DigestError, Finding, Message,
    story::{EventBody, StoryEvent},
};
use provost_rules_story::import::{self, Import};
use provost_store::{Difference, RebuildError, Snapshot, Store, StoreError};
use provost_vault::{
    FileError, Layout, RealDisk,
    story::{AppendError, Aside, NewEvent, StoryFiles},
};

use crate::DISK;

mod cache;
mod view;

use self::cache::{Lease, Pair};
pub use self::{
    cache::StoryCache,
    view::{
        AttemptView, ComparedStory, CriterionMark, CriterionView, FindingView, GateView, PlanView,
        RefusalCount, ScopeView, StoryBoard, StoryLine, StoryPort, StoryTotals, StoryView,
        StoryViewError, Waiver, WaiverView, Waiving,
    },
};

/// The stories of a home.
#[derive(Debug)]
pub struct Stories<'a> {
    layout: &'a Layout,
    files: StoryFiles<'a, RealDisk>,
    /// The file that others read, and what the log adds up to: every answer comes from there.
    stores: Lease,
    /// What happened on the way: an index that was put aside, rows that could not be taken over.
    pub notices: Vec<Notice>,
}

/// Whether a log continues what is known of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Continued {
    Yes,
    No,
}

/// Something that a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A corrupt index is in quarantine under this name, and was made again.
    Quarantined { kept_as: String },
    /// Stories of an older database are now in the log.
    Imported { n_executions: usize },
    /// Something could not be taken over, and stays where it is.
    Skipped(Finding),
}

/// Why stories could not be read or changed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.desk")]
pub enum StoriesError {
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    #[message(transparent)]
    Store(#[from] StoreError),
    /// The log is shorter than what was applied from it.
    #[message(
        en = "`{path}` ends with event {found}, but {applied} {applied:event was|events were} applied",
        zh = "`{path}` 止于事件 {found}，但已应用 {applied} 个事件",
        hint(
            en = "restore the log from a copy, or accept it as it is with `provost reindex`",
            zh = "请从备份恢复日志，或用 `provost reindex` 按现状采用它",
        ),
        exit = Integrity
    )]
    LogCut { path: String, applied: u64, found: u64 },
    /// The index contradicts the log.
    #[message(
        en = "the index and the claims log disagree about `{of}`",
        zh = "索引中 `{of}` 的内容与声明日志不符",
        hint(
            en = "the index was edited; run `provost reindex` to rebuild it from the log",
            zh = "索引被改动过；运行 `provost reindex` 可由日志重建",
        ),
        exit = Integrity
    )]
    IndexDiffers { of: String },
    /// The log has grown since the caller read it.
    #[message(
        en = "the stories changed meanwhile: the newest event is {last}",
        zh = "期间发生了其他变化：最新事件为 {last}",
        hint(en = "run the command again", zh = "请重试"),
        exit = Conflict
    )]
    Moved { last: u64 },
    /// An event without a canonical form.
    #[message(en = "event {seq} has no canonical form", zh = "事件 {seq} 没有规范形式")]
    Event { seq: u64, source: DigestError },
}

impl<'a> Stories<'a> {
    /// Opens the stories of a home and applies what is missing from the index.
    pub fn open(layout: &'a Layout, clock: &dyn Clock) -> Result<Self, StoriesError> {
        let mut stories = Self::open_index(layout, clock)?;
        match stories.catch_up_index().and_then(|()| stories.fold()) {
            // Damage that shows only now: the log has everything that is in the index.
            Err(StoriesError::Store(error)) if error.is_corrupt() => {
                stories.start_over(clock)?;
            }
            caught_up => caught_up?,
        }
        stories.take_over(clock)?;
        Ok(stories)
    }

    /// The same for a program that goes on: what its cache holds is the log as far as it was read,
    /// and only what is new is read. A log or an index that is not the continuation of that is read
    /// from the beginning.
    pub fn resume(
        layout: &'a Layout,
        clock: &dyn Clock,
        cache: &StoryCache,
    ) -> Result<Self, StoriesError> {
        if let Some(pair) = cache.take(layout) {
            let files = StoryFiles::new(&DISK, layout);
            let stores = Lease::new(pair);
            let mut stories = Self { layout, files, stores, notices: Vec::new() };
            // What is the matter with it, if anything is, shows when everything is read.
            if matches!(stories.go_on(), Ok(Continued::Yes)) {
                stories.stores.keep_in(cache, layout);
                return Ok(stories);
            }
        }
        let mut stories = Self::open(layout, clock)?;
        stories.stores.keep_in(cache, layout);
        Ok(stories)
    }

    /// Applies what is new in the log; whether it continues what is known.
    fn go_on(&mut self) -> Result<Continued, StoriesError> {
        let Some(known) = self.stores.folded.last_applied()? else { return Ok(Continued::No) };
        let Some(events) = self.files.since(known)? else { return Ok(Continued::No) };
        let Pair { index, folded, index_version } = &mut *self.stores;
        let version = index.version()?;
        for event in &events {
            for store in [&mut *index, &mut *folded] {
                store.apply(event)?;
            }
        }
        // Somebody else has written into the index: what is there is compared as a whole.
        if version != *index_version {
            let snapshot = index.snapshot()?;
            let last = snapshot.last.map_or(0, |it| it.seq);
            if folded.last_applied()?.map_or(0, |it| it.seq) != last {
                return Ok(Continued::No);
            }
            compare(&snapshot, index, folded)?;
        }
        *index_version = version;
        Ok(Continued::Yes)
    }

    /// Makes the index again from the log as it is, whatever the index held. The answer says how
    /// many events that were.
    pub fn reindex(layout: &'a Layout, clock: &dyn Clock) -> Result<(Self, u64), StoriesError> {
        let mut stories = Self::open_index(layout, clock)?;
        if stories.stores.index.check().is_err() {
            stories.replace_index(clock)?;
        }
        let n_events = stories.rebuild()?;
        stories.fold()?;
        stories.take_over(clock)?;
        Ok((stories, n_events))
    }

    /// Opens the index as it is; one that cannot be opened is put aside.
    fn open_index(layout: &'a Layout, clock: &dyn Clock) -> Result<Self, StoriesError> {
        let files = StoryFiles::new(&DISK, layout);
        let path = files.prepare_index()?.path();
        let is_corrupt = || Store::open(&path).is_err_and(|it| it.is_corrupt());
        let mut notices = Vec::new();
        let store = match Store::open(&path) {
            Err(error) if error.is_corrupt() => {
                if let Aside::Kept(kept_as) = files.put_index_aside(clock, is_corrupt)? {
                    notices.push(Notice::Quarantined { kept_as });
                }
                files.prepare_index()?;
                Store::open(&path)?
            }
            opened => opened?,
        };
        let folded = Store::in_memory(&path)?;
        // Before anything is compared: what is written from now on is compared again.
        let index_version = store.version()?;
        let stores = Lease::new(Pair { index: store, folded, index_version });
        Ok(Self { layout, files, stores, notices })
    }

    /// What the log adds up to, for questions.
    pub fn store(&self) -> &Store {
        &self.stores.folded
    }

    /// The log and the plans.
    pub fn files(&self) -> &StoryFiles<'a, RealDisk> {
        &self.files
    }

    /// Records that something happened: in the log, synced, and then in the index.
    pub fn record(&mut self, event: NewEvent) -> Result<StoryEvent, StoriesError> {
        let event = self.files.append(event)?;
        self.catch_up_to(&event)?;
        Ok(event)
    }

    /// The same, if nothing else has happened since event `last`: what was decided from the index
    /// holds.
    pub fn record_after(&mut self, last: u64, event: NewEvent) -> Result<StoryEvent, StoriesError> {
        let event = self.files.append_after(last, event).map_err(|error| match error {
            AppendError::Moved { last } => StoriesError::Moved { last },
            AppendError::File(error) => StoriesError::File(error),
        })?;
        self.catch_up_to(&event)?;
        Ok(event)
    }

    /// The number of the newest event that answers know of; 0 if there is none.
    pub fn last(&self) -> Result<u64, StoriesError> {
        Ok(self.stores.folded.last_applied()?.map_or(0, |it| it.seq))
    }

    /// Applies one event, and those of others that came before it.
    fn catch_up_to(&mut self, event: &StoryEvent) -> Result<(), StoriesError> {
        let mut is_behind = false;
        let Pair { index, folded, .. } = &mut *self.stores;
        for store in [index, folded] {
            match store.apply(event) {
                Ok(_) => {}
                Err(StoreError::Gap { .. }) => is_behind = true,
                Err(error) => return Err(error.into()),
            }
        }
        if is_behind { self.catch_up() } else { Ok(()) }
    }

    /// Applies what the log has and the others have not.
    fn catch_up(&mut self) -> Result<(), StoriesError> {
        self.catch_up_index()?;
        let last = self.last()?;
        for event in self.files.events()? {
            let event = event?;
            if event.seq > last {
                self.stores.folded.apply(&event)?;
            }
        }
        Ok(())
    }

    /// Adds up the log, and insists that the index says the same of everything that it holds.
    fn fold(&mut self) -> Result<(), StoriesError> {
        let Pair { index, folded, .. } = &mut *self.stores;
        let snapshot = index.snapshot()?;
        let n_applied = snapshot.last.map_or(0, |it| it.seq);
        let mut events = self.files.events()?;
        // Events count from 1 without a gap; what others add meanwhile comes behind.
        let applied = events.by_ref().take(usize::try_from(n_applied).unwrap_or(usize::MAX));
        folded.rebuild(applied).map_err(rebuilt)?;
        compare(&snapshot, index, folded)?;
        for event in events {
            folded.apply(&event?)?;
        }
        Ok(())
    }

    /// Applies what the log has and the index has not. Only the last line is read if that is
    /// nothing.
    fn catch_up_index(&mut self) -> Result<(), StoriesError> {
        // The index first: what another process adds meanwhile is in the log before it is there.
        let applied = self.stores.index.last_applied()?;
        let last = applied.map_or(0, |it| it.seq);
        let newest = self.files.last()?;
        let found = newest.as_ref().map_or(0, |it| it.seq);
        if found < last {
            let path = self.layout.claims().path().to_string();
            return Err(StoriesError::LogCut { path, applied: last, found });
        }
        if let (Some(newest), Some(applied)) = (&newest, applied)
            && newest.seq == applied.seq
        {
            let digest = newest
                .digest()
                .map_err(|source| StoriesError::Event { seq: newest.seq, source })?;
            if digest == applied.digest {
                return Ok(());
            }
            let path = self.stores.index.path().to_owned();
            return Err(StoreError::OtherLog { path, seq: newest.seq }.into());
        }
        for event in self.files.events()? {
            let event = event?;
            // The last one that was applied is held against the log as well.
            if event.seq >= last {
                self.stores.index.apply(&event)?;
            }
        }
        Ok(())
    }

    fn rebuild(&mut self) -> Result<u64, StoriesError> {
        let events = self.files.events()?;
        self.stores.index.rebuild(events).map_err(rebuilt)
    }

    fn start_over(&mut self, clock: &dyn Clock) -> Result<(), StoriesError> {
        if self.stores.index.check().is_err() {
            self.replace_index(clock)?;
        }
        // Pages may be whole while what stands on them is not what anybody wrote.
        self.rebuild()?;
        self.fold()
    }

    fn replace_index(&mut self, clock: &dyn Clock) -> Result<(), StoriesError> {
        let path = self.stores.index.path().to_owned();
        let is_corrupt = || Store::open(&path).and_then(|it| it.check()).is_err();
        if let Aside::Kept(kept_as) = self.files.put_index_aside(clock, is_corrupt)? {
            self.notices.push(Notice::Quarantined { kept_as });
        }
        self.files.prepare_index()?;
        self.stores.index = Store::open(&path)?;
        self.stores.index_version = self.stores.index.version()?;
        Ok(())
    }

    /// Puts the stories of an older database into the log, so that nothing is in the index alone.
    fn take_over(&mut self, clock: &dyn Clock) -> Result<(), StoriesError> {
        let rows = self.stores.index.unlogged()?;
        if rows.is_empty() {
            return Ok(());
        }
        let import = import::older(&rows, clock.now());
        self.import(clock, import)
    }

    /// Records executions that another program knew. One that is known here is left as it is.
    pub fn import(&mut self, clock: &dyn Clock, import: Import) -> Result<(), StoriesError> {
        let mut n_executions = 0;
        for imported in import.executions {
            let execution_id = imported.execution.id.clone();
            // Another process may be doing the same: the second one finds it there.
            while self.stores.folded.execution(&execution_id)?.is_none() {
                let body = EventBody::Imported(Box::new(imported.clone()));
                let event = NewEvent {
                    at: clock.now(),
                    execution_id: execution_id.clone(),
                    story_id: None,
                    body,
                };
                match self.record_after(self.last()?, event) {
                    Ok(_) => n_executions += 1,
                    Err(StoriesError::Moved { .. }) => self.catch_up()?,
                    Err(error) => return Err(error),
                }
            }
        }
        if n_executions > 0 {
            self.notices.push(Notice::Imported { n_executions });
        }
        self.notices.extend(import.notices.into_iter().map(Notice::Skipped));
        Ok(())
    }
}

/// Insists that the index says what the log adds up to.
fn compare(snapshot: &Snapshot<'_>, index: &Store, folded: &Store) -> Result<(), StoriesError> {
    match snapshot.difference(folded)? {
        Some(Difference::Event { seq }) => {
            let path = index.path().to_owned();
            Err(StoreError::OtherLog { path, seq }.into())
        }
        Some(Difference::Of(of)) => Err(StoriesError::IndexDiffers { of }),
        None => Ok(()),
    }
}

fn rebuilt(error: RebuildError<FileError>) -> StoriesError {
    match error {
        RebuildError::Log(error) => StoriesError::File(error),
        RebuildError::Store(error) => StoriesError::Store(error),
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;
    use provost_kernel::{
        Exit, Millis, Timestamp,
        story::{
            DiskRules, Execution, ExecutionChange, ExecutionProgress, ExecutionStatus, Started,
        },
    };
    use provost_store::Listed;

    use super::*;

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    struct World {
        folder: tempfile::TempDir,
        layout: Layout,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = Utf8PathBuf::try_from(folder.path().join(".provost")).unwrap();
            let layout = Layout::new(&home, None, &home.join("state"));
            Self { folder, layout }
        }

        fn open(&self) -> Result<Stories<'_>, StoriesError> {
            Stories::open(&self.layout, &Noon)
        }

        #[expect(clippy::disallowed_methods, reason = "the damage is done from outside")]
        fn overwrite(&self, name: &str, bytes: &[u8]) {
            std::fs::write(self.folder.path().join(".provost").join(name), bytes).unwrap();
        }

        fn edit_index(&self, sql: &str) {
            let index = rusqlite::Connection::open(self.layout.database().path()).unwrap();
            index.execute_batch(sql).unwrap();
        }

        fn read(&self, name: &str) -> Vec<u8> {
            std::fs::read(self.folder.path().join(".provost").join(name)).unwrap()
        }
    }

    /// A program that goes on reads only what is new, and answers like one that has just begun.
    #[test]
    fn a_cache_answers_like_the_whole_log() {
        let world = World::new();
        let cache = StoryCache::default();
        let resume = || Stories::resume(&world.layout, &Noon, &cache);
        let ids = |stories: &Stories<'_>| -> Vec<String> {
            let active = stories.store().executions(Listed::Active).unwrap();
            active.into_iter().map(|it| it.execution.id.to_string()).collect()
        };
        resume().unwrap().record(started("e1")).unwrap();
        assert_eq!(cache.len(), 1);
        // Another process writes too.
        world.open().unwrap().record(started("e2")).unwrap();
        resume().unwrap().record(started("e3")).unwrap();
        let stories = resume().unwrap();
        assert_eq!(ids(&stories), ids(&world.open().unwrap()));
        assert_eq!(ids(&stories), ["e3", "e2", "e1"]);
        assert_eq!(stories.last().unwrap(), 3);
        // Two at once do not share one.
        let second = resume().unwrap();
        assert_eq!(ids(&second), ids(&stories));
        drop((stories, second));
        assert!((1..=2).contains(&cache.len()), "{}", cache.len());
    }

    /// A log that was cut or exchanged, and an index that was edited, are noticed by a program that
    /// goes on as well.
    #[test]
    fn a_cache_believes_neither_another_log_nor_an_edited_index() {
        let world = World::new();
        let cache = StoryCache::default();
        let resume = || Stories::resume(&world.layout, &Noon, &cache);
        let mut stories = resume().unwrap();
        stories.record(started("e1")).unwrap();
        stories.record(started("e2")).unwrap();
        drop(stories);
        let whole = world.read("stories/claims.jsonl");
        let cut = whole.split_inclusive(|it| *it == b'\n').next().unwrap();
        world.overwrite("stories/claims.jsonl", cut);
        assert!(matches!(resume().unwrap_err(), StoriesError::LogCut { .. }));
        world.overwrite("stories/claims.jsonl", &whole);
        drop(resume().unwrap());
        world.edit_index("UPDATE executions SET record = json_set(record, '$.status', 'merged')");
        assert!(matches!(resume().unwrap_err(), StoriesError::IndexDiffers { .. }));
    }

    fn started(id: &str) -> NewEvent {
        let execution = Execution {
            id: id.parse().unwrap(),
            project: "shop".to_owned(),
            branch: format!("ralph/{id}").parse().unwrap(),
            description: String::new(),
            priority: provost_kernel::story::PlanPriority::P1,
            prd_path: "p.md".to_owned(),
            plan_digest: None,
            project_root: "/shop".to_owned(),
            worktree_path: None,
            base_commit_sha: None,
            disk: DiskRules::default(),
            rebased: std::collections::BTreeMap::new(),
            status: ExecutionStatus::Ready,
            status_reason: None,
            agent_task_id: None,
            dependencies: Vec::new(),
            progress: ExecutionProgress::default(),
            is_archived: false,
            merged_at: None,
            merge_commit_sha: None,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        };
        NewEvent {
            at: Timestamp::EPOCH,
            execution_id: id.parse().unwrap(),
            story_id: None,
            body: EventBody::Started(Box::new(Started {
                execution,
                stories: Vec::new(),
                bases: Vec::new(),
            })),
        }
    }

    fn changed(id: &str, status: ExecutionStatus) -> NewEvent {
        let change = ExecutionChange { status: Some(status), ..ExecutionChange::default() };
        NewEvent { body: EventBody::Changed(change), ..started(id) }
    }

    fn ids(stories: &Stories<'_>) -> Vec<String> {
        let active = stories.store().executions(Listed::Active).unwrap();
        active.iter().map(|it| it.execution.id.to_string()).collect()
    }

    /// Ruling: the log first, and then one transaction. The next process completes it, once.
    #[test]
    fn what_was_appended_and_not_applied_is_applied_by_whoever_opens_next() {
        let world = World::new();
        world.open().unwrap().record(started("e1")).unwrap();
        let files = StoryFiles::new(&DISK, &world.layout);
        files.append(started("e2")).unwrap();
        files.append(changed("e1", ExecutionStatus::Failed)).unwrap();
        for _ in 0..2 {
            let stories = world.open().unwrap();
            assert_eq!(ids(&stories), ["e1", "e2"]);
            assert_eq!(stories.last().unwrap(), 3);
        }
    }

    /// Two processes append, and the second applies both: the first has nothing left to do.
    #[test]
    fn an_event_of_somebody_else_is_applied_before_ones_own() {
        let world = World::new();
        let mut stories = world.open().unwrap();
        stories.record(started("e1")).unwrap();
        StoryFiles::new(&DISK, &world.layout).append(started("e2")).unwrap();
        let event = stories.record(started("e3")).unwrap();
        assert_eq!(event.seq, 3);
        assert_eq!(ids(&stories), ["e3", "e2", "e1"]);
        let late = stories.record_after(2, started("e4"));
        assert!(matches!(late, Err(StoriesError::Moved { last: 3 })), "{late:?}");
        assert_eq!(late.unwrap_err().exit(), Exit::Conflict);
        stories.record_after(3, started("e4")).unwrap();
    }

    #[test]
    fn a_corrupt_index_is_put_aside_and_made_again() {
        let world = World::new();
        let mut stories = world.open().unwrap();
        for id in ["e1", "e2"] {
            stories.record(started(id)).unwrap();
        }
        drop(stories);
        world.overwrite("provost.db", b"this is not a database, and never was one");
        let stories = world.open().unwrap();
        assert_eq!(ids(&stories), ["e2", "e1"]);
        let [Notice::Quarantined { kept_as }] = stories.notices.as_slice() else {
            panic!("{:?}", stories.notices)
        };
        let kept = world.read(&format!("quarantine/{kept_as}"));
        assert_eq!(kept, b"this is not a database, and never was one");
        assert!(world.open().unwrap().notices.is_empty());
    }

    /// The index is never believed against the log, and the log is never cut in silence.
    #[test]
    fn a_log_that_was_cut_or_exchanged_is_refused_until_a_person_says_so() {
        let world = World::new();
        let mut stories = world.open().unwrap();
        for id in ["e1", "e2"] {
            stories.record(started(id)).unwrap();
        }
        drop(stories);
        let log = String::from_utf8(world.read("stories/claims.jsonl")).unwrap();
        let first = log.lines().next().unwrap().to_owned() + "\n";
        for forged in [first.clone(), String::new(), log.replace("/shop", "/else")] {
            world.overwrite("stories/claims.jsonl", forged.as_bytes());
            let error = world.open().unwrap_err();
            assert_eq!(error.exit(), Exit::Integrity, "{error}");
            assert_eq!(error.hints().len(), 1);
        }
        world.overwrite("stories/claims.jsonl", first.as_bytes());
        let (stories, n_events) = Stories::reindex(&world.layout, &Noon).unwrap();
        assert_eq!((ids(&stories), n_events), (vec!["e1".to_owned()], 1));
        assert_eq!(ids(&world.open().unwrap()), ["e1"]);
    }

    /// STORY-2.1: rows of an older database are in the log from then on.
    #[test]
    fn a_state_of_the_original_is_imported_once() {
        let world = World::new();
        let state = serde_json::json!({
            "version": 1,
            "executions": [{"id": "e9", "branch": "ralph/x", "status": "running"}],
            "userStories": [{
                "executionId": "e9", "storyId": "US-001", "title": "Form", "passes": true,
                "acceptanceCriteria": ["one"],
            }],
        });
        let import = || import::state(state.to_string().as_bytes()).unwrap();
        let mut stories = world.open().unwrap();
        stories.import(&Noon, import()).unwrap();
        stories.import(&Noon, import()).unwrap();
        assert_eq!(stories.notices, [Notice::Imported { n_executions: 1 }]);
        assert_eq!(stories.last().unwrap(), 1);
        let active = stories.store().executions(Listed::Active).unwrap();
        assert_eq!((active[0].stories.len(), active[0].n_proven()), (1, 0));
    }
}
