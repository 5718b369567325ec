//! Sections that a task requires of its documents, and which of them are missing (LOOP-B6).
//!
//! A requirement is `FILE#HEADING`, or only `HEADING`, which any Markdown file of the change may
//! have; `风险 | Risks` takes either heading. A section is there if its heading is, outside of code and
//! comments, and if text stands below it: an empty section is missing.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// A section that has to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// The file that has it, from the root; none for any Markdown file of the change.
    pub file: Option<String>,
    /// The headings that it may have, as they are compared.
    headings: Vec<String>,
}

/// A heading, with its own lines; its section begins behind them.
struct Heading {
    level: usize,
    name: String,
    lines: Range<usize>,
}

/// The lines of a document that are neither code nor comment, as far as headings are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Text(&'a str),
    /// Inside a fence, or the fence itself: content, and never a heading.
    Code,
    Blank,
}

impl Line<'_> {
    /// Whether it says something: a rule between two parts does not.
    fn is_content(self) -> bool {
        match self {
            Line::Code => true,
            Line::Blank => false,
            Line::Text(text) => !text.chars().all(|it| matches!(it, '-' | '*' | '_' | '=' | ' ')),
        }
    }
}

impl Required {
    /// Reads a requirement; none where it names no heading.
    pub fn read(text: &str) -> Option<Self> {
        let (file, headings) = match text.split_once('#') {
            Some((file, headings)) if !file.trim().is_empty() => (Some(file.trim()), headings),
            Some((_, headings)) => (None, headings),
            None => (None, text),
        };
        let headings = headings.trim_start_matches('#').split('|').map(compared);
        let headings: Vec<String> = headings.filter(|it| !it.is_empty()).collect();
        (!headings.is_empty()).then(|| Self { file: file.map(str::to_owned), headings })
    }

    /// Whether one of the files has the section. The files are those of the change; a named file is
    /// among them whether it changed or not.
    fn is_met(&self, files: &BTreeMap<String, String>) -> bool {
        let named = |path: &str| match &self.file {
            Some(file) => file == path,
            None => is_markdown(path),
        };
        files.iter().filter(|it| named(it.0)).any(|(_, text)| self.is_in(text))
    }

    fn is_in(&self, text: &str) -> bool {
        let lines = lines(text);
        let headings = headings(&lines);
        headings.iter().enumerate().any(|(at, heading)| {
            let is_end = |it: &&Heading| it.level <= heading.level;
            let next = headings.iter().skip(at + 1).find(is_end);
            let end = next.map_or(lines.len(), |it| it.lines.start);
            let is_heading = |line: usize| headings.iter().any(|it| it.lines.contains(&line));
            let mut section = (heading.lines.end..end).filter(|it| !is_heading(*it));
            self.headings.contains(&heading.name)
                && section.any(|it| lines.get(it).is_some_and(|it| it.is_content()))
        })
    }
}

/// The requirements that no file meets, as the task wrote them.
pub fn missing<'a>(required: &'a [String], files: &BTreeMap<String, String>) -> Vec<&'a str> {
    let is_missing = |it: &&String| Required::read(it).is_some_and(|it| !it.is_met(files));
    required.iter().filter(is_missing).map(String::as_str).collect()
}

/// The files that have to be looked at: those that are named, and the Markdown files of the change.
pub fn looked_at<'a>(
    required: &'a [String],
    changed: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<String> {
    let named = required.iter().filter_map(|it| Required::read(it)?.file);
    let changed = changed.into_iter().filter(|it| is_markdown(it)).map(str::to_owned);
    named.chain(changed).collect()
}

/// The acceptance criteria of a task, with the sections that it requires.
pub fn told(acceptance: &str, required: &[String]) -> String {
    if required.is_empty() {
        return acceptance.to_owned();
    }
    let list: Vec<String> = required.iter().map(|it| format!("- {it}")).collect();
    format!(
        "{}\n\nRequired sections, as headings with text below them (`FILE#HEADING`, or a heading in any Markdown file of the change; `|` separates alternatives):\n{}\n",
        acceptance.trim_end(),
        list.join("\n"),
    )
}

