//! Expands drafts to invocations: resolves what each command starts, and follows it.

use std::{ops::Range, rc::Rc};

use super::{
    Assignment, Invocation, MAX_LEN, Opaque, Pipe, Place, Reason, Redirect, Script,
    draft::{Draft, Drafts, Feed, MAX_DEPTH, Scene, Target, Value, is_positional, push_text},
    launch,
    lexer::{GAP, Parser},
    options::lead,
    program,
    resolve::Resolver,
    stdin::Stdin,
    word::{Hole, Part, Word},
};

/// How many variables with several values are followed in one command.
const MAX_PICKS: usize = 3;
/// How many readings of one command are kept.
const MAX_READINGS: usize = 16;

/// Collects the invocations of a text.
#[derive(Debug)]
pub(super) struct Expander {
    pub(super) drafts: Drafts,
    pub(super) script: Script,
    /// Which invocations came out of which draft.
    spans: Vec<Option<Range<usize>>>,
    /// The files that were run, with the invocation that runs them.
    pub(super) files: Vec<(String, usize)>,
}

/// From where a draft is looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// The invocation that starts it.
    pub(super) by: Option<usize>,
    /// The arguments of the script or function it is in, the name first, if they are known.
    pub(super) arguments: Option<Rc<[Word]>>,
    /// The standard input it inherits.
    pub(super) stdin: Option<Stdin>,
    /// Whether it is in a function whose arguments are only known where it is called.
    pub(super) is_in_function: bool,
    /// The draft itself.
    pub(super) at: usize,
    pub(super) depth: u8,
    /// The aliases and functions that are being followed.
    pub(super) active: Vec<String>,
}

impl Expander {
    /// Looks through a text.
    pub(super) fn through(text: &str) -> Script {
        if text.len() > MAX_LEN {
            let whole = Opaque { reason: Reason::TooLong, text: text.to_owned() };
            return Script { opaque: vec![whole], ..Script::default() };
        }
        let has_nul = text.contains('\0');
        let clean = if has_nul { text.replace('\0', "") } else { String::new() };
        let source = if has_nul { &clean } else { text };
        let mut seen = Self::new(source.len());
        seen.run(source);
        if let Some(scope) = seen.drafts.scope.stale() {
            // A value came up after the variable was used, as a loop would bring it.
            seen = Self::new(source.len());
            seen.drafts.scope = scope;
            seen.run(source);
        }
        if has_nul {
            seen.drafts.push_opaque(Reason::Syntax, source);
        }
        seen.finish(source)
    }

    /// Looks through an argument vector.
    pub(super) fn through_argv<S: AsRef<str>>(argv: &[S]) -> Script {
        let length = argv.iter().map(|it| it.as_ref().len() + 1).sum();
        let raw = argv.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ");
        if length > MAX_LEN {
            let whole = Opaque { reason: Reason::TooLong, text: raw };
            return Script { opaque: vec![whole], ..Script::default() };
        }
        let mut seen = Self::new(length);
        let words = argv.iter().map(|it| {
            let mut pieces = Vec::new();
            push_text(&mut pieces, it.as_ref(), true);
            pieces
        });
        let words = words.collect();
        let draft = Draft {
            assignments: Vec::new(),
            words,
            redirects: Vec::new(),
            raw: raw.clone(),
            scene: Scene::outermost(0),
            processes: Vec::new(),
        };
        seen.drafts.list.push(Rc::new(draft));
        seen.settle(0..1, &Context::default());
        seen.finish(&raw)
    }

    fn new(length: usize) -> Self {
        Self {
            // Enough for any text that a person writes, and still a line in the length.
            drafts: Drafts::new(length * 64 + (1 << 18)),
            script: Script::default(),
            spans: Vec::new(),
            files: Vec::new(),
        }
    }

    fn run(&mut self, source: &str) {
        let drafts = self.read(source, Scene::outermost(0));
        self.settle(drafts, &Context::default());
    }

    /// Reads a text; answers with its drafts.
    pub(super) fn read(&mut self, source: &str, scene: Scene) -> Range<usize> {
        let first = self.drafts.list.len();
        self.drafts.scope.note_text(source);
        if self.drafts.charge(source.len()) {
            Parser::new(source, &mut self.drafts, scene).script();
        }
        first..self.drafts.list.len()
    }

