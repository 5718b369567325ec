//! The `#[message(…)]` attributes of a type and of its variants.

use syn::{
    Attribute, Expr, Ident, LitStr, Token, parenthesized,
    parse::{Parse, ParseStream},
    spanned::Spanned as _,
};

/// A text in both languages.
pub(crate) struct Phrase {
    pub en: LitStr,
    pub zh: LitStr,
}

/// What to do about a message, where a condition holds.
pub(crate) struct Hint {
    pub phrase: Phrase,
    pub when: Option<Expr>,
}

/// Everything that stands in the `#[message(…)]` attributes of one item.
#[derive(Default)]
pub(crate) struct Options {
    pub code: Option<LitStr>,
    pub exit: Option<Ident>,
    pub is_transparent: bool,
    pub inherit: Option<Ident>,
    pub findings: Option<Ident>,
    pub phrase: Option<Phrase>,
    pub hints: Vec<Hint>,
    pub args: Vec<(Ident, Expr)>,
}

/// One `key = value` or `key(…)` inside the parentheses.
enum Item {
    Code(LitStr),
    Exit(Ident),
    Inherit(Ident),
    Findings(Ident),
    En(LitStr),
    Zh(LitStr),
    When(Expr),
    Hint(Hint),
    Arg(Ident, Expr),
    Transparent,
}

impl Options {
    pub(crate) fn read(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut options = Self::default();
        let (mut en, mut zh) = (None, None);
        for attribute in attributes.iter().filter(|it| it.path().is_ident("message")) {
            for item in attribute
                .parse_args_with(syn::punctuated::Punctuated::<Item, Token![,]>::parse_terminated)?
            {
                match item {
                    Item::Code(code) => options.code = Some(code),
                    Item::Exit(exit) => options.exit = Some(exit),
                    Item::Inherit(field) => options.inherit = Some(field),
                    Item::Findings(field) => options.findings = Some(field),
                    Item::En(text) => en = Some(text),
                    Item::Zh(text) => zh = Some(text),
                    Item::Hint(hint) => options.hints.push(hint),
                    Item::Arg(name, value) => options.args.push((name, value)),
                    Item::Transparent => options.is_transparent = true,
                    Item::When(condition) => {
                        let why = "`when` belongs inside `hint(…)`";
                        return Err(syn::Error::new(condition.span(), why));
                    }
                }
            }
        }
        options.phrase = match (en, zh) {
            (Some(en), Some(zh)) => Some(Phrase { en, zh }),
            (None, None) => None,
            (Some(text), None) | (None, Some(text)) => {
                return Err(syn::Error::new(text.span(), "a message needs both `en` and `zh`"));
            }
        };
        Ok(options)
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: Ident = input.parse()?;
        match key.to_string().as_str() {
            "transparent" => return Ok(Self::Transparent),
            "hint" => {
                let content;
                parenthesized!(content in input);
                return Ok(Self::Hint(content.parse()?));
            }
            "arg" => {
                let content;
                parenthesized!(content in input);
                let name: Ident = content.parse()?;
                content.parse::<Token![=]>()?;
                return Ok(Self::Arg(name, content.parse()?));
            }
            _ => {}
        }
        input.parse::<Token![=]>()?;
        match key.to_string().as_str() {
            "code" => Ok(Self::Code(input.parse()?)),
            "exit" => Ok(Self::Exit(input.parse()?)),
            "inherit" => Ok(Self::Inherit(input.parse()?)),
            "findings" => Ok(Self::Findings(input.parse()?)),
            "en" => Ok(Self::En(input.parse()?)),
            "zh" => Ok(Self::Zh(input.parse()?)),
            "when" => Ok(Self::When(input.parse()?)),
            other => Err(syn::Error::new(key.span(), format!("unknown key `{other}`"))),
        }
    }
}

impl Parse for Hint {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let items = syn::punctuated::Punctuated::<Item, Token![,]>::parse_terminated(input)?;
        let (mut en, mut zh, mut when) = (None, None, None);
        for item in items {
            match item {
                Item::En(text) => en = Some(text),
                Item::Zh(text) => zh = Some(text),
                Item::When(condition) => when = Some(condition),
                Item::Code(_)
                | Item::Exit(_)
                | Item::Inherit(_)
                | Item::Findings(_)
                | Item::Hint(_)
                | Item::Arg(..)
                | Item::Transparent => {
                    return Err(input.error("a hint has `en`, `zh` and `when` only"));
                }
            }
        }
        match (en, zh) {
            (Some(en), Some(zh)) => Ok(Self { phrase: Phrase { en, zh }, when }),
            _ => Err(input.error("a hint needs both `en` and `zh`")),
        }
    }
}
