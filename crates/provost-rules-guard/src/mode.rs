//! Which text names a mode, and which modes may be active together (HOOK-2.4).

use std::time::Duration;

use provost_kernel::{
    Finding, Message, Millis, Severity,
    guard::{Mode, ModeMarker, ModeState, Moment},
};
use serde::Serialize;
use serde_json::Value;

/// A marker that is older than this was left behind by a tool that is gone. Not to be mixed up
/// with [`AGENT_STALE_AFTER`](super::tracking::AGENT_STALE_AFTER), which is about agents.
pub const MARKER_STALE_AFTER: Duration = Duration::from_hours(1);

/// How many characters a name may have before it is not even looked at.
const LONGEST: usize = 100;

/// How many characters of a foreign name are shown.
const SHOWN: usize = 50;

/// Why a name is not a mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.mode", exit = Refused)]
pub enum ModeError {
    #[message(
        en = "the mode name is longer than {limit} characters: `{shown}`",
        zh = "模式名超过 {limit} 个字符：`{shown}`",
        arg(limit = LONGEST),
        hint(en = "the modes are {modes:names}", zh = "有效的模式：{modes:names}"),
        arg(modes = Mode::WORDS)
    )]
    TooLong { shown: String },
    /// The name reaches for another directory.
    #[message(
        en = "the mode name is an attempt at path traversal: `{shown}`",
        zh = "模式名企图遍历路径：`{shown}`",
        hint(en = "the modes are {modes:names}", zh = "有效的模式：{modes:names}"),
        arg(modes = Mode::WORDS)
    )]
    PathTraversal { shown: String },
    #[message(
        en = "unknown mode `{shown}`",
        zh = "未知的模式 `{shown}`",
        hint(en = "the modes are {modes:names}", zh = "有效的模式：{modes:names}"),
        arg(modes = Mode::WORDS)
    )]
    Unknown { shown: String },
    /// A value that is not even a string.
    #[message(
        en = "a mode is a string",
        zh = "模式应为字符串",
        hint(en = "the modes are {modes:names}", zh = "有效的模式：{modes:names}"),
        arg(modes = Mode::WORDS)
    )]
    NotText,
}

/// A mode that may not start, because of one that is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.mode_conflict",
    en = "cannot start `{mode}` while `{blocked_by}` is active",
    zh = "`{blocked_by}` 正在运行，不能启动 `{mode}`",
    hint(
        en = "end it first: `provost guard mode {blocked_by} off`",
        zh = "请先结束：`provost guard mode {blocked_by} off`"
    ),
    exit = Conflict
)]
pub struct ModeConflict {
    pub mode: Mode,
    pub blocked_by: Mode,
}

/// The ruling on a name, as `provost check mode` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedMode {
    pub valid: bool,
    pub mode: Option<Mode>,
    pub findings: Vec<Finding>,
}

/// Rules on a name.
pub fn check(text: &str) -> CheckedMode {
    match parse(text) {
        Ok(mode) => CheckedMode { valid: true, mode: Some(mode), findings: Vec::new() },
        Err(error) => {
            let rule = format!("mode.{}", error.code());
            let finding = Finding::new(rule, Severity::P0, shown(text), &error);
            CheckedMode { valid: false, mode: None, findings: vec![finding] }
        }
    }
}

/// Reads the name of a mode. After this the type is the proof, and only its word meets a path.
pub fn parse(text: &str) -> Result<Mode, ModeError> {
    let shown = || shown(text);
    if text.chars().nth(LONGEST).is_some() {
        return Err(ModeError::TooLong { shown: shown() });
    }
    text.parse().map_err(|_| {
        if is_traversal(text) {
            ModeError::PathTraversal { shown: shown() }
        } else {
            ModeError::Unknown { shown: shown() }
        }
    })
}

/// Reads the name of a mode from a value that somebody else wrote.
pub fn of_value(value: &Value) -> Result<Mode, ModeError> {
    value.as_str().ok_or(ModeError::NotText).and_then(parse)
}

/// Whether a mode may start while others are active. A mode does not stand in its own way.
pub fn can_start(mode: Mode, active: impl IntoIterator<Item = Mode>) -> Result<(), ModeConflict> {
    let excludes = |it: &Mode| *it != mode && mode.is_exclusive() && it.is_exclusive();
    match active.into_iter().find(excludes) {
        Some(blocked_by) => Err(ModeConflict { mode, blocked_by }),
        None => Ok(()),
    }
}

