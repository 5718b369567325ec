//! Names and calls: which function is meant, and what becomes of what it is given.

mod names;
mod roles;

use std::rc::Rc;

use super::{
    super::super::path_zones::ANY,
    deed::Verb,
    expr::{Argument, Call, Expr, Function},
    known::{self, Role},
    machine::Machine,
    parse::Language,
    value::{Origin, Value, is_environment, origin_of},
};

pub(super) use self::names::qualified;

/// What a call is given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) values: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

impl Given {
    pub(super) fn at(&self, at: usize) -> Value {
        self.values.get(at).cloned().unwrap_or(Value::NOTHING)
    }

    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(it, _)| it == name).map(|(_, it)| it)
    }

    pub(super) fn origin(&self) -> Origin {
        let named = self.named.iter().fold(Origin::default(), |sum, it| sum.and(it.1.origin()));
        origin_of(&self.values).and(named)
    }

    fn all(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().chain(self.named.iter().map(|it| &it.1))
    }

    /// The same with something in front.
    pub(super) fn after(&self, first: Value) -> Self {
        let values = [vec![first], self.values.clone()].concat();
        Self { values, named: self.named.clone() }
    }
}

/// What is called where an object is made.
const CONSTRUCTORS: [&str; 4] = ["__init__", "__new__", "constructor", "initialize"];

/// The key under which a file that was opened holds its path.
const FILE: &str = "\u{0}";

