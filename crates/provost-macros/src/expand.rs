//! The code that `#[derive(Message)]` stands for.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Ident, spanned::Spanned as _};

use crate::{
    attribute::{Options, Phrase},
    template,
};

/// One variant of the type, or the struct itself.
struct Variant<'a> {
    pattern: TokenStream,
    fields: &'a Fields,
    options: Options,
    code: String,
}

/// The arms and templates that are generated from all variants.
#[derive(Default)]
struct Output {
    templates: Vec<TokenStream>,
    texts: Vec<TokenStream>,
    hints: Vec<TokenStream>,
    exits: Vec<TokenStream>,
    findings: Vec<TokenStream>,
    causes: Vec<TokenStream>,
}

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let options = Options::read(&input.attrs)?;
    let default_exit = options.exit.clone();
    let mut output = Output::default();
    for variant in variants(input, options)? {
        output.add(&variant, default_exit.as_ref())?;
    }
    let Output { templates, texts, hints, exits, findings, causes } = output;
    let count = templates.len();
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        const _: () = {
            use ::provost_kernel::message as __message;
            use __message::linkme as __linkme;

            static TEMPLATES: [__message::Template; #count] = [#(#templates),*];

            #[__linkme::distributed_slice(__message::CATALOGUE)]
            #[linkme(crate = __linkme)]
            #[allow(unsafe_code)]
            static REGISTERED: &[__message::Template] = &TEMPLATES;

            impl #generics __message::Message for #name #arguments #bounds {
                #[allow(unused_variables, clippy::pedantic)]
                fn text(&self) -> __message::Text {
                    match self { #(#texts)* }
                }

                #[allow(unused_variables, clippy::pedantic)]
                fn hints(&self) -> ::std::vec::Vec<__message::Text> {
                    match self { #(#hints)* }
                }

                #[allow(unused_variables, clippy::pedantic)]
                fn causes(&self) -> ::std::vec::Vec<__message::Text> {
                    use __message::{ErrorCause as _, MessageCause as _};
                    match self { #(#causes)* }
                }

                #[allow(unused_variables, clippy::pedantic)]
                fn exit(&self) -> ::provost_kernel::Exit {
                    match self { #(#exits)* }
                }

                #[allow(unused_variables, clippy::pedantic)]
                fn findings(&self) -> &[::provost_kernel::Finding] {
                    match self { #(#findings)* }
                }
            }

            impl #generics __message::IntoArgument for #name #arguments #bounds {
                fn to_argument(&self) -> __message::Argument {
                    __message::Argument::Text(__message::Message::text(self))
                }
            }
        };
    })
}

fn variants(input: &DeriveInput, options: Options) -> syn::Result<Vec<Variant<'_>>> {
    let prefix =
        options.code.as_ref().map(syn::LitStr::value).ok_or_else(|| {
            syn::Error::new(input.span(), "`#[message(code = \"…\")]` is missing")
        })?;
    match &input.data {
        Data::Struct(data) => {
            Ok(vec![Variant { pattern: quote!(Self), fields: &data.fields, options, code: prefix }])
        }
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|it| {
                let options = Options::read(&it.attrs)?;
                let name = match &options.code {
                    Some(code) => code.value(),
                    None => snake_case(&it.ident.to_string()),
                };
                let ident = &it.ident;
                Ok(Variant {
                    pattern: quote!(Self::#ident),
                    fields: &it.fields,
                    options,
                    code: format!("{prefix}.{name}"),
                })
            })
            .collect(),
        Data::Union(_) => Err(syn::Error::new(input.span(), "a union cannot be a message")),
    }
}