/// Whether a mode ends with a session: it is active, and it is that session's own.
pub fn ends_with(state: &ModeState, session: Option<&str>) -> bool {
    state.active && state.session_id.is_some() && state.session_id.as_deref() == session
}

/// A mode that is over.
pub fn ended(state: ModeState, now: Millis) -> ModeState {
    ModeState { active: false, updated_at: Some(now.into()), ..state }
}

/// Whether a marker was left behind. One without a time, or with one that is none, was not.
pub fn is_marker_stale(marker: &ModeMarker, now: Millis) -> bool {
    let started = marker.started_at.as_ref().and_then(Moment::millis);
    let started = started.and_then(|it| u64::try_from(it).ok()).map(Millis);
    started.is_some_and(|it| now.since(it) > MARKER_STALE_AFTER)
}

fn is_traversal(text: &str) -> bool {
    let has_drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    text.contains("..") || text.contains(['/', '\\']) || text.starts_with('.') || has_drive
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...(truncated)", &text[..end]),
        None => text.to_owned(),
    }
}

impl ModeError {
    /// The word under which a rejection is recorded.
    pub fn code(&self) -> &'static str {
        match self {
            Self::PathTraversal { .. } => "path_traversal_attempt",
            Self::TooLong { .. } | Self::Unknown { .. } | Self::NotText => "invalid_mode",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use provost_kernel::{Exit, Lang};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match parse(text) {
            Ok(mode) => {
                assert_eq!(mode.as_str(), text);
                "valid"
            }
            Err(ModeError::TooLong { .. }) => "too long",
            Err(ModeError::PathTraversal { .. }) => "traversal",
            Err(ModeError::Unknown { .. }) => "unknown",
            Err(ModeError::NotText) => "not text",
        };
        assert_eq!(actual, expected, "{text:?}");
    }

    /// HOOK-2.4: eight words pass, spelled exactly; length, whitelist and traversal in this order.
    #[test]
    fn a_mode_is_one_of_eight_words() {
        for word in Mode::WORDS {
            check(word, "valid");
            check(&word.to_uppercase(), "unknown");
            check(&format!(" {word}"), "unknown");
            check(&format!("{word}\n"), "unknown");
            check(&format!("{word}\0"), "unknown");
            check(&format!("../{word}"), "traversal");
            check(&format!("{word}/.."), "traversal");
        }
        check("", "unknown");
        check("ralplan", "unknown");
        check("Ralph", "unknown");
        check("rａlph", "unknown");
        check("a..b", "traversal");
        check(".hidden", "traversal");
        check("a/b", "traversal");
        check("a\\b", "traversal");
        check("C:evil", "traversal");
        check("c:", "traversal");
        check("1:x", "unknown");
        check("%2e%2e%2fralph", "unknown");
        check(&"x".repeat(100), "unknown");
        check(&"模".repeat(100), "unknown");
        check(&"x".repeat(101), "too long");
        check(&"../".repeat(50), "too long");
    }

    /// HOOK-2.4.
    #[test]
    fn a_ruling_says_why_a_name_is_none() {
        let checked = super::check("ralph");
        assert_eq!((checked.valid, checked.mode), (true, Some(Mode::Ralph)));
        assert!(checked.findings.is_empty());
        for (name, rule) in [
            ("../x", "mode.path_traversal_attempt"),
            ("Ralph", "mode.invalid_mode"),
            (&"x".repeat(101), "mode.invalid_mode"),
        ] {
            let checked = super::check(name);
            assert_eq!((checked.valid, checked.mode), (false, None), "{name}");
            assert_eq!(checked.findings[0].rule, rule);
            assert!(checked.findings[0].subject.chars().count() <= 65, "{name}");
        }
    }

    /// HOOK-2.4: what is not a text is not a mode.
    #[test]
    fn only_a_text_names_a_mode() {
        for value in
            [json!(null), json!(1), json!(true), json!(["ralph"]), json!({"mode": "ralph"})]
        {
            assert_eq!(of_value(&value), Err(ModeError::NotText), "{value}");
        }
        assert_eq!(of_value(&json!("ralph")), Ok(Mode::Ralph));
        assert!(of_value(&json!("")).is_err());
    }

