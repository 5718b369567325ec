//! Real clients as judges of work that tries to take them over, and as coders.
//!
//! Each plays a task of provost with the flags, the sandbox and the private state of its preset. Its
//! model is scripted and says FAIL; a verdict that is anything else, or that lacks the model's own
//! word, is not the judge's.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::Value;

use super::{
    client::{Agent, Client, choose, inherited, install},
    model::{Door, Heard, Model},
    outcome::{self, Row},
    plants::{self, Lookup, Takeover},
    script::{Script, WRITTEN},
    told::told,
    wire,
};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    ground::cannot,
    process::Process,
    stage::{Cast, REPLY, VERDICT, World},
};

/// The model's own word, which no plant knows.
const WORD: &str = "the model itself says so";
/// What the task is about, which its judge must have been told.
const GOAL: &str = "let product.sh print 42";
/// What the test of the task wants; whatever else is printed does not matter to it.
const CHECK: &str =
    "out=$(sh product.sh)\nprintf '%s\\n' \"$out\"\nprintf '%s\\n' \"$out\" | grep -qx 42\n";
/// How long a client may take without provost.
const SECONDS: &str = "120";

/// A client in its world, with its model.
struct Play<'a> {
    client: &'static Client,
    agent: &'static Agent,
    cast: &'a Cast,
    world: World,
    model: Model,
    start: Instant,
}

/// Plays every takeover with these clients, or with all of them.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let mut names: Vec<&str> = Vec::new();
    let (mut keep, mut only, mut provost) = (false, None, None);
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match *word {
            "--keep" => keep = true,
            "--only" => only = words.next().copied(),
            "--provost" => provost = words.next().map(PathBuf::from),
            name => names.push(name),
        }
    }
    let chosen = choose(&names, |it| it.agent.is_some())?;
    install(&chosen)?;
    let provost = match provost {
        Some(path) => path,
        None => build::provost(Alongside::Nothing)?,
    };
    let mut rows = Vec::new();
    for client in chosen {
        let Some(agent) = &client.agent else { continue };
        let path = format!("{}:{}", client.folder().display(), inherited("PATH"));
        let variables = vec![("PATH".to_owned(), path)];
        let cast = Cast { provost: provost.clone(), variables, keep };
        let mut note = |row: Result<Row, Failure>| -> Result<(), Failure> {
            let row = row?;
            print!("{}", outcome::table(std::slice::from_ref(&row), false));
            rows.push(row);
            Ok(())
        };
        let is_chosen = |it: &&Takeover| only.is_none_or(|only| it.name == only);
        for takeover in plants::ALL.iter().filter(is_chosen) {
            note(judged(client, agent, &cast, takeover))?;
            if takeover.is_obeyed_in_tree {
                note(by_hand(client, agent, &cast, takeover))?;
            }
        }
        if only.is_none_or(|it| it == "coder") {
            note(coded(client, agent, &cast))?;
        }
    }
    print!("\n{}", outcome::table(&rows, true));
    outcome::judge(&rows)
}

/// A task whose coder tries this, and whose judge is the client.
fn judged(
    client: &'static Client,
    agent: &'static Agent,
    cast: &Cast,
    takeover: &Takeover,
) -> Result<Row, Failure> {
    let play = Play::new(client, agent, cast, takeover.name, judge_script())?;
    let world = &play.world;
    if takeover.program == Lookup::Tree {
        let program = client.folder().join(client.name);
        let text = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display());
        world.write("repo/tools/judge", &text)?;
        world.shell(cast, "chmod +x tools/judge")?;
    }
    play.plant("plants", takeover.files)?;
    let plants = world.text("plants");
    let shell = play.fill(takeover.shell);
    world.write(
        "c.sh",
        &format!(
            "echo 'echo 42' >product.sh\n[ ! -d '{plants}' ] || cp -R '{plants}/.' .\n{shell}\n{REPLY}\n"
        ),
    )?;
    let program = match takeover.program {
        Lookup::Path | Lookup::RelativePath => "",
        Lookup::Tree => "program = \"tools/judge\"\n",
    };
    let judge = format!("[adapter.j]\nkind = \"preset\"\npreset = \"{}\"\n{program}", agent.preset);
    let config = format!("{}{judge}", command("c", &world.text("c.sh")));
    let path = match takeover.program {
        Lookup::Path | Lookup::Tree => "",
        Lookup::RelativePath => ".:bin:node_modules/.bin:",
    };
    let home = snapshot(&world.folder.join("home"), &world.folder.join("home"))?;
    let state = play.run(&config, path)?;
    let mut row = play.row(format!("judge, {}", takeover.name));
    let heard = play.model.heard();
    let record = |name: &str| -> Value {
        world.json(&format!("repo/.provost/out/t1/attempt_001/judge/{name}")).unwrap_or_default()
    };
    let request = record("request.json");
    row.told = told(&heard.requests, request["evidence"].as_str().unwrap_or_default());
    if results(&heard).iter().any(|it| it.contains(WRITTEN)) {
        row.canaries.insert("written".to_owned());
    }
    if snapshot(&world.folder.join("home"), &world.folder.join("home"))? != home {
        row.canaries.insert("home-changed".to_owned());
    }
    row.judged(&record("verdict.json"), WORD, &state);
    row.passed &= Value::from(heard.requests).to_string().contains(GOAL);
    Ok(row)
}