    fn finish(mut self, source: &str) -> Script {
        for feed in &self.drafts.feeds {
            if let Feed::Pipe { from, to, .. } = feed {
                let pipe = self.span(from).zip(self.span(to));
                self.script.pipes.extend(pipe.map(|(from, to)| Pipe { from, to }));
            }
        }
        for (id, draft) in self.drafts.list.iter().enumerate() {
            for process in &draft.processes {
                let ends = self.span(&process.drafts).zip(self.span(&(id..id + 1)));
                self.script.pipes.extend(ends.map(|(inner, outer)| {
                    let (from, to) = if process.is_read { (inner, outer) } else { (outer, inner) };
                    Pipe { from, to }
                }));
            }
        }
        self.note_written_files();
        self.script.opaque = std::mem::take(&mut self.drafts.opaque);
        if self.drafts.is_spent() {
            self.script.opaque.push(Opaque { reason: Reason::TooMuch, text: source.to_owned() });
        }
        self.script
    }

    /// The invocations that came out of some drafts.
    fn span(&self, drafts: &Range<usize>) -> Option<Range<usize>> {
        let spans = self.spans.get(drafts.clone())?;
        let first = spans.iter().flatten().next()?.start;
        let last = spans.iter().rev().flatten().next()?.end;
        Some(first..last)
    }

    /// Turns drafts into invocations.
    pub(super) fn settle(&mut self, drafts: Range<usize>, context: &Context) {
        for id in drafts {
            let first = self.script.invocations.len();
            self.settle_one(id, context);
            if self.spans.len() <= id {
                self.spans.resize(id + 1, None);
            }
            if let Some(span) = self.spans.get_mut(id) {
                *span = Some(first..self.script.invocations.len());
            }
        }
    }

    pub(super) fn settle_one(&mut self, id: usize, context: &Context) {
        let Some(draft) = self.drafts.list.get(id).cloned() else { return };
        if self.drafts.is_spent() {
            return;
        }
        let mut context = context.clone();
        context.stdin = self.stdin_of(id, &draft).or(context.stdin);
        context.is_in_function |= draft.scene.function.is_some() && context.arguments.is_none();
        self.follow_alias(&draft, &context);
        context.at = id;
        self.start_each(&draft, &context, &mut Vec::new());
    }

    /// Starts a draft once for each value of the variables that decide what is started.
    fn start_each(&mut self, draft: &Draft, context: &Context, picks: &mut Vec<(String, usize)>) {
        let (mut invocation, choices, has_open) = self.resolve(draft, context, picks);
        let name = invocation.words.first();
        let is_launcher = name.and_then(Word::base_name).is_some_and(|it| {
            program::launcher::find(it).is_some() || self.drafts.scope.is_function(it)
        });
        let is_open = name.is_some_and(|it| it.text().is_none());
        let decides = (is_open || is_launcher) && picks.len() < MAX_PICKS;
        let is_new = |(name, _): &&(String, usize)| picks.iter().all(|(picked, _)| picked != name);
        if let Some((name, count)) = choices.iter().find(is_new).filter(|_| decides) {
            for at in 0..*count {
                picks.push((name.clone(), at));
                self.start_each(draft, context, picks);
                picks.pop();
            }
        }
        if !self.drafts.is_spent() {
            if !decides {
                let mut readings = self.readings(draft, context, &choices, &mut picks.clone());
                if has_open && !readings.is_empty() {
                    readings.push(invocation.words.clone());
                }
                invocation.readings = readings;
            }
            self.start(invocation, draft, context);
        }
    }

    /// The words of a draft with each value of the variables in it; none if there are too many.
    fn readings(
        &mut self,
        draft: &Draft,
        context: &Context,
        choices: &[(String, usize)],
        picks: &mut Vec<(String, usize)>,
    ) -> Vec<Vec<Word>> {
        let is_new = |(name, _): &&(String, usize)| picks.iter().all(|(picked, _)| picked != name);
        let Some((name, count)) = choices.iter().find(is_new) else { return Vec::new() };
        let mut readings = Vec::new();
        for at in 0..*count {
            picks.push((name.clone(), at));
            let (reading, left, _) = self.resolve(draft, context, picks);
            let is_left = left.iter().any(|it| picks.iter().all(|(picked, _)| *picked != it.0));
            let more = match is_left {
                true if picks.len() < MAX_PICKS => self.readings(draft, context, &left, picks),
                true => Vec::new(),
                false => vec![reading.words],
            };
            picks.pop();
            if more.is_empty() || readings.len() + more.len() > MAX_READINGS {
                return Vec::new();
            }
            readings.extend(more);
        }
        readings
    }