    #[test]
    fn a_rejection_is_short_and_names_the_modes() {
        let error = parse(&"é".repeat(101)).unwrap_err();
        let shown = format!("{}...(truncated)", "é".repeat(50));
        assert_eq!(
            error.to_string(),
            format!("the mode name is longer than 100 characters: `{shown}`"),
        );
        assert_eq!(error.code(), "invalid_mode");
        let error = parse("../x").unwrap_err();
        assert_eq!(error.to_string(), "the mode name is an attempt at path traversal: `../x`");
        assert_eq!(error.code(), "path_traversal_attempt");
        assert_eq!(Lang::Zh.render(&error.text()), "模式名企图遍历路径：`../x`");
        let error = parse("x").unwrap_err();
        assert_eq!(error.to_string(), "unknown mode `x`");
        assert_eq!(error.code(), "invalid_mode");
        assert_eq!(
            error.hints()[0].to_string(),
            "the modes are `autopilot`, `ultrapilot`, `team`, `pipeline`, `ralph`, `ultrawork`, \
             `ultraqa`, `swarm`",
        );
        assert_eq!(error.exit(), Exit::Refused);
    }

    /// The state of another session, or of a person, outlives this one.
    #[test]
    fn a_mode_ends_with_its_own_session_only() {
        let state = |active, session: Option<&str>| ModeState {
            active,
            session_id: session.map(str::to_owned),
            ..ModeState::default()
        };
        for (state, session, expected) in [
            (state(true, Some("s1")), Some("s1"), true),
            (state(false, Some("s1")), Some("s1"), false),
            (state(true, Some("s2")), Some("s1"), false),
            (state(true, None), Some("s1"), false),
            (state(true, None), None, false),
        ] {
            assert_eq!(ends_with(&state, session), expected, "{state:?} {session:?}");
        }
        assert!(!ended(state(true, None), Millis(0)).active);
    }

    /// HOOK-2.4: among autopilot, ultrapilot, swarm and pipeline there is one at a time.
    #[test]
    fn exclusive_modes_keep_each_other_out() {
        let exclusive = ["autopilot", "ultrapilot", "swarm", "pipeline"];
        for &mode in Mode::ALL {
            for &other in Mode::ALL {
                let both =
                    exclusive.contains(&mode.as_str()) && exclusive.contains(&other.as_str());
                let expected = if both && mode != other {
                    Err(ModeConflict { mode, blocked_by: other })
                } else {
                    Ok(())
                };
                assert_eq!(can_start(mode, [other]), expected, "{mode} {other}");
            }
            assert_eq!(can_start(mode, []), Ok(()));
        }
        let conflict = can_start(Mode::Swarm, [Mode::Team, Mode::Swarm, Mode::Pipeline]);
        let conflict = conflict.unwrap_err();
        assert_eq!(conflict.to_string(), "cannot start `swarm` while `pipeline` is active");
        assert_eq!(
            conflict.hints()[0].to_string(),
            "end it first: `provost guard mode pipeline off`"
        );
        assert_eq!(conflict.exit(), Exit::Conflict);
    }

    /// An hour, and never the five minutes of an agent.
    #[test]
    fn a_marker_is_stale_after_an_hour() {
        #[track_caller]
        fn check(started_at: Option<&str>, now: u64, expected: bool) {
            let marker = ModeMarker { started_at: started_at.map(|it| it.to_owned().into()) };
            assert_eq!(is_marker_stale(&marker, Millis(now)), expected, "{marker:?} at {now}");
        }
        let start = Some("1970-01-01T00:00:10.500Z");
        check(start, 10_500 + 5 * 60_000 + 1, false);
        check(start, 10_500 + 3_600_000, false);
        check(start, 10_500 + 3_600_000 + 1, true);
        check(start, 0, false);
        check(None, u64::MAX, false);
        check(Some("soon"), u64::MAX, false);
        assert_ne!(MARKER_STALE_AFTER, crate::tracking::AGENT_STALE_AFTER);
    }

    proptest! {
        /// HOOK-2.4: whatever passes is safe as part of a file's name.
        #[test]
        fn what_passes_is_a_plain_word(text in "[a-z./\\\\:]{0,12}|\\PC{0,120}") {
            if let Ok(mode) = parse(&text) {
                prop_assert!(mode.as_str().bytes().all(|it| it.is_ascii_lowercase()));
            }
        }
    }
}
