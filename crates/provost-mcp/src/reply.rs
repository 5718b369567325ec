//! What a tool answers: one object, and whether it is a refusal.

use provost_engine::story::{codes, next};
use provost_kernel::{Finding, Lang, message::Phrase};
use rmcp::model::CallToolResult;
use serde::Serialize;
use serde_json::{Value, json};

use crate::HostError;

/// An answer. A refusal is an answer too: it has codes, and says what to send next.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub value: Value,
    pub is_error: bool,
}

impl Reply {
    /// An answer that is not a refusal.
    pub fn of(value: &impl Serialize) -> Self {
        Self { value: plain(value), is_error: false }
    }

    /// The answer with its texts in the language of the reader.
    #[must_use]
    pub(crate) fn localized(mut self, lang: Lang) -> Self {
        lang.localize(&mut self.value);
        self
    }

    /// An answer that may be one.
    pub(crate) fn judged(value: &impl Serialize, is_error: bool) -> Self {
        Self { value: plain(value), is_error }
    }

    /// Puts something beside what is there.
    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: &impl Serialize) -> Self {
        if let Value::Object(object) = &mut self.value {
            object.insert(key.to_owned(), plain(value));
        }
        self
    }

    /// Arguments that are not those of the tool.
    pub(crate) fn refused(findings: &[Finding]) -> Self {
        let next: Vec<Phrase> = next(findings).into_iter().map(Phrase).collect();
        let codes = codes(findings);
        let value = json!({"success": false, "codes": codes, "findings": findings, "next": next});
        Self { value, is_error: true }
    }

    /// What could not be carried out.
    pub(crate) fn failed(error: &HostError, lang: Lang) -> Self {
        let (code, fault) = (error.code(), error.fault());
        let value = json!({
            "success": false,
            "error": lang.render(&fault.text()),
            "codes": [code],
            "next": lang.render_all(&fault.hints()),
            "exitCode": fault.exit().code(),
        });
        Self { value, is_error: true }
    }

    /// A cursor that no answer had.
    pub(crate) fn no_cursor(lang: Lang) -> Self {
        let error = lang.pick("no such cursor", "游标无效");
        let next = lang.pick(
            "send `nextCursor` of the answer before, or leave `cursor` out",
            "请发送上一个回答的 `nextCursor`，或省略 `cursor`",
        );
        let codes = ["ARGUMENT_CURSOR"];
        let value = json!({"success": false, "error": error, "codes": codes, "next": [next]});
        Self { value, is_error: true }
    }

    /// A call that ended in a panic: its state is what was recorded before.
    pub(crate) fn crashed(lang: Lang) -> Self {
        let error = lang.pick("provost failed while it carried this out", "provost 执行时出错");
        let next = lang.pick(
            "`ralph_status` says what is recorded; report what standard error says",
            "用 `ralph_status` 查看已记录的内容；请报告标准错误的输出",
        );
        let value = json!({"success": false, "error": error, "codes": ["CRASHED"], "next": [next]});
        Self { value, is_error: true }
    }

    /// A call that was given up before it began.
    pub(crate) fn cancelled(lang: Lang) -> Self {
        let error = lang.pick("the call was cancelled", "调用已取消");
        let value = json!({"success": false, "error": error, "codes": ["INTERRUPTED"], "next": []});
        Self { value, is_error: true }
    }

    /// The answer as the protocol has it: the object, and the same as text.
    pub(crate) fn result(self) -> CallToolResult {
        if self.is_error {
            CallToolResult::structured_error(self.value)
        } else {
            CallToolResult::structured(self.value)
        }
    }
}

fn plain(value: &impl Serialize) -> Value {
    // Our own types have text keys only; whatever cannot be written is not silently left out.
    serde_json::to_value(value).unwrap_or_else(|error| json!({"unwritable": error.to_string()}))
}