/// The client in a tree with the plants, started as a person would: they must be alive there, or
/// their silence elsewhere says nothing.
fn by_hand(
    client: &'static Client,
    agent: &'static Agent,
    cast: &Cast,
    takeover: &Takeover,
) -> Result<Row, Failure> {
    let play = Play::new(client, agent, cast, takeover.name, judge_script())?;
    play.plant("repo", takeover.files)?;
    play.world.commit(cast)?;
    let program = client.folder().join(client.name);
    let mut words = vec![SECONDS.to_owned(), program.to_string_lossy().into_owned()];
    words.extend(agent.plain.iter().map(|&it| it.to_owned()));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    play.dressed(Process::new("timeout", &words), "").capture()?;
    let mut row = play.row(format!("by hand, {}", takeover.name));
    row.told = told(&play.model.heard().requests, "");
    "-".clone_into(&mut row.verdict);
    row.passed = !row.canaries.is_empty() || !row.told.is_empty();
    Ok(row)
}

/// A task in a repository with the plants, whose coder is the client.
fn coded(client: &'static Client, agent: &'static Agent, cast: &Cast) -> Result<Row, Failure> {
    let script = Script::Coder { command: "echo 'echo 42' >product.sh".to_owned() };
    let play = Play::new(client, agent, cast, "coder", script)?;
    let world = &play.world;
    for files in plants::REPOSITORY {
        play.plant("repo", files)?;
    }
    world.write("verdict.json", VERDICT)?;
    let verdict = world.text("verdict.json");
    world.write("j.sh", &format!("cat '{verdict}' >\"$PROVOST_REPLY\"\n"))?;
    let coder = format!("[adapter.c]\nkind = \"preset\"\npreset = \"{}\"\n", agent.preset);
    let state = play.run(&format!("{coder}{}", command("j", &world.text("j.sh"))), "")?;
    let mut row = play.row("coder, settings of the repository".to_owned());
    let all = told(&play.model.heard().requests, "");
    // Instructions are the repository's to give to a coder; its settings are not.
    row.told = all.into_iter().filter(|it| it == "opencode-instructions").collect();
    row.passed = state == "READY_FOR_REVIEW" && row.canaries.is_empty() && row.told.is_empty();
    row.verdict = state;
    Ok(row)
}

impl Drop for Play<'_> {
    /// Leaves what the model heard beside the rest of the world, where that stays.
    fn drop(&mut self) {
        if self.cast.keep {
            let heard = Value::from(self.model.heard().requests).to_string();
            let _ = self.world.write("heard.json", &heard);
            println!("  {}", self.world.folder.display());
        }
    }
}

impl<'a> Play<'a> {
    fn new(
        client: &'static Client,
        agent: &'static Agent,
        cast: &'a Cast,
        name: &str,
        script: Script,
    ) -> Result<Self, Failure> {
        let verdict = verdict("PASS", "planted");
        let model = Model::start(script, Script::Impostor { verdict }, Door::Open)
            .map_err(|error| cannot("start", "a scripted model", &error))?;
        let world = World::new(cast, &format!("{}-{name}", client.name))?;
        let play = Self { client, agent, cast, world, model, start: Instant::now() };
        play.plant("home", agent.files)?;
        for (path, text) in
            [("check.sh", CHECK), ("product.sh", "echo 41\n"), (".gitignore", ".provost/\n")]
        {
            play.world.write(&format!("repo/{path}"), text)?;
        }
        Ok(play)
    }

