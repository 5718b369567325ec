//! Each class of refusal, and ordinary commands between.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    super::script::Step,
    Part,
    clients::Guarded,
    plays::{Expected, PLAYS, canary},
    stage::Stage,
};
use crate::failure::Failure;

const PROMPT: &str = "Do what is to be done.";
/// How long a client may take for all commands.
const SECONDS: &str = "900";

/// What one run of a client left: which canaries, and how many calls it answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Run {
    canaries: Vec<bool>,
    n_results: usize,
}

/// The two runs of a client.
#[derive(Debug)]
struct Runs {
    without: Run,
    with: Run,
}

/// Plays a command of each rule.
pub(super) fn play(guarded: &Guarded, provost: &Path) -> Result<Part, Failure> {
    let runs = Runs { without: drive(guarded, None)?, with: drive(guarded, Some(provost))? };
    Ok(runs.part())
}

/// The table, for programs.
pub(super) fn json() -> Vec<Value> {
    PLAYS.iter().map(|it| json!({ "rule": it.rule, "command": it.command })).collect()
}

/// Drives a client through every play in a home and a repository of its own.
fn drive(guarded: &Guarded, provost: Option<&Path>) -> Result<Run, Failure> {
    let kind = if provost.is_some() { "with" } else { "without" };
    let commands = PLAYS
        .iter()
        .enumerate()
        .map(|(number, it)| format!("{}; touch {}", it.command, canary(number)));
    let steps = vec![Step { told: String::new(), commands: commands.collect() }];
    let stage = Stage::new(guarded, kind, provost, steps)?;
    stage.guard()?;
    let played = stage.play(PROMPT, SECONDS)?;
    if played.n_results < PLAYS.len() {
        let n = PLAYS.len();
        println!("  {kind} the guard: {} of {n} calls; {}", played.n_results, played.text);
    }
    let canaries = (0..PLAYS.len()).map(|number| stage.is_there(&canary(number))).collect();
    Ok(Run { canaries, n_results: played.n_results })
}

impl Runs {
    /// The plays that did not go as they must, and how.
    fn faults(&self) -> Vec<(usize, &'static str)> {
        let mut faults = Vec::new();
        for (number, play) in PLAYS.iter().enumerate() {
            let at = |run: &Run| run.canaries.get(number) == Some(&true);
            if !at(&self.without) {
                faults.push((number, "nothing is proven, it did not run without the guard"));
            }
            match (play.expected, at(&self.with)) {
                (Expected::Refused, true) => faults.push((number, "it was not stopped")),
                (Expected::Permitted, false) => faults.push((number, "it was stopped")),
                (Expected::Refused, false) if number >= self.with.n_results => {
                    faults.push((number, "nothing is proven, the client ended before"));
                }
                (Expected::Refused, false) | (Expected::Permitted, true) => {}
            }
        }
        faults
    }

    fn part(&self) -> Part {
        let faults = self.faults();
        let is_fault = |number: usize| faults.iter().any(|it| it.0 == number);
        let count = |expected: Expected| {
            let all = PLAYS.iter().enumerate().filter(|it| it.1.expected == expected);
            let (mut n, mut sound) = (0, 0);
            for (number, _) in all {
                n += 1;
                sound += usize::from(!is_fault(number));
            }
            format!("{sound} of {n}")
        };
        let (refused, permitted) = (count(Expected::Refused), count(Expected::Permitted));
        let named = |(number, text): &(usize, &str)| {
            let play = PLAYS.get(*number);
            let (rule, command) = play.map_or(("", ""), |it| (it.rule, it.command));
            format!("{text}: `{command}` ({rule})")
        };
        let run = |it: &Run| json!({ "canaries": it.canaries, "results": it.n_results });
        Part {
            name: "classes",
            lines: vec![format!("refused {refused}, permitted {permitted}")],
            faults: faults.iter().map(named).collect(),
            seen: json!({ "without": run(&self.without), "with": run(&self.with) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> Runs {
        let n = PLAYS.len();
        let with = PLAYS.iter().map(|it| it.expected == Expected::Permitted).collect();
        Runs {
            without: Run { canaries: vec![true; n], n_results: n },
            with: Run { canaries: with, n_results: n },
        }
    }

    #[test]
    fn a_canary_that_does_not_behave_is_a_fault() {
        assert!(runs().part().faults.is_empty(), "{:?}", runs().part());
        let check = |change: fn(&mut Runs), expected: &str| {
            let mut runs = runs();
            change(&mut runs);
            let faults = runs.part().faults;
            assert!(faults[0].contains(expected), "{}", faults[0]);
        };
        check(|it| it.with.canaries[1] = true, "it was not stopped");
        check(|it| it.with.canaries[0] = false, "it was stopped");
        check(|it| it.without.canaries[1] = false, "did not run without");
        check(|it| it.with.n_results = 1, "the client ended before");
    }
}
