//! What a client does not enforce, whatever provost writes into its configuration.

use provost_kernel::guard::{Harness, client::KnownGap};

/// The known gaps of a client. Without a version, those of some versions are included.
pub fn known_gaps(harness: Harness, version: Option<&str>) -> Vec<KnownGap> {
    let version = version.and_then(parse);
    let is_open = |closed_in: Option<[u32; 3]>| match (closed_in, version) {
        (Some(closed_in), Some(version)) => version < closed_in,
        (Some(_) | None, _) => true,
    };
    harness.entry().gaps.iter().filter(|it| is_open(it.closed_in)).map(|it| it.gap).collect()
}

fn parse(version: &str) -> Option<[u32; 3]> {
    let version = version.split_whitespace().next()?;
    let mut numbers = version.split('.').map(|it| it.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_claude_code_fails_closed() {
        let check = |version: Option<&str>, expected: bool| {
            let open = known_gaps(Harness::Claude, version);
            assert_eq!(open.contains(&KnownGap::ClaudeFailsOpen), expected, "{version:?}");
        };
        check(None, true);
        check(Some("2.1.197 (Claude Code)"), true);
        check(Some("2.1.294"), true);
        check(Some("2.1.295"), false);
        check(Some("2.1.325 (Claude Code)"), false);
        check(Some("2.2.0"), false);
        check(Some("10.0.0"), false);
        check(Some("unknown"), true);
    }
}
