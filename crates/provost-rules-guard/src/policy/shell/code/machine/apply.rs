//! Follows functions into what they do, as far as that is bounded.

use std::{collections::BTreeMap, rc::Rc};

use super::{
    super::{
        expr::{Expr, Function},
        value::{Origin, Value},
    },
    Machine,
};

/// How many calls are followed into each other.
const MAX_CALLS: usize = 12;
/// How deep calls are followed that are given nothing that is known.
const MAX_UNTOLD: usize = 1;
/// The same for calls that are given something.
const MAX_TOLD: usize = 3;

impl Machine<'_> {
    /// Follows a function with what it is given; what it is not given is of this origin.
    pub(in super::super) fn apply(
        &mut self,
        function: &Rc<Function>,
        given: &[Value],
        rest: Origin,
    ) -> Value {
        // What calls itself is followed once more: both sides of its branches are.
        let n_open = self.open.iter().filter(|it| **it == function.at).count();
        if n_open > 1 || self.open.len() > MAX_CALLS || self.is_over {
            return Value::Unknown(rest);
        }
        self.called.insert(function.at);
        self.open.push(function.at);
        self.scopes.push(BTreeMap::new());
        self.returns.push(Vec::new());
        let outside = std::mem::take(&mut self.conditional);
        for (at, parameter) in function.parameters.iter().enumerate() {
            let value = match parameter {
                Expr::Spread(_) if !given.is_empty() => {
                    Value::List(given.get(at..).unwrap_or_default().to_vec())
                }
                // What is not given has its default.
                Expr::Assign { value, .. } if at >= given.len() && !rest.has(Origin::CALLER) => {
                    self.eval(value)
                }
                _ => given.get(at).cloned().unwrap_or(Value::Unknown(rest)),
            };
            self.bind_own(parameter, &value);
        }
        let last = self.all(&function.body);
        self.conditional = outside;
        self.scopes.pop();
        self.open.pop();
        let mut returned = self.returns.pop().unwrap_or_default();
        returned.push(last);
        Value::either(returned)
    }

    /// Follows a method of an object that is not known.
    pub(in super::super) fn apply_method(
        &mut self,
        function: &Rc<Function>,
        given: &[Value],
    ) -> Value {
        let endless = std::mem::take(&mut self.endless);
        let value = self.apply_once(function, given, Origin::CALLER);
        self.endless = endless;
        value
    }

    /// Follows a function once for the same things, as long as what it can see besides stays.
    pub(in super::super) fn apply_once(
        &mut self,
        function: &Rc<Function>,
        given: &[Value],
        rest: Origin,
    ) -> Value {
        // What nothing calls is followed into what it calls, and no further.
        if self.is_idle && self.open.len() > 1 {
            return Value::Unknown(Origin::CALLER);
        }
        let told = format!("{given:?}{}{rest:?}{:?}", self.picked > 0, self.folder);
        if told.len() > 2048 {
            return self.apply(function, given, rest);
        }
        let is_telling = given.iter().any(|it| !matches!(it, Value::Unknown(_)));
        // Deep in calls, a function is left to be followed by itself.
        if self.open.len() > if is_telling { MAX_TOLD } else { MAX_UNTOLD } {
            return Value::Unknown(Origin::CALLER);
        }
        // What is given here can be seen by functions inside.
        let is_new = is_telling && self.told.insert((function.at, told.clone()));
        self.version += usize::from(is_new);
        let key = (function.at, self.version, told);
        if let Some(value) = self.followed.get(&key) {
            return value.clone();
        }
        self.followed.insert(key.clone(), Value::Unknown(rest));
        let value = self.apply(function, given, rest);
        self.followed.insert(key, value.clone());
        value
    }
}
