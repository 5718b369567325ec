//! The message of a commit that lands a result, or takes it back.

use provost_kernel::{TaskId, shorten_to, task::ProofLabel};

/// What the trailers of a commit say.
#[derive(Clone, Copy, Debug)]
pub struct Credits<'a> {
    pub task: &'a TaskId,
    /// The adapter that coded; none where nothing names one.
    pub agent: Option<&'a str>,
    pub proof: ProofLabel,
    /// What a person accepted of it.
    pub accepted: &'a [String],
}

/// The longest first line.
const SUBJECT: usize = 200;

/// The first line of the goal, and trailers that say where the change comes from.
pub fn message(goal: &str, credits: &Credits<'_>) -> String {
    format!("{}\n\n{}", subject(goal, credits.task), trailers(credits))
}

/// The message of the commit that takes a result back.
pub fn undo_message(goal: &str, commit: &str, task: &TaskId) -> String {
    let subject = subject(goal, task);
    format!("Revert \"{subject}\"\n\nThis reverts commit {commit}.\n\nProvost-Task: {task}\n")
}

/// What a person wrote, on one line: git shows the first line of a message as its name.
fn subject(goal: &str, task: &TaskId) -> String {
    let line = goal.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
    let line: String = line.chars().filter(|it| !it.is_control()).collect();
    if line.is_empty() { task.to_string() } else { shorten_to(&line, SUBJECT) }
}

fn trailers(credits: &Credits<'_>) -> String {
    let Credits { task, agent, proof, accepted } = credits;
    let agent = agent.map(|it| {
        let name: String = it.chars().filter(|it| !it.is_control()).collect();
        format!("Provost-Agent: {name}\n")
    });
    let agent = agent.unwrap_or_default();
    let accepted = match accepted {
        [] => String::new(),
        codes => format!(" (accepted: {})", codes.join(", ")),
    };
    format!("Provost-Task: {task}\n{agent}Provost-Proof: {proof}{accepted}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_goal_and_three_trailers() {
        let task: TaskId = "t1".parse().unwrap();
        let check = |goal: &str, agent: Option<&str>, expected: &str| {
            let proof = ProofLabel::Proven;
            let credits = Credits { task: &task, agent, proof, accepted: &[] };
            assert_eq!(message(goal, &credits), expected, "{goal:?}");
        };
        let accepted = ["FLAKY".to_owned()];
        let proof = ProofLabel::Holds;
        let credits = Credits { task: &task, agent: None, proof, accepted: &accepted };
        assert!(message("x", &credits).ends_with("Provost-Proof: HOLDS (accepted: FLAKY)\n"));
        let trailers = "Provost-Task: t1\nProvost-Agent: claude-code\nProvost-Proof: PROVEN\n";
        check("\n fix it \nat once", Some("claude-code"), &format!("fix it\n\n{trailers}"));
        check("", None, "t1\n\nProvost-Task: t1\nProvost-Proof: PROVEN\n");
        check(
            "a\u{1b}[1mb",
            Some("c\nProvost-Proof: x"),
            "a[1mb\n\nProvost-Task: t1\nProvost-Agent: cProvost-Proof: x\nProvost-Proof: PROVEN\n",
        );
        assert_eq!(
            undo_message("fix it", "c0ffee", &task),
            "Revert \"fix it\"\n\nThis reverts commit c0ffee.\n\nProvost-Task: t1\n",
        );
    }
}
