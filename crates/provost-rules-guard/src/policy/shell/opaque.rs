//! What the parser could not read: never allowed in silence.

use provost_shell::{
    Family, Hole, Invocation, Opaque, Part, Place, Program, Reason, RedirectKind, RemoteKind,
    Script, Trait,
};

use super::{
    super::{
        action::Action,
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
    let is_code = |it: &&Opaque| it.reason == Reason::Code;
    let n_codes = script.opaque.iter().filter(is_code).count();
    let named = || script.invocations.iter().filter(|it| names_files(script, it)).count();
    let only_names = n_codes > 0 && n_codes <= named();
    let is_entered = has(&[Reason::Input]) && enters_container(script);
    let is_waiting = |it: &&Opaque| it.reason == Reason::Input && is_entered;
    let passes = |it: &&Opaque| (only_names && is_code(it)) || is_waiting(it);
    for opaque in script.opaque.iter().filter(|it| !passes(it)) {
        let mut action = Action::on(&opaque.text);
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

/// `docker exec -it x bash`: a shell in a container waits, and nothing is there to feed it.
fn enters_container(script: &Script) -> bool {
    let all = &script.invocations;
    let mut runners = all.iter().enumerate().filter(|(_, it)| is_runner(it) && !it.is_prefix);
    runners.all(|(at, it)| {
        let by = it.launched_by.and_then(|by| Some((by, all.get(by)?)));
        by.is_some_and(|(by, launcher)| {
            let is_container = matches!(
                known(launcher).family,
                Family::Remote(RemoteKind::Container | RemoteKind::Cluster)
            );
            let is_fed = |at: usize| !script.feeders(at).is_empty();
            let is_bare = it.redirects.is_empty() && launcher.redirects.is_empty();
            is_container && is_bare && !is_fed(at) && !is_fed(by)
        })
    })
}

/// A name that had to be decoded, given to a program that opens it.
fn decoded_names(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let decodes =
        |it: &Invocation| it.place == Place::Substitution && origin_of(it) == Some(Origin::Code);
    if !script.invocations.iter().any(decodes) {
        return;
    }
    let is_open = |it: &Part| matches!(it, Part::Hole { hole: Hole::Command(_), .. });
    for invocation in &script.invocations {
        let opens = known(invocation).is(Trait::Opens);
        if opens && invocation.words.iter().any(|it| it.parts().iter().any(is_open)) {
            let mut action = Action::on(&invocation.shown());
            action.meet(ShellDynamic);
            look.actions.push(action);
        }
    }
}

/// `find src -name '*.x' | xargs -I{} sh -c 'lint {} || echo {}'`: nothing but names of the project
/// is put into a code that stands there.
fn names_files(script: &Script, invocation: &Invocation) -> bool {
    let is_input = |it: &Part| matches!(it, Part::Hole { hole: Hole::Input, .. });
    let is_known = |it: &Part| matches!(it, Part::Text(_)) || is_input(it);
    let mut words = invocation.arguments().iter();
    let is_code = words.any(|it| {
        it.parts().iter().any(is_input)
            && it.parts().iter().all(is_known)
            && it.parts().first().is_some_and(|it| matches!(it, Part::Text(_)))
    });
    if !is_code || !known(invocation).is(Trait::IsShell) {
        return false;
    }
    let evaluates = |it: &Invocation| {
        matches!(program(it).as_deref(), Some("." | "eval" | "source"))
            || it.words.first().is_some_and(|it| it.parts().iter().any(is_input))
    };
    let all = &script.invocations;
    let Some(by) = invocation.launched_by.filter(|_| !all.iter().any(evaluates)) else {
        return false;
    };
    let feeders: Vec<&Invocation> = match all.get(by) {
        Some(it) if known(it).is(Trait::Finds) => vec![it],
        Some(_) | None => script.feeders(by).into_iter().filter_map(|it| all.get(it)).collect(),
    };
    !feeders.is_empty() && feeders.into_iter().all(lists_here)
}

/// Whether a program lists nothing but names below the folder it runs in.
fn lists_here(invocation: &Invocation) -> bool {
    let arguments = Arguments::of(invocation);
    let texts: Vec<String> = arguments.words().iter().map(ToString::to_string).collect();
    let is_here = |it: &String| !it.starts_with(['/', '~', '$']) && !it.contains("..");
    let lists = match program(invocation).as_deref() {
        Some("fd" | "fdfind" | "find" | "gfind" | "ls" | "sort" | "head" | "tail") => true,
        Some("git") => texts.first().is_some_and(|it| it == "ls-files"),
        Some(_) | None => false,
    };
    lists && texts.iter().all(is_here) && arguments.words().iter().all(|it| it.text().is_some())
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
