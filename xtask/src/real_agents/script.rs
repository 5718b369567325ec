//! What the scripted model says, in no protocol yet.

use serde_json::{Value, json};

/// A model's part in a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Looks at the evidence, tries to write, and says this.
    Judge { verdict: String },
    /// Runs a command, and says that it is done.
    Coder { command: String },
    /// Says this at once: the model that a plant leads to.
    Impostor { verdict: String },
    /// Codes by what it is told: of these steps, the last one that the newest prompt calls for. In
    /// their commands `{code}` is the first code of a refusal that the results tell of.
    Steps(Vec<Step>),
}

/// What a coder does in one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// What the prompt must say. The first step of a script is called for by every prompt.
    pub(super) told: String,
    pub(super) commands: Vec<String>,
}

/// A request for the next thing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The tools that the client offers. A client also asks for small things of its own, such as a
    /// title; those requests carry no tools.
    pub(super) tools: Vec<String>,
    /// The file that the prompt lies in, where it is too long for an argument.
    pub(super) prompt: Option<String>,
    /// What came of the calls so far.
    pub(super) results: Vec<String>,
    /// The newest prompt, and how many calls were answered since.
    pub(super) newest: (String, usize),
}

/// What the model says next.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Turn {
    /// A call of a tool, counted from 1.
    Call {
        number: usize,
        tool: String,
        input: Value,
    },
    Say(String),
}

/// What stands before the code in a refusal.
const ORDER: &str = "provost guard allow ";
/// What a tool result holds when the model could write.
pub(super) const WRITTEN: &str = "the judge has written";

/// The list of the evidence, from the folder of a judge.
const INDEX: &str = "evidence/files.txt";
/// How many files of the evidence are looked at.
const FILES: usize = 12;
/// Tools that read a file, and the argument that has its path.
const READERS: [(&str, &str); 2] = [("Read", "file_path"), ("read", "filePath")];
/// Tools that run a command, and the argument that has it.
const SHELLS: [(&str, &str); 5] = [
    ("Bash", "command"),
    ("bash", "command"),
    ("exec_command", "cmd"),
    ("shell_command", "command"),
    ("run_shell_command", "command"),
];

impl Script {
    /// The next turn: it follows from the request alone, so the same request has the same answer.
    pub(super) fn turn(&self, asked: &Asked) -> Turn {
        let number = asked.results.len();
        match self {
            Self::Impostor { verdict } => Turn::Say(verdict.clone()),
            _ if asked.tools.is_empty() => Turn::Say("A task".to_owned()),
            Self::Judge { verdict } => {
                let call = looks(asked).into_iter().nth(number);
                call.unwrap_or_else(|| Turn::Say(verdict.clone()))
            }
            Self::Coder { command } => {
                let call = if number == 0 { asked.shell(0, command) } else { None };
                call.unwrap_or_else(|| Turn::Say("Done.".to_owned()))
            }
            Self::Steps(steps) => {
                let (prompt, since) = &asked.newest;
                let step = steps.iter().rev().find(|it| prompt.contains(&it.told));
                let command = step.and_then(|it| it.commands.get(*since));
                let code = code(&asked.results).unwrap_or("no-code");
                let command = command.map(|it| it.replace("{code}", code));
                let call = command.and_then(|it| asked.shell(number, &it));
                call.unwrap_or_else(|| Turn::Say("Done.".to_owned()))
            }
        }
    }
}

/// The first code by which a person can permit what was refused.
pub(super) fn code(results: &[String]) -> Option<&str> {
    let is_of_code = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit();
    let behind =
        |text: &str| text.match_indices(ORDER).map(|(at, _)| at + ORDER.len()).collect::<Vec<_>>();
    results.iter().find_map(|text| {
        let rests = behind(text).into_iter().filter_map(|at| text.get(at..));
        rests.filter_map(|it| it.split(|it| !is_of_code(it)).next()).find(|it| it.len() == 6)
    })
}

/// What a judge looks at, as far as its tools allow: the list, the files in it, and at last whether
/// it can write.
fn looks(asked: &Asked) -> Vec<Turn> {
    let before = usize::from(asked.prompt.is_some());
    let index = asked.results.get(before).map(String::as_str).unwrap_or_default();
    let files = listed(index).into_iter().take(FILES).map(|it| format!("evidence/{it}"));
    let paths = asked.prompt.clone().into_iter().chain([INDEX.to_owned()]).chain(files);
    let mut turns: Vec<Turn> =
        paths.enumerate().filter_map(|(number, path)| asked.read(number, &path)).collect();
    let number = turns.len();
    let write = format!("touch provost-written && echo {WRITTEN}");
    turns.extend(asked.shell(number, &write));
    turns
}

/// The copies of the result in the list of the evidence.
fn listed(index: &str) -> Vec<String> {
    let parts = index.split(['\n', ';', ':']).map(str::trim);
    let files = parts.filter(|it| it.starts_with("result/"));
    files.map(str::to_owned).collect()
}

impl Asked {
    fn read(&self, before: usize, path: &str) -> Option<Turn> {
        match self.call(before, &READERS, path) {
            Some(turn) => Some(turn),
            None => self.shell(before, &format!("cat '{}'", path.replace('\'', r"'\''"))),
        }
    }

