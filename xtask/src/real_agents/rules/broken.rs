//! A guard that was broken after it was installed: does the client still refuse?

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::json;

use super::{
    super::script::Step,
    Part,
    clients::Guarded,
    stage::{self, Stage},
};
use crate::{failure::Failure, project};

const SECONDS: &str = "300";
/// Where the guard of a person keeps its files, below the person's home.
const STATE: &str = "home/.local/state/provost/guard-home";

/// What was done to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing: what the others are compared with.
    Sound,
    ProgramRemoved,
    ProgramNotExecutable,
    PolicyCorrupt,
    /// Half of the entries are gone.
    ChainCut,
    /// All entries are gone.
    ChainEmptied,
}

/// What a client stops in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Every call.
    Everything,
    /// What a sound guard refuses, and nothing else.
    Refused,
    /// No call: the guard is gone.
    Nothing,
    /// Everything: no session begins.
    Session,
    /// An ordinary call, but not one that a sound guard refuses.
    Ordinary,
    /// The client ended before it had answered both calls.
    Unproven,
}

const STATES: [State; 6] = [
    State::Sound,
    State::ProgramRemoved,
    State::ProgramNotExecutable,
    State::PolicyCorrupt,
    State::ChainCut,
    State::ChainEmptied,
];
/// How many calls the model asks for in each state.
const CALLS: usize = 2;

/// What came of one state.
#[derive(Debug)]
struct Outcome {
    state: State,
    expected: Held,
    held: Held,
}

/// Plays an ordinary call and one that is refused, in each state.
pub(super) fn play(guarded: &Guarded, provost: &Path) -> Result<Part, Failure> {
    let step = |state: State| {
        let word = state.word();
        let commands = vec![
            format!("touch broken-{word}-ordinary"),
            format!("git reset --hard; touch broken-{word}-refused"),
        ];
        Step { told: state.prompt(), commands }
    };
    let steps = STATES.map(step).into();
    // A copy is broken, not the program that was given.
    let own = project::root().join(stage::path(guarded, "broken")).join("bin/provost");
    let stage = Stage::new(guarded, "broken", Some(&own), steps)?;
    project::copy(provost, &own)?;
    stage.guard()?;
    let mut outcomes = Vec::new();
    for state in STATES {
        let kept = state.enter(&stage, &own)?;
        let played = stage.play(&state.prompt(), SECONDS)?;
        kept.mend(&stage, provost, &own)?;
        let is_there = |kind: &str| stage.is_there(&format!("broken-{}-{kind}", state.word()));
        let held = if guarded.unstarted.is_some_and(|it| played.text.contains(it))
            && played.n_results == 0
        {
            Held::Session
        } else {
            held(is_there("ordinary"), is_there("refused"), played.n_results)
        };
        let expected = state.expected(guarded);
        if held != expected {
            println!("  {}: {} calls; {}", state.word(), played.n_results, played.text);
        }
        outcomes.push(Outcome { state, expected, held });
    }
    Ok(part(&outcomes))
}

/// What the canaries say.
fn held(ordinary: bool, refused: bool, n_results: usize) -> Held {
    match (ordinary, refused) {
        (true, true) => Held::Nothing,
        (false, true) => Held::Ordinary,
        (true, false) if n_results >= CALLS => Held::Refused,
        (false, false) if n_results >= CALLS => Held::Everything,
        (true | false, false) => Held::Unproven,
    }
}

fn part(outcomes: &[Outcome]) -> Part {
    let line = |it: &Outcome| format!("{}: {}", it.state.word(), it.held.text());
    let fault = |it: &Outcome| {
        let (state, expected) = (it.state.word(), it.expected.text());
        format!("{state}: {}, where it was to be: {expected}", it.held.text())
    };
    let seen = |it: &Outcome| json!({ "state": it.state.word(), "held": it.held.text() });
    Part {
        name: "broken",
        lines: outcomes.iter().map(line).collect(),
        faults: outcomes.iter().filter(|it| it.held != it.expected).map(fault).collect(),
        seen: outcomes.iter().map(seen).collect(),
    }
}

/// What was broken: whether it was the program, and the files as they were.
#[derive(Debug, Default)]
struct Kept {
    is_program: bool,
    files: Vec<(String, String)>,
}

