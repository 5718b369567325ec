//! One attempt of a task, against the same git commands alone, beside few and many other tasks.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_exec::{
    Guardian,
    git::{Git, Identity, changes, clone, publish, snapshot},
};
use provost_kernel::{
    AttemptNumber, Timestamp,
    task::{State, TaskSpec},
};
use provost_testkit::{
    Place, command,
    coordinator::{Errand, coordinate},
};
use serde_json::Value;

use super::{Comparison, Goal, Times, compare};

/// How many finished tasks there are besides.
const FEW: u32 = 10;
const SOME: u32 = 1_000;
const MANY: u32 = 10_000;

/// A repository, and homes with different numbers of finished tasks.
struct Ground {
    place: Place,
    provost: PathBuf,
    repository: Utf8PathBuf,
}

pub(super) fn measure(provost: &Path) -> Vec<Value> {
    let ground = Ground::new(provost);
    let mut number = 0;
    let few = ground.home("few", FEW);
    let alone = {
        let mut next = 0;
        compare(
            10,
            2,
            || ground.attempt(&few, &mut number),
            || {
                next += 1;
                ground.git_alone(next);
            },
        )
    };
    let mut results = vec![
        Comparison {
            name: "attempt",
            what: "one attempt with scripted agents",
            baseline: "the same git commands alone",
            goal: Goal::MillisecondsBeyond(150.0),
        }
        .result(&alone),
    ];
    for (name, count, most) in [("attempt_1000", SOME, 1.2), ("attempt_10000", MANY, 1.2)] {
        let home = ground.home(name, count);
        let mut numbers = (0, number);
        let times = compare(
            10,
            2,
            || ground.attempt(&home, &mut numbers.0),
            || ground.attempt(&few, &mut numbers.1),
        );
        number = numbers.1;
        let what = if count == MANY { "beside 10,000 finished tasks" } else { "beside 1,000" };
        results.push(
            Comparison {
                name,
                what,
                baseline: "an attempt beside 10 finished tasks",
                goal: Goal::TimeAtMost(most),
            }
            .result(&times),
        );
        if count == MANY {
            results.push(ground.list(&home));
        }
    }
    results
}

impl Ground {
    fn new(provost: &Path) -> Self {
        let place = Place::new();
        let root = place.path().canonicalize_utf8().expect("a real path");
        let repository = root.join("repository");
        create(&repository);
        write(&repository.join("check.sh"), "grep -qx 42 answer.txt\n");
        for args in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "base"]]
        {
            let status = command("git")
                .args(["-c", "user.name=b", "-c", "user.email=b@localhost"])
                .args(args)
                .current_dir(&repository)
                .status();
            assert!(status.expect("git").success());
        }
        Self { place, provost: provost.to_owned(), repository }
    }

    fn spec(&self, task: &str) -> TaskSpec {
        TaskSpec {
            repo_path: self.repository.to_string(),
            goal: "write 42 into answer.txt".to_owned(),
            test_cmd: Some("sh check.sh".to_owned()),
            coder: Some("script:pass".to_owned()),
            judge: Some("mock".to_owned()),
            ..TaskSpec::new(task.parse().expect("a task id"))
        }
    }

    /// A home with so many finished tasks: one is run, the others are copies of it.
    fn home(&self, name: &str, count: u32) -> Utf8PathBuf {
        let home =
            self.place.path().canonicalize_utf8().expect("a path").join(name).join(".provost");
        create(&home);
        self.run(&home, "finished-0");
        let out = home.join("out");
        let index = out.join("_index/tasks");
        let files = ["task.json", "status.json", "final_summary.json", "events.jsonl"];
        for number in 1..count {
            let task = format!("finished-{number}");
            let renamed = |from: &Utf8Path| {
                let text = fs::read_to_string(from).expect("a file of the first task");
                text.replace("finished-0", &task)
            };
            create(&out.join(&task));
            for file in files {
                write(&out.join(&task).join(file), &renamed(&out.join("finished-0").join(file)));
            }
            let entry = renamed(&index.join("finished-0.json"));
            write(&index.join(format!("{task}.json")), &entry);
        }
        home
    }

    fn run(&self, home: &Utf8Path, task: &str) {
        let mut errand = Errand::new(home, &self.spec(task));
        errand.is_quiet = true;
        let report = coordinate(errand, self.provost.clone()).expect("a run");
        assert_eq!(report.status.state, State::ReadyForReview, "{}", report.status.message);
    }

    /// One task that passes in its first attempt.
    fn attempt(&self, home: &Utf8Path, number: &mut u32) {
        *number += 1;
        // The names of results are shared by all homes of the repository.
        let home_name = home.parent().and_then(Utf8Path::file_name).unwrap_or_default();
        self.run(home, &format!("attempt-{home_name}-{number}"));
    }

    /// The git commands of one attempt, and nothing else.
    fn git_alone(&self, number: u32) {
        let guardian =
            Guardian { program: self.provost.clone(), args: vec!["guardian".to_owned()] };
        let path =
            std::env::vars().find(|(name, _)| name == "PATH").map_or(String::new(), |it| it.1);
        let git = Git::new(guardian, &path);
        let identity = Identity { name: "b".to_owned(), email: "b@localhost".to_owned() };
        let root = self.place.path().canonicalize_utf8().expect("a path").join("alone");
        create(&root);
        let at = |name: &str| root.join(format!("{number}-{name}")).into_std_path_buf();
        let repository = self.repository.as_std_path();
        let made =
            clone::private(&git, repository, "main", &at("tree"), &identity).expect("a clone");
        write(Utf8Path::from_path(&made.tree.join("answer.txt")).expect("a path"), "42\n");
        let taken = snapshot::take(&git, &made).expect("a snapshot");
        let files = changes::of(&git, &made, &taken).expect("changes");
        let ids: Vec<_> = files.iter().flat_map(|it| it.versions.clone()).collect();
        changes::read_blobs(&git, &made, &ids, 1 << 20, |_, _| {}).expect("contents");
        changes::patch(&git, &made, &taken, 1 << 20).expect("a patch");
        let task = format!("alone-{number}").parse().expect("a task id");
        let label = publish::Label {
            task: &task,
            attempt: AttemptNumber::FIRST,
            identity: &identity,
            when: Timestamp::EPOCH,
            message: "alone",
        };
        let done = publish::publish(&git, &made, &taken, repository, &label).expect("a result");
        for name in ["check", "judged"] {
            clone::exact(&git, &made, &done.commit, &at(name), &identity).expect("a checkout");
        }
    }

    /// The list of all tasks, by the binary that is shipped.
    fn list(&self, home: &Utf8Path) -> Value {
        let run = || {
            let status = command(&self.provost)
                .args(["ls", "--json", "--home", home.as_str()])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(status.expect("a program").success());
        };
        let read = || {
            let folder = fs::read_dir(home.join("out/_index/tasks")).expect("an index");
            let total: usize = folder
                .map(|it| fs::read(it.expect("an entry").path()).expect("a file").len())
                .sum();
            assert!(total > 0);
        };
        let times: Times = compare(10, 1, run, read);
        Comparison {
            name: "ls",
            what: "`provost ls` over 10,000 finished tasks",
            baseline: "reading the files of the index",
            goal: Goal::Milliseconds(200.0),
        }
        .result(&times)
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement prepares its ground by hand")]
fn create(path: &Utf8Path) {
    fs::create_dir_all(path).expect("a folder");
}

#[expect(clippy::disallowed_methods, reason = "a measurement prepares its ground by hand")]
fn write(path: &Utf8Path, text: &str) {
    fs::write(path, text).expect("a file");
}
