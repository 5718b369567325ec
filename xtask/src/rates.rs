//! How often the measured gate of learning is wrong, how often it finds a rule, and what it costs:
//! simulated missions at full size. The test command runs a fifth of them.

use crate::{failure::Failure, process::Process};

/// Prints the tables, over so many missions to each cell where a number is given.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let mut words = vec!["run", "--release", "--quiet", "--package", "provost-testkit"];
    words.extend(["--bin", "provost-rates"]);
    match options {
        [] => {}
        [missions] if missions.parse::<u32>().is_ok_and(|it| it > 0) => {
            words.extend(["--", missions]);
        }
        other => {
            let other = other.join(" ");
            return Err(Failure::Unable(format!("`rates` takes a number, not `{other}`")));
        }
    }
    Process::new("cargo", &words).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_is_understood() {
        for options in [&["0"][..], &["many"], &["5", "6"]] {
            assert!(matches!(run(options), Err(Failure::Unable(_))), "{options:?}");
        }
    }
}