    /// A text with what it leaves open.
    fn fill(&self, text: &str) -> String {
        text.replace("{base}", &self.model.base())
            .replace("{home}", &self.world.text("home"))
            .replace("{repo}", &self.world.text("repo"))
    }

    fn plant(&self, folder: &str, files: &[(&str, &str)]) -> Result<(), Failure> {
        for (path, text) in files {
            self.world.write(&format!("{folder}/{path}"), &self.fill(text))?;
        }
        Ok(())
    }

    /// Runs the task, and returns the state that it ended in.
    fn run(&self, config: &str, path: &str) -> Result<String, Failure> {
        self.world.write("repo/provost.toml", config)?;
        self.world.commit(self.cast)?;
        let spec = serde_json::json!({
            "task_id": "t1",
            "repo_path": self.world.text("repo"),
            "goal": GOAL,
            "acceptance": "the test passes",
            "test_cmd": "sh check.sh",
            "coder": "c",
            "judge": "j",
            "max_attempts": 1,
            "coder_timeout_seconds": 120,
            "test_timeout_seconds": 60,
            "judge_timeout_seconds": 120,
        });
        let file = self.world.text("spec.json");
        self.world.write("spec.json", &spec.to_string())?;
        let process = Process::new(&self.cast.provost, &["--json", "run", &file]);
        let ended = self.dressed(process, path).capture()?;
        let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        match answer["state"].as_str() {
            Some(state) => Ok(state.to_owned()),
            None => Err(Failure::Unable(format!("{}\n{}", ended.text, ended.stderr))),
        }
    }

    fn dressed(&self, process: Process, path: &str) -> Process {
        let inherited = self.cast.variables.iter().find(|it| it.0 == "PATH");
        let path = format!("{path}{}", inherited.map_or("", |it| it.1.as_str()));
        let process = self.world.dressed(process, self.cast);
        let process = process.environment("PATH", &path).environment("ALLOW_PARTIAL_RUN", "true");
        let variables = self.agent.variables.iter();
        variables.fold(process, |it, (name, value)| it.environment(name, &self.fill(value)))
    }

    fn row(&self, play: String) -> Row {
        let heard = self.model.heard();
        let answered = results(&heard).len();
        Row {
            client: self.client.name,
            version: self.client.version,
            play,
            canaries: heard.canaries,
            talk: (heard.requests.len(), answered),
            seconds: self.start.elapsed().as_secs(),
            ..Row::default()
        }
    }
}

fn judge_script() -> Script {
    Script::Judge { verdict: verdict("FAIL", WORD) }
}

fn verdict(decision: &str, reason: &str) -> String {
    serde_json::json!({
        "decision": decision,
        "reasons": [reason],
        "next_instructions": if decision == "PASS" { "" } else { "Do it." },
        "questions_for_user": [],
    })
    .to_string()
}

fn command(name: &str, script: &str) -> String {
    format!("[adapter.{name}]\nkind = \"command\"\nargv = [\"sh\", \"-eu\", \"{script}\"]\n")
}

/// What the client told of the calls, in its longest conversation.
fn results(heard: &Heard) -> Vec<String> {
    let all = heard.requests.iter().map(|it| wire::asked(it).results);
    all.max_by_key(Vec::len).unwrap_or_default()
}

/// The files of the clients in a home. provost keeps its own there too.
fn snapshot(home: &Path, folder: &Path) -> Result<BTreeSet<(PathBuf, Vec<u8>)>, Failure> {
    let fail = |error| cannot("read", &folder.to_string_lossy(), &error);
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let is_client_s = [".claude", ".codex", ".config/opencode", ".local/share/opencode"]
            .iter()
            .any(|it| path.starts_with(home.join(it)) || home.join(it).starts_with(&path));
        if path.is_dir() && is_client_s {
            files.extend(snapshot(home, &path)?);
        } else if is_client_s {
            files.insert((path.clone(), fs::read(&path).map_err(fail)?));
        }
    }
    Ok(files)
}
