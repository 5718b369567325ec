//! What becomes of what a call is given, by the role that the table of calls gives it.

use super::{
    super::{
        super::super::path_zones::UNKNOWN,
        deed::Verb,
        known::Role,
        machine::Machine,
        parse::Language,
        value::{Origin, Value, join},
    },
    FILE, Given,
};

/// The names of what is given by name, where it stands for the first thing of a call.
const FIRST_NAMES: [&str; 12] = [
    "args",
    "cmd",
    "command",
    "dirname",
    "file",
    "filename",
    "name",
    "path",
    "source",
    "src",
    "target_file",
    "url",
];

impl Machine<'_> {
    /// What becomes of what a call is given, by the table.
    pub(super) fn play(&mut self, name: &str, roles: &[Role], given: &Given) -> Value {
        let mut values = given.values.clone();
        if values.is_empty() {
            let first = given.named.iter().find(|(it, _)| FIRST_NAMES.contains(&it.as_str()));
            values.extend(first.map(|it| it.1.clone()));
        }
        let given = Given { values, named: given.named.clone() };
        let mut result = Value::NOTHING;
        let n_roles = roles.len().min(given.values.len());
        for (at, role) in roles.iter().take(n_roles).enumerate() {
            let value = given.at(at);
            match role {
                Role::Nothing => {}
                // Options stand behind the path.
                Role::Delete | Role::Move | Role::Write | Role::Read
                    if matches!(value, Value::Dict(_) | Value::Function(_)) => {}
                Role::Delete => self.note(Verb::Delete, &value),
                Role::Move => self.note(Verb::Move, &value),
                Role::Write => {
                    self.note(Verb::Write, &value);
                    if let (Some(content), true) = (given.values.get(at + 1), at + 1 == n_roles) {
                        self.note_content(&value, content);
                    }
                }
                Role::Unpack => self.note(Verb::Unpack, &value),
                Role::Link => self.note(Verb::Link, &value),
                Role::Read => result = self.read(&value),
                Role::Open => result = self.open(&value, &given, at),
                Role::OpenSigned => result = self.open_signed(&value, &given, at),
                Role::Line => self.note(Verb::Line, &value),
                Role::Words => self.words(&value),
                Role::Program => self.program(given.values.get(at..).unwrap_or_default()),
                Role::ProgramList => self.program_list(name, &value, &given.at(at + 1)),
                Role::Code => self.note(Verb::Code, &value),
                Role::Statement => self.note(Verb::Statement, &value),
                Role::Address => {
                    self.note(Verb::Fetch, &value);
                    result = Value::Unknown(Origin::FETCHED);
                }
                Role::Sent => self.note(Verb::Send, &value),
                Role::Call => {
                    let items = given.at(1 - at.min(1));
                    return self.for_each(&value, &items);
                }
            }
        }
        if roles.contains(&Role::Sent) {
            for (_, value) in &given.named {
                self.note(Verb::Send, value);
            }
            result = result.with(Origin::FETCHED);
        }
        if roles.first() == Some(&Role::Delete) && n_roles == 0 && self.language == Language::Perl {
            let topic = self.name("$_");
            self.note(Verb::Delete, &topic);
        }
        self.call_back(&given, &result);
        result
    }

    fn read(&mut self, path: &Value) -> Value {
        self.note(Verb::Read, path);
        let is_far = path.texts().iter().any(|(it, _)| {
            let target = self.zones.spelled(it, self.folder.as_deref());
            target.path.starts_with('/') && !self.zones.is_inside(&target.path)
        });
        Value::Unknown(if is_far { Origin::FILE } else { Origin::default() })
    }

    /// `open(path, mode)`
    fn open(&mut self, path: &Value, given: &Given, at: usize) -> Value {
        let mode = given.named("mode").cloned().or_else(|| given.values.get(at + 1).cloned());
        let writes = match mode {
            None => false,
            Some(Value::Text(mode, _)) => {
                let mode = mode.split([':', '|']).next().unwrap_or_default();
                mode.contains(['w', 'a', 'x', '+']) || mode.contains(UNKNOWN)
            }
            Some(Value::Known(flags)) => flags != "None" && !flags.ends_with("RDONLY"),
            Some(Value::Dict(_) | Value::Function(_)) => false,
            Some(_) => true,
        };
        if writes {
            self.note(Verb::Write, path);
            let file = Value::Dict(vec![(FILE.to_owned(), path.clone())]);
            self.call_back(given, &file);
            return file;
        }
        self.read(path)
    }

    /// perl's `open(F, "<", path)` and `open(F, "<path")`
    fn open_signed(&mut self, sign: &Value, given: &Given, at: usize) -> Value {
        let text = sign.piece().0;
        let writes = text.trim_start().starts_with(['>', '+']);
        let path = if let Some(path) = given.values.get(at + 1) {
            path.clone()
        } else {
            let bare = text.trim_start_matches(['<', '>', '+', ' ']).to_owned();
            Value::Text(bare, sign.origin())
        };
        if text.contains('|') {
            let line = text.trim_matches(['|', '-', ' ']).to_owned();
            self.note(Verb::Line, &Value::Text(line, sign.origin()));
            if text.trim().starts_with(['|', '-']) || text.trim().ends_with('-') {
                let rest = given.values.get(at + 1..).unwrap_or_default();
                if !rest.is_empty() {
                    self.program(rest);
                }
            }
            return Value::NOTHING;
        }
        if writes {
            self.note(Verb::Write, &path);
            return Value::NOTHING;
        }
        self.read(&path)
    }

    /// A list of words, or a line.
    fn words(&mut self, value: &Value) {
        for option in value.options() {
            match option {
                Value::List(_) => self.note(Verb::Words, option),
                other => self.note(Verb::Line, other),
            }
        }
    }

    /// A program and its words one by one; a single one is a line.
    fn program(&mut self, values: &[Value]) {
        let values: Vec<Value> =
            values.iter().filter(|it| !matches!(it, Value::Dict(_))).cloned().collect();
        match values.as_slice() {
            [] => {}
            [one] => self.words(one),
            several => {
                let words = several.iter().flat_map(|it| match it {
                    Value::List(inner) => inner.clone(),
                    other => vec![other.clone()],
                });
                self.note(Verb::Words, &Value::List(words.collect()));
            }
        }
    }

    /// A program, and the list of its words; some want its name once more in it.
    fn program_list(&mut self, name: &str, program: &Value, list: &Value) {
        let again = usize::from(name.starts_with("os."));
        let words = match list {
            Value::List(all) => all.get(again.min(all.len())..).unwrap_or_default().to_vec(),
            Value::Dict(_) | Value::Function(_) => Vec::new(),
            Value::Unknown(_)
            | Value::Several(_)
            | Value::Text(..)
            | Value::Number(_)
            | Value::Known(_) => {
                vec![list.clone()]
            }
        };
        let is_line = program.texts().iter().any(|it| it.0.contains(' '));
        if is_line {
            self.note(Verb::Line, &join(&[vec![program.clone()], words].concat(), " "));
            return;
        }
        for option in program.options() {
            self.note(Verb::Words, &Value::List([vec![option.clone()], words.clone()].concat()));
        }
    }

    /// What is done to processes, and with the rights of another user.
    pub(super) fn processes(&mut self, name: &str, given: &Given) {
        let last = name.rsplit('.').next().unwrap_or(name);
        match last {
            "Function" if self.language == Language::JavaScript => {
                self.note(Verb::Hide, &Value::text("Function"));
            }
            "fork" if self.is_endless() => self.note(Verb::Fork, &Value::text(name)),
            "setuid" | "seteuid" | "setreuid" | "setresuid" | "change_privilege"
                if matches!(given.values.first(), Some(Value::Number(0))) =>
            {
                self.note(Verb::Become, &Value::text(name));
            }
            "dup2" => self.note(Verb::Redirect, &Value::text(name)),
            "socket" | "create_connection" | "TCPSocket" | "createConnection" | "connect"
                if name.contains('.') || last == "socket" =>
            {
                self.note(Verb::Connect, &Value::text(name));
            }
            "kill" | "killpg" if name.contains('.') => {
                let target =
                    given.values.iter().filter(|it| matches!(it, Value::Number(n) if *n < 1));
                if target.count() > 0 {
                    self.note(Verb::Line, &Value::text("kill -9 -1"));
                }
            }
            "chmod" | "chown" | "chmodSync" | "chown_R" | "chmod_R" => {
                let paths: Vec<Value> = given
                    .values
                    .iter()
                    .filter(|it| matches!(it, Value::Text(..)))
                    .cloned()
                    .collect();
                let mode = given.values.iter().find_map(|it| match it {
                    Value::Number(mode) => Some(format!("{mode:o}")),
                    _ => None,
                });
                let words =
                    [Value::text("chmod"), Value::text(&mode.unwrap_or_else(|| "644".to_owned()))];
                self.note(Verb::Words, &Value::List([words.to_vec(), paths].concat()));
            }
            _ => {}
        }
    }
}
