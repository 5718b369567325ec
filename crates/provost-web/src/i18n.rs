//! The catalogue for the page: every message of this program, in each language. Of which of them a refusal
//! can be made is not known here: the binary says through its port whatever a command would say.

use std::collections::BTreeSet;

use provost_kernel::{Lang, message::templates};
use serde_json::{Map, Value};

use crate::{answer::Ready, refusal::OWN};

/// The words that the page needs before it has an answer.
const FIRST: [&str; 2] = ["page.", OWN];
/// How the words start that the views of records need, besides the first ones: they come with the first of
/// those views, in one file, since they share half of what they say.
const LATER: [&str; 15] = [
    "page.adapter_",
    "page.audit_",
    "page.caveat_",
    "page.cell_",
    "page.effect_",
    "page.evals_",
    "page.guard_",
    "page.hypothesis_",
    "page.learn_",
    "page.new_",
    "page.refusal_",
    "page.resolution_",
    "page.stories_",
    "page.story_",
    "page.support_",
];
/// How many codes can be asked for at once.
const MOST: usize = 200;

/// The files of both languages.
pub(crate) struct Catalogue {
    en: Files,
    zh: Files,
}

/// The files of one language.
struct Files {
    lang: Lang,
    /// Every text.
    all: Ready,
    /// The page's own words; what an answer says besides is asked for by its codes.
    first: Ready,
    /// The words of the views of records.
    later: Ready,
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        Self { en: Files::new(Lang::En), zh: Files::new(Lang::Zh) }
    }

    /// A file by its name: `en.json`, `en.page.json`, `en.more.json`, or `en/` with codes behind it, by
    /// commas.
    pub(crate) fn file(&self, name: &str) -> Option<Ready> {
        let (lang, rest) = name.split_at_checked(2)?;
        let files = match lang {
            "en" => &self.en,
            "zh" => &self.zh,
            _ => return None,
        };
        match rest {
            ".json" => Some(files.all.clone()),
            ".page.json" => Some(files.first.clone()),
            ".more.json" => Some(files.later.clone()),
            _ => files.some(rest.strip_prefix('/')?),
        }
    }
}

impl Files {
    fn new(lang: Lang) -> Self {
        let starts = |code: &str, with: &[&str]| with.iter().any(|it| code.starts_with(it));
        Self {
            lang,
            all: of(lang, |_| true),
            first: of(lang, |it| starts(it, &FIRST) && !starts(it, &LATER)),
            later: of(lang, |it| starts(it, &LATER)),
        }
    }

    /// The texts of some codes. One that is not known is left out.
    fn some(&self, codes: &str) -> Option<Ready> {
        let codes: BTreeSet<&str> = codes.split(',').collect();
        let is_asked = |code: &str| codes.contains(code) || codes.contains(sent_as(code));
        (codes.len() <= MOST).then(|| of(self.lang, is_asked))
    }
}

/// The name under which a message is sent: the server's own refusals have their bare names, their hints
/// have not.
fn sent_as(code: &str) -> &str {
    code.strip_prefix(OWN).filter(|it| !it.contains(".hint")).unwrap_or(code)
}

fn of(lang: Lang, is_kept: impl Fn(&str) -> bool) -> Ready {
    let mut map = Map::new();
    for template in templates().filter(|it| is_kept(it.code)) {
        map.insert(sent_as(template.code).to_owned(), lang.pick(template.en, template.zh).into());
    }
    Ready::new(Value::Object(map).to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Text,
        message::{Argument, Template},
    };

    use super::*;

    fn codes(name: &str) -> Option<Vec<String>> {
        let ready = Catalogue::new().file(name)?;
        let map: Map<String, Value> = serde_json::from_slice(&ready.bytes).ok()?;
        Some(map.keys().cloned().collect())
    }

    #[test]
    fn the_first_file_has_the_words_of_the_page_and_no_others() {
        let first = codes("zh.page.json").unwrap_or_default();
        assert!(first.iter().any(|it| it == "page.view_tasks"));
        assert!(first.iter().any(|it| it == "moved"));
        assert!(!first.iter().any(|it| it.starts_with("task.")));
        let all = codes("zh.json").unwrap_or_default();
        assert!(all.len() > first.len());
    }

    /// Every word of the page is in one file: the first, or that of the views of records.
    #[test]
    fn the_words_of_records_come_later() {
        let mut found = codes("en.page.json").unwrap_or_default();
        let later = codes("en.more.json").unwrap_or_default();
        for start in LATER {
            assert!(later.iter().any(|it| it.starts_with(start)), "{start}");
        }
        found.extend(later);
        found.retain(|it| it.starts_with("page."));
        found.sort();
        let all = codes("en.json").unwrap_or_default();
        let mut all: Vec<String> = all.into_iter().filter(|it| it.starts_with("page.")).collect();
        all.sort();
        assert_eq!(found, all);
        assert_eq!(codes("en.task.json"), None);
        let first = codes("en.page.json").unwrap_or_default();
        assert!(first.iter().all(|it| !it.starts_with(OWN) || it.contains(".hint")));
    }

    fn argument(value: &Value) -> Argument {
        match value {
            Value::Array(items) => Argument::List(items.iter().map(argument).collect()),
            Value::Number(number) => Argument::Number(number.as_i64().unwrap_or_default()),
            Value::String(text) => Argument::Literal(text.clone()),
            Value::Null | Value::Bool(_) | Value::Object(_) => Argument::Literal(String::new()),
        }
    }

    fn leak(text: &Value) -> &'static str {
        text.as_str().unwrap_or_default().to_owned().leak()
    }

    /// `e2e/template.spec.js` renders the same table with the page's own code.
    #[test]
    fn the_cases_that_the_page_renders_too() {
        let table = include_str!("../../../fixtures/messages/cases.json");
        let table: Vec<Value> = serde_json::from_str(table).unwrap_or_default();
        assert!(table.len() > 10, "{}", table.len());
        for case in table {
            let empty = Map::new();
            let given = case["args"].as_object().unwrap_or(&empty);
            let names: Vec<&'static str> = given.keys().map(|it| &*it.clone().leak()).collect();
            let arguments = given.values().map(argument).collect();
            let (en, zh) = (leak(&case["en"]), leak(&case["zh"]));
            let template = Template { code: "case", en, zh, arguments: names.leak() };
            let text = Text::new(Box::leak(Box::new(template)), arguments);
            assert_eq!(Lang::En.render(&text), case["is_en"], "{en}");
            assert_eq!(Lang::Zh.render(&text), case["is_zh"], "{zh}");
        }
    }

    #[test]
    fn codes_are_asked_for_by_name() {
        let one = "page.view_tasks";
        assert_eq!(codes(&format!("en/{one},no.such")).as_deref(), Some(&[one.to_owned()][..]));
        // A refusal is asked for by the name that it was sent under, and so is its hint.
        for one in ["wrong_token", "refusal.request_id_reused.hint"] {
            assert_eq!(codes(&format!("en/{one}")).as_deref(), Some(&[one.to_owned()][..]));
        }
        assert_eq!(codes("fr.json"), None);
        let many: Vec<String> = (0..=MOST).map(|it| it.to_string()).collect();
        assert_eq!(codes(&format!("en/{}", many.join(","))), None);
    }
}
