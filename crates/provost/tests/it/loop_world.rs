//! A world in which tasks run: a repository with a test, two agents of the test's own, and eyes
//! for everything that a run leaves.
//!
//! The agents `c` (a coder) and `j` (a judge) are shell scripts outside the repository; a test
//! may exchange them between two runs. `provost.toml` at the base names them.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use crate::world::{Provost, Ran, World};

/// What both agents can use: `attempt` is its number, `reply TEXT` answers.
const PRELUDE: &str = r#"
attempt=$(sed -n 's/.*"attempt": *\([0-9]*\).*/\1/p' "$PROVOST_REQUEST" | head -n 1)
reply() { printf '{"schema":"provost.adapter/1","role":"%s","text":"%s"}' "$role" "$1" >"$PROVOST_REPLY"; }
"#;

/// A coder that does the work.
pub(crate) const RIGHT: &str = "echo 42 >answer.txt; reply done";
/// A coder that gets it wrong.
pub(crate) const WRONG: &str = "echo 41 >answer.txt; reply done";

/// The dimensions of `engineering_impl`, with their weights.
const DIMENSIONS: [(&str, f64); 7] = [
    ("correctness", 0.2),
    ("runnability", 0.18),
    ("test_and_validation", 0.16),
    ("security", 0.14),
    ("architecture_and_modularity", 0.12),
    ("readability_and_maintainability", 0.1),
    ("performance", 0.1),
];

/// A world with a repository whose test is `check.sh`.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) world: World,
}

impl Loop {
    pub(crate) fn new() -> Self {
        Self::with_config("")
    }

    /// A world whose base has more in its `provost.toml`; `@WORLD` is its path.
    pub(crate) fn with_config(config: &str) -> Self {
        let world = World::new();
        let agents = world.path("agents");
        let agents = agents.display();
        let config = config.replace("@WORLD", world.path("").to_str().unwrap());
        let config = format!(
            "{config}\n[job]\ngrace_seconds = 1\n\
             [adapter.c]\nkind = \"command\"\nargv = [\"sh\", \"{agents}/c.sh\"]\n\
             [adapter.j]\nkind = \"command\"\nargv = [\"sh\", \"{agents}/j.sh\"]\n"
        );
        world.write("repo/check.sh", "grep -qx 42 answer.txt\n");
        world.write("repo/provost.toml", config);
        world.write("repo/.gitignore", ".provost/\n");
        let it = Self { world };
        it.coder(RIGHT);
        it.judge(&plain("PASS"));
        it.git("symbolic-ref HEAD refs/heads/main");
        it.commit();
        it
    }

    /// A world whose person has this in a file of their own; `@WORLD` is its path.
    pub(crate) fn with_own(config: &str) -> Self {
        let it = Self::new();
        let config = config.replace("@WORLD", it.world.path("").to_str().unwrap());
        it.world.write("home/.config/provost/provost.toml", config);
        it
    }

    /// The same world, with at most so many bytes of output kept.
    pub(crate) fn with_cap(self, bytes: usize) -> Self {
        let config = fs::read_to_string(self.world.path("repo/provost.toml")).unwrap();
        let cap = format!("[job]\noutput_limit_bytes = {bytes}\n");
        self.world.write("repo/provost.toml", config.replacen("[job]\n", &cap, 1));
        self.commit();
        self
    }

    /// Commits everything in the repository.
    pub(crate) fn commit(&self) {
        self.git("add --all");
        self.git("-c user.name=a -c user.email=a@localhost commit --quiet -m base");
    }

