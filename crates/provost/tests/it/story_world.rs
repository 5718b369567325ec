//! A small project with a plan, and an agent that works on it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::world::{Ran, World};

/// A repository with a shell program, its check in a makefile, and a plan of two stories.
pub(crate) struct Project {
    pub(crate) world: World,
}

const MAKEFILE: &str = "build:\n\t@sh -n greet.sh\ncheck:\n\t@sh tests/check.sh\n";
const CHECK: &str = "test \"$(sh greet.sh)\" = hello && echo ok\n";
const PLAN: &str = "# Greeting\n\n### US-001: Greet\n\n**Acceptance Criteria**\n- it says hello\n- the check passes\n\n### US-002: Part\n\n**Acceptance Criteria**\n- it says goodbye\n";

impl Project {
    /// The project as it is before anybody started the plan.
    pub(crate) fn new() -> Self {
        let project = Self { world: World::new() };
        project.world.write("repo/Makefile", MAKEFILE);
        project.world.write("repo/greet.sh", "echo hi\n");
        project.world.write("repo/tests/check.sh", CHECK);
        project.world.write("plan.md", PLAN);
        project.shell("git add -A; git commit -qm base");
        project
    }

    /// The project with its plan started.
    pub(crate) fn started() -> Self {
        let project = Self::new();
        let ran = project.story(&["start", "../plan.md"]);
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        project
    }

    /// Runs a script in the repository and insists that it works.
    #[track_caller]
    pub(crate) fn shell(&self, text: &str) {
        let mut shell = self.world.program("sh");
        shell.args(["-ec", text]);
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "A");
            shell.env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.world.write(format!("repo/{path}"), text);
    }

    /// Writes so many files of one line each.
    pub(crate) fn write_many(&self, files: usize) {
        for number in 0..files {
            self.write(&format!("part/file{number}.sh"), &format!("echo {number}\n"));
        }
    }

    pub(crate) fn story(&self, arguments: &[&str]) -> Ran {
        self.world.provost().args(["story"]).args(arguments).run()
    }

    #[track_caller]
    pub(crate) fn declare(&self, story: &str, files: &[&str]) -> Value {
        let ran = self.story(&[&["declare", "--json", story], files].concat());
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        ran.json()
    }

    /// Sends an update for `US-001`, and insists on its exit code.
    #[track_caller]
    pub(crate) fn update(&self, update: &Value, exit: i32) -> Value {
        let story = update["storyId"].as_str().unwrap_or("US-001").to_owned();
        let provost = self.world.provost();
        let provost = provost.args(["story", "update", &story, "--file", "-", "--json"]);
        let ran = provost.input(update.to_string()).run();
        assert_eq!(ran.exit(), Some(exit), "{update:#}\n{}", ran.text());
        ran.json()
    }

    /// The row of a story, as `get` shows it.
    #[track_caller]
    pub(crate) fn row(&self, story: &str) -> Value {
        let ran = self.story(&["get", story, "--json"]);
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        ran.json()
    }
}

/// An update of `US-001` that says everything is done, with these claims.
pub(crate) fn done(claims: Value) -> Value {
    json!({"storyId": "US-001", "passes": true, "acStatus": claims})
}

/// What an honest agent sends.
pub(crate) fn honest() -> Value {
    done(json!({
        "AC-1": {"passes": true, "evidence": "it greets", "command": "sh greet.sh | grep -qx hello"},
        "AC-2": {"passes": true, "evidence": "checked", "command": "make check", "output": "ok"},
    }))
}

/// The labels of the criteria, as `AC-1 REPRODUCED true`.
pub(crate) fn labels(answer: &Value) -> Vec<String> {
    let status = answer["acStatus"].as_object().unwrap();
    let shown = |(id, it): (&String, &Value)| {
        format!("{id} {} {}", it["label"].as_str().unwrap(), it["passes"])
    };
    status.iter().map(shown).collect()
}

/// The codes of the findings, on one line.
pub(crate) fn codes(answer: &Value) -> String {
    answer["codes"].as_array().unwrap().iter().fold(String::new(), |mut text, it| {
        let gap = if text.is_empty() { "" } else { " " };
        write!(text, "{gap}{}", it.as_str().unwrap()).unwrap();
        text
    })
}
