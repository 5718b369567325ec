//! One walk: a new repository, the commands of a new user, and a look at what they left.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    super::{
        client::{Agent, Client},
        model::{Door, Heard, Model},
        script::Script,
    },
    count::{starts, tested},
    project::Project,
    row::Row,
};
use crate::{
    failure::Failure,
    ground::cannot,
    process::{Ended, Process},
    project as checkout,
    stage::{Cast, World},
};

/// Where the screens of every walk are left.
const SCREENS: &str = "target/real-agents/journey";
/// The person.
const GITCONFIG: &str = "[user]\n\tname = Mara\n\temail = mara@localhost\n";
/// What the login of every client holds.
const KEY: &str = "none";
/// The attempts that the script of the model needs.
const ATTEMPTS: u64 = 2;

/// A person in a repository, with their agent and its model.
struct Walk<'a> {
    client: &'static Client,
    agent: &'static Agent,
    project: &'a Project,
    cast: &'a Cast,
    world: World,
    model: Model,
    /// What the person read.
    screens: RefCell<String>,
}

/// What a person has already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Has {
    NoAgent,
    NoLogin,
    Login,
}

/// Goes the whole way once.
pub(super) fn walk(
    client: &'static Client,
    project: &Project,
    cast: &Cast,
) -> Result<Row, Failure> {
    let Some(agent) = &client.agent else {
        return Err(Failure::Unable("this client does not code".to_owned()));
    };
    let model = Model::start(project.script(), Script::Steps(Vec::new()), Door::Key(KEY))
        .map_err(|error| cannot("start", "a scripted model", &error))?;
    let world = World::new(cast, &format!("{}-{}", client.name, project.name))?;
    let screens = RefCell::default();
    let walk = Walk { client, agent, project, cast, world, model, screens };
    walk.settle()?;
    let row = walk.go();
    let name = format!("{SCREENS}/{}-{}.txt", client.name, project.name);
    checkout::write(&name, &walk.screens.borrow())?;
    if cast.keep {
        let heard = Value::from(walk.model.heard().requests).to_string();
        walk.world.write("heard.json", &heard)?;
        println!("  {}", walk.world.folder.display());
    }
    row
}