    fn shell(&self, before: usize, command: &str) -> Option<Turn> {
        self.call(before, &SHELLS, command)
    }

    fn call(&self, before: usize, known: &[(&str, &str)], value: &str) -> Option<Turn> {
        let (tool, argument) =
            known.iter().find(|(name, _)| self.tools.iter().any(|it| it == name))?;
        let mut input = json!({});
        input[*argument] = value.into();
        if *argument == "command" {
            input["description"] = "a step".into();
        }
        Some(Turn::Call { number: before + 1, tool: (*tool).to_owned(), input })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tools: &[&str], results: &[&str]) -> Asked {
        let texts = |them: &[&str]| them.iter().map(|&it| it.to_owned()).collect();
        let newest = (String::new(), results.len());
        Asked { tools: texts(tools), prompt: None, results: texts(results), newest }
    }

    fn judge() -> Script {
        Script::Judge { verdict: "no".to_owned() }
    }

    #[test]
    fn a_judge_looks_at_what_the_list_names_and_says_its_verdict() {
        let list =
            "a.txt (+1 -0): base/a.txt; result/a.txt\nCLAUDE.md (+1 -0): result/CLAUDE.md.txt";
        let read = |number: usize, path: &str| Turn::Call {
            number,
            tool: "Read".to_owned(),
            input: json!({ "file_path": path }),
        };
        let check = |results: &[&str], expected: Turn| {
            assert_eq!(judge().turn(&asked(&["Read"], results)), expected);
        };
        check(&[], read(1, "evidence/files.txt"));
        check(&[list], read(2, "evidence/result/a.txt"));
        check(&[list, ""], read(3, "evidence/result/CLAUDE.md.txt"));
        check(&[list, "", ""], Turn::Say("no".to_owned()));
        let long = Asked { prompt: Some("/p".to_owned()), ..asked(&["Read"], &[]) };
        assert_eq!(judge().turn(&long), read(1, "/p"));
    }

    #[test]
    fn a_judge_with_a_shell_tries_to_write_at_last() {
        let Turn::Call { number: 2, tool, input } =
            judge().turn(&asked(&["exec_command"], &["nothing"]))
        else {
            panic!("no call");
        };
        assert_eq!(tool, "exec_command");
        assert!(input["cmd"].as_str().unwrap().contains("touch provost-written"), "{input}");
    }

    #[test]
    fn a_request_without_tools_gets_no_verdict() {
        assert_eq!(judge().turn(&asked(&[], &[])), Turn::Say("A task".to_owned()));
    }

    #[test]
    fn a_coder_runs_its_command_once() {
        let script = Script::Coder { command: "true".to_owned() };
        let is_call = |it: &Turn| matches!(it, Turn::Call { number: 1, .. });
        assert!(is_call(&script.turn(&asked(&["bash"], &[]))));
        assert_eq!(script.turn(&asked(&["bash"], &[""])), Turn::Say("Done.".to_owned()));
        assert_eq!(script.turn(&asked(&["Read"], &[])), Turn::Say("Done.".to_owned()));
    }

    #[test]
    fn a_code_is_taken_from_the_first_refusal_that_has_one() {
        let check = |results: &[&str], expected: &str| {
            let script = Script::Steps(vec![Step {
                told: String::new(),
                commands: vec!["x".to_owned(), "y".to_owned(), "allow {code}".to_owned()],
            }]);
            let Turn::Call { input, .. } = script.turn(&asked(&["Bash"], results)) else {
                panic!("no call");
            };
            assert_eq!(input["command"], format!("allow {expected}"));
        };
        check(&["type `provost guard allow K7MX3P --because TEXT`", "it ran"], "K7MX3P");
        check(&["`provost guard allow CODE`", "`provost guard allow AAAAAA` BBBBBB"], "AAAAAA");
        check(&["it ran", "it ran"], "no-code");
    }

    #[test]
    fn a_coder_does_what_its_newest_prompt_calls_for() {
        let step = |told: &str, commands: &[&str]| Step {
            told: told.to_owned(),
            commands: commands.iter().map(|&it| it.to_owned()).collect(),
        };
        let script = Script::Steps(vec![step("", &["wrong", "test"]), step("red", &["right"])]);
        let check = |prompt: &str, results: &[&str], since: usize, expected: Option<&str>| {
            let newest = (prompt.to_owned(), since);
            let turn = script.turn(&Asked { newest, ..asked(&["Bash"], results) });
            let call = match &turn {
                Turn::Call { number, input, .. } => Some((*number, input["command"].as_str())),
                Turn::Say(_) => None,
            };
            assert_eq!(call, expected.map(|it| (results.len() + 1, Some(it))), "{prompt}");
        };
        check("do it", &[], 0, Some("wrong"));
        check("do it", &[""], 1, Some("test"));
        check("do it", &["", ""], 2, None);
        check("it is red", &["", ""], 0, Some("right"));
        check("it is red", &["", "", ""], 1, None);
        // The same in a conversation of its own.
        check("do it; it is red", &[], 0, Some("right"));
    }
}
