//! Watches the tasks of a home: by events of the file system, and by a sweep where none came.
//!
//! Every change of a state also writes the task's entry in the index, so one folder tells of all
//! tasks. The folders of those that run are watched besides, for their events and logs.

use std::{
    collections::BTreeSet,
    path::{Component, Path},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use provost_desk::board::Query;
use provost_kernel::{
    TaskId,
    task::{State, TaskGroup},
};

use crate::App;

/// After so long everything is looked at, whatever was heard.
const SWEEP: Duration = Duration::from_secs(30);
/// What comes within this time is told together.
const TOGETHER: Duration = Duration::from_millis(40);
/// How often it is looked whether the server ends.
const LOOK: Duration = Duration::from_millis(250);

/// What was touched.
enum Touched {
    /// The state of a task.
    State(TaskId),
    /// Something else of one: events, a log.
    Other,
    /// Events may have been lost.
    Everything,
}

/// The folders that are watched.
struct Watched {
    watcher: Option<RecommendedWatcher>,
    has_index: bool,
    /// Tasks that run.
    running: BTreeSet<TaskId>,
}

/// Watches until the server stops, on a thread of its own.
pub(crate) fn watch(app: &Arc<App>) {
    let app = Arc::clone(app);
    std::thread::spawn(move || {
        let (sender, heard) = channel();
        let mut watched = Watched::new(&app, sender);
        watched.follow_running(&app);
        listen(&app, &mut watched, &heard);
    });
}

impl Watched {
    fn new(app: &App, sender: Sender<Touched>) -> Self {
        let layout = app.desk.layout();
        let (out, index) = (layout.out().path(), layout.index().path());
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let touched = match event {
                Ok(event) if event.need_rescan() => vec![Touched::Everything],
                // Who reads changes nothing.
                Ok(event) if event.kind.is_access() => Vec::new(),
                Ok(event) => {
                    let of = |it| touched(out.as_std_path(), index.as_std_path(), it);
                    event.paths.iter().filter_map(|it| of(it)).collect()
                }
                Err(_) => vec![Touched::Everything],
            };
            for it in touched {
                // A server that ends listens no more.
                let _ = sender.send(it);
            }
        });
        // Without events of the file system the sweep alone tells.
        let mut watched =
            Self { watcher: watcher.ok(), has_index: false, running: BTreeSet::new() };
        watched.add(layout.out().path().as_std_path(), RecursiveMode::NonRecursive);
        watched
    }

    fn add(&mut self, folder: &Path, mode: RecursiveMode) -> bool {
        self.watcher.as_mut().is_some_and(|it| it.watch(folder, mode).is_ok())
    }

    /// Watches the index as soon as it is there.
    fn find_index(&mut self, app: &App) {
        if !self.has_index {
            let index = app.desk.layout().index().path();
            self.has_index = self.add(index.as_std_path(), RecursiveMode::NonRecursive);
        }
    }

    /// Watches the folders of all tasks that run.
    fn follow_running(&mut self, app: &App) {
        let group = Some(TaskGroup::Runs);
        let query = Query { group, limit: Some(100), ..Query::default() };
        let Ok(page) = app.board.page(&query) else { return };
        for shown in page.tasks {
            let row = shown.row();
            self.follow(app, &row.task_id, row.state == State::Running);
        }
    }

    /// Watches the folder of a task while it runs.
    fn follow(&mut self, app: &App, task: &TaskId, is_running: bool) {
        let folder = app.desk.layout().task(task).path();
        if !is_running {
            if self.running.remove(task)
                && let Some(watcher) = &mut self.watcher
            {
                let _ = watcher.unwatch(folder.as_std_path());
            }
        } else if !self.running.contains(task)
            && self.add(folder.as_std_path(), RecursiveMode::Recursive)
        {
            self.running.insert(task.clone());
        }
    }
}

/// Which task a path belongs to, and what of it.
fn touched(out: &Path, index: &Path, path: &Path) -> Option<Touched> {
    if let Ok(name) = path.strip_prefix(index) {
        let task = name.to_str()?.strip_suffix(".json")?.parse().ok()?;
        return Some(Touched::State(task));
    }
    let mut parts = path.strip_prefix(out).ok()?.components();
    let Some(Component::Normal(first)) = parts.next() else { return None };
    let Some(task) = first.to_str().and_then(|it| it.parse::<TaskId>().ok()) else {
        // A folder of provost's own, such as the index that was just made.
        return Some(Touched::Everything);
    };
    match parts.next() {
        None => Some(Touched::State(task)),
        // The step that runs stands in the events.
        Some(Component::Normal(name)) if name == "status.json" || name == "events.jsonl" => {
            Some(Touched::State(task))
        }
        Some(_) => Some(Touched::Other),
    }
}

fn listen(app: &App, watched: &mut Watched, heard: &Receiver<Touched>) {
    let mut swept = Instant::now();
    while !app.stop.0.is_cancelled() {
        watched.find_index(app);
        let mut states = BTreeSet::new();
        let (mut is_all, mut is_any) = (false, false);
        let mut note = |it| match it {
            Touched::State(task) => {
                states.insert(task);
            }
            Touched::Other => is_any = true,
            Touched::Everything => is_all = true,
        };
        match heard.recv_timeout(LOOK) {
            Ok(first) => {
                note(first);
                std::thread::sleep(TOGETHER);
                heard.try_iter().for_each(note);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        if is_all || swept.elapsed() >= SWEEP {
            sweep(app, watched);
            swept = Instant::now();
        }
        is_any |= !states.is_empty();
        for task in states {
            look(app, watched, &task);
        }
        if is_any {
            app.pulse.beat();
        }
    }
}

fn look(app: &App, watched: &mut Watched, task: &TaskId) {
    // What cannot be looked at now is found by the sweep.
    let Ok(change) = app.board.refresh(task) else { return };
    let is_running = app.board.row(task).is_some_and(|it| it.state == State::Running);
    watched.follow(app, task, is_running);
    if let Some(change) = change {
        app.pulse.tell(change);
    }
}

/// Looks at every task.
fn sweep(app: &App, watched: &mut Watched) {
    let Ok(changes) = app.board.sweep() else { return };
    for it in changes {
        app.pulse.tell(it);
    }
    watched.follow_running(app);
}
