//! One case of the page: in full while there is room, and in one line after that.

use std::fmt::Write as _;

use provost_kernel::{
    Lang,
    eval::{CaseResult, CaseStatus, CheckResult, CheckStatus, Shown},
};
use serde_json::{Map, Value};

use super::{super::message, badge};
use crate::xml::escape;

/// How many bytes of the page may show cases in full.
const ROOM: usize = 1_800_000;
/// The longest name in a line.
const NAME: usize = 58;

/// The cases of a page, one after the other.
#[derive(Debug)]
pub(in crate::eval::render) struct Cases {
    lang: Lang,
    room: usize,
    /// Whether the list of lines is open.
    is_short: bool,
}

impl Cases {
    pub(in crate::eval::render) fn new(lang: Lang) -> Self {
        Self { lang, room: ROOM, is_short: false }
    }

    /// The next case. After the first that has no room, each has one line.
    pub(in crate::eval::render) fn case(&mut self, case: &CaseResult) -> String {
        if !self.is_short {
            let whole = whole(case, self.lang);
            if let Some(left) = self.room.checked_sub(whole.len()) {
                self.room = left;
                return whole;
            }
            self.is_short = true;
            return format!("<ul id=\"rows\">\n{}", line(case));
        }
        line(case)
    }

    /// What stands after the last case.
    pub(in crate::eval::render) fn end(&self) -> &'static str {
        if self.is_short { "</ul>\n" } else { "" }
    }
}

/// A status as the filter names it.
pub(super) fn letter(status: CaseStatus) -> &'static str {
    match status {
        CaseStatus::Pass => "p",
        CaseStatus::Fail => "f",
        CaseStatus::Error => "e",
    }
}

/// The checks that failed.
fn failed(case: &CaseResult) -> impl Iterator<Item = &str> {
    let failed = case.checks.iter().filter(|it| it.status == CheckStatus::Fail);
    failed.map(|it| it.name.as_str())
}

fn line(case: &CaseResult) -> String {
    let cut = |it: &str| escape(&it.chars().take(NAME).collect::<String>());
    let (letter, id) = (letter(case.status), cut(&case.id));
    match failed(case).next().filter(|_| case.status == CaseStatus::Fail) {
        Some(check) => {
            let check = cut(check);
            format!("<li class={letter} data-s={letter} data-c=\"{check}\">{id} {check}</li>\n")
        }
        None => format!("<li class={letter} data-s={letter}>{id}</li>\n"),
    }
}

fn whole(case: &CaseResult, lang: Lang) -> String {
    let open = if case.status == CaseStatus::Pass { "" } else { " open" };
    let headline = escape(case.preview.headline.as_deref().unwrap_or_default());
    let names: Vec<_> = failed(case).collect();
    let mut out = format!(
        "<details{open} data-s=\"{}\" data-c=\"{}\"><summary>{} <code>{}</code> {headline}</summary>\n",
        letter(case.status),
        escape(&names.join(" ")),
        badge(case.status, lang),
        escape(&case.id)
    );
    if let Some(error) = &case.error {
        let _ =
            writeln!(out, "<p>{}: {}</p>", error.error_code, escape(&lang.render(&error.text())));
    }
    out.push_str(&checks(case, lang));
    if let Some(shown) = &case.shown {
        out.push_str(&values(shown, lang));
    }
    let preview = &case.preview;
    if let Some(priority) = &preview.priority {
        let score = preview.score.map(|it| it.to_string()).unwrap_or_default();
        let _ = writeln!(out, "<p>{} {score}</p>", escape(priority));
    }
    let warnings: Vec<_> = case.warnings().map(|it| lang.render(&it)).collect();
    let lists = [
        (lang.pick("reasons", "理由"), &preview.reasons),
        (lang.pick("todos", "待办"), &preview.todo_titles),
        (lang.pick("warnings", "警告"), &warnings),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let items: Vec<_> = list.iter().map(|it| format!("<li>{}</li>", escape(it))).collect();
        let _ = writeln!(out, "<p class=\"quiet\">{name}</p><ul>{}</ul>", items.concat());
    }
    out + "</details>\n"
}

