//! API keys: looked up here and nowhere else, from the variables that a configuration names.
//!
//! A key goes into one header or into the environment of one program. It is never printed, and
//! every other program is started without it: a job inherits only listed variables.

use std::{collections::BTreeMap, convert::Infallible};

use secrecy::{ExposeSecret as _, SecretString};

/// The keys that a configuration names and that are set.
#[derive(Clone, Debug, Default)]
pub struct Keys(BTreeMap<String, SecretString>);

/// The key of one server. It is never printed.
#[derive(Clone, Debug)]
pub enum ApiKey {
    NotNeeded,
    /// It comes from this environment variable.
    FromVariable {
        variable: String,
        secret: Option<SecretString>,
    },
}

impl Keys {
    /// Looks up the named variables. An empty one counts as not set.
    pub fn read<'n, 'v, E>(
        names: impl IntoIterator<Item = &'n str>,
        lookup: impl Fn(&str) -> Result<Option<&'v str>, E>,
    ) -> Result<Self, E> {
        let mut keys = BTreeMap::new();
        for name in names {
            if let Some(value) = lookup(name)?.filter(|it| !it.is_empty()) {
                keys.insert(name.to_owned(), SecretString::from(value));
            }
        }
        Ok(Self(keys))
    }

    /// The same from variables that were read before.
    pub fn of<'n>(
        names: impl IntoIterator<Item = &'n str>,
        variables: &BTreeMap<String, String>,
    ) -> Self {
        let lookup = |name: &str| Ok::<_, Infallible>(variables.get(name).map(String::as_str));
        Self::read(names, lookup).unwrap_or_default()
    }

    /// The key of a server that names this variable.
    pub fn api_key(&self, variable: Option<&str>) -> ApiKey {
        match variable {
            None => ApiKey::NotNeeded,
            Some(variable) => ApiKey::FromVariable {
                variable: variable.to_owned(),
                secret: self.0.get(variable).cloned(),
            },
        }
    }

    /// Drops every key whose name is not wanted.
    pub(crate) fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) {
        self.0.retain(|name, _| is_wanted(name));
    }

    /// Variables for the one program that needs the keys.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|(name, it)| (name.clone(), it.expose_secret().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_variables_that_are_set_are_looked_up() {
        let variables: BTreeMap<String, String> =
            [("A", "one"), ("B", ""), ("C", "three")].map(|(a, b)| (a.into(), b.into())).into();
        let mut keys = Keys::of(["A", "B", "D"], &variables);
        let set = |keys: &Keys| keys.environment().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(set(&keys), ["A"]);
        assert!(matches!(keys.api_key(None), ApiKey::NotNeeded));
        let is_set =
            |name| matches!(keys.api_key(Some(name)), ApiKey::FromVariable { secret: Some(_), .. });
        assert!(is_set("A") && !is_set("B") && !is_set("C"));
        assert!(!format!("{keys:?}").contains("one"));
        keys.retain(|it| it == "C");
        assert!(set(&keys).is_empty());
    }
}
