//! The prompts of a suite: files with places for the fields of a case and for what earlier prompts
//! made.

use std::collections::BTreeMap;

use provost_kernel::{
    Digest,
    eval::{Artifacts, Request},
};
use serde_json::Value;

use super::suite::{Suite, SuiteError};

/// Stands for the JSON Schema of the artifact.
const SCHEMA: &str = "schema";

/// The prompts of a suite, in the order in which its artifacts are made.
#[derive(Clone, Debug)]
pub struct Prompts(Vec<Prompt>);

/// One prompt.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it makes.
    pub artifact: String,
    /// How reports name it: the file and the start of its digest.
    pub version: String,
    pub reply: ReplyForm,
    parts: Vec<Part>,
    digest: Digest,
}

/// What a model is to answer in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// One JSON object: the artifact.
    Object,
    /// Words, which the artifact has as `text`.
    Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    /// A field of the case, an earlier artifact, or the schema.
    Place(String),
}

/// The text of a prompt, and how people name its file.
#[derive(Clone, Debug)]
pub struct PromptText {
    pub name: String,
    pub text: String,
}

impl Prompts {
    /// The prompts of a suite, from the texts of their files by artifact.
    pub fn read(suite: &Suite, texts: &BTreeMap<String, PromptText>) -> Result<Self, SuiteError> {
        let prompt = |(at, artifact): (usize, &String)| {
            let PromptText { name, text } =
                texts.get(artifact).ok_or_else(|| SuiteError::NoPrompt(artifact.clone()))?;
            let parts = split(text);
            let mut known: Vec<&str> = suite.case.sent().collect();
            known.extend(suite.artifacts.iter().take(at).map(String::as_str));
            known.push(SCHEMA);
            let is_unknown =
                |it: &&Part| matches!(it, Part::Place(name) if !known.contains(&name.as_str()));
            if let Some(Part::Place(place)) = parts.iter().find(is_unknown) {
                return Err(SuiteError::UnknownPlace {
                    prompt: name.clone(),
                    place: place.clone(),
                    known: known.into_iter().map(str::to_owned).collect(),
                });
            }
            let is_text = suite.texts.contains(artifact);
            let digest = Digest::of_bytes(text.as_bytes());
            Ok(Prompt {
                artifact: artifact.clone(),
                version: version(name, &digest),
                reply: if is_text { ReplyForm::Text } else { ReplyForm::Object },
                parts,
                digest,
            })
        };
        suite.artifacts.iter().enumerate().map(prompt).collect::<Result<_, _>>().map(Self)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Prompt> {
        self.0.iter()
    }

    /// Of every text, so that what one prompt was answered is not taken for another's.
    pub fn digests(&self) -> BTreeMap<String, String> {
        self.0.iter().map(|it| (it.artifact.clone(), it.digest.to_string())).collect()
    }
}

impl Prompt {
    /// The prompt of one case. A field that the case does not have leaves nothing.
    pub fn render(&self, request: &Request, made: &Artifacts, schema: Option<&str>) -> String {
        let value = |name: &str| match name {
            SCHEMA if !request.input.contains_key(SCHEMA) => {
                schema.unwrap_or_default().trim().to_owned()
            }
            _ => made.get(name).or_else(|| request.input.get(name)).map(shown).unwrap_or_default(),
        };
        let part = |it: &Part| match it {
            Part::Words(words) => words.clone(),
            Part::Place(name) => value(name),
        };
        self.parts.iter().map(part).collect()
    }
}

/// A value in a prompt: a text as it is, a list of texts with their numbers, the rest as JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let texts = (1..).zip(items.iter().filter_map(Value::as_str));
            texts.map(|(at, it)| format!("[{at}] {it}")).collect::<Vec<String>>().join("\n")
        }
        // What a prompt that answered in words made is those words.
        Value::Object(fields) if fields.len() == 1 => match fields.get("text") {
            Some(Value::String(text)) => text.clone(),
            Some(_) | None => value.to_string(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

/// The words and the `{{places}}` of a prompt. Braces around anything else are words.
fn split(text: &str) -> Vec<Part> {
    let (mut parts, mut words, mut rest) = (Vec::new(), String::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        words.push_str(before);
        let place = after.split_once("}}").map(|(name, after)| (name.trim(), after));
        if let Some((name, after)) = place.filter(|(name, _)| is_name(name)) {
            parts.push(Part::Words(std::mem::take(&mut words)));
            parts.push(Part::Place(name.to_owned()));
            rest = after;
        } else {
            words.push_str("{{");
            rest = after;
        }
    }
    words.push_str(rest);
    parts.push(Part::Words(words));
    parts.retain(|it| !matches!(it, Part::Words(words) if words.is_empty()));
    parts
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || "_-".contains(it))
}

/// The file without its ending, and as much of the digest as tells versions apart.
fn version(name: &str, digest: &Digest) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let digest = digest.to_string();
    let digest: String = digest.trim_start_matches("sha256:").chars().take(8).collect();
    format!("{stem}@{digest}")
}

