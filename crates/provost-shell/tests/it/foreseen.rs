//! Whether the parser foresees what real bash starts: the program with its arguments is in the
//! list, or the line is said to have a part that is not known.

use std::time::{Duration, Instant};

use provost_shell::{Hole, Part, Reason, Script, Word, parse};

use crate::{
    lines::{Lines, STUBS},
    sandbox::{Started, run},
};

/// Stands between the arguments where several are compared with one word.
const SEPARATOR: char = '\u{1f}';
/// How many lines the test makes up, unless it is told to go on for some seconds.
const LINES: usize = 400;
/// A different seed makes other lines: `cargo xtask fuzz lines` sets both variables.
const SEED: &str = "PROVOST_FUZZ_SEED";
const SECONDS: &str = "PROVOST_FUZZ_SECONDS";

/// What the parser says of a program that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foresight {
    /// It is in the list with these arguments, as far as they are known.
    Listed,
    /// A part of the line is not known, and is said to be.
    Open,
    Missed,
}

/// Lines of which the parser once missed a part, found by this test.
const FOUND: &[&str] = &[
    "x='a[$(rm -rf /)]'; (( x ))",
    "x='a[$(rm -rf /)]'; echo $((x))",
    "x='a[$(rm -rf /)]'; [[ x -eq 0 ]]",
    "declare -i x='a[$(sudo alpha)]'",
    "declare 'a[`sudo alpha`]=1'",
    "let 'x=a[$(rm -rf /)]'",
    "test -v 'a[$(npm publish)]'",
    "[[ -v 'a[$(npm publish)]' ]]",
    "printf -v 'a[$(git clean -fdx)]' x",
    "read 'a[$(rm -rf /)]' <<<x",
    "a=(1); unset 'a[$(rm -rf /)]'",
    "PS4='$(git clean -fdx)'; set -x; :",
    "export PS4='`sudo alpha`'; set -x; :",
    "declare -n r=x; x=rm; $r -rf /",
    "IFS=,; x=rm,-rf,/; $x",
    "IFS=,; x=-rf,/; rm $x",
    "export IFS=:; x=rm:/; $x",
    "alpha || set -- publish; npm $@",
    // These are open.
    "mapfile -C 'chmod -R 777' -c 1 a <<<x",
    "x='$(rm -rf /)'; echo \"${x@P}\"",
    "echo 'sudo alpha' >s; BASH_ENV=s bash -c :",
];

fn foresight(script: &Script, started: &Started) -> Foresight {
    let mut readings = script.invocations.iter().flat_map(|it| {
        let several = it.readings.iter().map(Vec::as_slice);
        [it.words.as_slice()].into_iter().chain(several)
    });
    if readings.any(|it| is_reading(it, &started.words)) {
        return Foresight::Listed;
    }
    let is_open = script.opaque.iter().any(|it| it.reason != Reason::Foreign);
    if is_open { Foresight::Open } else { Foresight::Missed }
}

/// Whether words can turn out to be these.
fn is_reading(words: &[Word], started: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return started.is_empty() };
    let has_text = first.parts().iter().any(|it| matches!(it, Part::Text(_)));
    let splits = first.parts().iter().any(|it| matches!(it, Part::Hole { quoted: false, .. }));
    let least = usize::from(has_text || !splits);
    let most = if splits { started.len() } else { least.min(started.len()) };
    (least..=most).any(|n| {
        let (taken, left) = started.split_at(n);
        let joined = taken.join(SEPARATOR.encode_utf8(&mut [0; 4]));
        (n == 0 || can_be(first.parts(), &joined)) && is_reading(rest, left)
    })
}

/// Whether the parts of a word can turn out to be a text.
fn can_be(parts: &[Part], text: &str) -> bool {
    match parts {
        [] => text.is_empty(),
        [Part::Text(known), rest @ ..] => {
            text.strip_prefix(known.as_str()).is_some_and(|it| can_be(rest, it))
        }
        [Part::Hole { hole, quoted }, rest @ ..] => {
            let splits = !quoted || matches!(hole, Hole::Input);
            let ends = text.char_indices().map(|it| it.0).chain([text.len()]);
            ends.map(|at| text.split_at(at))
                .filter(|(taken, _)| splits || !taken.contains(SEPARATOR))
                .any(|(_, left)| can_be(rest, left))
        }
    }
}

/// Runs lines, and answers with how many programs were listed and how many were not known.
#[track_caller]
fn check(lines: &[String]) -> (usize, usize) {
    let (mut n_listed, mut n_open) = (0, 0);
    let mut missed = Vec::new();
    for (line, all) in lines.iter().zip(run(lines, STUBS)) {
        let script = parse(line);
        for started in all {
            match foresight(&script, &started) {
                Foresight::Listed => n_listed += 1,
                Foresight::Open => n_open += 1,
                Foresight::Missed => missed.push(format!("{started:?} in\n{line}\n")),
            }
        }
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
    (n_listed, n_open)
}

#[expect(clippy::disallowed_methods, reason = "a long run is asked for by a variable")]
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn what_was_missed_once_is_foreseen() {
    let lines: Vec<String> = FOUND.iter().map(|&it| it.to_owned()).collect();
    let started = run(&lines, STUBS);
    let idle: Vec<&str> =
        FOUND.iter().zip(&started).filter(|it| it.1.is_empty()).map(|it| *it.0).collect();
    assert!(idle.is_empty(), "bash starts nothing in {idle:?}");
    check(&lines);
}

/// Whatever a real shell starts is listed by the parser, or the line is opaque.
#[test]
fn what_bash_starts_is_foreseen() {
    let seed = asked(SEED).unwrap_or(1);
    let end = asked(SECONDS).map(|it| Instant::now() + Duration::from_secs(it));
    let (mut n_lines, mut n_listed, mut n_open) = (0, 0, 0);
    for round in 0.. {
        let mut source = Lines::seeded(seed.wrapping_add(round));
        let lines: Vec<String> = (0..LINES).map(|_| source.line()).collect();
        let (listed, open) = check(&lines);
        (n_lines, n_listed, n_open) = (n_lines + LINES, n_listed + listed, n_open + open);
        if end.is_none_or(|it| Instant::now() >= it) {
            break;
        }
    }
    // If most were opaque, this would prove nothing.
    assert!(n_listed >= n_lines / 2 && n_open * 4 <= n_listed, "{n_listed} {n_open}");
}