/// Whether a file is Markdown, by its name.
pub fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|it| it.1.to_ascii_lowercase());
    matches!(extension.as_deref(), Some("md" | "markdown" | "mdown" | "mkd" | "mdx"))
}

/// The lines of a document. Comments are blank, and so is front matter.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut is_comment = false;
    for line in text.lines() {
        let inner = line.trim();
        if let Some((mark, length)) = fence {
            if inner.len() >= length && inner.chars().all(|it| it == mark) {
                fence = None;
            }
            lines.push(Line::Code);
            continue;
        }
        if is_comment || inner.starts_with("<!--") {
            is_comment = !inner.contains("-->");
            let behind = inner.split_once("-->").map_or("", |it| it.1.trim());
            lines.push(if behind.is_empty() { Line::Blank } else { Line::Text(behind) });
            continue;
        }
        fence = ['`', '~'].into_iter().find_map(|mark| {
            let length = inner.len() - inner.trim_start_matches(mark).len();
            (length >= 3).then_some((mark, length))
        });
        lines.push(match fence {
            Some(_) => Line::Code,
            None if inner.is_empty() => Line::Blank,
            None => Line::Text(line),
        });
    }
    lines
}

/// The headings of a document: `## Title`, and a title that is underlined.
fn headings(lines: &[Line<'_>]) -> Vec<Heading> {
    let mut headings = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Line::Text(text) = line else { continue };
        let indent = text.len() - text.trim_start_matches(' ').len();
        let inner = text.trim();
        // Four spaces make code of a line.
        if indent > 3 || text.starts_with('\t') {
            continue;
        }
        let level = inner.len() - inner.trim_start_matches('#').len();
        let rest = inner.get(level..).unwrap_or_default();
        if (1..=6).contains(&level) && rest.starts_with([' ', '\t', '\u{3000}']) {
            let name = compared(rest.trim_end_matches('#'));
            headings.push(Heading { level, name, lines: at..at + 1 });
        } else if let Some(Line::Text(below)) = lines.get(at + 1)
            && let Some(level) = underline(below)
            && underline(text).is_none()
        {
            headings.push(Heading { level, name: compared(inner), lines: at..at + 2 });
        }
    }
    headings
}

/// The level of the title that a line underlines; none for other lines.
fn underline(line: &str) -> Option<usize> {
    let line = line.trim();
    let is_all = |of: char| line.len() >= 2 && line.chars().all(|it| it == of);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
}

/// A heading as it is compared: without numbering, marks, punctuation at its end and case; full-width
/// letters are the narrow ones.
fn compared(heading: &str) -> String {
    let narrow = heading.chars().map(|it| match it {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xfee0).unwrap_or(it),
        '\u{3000}' => ' ',
        other => other,
    });
    let plain: String = narrow
        .filter(|it| !matches!(it, '*' | '_' | '`' | '~'))
        .flat_map(char::to_lowercase)
        .collect();
    let plain = unnumbered(plain.trim());
    let plain = plain.trim_end_matches([':', '.', '。', ' ']);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading without the number before it: `1.2 `, `3) `, `一、`, `(二) `, `第三章 `.
