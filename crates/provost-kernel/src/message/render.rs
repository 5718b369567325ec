//! Fills a template in one language.

use std::fmt::Write as _;

use super::{Argument, Text, text::Form};
use crate::Lang;

impl Lang {
    /// The text as a reader of this language sees it.
    pub fn render(self, text: &Text) -> String {
        match &*text.0 {
            Form::Verbatim(text) => text.as_ref().to_owned(),
            Form::Pair { en, zh } => self.pick(en, zh).clone(),
            Form::Template { template, arguments } => {
                let value = |name: &str| {
                    let at = template.arguments.iter().position(|it| *it == name)?;
                    arguments.get(at)
                };
                self.fill(self.pick(template.en, template.zh), value)
            }
        }
    }

    /// The same for several texts.
    pub fn render_all(self, texts: &[Text]) -> Vec<String> {
        texts.iter().map(|it| self.render(it)).collect()
    }

    fn fill<'a>(self, template: &str, value: impl Fn(&str) -> Option<&'a Argument>) -> String {
        let mut out = String::with_capacity(template.len() + 16);
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, behind) = rest.split_at(at);
            out.push_str(before);
            let (mark, behind) = behind.split_at(1);
            if let Some(escaped) = behind.strip_prefix(mark) {
                out.push_str(mark);
                rest = escaped;
                continue;
            }
            let (inside, behind) = behind.split_once('}').unwrap_or((behind, ""));
            let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
            if let Some(argument) = value(name) {
                self.insert(&mut out, argument, format);
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    fn insert(self, out: &mut String, argument: &Argument, format: &str) {
        if let Some((one, many)) = format.split_once('|') {
            out.push_str(if argument.count() == Some(1) { one } else { many });
            return;
        }
        match (argument, format) {
            (Argument::List(items), _) => {
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        out.push_str(match format {
                            "clauses" => self.pick("; ", "\u{ff1b}"),
                            _ => self.pick(", ", "、"),
                        });
                    }
                    self.insert(out, item, format);
                }
            }
            (_, "names") => {
                out.push('`');
                self.insert(out, argument, "");
                out.push('`');
            }
            (Argument::Literal(text), "?") => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{text:?}");
            }
            (Argument::Literal(text), _) => out.push_str(text),
            (Argument::Number(number), _) => {
                let _ = write!(out, "{number}");
            }
            (Argument::Text(text), _) => out.push_str(&self.render(text)),
        }
    }
}
