//! What a name stands for: a variable, a part of an object, or a function of a library.

use super::{
    super::{
        super::super::path_zones::UNKNOWN,
        deed::Verb,
        expr::Expr,
        javascript::module_name,
        known,
        machine::Machine,
        parse::Language,
        value::{Origin, Value, is_environment},
    },
    Given,
};

impl Machine<'_> {
    pub(in super::super) fn name(&mut self, name: &str) -> Value {
        let value = self.named(name);
        // In ruby a name alone calls what has it.
        let is_bare = self.language == Language::Ruby && name.starts_with(char::is_lowercase);
        let none = Given { values: Vec::new(), named: Vec::new() };
        match &value {
            Value::Known(full) if is_bare && name != "self" => self.invoke(full, &none),
            Value::Function(function) if is_bare => self.follow(function, &none),
            _ => value,
        }
    }

    /// What has a name.
    pub(super) fn named(&self, name: &str) -> Value {
        if let Some(value) = self.lookup(name) {
            return value.clone();
        }
        let mut full = self.stars.iter().map(|it| format!("{it}.{name}"));
        let full = full.find(|it| known::roles(it).is_some());
        Value::Known(full.unwrap_or_else(|| name.to_owned()))
    }

    pub(in super::super) fn member(&mut self, of: &Expr, name: &str) -> Value {
        let of = self.eval(of);
        self.part(&of, name)
    }

    /// What a value holds under a name.
    pub(in super::super) fn part(&mut self, of: &Value, name: &str) -> Value {
        let parts: Vec<Value> = of
            .options()
            .iter()
            .map(|it| match it {
                Value::Known(base) if is_environment(base) => self.variable(name),
                Value::Known(base) => self.constant(&qualified(base, name)),
                Value::Dict(_) => it.entry(name).cloned().unwrap_or(Value::NOTHING),
                Value::Function(_) if name == "constructor" => Value::Known("Function".to_owned()),
                Value::Text(text, origin) if matches!(name, "parent" | "dirname") => {
                    Value::Text(format!("{text}/.."), *origin)
                }
                Value::Text(..) if matches!(name, "name" | "path" | "stem" | "stdout") => {
                    it.clone()
                }
                Value::Unknown(_)
                | Value::Text(..)
                | Value::Number(_)
                | Value::List(_)
                | Value::Function(_)
                | Value::Several(_) => {
                    let field = self.field(name).cloned();
                    field.unwrap_or(Value::Unknown(it.origin()))
                }
            })
            .collect();
        Value::either(parts)
    }

    pub(in super::super) fn index(&mut self, of: &Expr, key: &Expr) -> Value {
        let of = self.eval(of);
        let key = self.eval(key);
        let texts = key.options().iter().filter_map(Value::known_text);
        let texts: Vec<String> = texts.map(str::to_owned).collect();
        let is_argv =
            matches!(&of, Value::List(all) if !all.is_empty() && all.len() == self.arguments.len());
        if let (Value::List(all), Value::Number(at)) = (&of, &key) {
            let length = i64::try_from(all.len()).unwrap_or(i64::MAX);
            let at = usize::try_from(if *at < 0 { at + length } else { *at }).ok();
            let rest = if is_argv { Origin::CALLER } else { Origin::default() };
            return at.and_then(|it| all.get(it)).cloned().unwrap_or(Value::Unknown(rest));
        }
        if matches!(&of, Value::Known(it) if it == "Dir") {
            return self.listing(&key, false);
        }
        match &of {
            Value::List(all) => Value::either(all.iter().cloned()),
            Value::Known(base) if is_environment(base) && texts.is_empty() => Value::NOTHING,
            Value::Known(_) | Value::Dict(_) | Value::Several(_) if !texts.is_empty() => {
                let found: Vec<Value> = texts.iter().map(|it| self.part(&of, it)).collect();
                let is_hidden = key.origin().has(Origin::COMPUTED)
                    && found.iter().any(|it| matches!(it, Value::Known(name) if known::acts(name)));
                if is_hidden {
                    self.note(Verb::Hide, &key);
                }
                Value::either(found)
            }
            Value::Text(text, origin) => Value::Text(text.clone(), *origin),
            Value::Unknown(_)
            | Value::Number(_)
            | Value::Known(_)
            | Value::Dict(_)
            | Value::Function(_)
            | Value::Several(_) => Value::Unknown(of.origin()),
        }
    }

    /// A variable of the environment.
    pub(in super::super) fn variable(&self, name: &str) -> Value {
        match name {
            "HOME" | "USERPROFILE" => Value::text(&self.zones.user_home),
            "PWD" => Value::text(&self.zones.directory),
            "TMPDIR" | "TEMP" | "TMP" => Value::text("/tmp"),
            "get" | "fetch" | "items" | "keys" | "values" | "copy" | "to_h" | "each" => {
                Value::Known(format!("os.environ.{name}"))
            }
            _ => Value::Text(UNKNOWN.to_string(), Origin::default()),
        }
    }

    /// What a name of a library always is.
    fn constant(&self, name: &str) -> Value {
        match name {
            "os.sep" | "path.sep" | "File.SEPARATOR" => Value::text("/"),
            "os.devnull" | "os.devNull" | "File.NULL" => Value::text("/dev/null"),
            "os.curdir" => Value::text("."),
            "os.pardir" => Value::text(".."),
            "sys.executable" => Value::text("python3"),
            "process.execPath" => Value::text("node"),
            "string.ascii_letters" | "string.ascii_lowercase" | "string.digits" => Value::NOTHING,
            "sys.modules" => Value::Known(String::new()),
            "sys.argv" | "process.argv" | "Deno.args" | "Bun.argv" => {
                Value::List(self.arguments.clone())
            }
            _ => Value::Known(name.to_owned()),
        }
    }
}

/// The name of a part of something with a name, without what says nothing.
pub(in super::super) fn qualified(base: &str, member: &str) -> String {
    const SILENT: [&str; 8] = [
        "__builtins__",
        "__dict__",
        "default",
        "mainModule",
        "posix",
        "promises",
        "prototype",
        "__globals__",
    ];
    const WORLDS: [&str; 11] = [
        "",
        "Kernel",
        "Object",
        "__builtins__",
        "builtins",
        "global",
        "globalThis",
        "self",
        "this",
        "window",
        "CORE",
    ];
    if SILENT.contains(&member) {
        return base.to_owned();
    }
    if WORLDS.contains(&base) || (base == "process" && matches!(member, "require")) {
        return module_name(member).to_owned();
    }
    format!("{base}.{member}")
}