fn unnumbered(heading: &str) -> &str {
    const NUMERALS: &str = "一二三四五六七八九十百零";
    let is_chinese = |it: char| NUMERALS.contains(it);
    let rest = heading.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
    let number = &heading[..heading.len() - rest.len()];
    if !number.is_empty() {
        let is_counted = number.contains('.') || rest.starts_with([')', '、']);
        let is_short = number.len() <= 2 && rest.starts_with(' ');
        let behind = rest.trim_start_matches([')', '、', ' ']);
        return if (is_counted || is_short) && !behind.is_empty() { behind } else { heading };
    }
    let inner = heading.strip_prefix(['第', '(']).unwrap_or(heading);
    let rest = inner.trim_start_matches(|it: char| is_chinese(it) || it.is_ascii_digit());
    if rest.len() == inner.len() {
        return heading;
    }
    let behind = rest.strip_prefix(['章', '节', '部', ')', '、', '.']).map(str::trim_start);
    behind
        .map(|it| it.trim_start_matches([':', ' ']))
        .filter(|it| !it.is_empty())
        .unwrap_or(heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(required: &str, text: &str, expected: bool) {
        let files = BTreeMap::from([("docs/plan.md".to_owned(), text.to_owned())]);
        let required = [required.to_owned()];
        assert_eq!(missing(&required, &files).is_empty(), expected, "{required:?} in {text:?}");
    }

    /// LOOP-B6: a section is there if its heading is, however it is written, in either language.
    #[test]
    fn a_heading_is_found_in_every_form() {
        for heading in [
            "# Risks",
            "## Risks",
            "###### risks ##",
            "## 3. Risks",
            "## 3.2 Risks:",
            "## **Risks**",
            "  ## `Risks`",
            "Risks\n=====",
            "3) Risks\n---",
            "## Ｒｉｓｋｓ",
            "## RISKS.",
        ] {
            check("Risks", &format!("intro\n\n{heading}\n\nWe may be late.\n"), true);
            check("docs/plan.md#Risks", &format!("{heading}\n- late\n"), true);
            check("docs/plan.md#风险 | Risks", &format!("{heading}\n- late\n"), true);
        }
        for heading in [
            "## 风险",
            "## 三、风险",
            "# 第三章 风险",
            "## （三）风险：",
            "## 3、风险",
            "风险\n---",
        ] {
            check("风险", &format!("前言\n\n{heading}\n\n可能延期。\n"), true);
            check("Risks|风险", &format!("{heading}\n\n可能延期。\n"), true);
        }
        check("## Risks", "# Risks\nx", true);
        check("2024 plan", "# 2024 plan\nx", true);
        check("Plan", "# 2024 plan\nx", false);
        check("Plan", "# 3 Plan\nx", true);
        check("一致性", "# 一致性\nx", true);
    }

    /// LOOP-B6: words that only look like the heading are not the section.
    #[test]
    fn what_is_not_a_section_is_missing() {
        for text in [
            "",
            "Risks\n",
            "#Risks\nx",
            "## Risks and more\nx",
            "## Risk\nx",
            "    ## Risks\nx",
            "```\n## Risks\nx\n```\n",
            "~~~md\n# Risks\n~~~\nx",
            "<!-- \n## Risks\nx\n-->\n",
            "####### Risks\nx",
            "| Risks |\n|---|\n",
            "text about Risks\nx",
        ] {
            check("Risks", text, false);
        }
        check("README.md#Risks", "# Risks\nx", false);
    }

    /// LOOP-B6: a heading above nothing is no section; below it, parts and code count.
    #[test]
    fn an_empty_section_is_missing() {
        check("Risks", "# Plan\n## Risks\n## Costs\nmuch\n", false);
        check("Risks", "# Plan\n## Risks\n\n", false);
        check("Risks", "# Plan\n## Risks\n<!-- todo -->\n---\n", false);
        check("Risks", "# Plan\n## Risks\n### Late\n### Early\n", false);
        check("Risks", "# Plan\n## Risks\nCosts\n---\nmuch\n", false);
        check("Risks", "````\n```\n# Risks\n````\nx", false);
        check("Risks", "# Plan\n## Risks\n### Late\nyes\n", true);
        check("Risks", "# Plan\n## Risks\n```\ncode\n```\n", true);
        check("Risks", "# Plan\n## Risks\n## Costs\n## Risks\nhere\n", true);
    }

    #[test]
    fn a_requirement_names_a_file_or_any() {
        let files = BTreeMap::from([
            ("a.txt".to_owned(), "# Goal\nx".to_owned()),
            ("b.MD".to_owned(), "# Usage\nx".to_owned()),
        ]);
        let required = ["Goal", "a.txt#Goal", "Usage", "a.txt#Usage", "#Usage"].map(str::to_owned);
        assert_eq!(missing(&required, &files), ["Goal", "a.txt#Usage"]);
        let seen = looked_at(&required, ["x.rs", "c.md"]);
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["a.txt", "c.md"]);
        assert_eq!(told("It works.\n", &[]), "It works.\n");
        assert!(
            told("It works.\n", &required)
                .ends_with(":\n- Goal\n- a.txt#Goal\n- Usage\n- a.txt#Usage\n- #Usage\n")
        );
        assert_eq!(Required::read("a.md#"), None);
        assert_eq!(Required::read(" | "), None);
    }
}
