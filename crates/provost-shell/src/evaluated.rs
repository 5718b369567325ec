//! Texts that bash expands although they are quoted: prompts, and the subscripts of arrays in what
//! names a variable or is arithmetic.

use super::{
    Invocation, Place,
    draft::{Pieces, Scene},
    expand::{Context, Expander},
    lexer::{GAP, Parser, Within},
    options::lead,
    word::{Part, Word},
};

/// The variables that are expanded when a prompt is printed; `PS4` also in a script with `set -x`.
const PROMPTS: [&str; 4] = ["PS0", "PS1", "PS2", "PS4"];
/// Builtins that evaluate a subscript in the name of a variable, or in a number.
const EVALUATING: [&str; 10] = [
    "declare", "export", "getopts", "let", "local", "read", "readonly", "typeset", "unset", "wait",
];
/// Tests of numbers, and of whether a variable is set.
const NUMERIC: [&str; 8] = ["-eq", "-ge", "-gt", "-le", "-lt", "-ne", "-R", "-v"];
/// What takes assignments as arguments.
const ASSIGNING: [&str; 6] = ["declare", "env", "export", "local", "readonly", "typeset"];

impl Expander {
    /// Follows the substitutions in what an invocation evaluates.
    pub(super) fn follow_evaluated(&mut self, index: usize, context: &Context, raw: &str) {
        let Some(invocation) = self.script.invocations.get(index) else { return };
        for text in evaluated(invocation) {
            self.follow_expansion(&text, index, context, raw);
        }
    }

    /// Reads a text as bash does between double quotes, for the commands in it.
    fn follow_expansion(&mut self, text: &str, by: usize, context: &Context, raw: &str) {
        if !self.drafts.charge(text.len()) || !self.enter(context, raw) {
            return;
        }
        let inner = Self::inner(context, by);
        let scene = Scene {
            place: Place::Substitution,
            is_conditional: true,
            ..Scene::outermost(inner.depth)
        };
        let first = self.drafts.list.len();
        self.drafts.scope.note_text(text);
        Parser::new(text, &mut self.drafts, scene).quoted(&mut Pieces::new(), Within::Body);
        self.settle(first..self.drafts.list.len(), &inner);
    }
}

/// The texts that are evaluated: from the first substitution in each to the end of the last.
fn evaluated(invocation: &Invocation) -> Vec<String> {
    let words = invocation.arguments();
    let values = invocation.assignments.iter().map(|it| &it.value);
    if !values.chain(words).any(has_substitution) {
        return Vec::new();
    }
    let name = invocation.program().unwrap_or_default();
    let has =
        |options: &[&str]| words.iter().filter_map(Word::text).any(|it| options.contains(&it));
    let is_evaluating = EVALUATING.contains(&name)
        || (matches!(name, "[" | "[[" | "test") && has(&NUMERIC))
        || (name == "printf" && has(&["-v"]));
    let mut texts = Vec::new();
    for it in &invocation.assignments {
        texts.extend(clipped(&it.value, PROMPTS.contains(&it.name.as_str())));
    }
    for word in words {
        let assigned = lead(word).split_once('=').map_or("", |it| it.0);
        let is_prompt = ASSIGNING.contains(&name) && PROMPTS.contains(&assigned);
        if is_evaluating || is_prompt {
            texts.extend(clipped(word, is_prompt));
        }
    }
    texts
}

fn has_substitution(word: &Word) -> bool {
    let has = |it: &Part| matches!(it, Part::Text(it) if it.contains("$(") || it.contains('`'));
    word.parts().iter().any(has)
}

/// The part of a word that has substitutions, if they are evaluated: everywhere in a prompt, and
/// after a bracket elsewhere.
fn clipped(word: &Word, is_prompt: bool) -> Option<String> {
    let text: String = word
        .parts()
        .iter()
        .map(|it| match it {
            Part::Text(text) => text.clone(),
            Part::Hole { .. } => GAP.to_string(),
        })
        .collect();
    let begin = [text.find("$("), text.find('`')].into_iter().flatten().min()?;
    let end = text.rfind([')', '`'])? + 1;
    let is_subscript = text.get(..begin)?.contains('[');
    if is_subscript || is_prompt { text.get(begin..end).map(str::to_owned) } else { None }
}
