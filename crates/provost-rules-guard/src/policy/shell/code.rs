//! Code in another language.
//!
//! Python, JavaScript, Ruby and Perl are read by their grammars, and judged by their calls and by
//! what these are given. Other languages, and code that its grammar does not take, are judged by the
//! texts that stand in them.

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of many kinds of expressions and values matter at each place"
)]
#[expect(clippy::match_same_arms, reason = "one row for each kind of node or name")]
#[expect(clippy::unused_self, reason = "the readings of one machine stand together")]
mod call;
mod deed;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of many kinds of expressions and values matter at each place"
)]
#[expect(clippy::match_same_arms, reason = "one row for each kind of node or name")]
mod effect;
mod expr;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of many kinds of expressions and values matter at each place"
)]
#[expect(clippy::match_same_arms, reason = "one row for each kind of node or name")]
#[expect(clippy::unused_self, reason = "the readings of one machine stand together")]
#[expect(clippy::unnecessary_wraps, reason = "they are rows of the same match")]
mod fold;
mod javascript;
mod known;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of many kinds of expressions and values matter at each place"
)]
#[expect(clippy::match_same_arms, reason = "one row for each kind of node or name")]
#[expect(clippy::unused_self, reason = "the readings of one machine stand together")]
mod machine;
mod parse;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of many kinds of expressions and values matter at each place"
)]
#[expect(clippy::match_same_arms, reason = "one row for each kind of node or name")]
mod perl;
#[expect(clippy::match_same_arms, reason = "one row for each kind of node or name")]
mod python;
mod ruby;
mod text;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of many kinds of expressions and values matter at each place"
)]
mod value;

use provost_shell::{Program, Script, Trait};

use super::{
    super::{
        action::Action,
        builtin::BuiltIn::{CodeInline, ShellDynamic},
        call::powershell,
    },
    ShellAnalyzer, staged,
};

use self::{
    deed::{Deed, Verb},
    machine::Machine,
    value::Value,
};
pub(super) use self::{
    parse::Language,
    text::{bare, quoted},
};

/// Judges the code that an invocation hands to an interpreter.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script, index: usize) {
    let Some(invocation) = script.invocations.get(index) else { return };
    let Some(inline) = &invocation.inline else { return };
    let code = inline.code.to_string();
    let is_open = inline.code.text().is_none();
    let words = invocation.words.iter().map(ToString::to_string);
    let behind: Vec<String> = words.skip_while(|it| *it != code && it != "-").collect();
    let language = Language::of(&inline.language);
    let written = foreign_with(look, language, &code, is_open, &behind);
    for (path, content) in written.unwrap_or_default() {
        let name = path.rsplit('/').next().unwrap_or_default();
        let mut later = script.invocations.iter().skip(index + 1);
        if later.any(|it| staged::runs(it, name)) {
            look.suspect_code_of(Language::of(name), &content);
        }
    }
    if Program::of(&inline.language).is(Trait::CodeIsBare) {
        bare(look, &code);
    }
    if inline.language == "expect" {
        for line in code.split(['\n', ';']) {
            look.suspect(line.trim().trim_start_matches("spawn "));
        }
    }
    if matches!(inline.language.as_str(), "powershell" | "pwsh")
        && let Some(translated) = powershell::translate(&behind.join(" "), true)
    {
        look.suspect(&translated);
    }
    if inline.language.ends_with("awk") {
        text::awk(look, &code);
    }
}

/// Judges code of another language, and gives back the files it writes with their content, if it
/// could be read; `is_open` if a part of it is only known when it runs.
pub(super) fn foreign(
    look: &mut ShellAnalyzer<'_>,
    language: Option<Language>,
    code: &str,
    is_open: bool,
) -> Option<Vec<(String, String)>> {
    foreign_with(look, language, code, is_open, &[])
}

/// The same with the words behind the code, which it may read.
fn foreign_with(
    look: &mut ShellAnalyzer<'_>,
    language: Option<Language>,
    code: &str,
    is_open: bool,
    behind: &[String],
) -> Option<Vec<(String, String)>> {
    // What a shell puts into the code could be anything, so that the code cannot be read.
    let written = language.filter(|_| !is_open).and_then(|it| calls(look, it, code, behind));
    if written.is_none() {
        text::foreign(look, code, is_open);
        if language == Some(Language::Perl) && code.contains("`$") {
            let mut action = Action::on(code);
            action.meet(ShellDynamic);
            look.actions.push(action);
        }
    }
    written
}

/// Judges code that another one runs.
fn inner(look: &mut ShellAnalyzer<'_>, language: Language, code: &str) {
    foreign(look, Some(language), code, false);
}

/// Judges code by its calls; none if it could not be read.
fn calls(
    look: &mut ShellAnalyzer<'_>,
    language: Language,
    code: &str,
    behind: &[String],
) -> Option<Vec<(String, String)>> {
    let read = parse::read(language, code)?;
    let mut machine = Machine::new(language, look.zones);
    machine.arguments = behind.iter().map(|it| Value::text(it)).collect();
    machine.run(&read.code);
    if machine.is_over {
        return None;
    }
    let deeds = std::mem::take(&mut machine.deeds);
    let mut action = Action::on(code);
    action.meet(CodeInline);
    effect::printed(&read, machine.saw_environment, &mut action);
    effect::judge(look, language, &deeds, &mut action);
    look.actions.push(action);
    let pair = |it: Deed| match it.words.as_slice() {
        [(path, _), (content, _)] => Some((path.clone(), content.clone())),
        _ => None,
    };
    let written = deeds.into_iter().filter(|it| it.verb == Verb::Content);
    Some(written.filter_map(pair).collect())
}
