//! Commands of a terminal that a text names, as commands of the chat: who holds a phone has no terminal.

use provost_desk::task::{addressed, map_commands};
use provost_kernel::TaskId;

/// What is typed in a terminal, and the same in a chat. `ID` stands for one word and `*` for the rest.
const SAME: [(&str, &str); 9] = [
    ("ls", "/tasks"),
    ("inbox", "/inbox"),
    ("show ID", "/task ID"),
    ("resume ID", "/resume ID"),
    ("pause ID", "/pause ID"),
    ("approve ID", "/approve ID"),
    ("answer ID *", "/answer ID *"),
    ("reject ID --because *", "/reject ID *"),
    ("edit ID --set *", "/override ID *"),
];

/// A text with the commands of the chat, about a task if there is one.
pub(crate) fn in_chat(text: &str, task: Option<&TaskId>) -> String {
    let text = task.map_or_else(|| text.to_owned(), |it| addressed(text, it));
    map_commands(&text, |words| {
        SAME.iter().find_map(|(typed, said)| translated(words, typed, said))
    })
}

fn translated(words: &[&str], typed: &str, said: &str) -> Option<String> {
    let (mut id, mut rest, mut left) = ("", String::new(), words.iter());
    for pattern in typed.split(' ') {
        match pattern {
            "ID" => id = left.next()?,
            "*" => rest = left.by_ref().copied().collect::<Vec<_>>().join(" "),
            word => _ = left.next().filter(|it| **it == word)?,
        }
    }
    if left.next().is_some() {
        return None;
    }
    let filled = said.split(' ').map(|it| match it {
        "ID" => id,
        "*" => &rest,
        word => word,
    });
    Some(filled.collect::<Vec<_>>().join(" ").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_a_terminal_is_one_of_the_chat() {
        let task = "t1".parse().unwrap();
        for (text, expected) in [
            ("run `provost ls`", "run `/tasks`"),
            (
                "May it cost more? (`provost edit ID --set budget.usd=N`)",
                "May it cost more? (`/override t1 budget.usd=N`)",
            ),
            ("`provost answer ID TEXT`, `provost show t2`", "`/answer t1 TEXT`, `/task t2`"),
            ("`provost resume ID --unguarded`", "`provost resume t1 --unguarded`"),
            ("`provost logs ID --agent`", "`provost logs t1 --agent`"),
            ("provost ls", "provost ls"),
        ] {
            assert_eq!(in_chat(text, Some(&task)), expected);
        }
        assert_eq!(in_chat("`provost inbox`, `provost show ID`", None), "`/inbox`, `/task ID`");
    }
}
