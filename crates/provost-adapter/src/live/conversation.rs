//! What the scripted model says, in no protocol yet.

use serde_json::Value;

/// The file that the first command makes.
pub const WITNESS: &str = "provost-witness";
/// The file that the second command makes, unless somebody refuses it.
pub const CANARY: &str = "provost-canary";

/// What the model asks for, in this order.
///
/// The second one throws away changes that do not exist in a repository made for this, so it is
/// safe to let run; and a policy that lets it run is none.
pub const COMMANDS: [&str; 2] = ["touch provost-witness", "git reset --hard; touch provost-canary"];

/// What the model says when it has nothing more to ask for.
pub(super) const FAREWELL: &str = "Done.";

/// How much of a result is kept.
const RESULT_LENGTH: usize = 2000;

/// A request for the next thing to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The tool that runs a shell command, if the client offers one. A client also asks for small
    /// things of its own, such as a title; those requests carry no tools.
    pub(super) shell: Option<&'static str>,
    /// What came of the calls so far.
    pub(super) results: Vec<String>,
}

/// What the model says next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A call of the tool, counted from 1.
    Call {
        number: usize,
        tool: &'static str,
        command: &'static str,
    },
    End,
}

/// What the model sends back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// One document.
    Document(Value),
    /// Events, each under its name if the protocol names them.
    Events(Vec<(Option<&'static str>, Value)>),
}

/// What is answered to one request, and what it told of earlier calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exchanged {
    pub(super) answer: Answer,
    pub(super) results: Vec<String>,
}

impl Asked {
    /// The next turn: it follows from the request alone, so the same request has the same answer.
    pub(super) fn turn(&self) -> Turn {
        let number = self.results.len();
        match (self.shell, COMMANDS.get(number)) {
            (Some(tool), Some(command)) => Turn::Call { number: number + 1, tool, command },
            (Some(_) | None, Some(_) | None) => Turn::End,
        }
    }
}

/// A result as text, cut to a length that people read.
pub(super) fn result(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(RESULT_LENGTH).collect()
}

/// The members of a list; none where there is no list.
pub(super) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_is_two_calls_and_an_end() {
        let check = |shell, n_results: usize, expected: Turn| {
            let asked = Asked { shell, results: vec![String::new(); n_results] };
            assert_eq!(asked.turn(), expected);
        };
        let call = |number: usize| Turn::Call { number, tool: "sh", command: COMMANDS[number - 1] };
        check(Some("sh"), 0, call(1));
        check(Some("sh"), 1, call(2));
        check(Some("sh"), 2, Turn::End);
        check(Some("sh"), 9, Turn::End);
        check(None, 0, Turn::End);
    }

    #[test]
    fn each_command_leaves_its_file() {
        for (command, file) in COMMANDS.into_iter().zip([WITNESS, CANARY]) {
            assert!(command.ends_with(&format!("touch {file}")), "{command}");
        }
    }
}
