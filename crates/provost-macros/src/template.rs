//! The names of the arguments in a template, checked while the type is compiled.

use std::collections::BTreeSet;

use syn::LitStr;

use crate::attribute::Phrase;

/// The names of the arguments of a phrase, in order; both languages must use the same ones.
pub(crate) fn arguments(phrase: &Phrase) -> syn::Result<Vec<String>> {
    let (en, zh) = (names(&phrase.en)?, names(&phrase.zh)?);
    match en.symmetric_difference(&zh).next() {
        None => Ok(en.into_iter().collect()),
        Some(name) => {
            let text = if en.contains(name) { &phrase.zh } else { &phrase.en };
            Err(syn::Error::new(text.span(), format!("only one language uses `{{{name}}}`")))
        }
    }
}

fn names(text: &LitStr) -> syn::Result<BTreeSet<String>> {
    let fail = |why: &str| syn::Error::new(text.span(), why);
    let value = text.value();
    let mut names = BTreeSet::new();
    let mut rest = value.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let (mark, behind) = rest[at..].split_at(1);
        if let Some(escaped) = behind.strip_prefix(mark) {
            rest = escaped;
            continue;
        }
        if mark == "}" {
            return Err(fail("a lone `}`: write `}}`"));
        }
        let (inside, behind) =
            behind.split_once('}').ok_or_else(|| fail("a `{` that is never closed"))?;
        let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
        if name.is_empty() || !name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_') {
            return Err(fail(&format!("`{{{inside}}}` does not name an argument")));
        }
        if !matches!(format, "" | "?" | "names" | "clauses") && !format.contains('|') {
            return Err(fail(&format!(
                "unknown format `{format}`: use `?`, `names`, `clauses` or `one|many`"
            )));
        }
        names.insert(name.to_owned());
        rest = behind;
    }
    Ok(names)
}
