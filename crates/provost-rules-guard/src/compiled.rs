//! Whether a compiled policy still says what its files say.

use provost_kernel::{
    Millis,
    guard::{CompiledPolicy, PolicySource, SourceStamp},
};

/// How exact the times of files are taken to be, in milliseconds.
///
/// A file that was changed in the same instant in which it was read may have changed again
/// without a trace in its stamp; a clock of files moves on every few milliseconds.
const TICK: u64 = 2_000;

/// Whether the files of a policy are what they were: `look` says what a file is now, nothing if
/// there is none. Whatever cannot be looked at makes the policy stale: making it anew then says
/// what is the matter.
pub fn is_current<E>(
    policy: &CompiledPolicy,
    mut look: impl FnMut(&str) -> Result<Option<SourceStamp>, E>,
) -> bool {
    // A policy without a level is of a version that did not tell apart whose a rule is.
    policy.level.is_some()
        && policy.sources.iter().all(|PolicySource { path, state }| match (look(path), state) {
            (Ok(None), None) => true,
            (Ok(Some(stamp)), Some(state)) => {
                stamp == state.stamp && is_settled(stamp, policy.compiled_at)
            }
            (Err(_), _) | (Ok(None), Some(_)) | (Ok(Some(_)), None) => false,
        })
}

/// Whether a file had come to rest before the policy was made from it.
fn is_settled(stamp: SourceStamp, compiled_at: Millis) -> bool {
    let changed = u64::try_from(stamp.changed / 1_000_000).unwrap_or_default();
    changed.saturating_add(TICK) < compiled_at.0
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Digest,
        guard::{
            SourceState, UnknownFields,
            policy::{GuardLevel, GuardPacks},
        },
    };

    use super::*;

    const STAMP: SourceStamp =
        SourceStamp { size: 3, inode: 7, modified: 1_000_000_000, changed: 1_000_000_000 };

    fn policy(at: u64, state: Option<SourceState>) -> CompiledPolicy {
        CompiledPolicy {
            compiled_at: Millis(at),
            sources: vec![PolicySource { path: "/p/provost.toml".to_owned(), state }],
            unknown_fields: UnknownFields::Drop,
            rules: Vec::new(),
            repository: Vec::new(),
            level: Some(GuardLevel::Standard),
            packs: GuardPacks::default(),
            lang: None,
            replay_days: 7,
        }
    }

    #[track_caller]
    fn check(at: u64, now: Option<SourceStamp>, expected: bool) {
        let digest = Digest::of_bytes(b"x");
        let policy = policy(at, Some(SourceState { stamp: STAMP, digest }));
        assert_eq!(is_current(&policy, |_| Ok::<_, ()>(now)), expected, "{at} {now:?}");
    }

    /// Ruling on the compiled policy: when the files differ, it is made anew.
    #[test]
    fn a_policy_is_current_while_its_files_are_what_they_were() {
        let settled = 9_000;
        check(settled, Some(STAMP), true);
        check(settled, Some(SourceStamp { modified: 2_000_000_000, ..STAMP }), false);
        // The times of a file's content can be set back, those of its attributes cannot.
        check(settled, Some(SourceStamp { changed: 5_000_000_000, ..STAMP }), false);
        check(settled, Some(SourceStamp { inode: 8, ..STAMP }), false);
        check(settled, Some(SourceStamp { size: 4, ..STAMP }), false);
        check(settled, None, false);
        // Read within the instant of the last change: the stamp proves nothing.
        check(3_001, Some(STAMP), true);
        check(3_000, Some(STAMP), false);
        check(0, Some(STAMP), false);
    }

    #[test]
    fn a_file_that_was_not_there_must_still_not_be_there() {
        let none = policy(9_000, None);
        assert!(is_current(&none, |_| Ok::<_, ()>(None)));
        assert!(!is_current(&none, |_| Ok::<_, ()>(Some(STAMP))));
        assert!(!is_current(&none, |_| Err(())), "whatever cannot be looked at is stale");
        let earlier = CompiledPolicy { level: None, ..none };
        assert!(!is_current(&earlier, |_| Ok::<_, ()>(None)), "an earlier version made it");
    }
}
