//! Finds raw HTML: tags that people do not write in prose. `Vec<String>` and `a < b` are none.

use memchr::memchr_iter;

/// One of these is enough.
const GRAVE: [&str; 7] = ["!doctype", "html", "head", "body", "script", "style", "iframe"];
/// Three of any are too many.
const TAGS: [&str; 29] = [
    "svg", "meta", "link", "div", "span", "p", "a", "img", "table", "tr", "td", "ul", "ol", "li",
    "h1", "h2", "h3", "h4", "h5", "h6", "br", "form", "input", "button", "section", "article",
    "nav", "th", "tbody",
];
const MAX_TAGS: usize = 3;
const MAX_ENTITIES: usize = 5;

/// What a text has of HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    None,
    /// So many entities.
    Entities(usize),
    /// The tag that decided it.
    Raw(&'static str),
}

/// Looks for tags and entities.
pub(super) fn look(text: &str) -> Markup {
    let mut found = 0;
    for at in memchr_iter(b'<', text.as_bytes()) {
        let rest = text.as_bytes().get(at + 1..).unwrap_or_default();
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        if let Some(tag) = tag(rest, &GRAVE) {
            return Markup::Raw(tag);
        }
        if let Some(tag) = tag(rest, &TAGS) {
            found += 1;
            if found >= MAX_TAGS {
                return Markup::Raw(tag);
            }
        }
    }
    match memchr_iter(b'&', text.as_bytes()).filter(|at| is_entity(text, *at)).count() {
        few if few < MAX_ENTITIES => Markup::None,
        many => Markup::Entities(many),
    }
}

/// The tag at the front, if it ends there.
fn tag(rest: &[u8], names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| {
        let fits =
            rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()));
        fits && rest
            .get(name.len())
            .is_some_and(|it| it.is_ascii_whitespace() || b"/>".contains(it))
    })
}

fn is_entity(text: &str, at: usize) -> bool {
    let rest = text.get(at + 1..).unwrap_or_default();
    let Some(end) = rest.bytes().take(10).position(|it| it == b';') else { return false };
    let name = rest.get(..end).unwrap_or_default();
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EVAL-2.2.
    #[test]
    fn tags_are_told_from_prose() {
        for (text, expected) in [
            ("<!DOCTYPE html>", Markup::Raw("!doctype")),
            ("x </BODY> y", Markup::Raw("body")),
            ("<script src=x>", Markup::Raw("script")),
            ("<p>a</p> <br/>", Markup::Raw("br")),
            ("<p>a</p>", Markup::None),
            ("Vec<String> and a < b and <T>", Markup::None),
            ("<pre> <address> <header>", Markup::None),
            ("<style", Markup::None),
            ("# Heading\n\n> quote **bold**", Markup::None),
            ("&nbsp;&lt;&#160;&amp;", Markup::None),
            ("&nbsp;&lt;&#160;&amp;&gt;", Markup::Entities(5)),
            ("a & b; c & d & e & f & g;", Markup::None),
            ("数据 <div>一 <span class='x'> <li>", Markup::Raw("li")),
        ] {
            assert_eq!(look(text), expected, "{text:?}");
        }
    }
}
