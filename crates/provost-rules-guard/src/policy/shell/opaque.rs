//! What the parser could not read: never allowed in silence.

use provost_shell::{
    Hole, Invocation, Opaque, Part, Place, Program, Reason, RedirectKind, Script, Trait,
};

use super::{
    super::{
        action::{Action, show},
        arguments::{Arguments, known, program},
        builtin::BuiltIn::{
            CodeDecoded, CodeDownloaded, CodeInline, ShellDynamic, ShellLimits, ShellUnreadable,
        },
    },
    ShellAnalyzer, code, stdin,
};

/// Judges every opaque part.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script) {
    decoded_names(look, script);
    let fed = fed(script);
    let has = |wanted: &[Reason]| script.opaque.iter().any(|it| wanted.contains(&it.reason));
    if has(&[Reason::Input]) {
        inputs(look, script);
    }
    if has(&[Reason::Name, Reason::Variable, Reason::Code, Reason::Input]) {
        substituted(look, script);
    }
    for opaque in &script.opaque {
        let mut action = Action::on(&show(&opaque.text));
        match opaque.reason {
            Reason::Name | Reason::Variable | Reason::Code | Reason::Input => {
                let rule = match origin(script, opaque, &fed) {
                    Some(Origin::Network) => CodeDownloaded,
                    Some(Origin::Code) => CodeDecoded,
                    Some(Origin::Setter) => CodeInline,
                    None => ShellDynamic,
                };
                action.meet(rule);
                look.actions.push(action);
            }
            // The code itself is judged where it stands.
            Reason::Foreign => {}
            Reason::Written => written(look, script, opaque, action),
            Reason::Syntax | Reason::HereDocument => {
                action.meet(ShellUnreadable);
                look.actions.push(action);
            }
            Reason::TooLong | Reason::TooDeep | Reason::TooMuch => {
                action.meet(ShellLimits);
                look.actions.push(action);
            }
        }
    }
}

/// A name that had to be decoded, given to a program that opens it.
fn decoded_names(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let decodes =
        |it: &Invocation| it.place == Place::Substitution && origin_of(it) == Some(Origin::Code);
    if !script.invocations.iter().any(decodes) {
        return;
    }
    let is_open = |it: &Part| matches!(it, Part::Hole { hole: Hole::Command, .. });
    for invocation in &script.invocations {
        let opens = known(invocation).is(Trait::Opens);
        if opens && invocation.words.iter().any(|it| it.parts().iter().any(is_open)) {
            let mut action = Action::on(&show(&invocation.shown()));
            action.meet(ShellDynamic);
            look.actions.push(action);
        }
    }
}

/// Where code comes from that is not in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Network,
    /// A text that had to be decoded.
    Code,
    /// A program that is made to set up a shell.
    Setter,
}

/// The programs that write into one that runs what it reads.
fn fed(script: &Script) -> Vec<usize> {
    let mut fed: Vec<usize> = Vec::new();
    for (at, invocation) in script.invocations.iter().enumerate() {
        if is_runner(invocation) {
            fed.extend(script.feeders(at));
        }
    }
    fed.sort_unstable();
    fed.dedup();
    fed
}

fn origin(script: &Script, opaque: &Opaque, fed: &[usize]) -> Option<Origin> {
    let is_computed = ["$(", "`", "<("].iter().any(|it| opaque.text.contains(it));
    let is_read = matches!(opaque.reason, Reason::Input | Reason::Code);
    let is_inner =
        |it: &&Invocation| is_computed && matches!(it.place, Place::Substitution | Place::Process);
    let computed = script.invocations.iter().filter(is_inner);
    let read = fed.iter().filter(|_| is_read).filter_map(|it| script.invocations.get(*it));
    let sources: Vec<&Invocation> = computed.chain(read).collect();
    let origins: Vec<Origin> = sources.iter().filter_map(|it| origin_of(it)).collect();
    let is_setter =
        !sources.is_empty() && sources.iter().all(|it| known(it).is(Trait::SetsUpShell));
    [Origin::Network, Origin::Code]
        .into_iter()
        .find(|it| origins.contains(it))
        .or(is_setter.then_some(Origin::Setter))
}

