//! Whether a test of the guard still counts.

use provost_kernel::guard::{Circumstances, Harness, Proofs};

/// What a test is worth now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// It passed, and nothing that it stands on has changed.
    Current,
    /// It passed, and something has changed since.
    Outdated,
    Failed,
    /// There is none.
    Absent,
}

/// What the last test of a client is worth under these circumstances.
pub fn worth(proofs: &Proofs, harness: Harness, now: &Circumstances) -> Worth {
    match proofs.tests.get(&harness) {
        None => Worth::Absent,
        Some(proof) if !proof.passed => Worth::Failed,
        // What is gone now was there when it passed.
        Some(proof) if proof.circumstances == *now && !now.programs.is_empty() => Worth::Current,
        Some(_) => Worth::Outdated,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use provost_kernel::{Digest, Timestamp, guard::Proof};

    use super::*;

    fn circumstances() -> Circumstances {
        let digest = |text: &str| Some(Digest::of_bytes(text.as_bytes()));
        Circumstances {
            programs: BTreeMap::from([("/p".to_owned(), digest("p"))]),
            files: BTreeMap::from([("/f".to_owned(), digest("f"))]),
            policy: None,
        }
    }

    fn proofs(passed: bool) -> Proofs {
        let proof = Proof {
            at: Timestamp::EPOCH,
            passed,
            live: false,
            circumstances: circumstances(),
            checks: Vec::new(),
        };
        Proofs { tests: BTreeMap::from([(Harness::Claude, proof)]) }
    }

    #[track_caller]
    fn check(change: impl Fn(&mut Circumstances), expected: Worth) {
        let mut now = circumstances();
        change(&mut now);
        assert_eq!(worth(&proofs(true), Harness::Claude, &now), expected);
    }

    /// HOOK-1.5: a proof holds for what was proven, and for nothing else.
    #[test]
    fn whatever_changes_makes_a_test_worthless() {
        let other = Some(Digest::of_bytes(b"other"));
        check(|_| {}, Worth::Current);
        check(|it| it.programs.extend([("/p".to_owned(), other)]), Worth::Outdated);
        check(|it| it.programs.extend([("/p".to_owned(), None)]), Worth::Outdated);
        check(|it| it.programs.extend([("/q".to_owned(), other)]), Worth::Outdated);
        check(|it| it.files.extend([("/f".to_owned(), other)]), Worth::Outdated);
        check(|it| it.files.clear(), Worth::Outdated);
        check(|it| it.policy = other, Worth::Outdated);
        assert_eq!(worth(&proofs(false), Harness::Claude, &circumstances()), Worth::Failed);
        assert_eq!(worth(&proofs(true), Harness::Codex, &circumstances()), Worth::Absent);
    }
}
