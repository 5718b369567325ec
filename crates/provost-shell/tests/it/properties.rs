//! What holds for every command line. The fuzz target includes this file, so that it and the replay
//! of its corpus assert the same.

use provost_shell::{Reason, Script, parse, privilege};

/// Checks the command parser with these bytes as a text.
pub(crate) fn command(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let script = parse(&text);
    check_shape(&script, text.len());

    // One level deeper nothing looks more harmless, as long as there is room to go deeper. The longer
    // text has the larger budget, so what was given up outside may be read to its end inside.
    let inner = parse(&format!("eval {}", quote(&text)));
    check_shape(&inner, text.len() * 4);
    let gives_up = |it: &Script| {
        it.opaque
            .iter()
            .any(|it| matches!(it.reason, Reason::TooDeep | Reason::TooMuch | Reason::TooLong))
    };
    let is_found = privilege(&script).is_some() && !gives_up(&script);
    assert!(!is_found || privilege(&inner).is_some() || gives_up(&inner));
}

/// What is listed stands in proportion to the text, and names only what is in the list.
fn check_shape(script: &Script, length: usize) {
    let n_invocations = script.invocations.len();
    let mut size = 0;
    for (at, invocation) in script.invocations.iter().enumerate() {
        assert!(invocation.launched_by.is_none_or(|by| by < at));
        size += invocation.shown().len() + 8;
    }
    size += script.opaque.iter().map(|it| it.text.len()).sum::<usize>();
    assert!(size <= length * 100 + (1 << 20), "{size} from {length}");
    for pipe in &script.pipes {
        assert!(pipe.from.end <= n_invocations && pipe.to.end <= n_invocations);
    }
    if let Some(last) = n_invocations.checked_sub(1) {
        assert!(script.feeders(last).len() <= n_invocations);
    }
}

/// Quotes a text as one word, the way every shell understands.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
