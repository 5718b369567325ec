//! What a text defines: variables, functions and aliases.
//!
//! Order and branches are not followed. A variable has every value that the text gives it
//! anywhere, so that no loop or branch can hide one.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::Value;

/// More values than this are not kept apart.
const MAX_VALUES: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Scope {
    variables: BTreeMap<String, Variable>,
    functions: Vec<Function>,
    names: BTreeMap<String, Vec<usize>>,
    aliases: BTreeMap<String, String>,
    /// The variables that have been looked up.
    used: BTreeSet<String>,
    /// Whether `shift` stands anywhere.
    has_shift: bool,
    /// Whether a variable got a value after it was looked up.
    is_stale: bool,
}

#[derive(Debug, Default)]
pub(super) struct Variable {
    pub(super) values: Vec<Value>,
    /// Whether it may have a value that is not in the list.
    pub(super) is_open: bool,
    /// The draft from which on it certainly has one of them.
    pub(super) certain_from: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Function {
    /// The drafts of its body.
    pub(super) drafts: Vec<usize>,
    /// Whether it moves its arguments with `shift`.
    pub(super) has_shift: bool,
}

impl Scope {
    /// Notes a value that a variable may have.
    pub(super) fn assign(&mut self, name: String, value: Value) {
        let is_used = self.used.contains(&name);
        let variable = self.variables.entry(name).or_default();
        if variable.values.contains(&value) {
            return;
        }
        if variable.values.len() >= MAX_VALUES {
            // The newest values stay: `x+=…` builds on them.
            variable.values.remove(0);
            variable.is_open = true;
        }
        variable.values.push(value);
        self.is_stale |= is_used;
    }

    /// Notes that a variable certainly has a value from this draft on.
    pub(super) fn note_certain(&mut self, name: &str, draft: usize) {
        if let Some(variable) = self.variables.get_mut(name) {
            variable.certain_from.get_or_insert(draft);
        }
    }

    /// Notes that a variable may have any value.
    pub(super) fn open(&mut self, name: &str) {
        self.variables.entry(name.to_owned()).or_default().is_open = true;
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    pub(super) fn last_value(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)?.values.last()
    }

    /// What a variable may be, if the text sets it at all.
    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// Notes that variables have been looked up.
    pub(super) fn note_used(&mut self, names: Vec<String>) {
        self.used.extend(names);
    }

    /// Begins a function; answers with its number.
    pub(super) fn define(&mut self, name: &str) -> usize {
        let id = self.functions.len();
        self.functions.push(Function::default());
        self.names.entry(name.to_owned()).or_default().push(id);
        id
    }

    pub(super) fn add_to_function(&mut self, function: usize, draft: usize) {
        if let Some(function) = self.functions.get_mut(function) {
            function.drafts.push(draft);
        }
    }

    pub(super) fn note_shift(&mut self, function: Option<usize>) {
        self.has_shift = true;
        if let Some(function) = function.and_then(|it| self.functions.get_mut(it)) {
            function.has_shift = true;
        }
    }

    pub(super) fn has_shift(&self) -> bool {
        self.has_shift
    }

    pub(super) fn is_function(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// The bodies of the functions of this name.
    pub(super) fn functions(&self, name: &str) -> impl Iterator<Item = &Function> {
        self.names.get(name).into_iter().flatten().filter_map(|&it| self.functions.get(it))
    }

    pub(super) fn add_alias(&mut self, name: &str, value: &str) {
        self.aliases.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        self.aliases.get(name).map(String::as_str)
    }

    /// The variables and aliases alone, if one of them changed after it was looked up: the text
    /// must be read again with all of them known.
    pub(super) fn stale(&mut self) -> Option<Self> {
        if !self.is_stale {
            return None;
        }
        let mut variables = std::mem::take(&mut self.variables);
        for variable in variables.values_mut() {
            variable.certain_from = None;
        }
        let aliases = std::mem::take(&mut self.aliases);
        Some(Self { variables, aliases, ..Self::default() })
    }
}
