//! The commands that texts name between backticks: what is kept says `ID`, a reader has a task.

use provost_kernel::TaskId;

/// A text whose commands name the task that they are about.
pub fn addressed(text: &str, task: &TaskId) -> String {
    map_commands(text, |words| {
        let named = words.iter().map(|&it| if it == "ID" { task.as_str() } else { it });
        Some(format!("provost {}", named.collect::<Vec<_>>().join(" ")))
    })
}

/// A text in which each `provost …` between backticks is replaced by what `replace` makes of the words
/// behind `provost`; one that it makes nothing of stays.
pub fn map_commands(text: &str, replace: impl Fn(&[&str]) -> Option<String>) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        // Every other part stands between backticks.
        let words: Option<Vec<&str>> =
            part.strip_prefix("provost ").filter(|_| at % 2 == 1).map(|it| it.split(' ').collect());
        words.and_then(|it| replace(&it)).unwrap_or_else(|| part.to_owned())
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_task() {
        let task = "fix-login".parse().unwrap();
        for (text, expected) in [
            ("Go on? (`provost resume ID`)", "Go on? (`provost resume fix-login`)"),
            (
                "`provost logs ID --agent`；`ID` 或 ID？",
                "`provost logs fix-login --agent`；`ID` 或 ID？",
            ),
            ("Which ID?", "Which ID?"),
            ("`provost explain IDEA", "`provost explain IDEA"),
        ] {
            assert_eq!(addressed(text, &task), expected);
        }
    }
}
