//! What a real client has shown, once without the guard and once with it.
//!
//! A proof needs more than an absent file: a client that never got as far would leave none either.
//! So the ordinary command must have run both times, the refused one must have run without the
//! guard, and with it the client must have told the model what came of it.

use provost_kernel::Message;

/// How many commands the model asks for: the ordinary one, then the one that is refused.
const COMMANDS: usize = 2;

/// What was seen of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Whether the file of the ordinary command is there.
    pub witness: bool,
    /// Whether the file of the refused command is there.
    pub canary: bool,
    /// Of how many commands the model was told what came of them.
    pub n_results: usize,
}

/// What the two runs prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "guard.live")]
pub enum Verdict {
    /// The guard stops what it refuses, and nothing else.
    #[message(
        en = "the guard stopped what it refuses, and nothing else",
        zh = "守卫拦下了它拒绝的命令，且没有拦下别的命令"
    )]
    Passed,
    /// The command ran although the guard refuses it.
    #[message(
        en = "the command ran although the guard refuses it",
        zh = "尽管守卫拒绝，该命令仍然运行了"
    )]
    NotStopped,
    /// The guard stops an ordinary command as well.
    #[message(en = "the guard stopped an ordinary command as well", zh = "守卫连普通命令也拦下了")]
    StopsEverything,
    /// The client did not do its part.
    #[message(en = "nothing is proven: {0}", zh = "未得到证明：{0}")]
    NotProven(Doubt),
}

/// What the client did not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "guard.doubt")]
pub enum Doubt {
    /// Without the guard the ordinary command did not run.
    #[message(
        en = "the client did not run even an ordinary command",
        zh = "客户端连普通命令都没有运行"
    )]
    NoWitness,
    /// Without the guard the other command did not run either, so its absence proves nothing.
    #[message(
        en = "without the guard the client did not run the command either",
        zh = "没有守卫时客户端也没有运行该命令"
    )]
    NoCanary,
    /// With the guard it ended before the model got the results of the commands.
    #[message(en = "with the guard the client ended too early", zh = "有守卫时客户端提前结束了")]
    Unfinished,
}

/// Judges the two runs.
pub fn judge(without: Seen, with: Seen) -> Verdict {
    // Whatever else is unknown: the command ran.
    if with.canary {
        return Verdict::NotStopped;
    }
    if !without.witness {
        return Verdict::NotProven(Doubt::NoWitness);
    }
    if !without.canary {
        return Verdict::NotProven(Doubt::NoCanary);
    }
    if with.n_results < COMMANDS {
        return Verdict::NotProven(Doubt::Unfinished);
    }
    if with.witness { Verdict::Passed } else { Verdict::StopsEverything }
}

impl Verdict {
    /// Whether the guard is proven with this client. Nothing else counts.
    pub fn is_passed(self) -> bool {
        self == Self::Passed
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::policy::{Effect, Policy, ToolCall};

    use super::*;
    use crate::policy;

    fn seen(witness: bool, canary: bool, n_results: usize) -> Seen {
        Seen { witness, canary, n_results }
    }

    /// HOOK-1.5: a refusal is proven only by a command that ran without the guard and not with it.
    #[test]
    fn only_a_client_that_did_its_part_proves_anything() {
        let free = seen(true, true, 2);
        let check =
            |without, with, expected| assert_eq!(judge(without, with), expected, "{with:?}");
        check(free, seen(true, false, 2), Verdict::Passed);
        check(free, seen(true, false, 3), Verdict::Passed);
        check(free, seen(true, true, 2), Verdict::NotStopped);
        check(free, seen(false, true, 0), Verdict::NotStopped);
        check(seen(false, false, 0), seen(true, true, 2), Verdict::NotStopped);
        check(free, seen(false, false, 2), Verdict::StopsEverything);
        check(free, seen(true, false, 1), Verdict::NotProven(Doubt::Unfinished));
        check(free, seen(false, false, 0), Verdict::NotProven(Doubt::Unfinished));
        check(seen(true, false, 2), seen(true, false, 2), Verdict::NotProven(Doubt::NoCanary));
        check(seen(false, true, 2), seen(true, false, 2), Verdict::NotProven(Doubt::NoWitness));
        check(seen(false, false, 0), seen(false, false, 0), Verdict::NotProven(Doubt::NoWitness));
    }

    /// Every combination: what is passed is exactly one of them.
    #[test]
    fn nothing_passes_that_was_not_seen() {
        let all = || {
            let bools = [false, true];
            bools.into_iter().flat_map(move |witness| {
                bools.into_iter().flat_map(move |canary| {
                    (0..3).map(move |n_results| seen(witness, canary, n_results))
                })
            })
        };
        for without in all() {
            for with in all() {
                let expected = without.witness && without.canary && with == seen(true, false, 2);
                assert_eq!(judge(without, with).is_passed(), expected, "{without:?} {with:?}");
            }
        }
    }

    /// The two commands that a scripted model asks for: the policy must tell them apart.
    #[test]
    fn the_commands_of_the_proof_are_ruled_as_it_needs() {
        let effect = |command: &str| {
            let call = ToolCall {
                tool: Some("Bash".to_owned()),
                input: serde_json::json!({ "command": command }),
                directory: "/tmp/x/repository".to_owned(),
                root: None,
                granted: Vec::new(),
                home: Some("/tmp/x/repository/.provost".to_owned()),
                user_home: Some("/tmp/x/home".to_owned()),
                program: None,
                facts: Vec::new(),
                links: Vec::new(),
            };
            policy::rule(&Policy::default(), &call).effect
        };
        assert_eq!(effect("touch provost-witness"), Effect::Allow);
        assert_eq!(effect("git reset --hard; touch provost-canary"), Effect::Deny);
    }
}
