//! Whether an attempt goes on in the session of the attempt before.
//!
//! It does where it goes on with the same files, with the same agent and model. Whatever else happens,
//! it starts a session of its own with everything that it has to know.

use provost_kernel::{
    AttemptNumber, Message,
    task::{ContextMode, SessionAgent, SessionRecord, TaskSpec},
};

/// What the next call of a coder would be.
#[derive(Clone, Copy, Debug)]
pub struct NextCall<'a> {
    /// The attempt on whose files it starts; none for the base.
    pub started_on: Option<AttemptNumber>,
    pub context_mode: ContextMode,
    /// Whether it repeats an earlier attempt.
    pub is_rerun: bool,
    pub agent: &'a SessionAgent,
}

/// Why a session is not gone on in.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.session")]
pub enum SessionEnd {
    #[message(
        en = "another agent works now (`{now}`, before `{before}`)",
        zh = "现在由另一个智能体工作（`{now}`，之前是 `{before}`）"
    )]
    OtherAgent { before: String, now: String },
    #[message(en = "the model was changed", zh = "模型已更换")]
    OtherModel,
    #[message(en = "its transcript was not found", zh = "找不到其对话记录")]
    NoTranscript,
    #[message(en = "several files could be its transcript", zh = "有多个文件都可能是其对话记录")]
    SeveralTranscripts,
    #[message(en = "its transcript is larger than 64 MiB", zh = "其对话记录大于 64 MiB")]
    TooLarge,
    #[message(en = "its transcript holds a secret", zh = "其对话记录含有密钥")]
    Secret,
    #[message(
        en = "{title} could not resume it; a new one was started",
        zh = "{title} 无法继续该会话，已新建会话"
    )]
    NotResumed { title: &'static str },
}

/// Whether a later attempt may want the session of this one: with a plan, files are declared before
/// any of them is changed, and each attempt starts from the base.
pub fn is_kept(spec: &TaskSpec) -> bool {
    spec.attempt_context_mode == ContextMode::Continue && spec.plan.is_none()
}

/// Whether a call goes on in the session that is kept. None where nothing suggests that it would.
pub fn goes_on(kept: &SessionRecord, next: NextCall<'_>) -> Option<Result<(), SessionEnd>> {
    let is_continued = next.context_mode == ContextMode::Continue && !next.is_rerun;
    // The session knows the files of one attempt, and of no other.
    if !is_continued || next.started_on != Some(kept.attempt) {
        return None;
    }
    let (before, now) = (&kept.agent, next.agent);
    if before.adapter != now.adapter || before.preset != now.preset {
        let (before, now) = (before.adapter.clone(), now.adapter.clone());
        return Some(Err(SessionEnd::OtherAgent { before, now }));
    }
    if before.model != now.model {
        return Some(Err(SessionEnd::OtherModel));
    }
    Some(Ok(()))
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Digest, model::Usage};

    use super::*;

    fn agent(adapter: &str, preset: &str, model: Option<&str>) -> SessionAgent {
        SessionAgent {
            adapter: adapter.to_owned(),
            preset: preset.to_owned(),
            model: model.map(str::to_owned),
        }
    }

    #[test]
    fn a_session_goes_on_with_the_same_files_agent_and_model() {
        let number = |it: u16| AttemptNumber::try_from(it).unwrap();
        let kept = SessionRecord {
            task_id: "t1".parse().unwrap(),
            attempt: number(2),
            agent: agent("c", "codex", Some("m")),
            session: "s1".parse().unwrap(),
            file: "s1.jsonl".to_owned(),
            digest: Digest::of_bytes(b""),
            spent: Usage::default(),
        };
        let same = agent("c", "codex", Some("m"));
        let check = |change: fn(&mut NextCall<'_>), agent: &SessionAgent| {
            let mut next = NextCall {
                started_on: Some(number(2)),
                context_mode: ContextMode::Continue,
                is_rerun: false,
                agent,
            };
            change(&mut next);
            goes_on(&kept, next)
        };
        assert_eq!(check(|_| {}, &same), Some(Ok(())));
        // After a refusal, a reset, with a plan, and from the base each time.
        assert_eq!(check(|it| it.started_on = None, &same), None);
        // On the files of an earlier attempt, where the newest one left none.
        assert_eq!(check(|it| it.started_on = AttemptNumber::try_from(1).ok(), &same), None);
        assert_eq!(check(|it| it.context_mode = ContextMode::FreshEach, &same), None);
        assert_eq!(check(|it| it.context_mode = ContextMode::Iterative, &same), None);
        assert_eq!(check(|it| it.is_rerun = true, &same), None);
        let other = |before: &str, now: &str| {
            let (before, now) = (before.to_owned(), now.to_owned());
            Some(Err(SessionEnd::OtherAgent { before, now }))
        };
        assert_eq!(check(|_| {}, &agent("d", "codex", Some("m"))), other("c", "d"));
        assert_eq!(check(|_| {}, &agent("c", "claude-code", Some("m"))), other("c", "c"));
        let model = Some(Err(SessionEnd::OtherModel));
        assert_eq!(check(|_| {}, &agent("c", "codex", None)), model);
        assert_eq!(check(|_| {}, &agent("c", "codex", Some("n"))), model);
    }
}