impl Walk<'_> {
    /// Makes the repository, as it is before the person hears of provost.
    fn settle(&self) -> Result<(), Failure> {
        self.world.write("home/.gitconfig", GITCONFIG)?;
        self.world.write("repo/.keep", "")?;
        let base = self.project.folder().join("base");
        self.shell(&format!("rm .keep; cp -R '{}'/. .", base.display()))?;
        self.shell(&self.project.setup)?;
        self.world.commit(self.cast)
    }

    fn go(&self) -> Result<Row, Failure> {
        let mut row = Row {
            client: self.client.name,
            version: self.client.version,
            project: self.project.name,
            ..Row::default()
        };
        let goal = self.project.goal.as_str();
        self.err(&mut row, Has::NoAgent, "`do` before `init`")?;
        self.log_in()?;
        let mut time = Duration::ZERO;
        let mut typed = |row: &mut Row, words: &[&str]| -> Result<(), Failure> {
            let start = Instant::now();
            let ended = self.provost(words, Has::Login)?;
            time += start.elapsed();
            row.typed += 1;
            row.expect(ended.is_success, &format!("`provost {}` fails", words.join(" ")));
            Ok(())
        };
        typed(&mut row, &["init", "--yes"])?;
        row.expect(self.heard().requests.is_empty(), "`init` was paid for");
        let base = self.git(&["rev-parse", "HEAD"])?;
        self.err(&mut row, Has::NoAgent, "`do` without the agent")?;
        self.err(&mut row, Has::NoLogin, "`do` without a login")?;
        typed(&mut row, &["do", goal])?;
        typed(&mut row, &["show"])?;
        typed(&mut row, &["diff", "--stat"])?;
        typed(&mut row, &["land", "--yes"])?;
        row.wall = time;
        self.count(&mut row)?;
        self.look(&mut row, &base)?;
        Ok(row)
    }

    /// Begins too early, which must cost nothing.
    fn err(&self, row: &mut Row, has: Has, mistake: &str) -> Result<(), Failure> {
        let ended = self.provost(&["do", &self.project.goal], has)?;
        row.expect(!ended.is_success, &format!("{mistake} succeeds"));
        row.expect(self.heard().requests.is_empty(), &format!("{mistake} was paid for"));
        Ok(())
    }

    /// Gives the person what their agent needs to reach its model.
    fn log_in(&self) -> Result<(), Failure> {
        for (path, text) in self.agent.files {
            self.world.write(&format!("home/{path}"), &self.fill(text))?;
        }
        Ok(())
    }

    /// Counts what the model was asked for, and holds it against what provost tells.
    fn count(&self, row: &mut Row) -> Result<(), Failure> {
        let shown = self.dressed(Process::new(&self.cast.provost, &["--json", "show"]), Has::Login);
        let shown: Value = serde_json::from_str(&shown.capture()?.stdout).unwrap_or_default();
        self.note("provost --json show", &shown.to_string());
        // The last one was not consumed: it is the result.
        row.attempts = shown["status"]["attempts_consumed"].as_u64().map_or(0, |it| it + 1);
        let label = shown["test_proof"]["label"].as_str();
        label.unwrap_or("none").clone_into(&mut row.label);
        let heard = self.heard();
        // Red by its own change, then green: where the agent works, the tests can be run.
        let codes = tested(&heard);
        let is_usable = matches!(codes[..], [1..126, 0]);
        row.expect(is_usable, &format!("the tests of the agent ended with {codes:?}"));
        row.requests = heard.requests.len();
        row.starts = starts(&heard);
        let said = format!("{} starts for {} attempts", row.starts, row.attempts);
        row.expect(row.starts as u64 == row.attempts && row.attempts == ATTEMPTS, &said);
        Ok(())
    }

    /// Looks at the person's repository, and at a fresh clone of it.
    fn look(&self, row: &mut Row, base: &str) -> Result<(), Failure> {
        let branch = self.git(&["symbolic-ref", "--short", "HEAD"])?;
        row.expect(branch == "main", "another branch is checked out");
        row.expect(self.git(&["status", "--short"])?.is_empty(), "the tree is not clean");
        let parent = self.git(&["rev-parse", "HEAD^"])?;
        row.has_landed = parent == base;
        row.expect(row.has_landed, "the result is not the newest commit of `main`");
        let message = self.git(&["show", "--format=fuller", "--stat", "HEAD"])?;
        self.note("git show --stat", &message);
        let trailers = self.git(&["log", "-1", "--format=%(trailers:keyonly,only)"])?;
        row.expect(trailers.contains("Provost-"), "the commit has no trailers");
        self.shell("git clone --quiet . ../clone")?;
        let clean = format!("cd ../clone && {}", self.project.clean);
        let ended = self.dressed(Process::new("sh", &["-ec", &clean]), Has::Login).capture()?;
        self.note(&clean, &format!("{}{}", ended.stdout, ended.stderr));
        row.expect(ended.is_success, "the tests fail in a fresh clone");
        Ok(())
    }

    fn heard(&self) -> Heard {
        self.model.heard()
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{base}", &self.model.base())
            .replace("{world}", &self.world.text("."))
            .replace("{repo}", &self.world.text("repo"))
    }

    /// Runs provost as the person does, and keeps what they read.
    fn provost(&self, words: &[&str], has: Has) -> Result<Ended, Failure> {
        let ended = self.dressed(Process::new(&self.cast.provost, words), has).capture()?;
        let code = if ended.is_success { "" } else { "(failed)\n" };
        let shown = format!("{}{}{code}", ended.stderr, ended.stdout);
        self.note(&format!("provost {}", words.join(" ")), &shown);
        Ok(ended)
    }

    fn note(&self, command: &str, shown: &str) {
        let mut screens = self.screens.borrow_mut();
        for piece in ["$ ", command, "\n", shown, "\n"] {
            screens.push_str(piece);
        }
    }

    fn git(&self, words: &[&str]) -> Result<String, Failure> {
        let ended = self.dressed(Process::new("git", words), Has::NoAgent).capture()?;
        if ended.is_success {
            return Ok(ended.stdout.trim().to_owned());
        }
        Err(Failure::Unable(format!("{}\n{}", ended.text, ended.stderr)))
    }

    /// Runs a line in the repository, which must succeed.
    fn shell(&self, line: &str) -> Result<(), Failure> {
        let ended = self.dressed(Process::new("sh", &["-ec", line]), Has::NoAgent).capture()?;
        if ended.is_success {
            return Ok(());
        }
        Err(Failure::Unable(format!("{}\n{}{}", ended.text, ended.stdout, ended.stderr)))
    }

    fn dressed(&self, process: Process, has: Has) -> Process {
        let own = self.project.variables.iter().map(|it| (it.0.clone(), self.fill(&it.1)));
        let mut variables: Vec<(String, String)> = own.collect();
        let fixture = self.project.folder().to_string_lossy().into_owned();
        variables.push(("FIXTURE".to_owned(), fixture));
        if has != Has::NoAgent {
            let path = self.cast.variables.iter().find(|it| it.0 == "PATH");
            let path = path.map_or("", |it| it.1.as_str());
            let path = format!("{}:{path}", self.client.folder().display());
            variables.push(("PATH".to_owned(), path));
        }
        if has == Has::Login {
            let login = self.agent.variables.iter();
            variables.extend(login.map(|(name, value)| ((*name).to_owned(), self.fill(value))));
        }
        self.world.dressed(process, self.cast).variables(&variables)
    }
}