/// The checks of a case, what failed first. Where none could be made, the reason stands above.
fn checks(case: &CaseResult, lang: Lang) -> String {
    let is_made = |it: &CheckResult| it.status != CheckStatus::Skipped;
    if case.error.is_some() && !case.checks.iter().any(is_made) {
        return String::new();
    }
    let mut out = String::from("<table class=\"checks\">\n");
    let mut checks: Vec<_> = case.checks.iter().collect();
    checks.sort_by_key(|it| it.status != CheckStatus::Fail);
    for check in checks {
        let said = message(check, lang);
        let excuse =
            if check.excuse.is_some() { lang.pick(" (excused)", "（已豁免）") } else { "" };
        let _ = writeln!(
            out,
            "<tr><td>{:?}</td><td><code>{}</code></td><td>{}{excuse}</td><td>{}{}</td></tr>",
            check.level,
            escape(&check.name),
            word(check.status, lang),
            escape(&said),
            difference(check, lang)
        );
    }
    out + "</table>\n"
}

/// What was given, what is right, and what was made.
fn values(shown: &Shown, lang: Lang) -> String {
    let Shown { input, expected, answer } = shown;
    let part = |name: &str, fields: &Map<String, Value>| {
        if fields.is_empty() {
            return String::new();
        }
        let row = |(key, it): (&String, &Value)| {
            let text = it.as_str().map_or_else(|| pretty(it), str::to_owned);
            format!("<dt>{}</dt><dd>{}</dd>", escape(key), escape(&text))
        };
        let rows: String = fields.iter().map(row).collect();
        format!("<p class=\"quiet\">{name}</p><dl>{rows}</dl>\n")
    };
    [
        part(lang.pick("input", "输入"), input),
        part(lang.pick("expected", "预期"), expected),
        part(lang.pick("answer", "应答"), answer),
    ]
    .concat()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// What was found beside what was expected, where the check compares two values: the part that
/// differs is marked.
fn difference(check: &CheckResult, lang: Lang) -> String {
    let arg = |name: &str| check.message_args.get(name).and_then(Value::as_str);
    let pair = arg("found").zip(arg("expected")).or_else(|| arg("left").zip(arg("right")));
    let Some((found, expected)) = pair else { return String::new() };
    let (found, expected): (Vec<char>, Vec<char>) =
        (found.chars().collect(), expected.chars().collect());
    let start = found.iter().zip(&expected).take_while(|(one, other)| one == other).count();
    let longest = found.len().min(expected.len()) - start;
    let ends = found.iter().rev().zip(expected.iter().rev());
    let end = ends.take(longest).take_while(|(one, other)| one == other).count();
    let marked = |text: &[char]| {
        let part = |it: &[char]| escape(&it.iter().collect::<String>());
        let (before, rest) = text.split_at(start);
        let (middle, after) = rest.split_at(rest.len() - end);
        format!("{}<mark>{}</mark>{}", part(before), part(middle), part(after))
    };
    format!(
        "<dl><dt>{}</dt><dd>{}</dd><dt>{}</dt><dd>{}</dd></dl>",
        lang.pick("expected", "预期"),
        marked(&expected),
        lang.pick("found", "实际"),
        marked(&found)
    )
}

fn word(status: CheckStatus, lang: Lang) -> &'static str {
    match status {
        CheckStatus::Pass => lang.pick("passed", "通过"),
        CheckStatus::Fail => lang.pick("failed", "失败"),
        CheckStatus::Skipped => lang.pick("skipped", "跳过"),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Severity;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_marked() {
        let on = |found: &str, expected: &str, marked: &str| {
            let mut check = CheckResult::fail(Severity::P1, "x", &"".into());
            let args = json!({"at": "/a", "found": found, "expected": expected});
            check.message_args = args.as_object().cloned().unwrap();
            let shown = difference(&check, Lang::En);
            assert_eq!(shown, format!("<dl><dt>expected</dt><dd>{marked}</dd></dl>"), "{found}");
        };
        on("100", "119", "1<mark>19</mark></dd><dt>found</dt><dd>1<mark>00</mark>");
        on("a<b", "a<c", "a&lt;<mark>c</mark></dd><dt>found</dt><dd>a&lt;<mark>b</mark>");
        on("aa", "a", "a<mark></mark></dd><dt>found</dt><dd>a<mark>a</mark>");
        on("一二三", "一三", "一<mark></mark>三</dd><dt>found</dt><dd>一<mark>二</mark>三");
        assert_eq!(difference(&CheckResult::pass(Severity::P1, "x"), Lang::En), "");
    }
}