    /// Puts in what is known, with some variables fixed to one of their values.
    fn resolve(
        &mut self,
        draft: &Draft,
        context: &Context,
        picks: &[(String, usize)],
    ) -> (Invocation, Vec<(String, usize)>, bool) {
        let mut resolver = Resolver::new(&self.drafts, context.arguments.as_deref());
        resolver.at = context.at;
        resolver.is_in_function = context.is_in_function;
        resolver.picks = picks;
        let words: Vec<Word> = draft.words.iter().flat_map(|it| resolver.words(it)).collect();
        let choices = std::mem::take(&mut resolver.choices);
        let has_open = resolver.has_open;
        let assignments = draft.assignments.iter().map(|it| Assignment {
            name: it.name.clone(),
            value: match &it.value {
                Value::One(pieces) => resolver.word(pieces),
                Value::List(list) => {
                    let mut whole = Word::default();
                    for pieces in list {
                        whole.append(&resolver.word(pieces));
                        whole.push_text(" ");
                    }
                    whole
                }
            },
        });
        let assignments = assignments.collect();
        let redirects = draft.redirects.iter().map(|it| Redirect {
            descriptor: it.descriptor,
            kind: it.kind,
            target: match &it.target {
                Target::Word(pieces) => resolver.word(pieces),
                Target::Body(body) => {
                    let body = self.drafts.bodies.get(*body);
                    body.map(|it| resolver.word(it)).unwrap_or_default()
                }
            },
        });
        let redirects = redirects.collect();
        let (paid, used) = (resolver.paid, std::mem::take(&mut resolver.used));
        self.drafts.charge(paid);
        self.drafts.scope.note_used(used);
        let invocation = Invocation {
            words,
            readings: Vec::new(),
            assignments,
            redirects,
            inline: None,
            place: draft.scene.place,
            join: draft.scene.join,
            at: self.beginning(context.by).unwrap_or(draft.scene.at),
            part: context.at,
            launched_by: context.by,
            is_prefix: false,
            is_uncertain: false,
        };
        (invocation, choices, has_open)
    }

    /// Writes down an invocation and follows what it starts.
    fn start(&mut self, invocation: Invocation, draft: &Draft, context: &Context) {
        let index = self.script.invocations.len();
        self.script.invocations.push(invocation);
        self.follow(index, context, &draft.raw);
    }

    /// Where an invocation begins in the outermost text.
    fn beginning(&self, by: Option<usize>) -> Option<usize> {
        by.and_then(|it| self.script.invocations.get(it)).map(|it| it.at)
    }