    /// Runs git in the repository, and gives what it printed.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &str) -> String {
        let output = self.world.program("git").args(arguments.split(' ')).output().unwrap();
        assert!(output.status.success(), "git {arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Every ref of the repository that is provost's.
    pub(crate) fn refs(&self) -> String {
        self.git("for-each-ref --format=%(refname) refs/provost")
    }

    /// Makes the coder `c` this script.
    pub(crate) fn coder(&self, script: &str) {
        self.world.write("agents/c.sh", format!("role=coder\n{PRELUDE}\n{script}\n"));
    }

    /// Makes the judge `j` always give this verdict.
    pub(crate) fn judge(&self, verdict: &Value) {
        self.judge_bytes(&verdict.to_string());
    }

    /// Makes the judge `j` always give this text.
    pub(crate) fn judge_bytes(&self, text: &str) {
        self.verdict("verdict", text);
        self.judge_script("give verdict");
    }

    /// Writes a reply that the judge `j` can give by its name.
    pub(crate) fn verdict(&self, name: &str, text: &str) {
        let reply = json!({ "schema": "provost.adapter/1", "role": "judge", "text": text });
        self.world.write(format!("agents/{name}.json"), reply.to_string());
    }

    /// Makes the judge `j` this script; `give NAME` answers with a verdict of that name.
    pub(crate) fn judge_script(&self, script: &str) {
        let agents = self.world.path("agents");
        let give =
            format!("give() {{ cat '{}'/\"$1\".json >\"$PROVOST_REPLY\"; }}", agents.display());
        self.world.write("agents/j.sh", format!("role=judge\n{PRELUDE}\n{give}\n{script}\n"));
    }

    /// Writes a spec: `c` codes, `j` judges, `check.sh` tests, and these keys besides. `null`
    /// takes a key away.
    pub(crate) fn spec(&self, id: &str, changes: Value) -> PathBuf {
        let mut spec = json!({
            "task_id": id,
            "repo_path": self.world.path("repo"),
            "goal": "write 42 into answer.txt",
            "acceptance": "check.sh passes",
            "test_cmd": "sh check.sh",
            "coder": "c",
            "judge": "j",
            // A test that waits by mistake ends by itself.
            "coder_timeout_seconds": 60,
            "test_timeout_seconds": 60,
            "judge_timeout_seconds": 30,
        });
        let Value::Object(changes) = changes else { panic!("{changes}") };
        let spec = spec.as_object_mut().unwrap();
        spec.extend(changes);
        spec.retain(|_, it| !it.is_null());
        let path = format!("specs/{id}.json");
        self.world.write(&path, serde_json::to_vec(spec).unwrap());
        self.world.path(path)
    }

    /// A `provost` command for scripts.
    pub(crate) fn provost(&self, arguments: &[&str]) -> Provost<'_> {
        self.world.provost().args(["--json"]).args(arguments)
    }

    /// Runs a spec with these changes.
    pub(crate) fn run(&self, id: &str, changes: Value) -> Ran {
        let spec = self.spec(id, changes);
        self.provost(&["run", spec.to_str().unwrap()]).run()
    }

    /// Runs a spec and asserts how it ended: its exit code, and its pause code or state.
    #[track_caller]
    pub(crate) fn check(&self, id: &str, changes: Value, exit: i32, word: &str) -> Value {
        ended(&self.run(id, changes), exit, word)
    }

    /// Runs a command and asserts that it succeeded.
    #[track_caller]
    pub(crate) fn order(&self, arguments: &[&str]) {
        let ran = self.provost(arguments).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    }

    /// Resumes a task and asserts how it ended.
    #[track_caller]
    pub(crate) fn resume(&self, id: &str, exit: i32, word: &str) -> Value {
        ended(&self.provost(&["resume", id]).run(), exit, word)
    }

    /// A place in the folder of tasks.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.world.path("repo/.provost/out").join(path)
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// A file in the folder of tasks.
    #[track_caller]
    pub(crate) fn text(&self, path: &str) -> String {
        let at = self.path(path);
        fs::read_to_string(&at).unwrap_or_else(|error| panic!("{}: {error}", at.display()))
    }

    #[track_caller]
    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    pub(crate) fn status(&self, id: &str) -> Value {
        self.json(&format!("{id}/status.json"))
    }

    /// What an order about the newest result says that was seen.
    #[track_caller]
    pub(crate) fn seen(&self, id: &str) -> Value {
        let status = self.status(id);
        json!({"attempt": status["current_attempt"], "state_version": status["state_version"]})
    }

    /// What the coder of an attempt was told.
    #[track_caller]
    pub(crate) fn prompt(&self, id: &str, attempt: u16) -> String {
        self.text(&format!("{id}/attempt_{attempt:03}/coder/prompt.txt"))
    }

