//! What a model heard, as a person would count it.

use super::{
    super::{model::Heard, wire},
    project,
};

/// How often a client came with a prompt: with tools, and without an answer to a call since.
pub(super) fn starts(heard: &Heard) -> usize {
    let asked = heard.requests.iter().map(wire::asked);
    asked.filter(|it| !it.tools.is_empty() && it.newest.1 == 0).count()
}

/// How the tests ended that the agent ran, at the end of each start.
pub(super) fn tested(heard: &Heard) -> Vec<i32> {
    let asked = heard.requests.iter().map(wire::asked);
    let ends = asked.filter_map(|it| {
        let since = it.results.len().checked_sub(it.newest.1)?;
        project::codes(&it.results[since..]).pop()
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Two starts: in one conversation, or each in its own.
    #[test]
    fn a_start_is_a_new_prompt_with_tools() {
        let user = |content: Value| json!({ "role": "user", "content": content });
        let said = json!({ "role": "assistant", "content": "x" });
        let result = |code: i32| {
            let text = format!("the tests ended with {code}");
            user(json!([{ "type": "tool_result", "content": text }]))
        };
        let request =
            |messages: &[Value]| json!({ "tools": [{ "name": "Bash" }], "messages": messages });
        let first = [user(json!("do it")), said.clone(), result(1)];
        let mut second = first.to_vec();
        second.extend([said.clone(), user(json!("again"))]);
        let mut last = second.clone();
        last.extend([said.clone(), result(0)]);
        let title = json!({ "messages": [user(json!("a title"))] });
        let requests =
            vec![title, request(&first[..1]), request(&first), request(&second), request(&last)];
        let heard = Heard { requests, ..Heard::default() };
        assert_eq!((starts(&heard), tested(&heard)), (2, vec![1, 0]));
        let own = [user(json!("again")), said, result(0)];
        let requests = [&first[..1], &first, &own[..1], &own].map(request).to_vec();
        let heard = Heard { requests, ..Heard::default() };
        assert_eq!((starts(&heard), tested(&heard)), (2, vec![1, 0]));
    }
}