fn origin_of(invocation: &Invocation) -> Option<Origin> {
    let known = known(invocation);
    let arguments = Arguments::of(invocation);
    if known.is(Trait::Downloads) {
        return Some(Origin::Network);
    }
    let by_option = || arguments.has_letter("dD") || arguments.has_long("--decode");
    let decodes = known.is(Trait::Decodes)
        || (known.is(Trait::DecodesByOption) && by_option())
        || (known.is(Trait::DecodesByD) && arguments.has_letter("d"))
        || (known.is(Trait::DecodesByR) && arguments.has_letter("r"));
    decodes.then_some(Origin::Code)
}

/// Whether a program runs what it reads.
fn is_runner(invocation: &Invocation) -> bool {
    let name = program(invocation).unwrap_or_default();
    let bare = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    // `.` is `source`.
    bare.is_empty() || Program::of(bare).is(Trait::RunsInput)
}

/// Looks at the texts that substitutions print.
fn substituted(look: &mut ShellAnalyzer<'_>, script: &Script) {
    for invocation in script.invocations.iter().filter(|it| it.place == Place::Substitution) {
        for text in stdin::printed(invocation) {
            look.suspect(&text);
        }
    }
}

/// Looks at the texts that a shell is fed with.
fn inputs(look: &mut ShellAnalyzer<'_>, script: &Script) {
    for (at, invocation) in script.invocations.iter().enumerate() {
        if is_runner(invocation) {
            for text in stdin::of(script, at).texts {
                look.suspect(&text);
            }
        }
    }
}

/// A file is run that the text has written: its content stands in the text, or comes from afar.
fn written(look: &mut ShellAnalyzer<'_>, script: &Script, opaque: &Opaque, mut action: Action) {
    let mut is_known = false;
    let mut is_foreign = false;
    let is_foreign_run = runs_foreign(script);
    for (at, invocation) in script.invocations.iter().enumerate() {
        let name = program(invocation).unwrap_or_default();
        if origin_of(invocation) == Some(Origin::Network) && opaque.text.contains(&name) {
            action.meet(CodeDownloaded);
        } else if origin_of(invocation) == Some(Origin::Code) && opaque.text.contains(&name) {
            action.meet(CodeDecoded);
        }
        let writes = invocation.redirects.iter().any(|it| {
            matches!(it.kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite)
        }) || name == "tee";
        if writes {
            let mut texts = stdin::of(script, at).texts;
            texts.extend(stdin::printed(invocation));
            for text in &texts {
                is_known = true;
                if is_foreign_run {
                    look.suspect(text);
                } else {
                    look.follow(text);
                }
                // What is written may write in turn, and be run in turn.
                let inner = provost_shell::parse(text);
                let bodies: Vec<String> = inner.invocations.iter().flat_map(stdin::given).collect();
                for body in bodies {
                    look.suspect(&body);
                }
            }
            if let Some(text) = texts.first().filter(|_| is_foreign_run) {
                is_foreign = true;
                let names = script.invocations.iter().filter_map(program);
                let language = names.into_iter().find_map(|it| code::Language::of(&it));
                code::foreign(look, language, text, false);
            }
        }
    }
    if action.found.is_empty() && !is_foreign {
        action.meet(if is_known { CodeInline } else { ShellDynamic });
    }
    if !action.found.is_empty() {
        look.actions.push(action);
    }
}

/// Whether an interpreter of another language runs a file.
fn runs_foreign(script: &Script) -> bool {
    script.invocations.iter().any(|it| {
        let name = program(it).unwrap_or_default();
        let bare = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        matches!(
            bare,
            "python"
                | "perl"
                | "ruby"
                | "node"
                | "php"
                | "deno"
                | "bun"
                | "lua"
                | "tsx"
                | "ts-node"
        )
    })
}
