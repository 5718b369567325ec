//! What a text defines: variables, functions and aliases.
//!
//! Order and branches are not followed. A variable has every value that the text gives it
//! anywhere, so that no loop or branch can hide one.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::Value;

/// More values than this are not kept apart.
const MAX_VALUES: usize = 8;
/// More texts than this are not kept.
const MAX_SOURCES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Scope {
    variables: BTreeMap<String, Variable>,
    functions: Vec<Function>,
    names: BTreeMap<String, Named>,
    aliases: BTreeMap<String, String>,
    /// The texts that set variables whose name is computed: it may be any.
    computed: Vec<String>,
    /// The variables that have been looked up.
    used: BTreeSet<String>,
    /// Whether `shift` stands anywhere.
    has_shift: bool,
    /// The characters at which values are split, besides blanks.
    separators: String,
    /// Whether a text uses `$_`.
    keeps_last_word: bool,
    /// Whether a variable got a value after it was looked up.
    is_stale: bool,
}

#[derive(Debug, Default)]
pub(super) struct Variable {
    pub(super) values: Vec<Value>,
    /// Whether it may have a value that is not in the list.
    pub(super) is_open: bool,
    /// The texts that give it values which are not known.
    pub(super) sources: Vec<String>,
    /// The draft from which on it certainly has one of them.
    pub(super) certain_from: Option<usize>,
}

/// All functions of one name: which of them a call means is not followed.
#[derive(Debug, Default)]
struct Named {
    functions: Vec<usize>,
    n_drafts: usize,
}

#[derive(Debug, Default)]
pub(super) struct Function {
    name: String,
    /// The drafts of its body.
    pub(super) drafts: Vec<usize>,
    /// Whether it moves its arguments with `shift`.
    pub(super) has_shift: bool,
}

impl Scope {
    /// Notes a value that a variable may have.
    pub(super) fn assign(&mut self, name: &str, value: Value) {
        let is_used = self.used.contains(name);
        let variable = self.variables.entry(name.to_owned()).or_default();
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

    /// Notes the text that gives a variable its value.
    pub(super) fn note_source(&mut self, name: &str, source: &str) {
        if let Some(variable) = self.variables.get_mut(name)
            && !source.is_empty()
            && variable.sources.len() < MAX_SOURCES
        {
            variable.sources.push(source.to_owned());
        }
    }

    /// Notes a text that sets a variable whose name is computed.
    pub(super) fn note_computed(&mut self, source: &str) {
        if self.computed.len() < MAX_SOURCES {
            self.computed.push(source.to_owned());
        }
    }

    /// The texts that say what some variables stand for, directly or through other variables.
    pub(super) fn sources(&self, mut names: Vec<String>) -> Vec<&str> {
        if names.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<&str> = self.computed.iter().map(String::as_str).collect();
        let mut at = 0;
        while let Some(variable) = names.get(at).map(|it| self.variables.get(it)) {
            at += 1;
            let Some(variable) = variable else { continue };
            found.extend(variable.sources.iter().map(String::as_str));
            for value in &variable.values {
                let mut inner = Vec::new();
                value.name_parameters(&mut inner);
                inner.retain(|it| !names.contains(it));
                names.extend(inner.into_iter().take(MAX_VALUES.saturating_sub(names.len())));
            }
        }
        found
    }

    /// Whether the last word of each command is kept, as `$_`.
    pub(super) fn keeps_last_word(&self) -> bool {
        self.keeps_last_word
    }

    /// Keeps the last word of each command from now on, if this text uses it.
    pub(super) fn note_text(&mut self, text: &str) {
        self.keeps_last_word |= text.contains("$_") || text.contains("${_");
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

    /// Notes characters at which values are split.
    pub(super) fn add_separators(&mut self, signs: &str) {
        let is_new = |it: &char| !it.is_whitespace() && !self.separators.contains(*it);
        let added: String = signs.chars().filter(is_new).take(MAX_VALUES).collect();
        if self.separators.len() < MAX_SOURCES {
            self.separators.push_str(&added);
        }
    }

    pub(super) fn separators(&self) -> &str {
        &self.separators
    }

    /// Begins a function; answers with its number.
    pub(super) fn define(&mut self, name: &str) -> usize {
        let id = self.functions.len();
        self.functions.push(Function { name: name.to_owned(), ..Function::default() });
        self.names.entry(name.to_owned()).or_default().functions.push(id);
        id
    }

    pub(super) fn add_to_function(&mut self, function: usize, draft: usize) {
        if let Some(function) = self.functions.get_mut(function) {
            function.drafts.push(draft);
            if let Some(named) = self.names.get_mut(&function.name) {
                named.n_drafts += 1;
            }
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
        let ids = self.names.get(name).into_iter().flat_map(|it| &it.functions);
        ids.filter_map(|&it| self.functions.get(it))
    }

    /// How many drafts the bodies of the functions of this name have, and functions they are.
    pub(super) fn size_of_functions(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, |it| it.n_drafts + it.functions.len())
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