    /// The events of a task, in order.
    pub(crate) fn events(&self, id: &str) -> Vec<Value> {
        let text = self.text(&format!("{id}/events.jsonl"));
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    /// The types of a task's events, in order.
    pub(crate) fn kinds(&self, id: &str) -> Vec<String> {
        let kind = |it: &Value| it["type"].as_str().unwrap().to_owned();
        self.events(id).iter().map(kind).collect()
    }

    pub(crate) fn count(&self, id: &str, kind: &str) -> usize {
        self.kinds(id).iter().filter(|it| *it == kind).count()
    }

    /// Where the work trees of a task lie.
    pub(crate) fn work(&self, id: &str) -> Vec<PathBuf> {
        let root = self.world.path("home/.local/state/provost/work");
        let Ok(homes) = fs::read_dir(root) else { return Vec::new() };
        let trees = homes.filter_map(|it| fs::read_dir(it.unwrap().path().join(id)).ok()).flatten();
        let mut trees: Vec<_> = trees.map(|it| it.unwrap().path()).collect();
        trees.sort();
        trees
    }

    /// The files below the home, the work trees and the repository's git folder that hold these
    /// bytes.
    pub(crate) fn holding(&self, needle: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for root in ["repo/.provost", "repo/.git", "home"] {
            search(&self.world.path(root), needle.as_bytes(), &mut found);
        }
        found
    }

    /// The files of a folder of the home, as names relative to it.
    pub(crate) fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let mut found = Vec::new();
        search(&root, b"", &mut found);
        let name = |it: &PathBuf| it.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<_> = found.iter().map(name).collect();
        names.sort();
        names
    }

    /// Makes a program, and gives a `PATH` that finds it first.
    pub(crate) fn program(&self, name: &str, script: &str) -> OsString {
        use std::os::unix::fs::PermissionsExt as _;
        let path = format!("bin/{name}");
        self.world.write(&path, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.world.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
        std::env::join_paths([self.world.path("bin")].into_iter().chain(paths())).unwrap()
    }
}

/// The folders of this machine's programs.
#[expect(clippy::disallowed_methods, reason = "a test knows which programs there are")]
pub(crate) fn paths() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// Asserts how a run ended, and gives its answer.
#[track_caller]
pub(crate) fn ended(ran: &Ran, exit: i32, word: &str) -> Value {
    assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
    let answer = ran.json();
    let found = answer["pause_reason_code"].as_str().or(answer["state"].as_str());
    assert_eq!(found, Some(word), "{}", ran.text());
    answer
}

/// A plain verdict.
pub(crate) fn plain(decision: &str) -> Value {
    let is = |it: &str| decision == it;
    json!({
        "decision": decision,
        "reasons": ["as the evidence shows"],
        "next_instructions": if is("FAIL") { "write 42" } else { "" },
        "questions_for_user": if is("NEED_USER_INPUT") { vec!["which one?"] } else { Vec::new() },
    })
}

/// A verdict with these scores for the dimensions of `engineering_impl`, and the right sums.
pub(crate) fn scored(decision: &str, scores: [f64; 7]) -> Value {
    let pairs = DIMENSIONS.iter().zip(scores);
    let raw: f64 = pairs.clone().map(|((_, weight), score)| weight * score).sum();
    let raw = (raw * 1e4).round() / 1e4;
    let scores: Map<_, _> = pairs.map(|((key, _), it)| ((*key).to_owned(), json!(it))).collect();
    let weights: Map<_, _> =
        DIMENSIONS.iter().map(|(key, it)| ((*key).to_owned(), json!(it))).collect();
    json!({
        "decision": decision,
        "scores": scores,
        "weights": weights,
        "raw_score_0_5": raw,
        "penalty": 0,
        "final_score_0_5": raw,
        "final_score_0_100": (raw * 20.0 * 100.0).round() / 100.0,
        "gated": false,
        "gating_reasons": [],
        "top_issues": ["a name is long", "a comment is short"],
        "fix_suggestions": [],
        "scoring_mode_used": "rubric_analytic",
        "reasons": ["as the evidence shows"],
        "next_instructions": if decision == "FAIL" { "write 42" } else { "" },
    })
}

/// Good scores: 87 of 100 or so.
pub(crate) const GOOD: [f64; 7] = [4.5, 4.0, 4.5, 4.5, 4.0, 4.5, 4.5];

/// A token that looks like a real one. It is in two pieces here, so that nobody takes this file
/// for one that carries a secret.
pub(crate) fn token() -> String {
    ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat()
}

/// Whether a process runs whose command line has this word.
pub(crate) fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
    lines.any(|it| it.split(|byte| *byte == 0).any(|it| it == word.as_bytes()))
}

fn search(folder: &Path, needle: &[u8], found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            search(&path, needle, found);
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap();
            if needle.is_empty() || bytes.windows(needle.len()).any(|it| it == needle) {
                found.push(path);
            }
        }
    }
}
