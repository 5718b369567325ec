//! Runs the tree with what is known, and notes what is done with it.
//!
//! Nothing is decided here: a branch may run or not, a loop runs for each value that is known, a
//! function for each call. What this costs is bounded; a code beyond it is not judged this way.

mod apply;
mod bind;

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use super::{
    super::super::path_zones::{ANY, PathZones, UNKNOWN},
    deed::{Deed, Verb},
    expr::{Expr, Function},
    parse::Language,
    value::{Origin, Value, join},
};

/// How many expressions are evaluated.
const MAX_STEPS: usize = 200_000;
/// How deep expressions and calls are followed.
const MAX_DEEP: usize = 160;
/// How many values of a list are followed one by one.
const MAX_EACH: usize = 64;
/// Some of the names in a folder, and not all of them.
pub(super) const PICKED: &str = "\u{F0001}~";

/// What is known while the code is followed.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    pub(super) language: Language,
    pub(super) zones: &'a PathZones,
    scopes: Vec<BTreeMap<String, Value>>,
    /// What objects hold, by the name alone.
    fields: BTreeMap<String, Value>,
    /// Modules whose names are all there: `from os import *`.
    pub(super) stars: Vec<String>,
    functions: Vec<Rc<Function>>,
    pub(super) methods: BTreeMap<String, Vec<Rc<Function>>>,
    called: BTreeSet<usize>,
    /// The functions that are being followed.
    open: Vec<usize>,
    returns: Vec<Vec<Value>>,
    pub(super) deeds: BTreeSet<Deed>,
    /// The folder that the code went to.
    pub(super) folder: Option<String>,
    /// What was followed already, by what it was given.
    followed: BTreeMap<(usize, usize, String), Value>,
    told: BTreeSet<(usize, String)>,
    /// Grows with what the whole code can see.
    version: usize,
    /// Whether a function is followed that nothing calls.
    pub(super) is_idle: bool,
    /// The words behind the code.
    pub(super) arguments: Vec<Value>,
    conditional: usize,
    picked: usize,
    endless: usize,
    steps: usize,
    deep: usize,
    pub(super) is_over: bool,
    /// Whether all variables of the environment were taken at once.
    pub(super) saw_environment: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn new(language: Language, zones: &'a PathZones) -> Self {
        Self {
            language,
            zones,
            scopes: vec![BTreeMap::new()],
            fields: BTreeMap::new(),
            stars: Vec::new(),
            functions: Vec::new(),
            methods: BTreeMap::new(),
            called: BTreeSet::new(),
            open: Vec::new(),
            returns: vec![Vec::new()],
            deeds: BTreeSet::new(),
            folder: Some(zones.directory.clone()),
            followed: BTreeMap::new(),
            told: BTreeSet::new(),
            version: 0,
            is_idle: false,
            arguments: Vec::new(),
            conditional: 0,
            picked: 0,
            endless: 0,
            steps: 0,
            deep: 0,
            is_over: false,
            saw_environment: false,
        }
    }

    /// Follows a whole code, and last the functions in it that nothing has called.
    pub(super) fn run(&mut self, code: &Expr) {
        self.eval(code);
        self.is_idle = true;
        let mut at = 0;
        while let Some(function) = self.functions.get(at).cloned() {
            at += 1;
            if !self.called.contains(&function.at) {
                self.apply(&function, &[], Origin::CALLER);
            }
        }
    }

    pub(super) fn eval(&mut self, expr: &Expr) -> Value {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.deep >= MAX_DEEP {
            self.is_over = true;
        }
        if self.is_over {
            return Value::NOTHING;
        }
        self.deep += 1;
        let value = self.evaluate(expr);
        self.deep -= 1;
        value
    }

    fn evaluate(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Text(text) => Value::text(text),
            Expr::Number(number) => Value::Number(*number),
            Expr::Name(name) => self.name(name),
            Expr::Known(name) => Value::Known(name.clone()),
            Expr::Member(of, name) => self.member(of, name),
            Expr::Index(of, key) => self.index(of, key),
            Expr::Call(call) => self.call(call),
            Expr::Joined(parts) => self.joined(parts),
            Expr::Slash(left, right) => {
                let parts = [self.eval(left), self.eval(right)];
                join(&parts, "/")
            }
            Expr::Format(left, right) => {
                let (format, given) = (self.eval(left), self.eval(right));
                self.formatted(&format, &given)
            }
            Expr::List(all) => Value::List(self.flat(all)),
            Expr::Dict(pairs) => self.dict(pairs),
            Expr::Function(function) => {
                self.keep(function);
                Value::Function(Rc::clone(function))
            }
            Expr::Class(body) => {
                self.scopes.push(BTreeMap::new());
                self.all(body);
                let held = self.scopes.pop().unwrap_or_default();
                let is_function = |it: &(String, Value)| matches!(it.1, Value::Function(_));
                Value::Dict(held.into_iter().filter(is_function).collect())
            }
            Expr::Assign { to, value } => {
                let value = self.eval(value);
                self.bind(to, &value);
                value
            }
            Expr::Append { to, value } => self.append(to, value),
            Expr::Each { item, of, picks, body } => self.each(item, of, *picks, body),
            Expr::Loop { is_endless, body } => {
                self.endless += usize::from(*is_endless);
                self.conditional += 1;
                let value = self.all(body);
                self.conditional -= 1;
                self.endless -= usize::from(*is_endless);
                value
            }
            Expr::Branch { condition, picks, leaves, body } => {
                self.eval(condition);
                self.picked += usize::from(*picks);
                self.conditional += 1;
                let value = self.all(body);
                self.conditional -= 1;
                // What leaves the loop here leaves the rest to those that were picked.
                self.picked -= usize::from(*picks && !*leaves);
                value
            }
            Expr::Either(all) => {
                self.conditional += 1;
                let all: Vec<Value> = all.iter().map(|it| self.eval(it)).collect();
                self.conditional -= 1;
                Value::either(all)
            }
            Expr::Block(all) => self.all(all),
            Expr::Return(value) => {
                let value = self.eval(value);
                if let Some(returns) = self.returns.last_mut() {
                    returns.push(value.clone());
                }
                value
            }
            Expr::Spread(inner) => self.eval(inner),
            Expr::Shell(line) => {
                let line = self.eval(line);
                self.note(Verb::Line, &line);
                Value::NOTHING
            }
            Expr::Other(parts) => {
                let parts: Vec<Value> = parts.iter().map(|it| self.eval(it)).collect();
                Value::Unknown(super::value::origin_of(&parts))
            }
        }
    }

    fn all(&mut self, all: &[Expr]) -> Value {
        // A function may be called before the place that it stands at.
        for it in all {
            if let Expr::Assign { to, value } = it
                && let (Expr::Name(_), Expr::Function(_)) = (&**to, &**value)
            {
                self.eval(it);
            }
        }
        all.iter().map(|it| self.eval(it)).last().unwrap_or(Value::NOTHING)
    }

    /// Values in a row, those that are spread one by one.
    fn flat(&mut self, all: &[Expr]) -> Vec<Value> {
        let mut flat = Vec::new();
        for it in all {
            let value = self.eval(it);
            match (it, value) {
                (Expr::Spread(_), Value::List(inner)) => flat.extend(inner),
                (_, value) => flat.push(value),
            }
        }
        flat
    }

    fn joined(&mut self, parts: &[Expr]) -> Value {
        let parts: Vec<Value> = parts.iter().map(|it| self.eval(it)).collect();
        if let [Value::List(one), Value::List(two)] = parts.as_slice() {
            return Value::List([one.as_slice(), two].concat());
        }
        join(&parts, "")
    }

    fn dict(&mut self, pairs: &[(Expr, Expr)]) -> Value {
        let mut all = Vec::new();
        for (key, value) in pairs {
            let key = self.eval(key);
            let value = self.eval(value);
            let key = key.known_text().unwrap_or_default().to_owned();
            if let (Value::Function(function), false) = (&value, key.is_empty()) {
                self.methods.entry(key.clone()).or_default().push(Rc::clone(function));
            }
            all.push((key, value));
        }
        Value::Dict(all)
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Value> {
        self.scopes.iter().rev().find_map(|it| it.get(name))
    }

    pub(super) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    fn each(&mut self, item: &Expr, of: &Expr, picks: bool, body: &Expr) -> Value {
        let of = self.eval(of);
        let mut made = Vec::new();
        let is_list = of.members().is_some();
        let turns: Vec<Value> = match of.members() {
            Some(all) => {
                let (first, rest) = all.split_at(all.len().min(MAX_EACH));
                let rest = rest.chunks(16).map(|it| Value::either(it.to_vec()));
                first.iter().cloned().chain(rest).collect()
            }
            None => vec![self.item_of(&of)],
        };
        let before = std::mem::replace(&mut self.picked, usize::from(picks));
        for turn in turns {
            // Each turn gives the name another value, whatever it held before.
            let outside = std::mem::take(&mut self.conditional);
            self.bind(item, &turn);
            self.conditional = outside + 1;
            let value = self.eval(body);
            self.conditional = outside;
            made.push(if picks { picked(value) } else { value });
            self.picked = usize::from(picks);
        }
        self.picked = before;
        if is_list { Value::List(made) } else { Value::Unknown(super::value::origin_of(&made)) }
    }

    fn item_of(&self, of: &Value) -> Value {
        match of {
            // The texts of an unknown list are unknown, and so are the letters of a text.
            Value::Several(all) => {
                let lists: Vec<Value> =
                    all.iter().filter_map(Value::members).flatten().cloned().collect();
                if lists.is_empty() { Value::Unknown(of.origin()) } else { Value::either(lists) }
            }
            Value::Unknown(_)
            | Value::Text(..)
            | Value::Number(_)
            | Value::List(_)
            | Value::Dict(_)
            | Value::Known(_)
            | Value::Function(_) => Value::Unknown(of.origin()),
        }
    }

    fn keep(&mut self, function: &Rc<Function>) {
        if !self.functions.iter().any(|it| it.at == function.at) {
            self.functions.push(Rc::clone(function));
        }
    }

    /// Notes what is done with a value.
    pub(super) fn note(&mut self, verb: Verb, value: &Value) {
        self.saw_environment |= !self.is_idle && value.origin().has(Origin::ENVIRONMENT);
        // Options are given to what starts or deletes something, and are neither code nor a path.
        let is_given = matches!(verb, Verb::Send | Verb::Give | Verb::GiveToWriter);
        let options = value.options().iter();
        let options = options.filter(|it| is_given || !matches!(it, Value::Dict(_)));
        let mut texts: Vec<_> = options.flat_map(Value::texts).collect();
        // A function takes what it acts on from somewhere that is not followed: only what is known of
        // it counts. Code that is computed counts wherever it is run.
        let is_inner = !self.open.is_empty() && verb != Verb::Code;
        let is_sourced = |it: Origin| it.has(Origin::DECODED) || it.has(Origin::FETCHED);
        for (text, origin) in &mut texts {
            let is_open = is_inner && text.contains(UNKNOWN) && !is_sourced(*origin);
            if self.is_idle || is_open {
                *origin = origin.and(Origin::CALLER);
            }
        }
        let words = match verb {
            Verb::Words => vec![texts],
            _ => texts.into_iter().map(|it| vec![it]).collect(),
        };
        for words in words {
            self.deeds.insert(Deed {
                verb,
                words,
                folder: self.folder.clone(),
                is_picked: self.picked > 0,
            });
        }
    }

    /// Notes what is written to a file.
    pub(super) fn note_content(&mut self, path: &Value, content: &Value) {
        for path in path.texts() {
            for content in content.texts() {
                let words = vec![path.clone(), content];
                let (folder, is_picked) = (self.folder.clone(), false);
                self.deeds.insert(Deed { verb: Verb::Content, words, folder, is_picked });
            }
        }
    }

    pub(super) fn is_endless(&self) -> bool {
        self.endless > 0
    }
}

/// Some of what is in a folder, in the place of all of it.
pub(super) fn picked(value: Value) -> Value {
    match value {
        Value::Text(text, origin) => Value::Text(text.replace(ANY, PICKED), origin),
        Value::List(all) => Value::List(all.into_iter().map(picked).collect()),
        Value::Several(all) => Value::Several(all.into_iter().map(picked).collect()),
        Value::Unknown(_)
        | Value::Number(_)
        | Value::Dict(_)
        | Value::Known(_)
        | Value::Function(_) => value,
    }
}