impl Output {
    fn add(&mut self, variant: &Variant<'_>, default_exit: Option<&Ident>) -> syn::Result<()> {
        if variant.options.is_transparent {
            return self.add_transparent(variant);
        }
        let Some(phrase) = &variant.options.phrase else {
            let why = format!("`{}` has no `en` and `zh`", variant.code);
            return Err(syn::Error::new(variant.pattern.span(), why));
        };
        let pattern = variant.binding();
        let text = self.text(variant, phrase, &variant.code)?;
        self.texts.push(quote! { #pattern => { #text } });

        let mut pushes = Vec::new();
        for (number, hint) in variant.options.hints.iter().enumerate() {
            let suffix = if number == 0 { String::new() } else { (number + 1).to_string() };
            let text =
                self.text(variant, &hint.phrase, &format!("{}.hint{suffix}", variant.code))?;
            pushes.push(if let Some(condition) = &hint.when {
                quote! { if #condition { hints.push({ #text }); } }
            } else {
                quote! { hints.push({ #text }); }
            });
        }
        let inherit = variant.options.inherit.as_ref();
        let others = inherit.map(|field| {
            quote!(if hints.is_empty() { hints.extend(__message::Message::hints(#field)); })
        });
        self.hints.push(if pushes.is_empty() && others.is_none() {
            quote! { #pattern => ::std::vec::Vec::new(), }
        } else {
            quote! { #pattern => {
                let mut hints = ::std::vec::Vec::new();
                #(#pushes)*
                #others
                hints
            } }
        });
        let exit = match (&variant.options.exit, inherit, default_exit) {
            (Some(exit), _, _) | (None, None, Some(exit)) => quote!(::provost_kernel::Exit::#exit),
            (None, Some(field), _) => quote!(__message::Message::exit(#field)),
            (None, None, None) => quote!(::provost_kernel::Exit::Unable),
        };
        self.exits.push(quote! { #pattern => #exit, });
        let causes = variant.causes();
        self.causes.push(quote! { #pattern => #causes, });
        self.findings.push(if let Some(field) = &variant.options.findings {
            quote! { #pattern => #field, }
        } else {
            quote! { #pattern => &[], }
        });
        Ok(())
    }

    fn add_transparent(&mut self, variant: &Variant<'_>) -> syn::Result<()> {
        if variant.fields.len() != 1 {
            let why = "`transparent` needs exactly one field";
            return Err(syn::Error::new(variant.pattern.span(), why));
        }
        let pattern = variant.binding();
        let field = variant.bindings().remove(0).1;
        for (arms, method) in [
            (&mut self.texts, quote!(text)),
            (&mut self.hints, quote!(hints)),
            (&mut self.exits, quote!(exit)),
            (&mut self.findings, quote!(findings)),
            (&mut self.causes, quote!(causes)),
        ] {
            arms.push(quote! { #pattern => __message::Message::#method(#field), });
        }
        Ok(())
    }

    /// Registers a template, and returns the expression that fills it.
    fn text(
        &mut self,
        variant: &Variant<'_>,
        phrase: &Phrase,
        code: &str,
    ) -> syn::Result<TokenStream> {
        let names = template::arguments(phrase)?;
        let mut values = Vec::new();
        for name in &names {
            values.push(variant.value(name).ok_or_else(|| {
                syn::Error::new(phrase.en.span(), format!("`{{{name}}}` is not a field"))
            })?);
        }
        let index = self.templates.len();
        let (en, zh) = (&phrase.en, &phrase.zh);
        self.templates.push(quote! {
            __message::Template { code: #code, en: #en, zh: #zh, arguments: &[#(#names),*] }
        });
        Ok(quote! {
            __message::Text::new(&TEMPLATES[#index], ::std::vec![#(#values),*])
        })
    }
}

impl Variant<'_> {
    /// The pattern that binds every field.
    fn binding(&self) -> TokenStream {
        let pattern = &self.pattern;
        let names = self.bindings().into_iter();
        match self.fields {
            Fields::Unit => quote!(#pattern),
            Fields::Named(_) => {
                let names = names.map(|(_, binding)| binding);
                quote!(#pattern { #(#names),* })
            }
            Fields::Unnamed(_) => {
                let names = names.map(|(_, binding)| binding);
                quote!(#pattern(#(#names),*))
            }
        }
    }

    /// The fields by the names that templates use, and the variables that hold them.
    fn bindings(&self) -> Vec<(String, Ident)> {
        let bind = |(index, field): (usize, &syn::Field)| match &field.ident {
            Some(name) => (name.to_string(), name.clone()),
            None => (index.to_string(), format_ident!("field{index}")),
        };
        self.fields.iter().enumerate().map(bind).collect()
    }

    /// The expression of the causes: those of the field that thiserror takes for the source, else
    /// those of the field that is inherited from.
    fn causes(&self) -> TokenStream {
        let is_source = |it: &&syn::Field| {
            it.ident.as_ref().is_some_and(|name| name == "source")
                || it
                    .attrs
                    .iter()
                    .any(|at| at.path().is_ident("source") || at.path().is_ident("from"))
        };
        let position = self.fields.iter().position(|it| is_source(&it));
        let Some((field, (_, binding))) =
            position.and_then(|at| self.fields.iter().zip(self.bindings()).nth(at))
        else {
            return if let Some(field) = &self.options.inherit {
                quote!(__message::Message::causes(#field))
            } else {
                quote!(::std::vec::Vec::new())
            };
        };
        let is_optional = matches!(&field.ty, syn::Type::Path(it)
            if it.path.segments.last().is_some_and(|it| it.ident == "Option"));
        if is_optional {
            quote! {
                #binding.as_ref().map(|it| (&__message::Cause(it)).causes()).unwrap_or_default()
            }
        } else {
            quote! { (&__message::Cause(#binding)).causes() }
        }
    }

    /// The expression of an argument.
    fn value(&self, name: &str) -> Option<TokenStream> {
        if let Some((_, value)) = self.options.args.iter().find(|(it, _)| it == name) {
            return Some(quote!(__message::IntoArgument::to_argument(&(#value))));
        }
        let (_, binding) = self.bindings().into_iter().find(|(it, _)| it == name)?;
        Some(quote!(__message::IntoArgument::to_argument(#binding)))
    }
}

/// The name of a variant as a part of a code.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