impl Machine<'_> {
    pub(super) fn call(&mut self, call: &Call) -> Value {
        // A list that grows keeps its name.
        if let Expr::Member(of, method) = &call.callee
            && let Expr::Name(name) = &**of
            && let Some(Value::List(all)) = self.lookup(name).cloned()
            && let Some(grown) = self.grown(all, method, call)
        {
            self.update(name, grown.clone());
            return grown;
        }
        let (method, callee) = match &call.callee {
            Expr::Member(of, method) => (Some(method.as_str()), self.eval(of)),
            // The callee of a call is not a call of its own.
            Expr::Name(name) => (None, self.named(name)),
            other => (None, self.eval(other)),
        };
        let given = self.given(&call.arguments);
        let mut results = Vec::new();
        for option in callee.options() {
            let result = match (option, method) {
                (Value::Known(base), Some(method)) => self.invoke_of(base, method, &given),
                (Value::Known(name), None) => self.invoke(name, &given),
                (Value::Function(function), None) => self.follow(function, &given),
                (Value::Dict(_), None | Some("new")) if is_class(option) => {
                    self.made(option, &given)
                }
                (Value::Function(function), Some("call" | "bind" | "apply")) => {
                    self.called_as(function, method, &given)
                }
                (_, Some(method)) => self.method(option, method, &given),
                (_, None) => {
                    self.hand_over("", &given);
                    Value::Unknown(option.origin().and(given.origin()))
                }
            };
            results.push(result);
        }
        Value::either(results)
    }

    /// An object of a class is made.
    fn made(&mut self, class: &Value, given: &Given) -> Value {
        for name in CONSTRUCTORS {
            if let Some(Value::Function(function)) = class.entry(name).cloned() {
                self.own_methods(&[function], given);
            }
        }
        self.call_back(given, &Value::NOTHING);
        Value::NOTHING
    }

    fn called_as(&mut self, function: &Rc<Function>, how: Option<&str>, given: &Given) -> Value {
        let is_ruby = self.language == Language::Ruby;
        let values = match how {
            Some("bind") => return Value::Function(Rc::clone(function)),
            Some("apply") => given.at(1).members().unwrap_or_default().to_vec(),
            _ => given.values.get(usize::from(!is_ruby)..).unwrap_or_default().to_vec(),
        };
        self.apply(function, &values, Origin::default())
    }

    fn grown(&mut self, mut all: Vec<Value>, method: &str, call: &Call) -> Option<Value> {
        let first = &call.arguments.first()?.value;
        match method {
            "append" | "push" | "add" | "<<" => {
                let more = self.given(&call.arguments).values;
                all.extend(more);
            }
            "extend" | "concat" => match self.eval(first) {
                Value::List(more) => all.extend(more),
                other => all.push(other),
            },
            "insert" | "unshift" => {
                let mut more = self.given(&call.arguments).values;
                all = [more.pop().into_iter().collect(), all].concat();
            }
            _ => return None,
        }
        Some(Value::List(all))
    }

    fn given(&mut self, arguments: &[Argument]) -> Given {
        let mut given = Given { values: Vec::new(), named: Vec::new() };
        for it in arguments {
            let value = self.eval(&it.value);
            match (&it.name, &it.value, value) {
                (Some(name), _, value) => given.named.push((name.clone(), value)),
                (None, Expr::Spread(_), Value::List(inner)) => given.values.extend(inner),
                (None, _, value) => given.values.push(value),
            }
        }
        given
    }

    /// A function of the code itself.
    fn follow(&mut self, function: &Rc<Function>, given: &Given) -> Value {
        let mut values = given.values.clone();
        for (at, parameter) in function.parameters.iter().enumerate() {
            let name = match parameter {
                Expr::Name(name) => name,
                Expr::Assign { to, .. } => match &**to {
                    Expr::Name(name) => name,
                    _ => continue,
                },
                _ => continue,
            };
            if let Some(value) = given.named(name).filter(|_| at >= values.len()) {
                values.resize(at, Value::NOTHING);
                values.push(value.clone());
            }
        }
        self.apply_once(function, &values, Origin::default())
    }

    /// A function of the object that a name stands for.
    fn invoke_of(&mut self, base: &str, method: &str, given: &Given) -> Value {
        let name = qualified(base, method);
        if let Some(own) =
            self.methods.get(method).filter(|_| known::roles(&name).is_none()).cloned()
        {
            return self.own_methods(&own, given);
        }
        if matches!(method, "call" | "apply" | "bind") && known::roles(base).is_some() {
            let values = match method {
                "apply" => given.at(1).members().unwrap_or_default().to_vec(),
                _ => given.values.get(1..).unwrap_or_default().to_vec(),
            };
            return self.invoke(base, &Given { values, named: Vec::new() });
        }
        if is_environment(base) {
            return self.environment(method, given);
        }
        if matches!(method, "send" | "public_send" | "__send__" | "method") {
            return self.sent(Some(&Value::Known(base.to_owned())), method, given);
        }
        self.invoke(&name, given)
    }

    fn environment(&mut self, method: &str, given: &Given) -> Value {
        let given_name = given.values.first().and_then(Value::known_text).map(str::to_owned);
        match (method, given_name) {
            ("get" | "fetch" | "pop", Some(name)) => self.variable(&name),
            ("get" | "fetch" | "pop" | "setdefault" | "has_key?" | "key?", _) => Value::NOTHING,
            ("update", _) => Value::NOTHING,
            _ => {
                self.saw_environment |= !self.is_idle;
                self.call_back(given, &Value::Unknown(Origin::ENVIRONMENT));
                Value::Unknown(Origin::ENVIRONMENT)
            }
        }
    }

    /// A function of a library, or one that nothing is known of.
    pub(super) fn invoke(&mut self, name: &str, given: &Given) -> Value {
        let name = name.trim_start_matches('.');
        if let Some(value) = self.fold(name, given) {
            return value;
        }
        self.processes(name, given);
        let scoped = match self.language {
            Language::Python => format!("python.{name}"),
            Language::Perl => format!("perl.{name}"),
            Language::JavaScript | Language::Ruby => String::new(),
        };
        let mut rest = name;
        let mut found = known::roles(&scoped).or_else(|| known::roles(name));
        while let Some((_, shorter)) =
            rest.split_once('.').filter(|it| found.is_none() && it.1.contains('.'))
        {
            found = known::roles(shorter);
            rest = shorter;
        }
        let origin = given.origin();
        if let Some(roles) = found {
            return self.play(name, roles, given).with(origin);
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        let by_method = known::roles(&format!(".{last}")).filter(|_| name.contains('.'));
        match by_method {
            Some(roles) if roles.first() == Some(&Role::Open) => {
                self.play(name, roles, given).with(origin)
            }
            Some(roles) => {
                let given = given.after(Value::NOTHING);
                // Without a path to begin with, it is not about the thing that it belongs to.
                let roles: Vec<Role> = roles
                    .iter()
                    .enumerate()
                    .map(|(at, it)| if at == 0 { Role::Nothing } else { *it })
                    .collect();
                self.hand_over(name, &given);
                self.play(name, &roles, &given).with(origin)
            }
            None => {
                self.hand_over(name, given);
                Value::Unknown(origin)
            }
        }
    }

    /// A method of a value.
    fn method(&mut self, of: &Value, method: &str, given: &Given) -> Value {
        if let Some(path) = of.entry(FILE).cloned() {
            for content in &given.values {
                self.note_content(&path, content);
            }
            return Value::NOTHING;
        }
        if let Value::Dict(_) = of
            && let Some(Value::Function(function)) = of.entry(method).cloned()
        {
            return self.follow(&function, given);
        }
        if let Some(value) = self.fold_method(of, method, given) {
            return value;
        }
        let origin = of.origin().and(given.origin());
        if let Some(own) = self.methods.get(method).cloned() {
            return self.own_methods(&own, given).with(of.origin());
        }
        let dotted = format!(".{method}");
        match known::roles(&dotted) {
            Some([Role::Open, ..]) if !matches!(of, Value::Text(..)) => {
                self.hand_over(method, given);
                Value::Unknown(origin)
            }
            Some(roles) => self.play(&dotted, roles, &given.after(of.clone())).with(origin),
            None => {
                self.hand_over(method, given);
                Value::Unknown(origin)
            }
        }
    }

    /// Functions of the code that have the name of a method.
    fn own_methods(&mut self, own: &[Rc<Function>], given: &Given) -> Value {
        let results: Vec<Value> = own
            .iter()
            .map(|it| {
                let has_self = matches!(it.parameters.first(), Some(Expr::Name(name)) if name == "self" || name == "cls");
                // The object is whatever somebody made.
                let given = if has_self { given.after(Value::Unknown(Origin::CALLER)) } else { given.clone() };
                self.apply_method(it, &given.values)
            })
            .collect();
        Value::either(results)
    }

    /// A function is called with each of some values.
    fn for_each(&mut self, function: &Value, items: &Value) -> Value {
        let turns: Vec<Value> = match items {
            Value::List(all) if all.len() <= 256 => all.clone(),
            other => vec![other.clone()],
        };
        let mut made = Vec::new();
        for turn in turns {
            made.push(self.call_value(function, vec![turn]));
        }
        if matches!(items, Value::List(_)) { Value::List(made) } else { Value::either(made) }
    }

    /// Calls a value.
    pub(super) fn call_value(&mut self, function: &Value, values: Vec<Value>) -> Value {
        let given = Given { values, named: Vec::new() };
        match function {
            Value::Function(function) => self.apply(function, &given.values, given.origin()),
            Value::Known(name) => self.invoke(name, &given),
            Value::Unknown(_)
            | Value::Text(..)
            | Value::Number(_)
            | Value::List(_)
            | Value::Dict(_)
            | Value::Several(_) => Value::Unknown(given.origin()),
        }
    }

    /// Functions that are handed over are called some time, with values that are not known.
    pub(super) fn call_back(&mut self, given: &Given, with: &Value) {
        for it in given.all() {
            if let Value::Function(function) = it {
                let values = vec![with.clone(); function.parameters.len()];
                self.apply(function, &values, with.origin());
            }
        }
    }

    /// A call that nothing is known of.
    fn hand_over(&mut self, name: &str, given: &Given) {
        self.call_back(given, &Value::Unknown(given.origin()));
        if known::is_harmless(name) {
            return;
        }
        let verb = if known::sounds_like_writing(name) { Verb::GiveToWriter } else { Verb::Give };
        for value in given.all() {
            self.note(verb, value);
        }
    }

    /// The names that a folder has, or the paths.
    pub(super) fn listing(&mut self, pattern: &Value, is_below: bool) -> Value {
        let mut found = Vec::new();
        for option in pattern.options() {
            for (text, origin) in option.texts() {
                let text = super::super::super::path_zones::marked(&text);
                let text = if is_below { format!("{text}/{ANY}") } else { text };
                found.push(Value::Text(text, origin));
            }
        }
        Value::List(found)
    }
}

/// Whether nothing but functions is held.
fn is_class(value: &Value) -> bool {
    match value {
        Value::Dict(all) => all.iter().all(|it| matches!(it.1, Value::Function(_))),
        Value::Unknown(_)
        | Value::Text(..)
        | Value::Number(_)
        | Value::List(_)
        | Value::Known(_)
        | Value::Function(_)
        | Value::Several(_) => false,
    }
}
