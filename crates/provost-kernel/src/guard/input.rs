//! What a hook was told, after it went through the normaliser.

use serde_json::{Map, Value};

use super::HookType;
use crate::words::words;

words! {
    /// What becomes of a field that its type does not know.
    pub enum UnknownFields {
        /// It is dropped, and its name is reported.
        Drop = "drop",
        /// It stays, as in the original's first version; sensitive types drop it all the same.
        Pass = "pass",
    }
}

/// The normalised payload of a hook: the only form in which the rest of provost sees one.
///
/// A field that the client wrote as `null` is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct HookInput {
    pub hook: HookType,
    /// As the client wrote it: parse it as a [`SessionId`](crate::SessionId) before it is part of
    /// a path.
    pub session_id: Option<String>,
    /// The folder in which the agent works.
    pub directory: Option<String>,
    pub tool_name: Option<String>,
    /// What the tool is given, untouched.
    pub tool_input: Option<Value>,
    /// What the tool gave back, untouched.
    pub tool_output: Option<Value>,
    /// What the person wrote, where the client says it in one field.
    pub prompt: Option<String>,
    /// Every other field that the type knows, under the client's own name.
    pub fields: Map<String, Value>,
}

impl HookInput {
    /// Nothing but the type.
    pub fn empty(hook: HookType) -> Self {
        Self {
            hook,
            session_id: None,
            directory: None,
            tool_name: None,
            tool_input: None,
            tool_output: None,
            prompt: None,
            fields: Map::new(),
        }
    }

    /// Whether a field is there, by the name that [`to_object`](Self::to_object) writes.
    pub fn has(&self, name: &str) -> bool {
        match name {
            "sessionId" => self.session_id.is_some(),
            "directory" => self.directory.is_some(),
            "toolName" => self.tool_name.is_some(),
            "toolInput" => self.tool_input.is_some(),
            "toolOutput" => self.tool_output.is_some(),
            "prompt" => self.prompt.is_some(),
            other => self.fields.contains_key(other),
        }
    }

    /// A field as a text, if it is there and is one.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// A field as a truth value; what is absent is false.
    pub fn is_set(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// What the person wrote: the prompt, else the content of the message, else the text parts.
    pub fn prompt_text(&self) -> Option<String> {
        if let Some(prompt) = &self.prompt {
            return Some(prompt.clone());
        }
        if let Some(content) = self.fields.get("message").and_then(|it| it["content"].as_str()) {
            return Some(content.to_owned());
        }
        let parts = self.fields.get("parts")?.as_array()?;
        let texts: Vec<_> = parts
            .iter()
            .filter(|it| it["type"] == "text")
            .filter_map(|it| it["text"].as_str())
            .collect();
        if texts.is_empty() { None } else { Some(texts.join(" ")) }
    }

    /// The input as one object, under the names of the original (`sessionId`, `toolName`, …).
    pub fn to_object(&self) -> Map<String, Value> {
        let text = |it: &Option<String>| it.clone().map(Value::String);
        let mut object = self.fields.clone();
        let mapped = [
            ("sessionId", text(&self.session_id)),
            ("directory", text(&self.directory)),
            ("toolName", text(&self.tool_name)),
            ("toolInput", self.tool_input.clone()),
            ("toolOutput", self.tool_output.clone()),
            ("prompt", text(&self.prompt)),
        ];
        for (name, value) in mapped {
            if let Some(value) = value {
                object.insert(name.to_owned(), value);
            }
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_input_is_written_under_the_names_of_the_original() {
        let mut input = HookInput::empty(HookType::PreToolUse);
        assert_eq!(Value::Object(input.to_object()), json!({}));
        input.session_id = Some("s1".to_owned());
        input.tool_name = Some("Bash".to_owned());
        input.tool_input = Some(json!({"command": "ls"}));
        input.fields.insert("tool_use_id".to_owned(), json!("t1"));
        input.fields.insert("stop_hook_active".to_owned(), json!(true));
        assert_eq!(
            Value::Object(input.to_object()),
            json!({
                "sessionId": "s1",
                "toolName": "Bash",
                "toolInput": {"command": "ls"},
                "tool_use_id": "t1",
                "stop_hook_active": true,
            }),
        );
        for name in ["sessionId", "directory", "toolName", "toolInput", "toolOutput", "prompt"] {
            assert_eq!(input.has(name), input.to_object().contains_key(name), "{name}");
        }
        assert!(input.has("tool_use_id"));
        assert!(!input.has("session_id"));
        assert_eq!(input.text("tool_use_id"), Some("t1"));
        assert_eq!(input.text("stop_hook_active"), None);
        assert!(input.is_set("stop_hook_active"));
        assert!(!input.is_set("tool_use_id"));
        assert!(!input.is_set("absent"));
    }
    #[test]
    fn the_person_is_read_from_the_first_of_three_places() {
        let mut input = HookInput::empty(HookType::KeywordDetector);
        assert_eq!(input.prompt_text(), None);
        let parts = json!([
            {"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"},
        ]);
        input.fields.insert("parts".to_owned(), parts);
        assert_eq!(input.prompt_text().as_deref(), Some("a b"));
        input.fields.insert("message".to_owned(), json!({"content": "c"}));
        assert_eq!(input.prompt_text().as_deref(), Some("c"));
        input.prompt = Some("d".to_owned());
        assert_eq!(input.prompt_text().as_deref(), Some("d"));
        input = HookInput::empty(HookType::KeywordDetector);
        input.fields.insert("parts".to_owned(), json!([{"type": "image"}]));
        assert_eq!(input.prompt_text(), None);
    }
}
