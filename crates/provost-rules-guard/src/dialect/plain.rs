//! The original's own form: `continue`, and a message.
//!
//! `continue` is false for a permission that failed or was denied, and for nothing else.

use provost_kernel::guard::HookType;
use serde_json::json;

use super::{Answer, Effect, Reply};

pub(super) fn reply(hook: HookType, answer: Answer) -> Reply {
    match answer {
        Answer::Go => Reply::saying(&json!({"continue": true}), Effect::Passed),
        Answer::Note(text) => {
            Reply::saying(&json!({"continue": true, "message": text}), Effect::Passed)
        }
        Answer::Deny(reason) | Answer::Ask(reason) => {
            let is_refused = hook == HookType::PermissionRequest;
            let document = json!({"continue": !is_refused, "message": reason});
            if is_refused {
                Reply::saying(&document, Effect::Refused).with_exit_2(&reason)
            } else {
                Reply::saying(&document, Effect::Unblockable).with_stderr(&reason)
            }
        }
    }
}
