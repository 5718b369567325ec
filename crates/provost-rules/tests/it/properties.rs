//! What holds for every text that may carry secrets. The fuzz target includes this file, so that it
//! and the replay of its corpus assert the same.

use provost_rules::secret::{redact, scan};

/// Checks the secret scanner with these bytes.
pub(crate) fn secret(bytes: &[u8]) {
    let mut end = 0;
    for hit in scan(bytes) {
        assert!(end <= hit.span.start && hit.span.start < hit.span.end);
        end = hit.span.end;
    }
    assert!(end <= bytes.len());
    let clean = redact(bytes);
    assert_eq!(scan(&clean), []);
    assert_eq!(redact(&clean), clean);
}