#[cfg(test)]
mod tests {
    use provost_kernel::eval::Profile;
    use serde_json::json;

    use super::*;
    use crate::{lexicon::Lexicon, suite::SchemaTexts};

    fn suite() -> Suite {
        let suite = json!({"schema": 1, "name": "own", "about": "own",
            "artifacts": ["facts", "answer"], "texts": ["answer"],
            "case": {"id": "id", "fields": [{"name": "id", "sent": false},
                {"name": "question"}, {"name": "passages", "type": "list"},
                {"name": "right", "sent": false}]},
            "checks": [{"name": "x", "level": "P1", "kind": "regex", "at": "/answer/text", "pattern": "a"}]});
        let lexicon = Lexicon::embedded().unwrap();
        Suite::read(suite.to_string().as_bytes(), &SchemaTexts::new(), lexicon).unwrap()
    }

    fn prompts(answer: &str) -> Result<Prompts, String> {
        let text =
            |name: &str, text: &str| PromptText { name: name.to_owned(), text: text.to_owned() };
        let texts = BTreeMap::from([
            ("facts".to_owned(), text("facts.txt", "List facts as {{schema}}")),
            ("answer".to_owned(), text("short/answer.txt", answer)),
        ]);
        Prompts::read(&suite(), &texts).map_err(|it| it.to_string())
    }

    #[track_caller]
    fn check(answer: &str, expected: &str) {
        let input = json!({"question": "Why?", "passages": ["one", "two"]});
        let request = Request {
            run_id: "r".to_owned(),
            engine_version: "1".to_owned(),
            profile: Profile::Engineer,
            input: input.as_object().cloned().unwrap(),
        };
        let made = Artifacts::from_iter([("facts".to_owned(), json!({"a": 1, "b": 2}))]);
        let prompts = prompts(answer).unwrap();
        let prompt = prompts.iter().nth(1).unwrap();
        assert_eq!(prompt.render(&request, &made, Some("{}\n")), expected, "{answer}");
        assert_eq!(prompt.reply, ReplyForm::Text);
        assert!(prompt.version.starts_with("short/answer@"), "{}", prompt.version);
        assert_eq!(prompt.version.len(), "short/answer@".len() + 8);
    }

    #[test]
    fn places_are_filled_and_other_braces_stay() {
        check("{{question}} {{ passages }}", "Why? [1] one\n[2] two");
        check("{{facts}}", r#"{"a":1,"b":2}"#);
        check("{{schema}}", "{}");
        check("{{not a name}} {{", "{{not a name}} {{");
        check("{\"a\": {\"b\": \"{{question}}\"}}", "{\"a\": {\"b\": \"Why?\"}}");
    }

    /// What the engine must not see, such as the right answer, no prompt can name.
    #[test]
    fn a_prompt_names_what_it_may_see() {
        for place in ["right", "id", "answer", "questio"] {
            let error = prompts(&format!("{{{{{place}}}}}")).unwrap_err();
            let start = format!("prompt `short/answer.txt` has `{{{{{place}}}}}`, which");
            assert!(error.starts_with(&start), "{error}");
        }
        let error = Prompts::read(&suite(), &BTreeMap::new()).unwrap_err();
        assert_eq!(error.to_string(), "the suite names no prompt for `facts`");
    }
}
