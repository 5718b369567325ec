//! What names, fields and entries hold from here on.

use std::rc::Rc;

use super::{
    super::{
        deed::Verb,
        expr::Expr,
        value::{Origin, Value, join},
    },
    Machine,
};

impl Machine<'_> {
    pub(super) fn bind(&mut self, to: &Expr, value: &Value) {
        match to {
            Expr::Name(name) if name == "*" => {
                if let Value::Known(module) = value {
                    self.stars.push(module.trim_end_matches('.').to_owned());
                }
            }
            Expr::Name(name) => self.set(name, value.clone()),
            Expr::List(all) => self.take_apart(all, value),
            Expr::Dict(pairs) => {
                for (key, to) in pairs {
                    let key = self.eval(key);
                    let part = match key.known_text() {
                        Some(key) => self.part(value, key),
                        None => Value::Unknown(value.origin()),
                    };
                    self.bind(to, &part);
                }
            }
            // A default: what is given, or else this.
            Expr::Assign { to, value: given } => {
                let given = self.eval(given);
                let is_known = !matches!(value, Value::Unknown(_));
                let value =
                    if is_known { value.clone() } else { Value::either([value.clone(), given]) };
                self.bind(to, &value);
            }
            Expr::Member(of, name) => {
                self.eval(of);
                self.version += usize::from(self.open.is_empty());
                let before = self.fields.remove(name);
                let value = Value::either(before.into_iter().chain([value.clone()]));
                self.fields.insert(name.clone(), value);
            }
            Expr::Index(of, key) => self.set_entry(of, key, value),
            Expr::Spread(inner) => self.bind(inner, value),
            Expr::Block(all) | Expr::Other(all) => {
                for it in all {
                    self.bind(it, value);
                }
            }
            Expr::Text(name) => self.set(name, value.clone()),
            Expr::Number(_)
            | Expr::Known(_)
            | Expr::Call(_)
            | Expr::Joined(_)
            | Expr::Slash(..)
            | Expr::Format(..)
            | Expr::Function(_)
            | Expr::Class(_)
            | Expr::Append { .. }
            | Expr::Each { .. }
            | Expr::Loop { .. }
            | Expr::Branch { .. }
            | Expr::Either(_)
            | Expr::Return(_)
            | Expr::Shell(_) => {
                self.eval(to);
            }
        }
    }

    fn take_apart(&mut self, all: &[Expr], value: &Value) {
        for (at, to) in all.iter().enumerate() {
            let part = match value {
                Value::List(inner) if matches!(to, Expr::Spread(_)) => {
                    Value::List(inner.get(at..).unwrap_or_default().to_vec())
                }
                Value::List(inner) => inner.get(at).cloned().unwrap_or(Value::NOTHING),
                Value::Several(_)
                | Value::Unknown(_)
                | Value::Text(..)
                | Value::Number(_)
                | Value::Dict(_)
                | Value::Known(_)
                | Value::Function(_) => Value::Unknown(value.origin()),
            };
            self.bind(to, &part);
        }
    }

    fn set(&mut self, name: &str, value: Value) {
        if let Value::Function(function) = &value {
            let known = self.methods.entry(name.to_owned()).or_default();
            if !known.iter().any(|it| it.at == function.at) {
                known.push(Rc::clone(function));
            }
        }
        let holder = self.scopes.iter().rposition(|it| it.contains_key(name));
        let is_joined = self.conditional > 0 && holder.is_some();
        let at = holder.unwrap_or(self.scopes.len() - 1);
        self.version += usize::from(at == 0);
        let Some(scope) = self.scopes.get_mut(at) else { return };
        let before = if is_joined { scope.remove(name) } else { None };
        let value = match (before, value) {
            (Some(Value::Function(one)), Value::Function(two)) if one.at == two.at => {
                Value::Function(two)
            }
            (before, value) => Value::either(before.into_iter().chain([value])),
        };
        scope.insert(name.to_owned(), value);
    }

    /// Replaces what a name holds, without a doubt about what it held before.
    pub(in super::super) fn update(&mut self, name: &str, value: Value) {
        if let Some(scope) = self.scopes.iter_mut().rev().find(|it| it.contains_key(name)) {
            scope.insert(name.to_owned(), value);
        }
    }

    fn set_entry(&mut self, of: &Expr, key: &Expr, value: &Value) {
        let base = self.eval(of);
        let key = self.eval(key);
        if base.origin().has(Origin::ENVIRONMENT) {
            let name = key.piece();
            let parts = [Value::text("export "), Value::Text(name.0, name.1), Value::text("=x")];
            self.note(Verb::Line, &join(&parts, ""));
        }
        if let (Expr::Name(name), Value::Dict(mut all)) = (of, base) {
            all.push((key.known_text().unwrap_or_default().to_owned(), value.clone()));
            self.update(name, Value::Dict(all));
        }
    }

    pub(super) fn append(&mut self, to: &Expr, value: &Expr) -> Value {
        let before = self.eval(to);
        let more = self.eval(value);
        let value = match (before, more) {
            (Value::List(mut all), Value::List(more)) => {
                all.extend(more);
                Value::List(all)
            }
            (Value::List(mut all), more) => {
                all.push(more);
                Value::List(all)
            }
            (Value::Number(_), _) => Value::NOTHING,
            (before, more) => join(&[before, more], ""),
        };
        self.bind(to, &value);
        value
    }

    /// Binds a parameter, which hides what has its name outside.
    pub(super) fn bind_own(&mut self, parameter: &Expr, value: &Value) {
        let mut open = vec![parameter];
        while let Some(it) = open.pop() {
            match it {
                Expr::Name(name) => {
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.insert(name.clone(), Value::NOTHING);
                    }
                }
                Expr::Spread(inner) => open.push(inner),
                Expr::Assign { to, .. } => open.push(to),
                Expr::List(all) | Expr::Block(all) | Expr::Other(all) => open.extend(all),
                Expr::Dict(pairs) => open.extend(pairs.iter().map(|it| &it.1)),
                _ => {}
            }
        }
        self.bind(parameter, value);
    }
}