    /// Starts a program on behalf of another invocation.
    pub(super) fn start_words(
        &mut self,
        words: Vec<Word>,
        by: usize,
        context: &Context,
        raw: &str,
    ) {
        let paid = words.iter().map(Word::cost).sum();
        if words.is_empty() || !self.enter(context, raw) || !self.drafts.charge(paid) {
            return;
        }
        let index = self.script.invocations.len();
        let (place, join) = self
            .script
            .invocations
            .get(by)
            .map_or((Place::Script, super::Join::Sequence), |it| (it.place, it.join));
        self.script.invocations.push(Invocation {
            words,
            readings: Vec::new(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            inline: None,
            place,
            join,
            at: self.beginning(Some(by)).unwrap_or_default(),
            part: context.at,
            launched_by: Some(by),
            is_prefix: false,
            is_uncertain: false,
        });
        self.follow(index, &Self::inner(context, by), raw);
    }

    /// Reads shell code on behalf of an invocation. `arguments` are those of the code, its name
    /// first, if it has its own.
    pub(super) fn start_code(
        &mut self,
        code: &Word,
        arguments: Option<Rc<[Word]>>,
        by: usize,
        context: &Context,
        raw: &str,
    ) {
        let mut text = String::new();
        for part in code.parts() {
            match part {
                Part::Text(known) => text.push_str(known),
                Part::Hole { .. } => text.push(GAP),
            }
        }
        let waits = context.is_in_function && code.holes().any(is_argument);
        if text.contains(GAP) && !waits {
            let raw = self.explain(code, context, raw);
            self.drafts.push_opaque(Reason::Code, &raw);
        }
        if text.trim_matches([GAP, ' ', '\n', '\t']).is_empty() || !self.enter(context, raw) {
            return;
        }
        let mut inner = Self::inner(context, by);
        inner.arguments = arguments.or(inner.arguments);
        let drafts = self.read(&text, Scene::outermost(inner.depth));
        self.settle(drafts, &inner);
    }

    /// Says whether there is room to go one step deeper.
    pub(super) fn enter(&mut self, context: &Context, raw: &str) -> bool {
        if context.depth >= MAX_DEPTH {
            self.drafts.push_opaque(Reason::TooDeep, raw);
        }
        context.depth < MAX_DEPTH && !self.drafts.is_spent()
    }

    pub(super) fn inner(context: &Context, by: usize) -> Context {
        Context { by: Some(by), depth: context.depth + 1, ..context.clone() }
    }

    /// Follows what an invocation starts.
    fn follow(&mut self, index: usize, context: &Context, raw: &str) {
        self.follow_evaluated(index, context, raw);
        let Some(invocation) = self.script.invocations.get(index) else { return };
        let Some(name) = invocation.words.first() else {
            launch::code_variables(self, index, context, raw);
            return;
        };
        let is_known = name.base_name().is_some() && !name.may_split() && name.text() != Some("");
        if !is_known && name.text() != Some("") {
            let waits = context.is_in_function && name.holes().any(is_argument);
            let is_variable = name.holes().all(|it| match it {
                Hole::Parameter(name) => !self.drafts.scope.knows(name),
                Hole::Command(_)
                | Hole::Process
                | Hole::Arithmetic
                | Hole::Pattern(_)
                | Hole::Tilde(_)
                | Hole::Brace
                | Hole::Input => false,
            });
            let reason = if is_variable { Reason::Variable } else { Reason::Name };
            let vanishes =
                name.parts().iter().all(|it| matches!(it, Part::Hole { quoted: false, .. }));
            let name = name.clone();
            // If the name turns out to be nothing, the next word is the name.
            let rest = invocation.arguments().to_vec();
            if !waits {
                let raw = self.explain(&name, context, raw);
                self.drafts.push_opaque(reason, &raw);
            }
            if vanishes && rest.first().is_some_and(|it| !lead(it).starts_with('-')) {
                if let Some(it) = self.script.invocations.get_mut(index) {
                    it.is_uncertain = true;
                }
                self.start_words(rest, index, context, raw);
            }
        }
        launch::code_variables(self, index, context, raw);
        launch::follow(self, index, context, raw);
        self.follow_function(index, context);
    }
}

/// Whether a hole is an argument of a script or function.
fn is_argument(hole: &Hole) -> bool {
    match hole {
        Hole::Parameter(name) => is_positional(name),
        Hole::Command(_)
        | Hole::Process
        | Hole::Arithmetic
        | Hole::Pattern(_)
        | Hole::Tilde(_)
        | Hole::Brace
        | Hole::Input => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[track_caller]
    fn check(text: &str, program: &str, expected: &[&str]) {
        let script = parse(text);
        let found = script.invocations.iter().find(|it| it.program() == Some(program)).unwrap();
        let join = |it: &Vec<Word>| it.iter().map(Word::to_string).collect::<Vec<_>>().join(" ");
        let readings: Vec<String> = found.readings.iter().map(join).collect();
        assert_eq!(readings, expected, "{text}");
    }

    #[test]
    fn every_value_of_a_variable_is_read() {
        check("for x in a b; do rm $x; done", "rm", &["rm a", "rm b"]);
        check("x=a; rm $x", "rm", &[]);
        check("rm $x", "rm", &[]);
        check("if y; then x=a; fi; rm -f $x", "rm", &["rm -f", "rm -f a"]);
        check("rm ${x:-a}", "rm", &["rm a", "rm $x"]);
        // The inner loop need not run, as far as the text says.
        let nested = "for x in a b; do for y in c d; do rm $x/$y; done; done";
        check(nested, "rm", &["rm a/", "rm a/c", "rm a/d", "rm b/", "rm b/c", "rm b/d"]);
    }

    #[test]
    fn too_many_readings_are_left_open() {
        let text = "for x in a b c d e; do for y in a b c d e; do rm $x$y; done; done";
        check(text, "rm", &[]);
    }
}