impl Kept {
    /// Puts everything in its place again.
    fn mend(self, stage: &Stage<'_>, provost: &Path, own: &Path) -> Result<(), Failure> {
        if self.is_program {
            project::copy(provost, own)?;
        }
        for (path, text) in self.files {
            stage.write(&path, &text)?;
        }
        Ok(())
    }
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::ProgramRemoved => "program-removed",
            Self::ProgramNotExecutable => "program-not-executable",
            Self::PolicyCorrupt => "policy-corrupt",
            Self::ChainCut => "chain-cut",
            Self::ChainEmptied => "chain-emptied",
        }
    }

    fn prompt(self) -> String {
        format!("Do what is to be done ({}).", self.word())
    }

    fn expected(self, guarded: &Guarded) -> Held {
        match self {
            Self::Sound => Held::Refused,
            Self::ProgramRemoved => guarded.without_program,
            Self::ProgramNotExecutable => guarded.without_right,
            // The guard runs, and denies what it cannot judge or record.
            Self::PolicyCorrupt | Self::ChainEmptied => Held::Everything,
            Self::ChainCut => guarded.with_cut_chain,
        }
    }

    /// Breaks the guard.
    fn enter(self, stage: &Stage<'_>, own: &Path) -> Result<Kept, Failure> {
        let is_program = matches!(self, Self::ProgramRemoved | Self::ProgramNotExecutable);
        let mut kept = Kept { is_program, files: Vec::new() };
        match self {
            Self::Sound => {}
            Self::ProgramRemoved => stage.remove("bin")?,
            Self::ProgramNotExecutable => {
                let permissions = std::fs::Permissions::from_mode(0o644);
                std::fs::set_permissions(own, permissions).map_err(|error| {
                    Failure::Unable(format!("cannot change `{}`: {error}", own.display()))
                })?;
            }
            Self::PolicyCorrupt => {
                for name in stage.names(&format!("{STATE}/guard/policies"))? {
                    let path = format!("{STATE}/guard/policies/{name}");
                    let text = stage.read(&path)?;
                    stage.write(&path, "{ \"schema\": ")?;
                    kept.files.push((path, text));
                }
            }
            Self::ChainCut | Self::ChainEmptied => {
                let path = format!("{STATE}/out/_audit/audit.jsonl");
                let text = stage.read(&path)?;
                let is_cut = matches!(self, Self::ChainCut);
                let n = if is_cut { text.lines().count() / 2 } else { 0 };
                stage.write(&path, &text.split_inclusive('\n').take(n).collect::<String>())?;
                kept.files.push((path, text));
            }
        }
        Ok(kept)
    }
}

impl Held {
    fn text(self) -> &'static str {
        match self {
            Self::Everything => "every call refused",
            Self::Refused => "guarded as before",
            Self::Nothing => "no call refused",
            Self::Session => "no session begins",
            Self::Ordinary => "the ordinary call refused, the other one not",
            Self::Unproven => "not proven, the client ended before",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canaries_say_what_is_held() {
        assert_eq!(held(false, false, 2), Held::Everything);
        assert_eq!(held(true, false, 2), Held::Refused);
        assert_eq!(held(true, true, 2), Held::Nothing);
        assert_eq!(held(false, true, 2), Held::Ordinary);
        // An absent canary says nothing where nobody asked for it.
        assert_eq!(held(false, false, 1), Held::Unproven);
        assert_eq!(held(true, false, 1), Held::Unproven);
    }

    #[test]
    fn what_is_not_as_expected_is_a_fault() {
        let outcome = |held| Outcome { state: State::ChainCut, expected: Held::Everything, held };
        assert_eq!(part(&[outcome(Held::Everything)]).faults, [""; 0]);
        let part = part(&[outcome(Held::Nothing)]);
        assert_eq!(part.lines, ["chain-cut: no call refused"]);
        let fault = "chain-cut: no call refused, where it was to be: every call refused";
        assert_eq!(part.faults, [fault]);
    }

    /// A prompt chooses the last step that it calls for.
    #[test]
    fn no_prompt_calls_for_another_state() {
        for state in STATES {
            let called = STATES.iter().filter(|it| state.prompt().contains(&it.prompt()));
            assert_eq!(called.count(), 1, "{}", state.word());
        }
    }
}
