//! A world with the mission of `docs/learn` in it: eight tickets, a scaffold, and a program that
//! answers.

use std::fs;

use serde_json::Value;

use crate::world::{Ran, World};

/// A world with the mission `demo` in its repository.
#[derive(Debug)]
pub(crate) struct Learning {
    pub(crate) world: World,
}

pub(crate) const MISSION: &str = include_str!("../../../../docs/learn/MISSION.toml");
pub(crate) const GUIDANCE: &str = include_str!("../../../../docs/learn/initial_guidance.json");
/// Four tickets that pass, three that fail for one reason, and one whose label is wrong.
pub(crate) const TICKETS: &str = include_str!("../../../../docs/learn/tickets.jsonl");
pub(crate) const MODEL: &str = include_str!("../../../../docs/learn/model.sh");

impl Learning {
    pub(crate) fn new() -> Self {
        let it = Self { world: World::new() };
        it.put("MISSION.toml", MISSION);
        it.put("initial_guidance.json", GUIDANCE);
        it.put("tickets.jsonl", TICKETS);
        it.put("model.sh", MODEL);
        it
    }

    /// Writes a file of the mission.
    pub(crate) fn put(&self, name: &str, text: &str) {
        self.world.write(format!("repo/{name}"), text);
    }

    /// Runs `provost learn` with these arguments.
    pub(crate) fn learn(&self, args: &[&str]) -> Ran {
        self.world.provost().args(["learn"]).args(args).run()
    }

    /// Runs it, and expects its exit code and something that it says.
    #[track_caller]
    pub(crate) fn check(&self, args: &[&str], exit: i32, said: &str) {
        let ran = self.learn(args);
        assert_eq!(ran.exit(), Some(exit), "{args:?}\n{}", ran.text());
        assert!(ran.text().contains(said), "{args:?}: {said}\n{}", ran.text());
    }

    /// The one document that a command prints.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ran = self.world.provost().args(["learn", "--json"]).args(args).run();
        assert_eq!(ran.exit(), Some(0), "{args:?}\n{}", ran.text());
        ran.json()
    }

    /// The lines of a file below the folder of the mission in the home.
    pub(crate) fn lines(&self, path: &str) -> Vec<Value> {
        let path = self.world.path("repo/.provost/learn/demo").join(path);
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    /// What was entered into the audit chain about missions, the lines of their ledgers aside.
    pub(crate) fn audited(&self) -> Vec<String> {
        let text = fs::read_to_string(self.world.path("repo/.provost/out/_audit/audit.jsonl"));
        let text = text.unwrap_or_default();
        let bodies =
            text.lines().map(|it| serde_json::from_str::<Value>(it).unwrap()["body"].clone());
        let learned = bodies.filter(|it| it["subject"] == "mission:demo");
        let actions = learned.map(|it| it["action"].as_str().unwrap().to_owned());
        actions.filter(|it| it != "learn.account").collect()
    }
}
